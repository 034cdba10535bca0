#include "base/merkle.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/arena.h"
#include "tests/support/vectors.h"

static struct hash hash_from(const char *hex)
{
	struct hash h;

	cr_assert_eq(vectors_hex(hex, h.b, sizeof(h.b)), 32);
	return h;
}

static struct hash item(uint32_t i)
{
	uint8_t b[4];

	put_u32_le(b, i);
	return merkle_item(b, sizeof(b));
}

static void check_bytes(size_t n, const char *want)
{
	uint8_t *p = malloc(n + 1);
	struct merkle_stream m;
	struct hash root = hash_from(want), got;
	size_t step = 1;

	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 7 + i / 512 + 3);
	got = merkle_bytes_root(bytes_of(p, n));
	cr_assert(hash_eq(&got, &root), "bytes %zu", n);
	merkle_stream_init(&m);
	for (size_t at = 0; at < n; at += step, step = step % 700 + 1)
		merkle_stream_put(&m, p + at, n - at < step ? n - at : step);
	got = merkle_stream_end(&m);
	cr_assert(hash_eq(&got, &root), "stream %zu", n);
	free(p);
}

static size_t parse_ranges(const char *text, struct merkle_range *r)
{
	size_t n = 0;
	char *end;

	while (*text && *text != '-') {
		r[n].first = strtoull(text, &end, 10);
		r[n++].count = strtoull(end + 1, &end, 10);
		text = *end ? end + 1 : end;
	}
	return n;
}

static void check_proof(struct vectors *v)
{
	struct merkle_tree_store *t;
	struct merkle_range ranges[8];
	struct hash leaves[64], asked[64], *got, *again, tree;
	uint64_t count = strtoull(v->field[1], 0, 10);
	size_t n = parse_ranges(v->field[2], ranges), k, k2, m = 0;
	struct arena *a = arena_new(1 << 20);

	t = merkle_store_new(count);
	for (uint32_t i = 0; i < count; i++) {
		leaves[i] = item(i);
		merkle_store_set(t, i, &leaves[i]);
	}
	cr_assert_eq(merkle_prove(a, leaves, count, ranges, n, &got, &k), 0);
	cr_assert_eq(merkle_store_prove(a, t, ranges, n, &again, &k2), 0);
	cr_assert_eq(k, k2);
	cr_assert_eq(k, strcmp(v->field[3], "-") ? (size_t)v->count - 3 : 0);
	for (size_t i = 0; i < k; i++) {
		struct hash want = hash_from(v->field[3 + i]);

		cr_assert(hash_eq(&got[i], &want));
		cr_assert(hash_eq(&again[i], &want));
	}
	for (size_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < ranges[i].count; j++)
			asked[m++] = leaves[ranges[i].first + j];
	cr_assert_eq(merkle_check(count, ranges, n, asked, m, got, k, &tree),
		     ERR_OK);
	again[0] = merkle_tree(leaves, count);
	cr_assert(hash_eq(&tree, &again[0]));
	cr_assert_eq(
		merkle_check(count, ranges, n, asked, m, got, k + 1, &tree),
		ERR_PROOF, "a hash left over");
	if (k)
		cr_assert_eq(merkle_check(count, ranges, n, asked, m, got,
					  k - 1, &tree),
			     ERR_PROOF, "a hash missing");
	merkle_store_free(t);
	arena_free(a);
}

Test(merkle, vectors)
{
	struct vectors v;
	struct hash leaves[1000], got, want;

	for (uint32_t i = 0; i < 1000; i++)
		leaves[i] = item(i);
	vectors_open(&v, WEFT_SOURCE_DIR, "base/merkle.txt");
	while (vectors_next(&v)) {
		uint64_t n = strtoull(v.field[1], 0, 10);

		if (strcmp(v.field[0], "bytes") == 0) {
			check_bytes((size_t)n, v.field[2]);
		} else if (strcmp(v.field[0], "fill") == 0) {
			got = merkle_fill_root((uint8_t)n,
					       strtoull(v.field[2], 0, 10));
			want = hash_from(v.field[3]);
			cr_assert(hash_eq(&got, &want), "line %d", v.number);
		} else if (strcmp(v.field[0], "list") == 0) {
			got = merkle_list_root(leaves, n);
			want = hash_from(v.field[2]);
			cr_assert(hash_eq(&got, &want), "line %d", v.number);
		} else {
			check_proof(&v);
		}
	}
}

/* Every subset of the leaves of every tree up to 10: prove, then check. */
Test(merkle, all_small_proofs)
{
	struct arena *a = arena_new(1 << 20);
	struct hash leaves[10];

	for (uint32_t i = 0; i < 10; i++)
		leaves[i] = item(i);
	for (uint32_t count = 1; count <= 10; count++) {
		for (uint32_t set = 0; set < 1u << count; set++) {
			struct merkle_range r[10];
			struct hash asked[10], *proof, tree, want;
			size_t n = 0, k;

			for (uint32_t i = 0; i < count; i++) {
				if (!(set >> i & 1))
					continue;
				asked[n] = leaves[i];
				r[n++] = (struct merkle_range){i, 1};
			}
			cr_assert_eq(merkle_prove(a, leaves, count, r, n,
						  &proof, &k),
				     ERR_OK);
			cr_assert_eq(merkle_check(count, r, n, asked, n, proof,
						  k, &tree),
				     ERR_OK);
			want = merkle_tree(leaves, count);
			cr_assert(hash_eq(&tree, &want));
			if (n) {
				asked[n - 1].b[5] ^= 1;
				cr_assert_eq(merkle_check(count, r, n, asked, n,
							  proof, k, &tree),
					     ERR_OK);
				cr_assert(!hash_eq(&tree, &want));
			}
			arena_reset(a);
		}
	}
	arena_free(a);
}

Test(merkle, bad_ranges)
{
	struct merkle_range two[2] = {{2, 2}, {3, 1}}, far = {4, 2},
			    none = {1, 0};
	struct arena *a = arena_new(1 << 16);
	struct hash leaves[5], *proof, tree;
	size_t k;

	for (uint32_t i = 0; i < 5; i++)
		leaves[i] = item(i);
	cr_assert_eq(merkle_prove(a, leaves, 5, two, 2, &proof, &k),
		     ERR_REFUSED);
	cr_assert_eq(merkle_prove(a, leaves, 5, &far, 1, &proof, &k),
		     ERR_REFUSED);
	cr_assert_eq(merkle_prove(a, leaves, 5, &none, 1, &proof, &k),
		     ERR_REFUSED);
	far.first = UINT64_MAX;
	cr_assert_eq(merkle_check(5, &far, 1, leaves, 2, 0, 0, &tree),
		     ERR_PROOF);
	arena_free(a);
}

Test(merkle, store_follows_changes)
{
	struct merkle_tree_store *t = merkle_store_new(1000);
	struct hash leaves[1000], got, want;
	uint64_t x = 1;

	for (uint32_t i = 0; i < 1000; i++) {
		leaves[i] = item(i);
		merkle_store_set(t, i, &leaves[i]);
	}
	for (int round = 0; round < 50; round++) {
		for (int j = 0; j < round % 4; j++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			leaves[x % 1000] = item((uint32_t)(x >> 32));
			merkle_store_set(t, x % 1000, &leaves[x % 1000]);
		}
		got = merkle_store_root(t);
		want = merkle_tree(leaves, 1000);
		cr_assert(hash_eq(&got, &want));
	}
	merkle_store_free(t);
}
