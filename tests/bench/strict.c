/*
 * strict [STRIDE]: the error of each strict function against MPFR, in units
 * of the last place from the correctly rounded value, as a histogram.
 * STRIDE 1 takes every one of the 2^32 inputs (hours); default 4099.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "tests/support/strict_host.h"

struct row {
	const char *name;
	float (*ours)(float);
	int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
};

static const struct row rows[] = {
	{"exp", weft_expf, mpfr_exp},
	{"exp2", weft_exp2f, mpfr_exp2},
	{"exp10", weft_exp10f, mpfr_exp10},
	{"log", weft_logf, mpfr_log},
	{"log2", weft_log2f, mpfr_log2},
	{"log10", weft_log10f, mpfr_log10},
	{"sin", weft_sinf, mpfr_sin},
	{"cos", weft_cosf, mpfr_cos},
	{"tanh", weft_tanhf, mpfr_tanh},
	{"erf", weft_erff, mpfr_erf},
	{"rsqrt", weft_rsqrtf, mpfr_rec_sqrt},
};

static int64_t order(float f)
{
	int32_t i = __float_as_int(f);

	return i < 0 ? -(int64_t)(i & 0x7fffffff) : i;
}

static int row_run(const struct row *r, uint64_t stride)
{
	uint64_t histogram[4] = {0};
	float worst_x = 0.0f;
	int64_t worst = 0;
	mpfr_t x, y;

	mpfr_init2(x, 24);
	mpfr_init2(y, 60);
	for (uint64_t u = 0; u < 1ull << 32; u += stride) {
		float f = __int_as_float((int)(uint32_t)u);
		float got, want;
		int64_t d;

		if (f != f)
			continue;
		mpfr_set_flt(x, f, MPFR_RNDN);
		r->exact(y, x, MPFR_RNDN);
		want = mpfr_get_flt(y, MPFR_RNDN);
		got = r->ours(f);
		if (want != want && got != got)
			continue;
		d = llabs(order(got) - order(want));
		if (d > worst) {
			worst = d;
			worst_x = f;
		}
		histogram[d > 3 ? 3 : d]++;
	}
	printf("%-6s max %lld ulp at %a, exact %llu, 1 ulp %llu, 2 ulp %llu, "
	       "more %llu\n",
	       r->name, (long long)worst, (double)worst_x,
	       (unsigned long long)histogram[0],
	       (unsigned long long)histogram[1],
	       (unsigned long long)histogram[2],
	       (unsigned long long)histogram[3]);
	mpfr_clear(x);
	mpfr_clear(y);
	return worst > 1;
}

int main(int argc, char **argv)
{
	uint64_t stride = argc > 1 ? strtoull(argv[1], 0, 10) : 4099;
	int bad = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		bad |= row_run(&rows[i], stride ? stride : 1);
	return bad;
}
