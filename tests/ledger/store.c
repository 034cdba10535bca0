/*
 * The same random calls on LMDB, memory, and layers in memory above each, and
 * the same answers from all, byte for byte.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/store.h"

#define STORES 4
#define CALLS  30000

struct zoo {
	struct arena *a;
	struct ledger_store base[2]; /* LMDB, memory */
	struct ledger_txn *base_txn[2];
	struct ledger_store store[STORES];
	struct ledger_txn *txn[STORES];
	uint32_t random;
	char folder[64];
};

static uint32_t draw(struct zoo *z, uint32_t below)
{
	z->random = z->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)z->random * below >> 32);
}

static void begin(struct ledger_store *s, bool write, struct ledger_txn **txn)
{
	must(s->ops->begin(s->self, write, txn) == ERR_OK);
}

static void zoo_open(struct zoo *z)
{
	memset(z, 0, sizeof(*z));
	z->random = 1;
	z->a = arena_new((size_t)512 << 20);
	snprintf(z->folder, sizeof(z->folder), "/tmp/weft-store-XXXXXX");
	must(z->a && mkdtemp(z->folder));
	must(ledger_store_lmdb_open(
		     z->a, z->folder,
		     &(struct ledger_lmdb_options){.no_sync = true},
		     &z->base[0]) == ERR_OK);
	must(ledger_store_ram_new(z->a, NULL, NULL, &z->base[1]) == ERR_OK);
}

static void zoo_close(struct zoo *z)
{
	char path[96];

	ledger_store_close(&z->base[0]);
	ledger_store_close(&z->base[1]);
	arena_free(z->a);
	snprintf(path, sizeof(path), "%s/data.mdb", z->folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/lock.mdb", z->folder);
	unlink(path);
	rmdir(z->folder);
}

/* Short keys of few letters, so that they meet and are prefixes of others. */
static struct bytes key_draw(struct zoo *z, uint8_t *out, bool may_be_empty)
{
	uint32_t n = draw(z, 5) + !may_be_empty;

	for (uint32_t i = 0; i < n; i++)
		out[i] = (uint8_t)(draw(z, 4) * 85);
	return bytes_of(out, n);
}

static struct bytes value_draw(struct zoo *z, uint8_t *out)
{
	uint32_t n = draw(z, 16) ? draw(z, 40) : draw(z, 5000);

	memset(out, (int)draw(z, 256), n);
	return bytes_of(out, n);
}

/* One call on all; they must agree. */
static void call(struct zoo *z)
{
	uint8_t key_bytes[8];
	uint8_t value_bytes[5000];
	uint32_t op = draw(z, 6);
	struct bytes key = key_draw(z, key_bytes, op >= 4);
	struct bytes value = value_draw(z, value_bytes);
	enum ledger_table table = (enum ledger_table)draw(z, 2);
	struct bytes k[STORES];
	struct bytes v[STORES];
	enum err e[STORES];

	for (int i = 0; i < STORES; i++) {
		const struct ledger_store_ops *ops = z->store[i].ops;

		k[i] = v[i] = bytes_of(NULL, 0);
		if (op <= 1)
			e[i] = ops->put(z->txn[i], table, key, value);
		else if (op == 2)
			e[i] = ops->del(z->txn[i], table, key);
		else if (op == 3)
			e[i] = ops->get(z->txn[i], table, key, &v[i]);
		else if (op == 4)
			e[i] = ops->seek(z->txn[i], table, key, &k[i], &v[i]);
		else
			e[i] = ops->seek_back(z->txn[i], table, key, &k[i],
					      &v[i]);
		cr_assert_eq(e[i], e[0], "op %u: store %d", op, i);
		cr_assert(e[i] == ERR_OK || e[i] == ERR_NOT_FOUND);
		cr_assert(bytes_eq(k[i], k[0]), "op %u: store %d", op, i);
		cr_assert(bytes_eq(v[i], v[0]), "op %u: store %d", op, i);
	}
}

/* Stores 0 and 1 are the bases; 2 and 3 layers above the other base. */
static void round_of(struct zoo *z, bool keep, uint32_t calls)
{
	for (int i = 0; i < 2; i++) {
		begin(&z->base[i], false, &z->base_txn[i]);
		must(ledger_store_ram_new(z->a, &z->base[i], z->base_txn[i],
					  &z->store[2 + i]) == ERR_OK);
		z->store[i] = z->base[i];
	}
	for (int i = 0; i < STORES; i++)
		begin(&z->store[i], true, &z->txn[i]);
	for (uint32_t i = 0; i < calls; i++)
		call(z);
	/* Layers settle into themselves and go on being asked. */
	for (int i = 2; i < STORES; i++) {
		must(z->store[i].ops->commit(z->txn[i]) == ERR_OK);
		begin(&z->store[i], true, &z->txn[i]);
	}
	for (uint32_t i = 0; i < calls; i++)
		call(z);
	for (int i = 0; i < 2; i++) {
		z->store[2 + i].ops->abort(z->txn[2 + i]);
		z->base[i].ops->abort(z->base_txn[i]);
	}
	for (int i = 0; i < 2; i++) {
		if (keep)
			must(z->base[i].ops->commit(z->txn[i]) == ERR_OK);
		else
			z->base[i].ops->abort(z->txn[i]);
	}
}

Test(store, all_agree)
{
	static struct zoo z;

	zoo_open(&z);
	for (int round = 0; round < 20; round++)
		round_of(&z, draw(&z, 3) > 0, CALLS / 40);
	zoo_close(&z);
}

Test(store, a_map_that_is_full_grows)
{
	struct zoo z;
	struct ledger_lmdb_options o = {.map_bytes = 1u << 20, .no_sync = true};
	static uint8_t value[100000];
	uint32_t kept = 0;

	zoo_open(&z);
	ledger_store_close(&z.base[0]);
	must(ledger_store_lmdb_open(z.a, z.folder, &o, &z.base[0]) == ERR_OK);
	for (uint32_t i = 0; i < 100; i++) {
		struct ledger_txn *txn;
		uint8_t key[4];
		enum err e;

		put_u32_be(key, i);
		begin(&z.base[0], true, &txn);
		e = z.base[0].ops->put(txn, LEDGER_TABLE_KV, bytes_of(key, 4),
				       bytes_of(value, sizeof(value)));
		if (e != ERR_OK) {
			z.base[0].ops->abort(txn);
			i--;
			cr_assert_lt(++kept, 10, "does not grow");
			continue;
		}
		must(z.base[0].ops->commit(txn) == ERR_OK);
	}
	zoo_close(&z);
}

Test(store, memory_is_used_again)
{
	struct arena *a = arena_new((size_t)1 << 30);
	struct ledger_store s;
	static uint8_t value[3000];
	size_t used = 0;

	must(ledger_store_ram_new(a, NULL, NULL, &s) == ERR_OK);
	for (uint32_t i = 0; i < 400; i++) {
		struct ledger_txn *txn;
		uint8_t key[1] = {(uint8_t)(i % 10)};

		begin(&s, true, &txn);
		must(s.ops->put(txn, LEDGER_TABLE_KV, bytes_of(key, 1),
				bytes_of(value, sizeof(value))) == ERR_OK);
		if (i % 3)
			must(s.ops->commit(txn) == ERR_OK);
		else
			s.ops->abort(txn);
		if (i == 100)
			used = arena_used(a);
	}
	/* A node of more levels than any before may still come. */
	cr_assert_leq(arena_used(a), used + 4096);
	arena_free(a);
}

Test(store, a_folder_that_is_not_there)
{
	struct arena *a = arena_new(1u << 20);
	struct ledger_store s;

	cr_assert_eq(ledger_store_lmdb_open(a, "/tmp/weft-none/none", NULL, &s),
		     ERR_STORE);
	arena_free(a);
}
