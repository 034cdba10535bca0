/*
 * node/provider/state - what is said to the ledger about a lease, and the
 * receipt that goes with it.
 *
 * One transaction a lease at a time; the ledger's state at the next block
 * says whether it was heard.  One that is refused again and again is not
 * sent for ever: the lease then ends at its window.
 */
#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "market/kinds.h"
#include "market/receipt.h"
#include "node/provider/priv/work.h"

#define BODY_BYTES_MAX	 4096u
#define LEAVES_BYTES_MAX (CORE_SCRATCH_BYTES_MAX / 4)
#define RECORD_VERSION	 1u

static void submit(struct work *w, struct core_out *out, uint32_t kind,
		   struct buf *body)
{
	if (!body->err)
		w->tx_ticket = core_submit(out, CORE_LANE_PROVIDER, kind,
					   buf_bytes(body));
	buf_free(body);
}

void work_accept(struct provider *p, struct work *w, struct core_out *out)
{
	struct market_lease_accept x = {.lease = w->id};
	struct buf b = buf_make(BODY_BYTES_MAX);

	(void)p;
	market_lease_accept_encode(&b, &x);
	submit(w, out, MARKET_KIND_LEASE_ACCEPT, &b);
}

void work_decline(struct provider *p, struct work *w, struct core_out *out,
		  enum reason reason)
{
	struct market_lease_decline x = {.lease = w->id, .reason = reason};
	struct buf b = buf_make(BODY_BYTES_MAX);

	if (w->tx_ticket)
		return;
	p->last_reason = reason;
	core_note(out, CORE_NOTE_INFO, "lease", &w->id, "declined: %s",
		  reason_word(reason));
	market_lease_decline_encode(&b, &x);
	submit(w, out, MARKET_KIND_LEASE_DECLINE, &b);
}

static void put_text(struct market_text *t, const char *words)
{
	size_t n = strlen(words);

	t->n = (uint8_t)(n < MARKET_TEXT_MAX ? n : MARKET_TEXT_MAX);
	memcpy(t->b, words, t->n);
}

/* What is measured here; all else stays absent. */
static void fill_receipt(const struct provider *p, const struct work *w,
			 uint32_t done, uint64_t now_ms,
			 struct market_receipt *r)
{
	market_receipt_init(r);
	r->lease = w->id;
	r->job = w->lease.job;
	r->program_id = w->lease.program_id;
	r->first = w->lease.first;
	r->done = done;
	r->result_root = w->result_root;
	r->device = w->lease.device;
	r->sm = w->lease.sm;
	put_text(&r->device_name, "cpu");
	r->ops_priced = w->lease.work.ops_per_task * done;
	r->fetch_ms = w->ready_ms - w->begun_ms;
	r->wall_ms = now_ms - w->begun_ms;
	r->device_ms = 0;
	r->ops_counted = 0;
	r->out_bytes = 0;
	for (uint32_t i = 0; i < done; i++) {
		r->device_ms += w->tasks[i].run_ms;
		r->ops_counted += w->tasks[i].count;
		r->out_bytes += w->tasks[i].out_bytes;
	}
	if (p->config.offer.watts) {
		r->device_mj = r->device_ms * p->config.offer.watts;
		r->device_method = MARKET_ENERGY_ESTIMATED;
	}
}

/* Sign the receipt, keep it as a blob, remember where. */
static bool make_receipt(struct provider *p, struct work *w,
			 struct core_out *out, uint32_t done)
{
	struct market_receipt_signed s = {.provider_key = p->config.signer};
	struct buf b = buf_make(MARKET_RECEIPT_BYTES_MAX + 256u);
	bool fine = false;

	fill_receipt(p, w, done, core_now_ms(out), &s.receipt);
	if (!market_receipt_digest(&s.receipt, &w->receipt_hash) &&
	    !sig_sign(&p->config.key, hash_bytes(&w->receipt_hash), NULL,
		      &s.provider_sig)) {
		market_receipt_signed_encode(&b, &s);
		fine = b.err == ERR_OK;
	}
	if (fine) {
		w->receipt_root = merkle_bytes_root(buf_bytes(&b));
		core_store(out, buf_bytes(&b), CORE_NAME_BYTES,
			   &w->receipt_root, &w->id);
		buf_reset(&b);
		enc_array(&b, 2);
		enc_uint(&b, RECORD_VERSION);
		enc_hash(&b, &w->receipt_root);
		core_journal_put(out, hash_bytes(&w->id), buf_bytes(&b));
	}
	buf_free(&b);
	return fine;
}

bool work_state_results(struct provider *p, struct work *w,
			struct core_out *out, uint32_t done)
{
	struct hash *items =
		ARENA_ARRAY(core_arena(out), done ? done : 1, struct hash);
	struct buf list = buf_make(LEAVES_BYTES_MAX);
	bool fine;

	for (uint32_t i = 0; items && i < done; i++) {
		uint8_t length[4];

		put_u32_be(length, (uint32_t)w->tasks[i].result.n);
		buf_put(&list, length, sizeof(length));
		buf_put_bytes(&list, w->tasks[i].result);
		items[i] = program_result_leaf(w->tasks[i].result);
	}
	fine = items && list.err == ERR_OK;
	if (fine) {
		w->leaves_root = merkle_list_root(items, done);
		w->leaves_bytes = list.n;
		w->result_root = program_result_root(&w->id, &w->lease.provider,
						     &w->leaves_root);
		core_store(out, buf_bytes(&list), CORE_NAME_LIST,
			   &w->leaves_root, &w->id);
		fine = make_receipt(p, w, out, done);
	}
	buf_free(&list);
	w->stated = fine;
	return fine;
}

static struct market_result result_of(const struct work *w, uint32_t done)
{
	struct market_result r = {
		.result_root = w->result_root,
		.done = done,
		.leaves_root = w->leaves_root,
		.leaves_bytes = w->leaves_bytes,
		.receipt_hash = w->receipt_hash,
		.totals = {.device_mj = MARKET_ABSENT},
		.rest = w->reason,
	};

	r.totals.wall_ms = w->ready_ms - w->begun_ms;
	for (uint32_t i = 0; i < done; i++)
		r.totals.device_ms += w->tasks[i].run_ms;
	r.totals.wall_ms += r.totals.device_ms;
	return r;
}

void work_commit(struct provider *p, struct work *w, struct core_out *out)
{
	uint32_t done = work_done(w);
	struct buf b = buf_make(BODY_BYTES_MAX);

	if (!w->reason) {
		struct market_lease_commit x = {.lease = w->id,
						.result = result_of(w, done)};

		market_lease_commit_encode(&b, &x);
		submit(w, out, MARKET_KIND_LEASE_COMMIT, &b);
		return;
	}
	/* A later reason may have replaced the one that named a task. */
	if (w->reason != REASON_kernel_fault && w->reason != REASON_limit_ops)
		w->fault.present = false;
	p->last_reason = w->reason;
	{
		struct market_lease_fail x = {
			.lease = w->id,
			.reason = w->reason,
			.fault = w->fault,
			.has_result = done > 0,
			.result = result_of(w, done),
		};

		market_lease_fail_encode(&b, &x);
	}
	submit(w, out, MARKET_KIND_LEASE_FAIL, &b);
}
