#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "gpu/ptx/parse.h"
#include "tests/gpu/ptx/kit.h"

/* What is refused, in which line of the body, and with what words. */
static const struct {
	const char *body;
	enum err code;
	uint32_t line;
	const char *words;
} refused[] = {
	{"add.s32 %r1, %r2;", ERR_PTX_SYNTAX, 1, "','"},
	{"add.s32 %r1, %r2, %r3, %r4;", ERR_PTX_SYNTAX, 1, "';'"},
	{"add.s32 %d1, %r2, %r3;", ERR_PTX_SYNTAX, 1, "width"},
	{"add.s32 %r1, %r2, %r99;", ERR_PTX_SYNTAX, 1, "not a known register"},
	{"add.f32 %r1, %r2, 1;", ERR_PTX_SYNTAX, 1, "an integer where"},
	{"add.s32 %r1, %r2, 1.5;", ERR_PTX_SYNTAX, 1, "a float constant"},
	{"add.s32 %r1, %r2, %tid.x;", ERR_PTX_SYNTAX, 1, "mov and cvt"},
	{"mov.u32 %r1, %tid.w;", ERR_PTX_SYNTAX, 1, ".x, .y or .z"},
	{"mov.u64 %d1, %tid.x;", ERR_PTX_SYNTAX, 1, "another width"},
	{"ret;\nbra nowhere;", ERR_PTX_SYNTAX, 2, "no such label"},
	{"a: a: ret;", ERR_PTX_SYNTAX, 1, "the name is taken"},
	{".reg .b32 x; .reg .b64 x;", ERR_PTX_SYNTAX, 1, "the name is taken"},
	{".reg .b32 %x<300000>;", ERR_LIMIT, 1, "too many registers"},
	{"ld.global.v2.b32 {%r1, %r2, %r3}, [%d1];", ERR_PTX_SYNTAX, 1,
	 "another length"},
	{"ld.global.v2.b32 %r1, [%d1];", ERR_PTX_SYNTAX, 1, "a vector"},
	{"ld.global.b32 %r1, [%r2];", ERR_PTX_SYNTAX, 1, "for an address"},
	{"ld.global.b32 %r1, [nobody];", ERR_PTX_SYNTAX, 1, "not a known name"},
	{"call nobody;", ERR_PTX_SYNTAX, 1, "not a known function"},
	{"call k, (1, 2, 3);", ERR_PTX_SYNTAX, 1, "only device functions"},
	{"atom.global.cas.b32 %r1, [%d1], %r2;", ERR_PTX_SYNTAX, 1,
	 "the number of operands"},
	{"shfl.sync.up.b32 %r1, %r2, 1, 0;", ERR_PTX_SYNTAX, 1,
	 "the number of operands"},
	{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
	 "{%r1,%r2,%r3}, {%r3}, {%r4}, {%r1,%r2};",
	 ERR_PTX_SYNTAX, 1, "a fragment"},
	{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2}, [s];",
	 ERR_PTX_SYNTAX, 1, "another length"},
	{"cp.async.cg.shared.global [s], [%d1], 8;", ERR_PTX_SYNTAX, 1,
	 "that many bytes"},
	{"lop3.b32 %r1, %r2, %r3, %r4, 256;", ERR_PTX_SYNTAX, 1, "eight bits"},
	{".global .b32 inside;", ERR_PTX_UNKNOWN, 1, "outside functions"},
	{".frobnicate;", ERR_PTX_SYNTAX, 1, "a statement"},
	{"mov.u32 %r1, 99999999999999999999;", ERR_PTX_SYNTAX, 1,
	 "not a number"},
	{"mov.b32 %r1, 0f3F8000;", ERR_PTX_SYNTAX, 1, "not a number"},
	{"mov.u32 %r1, \x01;", ERR_PTX_SYNTAX, 1, "not a character"},
	{"/* no end", ERR_PTX_SYNTAX, 1, "not a character"},
};

Test(ptx_parse, refuses_with_place_and_words)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct arena *a = kit_arena();
		struct ptx_module *m = NULL;
		struct ptx_diag d = {0};
		enum err e =
			ptx_parse(a, kit_body_text(a, refused[i].body), &m, &d);

		cr_expect_eq(e, refused[i].code, "%s: %s", refused[i].body,
			     err_name(e));
		cr_expect_not_null(strstr(d.text, refused[i].words), "%s: %s",
				   refused[i].body, d.text);
		/* The body begins in line 11 of the text. */
		if (!strstr(refused[i].body, "no end"))
			cr_expect_eq(d.line, refused[i].line + 10, "%s: %u",
				     refused[i].body, d.line);
		cr_expect_null(m);
		arena_free(a);
	}
}

/* Unknown and refused instructions: opaque, with the reason. */
static const struct {
	const char *body, *name, *words;
	bool is_known;
} opaque[] = {
	{"tex.2d.v4.f32.s32 {%r1,%r2,%r3,%r4}, [t, {%r1,%r2}];",
	 "tex.2d.v4.f32.s32", "textures", true},
	{"frob.s32 %r1, %r2;", "frob.s32", "unknown instruction", false},
	{"add.s32.frob %r1, %r2, %r3;", "add.s32.frob", "unknown modifier",
	 false},
	{"add.sat.u32 %r1, %r2, %r3;", "add.sat.u32", "do not go together",
	 false},
	{"add.ftz.f64 %d1, %d2, %d3;", "add.ftz.f64", "do not go together",
	 false},
	{"add.s32.s32 %r1, %r2, %r3;", "add.s32.s32", "one type too many",
	 false},
	{"add.cc.cc.s32 %r1, %r2, %r3;", "add.cc.cc.s32", "takes once", false},
	{"add %r1, %r2, %r3;", "add", "the type is missing", false},
	{"fma.f32 %r1, %r2, %r3, %r4;", "fma.f32", "a modifier is missing",
	 false},
	{"cvt.s32.f32 %r1, %r2;", "cvt.s32.f32", "rounding", false},
	{"cvt.rn.f64.f32 %d1, %r2;", "cvt.rn.f64.f32", "rounding", false},
	{"shfl.up.b32 %r1, %r2, 1, 0;", "shfl.up.b32", "undefined", false},
	{"mbarrier.init.shared.b64 [s], 1;", "mbarrier.init.shared.b64",
	 "mbarrier", true},
	{"cp.async.bulk.wait_group 0;", "cp.async.bulk.wait_group", "bulk",
	 true},
	{"setp.lo.s32 %p1, %r1, %r2;", "setp.lo.s32", "do not go together",
	 false},
	{"atom.global.add.s64 %d1, [%d2], %d3;", "atom.global.add.s64",
	 "do not go together", false},
	{"ld.relaxed.global.b32 %r1, [%d1];", "ld.relaxed.global.b32", "scope",
	 false},
};

Test(ptx_parse, keeps_what_it_does_not_know_apart)
{
	for (size_t i = 0; i < sizeof(opaque) / sizeof(opaque[0]); i++) {
		struct arena *a = kit_arena();
		const struct ptx_module *m = kit_body(a, opaque[i].body);
		const struct ptx_function *f = &m->functions[0];
		const struct ptx_opaque *o = &f->opaque[0];

		cr_assert_eq(f->instr_count, 1u, "%s", opaque[i].body);
		cr_assert_eq(f->instrs[0].op, PTX_OP_opaque, "%s",
			     opaque[i].body);
		cr_expect(bytes_eq(o->text, bytes_str(opaque[i].name)), "%s",
			  opaque[i].body);
		cr_expect_not_null(strstr(o->why, opaque[i].words), "%s: %s",
				   opaque[i].body, o->why);
		cr_expect_eq(o->is_known, opaque[i].is_known);
		arena_free(a);
	}
}

static const struct ptx_instr *instr(const struct ptx_module *m, uint32_t i)
{
	cr_assert_lt(i, m->functions[0].instr_count);
	return &m->functions[0].instrs[i];
}

static const struct ptx_operand *operand(const struct ptx_module *m, uint32_t i,
					 uint32_t k)
{
	cr_assert_lt(k, instr(m, i)->operand_count);
	return ptx_operand(&m->functions[0], instr(m, i), k);
}

Test(ptx_parse, numbers_registers_by_first_appearance)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_body(a, "@!%p7 add.s32 %r9, %r3, %r9;"
						 "mov.b64 %d5, {%r3, %r0};");

	cr_expect_eq(m->functions[0].reg_count[PTX_CLASS_PRED], 1u);
	cr_expect_eq(m->functions[0].reg_count[PTX_CLASS_32], 3u);
	cr_expect_eq(instr(m, 0)->guard, 0u);
	cr_expect(instr(m, 0)->guard_negated);
	cr_expect_eq(operand(m, 0, 0)->index, 0u);
	cr_expect_eq(operand(m, 0, 1)->index, 1u);
	cr_expect_eq(operand(m, 0, 2)->index, 0u);
	cr_expect_eq(operand(m, 1, 1)->kind, PTX_OPERAND_VECTOR);
	cr_expect_eq(m->functions[0].elements[1].index, 2u);
	arena_free(a);
}

Test(ptx_parse, renames_scopes_apart)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m =
		kit_body(a, "mov.u32 %r1, 1;"
			    "{ .reg .b32 %r1; .reg .b32 x<3>;"
			    "  mov.u32 %r1, 2; mov.u32 x2, 3; bra end; end: }"
			    "{ .reg .b32 x2; mov.u32 x2, 4; bra end; }"
			    "end: mov.u32 %r1, 5; ret;");

	cr_expect_eq(operand(m, 0, 0)->index, 0u);
	cr_expect_eq(operand(m, 1, 0)->index, 1u);
	cr_expect_eq(operand(m, 2, 0)->index, 2u);
	cr_expect_eq(operand(m, 4, 0)->index, 3u);
	cr_expect_eq(operand(m, 6, 0)->index, 0u);
	/* The inner label comes after its branch and hides the outer one. */
	cr_expect_eq(operand(m, 3, 0)->index, 4u);
	cr_expect_eq(operand(m, 5, 0)->index, 6u);
	arena_free(a);
}

Test(ptx_parse, gives_constants_the_type_of_their_place)
{
	static const struct {
		const char *body;
		uint32_t operand;
		uint64_t bits;
	} cases[] = {
		{"mov.u32 %r1, -1;", 1, 0xffffffff},
		{"mov.u64 %d1, -1;", 1, UINT64_MAX},
		{"add.u16 %h1, %h2, 0x12345;", 2, 0x2345},
		{"add.f32 %r1, %r2, 0.1;", 2, 0x3dcccccd},
		{"add.f32 %r1, %r2, -0f3F800000;", 2, 0xbf800000},
		{"add.f64 %d1, %d2, 0.1;", 2, 0x3fb999999999999a},
		{"add.f64 %d1, %d2, 0f3F800000;", 2, 0x3ff0000000000000},
		{"add.f32 %r1, %r2, 0d3FB999999999999A;", 2, 0x3dcccccd},
		{"add.f32 %r1, %r2, 0d36A0000000000000;", 2, 1},
		{"add.f32 %r1, %r2, 0d47EFFFFFF0000000;", 2, 0x7f800000},
		{"add.f64 %d1, %d2, 0f00000001;", 2, 0x36a0000000000000},
		{"mov.b32 %r1, 0f3F800000;", 1, 0x3f800000},
		{"mov.pred %p1, -1;", 1, 1},
		{"mov.u32 %r1, (1 + 2 * 3) - 010;", 1, 0xffffffff},
		{"mov.u32 %r1, 1<<4|3;", 1, 19},
		{"mov.u32 %r1, (7>3)?5:6;", 1, 5},
		{"mov.u32 %r1, 3&2^1;", 1, 3},
		{"mov.u32 %r1, (3==3) + (4 != 4);", 1, 1},
		{"mov.u32 %r1, 3 && 2;", 1, 1},
		{"mov.u32 %r1, 0 || 0;", 1, 0},
		{"mov.u64 %d1, -7 / 2;", 1, (uint64_t)-3},
		{"mov.u64 %d1, -7 % 4;", 1, (uint64_t)-3},
		{"mov.u64 %d1, -8 >> 1;", 1, (uint64_t)-4},
		{"mov.u64 %d1, (.u64)-8 >> 1;", 1, 0x7ffffffffffffffc},
		{"mov.u64 %d1, -1 < 0U;", 1, 0},
		{"mov.u64 %d1, -1 <= 0;", 1, 1},
		{"mov.u64 %d1, -~5 - !0;", 1, 5},
		{"mov.u32 %r1, WARP_SZ;", 1, 32},
		{"bfe.u32 %r1, %r2, 0b101, 3U;", 2, 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = kit_arena();
		const struct ptx_module *m = kit_body(a, cases[i].body);
		const struct ptx_operand *o = operand(m, 0, cases[i].operand);

		cr_expect_eq(o->kind, PTX_OPERAND_IMM, "%s", cases[i].body);
		cr_expect_eq(o->imm, cases[i].bits, "%s: %llx", cases[i].body,
			     (unsigned long long)o->imm);
		arena_free(a);
	}
}

Test(ptx_parse, keeps_the_places_of_optional_operands)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m =
		kit_body(a, "setp.lt.s32 %p1, %r1, %r2;"
			    "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;"
			    "bar.red.popc.u32 %r1, 0, !%p1;"
			    "bar.red.popc.u32 %r1, 0, 64, %p1;"
			    "selp.b32 %r1, %r2, %r3, !%p1;"
			    "setp.lt.s32 %p1|_, %r1, %r2;"
			    "setp.lt.s32 _|%p1, %r1, %r2;");

	cr_expect_eq(instr(m, 0)->operand_count, 4);
	cr_expect_eq(operand(m, 0, 1)->kind, PTX_OPERAND_NONE);
	cr_expect_eq(operand(m, 1, 1)->kind, PTX_OPERAND_REG);
	cr_expect(operand(m, 1, 4)->negated);
	cr_expect_eq(operand(m, 2, 2)->kind, PTX_OPERAND_NONE);
	cr_expect(operand(m, 2, 3)->negated);
	cr_expect_eq(operand(m, 3, 2)->imm, 64u);
	cr_expect(operand(m, 4, 3)->negated);
	cr_expect_eq(operand(m, 5, 1)->kind, PTX_OPERAND_NONE);
	cr_expect_eq(operand(m, 6, 0)->kind, PTX_OPERAND_NONE);
	cr_expect_eq(operand(m, 6, 1)->kind, PTX_OPERAND_REG);
	arena_free(a);
}

Test(ptx_parse, lays_out_parameters_and_variables)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_sample(a, "syntax");
	uint32_t k = kit_find(m, "grammar");
	const struct ptx_function *f = &m->functions[k];

	cr_assert_eq(f->param_count, 4u);
	cr_expect_eq(f->params[0].offset, 0u);
	cr_expect_eq(f->params[0].pointee_align, 16u);
	cr_expect_eq(f->params[1].offset, 8u);
	cr_expect_eq(f->params[2].offset, 24u);
	cr_expect_eq(f->params[3].offset, 28u);
	cr_expect_eq(f->param_bytes, 29u);
	cr_expect_eq(f->maxntid[0], 128u);
	cr_expect_eq(f->maxntid[1], 2u);
	cr_expect_eq(f->maxntid[2], 1u);
	for (uint32_t i = 0; i < m->variable_count; i++) {
		const struct ptx_variable *v = &m->variables[i];

		if (bytes_eq(v->name, BYTES_LIT("quad"))) {
			cr_expect_eq(v->bytes, 16u);
			cr_expect_eq(u32_le(v->init + 8), 0xbf000000u);
		}
		if (bytes_eq(v->name, BYTES_LIT("self"))) {
			cr_assert_eq(v->reloc_count, 1u);
			cr_expect(v->relocs[0].generic);
			cr_expect_eq(v->relocs[0].addend, 4);
		}
		if (bytes_eq(v->name, BYTES_LIT("masked"))) {
			cr_assert_eq(v->reloc_count, 8u);
			cr_expect_eq(v->relocs[7].shift, 56);
		}
		if (bytes_eq(v->name, BYTES_LIT("dynamic")))
			cr_expect(v->is_dynamic);
	}
	/* .loc of the instruction behind it. */
	cr_expect_eq(f->instrs[0].source_line, 12u);
	cr_expect_eq(f->instrs[0].source_file, 1);
	cr_expect_eq(f->instrs[5].source_line, 40u);
	cr_expect(bytes_eq(m->files[2], BYTES_LIT("helper.h")));
	arena_free(a);
}

/* What a toolkit's header holds is shown where the user's file asked for it;
 * what the user's own function holds, there. */
Test(ptx_parse, inlined_headers_have_the_users_line)
{
	static const char text[] =
		".version 7.2\n.target sm_75\n.address_size 64\n"
		".visible .entry k()\n{\n"
		".loc 1 10 2\nmembar.cta;\n"
		".loc 2 509 9, function_name $L__s0, inlined_at 1 12 2\n"
		"membar.cta;\n" /* its caller is not known */
		".loc 1 12 2\n"
		".loc 2 509 9, function_name $L__s0, inlined_at 1 12 2\n"
		".loc 3 97 13, function_name $L__s1 + 4, inlined_at 2 509 9\n"
		"membar.cta;\n"
		".loc 1 5 1, function_name $L__s2, inlined_at 1 12 2\n"
		"membar.cta;\n"
		".loc 2 8 1, function_name $L__s0, inlined_at 1 12 3\n"
		"membar.cta;\n" /* another column */
		".loc 4 3 1, function_name $L__s0, inlined_at 1 10 2\n"
		"membar.cta;\n"
		".loc 2 7 1\nret;\n}\n"
		".visible .entry second()\n{\nret;\n}\n"
		".file 1 \"cg.cu\"\n.file 2 \"/usr/a/groups.h\"\n"
		".file 3 \"<cub/b.h>\"\n.file 4 \"weft_core.cuh\"\n";
	static const struct {
		uint32_t line;
		uint16_t file;
	} want[] = {{10, 1}, {509, 2}, {12, 1}, {5, 1},
		    {8, 2},  {10, 1},  {7, 2}};
	struct arena *a = kit_arena();
	struct ptx_module *m = NULL;
	struct ptx_diag d;

	cr_assert_eq(ptx_parse(a, BYTES_LIT(text), &m, &d), ERR_OK, "%s",
		     d.text);
	cr_assert_eq(m->functions[0].instr_count, 7u);
	for (uint32_t i = 0; i < 7; i++) {
		const struct ptx_instr *in = &m->functions[0].instrs[i];

		cr_expect_eq(in->source_line, want[i].line, "%u: %u", i,
			     in->source_line);
		cr_expect_eq(in->source_file, want[i].file, "%u: %u", i,
			     in->source_file);
	}
	cr_expect_eq(m->functions[1].instrs[0].source_line, 0u);
	cr_expect_eq(m->functions[1].instrs[0].source_file, UINT16_MAX);
	arena_free(a);
}

Test(ptx_parse, joins_parts_that_agree)
{
	struct arena *a = kit_arena();
	struct bytes parts[2] = {
		BYTES_LIT(".version 7.0\n.target sm_75\n.global .b32 x = 3;\n"
			  ".func f()\n{\nret;\n}\n.entry a() { call f; }"),
		BYTES_LIT(".version 8.0\n.target sm_80\n.global .b32 x = 3;\n"
			  ".func f()\n{\nret;\n}\n.entry b() { call f; }")};
	struct ptx_module *m = NULL;
	struct ptx_diag d;
	uint32_t part = 9;

	cr_assert_eq(ptx_parse_parts(a, parts, 2, &m, &d, &part), ERR_OK);
	cr_expect_eq(m->variable_count, 1u);
	cr_expect_eq(m->function_count, 3u);
	cr_expect_eq(m->sm, 80);
	parts[1] = BYTES_LIT(".version 8.0\n.target sm_80\n"
			     ".func f()\n{\ntrap;\n}\n");
	cr_expect_eq(ptx_parse_parts(a, parts, 2, &m, &d, &part),
		     ERR_PTX_SYNTAX);
	cr_expect_eq(part, 1u);
	cr_expect_eq(d.line, 4u);
	arena_free(a);
}

/* Memory of the worst texts stays below 64 times their size. */
static void expect_small(const char *head, const char *unit, const char *tail)
{
	size_t n = 150000, h = strlen(head), u = strlen(unit);
	uint8_t *text = malloc(n + 64);
	struct arena *a = kit_arena();
	struct ptx_module *m;
	struct ptx_diag d;
	size_t at = h;

	cr_assert_not_null(text);
	memcpy(text, head, h);
	for (; at + u < n; at += u)
		memcpy(text + at, unit, u);
	memcpy(text + at, tail, strlen(tail));
	at += strlen(tail);
	if (ptx_parse(a, bytes_of(text, at), &m, &d) != ERR_OK)
		cr_expect_eq(d.code, ERR_LIMIT, "%s", d.text);
	cr_expect_leq(arena_used(a), 64 * at + (1u << 20), "%s: %zu", unit,
		      arena_used(a) / at);
	arena_free(a);
	free(text);
}

Test(ptx_parse, bounds_its_memory)
{
	const char *head = ".version 8.0\n.target sm_75\n.entry k(){"
			   ".reg .pred p;.reg .b32 r;";

	expect_small(head, "ret;", "}");
	expect_small(head, "tex;", "}");
	expect_small(head, "{}", "}");
	expect_small(head, ";;;;", "}");
	expect_small(head, "bra l;", "l:}");
	expect_small(head, "@p bra l;", "l:}");
	expect_small(head, "not.b32 r,r;", "}");
	expect_small(".version 8.0\n.target sm_75\n.global .b8 x[]={", "1,",
		     "1};");
	expect_small(".version 8.0\n.target sm_75\n.const .u64 y[]={", "0,",
		     "1};");
	expect_small(".version 8.0\n.target sm_75\n", ".pragma \"\";", "");
	expect_small(".version 8.0\n.target sm_75\n.entry k(){l:"
		     ".reg .b32 r; t: .branchtargets l",
		     ",l", "; brx.idx r,t;}");
}

Test(ptx_parse, stops_at_its_limits)
{
	struct arena *a = kit_arena();
	uint8_t *text = calloc(1, PTX_TEXT_BYTES_MAX + 1);
	struct ptx_module *m;
	struct ptx_diag d;

	cr_assert_not_null(text);
	memset(text, ' ', PTX_TEXT_BYTES_MAX + 1);
	memcpy(text, ".version 8.0\n.target sm_75\n", 27);
	cr_expect_eq(ptx_parse(a, bytes_of(text, PTX_TEXT_BYTES_MAX), &m, &d),
		     ERR_OK);
	cr_expect_eq(
		ptx_parse(a, bytes_of(text, PTX_TEXT_BYTES_MAX + 1), &m, &d),
		ERR_LIMIT);
	free(text);
	arena_free(a);
}

static enum err parse_rets(uint32_t count)
{
	const char *head = ".version 8.0\n.target sm_75\n.entry k(){";
	struct buf b = buf_make(4u << 20);
	struct arena *a = kit_arena();
	struct ptx_module *m;
	enum err e;

	buf_put_str(&b, head);
	for (uint32_t i = 0; i < count; i++)
		buf_put_str(&b, "ret;");
	buf_put_str(&b, "}");
	e = ptx_parse(a, buf_bytes(&b), &m, NULL);
	buf_free(&b);
	arena_free(a);
	return e;
}

Test(ptx_parse, counts_instructions)
{
	cr_expect_eq(parse_rets(PTX_INSTRUCTIONS_MAX), ERR_OK);
	cr_expect_eq(parse_rets(PTX_INSTRUCTIONS_MAX + 1), ERR_LIMIT);
}

Test(ptx_parse, takes_truncated_and_damaged_text)
{
	struct arena *a = kit_arena();
	struct arena *b = kit_arena();
	struct bytes text = kit_read(a, "syntax");
	struct ptx_module *m;
	uint8_t *copy = malloc(text.n);

	cr_assert_not_null(copy);
	for (size_t n = 0; n < text.n; n += 7) {
		enum err e = ptx_parse(b, bytes_slice(text, 0, n), &m, NULL);

		cr_expect_neq(e, ERR_NO_MEMORY);
		memcpy(copy, text.p, text.n);
		copy[n] ^= 0x15;
		e = ptx_parse(b, bytes_of(copy, text.n), &m, NULL);
		cr_expect_neq(e, ERR_NO_MEMORY);
		arena_reset(b);
	}
	free(copy);
	arena_free(a);
	arena_free(b);
}
