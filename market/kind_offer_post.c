/*
 * offer.post: a device enters the book.
 */
#include "market/priv/index.h"
#include "market/priv/kind.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(offer_post, struct market_offer_terms,
		   market_offer_terms_decode)

enum err market_apply_offer_post(struct ledger *l, const void *body)
{
	struct market_offer o = {0};
	struct market_provider p;
	struct ledger_key k;
	enum err e = market_provider_get(l, &l->sender, &p);

	if (e != ERR_OK)
		return e;
	o.terms = *(const struct market_offer_terms *)body;
	o.id = market_offer_id(&l->tx_id);
	o.owner = l->sender;
	o.posted_height = l->height;
	if (p.offers >= l->params->account_offers_max)
		return ledger_refuse(l, REASON_limit_reached);
	if (o.terms.until_height < l->height)
		return ledger_refuse(l, REASON_bad_value);
	p.offers++;
	p.bond_target = o.terms.bond_target;
	k = market_key_owned(MARKET_PREFIX_OWN_OFFER, &o.owner, &o.id);
	e = market_mark(l, &k);
	if (e == ERR_OK)
		e = market_provider_save(l, &o.owner, &p);
	if (e == ERR_OK)
		e = market_offer_place(l, &o, &p);
	if (e == ERR_OK)
		e = market_offer_save(l, &o);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "offer.posted", &o.id, &o.owner, NULL,
			   (struct bytes){NULL, 0});
}
