#define _GNU_SOURCE /* usleep */
#include "tests/gpu/cuda/kit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char kit_saxpy[] = KIT_HEAD
	".visible .entry saxpy(.param .u64 x, .param .u64 y,\n"
	".param .f32 a, .param .u32 n) {\n"
	".reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<6>;\n"
	".reg .f32 %f<4>;\n"
	"ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];\n"
	"ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];\n"
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
	"mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;\n"
	"setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;\n"
	"cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n"
	"mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;\n"
	"add.s64 %rd5, %rd2, %rd3; ld.global.f32 %f2, [%rd4];\n"
	"ld.global.f32 %f3, [%rd5]; fma.rn.f32 %f3, %f1, %f2, %f3;\n"
	"st.global.f32 [%rd5], %f3;\nDONE: ret;\n}\n";

static bool more(void *ctx, uint64_t looks)
{
	struct kit *k = ctx;

	k->looks = looks;
	if (k->is_real)
		usleep(100);
	return looks < k->looks_max;
}

static struct kit *open_card(struct kit *k)
{
	struct cuda_wait wait = {more, k};

	k->looks_max = k->is_real ? 100000 : 100;
	kit_ok(k, cuda_card_open(&k->d, 0, wait, &k->card, &k->diag));
	return k;
}

struct kit *kit_standin(const struct standin_options *options)
{
	struct kit *k = calloc(1, sizeof(*k));

	cr_assert_not_null(k);
	k->d = standin_start(options);
	return open_card(k);
}

struct kit *kit_real(void)
{
	struct kit *k = calloc(1, sizeof(*k));

	cr_assert_not_null(k);
	if (cuda_driver_load(&k->d, &k->diag) != ERR_OK) {
		fprintf(stderr, "skipped on a card: %s\n", k->diag.text);
		free(k);
		return NULL;
	}
	k->is_real = true;
	return open_card(k);
}

void kit_end(struct kit *k)
{
	cuda_card_close(k->card);
	if (k->is_real) {
		cuda_driver_unload(&k->d);
	} else {
		cr_assert_eq(standin_in_use(), 0, "%u things are left",
			     standin_in_use());
		standin_stop();
	}
	free(k);
}

struct cuda_module *kit_load(struct kit *k, const char *text)
{
	struct cuda_module *m = NULL;

	kit_ok(k, cuda_module_load(k->card, bytes_str(text), 0, &m, &k->diag));
	return m;
}

void kit_ok(const struct kit *k, enum err e)
{
	cr_assert_eq(e, ERR_OK, "%s: %s", err_name(e), k->diag.text);
}
