/*
 * Who wrote and read each byte, over all CTAs of a run: for conflicts and for
 * the finder.  Bounded: beyond CROSS_CELLS_MAX cells nothing new is tracked.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/trace.h"

#define CROSS_CELLS_MAX (1u << 21)

/* CTAs plus 1, by byte; the lowest writer, and the readers' two lowest. */
struct owner {
	uint64_t writer[CELL_BYTES];
	uint64_t reader[CELL_BYTES];
	uint64_t atomic; /* only atomic accesses */
};

struct cross {
	pthread_mutex_t lock;
	const struct exec_options *options;
	struct cells cells;
	struct owner *owners;
	uint32_t owner_cap;
	struct exec_found found[EXEC_RANGES_MAX];
};

struct cross *cross_new(const struct exec_options *options)
{
	struct cross *x = calloc(1, sizeof(*x));
	if (x == NULL)
		return NULL;
	x->options = options;
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

void cross_free(struct cross *x)
{
	if (x == NULL)
		return;
	pthread_mutex_destroy(&x->lock);
	cells_free(&x->cells);
	free(x->owners);
	free(x);
}

static struct owner *owner_of(struct cross *x, const struct cell *e)
{
	struct window w = {.origin = EXEC_BUFFER_BASE(e->buffer),
			   .host = e->host,
			   .base = EXEC_BUFFER_BASE(e->buffer) +
				   e->number * CELL_BYTES,
			   .bytes = e->bytes};
	if (x->cells.count >= CROSS_CELLS_MAX)
		return NULL;
	struct cell *c =
		cells_at(&x->cells, e->buffer, e->number * CELL_BYTES, &w);
	if (c == NULL)
		return NULL;
	if (x->cells.cap > x->owner_cap) {
		struct owner *o =
			realloc(x->owners, (size_t)x->cells.cap * sizeof(*o));
		if (o == NULL)
			return NULL;
		memset(o + x->owner_cap, 0,
		       (size_t)(x->cells.cap - x->owner_cap) * sizeof(*o));
		x->owners = o;
		x->owner_cap = x->cells.cap;
	}
	return &x->owners[c - x->cells.list];
}

static bool is_other(uint64_t who, uint64_t me)
{
	return who != 0 && who != me;
}

/* One byte; true: a conflict between CTAs. */
static bool own(struct owner *o, const struct cell *e, uint32_t k, uint64_t me)
{
	uint64_t bit = (uint64_t)1 << k;
	bool writes = (e->written & bit) != 0, reads = (e->read & bit) != 0;
	bool is_atomic = (e->plain & bit) == 0;
	bool is_new = o->writer[k] == 0 && o->reader[k] == 0;
	bool conflict = false;
	bool both = is_atomic && (o->atomic & bit) != 0;
	/* Equal bytes from two writers are no conflict. */
	bool changes = writes && e->old[k] != e->host[k];
	if (!both && writes)
		conflict = (changes && is_other(o->writer[k], me)) ||
			   is_other(o->reader[k], me);
	if (!both && reads)
		conflict = conflict || is_other(o->writer[k], me);
	if (writes && (o->writer[k] == 0 || me < o->writer[k]))
		o->writer[k] = me;
	if (reads && (o->reader[k] == 0 || me < o->reader[k]))
		o->reader[k] = me;
	if (is_new && is_atomic)
		o->atomic |= bit;
	if (!is_atomic)
		o->atomic &= ~bit;
	return conflict;
}

/* What the finder keeps about one byte of a range. */
static void find(struct cross *x, const struct cell *e, uint32_t k,
		 uint64_t cta, bool conflict)
{
	uint64_t offset = e->number * CELL_BYTES + k;
	for (size_t i = 0; i < x->options->range_count; i++) {
		const struct exec_range *r = &x->options->ranges[i];
		struct exec_found *f = &x->found[i];
		if (r->buffer != e->buffer || offset < r->offset ||
		    offset - r->offset >= r->bytes)
			continue;
		if ((e->written >> k & 1u) != 0 &&
		    (!f->written || cta < f->writer)) {
			f->written = true;
			f->writer = cta;
		}
		if ((e->read >> k & 1u) != 0 && (!f->read || cta < f->reader)) {
			f->read = true;
			f->reader = cta;
		}
		f->conflict = f->conflict || conflict;
	}
}

uint64_t cross_add(struct cross *x, const struct cells *c, uint64_t cta)
{
	uint64_t address = 0;
	pthread_mutex_lock(&x->lock);
	for (uint32_t i = 0; i < c->count; i++) {
		const struct cell *e = &c->list[i];
		struct owner *o = owner_of(x, e);
		for (uint32_t k = 0; k < e->bytes; k++) {
			if (((e->written | e->read) >> k & 1u) == 0)
				continue;
			bool conflict = o != NULL && own(o, e, k, cta + 1);
			if (conflict && address == 0)
				address = EXEC_BUFFER_BASE(e->buffer) +
					  e->number * CELL_BYTES + k;
			find(x, e, k, cta, conflict);
		}
	}
	pthread_mutex_unlock(&x->lock);
	return address;
}

void cross_found(const struct cross *x, struct exec_found *ret_found)
{
	memcpy(ret_found, x->found, sizeof(x->found));
}
