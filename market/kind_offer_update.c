/*
 * offer.update: other terms from here on; leases that run keep theirs.
 */
#include "market/priv/index.h"
#include "market/priv/kind.h"
#include "market/priv/store.h"

struct update {
	struct hash id;
	struct market_offer_terms terms;
};

static void update_decode(struct dec *d, struct update *ret_x)
{
	dec_array_exact(d, 2);
	ret_x->id = dec_hash(d);
	market_offer_terms_decode(d, &ret_x->terms);
}

MARKET_KIND_DECODE(offer_update, struct update, update_decode)

enum err market_apply_offer_update(struct ledger *l, const void *body)
{
	const struct update *x = body;
	struct market_offer o;
	struct market_provider p;
	enum err e = market_offer_own(l, &x->id, &o, &p);

	if (e == ERR_OK)
		e = market_offer_unplace(l, &o);
	if (e != ERR_OK)
		return e;
	o.terms = x->terms;
	o.posted_height = l->height;
	p.bond_target = o.terms.bond_target;
	e = market_provider_save(l, &o.owner, &p);
	if (e == ERR_OK)
		e = market_offer_place(l, &o, &p);
	return e == ERR_OK ? market_offer_save(l, &o) : e;
}
