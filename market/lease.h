/*
 * market/lease - a range of a job's tasks, given to one offer at a locked
 * price.
 *
 * Here are the record, the states, the bodies of the lease.* transactions
 * and, for verify, the calls by which an audit or a dispute ends a lease.
 * market knows nothing of why: a lease whose audit nobody begins settles
 * unaudited when its challenge window ends.  Every state, every event, every
 * answer stands in market/lease_table.def and, for people, in doc/leases.md.
 */
#ifndef WEFT_MARKET_LEASE_H
#define WEFT_MARKET_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/codec.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "market/job.h"
#include "market/offer.h"

struct ledger;

#define MARKET_LEASE_BYTES_MAX 2048u /* an encoded lease */

/* name, number, is it final?, is it paid? */
/* clang-format off */
#define MARKET_LEASE_STATES(X)                                                 \
	X(open,        0,  0, 0) /* matched, the provider fetches inputs */    \
	X(accepted,    1,  0, 0) /* the provider holds inputs and computes */  \
	X(committed,   2,  0, 0) /* results stated, not (yet) looked at */     \
	X(auditing,    3,  0, 0) /* drawn: verify says how it ends */          \
	X(settled,     4,  1, 1)                                               \
	X(declined,    5,  1, 0) /* handed back before accept: no mark */      \
	X(lapsed,      6,  1, 0) /* a window ended without an answer */        \
	X(failed,      7,  1, 0) /* handed back after accept, reason says */   \
	X(retracted,   8,  1, 0) /* taken back before the sample was known */  \
	X(cancelled,   9,  1, 0) /* the job closed before accept */            \
	X(refuted,     10, 1, 0) /* a wrong result was proven */               \
	X(void,        11, 1, 0) /* the program has no defined result here */  \
	X(unavailable, 12, 1, 0) /* openings or outputs were withheld */       \
	X(unchecked,   13, 1, 1) /* paid, but nobody could look: no CV */
/* clang-format on */

enum market_lease_state {
#define X(name, number, final, paid) MARKET_LEASE_##name = number,
	MARKET_LEASE_STATES(X)
#undef X
		MARKET_LEASE_STATE_COUNT
};

/* The word, as the RPC shows it. */
const char *market_lease_state_word(enum market_lease_state s);
bool market_lease_is_final(enum market_lease_state s);

/*
 * What can happen to a lease: seven transactions, the end of its window, six
 * calls of verify.  Numbers are not on the wire.
 */
/* clang-format off */
#define MARKET_LEASE_EVENTS(X)                                                 \
	X(accept)      /* lease.accept */                                      \
	X(decline)     /* lease.decline */                                     \
	X(commit)      /* lease.commit, lease.fail with done tasks */          \
	X(fail)        /* lease.fail with none */                              \
	X(retract)     /* lease.retract */                                     \
	X(extend)      /* lease.extend */                                      \
	X(close)       /* its job closed: job.cancel, deadline, end of grace */\
	X(window)      /* hooks EXPIRE and SETTLE: its window ended */         \
	X(draw)        /* verify: it is audited */                             \
	X(valid)       /* verify: the audit ended well */                      \
	X(fraud)       /* verify: a verdict */                                 \
	X(unavailable) /* verify: a demand was not answered */                 \
	X(void)        /* verify: a verdict */                                 \
	X(unchecked)   /* verify: no verifier is eligible or answers */
/* clang-format on */

enum market_lease_event {
#define X(name) MARKET_EVENT_##name,
	MARKET_LEASE_EVENTS(X)
#undef X
		MARKET_LEASE_EVENT_COUNT
};

const char *market_lease_event_word(enum market_lease_event e);

/* One cell: go to next (which may be the same state), or refuse. */
struct market_lease_cell {
	bool moves;
	enum market_lease_state next; /* if it moves */
	enum reason reason;	      /* if it does not */
};
struct market_lease_cell market_lease_cell(enum market_lease_state s,
					   enum market_lease_event e);

/* What the provider says it took; MARKET_ABSENT (receipt.h): not measured. */
struct market_totals {
	uint64_t wall_ms;
	uint64_t device_ms;
	uint64_t device_mj;
};

struct market_lease {
	struct hash id;
	struct hash job;
	struct hash offer;
	struct pubkey buyer;
	struct pubkey provider;
	uint32_t first; /* tasks [first, first + count) */
	uint32_t count;
	/* terms, frozen at the match */
	struct hash program_id;
	struct hash header_root;
	struct hash tasks_root;
	struct market_work work;
	enum market_confidence confidence;
	uint32_t sample_count;
	uint32_t referee_version;
	uint32_t device_index;
	enum market_device device;
	uint32_t sm;
	struct coin gop_price;
	struct coin task_price;
	struct coin price;	/* count * task_price; reserved */
	struct coin check_fee;	/* of the whole range; reserved */
	struct coin audit_cost; /* table cost of one audit */
	uint64_t audit_p;	/* of MARKET_CERTAIN */
	uint64_t expected_blocks;
	/* how it stands */
	enum market_lease_state state;
	enum reason reason; /* of a final state, or of the rest */
	uint64_t open_height;
	uint64_t accept_height; /* 0: not yet, as all below */
	uint64_t commit_height;
	uint64_t stated_height;	  /* commit, or a later strike */
	uint64_t sampling_height; /* of stated_height */
	uint64_t end_height;
	uint64_t window_height; /* last height of its window */
	bool extended;
	uint32_t progress; /* tasks, as extend said */
	struct hash progress_root;
	/* what lease.commit stated */
	uint32_t done; /* tasks [first, first + done) */
	struct hash result_root;
	struct hash leaves_root; /* list root of the result leaves */
	uint64_t leaves_bytes;
	struct hash receipt_hash;
	struct market_totals totals;
	/* how it ended */
	bool drawn;	      /* an audit was begun */
	bool audited;	      /* and ended valid */
	bool struck;	      /* audited because its provider was caught */
	struct coin paid;     /* to the provider, withheld part included */
	struct coin withheld; /* of it, into the bond */
	struct coin charged;  /* check fee */
	struct coin penalty;  /* taken from the bond */
};

/*
 * Bodies.  result: [result_root, done, leaves_root, leaves_bytes,
 * receipt_hash, [wall_ms, device_ms, device_mj], reason of the rest, drop].
 *
 *   lease.accept  [lease]         lease.decline [lease, reason]
 *   lease.commit  [lease, result] lease.fail    [lease, reason, fault, result]
 *   lease.retract [lease]         lease.extend  [lease, progress, root]
 *
 * fault is nil or [task, step, cta]; result in lease.fail is nil or what
 * lease.commit carries; drop is nil or [index in the job's drops, outputs
 * root, signature].
 */
struct market_drop_sig {
	bool present;
	uint32_t index;
	struct hash outputs_root;
	struct sig sig; /* over market_drop_digest */
};
struct market_result {
	struct hash result_root;
	uint32_t done;
	struct hash leaves_root;
	uint64_t leaves_bytes;
	struct hash receipt_hash;
	struct market_totals totals;
	enum reason rest; /* why not more: none if done = count */
	struct market_drop_sig drop;
};
struct market_fault {
	bool present;
	uint32_t task;
	uint32_t step;
	uint64_t cta;
};
struct market_lease_accept {
	struct hash lease;
};
struct market_lease_decline {
	struct hash lease;
	enum reason reason;
};
struct market_lease_commit {
	struct hash lease;
	struct market_result result;
};
struct market_lease_fail {
	struct hash lease;
	enum reason reason;
	struct market_fault fault; /* for kernel_fault and limit_ops */
	bool has_result;
	struct market_result result;
};
struct market_lease_retract {
	struct hash lease;
};
struct market_lease_extend {
	struct hash lease;
	uint32_t progress;
	struct hash progress_root;
};
#define MARKET_LEASE_BODY(name)                                      \
	void market_lease_##name##_encode(                           \
		struct buf *b, const struct market_lease_##name *x); \
	void market_lease_##name##_decode(struct dec *d,             \
					  struct market_lease_##name *ret_x);
MARKET_LEASE_BODY(accept)
MARKET_LEASE_BODY(decline)
MARKET_LEASE_BODY(commit)
MARKET_LEASE_BODY(fail)
MARKET_LEASE_BODY(retract)
MARKET_LEASE_BODY(extend)
#undef MARKET_LEASE_BODY

void market_totals_encode(struct buf *b, const struct market_totals *t);
void market_totals_decode(struct dec *d, struct market_totals *ret_t);

/* May a provider give this reason when it declines; when it fails? */
bool market_reason_declines(enum reason r);
bool market_reason_fails(enum reason r);

/* The state's record. */
void market_lease_encode(struct buf *b, const struct market_lease *l);
MUST_USE enum err market_lease_decode(struct bytes in,
				      struct market_lease *ret_lease);

/* A lease's id: of its job, offer, first task and the height of its match. */
struct hash market_lease_id(const struct hash *job, const struct hash *offer,
			    uint32_t first, uint64_t height);

/*
 * One leaf of the results: [index, steps, trace_root, [S_last's buffer
 * roots]].  The leaves are a list; leaves_root is its list root
 * (base/merkle), result_root binds it to the lease and its provider:
 * SHA-256(T("weft/result") || lease || provider || leaves_root).
 */
void market_result_leaf_encode(struct buf *b, uint32_t task_index,
			       uint32_t step_count,
			       const struct hash *trace_root,
			       const struct hash *buffer_roots,
			       uint32_t buffer_count);
void market_result_leaf_decode(struct dec *d, uint32_t *ret_task_index,
			       uint32_t *ret_step_count,
			       struct hash *ret_trace_root,
			       struct hash *ret_buffer_roots,
			       uint32_t buffer_max, uint32_t *ret_buffer_count);
struct hash market_result_root(const struct hash *lease,
			       const struct pubkey *provider,
			       const struct hash *leaves_root);

/* What a drop signs: SHA-256(T("weft/drop") || lease || outputs_root). */
struct hash market_drop_digest(const struct hash *lease,
			       const struct hash *outputs_root);

/* ERR_OK, ERR_NOT_FOUND, ERR_STORE.  One store read. */
MUST_USE enum err market_lease_get(struct ledger *l, const struct hash *id,
				   struct market_lease *ret_lease);

/*
 * Leases that are not final, in the order of their ids, of a provider or of
 * a job: the first with an id above *after (NULL: the first at all).
 * market_lease_next_of_job goes over the final ones too.
 * ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err market_lease_next_live(struct ledger *l,
					 const struct pubkey *provider,
					 const struct hash *after,
					 struct market_lease *ret_lease);
MUST_USE enum err market_lease_next_live_of_job(struct ledger *l,
						const struct hash *job,
						const struct hash *after,
						struct market_lease *ret_lease);
MUST_USE enum err market_lease_next_of_job(struct ledger *l,
					   const struct hash *job,
					   const struct hash *after,
					   struct market_lease *ret_lease);

/*
 * For verify.  All may be called in a transaction or a hook; all return
 * ERR_OK, ERR_NOT_FOUND, ERR_STORE, ERR_NO_MEMORY, or ERR_REFUSED through
 * ledger_refuse (the table's cell says no).  Money moves inside the call.
 *
 * A lease enters queue MARKET_QUEUE_SAMPLE (market/kinds.h) at
 * stated_height + params.sampling_delay_blocks.  verify's hook of phase SAMPLE
 * names that queue; for an entry whose lease is not `committed` it does
 * nothing; when ledger_sampling(l, stated_height) is not reached yet it puts
 * the id in again at the next height; else it calls one of passed, drawn,
 * unchecked.
 */

/* The seed did not choose it: it settles at its challenge window. */
MUST_USE enum err market_lease_passed(struct ledger *l, const struct hash *id);

/* The seed chose it: committed -> auditing.  Its window is now its life. */
MUST_USE enum err market_lease_drawn(struct ledger *l, const struct hash *id);

/* A dispute or demand is open: the challenge window (of a committed lease)
 * ends at height at the earliest; never beyond the lease's life. */
MUST_USE enum err market_lease_hold(struct ledger *l, const struct hash *id,
				    uint64_t height);

/* The audit ended valid: settles now, the device's CV goes up by one. */
MUST_USE enum err market_lease_audited(struct ledger *l, const struct hash *id);

/* Nobody could audit: paid now, no CV, the check fee goes back. */
MUST_USE enum err market_lease_unchecked(struct ledger *l,
					 const struct hash *id);

/* Who gets what of a penalty. */
struct market_ruling {
	bool seed_drawn; /* else pay and CV only, no bond */
	bool has_accuser;
	struct pubkey accuser; /* gets up to reward of the penalty */
	struct coin reward;    /* the rest is burnt */
};

/*
 * Proven wrong (fraud) or withheld (not fraud: output_unavailable or
 * opening_unavailable as reason says): the pay returns to the buyer, the
 * tasks to the job, the penalty comes out of the bond, the account's CVs end
 * and its other unsettled leases are audited for certain.
 */
MUST_USE enum err market_lease_refuted(struct ledger *l, const struct hash *id,
				       enum reason reason,
				       const struct market_ruling *ruling,
				       struct coin *ret_penalty);

/*
 * The sample has no defined result.  Nothing is paid, nobody is struck, the
 * tasks go to another operator.  If an earlier lease of another operator was
 * void on the same prior memory root, or at_start is set (step 1), the
 * program is marked: this lease and that one are paid and the job closes.
 */
MUST_USE enum err market_lease_void(struct ledger *l, const struct hash *id,
				    const struct hash *prior_root,
				    bool at_start);

#endif /* WEFT_MARKET_LEASE_H */
