/*
 * What an audit of a sample has to be shown, and whether that fits a dispute.
 *
 * Bytes of pieces are counted in whole leaves: what the sample writes twice,
 * before and after, what it reads once.  Proofs are bounded from above: n
 * ranges in a tree of a given depth need at most the two edges of each, below
 * the level where there are n nodes.
 */
#include "base/limits.h"
#include "gpu/worker/priv/quoting.h"

/* Memory roots, task, result and lists of an opening, beside its part. */
#define FRAME_BYTES (PROGRAM_STEP_BYTES_MAX + (64u << 10))

static uint32_t depth_of(uint64_t n)
{
	uint32_t depth = 0;

	while (depth < 63 && (1ull << depth) < n)
		depth++;
	return depth;
}

static uint64_t proof_bytes(uint64_t object_bytes, uint64_t ranges)
{
	uint32_t depth = depth_of(merkle_leaf_count(object_bytes));
	uint32_t shared = ranges ? depth_of(ranges + 1) - 1 : 0;

	return 2 * ranges * (depth - (shared < depth ? shared : depth) + 1) *
	       HASH_BYTES;
}

/* The leaves of one more range that were not counted yet. */
static uint64_t more_leaves(uint64_t offset, uint64_t bytes, uint64_t *end)
{
	uint64_t first = offset / MERKLE_LEAF_BYTES;
	uint64_t last =
		(offset + bytes + MERKLE_LEAF_BYTES - 1) / MERKLE_LEAF_BYTES;

	if (first < *end)
		first = *end;
	if (last <= first)
		return 0;
	*end = last;
	return last - first;
}

struct shown quoting_shown(const struct quoting *q,
			   const struct program_launch *step,
			   const struct exec_result *r)
{
	uint64_t ends[2][PROGRAM_OBJECTS_MAX] = {0};
	uint64_t ranges[PROGRAM_OBJECTS_MAX] = {0};
	struct shown s = {.cost = r->cost};

	for (size_t i = 0; i < r->write_count; i++) {
		const struct exec_write *w = &r->writes[i];
		uint64_t n =
			more_leaves(w->offset, w->bytes, &ends[0][w->buffer]);

		s.written_bytes += w->bytes;
		s.bytes += 2 * n * MERKLE_LEAF_BYTES;
		ranges[w->buffer] += n ? 2 : 0;
	}
	for (size_t i = 0; i < r->read_count; i++) {
		const struct exec_range *x = &r->reads[i];
		uint64_t n;

		if (x->buffer >= q->m->object_count)
			continue; /* a constant: proved by the program */
		n = more_leaves(x->offset, x->bytes, &ends[1][x->buffer]);
		s.bytes += n * MERKLE_LEAF_BYTES;
		ranges[x->buffer] += n ? 1 : 0;
	}
	s.all_bytes = s.bytes + FRAME_BYTES +
		      q->p.parts[step->part_index].text.n +
		      64 * (uint64_t)q->m->object_count;
	for (uint32_t i = 0; i < q->m->object_count; i++) {
		s.ranges += ranges[i];
		s.all_bytes += proof_bytes(q->m->buffers[i].bytes, ranges[i]);
	}
	return s;
}

void quoting_shown_most(struct shown *most, const struct shown *s)
{
#define X(field)                    \
	if (s->field > most->field) \
		most->field = s->field;
	X(bytes)
	X(all_bytes)
	X(ranges)
	X(cost)
#undef X
	most->written_bytes += s->written_bytes;
}

/* What a sample of this step is, and what the buyer can do about its size. */
static const char *unit_words(const struct quoting *q,
			      const struct program_launch *step)
{
	if (program_launch_is_whole(&q->p, step))
		return "a launch of class R is one sample; launch less at once";
	if (program_launch_warps(&q->p, step))
		return "a warp is one sample; do less in a thread";
	return "a CTA is one sample; use more and smaller CTAs, or warps "
	       "that need no barrier";
}

enum err quoting_refuse(struct quoting *q, const struct program_launch *step,
			const char *reason, const char *text,
			struct quote_fault *why)
{
	struct job_run *end = &q->built.end;

	*end = (struct job_run){
		.outcome = JOB_REFUSED,
		.reason = bytes_str(reason),
		.text = bytes_str(text),
		.kernel = q->p.parts[step->part_index].entry,
		.step = step->number,
	};
	why->outcome = job_outcome_word(end->outcome);
	why->text = text;
	return ERR_REFUSED;
}

enum err quoting_limit(struct quoting *q, const struct program_launch *step,
		       const struct shown *s, struct quote_fault *why)
{
	const char *what = NULL;
	const char *text;

	if (q->any_class)
		return ERR_OK;
	if (program_launch_is_whole(&q->p, step) &&
	    step->cta_count > DISPUTE_CTAS_MAX)
		what = arena_printf(q->w->arena, "over %u CTAs",
				    DISPUTE_CTAS_MAX);
	else if (s->cost > DISPUTE_COST_MAX)
		what = arena_printf(q->w->arena,
				    "a cost over %llu, or does not end",
				    (unsigned long long)DISPUTE_COST_MAX);
	else if (s->all_bytes > DISPUTE_OPEN_BYTES_MAX)
		what = arena_printf(q->w->arena,
				    "an opening of up to %llu bytes, over %u",
				    (unsigned long long)s->all_bytes,
				    DISPUTE_OPEN_BYTES_MAX);
	else if (s->ranges > PROGRAM_RANGES_MAX)
		what = arena_printf(
			q->w->arena, "an opening of %llu pieces, over %u",
			(unsigned long long)s->ranges, PROGRAM_RANGES_MAX);
	if (!what)
		return ERR_OK;
	text = arena_printf(q->w->arena,
			    "a dispute could not decide a sample of it, which "
			    "has %s: %s",
			    what, unit_words(q, step));
	if (!text)
		return ERR_NO_MEMORY;
	return quoting_refuse(q, step, "too_large", text, why);
}
