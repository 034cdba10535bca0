#include "gpu/program/receipt.h"

#include "base/codec.h"

static void enc_measure(struct buf *b, const struct program_measure *m)
{
	if (m->known)
		enc_uint(b, m->value);
	else
		enc_nil(b);
}

static struct program_measure dec_measure(struct dec *d)
{
	struct program_measure m = {0};

	if (dec_is_nil(d)) {
		dec_nil(d);
		return m;
	}
	m.known = true;
	m.value = dec_uint(d, UINT64_MAX);
	return m;
}

#define X(field) +1
enum { MEASURES = 0 PROGRAM_RECEIPT_LIST(X) };
#undef X

void program_receipt_encode(struct buf *out, const struct program_receipt *r)
{
	enc_array(out, 11 + MEASURES);
	enc_uint(out, PROGRAM_RECEIPT_VERSION);
	enc_hash(out, &r->lease);
	enc_hash(out, &r->job);
	enc_hash(out, &r->program_id);
	enc_uint(out, r->first_task);
	enc_uint(out, r->done_count);
	enc_str(out, r->device);
	enc_str(out, r->sm);
	enc_str(out, r->driver);
	enc_str(out, r->energy_method);
	enc_str(out, r->grid_source);
#define X(field) enc_measure(out, &r->field);
	PROGRAM_RECEIPT_LIST(X)
#undef X
}

enum err program_receipt_decode(struct bytes in,
				struct program_receipt *ret_receipt)
{
	struct dec d = dec_make(in);
	struct program_receipt r = {0};

	if (in.n > PROGRAM_RECEIPT_BYTES_MAX)
		return ERR_LIMIT;
	dec_array_exact(&d, 11 + MEASURES);
	if (dec_uint(&d, UINT32_MAX) != PROGRAM_RECEIPT_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	r.lease = dec_hash(&d);
	r.job = dec_hash(&d);
	r.program_id = dec_hash(&d);
	r.first_task = dec_uint(&d, UINT64_MAX);
	r.done_count = dec_uint(&d, UINT64_MAX);
	r.device = dec_str(&d, PROGRAM_RECEIPT_TEXT_MAX);
	r.sm = dec_str(&d, PROGRAM_RECEIPT_TEXT_MAX);
	r.driver = dec_str(&d, PROGRAM_RECEIPT_TEXT_MAX);
	r.energy_method = dec_str(&d, PROGRAM_RECEIPT_TEXT_MAX);
	r.grid_source = dec_str(&d, PROGRAM_RECEIPT_TEXT_MAX);
#define X(field) r.field = dec_measure(&d);
	PROGRAM_RECEIPT_LIST(X)
#undef X
	if (dec_end(&d))
		return dec_end(&d);
	*ret_receipt = r;
	return ERR_OK;
}

struct hash program_receipt_hash(struct bytes encoded_receipt)
{
	return sha256_tagged("weft/receipt", encoded_receipt.p,
			     encoded_receipt.n);
}
