#include "gpu/ptx/print.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gpu/ptx/parse.h"
#include "tests/gpu/ptx/kit.h"

Test(ptx_print, is_a_fixed_point_on_every_sample)
{
	for (uint32_t i = 0; kit_samples[i]; i++) {
		struct arena *a = kit_arena();
		struct bytes once = kit_print(a, kit_sample(a, kit_samples[i]));
		struct bytes twice = kit_print(a, kit_parse(a, once));

		cr_expect(bytes_eq(once, twice), "%s", kit_samples[i]);
		arena_free(a);
	}
}

/* The whole text of a small kernel, written by hand. */
Test(ptx_print, prints_one_spelling)
{
	struct arena *a = kit_arena();
	struct bytes text = kit_print(
		a, kit_body(a, "ld.param.u64 %d3, [p];\n"
			       "// a comment\n"
			       "mov.u32 %r7, %ctaid.x; .loc 1 2 3\n"
			       "{ .reg .b32 %r7; mov.u32 %r7, %tid.x;\n"
			       "setp.ge.s32 %p5, %r7, 0x10;\n"
			       "@%p5 bra out; }\n"
			       "mul.f32 %r1, %r7, 1.5;\n"
			       "add.ftz.rz.f32 %r1, %r1, %r1;\n"
			       "sub.f16x2 %r1, %r1, %r1;\n"
			       "add.s32 %r1, %r1, -1;\n"
			       "st.weak.global.v2.b32 [%d3+-8], {%r1, %r7};\n"
			       "ld.shared::cta.b32 %r1, [s+4];\n"
			       "barrier.cta.sync 0;\n"
			       "out: ret;\n"));
	const char *want =
		".version 6.3\n.target sm_75\n.address_size 64\n"
		".visible .entry k(.param .u64 $a0, .param .u64 $a1, "
		".param .u32 $a2)\n{\n"
		".reg .pred %p<1>;\n.reg .b32 %r<3>;\n.reg .b64 %d<1>;\n"
		".shared .align 16 .b8 $v0[256];\n"
		"ld.param.u64 %d0, [$a0];\n"
		"mov.u32 %r0, %ctaid.x;\n"
		"mov.u32 %r1, %tid.x;\n"
		"setp.ge.s32 %p0, %r1, 16;\n"
		"@%p0 bra $L0;\n"
		"mul.rn.f32 %r2, %r0, 0f3FC00000;\n"
		"add.rz.ftz.f32 %r2, %r2, %r2;\n"
		"sub.rn.f16x2 %r2, %r2, %r2;\n"
		"add.s32 %r2, %r2, 4294967295;\n"
		"st.global.v2.b32 [%d0+-8], {%r2, %r0};\n"
		"ld.shared.b32 %r2, [$v0+4];\n"
		"barrier.sync 0;\n"
		"$L0:\nret;\n}\n";

	cr_expect_eq(text.n, strlen(want));
	cr_expect_arr_eq(text.p, want,
			 text.n < strlen(want) ? text.n : strlen(want));
	arena_free(a);
}

/* Head lines of the text of one instruction. */
static void expect_needs(const char *body, const char *head)
{
	struct arena *a = kit_arena();
	struct bytes text = kit_print(a, kit_body(a, body));

	cr_expect(bytes_starts(text, bytes_str(head)), "%s: %.40s", body,
		  (const char *)text.p);
	arena_free(a);
}

Test(ptx_print, names_the_least_version_and_target)
{
	expect_needs("add.s32 %r1, %r2, %r3;", ".version 6.3\n.target sm_75\n");
	expect_needs("redux.sync.add.s32 %r1, %r2, -1;",
		     ".version 7.0\n.target sm_80\n");
	expect_needs("add.bf16 %h1, %h2, %h3;",
		     ".version 7.8\n.target sm_90\n");
	expect_needs("add.f32x2 %d1, %d2, %d3;",
		     ".version 8.6\n.target sm_100\n");
	expect_needs("max.xorsign.abs.f32 %r1, %r2, %r3;",
		     ".version 7.2\n.target sm_86\n");
	expect_needs("bmsk.clamp.b32 %r1, %r2, %r3;",
		     ".version 7.6\n.target sm_75\n");
	expect_needs("cp.async.ca.shared.global [%r1], [%d1], 8, !%p1;",
		     ".version 7.5\n.target sm_80\n");
	expect_needs("tanh.approx.f32 %r1, %r2;",
		     ".version 7.0\n.target sm_75\n");
	expect_needs("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 1, %p1;",
		     ".version 8.2\n.target sm_75\n");
}

Test(ptx_print, prints_a_part_with_what_it_uses)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_sample(a, "features");
	uint32_t k = kit_find(m, "recursion");
	struct buf out = buf_make(1u << 20);
	struct ptx_lines lines;
	const struct ptx_module *part;

	cr_assert_eq(ptx_print(a, m, &k, 1, &out, &lines, NULL), ERR_OK);
	part = kit_parse(a, buf_bytes(&out));
	cr_expect_eq(part->variable_count - part->functions[0].variable_count -
			     part->functions[1].variable_count,
		     0u);
	cr_expect_eq(part->function_count, 2u);
	cr_expect_eq(lines.count, part->instr_count);
	/* Lines name the instruction in both texts. */
	for (uint32_t i = 0, n = 0; i < part->function_count; i++)
		for (uint32_t j = 0; j < part->functions[i].instr_count; j++)
			cr_expect_eq(lines.lines[n++].line,
				     part->functions[i].instrs[j].line);
	cr_expect_eq(lines.lines[0].text_line,
		     m->functions[part->functions[0].is_entry
					  ? k
					  : m->functions[k].calls[0].callee]
			     .instrs[0]
			     .line);
	buf_free(&out);
	arena_free(a);
}

/* Parts of one module join to the module's text. */
Test(ptx_print, parts_join_again)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_sample(a, "features");
	struct bytes texts[32];
	struct ptx_module *joined;
	struct ptx_diag d = {0};
	uint32_t n = 0;

	for (uint32_t k = 0; k < m->function_count; k++) {
		struct buf out = buf_make(1u << 20);

		if (!m->functions[k].is_entry)
			continue;
		cr_assert_eq(ptx_print(a, m, &k, 1, &out, NULL, NULL), ERR_OK);
		texts[n++] = arena_copy(a, buf_bytes(&out));
		buf_free(&out);
	}
	cr_assert_eq(ptx_parse_parts(a, texts, n, &joined, &d, NULL), ERR_OK,
		     "%u: %s", d.line, d.text);
	cr_expect_eq(joined->instr_count, m->instr_count);
	arena_free(a);
}

/* Two bodies that differ in names, order of declarations and blanks. */
Test(ptx_print, equal_kernels_have_equal_texts)
{
	struct arena *a = kit_arena();
	struct bytes x = kit_print(
		a, kit_body(a, "add.s32 %r1,%r2,%r3; bra a; a: ret;"));
	struct bytes y = kit_print(
		a, kit_body(a, ".reg .b32 zz; .local .b32 never;\n"
			       "add.s32 %r9, zz, %r0;\nbra.uni b;\nb:\nret;"));

	cr_expect_not(bytes_eq(x, y)); /* .uni is no blank */
	y = kit_print(a, kit_body(a, ".reg .b32 zz; .local .b32 never;\n"
				     "add.s32 %r9, zz, %r0;\nbra b;\nb:\n"
				     "ret;"));
	cr_expect(bytes_eq(x, y));
	arena_free(a);
}

static enum err print_text(struct bytes text, struct ptx_diag *d)
{
	struct arena *a = kit_arena();
	struct buf out = buf_make(1u << 20);
	enum err e = ptx_print(a, kit_parse(a, text), NULL, 0, &out, NULL, d);

	buf_free(&out);
	arena_free(a);
	return e;
}

#define HEAD ".version 8.0\n.target sm_90\n"

Test(ptx_print, refuses_what_cannot_run)
{
	struct ptx_diag d;

	cr_expect_eq(print_text(BYTES_LIT(HEAD ".entry k()\n{ tex.1d; }"), &d),
		     ERR_PTX_UNKNOWN);
	cr_expect_eq(d.line, 4u);
	cr_expect_not_null(strstr(d.text, "tex.1d"));
	cr_expect_eq(print_text(BYTES_LIT(HEAD ".extern .func f();\n"
					       ".entry k() { call f; }"),
				&d),
		     ERR_REFUSED);
	cr_expect_not_null(strstr(d.text, "f"));
	cr_expect_eq(print_text(BYTES_LIT(HEAD ".extern .global .b32 x;\n"
					       ".entry k() { .reg .b32 r;"
					       "ld.global.b32 r, [x]; }"),
				&d),
		     ERR_REFUSED);
	cr_expect_eq(print_text(BYTES_LIT(HEAD ".global .b32 $v1;\n"
					       ".entry k() { .reg .b32 r;"
					       "ld.global.b32 r, [$v1]; }"),
				&d),
		     ERR_REFUSED);
	cr_expect_eq(print_text(BYTES_LIT(HEAD ".entry k() .explicitcluster "
					       "{ ret; }"),
				&d),
		     ERR_REFUSED);
}
