/*
 * market/priv/kind - what the files of the kinds share.
 */
#ifndef WEFT_MARKET_PRIV_KIND_H
#define WEFT_MARKET_PRIV_KIND_H

#include "base/arena.h"
#include "ledger/rules.h"
#include "market/kinds.h"
#include "market/priv/codec.h"
#include "market/priv/flow.h"

/*
 * The decode of a kind whose body is a struct type, read by decoder(dec, x).
 */
#define MARKET_KIND_DECODE(name, type, decoder)                           \
	enum err market_decode_##name(struct arena *a, struct bytes body, \
				      void **ret_body,                    \
				      enum reason *reterr_why)            \
	{                                                                 \
		struct dec d = dec_make(body);                            \
		type *x = ARENA_NEW(a, type);                             \
                                                                          \
		if (x == NULL)                                            \
			return ERR_NO_MEMORY;                             \
		decoder(&d, x);                                           \
		*ret_body = x;                                            \
		return market_dec_done(&d, reterr_why);                   \
	}

/* name of the functions, number, name on the wire, rig key, credit */
/* clang-format off */
#define MARKET_KINDS(X)                                                        \
	X(job_post,       MARKET_KIND_JOB_POST,       "job.post",       0, 0)  \
	X(job_top_up,     MARKET_KIND_JOB_TOP_UP,     "job.top_up",     0, 0)  \
	X(job_extend,     MARKET_KIND_JOB_EXTEND,     "job.extend",     0, 0)  \
	X(job_redeclare,  MARKET_KIND_JOB_REDECLARE,  "job.redeclare",  0, 0)  \
	X(job_cancel,     MARKET_KIND_JOB_CANCEL,     "job.cancel",     0, 0)  \
	X(offer_post,     MARKET_KIND_OFFER_POST,     "offer.post",     1, 1)  \
	X(offer_update,   MARKET_KIND_OFFER_UPDATE,   "offer.update",   1, 0)  \
	X(offer_withdraw, MARKET_KIND_OFFER_WITHDRAW, "offer.withdraw", 1, 0)  \
	X(lease_accept,   MARKET_KIND_LEASE_ACCEPT,   "lease.accept",   1, 1)  \
	X(lease_decline,  MARKET_KIND_LEASE_DECLINE,  "lease.decline",  1, 1)  \
	X(lease_commit,   MARKET_KIND_LEASE_COMMIT,   "lease.commit",   1, 1)  \
	X(lease_fail,     MARKET_KIND_LEASE_FAIL,     "lease.fail",     1, 1)  \
	X(lease_retract,  MARKET_KIND_LEASE_RETRACT,  "lease.retract",  1, 1)  \
	X(lease_extend,   MARKET_KIND_LEASE_EXTEND,   "lease.extend",   1, 1)
/* clang-format on */

#define X(name, number, word, rig, credit)                                \
	enum err market_decode_##name(struct arena *a, struct bytes body, \
				      void **ret_body,                    \
				      enum reason *reterr_why);           \
	enum err market_apply_##name(struct ledger *l, const void *body);
MARKET_KINDS(X)
#undef X

/* The lease and all with it, for its provider only, inside its window. */
MUST_USE enum err market_deal_own(struct ledger *l, const struct hash *id,
				  struct market_deal *ret_deal);

/* Step, and the work of committing results (lease.commit, lease.fail). */
MUST_USE enum err market_commit(struct ledger *l, struct market_deal *d,
				const struct market_result *r);

/* The sender's own job, not ended, not past its deadline. */
MUST_USE enum err market_job_own(struct ledger *l, const struct hash *id,
				 struct market_job *ret_job);

/* The sender's own offer, not withdrawn, and the sender's record. */
MUST_USE enum err market_offer_own(struct ledger *l, const struct hash *id,
				   struct market_offer *ret_offer,
				   struct market_provider *ret_provider);

/* Work that can be sold with the audits there are. */
MUST_USE enum err market_work_check(struct ledger *l,
				    const struct market_work *w);

#endif /* WEFT_MARKET_PRIV_KIND_H */
