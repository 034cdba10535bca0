/*
 * Receipts as bytes.  Absent numbers are nil.
 */
#include "market/receipt.h"
#include "base/limits.h"
#include "market/priv/codec.h"

/* Every plain number of a receipt, in the order of the encoding. */
#define NUMBERS(X)               \
	X(power_limit_mw)        \
	X(ops_priced)            \
	X(ops_counted)           \
	X(queued_ms)             \
	X(fetch_ms)              \
	X(compile_ms)            \
	X(device_ms)             \
	X(wall_ms)               \
	X(in_bytes)              \
	X(out_bytes)             \
	X(opening_bytes)         \
	X(device_mj)             \
	X(device_samples)        \
	X(device_uncertainty_mj) \
	X(cpu_mj)                \
	X(lost_ops)              \
	X(lost_ms)               \
	X(g_per_kwh)
#define NUMBER_COUNT 18u

static void opt_encode(struct buf *b, uint64_t v)
{
	if (v == MARKET_ABSENT)
		enc_nil(b);
	else
		enc_uint(b, v);
}

static uint64_t opt_decode(struct dec *d)
{
	if (!dec_is_nil(d))
		return dec_uint(d, MARKET_ABSENT - 1);
	dec_nil(d);
	return MARKET_ABSENT;
}

void market_receipt_init(struct market_receipt *r)
{
	*r = (struct market_receipt){0};
#define X(name) r->name = MARKET_ABSENT;
	NUMBERS(X)
#undef X
}

void market_receipt_encode(struct buf *b, const struct market_receipt *r)
{
	enc_array(b, 16);
	enc_uint(b, MARKET_RECEIPT_VERSION);
	enc_hash(b, &r->lease);
	enc_hash(b, &r->job);
	enc_hash(b, &r->program_id);
	enc_uint(b, r->first);
	enc_uint(b, r->done);
	enc_hash(b, &r->result_root);
	enc_uint(b, r->device);
	enc_uint(b, r->sm);
	enc_str(b, bytes_of(r->device_name.b, r->device_name.n));
	enc_str(b, bytes_of(r->driver.b, r->driver.n));
	enc_uint(b, r->device_method);
	enc_uint(b, r->cpu_method);
	enc_str(b, bytes_of(r->grid_zone.b, r->grid_zone.n));
	enc_str(b, bytes_of(r->grid_source.b, r->grid_source.n));
	enc_array(b, NUMBER_COUNT);
#define X(name) opt_encode(b, r->name);
	NUMBERS(X)
#undef X
}

static void decode(struct dec *d, struct market_receipt *r)
{
	dec_array_exact(d, 16);
	if (dec_uint(d, UINT32_MAX) != MARKET_RECEIPT_VERSION)
		dec_fail(d, ERR_UNSUPPORTED);
	r->lease = dec_hash(d);
	r->job = dec_hash(d);
	r->program_id = dec_hash(d);
	r->first = market_dec_u32(d, JOB_TASKS_MAX - 1);
	r->done = market_dec_u32(d, JOB_TASKS_MAX);
	r->result_root = dec_hash(d);
	r->device = (enum market_device)market_dec_u32(d, MARKET_DEVICE_GPU);
	r->sm = market_dec_u32(d, UINT32_MAX);
	market_dec_text(d, r->device_name.b, &r->device_name.n,
			MARKET_TEXT_MAX);
	market_dec_text(d, r->driver.b, &r->driver.n, MARKET_TEXT_MAX);
	r->device_method = (enum market_energy_method)market_dec_u32(
		d, MARKET_ENERGY_ESTIMATED);
	r->cpu_method = (enum market_energy_method)market_dec_u32(
		d, MARKET_ENERGY_ESTIMATED);
	market_dec_text(d, r->grid_zone.b, &r->grid_zone.n, MARKET_REGION_MAX);
	market_dec_text(d, r->grid_source.b, &r->grid_source.n,
			MARKET_TEXT_MAX);
	dec_array_exact(d, NUMBER_COUNT);
#define X(name) r->name = opt_decode(d);
	NUMBERS(X)
#undef X
}

enum err market_receipt_decode(struct bytes in, struct market_receipt *ret_r)
{
	struct dec d = dec_make(in);

	*ret_r = (struct market_receipt){0};
	decode(&d, ret_r);
	return dec_end(&d);
}

void market_receipt_signed_encode(struct buf *b,
				  const struct market_receipt_signed *r)
{
	enc_array(b, 3);
	market_receipt_encode(b, &r->receipt);
	enc_pubkey(b, &r->provider_key);
	enc_sig(b, &r->provider_sig);
}

enum err market_receipt_signed_decode(struct bytes in,
				      struct market_receipt_signed *ret_r)
{
	struct dec d = dec_make(in);

	*ret_r = (struct market_receipt_signed){0};
	dec_array_exact(&d, 3);
	decode(&d, &ret_r->receipt);
	ret_r->provider_key = dec_pubkey(&d);
	ret_r->provider_sig = dec_sig(&d);
	return dec_end(&d);
}

enum err market_receipt_digest(const struct market_receipt *r,
			       struct hash *ret_digest)
{
	struct buf b = buf_make(MARKET_RECEIPT_BYTES_MAX);
	enum err e;

	market_receipt_encode(&b, r);
	e = b.err;
	if (e == ERR_OK)
		*ret_digest = sha256_tagged("weft/receipt", b.p, b.n);
	buf_free(&b);
	return e;
}

enum err market_receipt_verify(const struct market_receipt_signed *r)
{
	struct hash h;
	enum err e = market_receipt_digest(&r->receipt, &h);

	if (e != ERR_OK)
		return e;
	return sig_verify(&r->provider_key, hash_bytes(&h), &r->provider_sig);
}
