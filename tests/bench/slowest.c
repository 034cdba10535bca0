/*
 * tests/bench/slowest - how long a dispute can take at most.
 *
 *   slowest [--whole] [--plain] [--lanes NAME] [SHAPE]...
 *
 * Each shape is a kernel of one CTA that never ends, made to take long for
 * what it costs: one thread alone, threads that all stand elsewhere, lanes
 * that go one by one, numbers that the hardware is slow with.  It runs under
 * the sanitizer until its cost is a 64th of what a dispute may cost, or all of
 * it (--whole, and those that come out slow); the line tells the seconds of
 * processor time for all of it, the best of a few.  The goal is 1 s for the
 * slowest.  Exits 1 when a shape does not load or ends otherwise.
 */
#define _GNU_SOURCE /* allowed: clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

#define BUFFER_BYTES (1u << 20)
#define TEXT_MAX     (1u << 20)
#define STACK_BYTES  65280u
#define SLOW_SECONDS 0.4
#define TRIES	     2

/* What a shape calls. */
enum callee { CALLS_NONE, CALLS_MANY, CALLS_DEEP };

struct shape {
	const char *name;
	uint32_t threads;
	uint32_t repeats; /* of the body in the loop */
	const char *text; /* the body; $ is the number of the repeat */
	enum callee calls;
};

/* In the body: %t the thread, %n a count of turns, %p0 false, %p1 true,
 * %x and %y values that change, %d0 a buffer's word of this thread, %d1 the
 * buffer, %l0 local, %s0 shared, %s2 16 bytes of it; %f, %g subnormal floats,
 * %m0 to %m9 numbers. */
static const struct shape shapes[] = {
	{"add-1", 1, 64, "add.u32 %x, %x, %y;", CALLS_NONE},
	{"add-1024", 1024, 64, "add.u32 %x, %x, %y;", CALLS_NONE},
	{"off-1", 1, 64, "@%p0 add.u32 %x, %x, %y;", CALLS_NONE},
	{"setp-1", 1, 64, "setp.eq.u32 %p2, %x, %y;", CALLS_NONE},
	{"loop-1", 1, 1, "add.u32 %x, %x, %y;", CALLS_NONE},
	{"bra-1", 1, 64, "bra L$;\nL$:", CALLS_NONE},
	{"bra-half-1024", 1024, 64,
	 "@%p3 bra L$;\nadd.u32 %x, %x, 1;\nL$:", CALLS_NONE},
	{"div-u32-1", 1, 64, "div.u32 %x, %x, %y;", CALLS_NONE},
	{"div-u64-1", 1, 64, "div.u64 %a, %a, %b;", CALLS_NONE},
	{"div-u64-1024", 1024, 64, "div.u64 %a, %a, %b;", CALLS_NONE},
	{"rem-s64-1024", 1024, 64, "rem.s64 %a, %a, %b;", CALLS_NONE},
	{"mul-hi-1024", 1024, 64, "mul.hi.u64 %a, %a, %b;", CALLS_NONE},
	{"prmt-1024", 1024, 64, "prmt.b32 %x, %x, %y, %t;", CALLS_NONE},
	{"bfe-1024", 1024, 64, "bfe.s64 %a, %a, %x, %y;", CALLS_NONE},
	{"fma-tiny-1024", 1024, 64, "fma.rn.f32 %f, %g, 0f3f7fffff, %g;",
	 CALLS_NONE},
	{"fma-tiny-1", 1, 64, "fma.rn.f32 %f, %g, 0f3f7fffff, %g;", CALLS_NONE},
	{"mul-tiny-1", 1, 64, "mul.rn.f32 %f, %g, 0f3f7fffff;", CALLS_NONE},
	{"add-tiny-1", 1, 64, "add.rn.f32 %f, %g, %g;", CALLS_NONE},
	{"div-tiny-1", 1, 64, "div.rn.f32 %f, %g, 0f3f7fffff;", CALLS_NONE},
	{"mul-f64-tiny-1", 1, 64, "mul.rn.f64 %u, %v, 0d3fefffffffffffff;",
	 CALLS_NONE},
	{"fma-f64-tiny-1", 1, 64, "fma.rn.f64 %u, %v, 0d3fefffffffffffff, %v;",
	 CALLS_NONE},
	{"add-f64-tiny-1", 1, 64, "add.rn.f64 %u, %v, %v;", CALLS_NONE},
	{"narrow-tiny-1", 1, 64, "cvt.rn.f32.f64 %f, %u;", CALLS_NONE},
	{"widen-tiny-1", 1, 64, "cvt.f64.f32 %u, %g;", CALLS_NONE},
	{"mul-f64-tiny-1024", 1024, 64,
	 "mul.rn.f64 %u, %v, 0d3fefffffffffffff;", CALLS_NONE},
	{"div-f64-1024", 1024, 64, "div.rn.f64 %u, %v, %w;", CALLS_NONE},
	{"div-f64-1", 1, 64, "div.rn.f64 %u, %v, %w;", CALLS_NONE},
	{"sqrt-f64-1024", 1024, 64, "sqrt.rn.f64 %u, %v;", CALLS_NONE},
	{"rounding-1", 1, 32, "add.rm.f32 %f, %f, %g;\nadd.rp.f32 %f, %f, %g;",
	 CALLS_NONE},
	{"fma-f16-1024", 1024, 64, "fma.rn.f16x2 %x, %x, %y, %y;", CALLS_NONE},
	{"cvt-f16-1024", 1024, 64, "cvt.rz.f16.f64 %h, %v;", CALLS_NONE},
	{"cvt-s64-1024", 1024, 64, "cvt.rzi.s64.f64 %a, %w;", CALLS_NONE},
	{"ld-1", 1, 64, "ld.global.u32 %x, [%d0];", CALLS_NONE},
	{"ld-1024", 1024, 64, "ld.global.u32 %x, [%d0];", CALLS_NONE},
	{"ld-far-1024", 1024, 64,
	 "mad.lo.u32 %x, %x, 1664525, %y;\nand.b32 %z, %x, 0xffffc;\n"
	 "cvt.u64.u32 %a, %z;\nadd.u64 %a, %a, %d1;\nld.global.u32 %z, [%a];",
	 CALLS_NONE},
	{"ld-v4-1024", 1024, 64, "ld.global.v4.u32 {%x, %z, %z, %z}, [%d2];",
	 CALLS_NONE},
	{"ld-u8-1024", 1024, 64, "ld.global.u8 %x, [%d0];", CALLS_NONE},
	{"st-1", 1, 64, "st.global.u32 [%d0], %y;", CALLS_NONE},
	{"st-1024", 1024, 64, "st.global.u32 [%d0], %y;", CALLS_NONE},
	{"st-v4-1024", 1024, 64, "st.global.v4.u32 [%d2], {%y, %y, %y, %y};",
	 CALLS_NONE},
	{"shared-1024", 1024, 32,
	 "st.shared.u32 [%s0], %y;\nld.shared.u32 %x, [%s0];", CALLS_NONE},
	{"local-1024", 1024, 32,
	 "st.local.u32 [%l0], %y;\nld.local.u32 %x, [%l0];", CALLS_NONE},
	{"atom-1", 1, 64, "atom.global.add.u32 %x, [%d1], %y;", CALLS_NONE},
	{"atom-1024", 1024, 64, "atom.global.add.u32 %x, [%d1], %y;",
	 CALLS_NONE},
	{"red-f32-1024", 1024, 64, "red.global.add.f32 [%d1], %f;", CALLS_NONE},
	{"shfl-1024", 1024, 64, "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;",
	 CALLS_NONE},
	{"shfl-32", 32, 64, "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;",
	 CALLS_NONE},
	{"shfl-1", 1, 64, "shfl.sync.bfly.b32 %x, %x, 1, 31, 1;", CALLS_NONE},
	{"vote-32", 32, 64, "vote.sync.ballot.b32 %x, %p1, -1;", CALLS_NONE},
	{"match-32", 32, 64, "match.any.sync.b32 %x, %t, -1;", CALLS_NONE},
	{"redux-32", 32, 64, "redux.sync.add.s32 %x, %x, -1;", CALLS_NONE},
	{"warp-1024", 1024, 64, "bar.warp.sync -1;", CALLS_NONE},
	{"barrier-1", 1, 64, "bar.sync 0;", CALLS_NONE},
	{"barrier-1024", 1024, 64, "bar.sync 0;", CALLS_NONE},
	{"barrier-red-1024", 1024, 64, "bar.red.popc.u32 %x, 0, %p1;",
	 CALLS_NONE},
	{"call-1", 1, 64, "call (%x), twice, (%y);", CALLS_NONE},
	{"call-1024", 1024, 64, "call (%x), twice, (%y);", CALLS_NONE},
	{"mma-s8-32", 32, 32,
	 "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%m0, %m1, %m2, %m3},"
	 " {%m4, %m5, %m6, %m7}, {%m8, %m9}, {%m0, %m1, %m2, %m3};",
	 CALLS_NONE},
	{"mma-s8-1024", 1024, 32,
	 "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%m0, %m1, %m2, %m3},"
	 " {%m4, %m5, %m6, %m7}, {%m8, %m9}, {%m0, %m1, %m2, %m3};",
	 CALLS_NONE},
	{"mma-s4-32", 32, 32,
	 "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {%m0, %m1, %m2, %m3},"
	 " {%m4, %m5, %m6, %m7}, {%m8, %m9}, {%m0, %m1, %m2, %m3};",
	 CALLS_NONE},
	{"mma-b1-32", 32, 32,
	 "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc"
	 " {%m0, %m1, %m2, %m3}, {%m4, %m5, %m6, %m7}, {%m8, %m9},"
	 " {%m0, %m1, %m2, %m3};",
	 CALLS_NONE},
	{"mma-small-32", 32, 32,
	 "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%m0, %m1}, {%m4},"
	 " {%m8}, {%m0, %m1};",
	 CALLS_NONE},
	{"ldmatrix-32", 32, 64,
	 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%m0, %m1, %m2, %m3},"
	 " [%s2];",
	 CALLS_NONE},
	{"ldmatrix-1024", 1024, 64,
	 "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%m0, %m1, %m2, %m3},"
	 " [%s2];",
	 CALLS_NONE},
	{"stmatrix-32", 32, 64,
	 "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%s2],"
	 " {%m0, %m1, %m2, %m3};",
	 CALLS_NONE},
	{"movmatrix-32", 32, 64,
	 "movmatrix.sync.aligned.m8n8.trans.b16 %m0, %m0;", CALLS_NONE},
	{"cp-async-1", 1, 64, "cp.async.cg.shared.global [%s2], [%d2], 16;",
	 CALLS_NONE},
	{"cp-async-1024", 1024, 64,
	 "cp.async.ca.shared.global [%s2], [%d2], 16, 9;", CALLS_NONE},
	{"vadd-1", 1, 64, "vadd.s32.s32.u32.sat.max %x, %x.b1, %y.h1, %t;",
	 CALLS_NONE},
	{"vadd-1024", 1024, 64,
	 "vadd.s32.s32.u32.sat.max %x, %x.b1, %y.h1, %t;", CALLS_NONE},
	{"vmad-1024", 1024, 64,
	 "vmad.s32.s32.s32.sat.shr7 %x, %x.h0, %y.h1, %t;", CALLS_NONE},
	{"vmad-1", 1, 64, "vmad.s32.s32.s32.sat.shr7 %x, %x.h0, %y.h1, %t;",
	 CALLS_NONE},
	{"vavrg4-1", 1, 64, "vavrg4.s32.s32.s32.add %x, %x, %y, %t;",
	 CALLS_NONE},
	{"fma-bf16x2-1", 1, 64, "fma.rn.relu.bf16x2 %x, %x, %y, %y;",
	 CALLS_NONE},
	{"fma-ftz-f16x2-1", 1, 64, "fma.rn.ftz.f16x2 %x, %x, %y, %y;",
	 CALLS_NONE},
	{"vabsdiff4-1024", 1024, 64,
	 "vabsdiff4.u32.u32.u32.add %x, %x, %y, %t;", CALLS_NONE},
	{"vset4-1", 1, 64, "vset4.u32.u32.gt %x, %x, %y, %t;", CALLS_NONE},
	{"dp4a-1024", 1024, 64, "dp4a.u32.s32 %x, %x, %y, %t;", CALLS_NONE},
	{"fma-f16x2-1", 1, 64, "fma.rn.f16x2 %x, %x, %y, %y;", CALLS_NONE},
	{"fma-bf16x2-1024", 1024, 64, "fma.rn.bf16x2 %x, %x, %y, %y;",
	 CALLS_NONE},
	{"add-f16-tiny-1", 1, 64, "add.rn.f16 %h, %h, %h2;", CALLS_NONE},
	{"add-f16-tiny-1024", 1024, 64, "add.rn.f16 %h, %h, %h2;", CALLS_NONE},
	{"cvt-f16-f64-1", 1, 64, "cvt.rz.f16.f64 %h, %v;", CALLS_NONE},
	{"cvt-f32-f16-1", 1, 64, "cvt.f32.f16 %f, %h;", CALLS_NONE},
	{"cvt-f16-u64-1", 1, 64, "cvt.rn.f16.u64 %h, %a;", CALLS_NONE},
	{"cvt-f32-u64-1", 1, 64, "cvt.rn.f32.u64 %f, %a;", CALLS_NONE},
	{"cvt-f64-u64-1", 1, 64, "cvt.rn.f64.u64 %u, %a;", CALLS_NONE},
	{"cvt-bf16-f64-1", 1, 64, "cvt.rn.bf16.f64 %h, %v;", CALLS_NONE},
	{"cvt-f16x2-1", 1, 64, "cvt.rn.relu.f16x2.f32 %x, %f, %g;", CALLS_NONE},
	{"cvt-e4m3-1", 1, 64, "cvt.rn.satfinite.e4m3x2.f32 %h, %f, %g;",
	 CALLS_NONE},
	{"cvt-f16x2-e4m3-1", 1, 64, "cvt.rn.f16x2.e5m2x2 %x, %h;", CALLS_NONE},
	{"cvt-rni-1", 1, 64, "cvt.rni.f32.f32 %f, %g;", CALLS_NONE},
	{"cvt-rni-f64-1", 1, 64, "cvt.rni.f64.f64 %u, %w;", CALLS_NONE},
	{"cvt-s64-1", 1, 64, "cvt.rzi.s64.f64 %a, %w;", CALLS_NONE},
	{"cvt-s32-f32-1", 1, 64, "cvt.rmi.s32.f32 %x, %f;", CALLS_NONE},
	{"cvt-sat-1", 1, 64, "cvt.sat.s16.u64 %h, %a;", CALLS_NONE},
	{"cvt-pack-1", 1, 64, "cvt.pack.sat.s8.s32.b32 %x, %x, %y, %t;",
	 CALLS_NONE},
	{"cvt-tf32-1", 1, 64, "cvt.rna.tf32.f32 %x, %f;", CALLS_NONE},
	{"fma-f32x2-1", 1, 64, "fma.rz.f32x2 %a, %b, %a, %b;", CALLS_NONE},
	{"add-f32x2-tiny-1", 1, 64, "add.rm.f32x2 %a, %b, %b;", CALLS_NONE},
	{"bfind-1", 1, 64, "bfind.s64 %x, %a;", CALLS_NONE},
	{"lop3-1", 1, 64, "lop3.b32 %x, %x, %y, %t, 0x96;", CALLS_NONE},
	{"min-f16x2-1", 1, 64, "min.NaN.f16x2 %x, %x, %y;", CALLS_NONE},
	{"set-f16x2-1", 1, 64, "set.gtu.f16x2.f16x2 %x, %x, %y;", CALLS_NONE},
	{"fns-1", 1, 64, "fns.b32 %x, %x, 1, 3;", CALLS_NONE},
	{"fma-f16-1", 1, 64, "fma.rn.ftz.f16 %h, %h, %h2, %h2;", CALLS_NONE},
	{"red-f64-1", 1, 64, "red.global.add.f64 [%d1], %u;", CALLS_NONE},
	{"set-f16x2-1024", 1024, 64, "set.gtu.f16x2.f16x2 %x, %x, %y;",
	 CALLS_NONE},
	{"cvt-e4m3-1024", 1024, 64, "cvt.rn.satfinite.e4m3x2.f32 %h, %f, %g;",
	 CALLS_NONE},
	{"gather-shared-1024", 1024, 64,
	 "mad.lo.u32 %z, %z, 1664525, %y;\nand.b32 %m0, %z, 0x3ff0;\n"
	 "add.u32 %m0, %m0, %s3;\n"
	 "ld.shared.v4.u32 {%m4, %m5, %m6, %m7}, [%m0];",
	 CALLS_NONE},
	{"gather-shared-u8-1024", 1024, 64,
	 "mad.lo.u32 %z, %z, 1664525, %y;\nand.b32 %m0, %z, 0x3fff;\n"
	 "add.u32 %m0, %m0, %s3;\nld.shared.u8 %m4, [%m0];",
	 CALLS_NONE},
	{"scatter-shared-1024", 1024, 64, "st.shared.u8 [%s0+3], %y;",
	 CALLS_NONE},
	{"shfl-half-1024", 1024, 32,
	 "@%p3 bra A$;\nshfl.sync.idx.b32 %x, %x, %y, 31, 0xaaaaaaaa;\n"
	 "bra B$;\nA$: shfl.sync.up.b32 %x, %x, 3, 0, 0x55555555;\nB$:",
	 CALLS_NONE},
	{"shfl-half-32", 32, 32,
	 "@%p3 bra A$;\nshfl.sync.idx.b32 %x, %x, %y, 31, 0xaaaaaaaa;\n"
	 "bra B$;\nA$: shfl.sync.up.b32 %x, %x, 3, 0, 0x55555555;\nB$:",
	 CALLS_NONE},
	{"match-half-1024", 1024, 32,
	 "@%p3 bra A$;\nmatch.any.sync.b64 %x, %a, 0xaaaaaaaa;\n"
	 "bra B$;\nA$: match.all.sync.b64 %x, %a, 0x55555555;\nB$:",
	 CALLS_NONE},
	{"warp-half-1024", 1024, 32,
	 "@%p3 bra A$;\nbar.warp.sync 0xaaaaaaaa;\n"
	 "bra B$;\nA$: bar.warp.sync 0x55555555;\nB$:",
	 CALLS_NONE},
	{"barrier-named-1024", 1024, 64, "barrier.sync %n8, 64;", CALLS_NONE},
	{"barrier-named-32", 32, 64, "bar.sync 3, 32;", CALLS_NONE},
	{"barrier-arrive-64", 64, 32,
	 "@%p4 bra A$;\nbar.arrive 2, 64;\nbar.sync 3, 64;\nbra B$;\n"
	 "A$: bar.sync 2, 64;\nbar.arrive 3, 64;\nB$:",
	 CALLS_NONE},
	{"call-address-1", 1, 8, "call (%x), %d3, (%x), twice_type;",
	 CALLS_NONE},
	{"call-address-1024", 1024, 8, "call (%x), %d3, (%x), twice_type;",
	 CALLS_NONE},
	{"call-60-1", 1, 4, "", CALLS_MANY},
	{"call-60-1024", 1024, 4, "", CALLS_MANY},
	{"recursion-1", 1, 4, "call (%x), deep, (%y, 40);", CALLS_DEEP},
	{"recursion-32", 32, 4, "call (%x), deep, (%y, 40);", CALLS_DEEP},
	{"recursion-1024", 1024, 4, "call (%x), deep, (%y, 40);", CALLS_DEEP},
	{"alloca-1", 1, 32,
	 "stacksave.u64 %a;\nalloca.u64 %b, 61440;\n"
	 "st.local.u32 [%b+60000], %x;\nstackrestore.u64 %a;",
	 CALLS_NONE},
	{"alloca-1024", 1024, 32,
	 "stacksave.u64 %a;\nalloca.u64 %b, 61440;\n"
	 "st.local.u32 [%b+60000], %x;\nstackrestore.u64 %a;",
	 CALLS_NONE},
	{"apart-1024", 1024, 256,
	 "setp.eq.u32 %p2, %t8, $;\n@%p2 bra L$;\nadd.u32 %x, %x, 1;\nL$:",
	 CALLS_NONE},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static const char head[] =
	".version 8.8\n.target sm_100\n.address_size 64\n"
	".func (.reg .u32 %r) twice(.reg .u32 %v) { add.u32 %r, %v, %v; ret; }"
	"\n";
static const char body[] =
	".visible .entry k(.param .u64 out) {\n"
	".reg .pred %p<5>; .reg .b16 %h, %h2;\n"
	".reg .b32 %t, %t8, %n, %n8, %x, %y, %z, %m<10>;\n"
	".reg .b64 %a, %b, %d<4>; .reg .f32 %f, %g; .reg .f64 %u, %v, %w;\n"
	".reg .b32 %s0, %s2, %s3, %l0, %lb, %q<60>;\n"
	".shared .align 4 .b8 s[4096];\n.local .align 4 .b8 l[64];\n"
	".shared .align 16 .b8 wide[16400];\n"
	"twice_type: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n"
	"ld.param.u64 %d1, [out];\nmov.u32 %t, %tid.x;\n"
	"mul.wide.u32 %d0, %t, 4;\nadd.u64 %d0, %d0, %d1;\n"
	"mul.wide.u32 %d2, %t, 16;\nadd.u64 %d2, %d2, %d1;\n"
	"setp.ne.u32 %p0, %t, %t;\nsetp.eq.u32 %p1, %t, %t;\n"
	"mov.u32 %s0, s;\nshl.b32 %z, %t, 2;\nadd.u32 %s0, %s0, %z;\n"
	"mov.u32 %l0, l;\nand.b32 %t8, %t, 255;\n"
	"and.b32 %z, %t, 1;\nsetp.eq.u32 %p3, %z, 0;\nsetp.eq.u32 %p2, %z, 0;\n"
	"mov.u32 %n, 0;\nmad.lo.u32 %x, %t, 0x9e3779b1, 12345;\n"
	"or.b32 %y, %t, 0x10001;\nmov.b64 %a, {%x, %y};\nmov.b64 %b, {%y, 3};\n"
	"mov.b32 %f, 0x00012345;\nmov.b32 %g, 0x00345678;\n"
	"mov.b64 %u, 0x000123456789abcd;\nmov.b64 %v, 0x000923456789abcd;\n"
	"mov.b64 %w, 0x3ff3456789abcdef;\nmov.b16 %h, 0;\n"
	"st.local.u32 [%l0], 0;\nst.shared.u32 [%s0], %t;\n"
	"mov.b16 %h2, 3;\nmov.u32 %s3, wide;\nshl.b32 %s2, %t, 4;\n"
	"add.u32 %s2, %s2, %s3;\nand.b32 %n8, %t, 64;\nshr.u32 %n8, %t, 6;\n"
	"and.b32 %n8, %n8, 15;\nand.b32 %m0, %t, 32;\n"
	"setp.eq.u32 %p4, %m0, 0;\nmov.u64 %d3, twice;\n"
	"st.shared.v4.u32 [%s2], {%x, %y, %t, %x};\n"
	"mov.u32 %m0, %x; mov.u32 %m1, %y; mov.u32 %m2, %x; mov.u32 %m3, %y;\n"
	"mov.u32 %m4, %x; mov.u32 %m5, %y; mov.u32 %m6, %x; mov.u32 %m7, %y;\n"
	"mov.u32 %m8, %x; mov.u32 %m9, %y;\nbar.sync 0;\nLOOP:\n";
static const char tail[] = "\nadd.u32 %n, %n, 1;\nsetp.ne.u32 %p2, %n, 0;\n"
			   "@%p2 bra LOOP;\nret;\n}\n";

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Calls itself, and has 250 registers to keep meanwhile. */
static void put_deep(struct buf *b)
{
	buf_printf(b, ".func (.reg .u32 %%r) deep(.reg .u32 %%v, .reg .u32 %%n)"
		      " {\n.reg .pred %%p; .reg .u32 %%k<250>, %%m;\n");
	for (int i = 0; i < 250; i++)
		buf_printf(b, "add.u32 %%k%d, %%v, %d;\n", i, i);
	buf_printf(b, "mov.u32 %%r, 1;\nsetp.eq.u32 %%p, %%n, 0;\n"
		      "@%%p bra E;\nsub.u32 %%m, %%n, 1;\n"
		      "call (%%r), deep, (%%v, %%m);\n");
	for (int i = 0; i < 250; i++)
		buf_printf(b, "add.u32 %%r, %%r, %%k%d;\n", i);
	buf_printf(b, "E: ret;\n}\n");
}

/* A function of 60 parameters; the body calls it by its address. */
static void put_many(struct buf *b)
{
	buf_printf(b, ".func (.reg .u32 %%r) many(");
	for (int i = 0; i < 60; i++)
		buf_printf(b, "%s.reg .u32 %%v%d", i > 0 ? ", " : "", i);
	buf_printf(b, ") {\nadd.u32 %%r, %%v0, %%v59;\nret;\n}\n");
}

static void put_call(struct buf *b, uint32_t repeat)
{
	buf_printf(b,
		   "mov.u64 %%a, many;\nM%u: .callprototype (.reg .u32 _) _"
		   " (",
		   repeat);
	for (int i = 0; i < 60; i++)
		buf_printf(b, "%s.reg .u32 _", i > 0 ? ", " : "");
	buf_printf(b, ");\ncall (%%x), %%a, (");
	for (int i = 0; i < 60; i++)
		buf_printf(b, "%s%%x", i > 0 ? ", " : "");
	buf_printf(b, "), M%u;\n", repeat);
}

static void put_text(struct buf *b, const char *text, uint32_t repeat)
{
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '$')
			buf_printf(b, "%u", repeat);
		else
			buf_put(b, p, 1);
	}
	buf_put_str(b, "\n");
}

/* The kernel's text. */
static struct bytes write_text(struct arena *a, const struct shape *s)
{
	struct buf b = buf_make(TEXT_MAX);
	struct bytes text = {NULL, 0};

	buf_put_str(&b, head);
	if (s->calls == CALLS_MANY)
		put_many(&b);
	if (s->calls == CALLS_DEEP)
		put_deep(&b);
	buf_put_str(&b, body);
	for (uint32_t i = 0; i < s->repeats; i++) {
		if (s->calls == CALLS_MANY)
			put_call(&b, i);
		put_text(&b, s->text, i);
	}
	buf_put_str(&b, tail);
	if (b.err == ERR_OK)
		text = arena_copy(a, (struct bytes){b.p, b.n});
	buf_free(&b);
	return text;
}

static struct exec_module *load(struct arena *a, const struct shape *s)
{
	struct exec_refusal why = {.line = 0};
	struct ptx_diag diag = {.line = 0};
	struct exec_module *m = NULL;
	struct ptx_module *pm;
	struct exec_module_options options = {.stack_bytes = STACK_BYTES};
	struct bytes text = write_text(a, s);

	if (text.p == NULL)
		return NULL;
	if (ptx_parse(a, text, &pm, &diag) != ERR_OK)
		printf("%s: line %u: %s\n", s->name, diag.line, diag.text);
	else if (exec_module_load(pm, &options, &m, &why) != ERR_OK)
		printf("%s: line %u: %s\n", s->name, why.line, why.text);
	return m;
}

/* Seconds for the cost of a whole dispute; below 0: it failed. */
static double measure(const struct shape *s, const struct exec_options *options,
		      uint8_t *data)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES + (1u << 26));
	struct exec_module *m = load(a, s);
	struct exec_buffer buffer = {
		.data = data, .bytes = BUFFER_BYTES, .writable = true};
	struct exec_reloc reloc = {0, 0, 0};
	struct exec_launch l = {.kernel = bytes_str("k"),
				.grid = {1, 1, 1},
				.block = {s->threads, 1, 1},
				.relocs = &reloc,
				.reloc_count = 1,
				.buffers = &buffer,
				.buffer_count = 1};
	struct exec_result r = {.cost = 0};
	double seconds = -1;

	if (m != NULL) {
		double begin = cpu_seconds();
		enum err e = exec_run(m, &l, options, a, &r);

		seconds = cpu_seconds() - begin;
		if (e != ERR_OK || r.reason != EXEC_REASON_cost_limit) {
			printf("%s: error %d, %s, line %u\n", s->name, (int)e,
			       exec_reason_word(r.reason), r.line);
			seconds = -1;
		}
		exec_module_free(m);
	}
	arena_free(a);
	if (seconds < 0)
		return -1;
	return seconds * (double)DISPUTE_COST_MAX / (double)r.cost;
}

/* The best of a few, of all of it where a part of it is slow. */
static double measure_best(const struct shape *s, struct exec_options *options,
			   uint8_t *data)
{
	double best = measure(s, options, data);

	if (best < SLOW_SECONDS)
		return best;
	uint64_t cost = options->cta_cost_max;
	options->cta_cost_max = DISPUTE_COST_MAX;
	best = measure(s, options, data);
	for (int i = 1; i < TRIES && best >= SLOW_SECONDS; i++) {
		double again = measure(s, options, data);

		best = again < best ? again : best;
	}
	options->cta_cost_max = cost;
	return best;
}

static bool wanted(int argc, char **argv, int first, const char *name)
{
	for (int i = first; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return first >= argc;
}

int main(int argc, char **argv)
{
	struct exec_options options = EXEC_OPTIONS_DEFAULT;
	uint8_t *data = calloc(BUFFER_BYTES, 1);
	const char *slowest = "none";
	double most = 0;
	bool ok = data != NULL;
	int first = 1;

	options.sanitize = true;
	options.cta_cost_max = DISPUTE_COST_MAX / 64;
	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		if (strcmp(argv[first], "--whole") == 0)
			options.cta_cost_max = DISPUTE_COST_MAX;
		else if (strcmp(argv[first], "--plain") == 0)
			options.sanitize = false;
		else if (first + 1 >= argc ||
			 exec_lanes_parse(bytes_str(argv[++first]),
					  &options.lanes) != ERR_OK)
			return 2;
	}
	for (size_t i = 0; ok && i < SHAPES; i++) {
		if (!wanted(argc, argv, first, shapes[i].name))
			continue;
		double s = measure_best(&shapes[i], &options, data);

		ok = ok && s >= 0;
		printf("%-18s %8.3f s\n", shapes[i].name, s);
		if (s > most) {
			most = s;
			slowest = shapes[i].name;
		}
	}
	printf("slowest CTA under %llu of cost: %s, %.2f s%s\n",
	       (unsigned long long)DISPUTE_COST_MAX, slowest, most,
	       options.sanitize ? ", sanitizer on" : "");
	free(data);
	return ok ? 0 : 1;
}
