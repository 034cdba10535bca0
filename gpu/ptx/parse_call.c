/*
 * gpu/ptx/parse_call - calls, checked against the shape of what they call.
 */
#include <string.h>

#include "gpu/ptx/priv/parser.h"

/* Arguments as they are read: constants wait for the shape. */
struct actuals {
	struct ptx_operand *list;
	struct number *numbers; /* of the constants among them */
	uint32_t count, cap, number_cap;
};

static void take_actual(struct parser *p, struct actuals *a, bool is_result)
{
	struct ptx_operand o = {0};
	struct number n = {.kind = NUMBER_INT};
	const struct name *v = NULL;

	if (p->t.kind == TOKEN_WORD)
		v = names_find(&p->names, p->t.text);
	if (is_result && parser_is_word(p, "_")) {
		parser_advance(p);
	} else if (v && v->kind == NAME_VARIABLE &&
		   p->m->variables[v->index].space == PTX_SPACE_PARAM) {
		o.kind = PTX_OPERAND_ADDRESS;
		o.base = PTX_BASE_VARIABLE;
		o.index = v->index;
		parser_advance(p);
	} else if (p->t.kind == TOKEN_WORD) {
		if (!parser_find_reg(p, p->t.text, &o))
			parser_fail(p, ERR_PTX_SYNTAX, "not an argument");
		parser_advance(p);
	} else if (is_result) {
		parser_fail(p, ERR_PTX_SYNTAX, "not a result");
	} else {
		o.kind = PTX_OPERAND_IMM;
		n = parser_number(p);
	}
	a->list = parser_grow(p, a->list, a->count, &a->cap, sizeof(*a->list),
			      PTX_PARAMS_MAX);
	a->numbers = parser_grow(p, a->numbers, a->count, &a->number_cap,
				 sizeof(*a->numbers), PTX_PARAMS_MAX);
	if (!a->list || !a->numbers)
		return;
	a->list[a->count] = o;
	a->numbers[a->count++] = n;
}

static struct actuals take_actuals(struct parser *p, bool is_result)
{
	struct actuals a = {0};

	parser_expect(p, '(');
	while (p->err == ERR_OK && !parser_is(p, ')')) {
		take_actual(p, &a, is_result);
		if (!parser_accept(p, ','))
			break;
	}
	parser_expect(p, ')');
	return a;
}

/* The type of raw bits as wide as a parameter. */
static enum ptx_type type_of_param(const struct ptx_param *f)
{
	uint32_t bits = f->in_register ? ptx_class_bits((enum ptx_class)f->cls)
				       : f->bytes * 8;

	switch (bits) {
	case 1:
		return PTX_TYPE_PRED;
	case 8:
		return PTX_TYPE_B8;
	case 16:
		return PTX_TYPE_B16;
	case 32:
		return PTX_TYPE_B32;
	case 64:
		return PTX_TYPE_B64;
	default:
		return PTX_TYPE_NONE;
	}
}

static void check_actuals(struct parser *p, struct actuals *a,
			  const struct ptx_param *formal, uint32_t count)
{
	if (p->err != ERR_OK)
		return;
	if (a->count != count) {
		parser_fail(p, ERR_PTX_SYNTAX,
			    "the number of arguments is wrong");
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct ptx_operand *o = &a->list[i];
		enum ptx_type t = type_of_param(&formal[i]);
		bool ok = true;

		if (o->kind == PTX_OPERAND_REG)
			ok = t != PTX_TYPE_NONE &&
			     ptx_class_bits((enum ptx_class)o->cls) ==
				     ptx_types[t].bits;
		else if (o->kind == PTX_OPERAND_ADDRESS)
			ok = !formal[i].in_register &&
			     p->m->variables[o->index].bytes == formal[i].bytes;
		else if (o->kind == PTX_OPERAND_IMM)
			ok = t != PTX_TYPE_NONE;
		if (!ok) {
			parser_fail(p, ERR_PTX_SYNTAX,
				    "an argument has the wrong size");
			return;
		}
		if (o->kind == PTX_OPERAND_IMM)
			o->imm = parser_convert(p, a->numbers[i], t);
	}
}

static void take_target(struct parser *p, struct ptx_call *call)
{
	const struct name *v = NULL;

	call->callee = PTX_NO_INDEX;
	call->prototype = PTX_NO_INDEX;
	if (p->t.kind == TOKEN_WORD)
		v = names_find(&p->names, p->t.text);
	if (v && v->kind == NAME_FUNCTION) {
		call->callee = v->index;
		if (p->m->functions[v->index].is_entry ||
		    p->m->functions[v->index].is_prototype)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "only device functions are called");
	} else if (p->t.kind != TOKEN_WORD ||
		   !parser_find_reg(p, p->t.text, &call->target) ||
		   call->target.cls != PTX_CLASS_64) {
		parser_fail(p, ERR_PTX_SYNTAX, "not a known function");
	}
	parser_advance(p);
}

/* The prototype or the list of targets of an indirect call. */
static void take_shape_name(struct parser *p, struct ptx_call *call)
{
	const struct name *v = NULL;

	if (p->t.kind == TOKEN_WORD)
		v = names_find(&p->names, p->t.text);
	if (v && v->kind == NAME_FUNCTION) {
		call->prototype = v->index;
	} else if (v && v->kind == NAME_TARGETS) {
		call->targets = p->targets[v->index].functions;
		call->target_count = p->targets[v->index].count;
	} else {
		parser_fail(p, ERR_PTX_SYNTAX, "not a known prototype");
	}
	parser_advance(p);
}

static const struct ptx_function *shape_of(struct parser *p,
					   const struct ptx_call *call)
{
	if (call->callee != PTX_NO_INDEX)
		return &p->m->functions[call->callee];
	if (call->prototype != PTX_NO_INDEX)
		return &p->m->functions[call->prototype];
	if (call->target_count)
		return &p->m->functions[call->targets[0]];
	parser_fail(p, ERR_PTX_SYNTAX, "the prototype is missing");
	return NULL;
}

void parser_call(struct parser *p, struct ptx_instr *in)
{
	struct ptx_call call = {0};
	struct actuals results = {0}, args = {0};
	const struct ptx_function *shape;

	if (parser_is(p, '(')) {
		results = take_actuals(p, true);
		parser_expect(p, ',');
	}
	take_target(p, &call);
	if (parser_accept(p, ',')) {
		if (parser_is(p, '('))
			args = take_actuals(p, false);
		else
			take_shape_name(p, &call);
	}
	if (parser_accept(p, ','))
		take_shape_name(p, &call);
	if (p->err != ERR_OK)
		return;
	shape = shape_of(p, &call);
	if (!shape)
		return;
	check_actuals(p, &results, shape->returns, shape->return_count);
	check_actuals(p, &args, shape->params, shape->param_count);
	call.results = results.list;
	call.result_count = results.count;
	call.args = args.list;
	call.arg_count = args.count;
	p->calls = parser_grow(p, p->calls, p->call_count, &p->call_cap,
			       sizeof(*p->calls), PTX_INSTRUCTIONS_MAX);
	if (!p->calls)
		return;
	in->aux = p->call_count - p->call_first;
	p->calls[p->call_count++] = call;
}
