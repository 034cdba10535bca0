/*
 * The graph of calls: how deep it goes.  Callees' registers have a place of
 * their own, so a function that can reach itself is refused.
 */
#include <stdlib.h>

#include "gpu/exec/priv/load.h"

enum mark { FRESH, OPEN, CLOSED };

struct visit {
	uint32_t function;
	uint32_t op; /* next one to look at */
};

struct graph {
	struct loader *l;
	uint8_t *marks;
	uint32_t *depths;
	struct visit *stack;
	uint32_t top;
};

static void open_function(struct graph *g, uint32_t f)
{
	g->marks[f] = OPEN;
	g->stack[g->top++] = (struct visit){.function = f,
					    .op = g->l->m->functions[f].entry};
}

/* One step of the depth-first walk from the stack's top. */
static void step(struct graph *g)
{
	struct exec_module *m = g->l->m;
	struct visit *v = &g->stack[g->top - 1];
	if (v->op >= m->functions[v->function].end) {
		g->marks[v->function] = CLOSED;
		g->top--;
		return;
	}
	const struct op *o = &m->ops[v->op];
	if (o->id != OP_call) {
		v->op++;
		return;
	}
	if (g->marks[o->target] == FRESH) {
		open_function(g, o->target);
	} else if (g->marks[o->target] == OPEN) {
		load_refuse(g->l, "recursion is not executed here");
		if (g->l->why != NULL)
			g->l->why->line = o->line;
	} else {
		uint32_t depth = g->depths[o->target] + 1;
		if (depth > g->depths[v->function])
			g->depths[v->function] = depth;
		v->op++;
	}
}

void load_call_depths(struct loader *l)
{
	uint32_t n = l->m->function_count;
	struct graph g = {.l = l};
	g.marks = calloc((size_t)n + 1, sizeof(*g.marks));
	g.depths = calloc((size_t)n + 1, sizeof(*g.depths));
	g.stack = calloc((size_t)n + 1, sizeof(*g.stack));
	if (g.marks == NULL || g.depths == NULL || g.stack == NULL)
		l->err = ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n && l->err == ERR_OK; i++) {
		if (g.marks[i] == FRESH && l->pm->functions[i].has_body)
			open_function(&g, i);
		while (g.top > 0 && l->err == ERR_OK)
			step(&g);
	}
	for (uint32_t i = 0; i < n && l->err == ERR_OK; i++) {
		if (g.depths[i] > l->m->depth_max)
			l->m->depth_max = g.depths[i];
	}
	free(g.marks);
	free(g.depths);
	free(g.stack);
}
