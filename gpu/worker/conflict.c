/*
 * The finder names the lowest CTA that writes a range; a CTA that merely
 * writes beside what the disputed one reads is told from one that matters by
 * running both, in either order, as a referee will.
 */
#include <string.h>

#include "gpu/worker/priv/opener.h"

/* Bytes of one range that the finder looks at. */
#define GRAIN (MERKLE_LEAF_BYTES / EXEC_RANGES_MAX)

/* CTAs of a launch that is searched; a larger one is searched with the CTA
 * itself, which then hides others. */
#define CTAS_MAX (1u << 20)

struct search {
	struct opener *q;
	struct unit *unit;
	struct exec_result alone; /* what the CTA leaves */
	uint64_t *others;	  /* all CTAs but it; NULL: too many */
	uint64_t tried;		  /* the last candidate; NONE: none */
	uint32_t leaves;	  /* looked at */
};

static enum err run_ctas(struct search *s, const uint64_t *ctas, uint64_t count,
			 const struct exec_options *o, struct exec_result *ret)
{
	opener_put_back(s->q, s->q->before);
	return machine_step_ctas(s->q->m, &s->q->step, ctas, count, o, ret);
}

/* Is what the CTA leaves still there? */
static bool is_left(const struct search *s)
{
	for (size_t i = 0; i < s->alone.write_count; i++) {
		const struct exec_write *w = &s->alone.writes[i];

		if (memcmp(s->q->m->buffers[w->buffer].data + w->offset,
			   w->data, w->bytes) != 0)
			return false;
	}
	return true;
}

static enum err matters(struct search *s, uint64_t other, bool *ret_matters)
{
	const uint64_t orders[2][2] = {{other, s->unit->cta},
				       {s->unit->cta, other}};
	struct exec_options o = s->q->o;
	struct exec_result r;

	*ret_matters = false;
	o.threads = 1;
	for (int i = 0; i < 2 && !*ret_matters; i++) {
		enum err e = run_ctas(s, orders[i], 2, &o, &r);

		if (e)
			return e;
		*ret_matters = r.outcome == EXEC_OK && !is_left(s);
	}
	return ERR_OK;
}

/* Who else writes in this leaf, and does it matter? */
static enum err look_at(struct search *s, uint32_t buffer, uint64_t at,
			bool *ret_found)
{
	uint64_t bytes = s->q->m->buffers[buffer].bytes;
	struct exec_range ranges[EXEC_RANGES_MAX];
	struct exec_options o = s->q->o;
	struct exec_result r;
	uint64_t all = s->q->step.cta_count;
	size_t n = 0;
	enum err e;

	for (; n < EXEC_RANGES_MAX && at + n * GRAIN < bytes; n++) {
		uint64_t from = at + n * GRAIN;

		ranges[n] = (struct exec_range){
			buffer, from,
			bytes - from < GRAIN ? bytes - from : GRAIN};
	}
	o.ranges = ranges;
	o.range_count = n;
	e = run_ctas(s, s->others, s->others ? all - 1 : 0, &o, &r);
	for (size_t i = 0; i < n && !e && !*ret_found; i++) {
		uint64_t other = r.found[i].writer;

		if (!r.found[i].written || other == s->unit->cta ||
		    other == s->tried)
			continue;
		s->tried = other;
		s->unit->other = other;
		e = matters(s, other, ret_found);
	}
	return e;
}

/* Leaves of one range, each looked at once. */
static enum err look_through(struct search *s, uint32_t buffer, uint64_t offset,
			     uint64_t bytes, bool *ret_found)
{
	uint64_t at = offset / MERKLE_LEAF_BYTES * MERKLE_LEAF_BYTES;
	enum err e = ERR_OK;

	if (buffer >= s->q->m->object_count ||
	    !(s->q->access[buffer] & PROGRAM_WRITE))
		return ERR_OK; /* nobody writes there */
	for (; at < offset + bytes && !e && !*ret_found &&
	       s->leaves < OPENER_LEAVES_MAX;
	     at += MERKLE_LEAF_BYTES, s->leaves++)
		e = look_at(s, buffer, at, ret_found);
	return e;
}

static enum err begin(struct search *s)
{
	struct exec_options o = s->q->o;
	uint64_t all = s->q->step.cta_count, n = 0;
	enum err e;

	o.threads = 1;
	o.record_reads = true;
	o.record_writes = true;
	e = run_ctas(s, &s->unit->cta, 1, &o, &s->alone);
	if (!e && s->alone.outcome != EXEC_OK)
		return worker_fail(s->q->w, ERR_REFUSED,
				   "CTA %llu does not run alone",
				   (unsigned long long)s->unit->cta);
	if (e || all > CTAS_MAX)
		return e;
	s->others = ARENA_ARRAY(s->q->w->arena, all, uint64_t);
	if (!s->others)
		return ERR_NO_MEMORY;
	for (uint64_t i = 0; i < all; i++)
		if (i != s->unit->cta)
			s->others[n++] = i;
	return ERR_OK;
}

enum err opener_find_other(struct opener *q, struct unit *unit)
{
	struct search s = {.q = q, .unit = unit, .tried = PROGRAM_WRITER_NONE};
	bool found = false;
	enum err e = ERR_OK;

	if (q->step.cta_count > 1)
		e = begin(&s);
	for (size_t i = 0; i < s.alone.write_count && !e && !found; i++)
		e = look_through(&s, s.alone.writes[i].buffer,
				 s.alone.writes[i].offset,
				 s.alone.writes[i].bytes, &found);
	for (size_t i = 0; i < s.alone.read_count && !e && !found; i++)
		e = look_through(&s, s.alone.reads[i].buffer,
				 s.alone.reads[i].offset,
				 s.alone.reads[i].bytes, &found);
	if (!e && !found)
		return worker_fail(q->w, ERR_REFUSED,
				   "no CTA was found that changes what CTA "
				   "%llu leaves",
				   (unsigned long long)unit->cta);
	return e;
}
