/*
 * WIRE_PTX_RUN: one launch of one kernel, as often as a benchmark wants it.
 * The parameter bytes are laid out here, where the kernel's shape is known.
 * Symbols that the request names become buffers behind those of the request,
 * so do all variables that the kernels write.
 */
#include <string.h>

#include "gpu/worker/priv/job.h"

/* Of a file's kernels, when one is asked for that is not there. */
#define KERNELS_SHOWN 8u

struct ptx_job {
	struct worker *w;
	struct job_ptx_run r;
	struct exec_module *module;
	struct exec_kernel kernel;
	struct exec_buffer *buffers;
	size_t buffer_count;
	struct exec_symbol *symbols;
	size_t symbol_count;
	uint8_t *params;
	struct exec_reloc *relocs;
	size_t reloc_count;
};

static enum err take_buffers(struct ptx_job *j)
{
	uint32_t variables = exec_variable_count(j->module);
	size_t most = (size_t)j->r.buffer_count + variables;

	j->buffers = ARENA_ARRAY(j->w->arena, most + 1, struct exec_buffer);
	j->symbols = ARENA_ARRAY(j->w->arena, (size_t)variables + 1,
				 struct exec_symbol);
	if (!j->buffers || !j->symbols)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < j->r.buffer_count; i++) {
		struct exec_buffer *b = &j->buffers[i];
		enum err e;

		b->bytes = j->r.buffers[i].bytes;
		b->writable = j->r.buffers[i].writable;
		e = worker_next_memory(j->w, b->bytes, false, &b->data);
		if (e)
			return e;
	}
	j->buffer_count = j->r.buffer_count;
	return ERR_OK;
}

static const struct job_symbol *named(const struct ptx_job *j,
				      struct bytes name)
{
	for (uint32_t i = 0; i < j->r.symbol_count; i++)
		if (bytes_eq(j->r.symbols[i].name, name))
			return &j->r.symbols[i];
	return NULL;
}

/* A variable that is written, or was given bytes, gets a buffer. */
static enum err bind_variable(struct ptx_job *j, const struct exec_variable *v)
{
	const struct job_symbol *given = named(j, v->name);
	struct exec_buffer *b = &j->buffers[j->buffer_count];
	enum err e;

	/* What holds addresses stays the constant that its initialiser makes:
	 * it may be loaded and followed; a store to it is a fault. */
	if (!given && (!v->written || v->holds_addresses))
		return ERR_OK;
	if (given && given->data.n > v->bytes)
		return worker_fail(j->w, ERR_REFUSED,
				   "symbol %.*s has %llu bytes, not %zu",
				   (int)v->name.n, (const char *)v->name.p,
				   (unsigned long long)v->bytes, given->data.n);
	if (v->holds_addresses)
		return worker_fail(j->w, ERR_EXEC_REFUSED,
				   "symbol %.*s holds addresses",
				   (int)v->name.n, (const char *)v->name.p);
	e = worker_zeroes(j->w, v->bytes, &b->data);
	if (e)
		return e;
	if (given)
		memcpy(b->data, given->data.p, given->data.n);
	else if (v->bytes)
		memcpy(b->data, v->init, v->bytes);
	b->bytes = v->bytes;
	b->writable = v->written;
	j->symbols[j->symbol_count++] =
		(struct exec_symbol){v->name, (uint32_t)j->buffer_count};
	j->buffer_count++;
	return ERR_OK;
}

static enum err bind_variables(struct ptx_job *j)
{
	for (uint32_t s = 0; s < j->r.symbol_count; s++) {
		struct bytes name = j->r.symbols[s].name;
		bool found = false;

		for (uint32_t i = 0; i < exec_variable_count(j->module); i++) {
			struct exec_variable v;

			exec_variable_at(j->module, i, &v);
			found |= bytes_eq(v.name, name);
		}
		if (!found)
			return worker_fail(j->w, ERR_REFUSED,
					   "no symbol is called %.*s",
					   (int)name.n, (const char *)name.p);
	}
	for (uint32_t i = 0; i < exec_variable_count(j->module); i++) {
		struct exec_variable v;
		enum err e;

		exec_variable_at(j->module, i, &v);
		e = bind_variable(j, &v);
		if (e)
			return e;
	}
	return ERR_OK;
}

static enum err lay_out(struct ptx_job *j, uint32_t index)
{
	const struct job_ptx_arg *arg = &j->r.args[index];
	struct exec_param p;

	exec_kernel_param(j->module, j->r.kernel, index, &p);
	if (arg->is_buffer) {
		if (p.size_bytes != 8)
			return worker_fail(j->w, ERR_REFUSED,
					   "argument %u is a buffer, the "
					   "kernel takes %u bytes there",
					   index, p.size_bytes);
		j->relocs[j->reloc_count++] =
			(struct exec_reloc){p.offset_bytes, arg->buffer, 0};
		return ERR_OK;
	}
	if (arg->bytes.n != p.size_bytes)
		return worker_fail(j->w, ERR_REFUSED,
				   "argument %u (%.*s) has %zu bytes, the "
				   "kernel takes %u",
				   index, (int)arg->type.n,
				   (const char *)arg->type.p, arg->bytes.n,
				   p.size_bytes);
	memcpy(j->params + p.offset_bytes, arg->bytes.p, arg->bytes.n);
	return ERR_OK;
}

static enum err lay_out_all(struct ptx_job *j)
{
	if (j->r.arg_count != j->kernel.param_count)
		return worker_fail(j->w, ERR_REFUSED,
				   "the kernel takes %u arguments, given: %u",
				   j->kernel.param_count, j->r.arg_count);
	j->params =
		arena_alloc(j->w->arena, (size_t)j->kernel.param_bytes + 1, 16);
	j->relocs = ARENA_ARRAY(j->w->arena, (size_t)j->r.arg_count + 1,
				struct exec_reloc);
	if (!j->params || !j->relocs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < j->r.arg_count; i++) {
		enum err e = lay_out(j, i);

		if (e)
			return e;
	}
	return ERR_OK;
}

static void on_progress(void *ctx, uint64_t ctas_done)
{
	struct ptx_job *j = ctx;
	uint64_t total = j->r.one_cta ? 1
				      : (uint64_t)j->r.grid[0] * j->r.grid[1] *
						j->r.grid[2];

	worker_progress(j->w, ctas_done, total);
}

static enum err launch(struct ptx_job *j, struct buf *answer)
{
	struct exec_launch l = {
		.kernel = j->r.kernel,
		.shared_bytes = j->r.shared_bytes,
		.params = bytes_of(j->params, j->kernel.param_bytes),
		.relocs = j->relocs,
		.reloc_count = j->reloc_count,
		.buffers = j->buffers,
		.buffer_count = j->buffer_count,
		.symbols = j->symbols,
		.symbol_count = j->symbol_count,
		.ctas = j->r.one_cta ? &j->r.cta : NULL,
		.cta_count = j->r.one_cta ? 1 : 0,
	};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result result;
	struct job_run run;
	uint64_t begin;
	enum err e = worker_how(j->w, &j->r.how, &o);

	if (e)
		return e;
	memcpy(l.grid, j->r.grid, sizeof(l.grid));
	memcpy(l.block, j->r.block, sizeof(l.block));
	o.progress = on_progress;
	o.progress_ctx = j;
	begin = worker_now_us();
	for (uint32_t i = 0; i < j->r.repeats; i++) {
		e = exec_run(j->module, &l, &o, j->w->arena, &result);
		if (e == ERR_UNSUPPORTED)
			return worker_fail(j->w, ERR_REFUSED,
					   "this machine has no such lanes");
		if (e)
			return e;
		if (result.outcome != EXEC_OK)
			break;
	}
	begin = worker_now_us() - begin;
	e = worker_run_report(j->w, &result, j->r.kernel, &run);
	if (e)
		return e;
	run.run_us = begin;
	job_run_encode(answer, &run);
	return ERR_OK;
}

/* Functions that a walk over calls has found, and those still to look at. */
struct walk {
	struct ptx_module *tree;
	bool *found;
	uint32_t *todo;
	uint32_t todo_count;
};

static void walk_to(struct walk *k, uint32_t function)
{
	if (k->found[function])
		return;
	k->found[function] = true;
	k->todo[k->todo_count++] = function;
}

/* A call by an address may reach every device function. */
static void walk_calls(struct walk *k, const struct ptx_function *f)
{
	for (uint32_t i = 0; i < f->call_count; i++) {
		if (f->calls[i].callee != PTX_NO_INDEX) {
			walk_to(k, f->calls[i].callee);
			continue;
		}
		for (uint32_t g = 0; g < k->tree->function_count; g++) {
			if (!k->tree->functions[g].is_entry)
				walk_to(k, g);
		}
	}
}

static enum err no_kernel(struct ptx_job *j, const struct ptx_module *tree)
{
	const char *list = "";
	uint32_t shown = 0;

	for (uint32_t i = 0; i < tree->function_count && list; i++) {
		const struct ptx_function *f = &tree->functions[i];

		if (!f->is_entry || shown > KERNELS_SHOWN)
			continue;
		if (shown++ == KERNELS_SHOWN)
			list = arena_printf(j->w->arena, "%s, ...", list);
		else
			list = arena_printf(j->w->arena, "%s%s %.*s", list,
					    shown > 1 ? "," : "; there is",
					    (int)f->name.n,
					    (const char *)f->name.p);
	}
	return worker_fail(j->w, ERR_REFUSED, "no kernel is called %.*s%s",
			   (int)j->r.kernel.n, (const char *)j->r.kernel.p,
			   list ? list : "");
}

/* Take the bodies of all functions that the kernel cannot reach, so that
 * what is not executed there does not stop this one. */
static enum err keep_reached(struct ptx_job *j, struct ptx_module *tree)
{
	uint32_t n = tree->function_count;
	struct walk k = {.tree = tree};

	k.found = ARENA_ARRAY(j->w->arena, (size_t)n + 1, bool);
	k.todo = ARENA_ARRAY(j->w->arena, (size_t)n + 1, uint32_t);
	if (!k.found || !k.todo)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		if (tree->functions[i].is_entry &&
		    bytes_eq(tree->functions[i].name, j->r.kernel))
			walk_to(&k, i);
	}
	if (!k.todo_count)
		return no_kernel(j, tree);
	while (k.todo_count)
		walk_calls(&k, &tree->functions[k.todo[--k.todo_count]]);
	for (uint32_t i = 0; i < n; i++)
		tree->functions[i].has_body &= k.found[i];
	return ERR_OK;
}

enum err worker_ptx_run(struct worker *w, struct bytes request,
			struct buf *answer)
{
	/* Stack for recursion and indirect calls: as much as a thread may
	 * have, since no manifest says less. */
	const uint32_t stack_bytes = THREAD_LOCAL_BYTES_MAX;
	struct ptx_job j = {.w = w};
	struct ptx_module *tree;
	enum err e = job_ptx_run_decode(w->arena, request, &j.r);

	if (!e)
		e = worker_parse(w, j.r.ptx, &tree);
	if (!e)
		e = keep_reached(&j, tree);
	if (!e)
		e = worker_load_tree(w, tree, stack_bytes, &j.module);
	if (!e)
		e = exec_kernel_find(j.module, j.r.kernel, &j.kernel);
	if (!e)
		e = take_buffers(&j);
	if (!e)
		e = bind_variables(&j);
	if (!e)
		e = lay_out_all(&j);
	if (!e)
		e = launch(&j, answer);
	return e;
}
