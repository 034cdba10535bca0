/*
 * node/provider/tamper - an opening is decoded, the object's root and pieces
 * after the last step are made again from the tampered bytes, and encoded.
 */
#include "node/provider/tamper.h"

#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/program/opening.h"

#define TAMPER_STRIDE 4u

bool tamper_wants(const struct tamper_config *t, uint64_t task_index)
{
	return t->on && t->one_in && task_index % t->one_in == 0;
}

uint32_t tamper_object(const struct program *p)
{
	for (uint32_t i = 0; i < p->buffer_count; i++)
		if (p->buffers[i].save)
			return i;
	return UINT32_MAX;
}

void tamper_bytes(uint8_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += TAMPER_STRIDE)
		p[i] ^= 1;
}

enum err tamper_trace(struct arena *a, struct hash *object_roots,
		      uint32_t object_count, uint32_t object,
		      const struct hash *root, uint8_t *memory_roots,
		      uint64_t root_count, struct hash *ret_trace)
{
	struct hash *list = ARENA_ARRAY(a, root_count, struct hash);
	struct hash last;

	if (!list)
		return ERR_NO_MEMORY;
	object_roots[object] = *root;
	last = program_memory_root(object_roots, object_count);
	memcpy(memory_roots + (root_count - 1) * HASH_BYTES, last.b,
	       HASH_BYTES);
	memcpy(list, memory_roots, root_count * HASH_BYTES);
	return program_trace_root(a, list, root_count, ret_trace);
}

static enum err leaf_hashes(struct arena *a, struct bytes bytes,
			    struct hash **ret_leaves, uint64_t *ret_count)
{
	uint64_t count = merkle_leaf_count(bytes.n);
	struct hash *leaves = ARENA_ARRAY(a, count ? count : 1, struct hash);

	if (!leaves)
		return ERR_NO_MEMORY;
	for (uint64_t i = 0; i < count; i++) {
		struct bytes leaf = bytes_slice(bytes, i * MERKLE_LEAF_BYTES,
						MERKLE_LEAF_BYTES);

		leaves[i] = merkle_leaf(leaf.p, leaf.n);
	}
	*ret_leaves = leaves;
	*ret_count = count;
	return ERR_OK;
}

/* Show the ranges of pieces as they stand in bytes. */
static enum err show(struct arena *a, struct program_pieces *pieces,
		     struct bytes bytes)
{
	struct hash *leaves;
	struct hash *proof;
	uint64_t count;
	size_t proof_count;
	uint8_t *data;
	size_t at = 0;
	enum err e = leaf_hashes(a, bytes, &leaves, &count);

	if (e)
		return e;
	e = merkle_prove(a, leaves, count, pieces->ranges, pieces->range_count,
			 &proof, &proof_count);
	if (e)
		return e;
	data = arena_alloc(a, pieces->data.n ? pieces->data.n : 1, 1);
	if (!data)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < pieces->range_count; i++) {
		struct merkle_range r = pieces->ranges[i];
		struct bytes part =
			bytes_slice(bytes, r.first * MERKLE_LEAF_BYTES,
				    r.count * MERKLE_LEAF_BYTES);

		if (part.n > pieces->data.n - at)
			return ERR_MALFORMED;
		memcpy(data + at, part.p, part.n);
		at += part.n;
	}
	pieces->data = bytes_of(data, at);
	pieces->proof = bytes_of(proof, proof_count * HASH_BYTES);
	return ERR_OK;
}

enum err tamper_opening(struct arena *a, struct bytes opening, uint32_t object,
			struct bytes bytes, struct buf *out)
{
	struct program_opening o;
	struct program_result r;
	struct hash last;
	enum err e = program_opening_decode(a, opening, &o);

	if (!e)
		e = program_result_decode(a, o.result, &r);
	if (e)
		return e;
	if (object >= r.object_count || r.object_count != o.object_count)
		return ERR_MALFORMED;
	/* the trace's proof holds no hash of its last leaf, which is shown */
	last = program_memory_root(r.object_roots, r.object_count);
	o.memory_roots[3] = last;
	if (o.sample.step_number == r.steps) {
		o.memory_roots[2] = last;
		o.after_roots[object] = r.object_roots[object];
		for (uint32_t i = 0; !e && i < o.after_count; i++)
			if (o.after[i].object_index == object)
				e = show(a, &o.after[i], bytes);
	}
	if (!e)
		program_opening_encode(out, &o);
	return e ? e : out->err;
}
