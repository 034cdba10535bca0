#include "verify/evidence.h"

#include "base/codec.h"
#include "gpu/program/header.h"
#include "gpu/program/opening.h"
#include "market/lease.h"
#include "verify/draw.h"

static void enc_optional(struct buf *b, struct bytes v)
{
	if (v.n)
		enc_bin(b, v);
	else
		enc_nil(b);
}

/* nil, or bytes that are not empty. */
static struct bytes dec_optional(struct dec *d, size_t max)
{
	struct bytes v = {0};

	if (dec_is_nil(d)) {
		dec_nil(d);
		return v;
	}
	v = dec_bin(d, max);
	if (v.n == 0)
		dec_fail(d, ERR_MALFORMED);
	return v;
}

void verify_evidence_encode(struct buf *out, const struct verify_evidence *e)
{
	enc_array(out, 6);
	enc_uint(out, VERIFY_EVIDENCE_VERSION);
	enc_bin(out, e->opening);
	if (e->has_sig)
		enc_sig(out, &e->sig);
	else
		enc_nil(out);
	if (e->has_draw)
		enc_uint(out, e->draw_index);
	else
		enc_nil(out);
	enc_optional(out, e->has_draw ? e->header : (struct bytes){0});
	enc_optional(out, e->witness_proof);
}

enum err verify_evidence_decode(struct bytes in,
				struct verify_evidence *ret_evidence)
{
	struct dec d = dec_make(in);
	struct verify_evidence e = {0};

	if (in.n > EVIDENCE_BYTES_MAX)
		return ERR_LIMIT;
	dec_array_exact(&d, 6);
	if (dec_uint(&d, UINT32_MAX) != VERIFY_EVIDENCE_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	e.opening = dec_bin(&d, PROGRAM_OPENING_BYTES_MAX);
	e.has_sig = !dec_is_nil(&d);
	if (e.has_sig)
		e.sig = dec_sig(&d);
	else
		dec_nil(&d);
	e.has_draw = !dec_is_nil(&d);
	if (e.has_draw)
		e.draw_index = (uint32_t)dec_uint(&d, UINT16_MAX);
	else
		dec_nil(&d);
	e.header = dec_optional(&d, PROGRAM_HEADER_BYTES_MAX);
	e.witness_proof = dec_optional(&d, 1u << 16);
	if (e.has_draw != (e.header.n > 0) ||
	    e.witness_proof.n % HASH_BYTES != 0)
		dec_fail(&d, ERR_MALFORMED);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_evidence = e;
	return ERR_OK;
}

uint32_t verify_class_bit(const struct program_header *h)
{
	switch (h->class) {
	case PROGRAM_CLASS_A:
		return h->independence == PROGRAM_PROVED
			       ? MARKET_CLASS_A
			       : MARKET_CLASS_A_ASSUMED;
	case PROGRAM_CLASS_B:
		return MARKET_CLASS_B;
	case PROGRAM_CLASS_R:
		return MARKET_CLASS_R;
	case PROGRAM_CLASS_S:
		return MARKET_CLASS_S;
	case PROGRAM_CLASS_C:
	case PROGRAM_CLASS_D:
	case PROGRAM_CLASS_X:
		break;
	}
	return 0;
}

static enum program_class class_of(const struct market_lease *x)
{
	switch (x->work.class_bit) {
	case MARKET_CLASS_B:
		return PROGRAM_CLASS_B;
	case MARKET_CLASS_R:
		return PROGRAM_CLASS_R;
	case MARKET_CLASS_S:
		return PROGRAM_CLASS_S;
	}
	return PROGRAM_CLASS_A;
}

struct program_judge_request
verify_request(const struct market_lease *lease, uint64_t task_count,
	       const struct hash *seed, const struct pubkey *witness_of,
	       uint32_t sample_index, struct bytes opening)
{
	struct program_judge_request q = {
		.referee_version = lease->referee_version,
		.claim = verify_claim_of(lease, task_count),
		.seed = *seed,
		.class = class_of(lease),
		.cost_max = DISPUTE_COST_MAX,
		.count_max = lease->work.cta_ops_max,
		.want_witness = witness_of != NULL,
		.opening = opening,
	};

	if (witness_of)
		q.witness_seed = verify_witness_seed(seed, &lease->id,
						     witness_of, sample_index);
	return q;
}
