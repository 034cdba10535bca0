/*
 * Bodies of the lease.* transactions, and which reasons they may give.
 */
#include "base/limits.h"
#include "market/lease.h"
#include "market/priv/codec.h"

static enum reason reason_decode(struct dec *d)
{
	return (enum reason)market_dec_u32(d, UINT16_MAX);
}

static void result_encode(struct buf *b, const struct market_result *r)
{
	enc_array(b, 8);
	enc_hash(b, &r->result_root);
	enc_uint(b, r->done);
	enc_hash(b, &r->leaves_root);
	enc_uint(b, r->leaves_bytes);
	enc_hash(b, &r->receipt_hash);
	market_totals_encode(b, &r->totals);
	enc_uint(b, r->rest);
	if (!r->drop.present) {
		enc_nil(b);
		return;
	}
	enc_array(b, 3);
	enc_uint(b, r->drop.index);
	enc_hash(b, &r->drop.outputs_root);
	enc_sig(b, &r->drop.sig);
}

static void result_decode(struct dec *d, struct market_result *ret_r)
{
	struct market_result *r = ret_r;

	dec_array_exact(d, 8);
	r->result_root = dec_hash(d);
	r->done = (uint32_t)market_dec_range(d, 1, JOB_TASKS_MAX);
	r->leaves_root = dec_hash(d);
	r->leaves_bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	r->receipt_hash = dec_hash(d);
	market_totals_decode(d, &r->totals);
	r->rest = reason_decode(d);
	if (dec_is_nil(d)) {
		dec_nil(d);
		return;
	}
	dec_array_exact(d, 3);
	r->drop.present = true;
	r->drop.index = market_dec_u32(d, MARKET_DROPS_MAX - 1);
	r->drop.outputs_root = dec_hash(d);
	r->drop.sig = dec_sig(d);
}

void market_lease_accept_encode(struct buf *b,
				const struct market_lease_accept *x)
{
	enc_array(b, 1);
	enc_hash(b, &x->lease);
}

void market_lease_accept_decode(struct dec *d,
				struct market_lease_accept *ret_x)
{
	dec_array_exact(d, 1);
	ret_x->lease = dec_hash(d);
}

void market_lease_decline_encode(struct buf *b,
				 const struct market_lease_decline *x)
{
	enc_array(b, 2);
	enc_hash(b, &x->lease);
	enc_uint(b, x->reason);
}

void market_lease_decline_decode(struct dec *d,
				 struct market_lease_decline *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->lease = dec_hash(d);
	ret_x->reason = reason_decode(d);
	if (d->err == ERR_OK && !market_reason_declines(ret_x->reason))
		dec_fail(d, ERR_LIMIT);
}

void market_lease_commit_encode(struct buf *b,
				const struct market_lease_commit *x)
{
	enc_array(b, 2);
	enc_hash(b, &x->lease);
	result_encode(b, &x->result);
}

void market_lease_commit_decode(struct dec *d,
				struct market_lease_commit *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->lease = dec_hash(d);
	result_decode(d, &ret_x->result);
}

void market_lease_fail_encode(struct buf *b, const struct market_lease_fail *x)
{
	enc_array(b, 4);
	enc_hash(b, &x->lease);
	enc_uint(b, x->reason);
	if (x->fault.present) {
		enc_array(b, 3);
		enc_uint(b, x->fault.task);
		enc_uint(b, x->fault.step);
		enc_uint(b, x->fault.cta);
	} else {
		enc_nil(b);
	}
	if (x->has_result)
		result_encode(b, &x->result);
	else
		enc_nil(b);
}

void market_lease_fail_decode(struct dec *d, struct market_lease_fail *ret_x)
{
	struct market_lease_fail *x = ret_x;
	bool names_task;

	dec_array_exact(d, 4);
	x->lease = dec_hash(d);
	x->reason = reason_decode(d);
	if (dec_is_nil(d)) {
		dec_nil(d);
	} else {
		dec_array_exact(d, 3);
		x->fault.present = true;
		x->fault.task = market_dec_u32(d, JOB_TASKS_MAX - 1);
		x->fault.step = market_dec_u32(d, PROGRAM_LAUNCHES_MAX);
		x->fault.cta = dec_uint(d, PROGRAM_CTAS_MAX);
	}
	if (dec_is_nil(d)) {
		dec_nil(d);
	} else {
		x->has_result = true;
		result_decode(d, &x->result);
	}
	if (d->err != ERR_OK)
		return;
	names_task = x->reason == REASON_kernel_fault ||
		     x->reason == REASON_limit_ops;
	if (!market_reason_fails(x->reason) || names_task != x->fault.present ||
	    (x->has_result && x->result.rest != x->reason))
		dec_fail(d, ERR_LIMIT);
}

void market_lease_retract_encode(struct buf *b,
				 const struct market_lease_retract *x)
{
	enc_array(b, 1);
	enc_hash(b, &x->lease);
}

void market_lease_retract_decode(struct dec *d,
				 struct market_lease_retract *ret_x)
{
	dec_array_exact(d, 1);
	ret_x->lease = dec_hash(d);
}

void market_lease_extend_encode(struct buf *b,
				const struct market_lease_extend *x)
{
	enc_array(b, 3);
	enc_hash(b, &x->lease);
	enc_uint(b, x->progress);
	enc_hash(b, &x->progress_root);
}

void market_lease_extend_decode(struct dec *d,
				struct market_lease_extend *ret_x)
{
	dec_array_exact(d, 3);
	ret_x->lease = dec_hash(d);
	ret_x->progress = market_dec_u32(d, JOB_TASKS_MAX);
	ret_x->progress_root = dec_hash(d);
}

/* The lists are closed: a new reason needs a decision here. */
static const enum reason declines[] = {
	REASON_underpriced,   REASON_declined_policy, REASON_declined_busy,
	REASON_input_missing, REASON_gpu_lost,	      REASON_owner_active,
	REASON_power,	      REASON_limit_memory,
};

static const enum reason fails[] = {
	REASON_underpriced,   REASON_gpu_lost,	   REASON_owner_active,
	REASON_power,	      REASON_kernel_fault, REASON_limit_ops,
	REASON_limit_seconds, REASON_limit_memory, REASON_driver_fault,
	REASON_void,
};

static bool is_among(enum reason r, const enum reason *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (list[i] == r)
			return true;
	}
	return false;
}

bool market_reason_declines(enum reason r)
{
	return is_among(r, declines, sizeof(declines) / sizeof(declines[0]));
}

bool market_reason_fails(enum reason r)
{
	return is_among(r, fails, sizeof(fails) / sizeof(fails[0]));
}
