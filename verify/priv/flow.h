/*
 * verify/priv/flow - the steps that audits, demands and cases share.
 *
 * All return ERR_OK, a refusal through ledger_refuse, or an error of the
 * environment.
 */
#ifndef WEFT_VERIFY_PRIV_FLOW_H
#define WEFT_VERIFY_PRIV_FLOW_H

#include "ledger/state.h"
#include "market/lease.h"
#include "verify/audit.h"
#include "verify/evidence.h"
#include "verify/priv/records.h"

/* Draws.  ERR_NOT_FOUND: nobody is eligible. */
MUST_USE enum err
verify_auditor_draw(struct ledger *l, const struct market_lease *lease,
		    const struct hash *seed, const struct pubkey *excluded,
		    uint32_t excluded_count, struct pubkey *ret_auditor,
		    struct coin *ret_reserved);

/* A duty begins, ends well, is missed, is done badly.  A missed one costs at
 * most fee; a bad one the whole bond. */
MUST_USE enum err verify_duty_take(struct ledger *l,
				   const struct pubkey *account,
				   struct coin reserved);
MUST_USE enum err verify_duty_done(struct ledger *l,
				   const struct pubkey *account,
				   struct coin reserved, bool audited);
MUST_USE enum err verify_duty_missed(struct ledger *l,
				     const struct pubkey *account,
				     struct coin reserved, struct coin fee,
				     const struct hash *lease,
				     struct coin *ret_taken);
MUST_USE enum err verify_duty_failed(struct ledger *l,
				     const struct pubkey *account,
				     struct coin reserved,
				     const struct hash *lease);

/* Put the audit's window at height, in its queue. */
MUST_USE enum err verify_audit_window(struct ledger *l, struct verify_audit *a,
				      uint64_t height);

/* Blocks from a draw to the end of the openings' window. */
uint64_t verify_open_blocks(const struct ledger *l,
			    const struct market_lease *lease);

/*
 * A demand or dispute begins and ends: the audit's windows stand still in
 * between.  No audit, or one that is over: nothing.
 * is_foreign: a dispute of somebody else than the auditor on duty.  Only the
 * first VERIFY_FOREIGN_STOPS of them stop anything, or a friend of the
 * provider could hold an audit up until the lease's life is over.
 */
#define VERIFY_FOREIGN_STOPS 3u
MUST_USE enum err verify_audit_stop(struct ledger *l, const struct hash *lease,
				    bool is_foreign, bool *ret_stopped);
MUST_USE enum err verify_audit_go(struct ledger *l, const struct hash *lease,
				  bool renew);

/* The audit is over, its duty settled: lets the clock go and saves. */
MUST_USE enum err verify_audit_finish(struct ledger *l, struct verify_audit *a);

/* The audit is over; the auditor's duty ends well. */
MUST_USE enum err verify_audit_close(struct ledger *l, struct verify_audit *a,
				     enum verify_audit_end end);

/* The lease ended by a verdict: close its audit, if there is an open one. */
MUST_USE enum err verify_audit_verdict(struct ledger *l,
				       const struct hash *lease,
				       enum verify_audit_end end);

/*
 * The provider is proven wrong, or withheld: market takes its penalty, of
 * which the accuser gets what section "What it costs" says.
 * accuser: who posted the proof; the drawn auditor comes first.
 */
MUST_USE enum err verify_refute(struct ledger *l,
				const struct market_lease *lease,
				enum reason reason, bool seed_drawn,
				const struct pubkey *accuser);

/* The seed that drew a lease's samples. */
MUST_USE enum err verify_lease_seed(struct ledger *l,
				    const struct market_lease *lease,
				    struct hash *ret_seed);

/* Open a case for the transaction at hand, and end one: an unfinished one's
 * parts are dropped, the clock let go. */
MUST_USE enum err verify_case_open(struct ledger *l, enum verify_case_kind kind,
				   const struct hash *lease, uint32_t place,
				   const struct hash *evidence_root,
				   uint64_t evidence_bytes);
MUST_USE enum err verify_case_finish(struct ledger *l, struct verify_case *c);

/* What a ruling found. */
struct verify_ruling {
	enum program_verdict verdict;
	bool seed_drawn;     /* its sample is the one that it says is drawn */
	uint32_t draw_index; /* if seed_drawn */
	bool has_sample;
	struct program_sample sample;
	struct hash prior_root; /* S_{k-1}, with has_sample */
	bool no_such; /* ANSWER: it shows that what was asked is no sample */
	bool assumed; /* fraud of a CTA that need not be independent ... */
	uint64_t cta; /* ... this one; of a pair the first */
	struct bytes witness_proof;
	struct program_judge_answer answer;
};

/*
 * Judge a complete case's evidence.
 * witness_of: the auditor whose witness is wanted, or NULL.
 * Returns ERR_OK, ERR_REFEREE, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err verify_judge(struct ledger *l, const struct verify_case *c,
			       const struct market_lease *lease,
			       const struct hash *seed,
			       const struct pubkey *witness_of,
			       struct verify_ruling *ret_ruling);

/* Kinds' functions (verify/kinds.c) */
enum err verify_apply_bond(struct ledger *l, const void *body);
enum err verify_apply_unbond(struct ledger *l, const void *body);
enum err verify_apply_pause(struct ledger *l, const void *body);
enum err verify_apply_pledge(struct ledger *l, const void *body);
enum err verify_apply_reveal(struct ledger *l, const void *body);
enum err verify_apply_demand(struct ledger *l, const void *body);
enum err verify_apply_answer(struct ledger *l, const void *body);
enum err verify_apply_delay(struct ledger *l, const void *body);
enum err verify_apply_prove(struct ledger *l, const void *body);
enum err verify_apply_part(struct ledger *l, const void *body);
enum err verify_apply_dispute(struct ledger *l, const void *body);
enum err verify_apply_conflict(struct ledger *l, const void *body);

/* Hooks' functions */
enum err verify_hook_draw(struct ledger *l, uint64_t due_height,
			  const struct hash *id);
enum err verify_hook_audit(struct ledger *l, uint64_t due_height,
			   const struct hash *id);
enum err verify_hook_demand(struct ledger *l, uint64_t due_height,
			    const struct hash *id);
enum err verify_hook_case(struct ledger *l, uint64_t due_height,
			  const struct hash *id);
enum err verify_hook_rule(struct ledger *l, uint64_t due_height,
			  const struct hash *id);
enum err verify_hook_held(struct ledger *l, uint64_t due_height,
			  const struct hash *id);
enum err verify_hook_prove(struct ledger *l, uint64_t due_height,
			   const struct hash *id);
enum err verify_hook_unbond(struct ledger *l, uint64_t due_height,
			    const struct hash *id);

#endif /* WEFT_VERIFY_PRIV_FLOW_H */
