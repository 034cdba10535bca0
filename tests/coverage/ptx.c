/*
 * tests/coverage/ptx - prints doc/coverage.md: what becomes of every form of
 * every PTX instruction.
 *
 *   ptx             all forms that the tables of gpu/ptx allow are written as
 *                   text, parsed, classified and loaded into the executor
 *   ptx --forms     one form a line, with what became of it
 *
 * Hints that change no bytes (cache operators, priorities, prefetch sizes) are
 * left out of the forms that are counted.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/classify.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/priv/isa.h"

#define TEXT_MAX   1024u
#define GROUPS_MAX 32u

/* One letter of a form: a group of modifiers or a type. */
struct slot {
	bool is_type, is_needed;
	uint8_t index;
};

enum fate { FATE_EXACT, FATE_SM, FATE_UNSOLD, FATE_NOT_RUN, FATE_COUNT };

struct tally {
	uint32_t op;
	struct arena *a; /* of one form */
	struct slot slots[GROUPS_MAX];
	uint32_t slot_count;
	uint32_t fates[FATE_COUNT];
	bool whys[PTX_WHY_COUNT];
	bool types[PTX_TYPE_COUNT]; /* first types seen */
	bool lists_forms;
};

static const struct {
	const char *text, *words;
} fate_names[FATE_COUNT] = {
	[FATE_EXACT] = {"exact", "class A, or R by atomics"},
	[FATE_SM] = {"by sm", "class B"},
	[FATE_UNSOLD] = {"unsold", "runs, class C or D"},
	[FATE_NOT_RUN] = {"not run", "classified, but not executed"},
};

static bool is_hint(uint32_t op, uint32_t group)
{
	if (ptx_ops[op].trait == PTX_TRAIT_HINT)
		return false;
	return group == PTX_MOD_CACHE || group == PTX_MOD_EVICT ||
	       group == PTX_MOD_EVICT_L2 || group == PTX_MOD_CACHE_HINT ||
	       group == PTX_MOD_PREFETCH;
}

/* Values of a group. */
static uint32_t group_size(uint32_t group)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < PTX_MOD_INFO_COUNT; i++)
		n += ptx_mod_infos[i].group == group;
	return n;
}

static void list_slots(struct tally *t)
{
	bool needed = false;
	for (const char *c = ptx_ops[t->op].form; *c != '\0'; c++) {
		struct slot s = {.is_needed = needed};
		if (*c == '*') {
			needed = true;
			continue;
		}
		needed = false;
		s.is_type = *c >= '0' && *c <= '3';
		s.index = (uint8_t)(s.is_type ? *c - '0'
					      : (int)ptx_group_of_letter(*c));
		if (s.is_type || !is_hint(t->op, s.index) || s.is_needed)
			t->slots[t->slot_count++] = s;
	}
}

static char register_letter(uint32_t type)
{
	uint32_t bits = ptx_types[type].bits;
	if (type == PTX_TYPE_PRED)
		return 'p';
	return bits <= 16 ? 'h' : bits == 32 ? 'r' : bits == 64 ? 'd' : 'q';
}

static uint32_t doubled(uint32_t type)
{
	return ptx_types[type].bits == 16 ? PTX_TYPE_B32 : PTX_TYPE_B64;
}

struct text {
	char s[TEXT_MAX];
	size_t n;
	uint32_t next; /* register */
};

static void put(struct text *t, const char *s)
{
	size_t n = strlen(s);
	if (t->n + n < TEXT_MAX)
		memcpy(t->s + t->n, s, n + 1);
	t->n += n < TEXT_MAX - t->n ? n : 0;
}

static void put_register(struct text *t, char letter)
{
	char s[16];
	snprintf(s, sizeof(s), "%%%c%u", letter, t->next++ % 30 + 1);
	put(t, s);
}

static void put_vector(struct text *t, char letter, uint32_t n)
{
	put(t, "{");
	for (uint32_t i = 0; i < n; i++) {
		put(t, i > 0 ? "," : "");
		put_register(t, letter);
	}
	put(t, "}");
}

/* What the widths of fragments are tried as. */
struct tries {
	uint32_t fragments[4], used;
	bool with_optional;
	uint32_t number; /* for # */
};

static void put_operand(struct text *t, const struct ptx_instr *in, char c,
			struct tries *y)
{
	static const uint32_t widths[] = {1, 2, 4, 8};
	uint32_t vec = widths[in->mod[PTX_MOD_VEC] & 3u];
	char s[16];
	switch (c) {
	case '0':
	case '1':
	case '2':
	case '3':
		put_register(t, register_letter(in->types[c - '0']));
		break;
	case 'R':
	case 'S':
	case 'M':
		put_register(t, register_letter(in->types[c == 'S']));
		break;
	case 'w':
		put_register(
			t, register_letter(in->mod[PTX_MOD_MUL] == PTX_MUL_WIDE
						   ? doubled(in->types[0])
						   : in->types[0]));
		break;
	case 'V':
		if (vec > 1)
			put_vector(t, register_letter(in->types[0]), vec);
		else
			put_register(t, register_letter(in->types[0]));
		break;
	case 'p':
	case 'n':
		put_register(t, 'p');
		break;
	case 'l':
		put_register(t, 'd');
		break;
	case 'm':
		put(t, in->mod[PTX_MOD_SPACE] >= PTX_SPACE_PARAM &&
				       in->mod[PTX_MOD_SPACE] !=
					       PTX_SPACE_SHARED_CTA &&
				       in->mod[PTX_MOD_SPACE] !=
					       PTX_SPACE_SHARED_CLUSTER
			       ? "[a]"
			       : "[%d31]");
		break;
	case 's':
		put(t, "[%r31]");
		break;
	case '#':
		snprintf(s, sizeof(s), "%u", y->number);
		put(t, s);
		break;
	case 'b':
		put(t, in->op == PTX_OP_brx_idx ? "T" : "L");
		break;
	case 'f':
		put_vector(t, in->types[0] == PTX_TYPE_F64 ? 'd' : 'r',
			   y->fragments[y->used++ & 3u]);
		break;
	default:
		put_register(t, 'r');
		break;
	}
}

static void put_operands(struct text *t, const struct ptx_instr *in,
			 struct tries *y)
{
	const char *first = " ";
	for (const char *c = ptx_ops[in->op].operands; *c != '\0'; c++) {
		if (*c == '=')
			continue;
		if (*c == '?') {
			if (!y->with_optional)
				return;
			continue;
		}
		if (*c == '|') {
			c++;
			if (y->with_optional) {
				put(t, "|");
				put_operand(t, in, *c, y);
			}
			continue;
		}
		put(t, first);
		first = ", ";
		put_operand(t, in, *c, y);
	}
}

/* Instructions whose operands follow no pattern. */
static const char *special(const struct ptx_instr *in)
{
	switch (in->op) {
	case PTX_OP_bar:
	case PTX_OP_barrier:
		if (in->mod[PTX_MOD_BAR] == PTX_BAR_ARRIVE)
			return " 1, 64";
		if (in->mod[PTX_MOD_BAR] != PTX_BAR_RED)
			return " 1";
		return in->mod[PTX_MOD_BOOL] == PTX_BOOL_POPC ? " %r1, 1, %p1"
							      : " %p1, 1, %p2";
	case PTX_OP_cp_async:
		if (in->mod[PTX_MOD_CP] == PTX_CP_WAIT_GROUP)
			return " 0";
		return in->mod[PTX_MOD_CP] != 0 ? "" : " [%r1], [%d1], 16";
	case PTX_OP_call:
		return " f";
	case PTX_OP_isspacep:
		return " %p1, %d31";
	case PTX_OP_nanosleep:
		return " 1";
	default:
		return NULL;
	}
}

static void put_name(struct text *t, const struct ptx_instr *in)
{
	put(t, ptx_ops[in->op].text);
	for (const char *c = ptx_ops[in->op].form; *c != '\0'; c++) {
		const char *s = "";
		if (*c >= '0' && *c <= '3')
			s = in->types[*c - '0'] != 0
				    ? ptx_types[in->types[*c - '0']].text
				    : "";
		else if (*c != '*')
			s = ptx_mod_text(ptx_group_of_letter(*c),
					 in->mod[ptx_group_of_letter(*c)]);
		put(t, *s != '\0' ? "." : "");
		put(t, s);
	}
}

#define HEAD                                                               \
	".version 9.0\n.target sm_120\n.address_size 64\n"                 \
	".const .align 16 .b8 constant[1024];\n"                           \
	".func f() { ret; }\n"                                             \
	".visible .entry k(.param .align 16 .b8 a[64], .param .u64 p) {\n" \
	".reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<32>;\n"         \
	".reg .b64 %d<32>; .reg .b128 %q<32>;\nT: .branchtargets L;\n"     \
	".shared .align 16 .b8 shared[1024];\n"                            \
	".local .align 16 .b8 local[1024];\n"

/* No register is without a value, and addresses point to what they should. */
static void put_values(struct buf *b, const struct ptx_instr *in)
{
	static const char *const addresses[] = {
		[PTX_SPACE_SHARED] = "mov.u64 %d31, shared;\n",
		[PTX_SPACE_SHARED_CTA] = "mov.u64 %d31, shared;\n",
		[PTX_SPACE_SHARED_CLUSTER] = "mov.u64 %d31, shared;\n",
		[PTX_SPACE_LOCAL] = "mov.u64 %d31, local;\n",
		[PTX_SPACE_CONST] = "mov.u64 %d31, constant;\n"};
	bool is_asked = in->op == PTX_OP_isspacep; /* of a generic address */
	uint32_t space = is_asked ? 0 : in->mod[PTX_MOD_SPACE];
	const char *address = space < sizeof(addresses) / sizeof(addresses[0])
				      ? addresses[space]
				      : NULL;
	for (uint32_t i = 0; i < 31; i++)
		buf_printf(b,
			   "mov.u64 %%d%u, 1; mov.u32 %%r%u, 1;"
			   "mov.u16 %%h%u, 1; setp.eq.u32 %%p%u, %%r0, 1;"
			   "mov.b128 %%q%u, {%%d0, %%d0};\n",
			   i, i, i, i, i);
	buf_put_str(b, "mov.u32 %r31, shared; ld.param.u64 %d31, [p];\n");
	if (space == PTX_SPACE_GLOBAL)
		buf_put_str(b, "cvta.to.global.u64 %d31, %d31;\n");
	if (address != NULL)
		buf_put_str(b, address);
}

static bool parse(struct arena *a, const struct text *t,
		  const struct ptx_instr *in, struct ptx_module **ret_module)
{
	struct ptx_diag diag;
	struct buf b = buf_make(8192);
	bool ok;
	buf_put_str(&b, HEAD);
	put_values(&b, in);
	buf_put_str(&b, t->s);
	buf_put_str(&b, ";\nL: ret;\n}\n");
	struct bytes text = arena_copy(a, bytes_of(b.p, b.n));
	ok = b.err == ERR_OK && ptx_parse(a, text, ret_module, &diag) == ERR_OK;
	buf_free(&b);
	return ok && (*ret_module)->functions[1].opaque_count == 0;
}

static enum fate fate_of(struct arena *a, const struct ptx_module *m,
			 struct tally *t)
{
	struct exec_module *x = NULL;
	struct exec_refusal why;
	struct ptx_report r;
	struct exec_module_options options = {.stack_bytes = 4096};
	bool runs = exec_module_load(m, &options, &x, &why) == ERR_OK;
	exec_module_free(x);
	if (ptx_classify(a, m, 1, NULL, &r) != ERR_OK)
		return FATE_NOT_RUN;
	for (uint32_t i = 0; i < r.reason_count; i++)
		t->whys[r.reasons[i].why] = true;
	if (!runs && r.sale != PTX_SALE_B)
		return FATE_NOT_RUN;
	return r.sale <= PTX_SALE_R   ? FATE_EXACT
	       : r.sale == PTX_SALE_B ? FATE_SM
				      : FATE_UNSOLD;
}

/* One way to write the form; false: it is none. */
static bool try_one(struct tally *t, const struct ptx_instr *in, struct tries y)
{
	struct arena *a = t->a;
	struct text text = {.next = 0};
	struct ptx_module *m = NULL;
	bool ok;
	put_name(&text, in);
	if (special(in) != NULL)
		put(&text, special(in));
	else
		put_operands(&text, in, &y);
	ok = parse(a, &text, in, &m);
	if (ok) {
		enum fate fate = fate_of(a, m, t);
		t->fates[fate]++;
		t->types[in->types[0]] = true;
		if (t->lists_forms)
			printf("%s\t%s\n", fate_names[fate].text, text.s);
	}
	arena_reset(a);
	return ok;
}

static void try_form(struct tally *t, const struct ptx_instr *in)
{
	static const uint32_t widths[] = {1, 2, 4, 8};
	bool is_fragment = strchr(ptx_ops[in->op].operands, 'f') != NULL;
	uint32_t ways = in->op == PTX_OP_mma ? 256 : is_fragment ? 4 : 1;
	if (ptx_form_check(in) != NULL)
		return;
	for (uint32_t w = 0; w < ways; w++) {
		struct tries y = {
			.number = in->op == PTX_OP_discard ||
						  in->op == PTX_OP_applypriority
					  ? 128
					  : 16};
		for (uint32_t i = 0; i < 4; i++)
			y.fragments[i] = widths[w >> (2 * i) & 3u];
		for (int optional = 0; optional < 2; optional++) {
			y.with_optional = optional != 0;
			if (try_one(t, in, y))
				return;
		}
	}
}

/* Prunes the types of matrices, for there are four of them, and scopes: of
 * the GPU and of a cluster stand for all. */
static bool may_be(const struct ptx_instr *in, struct slot s, uint32_t value)
{
	const struct ptx_type_info *t = &ptx_types[value];
	if (!s.is_type && s.index == PTX_MOD_SCOPE &&
	    ptx_ops[in->op].trait != PTX_TRAIT_SYNC)
		return value == 0 || value == PTX_SCOPE_GPU ||
		       value == PTX_SCOPE_CLUSTER;
	if (in->op != PTX_OP_mma)
		return true;
	if (!s.is_type)
		return (s.index != PTX_MOD_BOOL &&
			s.index != PTX_MOD_MMA_POPC) ||
		       (in->types[1] == PTX_TYPE_B1) == (value != 0);
	if (s.index == 0)
		return value == PTX_TYPE_S32 || value == PTX_TYPE_F16 ||
		       value == PTX_TYPE_F32 || value == PTX_TYPE_F64;
	if (s.index == 1)
		return t->bits < 64 && (t->kind == PTX_KIND_F) ==
					       (in->types[0] != PTX_TYPE_S32)
			       ? true
			       : value == in->types[0];
	return s.index == 2 ? t->bits == ptx_types[in->types[1]].bits
			    : t->kind == ptx_types[in->types[0]].kind &&
				      t->bits <= 64;
}

static void choose(struct tally *t, struct ptx_instr *in, uint32_t slot)
{
	if (slot == t->slot_count) {
		try_form(t, in);
		return;
	}
	struct slot s = t->slots[slot];
	uint32_t n = s.is_type ? PTX_TYPE_COUNT - 1u : group_size(s.index);
	for (uint32_t i = s.is_needed ? 1 : 0; i <= n; i++) {
		if ((i != 0 || !s.is_type) && !may_be(in, s, i))
			continue;
		*(s.is_type ? &in->types[s.index] : &in->mod[s.index]) =
			(uint8_t)i;
		choose(t, in, slot + 1);
	}
	*(s.is_type ? &in->types[s.index] : &in->mod[s.index]) = 0;
}

static void print_row(const struct tally *t)
{
	const char *comma = "";
	printf("| `%s` |", ptx_ops[t->op].text);
	for (uint32_t i = 0; i < FATE_COUNT; i++) {
		if (t->fates[i] != 0)
			printf(" %u |", t->fates[i]);
		else
			printf(" |");
	}
	putchar(' ');
	for (uint32_t i = 1; i < PTX_TYPE_COUNT; i++) {
		if (!t->types[i])
			continue;
		printf("%s%s", comma, ptx_types[i].text);
		comma = " ";
	}
	comma = " | ";
	for (uint32_t i = 0; i < PTX_WHY_COUNT; i++) {
		if (!t->whys[i])
			continue;
		printf("%s%s", comma, ptx_why_word((enum ptx_why)i));
		comma = ", ";
	}
	puts(comma[1] == '|' ? " | |" : " |");
}

static const char intro[] =
	"# Coverage of PTX\n"
	"\n"
	"Printed by `tests/coverage/ptx` from the tables in `gpu/ptx` and "
	"`gpu/exec`; a test\n"
	"holds the two together.  Each number counts forms: an opcode with its "
	"modifiers\n"
	"and types, as PTX ISA 6.0 to 9.0 allow it on sm_75 to sm_120.  Cache "
	"operators,\n"
	"eviction priorities and prefetch sizes change no bytes and are not "
	"counted apart,\n"
	"nor are scopes other than gpu and cluster.\n"
	"Whatever is not counted here is refused by name and line: a modifier "
	"is never\n"
	"ignored.\n"
	"\n"
	"- *exact*: sold as class A (atomics of one operation as R).\n"
	"- *by sm*: class B, exact on one architecture; what is approximate "
	"is not run.\n"
	"- *unsold*: class C or D, but `weft ptx run` has one result for it.\n"
	"- *not run*: classified, and refused by the executor.\n"
	"\n"
	"| instruction | exact | by sm | unsold | not run | first type | "
	"reasons |\n"
	"| --- | --- | --- | --- | --- | --- | --- |\n";

static void print_refused(void)
{
	puts("\nKnown, and refused as a whole:\n\n| instruction | why |\n"
	     "| --- | --- |");
	for (uint32_t i = 0; i < PTX_REFUSED_COUNT; i++)
		printf("| `%s` | %s |\n", ptx_refused[i].text,
		       ptx_refused[i].why);
}

int main(int argc, char **argv)
{
	bool lists = argc > 1 && strcmp(argv[1], "--forms") == 0;
	const char *only = argc > 2 ? argv[2] : NULL;
	uint32_t sums[FATE_COUNT] = {0};
	struct arena *a = arena_new((size_t)4 << 20);
	if (a == NULL)
		return 1;
	if (!lists)
		fputs(intro, stdout);
	for (uint32_t op = 0; op < PTX_OP_opaque; op++) {
		struct tally t = {.op = op, .a = a, .lists_forms = lists};
		struct ptx_instr in = {.op = (uint16_t)op};
		if (only != NULL && strcmp(only, ptx_ops[op].text) != 0)
			continue;
		list_slots(&t);
		choose(&t, &in, 0);
		for (uint32_t i = 0; i < FATE_COUNT; i++)
			sums[i] += t.fates[i];
		if (!lists)
			print_row(&t);
	}
	arena_free(a);
	if (lists)
		return 0;
	printf("| all | %u | %u | %u | %u | | |\n", sums[FATE_EXACT],
	       sums[FATE_SM], sums[FATE_UNSOLD], sums[FATE_NOT_RUN]);
	print_refused();
	return 0;
}
