/*
 * gpu/ptx/operand - operands, checked against the types of their instruction
 * and resolved at once.
 *
 * Registers are numbered in their class at their first appearance, so the
 * order in which operands are read here is the order of canonical names.
 */
#include <string.h>

#include "gpu/ptx/priv/parser.h"

void parser_put(struct parser *p, struct ptx_operand o)
{
	if (p->ops_now_count == PTX_OPERANDS_MAX) {
		parser_fail(p, ERR_PTX_SYNTAX, "too many operands");
		return;
	}
	p->ops_now[p->ops_now_count++] = o;
}

/* The register of a slot: numbered now if it never appeared. */
static struct ptx_operand slot_reg(struct parser *p, uint32_t slot, uint8_t cls)
{
	struct reg_slot *s = &p->slots[slot];

	if (s->generation != p->generation) {
		s->generation = p->generation;
		s->index = p->reg_count[cls]++;
	}
	return (struct ptx_operand){
		.kind = PTX_OPERAND_REG, .cls = cls, .index = s->index};
}

/* The register of a range %r<100> whose prefix ends before digit_count last
 * digits of text; depth 0: none. */
static const struct name *find_range(struct parser *p, struct bytes text,
				     size_t digit_count, uint32_t *ret_slot)
{
	const struct name *v;
	struct bytes prefix = {text.p, text.n - digit_count};
	uint64_t number = 0;

	if (digit_count > 1 && text.p[prefix.n] == '0')
		return NULL;
	for (size_t i = prefix.n; i < text.n; i++)
		number = number * 10 + (uint64_t)(text.p[i] - '0');
	v = names_find(&p->names, prefix);
	/* A register of the plain name may hide the range: scopes of one
	 * depth hold either. */
	if (!v || v->kind != NAME_REGS || number >= v->count)
		return NULL;
	*ret_slot = v->index + (uint32_t)number;
	return v;
}

bool parser_find_reg(struct parser *p, struct bytes text,
		     struct ptx_operand *ret)
{
	const struct name *best = names_find(&p->names, text);
	uint32_t slot = best ? best->index : 0;
	size_t digits = 0;

	while (digits < 9 && digits + 1 < text.n &&
	       text.p[text.n - 1 - digits] >= '0' &&
	       text.p[text.n - 1 - digits] <= '9') {
		uint32_t s;
		const struct name *v = find_range(p, text, ++digits, &s);

		if (v && (!best || v->depth > best->depth)) {
			best = v;
			slot = s;
		}
	}
	if (!best || (best->kind != NAME_REG && best->kind != NAME_REGS) ||
	    (best->kind == NAME_REGS && bytes_eq(best->text, text)))
		return false;
	*ret = slot_reg(p, slot, best->cls);
	return true;
}

struct ptx_operand parser_reg(struct parser *p, enum ptx_class cls)
{
	struct ptx_operand o = {0};

	if (p->t.kind != TOKEN_WORD || !parser_find_reg(p, p->t.text, &o))
		parser_fail(p, ERR_PTX_SYNTAX, "not a register");
	else if (o.cls != cls)
		parser_fail(p, ERR_PTX_SYNTAX,
			    "the register has the wrong width");
	parser_advance(p);
	return o;
}

static bool find_sreg(struct bytes text, struct ptx_operand *ret)
{
	static const struct {
		const char *prefix;
		uint8_t sreg;
	} numbered[] = {{"%envreg", PTX_SREG_ENVREG},
			{"%pm", PTX_SREG_PM},
			{"%reserved_smem_offset_", PTX_SREG_RESERVED_SMEM}};

	*ret = (struct ptx_operand){.kind = PTX_OPERAND_SREG};
	for (uint32_t i = 0; i < PTX_SREG_COUNT; i++)
		if (i != PTX_SREG_ENVREG && i != PTX_SREG_PM &&
		    i != PTX_SREG_RESERVED_SMEM &&
		    bytes_eq(text, bytes_str(ptx_sregs[i].text))) {
			ret->index = i;
			return true;
		}
	for (uint32_t i = 0; i < 3; i++) {
		struct bytes prefix = bytes_str(numbered[i].prefix);
		struct number n;

		if (!bytes_starts(text, prefix) || text.n == prefix.n)
			continue;
		if (!number_parse(bytes_skip(text, prefix.n), &n) ||
		    n.kind != NUMBER_INT || n.bits > 31)
			continue;
		ret->index = numbered[i].sreg;
		ret->component = (uint8_t)n.bits;
		return true;
	}
	return false;
}

/* A special register at hand, taken with its component. */
static bool take_sreg(struct parser *p, uint32_t bits, struct ptx_operand *ret)
{
	const struct ptx_sreg_info *info;

	if (p->t.kind != TOKEN_WORD || !find_sreg(p->t.text, ret))
		return false;
	info = &ptx_sregs[ret->index];
	if (!p->may_take_sreg)
		parser_fail(p, ERR_PTX_SYNTAX,
			    "only mov and cvt read special registers");
	parser_advance(p);
	if (info->components == 3) {
		if (p->t.kind != TOKEN_DOT || p->t.text.n != 1 ||
		    p->t.text.p[0] < 'x' || p->t.text.p[0] > 'z') {
			parser_fail(p, ERR_PTX_SYNTAX,
				    ".x, .y or .z should stand here");
			return true;
		}
		ret->component = (uint8_t)(p->t.text.p[0] - 'x');
		parser_advance(p);
	}
	/* %gridid had 32 bits once. */
	if (info->bits != bits &&
	    !(ret->index == PTX_SREG_GRIDID && bits == 32))
		parser_fail(p, ERR_PTX_SYNTAX,
			    "the special register has another width");
	return true;
}

/* base + constant, or base alone; base taken already. */
static void take_offset(struct parser *p, struct ptx_operand *o)
{
	if (parser_is(p, '+') || parser_is(p, '-'))
		o->offset = (int64_t)((uint64_t)o->offset +
				      (uint64_t)parser_integer(p));
}

/* A symbol as a base; false if the word is none. */
static bool find_symbol(struct parser *p, struct bytes text,
			struct ptx_operand *o)
{
	const struct name *v = names_find(&p->names, text);

	if (!v)
		return false;
	o->index = v->index;
	switch ((enum name_kind)v->kind) {
	case NAME_VARIABLE:
		o->base = PTX_BASE_VARIABLE;
		return true;
	case NAME_PARAM:
		o->base = PTX_BASE_PARAM;
		return !parser_function(p)->params[v->index].in_register;
	case NAME_RETURN:
		o->base = PTX_BASE_RETURN;
		return !parser_function(p)->returns[v->index].in_register;
	case NAME_FUNCTION:
		o->base = PTX_BASE_FUNCTION;
		return true;
	case NAME_REG:
	case NAME_REGS:
	case NAME_LABEL:
	case NAME_TABLE:
	case NAME_TARGETS:
		break;
	}
	return false;
}

static struct ptx_operand take_symbol(struct parser *p)
{
	struct ptx_operand o = {.kind = PTX_OPERAND_ADDRESS};

	if (p->t.kind != TOKEN_WORD || !find_symbol(p, p->t.text, &o))
		parser_fail(p, ERR_PTX_SYNTAX, "not a known name");
	parser_advance(p);
	take_offset(p, &o);
	return o;
}

/* Whether addresses of that space fit into 32 bits. */
static bool is_small_space(uint8_t space)
{
	return space != PTX_SPACE_NONE && space != PTX_SPACE_GLOBAL;
}

static struct ptx_operand take_memory(struct parser *p, uint8_t space)
{
	struct ptx_operand o = {.kind = PTX_OPERAND_MEMORY}, r;

	parser_expect(p, '[');
	if (p->t.kind == TOKEN_WORD && parser_find_reg(p, p->t.text, &r)) {
		o.base = PTX_BASE_REG;
		o.cls = r.cls;
		o.index = r.index;
		if (r.cls != PTX_CLASS_64 &&
		    (r.cls != PTX_CLASS_32 || !is_small_space(space)))
			parser_fail(p, ERR_PTX_SYNTAX,
				    "the register is too narrow or too wide "
				    "for an address");
		parser_advance(p);
		take_offset(p, &o);
	} else if (p->t.kind == TOKEN_WORD) {
		o = take_symbol(p);
		o.kind = PTX_OPERAND_MEMORY;
		if (o.base == PTX_BASE_FUNCTION)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "a function is no memory");
	} else {
		o.offset = parser_integer(p);
		if (space != PTX_SPACE_LOCAL)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "absolute addresses are .local only");
	}
	parser_expect(p, ']');
	return o;
}

/* How wide a register may be for a value of a type. */
enum fit { FIT_EXACT, FIT_WIDER };

static bool fits(enum ptx_class cls, enum ptx_type t, enum fit fit)
{
	const struct ptx_type_info *info = &ptx_types[t];
	uint32_t bits = ptx_class_bits(cls);

	if (cls == PTX_CLASS_PRED || t == PTX_TYPE_PRED)
		return cls == PTX_CLASS_PRED && t == PTX_TYPE_PRED;
	if (bits == info->bits)
		return true;
	return fit == FIT_WIDER && bits > info->bits &&
	       (info->kind != PTX_KIND_F || info->bits < 32);
}

static bool is_sink(const struct parser *p)
{
	return parser_is_word(p, "_");
}

/* A register, constant or special register as a value of type t. */
static struct ptx_operand take_value(struct parser *p, enum ptx_type t,
				     enum fit fit, bool is_dest)
{
	struct ptx_operand o = {0};

	if (p->t.kind == TOKEN_WORD && is_dest && is_sink(p)) {
		parser_advance(p);
		return o;
	}
	if (p->t.kind == TOKEN_WORD && parser_find_reg(p, p->t.text, &o)) {
		if (!fits((enum ptx_class)o.cls, t, fit))
			parser_fail(p, ERR_PTX_SYNTAX,
				    "the register's width does not fit the "
				    "instruction's type");
		parser_advance(p);
		return o;
	}
	if (is_dest) {
		parser_fail(p, ERR_PTX_SYNTAX, "not a register");
		return o;
	}
	if (take_sreg(p, ptx_types[t].bits, &o))
		return o;
	if (parser_is_word(p, "WARP_SZ")) {
		parser_advance(p);
		return (struct ptx_operand){.kind = PTX_OPERAND_IMM, .imm = 32};
	}
	if (p->t.kind == TOKEN_WORD) {
		parser_fail(p, ERR_PTX_SYNTAX, "not a known register");
		return o;
	}
	o.kind = PTX_OPERAND_IMM;
	o.imm = parser_convert(p, parser_number(p), t);
	return o;
}

static enum ptx_type bits_type(uint32_t bits)
{
	switch (bits) {
	case 8:
		return PTX_TYPE_B8;
	case 16:
		return PTX_TYPE_B16;
	case 32:
		return PTX_TYPE_B32;
	case 64:
		return PTX_TYPE_B64;
	case 128:
		return PTX_TYPE_B128;
	default:
		return PTX_TYPE_NONE;
	}
}

/* {a, b, ...}: at most max elements of type t. */
static struct ptx_operand take_vector(struct parser *p, enum ptx_type t,
				      enum fit fit, bool is_dest, uint32_t max)
{
	struct ptx_operand o = {
		.kind = PTX_OPERAND_VECTOR,
		.index =
			p->element_count -
			(uint32_t)(parser_function(p)->elements - p->elements)};

	parser_expect(p, '{');
	do {
		struct ptx_operand e = take_value(p, t, fit, is_dest);

		if (p->element_count == p->element_cap || o.count == max) {
			parser_fail(p, ERR_PTX_SYNTAX,
				    "too many elements in a vector");
			return o;
		}
		p->elements[p->element_count++] = e;
		o.count++;
	} while (parser_accept(p, ','));
	parser_expect(p, '}');
	return o;
}

/* The data of a load, store or atomic: one value or a vector. */
static struct ptx_operand take_data(struct parser *p,
				    const struct ptx_instr *in, bool is_dest)
{
	static const uint8_t widths[] = {1, 2, 4, 8};
	uint32_t width = widths[in->mod[PTX_MOD_VEC] & 3];
	enum ptx_type t = (enum ptx_type)in->types[0];
	struct ptx_operand o;

	/* One element in braces is how Triton writes a scalar. */
	if (!parser_is(p, '{')) {
		if (width != 1 && !(is_dest && is_sink(p)))
			parser_fail(p, ERR_PTX_SYNTAX,
				    "a vector should stand here");
		return take_value(p, t, FIT_WIDER, is_dest);
	}
	o = take_vector(p, t, FIT_WIDER, is_dest, 8);
	if (p->err == ERR_OK && o.count != width)
		parser_fail(p, ERR_PTX_SYNTAX,
			    "the vector has another length than .v says");
	if (p->err == ERR_OK && width == 1) {
		p->element_count--;
		return p->elements[p->element_count];
	}
	return o;
}

/* The elements of a mov vector: how many there are decides their width. */
static struct ptx_operand take_mov_vector(struct parser *p, uint32_t bits,
					  bool is_dest)
{
	struct lexer ahead = p->lex;
	struct token t = p->next;
	uint32_t count = 1;

	while (t.kind != TOKEN_END && t.kind != TOKEN_BAD && count <= 8 &&
	       !(t.kind == TOKEN_PUNCT && (t.punct == '}' || t.punct == ';'))) {
		count += t.kind == TOKEN_PUNCT && t.punct == ',';
		t = lex_next(&ahead);
	}
	if ((count != 2 && count != 4 && count != 8) ||
	    bits_type(bits / count) == PTX_TYPE_NONE) {
		parser_fail(p, ERR_PTX_SYNTAX, "not a vector that mov takes");
		return (struct ptx_operand){0};
	}
	return take_vector(p, bits_type(bits / count), FIT_EXACT, is_dest,
			   count);
}

static struct ptx_operand take_mov(struct parser *p, enum ptx_type t,
				   bool is_dest)
{
	uint32_t bits = ptx_types[t].bits;
	struct ptx_operand probe;

	if (parser_is(p, '{'))
		return take_mov_vector(p, bits, is_dest);
	if (!is_dest && p->t.kind == TOKEN_WORD &&
	    !parser_find_reg(p, p->t.text, &probe) &&
	    names_find(&p->names, p->t.text)) {
		if (bits != 64 && bits != 32)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "an address has 32 or 64 bits");
		return take_symbol(p);
	}
	return take_value(p, t, FIT_EXACT, is_dest);
}

static struct ptx_operand take_predicate(struct parser *p, bool is_dest,
					 bool may_negate)
{
	struct ptx_operand o = {0};
	bool negated = may_negate && parser_accept(p, '!');

	if (is_dest && is_sink(p)) {
		parser_advance(p);
		return o;
	}

	/* A constant is allowed where a predicate is read. */
	if (may_negate && p->t.kind == TOKEN_NUMBER)
		o = take_value(p, PTX_TYPE_PRED, FIT_EXACT, false);
	else
		o = parser_reg(p, PTX_CLASS_PRED);
	if (negated && o.kind == PTX_OPERAND_IMM)
		o.imm = !o.imm;
	else
		o.negated = negated;
	return o;
}

/* .b0 ... .h1 behind a video operand. */
static void take_select(struct parser *p, struct ptx_operand *o)
{
	static const char *const texts[] = {"b0", "b1", "b2", "b3", "h0", "h1"};

	if (p->t.kind != TOKEN_DOT)
		return;
	for (uint8_t i = 0; i < 6; i++)
		if (parser_accept_dot(p, texts[i])) {
			o->select = (uint8_t)(PTX_SELECT_B0 + i);
			return;
		}
	parser_fail(p, ERR_PTX_SYNTAX, "not a part of a register");
}

/* .h31, .b7654 behind an operand of vadd2 ... vset4. */
static void take_lanes(struct parser *p, const struct ptx_instr *in,
		       bool is_dest, struct ptx_operand *o)
{
	uint32_t count = ptx_lane_count(in->op);
	uint32_t most = is_dest ? count : count * 2;
	struct bytes t = p->t.text;
	bool ok;

	if (p->t.kind != TOKEN_DOT)
		return;
	ok = t.n > 1 && t.n <= count + 1 && (is_dest || t.n == count + 1) &&
	     t.p[0] == (count == 2 ? 'h' : 'b');
	for (size_t i = 1; ok && i < t.n; i++) {
		uint8_t c = t.p[t.n - i];

		ok = c >= '0' && c < '0' + most &&
		     (!is_dest || i == 1 || c > t.p[t.n - i + 1]);
		o->lanes |= (uint32_t)(c - '0') << 4 * i;
	}
	if (!ok) {
		parser_fail(p, ERR_PTX_SYNTAX, "not lanes of a register");
		return;
	}
	o->lanes |= (uint32_t)(t.n - 1);
	o->select = PTX_SELECT_LANES;
	parser_advance(p);
}

static struct ptx_operand take_b32(struct parser *p, const struct ptx_instr *in,
				   bool is_dest)
{
	struct ptx_operand o;
	bool negated = in->op == PTX_OP_vmad && !is_dest && parser_is(p, '-') &&
		       p->next.kind == TOKEN_WORD;

	if (negated)
		parser_advance(p);
	o = take_value(p, PTX_TYPE_B32, FIT_EXACT, is_dest);
	o.negated = negated;
	if (o.kind != PTX_OPERAND_REG)
		return o;
	if (ptx_is_simd(in->op))
		take_lanes(p, in, is_dest, &o);
	else if (ptx_is_video(in->op))
		take_select(p, &o);
	return o;
}

static struct ptx_operand take_label(struct parser *p,
				     const struct ptx_instr *in)
{
	/* The index is filled in when the scope ends: see operands_commit. */
	bool is_table = in->op == PTX_OP_brx_idx;
	struct ptx_operand o = {.kind = is_table ? PTX_OPERAND_TABLE
						 : PTX_OPERAND_LABEL};

	if (p->t.kind != TOKEN_WORD) {
		parser_fail(p, ERR_PTX_SYNTAX, "a label should stand here");
		return o;
	}
	/* Its place in the pool is known: no other operand is committed
	 * before this instruction's. */
	if (p->operand_count + p->ops_now_count < p->operand_cap)
		parser_add_pending(
			p, &p->t,
			&p->operands[p->operand_count + p->ops_now_count].index,
			is_table);
	parser_advance(p);
	return o;
}

/* mma fragments: {..} of 32 or 64 bit registers, or one. */
static struct ptx_operand
take_fragment(struct parser *p, const struct ptx_instr *in, bool is_dest)
{
	enum ptx_type t = PTX_TYPE_B32;

	if (in->op == PTX_OP_mma && in->types[0] == PTX_TYPE_F64)
		t = PTX_TYPE_F64;
	if (!parser_is(p, '{'))
		return take_value(p, t, FIT_EXACT, is_dest);
	return take_vector(p, t, FIT_EXACT, is_dest, 16);
}

static enum ptx_type wide_type(const struct ptx_instr *in)
{
	enum ptx_type t = (enum ptx_type)in->types[0];

	if (in->mod[PTX_MOD_MUL] != PTX_MUL_WIDE)
		return t;
	return bits_type(ptx_types[t].bits * 2u);
}

void parser_operand(struct parser *p, struct ptx_instr *in, char letter,
		    bool is_dest)
{
	enum ptx_type t = PTX_TYPE_B32;

	switch (letter) {
	case '0':
	case '1':
	case '2':
	case '3':
		t = (enum ptx_type)in->types[letter - '0'];
		if (t == PTX_TYPE_PRED && !is_dest && parser_is(p, '!')) {
			parser_put(p, take_predicate(p, false, true));
			return;
		}
		parser_put(p, take_value(p, t, FIT_EXACT, is_dest));
		return;
	case 'w':
		parser_put(p, take_value(p, wide_type(in), FIT_EXACT, is_dest));
		return;
	case 'i':
		parser_put(p, take_b32(p, in, is_dest));
		return;
	case 'l':
		parser_put(p, take_value(p, PTX_TYPE_B64, FIT_EXACT, is_dest));
		return;
	case 'a':
		parser_put(p, take_mov(p, PTX_TYPE_B64, is_dest));
		return;
	case 'R':
	case 'S':
		t = (enum ptx_type)in->types[letter == 'S'];
		parser_put(p, take_value(p, t, FIT_WIDER, is_dest));
		return;
	case 'V':
		parser_put(p, take_data(p, in, is_dest));
		return;
	case 'M':
		t = (enum ptx_type)in->types[0];
		parser_put(p, take_mov(p, t, is_dest));
		return;
	case 'p':
	case 'n':
		parser_put(p, take_predicate(p, is_dest, letter == 'n'));
		return;
	case 'm':
	case 's': {
		uint8_t space = in->mod[PTX_MOD_SPACE];

		if (letter == 's')
			space = PTX_SPACE_SHARED;
		parser_put(p, take_memory(p, space));
		return;
	}
	case 'f':
		parser_put(p, take_fragment(p, in, is_dest));
		return;
	case 'b':
		parser_put(p, take_label(p, in));
		return;
	case '#': {
		struct ptx_operand o = {.kind = PTX_OPERAND_IMM};

		o.imm = (uint32_t)parser_integer(p);
		parser_put(p, o);
		return;
	}
	default:
		parser_fail(p, ERR_PTX_SYNTAX, "not an operand");
	}
}

void parser_bar(struct parser *p, struct ptx_instr *in)
{
	bool is_red = in->mod[PTX_MOD_BAR] == PTX_BAR_RED;
	struct ptx_operand none = {0};

	if (is_red) {
		bool is_popc = in->mod[PTX_MOD_BOOL] == PTX_BOOL_POPC;

		parser_operand(p, in, is_popc ? 'i' : 'p', true);
		parser_expect(p, ',');
	}
	parser_operand(p, in, 'i', false);
	if (is_red) {
		struct ptx_operand reg;
		bool is_count = !parser_is(p, ';') &&
				(p->next.kind == TOKEN_NUMBER ||
				 (p->next.kind == TOKEN_WORD &&
				  parser_find_reg(p, p->next.text, &reg) &&
				  reg.cls == PTX_CLASS_32));

		parser_expect(p, ',');
		if (is_count) {
			parser_operand(p, in, 'i', false);
			parser_expect(p, ',');
		} else {
			parser_put(p, none);
		}
		parser_operand(p, in, 'n', false);
	} else if (parser_accept(p, ',')) {
		parser_operand(p, in, 'i', false);
	}
}

void parser_cp_async(struct parser *p, struct ptx_instr *in)
{
	if (in->mod[PTX_MOD_CP] == PTX_CP_WAIT_GROUP)
		parser_operand(p, in, '#', false);
	if (in->mod[PTX_MOD_CP] != PTX_CP_NONE)
		return;
	parser_operand(p, in, 's', false);
	parser_expect(p, ',');
	parser_operand(p, in, 'm', false);
	parser_expect(p, ',');
	parser_operand(p, in, '#', false);
	if (parser_accept(p, ',')) {
		struct ptx_operand reg;
		bool is_pred = parser_is(p, '!') ||
			       (p->t.kind == TOKEN_WORD &&
				parser_find_reg(p, p->t.text, &reg) &&
				reg.cls == PTX_CLASS_PRED);

		parser_operand(p, in, is_pred ? 'n' : 'i', false);
	}
}
