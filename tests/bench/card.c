/*
 * card: what a card does where the PTX ISA leaves it open.
 *
 * Runs a few small kernels on the machine's card and prints the bits, for
 * doc/measured.md: the NaNs of each operation, .ftz where a result rounds up
 * to the smallest normal number, and exited lanes in the masks of *.sync.
 * Without a card it says so, and shows what the stand-in gives with
 * --stand-in.
 */
#define _GNU_SOURCE /* usleep */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpu/cuda/card.h"
#include "tests/support/cuda/standin.h"

struct question {
	const char *words;
	uint32_t out_bytes; /* of each of count results */
	uint32_t count;
	const char *body; /* %rd1: address of the results */
};

static const struct question questions[] = {
	{"f32 NaN of 0/0, inf-inf, 0*inf, sqrt -1, min(NaN, NaN), NaN+1", 4, 6,
	 "mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f7f800000;\n"
	 "div.rn.f32 %f3, %f1, %f1; st.global.f32 [%rd1], %f3;\n"
	 "sub.rn.f32 %f3, %f2, %f2; st.global.f32 [%rd1+4], %f3;\n"
	 "mul.rn.f32 %f3, %f1, %f2; st.global.f32 [%rd1+8], %f3;\n"
	 "mov.f32 %f3, 0fbf800000; sqrt.rn.f32 %f3, %f3;\n"
	 "st.global.f32 [%rd1+12], %f3;\n"
	 "mov.f32 %f4, 0fffc12345; min.f32 %f3, %f4, %f4;\n"
	 "st.global.f32 [%rd1+16], %f3;\n"
	 "mov.f32 %f1, 0f3f800000; add.rn.f32 %f3, %f4, %f1;\n"
	 "st.global.f32 [%rd1+20], %f3;\n"},
	{"f64 NaN of 0/0, inf-inf, 0*inf, sqrt -1, NaN+1", 8, 5,
	 "mov.f64 %fd1, 0d0000000000000000;\n"
	 "mov.f64 %fd2, 0d7ff0000000000000;\n"
	 "div.rn.f64 %fd3, %fd1, %fd1; st.global.f64 [%rd1], %fd3;\n"
	 "sub.rn.f64 %fd3, %fd2, %fd2; st.global.f64 [%rd1+8], %fd3;\n"
	 "mul.rn.f64 %fd3, %fd1, %fd2; st.global.f64 [%rd1+16], %fd3;\n"
	 "mov.f64 %fd3, 0dbff0000000000000; sqrt.rn.f64 %fd3, %fd3;\n"
	 "st.global.f64 [%rd1+24], %fd3;\n"
	 "mov.f64 %fd1, 0dfff8000012345678;\n"
	 "mov.f64 %fd2, 0d3ff0000000000000;\n"
	 "add.rn.f64 %fd3, %fd1, %fd2; st.global.f64 [%rd1+32], %fd3;\n"},
	{"f16 NaN of inf-inf, f32 to f16 and f64 to f32 of a NaN's payload", 4,
	 3,
	 "mov.b16 %h1, 0x7c00; sub.rn.f16 %h2, %h1, %h1;\n"
	 "cvt.u32.u16 %r1, %h2; st.global.u32 [%rd1], %r1;\n"
	 "mov.f32 %f1, 0fffc12345; cvt.rn.f16.f32 %h2, %f1;\n"
	 "cvt.u32.u16 %r1, %h2; st.global.u32 [%rd1+4], %r1;\n"
	 "mov.f64 %fd1, 0dfff8000012345678; cvt.rn.f32.f64 %f1, %fd1;\n"
	 "st.global.f32 [%rd1+8], %f1;\n"},
	{".ftz where rounding reaches 2^-126: mul, fma, add of subnormals", 4,
	 3,
	 "mov.f32 %f1, 0f00ffffff; mov.f32 %f2, 0f3f000000;\n"
	 "mul.rn.ftz.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3;\n"
	 "mov.f32 %f4, 0f00000000; fma.rn.ftz.f32 %f3, %f1, %f2, %f4;\n"
	 "st.global.f32 [%rd1+4], %f3;\n"
	 "mov.f32 %f1, 0f00ffffff; mov.f32 %f2, 0f80800000;\n"
	 "add.rn.ftz.f32 %f3, %f1, %f2; st.global.f32 [%rd1+8], %f3;\n"},
	{"vote.ballot over all lanes after lanes 16 and up have exited", 4, 1,
	 "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16; @%p1 ret;\n"
	 "vote.sync.ballot.b32 %r2, 1, 0xffffffff;\n"
	 "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
	 "st.global.u32 [%rd1], %r2;\n"},
	{"shfl.idx from lane 20, which has exited, over all lanes", 4, 1,
	 "mov.u32 %r1, %laneid; add.u32 %r3, %r1, 100;\n"
	 "setp.ge.u32 %p1, %r1, 16; @%p1 ret;\n"
	 "shfl.sync.idx.b32 %r2, %r3, 20, 31, 0xffffffff;\n"
	 "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
	 "st.global.u32 [%rd1], %r2;\n"},
	{"bar.warp.sync over all lanes after lanes 16 and up have exited", 4, 1,
	 "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16; @%p1 ret;\n"
	 "bar.warp.sync 0xffffffff; mov.u32 %r2, 1;\n"
	 "st.global.u32 [%rd1], %r2;\n"},
};

static bool more(void *ctx, uint64_t looks)
{
	(void)ctx;
	usleep(1000);
	return looks < 3000;
}

static enum err ask_card(struct cuda_card *c, const struct question *q,
			 uint8_t *ret_bytes, struct cuda_diag *diag)
{
	struct buf b = buf_make(1u << 16);
	struct cuda_module *m = NULL;
	uint64_t at = 0;
	struct cuda_launch l = {
		.kernel = BYTES_LIT("k"),
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.params = bytes_of((const uint8_t *)&at, sizeof(at)),
	};
	enum err e;

	buf_printf(&b,
		   ".version 7.0\n.target sm_75\n.address_size 64\n"
		   ".visible .entry k(.param .u64 out) {\n"
		   ".reg .b32 %%r<4>; .reg .b64 %%rd<2>; .reg .f32 %%f<5>;\n"
		   ".reg .f64 %%fd<4>; .reg .b16 %%h<3>; .reg .pred %%p<2>;\n"
		   "ld.param.u64 %%rd1, [out];\n%s\nret;\n}\n",
		   q->body);
	e = b.err;
	if (!e)
		e = cuda_module_load(c, buf_bytes(&b), 0, &m, diag);
	buf_free(&b);
	if (!e)
		e = cuda_alloc(c, 256, &at, diag);
	if (!e)
		e = cuda_fill(c, at, 0xee, 256, diag);
	if (!e)
		e = cuda_launch(c, m, &l, diag);
	if (!e)
		e = cuda_get(c, ret_bytes, at, q->out_bytes * q->count, diag);
	if (e == ERR_TIMEOUT)
		return e; /* nothing of it can be given back */
	cuda_free(c, at);
	cuda_module_free(c, m);
	return e;
}

static void print(const struct question *q, const uint8_t *bytes)
{
	printf("%s:", q->words);
	for (uint32_t i = 0; i < q->count; i++) {
		uint64_t v = 0;

		memcpy(&v, bytes + (size_t)i * q->out_bytes, q->out_bytes);
		printf(" %0*llx", (int)q->out_bytes * 2, (unsigned long long)v);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct cuda_wait wait = {more, NULL};
	struct cuda_driver d;
	struct cuda_diag diag = {0};
	struct cuda_card *c;

	if (argc > 1 && strcmp(argv[1], "--stand-in") == 0) {
		d = standin_start(&o);
	} else if (cuda_driver_load(&d, &diag) != ERR_OK) {
		printf("not measured: %s\n", diag.text);
		return 0;
	}
	if (cuda_card_open(&d, 0, wait, &c, &diag) != ERR_OK) {
		printf("%s\n", diag.text);
		return 1;
	}
	printf("%s, sm_%u, driver %d\n", cuda_card_info(c)->name,
	       (unsigned)cuda_card_info(c)->sm,
	       cuda_card_info(c)->driver_version);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		uint8_t bytes[256] = {0};
		enum err e = ask_card(c, &questions[i], bytes, &diag);

		if (e == ERR_OK) {
			print(&questions[i], bytes);
			continue;
		}
		printf("%s: %s\n", questions[i].words, diag.text);
		/* Each that hangs or faults ends the card for this process. */
		return 1;
	}
	cuda_card_close(c);
	return 0;
}
