/*
 * The auditor's side of an audit: the draw, pledge and reveal, the windows,
 * and the proof that the reveal's seed may order.
 */
#include "verify/audit.h"

#include "base/codec.h"
#include "base/must.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "market/job.h"
#include "market/kinds.h"
#include "verify/draw.h"
#include "verify/priv/flow.h"

static bool waits_for_auditor(const struct verify_audit *a)
{
	return a->state == VERIFY_AUDIT_PLEDGE ||
	       a->state == VERIFY_AUDIT_REVEAL;
}

uint64_t verify_open_blocks(const struct ledger *l,
			    const struct market_lease *lease)
{
	uint64_t bytes;

	if (!u64_mul(lease->sample_count, lease->work.cta_open_max, &bytes))
		bytes = UINT64_MAX;
	return l->params->open_blocks +
	       bytes / l->params->open_bytes_per_block + lease->expected_blocks;
}

enum err verify_audit_window(struct ledger *l, struct verify_audit *a,
			     uint64_t height)
{
	a->window_height = height;
	return ledger_queue_add(l, VERIFY_QUEUE_AUDIT, height + 1, &a->lease);
}

static enum err emit(struct ledger *l, const char *name,
		     const struct market_lease *x, const struct pubkey *auditor)
{
	return ledger_emit(l, name, &x->id, &x->provider, auditor,
			   (struct bytes){0});
}

/* Over: the clock, held since the draw, is let go. */
enum err verify_audit_finish(struct ledger *l, struct verify_audit *a)
{
	enum err err = ledger_clock_release(l);

	a->state = VERIFY_AUDIT_DONE;
	if (a->end_height == 0)
		a->end_height = l->height;
	return err ? err : verify_audit_save(l, a);
}

/* The next auditor takes over, or nobody is left: unchecked. */
static enum err next_auditor(struct ledger *l, struct verify_audit *a,
			     const struct market_lease *x)
{
	struct pubkey auditor;
	enum err err = ERR_NOT_FOUND;

	if (a->auditor_count <= l->params->auditor_redraws &&
	    a->auditor_count < VERIFY_AUDITORS_MAX)
		err = verify_auditor_draw(l, x, &a->seed, a->auditors,
					  a->auditor_count, &auditor,
					  &a->reserved);
	if (err == ERR_NOT_FOUND) {
		a->end = VERIFY_END_UNCHECKED;
		err = verify_audit_finish(l, a);
		if (!err)
			err = emit(l, "audit.done", x, NULL);
		return err ? err : market_lease_unchecked(l, &x->id);
	}
	if (err)
		return err;
	a->auditors[a->auditor_count++] = auditor;
	a->state = VERIFY_AUDIT_PLEDGE;
	err = verify_duty_take(l, &auditor, a->reserved);
	if (!err)
		err = verify_audit_window(l, a,
					  l->height + verify_open_blocks(l, x) +
						  l->params->pledge_blocks);
	if (!err)
		err = emit(l, "audit.drawn", x, &auditor);
	return err ? err : verify_audit_save(l, a);
}

static enum err draw(struct ledger *l, const struct market_lease *x,
		     const struct hash *seed)
{
	struct verify_audit a = {.lease = x->id,
				 .seed = *seed,
				 .draw_height = l->height,
				 .sample_count = x->sample_count};
	enum err err = verify_auditor_draw(l, x, seed, NULL, 0, &a.auditors[0],
					   &a.reserved);

	if (err == ERR_NOT_FOUND)
		return market_lease_unchecked(l, &x->id);
	if (!err)
		err = market_lease_drawn(l, &x->id);
	if (!err)
		err = ledger_clock_hold(l);
	if (!err)
		err = verify_duty_take(l, &a.auditors[0], a.reserved);
	if (!err)
		err = verify_audit_window(l, &a,
					  l->height + verify_open_blocks(l, x) +
						  l->params->pledge_blocks);
	if (err)
		return err;
	a.auditor_count = 1;
	err = verify_audit_save(l, &a);
	return err ? err : emit(l, "audit.drawn", x, &a.auditors[0]);
}

enum err verify_hook_draw(struct ledger *l, uint64_t due_height UNUSED,
			  const struct hash *id)
{
	struct market_lease x;
	struct hash seed;
	uint64_t height;
	enum err err = market_lease_get(l, id, &x);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (x.state != MARKET_LEASE_committed || x.sampling_height != 0)
		return ERR_OK;
	err = ledger_sampling(l, x.stated_height, &height, &seed);
	if (err == ERR_NOT_FOUND)
		return ledger_queue_add(l, MARKET_QUEUE_SAMPLE, l->height + 1,
					id);
	if (err)
		return err;
	if (x.done == 0 || !verify_is_audited(&seed, id, x.audit_p))
		return market_lease_passed(l, id);
	return draw(l, &x, &seed);
}

enum err verify_audit_close(struct ledger *l, struct verify_audit *a,
			    enum verify_audit_end end)
{
	enum err err = verify_duty_done(l, verify_audit_auditor(a), a->reserved,
					end == VERIFY_END_VALID);

	if (err)
		return err;
	a->end = end;
	return verify_audit_finish(l, a);
}

enum err verify_audit_verdict(struct ledger *l, const struct hash *lease,
			      enum verify_audit_end end)
{
	struct verify_audit a;
	enum err err = verify_audit_get(l, lease, &a);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (!waits_for_auditor(&a))
		return ERR_OK;
	return verify_audit_close(l, &a, end);
}

enum err verify_audit_stop(struct ledger *l, const struct hash *lease,
			   bool is_foreign, bool *ret_stopped)
{
	struct verify_audit a;
	enum err err = verify_audit_get(l, lease, &a);

	*ret_stopped = false;
	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (!waits_for_auditor(&a))
		return ERR_OK;
	if (is_foreign && !pubkey_eq(&l->sender, verify_audit_auditor(&a))) {
		if (a.foreign_stops == VERIFY_FOREIGN_STOPS)
			return ERR_OK;
		a.foreign_stops++;
	}
	if (a.stops++ == 0)
		a.window_left = a.window_height > l->height
					? a.window_height - l->height
					: 0;
	*ret_stopped = true;
	return verify_audit_save(l, &a);
}

enum err verify_audit_go(struct ledger *l, const struct hash *lease, bool renew)
{
	struct market_lease x;
	struct verify_audit a;
	uint64_t left;
	enum err err = verify_audit_get(l, lease, &a);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (!waits_for_auditor(&a) || a.stops == 0)
		return ERR_OK;
	err = market_lease_get(l, lease, &x);
	if (err)
		return err;
	left = a.window_left;
	if (renew && a.state == VERIFY_AUDIT_PLEDGE &&
	    left < verify_open_blocks(l, &x) + l->params->pledge_blocks)
		left = verify_open_blocks(l, &x) + l->params->pledge_blocks;
	a.window_left = left;
	if (--a.stops == 0)
		err = verify_audit_window(l, &a, l->height + left);
	return err ? err : verify_audit_save(l, &a);
}

/* The auditor was silent. */
static enum err silent(struct ledger *l, struct verify_audit *a,
		       const struct market_lease *x)
{
	struct pubkey auditor = *verify_audit_auditor(a);
	struct coin taken;
	enum err err = verify_duty_missed(l, &auditor, a->reserved,
					  x->check_fee, &x->id, &taken);

	if (err)
		return err;
	must(coin_add(a->missed, taken, &a->missed));
	err = verify_duty_clear(l, &auditor, &x->id);
	return err ? err : next_auditor(l, a, x);
}

enum err verify_hook_audit(struct ledger *l, uint64_t due_height UNUSED,
			   const struct hash *id)
{
	struct market_lease x;
	struct verify_audit a;
	enum err err = verify_audit_get(l, id, &a);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (!waits_for_auditor(&a))
		return ERR_OK;
	err = market_lease_get(l, id, &x);
	if (err)
		return err;
	/* its life ended while we stood still */
	if (market_lease_is_final(x.state))
		return verify_audit_close(l, &a, VERIFY_END_CLOSED);
	if (a.stops > 0 || l->height <= a.window_height)
		return ERR_OK;
	return silent(l, &a, &x);
}

/* The audit for which the sender is on duty. */
static enum err on_duty(struct ledger *l, const struct hash *lease,
			struct verify_audit *ret_a)
{
	enum err err = verify_audit_get(l, lease, ret_a);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (!pubkey_eq(verify_audit_auditor(ret_a), &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	return ERR_OK;
}

static enum err in_window(struct ledger *l, const struct verify_audit *a)
{
	if (a->stops == 0 && l->height > a->window_height)
		return ledger_refuse_window(l, REASON_too_late, a->draw_height,
					    a->window_height);
	return ERR_OK;
}

enum err verify_apply_pledge(struct ledger *l, const void *body)
{
	const struct verify_audit_pledge *x = body;
	struct verify_audit a;
	enum err err = on_duty(l, &x->lease, &a);

	if (err)
		return err;
	if (a.state != VERIFY_AUDIT_PLEDGE)
		return ledger_refuse(l, REASON_wrong_state);
	err = in_window(l, &a);
	if (err)
		return err;
	a.pledge = x->pledge;
	a.state = VERIFY_AUDIT_REVEAL;
	a.window_left = l->params->reveal_blocks;
	if (a.stops == 0)
		err = verify_audit_window(l, &a,
					  l->height + l->params->reveal_blocks);
	return err ? err : verify_audit_save(l, &a);
}

/* Counted work against the header's, for the job's sum. */
static enum err report_counts(struct ledger *l, const struct market_lease *x,
			      const struct verify_audit_reveal *r)
{
	enum err err = ERR_OK;

	for (uint32_t i = 0; i < r->count_count && !err; i++)
		if (r->counts[i].mean_ops > 0)
			err = market_job_counted(l, &x->job, r->counts[i].count,
						 r->counts[i].mean_ops);
	return err;
}

/*
 * min(table cost of the audit, 2 * check fee of the lease, pool / share),
 * after this lease's own check fee has come into the pool.
 */
static enum err pay_auditor(struct ledger *l, const struct market_lease *x,
			    struct verify_audit *a)
{
	struct ledger_note note = {LEDGER_WHY_audit_pay, x->id};
	struct coin pool;
	struct coin twice;
	struct coin share;
	enum err err = ledger_pool_get(l, LEDGER_POOL_AUDIT, &pool);

	if (err)
		return err;
	if (!coin_mul(x->check_fee, 2, &twice) ||
	    !coin_scale(pool, 1, l->params->audit_pool_share, &share))
		return ledger_refuse(l, REASON_overflow);
	a->paid = coin_min(coin_min(x->audit_cost, twice), share);
	return ledger_pool_pay(l, LEDGER_POOL_AUDIT, verify_audit_auditor(a),
			       a->paid, note);
}

static enum err reveal_valid(struct ledger *l, struct verify_audit *a,
			     const struct market_lease *x,
			     const struct verify_audit_reveal *r)
{
	enum err err = report_counts(l, x, r);

	/* after the counts: the job may end with this lease */
	if (!err)
		err = market_lease_audited(l, &x->id);
	if (!err)
		err = pay_auditor(l, x, a);
	if (err)
		return err;
	a->state = VERIFY_AUDIT_SEED;
	a->end = VERIFY_END_VALID;
	a->end_height = l->height;
	a->reveal_height = l->height;
	a->witness_root = r->witness_root;
	err = ledger_queue_add(l, VERIFY_QUEUE_PROVE,
			       l->height + l->params->sampling_delay_blocks,
			       &x->id);
	if (!err)
		err = verify_audit_save(l, a);
	return err ? err : emit(l, "audit.done", x, verify_audit_auditor(a));
}

/* Openings were withheld from this auditor, who asks for no verdict by a
 * demand: another one looks, nobody is punished. */
static enum err reveal_unavailable(struct ledger *l, struct verify_audit *a,
				   const struct market_lease *x)
{
	struct pubkey auditor = *verify_audit_auditor(a);
	enum err err = verify_duty_done(l, &auditor, a->reserved, false);

	if (!err)
		err = verify_duty_clear(l, &auditor, &x->id);
	return err ? err : next_auditor(l, a, x);
}

enum err verify_apply_reveal(struct ledger *l, const void *body)
{
	const struct verify_audit_reveal *r = body;
	struct market_lease x;
	struct verify_audit a;
	struct hash pledge;
	enum err err = on_duty(l, &r->lease, &a);

	if (err)
		return err;
	/* a dispute or demand is open: its verdict comes first */
	if (a.state != VERIFY_AUDIT_REVEAL || a.stops > 0)
		return ledger_refuse(l, REASON_wrong_state);
	err = in_window(l, &a);
	if (err)
		return err;
	pledge = verify_pledge(&l->sender, r);
	if (!hash_eq(&pledge, &a.pledge))
		return ledger_refuse(l, REASON_bad_proof);
	if (r->count_count > a.sample_count)
		return ledger_refuse(l, REASON_bad_value);
	err = market_lease_get(l, &r->lease, &x);
	if (err)
		return err;
	if (market_lease_is_final(x.state))
		return ledger_refuse(l, REASON_already_settled);
	return r->report == VERIFY_REPORT_VALID ? reveal_valid(l, &a, &x, r)
						: reveal_unavailable(l, &a, &x);
}

/* The words that decide on a proof: is one ordered, and of which sample. */
static uint64_t prove_word(const struct hash *seed,
			   const struct verify_audit *a, uint32_t which)
{
	struct sha256 s;
	struct hash h;

	sha256_init_tag(&s, "weft/prove");
	sha256_put(&s, seed->b, HASH_BYTES);
	sha256_put(&s, a->lease.b, HASH_BYTES);
	sha256_put(&s, verify_audit_auditor(a)->b, 32);
	h = sha256_end(&s);
	return u64_be(h.b + 8 * (size_t)which);
}

static enum err order_proof(struct ledger *l, struct verify_audit *a)
{
	struct hash seed;
	uint64_t height;
	enum err err = ledger_sampling(l, a->reveal_height, &height, &seed);

	if (err == ERR_NOT_FOUND)
		return ledger_queue_add(l, VERIFY_QUEUE_PROVE, l->height + 1,
					&a->lease);
	if (err)
		return err;
	if (u64_mulhi(prove_word(&seed, a, 0), l->params->prove_one_in) != 0)
		return verify_audit_close(l, a, VERIFY_END_VALID);
	a->state = VERIFY_AUDIT_PROVE;
	a->prove_index =
		(uint32_t)u64_mulhi(prove_word(&seed, a, 1), a->sample_count);
	a->window_height = l->height + l->params->prove_blocks;
	err = ledger_queue_add(l, VERIFY_QUEUE_PROVE, a->window_height + 1,
			       &a->lease);
	if (!err)
		err = ledger_emit(l, "audit.prove", &a->lease,
				  verify_audit_auditor(a), NULL,
				  (struct bytes){0});
	return err ? err : verify_audit_save(l, a);
}

enum err verify_hook_prove(struct ledger *l, uint64_t due_height UNUSED,
			   const struct hash *id)
{
	struct verify_audit a;
	enum err err = verify_audit_get(l, id, &a);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (a.state == VERIFY_AUDIT_SEED)
		return order_proof(l, &a);
	/* evidence on its way stops this window too (stops > 0) */
	if (a.state != VERIFY_AUDIT_PROVE || a.stops > 0 ||
	    l->height <= a.window_height)
		return ERR_OK;
	err = verify_duty_failed(l, verify_audit_auditor(&a), a.reserved, id);
	return err ? err : verify_audit_finish(l, &a);
}

enum err verify_lease_seed(struct ledger *l, const struct market_lease *lease,
			   struct hash *ret_seed)
{
	struct verify_audit a;
	uint64_t height;
	enum err err = verify_audit_get(l, &lease->id, &a);

	if (err == ERR_OK) {
		*ret_seed = a.seed;
		return ERR_OK;
	}
	if (err != ERR_NOT_FOUND)
		return err;
	return ledger_sampling(l, lease->stated_height, &height, ret_seed);
}

enum err verify_refute(struct ledger *l, const struct market_lease *lease,
		       enum reason reason, bool seed_drawn,
		       const struct pubkey *accuser)
{
	struct market_ruling r = {.seed_drawn = seed_drawn,
				  .has_accuser = true,
				  .accuser = *accuser,
				  .reward = lease->audit_cost};
	struct coin fees;
	struct coin penalty;
	struct verify_audit a;
	enum err err = verify_audit_get(l, &lease->id, &a);

	if (err && err != ERR_NOT_FOUND)
		return err;
	if (err == ERR_OK && waits_for_auditor(&a)) {
		r.accuser = *verify_audit_auditor(&a);
		if (!coin_mul(lease->check_fee, l->params->accuser_check_fees,
			      &fees) ||
		    !coin_add(r.reward, fees, &r.reward))
			r.reward = lease->audit_cost;
	}
	return market_lease_refuted(l, &lease->id, reason, &r, &penalty);
}
