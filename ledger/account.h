/*
 * ledger/account - accounts, nodes and validators, read.
 */
#ifndef WEFT_LEDGER_ACCOUNT_H
#define WEFT_LEDGER_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"
#include "base/vrf.h"
#include "ledger/money.h"
#include "ledger/state.h"

#define LEDGER_RIG_KEYS_MAX 16u

struct ledger_account {
	struct coin balance;
	struct coin owed;      /* fees sent on credit */
	uint32_t unpaid_count; /* transactions they are for */
	bool has_credit;       /* opened with a stamp */
	bool has_payout;
	struct pubkey payout; /* pay goes there, if has_payout */
	uint32_t rig_key_count;
	struct pubkey rig_keys[LEDGER_RIG_KEYS_MAX];
};

/* All zero for an account that nobody has paid yet.  ERR_OK, ERR_STORE. */
MUST_USE enum err ledger_account_get(struct ledger *l,
				     const struct pubkey *account,
				     struct ledger_account *ret_account);

/* The next sequence of a lane.  ERR_OK, ERR_STORE. */
MUST_USE enum err ledger_account_seq(struct ledger *l,
				     const struct pubkey *account, uint8_t lane,
				     uint64_t *ret_seq);

/* May key sign for account with a kind that rig keys may send? */
MUST_USE enum err ledger_account_has_key(struct ledger *l,
					 const struct pubkey *account,
					 const struct pubkey *key,
					 bool *ret_may);

/*
 * The locks of an account in key order: pass an id with zero purpose first,
 * then the last one seen.
 * Returns ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err ledger_account_lock_next(struct ledger *l,
					   const struct ledger_lock_id *after,
					   struct ledger_lock_id *ret_id,
					   struct ledger_lock *ret_lock);

/* One line of an account's history: how one movement changed it. */
struct ledger_line {
	uint64_t height;
	uint32_t index; /* within the block, ascending */
	enum ledger_why why;
	bool is_in;   /* amount came in, else went out */
	bool is_lock; /* of a lock; the balance did not move */
	struct coin amount;
	struct coin balance; /* after it */
	struct hash ref;     /* lease, job, transaction; zero: none */
	bool has_other;
	struct pubkey other; /* the other account, if has_other */
};

/*
 * Lines before (height, index), newest first; (UINT64_MAX, UINT32_MAX) starts
 * at the newest.  Only if the chain keeps history.
 * Returns ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err ledger_account_line_before(struct ledger *l,
					     const struct pubkey *account,
					     uint64_t height, uint32_t index,
					     struct ledger_line *ret_line);

/* What an account says about its node.  Borrows from l->scratch. */
#define LEDGER_ENDPOINTS_MAX	  8u
#define LEDGER_ENDPOINT_BYTES_MAX 128u
struct ledger_node {
	uint32_t endpoint_count;
	struct bytes endpoints[LEDGER_ENDPOINTS_MAX]; /* "host:port" */
	bool has_cert;
	struct hash cert; /* SHA-256 of its TLS certificate */
	bool has_box;
	uint8_t box32[32]; /* X25519 key for sealed boxes */
	bool has_operator;
	struct pubkey operator_account; /* countersigned */
	uint64_t height;		/* of the announcement */
};

/* ERR_OK, ERR_NOT_FOUND, ERR_STORE. */
MUST_USE enum err ledger_node_get(struct ledger *l,
				  const struct pubkey *account,
				  struct ledger_node *ret_node);

/* The operator of an account: named in its announcement, else itself. */
MUST_USE enum err ledger_operator(struct ledger *l,
				  const struct pubkey *account,
				  struct pubkey *ret_operator);

/* What an operator signs to be named by account's announcement. */
struct hash ledger_operator_digest(struct bytes chain_id,
				   const struct pubkey *account);

/* The next announced node after an account (NULL: first), in key order. */
MUST_USE enum err ledger_node_next(struct ledger *l, const struct pubkey *after,
				   struct pubkey *ret_account,
				   struct ledger_node *ret_node);

#define LEDGER_VALIDATORS_MAX 256u
struct ledger_validator {
	uint8_t key32[32]; /* ed25519, the engine's */
	struct vrf_public vrf;
	struct pubkey account; /* earns fees, signs solo's blocks */
	uint64_t power;
};

/* After key32 (NULL: first), in key order.  ERR_OK, ERR_NOT_FOUND,
 * ERR_STORE. */
MUST_USE enum err ledger_validator_next(struct ledger *l,
					const uint8_t *after_key32,
					struct ledger_validator *ret_validator);

/* By its account: O(validators).  ERR_OK, ERR_NOT_FOUND, ERR_STORE. */
MUST_USE enum err ledger_validator_of(struct ledger *l,
				      const struct pubkey *account,
				      struct ledger_validator *ret_validator);

#endif /* WEFT_LEDGER_ACCOUNT_H */
