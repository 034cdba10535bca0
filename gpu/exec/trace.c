/*
 * Notes of one CTA: cells in a list, found by an open hash table.  The old
 * bytes of a cell are kept from its first write on, so that the CTA can be
 * undone and run again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

static uint64_t cell_hash(uint32_t buffer, uint64_t number)
{
	return (number * 0x9e3779b97f4a7c15u ^ buffer * 0xff51afd7ed558ccdu) >>
	       20;
}

static bool cells_grow(struct cells *c)
{
	uint32_t cap = c->slot_cap == 0 ? 1024 : c->slot_cap * 2;
	uint32_t room = cap / 2;
	struct cell *list = realloc(c->list, (size_t)room * sizeof(*list));
	if (list == NULL)
		return false;
	c->list = list;
	c->cap = room;
	uint32_t *slots = calloc(cap, sizeof(*slots));
	if (slots == NULL)
		return false;
	for (uint32_t i = 0; i < c->count; i++) {
		uint64_t at = cell_hash(list[i].buffer, list[i].number);
		while (slots[at & (cap - 1)] != 0)
			at++;
		slots[at & (cap - 1)] = i + 1;
	}
	free(c->slots);
	c->slots = slots;
	c->slot_cap = cap;
	return true;
}

static struct cell *cells_find(struct cells *c, uint32_t buffer,
			       uint64_t number, bool *ret_is_new)
{
	if (c->count >= c->cap && !cells_grow(c))
		return NULL;
	if (c->last < c->count && c->list[c->last].number == number &&
	    c->list[c->last].buffer == buffer) {
		*ret_is_new = false;
		return &c->list[c->last];
	}
	uint64_t at = cell_hash(buffer, number), mask = c->slot_cap - 1;
	for (; c->slots[at & mask] != 0; at++) {
		struct cell *e = &c->list[c->slots[at & mask] - 1];
		if (e->number == number && e->buffer == buffer) {
			*ret_is_new = false;
			c->last = c->slots[at & mask] - 1;
			return e;
		}
	}
	struct cell *e = &c->list[c->count++];
	c->slots[at & mask] = c->count;
	*e = (struct cell){.number = number, .buffer = buffer};
	*ret_is_new = true;
	return e;
}

struct cell *cells_at(struct cells *c, uint32_t buffer, uint64_t offset,
		      const struct window *w)
{
	bool is_new;
	struct cell *e = cells_find(c, buffer, offset / CELL_BYTES, &is_new);
	if (e == NULL || !is_new)
		return e;
	uint64_t start = offset / CELL_BYTES * CELL_BYTES;
	uint64_t first = w->base - w->origin;
	uint64_t end = first + w->bytes;
	/* Pieces start at leaves, so a cell is never cut at its front. */
	e->host = w->host + (start - first);
	e->bytes =
		(uint32_t)(end - start < CELL_BYTES ? end - start : CELL_BYTES);
	return e;
}

static void cells_clear(struct cells *c)
{
	c->count = 0;
	if (c->slots != NULL)
		memset(c->slots, 0, c->slot_cap * sizeof(*c->slots));
}

void cells_free(struct cells *c)
{
	free(c->list);
	free(c->slots);
	*c = (struct cells){0};
}

enum err trace_new(const struct launch *l, struct trace **ret_trace)
{
	struct trace *t = calloc(1, sizeof(*t));
	enum err err = ERR_OK;
	if (t == NULL)
		return ERR_NO_MEMORY;
	if (l->options->witness_seed32 != NULL) {
		t->witness = calloc(l->threads, sizeof(*t->witness));
		err = t->witness == NULL ? ERR_NO_MEMORY : ERR_OK;
	}
	if (err == ERR_OK && l->options->sanitize)
		err = shadow_new(l, &t->shadow);
	if (err != ERR_OK) {
		trace_free(t);
		return err;
	}
	*ret_trace = t;
	return ERR_OK;
}

void trace_free(struct trace *t)
{
	if (t == NULL)
		return;
	shadow_free(t->shadow);
	cells_free(&t->cells);
	free(t->witness);
	free(t);
}

void trace_start(struct trace *t)
{
	cells_clear(&t->cells);
	t->nan_matters = false;
}

void trace_barrier(struct machine *mc)
{
	if (mc->trace->shadow != NULL)
		shadow_barrier(mc->trace->shadow);
}

static void note(struct cell *e, uint64_t bits, bool is_write, bool is_atomic)
{
	if (is_write && e->written == 0)
		memcpy(e->old, e->host, e->bytes);
	if (is_write) {
		e->written |= bits;
		e->nan &= ~bits;
	}
	if (!is_write || is_atomic)
		e->read |= bits;
	*(is_atomic ? &e->atomic : &e->plain) |= bits;
}

bool trace_access(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t address, uint8_t *host,
		  const struct window *w, uint32_t size, bool is_write)
{
	struct trace *t = mc->trace;
	bool is_atomic = o->id == OP_atom || o->id == OP_red;
	struct cell *e = NULL;
	if (w->buffer != UINT32_MAX) {
		uint64_t offset = address - w->origin;
		e = cells_at(&t->cells, w->buffer, offset, w);
		if (e == NULL) {
			machine_end(mc, s, EXEC_FAULT, EXEC_REASON_no_memory,
				    lane, address);
			return false;
		}
		/* Aligned and at most 32 bytes: inside one cell. */
		uint64_t bits = (((uint64_t)1 << size) - 1)
				<< (offset % CELL_BYTES);
		note(e, bits, is_write, is_atomic);
	}
	if (t->shadow == NULL)
		return true;
	return shadow_access(mc, s, o,
			     &(struct shadow_place){.lane = lane,
						    .address = address,
						    .host = host,
						    .window = w,
						    .cell = e,
						    .size = size,
						    .is_write = is_write,
						    .is_atomic = is_atomic});
}

void trace_undo(struct trace *t)
{
	for (uint32_t i = 0; i < t->cells.count; i++) {
		struct cell *e = &t->cells.list[i];
		for (uint32_t k = 0; k < e->bytes; k++) {
			if ((e->written >> k & 1u) != 0)
				e->host[k] = e->old[k];
		}
	}
}

enum err cells_merge(struct cells *to, const struct cells *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		const struct cell *e = &from->list[i];
		bool is_new;
		struct cell *t = cells_find(to, e->buffer, e->number, &is_new);
		if (t == NULL)
			return ERR_NO_MEMORY;
		if (is_new) {
			*t = *e;
			continue;
		}
		t->written |= e->written;
		t->read |= e->read;
		t->nan = (t->nan & ~e->written) | e->nan;
		t->nan_bytes |= e->nan_bytes;
	}
	return ERR_OK;
}

static bool is_before(const struct cell *x, const struct cell *y)
{
	return x->buffer != y->buffer ? x->buffer < y->buffer
				      : x->number < y->number;
}

static void sift(const struct cell **v, size_t from, size_t n)
{
	for (size_t child; (child = 2 * from + 1) < n; from = child) {
		if (child + 1 < n && is_before(v[child], v[child + 1]))
			child++;
		if (!is_before(v[from], v[child]))
			return;
		const struct cell *t = v[from];
		v[from] = v[child];
		v[child] = t;
	}
}

/* A heap sort: qsort() may ask the system for its memory, which a sandboxed
 * process may not. */
static void sort_cells(const struct cell **v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	for (size_t i = n; i-- > 1;) {
		const struct cell *t = v[0];
		v[0] = v[i];
		v[i] = t;
		sift(v, 0, i);
	}
}

/* The cells in order; NULL: out of memory. */
static const struct cell **sorted_cells(const struct cells *c,
					struct arena *arena)
{
	const struct cell **v = (const struct cell **)arena_array(
		arena, (size_t)c->count + 1, sizeof(*v), sizeof(void *));
	if (v == NULL)
		return NULL;
	for (uint32_t i = 0; i < c->count; i++)
		v[i] = &c->list[i];
	sort_cells(v, c->count);
	return v;
}

struct write_list {
	struct exec_write *w;
	size_t count;
	uint8_t *data;
};

/* One written byte at the end of the list; joins the last range if it can. */
static void put_byte(struct write_list *l, const struct cell *e, uint32_t k)
{
	uint64_t offset = e->number * CELL_BYTES + k;
	uint32_t nan = (e->nan >> k & 1u) != 0 ? e->nan_bytes : 0;
	struct exec_write *last = l->count > 0 ? &l->w[l->count - 1] : NULL;
	*l->data = e->host[k];
	if (last != NULL && last->buffer == e->buffer &&
	    last->offset + last->bytes == offset && last->nan_bytes == nan)
		last->bytes++;
	else
		l->w[l->count++] = (struct exec_write){.buffer = e->buffer,
						       .offset = offset,
						       .bytes = 1,
						       .data = l->data,
						       .nan_bytes = nan};
	l->data++;
}

enum err cells_writes(const struct cells *c, struct arena *arena,
		      const struct exec_write **ret_writes, size_t *ret_count)
{
	const struct cell **v = sorted_cells(c, arena);
	size_t bytes = 0, runs = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		uint64_t w = c->list[i].written, n = c->list[i].nan & w;
		bytes += (size_t)__builtin_popcountll(w);
		runs += 2 + 2 * (size_t)__builtin_popcountll(w & ~(w << 1)) +
			2 * (size_t)__builtin_popcountll(n & ~(n << 1));
	}
	struct write_list l = {
		.w = ARENA_ARRAY(arena, runs + 1, struct exec_write),
		.data = arena_alloc(arena, bytes + 1, 8)};
	if (v == NULL || l.w == NULL || l.data == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < c->count; i++) {
		for (uint32_t k = 0; k < v[i]->bytes; k++) {
			if ((v[i]->written >> k & 1u) != 0)
				put_byte(&l, v[i], k);
		}
	}
	*ret_writes = l.w;
	*ret_count = l.count;
	return ERR_OK;
}

#define LEAF_BYTES 512u

enum err cells_reads(const struct cells *c, const struct exec_launch *in,
		     struct arena *arena, const struct exec_range **ret_reads,
		     size_t *ret_count)
{
	const struct cell **v = sorted_cells(c, arena);
	struct exec_range *r =
		ARENA_ARRAY(arena, (size_t)c->count + 1, struct exec_range);
	size_t n = 0;
	if (v == NULL || r == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < c->count; i++) {
		if (v[i]->read == 0)
			continue;
		uint64_t all = in->buffers[v[i]->buffer].bytes;
		uint64_t start =
			v[i]->number * CELL_BYTES / LEAF_BYTES * LEAF_BYTES;
		uint64_t end =
			all - start < LEAF_BYTES ? all : start + LEAF_BYTES;
		struct exec_range *last = n > 0 ? &r[n - 1] : NULL;
		if (last != NULL && last->buffer == v[i]->buffer &&
		    last->offset + last->bytes >= start)
			last->bytes = end - last->offset;
		else
			r[n++] = (struct exec_range){.buffer = v[i]->buffer,
						     .offset = start,
						     .bytes = end - start};
	}
	*ret_reads = r;
	*ret_count = n;
	return ERR_OK;
}
