/*
 * Who touched what over all CTAs of a run.
 *
 * For the sanitizer, per word of the buffers: the lowest position of a CTA
 * that wrote it and what it wrote, the lowest of one that read it, and an
 * access of either.  Words of which CTAs touch parts are followed by byte.
 * Two CTAs are in conflict when one writes a byte that the other reads, or
 * both write one and not the same.
 *
 * For the finder, the lowest writer and reader of each byte of its ranges.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

/* Most bytes of a range whose conflicts the finder follows. */
#define RANGE_BYTES_MAX (1u << 22)

/* More than one reader; all accesses of a writer atomic. */
#define SEVERAL 0x80000000u
#define ATOMIC	0x80000000u

/* Bytes of one word, when CTAs touch parts of it. */
struct split {
	uint32_t writer[4], reader[4];
	uint8_t value[4];
};

/* Words that are looked at together, and lie together. */
#define GROUP (PAGE_BLOCK / 4)

struct group {
	uint32_t writer[GROUP]; /* position + 1, ATOMIC */
	uint32_t reader[GROUP]; /* position + 1, SEVERAL */
	uint32_t value[GROUP];
	uint32_t op[GROUP];
};

struct map {
	struct group groups[PAGE_WORDS / GROUP];
	struct split **splits; /* by word; NULL: none in this page */
	uint64_t number;
	uint32_t buffer;
};

/* Pages whose maps are fetched together. */
#define AHEAD 16u

/* A place in the table of maps. */
struct map_slot {
	struct map *map; /* NULL: free */
	uint64_t number;
	uint32_t buffer;
};

struct owner {
	uint64_t writer, reader; /* CTAs plus 1; the lowest */
	bool is_shared;		 /* touched by others too */
};

struct cross {
	pthread_mutex_t lock;
	const struct exec_options *options;
	uint32_t count, cap;
	struct map_slot *slots; /* open hashing, at most half full */
	struct owner *owners[EXEC_RANGES_MAX];
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

static void map_free(struct map *m)
{
	for (uint32_t i = 0; m->splits != NULL && i < PAGE_WORDS; i++)
		free(m->splits[i]);
	free((void *)m->splits);
	free(m);
}

void cross_free(struct cross *x)
{
	if (x == NULL)
		return;
	pthread_mutex_destroy(&x->lock);
	for (uint32_t i = 0; i < x->cap; i++) {
		if (x->slots[i].map != NULL)
			map_free(x->slots[i].map);
	}
	for (uint32_t i = 0; i < EXEC_RANGES_MAX; i++)
		free(x->owners[i]);
	free(x->slots);
	free(x);
}

static uint64_t map_hash(uint32_t buffer, uint64_t number)
{
	return (number * 0x9e3779b97f4a7c15u ^ buffer * 0xff51afd7ed558ccdu) >>
	       20;
}

/* The slot of a page, or the free one where it belongs. */
static struct map_slot *slot_of(const struct cross *x, uint32_t buffer,
				uint64_t number)
{
	uint64_t at = map_hash(buffer, number), mask = x->cap - 1;
	for (;; at++) {
		struct map_slot *s = &x->slots[at & mask];
		if (s->map == NULL ||
		    (s->number == number && s->buffer == buffer))
			return s;
	}
}

static bool grow(struct cross *x)
{
	struct cross old = *x;
	uint32_t cap = x->cap == 0 ? 1024 : x->cap * 2;
	struct map_slot *slots = calloc(cap, sizeof(*slots));
	if (slots == NULL)
		return false;
	x->slots = slots;
	x->cap = cap;
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct map_slot *s = &old.slots[i];
		if (s->map != NULL)
			*slot_of(x, s->buffer, s->number) = *s;
	}
	free(old.slots);
	return true;
}

static struct map *map_of(struct cross *x, const struct page *e)
{
	if (x->count >= x->cap / 2 && !grow(x))
		return NULL;
	struct map_slot *s = slot_of(x, e->buffer, e->number);
	if (s->map != NULL)
		return s->map;
	s->map = aligned_alloc(64, (sizeof(*s->map) + 63) / 64 * 64);
	if (s->map == NULL)
		return NULL;
	memset(s->map, 0, sizeof(*s->map));
	s->map->number = s->number = e->number;
	s->map->buffer = s->buffer = e->buffer;
	x->count++;
	return s->map;
}

/* A CTA's page, ready to be compared. */
struct view {
	const struct page *e;
	const uint32_t *w, *w_op, *r, *r_op;
	const uint8_t *bytes; /* as this CTA left them */
	uint32_t start;
	uint32_t shift;
	uint32_t me;
};

static uint32_t word_value(const struct view *v, uint32_t i)
{
	uint32_t x;
	memcpy(&x, v->bytes + (size_t)4 * i, 4);
	return x;
}

static void conflict(struct cross_find *f, const struct view *v, uint32_t byte,
		     uint32_t other, uint32_t other_op, bool writes)
{
	uint32_t at = byte >> v->shift;
	if (f->found)
		return;
	other &= ~SEVERAL;
	*f = (struct cross_find){.found = true,
				 .address = EXEC_BUFFER_BASE(v->e->buffer) +
					    v->e->number * PAGE_BYTES + byte,
				 .other = other == v->me ? 0 : other,
				 .op = writes ? v->w_op[at] : v->r_op[at],
				 .other_op = other_op};
}

static bool is_other(uint32_t who, uint32_t me)
{
	who &= ~SEVERAL;
	return who != 0 && who != me;
}

/* May these two writes not happen in any order? */
static bool writes_clash(uint32_t writer, uint32_t me, bool is_atomic,
			 bool is_equal)
{
	bool was_atomic = (writer & ATOMIC) != 0;
	if (!is_other(writer, me) || (is_atomic && was_atomic))
		return false;
	return is_atomic || was_atomic || !is_equal;
}

static uint32_t with_writer(uint32_t old, uint32_t me, bool is_atomic)
{
	uint32_t who = old & ~ATOMIC;
	bool all = is_atomic && (old == 0 || (old & ATOMIC) != 0);
	return (who == 0 || me < who ? me : who) | (all ? ATOMIC : 0);
}

static uint32_t with_reader(uint32_t old, uint32_t me)
{
	uint32_t who = old & ~SEVERAL;
	bool several = (old & SEVERAL) != 0 || is_other(who, me);
	return (who == 0 || me < who ? me : who) | (several ? SEVERAL : 0);
}

static void add_word(struct map *m, const struct view *v, uint32_t i,
		     bool writes, bool reads, struct cross_find *f)
{
	struct group *g = &m->groups[i / GROUP];
	uint32_t value = word_value(v, i), at = i << (2 - v->shift);
	bool is_atomic = (v->w[at] & SET_ATOMIC) != 0;
	if (writes && writes_clash(g->writer[i % GROUP], v->me, is_atomic,
				   g->value[i % GROUP] == value))
		conflict(f, v, 4 * i, g->writer[i % GROUP], g->op[i % GROUP],
			 true);
	if (writes && (is_other(g->reader[i % GROUP], v->me) ||
		       (g->reader[i % GROUP] & SEVERAL) != 0))
		conflict(f, v, 4 * i, g->reader[i % GROUP], g->op[i % GROUP],
			 true);
	if (reads && is_other(g->writer[i % GROUP], v->me))
		conflict(f, v, 4 * i, g->writer[i % GROUP], g->op[i % GROUP],
			 false);
	if (reads) {
		g->reader[i % GROUP] = with_reader(g->reader[i % GROUP], v->me);
		g->op[i % GROUP] = g->writer[i % GROUP] == 0 ? v->r_op[at]
							     : g->op[i % GROUP];
	}
	if (writes) {
		g->value[i % GROUP] = value;
		g->writer[i % GROUP] =
			with_writer(g->writer[i % GROUP], v->me, is_atomic);
		g->op[i % GROUP] = v->w_op[at];
	}
}

/* From here on the word is followed by byte. */
static struct split *split_of(struct map *m, uint32_t i)
{
	struct group *g = &m->groups[i / GROUP];
	if (m->splits == NULL)
		m->splits =
			(struct split **)calloc(PAGE_WORDS, sizeof(*m->splits));
	if (m->splits == NULL || m->splits[i] != NULL)
		return m->splits == NULL ? NULL : m->splits[i];
	struct split *s = calloc(1, sizeof(*s));
	m->splits[i] = s;
	for (uint32_t k = 0; s != NULL && k < 4; k++) {
		s->writer[k] = g->writer[i % GROUP];
		s->reader[k] = g->reader[i % GROUP];
		s->value[k] = (uint8_t)(g->value[i % GROUP] >> (8 * k));
	}
	return s;
}

static bool add_bytes(struct map *m, const struct view *v, uint32_t i,
		      uint32_t writes, uint32_t reads, struct cross_find *f)
{
	struct group *g = &m->groups[i / GROUP];
	struct split *s = split_of(m, i);
	if (s == NULL)
		return false;
	for (uint32_t k = 0; k < 4; k++) {
		bool w = (writes >> k & 1u) != 0, r = (reads >> k & 1u) != 0;
		uint32_t b = 4 * i + k;
		bool is_atomic = (v->w[b >> v->shift] & SET_ATOMIC) != 0;
		if (w && writes_clash(s->writer[k], v->me, is_atomic,
				      s->value[k] == v->bytes[b]))
			conflict(f, v, b, s->writer[k], g->op[i % GROUP], true);
		if (w && (is_other(s->reader[k], v->me) ||
			  (s->reader[k] & SEVERAL) != 0))
			conflict(f, v, b, s->reader[k], g->op[i % GROUP], true);
		if (r && is_other(s->writer[k], v->me))
			conflict(f, v, b, s->writer[k], g->op[i % GROUP],
				 false);
		if (r)
			s->reader[k] = with_reader(s->reader[k], v->me);
		if (w) {
			s->value[k] = v->bytes[b];
			s->writer[k] =
				with_writer(s->writer[k], v->me, is_atomic);
		}
		if (w || (r && s->writer[k] == 0))
			g->op[i % GROUP] = w ? v->w_op[b >> v->shift]
					     : v->r_op[b >> v->shift];
	}
	return true;
}

/* Bit k: byte k of word i has a stamp of this CTA. */
static uint32_t touched(const struct view *v, const uint32_t *stamps,
			uint32_t i)
{
	uint32_t bits = 0;
	if (v->shift == 2)
		return stamps[i] >= v->start ? 15 : 0;
	for (uint32_t k = 0; k < 4; k++)
		bits |= (uint32_t)(stamps[4 * i + k] >= v->start) << k;
	return bits;
}

/* Nobody has touched the group before, which starts at word from: no conflict,
 * and no branch. */
static void fill_group(struct group *g, const struct view *v, uint32_t from)
{
	for (uint32_t k = 0; k < GROUP; k++) {
		uint32_t i = from + k, value = word_value(v, i);
		bool w = v->w[i] >= v->start, r = v->r[i] >= v->start;
		uint32_t flag = (v->w[i] & SET_ATOMIC) != 0 ? ATOMIC : 0;
		g->writer[k] = w ? v->me | flag : 0;
		g->value[k] = w ? value : 0;
		g->reader[k] = r ? v->me : 0;
		g->op[k] = w ? v->w_op[i] : v->r_op[i];
	}
}

static bool is_new(const struct map *m, uint32_t from)
{
	const struct group *g = &m->groups[from / GROUP];
	uint32_t any = 0;
	for (uint32_t k = 0; k < GROUP; k++)
		any |= g->writer[k] | g->reader[k];
	return any == 0 && m->splits == NULL;
}

/* Words [from, to), of one group. */
static bool add_group(struct map *m, const struct view *v, uint32_t from,
		      uint32_t to, struct cross_find *f)
{
	if (v->shift == 2 && 4 * (from + GROUP) <= v->e->bytes &&
	    is_new(m, from)) {
		fill_group(&m->groups[from / GROUP], v, from);
		return true;
	}
	for (uint32_t i = from; i < to; i++) {
		uint32_t w = touched(v, v->w, i), r = touched(v, v->r, i);
		bool whole = (w == 0 || w == 15) && (r == 0 || r == 15) &&
			     (m->splits == NULL || m->splits[i] == NULL);
		if ((w | r) == 0)
			continue;
		if (whole)
			add_word(m, v, i, w != 0, r != 0, f);
		else if (!add_bytes(m, v, i, w, r, f))
			return false;
	}
	return true;
}

static bool add_page(struct map *m, const struct view *v, struct cross_find *f)
{
	uint32_t words = (v->e->bytes + 3) / 4;
	for (uint32_t g = v->e->touched; g != 0; g &= g - 1) {
		uint32_t from = (uint32_t)__builtin_ctz(g) * GROUP;
		uint32_t to = from + GROUP < words ? from + GROUP : words;
		if (!add_group(m, v, from, to, f))
			return false;
	}
	return true;
}

/* Has what add_group() looks at first fetched. */
static void fetch(const struct map *m, const struct page *e)
{
	uint32_t k = (uint32_t)__builtin_ctz(e->touched);
	uint32_t n = e->race_entries, at = k * (n / (PAGE_BYTES / PAGE_BLOCK));
	const struct group *g = &m->groups[k];
	__builtin_prefetch(g->writer, 1);
	__builtin_prefetch(g->reader, 1);
	__builtin_prefetch(g->value, 1);
	__builtin_prefetch(g->op, 1);
	__builtin_prefetch(e->host + (size_t)k * PAGE_BLOCK);
	__builtin_prefetch(e->race + (size_t)RACE_W * n + at);
	__builtin_prefetch(e->race + (size_t)RACE_W_OP * n + at);
	__builtin_prefetch(e->race + (size_t)RACE_R * n + at);
}

/* The maps of the next pages; what will be looked at is on its way. */
static bool find_maps(struct cross *x, const struct pages *p, uint32_t from,
		      uint32_t count, struct map **ret)
{
	for (uint32_t i = from; x->cap != 0 && i < from + count; i++) {
		const struct page *e = p->list[i];
		uint64_t at = map_hash(e->buffer, e->number) & (x->cap - 1);
		__builtin_prefetch(&x->slots[at]);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct page *e = p->list[from + i];
		ret[i] = e->race != NULL ? map_of(x, e) : NULL;
		if (ret[i] == NULL && e->race != NULL)
			return false;
		if (ret[i] != NULL && e->touched != 0)
			fetch(ret[i], e);
	}
	for (uint32_t i = from + count; i < from + 2 * count && i < p->count;
	     i++)
		__builtin_prefetch(p->list[i]);
	return true;
}

/* What the finder keeps about a page. */
static bool find(struct cross *x, const struct page *e, uint64_t cta,
		 uint32_t range)
{
	const struct exec_range *r = &x->options->ranges[range];
	struct exec_found *f = &x->found[range];
	uint64_t page = e->number * PAGE_BYTES;
	if (r->buffer != e->buffer || page >= r->offset + r->bytes ||
	    page + e->bytes <= r->offset)
		return true;
	uint64_t most = r->bytes < RANGE_BYTES_MAX ? r->bytes : RANGE_BYTES_MAX;
	if (x->owners[range] == NULL)
		x->owners[range] = calloc(most + 1, sizeof(struct owner));
	if (x->owners[range] == NULL)
		return false;
	for (uint32_t k = 0; k < e->bytes; k++) {
		bool w = (e->written[k / 64] >> (k % 64) & 1u) != 0;
		bool d = (e->read[k / 64] >> (k % 64) & 1u) != 0;
		uint64_t at = page + k - r->offset;
		if (page + k < r->offset || at >= r->bytes || (!w && !d))
			continue;
		if (w && (!f->written || cta < f->writer))
			f->writer = cta;
		if (d && (!f->read || cta < f->reader))
			f->reader = cta;
		f->written = f->written || w;
		f->read = f->read || d;
		if (at >= most)
			continue;
		struct owner *o = &x->owners[range][at];
		o->is_shared |= (o->writer != 0 && o->writer != cta + 1) ||
				(o->reader != 0 && o->reader != cta + 1);
		o->writer = w ? cta + 1 : o->writer;
		o->reader = d ? cta + 1 : o->reader;
		f->conflict |= o->is_shared && o->writer != 0;
	}
	return true;
}

static struct view view_of(const struct machine *mc, const struct page *e,
			   uint64_t position)
{
	const struct trace *t = mc->trace;
	uint32_t n = e->race_entries;
	return (struct view){.e = e,
			     .w = e->race + (size_t)RACE_W * n,
			     .w_op = e->race + (size_t)RACE_W_OP * n,
			     .r = e->race + (size_t)RACE_R * n,
			     .r_op = e->race + (size_t)RACE_R_OP * n,
			     .bytes = t->keeps_values ? e->mine : e->host,
			     .start = t->shadow->start,
			     .shift = t->shadow->entry_shift,
			     .me = (uint32_t)position + 1};
}

enum err cross_add(struct cross *x, const struct machine *mc, uint64_t position,
		   struct cross_find *ret_find)
{
	const struct pages *p = &mc->trace->pages;
	bool ok = true, follows = mc->trace->shadow != NULL;
	struct map *maps[AHEAD];
	*ret_find = (struct cross_find){0};
	/* Positions beyond have no room; no run gets there. */
	if (position >= SEVERAL - 2)
		follows = false;
	pthread_mutex_lock(&x->lock);
	for (uint32_t i = 0; ok && i < p->count; i++) {
		const struct page *e = p->list[i];
		struct view v = {0};
		if (follows && i % AHEAD == 0)
			ok = find_maps(x, p, i,
				       p->count - i < AHEAD ? p->count - i
							    : AHEAD,
				       maps);
		if (ok && follows && e->race != NULL) {
			v = view_of(mc, e, position);
			ok = add_page(maps[i % AHEAD], &v, ret_find);
		}
		for (uint32_t k = 0; ok && k < x->options->range_count; k++)
			ok = find(x, e, mc->cta, k);
	}
	pthread_mutex_unlock(&x->lock);
	return ok ? ERR_OK : ERR_NO_MEMORY;
}

void cross_found(const struct cross *x, struct exec_found *ret_found)
{
	memcpy(ret_found, x->found, sizeof(x->found));
}
