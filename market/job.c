/*
 * Jobs as bytes: what buyers send, what the state keeps.
 */
#include "market/job.h"
#include "base/limits.h"
#include "ledger/state.h"
#include "market/priv/codec.h"
#include "market/priv/store.h"

void market_work_encode(struct buf *b, const struct market_work *w)
{
	enc_array(b, 12);
	enc_uint(b, w->ops_per_task);
	enc_uint(b, w->limit_ops);
	enc_uint(b, w->cta_ops_max);
	enc_uint(b, w->sample_ops);
	enc_uint(b, w->cta_open_max);
	enc_uint(b, w->written_bytes);
	enc_uint(b, w->input_bytes);
	enc_uint(b, w->output_bytes);
	enc_uint(b, w->memory_bytes);
	enc_uint(b, w->step_count);
	enc_uint(b, w->sm_min);
	enc_uint(b, w->class_bit);
}

void market_work_decode(struct dec *d, struct market_work *ret_w)
{
	struct market_work *w = ret_w;

	dec_array_exact(d, 12);
	w->ops_per_task = market_dec_range(d, 1, 1ull << 62);
	w->limit_ops = market_dec_range(d, 1, TASK_OPS_MAX);
	w->cta_ops_max = market_dec_range(d, 1, TASK_OPS_MAX);
	w->sample_ops = market_dec_range(d, 1, TASK_OPS_MAX);
	w->cta_open_max = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	w->written_bytes = dec_uint(d, 1ull << 62);
	w->input_bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	w->output_bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	w->memory_bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	w->step_count = (uint32_t)market_dec_range(d, 1, PROGRAM_LAUNCHES_MAX);
	w->sm_min = market_dec_u32(d, UINT32_MAX);
	w->class_bit = (uint32_t)market_dec_range(d, 1, MARKET_CLASS_ALL);
	if (d->err != ERR_OK)
		return;
	if ((w->class_bit & (w->class_bit - 1)) != 0 ||
	    w->limit_ops < w->ops_per_task || !market_sm_served(w->sm_min))
		dec_fail(d, ERR_LIMIT);
}

static void keys_encode(struct buf *b, const struct pubkey *keys,
			uint32_t count)
{
	uint32_t i;

	enc_array(b, count);
	for (i = 0; i < count; i++)
		enc_pubkey(b, &keys[i]);
}

static uint32_t keys_decode(struct dec *d, struct pubkey *ret_keys,
			    uint32_t max)
{
	uint32_t n = dec_array(d, max), i;

	for (i = 0; i < n && d->err == ERR_OK; i++)
		ret_keys[i] = dec_pubkey(d);
	return n;
}

void market_job_terms_encode(struct buf *b, const struct market_job_terms *t)
{
	enc_array(b, 22);
	enc_hash(b, &t->program_id);
	enc_hash(b, &t->header_root);
	enc_hash(b, &t->tasks_root);
	enc_uint(b, t->task_count);
	enc_uint(b, t->lease_tasks_min);
	market_work_encode(b, &t->work);
	enc_coin(b, t->gop_price_max);
	enc_uint(b, t->confidence);
	enc_uint(b, t->samples);
	enc_uint(b, t->seconds_max);
	enc_uint(b, t->not_before_height);
	enc_uint(b, t->deadline_height);
	enc_uint(b, t->grace_blocks);
	enc_uint(b, t->want);
	enc_uint(b, t->want_sm_min);
	enc_uint(b, t->want_memory_min_bytes);
	enc_str(b, bytes_of(t->want_region.b, t->want_region.n));
	enc_uint(b, t->want_record_min);
	enc_uint(b, t->prefer);
	enc_uint(b, t->max_ug_per_gop);
	keys_encode(b, t->drops, t->drop_count);
	keys_encode(b, t->agents, t->agent_count);
}

void market_job_terms_decode(struct dec *d, struct market_job_terms *ret_t)
{
	struct market_job_terms *t = ret_t;

	dec_array_exact(d, 22);
	t->program_id = dec_hash(d);
	t->header_root = dec_hash(d);
	t->tasks_root = dec_hash(d);
	t->task_count = (uint32_t)market_dec_range(d, 1, JOB_TASKS_MAX);
	t->lease_tasks_min = (uint32_t)market_dec_range(d, 1, JOB_TASKS_MAX);
	market_work_decode(d, &t->work);
	t->gop_price_max = market_dec_coin(d);
	t->confidence = (enum market_confidence)market_dec_u32(d, MARKET_TASKS);
	t->samples = market_dec_u32(d, 1000);
	t->seconds_max = market_dec_u32(d, UINT32_MAX);
	t->not_before_height = dec_uint(d, UINT64_MAX);
	t->deadline_height = dec_uint(d, UINT64_MAX);
	t->grace_blocks = market_dec_u32(d, MARKET_GRACE_MAX);
	t->want = (enum market_want)market_dec_u32(d, MARKET_WANT_GPU);
	t->want_sm_min = market_dec_u32(d, UINT32_MAX);
	t->want_memory_min_bytes = dec_uint(d, UINT64_MAX);
	market_dec_text(d, t->want_region.b, &t->want_region.n,
			MARKET_REGION_MAX);
	t->want_record_min = market_dec_u32(d, 1000000);
	t->prefer = (enum market_prefer)market_dec_u32(d, MARKET_PREFER_CARBON);
	t->max_ug_per_gop = dec_uint(d, UINT64_MAX);
	t->drop_count = keys_decode(d, t->drops, MARKET_DROPS_MAX);
	t->agent_count = keys_decode(d, t->agents, MARKET_AGENTS_MAX);
	if (d->err != ERR_OK)
		return;
	if (t->lease_tasks_min > t->task_count ||
	    coin_is_zero(t->gop_price_max) ||
	    !market_sm_served(t->want_sm_min) ||
	    (t->confidence == MARKET_SAMPLES) != (t->samples != 0) ||
	    (t->samples != 0 && t->samples < 20))
		dec_fail(d, ERR_LIMIT);
}

void market_job_top_up_encode(struct buf *b, const struct market_job_top_up *x)
{
	enc_array(b, 2);
	enc_hash(b, &x->id);
	enc_coin(b, x->amount);
}

void market_job_top_up_decode(struct dec *d, struct market_job_top_up *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->id = dec_hash(d);
	ret_x->amount = market_dec_coin(d);
	if (d->err == ERR_OK && coin_is_zero(ret_x->amount))
		dec_fail(d, ERR_LIMIT);
}

void market_job_extend_encode(struct buf *b, const struct market_job_extend *x)
{
	enc_array(b, 2);
	enc_hash(b, &x->id);
	enc_uint(b, x->deadline_height);
}

void market_job_extend_decode(struct dec *d, struct market_job_extend *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->id = dec_hash(d);
	ret_x->deadline_height = dec_uint(d, UINT64_MAX);
}

void market_job_redeclare_encode(struct buf *b,
				 const struct market_job_redeclare *x)
{
	enc_array(b, 4);
	enc_hash(b, &x->id);
	enc_hash(b, &x->header_root);
	market_work_encode(b, &x->work);
	enc_coin(b, x->gop_price_max);
}

void market_job_redeclare_decode(struct dec *d,
				 struct market_job_redeclare *ret_x)
{
	dec_array_exact(d, 4);
	ret_x->id = dec_hash(d);
	ret_x->header_root = dec_hash(d);
	market_work_decode(d, &ret_x->work);
	ret_x->gop_price_max = market_dec_coin(d);
	if (d->err == ERR_OK && coin_is_zero(ret_x->gop_price_max))
		dec_fail(d, ERR_LIMIT);
}

void market_job_cancel_encode(struct buf *b, const struct market_job_cancel *x)
{
	enc_array(b, 1);
	enc_hash(b, &x->id);
}

void market_job_cancel_decode(struct dec *d, struct market_job_cancel *ret_x)
{
	dec_array_exact(d, 1);
	ret_x->id = dec_hash(d);
}

/* The record's parts: money, tasks, matching, what went wrong. */
static void money_encode(struct buf *b, const struct market_job *j)
{
	enc_array(b, 7);
	enc_coin(b, j->escrow);
	enc_coin(b, j->reserved);
	enc_coin(b, j->paid);
	enc_coin(b, j->fees);
	enc_coin(b, j->audit_cost);
	enc_coin(b, j->check_fee_task);
	enc_bool(b, j->posting_charged);
}

static void money_decode(struct dec *d, struct market_job *j)
{
	dec_array_exact(d, 7);
	j->escrow = dec_coin(d);
	j->reserved = dec_coin(d);
	j->paid = dec_coin(d);
	j->fees = dec_coin(d);
	j->audit_cost = dec_coin(d);
	j->check_fee_task = dec_coin(d);
	j->posting_charged = dec_bool(d);
}

static void tasks_encode(struct buf *b, const struct market_job *j)
{
	enc_array(b, 10);
	enc_uint(b, j->free_count);
	enc_uint(b, j->free_ranges);
	enc_uint(b, j->low_first);
	enc_uint(b, j->low_count);
	enc_uint(b, j->in_lease_count);
	enc_uint(b, j->committed_count);
	enc_uint(b, j->done_count);
	enc_uint(b, j->quarantined_count);
	enc_uint(b, j->live_leases);
	enc_uint(b, j->open_leases);
}

static void tasks_decode(struct dec *d, struct market_job *j)
{
	dec_array_exact(d, 10);
	j->free_count = market_dec_u32(d, JOB_TASKS_MAX);
	j->free_ranges = market_dec_u32(d, UINT32_MAX);
	j->low_first = market_dec_u32(d, JOB_TASKS_MAX);
	j->low_count = market_dec_u32(d, JOB_TASKS_MAX);
	j->in_lease_count = market_dec_u32(d, JOB_TASKS_MAX);
	j->committed_count = market_dec_u32(d, JOB_TASKS_MAX);
	j->done_count = market_dec_u32(d, JOB_TASKS_MAX);
	j->quarantined_count = market_dec_u32(d, JOB_TASKS_MAX);
	j->live_leases = market_dec_u32(d, UINT32_MAX);
	j->open_leases = market_dec_u32(d, UINT32_MAX);
}

static void trouble_encode(struct buf *b, const struct market_job *j)
{
	uint32_t i;

	enc_array(b, 6);
	enc_uint(b, j->counted_milli);
	enc_uint(b, j->counted_samples);
	enc_uint(b, j->unserved_count);
	enc_hash(b, &j->void_lease);
	enc_hash(b, &j->void_prior_root);
	enc_array(b, j->skip_count);
	for (i = 0; i < j->skip_count; i++) {
		enc_array(b, 2);
		enc_pubkey(b, &j->skips[i].account);
		enc_uint(b, j->skips[i].until_height);
	}
}

static void trouble_decode(struct dec *d, struct market_job *j)
{
	uint32_t i;

	dec_array_exact(d, 6);
	j->counted_milli = dec_uint(d, UINT64_MAX);
	j->counted_samples = market_dec_u32(d, UINT32_MAX);
	j->unserved_count = market_dec_u32(d, UINT32_MAX);
	j->void_lease = dec_hash(d);
	j->void_prior_root = dec_hash(d);
	j->skip_count = dec_array(d, MARKET_SKIPS_MAX);
	for (i = 0; i < j->skip_count && d->err == ERR_OK; i++) {
		dec_array_exact(d, 2);
		j->skips[i].account = dec_pubkey(d);
		j->skips[i].until_height = dec_uint(d, UINT64_MAX);
	}
}

void market_job_encode(struct buf *b, const struct market_job *j)
{
	market_enc_head(b, 16);
	enc_hash(b, &j->id);
	enc_pubkey(b, &j->buyer);
	market_job_terms_encode(b, &j->terms);
	enc_uint(b, j->state);
	enc_uint(b, j->reason);
	enc_uint(b, j->posted_height);
	enc_uint(b, j->ended_height);
	enc_uint(b, j->pause_until);
	money_encode(b, j);
	tasks_encode(b, j);
	enc_uint(b, j->index);
	enc_uint(b, j->backoff);
	enc_uint(b, j->retry_height);
	enc_uint(b, j->due_height);
	trouble_encode(b, j);
}

enum err market_job_decode(struct bytes in, struct market_job *ret_job)
{
	struct dec d = dec_make(in);
	struct market_job *j = ret_job;

	*j = (struct market_job){0};
	market_dec_head(&d, 16);
	j->id = dec_hash(&d);
	j->buyer = dec_pubkey(&d);
	market_job_terms_decode(&d, &j->terms);
	j->state = (enum market_job_state)market_dec_u32(&d, MARKET_JOB_ENDED);
	j->reason = (enum reason)market_dec_u32(&d, UINT16_MAX);
	j->posted_height = dec_uint(&d, UINT64_MAX);
	j->ended_height = dec_uint(&d, UINT64_MAX);
	j->pause_until = dec_uint(&d, UINT64_MAX);
	money_decode(&d, j);
	tasks_decode(&d, j);
	j->index =
		(enum market_job_index)market_dec_u32(&d, MARKET_JOB_WAITING);
	j->backoff = market_dec_u32(&d, 63);
	j->retry_height = dec_uint(&d, UINT64_MAX);
	j->due_height = dec_uint(&d, UINT64_MAX);
	trouble_decode(&d, j);
	return dec_end(&d);
}

struct hash market_job_id(const struct hash *txid)
{
	return sha256_tagged("weft/job", txid->b, HASH_BYTES);
}

bool market_job_skips(const struct market_job *j, const struct pubkey *account,
		      uint64_t height)
{
	uint32_t i;

	for (i = 0; i < j->skip_count; i++) {
		if (height < j->skips[i].until_height &&
		    pubkey_eq(&j->skips[i].account, account))
			return true;
	}
	return false;
}
