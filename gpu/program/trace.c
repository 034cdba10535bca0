/*
 * The initial bytes of a written symbol are its data and zeros behind; the
 * root is streamed, with the zeros in pieces, so that nothing is allocated.
 */
#include "gpu/program/trace.h"

#include "base/arena.h"
#include "base/codec.h"
#include "base/merkle.h"
#include "base/must.h"

struct hash program_memory_root(const struct hash *object_roots, uint32_t count)
{
	struct hash items[PROGRAM_OBJECTS_MAX];

	must(count <= PROGRAM_OBJECTS_MAX);
	for (uint32_t i = 0; i < count; i++)
		items[i] = merkle_item(object_roots[i].b, HASH_BYTES);
	return merkle_list_root(items, count);
}

static struct hash symbol_root(const struct program_symbol *s)
{
	static const uint8_t zero[4096];
	struct merkle_stream m;
	uint64_t left = s->bytes - s->data.n;

	if (s->data.n == 0)
		return merkle_fill_root(0, s->bytes);
	merkle_stream_init(&m);
	merkle_stream_put(&m, s->data.p, s->data.n);
	while (left > 0) {
		size_t n = left < sizeof(zero) ? (size_t)left : sizeof(zero);

		merkle_stream_put(&m, zero, n);
		left -= n;
	}
	return merkle_stream_end(&m);
}

void program_start_roots(const struct program *p, const struct program_task *t,
			 struct hash *ret_object_roots)
{
	uint32_t n = p->buffer_count;
	uint32_t input = 0;

	for (uint32_t i = 0; i < p->buffer_count; i++) {
		const struct program_buffer *b = &p->buffers[i];

		if (b->init == PROGRAM_INIT_INPUT)
			ret_object_roots[i] = t->inputs[input++].root;
		else
			ret_object_roots[i] =
				merkle_fill_root(b->fill, b->bytes);
	}
	for (uint32_t i = 0; i < p->symbol_count; i++)
		if (p->symbols[i].written)
			ret_object_roots[n++] = symbol_root(&p->symbols[i]);
}

struct hash program_start_root(const struct program *p,
			       const struct program_task *t)
{
	struct hash roots[PROGRAM_OBJECTS_MAX];

	program_start_roots(p, t, roots);
	return program_memory_root(roots, program_object_count(p));
}

struct hash program_trace_leaf(const struct hash *memory_root)
{
	return merkle_item(memory_root->b, HASH_BYTES);
}

enum err program_trace_root(struct arena *scratch,
			    const struct hash *memory_roots, uint64_t count,
			    struct hash *ret_root)
{
	struct hash *items = ARENA_ARRAY(scratch, (size_t)count, struct hash);

	if (!items)
		return ERR_NO_MEMORY;
	for (uint64_t i = 0; i < count; i++)
		items[i] = program_trace_leaf(&memory_roots[i]);
	*ret_root = merkle_list_root(items, count);
	return ERR_OK;
}

void program_result_encode(struct buf *out, const struct program_result *r)
{
	enc_array(out, 4);
	enc_uint(out, r->index);
	enc_uint(out, r->steps);
	enc_hash(out, &r->trace_root);
	enc_array(out, r->object_count);
	for (uint32_t i = 0; i < r->object_count; i++)
		enc_hash(out, &r->object_roots[i]);
}

enum err program_result_decode(struct arena *a, struct bytes in,
			       struct program_result *ret_result)
{
	struct dec d = dec_make(in);
	struct program_result r = {0};

	if (in.n > PROGRAM_RESULT_BYTES_MAX)
		return ERR_LIMIT;
	dec_array_exact(&d, 4);
	r.index = dec_uint(&d, JOB_TASKS_MAX - 1);
	r.steps = dec_uint(&d, PROGRAM_LAUNCHES_MAX);
	r.trace_root = dec_hash(&d);
	r.object_count = dec_array(&d, PROGRAM_OBJECTS_MAX);
	r.object_roots = ARENA_ARRAY(a, r.object_count + 1, struct hash);
	if (!r.object_roots)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < r.object_count; i++)
		r.object_roots[i] = dec_hash(&d);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_result = r;
	return ERR_OK;
}

struct hash program_result_leaf(struct bytes encoded_result)
{
	return merkle_item(encoded_result.p, encoded_result.n);
}

struct hash program_result_root(const struct hash *lease,
				const struct pubkey *provider,
				const struct hash *list_root)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/result");
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, provider->b, sizeof(provider->b));
	sha256_put(&s, list_root->b, HASH_BYTES);
	return sha256_end(&s);
}
