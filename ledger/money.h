/*
 * ledger/money - balances, locks, pools, and the only ways between them.
 *
 *   balances + locks + pools + burnt = issued, at every height
 *
 * Every function moves a whole amount or nothing and writes one line of
 * history for each account it touches.  Zero amounts are allowed and do
 * nothing.  All return ERR_OK, ERR_REFUSED (insufficient_funds, or overflow),
 * ERR_STORE, ERR_NO_MEMORY.
 */
#ifndef WEFT_LEDGER_MONEY_H
#define WEFT_LEDGER_MONEY_H

#include <stdint.h>

#include "base/attr.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"
#include "ledger/state.h"

/* What a lock is for.  On disk: append, never renumber. */
/* clang-format off */
#define LEDGER_PURPOSES(X)                                                     \
	X(escrow,   1) /* a job's; object: the job */                          \
	X(bond,     2) /* a provider's, withheld from pay; object: zero */     \
	X(verifier, 3) /* a verifier's; object: zero */                        \
	X(deposit,  4) /* of an accuser or a demand; object: what it is on */  \
	X(stake,    5) /* a validator's; object: zero */                       \
	X(leaving,  6) /* bonds on their way back; object: which */            \
	X(fee,      7) /* a check fee held for a lease; object: the lease */

/* Why money moved: one word in history, receipts and RPC.  Append only. */
#define LEDGER_WHYS(X)                                                         \
	X(genesis,   1) X(transfer,  2) X(tx_fee,    3) X(owed_fee, 4)         \
	X(proposer,  5) X(lock,      6) X(release,   7) X(lease_pay, 8)        \
	X(check_fee, 9) X(audit_pay, 10) X(refund,   11) X(penalty,  12)       \
	X(withheld,  13) X(bond_back, 14) X(posting, 15) X(idle_fee, 16)       \
	X(deposit,   17) X(reward,   18) X(answer,   19) X(burn,     20)       \
	X(costs,     21) X(top_up,   22)
/* clang-format on */

enum ledger_purpose {
#define X(word, number) LEDGER_PURPOSE_##word = number,
	LEDGER_PURPOSES(X)
#undef X
};

enum ledger_why {
#define X(word, number) LEDGER_WHY_##word = number,
	LEDGER_WHYS(X)
#undef X
};

/* The word; NULL for a number that is not in the list. */
const char *ledger_purpose_word(enum ledger_purpose p);
const char *ledger_why_word(enum ledger_why w);

/* Pools: money of nobody.  On disk: append only. */
enum ledger_pool {
	LEDGER_POOL_AUDIT = 1, /* check fees in, auditors' pay out */
};

/* Names one lock. */
struct ledger_lock_id {
	struct pubkey owner; /* whose money it is */
	enum ledger_purpose purpose;
	struct hash object; /* job, lease, ... */
};

struct ledger_lock {
	struct coin amount;
	uint64_t end_height; /* when its owner may expect it back; a note
			      * for people, no rule of the ledger's */
};

/* Why and about what, for the history. */
struct ledger_note {
	enum ledger_why why;
	struct hash ref; /* lease, job, transaction; zero: none */
};

MUST_USE enum err ledger_balance(struct ledger *l, const struct pubkey *account,
				 struct coin *ret_balance);

/* The lock; amount zero if there is none. */
MUST_USE enum err ledger_lock_get(struct ledger *l,
				  const struct ledger_lock_id *id,
				  struct ledger_lock *ret_lock);

/*
 * Balance to balance.  Fees that the receiver owes are taken first from what
 * it gets, here and wherever an account is paid.
 */
MUST_USE enum err ledger_pay(struct ledger *l, const struct pubkey *from,
			     const struct pubkey *to, struct coin amount,
			     struct ledger_note note);

/* Owner's balance to lock; adds to it, end_height replaces the old one. */
MUST_USE enum err ledger_lock(struct ledger *l, const struct ledger_lock_id *id,
			      struct coin amount, uint64_t end_height,
			      struct ledger_note note);

/* Lock to its owner's balance. */
MUST_USE enum err ledger_release(struct ledger *l,
				 const struct ledger_lock_id *id,
				 struct coin amount, struct ledger_note note);

/* Lock to somebody's balance: the payout account of to, if it has one. */
MUST_USE enum err ledger_lock_pay(struct ledger *l,
				  const struct ledger_lock_id *id,
				  const struct pubkey *to, struct coin amount,
				  struct ledger_note note);

/* Lock to lock, also of another owner (pay that is withheld as a bond). */
MUST_USE enum err ledger_lock_move(struct ledger *l,
				   const struct ledger_lock_id *from,
				   const struct ledger_lock_id *to,
				   struct coin amount, uint64_t end_height,
				   struct ledger_note note);

MUST_USE enum err ledger_lock_burn(struct ledger *l,
				   const struct ledger_lock_id *id,
				   struct coin amount, struct ledger_note note);

MUST_USE enum err ledger_lock_pool(struct ledger *l,
				   const struct ledger_lock_id *id,
				   enum ledger_pool pool, struct coin amount,
				   struct ledger_note note);

/* Balance to pool, pool to balance (payout account), balance to nothing. */
MUST_USE enum err ledger_pool_add(struct ledger *l, const struct pubkey *from,
				  enum ledger_pool pool, struct coin amount,
				  struct ledger_note note);
MUST_USE enum err ledger_pool_pay(struct ledger *l, enum ledger_pool pool,
				  const struct pubkey *to, struct coin amount,
				  struct ledger_note note);
MUST_USE enum err ledger_pool_get(struct ledger *l, enum ledger_pool pool,
				  struct coin *ret_amount);
MUST_USE enum err ledger_burn(struct ledger *l, const struct pubkey *from,
			      struct coin amount, struct ledger_note note);

/* Issued at genesis, burnt since. */
MUST_USE enum err ledger_totals(struct ledger *l, struct coin *ret_issued,
				struct coin *ret_burnt);

#endif /* WEFT_LEDGER_MONEY_H */
