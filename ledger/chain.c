/*
 * Finalize opens the store's write transaction and leaves it open; commit ends
 * it.  Checks run on a layer in memory above the last commit, which is made at
 * the first check after it and dropped by the next commit: so a reader of the
 * store is open only while somebody asks.
 */
#include "ledger/chain.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/block.h"
#include "ledger/priv/chain.h"

/* Room for the beacon in a proposal. */
#define BEACON_BYTES_MAX 512u

enum err ledger_chain_open(const struct ledger_store *store,
			   const struct ledger_rules *rules,
			   const struct ledger_chain_options *options,
			   struct ledger_chain **ret_chain)
{
	struct arena *home =
		arena_new(sizeof(struct ledger_sigs) + ((size_t)4 << 20));
	struct ledger_chain *c;
	enum err e;

	if (!home)
		return ERR_NO_MEMORY;
	c = ARENA_NEW(home, struct ledger_chain);
	if (!c) {
		arena_free(home);
		return ERR_NO_MEMORY;
	}
	c->home = home;
	c->store = *store;
	c->rules = rules;
	if (options)
		c->options = *options;
	c->sigs = ARENA_NEW(home, struct ledger_sigs);
	e = c->sigs ? ERR_OK : ERR_NO_MEMORY;
	if (e == ERR_OK)
		e = stage_new(c, &c->block, BLOCK_ARENA_BYTES_MAX);
	if (e == ERR_OK)
		e = stage_new(c, &c->check, CHECK_ARENA_BYTES_MAX);
	if (e == ERR_OK)
		e = stage_new(c, &c->plan, BLOCK_ARENA_BYTES_MAX);
	if (e == ERR_OK)
		e = chain_load(c);
	if (e != ERR_OK) {
		ledger_chain_close(c);
		return e;
	}
	*ret_chain = c;
	return ERR_OK;
}

void ledger_chain_close(struct ledger_chain *c)
{
	if (!c)
		return;
	stage_free(&c->block);
	stage_free(&c->check);
	stage_free(&c->plan);
	arena_free(c->home);
}

void ledger_chain_info(const struct ledger_chain *c,
		       struct ledger_info *ret_info)
{
	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->is_empty = c->tip.is_empty;
	if (c->tip.is_empty)
		return;
	ret_info->chain_id = bytes_of(c->chain_id, c->chain_id_n);
	ret_info->genesis_hash = c->tip.genesis_hash;
	ret_info->height = c->tip.height;
	ret_info->time_ms = c->tip.time_ms;
	ret_info->block_id = c->tip.block_id;
	ret_info->state_root = c->tip.state_root;
	ret_info->seed = c->tip.seed;
	ret_info->is_clock_set = c->tip.holds > 0;
}

const struct ledger_params *ledger_chain_params(const struct ledger_chain *c)
{
	return &c->params;
}

/* --- check --- */

static enum err check_run(struct ledger_chain *c, struct bytes tx,
			  enum ledger_check_mode mode,
			  struct ledger_tx_result *r)
{
	struct ledger *l = &c->check.l;
	struct ledger_mark mark = ledger_mark_take(l);
	struct ledger_parsed p;
	enum err e;

	e = ledger_parse(l, tx, &p, &r->reason);
	if (e != ERR_OK)
		return e;
	r->id = p.tx.id;
	r->kind = p.tx.kind;
	r->reason = REASON_bad_beacon;
	if (p.tx.kind == LEDGER_KIND_BEACON)
		return ERR_REFUSED;
	r->reason = REASON_bad_signature;
	if (mode == LEDGER_CHECK_NEW && ledger_signed(c->sigs, &p) != ERR_OK)
		return ERR_REFUSED;
	e = ledger_apply_tx(l, &p, r);
	if (e != ERR_OK)
		return e;
	if (r->reason != REASON_none || mode == LEDGER_CHECK_SIMULATE)
		e = ledger_mark_back(l, &mark);
	if (e != ERR_OK)
		return e;
	return r->reason == REASON_none ? ERR_OK : ERR_REFUSED;
}

enum err ledger_chain_check(struct ledger_chain *c, struct bytes tx,
			    enum ledger_check_mode mode,
			    struct ledger_tx_result *ret_result)
{
	enum err e = ERR_OK;

	memset(ret_result, 0, sizeof(*ret_result));
	ret_result->height = c->tip.height + 1;
	ret_result->reason = REASON_wrong_state;
	if (c->tip.is_empty)
		return ERR_REFUSED;
	/* What was refused or simulated leaves memory behind; where nothing
	 * waits there is nothing to lose by starting again. */
	if (c->check_count == 0 &&
	    arena_used(c->check.arena) > CHECK_ARENA_BYTES_FULL)
		stage_abort(&c->check);
	if (!c->check.is_open) {
		c->check_count = 0;
		e = stage_open_dry(c, &c->check);
	}
	if (e != ERR_OK)
		return e;
	ret_result->reason = REASON_limit_reached;
	if (arena_used(c->check.arena) > CHECK_ARENA_BYTES_FULL)
		return ERR_REFUSED;
	ret_result->reason = REASON_none;
	e = check_run(c, tx, mode, ret_result);
	if (e == ERR_OK && mode != LEDGER_CHECK_SIMULATE)
		c->check_count++;
	arena_reset(c->check.scratch);
	return e;
}

/* --- prepare --- */

struct choice {
	struct bytes *txs;
	uint32_t count;
	uint64_t bytes_left;
};

static enum err choose(struct ledger_chain *c, struct ledger_stage *s,
		       const struct ledger_prepare *in, struct choice *choice)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < in->tx_count && e == ERR_OK; i++) {
		struct ledger_mark mark = ledger_mark_take(&s->l);
		struct ledger_parsed p;
		struct ledger_tx_result r;
		enum reason why;

		if (choice->count == BLOCK_TX_MAX)
			break;
		if (in->txs[i].n > choice->bytes_left)
			continue;
		arena_reset(s->scratch);
		e = ledger_parse(&s->l, in->txs[i], &p, &why);
		if (e == ERR_REFUSED ||
		    (e == ERR_OK && (p.tx.kind == LEDGER_KIND_BEACON ||
				     ledger_signed(c->sigs, &p)))) {
			e = ERR_OK;
			continue;
		}
		if (e == ERR_OK)
			e = ledger_apply_tx(&s->l, &p, &r);
		if (e == ERR_OK && r.reason != REASON_none) {
			e = ledger_mark_back(&s->l, &mark);
			continue;
		}
		choice->txs[choice->count++] = in->txs[i];
		choice->bytes_left -= in->txs[i].n;
	}
	return e;
}

/* Put the proposer's beacon in front. */
static enum err add_beacon(struct ledger_chain *c, struct arena *a,
			   const struct ledger_prepare *in,
			   struct choice *choice)
{
	uint8_t alpha[LEDGER_BEACON_ALPHA_BYTES_MAX];
	struct buf b = buf_make(BEACON_BYTES_MAX);
	struct vrf_proof pi;
	enum err e;

	e = vrf_prove(in->vrf,
		      ledger_beacon_alpha(bytes_of(c->chain_id, c->chain_id_n),
					  in->height, &c->tip.seed, alpha),
		      &pi);
	if (e != ERR_OK)
		return e;
	ledger_beacon_encode(bytes_of(c->chain_id, c->chain_id_n), in->height,
			     &in->proposer, &pi, &b);
	e = b.err;
	if (e == ERR_OK) {
		choice->txs[0] = arena_copy(a, buf_bytes(&b));
		e = choice->txs[0].p ? ERR_OK : ERR_NO_MEMORY;
	}
	buf_free(&b);
	return e;
}

static enum err prepare_with(struct ledger_chain *c, struct arena *a,
			     const struct ledger_prepare *in,
			     struct ledger_stage *s, struct choice *choice)
{
	struct ledger_validator v;
	enum err e = stage_open_dry(c, s);

	if (e != ERR_OK)
		return e;
	s->l.time_ms = in->time_ms;
	s->l.proposer = in->proposer;
	e = ledger_validator_of(&s->l, &in->proposer, &v);
	if (e == ERR_NOT_FOUND)
		return ERR_REFUSED;
	choice->count = 1; /* the beacon's place */
	if (e == ERR_OK)
		e = choose(c, s, in, choice);
	if (e != ERR_OK)
		return e;
	if (choice->count == 1 && c->tip.holds == 0) {
		choice->count = 0;
		return ERR_OK;
	}
	return add_beacon(c, a, in, choice);
}

enum err ledger_chain_prepare(struct ledger_chain *c, struct arena *a,
			      const struct ledger_prepare *in,
			      struct bytes **ret_txs, uint32_t *ret_count)
{
	struct choice choice = {0};
	uint32_t most = in->bytes_max;
	enum err e;

	if (c->tip.is_empty || in->height != c->tip.height + 1)
		return ERR_REFUSED;
	if (most == 0 || most > BLOCK_BYTES_MAX)
		most = BLOCK_BYTES_MAX;
	if (most < BEACON_BYTES_MAX)
		return ERR_REFUSED;
	choice.bytes_left = most - BEACON_BYTES_MAX;
	choice.txs = ARENA_ARRAY(a, (size_t)in->tx_count + 1, struct bytes);
	if (!choice.txs)
		return ERR_NO_MEMORY;
	e = prepare_with(c, a, in, &c->plan, &choice);
	stage_abort(&c->plan);
	if (e != ERR_OK)
		return e;
	*ret_txs = choice.txs;
	*ret_count = choice.count;
	return ERR_OK;
}

/* --- seal and unseal --- */

enum err ledger_chain_seal(struct ledger_chain *c, uint64_t time_ms,
			   const struct bytes *txs, uint32_t tx_count,
			   const struct seckey *sk, struct buf *out,
			   struct hash *ret_block_id)
{
	struct ledger_block b = {
		.chain_id = bytes_of(c->chain_id, c->chain_id_n),
		.height = c->tip.height + 1,
		.parent = c->tip.block_id,
		.time_ms = time_ms,
		.state_root_before = c->tip.state_root,
		.txs = (struct bytes *)(uintptr_t)txs,
		.tx_count = tx_count,
	};

	return ledger_block_sign(&b, sk, out, ret_block_id);
}

/* The account of the only validator. */
static enum err solo_account(struct ledger_chain *c, struct pubkey *ret_account)
{
	struct ledger_validator v;
	struct ledger_validator more;
	struct ledger *view;
	enum err e = ledger_chain_view(c, &view);

	if (e != ERR_OK)
		return e;
	e = ledger_validator_next(view, NULL, &v);
	if (e == ERR_OK) {
		e = ledger_validator_next(view, v.key32, &more);
		e = e == ERR_OK ? ERR_REFUSED : e == ERR_NOT_FOUND ? ERR_OK : e;
	}
	ledger_chain_view_end(view);
	if (e == ERR_OK)
		*ret_account = v.account;
	return e == ERR_NOT_FOUND ? ERR_STORE : e;
}

static enum reason unseal_why(const struct ledger_chain *c,
			      const struct ledger_block *b,
			      const struct pubkey *account)
{
	if (!bytes_eq(b->chain_id, bytes_of(c->chain_id, c->chain_id_n)))
		return REASON_wrong_chain;
	if (b->height != c->tip.height + 1)
		return REASON_bad_height;
	if (!hash_eq(&b->parent, &c->tip.block_id))
		return REASON_bad_parent;
	if (!hash_eq(&b->state_root_before, &c->tip.state_root))
		return REASON_bad_root;
	if (ledger_block_verify(b, account) != ERR_OK)
		return REASON_bad_signature;
	return REASON_none;
}

enum err ledger_chain_unseal(struct ledger_chain *c, struct arena *a,
			     struct bytes block,
			     struct ledger_proposal *ret_proposal,
			     struct ledger_refusal *reterr_why)
{
	struct ledger_refusal w = {REASON_no_permission, UINT32_MAX};
	struct ledger_block b;
	struct pubkey account;
	enum err e;

	if (c->tip.is_empty) {
		w.reason = REASON_wrong_state;
		*reterr_why = w;
		return ERR_REFUSED;
	}
	e = solo_account(c, &account);
	if (e == ERR_OK)
		e = ledger_block_decode(a, block, &b, &w.reason);
	if (e == ERR_OK) {
		w.reason = unseal_why(c, &b, &account);
		e = w.reason == REASON_none ? ERR_OK : ERR_REFUSED;
	}
	if (e == ERR_REFUSED)
		*reterr_why = w;
	if (e != ERR_OK)
		return e;
	*ret_proposal = (struct ledger_proposal){
		.height = b.height,
		.time_ms = b.time_ms,
		.proposer = account,
		.block_id = b.id,
		.txs = b.txs,
		.tx_count = b.tx_count,
	};
	return ERR_OK;
}

/* --- process, finalize, commit --- */

static struct ledger_before before_of(const struct ledger_chain *c)
{
	return (struct ledger_before){c->tip.height, c->tip.time_ms};
}

enum err ledger_chain_process(struct ledger_chain *c,
			      const struct ledger_proposal *in,
			      struct ledger_refusal *reterr_why)
{
	struct ledger_before before = before_of(c);
	struct ledger_verdict verdict;
	struct ledger *view;
	enum err e;

	if (c->tip.is_empty) {
		*reterr_why =
			(struct ledger_refusal){REASON_wrong_state, UINT32_MAX};
		return ERR_REFUSED;
	}
	e = ledger_chain_view(c, &view);
	if (e != ERR_OK)
		return e;
	e = ledger_validate(view, &before, in, c->sigs, &verdict, reterr_why);
	ledger_chain_view_end(view);
	return e;
}

/* Events were noted newest first. */
static enum err events_list(struct ledger_stage *s, struct ledger_outcome *out)
{
	uint32_t count = s->p.at.event_count;
	struct ledger_event *list =
		ARENA_ARRAY(s->arena, (size_t)count + 1, struct ledger_event);

	if (!list)
		return ERR_NO_MEMORY;
	out->events = list;
	out->event_count = count;
	for (struct ledger_event_note *n = s->p.at.events; n; n = n->prev)
		list[--count] = n->event;
	return ERR_OK;
}

static enum err live_run(struct ledger_chain *c,
			 const struct ledger_proposal *in,
			 const struct ledger_verdict *verdict,
			 struct ledger_tx_result *results,
			 struct ledger_outcome *out)
{
	struct ledger_stage *s = &c->block;
	enum err e;

	e = ledger_apply_live(&s->l, in, verdict, results, &out->hook_refusals);
	if (e == ERR_OK)
		e = stage_root(s, &c->next.state_root);
	if (e == ERR_OK)
		e = ledger_lines_flush(&s->l);
	if (e == ERR_OK)
		e = ledger_clock(&s->l, &c->next.holds);
	c->next.seed = s->l.seed;
	return e;
}

static enum err money_check(struct ledger_stage *s)
{
	struct ledger_fsck found;
	enum err e = money_count(&s->store, s->p.txn, &found);

	must(e != ERR_OK || found.is_conserved);
	return e;
}

static enum err finalize_once(struct ledger_chain *c,
			      const struct ledger_proposal *in,
			      struct ledger_outcome *out,
			      struct ledger_refusal *reterr_why)
{
	struct ledger_before before = before_of(c);
	struct ledger_stage *s = &c->block;
	struct ledger_tx_result *results;
	struct ledger_verdict verdict;
	enum err e = stage_open(c, s);

	if (e != ERR_OK)
		return e;
	s->l.time_ms = in->time_ms;
	s->l.proposer = in->proposer;
	e = ledger_validate(&s->l, &before, in, c->sigs, &verdict, reterr_why);
	if (e != ERR_OK)
		return e;
	results = ARENA_ARRAY(s->arena, (size_t)in->tx_count + 1,
			      struct ledger_tx_result);
	if (!results)
		return ERR_NO_MEMORY;
	memset(out, 0, sizeof(*out));
	c->next = c->tip;
	c->next.height = in->height;
	c->next.time_ms = in->time_ms;
	c->next.block_id = in->block_id;
	if (verdict.is_live)
		e = live_run(c, in, &verdict, results, out);
	if (e == ERR_OK)
		e = undo_write(s, &c->tip);
	if (e == ERR_OK)
		e = kept_write(c, s, &c->next, results, in->tx_count);
	if (e == ERR_OK)
		e = tip_write(&s->store, s->p.txn, &c->next);
	if (e == ERR_OK)
		e = events_list(s, out);
	if (e == ERR_OK && c->options.paranoid)
		e = money_check(s);
	out->height = in->height;
	out->is_live = verdict.is_live;
	out->is_clock_set = c->next.holds > 0;
	out->state_root = c->next.state_root;
	out->results = results;
	out->result_count = in->tx_count;
	return e;
}

enum err ledger_chain_finalize(struct ledger_chain *c,
			       const struct ledger_proposal *in,
			       struct ledger_outcome *ret_outcome,
			       struct ledger_refusal *reterr_why)
{
	struct ledger_outcome out;
	enum err e = ERR_STORE;

	if (c->tip.is_empty) {
		*reterr_why =
			(struct ledger_refusal){REASON_wrong_state, UINT32_MAX};
		return ERR_REFUSED;
	}
	/* A store that ran into the end of its map grows at the next begin,
	 * if no reader of ours is in the way. */
	for (int attempt = 0; attempt < 2 && e == ERR_STORE; attempt++) {
		stage_abort(&c->block);
		if (attempt > 0)
			stage_abort(&c->check);
		c->is_final = false;
		e = finalize_once(c, in, &out, reterr_why);
	}
	if (e != ERR_OK) {
		stage_abort(&c->block);
		return e;
	}
	c->is_final = true;
	*ret_outcome = out;
	return ERR_OK;
}

enum err ledger_chain_commit(struct ledger_chain *c, struct bytes block)
{
	struct ledger_stage *s = &c->block;
	struct ledger_key k = height_key(BLOCKS_BLOCK, c->next.height);
	enum err e = ERR_OK;

	must(c->is_final && s->is_open);
	if (c->options.blocks && block.n > 0)
		e = s->store.ops->put(s->p.txn, LEDGER_TABLE_BLOCKS,
				      key_view(&k), block);
	c->is_final = false;
	if (e != ERR_OK) {
		stage_abort(s);
		return e;
	}
	s->is_open = false;
	e = s->store.ops->commit(s->p.txn);
	if (e != ERR_OK)
		return e;
	c->tip = c->next;
	stage_abort(&c->check);
	return ERR_OK;
}
