/*
 * Offers as bytes, and what can be read off their terms.
 */
#include "market/offer.h"
#include "base/limits.h"
#include "ledger/state.h"
#include "market/priv/codec.h"
#include "market/priv/store.h"

const char *market_class_word(uint32_t class_bit)
{
	static const char *const words[MARKET_CLASS_COUNT] = {"A", "A_assumed",
							      "B", "R", "S"};

	for (uint32_t i = 0; i < MARKET_CLASS_COUNT; i++)
		if (class_bit == 1u << i)
			return words[i];
	return NULL;
}

/* Compute capabilities that have a bucket of their own in the indexes.  A
 * card between two of them offers the lower one. */
static const uint32_t sms[] = {75,  80,	 86,  87,  88,	89, 90,
			       100, 101, 103, 110, 120, 121};

uint32_t market_sm_bucket_count(void)
{
	return (uint32_t)(sizeof(sms) / sizeof(sms[0]));
}

uint32_t market_sm_bucket(uint32_t index)
{
	return sms[index];
}

bool market_sm_known(uint32_t sm)
{
	uint32_t i;

	for (i = 0; i < market_sm_bucket_count(); i++) {
		if (sms[i] == sm)
			return true;
	}
	return false;
}

bool market_sm_served(uint32_t sm)
{
	return sm <= sms[market_sm_bucket_count() - 1];
}

void market_offer_terms_encode(struct buf *b,
			       const struct market_offer_terms *t)
{
	uint32_t i;

	enc_array(b, 16);
	enc_uint(b, t->device);
	enc_uint(b, t->sm);
	enc_uint(b, t->memory_bytes);
	enc_str(b, bytes_of(t->name.b, t->name.n));
	enc_uint(b, t->device_index);
	enc_coin(b, t->gop_price);
	enc_coin(b, t->value_min);
	enc_uint(b, t->rate);
	enc_uint(b, t->slots);
	enc_uint(b, t->classes);
	enc_uint(b, t->seconds_max);
	enc_str(b, bytes_of(t->region.b, t->region.n));
	enc_uint(b, t->watts);
	enc_array(b, t->energy_count);
	for (i = 0; i < t->energy_count; i++) {
		enc_array(b, 2);
		enc_uint(b, t->energy[i].price_milli);
		enc_uint(b, t->energy[i].g_per_kwh);
	}
	enc_uint(b, t->until_height);
	enc_coin(b, t->bond_target);
}

void market_offer_terms_decode(struct dec *d,
			       struct market_offer_terms *ret_terms)
{
	struct market_offer_terms *t = ret_terms;
	uint32_t i;

	dec_array_exact(d, 16);
	t->device = (enum market_device)market_dec_u32(d, MARKET_DEVICE_GPU);
	t->sm = market_dec_u32(d, UINT32_MAX);
	t->memory_bytes = dec_uint(d, UINT64_MAX);
	market_dec_text(d, t->name.b, &t->name.n, MARKET_NAME_MAX);
	t->device_index = market_dec_u32(d, MARKET_DEVICE_MAX - 1);
	t->gop_price = market_dec_coin(d);
	t->value_min = market_dec_coin(d);
	t->rate = market_dec_range(d, 1, MARKET_RATE_MAX);
	t->slots = market_dec_u32(d, MARKET_SLOTS_MAX);
	t->classes = (uint32_t)market_dec_range(d, 1, MARKET_CLASS_ALL);
	t->seconds_max = market_dec_u32(d, UINT32_MAX);
	market_dec_text(d, t->region.b, &t->region.n, MARKET_REGION_MAX);
	t->watts = market_dec_u32(d, 1000000);
	t->energy_count = dec_array(d, MARKET_ENERGY_MAX);
	for (i = 0; i < t->energy_count && d->err == ERR_OK; i++) {
		dec_array_exact(d, 2);
		t->energy[i].price_milli = market_dec_u32(d, UINT32_MAX);
		t->energy[i].g_per_kwh = market_dec_u32(d, 1000000);
	}
	t->until_height = dec_uint(d, UINT64_MAX);
	t->bond_target = market_dec_coin(d);
	if (d->err != ERR_OK)
		return;
	if (coin_is_zero(t->gop_price))
		dec_fail(d, ERR_LIMIT);
	if (t->device == MARKET_DEVICE_CPU ? t->sm != 0
					   : !market_sm_known(t->sm))
		dec_fail(d, ERR_LIMIT);
}

void market_offer_update_encode(struct buf *b, const struct hash *id,
				const struct market_offer_terms *t)
{
	enc_array(b, 2);
	enc_hash(b, id);
	market_offer_terms_encode(b, t);
}

void market_offer_withdraw_encode(struct buf *b, const struct hash *id)
{
	enc_array(b, 1);
	enc_hash(b, id);
}

void market_offer_encode(struct buf *b, const struct market_offer *o)
{
	market_enc_head(b, 11);
	enc_hash(b, &o->id);
	enc_pubkey(b, &o->owner);
	market_offer_terms_encode(b, &o->terms);
	enc_uint(b, o->posted_height);
	enc_uint(b, o->closed_until);
	enc_uint(b, o->lapses);
	enc_uint(b, o->used_slots);
	enc_bool(b, o->withdrawn);
	enc_bool(b, o->indexed);
	enc_uint(b, o->index_record);
}

enum err market_offer_decode(struct bytes in, struct market_offer *ret_offer)
{
	struct dec d = dec_make(in);
	struct market_offer *o = ret_offer;

	*o = (struct market_offer){0};
	market_dec_head(&d, 11);
	o->id = dec_hash(&d);
	o->owner = dec_pubkey(&d);
	market_offer_terms_decode(&d, &o->terms);
	o->posted_height = dec_uint(&d, UINT64_MAX);
	o->closed_until = dec_uint(&d, UINT64_MAX);
	o->lapses = market_dec_u32(&d, UINT32_MAX);
	o->used_slots = market_dec_u32(&d, UINT32_MAX);
	o->withdrawn = dec_bool(&d);
	o->indexed = dec_bool(&d);
	o->index_record = market_dec_u32(&d, UINT32_MAX);
	return dec_end(&d);
}

struct hash market_offer_id(const struct hash *txid)
{
	return sha256_tagged("weft/offer", txid->b, HASH_BYTES);
}

bool market_offer_stands(const struct market_offer *o, uint64_t height)
{
	return !o->withdrawn && o->terms.slots > 0 &&
	       height <= o->terms.until_height && height >= o->closed_until;
}

uint64_t market_offer_ug_per_gop(const struct market_offer *o, uint64_t height,
				 uint64_t block_ms)
{
	const struct market_offer_terms *t = &o->terms;
	uint64_t ms, hour, uj, ug;

	if (t->watts == 0 || t->energy_count == 0 || height < o->posted_height)
		return UINT64_MAX;
	if (!u64_mul(height - o->posted_height, block_ms, &ms))
		return UINT64_MAX;
	hour = ms / 3600000;
	if (hour >= t->energy_count)
		return UINT64_MAX;
	/* microjoules of one Gop, then micrograms: a kWh is 3.6e12 uJ */
	if (!u64_muldiv_up((uint64_t)t->watts * 1000000, 1000000000, t->rate,
			   &uj) ||
	    !u64_muldiv_up(uj, (uint64_t)t->energy[hour].g_per_kwh * 1000000,
			   3600000000000, &ug))
		return UINT64_MAX;
	return ug;
}
