/*
 * gpu/ptx/names - chained hashing over a stack.  Newer names stand first in
 * their bucket, so the innermost is found first and leaving a scope unlinks
 * from the front.
 */
#include "gpu/ptx/priv/names.h"

#include <string.h>

#include "base/must.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	return h ^ (h >> 32);
}

static uint64_t name_key(const struct names *n, struct bytes text)
{
	uint64_t h = n->key[0] ^ text.n;

	while (text.n > 0) {
		uint8_t word[8] = {0};
		size_t part = text.n < 8 ? text.n : 8;

		memcpy(word, text.p, part);
		h = mix(h ^ n->key[1], u64_le(word));
		text = bytes_skip(text, part);
	}
	return h;
}

enum err names_init(struct names *n, struct arena *a, const struct hash *key)
{
	memset(n, 0, sizeof(*n));
	n->a = a;
	n->key[0] = u64_le(key->b);
	n->key[1] = u64_le(key->b + 8);
	n->cap = 64;
	n->bucket_count = 128;
	n->stack = ARENA_ARRAY(a, n->cap, struct name);
	n->buckets = ARENA_ARRAY(a, n->bucket_count, uint32_t);
	return n->stack && n->buckets ? ERR_OK : ERR_NO_MEMORY;
}

static void link_name(struct names *n, uint32_t i)
{
	uint32_t *bucket =
		&n->buckets[n->stack[i].hash & (n->bucket_count - 1)];

	n->stack[i].next = *bucket;
	*bucket = i + 1;
}

static enum err grow(struct names *n)
{
	struct name *stack = ARENA_ARRAY(n->a, n->cap * 2u, struct name);
	uint32_t *buckets = ARENA_ARRAY(n->a, n->cap * 4u, uint32_t);

	if (!stack || !buckets)
		return ERR_NO_MEMORY;
	memcpy(stack, n->stack, n->count * sizeof(*stack));
	n->stack = stack;
	n->buckets = buckets;
	n->cap *= 2;
	n->bucket_count = n->cap * 2;
	for (uint32_t i = 0; i < n->count; i++)
		link_name(n, i);
	return ERR_OK;
}

const struct name *names_find(const struct names *n, struct bytes text)
{
	uint64_t h = name_key(n, text);
	uint32_t i = n->buckets[h & (n->bucket_count - 1)];

	while (i) {
		const struct name *v = &n->stack[i - 1];

		if (v->hash == h && bytes_eq(v->text, text))
			return v;
		i = v->next;
	}
	return NULL;
}

enum err names_add(struct names *n, struct name v)
{
	const struct name *old = names_find(n, v.text);

	if (old && old->depth == n->depth)
		return ERR_EXISTS;
	if (n->count == n->cap && grow(n) != ERR_OK)
		return ERR_NO_MEMORY;
	v.hash = name_key(n, v.text);
	v.depth = n->depth;
	n->stack[n->count] = v;
	link_name(n, n->count++);
	return ERR_OK;
}

enum err names_enter(struct names *n)
{
	if (n->depth == NAMES_DEPTH_MAX)
		return ERR_LIMIT;
	n->depth++;
	return ERR_OK;
}

void names_leave(struct names *n)
{
	must(n->depth > 0);
	while (n->count > 0 && n->stack[n->count - 1].depth == n->depth) {
		const struct name *v = &n->stack[--n->count];

		n->buckets[v->hash & (n->bucket_count - 1)] = v->next;
	}
	n->depth--;
}
