/*
 * Random kernels through the launch half: the referee's bytes, on the
 * stand-in with schedules by chance and on a card where there is one.  Words
 * that differ between the referee's own NaN bits are NaNs and not compared.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/cuda/kit.h"
#include "tests/support/cuda/referee.h"
#include "tests/support/kernels/kernels.h"

#define FEW  60u
#define MANY 10000u

struct params {
	uint64_t out, in;
	uint32_t n;
};

static void run_card(struct kit *k, const struct kernels_case *c,
		     const uint8_t *in, uint8_t *got)
{
	struct cuda_module *m = NULL;
	struct params p = {.n = c->word};
	struct cuda_launch l = {
		.kernel = BYTES_LIT("k"),
		.params = bytes_of((const uint8_t *)&p, 20),
		.stack_bytes = KERNELS_STACK_BYTES,
	};

	memcpy(l.grid, c->grid, sizeof(l.grid));
	memcpy(l.block, c->block, sizeof(l.block));
	kit_ok(k,
	       cuda_module_load(k->card, buf_bytes(&c->text), 0, &m, &k->diag));
	kit_ok(k, cuda_alloc(k->card, c->out_bytes, &p.out, &k->diag));
	kit_ok(k, cuda_alloc(k->card, KERNELS_IN_BYTES, &p.in, &k->diag));
	kit_ok(k, cuda_fill(k->card, p.out, 0, c->out_bytes, &k->diag));
	kit_ok(k, cuda_put(k->card, p.in, in, KERNELS_IN_BYTES, &k->diag));
	kit_ok(k, cuda_launch(k->card, m, &l, &k->diag));
	kit_ok(k, cuda_get(k->card, got, p.out, c->out_bytes, &k->diag));
	cuda_free(k->card, p.in);
	cuda_free(k->card, p.out);
	cuda_module_free(k->card, m);
}

static void check_seed(struct kit *k, uint64_t seed)
{
	struct kernels_case c;
	uint8_t in[KERNELS_IN_BYTES], *out[REFEREE_VARIANTS], *got;

	/* A card of any architecture, and what is exact on all of them. */
	kernels_make(seed, k->is_real ? KERNELS_NO_FTZ : 0, &c);
	kernels_input(seed, in, sizeof(in));
	for (uint32_t v = 0; v < REFEREE_VARIANTS; v++)
		out[v] = malloc(c.out_bytes);
	got = malloc(c.out_bytes);
	if (referee_run(&c, in, out)) {
		run_card(k, &c, in, got);
		for (uint32_t i = 0; i < c.out_bytes; i += 8) {
			uint32_t n = c.out_bytes - i < 8 ? c.out_bytes - i : 8;

			if (memcmp(out[0] + i, out[1] + i, n) != 0 ||
			    memcmp(out[0] + i, out[2] + i, n) != 0)
				continue;
			cr_assert_eq(memcmp(got + i, out[0] + i, n), 0,
				     "seed %llu: byte %u",
				     (unsigned long long)seed, i);
		}
	}
	for (uint32_t v = 0; v < REFEREE_VARIANTS; v++)
		free(out[v]);
	free(got);
	buf_free(&c.text);
}

Test(gpu_cuda_kernels, give_the_bytes_of_the_referee)
{
	struct standin_options o = STANDIN_DEFAULT;
	uint64_t count = getenv("WEFT_HEAVY") ? MANY : FEW;
	struct kit *k;

	o.sm = 100;
	o.schedules = true;
	o.heap_bytes = 4u << 20;
	k = kit_standin(&o);
	for (uint64_t seed = 1; seed <= count; seed++)
		check_seed(k, seed);
	kit_end(k);
	k = kit_real();
	if (!k)
		return;
	for (uint64_t seed = 1; seed <= count; seed++)
		check_seed(k, seed);
	kit_end(k);
}
