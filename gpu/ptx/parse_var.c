/*
 * gpu/ptx/parse_var - registers, variables and their initialisers.
 */
#include <string.h>

#include "base/must.h"
#include "gpu/ptx/priv/parser.h"

/* A variable larger than this is refused. */
#define VARIABLE_BYTES_MAX (1ull << 32)
/* Nesting of braces in an initialiser. */
#define INIT_DEPTH_MAX 16u

enum ptx_type type_of_text(struct bytes text)
{
	if (text.n < 2 || text.n > 7 || !strchr("pbusfet", text.p[0]))
		return PTX_TYPE_NONE;
	for (uint32_t i = 1; i < PTX_TYPE_COUNT; i++)
		if (strlen(ptx_types[i].text) == text.n &&
		    memcmp(ptx_types[i].text, text.p, text.n) == 0)
			return (enum ptx_type)i;
	return PTX_TYPE_NONE;
}

enum ptx_type parser_type(struct parser *p)
{
	enum ptx_type t = PTX_TYPE_NONE;

	if (p->t.kind == TOKEN_DOT)
		t = type_of_text(p->t.text);
	if (t == PTX_TYPE_NONE)
		parser_fail(p, ERR_PTX_SYNTAX, "a type should stand here");
	parser_advance(p);
	return t;
}

enum ptx_class class_of_bits(uint32_t bits)
{
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
		if (ptx_class_bits((enum ptx_class)c) == bits)
			return (enum ptx_class)c;
	return PTX_CLASS_COUNT;
}

uint32_t parser_align(struct parser *p)
{
	int64_t v;

	parser_advance(p);
	v = parser_integer(p);
	if (v < 1 || v > 1 << 20 || (v & (v - 1)) != 0) {
		parser_fail(p, ERR_PTX_SYNTAX,
			    "an alignment is a power of two");
		return 1;
	}
	return (uint32_t)v;
}

uint64_t parser_dimensions(struct parser *p, bool *ret_is_open)
{
	uint64_t elements = 1;

	*ret_is_open = false;
	while (parser_accept(p, '[')) {
		if (parser_is(p, ']')) {
			if (*ret_is_open)
				parser_fail(p, ERR_PTX_SYNTAX,
					    "only the first size may be open");
			*ret_is_open = true;
		} else {
			int64_t n = parser_integer(p);

			if (n < 0 || __builtin_mul_overflow(
					     elements, (uint64_t)n, &elements))
				parser_fail(p, ERR_LIMIT, "array too large");
		}
		parser_expect(p, ']');
	}
	return elements;
}

static void add_reg(struct parser *p, struct bytes name, enum ptx_class cls,
		    int64_t count, bool is_range)
{
	uint32_t first = p->slot_count;

	if (count < 0 || count > (int64_t)(PTX_REGISTERS_MAX - first)) {
		parser_fail(p, ERR_LIMIT, "too many registers");
		return;
	}
	while (p->slot_cap < first + (uint32_t)count && p->err == ERR_OK) {
		struct reg_slot *slots;

		slots = parser_grow(p, p->slots, p->slot_cap, &p->slot_cap,
				    sizeof(*p->slots), PTX_REGISTERS_MAX);
		if (!slots)
			return;
		p->slots = slots;
	}
	p->slot_count += (uint32_t)count;
	parser_add_name(p, name, is_range ? NAME_REGS : NAME_REG, first,
			(uint32_t)count, cls);
}

void parser_registers(struct parser *p)
{
	enum ptx_type t;
	enum ptx_class cls;

	parser_advance(p);
	t = parser_type(p);
	cls = class_of_bits(ptx_types[t].bits);
	if (cls == PTX_CLASS_COUNT && p->err == ERR_OK)
		parser_fail(p, ERR_PTX_SYNTAX, "not a type of registers");
	do {
		struct bytes name = parser_word(p, "a register's name");
		bool is_range = parser_accept(p, '<');
		int64_t count = 1;

		if (is_range) {
			count = parser_count(p);
			parser_expect(p, '>');
		}
		if (p->err == ERR_OK)
			add_reg(p, name, cls, count, is_range);
	} while (parser_accept(p, ','));
	parser_expect(p, ';');
}

/* An initialiser being read. */
struct init {
	struct ptx_variable *v;
	uint32_t element_bytes;
	uint64_t at, max; /* bytes; max of an open array grows */
	uint64_t cap;
	uint32_t reloc_cap;
};

static uint8_t *init_room(struct parser *p, struct init *in)
{
	uint64_t end = in->at + in->element_bytes;

	if (end > in->max) {
		parser_fail(p, ERR_PTX_SYNTAX,
			    "more initialisers than elements");
		return NULL;
	}
	if (end > in->cap) {
		uint64_t cap = in->cap ? in->cap * 2 : 64;
		uint8_t *init;

		while (cap < end)
			cap *= 2;
		init = arena_alloc(p->a, cap, 16);
		if (!init) {
			parser_fail(p, ERR_NO_MEMORY, "out of memory");
			return NULL;
		}
		if (in->v->init_bytes)
			memcpy(init, in->v->init, in->v->init_bytes);
		in->v->init = init;
		in->cap = cap;
	}
	in->v->init_bytes = end;
	return in->v->init + in->at;
}

/* name, name+4, generic(name)+4: the address part of an initialiser. */
static struct ptx_reloc take_address(struct parser *p)
{
	struct ptx_reloc r = {0};
	const struct name *v;
	bool generic = false;

	if (parser_is_word(p, "generic") && p->next.kind == TOKEN_PUNCT &&
	    p->next.punct == '(') {
		generic = true;
		parser_advance(p);
		parser_advance(p);
	}
	v = p->t.kind == TOKEN_WORD ? names_find(&p->names, p->t.text) : NULL;
	if (v && v->kind == NAME_VARIABLE)
		r.base = PTX_BASE_VARIABLE;
	else if (v && v->kind == NAME_FUNCTION)
		r.base = PTX_BASE_FUNCTION;
	else
		parser_fail(p, ERR_PTX_SYNTAX, "not a known name");
	r.index = v ? v->index : 0;
	r.generic = generic;
	parser_advance(p);
	if (generic)
		parser_expect(p, ')');
	if (parser_is(p, '+') || parser_is(p, '-'))
		r.addend = parser_integer(p);
	return r;
}

static void put_reloc(struct parser *p, struct init *in, struct ptx_reloc r)
{
	struct ptx_variable *v = in->v;

	if (in->at > UINT32_MAX - 8) {
		parser_fail(p, ERR_LIMIT, "initialiser too large");
		return;
	}
	v->relocs = parser_grow(p, v->relocs, v->reloc_count, &in->reloc_cap,
				sizeof(*v->relocs), 1u << 20);
	if (!v->relocs)
		return;
	r.offset = (uint32_t)in->at;
	v->relocs[v->reloc_count++] = r;
}

static bool is_mask(const struct parser *p)
{
	return p->t.kind == TOKEN_NUMBER && p->next.kind == TOKEN_PUNCT &&
	       p->next.punct == '(';
}

static void init_value(struct parser *p, struct init *in)
{
	enum ptx_type t = (enum ptx_type)in->v->type;
	struct ptx_reloc r;
	uint8_t *room = init_room(p, in);
	uint64_t bits;

	if (!room)
		return;
	if (is_mask(p)) {
		/* 0xff00(name): one byte of an address. */
		uint64_t mask = (uint64_t)parser_count(p);

		parser_expect(p, '(');
		r = take_address(p);
		parser_expect(p, ')');
		r.bytes = 1;
		while (r.shift < 56 && mask != 0xffull << r.shift)
			r.shift = (uint8_t)(r.shift + 8);
		if (mask != 0xffull << r.shift || in->element_bytes != 1)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "a mask takes one byte of an address");
		put_reloc(p, in, r);
	} else if (p->t.kind == TOKEN_WORD) {
		r = take_address(p);
		r.bytes = (uint8_t)in->element_bytes;
		if (in->element_bytes != 4 && in->element_bytes != 8)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "an address has 4 or 8 bytes");
		put_reloc(p, in, r);
	} else {
		bits = parser_convert(p, parser_number(p), t);
		for (uint32_t i = 0; i < in->element_bytes && i < 8; i++)
			room[i] = (uint8_t)(bits >> (8 * i));
	}
	in->at += in->element_bytes;
}

/* Nested braces are rows: the elements simply follow each other, a short row
 * is refused by its sum only. */
static void init_list(struct parser *p, struct init *in, uint32_t depth)
{
	if (depth > INIT_DEPTH_MAX) {
		parser_fail(p, ERR_LIMIT, "initialiser too deep");
		return;
	}
	parser_expect(p, '{');
	while (p->err == ERR_OK && !parser_is(p, '}')) {
		if (parser_is(p, '{'))
			init_list(p, in, depth + 1);
		else
			init_value(p, in);
		if (!parser_accept(p, ','))
			break;
	}
	parser_expect(p, '}');
}

static void take_init(struct parser *p, struct ptx_variable *v, bool is_open)
{
	struct init in = {.v = v,
			  .element_bytes = ptx_types[v->type].bits / 8u,
			  .max = is_open ? VARIABLE_BYTES_MAX : v->bytes};

	if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
		parser_fail(p, ERR_PTX_SYNTAX,
			    "only .global and .const take initialisers");
	if (parser_is(p, '{'))
		init_list(p, &in, 0);
	else
		init_value(p, &in);
	if (is_open)
		v->bytes = v->init_bytes;
}

static uint8_t take_space(struct parser *p)
{
	static const struct {
		const char *text;
		uint8_t space;
	} spaces[] = {{"global", PTX_SPACE_GLOBAL}, {"const", PTX_SPACE_CONST},
		      {"shared", PTX_SPACE_SHARED}, {"local", PTX_SPACE_LOCAL},
		      {"param", PTX_SPACE_PARAM},   {"tex", PTX_SPACE_GLOBAL}};

	for (uint32_t i = 0; i < 6; i++)
		if (parser_accept_dot(p, spaces[i].text))
			return spaces[i].space;
	must(false);
	return 0;
}

/* [.align n] [.attribute(...)] [.v4] .type: the part that names share. */
static uint32_t take_shape(struct parser *p, struct ptx_variable *v)
{
	uint32_t width = 1;

	v->align = 0;
	for (;;) {
		if (parser_is_dot(p, "align")) {
			v->align = parser_align(p);
		} else if (parser_accept_dot(p, "attribute")) {
			while (p->t.kind != TOKEN_END && !parser_is(p, ')'))
				parser_advance(p);
			parser_expect(p, ')');
		} else if (parser_accept_dot(p, "v2")) {
			width = 2;
		} else if (parser_accept_dot(p, "v4")) {
			width = 4;
		} else {
			break;
		}
	}
	if (parser_accept_dot(p, "texref") ||
	    parser_accept_dot(p, "samplerref") ||
	    parser_accept_dot(p, "surfref")) {
		v->is_opaque = true;
		v->type = PTX_TYPE_B64;
		return 1;
	}
	v->type = (uint8_t)parser_type(p);
	if (ptx_types[v->type].bits < 8)
		parser_fail(p, ERR_PTX_SYNTAX, "not a type of variables");
	return width;
}

/* Whether an earlier declaration of the name may stand beside v, and then
 * which of both counts. */
static bool merge(struct parser *p, const struct ptx_variable *v)
{
	const struct name *n = names_find(&p->names, v->name);
	struct ptx_variable *old;

	if (!n || n->kind != NAME_VARIABLE || n->depth != p->names.depth)
		return false;
	old = &p->m->variables[n->index];
	if (old->space != v->space || old->align != v->align ||
	    old->type != v->type || old->is_dynamic != v->is_dynamic)
		return false;
	if (v->is_extern && old->bytes == v->bytes)
		return true;
	if (old->is_extern && (old->bytes == v->bytes || old->bytes == 0)) {
		*old = *v;
		return true;
	}
	return old->bytes == v->bytes && old->part != v->part &&
	       old->is_visible == v->is_visible && bytes_eq(old->text, v->text);
}

static void add_variable(struct parser *p, const struct ptx_variable *v)
{
	struct ptx_module *m = p->m;

	if (p->err != ERR_OK || merge(p, v))
		return;
	m->variables = parser_grow(p, m->variables, m->variable_count,
				   &p->variable_cap, sizeof(*m->variables),
				   PTX_VARIABLES_MAX);
	if (!m->variables)
		return;
	m->variables[m->variable_count] = *v;
	parser_add_name(p, v->name, NAME_VARIABLE, m->variable_count++, 0, 0);
}

static void take_declarator(struct parser *p, struct ptx_variable v,
			    uint32_t width)
{
	bool is_open;
	struct token at = p->t;
	uint64_t elements;

	v.line = p->t.line;
	v.name = parser_word(p, "a variable's name");
	elements = parser_dimensions(p, &is_open);
	if (__builtin_mul_overflow(elements,
				   (uint64_t)ptx_types[v.type].bits / 8 * width,
				   &v.bytes) ||
	    v.bytes > VARIABLE_BYTES_MAX)
		parser_fail_at(p, ERR_LIMIT, "variable too large", &at);
	if (!v.align)
		v.align = ptx_types[v.type].bits / 8u * width;
	if (is_open) {
		v.bytes = 0;
		v.is_dynamic = v.space == PTX_SPACE_SHARED && v.is_extern;
	}
	if (parser_accept(p, '='))
		take_init(p, &v, is_open);
	else if (is_open && !v.is_extern)
		parser_fail_at(p, ERR_PTX_SYNTAX, "the size is missing", &at);
	if (p->err == ERR_OK)
		v.text = bytes_of(at.text.p, (size_t)(p->t.text.p - at.text.p));
	add_variable(p, &v);
}

void parser_variable(struct parser *p, struct linkage linkage)
{
	struct ptx_variable v = {.owner = p->function,
				 .part = p->part,
				 .is_extern = linkage.is_extern,
				 .is_visible = linkage.is_visible};
	uint32_t width;

	v.space = take_space(p);
	if (p->function == PTX_NO_INDEX &&
	    (v.space == PTX_SPACE_PARAM || v.space == PTX_SPACE_LOCAL))
		parser_fail(p, ERR_PTX_SYNTAX,
			    "such a variable stands in a function");
	/* State has a name of its own, which scopes would take from it. */
	if (p->function != PTX_NO_INDEX &&
	    (v.space == PTX_SPACE_GLOBAL || v.space == PTX_SPACE_CONST))
		parser_fail(p, ERR_PTX_UNKNOWN,
			    "such a variable stands outside functions here");
	width = take_shape(p, &v);
	do
		take_declarator(p, v, width);
	while (parser_accept(p, ','));
	parser_expect(p, ';');
}
