/*
 * Chains: stretches of ops that run a tile at a time.  Each kernel is checked
 * against its arithmetic in C, and against itself op by op (group_lanes), on
 * every set of lanes, one and two threads: bytes, counts and costs.
 */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

#define CTAS	5u
#define THREADS 256u
#define N	(CTAS * THREADS)

static uint32_t in[4 * N], out[N];

/* %r0 = thread of all, %rd1 = &out[it], %rd3 = &in[4 it]. */
#define EACH                                                      \
	"ld.param.u64 %rd2, [in]; mov.u32 %r0, %tid.x;\n"         \
	"mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 256, %r0;\n" \
	"mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;\n"  \
	"mul.wide.u32 %rd3, %r0, 16; add.s64 %rd3, %rd2, %rd3;\n"

#define KERNEL(body)                                                        \
	KIT_HEAD ".visible .entry k(.param .u64 out, .param .u64 in) {\n"   \
		 ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>;\n" \
		 ".reg .f32 %f<32>; .shared .align 16 .b8 s[4096];\n"       \
		 "ld.param.u64 %rd0, [out];\n" EACH body "\nret;\n}\n"

static void fill(void)
{
	uint32_t x = 12345;
	for (uint32_t i = 0; i < 4 * N; i++) {
		x = x * 1664525u + 1013904223u;
		/* between 1 and 2, but for some NaNs with other bits */
		in[i] = i % 97 == 5    ? 0xff812345u
			: i % 101 == 7 ? 0x7fc00001u
				       : 0x3f800000u | x >> 9;
	}
}

static float real(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t b;
	memcpy(&b, &f, sizeof(b));
	return f != f ? 0x7fffffffu : b;
}

static struct exec_result run_one(struct kit *k, enum exec_lanes lanes,
				  uint32_t threads, uint32_t group)
{
	struct kit_run r = KIT_RUN(out, THREADS);
	r.grid[0] = CTAS;
	r.in = (uint8_t *)in;
	r.in_bytes = sizeof(in);
	r.options.lanes = lanes;
	r.options.threads = threads;
	r.options.group_lanes = group;
	memset(out, 0xa5, sizeof(out));
	return kit_run(k, &r);
}

static void expect_all(const char *text, const uint32_t *want)
{
	enum exec_lanes sets[3];
	struct kit k;
	fill();
	k = kit_load(text);
	for (uint32_t s = 0; s < kit_lanes(sets); s++) {
		struct exec_result alone = run_one(&k, sets[s], 1, 32);
		cr_assert_eq(alone.outcome, EXEC_OK);
		cr_expect_arr_eq(out, want, sizeof(out), "op by op");
		for (uint32_t threads = 1; threads <= 2; threads++) {
			struct exec_result r = run_one(&k, sets[s], threads, 0);
			cr_assert_eq(r.outcome, EXEC_OK);
			cr_expect_eq(r.count, alone.count);
			cr_expect_eq(r.cost, alone.cost);
			cr_expect_arr_eq(out, want, sizeof(out),
					 "set %u, %u threads", s, threads);
		}
	}
	kit_free(&k);
}

static uint32_t want[N];

/* A sum that only a product reads, a NaN whose bits are looked at. */
Test(gpu_exec_chain, results_that_die_and_nans)
{
	fill();
	for (uint32_t i = 0; i < N; i++) {
		float a = real(in[4 * i]), b = real(in[4 * i + 1]);
		float m = (a + b) * b, z = fmaf(m, a, b);
		want[i] = ~bits_of(z * b);
		want[i] = (want[i] ^ bits_of(m)) + (z < 9.0f ? 0u : 1u);
	}
	expect_all(KERNEL("ld.global.v2.f32 {%f1, %f2}, [%rd3];\n"
			  "add.f32 %f3, %f1, %f2;\n"
			  "mul.f32 %f3, %f3, %f2;\n"
			  "fma.rn.f32 %f4, %f3, %f1, %f2;\n"
			  "setp.lt.f32 %p1, %f4, 0f41100000;\n"
			  "mul.f32 %f5, %f4, %f2; not.b32 %r2, %f5;\n"
			  "mov.b32 %r3, %f3;\n"
			  "xor.b32 %r2, %r3, %r2;\n"
			  "@!%p1 add.u32 %r2, %r2, 1;\n"
			  "st.global.u32 [%rd1], %r2;"),
		   want);
}

static float round_to(int mode, float a, float b, char op)
{
	volatile float x = a, y = b, r;
	fesetround(mode);
	r = op == '+' ? x + y : op == '*' ? x * y : x / y;
	fesetround(FE_TONEAREST);
	return r;
}

/* Ops that want another MXCSR than their neighbours. */
Test(gpu_exec_chain, every_rounding_and_flushing)
{
	const float tiny = 0x1p-127f;
	fill();
	for (uint32_t i = 0; i < N; i++) {
		float a = real(in[4 * i]), b = real(in[4 * i + 1]);
		float c = round_to(FE_UPWARD, a, b, '+');
		c = round_to(FE_TOWARDZERO, c, b, '*');
		c = round_to(FE_DOWNWARD, c, a, '/');
		c = round_to(FE_TONEAREST, c, a, '+');
		want[i] = bits_of(c) ^
			  bits_of(round_to(FE_TONEAREST, a, tiny, '*'));
		want[i] += bits_of(a != a ? a : 0.0f);
	}
	expect_all(KERNEL("ld.global.v2.f32 {%f1, %f2}, [%rd3];\n"
			  "add.rp.f32 %f3, %f1, %f2;\n"
			  "mul.rz.f32 %f3, %f3, %f2;\n"
			  "div.rm.f32 %f3, %f3, %f1;\n"
			  "mul.rn.ftz.f32 %f4, %f1, 0f00400000;\n"
			  "add.rn.f32 %f3, %f3, %f1;\n"
			  "mul.rn.f32 %f5, %f1, 0f00400000;\n"
			  "mov.b32 %r2, %f3; mov.b32 %r3, %f5;\n"
			  "xor.b32 %r2, %r2, %r3; mov.b32 %r4, %f4;\n"
			  "add.u32 %r2, %r2, %r4;\n"
			  "st.global.u32 [%rd1], %r2;"),
		   want);
}

/* Loads in every shape, at addresses that move; a register that is written
 * again after its value went elsewhere. */
Test(gpu_exec_chain, loads_where_they_lie)
{
	fill();
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t *s = in + i / THREADS * THREADS;
		uint32_t t = i % THREADS, x = t % 16, y = t / 16;
		float acc = 1.0f;
		for (uint32_t k = 0; k < 8; k++)
			acc = fmaf(real(s[16 * y + k]), real(s[16 * k + x]),
				   acc);
		for (uint32_t k = 0; k < 8; k++)
			acc = (acc - real(s[k])) * real(s[t]);
		want[i] = bits_of(acc) + s[7];
	}
	expect_all(
		KERNEL("mov.u64 %rd4, s; mov.u32 %r4, %tid.x;\n"
		       "mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd4, %rd5;\n"
		       "mul.wide.u32 %rd6, %r0, 4; add.s64 %rd6, %rd2, %rd6;\n"
		       "ld.global.u32 %r5, [%rd6]; st.shared.u32 [%rd5], %r5;\n"
		       "and.b32 %r6, %r4, 15; shr.u32 %r7, %r4, 4;\n"
		       "mul.wide.u32 %rd7, %r6, 4; add.s64 %rd7, %rd4, %rd7;\n"
		       "mul.wide.u32 %rd8, %r7, 64; add.s64 %rd8, %rd4, %rd8;\n"
		       "bar.sync 0;\n"
		       "mov.f32 %f1, 0f3f800000; mov.u32 %r8, 0;\n"
		       "L: ld.shared.f32 %f2, [%rd8]; ld.shared.f32 %f3, [%rd7];\n"
		       "fma.rn.f32 %f1, %f2, %f3, %f1;\n"
		       "ld.shared.f32 %f2, [%rd8+4];\n"
		       "ld.shared.f32 %f4, [%rd7+64];\n"
		       "fma.rn.f32 %f1, %f2, %f4, %f1;\n"
		       "add.s64 %rd8, %rd8, 8; add.s64 %rd7, %rd7, 128;\n"
		       "add.u32 %r8, %r8, 2; setp.lt.u32 %p1, %r8, 8;\n"
		       "@%p1 bra L;\n"
		       "mov.u32 %r8, 0; mov.u64 %rd9, %rd4;\n"
		       "M: ld.shared.v2.f32 {%f5, %f6}, [%rd9];\n"
		       "ld.shared.f32 %f7, [%rd5];\n"
		       "sub.f32 %f1, %f1, %f5; mul.f32 %f1, %f1, %f7;\n"
		       "mov.b32 %r9, %f6; sub.f32 %f1, %f1, %f6;\n"
		       "mov.f32 %f6, %f7; mul.f32 %f1, %f6, %f1;\n"
		       "add.s64 %rd9, %rd9, 8;\n"
		       "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 4;\n"
		       "@%p1 bra M;\n"
		       "mov.b32 %r10, %f1; add.u32 %r10, %r10, %r9;\n"
		       "st.global.u32 [%rd1], %r10;"),
		want);
}

/* Lanes leave a loop one after the other; what they had stays. */
Test(gpu_exec_chain, lanes_that_are_off)
{
	fill();
	for (uint32_t i = 0; i < N; i++) {
		uint32_t a = i * 2654435761u, b = i,
			 n = i % 37 + i % THREADS / 3;
		for (uint32_t k = 0; k <= n; k++) {
			uint32_t t = (a << 3 | a >> 29) ^ b;
			b = t * 5 + (t >> 7);
			a = a + (b & 0xffffu) - k;
		}
		want[i] = a ^ b;
	}
	expect_all(KERNEL("mul.lo.u32 %r2, %r0, 2654435761; mov.u32 %r3, %r0;\n"
			  "rem.u32 %r4, %r0, 37; mov.u32 %r5, %tid.x;\n"
			  "div.u32 %r5, %r5, 3; add.u32 %r4, %r4, %r5;\n"
			  "mov.u32 %r6, 0;\n"
			  "L: shf.l.wrap.b32 %r7, %r2, %r2, 3;\n"
			  "xor.b32 %r7, %r7, %r3; shr.u32 %r8, %r7, 7;\n"
			  "mad.lo.u32 %r3, %r7, 5, %r8;\n"
			  "and.b32 %r9, %r3, 65535; add.u32 %r2, %r2, %r9;\n"
			  "sub.u32 %r2, %r2, %r6; add.u32 %r6, %r6, 1;\n"
			  "setp.le.u32 %p1, %r6, %r4;\n"
			  "@%p1 bra L;\n"
			  "xor.b32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;"),
		   want);
}
