/*
 * Where records lie.  One key, one record; indexes beside them.
 */
#include "market/priv/store.h"
#include "market/priv/codec.h"

#define RECORD_BYTES_MAX 8192u

struct ledger_key market_key_object(uint8_t prefix, const struct hash *id)
{
	struct ledger_key k = ledger_key(prefix);

	key_hash(&k, id);
	return k;
}

struct ledger_key market_key_account(uint8_t prefix,
				     const struct pubkey *account)
{
	struct ledger_key k = ledger_key(prefix);

	key_pubkey(&k, account);
	return k;
}

struct ledger_key market_key_pair(uint8_t prefix, const struct hash *a,
				  const struct hash *b)
{
	struct ledger_key k = market_key_object(prefix, a);

	key_hash(&k, b);
	return k;
}

struct ledger_key market_key_owned(uint8_t prefix, const struct pubkey *account,
				   const struct hash *id)
{
	struct ledger_key k = market_key_account(prefix, account);

	key_hash(&k, id);
	return k;
}

struct hash market_key_tail(const struct ledger_key *key)
{
	struct hash h = HASH_ZERO;
	size_t i;

	for (i = 0; i < HASH_BYTES && key->n >= HASH_BYTES; i++)
		h.b[i] = key->b[key->n - HASH_BYTES + i];
	return h;
}

struct ledger_lock_id market_bond_lock(const struct pubkey *account)
{
	return (struct ledger_lock_id){*account, LEDGER_PURPOSE_bond,
				       HASH_ZERO};
}

struct ledger_lock_id market_escrow_lock(const struct market_job *j)
{
	return (struct ledger_lock_id){j->buyer, LEDGER_PURPOSE_escrow, j->id};
}

enum err market_mark(struct ledger *l, const struct ledger_key *key)
{
	static const uint8_t nil[1] = {0xc0};

	return ledger_put(l, key, bytes_of(nil, 1));
}

enum err market_unmark(struct ledger *l, const struct ledger_key *key)
{
	enum err e = ledger_del(l, key);

	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

static enum err put(struct ledger *l, const struct ledger_key *key,
		    struct buf *b)
{
	enum err e = ledger_put_buf(l, key, b);

	buf_free(b);
	return e;
}

/* A record in our own state that does not decode is a broken store. */
static enum err stored(enum err e)
{
	return e == ERR_OK ? ERR_OK : ERR_STORE;
}

enum err market_job_get(struct ledger *l, const struct hash *id,
			struct market_job *ret_job)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_JOB, id);
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	return e == ERR_OK ? stored(market_job_decode(v, ret_job)) : e;
}

enum err market_job_save(struct ledger *l, const struct market_job *j)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_JOB, &j->id);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_job_encode(&b, j);
	return put(l, &k, &b);
}

enum err market_offer_get(struct ledger *l, const struct hash *id,
			  struct market_offer *ret_offer)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_OFFER, id);
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	return e == ERR_OK ? stored(market_offer_decode(v, ret_offer)) : e;
}

enum err market_offer_save(struct ledger *l, const struct market_offer *o)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_OFFER, &o->id);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_offer_encode(&b, o);
	return put(l, &k, &b);
}

enum err market_lease_get(struct ledger *l, const struct hash *id,
			  struct market_lease *ret_lease)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_LEASE, id);
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	return e == ERR_OK ? stored(market_lease_decode(v, ret_lease)) : e;
}

enum err market_lease_save(struct ledger *l, const struct market_lease *x)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_LEASE, &x->id);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_lease_encode(&b, x);
	return put(l, &k, &b);
}

enum err market_provider_get(struct ledger *l, const struct pubkey *account,
			     struct market_provider *ret_provider)
{
	struct ledger_key k =
		market_key_account(MARKET_PREFIX_PROVIDER, account);
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	*ret_provider = (struct market_provider){0};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	return e == ERR_OK ? stored(market_provider_decode(v, ret_provider))
			   : e;
}

enum err market_provider_save(struct ledger *l, const struct pubkey *account,
			      const struct market_provider *p)
{
	struct ledger_key k =
		market_key_account(MARKET_PREFIX_PROVIDER, account);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_provider_encode(&b, p);
	return put(l, &k, &b);
}

static struct ledger_key device_key(const struct pubkey *account,
				    uint32_t device_index)
{
	struct ledger_key k = market_key_account(MARKET_PREFIX_DEVICE, account);

	key_u32(&k, device_index);
	return k;
}

enum err market_device_get(struct ledger *l, const struct pubkey *account,
			   uint32_t device_index,
			   struct market_device_record *ret_device)
{
	struct ledger_key k = device_key(account, device_index);
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	*ret_device = (struct market_device_record){0};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	return e == ERR_OK ? stored(market_device_decode(v, ret_device)) : e;
}

enum err market_device_save(struct ledger *l, const struct pubkey *account,
			    uint32_t device_index,
			    const struct market_device_record *d)
{
	struct ledger_key k = device_key(account, device_index);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_device_encode(&b, d);
	return put(l, &k, &b);
}

enum err market_buyer_get(struct ledger *l, const struct pubkey *account,
			  struct market_buyer *ret_buyer)
{
	struct ledger_key k = market_key_account(MARKET_PREFIX_BUYER, account);
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	*ret_buyer = (struct market_buyer){0};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	return e == ERR_OK ? stored(market_buyer_decode(v, ret_buyer)) : e;
}

enum err market_buyer_save(struct ledger *l, const struct pubkey *account,
			   const struct market_buyer *y)
{
	struct ledger_key k = market_key_account(MARKET_PREFIX_BUYER, account);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_buyer_encode(&b, y);
	return put(l, &k, &b);
}

enum err market_prices_load(struct ledger *l, struct market_prices *ret_p)
{
	struct ledger_key k = ledger_key(MARKET_PREFIX_PRICES);
	struct dec d;
	struct bytes v;
	enum err e = ledger_get(l, &k, &v);

	*ret_p = (struct market_prices){0};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	d = dec_make(v);
	market_prices_decode(&d, ret_p);
	return stored(dec_end(&d));
}

enum err market_prices_save(struct ledger *l, const struct market_prices *p)
{
	struct ledger_key k = ledger_key(MARKET_PREFIX_PRICES);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	market_prices_encode(&b, p);
	return put(l, &k, &b);
}

/* The id of the next index record behind after, under prefix. */
static enum err next_id(struct ledger *l, const struct ledger_key *prefix,
			const struct hash *after, struct hash *ret_id)
{
	struct ledger_key from = *prefix, key;
	struct bytes v;
	enum err e;

	if (after != NULL)
		key_hash(&from, after);
	e = ledger_scan(l, prefix, after != NULL ? &from : NULL, after != NULL,
			&key, &v);
	if (e == ERR_OK)
		*ret_id = market_key_tail(&key);
	return e;
}

enum err market_offer_next(struct ledger *l, const struct pubkey *owner,
			   const struct hash *after,
			   struct market_offer *ret_offer)
{
	struct ledger_key p =
		market_key_account(MARKET_PREFIX_OWN_OFFER, owner);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_offer_get(l, &id, ret_offer) : e;
}

enum err market_offer_next_any(struct ledger *l, const struct hash *after,
			       struct market_offer *ret_offer)
{
	struct ledger_key p = ledger_key(MARKET_PREFIX_OFFER);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_offer_get(l, &id, ret_offer) : e;
}

enum err market_job_next(struct ledger *l, const struct pubkey *buyer,
			 const struct hash *after, struct market_job *ret_job)
{
	struct ledger_key p =
		market_key_account(MARKET_PREFIX_BUYER_JOB, buyer);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_job_get(l, &id, ret_job) : e;
}

enum err market_job_next_any(struct ledger *l, const struct hash *after,
			     struct market_job *ret_job)
{
	struct ledger_key p = ledger_key(MARKET_PREFIX_JOB);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_job_get(l, &id, ret_job) : e;
}

enum err market_lease_next_live(struct ledger *l, const struct pubkey *provider,
				const struct hash *after,
				struct market_lease *ret_lease)
{
	struct ledger_key p = market_key_account(MARKET_PREFIX_LIVE, provider);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_lease_get(l, &id, ret_lease) : e;
}

enum err market_lease_next_live_of_job(struct ledger *l, const struct hash *job,
				       const struct hash *after,
				       struct market_lease *ret_lease)
{
	struct ledger_key p = market_key_object(MARKET_PREFIX_JOB_LIVE, job);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_lease_get(l, &id, ret_lease) : e;
}

enum err market_lease_next_of_job(struct ledger *l, const struct hash *job,
				  const struct hash *after,
				  struct market_lease *ret_lease)
{
	struct ledger_key p = market_key_object(MARKET_PREFIX_JOB_LEASE, job);
	struct hash id;
	enum err e = next_id(l, &p, after, &id);

	return e == ERR_OK ? market_lease_get(l, &id, ret_lease) : e;
}
