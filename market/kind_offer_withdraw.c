/*
 * offer.withdraw: out of the book for good; its leases go on.
 */
#include "base/must.h"
#include "market/priv/index.h"
#include "market/priv/kind.h"
#include "market/priv/store.h"

struct withdraw {
	struct hash id;
};

static void withdraw_decode(struct dec *d, struct withdraw *ret_x)
{
	dec_array_exact(d, 1);
	ret_x->id = dec_hash(d);
}

MARKET_KIND_DECODE(offer_withdraw, struct withdraw, withdraw_decode)

enum err market_apply_offer_withdraw(struct ledger *l, const void *body)
{
	const struct withdraw *x = body;
	struct market_offer o;
	struct market_provider p;
	struct ledger_key k;
	enum err e = market_offer_own(l, &x->id, &o, &p);

	if (e == ERR_OK)
		e = market_offer_unplace(l, &o);
	if (e != ERR_OK)
		return e;
	must(p.offers > 0);
	p.offers--;
	o.withdrawn = true;
	k = market_key_owned(MARKET_PREFIX_OWN_OFFER, &o.owner, &o.id);
	e = market_unmark(l, &k);
	if (e == ERR_OK)
		e = market_provider_save(l, &o.owner, &p);
	return e == ERR_OK ? market_offer_save(l, &o) : e;
}
