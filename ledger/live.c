/*
 * The seed of each live block is kept beside who moved it and with what power,
 * so that a sampling height is found by walking forward from what was stated,
 * without asking who the validators were then.
 */
#include <string.h>

#include "base/codec.h"
#include "base/must.h"
#include "ledger/apply.h"
#include "ledger/priv/state.h"
#include "ledger/rules.h"
#include "ledger/state.h"
#include "ledger/tx.h"

/* Live blocks that a sampling height may be away, then it is that one. */
#define SAMPLING_WALK_MAX 256u

struct seed_record {
	struct hash seed;
	struct pubkey proposer;
	uint64_t power;
	uint64_t total_power;
};

enum err ledger_live_get(struct ledger *l, struct ledger_live *ret)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_LIVE);
	struct ledger_live live;
	struct bytes value;
	struct dec d;
	enum err e = ledger_get(l, &k, &value);

	if (e == ERR_NOT_FOUND)
		return ERR_STORE; /* genesis writes it */
	if (e != ERR_OK)
		return e;
	d = dec_make(value);
	dec_array_exact(&d, 4);
	live.holds = dec_uint(&d, UINT64_MAX);
	live.count = dec_uint(&d, UINT64_MAX);
	live.height = dec_uint(&d, UINT64_MAX);
	live.seed = dec_hash(&d);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret = live;
	return ERR_OK;
}

enum err ledger_live_put(struct ledger *l, const struct ledger_live *live)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_LIVE);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_array(&b, 4);
	enc_uint(&b, live->holds);
	enc_uint(&b, live->count);
	enc_uint(&b, live->height);
	enc_hash(&b, &live->seed);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

enum err ledger_clock(struct ledger *l, uint64_t *ret_holds)
{
	struct ledger_live live;
	enum err e = ledger_live_get(l, &live);

	if (e == ERR_OK)
		*ret_holds = live.holds;
	return e;
}

enum err ledger_clock_hold(struct ledger *l)
{
	struct ledger_live live;
	enum err e = ledger_live_get(l, &live);

	if (e != ERR_OK)
		return e;
	live.holds++;
	return ledger_live_put(l, &live);
}

enum err ledger_clock_release(struct ledger *l)
{
	struct ledger_live live;
	enum err e = ledger_live_get(l, &live);

	if (e != ERR_OK)
		return e;
	must(live.holds > 0);
	live.holds--;
	return ledger_live_put(l, &live);
}

static struct ledger_key seed_key(uint64_t height)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_SEED);

	key_u64(&k, height);
	return k;
}

static enum err seed_decode(struct bytes value, struct seed_record *ret)
{
	struct dec d = dec_make(value);

	dec_array_exact(&d, 4);
	ret->seed = dec_hash(&d);
	ret->proposer = dec_pubkey(&d);
	ret->power = dec_uint(&d, UINT64_MAX);
	ret->total_power = dec_uint(&d, UINT64_MAX);
	return dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
}

/* Two old records go for each new one, so that the ring also shrinks. */
static enum err seed_forget(struct ledger *l)
{
	struct ledger_key prefix = ledger_key(LEDGER_PREFIX_SEED);
	struct ledger_key k;
	struct bytes value;
	enum err e = ERR_OK;

	for (int i = 0; i < 2 && e == ERR_OK; i++) {
		e = ledger_scan(l, &prefix, NULL, false, &k, &value);
		if (e != ERR_OK)
			break;
		if (u64_be(k.b + 1) + l->params->seed_keep_blocks >= l->height)
			return ERR_OK;
		e = ledger_del(l, &k);
	}
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

enum err ledger_seed_note(struct ledger *l, uint64_t power,
			  uint64_t total_power)
{
	struct ledger_key k = seed_key(l->height);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_array(&b, 4);
	enc_hash(&b, &l->seed);
	enc_pubkey(&b, &l->proposer);
	enc_uint(&b, power);
	enc_uint(&b, total_power);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e == ERR_OK ? seed_forget(l) : e;
}

enum err ledger_seed_at(struct ledger *l, uint64_t height,
			struct hash *ret_seed)
{
	struct ledger_key k = seed_key(height);
	struct seed_record r;
	struct bytes value;
	enum err e = ledger_get(l, &k, &value);

	if (e == ERR_OK)
		e = seed_decode(value, &r);
	if (e == ERR_OK)
		*ret_seed = r.seed;
	return e;
}

/* Proposers that have been counted, each once. */
struct quorum {
	struct pubkey who[SAMPLING_WALK_MAX + 1];
	uint32_t count;
	uint64_t power;
};

static void quorum_add(struct quorum *q, const struct seed_record *r)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (pubkey_eq(&q->who[i], &r->proposer))
			return;
	q->who[q->count++] = r->proposer;
	q->power += r->power;
}

enum err ledger_sampling(struct ledger *l, uint64_t stated_height,
			 uint64_t *ret_height, struct hash *ret_seed)
{
	struct ledger_key prefix = ledger_key(LEDGER_PREFIX_SEED);
	struct ledger_key k = seed_key(stated_height);
	struct seed_record stated = {0};
	struct seed_record r;
	struct quorum q = {.count = 0};
	struct bytes value;
	enum err e = ledger_get(l, &k, &value);

	if (e == ERR_OK)
		e = seed_decode(value, &stated);
	if (e != ERR_OK)
		return e;
	q.who[q.count++] = stated.proposer; /* counts for nothing */
	for (uint32_t i = 0; i < SAMPLING_WALK_MAX; i++) {
		uint64_t height;
		uint64_t others;

		e = ledger_scan(l, &prefix, &k, true, &k, &value);
		if (e == ERR_OK)
			e = seed_decode(value, &r);
		if (e != ERR_OK)
			return e;
		quorum_add(&q, &r);
		height = u64_be(k.b + 1);
		others = stated.total_power - stated.power;
		if (height - stated_height < l->params->sampling_delay_blocks)
			continue;
		if (others == 0 || q.power > others / 3 ||
		    i == SAMPLING_WALK_MAX - 1) {
			*ret_height = height;
			*ret_seed = r.seed;
			return ERR_OK;
		}
	}
	return ERR_NOT_FOUND;
}

static struct ledger_key hash_key(uint64_t slot)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_HASH);

	key_u64(&k, slot);
	return k;
}

enum err ledger_block_note(struct ledger *l, uint64_t live_count,
			   const struct hash *block_id)
{
	struct ledger_key k =
		hash_key(live_count % l->params->credit_stamp_blocks);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_hash(&b, block_id);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

enum err ledger_block_noted(struct ledger *l, const struct hash *block_id,
			    bool *ret_there)
{
	*ret_there = false;
	for (uint64_t i = 0; i < l->params->credit_stamp_blocks; i++) {
		struct ledger_key k = hash_key(i);
		struct bytes value;
		struct dec d;
		struct hash h;
		enum err e = ledger_get(l, &k, &value);

		if (e == ERR_NOT_FOUND)
			continue; /* a young chain */
		if (e != ERR_OK)
			return e;
		d = dec_make(value);
		h = dec_hash(&d);
		if (dec_end(&d) != ERR_OK)
			return ERR_STORE;
		if (hash_eq(&h, block_id)) {
			*ret_there = true;
			return ERR_OK;
		}
	}
	return ERR_OK;
}

struct bytes ledger_beacon_alpha(struct bytes chain_id, uint64_t height,
				 const struct hash *seed,
				 uint8_t out[LEDGER_BEACON_ALPHA_BYTES_MAX])
{
	static const char word[] = "weft-beacon";
	size_t n = sizeof(word) - 1;

	must(chain_id.n <= LEDGER_CHAIN_ID_BYTES);
	memcpy(out, word, n);
	memcpy(out + n, chain_id.p, chain_id.n);
	n += chain_id.n;
	put_u64_be(out + n, height);
	memcpy(out + n + 8, seed->b, 32);
	return bytes_of(out, n + 40);
}

void ledger_beacon_encode(struct bytes chain_id, uint64_t height,
			  const struct pubkey *proposer,
			  const struct vrf_proof *pi, struct buf *out)
{
	struct buf body = buf_make(256);
	struct ledger_tx tx = {
		.chain_id = chain_id,
		.kind = LEDGER_KIND_BEACON,
		.sender = *proposer,
		.expiry_height = height,
	};

	enc_array(&body, 1);
	enc_bin(&body, bytes_of(pi->b, sizeof(pi->b)));
	tx.body = buf_bytes(&body);
	if (body.err == ERR_OK)
		ledger_tx_encode(&tx, out);
	else
		out->err = body.err;
	buf_free(&body);
}

struct hash ledger_stamp_hash(struct bytes chain_id,
			      const struct hash *block_id,
			      const struct pubkey *account, uint64_t nonce)
{
	struct sha256 s;

	/* Fixed widths after the chain's name, whose length is in front. */
	sha256_init_tag(&s, "weft/stamp");
	sha256_put_u32_be(&s, (uint32_t)chain_id.n);
	sha256_put(&s, chain_id.p, chain_id.n);
	sha256_put(&s, block_id->b, sizeof(block_id->b));
	sha256_put(&s, account->b, sizeof(account->b));
	sha256_put_u64_be(&s, nonce);
	return sha256_end(&s);
}

bool ledger_stamp_ok(const struct hash *h, uint64_t bits)
{
	for (uint64_t i = 0; i < bits; i++)
		if (h->b[i / 8] >> (7 - i % 8) & 1)
			return false;
	return true;
}
