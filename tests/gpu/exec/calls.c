/*
 * Calls: recursion and the stack, addresses of functions, structures and
 * registers as parameters, memory on the stack.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

#define NONE UINT32_MAX

static uint32_t out[1024];

/* The same on every lane set and schedule. */
static struct exec_result run(const char *text, uint32_t stack,
			      uint32_t threads)
{
	enum exec_lanes sets[3];
	static uint32_t before[1024];
	struct exec_result first = {0};
	struct kit k = kit_load_stack(text, stack);
	uint32_t lanes = kit_lanes(sets);
	for (uint32_t i = 0; i < lanes + 2; i++) {
		struct kit_run r = KIT_RUN(out, threads);
		r.options.lanes = sets[i < lanes ? i : 0];
		r.options.schedule_seed = i >= lanes ? i : 0;
		r.options.group_lanes = i == lanes ? 3 : 0;
		r.options.count_max = 10000000;
		memset(out, 0, sizeof(out));
		struct exec_result res = kit_run(&k, &r);
		if (i == 0) {
			first = res;
			memcpy(before, out, sizeof(out));
		}
		cr_expect_eq(res.outcome, first.outcome);
		cr_expect_eq(res.reason, first.reason, "%s",
			     exec_reason_word(res.reason));
		if (res.outcome != EXEC_OK)
			continue;
		cr_expect_arr_eq(out, before, sizeof(out));
		cr_expect_eq(res.count, first.count);
		cr_expect_eq(res.cost, first.cost);
	}
	kit_free(&k);
	return first;
}

static void expect_ok(struct exec_result r)
{
	cr_assert_eq(r.outcome, EXEC_OK, "%s at line %u, thread %u",
		     exec_reason_word(r.reason), r.line, r.thread);
}

static void expect_end(struct exec_result r, enum exec_reason reason,
		       uint32_t line, uint32_t thread)
{
	cr_expect_eq(r.outcome, EXEC_FAULT, "outcome %d", r.outcome);
	cr_expect_eq(r.reason, reason, "%s", exec_reason_word(r.reason));
	cr_expect_eq(r.line, line, "line %u", r.line);
	if (thread != NONE)
		cr_expect_eq(r.thread, thread, "thread %u", r.thread);
}

/* A kernel whose %rd1 = &out[tid], %r0 = tid. */
#define ENTRY_HEAD                                                 \
	".visible .entry k(.param .u64 out) {\n"                   \
	".reg .pred %p<9>; .reg .b32 %r<32>; .reg .b64 %rd<32>;\n" \
	"ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n"         \
	"mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;\n"
#define ENTRY_TAIL  "\nst.global.u32 [%rd1], %r1; ret; }\n"
#define ENTRY(body) ENTRY_HEAD body ENTRY_TAIL

#define CALL1(function)                                            \
	"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r2;\n" \
	"call.uni (r), " function ", (a); ld.param.b32 %r1, [r]; }\n"

/* n + (n-1) + ... + 0, with 3 registers of 32 bits and a predicate.  Of the
 * stack each activation takes 32 + 2 parameters and 2 call variables of 16
 * each + 4 * 4 = 112, rounded up to 128. */
#define TRIANGLE                                                  \
	".func (.param .b32 r) tri(.param .b32 n) {\n"            \
	".reg .pred %p; .reg .b32 %a, %b, %c;\n"                  \
	"ld.param.b32 %a, [n]; setp.eq.u32 %p, %a, 0;\n"          \
	"mov.u32 %c, 0; @%p bra D;\n"                             \
	"sub.u32 %b, %a, 1;\n"                                    \
	"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %b;\n" \
	"call.uni (y), tri, (x); ld.param.b32 %c, [y]; }\n"       \
	"add.u32 %c, %c, %a;\n"                                   \
	"D: st.param.b32 [r], %c; ret; }\n"
#define TRIANGLE_FRAME 128u

Test(gpu_exec_calls, recursion_of_many_depths)
{
	struct exec_result r = run(
		KIT_HEAD TRIANGLE ENTRY("and.b32 %r2, %r0, 15;\n" CALL1("tri")),
		16 * TRIANGLE_FRAME, 300);
	expect_ok(r);
	uint64_t count = 0;
	for (uint32_t i = 0; i < 300; i++) {
		uint32_t n = i % 16;
		cr_expect_eq(out[i], n * (n + 1) / 2);
		/* kernel: 4, and, 3 of the call, st, ret; an activation: 4,
		 * 5 more but the last, 2 */
		count += 10 + 6 * (uint64_t)(n + 1) + 5 * n;
	}
	cr_expect_eq(r.count, count);
}

Test(gpu_exec_calls, the_stack_s_edge)
{
	/* Thread t makes t + 1 activations. */
	const char *text =
		KIT_HEAD TRIANGLE ENTRY("mov.u32 %r2, %r0;\n" CALL1("tri"));
	expect_ok(run(text, 8 * TRIANGLE_FRAME, 8));
	expect_end(run(text, 8 * TRIANGLE_FRAME - 1, 8), EXEC_REASON_stack, 10,
		   7);
	expect_end(run(text, 8 * TRIANGLE_FRAME, 9), EXEC_REASON_stack, 10, 8);
}

Test(gpu_exec_calls, without_a_stack_they_are_refused)
{
	struct kit k = kit_load(KIT_HEAD TRIANGLE ENTRY(CALL1("tri")));
	cr_expect_eq(k.err, ERR_EXEC_REFUSED);
	cr_expect_eq(k.why.line, 10);
	cr_expect_str_eq(k.why.text, "call.uni in a recursion needs a stack");
	kit_free(&k);
	k = kit_load(KIT_HEAD ENTRY("P: .callprototype _ ();\n"
				    "call %rd2, P;"));
	cr_expect_eq(k.err, ERR_EXEC_REFUSED);
	cr_expect_eq(k.why.line, 9);
	cr_expect_str_eq(k.why.text, "call by an address needs a stack");
	kit_free(&k);
	k = kit_load(KIT_HEAD ENTRY("alloca.u64 %rd2, 8;"));
	cr_expect_eq(k.err, ERR_EXEC_REFUSED);
	cr_expect_str_eq(k.why.text, "alloca.u64 needs a stack");
	kit_free(&k);
}

/* A stack that no kernel needs costs nothing and limits nothing. */
Test(gpu_exec_calls, plain_calls_need_none)
{
	const char *text = KIT_HEAD
		".func (.param .b32 r) sq(.param .b32 a) {\n"
		".reg .b32 %x; ld.param.b32 %x, [a];\n"
		"mul.lo.u32 %x, %x, %x; st.param.b32 [r], %x; }\n" ENTRY(
			"mov.u32 %r2, %r0;\n" CALL1("sq"));
	expect_ok(run(text, 0, 40));
	cr_expect_eq(out[39], 39 * 39);
	expect_ok(run(text, 32, 40));
}

Test(gpu_exec_calls, registers_change_places_in_a_recursion)
{
	/* f(a, b, n): n == 0 ? 10 a + b : f(b, a, n - 1). */
	const char *text = KIT_HEAD
		".func (.reg .b32 r) f(.reg .b32 a, .reg .b32 b, .reg .b32 n)"
		"{ .reg .pred %p; .reg .b32 m;\n"
		"setp.eq.u32 %p, n, 0; @%p bra D; sub.u32 m, n, 1;\n"
		"call.uni (r), f, (b, a, m); bra E;\n"
		"D: mad.lo.u32 r, a, 10, b;\n"
		"E: mad.lo.u32 r, n, 1000, r; ret; }\n" ENTRY(
			"and.b32 %r2, %r0, 3;\n"
			"call.uni (%r1), f, (7, 2, %r2);\n");
	expect_ok(run(text, 4096, 64));
	for (uint32_t i = 0; i < 64; i++) {
		/* Each activation has its own n after the call. */
		uint32_t n = i % 4, sum = n * (n + 1) / 2;
		cr_expect_eq(out[i], sum * 1000 + (n % 2 ? 27 : 72));
	}
}

Test(gpu_exec_calls, a_parameter_that_the_callee_never_reads)
{
	expect_ok(run(KIT_HEAD ".func (.reg .b32 r) f(.reg .b32 a, "
			       ".reg .b32 unused, .reg .b64 wide)"
			       "{ add.u32 r, a, 1; ret; }\n" ENTRY(
				       "mov.u64 %rd2, 77;\n"
				       "call.uni (%r1), f, (%r0, 99, %rd2);\n"),
		      0, 33));
	for (uint32_t i = 0; i < 33; i++)
		cr_expect_eq(out[i], i + 1);
}

#define THREE                                                        \
	".func (.param .b32 r) inc(.param .b32 a) { .reg .b32 %x;\n" \
	"ld.param.b32 %x, [a]; add.u32 %x, %x, 1;\n"                 \
	"st.param.b32 [r], %x; ret; }\n"                             \
	".func (.param .b32 r) dbl(.param .b32 a) { .reg .b32 %x;\n" \
	"ld.param.b32 %x, [a]; add.u32 %x, %x, %x;\n"                \
	"st.param.b32 [r], %x; ret; }\n"                             \
	".func (.param .b32 r) sqr(.param .b32 a) { .reg .b32 %x;\n" \
	"ld.param.b32 %x, [a]; mul.lo.u32 %x, %x, %x;\n"             \
	"st.param.b32 [r], %x; ret; }\n"                             \
	".func (.param .b64 r) other(.param .b64 a) { ret; }\n"      \
	".const .align 8 .u64 table[4] = {inc, dbl, sqr, other};\n"

#define CALL_R(shape)                                              \
	"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0;\n" \
	"call (r), %rd2, (a), " shape "; ld.param.b32 %r1, [r]; }\n"

/* %rd2 = table[%r2]. */
#define FROM_TABLE                                          \
	"mul.wide.u32 %rd3, %r2, 8; mov.u64 %rd4, table;\n" \
	"add.s64 %rd4, %rd4, %rd3; ld.const.u64 %rd2, [%rd4];\n"

Test(gpu_exec_calls, a_table_of_functions)
{
	const char *text =
		KIT_HEAD THREE ENTRY("rem.u32 %r2, %r0, 3;\n" FROM_TABLE
				     "P: .callprototype (.param .b32 _) _ "
				     "(.param .b32 _);\n" CALL_R("P"));
	expect_ok(run(text, 1024, 100));
	for (uint32_t i = 0; i < 100; i++)
		cr_expect_eq(out[i], i % 3 == 0	  ? i + 1
				     : i % 3 == 1 ? 2 * i
						  : i * i);
}

static void put_list(struct buf *b, const char *narrow, const char *wide)
{
	for (uint32_t i = 0; i < 60; i++)
		buf_printf(b, "%s%s", i > 0 ? ", " : "",
			   i % 2 == 0 ? narrow : wide);
}

/* Parameters in registers go through the staging places, too: f sums 30
 * numbers of 32 bits and 30 of 64. */
Test(gpu_exec_calls, many_registers_to_an_address)
{
	struct buf b = buf_make(32768);
	buf_put_str(&b, KIT_HEAD ".func (.reg .b32 %s) f(");
	for (uint32_t i = 0; i < 60; i++)
		buf_printf(&b, "%s.reg .b%u %%v%u", i > 0 ? ", " : "",
			   i % 2 == 0 ? 32u : 64u, i);
	buf_put_str(&b, ") {\n.reg .b32 %t;\nmov.b32 %s, 0;\n");
	for (uint32_t i = 0; i < 60; i++)
		buf_printf(&b,
			   "cvt.u32.u%u %%t, %%v%u;\n"
			   "mad.lo.u32 %%s, %%t, %u, %%s;\n",
			   i % 2 == 0 ? 32u : 64u, i, i + 1);
	buf_put_str(&b, "ret;\n}\n" ENTRY_HEAD "mov.u64 %rd3, f;\n"
			"cvt.u64.u32 %rd2, %r0;\n"
			"P: .callprototype (.reg .b32 _) _ (");
	put_list(&b, ".reg .b32 _", ".reg .b64 _");
	buf_put_str(&b, ");\ncall (%r1), %rd3, (");
	put_list(&b, "%r0", "%rd2");
	buf_put_str(&b, "), P;\n" ENTRY_TAIL);
	buf_put_u8(&b, 0);
	cr_assert_eq(b.err, ERR_OK);
	expect_ok(run((const char *)b.p, 1024, 100));
	for (uint32_t i = 0; i < 100; i++)
		cr_expect_eq(out[i], i * 1830);
	struct kit k = kit_load_stack((const char *)b.p, 1024);
	struct kit_run sanitized = KIT_RUN(out, 100);
	sanitized.options.sanitize = true;
	expect_ok(kit_run(&k, &sanitized));
	kit_free(&k);
	buf_free(&b);
}

Test(gpu_exec_calls, addresses_that_no_call_may_take)
{
	/* Another shape: thread 3 takes the fourth entry. */
	struct exec_result r =
		run(KIT_HEAD THREE ENTRY("and.b32 %r2, %r0, 3;\n" FROM_TABLE
					 "P: .callprototype (.param .b32 _) _ "
					 "(.param .b32 _);\n" CALL_R("P")),
		    1024, 8);
	expect_end(r, EXEC_REASON_bad_call, 24, NONE);
	/* No address of a function at all. */
	r = run(KIT_HEAD THREE ENTRY("mov.u64 %rd2, 12345;\n"
				     "P: .callprototype (.param .b32 _) _ "
				     "(.param .b32 _);\n" CALL_R("P")),
		1024, 1);
	expect_end(r, EXEC_REASON_bad_call, 22, 0);
	cr_expect_eq(r.address, 12345);
	/* A list of targets holds what it lists. */
	const char *listed =
		KIT_HEAD THREE ENTRY("mov.u64 %rd2, sqr;\n"
				     "T: .calltargets inc, sqr;\n" CALL_R("T"));
	expect_ok(run(listed, 1024, 9));
	cr_expect_eq(out[8], 64);
	r = run(KIT_HEAD THREE ENTRY("mov.u64 %rd2, sqr;\n"
				     "T: .calltargets inc, dbl;\n" CALL_R("T")),
		1024, 9);
	expect_end(r, EXEC_REASON_bad_call, 22, NONE);
}

/* Recursion that the text only shows through an address. */
Test(gpu_exec_calls, recursion_through_a_table)
{
	const char *text = KIT_HEAD
		".func (.param .b32 r) down(.param .b32 n);\n"
		".const .align 8 .u64 self = down;\n"
		".func (.param .b32 r) down(.param .b32 n) {\n"
		".reg .pred %p; .reg .b32 %a, %b, %c; .reg .b64 %f;\n"
		"ld.param.b32 %a, [n]; setp.eq.u32 %p, %a, 0;\n"
		"mov.u32 %c, 1; @%p bra D; sub.u32 %b, %a, 1;\n"
		"ld.const.u64 %f, [self];\n"
		"P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
		"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %b;\n"
		"call (y), %f, (x), P; ld.param.b32 %c, [y]; }\n"
		"mul.lo.u32 %c, %c, %a;\n"
		"D: st.param.b32 [r], %c; ret; }\n" ENTRY(
			"rem.u32 %r2, %r0, 9;\n" CALL1("down"));
	static const uint32_t factorial[9] = {1,   1,	2,    6,    24,
					      120, 720, 5040, 40320};
	expect_ok(run(text, 4096, 70));
	for (uint32_t i = 0; i < 70; i++)
		cr_expect_eq(out[i], factorial[i % 9]);
}

/* Each activation has its own variables, and hands a pointer down. */
#define SUMS                                                             \
	".func (.param .b32 r) sums(.param .b32 n, .param .b64 up) {\n"  \
	".local .align 8 .b8 mine[8]; .reg .pred %p; .reg .b32 %a<4>;\n" \
	".reg .b64 %u, %m, %g;\n"                                        \
	"ld.param.b32 %a0, [n]; ld.param.b64 %u, [up];\n"                \
	"mov.u64 %m, mine; cvta.local.u64 %g, %m;\n"                     \
	"st.local.b32 [mine], %a0;\n"                                    \
	"ld.b32 %a1, [%u]; add.u32 %a1, %a1, %a0; st.b32 [%u], %a1;\n"   \
	"setp.eq.u32 %p, %a0, 0; @%p bra D; sub.u32 %a2, %a0, 1;\n"      \
	"{ .param .b32 x; .param .b64 y; .param .b32 z;\n"               \
	"st.param.b32 [x], %a2; st.param.b64 [y], %g;\n"                 \
	"call.uni (z), sums, (x, y); }\n"                                \
	"D: ld.local.b32 %a3, [mine]; st.param.b32 [r], %a3; ret; }\n"

Test(gpu_exec_calls, variables_of_activations_are_apart)
{
	/* mine of activation n becomes n + (n - 1), the last stays 0. */
	const char *text = KIT_HEAD SUMS ENTRY(
		"and.b32 %r2, %r0, 7;\n"
		"cvta.to.global.u64 %rd5, %rd1;\n"
		"{ .param .b32 x; .param .b64 y; .param .b32 z;\n"
		"st.param.b32 [x], %r2; st.param.b64 [y], %rd5;\n"
		"call.uni (z), sums, (x, y); ld.param.b32 %r1, [z]; }\n"
		"ld.global.b32 %r3, [%rd1];\n"
		"mad.lo.u32 %r1, %r3, 100, %r1;");
	expect_ok(run(text, 8192, 64));
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t n = i % 8;
		cr_expect_eq(out[i], n * 100 + (n == 0 ? 0 : 2 * n - 1));
	}
}

/* r = what stands at an offset from a variable of an activation above. */
#define PEEK(offset)                                                     \
	KIT_HEAD                                                         \
	".func (.param .b64 r) deep(.param .b32 n) {\n"                  \
	".local .align 4 .b8 v[8]; .reg .pred %p; .reg .b32 %a, %b;\n"   \
	".reg .b64 %m; ld.param.b32 %a, [n];\n"                          \
	"mov.u64 %m, v; st.local.b32 [v+4], %a;\n"                       \
	"setp.eq.u32 %p, %a, 0; @%p bra D; sub.u32 %b, %a, 1;\n"         \
	"{ .param .b32 x; .param .b64 y; st.param.b32 [x], %b;\n"        \
	"call.uni (y), deep, (x); ld.local.b32 %b, [%m" offset "]; }\n"  \
	"D: st.param.b64 [r], %m; ret; }\n" ENTRY(                       \
		"{ .param .b32 x; .param .b64 y; st.param.b32 [x], 2;\n" \
		"call.uni (y), deep, (x); ld.param.b64 %rd2, [y]; }\n"   \
		"mov.u32 %r1, 5;\n")

Test(gpu_exec_calls, overruns_of_variables_on_the_stack_fault)
{
	expect_ok(run(PEEK("+4"), 4096, 3));
	expect_end(run(PEEK("+8"), 4096, 3), EXEC_REASON_out_of_bounds, 10, 0);
	expect_end(run(PEEK("+32"), 4096, 3), EXEC_REASON_out_of_bounds, 10, 0);
	expect_end(run(PEEK("+-4"), 4096, 3), EXEC_REASON_out_of_bounds, 10, 0);
}

Test(gpu_exec_calls, what_a_function_left_is_gone)
{
	struct exec_result r =
		run(KIT_HEAD
		    ".func (.param .b64 r) gone(.param .b32 n) {\n"
		    ".local .align 4 .b8 v[4]; .reg .b64 %m;\n"
		    ".reg .b32 %a; ld.param.b32 %a, [n];\n"
		    ".reg .pred %p; setp.ne.u32 %p, %a, 0;\n"
		    "@%p bra D; { .param .b32 x; .param .b64 y;\n"
		    "st.param.b32 [x], 1; call (y), gone, (x); }\n"
		    "D: mov.u64 %m, v; st.param.b64 [r], %m; ret; }\n" ENTRY(
			    "{ .param .b32 x; .param .b64 y;\n"
			    "st.param.b32 [x], 1; call (y), gone, (x);\n"
			    "ld.param.b64 %rd2, [y]; }\n"
			    "ld.local.b32 %r1, [%rd2];"),
		    4096, 2);
	expect_end(r, EXEC_REASON_out_of_bounds, 18, 0);
}

Test(gpu_exec_calls, memory_on_the_stack)
{
	const char *text = KIT_HEAD ENTRY(
		"and.b32 %r2, %r0, 3; add.u32 %r2, %r2, 1;\n"
		"shl.b32 %r3, %r2, 2; cvt.u64.u32 %rd2, %r3;\n"
		"alloca.u64 %rd3, %rd2, 16; mov.u32 %r4, 0;\n"
		"mov.u64 %rd4, %rd3;\n"
		"L: st.local.b32 [%rd4], %r4; add.s64 %rd4, %rd4, 4;\n"
		"add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2;\n"
		"@%p1 bra L; ld.local.b32 %r1, [%rd4+-4];");
	expect_ok(run(text, 32, 64));
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], i % 4);
	/* One element past the end. */
	struct exec_result r =
		run(KIT_HEAD ENTRY("alloca.u64 %rd3, 12;\n"
				   "ld.local.b32 %r1, [%rd3+12];"),
		    64, 1);
	expect_end(r, EXEC_REASON_out_of_bounds, 9, 0);
}

Test(gpu_exec_calls, memory_on_the_stack_ends_and_comes_back)
{
	/* 28 bytes take one unit of 32, 32 take two. */
	const char *text =
		KIT_HEAD ENTRY("mov.u32 %r1, 0;\n"
			       "L: stacksave.u64 %rd5;\n"
			       "alloca.u64 %rd3, 28; st.local.b32 [%rd3], 1;\n"
			       "stackrestore.u64 %rd5; add.u32 %r1, %r1, 1;\n"
			       "setp.lt.u32 %p1, %r1, 100; @%p1 bra L;");
	expect_ok(run(text, 32, 2));
	cr_expect_eq(out[1], 100);
	expect_end(run(KIT_HEAD ENTRY("alloca.u64 %rd3, 32;"), 32, 2),
		   EXEC_REASON_stack, 8, 0);
	expect_end(run(KIT_HEAD ENTRY("alloca.u64 %rd3, -1;"), 65536, 2),
		   EXEC_REASON_stack, 8, 0);
	/* Above the top there is nothing to restore. */
	expect_end(run(KIT_HEAD ENTRY("alloca.u64 %rd3, 1;\n"
				      "stackrestore.u64 96;"),
		       512, 2),
		   EXEC_REASON_stack, 9, 0);
	/* What was given back is out of reach. */
	expect_end(run(KIT_HEAD ENTRY("stacksave.u64 %rd5;\n"
				      "alloca.u64 %rd3, 4;\n"
				      "stackrestore.u64 %rd5;\n"
				      "ld.local.b32 %r1, [%rd3];"),
		       512, 2),
		   EXEC_REASON_out_of_bounds, 11, 0);
}

/* { u8 a; u16 b[3]; u64 c; } by value, there and back. */
Test(gpu_exec_calls, structures_by_value)
{
	const char *text = KIT_HEAD
		".func (.param .align 8 .b8 r[16]) turn"
		"(.param .align 8 .b8 s[16], .param .b8 k) {\n"
		".reg .b16 %a<5>; .reg .b64 %c; .reg .b32 %k;\n"
		"ld.param.u8 %a0, [s]; ld.param.v2.u16 {%a1,%a2}, [s+4];\n"
		"ld.param.u16 %a3, [s+2]; ld.param.u64 %c, [s+8];\n"
		"ld.param.u8 %k, [k]; cvt.u16.u32 %a4, %k;\n"
		"add.u16 %a1, %a1, %a4; add.s64 %c, %c, 1;\n"
		"st.param.u8 [r], %a0; st.param.u16 [r+2], %a2;\n"
		"st.param.v2.u16 [r+4], {%a3,%a1};\n"
		"st.param.u64 [r+8], %c; ret; }\n" ENTRY(
			"{ .param .align 8 .b8 x[16]; .param .b8 y;\n"
			".param .align 8 .b8 z[16]; .reg .b16 %h<5>;\n"
			"cvt.u16.u32 %h0, %r0; mov.u16 %h1, 100;\n"
			"mov.u16 %h2, 200; mov.u16 %h3, 300;\n"
			"cvt.u64.u32 %rd2, %r0;\n"
			"st.param.u8 [x], %h0; st.param.u16 [x+2], %h1;\n"
			"st.param.v2.u16 [x+4], {%h2,%h3};\n"
			"st.param.u64 [x+8], %rd2; st.param.u8 [y], 7;\n"
			"call.uni (z), turn, (x, y);\n"
			"ld.param.u8 %r2, [z]; ld.param.u16 %r3, [z+2];\n"
			"ld.param.u16 %r4, [z+4]; ld.param.u16 %r5, [z+6];\n"
			"ld.param.u64 %rd3, [z+8]; }\n"
			"cvt.u32.u64 %r6, %rd3; add.u32 %r1, %r2, %r3;\n"
			"mad.lo.u32 %r1, %r4, 1000, %r1;\n"
			"mad.lo.u32 %r1, %r5, 1000000, %r1;\n"
			"add.u32 %r1, %r1, %r6;");
	expect_ok(run(text, 0, 40));
	for (uint32_t i = 0; i < 40; i++)
		cr_expect_eq(out[i],
			     i + 300 + 100 * 1000 + 207 * 1000000 + i + 1);
}

Test(gpu_exec_calls, the_address_of_a_parameter)
{
	const char *text = KIT_HEAD
		".func (.param .b32 r) pick(.param .align 4 .b8 s[16], "
		".param .b32 n) {\n"
		".reg .b64 %m, %o; .reg .b32 %i;\n"
		"ld.param.b32 %i, [n]; mul.wide.u32 %o, %i, 4;\n"
		"mov.b64 %m, s; add.s64 %m, %m, %o;\n"
		"ld.local.b32 %i, [%m]; st.param.b32 [r], %i; ret; }\n" ENTRY(
			"{ .param .align 4 .b8 x[16]; .param .b32 y, z;\n"
			"st.param.b32 [x], 11; st.param.b32 [x+4], 22;\n"
			"st.param.b32 [x+8], 33; st.param.b32 [x+12], %r0;\n"
			"and.b32 %r2, %r0, 3; st.param.b32 [y], %r2;\n"
			"call (z), pick, (x, y); ld.param.b32 %r1, [z]; }");
	expect_ok(run(text, 0, 64));
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], i % 4 == 3 ? i : 11 * (i % 4 + 1));
}

Test(gpu_exec_calls, threads_that_end_inside_a_function)
{
	/* Odd threads leave; half of the rest return from a nested branch. */
	const char *text = KIT_HEAD
		".func (.param .b32 r) maybe(.param .b32 n) {\n"
		".reg .pred %p, %q; .reg .b32 %a, %b; ld.param.b32 %a, [n];\n"
		"and.b32 %b, %a, 1; setp.ne.u32 %p, %b, 0; @%p exit;\n"
		"and.b32 %b, %a, 2; setp.ne.u32 %q, %b, 0;\n"
		"st.param.b32 [r], 5; @%q bra N; @!%q ret; N:\n"
		"and.b32 %b, %a, 4; setp.ne.u32 %p, %b, 0; @%p bra M;\n"
		"st.param.b32 [r], 6; ret; M: st.param.b32 [r], 7; ret; }\n" ENTRY(
			"mov.u32 %r2, %r0;\n" CALL1("maybe") "bar.sync 0;");
	expect_ok(run(text, 0, 96));
	for (uint32_t i = 0; i < 96; i++)
		cr_expect_eq(out[i], i % 2	  ? 0u
				     : i % 4 == 0 ? 5u
				     : i % 8 == 2 ? 6u
						  : 7u);
}

Test(gpu_exec_calls, a_function_that_never_returns)
{
	const char *text = KIT_HEAD
		".func stop(.param .b32 n) .noreturn { .reg .pred %p;\n"
		".reg .b32 %a; ld.param.b32 %a, [n];\n"
		"setp.eq.u32 %p, %a, 70; @%p trap; exit; }\n" ENTRY(
			"mov.u32 %r1, 3; st.global.u32 [%rd1], 9;\n"
			"setp.lt.u32 %p1, %r0, 10; @%p1 bra E;\n"
			"{ .param .b32 x; st.param.b32 [x], %r0;\n"
			"call stop, (x); }\nE:");
	expect_ok(run(text, 0, 64));
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], i < 10 ? 3 : 9);
	expect_end(run(text, 0, 80), EXEC_REASON_trap, 6, 70);
}

/* n registers are alive at once: all written, then all read. */
static enum err load_alive(uint32_t n, uint32_t *ret_line)
{
	static char text[1 << 17];
	int at = snprintf(text, sizeof(text),
			  KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
				   ".reg .b32 %%r<%u>; .reg .b64 %%d;\n",
			  n);
	for (uint32_t i = 0; i < n; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at,
			       "mov.u32 %%r%u, %u;\n", i, i);
	at += snprintf(text + at, sizeof(text) - (size_t)at,
		       "ld.param.u64 %%d, [out];\n");
	for (uint32_t i = 0; i < n; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at,
			       "st.global.u32 [%%d], %%r%u;\n", i);
	snprintf(text + at, sizeof(text) - (size_t)at, "ret; }\n");
	struct kit k = kit_load(text);
	enum err e = k.err;
	*ret_line = k.why.line;
	if (e != ERR_OK)
		cr_expect_str_eq(k.why.text,
				 "more than 512 registers of a kind are alive");
	kit_free(&k);
	return e;
}

Test(gpu_exec_calls, registers_alive_at_once)
{
	uint32_t line = 0;
	cr_expect_eq(load_alive(512, &line), ERR_OK);
	cr_expect_eq(load_alive(513, &line), ERR_EXEC_REFUSED);
	/* Before the first store all 513 are needed. */
	cr_expect_eq(line, 6 + 513 + 1);
}

/* Another launch's numbers: an address that decides is no result. */
static struct exec_result sanitize(const char *body)
{
	struct kit k = kit_load_stack(body, 4096);
	struct kit_run r = KIT_RUN(out, 3);
	r.options.sanitize = true;
	struct exec_result res = kit_run(&k, &r);
	kit_free(&k);
	return res;
}

Test(gpu_exec_calls, addresses_of_the_stack_and_of_functions_leak)
{
	struct exec_result r = sanitize(
		KIT_HEAD ENTRY("alloca.u64 %rd3, 64; cvt.u32.u64 %r1, %rd3;"));
	cr_expect_eq(r.outcome, EXEC_VOID);
	cr_expect_eq(r.reason, EXEC_REASON_address_leak, "%s",
		     exec_reason_word(r.reason));
	r = sanitize(KIT_HEAD THREE ENTRY(
		"mov.u64 %rd3, inc; cvt.u32.u64 %r1, %rd3;\n"
		"shr.u64 %rd3, %rd3, 40; cvt.u32.u64 %r1, %rd3;"));
	cr_expect_eq(r.outcome, EXEC_VOID);
	cr_expect_eq(r.reason, EXEC_REASON_address_leak, "%s",
		     exec_reason_word(r.reason));
	/* What stands there, or what is called there, is a number. */
	r = sanitize(KIT_HEAD ENTRY("alloca.u64 %rd3, 64;\n"
				    "st.local.u32 [%rd3+60], 8;\n"
				    "ld.local.u32 %r1, [%rd3+60];"));
	cr_expect_eq(r.outcome, EXEC_OK, "%s", exec_reason_word(r.reason));
	r = sanitize(KIT_HEAD THREE ENTRY("rem.u32 %r2, %r0, 3;\n" FROM_TABLE
					  "P: .callprototype (.param .b32 _) _ "
					  "(.param .b32 _);\n" CALL_R("P")));
	cr_expect_eq(r.outcome, EXEC_OK, "%s at line %u",
		     exec_reason_word(r.reason), r.line);
	/* Never written. */
	r = sanitize(KIT_HEAD ENTRY("alloca.u64 %rd3, 64;\n"
				    "ld.local.u32 %r1, [%rd3];"));
	cr_expect_eq(r.reason, EXEC_REASON_uninitialised, "%s",
		     exec_reason_word(r.reason));
}

Test(gpu_exec_calls, the_sanitizer_follows_activations)
{
	struct kit k = kit_load_stack(
		KIT_HEAD SUMS ENTRY(
			"cvta.to.global.u64 %rd5, %rd1;\n"
			"{ .param .b32 x; .param .b64 y; .param .b32 z;\n"
			"st.param.b32 [x], %r0; st.param.b64 [y], %rd5;\n"
			"call.uni (z), sums, (x, y); ld.param.b32 %r1, [z]; }"),
		8192);
	struct kit_run r = KIT_RUN(out, 9);
	r.options.sanitize = true;
	struct exec_result res = kit_run(&k, &r);
	cr_expect_eq(res.outcome, EXEC_OK, "%s at line %u",
		     exec_reason_word(res.reason), res.line);
	cr_expect_eq(res.finding_total, 0);
	kit_free(&k);
	/* Its second word is never written. */
	k = kit_load_stack(PEEK(""), 4096);
	res = kit_run(&k, &r);
	cr_expect_eq(res.outcome, EXEC_OK, "%s at line %u",
		     exec_reason_word(res.reason), res.line);
	kit_free(&k);
}
