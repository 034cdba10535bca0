/*
 * Integer mma of every shape, ldmatrix, stmatrix, movmatrix, cp.async and
 * registers of 128 bits, against loops over elements: where an element lies
 * is written here as the ISA's tables say it, register by register.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

#define HEAD                                                       \
	".version 8.0\n.target sm_90\n.address_size 64\n"          \
	".visible .entry k(.param .u64 out, .param .u64 in) {\n"   \
	".reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<16>;\n" \
	".shared .align 16 .b8 s[2048];\n"                         \
	"ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in];\n"     \
	"mov.u32 %r60, %tid.x; mul.wide.u32 %rd2, %r60, 64;\n"     \
	"add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;\n"    \
	"mov.u32 %r61, s; and.b32 %r62, %r60, 31;\n"

#define WORDS 16u /* of a thread, in and out */

static uint32_t in[64 * WORDS], out[64 * WORDS];
static uint64_t state;

static uint32_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

static void fill(uint64_t seed)
{
	state = seed;
	for (size_t i = 0; i < sizeof(in) / 4; i++)
		in[i] = next();
	memset(out, 0xee, sizeof(out));
}

/* In groups of few lanes, too: these come out the same, and to an end. */
static struct exec_result run_with(const char *text, uint32_t threads,
				   enum exec_lanes lanes)
{
	static const uint32_t widths[] = {0, 1, 8};
	static uint32_t before[64 * WORDS], want[64 * WORDS];
	struct kit k = kit_load(text);
	struct kit_run run = KIT_RUN(out, threads);
	struct exec_result r = {0}, first = {0};
	run.in = (uint8_t *)in;
	run.in_bytes = sizeof(in);
	run.options.lanes = lanes;
	run.options.cta_cost_max = 1u << 28;
	memcpy(before, out, sizeof(out));
	for (uint32_t i = 0; i < 6; i++) {
		memcpy(out, before, sizeof(out));
		run.options.group_lanes = widths[i % 3];
		run.options.schedule_seed = i / 3;
		r = kit_run(&k, &run);
		if (i == 0) {
			memcpy(want, out, sizeof(out));
			first = r;
		}
		cr_assert_eq(r.outcome, first.outcome, "groups of %u",
			     widths[i % 3]);
		if (r.outcome != EXEC_OK)
			continue;
		cr_assert_eq(r.count, first.count);
		cr_assert_arr_eq(out, want, sizeof(out));
	}
	kit_free(&k);
	return first;
}

struct shape {
	const char *name;
	uint32_t m, k, bits;
};

static const struct shape shapes[] = {
	{"m8n8k16", 8, 16, 8},	   {"m16n8k16", 16, 16, 8},
	{"m16n8k32", 16, 32, 8},   {"m8n8k32", 8, 32, 4},
	{"m16n8k32", 16, 32, 4},   {"m16n8k64", 16, 64, 4},
	{"m8n8k128", 8, 128, 1},   {"m16n8k128", 16, 128, 1},
	{"m16n8k256", 16, 256, 1},
};

/* Element i of a thread's registers, from word first of its input. */
static int64_t element(uint32_t lane, uint32_t first, uint32_t i, uint32_t bits,
		       bool is_signed)
{
	uint32_t per = 32 / bits;
	uint32_t w = in[lane * WORDS + first + i / per] >> (i % per * bits);
	int64_t v = w & ((1u << bits) - 1);
	return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}

static int64_t a_of[16][256], b_of[256][8];
static uint32_t c_of[16][8];

/* The matrices that warp's threads hold. */
static void gather(const struct shape *s, uint32_t warp, bool sa, bool sb)
{
	uint32_t per = 32 / s->bits, a_regs = s->m * s->k / 32 / per;
	uint32_t b_regs = 8 * s->k / 32 / per, c_regs = s->m / 4;
	for (uint32_t t = 0; t < 32; t++) {
		uint32_t lane = warp * 32 + t, group = t >> 2, id = t % 4;
		for (uint32_t i = 0; i < a_regs * per; i++) {
			bool lower = s->m == 16 && (i / per) % 2 == 1;
			uint32_t half = s->m == 16 ? 2 * per : per;
			uint32_t column =
				id * per + i % per + (i >= half ? 4 * per : 0);
			a_of[group + (lower ? 8 : 0)][column] =
				element(lane, 0, i, s->bits, sa);
		}
		for (uint32_t i = 0; i < b_regs * per; i++)
			b_of[id * per + i % per + (i >= per ? 4 * per : 0)]
			    [group] = element(lane, 4, i, s->bits, sb);
		for (uint32_t i = 0; i < c_regs; i++)
			c_of[group + (i >= 2 ? 8 : 0)][id * 2 + (i & 1)] =
				in[lane * WORDS + 6 + i];
	}
}

static uint32_t product(const struct shape *s, uint32_t row, uint32_t column,
			const char *bool_op)
{
	uint64_t sum = c_of[row][column];
	for (uint32_t k = 0; k < s->k; k++) {
		int64_t x = a_of[row][k], y = b_of[k][column];
		sum += (uint64_t)(strcmp(bool_op, "xor") == 0	? x ^ y
				  : strcmp(bool_op, "and") == 0 ? (x & y)
								: x * y);
	}
	return (uint32_t)sum;
}

static void check_mma(const struct shape *s, bool sa, bool sb,
		      const char *bool_op, const char *what)
{
	for (uint32_t warp = 0; warp < 2; warp++) {
		gather(s, warp, sa, sb);
		for (uint32_t t = 0; t < 32; t++) {
			for (uint32_t i = 0; i < s->m / 4; i++) {
				uint32_t row = t / 4 + (i >= 2 ? 8 : 0);
				uint32_t column = t % 4 * 2 + (i & 1);
				cr_assert_eq(out[(warp * 32 + t) * WORDS + i],
					     product(s, row, column, bool_op),
					     "%s: warp %u lane %u d%u", what,
					     warp, t, i);
			}
		}
	}
}

/* "{%r8, %r9}" */
static void put_registers(struct buf *b, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		buf_printf(b, "%s%%r%u", i == 0 ? " {" : ", ", first + i);
	buf_put_str(b, "}");
}

static void run_mma(const struct shape *s, const char *ta, const char *tb,
		    const char *bool_op)
{
	uint32_t per = 32 / s->bits, c = s->m / 4;
	enum exec_lanes sets[3];
	char op[128];
	struct buf b = buf_make(1u << 14);
	snprintf(op, sizeof(op),
		 "mma.sync.aligned.%s.row.col.s32.%s.%s.s32%s%s%s", s->name, ta,
		 tb, *bool_op != '\0' ? "." : "", bool_op,
		 *bool_op != '\0' ? ".popc" : "");
	buf_put_str(&b, HEAD);
	for (uint32_t i = 0; i < 10; i++)
		buf_printf(&b, "ld.global.u32 %%r%u, [%%rd1+%u];\n", 10 + i,
			   i * 4);
	buf_put_str(&b, op);
	put_registers(&b, 30, c);
	buf_put_str(&b, ",");
	put_registers(&b, 10, s->m * s->k / 32 / per);
	buf_put_str(&b, ",");
	put_registers(&b, 14, 8 * s->k / 32 / per);
	buf_put_str(&b, ",");
	put_registers(&b, 16, c);
	buf_put_str(&b, ";\n");
	for (uint32_t i = 0; i < c; i++)
		buf_printf(&b, "st.global.u32 [%%rd0+%u], %%r%u;\n", i * 4,
			   30 + i);
	buf_put_str(&b, "ret;\n}\n");
	buf_put_u8(&b, 0);
	uint32_t n = kit_lanes(sets);
	for (uint32_t i = 0; i < n; i++) {
		fill(s->m * 1000 + s->k);
		struct exec_result r = run_with((const char *)b.p, 64, sets[i]);
		cr_assert_eq(r.outcome, EXEC_OK, "%s", op);
		check_mma(s, ta[0] == 's', tb[0] == 's', bool_op, op);
	}
	buf_free(&b);
}

Test(gpu_exec_matrix, integer_products)
{
	static const char *const bytes[] = {"u8", "s8"};
	static const char *const nibbles[] = {"u4", "s4"};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		if (s->bits == 1) {
			run_mma(s, "b1", "b1", "xor");
			run_mma(s, "b1", "b1", "and");
			continue;
		}
		const char *const *names = s->bits == 8 ? bytes : nibbles;
		for (uint32_t k = 0; k < 4; k++)
			run_mma(s, names[k & 1], names[k >> 1], "");
	}
}

#define MMA                                               \
	"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 " \
	"{%r1,%r2}, {%r3}, {%r4}, {%r5,%r6};\n"
#define CLEAR \
	"mov.b32 %r3, 1; mov.b32 %r4, 2; mov.b32 %r5, 3; mov.b32 %r6, 4;\n"

Test(gpu_exec_matrix, needs_whole_warps)
{
	/* The second warp has half its lanes. */
	struct exec_result r =
		run_with(HEAD CLEAR MMA "ret;\n}\n", 48, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_VOID);
	cr_expect_eq(r.reason, EXEC_REASON_bad_sync);
	r = run_with(HEAD CLEAR "setp.lt.u32 %p1, %r60, 32;\n@%p1 " MMA
				"ret;\n}\n",
		     48, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_OK);
	/* Half a warp never comes. */
	r = run_with(HEAD CLEAR "setp.lt.u32 %p1, %r60, 16;\n@%p1 bra E;\n" MMA
				"E: ret;\n}\n",
		     64, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_VOID);
	/* They meet again. */
	r = run_with(HEAD CLEAR
		     "and.b32 %r7, %r60, 1; setp.eq.u32 %p1, %r7, 0;\n"
		     "@%p1 bra L; add.u32 %r8, %r7, 1; L:\n" MMA "ret;\n}\n",
		     64, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_OK);
}

/* Matrix m of a warp's 512 bytes of shared memory: rows of eight halves, the
 * order of the rows turned round. */
static uint16_t half_at(uint32_t warp, uint32_t m, uint32_t row,
			uint32_t column)
{
	const uint16_t *p = (const uint16_t *)(const void *)&in[warp * 128];
	return p[(m * 8 + (7 - row)) * 8 + column];
}

/* in[0 .. 256) to shared memory; %r1: the row that the lane names. */
#define ROWS                                                      \
	"mad.lo.u32 %r10, %r60, 16, %r61;\n"                      \
	"ld.param.u64 %rd3, [in]; mul.wide.u32 %rd4, %r60, 16;\n" \
	"add.u64 %rd3, %rd3, %rd4;\n"                             \
	"ld.global.v2.b64 {%rd5, %rd6}, [%rd3];\n"                \
	"st.shared.v2.b64 [%r10], {%rd5, %rd6}; bar.sync 0;\n"    \
	"xor.b32 %r1, %r60, 7; mad.lo.u32 %r1, %r1, 16, %r61;\n"

static uint32_t loaded(uint32_t warp, uint32_t lane, uint32_t m, bool trans)
{
	uint32_t i = lane % 4 * 2, k = lane / 4;
	return trans ? half_at(warp, m, i, k) |
			       (uint32_t)half_at(warp, m, i + 1, k) << 16
		     : half_at(warp, m, k, i) |
			       (uint32_t)half_at(warp, m, k, i + 1) << 16;
}

static void check_ldmatrix(uint32_t n, bool trans, enum exec_lanes lanes)
{
	static const char *const vectors[] = {"{%r2}", "{%r2,%r3}", "",
					      "{%r2,%r3,%r4,%r5}"};
	char text[4096];
	snprintf(text, sizeof(text),
		 "%sldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, "
		 "[%%r1];\n"
		 "st.global.v4.u32 [%%rd0], {%%r2,%%r3,%%r4,%%r5};\n"
		 "ret;\n}\n",
		 HEAD ROWS, n, trans ? ".trans" : "", vectors[n - 1]);
	fill(n);
	struct exec_result r = run_with(text, 64, lanes);
	cr_assert_eq(r.outcome, EXEC_OK);
	for (uint32_t t = 0; t < 64; t++)
		for (uint32_t m = 0; m < n; m++)
			cr_assert_eq(out[t * WORDS + m],
				     loaded(t / 32, t % 32, m, trans),
				     "x%u trans %d thread %u matrix %u", n,
				     trans, t, m);
}

Test(gpu_exec_matrix, loads)
{
	enum exec_lanes sets[3];
	uint32_t count = kit_lanes(sets);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 1; n <= 4; n *= 2)
			for (int trans = 0; trans < 2; trans++)
				check_ldmatrix(n, trans != 0, sets[i]);
}

/* What ldmatrix loads, stmatrix stores back to the rows that it came from. */
Test(gpu_exec_matrix, stores_what_it_loads)
{
	for (int trans = 0; trans < 2; trans++) {
		char text[4096];
		const char *t = trans != 0 ? ".trans" : "";
		snprintf(text, sizeof(text),
			 "%sldmatrix.sync.aligned.m8n8.x4%s.shared.b16 "
			 "{%%r2,%%r3,%%r4,%%r5}, [%%r1];\n"
			 "bar.sync 0; mov.b64 %%rd5, 0;\n"
			 "st.shared.v2.b64 [%%r10], {%%rd5,%%rd5}; "
			 "bar.sync 0;\n"
			 "stmatrix.sync.aligned.m8n8.x4%s.shared.b16 [%%r1], "
			 "{%%r2,%%r3,%%r4,%%r5};\n"
			 "bar.sync 0; ld.shared.v2.b64 {%%rd5,%%rd6}, "
			 "[%%r10];\n"
			 "st.global.v2.b64 [%%rd0], {%%rd5,%%rd6};\n"
			 "ret;\n}\n",
			 HEAD ROWS, t, t);
		fill(77);
		cr_assert_eq(run_with(text, 64, EXEC_LANES_AUTO).outcome,
			     EXEC_OK);
		for (uint32_t i = 0; i < 64; i++)
			cr_assert_arr_eq(&out[i * WORDS], &in[i * 4], 16);
	}
}

/* A misaligned row; a row outside, that only .x2 and more look at. */
Test(gpu_exec_matrix, rows_fault)
{
	struct exec_result r = run_with(
		HEAD ROWS "add.u32 %r1, %r1, 8;\nldmatrix.sync.aligned.m8n8.x1."
			  "shared.b16 {%r2}, [%r1];\nret;\n}\n",
		64, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, EXEC_REASON_misaligned);
#define AWAY "setp.gt.u32 %p1, %r62, 7; @%p1 add.u32 %r1, %r1, 4096;\n"
	r = run_with(HEAD ROWS AWAY "ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
				    "{%r2}, [%r1];\nret;\n}\n",
		     64, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_OK);
	r = run_with(HEAD ROWS AWAY "ldmatrix.sync.aligned.m8n8.x2.shared.b16 "
				    "{%r2,%r3}, [%r1];\nret;\n}\n",
		     64, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, EXEC_REASON_out_of_bounds);
}

Test(gpu_exec_matrix, transposes_in_registers)
{
	fill(5);
	struct exec_result r = run_with(
		HEAD "ld.global.u32 %r1, [%rd1];\n"
		     "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
		     "st.global.u32 [%rd0], %r2;\nret;\n}\n",
		64, EXEC_LANES_AUTO);
	cr_assert_eq(r.outcome, EXEC_OK);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t want = 0;
		for (uint32_t h = 0; h < 2; h++) {
			/* Row and column of the result are the source's
			 * column and row. */
			uint32_t row = t % 4 * 2 + h, column = t % 32 / 4;
			uint32_t from = t / 32 * 32 + row * 4 + column / 2;
			uint32_t v = in[from * WORDS] >> (column % 2 * 16);
			want |= (v & 0xffffu) << (16 * h);
		}
		cr_assert_eq(out[t * WORDS], want, "thread %u", t);
	}
}

/* bytes of which amount are copied and the rest is zero; amount by thread. */
static void check_copy(uint32_t bytes, const char *more, bool by_thread)
{
	char text[4096];
	snprintf(text, sizeof(text),
		 "%smad.lo.u32 %%r10, %%r60, 16, %%r61;\n"
		 "mov.b64 %%rd5, -1; st.shared.v2.b64 [%%r10], "
		 "{%%rd5,%%rd5};\n"
		 "rem.u32 %%r11, %%r60, %u;\n"
		 "setp.lt.u32 %%p1, %%r11, 3;\n"
		 "cp.async.%s.shared.global [%%r10], [%%rd1+16], %u%s;\n"
		 "cp.async.commit_group; cp.async.wait_group 0;\n"
		 "ld.shared.v2.b64 {%%rd5,%%rd6}, [%%r10];\n"
		 "st.global.v2.b64 [%%rd0], {%%rd5,%%rd6};\nret;\n}\n",
		 HEAD, bytes + 1, bytes == 16 ? "cg" : "ca", bytes, more);
	fill(bytes);
	cr_assert_eq(run_with(text, 64, EXEC_LANES_AUTO).outcome, EXEC_OK);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t amount = bytes;
		uint8_t want[16];
		if (by_thread)
			amount = t % (bytes + 1);
		else if (strcmp(more, ", %p1") == 0)
			amount = t % (bytes + 1) < 3 ? 0 : bytes;
		else if (strcmp(more, ", 3") == 0)
			amount = 3;
		memset(want, 0xff, sizeof(want));
		memset(want, 0, bytes);
		memcpy(want, &in[t * WORDS + 4], amount);
		cr_assert_arr_eq(&out[t * WORDS], want, 16,
				 "%u bytes%s: thread %u", bytes, more, t);
	}
}

Test(gpu_exec_matrix, copies)
{
	for (uint32_t bytes = 4; bytes <= 16; bytes *= 2) {
		check_copy(bytes, "", false);
		check_copy(bytes, ", %r11", true);
		check_copy(bytes, ", %p1", false);
		check_copy(bytes, ", 3", false);
	}
}

Test(gpu_exec_matrix, copies_under_a_guard_and_at_an_end)
{
	/* Only the threads that may: the others' source does not exist. */
	fill(1);
	struct exec_result r = run_with(
		HEAD "mad.lo.u32 %r10, %r60, 16, %r61;\n"
		     "setp.eq.u32 %p1, %r60, 5; selp.b32 %r11, 4, 0, %p1;\n"
		     "add.u64 %rd3, %rd1, 1048576; @%p1 mov.b64 %rd3, %rd1;\n"
		     "@%p1 cp.async.ca.shared.global [%r10], [%rd3], 8;\n"
		     "@!%p1 cp.async.ca.shared.global [%r10], [%rd3], 8, "
		     "%r11;\n"
		     "ld.shared.b64 %rd5, [%r10];\n"
		     "st.global.b64 [%rd0], %rd5;\nret;\n}\n",
		64, EXEC_LANES_AUTO);
	cr_assert_eq(r.outcome, EXEC_OK);
	for (uint32_t t = 0; t < 64; t++) {
		cr_assert_eq(out[t * WORDS], t == 5 ? in[t * WORDS] : 0);
		cr_assert_eq(out[t * WORDS + 1],
			     t == 5 ? in[t * WORDS + 1] : 0);
	}
	r = run_with(HEAD "add.u64 %rd1, %rd1, 4;\ncp.async.ca.shared.global "
			  "[%r61], [%rd1], 8;\nret;\n}\n",
		     1, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, EXEC_REASON_misaligned);
	r = run_with(HEAD "add.u64 %rd1, %rd1, 4096;\ncp.async.ca.shared.global"
			  " [%r61], [%rd1], 8;\nret;\n}\n",
		     1, EXEC_LANES_AUTO);
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, EXEC_REASON_out_of_bounds);
}

/* Sixteen bytes at once, packed and unpacked, the halves changed over. */
Test(gpu_exec_matrix, wide_registers)
{
	enum exec_lanes sets[3];
	uint32_t n = kit_lanes(sets);
	for (uint32_t i = 0; i < n; i++) {
		fill(9);
		struct exec_result r = run_with(
			".version 8.3\n.target sm_90\n.address_size 64\n"
			".visible .entry k(.param .u64 out, .param .u64 in) {\n"
			".reg .b32 %r<4>; .reg .b64 %rd<8>;\n"
			".reg .b128 %q<4>; .reg .pred %p<2>;\n"
			"ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in];\n"
			"mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 64;\n"
			"add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;\n"
			"ld.global.b128 %q0, [%rd1]; mov.b128 %q1, %q0;\n"
			"mov.b128 {%rd3, %rd4}, %q1;\n"
			"mov.b128 %q2, {%rd4, %rd3};\n"
			"and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1;\n"
			"@%p0 mov.b128 %q2, %q0;\n"
			"st.global.b128 [%rd0], %q2;\nret;\n}\n",
			64, sets[i]);
		cr_assert_eq(r.outcome, EXEC_OK);
		for (uint32_t t = 0; t < 64; t++)
			for (uint32_t k = 0; k < 4; k++)
				cr_assert_eq(out[t * WORDS + k],
					     in[t * WORDS +
						(t % 2 == 1 ? k : k ^ 2)]);
	}
}
