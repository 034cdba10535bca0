/*
 * node/data/name - roots under the four ways of naming a blob.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/program/header.h"
#include "gpu/program/program.h"
#include "node/data/blob.h"

/* Arena for decoding: the structures are a few times the encoding. */
#define NAME_ARENA_BYTES_MAX (512u << 20)

/* Items are a u32be length and that many bytes. */
static enum err list_root(struct bytes in, struct hash *ret_root)
{
	struct hash *items;
	uint64_t count = 0;
	struct bytes rest;

	for (rest = in; rest.n; count++) {
		if (rest.n < 4 || u32_be(rest.p) > rest.n - 4)
			return ERR_MALFORMED;
		rest = bytes_skip(rest, 4 + (size_t)u32_be(rest.p));
	}
	items = calloc(count ? (size_t)count : 1, sizeof(*items));
	if (!items)
		return ERR_NO_MEMORY;
	rest = in;
	for (uint64_t i = 0; i < count; i++) {
		size_t n = u32_be(rest.p);

		items[i] = merkle_item(rest.p + 4, n);
		rest = bytes_skip(rest, 4 + n);
	}
	*ret_root = merkle_list_root(items, count);
	free(items);
	return ERR_OK;
}

static enum err program_root(struct arena *a, struct bytes in,
			     struct hash *ret_root)
{
	struct program p;
	enum err e = program_decode(a, in, &p);

	return e ? e : program_id(a, &p, ret_root);
}

static enum err header_root(struct arena *a, struct bytes in,
			    struct hash *ret_root)
{
	struct program_header h;
	enum err e = program_header_decode(a, in, &h);

	return e ? e : program_header_root(a, &h, ret_root);
}

enum err blob_root(enum core_name name, struct bytes bytes,
		   struct hash *ret_root)
{
	struct arena *a;
	enum err e;

	switch (name) {
	case CORE_NAME_BYTES:
		*ret_root = merkle_bytes_root(bytes);
		return ERR_OK;
	case CORE_NAME_LIST:
		return list_root(bytes, ret_root);
	case CORE_NAME_PROGRAM:
	case CORE_NAME_HEADER:
		break;
	}
	a = arena_new(NAME_ARENA_BYTES_MAX);
	if (!a)
		return ERR_NO_MEMORY;
	if (name == CORE_NAME_PROGRAM)
		e = program_root(a, bytes, ret_root);
	else
		e = header_root(a, bytes, ret_root);
	arena_free(a);
	return e;
}
