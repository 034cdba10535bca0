/*
 * The encoding of openings and access to their pieces.
 */
#include "gpu/program/opening.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"

static void enc_roots(struct buf *b, const struct hash *roots, uint32_t count)
{
	enc_bin(b, bytes_of(roots, (size_t)count * HASH_BYTES));
}

static void enc_pieces(struct buf *b, const struct program_pieces *list,
		       uint32_t count)
{
	enc_array(b, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct program_pieces *p = &list[i];

		enc_array(b, 4);
		enc_uint(b, p->object_index);
		enc_array(b, 2 * p->range_count);
		for (uint32_t j = 0; j < p->range_count; j++) {
			enc_uint(b, p->ranges[j].first);
			enc_uint(b, p->ranges[j].count);
		}
		enc_bin(b, p->data);
		enc_bin(b, p->proof);
	}
}

/* nil, a CTA, or [CTA, warp]. */
static void enc_writer(struct buf *out, const struct program_opening *o)
{
	if (o->writer == PROGRAM_WRITER_NONE) {
		enc_nil(out);
		return;
	}
	if (o->writer_warp != PROGRAM_WARP_ALL)
		enc_array(out, 2);
	enc_uint(out, o->writer);
	if (o->writer_warp != PROGRAM_WARP_ALL)
		enc_uint(out, o->writer_warp);
}

void program_opening_encode(struct buf *out, const struct program_opening *o)
{
	enc_array(out, 18);
	enc_uint(out, PROGRAM_OPENING_VERSION);
	program_sample_encode(out, &o->sample);
	enc_writer(out, o);
	enc_bin(out, o->preamble);
	enc_uint(out, o->part_index);
	enc_bin(out, o->part);
	enc_array(out, o->step_count);
	for (uint32_t i = 0; i < o->step_count; i++)
		enc_bin(out, o->steps[i]);
	enc_bin(out, o->program_proof);
	enc_bin(out, o->task);
	enc_bin(out, o->task_proof);
	enc_bin(out, o->result);
	enc_bin(out, o->result_proof);
	enc_roots(out, o->memory_roots, 4);
	enc_bin(out, o->trace_proof);
	enc_roots(out, o->before_roots, o->object_count);
	enc_roots(out, o->after_roots, o->object_count);
	enc_pieces(out, o->before, o->before_count);
	enc_pieces(out, o->after, o->after_count);
}

/* Sorted, with a gap between any two, none empty: one form for one set. */
static bool ranges_ok(const struct merkle_range *r, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (r[i].count == 0)
			return false;
		if (i && r[i].first <= r[i - 1].first + r[i - 1].count)
			return false;
	}
	return count > 0;
}

/* left: ranges that may still come, over all pieces. */
static void dec_one_pieces(struct dec *d, struct arena *a, uint32_t *left,
			   struct program_pieces *p)
{
	uint64_t leaf_max = TASK_BUFFER_BYTES_MAX / MERKLE_LEAF_BYTES;
	uint32_t n;

	dec_array_exact(d, 4);
	p->object_index = (uint32_t)dec_uint(d, PROGRAM_OBJECTS_MAX - 1);
	n = dec_array(d, 2 * *left);
	if (!d->err && (n % 2 || n > d->in.n - d->at))
		dec_fail(d, ERR_MALFORMED);
	if (d->err)
		return;
	p->range_count = n / 2;
	*left -= p->range_count;
	p->ranges = ARENA_ARRAY(a, p->range_count + 1, struct merkle_range);
	if (!p->ranges) {
		dec_fail(d, ERR_NO_MEMORY);
		return;
	}
	for (uint32_t i = 0; i < p->range_count; i++) {
		p->ranges[i].first = dec_uint(d, leaf_max);
		p->ranges[i].count = dec_uint(d, leaf_max);
	}
	if (!d->err && !ranges_ok(p->ranges, p->range_count))
		dec_fail(d, ERR_MALFORMED);
	p->data = dec_bin(d, PROGRAM_OPENING_BYTES_MAX);
	p->proof = dec_bin(d, PROGRAM_OPENING_BYTES_MAX);
	if (p->proof.n % HASH_BYTES)
		dec_fail(d, ERR_MALFORMED);
}

static struct program_pieces *dec_pieces(struct dec *d, struct arena *a,
					 uint32_t *left, uint32_t *ret_count)
{
	uint32_t n = dec_array(d, PROGRAM_OBJECTS_MAX);
	struct program_pieces *list =
		ARENA_ARRAY(a, n + 1, struct program_pieces);

	*ret_count = n;
	if (!list) {
		dec_fail(d, ERR_NO_MEMORY);
		return NULL;
	}
	for (uint32_t i = 0; i < n && !d->err; i++) {
		dec_one_pieces(d, a, left, &list[i]);
		if (i && list[i].object_index <= list[i - 1].object_index)
			dec_fail(d, ERR_MALFORMED);
	}
	return list;
}

static struct bytes dec_proof(struct dec *d)
{
	struct bytes b = dec_bin(d, PROGRAM_OPENING_BYTES_MAX);

	if (b.n % HASH_BYTES)
		dec_fail(d, ERR_MALFORMED);
	return b;
}

static void dec_program(struct dec *d, struct arena *a,
			struct program_opening *o)
{
	o->preamble = dec_bin(d, PROGRAM_BYTES_MAX);
	o->part_index = (uint32_t)dec_uint(d, UINT32_MAX);
	o->part = dec_bin(d, PROGRAM_BYTES_MAX);
	o->step_count = dec_array(d, PROGRAM_STEPS_MAX);
	o->steps = ARENA_ARRAY(a, o->step_count + 1, struct bytes);
	if (!o->steps) {
		dec_fail(d, ERR_NO_MEMORY);
		return;
	}
	for (uint32_t i = 0; i < o->step_count && !d->err; i++)
		o->steps[i] = dec_bin(d, PROGRAM_BYTES_MAX);
	o->program_proof = dec_proof(d);
	if (!d->err && (o->part.n == 0) != (o->part_index == PROGRAM_PART_NONE))
		dec_fail(d, ERR_MALFORMED);
}

static void dec_roots(struct dec *d, struct arena *a, struct program_opening *o)
{
	struct bytes before = dec_bin(d, PROGRAM_OBJECTS_MAX * HASH_BYTES);
	struct bytes after = dec_bin(d, PROGRAM_OBJECTS_MAX * HASH_BYTES);

	if (before.n % HASH_BYTES || before.n != after.n)
		dec_fail(d, ERR_MALFORMED);
	if (d->err)
		return;
	o->object_count = (uint32_t)(before.n / HASH_BYTES);
	o->before_roots = ARENA_ARRAY(a, o->object_count + 1, struct hash);
	o->after_roots = ARENA_ARRAY(a, o->object_count + 1, struct hash);
	if (!o->before_roots || !o->after_roots) {
		dec_fail(d, ERR_NO_MEMORY);
		return;
	}
	if (before.n) {
		memcpy(o->before_roots, before.p, before.n);
		memcpy(o->after_roots, after.p, after.n);
	}
}

/* An array's head is 0x92, a number's never. */
static void dec_writer(struct dec *d, struct program_opening *o)
{
	bool pair = !d->err && d->at < d->in.n && d->in.p[d->at] == 0x92;

	if (dec_is_nil(d)) {
		dec_nil(d);
		return;
	}
	if (pair)
		dec_array_exact(d, 2);
	o->writer = dec_uint(d, PROGRAM_CTAS_MAX);
	if (pair)
		o->writer_warp =
			(uint32_t)dec_uint(d, CTA_THREADS_MAX / 32 - 1);
}

enum err program_opening_decode(struct arena *a, struct bytes in,
				struct program_opening *ret_opening)
{
	struct dec d = dec_make(in);
	struct program_opening o = {.writer = PROGRAM_WRITER_NONE,
				    .writer_warp = PROGRAM_WARP_ALL};
	uint32_t left = PROGRAM_RANGES_MAX;

	if (in.n > PROGRAM_OPENING_BYTES_MAX)
		return ERR_LIMIT;
	dec_array_exact(&d, 18);
	if (dec_uint(&d, UINT32_MAX) != PROGRAM_OPENING_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	o.sample = program_sample_decode(&d);
	dec_writer(&d, &o);
	dec_program(&d, a, &o);
	o.task = dec_bin(&d, PROGRAM_TASK_BYTES_MAX);
	o.task_proof = dec_proof(&d);
	o.result = dec_bin(&d, PROGRAM_RESULT_BYTES_MAX);
	o.result_proof = dec_proof(&d);
	dec_bin_exact(&d, (uint8_t *)o.memory_roots, sizeof(o.memory_roots));
	o.trace_proof = dec_proof(&d);
	dec_roots(&d, a, &o);
	o.before = dec_pieces(&d, a, &left, &o.before_count);
	o.after = dec_pieces(&d, a, &left, &o.after_count);
	if ((o.sample.kind == PROGRAM_SAMPLE_CTA ||
	     o.sample.kind == PROGRAM_SAMPLE_LAUNCH) &&
	    o.writer != PROGRAM_WRITER_NONE)
		dec_fail(&d, ERR_MALFORMED);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_opening = o;
	return ERR_OK;
}

enum err program_opening_sample(struct bytes in,
				struct program_sample *ret_sample)
{
	struct dec d = dec_make(in);
	struct program_sample s;

	dec_array_exact(&d, 18);
	if (dec_uint(&d, UINT32_MAX) != PROGRAM_OPENING_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	s = program_sample_decode(&d);
	if (!d.err)
		*ret_sample = s;
	return d.err;
}

struct hash program_opening_digest(const struct hash *lease,
				   struct bytes encoded_opening)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/opening");
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, encoded_opening.p, encoded_opening.n);
	return sha256_end(&s);
}

const struct program_pieces *
program_pieces_of(const struct program_pieces *list, uint32_t count,
		  uint32_t object_index)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i].object_index == object_index)
			return &list[i];
	return NULL;
}

struct bytes program_pieces_at(const struct program_pieces *pieces,
			       uint64_t object_bytes, uint64_t offset,
			       uint64_t bytes)
{
	uint64_t at = 0; /* of the range in data */

	for (uint32_t i = 0; i < pieces->range_count; i++) {
		uint64_t from = pieces->ranges[i].first * MERKLE_LEAF_BYTES;
		uint64_t to =
			from + pieces->ranges[i].count * MERKLE_LEAF_BYTES;
		uint64_t n;

		if (to > object_bytes)
			to = object_bytes;
		if (offset >= from && offset < to) {
			n = to - offset < bytes ? to - offset : bytes;
			return bytes_slice(pieces->data,
					   (size_t)(at + offset - from),
					   (size_t)n);
		}
		at += to > from ? to - from : 0;
	}
	return (struct bytes){0};
}
