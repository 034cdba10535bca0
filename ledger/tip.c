/*
 * META "tip" -> [layout, height, block id, time_ms, root, genesis hash] and
 * "genesis" -> its encoding.  Height, time and the blocks' ids are beside the
 * state and not in it: a block that changes nothing must leave the root alone.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/genesis.h"
#include "ledger/priv/chain.h"
#include "ledger/smt.h"

#define INIT_ATTEMPTS 8

#define META_TIP     BYTES_LIT("tip")
#define META_GENESIS BYTES_LIT("genesis")

struct ledger_key height_key(uint8_t prefix, uint64_t height)
{
	struct ledger_key k = ledger_key(prefix);

	key_u64(&k, height);
	return k;
}

void tip_encode(const struct ledger_tip *tip, struct buf *out)
{
	enc_array(out, 6);
	enc_uint(out, LAYOUT_VERSION);
	enc_uint(out, tip->height);
	enc_hash(out, &tip->block_id);
	enc_uint(out, tip->time_ms);
	enc_hash(out, &tip->state_root);
	enc_hash(out, &tip->genesis_hash);
}

enum err tip_decode(struct bytes in, struct ledger_tip *ret_tip)
{
	struct ledger_tip t = {0};
	struct dec d = dec_make(in);

	dec_array_exact(&d, 6);
	if (dec_uint(&d, UINT64_MAX) != LAYOUT_VERSION)
		return ERR_STORE;
	t.height = dec_uint(&d, UINT64_MAX);
	t.block_id = dec_hash(&d);
	t.time_ms = dec_uint(&d, UINT64_MAX);
	t.state_root = dec_hash(&d);
	t.genesis_hash = dec_hash(&d);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret_tip = t;
	return ERR_OK;
}

enum err tip_read(struct ledger_chain *c, struct ledger_txn *txn,
		  struct ledger_tip *ret_tip)
{
	struct bytes value;
	enum err e =
		c->store.ops->get(txn, LEDGER_TABLE_META, META_TIP, &value);

	return e == ERR_OK ? tip_decode(value, ret_tip) : e;
}

enum err tip_write(const struct ledger_store *store, struct ledger_txn *txn,
		   const struct ledger_tip *tip)
{
	struct buf b = buf_make(256);
	enum err e;

	tip_encode(tip, &b);
	e = b.err;
	if (e == ERR_OK)
		e = store->ops->put(txn, LEDGER_TABLE_META, META_TIP,
				    buf_bytes(&b));
	buf_free(&b);
	return e;
}

static enum err load_params(struct ledger_chain *c, struct ledger *l)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_PARAMS);
	struct bytes value;
	struct bytes id;
	struct bytes params;
	struct dec d;
	enum err e = ledger_get(l, &k, &value);

	if (e != ERR_OK)
		return ERR_STORE;
	d = dec_make(value);
	dec_array_exact(&d, 2);
	id = dec_str(&d, LEDGER_CHAIN_ID_BYTES);
	params = dec_raw(&d);
	if (dec_end(&d) != ERR_OK ||
	    ledger_params_decode(params, &c->params) != ERR_OK)
		return ERR_STORE;
	memcpy(c->chain_id, id.p, id.n);
	c->chain_id_n = id.n;
	return ERR_OK;
}

enum err chain_load(struct ledger_chain *c)
{
	struct ledger_live live;
	struct ledger_txn *txn;
	struct ledger *view;
	struct hash root;
	enum err e = c->store.ops->begin(c->store.self, false, &txn);

	if (e != ERR_OK)
		return e;
	e = tip_read(c, txn, &c->tip);
	if (e == ERR_OK)
		e = ledger_smt_root(&c->store, txn, &root);
	c->store.ops->abort(txn);
	c->tip.is_empty = e == ERR_NOT_FOUND;
	if (e != ERR_OK)
		return c->tip.is_empty ? ERR_OK : e;
	if (!hash_eq(&root, &c->tip.state_root))
		return ERR_STORE;
	e = ledger_chain_view(c, &view);
	if (e != ERR_OK)
		return e;
	e = load_params(c, view);
	if (e == ERR_OK)
		e = ledger_live_get(view, &live);
	ledger_chain_view_end(view);
	if (e != ERR_OK)
		return e;
	c->tip.seed = live.seed;
	c->tip.holds = live.holds;
	return ERR_OK;
}

/* --- genesis --- */

static enum err table_clear(const struct ledger_store *store,
			    struct ledger_txn *txn, enum ledger_table table)
{
	struct bytes key;
	struct bytes value;
	enum err e;

	for (;;) {
		struct ledger_key k = {.n = 0};

		e = store->ops->seek(txn, table, bytes_of(NULL, 0), &key,
				     &value);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e != ERR_OK)
			return e;
		key_bytes(&k, key);
		e = store->ops->del(txn, table, key_view(&k));
		if (e != ERR_OK)
			return e;
	}
}

static enum err put_params(struct ledger *l, const struct ledger_genesis *g)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_PARAMS);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_array(&b, 2);
	enc_str(&b, g->chain_id);
	ledger_params_encode(&g->params, &b);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

static enum err put_accounts(struct ledger *l, const struct ledger_genesis *g)
{
	struct ledger_note note = {LEDGER_WHY_genesis, HASH_ZERO};
	struct coin issued = COIN_ZERO;
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < g->account_count && e == ERR_OK; i++) {
		must(coin_add(issued, g->accounts[i].balance, &issued));
		e = ledger_credit(l, &g->accounts[i].account,
				  g->accounts[i].balance, note, NULL);
	}
	return e == ERR_OK ? ledger_totals_put(l, issued, COIN_ZERO) : e;
}

static enum err genesis_fill(struct ledger *l, const struct ledger_genesis *g,
			     const struct hash *genesis_hash)
{
	struct ledger_live live = {
		.seed = sha256_tagged("weft/seed", genesis_hash->b, 32)};
	enum err e = put_params(l, g);

	if (e == ERR_OK)
		e = put_accounts(l, g);
	for (uint32_t i = 0; i < g->validator_count && e == ERR_OK; i++)
		e = ledger_validator_put(l, &g->validators[i]);
	return e == ERR_OK ? ledger_live_put(l, &live) : e;
}

static enum err genesis_keep(struct ledger_stage *s,
			     const struct ledger_genesis *g)
{
	struct buf b = buf_make(LEDGER_GENESIS_BYTES_MAX);
	enum err e;

	ledger_genesis_encode(g, &b);
	e = b.err;
	if (e == ERR_OK)
		e = s->store.ops->put(s->p.txn, LEDGER_TABLE_META, META_GENESIS,
				      buf_bytes(&b));
	buf_free(&b);
	return e;
}

static enum err genesis_write(struct ledger_stage *s,
			      const struct ledger_genesis *g)
{
	struct ledger_tip tip = {.time_ms = g->time_ms};
	enum err e = ERR_OK;

	for (int t = 0; t < LEDGER_TABLE_COUNT && e == ERR_OK; t++)
		e = table_clear(&s->store, s->p.txn, (enum ledger_table)t);
	if (e == ERR_OK)
		e = ledger_genesis_hash(g, &tip.genesis_hash);
	tip.block_id = tip.genesis_hash;
	s->l.height = 0;
	if (e == ERR_OK)
		e = genesis_fill(&s->l, g, &tip.genesis_hash);
	if (e == ERR_OK)
		e = stage_root(s, &tip.state_root);
	if (e == ERR_OK)
		e = ledger_lines_flush(&s->l);
	if (e == ERR_OK)
		e = genesis_keep(s, g);
	return e == ERR_OK ? tip_write(&s->store, s->p.txn, &tip) : e;
}

static enum err init_once(struct ledger_chain *c,
			  const struct ledger_genesis *g)
{
	struct ledger_stage *s = &c->block;
	enum err e = stage_open(c, s);

	if (e != ERR_OK)
		return e;
	e = genesis_write(s, g);
	if (e != ERR_OK) {
		stage_abort(s);
		return e;
	}
	s->is_open = false;
	return s->store.ops->commit(s->p.txn);
}

enum err ledger_chain_init(struct ledger_chain *c,
			   const struct ledger_genesis *genesis,
			   struct hash *ret_root)
{
	enum reason why;
	enum err e = ERR_STORE;

	if (ledger_genesis_check(genesis, &why) != ERR_OK ||
	    (!c->tip.is_empty && c->tip.height > 0))
		return ERR_REFUSED;
	stage_abort(&c->block);
	stage_abort(&c->check);
	c->is_final = false;
	c->params = genesis->params;
	/* A large genesis may need a map that doubles more than once. */
	for (int i = 0; i < INIT_ATTEMPTS && e == ERR_STORE; i++)
		e = init_once(c, genesis);
	if (e == ERR_OK)
		e = chain_load(c);
	if (e == ERR_OK)
		*ret_root = c->tip.state_root;
	return e;
}

enum err ledger_chain_genesis(struct ledger_chain *c, struct arena *a,
			      struct bytes *ret_genesis)
{
	struct ledger_txn *txn;
	struct bytes value;
	struct bytes copy;
	enum err e = c->store.ops->begin(c->store.self, false, &txn);

	if (e != ERR_OK)
		return e;
	e = c->store.ops->get(txn, LEDGER_TABLE_META, META_GENESIS, &value);
	if (e == ERR_OK) {
		copy = arena_copy(a, value);
		e = copy.p ? ERR_OK : ERR_NO_MEMORY;
	}
	c->store.ops->abort(txn);
	if (e == ERR_OK)
		*ret_genesis = copy;
	return e;
}
