/*
 * verify/audit - one audit of one lease, from the draw to its end.
 *
 *   draw -> PLEDGE -> REVEAL -> (PROVE) -> DONE
 *
 * The auditor pledges a hash once it has re-run the samples, then reveals.  A
 * silent one is drawn again, twice, then the lease ends unchecked.  A demand
 * or a dispute stops the auditor's windows until it is ruled.  After a
 * `valid` the lease is settled; the seed of the reveal may still order the
 * auditor to prove one sample.
 */
#ifndef WEFT_VERIFY_AUDIT_H
#define WEFT_VERIFY_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "gpu/program/judge.h"
#include "verify/kinds.h"

struct ledger;

#define VERIFY_AUDITORS_MAX 8u /* drawn one after another for a lease */

/* On disk: append, never renumber. */
enum verify_audit_state {
	VERIFY_AUDIT_PLEDGE = 0, /* waits for audit.pledge */
	VERIFY_AUDIT_REVEAL = 1, /* waits for audit.reveal */
	VERIFY_AUDIT_SEED = 2,	 /* valid; the reveal's seed decides */
	VERIFY_AUDIT_PROVE = 3,	 /* valid; waits for audit.prove */
	VERIFY_AUDIT_DONE = 4,
};

/* How it ended; on disk. */
enum verify_audit_end {
	VERIFY_END_NONE = 0, /* it has not */
	VERIFY_END_VALID = 1,
	VERIFY_END_FRAUD = 2,
	VERIFY_END_VOID = 3,
	VERIFY_END_UNAVAILABLE = 4,
	VERIFY_END_UNCHECKED = 5,
	VERIFY_END_CLOSED = 6, /* the lease ended otherwise */
};

struct verify_audit {
	struct hash lease;
	enum verify_audit_state state;
	enum verify_audit_end end;
	struct hash seed; /* that drew it */
	uint64_t draw_height;
	uint32_t sample_count;
	/* auditors drawn so far; the last one is on duty */
	uint32_t auditor_count;
	struct pubkey auditors[VERIFY_AUDITORS_MAX];
	struct coin reserved;	/* of the bond of the one on duty */
	uint64_t window_height; /* the last height of the state's window */
	uint64_t window_left;	/* blocks, while it stands still */
	uint32_t stops;		/* open demands and disputes: it stands still */
	uint32_t foreign_stops; /* disputes of others that stopped it */
	struct hash pledge;
	struct hash witness_root;
	uint64_t reveal_height;
	uint32_t prove_index; /* PROVE: the sample */
	struct coin paid;     /* to the auditor */
	struct coin missed;   /* taken from silent ones */
	uint64_t end_height;
};

/* ERR_OK, ERR_NOT_FOUND, ERR_STORE. */
MUST_USE enum err verify_audit_get(struct ledger *l, const struct hash *lease,
				   struct verify_audit *ret_audit);

/* The auditor on duty. */
const struct pubkey *verify_audit_auditor(const struct verify_audit *a);

/*
 * Audits that wait for this account: the first with a lease id above *after
 * (NULL: the first).  ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err verify_duty_next(struct ledger *l,
				   const struct pubkey *auditor,
				   const struct hash *after,
				   struct verify_audit *ret_audit);

/* A demand for openings on the chain, one per lease at a time. */
struct verify_demand {
	struct hash lease;
	struct pubkey provider;
	struct pubkey sender;
	bool by_auditor; /* draws; else the buyer's samples */
	uint32_t count;
	uint32_t draws[VERIFY_DEMAND_MAX];
	struct program_sample samples[VERIFY_DEMAND_MAX];
	uint64_t answered; /* bit i: place i is answered */
	uint64_t until_height;
	bool delayed;
	uint32_t open_cases; /* answers on their way */
	uint32_t buyer_used; /* samples the buyer has had */
	bool is_open;
	struct coin deposit;
};

MUST_USE enum err verify_demand_get(struct ledger *l, const struct hash *lease,
				    struct verify_demand *ret_demand);

/* Open demands that wait for this provider, as verify_duty_next. */
MUST_USE enum err verify_demand_next(struct ledger *l,
				     const struct pubkey *provider,
				     const struct hash *after,
				     struct verify_demand *ret_demand);

/* What a case is about; on disk. */
enum verify_case_kind {
	VERIFY_CASE_DISPUTE = 0,
	VERIFY_CASE_ANSWER = 1,
	VERIFY_CASE_PROVE = 2,
	VERIFY_CASE_CONFLICT = 3,
};

/* Evidence on its way, or ruled. */
struct verify_case {
	struct hash id; /* of the transaction that opened it */
	enum verify_case_kind kind;
	struct hash lease;
	struct pubkey sender;
	uint32_t place; /* ANSWER: in the demand; PROVE: the sample;
			 * DISPUTE: 1 if it stopped the audit */
	struct hash evidence_root;
	uint64_t evidence_bytes;
	uint32_t part_count;   /* arrived */
	uint64_t until_height; /* for the parts */
	bool is_ruled;
	enum program_verdict verdict;
	bool seed_drawn;
	struct program_sample sample;	    /* as the evidence had it */
	struct program_judge_answer answer; /* of the referee, if it ran */
	uint64_t ruled_height;
	/*
	 * Fraud in a launch whose CTAs are only assumed to be independent is
	 * held until this height, so that the provider can show a conflict; 0:
	 * not held.  cta is the one that was run, conflict the case about it,
	 * and of a conflict's case the one that is held; zero: none.
	 */
	uint64_t held_height;
	uint32_t draw_index;
	uint64_t cta;
	struct hash prior_root;
	struct hash conflict;
};

MUST_USE enum err verify_case_get(struct ledger *l, const struct hash *id,
				  struct verify_case *ret_case);

/* Cases of a lease, in the order of their ids, as verify_duty_next. */
MUST_USE enum err verify_case_next(struct ledger *l, const struct hash *lease,
				   const struct hash *after,
				   struct verify_case *ret_case);

/* Parts that evidence of so many bytes takes. */
uint32_t verify_part_count(uint64_t evidence_bytes);

#endif /* WEFT_VERIFY_AUDIT_H */
