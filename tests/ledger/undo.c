/*
 * Random blocks on both stores at once: money adds up, roots agree, undoing
 * restores every byte of every canonical table, doing again gives the same.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/account.h"
#include "tests/ledger/poke.h"
#include "tests/support/ledger/rig.h"

#define ACTORS	  4u
#define BLOCKS	  300u /* of about three transactions each */
#define DEPTH_MAX 12u
#define START	  100000000u

struct twin {
	struct rig ram;
	struct rig disk;
	char folder[64];
	uint64_t random;
};

static uint64_t draw(struct twin *t, uint64_t below)
{
	return poke_draw(&t->random, below);
}

static void twin_open(struct twin *t, uint64_t seed)
{
	struct ledger_params p = ledger_params_default();
	struct rig_options o = {.rows = &poke_rows,
				.row_count = 1,
				.params = &p,
				.actor_count = ACTORS,
				.balance_picks = START};

	memset(t, 0, sizeof(*t));
	t->random = seed;
	p.seed_keep_blocks = 10; /* so that the ring turns */
	p.credit_stamp_blocks = 5;
	snprintf(t->folder, sizeof(t->folder), "/tmp/weft-undo-XXXXXX");
	must(mkdtemp(t->folder));
	rig_open(&t->ram, &o);
	o.lmdb_path = t->folder;
	o.lmdb_no_sync = true;
	rig_open(&t->disk, &o);
}

static void twin_close(struct twin *t)
{
	char path[128];

	rig_close(&t->ram);
	rig_close(&t->disk);
	snprintf(path, sizeof(path), "%s/data.mdb", t->folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/lock.mdb", t->folder);
	unlink(path);
	rmdir(t->folder);
}

/* Everything in a table, folded into one hash. */
static struct hash table_hash(struct rig *r, enum ledger_table table)
{
	struct ledger_txn *txn;
	struct sha256 s;
	struct bytes key;
	struct bytes value;
	uint8_t from[LEDGER_KEY_MAX + 1];
	size_t n = 0;

	sha256_init(&s);
	must(r->store.ops->begin(r->store.self, false, &txn) == ERR_OK);
	while (r->store.ops->seek(txn, table, bytes_of(from, n), &key,
				  &value) == ERR_OK) {
		sha256_put_u64_be(&s, key.n);
		sha256_put(&s, key.p, key.n);
		sha256_put_u64_be(&s, value.n);
		sha256_put(&s, value.p, value.n);
		memcpy(from, key.p, key.n);
		from[key.n] = 0;
		n = key.n + 1;
	}
	r->store.ops->abort(txn);
	return sha256_end(&s);
}

struct picture {
	struct hash table[LEDGER_TABLE_COUNT];
};

static struct picture picture_of(struct rig *r)
{
	struct picture p;

	for (int t = 0; t < LEDGER_TABLE_COUNT; t++)
		p.table[t] = table_hash(r, (enum ledger_table)t);
	return p;
}

/* UNDO differs in what was forgotten; all else must be the same. */
static void expect_same(const struct picture *a, const struct picture *b,
			const char *when)
{
	for (int t = 0; t < LEDGER_TABLE_COUNT; t++)
		cr_assert(hash_eq(&a->table[t], &b->table[t]), "%s: table %d",
			  when, t);
}

static void twin_block(struct twin *t)
{
	struct bytes a[8];
	struct bytes b[8];
	uint32_t count = (uint32_t)draw(t, 7);
	struct buf body = buf_make(256);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t actor = 1 + (uint32_t)draw(t, ACTORS);
		struct poke p = poke_random(&t->random, t->ram.keys, ACTORS,
					    rig_height(&t->ram), START);

		buf_reset(&body);
		poke_encode(&body, &p);
		a[i] = rig_tx(&t->ram, actor, POKE_KIND, buf_bytes(&body));
		b[i] = arena_copy(t->disk.block, a[i]);
	}
	buf_free(&body);
	rig_block(&t->ram, a, count);
	rig_block(&t->disk, b, count);
	cr_assert(hash_eq(&t->ram.outcome.state_root,
			  &t->disk.outcome.state_root));
}

/* Sequences as the state has them: some transactions were not admitted. */
static void seqs_sync(struct twin *t)
{
	struct ledger *view;

	must(ledger_chain_view(t->ram.chain, &view) == ERR_OK);
	for (uint32_t i = 0; i <= ACTORS; i++)
		must(ledger_account_seq(view, &t->ram.keys[i], 0,
					&t->ram.seqs[i]) == ERR_OK);
	ledger_chain_view_end(view);
}

/* Step both back and forth, and compare with what was. */
static void twin_back(struct twin *t, const struct picture *was, uint64_t to)
{
	struct picture now;

	poke_served_count = 0;
	must(ledger_chain_rollback(t->ram.chain, to) == ERR_OK);
	must(ledger_chain_rollback(t->disk.chain, to) == ERR_OK);
	now = picture_of(&t->ram);
	expect_same(was, &now, "memory, undone");
	now = picture_of(&t->disk);
	expect_same(was, &now, "disk, undone");
	seqs_sync(t);
}

Test(undo, random_blocks_conserve_agree_and_come_back, .timeout = 1200)
{
	const char *heavy = getenv("WEFT_HEAVY");
	const char *fixed = getenv("WEFT_SEED");
	uint64_t blocks = BLOCKS * (heavy ? (uint64_t)atol(heavy) : 1);
	uint64_t seed = fixed ? (uint64_t)atoll(fixed) : 1;
	static struct twin t;
	struct picture was = {0};
	uint64_t height = 0;
	uint64_t depth = 0;

	fprintf(stderr, "WEFT_SEED=%llu\n", (unsigned long long)seed);
	twin_open(&t, seed);
	for (uint64_t i = 0; i < blocks; i++) {
		if (depth == 0) {
			was = picture_of(&t.disk);
			height = rig_height(&t.ram);
			depth = 1 + draw(&t, DEPTH_MAX);
		}
		twin_block(&t);
		seqs_sync(&t);
		poke_served_count = 0;
		if (--depth == 0 && draw(&t, 2) == 0)
			twin_back(&t, &was, height);
	}
	struct ledger_fsck found;

	must(ledger_chain_fsck(t.disk.chain, &found) == ERR_OK);
	cr_assert(found.is_conserved && found.is_root_right &&
		  found.is_canonical);
	cr_assert_eq(coin_raw(found.issued), (uint64_t)ACTORS * START);
	twin_close(&t);
}

Test(undo, only_so_far)
{
	struct rig rig;

	rig_open(&rig, &(struct rig_options){.actor_count = 1, .quick = true});
	rig_idle(&rig, LEDGER_UNDO_BLOCKS + 5);
	cr_assert_eq(ledger_chain_rollback(rig.chain, 5), ERR_OK);
	cr_assert_eq(rig_height(&rig), 5);
	cr_assert_eq(ledger_chain_rollback(rig.chain, 4), ERR_NOT_FOUND);
	cr_assert_eq(rig_height(&rig), 5);
	rig_idle(&rig, 1);
	cr_assert_eq(rig_height(&rig), 6);
	rig_close(&rig);
}
