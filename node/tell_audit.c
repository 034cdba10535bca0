/*
 * node/tell_audit - audits and disputes with the bytes that differed, and
 * receipts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"

#include "gpu/program/judge.h"
#include "market/job.h"
#include "market/lease.h"
#include "market/receipt.h"
#include "node/priv/tell.h"
#include "verify/audit.h"

#define LIST_MAX 200u

static const char *state_word(enum verify_audit_state s)
{
	static const char *const words[] = {"pledge", "reveal", "seed", "prove",
					    "done"};

	return words[s];
}

static const char *end_word(enum verify_audit_end e)
{
	static const char *const words[] = {"none",  "valid",	    "fraud",
					    "void",  "unavailable", "unchecked",
					    "closed"};

	return words[e];
}

static json_t *sample_json(const struct program_sample *s)
{
	static const char *const kinds[] = {"cta", "chunk", "launch", "pair"};
	json_t *o = json_object();

	tell_number(o, "task", s->task_index);
	tell_number(o, "step", s->step_number);
	json_object_set_new(o, "kind", json_string(kinds[s->kind]));
	tell_u64(o, "number", s->number);
	if (s->warp != PROGRAM_WARP_ALL)
		tell_number(o, "warp", s->warp);
	return o;
}

static json_t *difference_json(const struct program_difference *d)
{
	json_t *o = json_object();

	tell_number(o, "object", d->object_index);
	tell_u64(o, "offset", d->offset);
	tell_number(o, "expected", d->expected);
	tell_number(o, "found", d->found);
	return o;
}

static json_t *case_json(struct node *n, const struct verify_case *c)
{
	static const char *const kinds[] = {"dispute", "answer", "prove"};
	json_t *o = json_object();

	tell_hash(o, "id", &c->id);
	json_object_set_new(o, "kind", json_string(kinds[c->kind]));
	tell_account(n, o, "sender", &c->sender);
	tell_u64(o, "evidence_bytes", c->evidence_bytes);
	json_object_set_new(o, "ruled", json_boolean(c->is_ruled));
	if (!c->is_ruled)
		return o;
	json_object_set_new(o, "verdict",
			    json_string(program_verdict_word(c->verdict)));
	json_object_set_new(o, "seed_drawn", json_boolean(c->seed_drawn));
	json_object_set_new(o, "sample", sample_json(&c->sample));
	tell_u64(o, "count_ops", c->answer.count);
	tell_u64(o, "cost", c->answer.cost);
	if (c->verdict == PROGRAM_VERDICT_FRAUD)
		json_object_set_new(o, "difference",
				    difference_json(&c->answer.difference));
	tell_number(o, "ruled_height", c->ruled_height);
	return o;
}

static json_t *cases_json(struct node *n, struct ledger *view,
			  const struct hash *lease)
{
	json_t *list = json_array();
	struct verify_case c;
	struct hash after = HASH_ZERO;
	bool first = true;

	while (json_array_size(list) < LIST_MAX &&
	       verify_case_next(view, lease, first ? NULL : &after, &c) ==
		       ERR_OK) {
		first = false;
		after = c.id;
		json_array_append_new(list, case_json(n, &c));
	}
	return list;
}

/* The ruled dispute in one look: what was run again, and what differed. */
static void put_dispute(struct ledger *view, const struct hash *lease,
			json_t *audit)
{
	struct verify_case c;
	struct hash after = HASH_ZERO;
	bool first = true;
	char found[3];
	char expected[3];

	while (verify_case_next(view, lease, first ? NULL : &after, &c) ==
	       ERR_OK) {
		json_t *o;

		first = false;
		after = c.id;
		if (c.kind != VERIFY_CASE_DISPUTE || !c.is_ruled)
			continue;
		hex_encode(BYTES_OF(c.answer.difference.found), found);
		hex_encode(BYTES_OF(c.answer.difference.expected), expected);
		o = sample_json(&c.sample);
		tell_number(o, "cta", c.sample.number);
		json_object_set_new(
			o, "verdict",
			json_string(program_verdict_word(c.verdict)));
		tell_number(o, "buffer", c.answer.difference.object_index);
		tell_number(o, "offset", c.answer.difference.offset);
		json_object_set_new(o, "found", json_string(found));
		json_object_set_new(o, "expected", json_string(expected));
		json_object_set_new(audit, "dispute", o);
		return;
	}
}

/* NULL when the lease was never drawn and nobody opened a case. */
static json_t *audit_json(struct node *n, struct ledger *view,
			  const struct hash *lease)
{
	struct verify_audit a;
	struct market_lease l;
	enum err e = verify_audit_get(view, lease, &a);
	json_t *cases = cases_json(n, view, lease);
	json_t *o;

	if (e && !json_array_size(cases)) {
		json_decref(cases);
		return NULL;
	}
	o = json_object();
	tell_hash(o, "lease", lease);
	if (market_lease_get(view, lease, &l) == ERR_OK)
		tell_account(n, o, "provider", &l.provider);
	json_object_set_new(o, "cases", cases);
	put_dispute(view, lease, o);
	if (e)
		return o;
	json_object_set_new(o, "state", json_string(state_word(a.state)));
	json_object_set_new(o, "verdict", json_string(end_word(a.end)));
	tell_hash(o, "seed", &a.seed);
	tell_number(o, "samples", a.sample_count);
	tell_number(o, "draw_height", a.draw_height);
	tell_number(o, "end_height", a.end_height);
	if (a.auditor_count)
		tell_account(n, o, "auditor", verify_audit_auditor(&a));
	tell_u64(o, "paid_picks", coin_raw(a.paid));
	return o;
}

typedef json_t *lease_json(struct node *n, struct ledger *view,
			   const struct hash *lease);

/* One lease, or all of this chain's jobs that have something to tell. */
static json_t *each_lease(struct node *n, struct ledger *view,
			  const struct hash *lease, const char *name,
			  lease_json *make)
{
	json_t *list = json_array();
	struct market_job job;
	struct hash after_job = HASH_ZERO;
	bool first_job = true;

	if (lease) {
		json_t *o = make(n, view, lease);

		if (o)
			json_array_append_new(list, o);
		return json_pack("{s:o}", name, list);
	}
	while (json_array_size(list) < LIST_MAX &&
	       market_job_next_any(view, first_job ? NULL : &after_job, &job) ==
		       ERR_OK) {
		struct market_lease l;
		struct hash after = HASH_ZERO;
		bool first = true;

		first_job = false;
		after_job = job.id;
		while (json_array_size(list) < LIST_MAX &&
		       market_lease_next_of_job(view, &job.id,
						first ? NULL : &after,
						&l) == ERR_OK) {
			json_t *o = make(n, view, &l.id);

			first = false;
			after = l.id;
			if (o)
				json_array_append_new(list, o);
		}
	}
	return json_pack("{s:o}", name, list);
}

json_t *tell_audits(struct node *n, struct ledger *view,
		    const struct hash *lease)
{
	return each_lease(n, view, lease, "audits", audit_json);
}

static void put_measure(json_t *o, const char *key, uint64_t v)
{
	/* what was not measured is absent */
	if (v != MARKET_ABSENT)
		tell_u64(o, key, v);
}

/* The signed receipt, where this node gave it or fetched it. */
static bool read_signed(struct node *n, const char *role,
			const struct hash *lease, struct buf *out)
{
	char key[HASH_BYTES + 16];
	size_t prefix = strlen(role);
	struct buf record = buf_make(128);
	struct hash root = HASH_ZERO;
	struct dec d;
	bool fine;

	memcpy(key, role, prefix);
	memcpy(key + prefix, lease->b, HASH_BYTES);
	fine = journal_get(n->env, bytes_of(key, prefix + HASH_BYTES),
			   &record) == ERR_OK;
	d = dec_make(buf_bytes(&record));
	dec_array_exact(&d, 2);
	(void)dec_uint(&d, UINT32_MAX);
	root = dec_hash(&d);
	fine = fine && dec_end(&d) == ERR_OK && !hash_is_zero(&root) &&
	       blob_read(n->blobs, &root, out) == ERR_OK;
	buf_free(&record);
	return fine;
}

static void put_signed(struct node *n, json_t *o, const struct hash *lease)
{
	struct buf b = buf_make(MARKET_RECEIPT_BYTES_MAX + 256u);
	struct market_receipt_signed s;
	char *hex;

	if ((!read_signed(n, "buyer/", lease, &b) &&
	     !read_signed(n, "provider/", lease, &b)) ||
	    market_receipt_signed_decode(buf_bytes(&b), &s)) {
		buf_free(&b);
		return;
	}
	put_measure(o, "ops_counted", s.receipt.ops_counted);
	put_measure(o, "fetch_ms", s.receipt.fetch_ms);
	put_measure(o, "in_bytes", s.receipt.in_bytes);
	put_measure(o, "out_bytes", s.receipt.out_bytes);
	hex = malloc(2 * b.n + 1);
	if (hex) {
		hex_encode(buf_bytes(&b), hex);
		json_object_set_new(o, "receipt", json_string(hex));
	}
	free(hex);
	buf_free(&b);
}

/* Of leases that are this node's: what was stated, signed, and the money. */
static json_t *receipt_json(struct node *n, struct ledger *view,
			    const struct hash *lease)
{
	struct market_lease l;
	json_t *o;

	if (market_lease_get(view, lease, &l) || !l.commit_height ||
	    (!pubkey_eq(&l.provider, &n->owner) &&
	     !pubkey_eq(&l.buyer, &n->keys.account)))
		return NULL;
	o = json_object();
	tell_hash(o, "lease", &l.id);
	put_signed(n, o, &l.id);
	tell_hash(o, "job", &l.job);
	tell_hash(o, "program", &l.program_id);
	tell_account(n, o, "provider", &l.provider);
	tell_number(o, "first", l.first);
	tell_number(o, "done", l.done);
	tell_hash(o, "receipt_hash", &l.receipt_hash);
	json_object_set_new(o, "state",
			    json_string(market_lease_state_word(l.state)));
	json_object_set_new(o, "final",
			    json_boolean(market_lease_is_final(l.state)));
	json_object_set_new(o, "class",
			    json_string(market_class_word(l.work.class_bit)));
	tell_u64(o, "ops_priced", l.work.ops_per_task * l.done);
	put_measure(o, "wall_ms", l.totals.wall_ms);
	put_measure(o, "device_ms", l.totals.device_ms);
	put_measure(o, "device_mj", l.totals.device_mj);
	tell_u64(o, "price_picks", coin_raw(l.price));
	tell_u64(o, "paid_picks", coin_raw(l.paid));
	tell_u64(o, "withheld_picks", coin_raw(l.withheld));
	tell_u64(o, "check_fee_picks", coin_raw(l.charged));
	tell_u64(o, "penalty_picks", coin_raw(l.penalty));
	return o;
}

json_t *tell_receipts(struct node *n, struct ledger *view,
		      const struct hash *lease)
{
	return each_lease(n, view, lease, "receipts", receipt_json);
}
