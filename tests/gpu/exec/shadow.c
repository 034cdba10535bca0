/*
 * The sanitizer's rules at their edges: what must not be found, next to what
 * must (doc/semantics.md).
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint32_t out[4096];

#define EACH                                                              \
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, "       \
	"%ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %rd1, %r3," \
	" 8; add.s64 %rd1, %rd0, %rd1;\n"

/* A kernel with 1 KiB of shared memory; %r9: the thread's word there. */
#define SHARED(body)                                                      \
	KIT_HEAD ".visible .entry k(.param .u64 out) {\n"                 \
		 ".shared .align 16 .b8 s[1024];\n"                       \
		 ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>;\n" \
		 ".reg .b64 %rd<16>; .reg .f32 %f<8>;\n"                  \
		 "ld.param.u64 %rd0, [out];\n" EACH                       \
		 "mov.u32 %r9, s; shl.b32 %r10, %r0, 2;\n"                \
		 "add.u32 %r9, %r9, %r10;\n" body "\nret; }\n"

static void expect(const char *text, uint32_t ctas, uint32_t threads,
		   enum exec_reason reason)
{
	struct exec_result r = kit_sanitize(text, KIT_RUN(out, threads), ctas);
	cr_expect_eq(r.reason, reason, "%s line %u thread %u",
		     exec_reason_word(r.reason), r.line, r.thread);
	cr_expect_eq(r.outcome,
		     reason == EXEC_REASON_none ? EXEC_OK : EXEC_VOID);
}

#define NANS                                                        \
	EACH "mov.f32 %f1, 0f7f800000; sub.rn.f32 %f2, %f1, %f1;\n" \
	     "mov.f64 %fd1, 0d7ff0000000000000; sub.rn.f64 %fd2, %fd1, %fd1;\n"

Test(gpu_exec_shadow, nans_in_parts_that_are_whole)
{
	/* One half of a pair, two in 64 bits, two widths side by side. */
	expect(KIT_KERNEL(NANS "cvt.rn.f16x2.f32 %r9, %f2, 0f3f800000;\n"
			       "st.global.u32 [%rd1], %r9;"),
	       1, 32, EXEC_REASON_none);
	expect(KIT_KERNEL(NANS "mov.b64 %rd3, {%f2, %f2};\n"
			       "st.global.u64 [%rd1], %rd3;"),
	       1, 32, EXEC_REASON_none);
	expect(KIT_KERNEL(NANS "st.global.f64 [%rd0+64], %fd2;\n"
			       "st.global.f32 [%rd0+104], %f2;"),
	       1, 32, EXEC_REASON_none);
	expect(KIT_KERNEL(NANS "cvt.rna.tf32.f32 %r9, %f2;\n"
			       "st.global.u32 [%rd1], %r9;"),
	       1, 32, EXEC_REASON_none);
	expect(KIT_KERNEL(NANS "mov.b64 %rd3, {%f2, %f1};\n"
			       "shr.u64 %rd3, %rd3, 8;\n"
			       "st.global.u64 [%rd1], %rd3;"),
	       1, 32, EXEC_REASON_nan_bits);
	/* A pair packed by or. */
	expect(KIT_KERNEL(NANS "cvt.rn.f16.f32 %h1, %f2;\n"
			       "cvt.u32.u16 %r9, %h1; shl.b32 %r10, %r9, 16;\n"
			       "or.b32 %r9, %r10, 0x3c00;\n"
			       "st.global.u32 [%rd1], %r9;"),
	       1, 32, EXEC_REASON_none);
}

Test(gpu_exec_shadow, bits_that_do_not_count)
{
	expect(KIT_KERNEL(EACH "mov.b32 %r9, {%h1, %h2}; shr.u32 %r9, %r9, 16;"
			       "and.b32 %r9, %r9, 0; st.global.u32 [%rd1], "
			       "%r9;"),
	       1, 32, EXEC_REASON_none);
	/* The lowest unset bit of a sum spoils what is above. */
	expect(KIT_KERNEL(EACH "and.b32 %r9, %r9, 0xff00; add.u32 %r9, %r9, 5;"
			       "and.b32 %r9, %r9, 255; st.global.u32 [%rd1], "
			       "%r9;"),
	       1, 32, EXEC_REASON_none);
	expect(KIT_KERNEL(EACH "and.b32 %r9, %r9, 0xff00; add.u32 %r9, %r9, 5;"
			       "and.b32 %r9, %r9, 511; st.global.u32 [%rd1], "
			       "%r9;"),
	       1, 32, EXEC_REASON_uninitialised);
	/* They differ in a bit that is set. */
	expect(KIT_KERNEL(EACH "or.b32 %r9, %r9, 1; setp.eq.u32 %p1, %r9, 0;\n"
			       "@%p1 st.global.u32 [%rd1], %r0;"),
	       1, 32, EXEC_REASON_none);
	expect(KIT_KERNEL(EACH "or.b32 %r9, %r9, 1; setp.eq.u32 %p1, %r9, 1;\n"
			       "@%p1 st.global.u32 [%rd1], %r0;"),
	       1, 32, EXEC_REASON_uninitialised);
}

Test(gpu_exec_shadow, masks_of_warp_barriers)
{
	/* Lanes 0 to 15 among themselves, and a chain over lane 15. */
	expect(SHARED("st.shared.u32 [%r9], %r3;\n"
		      "setp.ge.u32 %p1, %r0, 16; @%p1 exit;\n"
		      "bar.warp.sync 0xffff;\n"
		      "xor.b32 %r11, %r9, 4; ld.shared.u32 %r12, [%r11];\n"
		      "st.global.u32 [%rd1], %r12;"),
	       1, 32, EXEC_REASON_none);
	expect(SHARED("setp.lt.u32 %p1, %r0, 16; setp.eq.u32 %p2, %r0, 20;\n"
		      "setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.u32 [s], 9;\n"
		      "@!%p1 bra H; bar.warp.sync 0xffff;\n"
		      "setp.lt.u32 %p4, %r0, 15; @%p4 bra E;\n"
		      "H: bar.warp.sync 0xffff8000;\n"
		      "@!%p2 bra E; ld.shared.u32 %r12, [s];\n"
		      "st.global.u32 [%rd1], %r12;\nE:"),
	       1, 32, EXEC_REASON_none);
}

Test(gpu_exec_shadow, arriving_orders_one_way)
{
	/* Warp 0 writes and arrives, warp 1 waits and reads. */
#define ARRIVE(more)                                                     \
	SHARED("setp.lt.u32 %p1, %r0, 32; @!%p1 bra C;\n"                \
	       "st.shared.u32 [%r9], %r3; bar.arrive 1, 64;\n" more      \
	       "bra E;\nC: bar.sync 1, 64; ld.shared.u32 %r12, [s+8];\n" \
	       "st.shared.u32 [%r9], %r12;\nE:")
	expect(ARRIVE(""), 1, 64, EXEC_REASON_none);
	/* The one that arrives is not ordered behind the one that waits. */
	expect(ARRIVE("ld.shared.u32 %r13, [s+128];\n"
		      "st.global.u32 [%rd1], %r13;\n"),
	       1, 64, EXEC_REASON_uninitialised);
	expect(ARRIVE("st.shared.u32 [%r9+128], 1;\n"), 1, 64,
	       EXEC_REASON_race);
}

Test(gpu_exec_shadow, bytes_of_two_ctas)
{
#define BYTE_EACH(offset)                                              \
	KIT_KERNEL("mov.u32 %r1, %ctaid.x; cvt.u64.u32 %rd1, %r1;\n"   \
		   "add.s64 %rd1, %rd0, %rd1; cvt.u16.u32 %h1, %r1;\n" \
		   "st.global.u8 [%rd1], %h1;\n"                       \
		   "ld.global.u8 %h2, [%rd1" offset "];\n"             \
		   "st.global.u8 [%rd1], %h1;")
	expect(BYTE_EACH(""), 64, 1, EXEC_REASON_none);
	expect(BYTE_EACH("+1"), 64, 1, EXEC_REASON_cross_cta);
}

Test(gpu_exec_shadow, reads_that_waited_are_not_forgotten)
{
	/* Many reads, then one write to what the first of them read. */
	expect(SHARED("st.shared.u32 [%r9], %r3; bar.sync 0;\n"
		      "mov.u32 %r20, 0;\n"
		      "L: ld.shared.u32 %r11, [s+128]; add.u32 %r20, %r20, 1;\n"
		      "ld.shared.u32 %r12, [%r9]; setp.lt.u32 %p1, %r20, 2000;\n"
		      "@%p1 bra L; setp.eq.u32 %p2, %r0, 40;\n"
		      "@%p2 st.shared.u32 [s+128], 3;"),
	       1, 64, EXEC_REASON_race);
	expect(SHARED("st.shared.u32 [%r9], %r3; bar.sync 0;\n"
		      "ld.shared.u32 %r11, [s+128]; bar.sync 0;\n"
		      "setp.eq.u32 %p2, %r0, 40;\n"
		      "@%p2 st.shared.u32 [s+128], 3;"),
	       1, 64, EXEC_REASON_none);
}

Test(gpu_exec_shadow, addresses_that_come_back)
{
	/* Through halves, shared memory and a difference of two. */
	expect(SHARED("mov.b64 {%r11, %r12}, %rd1; st.shared.u32 [%r9], %r11;\n"
		      "ld.shared.u32 %r13, [%r9]; mov.b64 %rd3, {%r13, %r12};\n"
		      "st.global.u32 [%rd3], %r0;"),
	       1, 32, EXEC_REASON_none);
	expect(SHARED("sub.s64 %rd3, %rd1, %rd0; add.s64 %rd4, %rd0, %rd3;\n"
		      "st.global.u32 [%rd4], %r0;"),
	       1, 32, EXEC_REASON_none);
	expect(SHARED("and.b64 %rd3, %rd1, -8; or.b64 %rd3, %rd3, 4;\n"
		      "st.global.u32 [%rd3], %r0;"),
	       1, 32, EXEC_REASON_none);
	expect(SHARED("shr.u64 %rd3, %rd1, 1; shl.b64 %rd3, %rd3, 1;\n"
		      "st.global.u32 [%rd3], %r0;"),
	       1, 32, EXEC_REASON_address_leak);
}
