/*
 * Simple transfers applied per second, signatures checked, with an fsync per
 * block, against raw signature verifications per second in the same run.
 *
 *   tests/bench/ledger [FOLDER [BLOCKS [TRANSFERS [ACCOUNTS]]]]
 *
 * FOLDER gets a fresh database (default: a new one below /tmp, removed at the
 * end).  The last line is the ratio; exit 1 if it is below 0.3.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/bodies.h"
#include "ledger/chain.h"

#define CHAIN_ID BYTES_LIT("weft-bench")
#define RATIO	 0.3

struct actor {
	struct seckey secret;
	struct pubkey key;
	uint64_t seq;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct actor actor_make(uint32_t i)
{
	struct actor a = {.seq = 0};
	uint8_t in[4];
	struct hash h;

	put_u32_be(in, i);
	h = sha256_tagged("weft-bench/actor", in, sizeof(in));
	memcpy(a.secret.b, h.b, sizeof(a.secret.b));
	must(sig_pubkey(&a.secret, &a.key) == ERR_OK);
	return a;
}

static int account_cmp(const void *a, const void *b)
{
	return memcmp(a, b, 32);
}

static void init(struct ledger_chain *c, const struct actor *actors,
		 uint32_t count, const struct vrf_secret *vrf)
{
	struct ledger_genesis_account *list = calloc(count, sizeof(list[0]));
	struct ledger_validator v = {.power = 1, .account = actors[0].key};
	struct ledger_genesis g = {.chain_id = CHAIN_ID, .time_ms = 1};
	struct hash root;

	must(list);
	for (uint32_t i = 0; i < count; i++) {
		list[i].account = actors[i].key;
		list[i].balance = coin_picks(1000000000000u);
	}
	qsort(list, count, sizeof(list[0]), account_cmp);
	vrf_public_of(vrf, &v.vrf);
	g.params = ledger_params_default();
	g.accounts = list;
	g.account_count = count;
	g.validators = &v;
	g.validator_count = 1;
	must(ledger_chain_init(c, &g, &root) == ERR_OK);
	free(list);
}

static struct bytes transfer(struct arena *a, struct actor *from,
			     const struct actor *to, uint64_t height)
{
	struct ledger_transfer t = {.to = to->key, .amount = coin_picks(1)};
	struct buf body = buf_make(256);
	struct buf out = buf_make(1024);
	struct bytes copy;
	struct ledger_tx tx = {
		.chain_id = CHAIN_ID,
		.kind = LEDGER_KIND_TRANSFER,
		.sender = from->key,
		.seq = from->seq++,
		.fee = coin_picks(100000),
		.expiry_height = height + 100,
	};

	ledger_transfer_encode(&body, &t);
	tx.body = buf_bytes(&body);
	must(ledger_tx_sign(&tx, &from->secret, &out) == ERR_OK);
	copy = arena_copy(a, buf_bytes(&out));
	must(copy.p);
	buf_free(&body);
	buf_free(&out);
	return copy;
}

static struct bytes beacon(struct arena *a, const struct ledger_info *info,
			   const struct vrf_secret *vrf,
			   const struct pubkey *proposer)
{
	uint8_t alpha[LEDGER_BEACON_ALPHA_BYTES_MAX];
	struct vrf_proof pi;
	struct buf b = buf_make(512);
	struct bytes copy;

	must(vrf_prove(vrf,
		       ledger_beacon_alpha(CHAIN_ID, info->height + 1,
					   &info->seed, alpha),
		       &pi) == ERR_OK);
	ledger_beacon_encode(CHAIN_ID, info->height + 1, proposer, &pi, &b);
	copy = arena_copy(a, buf_bytes(&b));
	must(copy.p);
	buf_free(&b);
	return copy;
}

/* Seconds to verify the signatures of these transactions, nothing else. */
static double raw_seconds(const struct bytes *txs, uint32_t count)
{
	struct ledger_tx *list = calloc(count, sizeof(list[0]));
	enum reason why;
	double start;

	must(list);
	for (uint32_t i = 0; i < count; i++)
		must(ledger_tx_decode(txs[i], &list[i], &why) == ERR_OK);
	start = now_s();
	for (uint32_t i = 0; i < count; i++)
		must(ledger_tx_verify(&list[i]) == ERR_OK);
	start = now_s() - start;
	free(list);
	return start;
}

struct run {
	struct ledger_chain *chain;
	struct actor *actors;
	uint32_t actor_count;
	struct vrf_secret vrf;
	uint32_t random;
	double raw_s;
	double apply_s;
	double worst_s;
};

static uint32_t draw(struct run *r, uint32_t below)
{
	r->random = r->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)r->random * below >> 32);
}

static void run_block(struct run *r, uint32_t transfers)
{
	struct arena *a = arena_new((size_t)64 << 20);
	struct bytes *txs = calloc(transfers + 1, sizeof(txs[0]));
	struct ledger_proposal p = {0};
	struct ledger_outcome out;
	struct ledger_refusal w;
	struct ledger_info info;
	double start;

	must(a && txs);
	ledger_chain_info(r->chain, &info);
	txs[0] = beacon(a, &info, &r->vrf, &r->actors[0].key);
	for (uint32_t i = 1; i <= transfers; i++)
		txs[i] = transfer(a, &r->actors[draw(r, r->actor_count)],
				  &r->actors[draw(r, r->actor_count)],
				  info.height);
	r->raw_s += raw_seconds(txs + 1, transfers);
	p.height = info.height + 1;
	p.time_ms = info.time_ms + 1000;
	p.proposer = r->actors[0].key;
	put_u64_be(p.block_id.b, p.height);
	p.txs = txs;
	p.tx_count = transfers + 1;
	start = now_s();
	must(ledger_chain_finalize(r->chain, &p, &out, &w) == ERR_OK);
	must(ledger_chain_commit(r->chain, bytes_of(NULL, 0)) == ERR_OK);
	start = now_s() - start;
	r->apply_s += start;
	if (start > r->worst_s)
		r->worst_s = start;
	for (uint32_t i = 1; i <= transfers; i++)
		must(out.results[i].reason == REASON_none);
	free(txs);
	arena_free(a);
}

static void report(const struct run *r, uint32_t blocks, uint32_t transfers)
{
	double count = (double)blocks * transfers;

	printf("signatures verified   %9.0f /s\n", count / r->raw_s);
	printf("transfers applied     %9.0f /s  (%u blocks of %u, %u accounts,"
	       " slowest block %.0f ms)\n",
	       count / r->apply_s, blocks, transfers, r->actor_count,
	       r->worst_s * 1e3);
	printf("ratio                 %9.3f     (must reach %.1f)\n",
	       r->raw_s / r->apply_s, RATIO);
}

static void clean(const char *folder)
{
	static const char *const names[] = {"data.mdb", "lock.mdb"};
	char path[512];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(int argc, char **argv)
{
	char made[] = "/tmp/weft-bench-XXXXXX";
	const char *folder = argc > 1 ? argv[1] : mkdtemp(made);
	uint32_t blocks = argc > 2 ? (uint32_t)atol(argv[2]) : 8;
	uint32_t transfers = argc > 3 ? (uint32_t)atol(argv[3]) : 2000;
	struct run r = {.random = 1, .actor_count = 5000};
	struct arena *home = arena_new(1u << 20);
	struct ledger_store store;
	struct ledger_rules rules;
	struct ledger_chain_options options = {.history = true, .blocks = true};

	if (argc > 4)
		r.actor_count = (uint32_t)atol(argv[4]);
	must(home && folder && blocks && transfers && r.actor_count > 1);
	r.actors = calloc(r.actor_count, sizeof(r.actors[0]));
	must(r.actors);
	for (uint32_t i = 0; i < r.actor_count; i++)
		r.actors[i] = actor_make(i);
	must(ledger_store_lmdb_open(home, folder, NULL, &store) == ERR_OK);
	ledger_rules_join(NULL, 0, (struct ledger_referee){0}, &rules);
	must(ledger_chain_open(&store, &rules, &options, &r.chain) == ERR_OK);
	init(r.chain, r.actors, r.actor_count, &r.vrf);
	for (uint32_t i = 0; i < blocks; i++)
		run_block(&r, transfers);
	report(&r, blocks, transfers);
	ledger_chain_close(r.chain);
	ledger_store_close(&store);
	arena_free(home);
	free(r.actors);
	if (argc <= 1)
		clean(folder);
	return r.raw_s / r.apply_s >= RATIO ? 0 : 1;
}
