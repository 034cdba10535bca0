/*
 * Touched pages as sorted, merged lists: what a run wrote and read.
 */
#include <string.h>

#include "base/arena.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

static bool is_before(const struct page *x, const struct page *y)
{
	return x->buffer != y->buffer ? x->buffer < y->buffer
				      : x->number < y->number;
}

static void sift(const struct page **v, size_t from, size_t n)
{
	for (size_t child; (child = 2 * from + 1) < n; from = child) {
		if (child + 1 < n && is_before(v[child], v[child + 1]))
			child++;
		if (!is_before(v[from], v[child]))
			return;
		const struct page *t = v[from];
		v[from] = v[child];
		v[child] = t;
	}
}

/* A heap sort: qsort() may ask the system for its memory, which a sandboxed
 * process may not. */
static void sort_pages(const struct page **v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	for (size_t i = n; i-- > 1;) {
		const struct page *t = v[0];
		v[0] = v[i];
		v[i] = t;
		sift(v, 0, i);
	}
}

/* The pages in order; NULL: out of memory. */
static const struct page **sorted_pages(const struct pages *c,
					struct arena *arena)
{
	const struct page **v = (const struct page **)arena_array(
		arena, (size_t)c->count + 1, sizeof(*v), sizeof(void *));
	if (v == NULL)
		return NULL;
	for (uint32_t i = 0; i < c->count; i++)
		v[i] = c->list[i];
	sort_pages(v, c->count);
	return v;
}

struct write_list {
	struct exec_write *w;
	size_t count;
	uint8_t *data;
};

/* Of the NaN that byte k is a part of: its size, or 0. */
static uint32_t nan_bytes(const struct page *e, uint32_t k)
{
	uint8_t code = (e->has & HAS_NAN) != 0 ? e->tags->nan[k] : 0;
	return code >= NAN_BYTE64   ? 8
	       : code >= NAN_BYTE32 ? 4
	       : code >= NAN_BYTE16 ? 2
				    : 0;
}

static bool is_written(const struct page *e, uint32_t k)
{
	return (e->written[k / 64] >> (k % 64) & 1u) != 0;
}

/* One written byte at the end of the list; joins the last range if it can. */
static void put_byte(struct write_list *l, const struct page *e, uint32_t k)
{
	uint64_t offset = e->number * PAGE_BYTES + k;
	uint32_t nan = nan_bytes(e, k);
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

/* Most ranges and bytes that a page's writes make. */
static void count_page(const struct page *e, size_t *bytes, size_t *runs)
{
	uint32_t last = UINT32_MAX;
	for (uint32_t k = 0; e->is_written && k < e->bytes; k++) {
		uint32_t now = is_written(e, k) ? nan_bytes(e, k) : UINT32_MAX;
		*runs += now != UINT32_MAX && now != last;
		*bytes += now != UINT32_MAX;
		last = now;
	}
}

enum err pages_writes(const struct pages *p, struct arena *arena,
		      const struct exec_write **ret_writes, size_t *ret_count)
{
	const struct page **v = sorted_pages(p, arena);
	size_t bytes = 0, runs = 0;
	for (uint32_t i = 0; i < p->count; i++)
		count_page(p->list[i], &bytes, &runs);
	struct write_list l = {
		.w = ARENA_ARRAY(arena, runs + 1, struct exec_write),
		.data = arena_alloc(arena, bytes + 1, 8)};
	if (v == NULL || l.w == NULL || l.data == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < p->count; i++) {
		for (uint32_t k = 0; v[i]->is_written && k < v[i]->bytes; k++) {
			if (is_written(v[i], k))
				put_byte(&l, v[i], k);
		}
	}
	*ret_writes = l.w;
	*ret_count = l.count;
	return ERR_OK;
}

enum err pages_reads(const struct pages *p, const struct exec_launch *in,
		     struct arena *arena, const struct exec_range **ret_reads,
		     size_t *ret_count)
{
	const struct page **v = sorted_pages(p, arena);
	struct exec_range *r =
		ARENA_ARRAY(arena, (size_t)p->count + 1, struct exec_range);
	size_t n = 0;
	if (v == NULL || r == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < p->count; i++) {
		if (!v[i]->is_read)
			continue;
		uint64_t all = in->buffers[v[i]->buffer].bytes;
		uint64_t start = v[i]->number * PAGE_BYTES;
		uint64_t end =
			all - start < PAGE_BYTES ? all : start + PAGE_BYTES;
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
