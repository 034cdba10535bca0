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

struct map {
	uint64_t number;
	uint32_t buffer;
	uint32_t writer[PAGE_WORDS]; /* position + 1, ATOMIC */
	uint32_t value[PAGE_WORDS];
	uint32_t reader[PAGE_WORDS]; /* position + 1, SEVERAL */
	uint32_t op[PAGE_WORDS];
	struct split **splits; /* by word; NULL: none in this page */
};

struct owner {
	uint64_t writer, reader; /* CTAs plus 1; the lowest */
	bool is_shared;		 /* touched by others too */
};

struct cross {
	pthread_mutex_t lock;
	const struct exec_options *options;
	struct map **list;
	uint32_t count, cap;
	uint32_t *slots;
	uint32_t slot_cap;
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
	for (uint32_t i = 0; i < x->count; i++)
		map_free(x->list[i]);
	for (uint32_t i = 0; i < EXEC_RANGES_MAX; i++)
		free(x->owners[i]);
	free((void *)x->list);
	free(x->slots);
	free(x);
}

static uint64_t map_hash(uint32_t buffer, uint64_t number)
{
	return (number * 0x9e3779b97f4a7c15u ^ buffer * 0xff51afd7ed558ccdu) >>
	       20;
}

static bool grow(struct cross *x)
{
	uint32_t cap = x->slot_cap == 0 ? 1024 : x->slot_cap * 2;
	struct map **list =
		realloc((void *)x->list, (size_t)cap / 2 * sizeof(*list));
	if (list == NULL)
		return false;
	x->list = list;
	x->cap = cap / 2;
	uint32_t *slots = calloc(cap, sizeof(*slots));
	if (slots == NULL)
		return false;
	for (uint32_t i = 0; i < x->count; i++) {
		uint64_t at = map_hash(list[i]->buffer, list[i]->number);
		while (slots[at & (cap - 1)] != 0)
			at++;
		slots[at & (cap - 1)] = i + 1;
	}
	free(x->slots);
	x->slots = slots;
	x->slot_cap = cap;
	return true;
}

static struct map *map_of(struct cross *x, const struct page *e)
{
	if (x->count >= x->cap && !grow(x))
		return NULL;
	uint64_t at = map_hash(e->buffer, e->number), mask = x->slot_cap - 1;
	for (; x->slots[at & mask] != 0; at++) {
		struct map *m = x->list[x->slots[at & mask] - 1];
		if (m->number == e->number && m->buffer == e->buffer)
			return m;
	}
	struct map *m = calloc(1, sizeof(*m));
	if (m == NULL)
		return NULL;
	m->number = e->number;
	m->buffer = e->buffer;
	x->list[x->count++] = m;
	x->slots[at & mask] = x->count;
	return m;
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
	uint32_t value = word_value(v, i), at = i << (2 - v->shift);
	bool is_atomic = (v->w[at] & SET_ATOMIC) != 0;
	if (writes &&
	    writes_clash(m->writer[i], v->me, is_atomic, m->value[i] == value))
		conflict(f, v, 4 * i, m->writer[i], m->op[i], true);
	if (writes &&
	    (is_other(m->reader[i], v->me) || (m->reader[i] & SEVERAL) != 0))
		conflict(f, v, 4 * i, m->reader[i], m->op[i], true);
	if (reads && is_other(m->writer[i], v->me))
		conflict(f, v, 4 * i, m->writer[i], m->op[i], false);
	if (reads) {
		m->reader[i] = with_reader(m->reader[i], v->me);
		m->op[i] = m->writer[i] == 0 ? v->r_op[at] : m->op[i];
	}
	if (writes) {
		m->value[i] = value;
		m->writer[i] = with_writer(m->writer[i], v->me, is_atomic);
		m->op[i] = v->w_op[at];
	}
}

/* From here on the word is followed by byte. */
static struct split *split_of(struct map *m, uint32_t i)
{
	if (m->splits == NULL)
		m->splits =
			(struct split **)calloc(PAGE_WORDS, sizeof(*m->splits));
	if (m->splits == NULL || m->splits[i] != NULL)
		return m->splits == NULL ? NULL : m->splits[i];
	struct split *s = calloc(1, sizeof(*s));
	m->splits[i] = s;
	for (uint32_t k = 0; s != NULL && k < 4; k++) {
		s->writer[k] = m->writer[i];
		s->reader[k] = m->reader[i];
		s->value[k] = (uint8_t)(m->value[i] >> (8 * k));
	}
	return s;
}

static bool add_bytes(struct map *m, const struct view *v, uint32_t i,
		      uint32_t writes, uint32_t reads, struct cross_find *f)
{
	struct split *s = split_of(m, i);
	if (s == NULL)
		return false;
	for (uint32_t k = 0; k < 4; k++) {
		bool w = (writes >> k & 1u) != 0, r = (reads >> k & 1u) != 0;
		uint32_t b = 4 * i + k;
		bool is_atomic = (v->w[b >> v->shift] & SET_ATOMIC) != 0;
		if (w && writes_clash(s->writer[k], v->me, is_atomic,
				      s->value[k] == v->bytes[b]))
			conflict(f, v, b, s->writer[k], m->op[i], true);
		if (w && (is_other(s->reader[k], v->me) ||
			  (s->reader[k] & SEVERAL) != 0))
			conflict(f, v, b, s->reader[k], m->op[i], true);
		if (r && is_other(s->writer[k], v->me))
			conflict(f, v, b, s->writer[k], m->op[i], false);
		if (r)
			s->reader[k] = with_reader(s->reader[k], v->me);
		if (w) {
			s->value[k] = v->bytes[b];
			s->writer[k] =
				with_writer(s->writer[k], v->me, is_atomic);
		}
		if (w || (r && s->writer[k] == 0))
			m->op[i] = w ? v->w_op[b >> v->shift]
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

/* Words that are looked at together. */
#define GROUP 16u

/* Nobody has touched words [from, from + GROUP) before: no conflict, and no
 * branch. */
static void fill_group(struct map *m, const struct view *v, uint32_t from)
{
	for (uint32_t i = from; i < from + GROUP; i++) {
		bool w = v->w[i] >= v->start, r = v->r[i] >= v->start;
		uint32_t value = word_value(v, i);
		uint32_t flag = (v->w[i] & SET_ATOMIC) != 0 ? ATOMIC : 0;
		m->writer[i] = w ? v->me | flag : 0;
		m->value[i] = w ? value : 0;
		m->reader[i] = r ? v->me : 0;
		m->op[i] = w ? v->w_op[i] : v->r_op[i];
	}
}

static bool is_new_group(const struct map *m, uint32_t from)
{
	uint32_t any = 0;
	for (uint32_t i = from; i < from + GROUP; i++)
		any |= m->writer[i] | m->reader[i];
	return any == 0 && m->splits == NULL;
}

/* Has this CTA touched any of the entries [i, i + GROUP)? */
static bool any_touched(const struct view *v, uint32_t i)
{
	uint32_t most = 0;
	for (uint32_t k = i; k < i + GROUP; k++) {
		most = v->w[k] > most ? v->w[k] : most;
		most = v->r[k] > most ? v->r[k] : most;
	}
	return most >= v->start;
}

static bool add_page(struct cross *x, const struct view *v,
		     struct cross_find *f)
{
	struct map *m = map_of(x, v->e);
	bool is_plain = v->shift == 2 && v->e->bytes == PAGE_BYTES;
	if (m == NULL)
		return false;
	for (uint32_t i = 0; 4 * i < v->e->bytes; i++) {
		uint32_t at = i << (2 - v->shift);
		if (at % GROUP == 0 && !any_touched(v, at)) {
			i += (GROUP >> (2 - v->shift)) - 1;
			continue;
		}
		if (is_plain && at % GROUP == 0 && is_new_group(m, i)) {
			fill_group(m, v, i);
			i += GROUP - 1;
			continue;
		}
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
	*ret_find = (struct cross_find){0};
	/* Positions beyond have no room; no run gets there. */
	if (position >= SEVERAL - 2)
		follows = false;
	pthread_mutex_lock(&x->lock);
	for (uint32_t i = 0; ok && i < p->count; i++) {
		const struct page *e = p->list[i];
		struct view v = {0};
		if (follows && e->race != NULL) {
			v = view_of(mc, e, position);
			ok = add_page(x, &v, ret_find);
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
