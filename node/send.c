/*
 * node/send - transactions that this node signs itself.
 *
 * The next sequence of a lane is the ledger's, or one after the last of ours
 * that still waits.  A transaction is answered when a block has it, when it
 * is refused, or when it expired; then who asked looks at the state and may
 * ask again, which signs it anew.  If the ledger's sequence has passed ours
 * without it, or it is the lane's next one for long and nobody takes it, it
 * is given up at its expiry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ledger/account.h"
#include "ledger/apply.h"
#include "ledger/bodies.h"
#include "ledger/tx.h"
#include "node/log.h"
#include "node/priv/node.h"
#include "verify/kinds.h"

/* What encoding a fee in its final length may add. */
#define FEE_SLACK_BYTES	      16u
#define ANNOUNCE_AGAIN_BLOCKS 50u

struct node_sent {
	struct node_sent *next;
	uint64_t ticket; /* of the core; 0: the RPC's or nobody's */
	void (*done)(void *arg, const struct rpc_sent *r);
	void *arg;
	struct hash id;
	uint8_t lane;
	uint64_t seq;
	uint64_t expiry_height;
};

static void tell(struct node *n, uint64_t ticket,
		 void (*done)(void *, const struct rpc_sent *), void *arg,
		 const struct rpc_sent *r)
{
	struct node_event *e;

	if (done)
		done(arg, r);
	if (!ticket)
		return;
	e = node_event_new(n, CORE_EVENT_TX, ticket);
	if (!e)
		return;
	e->event.err = r->err;
	e->event.reason = r->reason;
	e->event.id = r->tx_id;
	e->event.height = r->height;
	node_post(n, e);
}

/* Kinds that pay for re-execution name a fee that covers the most of it. */
static uint64_t cost_of(uint32_t kind)
{
	if (kind == VERIFY_KIND_DISPUTE_OPEN ||
	    kind == VERIFY_KIND_AUDIT_ANSWER ||
	    kind == VERIFY_KIND_AUDIT_PROVE ||
	    kind == VERIFY_KIND_EVIDENCE_PART)
		return DISPUTE_COST_MAX >> 20;
	return 0;
}

static bool fee_of(const struct ledger_params *p, uint32_t kind, size_t bytes,
		   struct coin *ret_fee)
{
	struct coin fee;
	struct coin part;

	if (!coin_mul(coin_picks(p->fee_per_byte_picks),
		      bytes + FEE_SLACK_BYTES, &fee) ||
	    !coin_add(fee, coin_picks(p->fee_base_picks), &fee) ||
	    !coin_mul(coin_picks(p->fee_per_cost_picks), cost_of(kind), &part))
		return false;
	return coin_add(fee, part, ret_fee);
}

static enum err next_seq(struct node *n, const struct pubkey *account,
			 uint8_t lane, uint64_t *ret_seq)
{
	struct ledger *view;
	enum err e = ledger_chain_view(n->chain, &view);

	if (e)
		return e;
	e = ledger_account_seq(view, account, lane, ret_seq);
	ledger_chain_view_end(view);
	for (const struct node_sent *s = n->sents; !e && s; s = s->next)
		if (s->lane == lane && s->seq >= *ret_seq)
			*ret_seq = s->seq + 1;
	return e;
}

/* Sign body into out. */
static enum err sign(struct node *n, enum core_lane lane, uint32_t tx_kind,
		     struct bytes body, struct ledger_tx *tx, struct buf *out)
{
	struct ledger_info info;
	enum err e;

	ledger_chain_info(n->chain, &info);
	*tx = (struct ledger_tx){
		.chain_id = info.chain_id,
		.kind = tx_kind,
		.sender = n->keys.account,
		.lane = (uint8_t)lane,
		.expiry_height = info.height + NODE_TX_BLOCKS,
		.body = body,
	};
	if (lane == CORE_LANE_PROVIDER &&
	    !pubkey_eq(&n->owner, &n->keys.account)) {
		tx->sender = n->owner;
		tx->has_key = true;
		tx->key = n->keys.account;
	}
	e = next_seq(n, &tx->sender, tx->lane, &tx->seq);
	if (e)
		return e;
	/* its length with a full fee and a signature */
	tx->fee = coin_picks(UINT64_MAX);
	tx->is_signed = true;
	ledger_tx_encode(tx, out);
	if (!fee_of(ledger_chain_params(n->chain), tx_kind, out->n, &tx->fee))
		return ERR_OVERFLOW;
	buf_reset(out);
	return ledger_tx_sign(tx, &n->keys.account_secret, out);
}

enum err node_submit(struct node *n, struct bytes tx,
		     enum reason *reterr_reason)
{
	/* C6: better no transaction than a half-written block */
	if (n->disk_low || n->stopping || !n->engine)
		return ERR_BUSY;
	return n->engine_ops->submit(n->engine, tx, reterr_reason);
}

/* Neither a full queue nor a lane that lost its place is about this body. */
static void can_be_asked_again(struct rpc_sent *r)
{
	if (r->err == ERR_BUSY || r->reason == REASON_bad_sequence) {
		r->err = ERR_TIMEOUT;
		r->reason = REASON_tx_expired;
	}
}

static void send_tx(struct node *n, uint64_t ticket, enum core_lane lane,
		    uint32_t tx_kind, struct bytes body,
		    void (*done)(void *, const struct rpc_sent *), void *arg)
{
	struct rpc_sent r = {.reason = REASON_none};
	struct buf out = buf_make(TX_EVIDENCE_BYTES_MAX);
	struct node_sent *s = calloc(1, sizeof(*s));
	struct ledger_tx tx;

	r.err = s ? sign(n, lane, tx_kind, body, &tx, &out) : ERR_NO_MEMORY;
	if (!r.err) {
		r.tx_id = ledger_tx_id(buf_bytes(&out));
		r.err = node_submit(n, buf_bytes(&out), &r.reason);
	}
	buf_free(&out);
	if (r.err) {
		free(s);
		can_be_asked_again(&r);
		tell(n, ticket, done, arg, &r);
		return;
	}
	s->ticket = ticket;
	s->done = done;
	s->arg = arg;
	s->id = r.tx_id;
	s->lane = tx.lane;
	s->seq = tx.seq;
	s->expiry_height = tx.expiry_height;
	s->next = n->sents;
	n->sents = s;
}

void node_send(struct node *n, uint64_t ticket, enum core_lane lane,
	       uint32_t tx_kind, struct bytes body)
{
	send_tx(n, ticket, lane, tx_kind, body, NULL, NULL);
}

void node_send_rpc(struct node *n, const struct rpc_send *s,
		   void (*done)(void *arg, const struct rpc_sent *r), void *arg)
{
	struct rpc_sent r = {.err = ERR_NOT_FOUND};

	if (s->has_from && !pubkey_eq(&s->from, &n->keys.account))
		done(arg, &r);
	else
		send_tx(n, 0, CORE_LANE_WALLET, s->kind, s->body, done, arg);
}

/* What became of s in this block; false: nothing yet. */
static bool outcome_of(const struct node_sent *s,
		       const struct ledger_outcome *outcome,
		       struct rpc_sent *ret)
{
	*ret = (struct rpc_sent){.tx_id = s->id, .height = outcome->height};
	for (uint32_t i = 0; i < outcome->result_count; i++) {
		const struct ledger_tx_result *r = &outcome->results[i];

		if (!hash_eq(&r->id, &s->id))
			continue;
		ret->reason = r->reason;
		ret->err = r->reason ? ERR_REFUSED : ERR_OK;
		return true;
	}
	if (s->expiry_height > outcome->height)
		return false;
	ret->err = ERR_TIMEOUT;
	ret->reason = REASON_tx_expired;
	return true;
}

void node_send_applied(struct node *n, const struct ledger_outcome *outcome)
{
	struct node_sent **at = &n->sents;
	struct node_sent *over = NULL;

	while (*at) {
		struct node_sent *s = *at;
		struct rpc_sent r;

		if (!outcome_of(s, outcome, &r)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		s->next = over;
		over = s;
	}
	/* told when the list is whole again: an answer may send anew */
	while (over) {
		struct node_sent *s = over;
		struct rpc_sent r;

		over = s->next;
		if (outcome_of(s, outcome, &r))
			tell(n, s->ticket, s->done, s->arg, &r);
		free(s);
	}
}

void node_send_dropped(struct node *n, const struct hash *tx_id,
		       enum reason reason)
{
	struct rpc_sent r = {
		.err = ERR_REFUSED, .reason = reason, .tx_id = *tx_id};

	can_be_asked_again(&r);
	for (struct node_sent **at = &n->sents; *at; at = &(*at)->next) {
		struct node_sent *s = *at;

		if (!hash_eq(&s->id, tx_id))
			continue;
		*at = s->next;
		tell(n, s->ticket, s->done, s->arg, &r);
		free(s);
		return;
	}
}

void node_send_close(struct node *n)
{
	while (n->sents) {
		struct node_sent *s = n->sents;

		n->sents = s->next;
		free(s);
	}
}

/* Has this account said where it is, and is it still there? */
static bool is_announced(struct node *n, struct bytes endpoint)
{
	struct ledger_node self;
	struct ledger *view;
	bool same = false;

	if (ledger_chain_view(n->chain, &view))
		return true;
	if (ledger_node_get(view, &n->keys.account, &self) == ERR_OK)
		same = self.endpoint_count == 1 &&
		       bytes_eq(self.endpoints[0], endpoint);
	ledger_chain_view_end(view);
	return same;
}

void node_announce(struct node *n)
{
	char endpoint[NETWORK_ENDPOINT_BYTES];
	struct ledger_announce self = {.has_stamp = false};
	struct ledger_info info;
	struct buf b = buf_make(1024);

	ledger_chain_info(n->chain, &info);
	(void)snprintf(endpoint, sizeof(endpoint), "%s:%u", n->config.node_host,
		       server_port(n->server));
	if (!n->config.node_announce || n->stopping ||
	    info.height < n->announce_again_height ||
	    is_announced(n, bytes_str(endpoint))) {
		buf_free(&b);
		return;
	}
	n->announce_again_height = info.height + ANNOUNCE_AGAIN_BLOCKS;
	self.node.endpoint_count = 1;
	self.node.endpoints[0] = bytes_str(endpoint);
	ledger_announce_encode(&b, &self);
	if (!b.err)
		send_tx(n, 0, CORE_LANE_NODE, LEDGER_KIND_NODE_ANNOUNCE,
			buf_bytes(&b), NULL, NULL);
	buf_free(&b);
}

bool node_endpoint_of(struct node *n, const struct pubkey *account,
		      char out[NETWORK_ENDPOINT_BYTES])
{
	struct ledger_node node;
	struct ledger *view;
	bool found = false;

	if (ledger_chain_view(n->chain, &view))
		return false;
	if (ledger_node_get(view, account, &node) == ERR_OK &&
	    node.endpoint_count &&
	    node.endpoints[0].n < NETWORK_ENDPOINT_BYTES) {
		memcpy(out, node.endpoints[0].p, node.endpoints[0].n);
		out[node.endpoints[0].n] = '\0';
		found = true;
	}
	ledger_chain_view_end(view);
	return found;
}
