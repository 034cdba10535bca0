/*
 * The graph of calls, from the tree: cycles (Tarjan's components, without
 * recursion), how deep calls without cycles go, and which kernels reach what
 * needs a stack.
 *
 * Nodes are the functions; a prototype stands for an indirect call of its
 * shape and leads to every function that such a call may reach.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/load.h"

/* Most edges of the graph: hostile lists of targets end here. */
#define EDGES_MAX (1u << 22)

struct visit {
	uint32_t node;
	uint32_t edge; /* next one to look at */
};

struct graph {
	struct loader *l;
	uint32_t n;
	uint32_t *first; /* by node, n + 1: where its edges start */
	uint32_t *edges;
	uint32_t edge_count, edge_cap;
	uint32_t *number, *low; /* of the walk; 0: not seen */
	uint32_t *cycle;	/* UINT32_MAX: open */
	uint32_t *path;
	uint32_t *depth;
	uint8_t *needs; /* a stack, itself or something below it */
	struct visit *stack;
	uint32_t path_top, top, seen;
};

static void add_edge(struct graph *g, uint32_t to)
{
	void *p = g->edges;
	if (g->edge_count >= EDGES_MAX) {
		g->l->err = g->l->err == ERR_OK ? ERR_LIMIT : g->l->err;
		return;
	}
	if (!load_grow(g->l, &p, &g->edge_cap, g->edge_count + 1,
		       sizeof(*g->edges)))
		return;
	g->edges = p;
	g->edges[g->edge_count++] = to;
}

static void add_calls(struct graph *g, const struct ptx_function *f)
{
	const uint32_t *last = NULL;
	for (uint32_t i = 0; i < f->call_count && g->l->err == ERR_OK; i++) {
		const struct ptx_call *c = &f->calls[i];
		if (c->callee != PTX_NO_INDEX)
			add_edge(g, c->callee);
		else if (c->prototype != PTX_NO_INDEX)
			add_edge(g, c->prototype);
		else if (c->targets != last) {
			for (uint32_t k = 0; k < c->target_count; k++)
				add_edge(g, c->targets[k]);
			last = c->targets;
		}
	}
}

static void list_edges(struct graph *g)
{
	const struct ptx_module *pm = g->l->pm;
	for (uint32_t i = 0; i < g->n && g->l->err == ERR_OK; i++) {
		const struct ptx_function *f = &pm->functions[i];
		g->first[i] = g->edge_count;
		add_calls(g, f);
		for (uint32_t k = 0; f->is_prototype && k < g->n; k++) {
			if (ptx_same_shape(&pm->functions[k], f))
				add_edge(g, k);
		}
	}
	g->first[g->n] = g->edge_count;
}

static bool has_alloca(const struct ptx_function *f)
{
	for (uint32_t i = 0; i < f->instr_count; i++) {
		if (f->instrs[i].op == PTX_OP_alloca)
			return true;
	}
	return false;
}

static bool has_indirect(const struct ptx_function *f)
{
	for (uint32_t i = 0; i < f->call_count; i++) {
		if (f->calls[i].callee == PTX_NO_INDEX)
			return true;
	}
	return false;
}

static void open_node(struct graph *g, uint32_t node)
{
	const struct ptx_function *f = &g->l->pm->functions[node];
	g->number[node] = g->low[node] = ++g->seen;
	g->needs[node] = has_indirect(f) || has_alloca(f);
	g->path[g->path_top++] = node;
	g->stack[g->top++] =
		(struct visit){.node = node, .edge = g->first[node]};
}

/* All of a cycle is known: its nodes are what the path holds above node. */
static void close_cycle(struct graph *g, uint32_t node)
{
	uint32_t count = 0, member;
	do {
		member = g->path[--g->path_top];
		g->cycle[member] = node;
		count++;
	} while (member != node);
	for (uint32_t i = 0; i < count; i++) {
		member = g->path[g->path_top + i];
		if (count > 1)
			g->l->m->functions[member].is_recursive = true;
	}
}

/* One step of the depth-first walk from the stack's top. */
static void step(struct graph *g)
{
	struct visit *v = &g->stack[g->top - 1];
	uint32_t node = v->node;
	if (v->edge == g->first[node + 1]) {
		if (g->low[node] == g->number[node])
			close_cycle(g, node);
		if (--g->top == 0)
			return;
		uint32_t above = g->stack[g->top - 1].node;
		if (g->low[node] < g->low[above])
			g->low[above] = g->low[node];
		return;
	}
	uint32_t to = g->edges[v->edge];
	if (g->number[to] == 0) {
		open_node(g, to);
		return;
	}
	v->edge++;
	if (to == node)
		g->l->m->functions[node].is_recursive = true;
	if (g->cycle[to] == UINT32_MAX) {
		if (g->number[to] < g->low[node])
			g->low[node] = g->number[to];
	} else {
		uint32_t deeper = g->depth[to] + 1;
		if (deeper > g->depth[node])
			g->depth[node] = deeper;
	}
	if (g->needs[to] != 0 || g->l->m->functions[to].is_recursive)
		g->needs[node] = 1;
}

static void refuse_at(struct loader *l, const struct ptx_function *f,
		      const struct ptx_instr *in, const char *why)
{
	l->pf = f;
	l->in = in;
	load_refuse(l, why);
	l->in = NULL;
}

/* Without a stack, what needs one is refused by name and line. */
static void check_function(struct graph *g, uint32_t index)
{
	struct loader *l = g->l;
	const struct ptx_function *f = &l->pm->functions[index];
	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_instr *in = &f->instrs[i];
		if (in->op == PTX_OP_alloca)
			refuse_at(l, f, in, "needs a stack");
		if (in->op != PTX_OP_call)
			continue;
		uint32_t callee = f->calls[in->aux].callee;
		if (callee == PTX_NO_INDEX)
			refuse_at(l, f, in, "by an address needs a stack");
		else if (l->m->functions[index].is_recursive &&
			 g->cycle[callee] == g->cycle[index])
			refuse_at(l, f, in, "in a recursion needs a stack");
	}
}

static void settle(struct graph *g)
{
	struct loader *l = g->l;
	bool any = false;
	for (uint32_t i = 0; i < g->n; i++) {
		struct function *f = &l->m->functions[i];
		f->cycle = g->cycle[i];
		f->needs_stack = f->is_entry && g->needs[i] != 0;
		any = any || g->needs[i] != 0 || f->is_recursive;
		if (g->depth[i] > l->m->depth_max)
			l->m->depth_max = g->depth[i];
		if (l->m->stack_bytes == 0 && l->err == ERR_OK)
			check_function(g, i);
	}
	if (!any)
		l->m->stack_bytes = 0;
}

static bool graph_new(struct graph *g)
{
	size_t n = (size_t)g->n + 1;
	uint32_t *p = calloc(6 * n, sizeof(*p));
	g->first = p;
	g->needs = calloc(n, 1);
	g->stack = calloc(n, sizeof(*g->stack));
	if (p == NULL || g->needs == NULL || g->stack == NULL)
		return false;
	g->number = p + n;
	g->low = p + 2 * n;
	g->cycle = p + 3 * n;
	g->path = p + 4 * n;
	g->depth = p + 5 * n;
	memset(g->cycle, 0xff, n * sizeof(*g->cycle));
	return true;
}

void load_call_graph(struct loader *l)
{
	struct graph g = {.l = l, .n = l->m->function_count};
	if (graph_new(&g))
		list_edges(&g);
	else
		l->err = ERR_NO_MEMORY;
	for (uint32_t i = 0; i < g.n && l->err == ERR_OK; i++) {
		if (g.number[i] == 0)
			open_node(&g, i);
		while (g.top > 0)
			step(&g);
	}
	if (l->err == ERR_OK)
		settle(&g);
	free(g.first);
	free(g.edges);
	free(g.needs);
	free(g.stack);
}
