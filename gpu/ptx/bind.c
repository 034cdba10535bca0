/*
 * gpu/ptx/bind - what calls carry from one function to another.  A function
 * is analysed once for all its callers.
 */
#include "gpu/ptx/priv/analysis.h"

/* Pairs of a call and a function that it may reach, over all passes. */
#define BINDS_MAX (1u << 22)

/* A value into a parameter or result of another function. */
static void bind_in(struct analysis *n, uint32_t function,
		    const struct ptx_operand *actual, uint32_t callee,
		    const struct ptx_param *formal, uint32_t object)
{
	struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
				  .cls = formal->cls,
				  .index = formal->index};
	struct value v, start = value_const(0);

	if (actual->kind == PTX_OPERAND_ADDRESS) {
		contents_copy(n, n->variable_object[actual->index], object);
		return;
	}
	v = transfer_value(n, function, actual, PTX_TYPE_B64);
	if (formal->in_register)
		analysis_carry(n, callee, &reg, v);
	else
		contents_store(n, object, &start, formal->bytes, v);
}

static void bind_out(struct analysis *n, uint32_t function,
		     const struct ptx_operand *actual, uint32_t callee,
		     const struct ptx_param *formal, uint32_t object)
{
	struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
				  .cls = formal->cls,
				  .index = formal->index};
	struct value v, start = value_const(0);

	if (formal->in_register)
		v = *analysis_reg(n, callee, &reg);
	else
		v = contents_load(n, object, &start, formal->bytes);
	if (actual->kind == PTX_OPERAND_REG)
		analysis_set(n, function, actual, v);
	else if (actual->kind == PTX_OPERAND_ADDRESS)
		contents_copy(n, object, n->variable_object[actual->index]);
}

static void bind_call(struct analysis *n, uint32_t function,
		      const struct ptx_call *c, uint32_t callee)
{
	const struct ptx_function *g = &n->m->functions[callee];

	if (g->param_count != c->arg_count ||
	    g->return_count != c->result_count)
		return; /* refused, or a call that has no prototype */
	if (++n->bind_count > BINDS_MAX) {
		n->err = ERR_LIMIT;
		return;
	}
	for (uint32_t i = 0; i < c->arg_count; i++)
		if (c->args[i].kind == PTX_OPERAND_ADDRESS &&
		    g->params[i].in_register)
			return;
	for (uint32_t i = 0; i < c->arg_count; i++)
		bind_in(n, function, &c->args[i], callee, &g->params[i],
			n->param_object[callee] + i);
	for (uint32_t i = 0; i < c->result_count; i++)
		bind_out(n, function, &c->results[i], callee, &g->returns[i],
			 n->return_object[callee] + i);
}

bool analysis_may_reach(const struct analysis *n, const struct ptx_call *c,
			uint32_t callee)
{
	const struct ptx_function *all = n->m->functions;
	bool is_listed = c->prototype != PTX_NO_INDEX;

	if (!is_listed && !c->target_count)
		return true;
	for (uint32_t i = 0; i < c->target_count && !is_listed; i++)
		is_listed = c->targets[i] == callee;
	return is_listed &&
	       ptx_same_shape(
		       &all[callee],
		       &all[c->prototype != PTX_NO_INDEX ? c->prototype
							 : c->targets[0]]);
}

void transfer_call(struct analysis *n, uint32_t function,
		   const struct ptx_instr *in)
{
	const struct ptx_call *c = &n->m->functions[function].calls[in->aux];

	if (c->callee != PTX_NO_INDEX) {
		bind_call(n, function, c, c->callee);
		return;
	}
	for (uint32_t i = 0; i < n->addressed_count; i++)
		if (analysis_may_reach(n, c, n->addressed[i]))
			bind_call(n, function, c, n->addressed[i]);
}
