/*
 * The judge of canonical text is ptxas, where it is installed: in WEFT_PTXAS
 * or in the PATH.
 */
#define _POSIX_C_SOURCE 200809L

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gpu/ptx/kit.h"

static const char *find_ptxas(void)
{
	const char *named = getenv("WEFT_PTXAS");

	if (named)
		return named;
	return system("command -v ptxas >/dev/null 2>&1") == 0 ? "ptxas" : NULL;
}

/* Whether ptxas takes the text for the target that it names. */
static bool assembles(const char *ptxas, struct bytes text)
{
	char in[] = "/tmp/weft-ptx-XXXXXX", command[1024];
	const char *target = strstr((const char *)text.p, "sm_");
	int fd = mkstemp(in), rc;

	cr_assert_geq(fd, 0);
	cr_assert_not_null(target);
	cr_assert_eq(write(fd, text.p, text.n), (ssize_t)text.n);
	close(fd);
	snprintf(command, sizeof(command), "%s -arch=%.*s %s -o /dev/null",
		 ptxas, (int)strcspn(target, "\n"), target, in);
	rc = system(command);
	unlink(in);
	return rc == 0;
}

Test(ptx_ptxas, canonical_samples_assemble)
{
	const char *ptxas = find_ptxas();

	if (!ptxas) {
		fprintf(stderr, "skipped: ptxas is not installed\n");
		return;
	}
	for (uint32_t i = 0; kit_samples[i]; i++) {
		struct arena *a = kit_arena();

		cr_expect(
			assembles(ptxas,
				  kit_print(a, kit_sample(a, kit_samples[i]))),
			"%s", kit_samples[i]);
		arena_free(a);
	}
}

static struct bytes with_version(struct arena *a, struct bytes text, int v)
{
	const char *rest = strchr((const char *)text.p, '\n');

	cr_assert_not_null(rest);
	return bytes_str(
		arena_printf(a, ".version %d.%d%s", v / 10, v % 10, rest));
}

/* Parameters of more than 4,352 bytes need PTX 8.1; ptxas agrees. */
Test(ptx_ptxas, large_parameters)
{
	const char *ptxas = find_ptxas();

	for (uint32_t more = 0; more < 2; more++) {
		struct arena *a = kit_arena();
		struct bytes t = kit_print(
			a, kit_parse(a, bytes_str(arena_printf(
						a,
						".version 8.1\n"
						".target sm_75\n"
						".visible .entry k(.param .b8 "
						"p[%u]) { ret; }",
						4352 + more))));

		t = bytes_str(arena_str(a, t));
		cr_expect_eq(strncmp((const char *)t.p,
				     more ? ".version 8.1\n" : ".version 6.3\n",
				     13),
			     0);
		if (ptxas) {
			cr_expect(assembles(ptxas, t));
			cr_expect(!more ||
				  !assembles(ptxas, with_version(a, t, 80)));
		}
		arena_free(a);
	}
}

/* The least version and target of one form each, where they are not those
 * of everything: ptxas takes the text, and would not take an older one. */
static const struct {
	const char *body;
	int older; /* version before, 63 for 6.3; 0: none */
} forms[] = {
	{"set.ge.u32.f16 %r1, %h2, %h3;", 64},
	{"cvt.rn.satfinite.f16.f32 %h1, %r1;", 80},
	{"cvt.rn.satfinite.e4m3x2.f32 %h1, %r1, %r2;", 80},
	{"cvt.f32.bf16 %r1, %h1;", 70},
	{"cvt.rn.bf16.s32 %h1, %r1;", 77},
	{"fma.rn.relu.bf16 %h1, %h2, %h3, %h4;", 0},
	{"mul.rz.ftz.f32x2 %d1, %d2, %d3;", 0},
	{"min.f32 %r1, %r2, %r3, %r4;", 87},
	{"max.relu.s16x2 %r1, %r2, %r3;", 78},
	{"ld.global.v4.b64 {%d1,%d2,%d3,%d4}, [%d5];", 87},
	{"ld.global.L1::evict_last.b32 %r1, [%d1];", 73},
	{"atom.global.add.v2.f32 {%r1,%r2}, [%d1], {%r3,%r4};", 80},
	{"red.global.add.v4.f32 [%d1], {%r1,%r2,%r3,%r4};", 80},
	{"red.global.min.noftz.v8.f16 [%d1], "
	 "{%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};",
	 80},
	{"atom.global.max.noftz.v4.bf16 {%h1,%h2,%h3,_}, [%d1], "
	 "{%h5,%h6,%h7,%h8};",
	 80},
	{"atom.relaxed.cluster.add.noftz.v4.f16x2 {%r1,%r2,%r3,%r4}, [%d1], "
	 "{%r5,%r6,%r7,%r8};",
	 80},
	{"atom.global.exch.b128 %q1, [%d1], %q2;", 82},
	{"atom.acquire.gpu.shared.cas.b128 %q1, [%d1], %q2, %q1;", 82},
	{"atom.acquire.sys.shared.cas.b128 %q1, [%d1], %q2, %q1;", 83},
	{"ld.relaxed.sys.global.b128 %q1, [%d1];", 83},
	{"st.volatile.global.b128 [%d1], %q1;", 82},
	{"isspacep.param %p1, %d1;", 76},
	{"cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;", 64},
	{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
	 "{%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
	 65},
	{"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", 77},
	{"cp.async.ca.shared.global [%r1], [%d1], 8, !%p1;", 74},
	{"bmsk.clamp.b32 %r1, %r2, %r3;", 75},
	{"vadd2.u32.s32.u32.sat %r1.h1, %r2.h30, %r3.h12, %r4;", 0},
	{"vset4.s32.s32.le.add %r1.b310, %r2.b7654, %r3, %r4;", 0},
	{"vmad.s32.u32.u32.shr7 %r1, -%r2.b1, %r3.h0, %r4;", 0},
	{"fns.b32 %r1, %r2, %r3, %r4;", 0},
	{"set.eq.f16x2.f16x2 %r1, %r2, %r3;", 0},
	{"setp.lt.and.bf16x2 %p1|%p2, %r2, %r3, %p3;", 77},
	{"cvt.rz.satfinite.relu.tf32.f32 %r1, %r2;", 85},
	{"cvt.rn.relu.f16x2.e5m2x2 %r1, %h1;", 80},
	{"cvt.rp.bf16.f16 %h1, %h2;", 77},
	{"cvt.ftz.f32.bf16 %r1, %h2;", 77},
	{"cvt.pack.sat.s2.s32.b32 %r1, %r2, %r3, %r4;", 64},
	{"min.NaN.xorsign.abs.bf16x2 %r1, %r2, %r3;", 71},
	{"max.ftz.NaN.abs.f32 %r1, %r2, %r3, %r4;", 87},
	{"isspacep.param::entry %p1, %d1;", 76},
	{"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%r1,%r2}, "
	 "{%r3,%r4,%r5,%r6}, {%r7,%r8}, {%r9,%r10};",
	 86},
	{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1,%r2}, [%d1];",
	 64},
	{"stmatrix.sync.aligned.m8n8.x1.b16 [%d1], {%r1};", 77},
};

Test(ptx_ptxas, versions_are_the_least)
{
	const char *ptxas = find_ptxas();

	if (!ptxas) {
		fprintf(stderr, "skipped: ptxas is not installed\n");
		return;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct arena *a = kit_arena();
		struct bytes t = kit_print(a, kit_body(a, forms[i].body));

		t = bytes_str(arena_str(a, t));
		cr_expect(assembles(ptxas, t), "%s", forms[i].body);
		if (forms[i].older)
			cr_expect_not(assembles(
				ptxas, with_version(a, t, forms[i].older)));
		arena_free(a);
	}
}
