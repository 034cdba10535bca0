/*
 * The prover's side: byte ranges become sorted leaf ranges, one list per
 * object and state, each with its bytes and one multiproof.  Ranges are
 * sorted in place by a heap, since there may be many and no allocation is
 * wanted.
 */
#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/program/opening.h"

struct build {
	struct arena *a;
	const struct program_witness *w;
	const struct program_sample *sample;
	struct program_launch launch;
	struct program_opening o;
	uint32_t ranges; /* so far */
	/* chunk samples */
	uint32_t chunk_object;
	uint64_t chunk_offset;
	uint32_t chunk_bytes;
};

static void sift(struct merkle_range *r, size_t at, size_t n)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct merkle_range swap = r[at];

		if (child >= n)
			return;
		if (child + 1 < n && r[child + 1].first > r[child].first)
			child++;
		if (r[child].first <= swap.first)
			return;
		r[at] = r[child];
		r[child] = swap;
		at = child;
	}
}

/* Sorts, and joins what overlaps or touches; gives the new count. */
static size_t ranges_join(struct merkle_range *r, size_t n)
{
	size_t out = 0;

	for (size_t i = n / 2; i-- > 0;)
		sift(r, i, n);
	for (size_t end = n; end-- > 1;) {
		struct merkle_range top = r[0];

		r[0] = r[end];
		r[end] = top;
		sift(r, 0, end);
	}
	for (size_t i = 0; i < n; i++) {
		if (out && r[i].first <= r[out - 1].first + r[out - 1].count) {
			uint64_t end = r[i].first + r[i].count;

			if (end > r[out - 1].first + r[out - 1].count)
				r[out - 1].count = end - r[out - 1].first;
		} else {
			r[out++] = r[i];
		}
	}
	return out;
}

static struct merkle_range leaves_of(uint64_t offset, uint64_t bytes)
{
	uint64_t first = offset / MERKLE_LEAF_BYTES;

	return (struct merkle_range){
		first, (offset + bytes - 1) / MERKLE_LEAF_BYTES - first + 1};
}

/* The ranges of one object, appended; false if one is outside of it. */
static bool take(const struct program_range *list, size_t count,
		 uint32_t object, uint64_t object_bytes,
		 struct merkle_range *out, size_t *n)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].object_index != object || list[i].bytes == 0)
			continue;
		if (list[i].bytes > object_bytes ||
		    list[i].offset > object_bytes - list[i].bytes)
			return false;
		out[(*n)++] = leaves_of(list[i].offset, list[i].bytes);
	}
	return true;
}

/* Where a copy takes the bytes of the sampled chunk from. */
static bool copy_source(const struct build *b, uint32_t object,
			struct merkle_range *ret)
{
	const struct program_launch *l = &b->launch;
	uint64_t from = b->chunk_offset;
	uint64_t to = from + b->chunk_bytes;

	if (l->kind != PROGRAM_STEP_COPY || object != l->from_index)
		return false;
	if (from < l->to_offset)
		from = l->to_offset;
	if (to > l->to_offset + l->bytes)
		to = l->to_offset + l->bytes;
	if (from >= to)
		return false;
	*ret = leaves_of(l->from_offset + from - l->to_offset, to - from);
	return true;
}

/* All leaf hashes of an object. */
static const struct hash *
leaf_hashes(struct arena *a, const struct program_state *s, uint64_t bytes)
{
	uint64_t n = merkle_leaf_count(bytes);
	struct hash *leaves;

	if (s->leaves)
		return s->leaves;
	leaves = ARENA_ARRAY(a, (size_t)n, struct hash);
	for (uint64_t i = 0; leaves && i < n; i++) {
		uint64_t from = i * MERKLE_LEAF_BYTES;

		leaves[i] = merkle_leaf(s->bytes + from,
					bytes - from < MERKLE_LEAF_BYTES
						? (size_t)(bytes - from)
						: MERKLE_LEAF_BYTES);
	}
	return leaves;
}

static enum err proof_make(struct arena *a, const struct hash *leaves,
			   uint64_t count, const struct merkle_range *ranges,
			   size_t range_count, struct bytes *ret_proof)
{
	struct hash *proof = NULL;
	size_t n = 0;
	enum err err =
		merkle_prove(a, leaves, count, ranges, range_count, &proof, &n);

	if (!err)
		*ret_proof = bytes_of(proof, n * HASH_BYTES);
	return err;
}

static enum err pieces_make(struct build *b, const struct program_state *s,
			    uint32_t object, struct merkle_range *ranges,
			    size_t range_count, struct program_pieces *p)
{
	uint64_t bytes = program_object_bytes(b->w->program, object);
	const struct hash *leaves = leaf_hashes(b->a, s, bytes);
	uint64_t total = 0;
	uint8_t *data;
	size_t at = 0;

	if (range_count > PROGRAM_RANGES_MAX - b->ranges)
		return ERR_REFUSED;
	b->ranges += (uint32_t)range_count;
	for (size_t i = 0; i < range_count; i++)
		total += ranges[i].count * MERKLE_LEAF_BYTES;
	data = ARENA_ARRAY(b->a, (size_t)total, uint8_t);
	if (!data || !leaves)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < range_count; i++) {
		uint64_t from = ranges[i].first * MERKLE_LEAF_BYTES;
		uint64_t n = ranges[i].count * MERKLE_LEAF_BYTES;

		if (n > bytes - from)
			n = bytes - from;
		memcpy(data + at, s->bytes + from, (size_t)n);
		at += (size_t)n;
	}
	*p = (struct program_pieces){.object_index = object,
				     .ranges = ranges,
				     .range_count = (uint32_t)range_count,
				     .data = {data, at}};
	return proof_make(b->a, leaves, merkle_leaf_count(bytes), ranges,
			  range_count, &p->proof);
}

/* Pieces of one object in one state; none if nothing of it is wanted. */
static enum err add_object(struct build *b, uint32_t object, bool after)
{
	const struct program_witness *w = b->w;
	uint64_t bytes = program_object_bytes(w->program, object);
	size_t max = w->read_count + w->write_count + 2;
	struct merkle_range *r = ARENA_ARRAY(b->a, max, struct merkle_range);
	bool chunk = b->sample->kind == PROGRAM_SAMPLE_CHUNK;
	struct program_pieces *p;
	size_t n = 0;
	enum err err;

	if (!r)
		return ERR_NO_MEMORY;
	if (!take(w->writes, w->write_count, object, bytes, r, &n) ||
	    (!after && !take(w->reads, w->read_count, object, bytes, r, &n)))
		return ERR_REFUSED;
	if (chunk && object == b->chunk_object)
		r[n++] = leaves_of(b->chunk_offset, b->chunk_bytes);
	if (chunk && !after && copy_source(b, object, &r[n]))
		n++;
	if (n == 0)
		return ERR_OK;
	n = ranges_join(r, n);
	p = after ? &b->o.after[b->o.after_count]
		  : &b->o.before[b->o.before_count];
	err = pieces_make(b, after ? &w->after[object] : &w->before[object],
			  object, r, n, p);
	if (!err && after)
		b->o.after_count++;
	else if (!err)
		b->o.before_count++;
	return err;
}

static enum err add_objects(struct build *b)
{
	uint32_t n = program_object_count(b->w->program);
	enum err err = ERR_OK;

	b->o.object_count = n;
	b->o.before_roots = ARENA_ARRAY(b->a, n + 1, struct hash);
	b->o.after_roots = ARENA_ARRAY(b->a, n + 1, struct hash);
	b->o.before = ARENA_ARRAY(b->a, n + 1, struct program_pieces);
	b->o.after = ARENA_ARRAY(b->a, n + 1, struct program_pieces);
	if (!b->o.before_roots || !b->o.after_roots || !b->o.before ||
	    !b->o.after)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n && !err; i++) {
		b->o.before_roots[i] = b->w->before_roots[i];
		b->o.after_roots[i] = b->w->after_roots[i];
		err = add_object(b, i, false);
		if (!err)
			err = add_object(b, i, true);
	}
	return err;
}

static enum err item_make(struct arena *a, const struct program *p, uint32_t i,
			  struct bytes *ret_item)
{
	struct buf b = buf_make(PROGRAM_BYTES_MAX);
	enum err err;

	program_item_encode(&b, p, i);
	err = b.err;
	*ret_item = err ? (struct bytes){0} : arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return !err && !ret_item->p ? ERR_NO_MEMORY : err;
}

static enum err add_program(struct build *b)
{
	const struct program *p = b->w->program;
	bool launch = b->launch.kind == PROGRAM_STEP_LAUNCH;
	uint32_t count = program_item_count(p);
	struct hash *leaves = ARENA_ARRAY(b->a, count, struct hash);
	struct bytes *steps = ARENA_ARRAY(b->a, p->step_count, struct bytes);
	struct merkle_range ranges[3] = {{0, 1}};
	size_t n = 1;
	enum err err = ERR_OK;

	if (!leaves || !steps)
		return ERR_NO_MEMORY;
	b->o.part_index = launch ? b->launch.part_index : PROGRAM_PART_NONE;
	for (uint32_t i = 0; i < count && !err; i++) {
		struct bytes item;

		err = item_make(b->a, p, i, &item);
		if (err)
			break;
		leaves[i] = merkle_item(item.p, item.n);
		if (i == 0)
			b->o.preamble = item;
		else if (launch && i == 1 + b->o.part_index)
			b->o.part = item;
		else if (i > p->part_count)
			steps[i - 1 - p->part_count] = item;
	}
	b->o.steps = steps;
	b->o.step_count = p->step_count;
	if (launch)
		ranges[n++] = (struct merkle_range){1 + b->o.part_index, 1};
	ranges[n++] = (struct merkle_range){1 + p->part_count, p->step_count};
	return err ? err
		   : proof_make(b->a, leaves, count, ranges, n,
				&b->o.program_proof);
}

static enum err add_lists(struct build *b)
{
	const struct program_witness *w = b->w;
	struct merkle_range task = {b->sample->task_index, 1};
	struct merkle_range result = {w->result_position, 1};
	enum err err = proof_make(b->a, w->task_leaves, w->task_count, &task, 1,
				  &b->o.task_proof);

	b->o.task = w->task;
	b->o.result = w->result;
	if (err)
		return err;
	return proof_make(b->a, w->result_leaves, w->done_count, &result, 1,
			  &b->o.result_proof);
}

static enum err add_trace(struct build *b)
{
	const struct program_witness *w = b->w;
	uint64_t k = b->sample->step_number;
	uint64_t n = w->memory_root_count;
	const uint64_t at[4] = {0, k - 1, k, n - 1};
	struct hash *leaves = ARENA_ARRAY(b->a, (size_t)n, struct hash);
	struct merkle_range ranges[4];
	size_t count = 0;

	if (!leaves)
		return ERR_NO_MEMORY;
	for (uint64_t i = 0; i < n; i++)
		leaves[i] = program_trace_leaf(&w->memory_roots[i]);
	for (int i = 0; i < 4; i++) {
		b->o.memory_roots[i] = w->memory_roots[at[i]];
		if (i == 0 || at[i] != at[i - 1])
			ranges[count++] = (struct merkle_range){at[i], 1};
	}
	return proof_make(b->a, leaves, n, ranges, count, &b->o.trace_proof);
}

enum err program_opening_build(struct arena *a, const struct program_witness *w,
			       const struct program_sample *sample,
			       uint64_t writer,
			       struct program_opening *ret_opening)
{
	struct build b = {.a = a, .w = w, .sample = sample};
	uint64_t k = sample->step_number;
	enum err err = program_launch_at(w->program, k, &b.launch);

	if (err || k >= w->memory_root_count)
		return ERR_REFUSED;
	b.o.sample = *sample;
	b.o.writer = writer;
	b.o.writer_warp = PROGRAM_WARP_ALL;
	if (sample->kind == PROGRAM_SAMPLE_CHUNK &&
	    program_chunk_find(w->program, b.launch.step_index, sample->number,
			       &b.chunk_object, &b.chunk_offset,
			       &b.chunk_bytes))
		return ERR_REFUSED;
	err = add_program(&b);
	if (!err)
		err = add_lists(&b);
	if (!err)
		err = add_trace(&b);
	if (!err)
		err = add_objects(&b);
	if (!err)
		*ret_opening = b.o;
	return err;
}
