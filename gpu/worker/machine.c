/*
 * Each part is loaded as a module of its own: its text is canonical and
 * complete, and module variables that are memory are bound to the same
 * buffers in all of them.
 *
 * Hashing keeps every leaf hash of an object once a step may have written it;
 * afterwards only leaves whose hash changed cost a path in the tree.
 */
#define _GNU_SOURCE
#include "gpu/worker/priv/machine.h"

#include <string.h>
#include <sys/mman.h>

#include "gpu/program/trace.h"

static struct exec_buffer *add_buffer(struct machine *m)
{
	return &m->buffers[m->buffer_count++];
}

static enum err init_buffer(struct machine *m, uint32_t index,
			    const struct job_input *inputs,
			    uint32_t input_count)
{
	const struct program_buffer *pb = &m->p->buffers[index];
	struct exec_buffer *b = add_buffer(m);
	enum err e;

	b->bytes = pb->bytes;
	b->writable = true;
	for (uint32_t i = 0; i < input_count; i++)
		if (inputs[i].buffer == index && pb->init == PROGRAM_INIT_INPUT)
			return inputs[i].bytes != pb->bytes
				       ? worker_fail(m->w, ERR_MALFORMED,
						     "input %u is of another "
						     "size",
						     index)
				       : ERR_OK;
	e = worker_zeroes(m->w, pb->bytes, &b->data);
	if (!e && pb->fill)
		memset(b->data, pb->fill, pb->bytes);
	return e;
}

/* Descriptors come in the request's order, not the buffers'. */
static enum err map_inputs(struct machine *m, const struct job_input *inputs,
			   uint32_t input_count)
{
	for (uint32_t i = 0; i < input_count; i++) {
		uint32_t index = inputs[i].buffer;
		struct exec_buffer *b = &m->buffers[index];
		enum err e;

		if (index >= m->p->buffer_count || b->data)
			return worker_fail(m->w, ERR_MALFORMED,
					   "buffer %u is no input", index);
		if (m->w->fds_taken < m->w->fd_count)
			m->fds[index] = m->w->fds[m->w->fds_taken];
		e = worker_next_memory(m->w, b->bytes, true, &b->data);
		if (e)
			return e;
	}
	return ERR_OK;
}

static enum err init_symbol(struct machine *m, uint32_t symbol, bool written)
{
	const struct program_symbol *s = &m->p->symbols[symbol];
	struct exec_buffer *b = add_buffer(m);
	enum err e = worker_zeroes(m->w, s->bytes, &b->data);

	if (e)
		return e;
	b->bytes = s->bytes;
	b->writable = written;
	if (s->data.n)
		memcpy(b->data, s->data.p, s->data.n);
	m->symbols[m->symbol_count++] =
		(struct exec_symbol){s->name, m->buffer_count - 1};
	return ERR_OK;
}

/* Written symbols are objects; the constants come behind them. */
static enum err init_symbols(struct machine *m)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < m->p->symbol_count && !e; i++)
		if (m->p->symbols[i].written)
			e = init_symbol(m, i, true);
	for (uint32_t i = 0; i < m->p->symbol_count && !e; i++)
		if (!m->p->symbols[i].written)
			e = init_symbol(m, i, false);
	return e;
}

enum err machine_init(struct machine *m, struct worker *w,
		      const struct program *p, const struct program_task *task,
		      const struct job_input *inputs, uint32_t input_count)
{
	enum err e = ERR_OK;

	memset(m, 0, sizeof(*m));
	m->w = w;
	m->p = p;
	m->task = task;
	m->object_count = program_object_count(p);
	for (uint32_t i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		m->fds[i] = -1;
	m->modules =
		ARENA_ARRAY(w->arena, p->part_count + 1, struct exec_module *);
	m->trees =
		ARENA_ARRAY(w->arena, p->part_count + 1, struct ptx_module *);
	if (!m->modules || !m->trees)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < p->buffer_count && !e; i++)
		e = init_buffer(m, i, inputs, input_count);
	if (!e)
		e = map_inputs(m, inputs, input_count);
	if (!e)
		e = init_symbols(m);
	if (!e)
		program_start_roots(p, task, m->roots);
	return e;
}

/* New private pages over the old ones: zeroes, or the input's. */
static enum err remap(const struct exec_buffer *b, int fd)
{
	int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE |
		    (fd < 0 ? MAP_ANONYMOUS : 0);

	if (!b->bytes)
		return ERR_OK;
	return mmap(b->data, b->bytes, PROT_READ | PROT_WRITE, flags, fd, 0) ==
			       MAP_FAILED
		       ? ERR_NO_MEMORY
		       : ERR_OK;
}

enum err machine_reset(struct machine *m)
{
	for (uint32_t i = 0; i < m->object_count; i++) {
		struct exec_buffer *b = &m->buffers[i];
		bool is = i < m->p->buffer_count;
		enum err e = remap(b, is ? m->fds[i] : -1);

		if (e)
			return e;
		if (is && m->fds[i] < 0 && m->p->buffers[i].fill)
			memset(b->data, m->p->buffers[i].fill, b->bytes);
		if (is && m->given[i].n && m->given[i].n == b->bytes)
			memcpy(b->data, m->given[i].p, b->bytes);
		if (!is) {
			const struct program_symbol *s =
				&m->p->symbols[program_object_symbol(m->p, i)];

			if (s->data.n)
				memcpy(b->data, s->data.p, s->data.n);
		}
	}
	return ERR_OK;
}

enum err machine_load(struct machine *m, uint32_t part_index)
{
	const struct program_part *part = &m->p->parts[part_index];

	if (m->modules[part_index])
		return ERR_OK;
	return worker_load(m->w, part->text, part->stack_bytes,
			   &m->trees[part_index], &m->modules[part_index]);
}

enum err machine_launch(struct machine *m, const struct program_launch *step,
			struct exec_launch *ret_launch)
{
	const struct program_part *part = &m->p->parts[step->part_index];
	struct program_params params;
	struct exec_reloc *relocs;
	enum err e = program_launch_params(m->w->arena, m->p, step, m->task,
					   &params);

	if (e == ERR_OVERFLOW || e == ERR_REFUSED)
		return worker_fail(m->w, ERR_REFUSED,
				   "step %llu: an argument does not fit its "
				   "type or buffer in this task",
				   (unsigned long long)step->number);
	if (e)
		return e;
	relocs = ARENA_ARRAY(m->w->arena, (size_t)params.reloc_count + 1,
			     struct exec_reloc);
	if (!relocs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < params.reloc_count; i++)
		relocs[i] = (struct exec_reloc){params.relocs[i].at_bytes,
						params.relocs[i].buffer_index,
						params.relocs[i].offset};
	*ret_launch = (struct exec_launch){
		.kernel = part->entry,
		.shared_bytes = step->shared_bytes,
		.params = bytes_of(params.bytes, params.byte_count),
		.relocs = relocs,
		.reloc_count = params.reloc_count,
		.buffers = m->buffers,
		.buffer_count = m->buffer_count,
	};
	memcpy(ret_launch->grid, step->grid, sizeof(step->grid));
	memcpy(ret_launch->block, step->block, sizeof(step->block));
	return ERR_OK;
}

/* Only the symbols that the part's module has. */
static enum err bind_symbols(struct machine *m, uint32_t part_index,
			     struct exec_launch *l)
{
	const struct exec_module *module = m->modules[part_index];
	struct exec_symbol *bound = ARENA_ARRAY(
		m->w->arena, (size_t)m->symbol_count + 1, struct exec_symbol);

	if (!bound)
		return ERR_NO_MEMORY;
	l->symbols = bound;
	for (uint32_t i = 0; i < exec_variable_count(module); i++) {
		struct exec_variable v;

		exec_variable_at(module, i, &v);
		for (uint32_t s = 0; s < m->symbol_count; s++)
			if (bytes_eq(m->symbols[s].name, v.name))
				bound[l->symbol_count++] = m->symbols[s];
	}
	return ERR_OK;
}

/* A store to what the program says this step does not write is a fault: the
 * roots would not follow it, and a dispute would blame who ran it. */
static void allow_writes(struct machine *m, const struct program_launch *step)
{
	uint8_t access[PROGRAM_OBJECTS_MAX];

	program_step_access(m->p, step->step_index, access);
	for (uint32_t i = 0; i < m->object_count; i++)
		m->buffers[i].writable = (access[i] & PROGRAM_WRITE) != 0;
}

enum err machine_step_ctas(struct machine *m, const struct program_launch *step,
			   const uint64_t *ctas, uint64_t cta_count,
			   const struct exec_options *o,
			   struct exec_result *ret_result)
{
	struct exec_launch l;
	enum err e = machine_load(m, step->part_index);

	if (!e)
		e = machine_launch(m, step, &l);
	if (!e)
		e = bind_symbols(m, step->part_index, &l);
	if (e)
		return e;
	allow_writes(m, step);
	l.ctas = ctas;
	l.cta_count = cta_count;
	e = exec_run(m->modules[step->part_index], &l, o, m->w->arena,
		     ret_result);
	if (e == ERR_UNSUPPORTED)
		return worker_fail(m->w, ERR_REFUSED,
				   "this machine has no such lanes");
	return e;
}

struct exec_options machine_repeatable(const struct machine *m,
				       const struct program_launch *step,
				       const struct exec_options *o)
{
	struct exec_options ret = *o;

	if (step->kind == PROGRAM_STEP_LAUNCH &&
	    m->p->parts[step->part_index].independence == PROGRAM_ASSUMED)
		ret.threads = 1;
	return ret;
}

enum err machine_step(struct machine *m, const struct program_launch *step,
		      const struct exec_options *o,
		      struct exec_result *ret_result)
{
	uint8_t *to;

	if (step->kind == PROGRAM_STEP_LAUNCH)
		return machine_step_ctas(m, step, NULL, 0, o, ret_result);
	memset(ret_result, 0, sizeof(*ret_result));
	to = m->buffers[step->to_index].data + step->to_offset;
	if (step->kind == PROGRAM_STEP_FILL)
		memset(to, step->with, step->bytes);
	else
		memmove(to,
			m->buffers[step->from_index].data + step->from_offset,
			step->bytes);
	return ERR_OK;
}

static struct hash leaf_at(const struct exec_buffer *b, uint64_t leaf)
{
	uint64_t at = leaf * MERKLE_LEAF_BYTES;
	uint64_t n = b->bytes - at;

	return merkle_leaf(b->data + at,
			   n < MERKLE_LEAF_BYTES ? n : MERKLE_LEAF_BYTES);
}

enum err machine_hash_object(struct machine *m, uint32_t object)
{
	const struct exec_buffer *b = &m->buffers[object];
	struct machine_tree *t = &m->tree[object];
	uint64_t count = merkle_leaf_count(b->bytes);
	bool fresh = !t->leaves;
	struct hash tree;

	if (!count)
		return ERR_OK; /* an empty buffer's root never changes */
	if (fresh) {
		uint8_t *p;
		enum err e = worker_zeroes(m->w, count * HASH_BYTES, &p);

		if (!e)
			e = worker_take_memory(m->w, count * 2 * HASH_BYTES);
		if (e)
			return e;
		t->leaves = (struct hash *)p;
		t->store = merkle_store_new(count);
		if (!t->store)
			return ERR_NO_MEMORY;
	}
	for (uint64_t i = 0; i < count; i++) {
		struct hash h = leaf_at(b, i);

		if (!fresh && hash_eq(&h, &t->leaves[i]))
			continue;
		t->leaves[i] = h;
		merkle_store_set(t->store, i, &h);
	}
	tree = merkle_store_root(t->store);
	m->roots[object] = merkle_bytes_wrap(b->bytes, &tree);
	return ERR_OK;
}

enum err machine_hash(struct machine *m, const struct program_launch *step)
{
	uint8_t access[PROGRAM_OBJECTS_MAX];

	program_step_access(m->p, step->step_index, access);
	for (uint32_t i = 0; i < m->object_count; i++) {
		enum err e;

		if (!(access[i] & PROGRAM_WRITE))
			continue;
		e = machine_hash_object(m, i);
		if (e)
			return e;
	}
	return ERR_OK;
}

enum err machine_leaves(struct machine *m, uint32_t object,
			const struct hash **ret_leaves)
{
	if (!m->tree[object].leaves) {
		enum err e = machine_hash_object(m, object);

		if (e)
			return e;
	}
	*ret_leaves = m->tree[object].leaves;
	return ERR_OK;
}

enum err worker_task_begin(struct worker *w, struct bytes request,
			   struct job_task *ret_t, struct program *ret_p,
			   struct program_task *ret_task)
{
	enum err e = job_task_decode(w->arena, request, ret_t);

	if (e)
		return e;
	e = program_decode(w->arena, ret_t->program, ret_p);
	if (e)
		return worker_fail(w, e, "the program is malformed");
	e = program_task_decode(w->arena, ret_t->task, ret_task);
	if (!e)
		e = program_task_fits(ret_p, ret_task);
	if (e)
		return worker_fail(w, e, "the task does not fit the program");
	return ERR_OK;
}
