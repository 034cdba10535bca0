#include "tests/support/ledger/rig.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/must.h"
#include "ledger/account.h"

#define FEE_PICKS 10000000u

struct seckey rig_secret(uint32_t i)
{
	uint8_t in[4];
	struct hash h;
	struct seckey sk;

	put_u32_be(in, i);
	h = sha256_tagged("weft-test/actor", in, sizeof(in));
	memcpy(sk.b, h.b, sizeof(sk.b));
	return sk;
}

static struct vrf_secret rig_vrf(uint32_t validator)
{
	struct vrf_secret vrf;

	memset(vrf.seed, 9 + (int)validator, sizeof(vrf.seed));
	return vrf;
}

static void make_actors(struct rig *r, uint32_t count)
{
	must(count < RIG_ACTORS_MAX);
	r->actor_count = count + 1;
	for (uint32_t i = 0; i < r->actor_count; i++) {
		r->secrets[i] = rig_secret(i);
		must(sig_pubkey(&r->secrets[i], &r->keys[i]) == ERR_OK);
	}
}

static void sort_accounts(struct ledger_genesis_account *list, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct ledger_genesis_account a = list[i];
		uint32_t at = i;

		for (; at > 0 &&
		       memcmp(list[at - 1].account.b, a.account.b, 32) > 0;
		     at--)
			list[at] = list[at - 1];
		list[at] = a;
	}
}

static void write_genesis(struct rig *r, const struct rig_options *o)
{
	struct ledger_genesis_account accounts[RIG_ACTORS_MAX];
	struct ledger_validator v[RIG_ACTORS_MAX];
	uint32_t count = o->validators ? o->validators : 1;
	struct ledger_genesis g = {0};
	struct hash root;

	for (uint32_t i = 1; i < r->actor_count; i++) {
		accounts[i - 1].account = r->keys[i];
		accounts[i - 1].balance = coin_picks(o->balance_picks);
	}
	sort_accounts(accounts, r->actor_count - 1);
	must(count <= r->actor_count);
	for (uint32_t i = 0; i < count; i++) {
		struct vrf_secret vrf = rig_vrf(i);

		memset(&v[i], 0, sizeof(v[i]));
		memset(v[i].key32, 7 + (int)i, sizeof(v[i].key32));
		v[i].account = r->keys[i];
		v[i].power = 1;
		vrf_public_of(&vrf, &v[i].vrf);
	}
	g.chain_id = RIG_CHAIN_ID;
	g.time_ms = 1000000;
	g.params = o->params ? *o->params : ledger_params_default();
	g.accounts = accounts;
	g.account_count = r->actor_count - 1;
	g.validators = v;
	g.validator_count = count;
	must(ledger_chain_init(r->chain, &g, &root) == ERR_OK);
}

void rig_open(struct rig *r, const struct rig_options *o)
{
	struct ledger_chain_options options = {
		.history = !o->quick,
		.blocks = !o->quick,
		.paranoid = !o->quick,
	};
	struct ledger_lmdb_options lmdb = {.no_sync = o->lmdb_no_sync};
	struct ledger_info info;

	memset(r, 0, sizeof(*r));
	r->home = arena_new((size_t)1 << 30);
	r->block = arena_new((size_t)64 << 20);
	must(r->home && r->block);
	r->vrf = rig_vrf(0);
	make_actors(r, o->actor_count);
	if (o->lmdb_path)
		must(ledger_store_lmdb_open(r->home, o->lmdb_path, &lmdb,
					    &r->store) == ERR_OK);
	else
		must(ledger_store_ram_new(r->home, NULL, NULL, &r->store) ==
		     ERR_OK);
	ledger_rules_join(o->rows, o->row_count, o->referee, &r->rules);
	must(ledger_chain_open(&r->store, &r->rules, &options, &r->chain) ==
	     ERR_OK);
	ledger_chain_info(r->chain, &info);
	if (info.is_empty)
		write_genesis(r, o);
	ledger_chain_info(r->chain, &info);
	r->time_ms = info.time_ms;
}

void rig_close(struct rig *r)
{
	ledger_chain_close(r->chain);
	ledger_store_close(&r->store);
	arena_free(r->block);
	arena_free(r->home);
}

uint64_t rig_height(const struct rig *r)
{
	struct ledger_info info;

	ledger_chain_info(r->chain, &info);
	return info.height;
}

struct bytes rig_tx(struct rig *r, uint32_t actor, uint32_t kind,
		    struct bytes body)
{
	struct buf out = buf_make(TX_EVIDENCE_BYTES_MAX);
	struct ledger_tx tx = {
		.chain_id = RIG_CHAIN_ID,
		.kind = kind,
		.sender = r->keys[actor],
		.seq = r->seqs[actor]++,
		.fee = coin_picks(FEE_PICKS),
		.expiry_height = rig_height(r) + 100,
		.body = body,
	};
	struct bytes copy;

	must(ledger_tx_sign(&tx, &r->secrets[actor], &out) == ERR_OK);
	copy = arena_copy(r->block, buf_bytes(&out));
	must(copy.p);
	buf_free(&out);
	return copy;
}

struct bytes rig_transfer(struct rig *r, uint32_t from, uint32_t to,
			  uint64_t picks)
{
	struct buf b = buf_make(256);
	struct bytes tx;

	enc_array(&b, 4);
	enc_pubkey(&b, &r->keys[to]);
	enc_uint(&b, picks);
	enc_bool(&b, false);
	enc_bin(&b, bytes_of(NULL, 0));
	tx = rig_tx(r, from, LEDGER_KIND_TRANSFER, buf_bytes(&b));
	buf_free(&b);
	return tx;
}

static struct bytes make_beacon(struct rig *r, const struct ledger_info *info)
{
	uint8_t alpha[LEDGER_BEACON_ALPHA_BYTES_MAX];
	struct vrf_secret vrf = rig_vrf(r->proposer);
	struct buf b = buf_make(512);
	struct vrf_proof pi;
	struct bytes copy;

	must(vrf_prove(&vrf,
		       ledger_beacon_alpha(RIG_CHAIN_ID, info->height + 1,
					   &info->seed, alpha),
		       &pi) == ERR_OK);
	ledger_beacon_encode(RIG_CHAIN_ID, info->height + 1,
			     &r->keys[r->proposer], &pi, &b);
	copy = arena_copy(r->block, buf_bytes(&b));
	must(b.err == ERR_OK && copy.p);
	buf_free(&b);
	return copy;
}

struct ledger_proposal rig_proposal(struct rig *r, const struct bytes *txs,
				    uint32_t count)
{
	struct ledger_proposal p = {0};
	struct ledger_info info;
	struct bytes *list =
		ARENA_ARRAY(r->block, (size_t)count + 1, struct bytes);
	uint8_t name[8];

	must(list);
	ledger_chain_info(r->chain, &info);
	if (count > 0 || info.is_clock_set)
		list[p.tx_count++] = make_beacon(r, &info);
	for (uint32_t i = 0; i < count; i++)
		list[p.tx_count++] = txs[i];
	p.height = info.height + 1;
	p.time_ms = info.time_ms + 1000;
	p.proposer = r->keys[r->proposer];
	put_u64_be(name, p.height);
	p.block_id = sha256_tagged("weft-test/block", name, sizeof(name));
	p.txs = list;
	return p;
}

void rig_block(struct rig *r, const struct bytes *txs, uint32_t count)
{
	struct ledger_proposal p = rig_proposal(r, txs, count);
	struct ledger_refusal w;

	must(ledger_chain_finalize(r->chain, &p, &r->outcome, &w) == ERR_OK);
	must(r->outcome.hook_refusals == 0);
	must(ledger_chain_commit(r->chain, bytes_of(NULL, 0)) == ERR_OK);
	r->time_ms = p.time_ms;
	arena_reset(r->block);
}

enum reason rig_send(struct rig *r, uint32_t actor, uint32_t kind,
		     struct bytes body)
{
	struct bytes tx = rig_tx(r, actor, kind, body);

	rig_block(r, &tx, 1);
	if (!r->outcome.results[1].is_charged)
		r->seqs[actor]--;
	return r->outcome.results[1].reason;
}

void rig_idle(struct rig *r, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks; i++)
		rig_block(r, NULL, 0);
}

struct coin rig_balance(struct rig *r, uint32_t actor)
{
	struct ledger *view;
	struct coin balance;

	must(ledger_chain_view(r->chain, &view) == ERR_OK);
	must(ledger_balance(view, &r->keys[actor], &balance) == ERR_OK);
	ledger_chain_view_end(view);
	return balance;
}
