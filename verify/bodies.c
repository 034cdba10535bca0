/*
 * The bodies of verify's transactions, writer and reader side by side.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "verify/evidence.h"
#include "verify/kinds.h"

/* A bound count of elements that take at least a byte each. */
static uint32_t dec_count(struct dec *d, uint32_t max)
{
	uint32_t n = dec_array(d, max);

	if (!d->err && n > d->in.n - d->at)
		dec_fail(d, ERR_MALFORMED);
	return d->err ? 0 : n;
}

void verify_verifier_bond_encode(struct buf *b,
				 const struct verify_verifier_bond *x)
{
	enc_array(b, 1);
	enc_coin(b, x->amount);
}

void verify_verifier_bond_decode(struct dec *d, struct arena *a UNUSED,
				 struct verify_verifier_bond *ret_x)
{
	dec_array_exact(d, 1);
	ret_x->amount = dec_coin(d);
	if (coin_is_zero(ret_x->amount))
		dec_fail(d, ERR_MALFORMED);
}

void verify_verifier_unbond_encode(
	struct buf *b, const struct verify_verifier_unbond *x UNUSED)
{
	enc_array(b, 0);
}

void verify_verifier_unbond_decode(struct dec *d, struct arena *a UNUSED,
				   struct verify_verifier_unbond *ret_x)
{
	dec_array_exact(d, 0);
	ret_x->unused = 0;
}

void verify_verifier_pause_encode(struct buf *b,
				  const struct verify_verifier_pause *x)
{
	enc_array(b, 1);
	enc_bool(b, x->is_paused);
}

void verify_verifier_pause_decode(struct dec *d, struct arena *a UNUSED,
				  struct verify_verifier_pause *ret_x)
{
	dec_array_exact(d, 1);
	ret_x->is_paused = dec_bool(d);
}

void verify_audit_pledge_encode(struct buf *b,
				const struct verify_audit_pledge *x)
{
	enc_array(b, 2);
	enc_hash(b, &x->lease);
	enc_hash(b, &x->pledge);
}

void verify_audit_pledge_decode(struct dec *d, struct arena *a UNUSED,
				struct verify_audit_pledge *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->lease = dec_hash(d);
	ret_x->pledge = dec_hash(d);
}

void verify_audit_reveal_encode(struct buf *b,
				const struct verify_audit_reveal *x)
{
	enc_array(b, 5);
	enc_hash(b, &x->lease);
	enc_uint(b, x->report);
	enc_array(b, 2 * x->count_count);
	for (uint32_t i = 0; i < x->count_count; i++) {
		enc_uint(b, x->counts[i].count);
		enc_uint(b, x->counts[i].mean_ops);
	}
	enc_hash(b, &x->witness_root);
	enc_hash(b, &x->salt);
}

void verify_audit_reveal_decode(struct dec *d, struct arena *a,
				struct verify_audit_reveal *ret_x)
{
	struct verify_audit_reveal *x = ret_x;
	uint32_t n;

	dec_array_exact(d, 5);
	x->lease = dec_hash(d);
	x->report = (enum verify_report)dec_uint(d, VERIFY_REPORT_UNAVAILABLE);
	n = dec_count(d, 2 * VERIFY_SAMPLES_MAX);
	if (n % 2)
		dec_fail(d, ERR_MALFORMED);
	x->count_count = n / 2;
	x->counts = ARENA_ARRAY(a, x->count_count + 1, struct verify_count);
	if (!x->counts) {
		dec_fail(d, ERR_NO_MEMORY);
		x->count_count = 0;
	}
	for (uint32_t i = 0; i < x->count_count; i++) {
		x->counts[i].count = dec_uint(d, TASK_OPS_MAX);
		x->counts[i].mean_ops = dec_uint(d, TASK_OPS_MAX);
	}
	x->witness_root = dec_hash(d);
	x->salt = dec_hash(d);
}

void verify_audit_demand_encode(struct buf *b,
				const struct verify_audit_demand *x)
{
	enc_array(b, 3);
	enc_hash(b, &x->lease);
	enc_array(b, x->draw_count);
	for (uint32_t i = 0; i < x->draw_count; i++)
		enc_uint(b, x->draws[i]);
	enc_array(b, x->sample_count);
	for (uint32_t i = 0; i < x->sample_count; i++)
		program_sample_encode(b, &x->samples[i]);
}

void verify_audit_demand_decode(struct dec *d, struct arena *a UNUSED,
				struct verify_audit_demand *ret_x)
{
	struct verify_audit_demand *x = ret_x;

	dec_array_exact(d, 3);
	x->lease = dec_hash(d);
	x->draw_count = dec_count(d, VERIFY_DEMAND_MAX);
	for (uint32_t i = 0; i < x->draw_count; i++) {
		x->draws[i] = (uint32_t)dec_uint(d, VERIFY_SAMPLES_MAX - 1);
		if (i && x->draws[i] <= x->draws[i - 1])
			dec_fail(d, ERR_MALFORMED);
	}
	x->sample_count = dec_count(d, VERIFY_DEMAND_MAX);
	for (uint32_t i = 0; i < x->sample_count; i++) {
		x->samples[i] = program_sample_decode(d);
		if (x->samples[i].kind == PROGRAM_SAMPLE_PAIR)
			dec_fail(d, ERR_MALFORMED); /* nothing to ask for */
	}
	/* the auditor's or the buyer's, not both, not neither */
	if ((x->draw_count == 0) == (x->sample_count == 0))
		dec_fail(d, ERR_MALFORMED);
}

static uint64_t dec_evidence_bytes(struct dec *d)
{
	uint64_t n = dec_uint(d, EVIDENCE_BYTES_MAX);

	if (n == 0)
		dec_fail(d, ERR_MALFORMED);
	return n;
}

void verify_audit_answer_encode(struct buf *b,
				const struct verify_audit_answer *x)
{
	enc_array(b, 4);
	enc_hash(b, &x->lease);
	enc_uint(b, x->place);
	enc_hash(b, &x->evidence_root);
	enc_uint(b, x->evidence_bytes);
}

void verify_audit_answer_decode(struct dec *d, struct arena *a UNUSED,
				struct verify_audit_answer *ret_x)
{
	dec_array_exact(d, 4);
	ret_x->lease = dec_hash(d);
	ret_x->place = (uint32_t)dec_uint(d, VERIFY_DEMAND_MAX - 1);
	ret_x->evidence_root = dec_hash(d);
	ret_x->evidence_bytes = dec_evidence_bytes(d);
}

void verify_audit_prove_encode(struct buf *b,
			       const struct verify_audit_prove *x)
{
	enc_array(b, 3);
	enc_hash(b, &x->lease);
	enc_hash(b, &x->evidence_root);
	enc_uint(b, x->evidence_bytes);
}

void verify_audit_prove_decode(struct dec *d, struct arena *a UNUSED,
			       struct verify_audit_prove *ret_x)
{
	dec_array_exact(d, 3);
	ret_x->lease = dec_hash(d);
	ret_x->evidence_root = dec_hash(d);
	ret_x->evidence_bytes = dec_evidence_bytes(d);
}

void verify_audit_delay_encode(struct buf *b,
			       const struct verify_audit_delay *x)
{
	enc_array(b, 2);
	enc_hash(b, &x->lease);
	enc_uint(b, x->reason);
}

void verify_audit_delay_decode(struct dec *d, struct arena *a UNUSED,
			       struct verify_audit_delay *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->lease = dec_hash(d);
	ret_x->reason = (enum reason)dec_uint(d, UINT8_MAX);
	if (!d->err && !reason_word(ret_x->reason))
		dec_fail(d, ERR_MALFORMED);
}

void verify_evidence_part_encode(struct buf *b,
				 const struct verify_evidence_part *x)
{
	enc_array(b, 3);
	enc_hash(b, &x->case_id);
	enc_uint(b, x->index);
	enc_bin(b, x->data);
}

void verify_evidence_part_decode(struct dec *d, struct arena *a UNUSED,
				 struct verify_evidence_part *ret_x)
{
	dec_array_exact(d, 3);
	ret_x->case_id = dec_hash(d);
	ret_x->index = (uint32_t)dec_uint(d, UINT16_MAX);
	ret_x->data = dec_bin(d, VERIFY_PART_BYTES);
	if (ret_x->data.n == 0)
		dec_fail(d, ERR_MALFORMED);
}

void verify_dispute_open_encode(struct buf *b,
				const struct verify_dispute_open *x)
{
	enc_array(b, 3);
	enc_hash(b, &x->lease);
	enc_hash(b, &x->evidence_root);
	enc_uint(b, x->evidence_bytes);
}

void verify_dispute_open_decode(struct dec *d, struct arena *a UNUSED,
				struct verify_dispute_open *ret_x)
{
	dec_array_exact(d, 3);
	ret_x->lease = dec_hash(d);
	ret_x->evidence_root = dec_hash(d);
	ret_x->evidence_bytes = dec_evidence_bytes(d);
}

void verify_dispute_conflict_encode(struct buf *b,
				    const struct verify_dispute_conflict *x)
{
	enc_array(b, 3);
	enc_hash(b, &x->case_id);
	enc_hash(b, &x->evidence_root);
	enc_uint(b, x->evidence_bytes);
}

void verify_dispute_conflict_decode(struct dec *d, struct arena *a UNUSED,
				    struct verify_dispute_conflict *ret_x)
{
	dec_array_exact(d, 3);
	ret_x->case_id = dec_hash(d);
	ret_x->evidence_root = dec_hash(d);
	ret_x->evidence_bytes = dec_evidence_bytes(d);
}

struct hash verify_pledge(const struct pubkey *auditor,
			  const struct verify_audit_reveal *reveal)
{
	struct buf b = buf_make(TX_BYTES_MAX);
	struct sha256 s;

	sha256_init_tag(&s, "weft/pledge");
	sha256_put(&s, auditor->b, sizeof(auditor->b));
	verify_audit_reveal_encode(&b, reveal);
	sha256_put(&s, b.p, b.n);
	buf_free(&b);
	return sha256_end(&s);
}
