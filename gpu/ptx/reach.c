/*
 * gpu/ptx/reach - a work list over functions and variables.
 */
#include "gpu/ptx/priv/reach.h"

struct walk {
	const struct ptx_module *m;
	struct reach r;
	uint32_t *todo; /* functions, then variables + function_count */
	uint32_t todo_count;
};

static void add_function(struct walk *w, uint32_t f)
{
	if (w->r.functions[f])
		return;
	w->r.functions[f] = true;
	w->todo[w->todo_count++] = f;
}

static void add_variable(struct walk *w, uint32_t v)
{
	if (w->r.variables[v])
		return;
	w->r.variables[v] = true;
	w->todo[w->todo_count++] = w->m->function_count + v;
}

static void add_base(struct walk *w, uint8_t base, uint32_t index)
{
	if (base == PTX_BASE_VARIABLE)
		add_variable(w, index);
	if (base == PTX_BASE_FUNCTION) {
		w->r.addressed[index] = true;
		add_function(w, index);
	}
}

static void add_operands(struct walk *w, const struct ptx_operand *list,
			 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i].kind == PTX_OPERAND_ADDRESS ||
		    list[i].kind == PTX_OPERAND_MEMORY)
			add_base(w, list[i].base, list[i].index);
}

static void walk_function(struct walk *w, const struct ptx_function *f)
{
	add_operands(w, f->operands, f->operand_count);
	for (uint32_t i = 0; i < f->call_count; i++) {
		const struct ptx_call *c = &f->calls[i];

		if (c->callee != PTX_NO_INDEX)
			add_function(w, c->callee);
		for (uint32_t k = 0; k < c->target_count; k++)
			add_base(w, PTX_BASE_FUNCTION, c->targets[k]);
		add_operands(w, c->results, c->result_count);
		add_operands(w, c->args, c->arg_count);
	}
}

enum err reach_find(struct arena *a, const struct ptx_module *m,
		    const uint32_t *kernels, uint32_t kernel_count,
		    struct reach *ret)
{
	struct walk w = {.m = m};

	w.r.functions = ARENA_ARRAY(a, m->function_count + 1u, bool);
	w.r.addressed = ARENA_ARRAY(a, m->function_count + 1u, bool);
	w.r.variables = ARENA_ARRAY(a, m->variable_count + 1u, bool);
	w.todo = ARENA_ARRAY(a, m->function_count + m->variable_count + 1u,
			     uint32_t);
	if (!w.r.functions || !w.r.addressed || !w.r.variables || !w.todo)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < kernel_count; i++)
		add_function(&w, kernels[i]);
	while (w.todo_count > 0) {
		uint32_t i = w.todo[--w.todo_count];

		if (i < m->function_count) {
			walk_function(&w, &m->functions[i]);
			continue;
		}
		const struct ptx_variable *v =
			&m->variables[i - m->function_count];

		for (uint32_t k = 0; k < v->reloc_count; k++)
			add_base(&w, v->relocs[k].base, v->relocs[k].index);
	}
	*ret = w.r;
	return ERR_OK;
}
