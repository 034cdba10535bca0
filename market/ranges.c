/*
 * The list is one byte string of pairs (first, count), big endian, ascending.
 * A change reads it, moves what lies behind the place, and writes it back:
 * at most some tens of KiB, and nearly always a handful of pairs.
 */
#include <string.h>

#include "base/must.h"
#include "market/priv/codec.h"
#include "market/priv/ranges.h"
#include "market/priv/store.h"

#define PAIR_BYTES 8u
#define PAIRS_MAX  16384u

struct pair {
	uint32_t first;
	uint32_t count;
};

/* v is room.p: pairs while in use, big endian bytes when written. */
struct list {
	struct pair *v;
	uint32_t n;
	struct buf room;
};

static enum err list_read(struct ledger *l, const struct market_job *j,
			  struct bytes *ret_raw)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FREE, &j->id);
	struct bytes v;
	struct dec d;
	enum err e = ledger_get(l, &k, &v);

	*ret_raw = (struct bytes){NULL, 0};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	d = dec_make(v);
	*ret_raw = dec_bin(&d, PAIRS_MAX * PAIR_BYTES);
	if (dec_end(&d) != ERR_OK || ret_raw->n % PAIR_BYTES != 0)
		return ERR_STORE;
	return ERR_OK;
}

/* On ERR_OK the list must be given to list_save or its room freed. */
static enum err list_load(struct ledger *l, const struct market_job *j,
			  struct list *ret_list)
{
	struct bytes raw;
	uint8_t *p;
	uint32_t i;
	enum err e = list_read(l, j, &raw);

	if (e != ERR_OK)
		return e;
	/* room for what one change can add */
	ret_list->room = buf_make((PAIRS_MAX + 2) * PAIR_BYTES);
	p = buf_extend(&ret_list->room, raw.n + 2 * PAIR_BYTES);
	if (p == NULL) {
		e = ret_list->room.err;
		buf_free(&ret_list->room);
		return e;
	}
	ret_list->v = (struct pair *)(void *)p;
	ret_list->n = (uint32_t)(raw.n / PAIR_BYTES);
	for (i = 0; i < ret_list->n; i++) {
		ret_list->v[i].first = u32_be(raw.p + i * PAIR_BYTES);
		ret_list->v[i].count = u32_be(raw.p + i * PAIR_BYTES + 4);
	}
	return ERR_OK;
}

static enum err list_write(struct ledger *l, const struct market_job *j,
			   const struct list *list)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FREE, &j->id);
	struct buf b = buf_make(PAIRS_MAX * PAIR_BYTES + 16);
	uint8_t *raw = list->room.p;
	uint32_t i;
	enum err e;

	for (i = 0; i < list->n; i++) {
		struct pair p = list->v[i];

		put_u32_be(raw + i * PAIR_BYTES, p.first);
		put_u32_be(raw + i * PAIR_BYTES + 4, p.count);
	}
	enc_bin(&b, bytes_of(raw, list->n * PAIR_BYTES));
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

static enum err list_save(struct ledger *l, struct market_job *j,
			  struct list *list)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FREE, &j->id);
	enum err e;

	j->free_ranges = list->n;
	j->low_first = list->n > 0 ? list->v[0].first : 0;
	j->low_count = list->n > 0 ? list->v[0].count : 0;
	if (list->n == 0)
		e = market_unmark(l, &k);
	else if (list->n > PAIRS_MAX)
		e = ERR_LIMIT;
	else
		e = list_write(l, j, list);
	buf_free(&list->room);
	return e;
}

static void list_insert(struct list *list, uint32_t at, struct pair p)
{
	memmove(&list->v[at + 1], &list->v[at],
		(list->n - at) * sizeof(list->v[0]));
	list->v[at] = p;
	list->n++;
}

static void list_remove(struct list *list, uint32_t at)
{
	list->n--;
	memmove(&list->v[at], &list->v[at + 1],
		(list->n - at) * sizeof(list->v[0]));
}

enum err market_ranges_give(struct ledger *l, struct market_job *j,
			    uint32_t first, uint32_t count)
{
	struct list list;
	uint32_t at = 0, end = first + count;
	enum err e;

	if (count == 0)
		return ERR_OK;
	e = list_load(l, j, &list);
	if (e != ERR_OK)
		return e;
	while (at < list.n && list.v[at].first < first)
		at++;
	must(at == 0 || list.v[at - 1].first + list.v[at - 1].count <= first);
	must(at == list.n || end <= list.v[at].first);
	if (at > 0 && list.v[at - 1].first + list.v[at - 1].count == first) {
		at--;
		list.v[at].count += count;
	} else {
		list_insert(&list, at, (struct pair){first, count});
	}
	if (at + 1 < list.n && list.v[at + 1].first == end) {
		list.v[at].count += list.v[at + 1].count;
		list_remove(&list, at + 1);
	}
	j->free_count += count;
	return list_save(l, j, &list);
}

enum err market_ranges_take(struct ledger *l, struct market_job *j,
			    uint32_t count)
{
	struct list list;
	enum err e = list_load(l, j, &list);

	if (e != ERR_OK)
		return e;
	must(list.n > 0 && count > 0 && count <= list.v[0].count);
	list.v[0].first += count;
	list.v[0].count -= count;
	if (list.v[0].count == 0)
		list_remove(&list, 0);
	j->free_count -= count;
	return list_save(l, j, &list);
}

enum err market_ranges_drop(struct ledger *l, struct market_job *j,
			    uint32_t task)
{
	struct list list;
	struct pair p;
	uint32_t at = 0;
	enum err e = list_load(l, j, &list);

	if (e != ERR_OK)
		return e;
	while (at < list.n && list.v[at].first + list.v[at].count <= task)
		at++;
	must(at < list.n && list.v[at].first <= task);
	p = list.v[at];
	list_remove(&list, at);
	if (p.first + p.count > task + 1)
		list_insert(
			&list, at,
			(struct pair){task + 1, p.first + p.count - task - 1});
	if (task > p.first)
		list_insert(&list, at, (struct pair){p.first, task - p.first});
	j->free_count--;
	return list_save(l, j, &list);
}

enum err market_ranges_forget(struct ledger *l, const struct market_job *j)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FREE, &j->id);

	return market_unmark(l, &k);
}

enum err market_job_free_next(struct ledger *l, const struct hash *id,
			      uint32_t first, uint32_t *ret_first,
			      uint32_t *ret_count)
{
	struct market_job j = {.id = *id};
	struct bytes raw;
	size_t at;
	enum err e = list_read(l, &j, &raw);

	if (e != ERR_OK)
		return e;
	for (at = 0; at < raw.n; at += PAIR_BYTES) {
		if (u32_be(raw.p + at) < first)
			continue;
		*ret_first = u32_be(raw.p + at);
		*ret_count = u32_be(raw.p + at + 4);
		return ERR_OK;
	}
	return ERR_NOT_FOUND;
}
