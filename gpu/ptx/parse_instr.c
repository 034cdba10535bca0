/*
 * gpu/ptx/parse_instr - opcodes and their modifiers.
 *
 * Modifiers may come in any order, as old texts write them; each must belong
 * to the instruction's form and stand once.  What is not known turns the
 * instruction opaque: the parse goes on behind its ';'.
 */
#include <string.h>

#include "gpu/ptx/priv/isa.h"
#include "gpu/ptx/priv/parser.h"

/* Most dots of one opcode. */
#define DOTS_MAX 20u

struct opcode {
	struct token word;
	struct token dots[DOTS_MAX];
	uint32_t dot_count;
	struct bytes text; /* all of it, as written */
};

static uint32_t bucket_of(struct bytes text)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < text.n; i++)
		h = (h ^ text.p[i]) * 16777619u;
	return (h ^ (h >> 15)) & (WORD_BUCKETS - 1);
}

/* Keyed by the first n bytes of text. */
static void words_add(struct words *w, const char *text, size_t n,
		      struct word_entry e)
{
	uint32_t b = bucket_of(bytes_of(text, n));

	if (w->count == WORD_MAX)
		return;
	e.text = text;
	e.length = (uint16_t)n;
	e.next = w->buckets[b];
	w->entries[w->count++] = e;
	w->buckets[b] = (uint16_t)w->count;
}

static size_t first_word(const char *text)
{
	const char *dot = strchr(text, '.');

	return dot ? (size_t)(dot - text) : strlen(text);
}

enum err words_init(struct parser *p)
{
	p->ops = ARENA_NEW(p->a, struct words);
	p->mods = ARENA_NEW(p->a, struct words);
	if (!p->ops || !p->mods)
		return ERR_NO_MEMORY;
	for (uint16_t i = 0; i < PTX_OP_opaque; i++)
		words_add(p->ops, ptx_ops[i].text, first_word(ptx_ops[i].text),
			  (struct word_entry){.op = i});
	for (uint16_t i = 0; i < PTX_REFUSED_COUNT; i++)
		words_add(p->ops, ptx_refused[i].text,
			  first_word(ptx_refused[i].text),
			  (struct word_entry){
				  .op = (uint16_t)(PTX_OP_COUNT + i)});
	for (uint16_t i = 0; i < PTX_MOD_INFO_COUNT; i++)
		words_add(p->mods, ptx_mod_infos[i].text,
			  strlen(ptx_mod_infos[i].text),
			  (struct word_entry){.group = ptx_mod_infos[i].group,
					      .value = ptx_mod_infos[i].value});
	return ERR_OK;
}

/* Dots of the opcode that the text "cp.async" takes; DOTS_MAX: another op. */
static uint32_t match_dots(const struct opcode *o, const char *text)
{
	uint32_t dots = 0;
	const char *at = text + first_word(text);

	while (*at == '.') {
		size_t n = first_word(at + 1);

		if (dots == o->dot_count ||
		    !bytes_eq(o->dots[dots].text, bytes_of(at + 1, n)))
			return DOTS_MAX;
		dots++;
		at += n + 1;
	}
	return dots;
}

/* The op with the longest text that fits: an index as in word_entry.op, or
 * PTX_OP_opaque. */
static uint16_t find_op(struct parser *p, const struct opcode *o,
			uint32_t *ret_dots)
{
	uint32_t i = p->ops->buckets[bucket_of(o->word.text)];
	uint16_t best = PTX_OP_opaque;

	*ret_dots = 0;
	while (i) {
		const struct word_entry *e = &p->ops->entries[i - 1];
		const char *text =
			e->op < PTX_OP_COUNT
				? ptx_ops[e->op].text
				: ptx_refused[e->op - PTX_OP_COUNT].text;

		i = e->next;
		if (!bytes_eq(bytes_of(e->text, e->length), o->word.text))
			continue;
		uint32_t dots = match_dots(o, text);

		if (dots != DOTS_MAX &&
		    (best == PTX_OP_opaque || dots >= *ret_dots)) {
			best = e->op;
			*ret_dots = dots;
		}
	}
	return best;
}

#define FORM_MAX 64u

/* The place of a group in a form; FORM_MAX: none. */
static uint32_t form_place(const char *form, uint8_t group)
{
	for (uint32_t i = 0; form[i]; i++)
		if (form[i] != '*' && ptx_group_of_letter(form[i]) == group)
			return i;
	return FORM_MAX;
}

static uint32_t form_types(const char *form)
{
	uint32_t n = 0;

	for (; *form; form++)
		n += *form >= '0' && *form <= '3';
	return n;
}

/* One modifier into in; NULL, or what is wrong. */
static const char *add_mod(struct parser *p, struct ptx_instr *in,
			   const char *form, struct bytes text)
{
	enum ptx_type t = type_of_text(text);
	uint32_t i;
	uint32_t best = FORM_MAX;
	uint8_t group = 0, value = 0;
	bool known = false;

	if (t != PTX_TYPE_NONE) {
		for (i = 0; i < form_types(form); i++)
			if (in->types[i] == PTX_TYPE_NONE) {
				in->types[i] = (uint8_t)t;
				return NULL;
			}
		return "one type too many";
	}
	for (i = p->mods->buckets[bucket_of(text)]; i;
	     i = p->mods->entries[i - 1].next) {
		const struct word_entry *e = &p->mods->entries[i - 1];

		if (!bytes_eq(bytes_of(e->text, e->length), text))
			continue;
		known = true;
		/* A text of two groups (.row.col, .shared.shared) fills
		 * the group that stands first in the form. */
		if (form_place(form, e->group) < best && !in->mod[e->group]) {
			best = form_place(form, e->group);
			group = e->group;
			value = e->value;
		}
	}
	if (best == FORM_MAX)
		return known ? "a modifier that this instruction does not "
			       "take, or takes once"
			     : "unknown modifier";
	in->mod[group] = value;
	return NULL;
}

static const char *check_required(const struct ptx_instr *in, const char *form)
{
	for (; *form; form++) {
		if (*form != '*')
			continue;
		form++;
		if (*form >= '0' && *form <= '3') {
			if (in->types[*form - '0'] == PTX_TYPE_NONE)
				return "the type is missing";
		} else if (!in->mod[ptx_group_of_letter(*form)]) {
			return "a modifier is missing";
		}
	}
	return NULL;
}

/* The word and its dots, taken. */
static void take_opcode(struct parser *p, struct opcode *o)
{
	const uint8_t *end;

	o->word = p->t;
	o->dot_count = 0;
	end = p->t.text.p + p->t.text.n;
	parser_advance(p);
	while (p->t.kind == TOKEN_DOT) {
		if (o->dot_count == DOTS_MAX) {
			parser_fail(p, ERR_LIMIT, "too many modifiers");
			return;
		}
		end = p->t.text.p + p->t.text.n;
		o->dots[o->dot_count++] = p->t;
		parser_advance(p);
	}
	o->text = bytes_of(o->word.text.p, (size_t)(end - o->word.text.p));
}

static void make_opaque(struct parser *p, struct ptx_instr *in,
			const struct opcode *o, const char *why, bool is_known)
{
	p->opaque = parser_grow(p, p->opaque, p->opaque_count, &p->opaque_cap,
				sizeof(*p->opaque), PTX_INSTRUCTIONS_MAX);
	if (!p->opaque)
		return;
	*in = (struct ptx_instr){
		.op = PTX_OP_opaque,
		.guard = in->guard,
		.guard_negated = in->guard_negated,
		.line = in->line,
		.column = in->column,
		.aux = p->opaque_count - p->opaque_first,
	};
	p->opaque[p->opaque_count++] = (struct ptx_opaque){
		.text = o->text, .why = why, .is_known = is_known};
	p->ops_now_count = 0;
	while (p->t.kind != TOKEN_END && !parser_is(p, ';'))
		parser_advance(p);
}

/* Operands by the pattern of isa.def. */
static void take_operands(struct parser *p, struct ptx_instr *in)
{
	const char *c = ptx_ops[in->op].operands;
	bool optional = false, first = true;

	for (; *c && p->err == ERR_OK; c++) {
		bool is_dest = false;

		if (*c == '?') {
			optional = true;
			continue;
		}
		if (*c == '|') {
			/* The second destination, or nothing. */
			c++;
			if (parser_accept(p, '|'))
				parser_operand(p, in, *c, true);
			else
				parser_put(p, (struct ptx_operand){0});
			continue;
		}
		if (*c == '=') {
			is_dest = true;
			c++;
		}
		if (!first) {
			if (optional && !parser_is(p, ','))
				return;
			parser_expect(p, ',');
		}
		parser_operand(p, in, *c, is_dest);
		first = false;
	}
}

static bool is_half(uint8_t type)
{
	return type == PTX_TYPE_F16 || type == PTX_TYPE_BF16;
}

/* Two floats become one register. */
static bool has_two(uint8_t type)
{
	return type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2 ||
	       type == PTX_TYPE_E4M3X2 || type == PTX_TYPE_E5M2X2;
}

/* How many operands what is written needs, where the pattern leaves it open:
 * NULL, or words. */
static const char *check_count(const struct parser *p,
			       const struct ptx_instr *in)
{
	uint32_t n = p->ops_now_count;
	uint32_t hint = in->mod[PTX_MOD_CACHE_HINT] != 0;
	bool sync = in->mod[PTX_MOD_SYNC] != 0, ok = true;

	switch (in->op) {
	case PTX_OP_atom:
		ok = n == 3 + hint + (in->mod[PTX_MOD_ATOM] == PTX_ATOM_CAS);
		break;
	case PTX_OP_red:
	case PTX_OP_ld:
	case PTX_OP_st:
		ok = n == 2 + hint;
		break;
	case PTX_OP_vote:
		ok = n == 2u + sync;
		break;
	case PTX_OP_shfl:
		ok = n == 5u + sync;
		break;
	case PTX_OP_set:
		ok = n == 3u + (in->mod[PTX_MOD_BOOL] != 0);
		break;
	case PTX_OP_setp:
		/* Halves: a pair has two results, one has one. */
		ok = n == 4u + (in->mod[PTX_MOD_BOOL] != 0) &&
		     (!is_half(in->types[0]) || !p->ops_now[1].kind);
		break;
	case PTX_OP_lop3:
		ok = in->mod[PTX_MOD_BOOL] ? n == 7
					   : n == 6 && !p->ops_now[1].kind;
		break;
	case PTX_OP_cvt:
		ok = n == 2u + (in->types[1] == PTX_TYPE_F32 &&
				has_two(in->types[0]));
		break;
	case PTX_OP_cvt_pack:
		ok = n == 3u + (in->types[2] != PTX_TYPE_NONE);
		break;
	case PTX_OP_min:
	case PTX_OP_max:
		ok = n == 3 ? in->mod[PTX_MOD_ABS] == in->mod[PTX_MOD_XORSIGN]
			    : in->types[0] == PTX_TYPE_F32 &&
				      !in->mod[PTX_MOD_XORSIGN];
		break;
	default:
		if (ptx_is_video(in->op) && in->op != PTX_OP_vmad &&
		    !ptx_is_simd(in->op))
			ok = n == 3u + (in->mod[PTX_MOD_ATOM] != 0 ||
					p->ops_now[0].select != 0);
		break;
	}
	return ok ? NULL : "the number of operands is wrong";
}

/* Only old texts have them, and old cards: the lanes that take part are not
 * named. */
static const char *check_old(const struct ptx_instr *in)
{
	if ((in->op == PTX_OP_vote || in->op == PTX_OP_shfl) &&
	    !in->mod[PTX_MOD_SYNC])
		return "without .sync it is undefined since sm_70";
	return NULL;
}

static void take_guard(struct parser *p, struct ptx_instr *in)
{
	struct ptx_operand o;

	in->guard = PTX_NO_INDEX;
	if (!parser_accept(p, '@'))
		return;
	in->guard_negated = parser_accept(p, '!');
	o = parser_reg(p, PTX_CLASS_PRED);
	in->guard = o.index;
}

static void take_rest(struct parser *p, struct ptx_instr *in)
{
	const char *why;

	p->may_take_sreg = in->op == PTX_OP_mov || in->op == PTX_OP_cvt;
	if (in->op == PTX_OP_call)
		parser_call(p, in);
	else if (in->op == PTX_OP_bar || in->op == PTX_OP_barrier)
		parser_bar(p, in);
	else if (in->op == PTX_OP_cp_async)
		parser_cp_async(p, in);
	else
		take_operands(p, in);
	if (p->err != ERR_OK)
		return;
	why = check_count(p, in);
	if (!why)
		why = parser_check_sizes(p, in);
	if (why)
		parser_fail(p, ERR_PTX_SYNTAX, why);
}

/* The instruction into the pools. */
static void commit(struct parser *p, struct ptx_instr *in)
{
	if (p->err != ERR_OK)
		return;
	if (p->instr_count == p->instr_cap ||
	    p->ops_now_count > p->operand_cap - p->operand_count) {
		parser_fail(p, ERR_LIMIT, "too many instructions");
		return;
	}
	in->operand_first =
		p->operand_count -
		(uint32_t)(parser_function(p)->operands - p->operands);
	in->operand_count = (uint8_t)p->ops_now_count;
	in->source_line = p->loc; /* parser_place_instrs makes it a line */
	in->source_file = UINT16_MAX;
	memcpy(&p->operands[p->operand_count], p->ops_now,
	       p->ops_now_count * sizeof(p->ops_now[0]));
	p->operand_count += p->ops_now_count;
	p->instrs[p->instr_count++] = *in;
}

void parser_instr(struct parser *p)
{
	struct ptx_instr in = {.line = p->t.line, .column = p->t.column};
	struct opcode o = {0};
	uint32_t skip;
	const char *why = NULL;

	p->ops_now_count = 0;
	take_guard(p, &in);
	if (p->t.kind != TOKEN_WORD) {
		parser_fail(p, ERR_PTX_SYNTAX,
			    "an instruction should stand here");
		return;
	}
	take_opcode(p, &o);
	in.op = find_op(p, &o, &skip);
	if (in.op >= PTX_OP_COUNT) {
		why = ptx_refused[in.op - PTX_OP_COUNT].why;
		make_opaque(p, &in, &o, why, true);
	} else if (in.op == PTX_OP_opaque) {
		make_opaque(p, &in, &o, "unknown instruction", false);
	} else {
		const char *form = ptx_ops[in.op].form;

		for (uint32_t i = skip; i < o.dot_count && !why; i++)
			why = add_mod(p, &in, form, o.dots[i].text);
		if (!why)
			why = check_required(&in, form);
		if (!why)
			why = ptx_form_check(&in);
		if (!why)
			why = check_old(&in);
		if (why)
			make_opaque(p, &in, &o, why, false);
		else
			take_rest(p, &in);
	}
	parser_expect(p, ';');
	commit(p, &in);
}
