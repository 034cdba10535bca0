/*
 * Transactions of the tests.  The plain job: 16 tasks of 10^9 instructions,
 * at most 1,000,000 picks per Gop, so a task's limit price is 1,000,000.
 */
#include "tests/market/world.h"

#include <criterion/criterion.h>

#include "base/codec.h"

struct market_job_terms world_job_terms(struct world *w)
{
	struct market_job_terms t = {0};

	t.program_id.b[0] = 1;
	t.header_root.b[0] = 2;
	t.tasks_root.b[0] = 3;
	t.task_count = 16;
	t.lease_tasks_min = 1;
	t.work = (struct market_work){
		.ops_per_task = 1000000000,
		.limit_ops = 4000000000,
		.cta_ops_max = 1000000,
		.sample_ops = 500000,
		.cta_open_max = 65536,
		.written_bytes = 65536,
		.input_bytes = 0,
		.output_bytes = 65536,
		.memory_bytes = 1 << 20,
		.step_count = 3,
		.sm_min = 75,
		.class_bit = MARKET_CLASS_A,
	};
	t.gop_price_max = coin_picks(1000000);
	t.deadline_height = w->height + 5000;
	t.grace_blocks = 20;
	return t;
}

struct market_offer_terms world_offer_terms(struct world *w)
{
	struct market_offer_terms t = {0};

	t.device = MARKET_DEVICE_CPU;
	t.memory_bytes = 1ull << 32;
	t.gop_price = coin_picks(900000);
	t.rate = 1000000000;
	t.slots = 1;
	t.classes = MARKET_CLASS_A;
	t.until_height = w->height + 100000;
	t.bond_target = coin_picks(100000000);
	return t;
}

static struct buf body(void)
{
	return buf_make(32768);
}

struct hash world_post_job(struct world *w, uint32_t who,
			   const struct market_job_terms *t)
{
	struct buf b = body();
	struct hash id;
	enum reason r;

	market_job_terms_encode(&b, t);
	r = world_send(w, who, MARKET_KIND_JOB_POST, &b, &id);
	cr_assert_eq(r, REASON_none, "job.post: %s", reason_word(r));
	return market_job_id(&id);
}

struct hash world_post_offer(struct world *w, uint32_t who,
			     const struct market_offer_terms *t)
{
	struct buf b = body();
	struct hash id;
	enum reason r;

	market_offer_terms_encode(&b, t);
	r = world_send(w, who, MARKET_KIND_OFFER_POST, &b, &id);
	cr_assert_eq(r, REASON_none, "offer.post: %s", reason_word(r));
	return market_offer_id(&id);
}

struct buf world_body_accept(const struct hash *id)
{
	struct market_lease_accept x = {*id};
	struct buf b = body();

	market_lease_accept_encode(&b, &x);
	return b;
}

enum reason world_accept(struct world *w, uint32_t who, const struct hash *id)
{
	struct buf b = world_body_accept(id);

	return world_send(w, who, MARKET_KIND_LEASE_ACCEPT, &b, NULL);
}

enum reason world_decline(struct world *w, uint32_t who, const struct hash *id,
			  enum reason why)
{
	struct market_lease_decline x = {*id, why};
	struct buf b = body();

	market_lease_decline_encode(&b, &x);
	return world_send(w, who, MARKET_KIND_LEASE_DECLINE, &b, NULL);
}

static struct market_result result(const struct hash *id,
				   const struct pubkey *who, uint32_t done,
				   enum reason rest)
{
	struct market_result r = {.done = done, .rest = rest};

	r.leaves_root = sha256_tagged("leaves", id->b, 32);
	r.leaves_bytes = 100;
	r.result_root = market_result_root(id, who, &r.leaves_root);
	r.totals = (struct market_totals){10, 8, UINT64_MAX};
	return r;
}

struct buf world_body_commit(const struct hash *id, const struct pubkey *who,
			     uint32_t done, enum reason rest)
{
	struct market_lease_commit x = {*id, result(id, who, done, rest)};
	struct buf b = body();

	market_lease_commit_encode(&b, &x);
	return b;
}

enum reason world_commit(struct world *w, uint32_t who, const struct hash *id,
			 uint32_t done)
{
	struct market_lease x = world_lease(w, id);
	struct buf b = world_body_commit(id, &w->pk[who], done,
					 done < x.count ? REASON_gpu_lost
							: REASON_none);

	return world_send(w, who, MARKET_KIND_LEASE_COMMIT, &b, NULL);
}

enum reason world_fail(struct world *w, uint32_t who, const struct hash *id,
		       enum reason why, int64_t fault_task, uint32_t done)
{
	struct market_lease_fail x = {.lease = *id, .reason = why};
	struct buf b = body();

	if (fault_task >= 0)
		x.fault =
			(struct market_fault){true, (uint32_t)fault_task, 1, 2};
	if (done > 0) {
		x.has_result = true;
		x.result = result(id, &w->pk[who], done, why);
	}
	market_lease_fail_encode(&b, &x);
	return world_send(w, who, MARKET_KIND_LEASE_FAIL, &b, NULL);
}

enum reason world_retract(struct world *w, uint32_t who, const struct hash *id)
{
	struct market_lease_retract x = {*id};
	struct buf b = body();

	market_lease_retract_encode(&b, &x);
	return world_send(w, who, MARKET_KIND_LEASE_RETRACT, &b, NULL);
}

enum reason world_extend(struct world *w, uint32_t who, const struct hash *id)
{
	struct market_lease_extend x = {.lease = *id, .progress = 1};
	struct buf b = body();

	market_lease_extend_encode(&b, &x);
	return world_send(w, who, MARKET_KIND_LEASE_EXTEND, &b, NULL);
}

enum reason world_cancel(struct world *w, uint32_t who, const struct hash *id)
{
	struct market_job_cancel x = {*id};
	struct buf b = body();

	market_job_cancel_encode(&b, &x);
	return world_send(w, who, MARKET_KIND_JOB_CANCEL, &b, NULL);
}

struct buf world_body_audit(enum world_audit op, const struct hash *id,
			    uint64_t a)
{
	struct buf b = body();

	enc_array(&b, 3);
	enc_uint(&b, op);
	enc_hash(&b, id);
	enc_uint(&b, a);
	return b;
}

enum reason world_audit(struct world *w, uint32_t who, enum world_audit op,
			const struct hash *id, uint64_t a)
{
	struct buf b = world_body_audit(op, id, a);

	return world_send(w, who, WORLD_KIND_AUDIT, &b, NULL);
}
