/*
 * Pages of touched bytes: a list, found by an open hash table with a small
 * cache before it.  The old bytes of a page are kept from its first write on,
 * so that the CTA can be undone and run again.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/machine.h"
#include "gpu/exec/priv/track.h"

static uint64_t page_hash(uint32_t buffer, uint64_t number)
{
	return (number * 0x9e3779b97f4a7c15u ^ buffer * 0xff51afd7ed558ccdu) >>
	       20;
}

static struct page **cached(struct pages *p, uint32_t buffer, uint64_t number)
{
	return &p->cache[(number + buffer * 61u) % PAGE_CACHE];
}

static bool pages_grow(struct pages *p)
{
	uint32_t cap = p->slot_cap == 0 ? 256 : p->slot_cap * 2;
	uint32_t room = cap / 2;
	struct page **list =
		realloc((void *)p->list, (size_t)room * sizeof(*list));
	if (list == NULL)
		return false;
	p->list = list;
	p->cap = room;
	uint32_t *slots = calloc(cap, sizeof(*slots));
	if (slots == NULL)
		return false;
	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t at = page_hash(list[i]->buffer, list[i]->number);
		while (slots[at & (cap - 1)] != 0)
			at++;
		slots[at & (cap - 1)] = i + 1;
	}
	free(p->slots);
	p->slots = slots;
	p->slot_cap = cap;
	return true;
}

/* The slot that holds the page, or the free one where it belongs. */
static uint32_t *slot_of(const struct pages *p, uint32_t buffer,
			 uint64_t number)
{
	uint64_t at = page_hash(buffer, number), mask = p->slot_cap - 1;
	for (; p->slots[at & mask] != 0; at++) {
		const struct page *e = p->list[p->slots[at & mask] - 1];
		if (e->number == number && e->buffer == buffer)
			break;
	}
	return &p->slots[at & mask];
}

struct page *pages_find(const struct pages *p, uint32_t buffer, uint64_t number)
{
	if (p->slot_cap == 0)
		return NULL;
	uint32_t i = *slot_of(p, buffer, number);
	return i == 0 ? NULL : p->list[i - 1];
}

static struct page *page_take(struct pages *p)
{
	if (p->count == p->made) {
		struct page *e = calloc(1, sizeof(*e));
		if (e == NULL)
			return NULL;
		p->list[p->made++] = e;
	}
	return p->list[p->count];
}

/* found or new, with only its name filled in; NULL: out of memory. */
static struct page *page_named(struct pages *p, uint32_t buffer,
			       uint64_t number, bool *ret_is_new)
{
	if (p->count >= p->cap && !pages_grow(p))
		return NULL;
	uint32_t *slot = slot_of(p, buffer, number);
	*ret_is_new = *slot == 0;
	if (*slot != 0)
		return p->list[*slot - 1];
	struct page *e = page_take(p);
	if (e == NULL)
		return NULL;
	*slot = ++p->count;
	e->buffer = buffer;
	e->number = number;
	e->has = 0;
	e->is_written = e->is_read = false;
	e->touched = e->saved = 0;
	memset(e->written, 0, sizeof(e->written));
	memset(e->read, 0, sizeof(e->read));
	return e;
}

struct page *pages_at(struct pages *p, uint32_t buffer, uint64_t offset,
		      const struct window *w)
{
	uint64_t number = offset / PAGE_BYTES, start = number * PAGE_BYTES;
	struct page **c = cached(p, buffer, number);
	bool is_new;
	if (*c != NULL && (*c)->number == number && (*c)->buffer == buffer)
		return *c;
	struct page *e = page_named(p, buffer, number, &is_new);
	if (e == NULL)
		return NULL;
	*c = e;
	if (!is_new)
		return e;
	uint64_t first = w->base - w->origin, end = first + w->bytes;
	/* Pieces start at leaves of as many bytes. */
	e->host = w->host + (start - first);
	e->bytes =
		(uint32_t)(end - start < PAGE_BYTES ? end - start : PAGE_BYTES);
	return e;
}

bool page_need_tags(struct page *e)
{
	if (e->has != 0)
		return true;
	if (e->tags == NULL)
		e->tags = malloc(sizeof(*e->tags));
	if (e->tags == NULL)
		return false;
	memset(e->tags, 0, sizeof(*e->tags));
	return true;
}

void pages_clear(struct pages *p)
{
	p->count = 0;
	memset((void *)p->cache, 0, sizeof(p->cache));
	if (p->slots != NULL)
		memset(p->slots, 0, p->slot_cap * sizeof(*p->slots));
}

void pages_free(struct pages *p)
{
	for (uint32_t i = 0; i < p->made; i++) {
		free(p->list[i]->race);
		free(p->list[i]->tags);
		free(p->list[i]);
	}
	free((void *)p->list);
	free(p->slots);
	*p = (struct pages){0};
}

/* A write without a NaN ends the NaN that was there. */
static bool merge_tags(struct page *to, const struct page *from)
{
	bool has = (from->has & HAS_NAN) != 0;
	if (!has && (to->has & HAS_NAN) == 0)
		return true;
	if (!page_need_tags(to))
		return false;
	to->has |= HAS_NAN;
	for (uint32_t k = 0; k < PAGE_BYTES; k++) {
		if ((from->written[k / 64] >> (k % 64) & 1u) != 0)
			to->tags->nan[k] = has ? from->tags->nan[k] : 0;
	}
	return true;
}

enum err pages_merge(struct pages *to, const struct pages *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		const struct page *e = from->list[i];
		bool is_new;
		struct page *t = page_named(to, e->buffer, e->number, &is_new);
		if (t == NULL || !merge_tags(t, e))
			return ERR_NO_MEMORY;
		t->host = e->host;
		t->bytes = e->bytes;
		t->is_written = t->is_written || e->is_written;
		t->is_read = t->is_read || e->is_read;
		for (uint32_t k = 0; k < PAGE_MASKS; k++) {
			t->written[k] |= e->written[k];
			t->read[k] |= e->read[k];
		}
	}
	return ERR_OK;
}
