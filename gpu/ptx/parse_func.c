/*
 * gpu/ptx/parse_func - functions: shape, scopes, labels and tables.
 *
 * Labels are resolved when the scope that holds them ends, since a label of
 * the inner scope may come after the branch and hide one outside.
 */
#include <string.h>

#include "gpu/ptx/priv/parser.h"

/* Labels in all .branchtargets of one function. */
#define TABLE_TARGETS_MAX 16384u

void parser_add_name(struct parser *p, struct bytes text, enum name_kind kind,
		     uint32_t index, uint32_t count, enum ptx_class cls)
{
	if (p->err != ERR_OK)
		return;
	parser_check(p,
		     names_add(&p->names, (struct name){.text = text,
							.kind = (uint8_t)kind,
							.index = index,
							.count = count,
							.cls = (uint8_t)cls}),
		     "the name is taken");
}

void parser_add_pending(struct parser *p, const struct token *name,
			uint32_t *index, bool is_table)
{
	p->pending =
		parser_grow(p, p->pending, p->pending_count, &p->pending_cap,
			    sizeof(*p->pending), 4u * PTX_INSTRUCTIONS_MAX);
	if (!p->pending)
		return;
	p->pending[p->pending_count++] =
		(struct pending){.name = name->text,
				 .index = index,
				 .line = name->line,
				 .column = name->column,
				 .is_table = is_table};
}

static void enter(struct parser *p)
{
	parser_check(p, names_enter(&p->names), "scopes too deep");
}

/* Resolves what the ending scope defines; the rest waits for the outer. */
static void leave(struct parser *p, uint32_t first)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < p->pending_count; i++) {
		struct pending w = p->pending[i];
		const struct name *v = names_find(&p->names, w.name);
		enum name_kind kind = w.is_table ? NAME_TABLE : NAME_LABEL;

		if (v && v->kind == kind && v->depth == p->names.depth) {
			*w.index = v->index;
		} else if (p->names.depth > 1) {
			p->pending[kept++] = w;
		} else {
			parser_fail_at(p, ERR_PTX_SYNTAX, "no such label",
				       &(struct token){.line = w.line,
						       .column = w.column,
						       .text = w.name});
			break;
		}
	}
	p->pending_count = kept;
	names_leave(&p->names);
}

/* The attribute of a pointer parameter: .ptr{.space}{.align n}. */
static uint32_t take_pointee(struct parser *p)
{
	uint32_t align = 1;

	while (p->t.kind == TOKEN_DOT) {
		if (parser_is_dot(p, "align"))
			align = parser_align(p);
		else if (parser_is_dot(p, "global") ||
			 parser_is_dot(p, "const") ||
			 parser_is_dot(p, "local") ||
			 parser_is_dot(p, "shared"))
			parser_advance(p);
		else
			break;
	}
	return align;
}

static struct ptx_param take_param(struct parser *p, bool is_entry)
{
	struct ptx_param o = {0};
	bool is_open, named = false;
	uint64_t bytes;

	if (!is_entry && parser_accept_dot(p, "reg"))
		o.in_register = true;
	else if (!parser_accept_dot(p, "param"))
		parser_fail(p, ERR_PTX_SYNTAX, "a parameter should stand here");
	if (parser_is_dot(p, "align"))
		o.align = parser_align(p);
	o.type = (uint8_t)parser_type(p);
	if (parser_accept_dot(p, "ptr"))
		o.pointee_align = take_pointee(p);
	if (parser_is_dot(p, "align"))
		o.align = parser_align(p);
	if (p->t.kind == TOKEN_WORD) {
		named = true;
		o.name = parser_word(p, "a name");
	}
	bytes = parser_dimensions(p, &is_open) * ptx_types[o.type].bits / 8;
	if (o.in_register) {
		o.cls = (uint8_t)class_of_bits(ptx_types[o.type].bits);
		bytes = 0;
	} else if (ptx_types[o.type].bits < 8) {
		parser_fail(p, ERR_PTX_SYNTAX, "not a type of parameters");
	}
	if (o.cls == PTX_CLASS_COUNT || is_open || bytes > PTX_PARAM_BYTES_MAX)
		parser_fail(p, ERR_LIMIT, "parameter too large");
	if (!named || bytes_eq(o.name, BYTES_LIT("_")))
		o.name = (struct bytes){0};
	o.bytes = (uint32_t)bytes;
	if (!o.align)
		o.align = o.in_register ? 1 : ptx_types[o.type].bits / 8u;
	return o;
}

/* ( ... ), with offsets.  Returns the sum of bytes. */
static uint32_t take_params(struct parser *p, bool is_entry,
			    struct ptx_param **ret, uint32_t *ret_count)
{
	struct ptx_param *list = NULL;
	uint32_t count = 0, cap = 0, at = 0;

	parser_expect(p, '(');
	while (p->err == ERR_OK && !parser_is(p, ')')) {
		struct ptx_param o = take_param(p, is_entry);

		list = parser_grow(p, list, count, &cap, sizeof(*list),
				   PTX_PARAMS_MAX);
		if (!list)
			return 0;
		at = (at + o.align - 1) & ~(o.align - 1);
		o.offset = at;
		at += o.bytes;
		list[count++] = o;
		if (at > PTX_PARAM_BYTES_MAX)
			parser_fail(p, ERR_LIMIT, "too many parameter bytes");
		if (!parser_accept(p, ','))
			break;
	}
	parser_expect(p, ')');
	*ret = list;
	*ret_count = count;
	return at;
}

static uint32_t take_three(struct parser *p, uint32_t out[3])
{
	uint32_t count = 0;

	parser_advance(p);
	out[0] = out[1] = out[2] = 1;
	do {
		int64_t v = parser_integer(p);

		if (v < 1 || v > UINT32_MAX || count == 3) {
			parser_fail(p, ERR_PTX_SYNTAX, "not a size");
			return count;
		}
		out[count++] = (uint32_t)v;
	} while (parser_accept(p, ','));
	return count;
}

static void take_directive(struct parser *p, struct ptx_function *f)
{
	uint32_t n[3];

	if (parser_is_dot(p, "maxntid")) {
		take_three(p, f->maxntid);
	} else if (parser_is_dot(p, "reqntid")) {
		take_three(p, f->reqntid);
	} else if (parser_is_dot(p, "minnctapersm") ||
		   parser_is_dot(p, "maxnctapersm")) {
		take_three(p, n);
		f->minnctapersm = n[0];
	} else if (parser_is_dot(p, "maxnreg")) {
		take_three(p, n);
		f->maxnreg = n[0];
	} else if (parser_is_dot(p, "reqnctapercluster") ||
		   parser_is_dot(p, "maxclusterrank")) {
		take_three(p, n);
		f->needs_cluster = true;
	} else if (parser_accept_dot(p, "explicitcluster") ||
		   parser_accept_dot(p, "blocksareclusters")) {
		f->needs_cluster = true;
	} else if (parser_accept_dot(p, "noreturn")) {
		f->is_noreturn = true;
	} else if (parser_accept_dot(p, "pragma")) {
		while (p->t.kind == TOKEN_STRING || parser_is(p, ','))
			parser_advance(p);
		parser_accept(p, ';');
	} else {
		parser_fail(p, ERR_PTX_UNKNOWN, "unknown directive");
	}
}

static bool same_params(const struct ptx_param *a, const struct ptx_param *b,
			uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].bytes != b[i].bytes || a[i].offset != b[i].offset ||
		    a[i].in_register != b[i].in_register ||
		    a[i].cls != b[i].cls)
			return false;
	return true;
}

static bool same_shape(const struct ptx_function *a,
		       const struct ptx_function *b)
{
	return a->is_entry == b->is_entry && a->param_count == b->param_count &&
	       a->return_count == b->return_count &&
	       same_params(a->params, b->params, a->param_count) &&
	       same_params(a->returns, b->returns, a->return_count);
}

/* f into the module under its name: a new function, or the definition of one
 * that is declared.  Its index. */
static uint32_t add_function(struct parser *p, const struct ptx_function *f)
{
	struct ptx_module *m = p->m;
	const struct name *v = names_find(&p->names, f->name);

	if (p->err != ERR_OK)
		return 0;
	if (v && v->kind == NAME_FUNCTION && !f->is_prototype) {
		if (!same_shape(f, &m->functions[v->index]))
			parser_fail(p, ERR_PTX_SYNTAX,
				    "declared with another shape");
		return v->index;
	}
	m->functions = parser_grow(p, m->functions, m->function_count,
				   &p->function_cap, sizeof(*m->functions),
				   PTX_FUNCTIONS_MAX);
	if (!m->functions)
		return 0;
	m->functions[m->function_count] = *f;
	parser_add_name(p, f->name, NAME_FUNCTION, m->function_count, 0, 0);
	return m->function_count++;
}

void parser_prototype(struct parser *p, struct bytes name)
{
	struct ptx_function f = {
		.name = name, .is_prototype = true, .line = p->t.line};

	parser_advance(p);
	if (parser_is(p, '('))
		f.return_bytes =
			take_params(p, false, &f.returns, &f.return_count);
	parser_word(p, "_ should stand here");
	if (parser_is(p, '('))
		f.param_bytes =
			take_params(p, false, &f.params, &f.param_count);
	while (p->err == ERR_OK && !parser_is(p, ';'))
		take_directive(p, &f);
	parser_expect(p, ';');
	add_function(p, &f);
}

/* label: .branchtargets a, b; */
static void take_branch_targets(struct parser *p, struct bytes name)
{
	struct lexer ahead = p->lex;
	struct token t = p->t;
	struct ptx_table table = {0};
	uint32_t max = 1;

	for (; t.kind != TOKEN_END && t.kind != TOKEN_BAD &&
	       !(t.kind == TOKEN_PUNCT && t.punct == ';');
	     t = lex_next(&ahead))
		max += t.kind == TOKEN_PUNCT && t.punct == ',';
	parser_advance(p);
	table.targets = ARENA_ARRAY(p->a, max, uint32_t);
	if (!table.targets) {
		parser_fail(p, ERR_NO_MEMORY, "out of memory");
		return;
	}
	p->table_targets += max;
	if (p->table_targets > TABLE_TARGETS_MAX)
		parser_fail(p, ERR_LIMIT, "too many branch targets");
	do {
		if (p->t.kind != TOKEN_WORD || table.count == max) {
			parser_fail(p, ERR_PTX_SYNTAX,
				    "a label should stand here");
			return;
		}
		parser_add_pending(p, &p->t, &table.targets[table.count++],
				   false);
		parser_advance(p);
	} while (parser_accept(p, ','));
	parser_expect(p, ';');
	p->tables = parser_grow(p, p->tables, p->table_count, &p->table_cap,
				sizeof(*p->tables), PTX_INSTRUCTIONS_MAX);
	if (!p->tables)
		return;
	parser_add_name(p, name, NAME_TABLE, p->table_count - p->table_first, 0,
			0);
	p->tables[p->table_count++] = table;
}

/* label: .calltargets f, g; */
static void take_call_targets(struct parser *p, struct bytes name)
{
	struct target_list list = {0};
	uint32_t cap = 0;

	parser_advance(p);
	do {
		const struct name *v = NULL;

		if (p->t.kind == TOKEN_WORD)
			v = names_find(&p->names, p->t.text);
		if (!v || v->kind != NAME_FUNCTION) {
			parser_fail(p, ERR_PTX_SYNTAX, "not a known function");
			return;
		}
		list.functions =
			parser_grow(p, list.functions, list.count, &cap,
				    sizeof(uint32_t), PTX_FUNCTIONS_MAX);
		if (!list.functions)
			return;
		list.functions[list.count++] = v->index;
		parser_advance(p);
	} while (parser_accept(p, ','));
	parser_expect(p, ';');
	p->targets = parser_grow(p, p->targets, p->target_count, &p->target_cap,
				 sizeof(*p->targets), PTX_FUNCTIONS_MAX);
	if (!p->targets)
		return;
	parser_add_name(p, name, NAME_TARGETS, p->target_count, 0, 0);
	p->targets[p->target_count++] = list;
}

static void take_label(struct parser *p)
{
	struct bytes name = parser_word(p, "a label");

	parser_expect(p, ':');
	if (parser_is_dot(p, "branchtargets"))
		take_branch_targets(p, name);
	else if (parser_is_dot(p, "calltargets"))
		take_call_targets(p, name);
	else if (parser_is_dot(p, "callprototype"))
		parser_prototype(p, name);
	else
		parser_add_name(p, name, NAME_LABEL,
				p->instr_count -
					(uint32_t)(parser_function(p)->instrs -
						   p->instrs),
				0, 0);
}

static void take_statement(struct parser *p)
{
	if (p->t.kind == TOKEN_WORD && p->next.kind == TOKEN_PUNCT &&
	    p->next.punct == ':')
		take_label(p);
	else if (p->t.kind == TOKEN_WORD || parser_is(p, '@'))
		parser_instr(p);
	else if (parser_is_dot(p, "reg"))
		parser_registers(p);
	else if (parser_is_dot(p, "local") || parser_is_dot(p, "shared") ||
		 parser_is_dot(p, "param") || parser_is_dot(p, "global") ||
		 parser_is_dot(p, "const"))
		parser_variable(p, (struct linkage){0});
	else if (parser_is_dot(p, "loc"))
		parser_loc(p);
	else if (parser_is_dot(p, "pragma"))
		parser_skip_statement(p);
	else
		parser_fail(p, ERR_PTX_SYNTAX, "a statement should stand here");
}

static void take_scopes(struct parser *p)
{
	uint32_t first[NAMES_DEPTH_MAX + 1];
	uint32_t depth = 0;

	first[0] = 0;
	while (p->err == ERR_OK) {
		if (parser_accept(p, '{')) {
			enter(p);
			if (p->err == ERR_OK)
				first[++depth] = p->pending_count;
		} else if (parser_is(p, '}')) {
			leave(p, first[depth]);
			parser_advance(p);
			if (depth-- == 0)
				return;
		} else if (parser_accept(p, ';')) {
			continue;
		} else {
			take_statement(p);
		}
	}
}

/* Parameters as names of the outermost scope; those in registers are the
 * function's first registers. */
static void name_params(struct parser *p, struct ptx_param *list,
			uint32_t count, enum name_kind kind)
{
	for (uint32_t i = 0; i < count && p->err == ERR_OK; i++) {
		struct ptx_param *o = &list[i];

		if (!o->in_register) {
			if (o->name.n)
				parser_add_name(p, o->name, kind, i, 0, 0);
			continue;
		}
		o->index = p->reg_count[o->cls]++;
		if (!o->name.n)
			continue;
		p->slots = parser_grow(p, p->slots, p->slot_count, &p->slot_cap,
				       sizeof(*p->slots), PTX_REGISTERS_MAX);
		if (!p->slots)
			return;
		p->slots[p->slot_count] = (struct reg_slot){
			.generation = p->generation, .index = o->index};
		parser_add_name(p, o->name, NAME_REG, p->slot_count++, 1,
				(enum ptx_class)o->cls);
	}
}

static void begin_function(struct parser *p, uint32_t index)
{
	struct ptx_function *f;

	p->function = index;
	p->generation++;
	p->slot_count = 0;
	p->pending_count = 0;
	p->table_targets = 0;
	memset(p->reg_count, 0, sizeof(p->reg_count));
	p->call_first = p->call_count;
	p->table_first = p->table_count;
	p->opaque_first = p->opaque_count;
	p->loc = 0;
	f = parser_function(p);
	f->instrs = p->instrs + p->instr_count;
	f->operands = p->operands + p->operand_count;
	f->elements = p->elements + p->element_count;
	f->variable_first = p->m->variable_count;
	enter(p);
	name_params(p, f->returns, f->return_count, NAME_RETURN);
	name_params(p, f->params, f->param_count, NAME_PARAM);
}

static void end_function(struct parser *p)
{
	struct ptx_function *f = parser_function(p);

	f->has_body = true;
	f->instr_count = p->instr_count - (uint32_t)(f->instrs - p->instrs);
	f->operand_count =
		p->operand_count - (uint32_t)(f->operands - p->operands);
	f->element_count =
		p->element_count - (uint32_t)(f->elements - p->elements);
	f->variable_count = p->m->variable_count - f->variable_first;
	f->calls = p->calls ? p->calls + p->call_first : NULL;
	f->call_count = p->call_count - p->call_first;
	f->tables = p->tables ? p->tables + p->table_first : NULL;
	f->table_count = p->table_count - p->table_first;
	f->opaque = p->opaque ? p->opaque + p->opaque_first : NULL;
	f->opaque_count = p->opaque_count - p->opaque_first;
	memcpy(f->reg_count, p->reg_count, sizeof(f->reg_count));
	p->function = PTX_NO_INDEX;
}

/* The body of a function that an earlier part has: equal bytes, skipped. */
static void skip_again(struct parser *p, const struct ptx_function *old)
{
	struct token start = p->t;
	struct bytes text = {start.text.p, 0};

	parser_skip_braces(p);
	if (p->err != ERR_OK)
		return;
	text.n = (size_t)(p->t.text.p - text.p);
	if (old->part == p->part || !bytes_eq(old->text, text))
		parser_fail_at(p, ERR_PTX_SYNTAX,
			       "the function is defined twice", &start);
}

static void take_body(struct parser *p, const struct ptx_function *shape)
{
	uint32_t index = add_function(p, shape);
	const uint8_t *start = p->t.text.p;
	struct ptx_function *f;

	if (p->err != ERR_OK)
		return;
	f = &p->m->functions[index];
	if (f->has_body) {
		skip_again(p, f);
		return;
	}
	*f = *shape;
	begin_function(p, index);
	parser_expect(p, '{');
	take_scopes(p);
	if (p->err != ERR_OK)
		return;
	end_function(p);
	f = &p->m->functions[index];
	f->text = bytes_of(start, (size_t)(p->t.text.p - start));
}

void parser_function_item(struct parser *p, struct linkage linkage)
{
	struct ptx_function f = {.is_visible = linkage.is_visible,
				 .part = p->part,
				 .line = p->t.line};

	f.is_entry = parser_is_dot(p, "entry");
	parser_advance(p);
	if (parser_accept_dot(p, "attribute")) {
		while (p->t.kind != TOKEN_END && !parser_is(p, ')'))
			parser_advance(p);
		parser_expect(p, ')');
	}
	if (!f.is_entry && parser_is(p, '('))
		f.return_bytes =
			take_params(p, false, &f.returns, &f.return_count);
	f.name = parser_word(p, "a function's name");
	if (parser_is(p, '('))
		f.param_bytes =
			take_params(p, f.is_entry, &f.params, &f.param_count);
	while (p->err == ERR_OK && !parser_is(p, '{') && !parser_is(p, ';'))
		take_directive(p, &f);
	if (p->err != ERR_OK)
		return;
	if (parser_is(p, '{')) {
		take_body(p, &f);
	} else {
		add_function(p, &f);
		parser_expect(p, ';');
	}
}
