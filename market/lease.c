/*
 * Leases as bytes: the state's record, ids and results.
 */
#include "market/lease.h"
#include "base/limits.h"
#include "base/merkle.h"
#include "ledger/state.h"
#include "market/priv/codec.h"

void market_totals_encode(struct buf *b, const struct market_totals *t)
{
	const uint64_t v[3] = {t->wall_ms, t->device_ms, t->device_mj};
	int i;

	enc_array(b, 3);
	for (i = 0; i < 3; i++) {
		if (v[i] == UINT64_MAX)
			enc_nil(b);
		else
			enc_uint(b, v[i]);
	}
}

void market_totals_decode(struct dec *d, struct market_totals *ret_t)
{
	uint64_t v[3] = {0};
	int i;

	dec_array_exact(d, 3);
	for (i = 0; i < 3 && d->err == ERR_OK; i++) {
		v[i] = UINT64_MAX;
		if (dec_is_nil(d))
			dec_nil(d);
		else
			v[i] = dec_uint(d, UINT64_MAX - 1);
	}
	*ret_t = (struct market_totals){v[0], v[1], v[2]};
}

static void terms_encode(struct buf *b, const struct market_lease *l)
{
	enc_array(b, 17);
	enc_hash(b, &l->program_id);
	enc_hash(b, &l->header_root);
	enc_hash(b, &l->tasks_root);
	market_work_encode(b, &l->work);
	enc_uint(b, l->confidence);
	enc_uint(b, l->sample_count);
	enc_uint(b, l->referee_version);
	enc_uint(b, l->device_index);
	enc_uint(b, l->device);
	enc_uint(b, l->sm);
	enc_coin(b, l->gop_price);
	enc_coin(b, l->task_price);
	enc_coin(b, l->price);
	enc_coin(b, l->check_fee);
	enc_coin(b, l->audit_cost);
	enc_uint(b, l->audit_p);
	enc_uint(b, l->expected_blocks);
}

static void terms_decode(struct dec *d, struct market_lease *l)
{
	dec_array_exact(d, 17);
	l->program_id = dec_hash(d);
	l->header_root = dec_hash(d);
	l->tasks_root = dec_hash(d);
	market_work_decode(d, &l->work);
	l->confidence = (enum market_confidence)market_dec_u32(d, MARKET_TASKS);
	l->sample_count = market_dec_u32(d, UINT32_MAX);
	l->referee_version = market_dec_u32(d, UINT32_MAX);
	l->device_index = market_dec_u32(d, UINT32_MAX);
	l->device = (enum market_device)market_dec_u32(d, MARKET_DEVICE_GPU);
	l->sm = market_dec_u32(d, UINT32_MAX);
	l->gop_price = dec_coin(d);
	l->task_price = dec_coin(d);
	l->price = dec_coin(d);
	l->check_fee = dec_coin(d);
	l->audit_cost = dec_coin(d);
	l->audit_p = dec_uint(d, UINT64_MAX);
	l->expected_blocks = dec_uint(d, UINT64_MAX);
}

static void stand_encode(struct buf *b, const struct market_lease *l)
{
	enc_array(b, 12);
	enc_uint(b, l->state);
	enc_uint(b, l->reason);
	enc_uint(b, l->open_height);
	enc_uint(b, l->accept_height);
	enc_uint(b, l->commit_height);
	enc_uint(b, l->stated_height);
	enc_uint(b, l->sampling_height);
	enc_uint(b, l->end_height);
	enc_uint(b, l->window_height);
	enc_bool(b, l->extended);
	enc_uint(b, l->progress);
	enc_hash(b, &l->progress_root);
}

static void stand_decode(struct dec *d, struct market_lease *l)
{
	dec_array_exact(d, 12);
	l->state = (enum market_lease_state)market_dec_u32(
		d, MARKET_LEASE_STATE_COUNT - 1);
	l->reason = (enum reason)market_dec_u32(d, UINT16_MAX);
	l->open_height = dec_uint(d, UINT64_MAX);
	l->accept_height = dec_uint(d, UINT64_MAX);
	l->commit_height = dec_uint(d, UINT64_MAX);
	l->stated_height = dec_uint(d, UINT64_MAX);
	l->sampling_height = dec_uint(d, UINT64_MAX);
	l->end_height = dec_uint(d, UINT64_MAX);
	l->window_height = dec_uint(d, UINT64_MAX);
	l->extended = dec_bool(d);
	l->progress = market_dec_u32(d, UINT32_MAX);
	l->progress_root = dec_hash(d);
}

static void end_encode(struct buf *b, const struct market_lease *l)
{
	enc_array(b, 7);
	enc_bool(b, l->drawn);
	enc_bool(b, l->audited);
	enc_bool(b, l->struck);
	enc_coin(b, l->paid);
	enc_coin(b, l->withheld);
	enc_coin(b, l->charged);
	enc_coin(b, l->penalty);
}

static void end_decode(struct dec *d, struct market_lease *l)
{
	dec_array_exact(d, 7);
	l->drawn = dec_bool(d);
	l->audited = dec_bool(d);
	l->struck = dec_bool(d);
	l->paid = dec_coin(d);
	l->withheld = dec_coin(d);
	l->charged = dec_coin(d);
	l->penalty = dec_coin(d);
}

void market_lease_encode(struct buf *b, const struct market_lease *l)
{
	market_enc_head(b, 17);
	enc_hash(b, &l->id);
	enc_hash(b, &l->job);
	enc_hash(b, &l->offer);
	enc_pubkey(b, &l->buyer);
	enc_pubkey(b, &l->provider);
	enc_uint(b, l->first);
	enc_uint(b, l->count);
	terms_encode(b, l);
	stand_encode(b, l);
	enc_uint(b, l->done);
	enc_hash(b, &l->result_root);
	enc_hash(b, &l->leaves_root);
	enc_uint(b, l->leaves_bytes);
	enc_hash(b, &l->receipt_hash);
	market_totals_encode(b, &l->totals);
	end_encode(b, l);
}

enum err market_lease_decode(struct bytes in, struct market_lease *ret_lease)
{
	struct dec d = dec_make(in);
	struct market_lease *l = ret_lease;

	*l = (struct market_lease){0};
	market_dec_head(&d, 17);
	l->id = dec_hash(&d);
	l->job = dec_hash(&d);
	l->offer = dec_hash(&d);
	l->buyer = dec_pubkey(&d);
	l->provider = dec_pubkey(&d);
	l->first = market_dec_u32(&d, UINT32_MAX);
	l->count = market_dec_u32(&d, UINT32_MAX);
	terms_decode(&d, l);
	stand_decode(&d, l);
	l->done = market_dec_u32(&d, UINT32_MAX);
	l->result_root = dec_hash(&d);
	l->leaves_root = dec_hash(&d);
	l->leaves_bytes = dec_uint(&d, UINT64_MAX);
	l->receipt_hash = dec_hash(&d);
	market_totals_decode(&d, &l->totals);
	end_decode(&d, l);
	return dec_end(&d);
}

struct hash market_lease_id(const struct hash *job, const struct hash *offer,
			    uint32_t first, uint64_t height)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/lease");
	sha256_put(&s, job->b, HASH_BYTES);
	sha256_put(&s, offer->b, HASH_BYTES);
	sha256_put_u32_be(&s, first);
	sha256_put_u64_be(&s, height);
	return sha256_end(&s);
}

void market_result_leaf_encode(struct buf *b, uint32_t task_index,
			       uint32_t step_count,
			       const struct hash *trace_root,
			       const struct hash *buffer_roots,
			       uint32_t buffer_count)
{
	uint32_t i;

	enc_array(b, 4);
	enc_uint(b, task_index);
	enc_uint(b, step_count);
	enc_hash(b, trace_root);
	enc_array(b, buffer_count);
	for (i = 0; i < buffer_count; i++)
		enc_hash(b, &buffer_roots[i]);
}

void market_result_leaf_decode(struct dec *d, uint32_t *ret_task_index,
			       uint32_t *ret_step_count,
			       struct hash *ret_trace_root,
			       struct hash *ret_buffer_roots,
			       uint32_t buffer_max, uint32_t *ret_buffer_count)
{
	uint32_t i;

	dec_array_exact(d, 4);
	*ret_task_index = market_dec_u32(d, JOB_TASKS_MAX - 1);
	*ret_step_count = market_dec_u32(d, PROGRAM_LAUNCHES_MAX);
	*ret_trace_root = dec_hash(d);
	*ret_buffer_count = dec_array(d, buffer_max);
	for (i = 0; i < *ret_buffer_count && d->err == ERR_OK; i++)
		ret_buffer_roots[i] = dec_hash(d);
}

struct hash market_result_root(const struct hash *lease,
			       const struct pubkey *provider,
			       const struct hash *leaves_root)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/result");
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, provider->b, sizeof(provider->b));
	sha256_put(&s, leaves_root->b, HASH_BYTES);
	return sha256_end(&s);
}

struct hash market_drop_digest(const struct hash *lease,
			       const struct hash *outputs_root)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/drop");
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, outputs_root->b, HASH_BYTES);
	return sha256_end(&s);
}
