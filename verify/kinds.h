/*
 * verify/kinds - the rows that audits and disputes add to the ledger's rules,
 * and the bodies of their transactions.
 *
 *   verifier.bond   [amount]           verifier.unbond []
 *   verifier.pause  [is_paused]
 *   audit.pledge    [lease, hash]
 *   audit.reveal    [lease, verdict, [count, mean_ops, ...], witness_root,
 *                    salt]
 *   audit.demand    [lease, [draw index ...], [sample ...]]
 *   audit.answer    [lease, place, evidence root, bytes]
 *   audit.delay     [lease, reason]
 *   audit.prove     [lease, evidence root, bytes]
 *   evidence.part   [case, index, data]
 *   dispute.open    [lease, evidence root, bytes]
 *   dispute.conflict [case, evidence root, bytes]
 *
 * A case is named by the id of the transaction that opens it: audit.answer,
 * audit.prove, dispute.open, dispute.conflict.
 */
#ifndef WEFT_VERIFY_KINDS_H
#define WEFT_VERIFY_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/codec.h"
#include "base/coin.h"
#include "base/hash.h"
#include "base/reason.h"
#include "gpu/program/sample.h"
#include "ledger/rules.h"

/* On the wire: append, never renumber. */
enum verify_kind {
	VERIFY_KIND_VERIFIER_BOND = 60,
	VERIFY_KIND_VERIFIER_UNBOND = 61,
	VERIFY_KIND_VERIFIER_PAUSE = 62,
	VERIFY_KIND_AUDIT_PLEDGE = 63,
	VERIFY_KIND_AUDIT_REVEAL = 64,
	VERIFY_KIND_AUDIT_DEMAND = 65,
	VERIFY_KIND_AUDIT_ANSWER = 66,
	VERIFY_KIND_AUDIT_PROVE = 67,
	VERIFY_KIND_AUDIT_DELAY = 68,
	VERIFY_KIND_EVIDENCE_PART = 69,
	VERIFY_KIND_DISPUTE_OPEN = 70,
	VERIFY_KIND_DISPUTE_CONFLICT = 71,
};

/* Queues (ledger/queue.h); part of the state's format. */
enum verify_queue {
	VERIFY_QUEUE_AUDIT = 32,  /* leases: the auditor's windows */
	VERIFY_QUEUE_DEMAND = 33, /* leases: the provider's answer */
	VERIFY_QUEUE_CASE = 34,	  /* cases: parts must arrive */
	VERIFY_QUEUE_RULE = 35,	  /* cases: complete, to be ruled */
	VERIFY_QUEUE_PROVE = 36,  /* leases: is a proof ordered, is it late? */
	VERIFY_QUEUE_UNBOND = 37, /* verifiers: bond returns */
	VERIFY_QUEUE_HELD = 38,	  /* cases: fraud, unless a conflict is shown */
};

#define VERIFY_SAMPLES_MAX 1024u
#define VERIFY_DEMAND_MAX  64u

struct verify_verifier_bond {
	struct coin amount;
};
struct verify_verifier_unbond {
	uint8_t unused;
};
struct verify_verifier_pause {
	bool is_paused;
};
struct verify_audit_pledge {
	struct hash lease;
	struct hash pledge;
};

/* What an auditor found; on the wire. */
enum verify_report {
	VERIFY_REPORT_VALID = 0,
	VERIFY_REPORT_UNAVAILABLE = 1,
};

/* Counted instructions of one sample against its step's mean_ops. */
struct verify_count {
	uint64_t count;
	uint64_t mean_ops; /* 0: a chunk sample, nothing was counted */
};
struct verify_audit_reveal {
	struct hash lease;
	enum verify_report report;
	uint32_t count_count;
	struct verify_count *counts; /* in draw order */
	struct hash witness_root;
	struct hash salt;
};
struct verify_audit_demand {
	struct hash lease;
	uint32_t draw_count; /* the auditor's */
	uint32_t draws[VERIFY_DEMAND_MAX];
	uint32_t sample_count; /* the buyer's */
	struct program_sample samples[VERIFY_DEMAND_MAX];
};
struct verify_audit_answer {
	struct hash lease;
	uint32_t place; /* in the demand: draws, then samples */
	struct hash evidence_root;
	uint64_t evidence_bytes;
};
struct verify_audit_prove {
	struct hash lease;
	struct hash evidence_root;
	uint64_t evidence_bytes;
};
struct verify_audit_delay {
	struct hash lease;
	enum reason reason;
};
struct verify_evidence_part {
	struct hash case_id;
	uint32_t index;
	struct bytes data;
};
struct verify_dispute_open {
	struct hash lease;
	struct hash evidence_root;
	uint64_t evidence_bytes;
};

/* The provider's answer to a held verdict: two CTAs of the launch whose order
 * decides the disputed bytes. */
struct verify_dispute_conflict {
	struct hash case_id; /* that is held */
	struct hash evidence_root;
	uint64_t evidence_bytes;
};

#define VERIFY_BODIES(X)   \
	X(verifier_bond)   \
	X(verifier_unbond) \
	X(verifier_pause)  \
	X(audit_pledge)    \
	X(audit_reveal)    \
	X(audit_demand)    \
	X(audit_answer)    \
	X(audit_prove)     \
	X(audit_delay)     \
	X(evidence_part)   \
	X(dispute_open)    \
	X(dispute_conflict)

/*
 * Writers and readers of the bodies.  Decoding checks form and ranges; errors
 * stick in d; lists live in a, data borrows from the input.
 */
struct arena;
#define X(name)                                                     \
	void verify_##name##_encode(struct buf *b,                  \
				    const struct verify_##name *x); \
	void verify_##name##_decode(struct dec *d, struct arena *a, \
				    struct verify_##name *ret_x);
VERIFY_BODIES(X)
#undef X

/*
 * What audit.pledge states: SHA-256(T("weft/pledge") || auditor || body of
 * the audit.reveal to come).
 */
struct hash verify_pledge(const struct pubkey *auditor,
			  const struct verify_audit_reveal *reveal);

extern const struct ledger_kind verify_kinds[];
extern const size_t verify_kind_count;
extern const struct ledger_hook verify_hooks[];
extern const size_t verify_hook_count;

#endif /* WEFT_VERIFY_KINDS_H */
