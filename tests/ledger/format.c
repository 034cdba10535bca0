/*
 * Every record against tests/vectors/format/ledger.txt and the tree against
 * tests/vectors/ledger/smt.txt, both made by tests/vectors/ledger/make.py.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/block.h"
#include "ledger/bodies.h"
#include "ledger/smt.h"
#include "tests/support/ledger/rig.h"
#include "tests/support/vectors.h"

#define START 1000000000u

static struct rig rig;

static void open_two(void)
{
	rig_open(&rig, &(struct rig_options){.actor_count = 2,
					     .balance_picks = START});
}

static void shut(void)
{
	rig_close(&rig);
}

/* The bytes of a name; static, good for two at a time. */
static struct bytes want(const char *name)
{
	static uint8_t out[2][8192];
	static int turn;
	struct vectors v;

	turn ^= 1;
	vectors_open(&v, WEFT_SOURCE_DIR, "format/ledger.txt");
	while (vectors_next(&v))
		if (strcmp(v.field[0], name) == 0) {
			size_t n = vectors_hex(v.field[1], out[turn],
					       sizeof(out[turn]));

			fclose(v.file);
			free(v.line);
			return bytes_of(out[turn], n);
		}
	cr_assert_fail("no vector %s", name);
	return bytes_of(NULL, 0);
}

static void expect(const char *name, struct bytes got)
{
	struct bytes w = want(name);

	cr_assert(bytes_eq(w, got), "%s differs", name);
}

static void expect_hash(const char *name, const struct hash *got)
{
	expect(name, hash_bytes(got));
}

Test(format, genesis, .init = open_two, .fini = shut)
{
	struct ledger_info info;
	struct bytes got;

	ledger_chain_info(rig.chain, &info);
	cr_assert_eq(ledger_chain_genesis(rig.chain, rig.block, &got), ERR_OK);
	expect("genesis", got);
	expect_hash("genesis_hash", &info.genesis_hash);
	expect_hash("genesis_hash", &info.block_id);
	expect_hash("genesis_root", &info.state_root);
}

Test(format, genesis_decodes_to_itself)
{
	struct arena *a = arena_new(1u << 20);
	struct bytes in = want("genesis");
	struct buf out = buf_make(4096);
	struct ledger_genesis g;

	cr_assert_eq(ledger_genesis_decode(a, in, &g), ERR_OK);
	ledger_genesis_encode(&g, &out);
	cr_assert(bytes_eq(in, buf_bytes(&out)));
	for (size_t i = 0; i < in.n; i++) {
		struct ledger_genesis cut;

		cr_assert_neq(
			ledger_genesis_decode(a, bytes_slice(in, 0, i), &cut),
			ERR_OK);
	}
	buf_free(&out);
	arena_free(a);
}

Test(format, transfer, .init = open_two, .fini = shut)
{
	struct ledger_transfer t = {.to = rig.keys[2],
				    .amount = coin_picks(12345),
				    .memo = BYTES_LIT("memo")};
	struct buf body = buf_make(256);
	struct bytes in;
	struct ledger_tx tx;
	enum reason why;

	ledger_transfer_encode(&body, &t);
	in = rig_tx(&rig, 1, LEDGER_KIND_TRANSFER, buf_bytes(&body));
	expect("transfer", in);
	cr_assert_eq(ledger_tx_decode(in, &tx, &why), ERR_OK);
	expect_hash("transfer_digest", &tx.digest);
	expect_hash("transfer_id", &tx.id);
	cr_assert_eq(ledger_tx_verify(&tx), ERR_OK);
	buf_free(&body);
}

Test(format, keys_and_announce, .init = open_two, .fini = shut)
{
	struct seckey rig_key = rig_secret(50);
	struct ledger_keys k = {.rig_key_count = 1, .has_payout = true};
	struct ledger_announce an = {.node = {.endpoint_count = 1}};
	struct buf body = buf_make(1024);
	struct hash h;

	cr_assert_eq(sig_pubkey(&rig_key, &k.rig_keys[0]), ERR_OK);
	k.payout = rig.keys[1];
	ledger_keys_encode(&body, &k);
	expect("keys",
	       rig_tx(&rig, 2, LEDGER_KIND_ACCOUNT_KEYS, buf_bytes(&body)));
	an.node.endpoints[0] = BYTES_LIT("127.0.0.1:9421");
	an.node.has_cert = true;
	memset(an.node.cert.b, 0x11, 32);
	an.node.has_box = true;
	memset(an.node.box32, 0x22, 32);
	an.node.has_operator = true;
	an.node.operator_account = rig.keys[1];
	h = ledger_operator_digest(RIG_CHAIN_ID, &rig.keys[2]);
	cr_assert_eq(sig_sign(&rig.secrets[1], hash_bytes(&h), NULL,
			      &an.operator_sig),
		     ERR_OK);
	buf_reset(&body);
	ledger_announce_encode(&body, &an);
	expect("announce",
	       rig_tx(&rig, 2, LEDGER_KIND_NODE_ANNOUNCE, buf_bytes(&body)));
	buf_free(&body);
}

/* Every record of the state, and no other: they tell more than a root. */
static void expect_records(void)
{
	struct ledger *view;
	struct ledger_fsck found;
	struct vectors v;
	uint64_t records = 0;

	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	vectors_open(&v, WEFT_SOURCE_DIR, "format/ledger.txt");
	while (vectors_next(&v)) {
		struct ledger_key k = {.n = 0};
		struct bytes got;

		if (strncmp(v.field[0], "record_", 7) != 0)
			continue;
		k.n = vectors_hex(v.field[0] + 7, k.b, sizeof(k.b));
		cr_assert_eq(ledger_get(view, &k, &got), ERR_OK, "%s",
			     v.field[0]);
		expect(v.field[0], got);
		records++;
	}
	ledger_chain_view_end(view);
	cr_assert_eq(ledger_chain_fsck(rig.chain, &found), ERR_OK);
	cr_assert_eq(found.record_count, records);
}

/* Seal the block of the vectors, apply it, and look at every record. */
Test(format, block_and_state, .init = open_two, .fini = shut)
{
	static const char *const names[] = {"beacon", "transfer", "keys",
					    "announce", "announce_by_rig_key"};
	struct bytes txs[5];
	struct buf out = buf_make(65536);
	struct hash id;
	struct ledger_proposal p;
	struct ledger_refusal w;
	struct ledger_info info;
	struct bytes *prepared;
	uint32_t count;
	struct ledger_prepare in = {.height = 1,
				    .time_ms = 1001000,
				    .vrf = &rig.vrf,
				    .txs = txs + 1,
				    .tx_count = 4};

	for (int i = 0; i < 5; i++) {
		txs[i] = arena_copy(rig.block, want(names[i]));
		cr_assert(txs[i].p);
	}
	in.proposer = rig.keys[0];
	cr_assert_eq(ledger_chain_prepare(rig.chain, rig.block, &in, &prepared,
					  &count),
		     ERR_OK);
	cr_assert_eq(count, 5);
	for (int i = 0; i < 5; i++)
		cr_assert(bytes_eq(prepared[i], txs[i]), "%s", names[i]);
	cr_assert_eq(ledger_chain_seal(rig.chain, 1001000, prepared, count,
				       &rig.secrets[0], &out, &id),
		     ERR_OK);
	expect("block", buf_bytes(&out));
	expect_hash("block_id", &id);
	cr_assert_eq(ledger_chain_unseal(rig.chain, rig.block, buf_bytes(&out),
					 &p, &w),
		     ERR_OK);
	cr_assert_eq(ledger_chain_process(rig.chain, &p, &w), ERR_OK);
	cr_assert_eq(ledger_chain_finalize(rig.chain, &p, &rig.outcome, &w),
		     ERR_OK);
	cr_assert_eq(ledger_chain_commit(rig.chain, buf_bytes(&out)), ERR_OK);
	for (int i = 0; i < 5; i++)
		cr_assert_eq(rig.outcome.results[i].reason, REASON_none,
			     "%s: %s", names[i],
			     reason_word(rig.outcome.results[i].reason));
	ledger_chain_info(rig.chain, &info);
	expect_hash("seed_after", &info.seed);
	buf_free(&out);
	expect_records();
	expect_hash("root_after", &info.state_root);
}

Test(format, stamp, .init = open_two, .fini = shut)
{
	struct bytes nonce = want("stamp_nonce_8_bits");
	struct hash block_id;
	struct hash h;

	memcpy(block_id.b, want("block_id").p, 32);
	h = ledger_stamp_hash(RIG_CHAIN_ID, &block_id, &rig.keys[2],
			      u64_be(nonce.p));
	expect_hash("stamp_hash", &h);
	cr_assert(ledger_stamp_ok(&h, 8));
	cr_assert_not(ledger_stamp_ok(&h, 64));
}

/* --- the tree --- */

struct tree {
	struct arena *a;
	struct ledger_store store;
	struct ledger_txn *txn;
};

static void tree_open(struct tree *t)
{
	t->a = arena_new((size_t)64 << 20);
	cr_assert_eq(ledger_store_ram_new(t->a, NULL, NULL, &t->store), ERR_OK);
	cr_assert_eq(t->store.ops->begin(t->store.self, true, &t->txn), ERR_OK);
}

Test(format, smt_roots)
{
	struct ledger_smt_change c[512];
	struct vectors v;
	struct tree t;
	struct hash root;
	struct bytes key;
	struct bytes value;
	size_t count = 0;
	int roots = 0;

	tree_open(&t);
	vectors_open(&v, WEFT_SOURCE_DIR, "ledger/smt.txt");
	while (vectors_next(&v)) {
		struct hash h;

		vectors_hex(v.field[1], h.b, 32);
		if (v.field[0][0] != 'r') {
			cr_assert_lt(count, 512);
			c[count].path = h;
			c[count].is_delete = v.field[0][0] == 'd';
			if (!c[count].is_delete)
				vectors_hex(v.field[2], c[count].value_hash.b,
					    32);
			count++;
			continue;
		}
		cr_assert_eq(
			ledger_smt_update(&t.store, t.txn, c, count, &root),
			ERR_OK);
		cr_assert(hash_eq(&root, &h), "line %d", v.number);
		roots++;
		count = 0;
	}
	cr_assert_gt(roots, 70);
	/* Emptied: not one node is left. */
	cr_assert(hash_is_zero(&root));
	cr_assert_eq(t.store.ops->seek(t.txn, LEDGER_TABLE_SMT,
				       bytes_of(NULL, 0), &key, &value),
		     ERR_NOT_FOUND);
	arena_free(t.a);
}

static struct ledger_smt_change change_of(uint32_t i)
{
	struct ledger_smt_change c = {.is_delete = false};
	uint8_t in[4];

	put_u32_be(in, i);
	c.path = ledger_smt_path(bytes_of(in, 4));
	c.value_hash = sha256(in, 4);
	return c;
}

Test(format, smt_proofs)
{
	struct ledger_proof p;
	struct tree t;
	struct hash root;

	tree_open(&t);
	for (uint32_t i = 0; i < 300; i++) {
		struct ledger_smt_change c = change_of(i);

		cr_assert_eq(ledger_smt_update(&t.store, t.txn, &c, 1, &root),
			     ERR_OK);
	}
	for (uint32_t i = 0; i < 600; i++) {
		uint8_t in[4];
		struct bytes key = bytes_of(in, 4);
		struct hash path;

		put_u32_be(in, i);
		path = ledger_smt_path(key);
		cr_assert_eq(ledger_smt_prove(&t.store, t.txn, &path, &p),
			     ERR_OK);
		cr_assert_eq(p.is_there, i < 300);
		cr_assert(hash_eq(&p.state_root, &root));
		cr_assert_eq(ledger_proof_check(&p, key), ERR_OK);
		/* Any change of what it says must break it. */
		p.is_there = !p.is_there;
		cr_assert_eq(ledger_proof_check(&p, key), ERR_PROOF);
		p.is_there = !p.is_there;
		if (p.depth > 0) {
			p.siblings[i % p.depth].b[3] ^= 1;
			cr_assert_eq(ledger_proof_check(&p, key), ERR_PROOF);
			p.siblings[i % p.depth].b[3] ^= 1;
		}
		in[0] ^= 1;
		if (i < 300)
			cr_assert_eq(ledger_proof_check(&p, key), ERR_PROOF);
	}
	arena_free(t.a);
}
