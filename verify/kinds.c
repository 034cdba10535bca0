/*
 * The tables.  Every body is decoded by the same frame around its reader.
 */
#include "verify/kinds.h"

#include "base/arena.h"
#include "base/limits.h"
#include "market/kinds.h"
#include "verify/priv/flow.h"

#define X(name)                                                               \
	static enum err decode_##name(struct arena *a, struct bytes body,     \
				      void **ret_body,                        \
				      enum reason *reterr_why UNUSED)         \
	{                                                                     \
		struct dec d = dec_make(body);                                \
		struct verify_##name *x = ARENA_NEW(a, struct verify_##name); \
                                                                              \
		if (!x)                                                       \
			return ERR_NO_MEMORY;                                 \
		verify_##name##_decode(&d, a, x);                             \
		*ret_body = x;                                                \
		return dec_end(&d);                                           \
	}
VERIFY_BODIES(X)
#undef X

/* clang-format off */
const struct ledger_kind verify_kinds[] = {
	{VERIFY_KIND_VERIFIER_BOND, "verifier.bond", 0, false, false,
	 decode_verifier_bond, NULL, verify_apply_bond},
	{VERIFY_KIND_VERIFIER_UNBOND, "verifier.unbond", 0, false, false,
	 decode_verifier_unbond, NULL, verify_apply_unbond},
	{VERIFY_KIND_VERIFIER_PAUSE, "verifier.pause", 0, true, false,
	 decode_verifier_pause, NULL, verify_apply_pause},
	{VERIFY_KIND_AUDIT_PLEDGE, "audit.pledge", 0, true, false,
	 decode_audit_pledge, NULL, verify_apply_pledge},
	{VERIFY_KIND_AUDIT_REVEAL, "audit.reveal", 0, true, false,
	 decode_audit_reveal, NULL, verify_apply_reveal},
	{VERIFY_KIND_AUDIT_DEMAND, "audit.demand", 0, false, false,
	 decode_audit_demand, NULL, verify_apply_demand},
	{VERIFY_KIND_AUDIT_ANSWER, "audit.answer", 0, true, false,
	 decode_audit_answer, NULL, verify_apply_answer},
	{VERIFY_KIND_AUDIT_PROVE, "audit.prove", 0, true, false,
	 decode_audit_prove, NULL, verify_apply_prove},
	{VERIFY_KIND_AUDIT_DELAY, "audit.delay", 0, true, false,
	 decode_audit_delay, NULL, verify_apply_delay},
	{VERIFY_KIND_EVIDENCE_PART, "evidence.part", TX_EVIDENCE_BYTES_MAX,
	 true, true, decode_evidence_part, NULL, verify_apply_part},
	{VERIFY_KIND_DISPUTE_OPEN, "dispute.open", 0, false, false,
	 decode_dispute_open, NULL, verify_apply_dispute},
	{VERIFY_KIND_DISPUTE_CONFLICT, "dispute.conflict", 0, true, false,
	 decode_dispute_conflict, NULL, verify_apply_conflict},
};
const size_t verify_kind_count = sizeof(verify_kinds) / sizeof(*verify_kinds);

const struct ledger_hook verify_hooks[] = {
	{LEDGER_PHASE_SAMPLE, "audit.draw", MARKET_QUEUE_SAMPLE,
	 verify_hook_draw, NULL},
	{LEDGER_PHASE_SAMPLE, "audit.prove", VERIFY_QUEUE_PROVE,
	 verify_hook_prove, NULL},
	{LEDGER_PHASE_SAMPLE, "case.rule", VERIFY_QUEUE_RULE,
	 verify_hook_rule, NULL},
	{LEDGER_PHASE_EXPIRE, "audit.window", VERIFY_QUEUE_AUDIT,
	 verify_hook_audit, NULL},
	{LEDGER_PHASE_EXPIRE, "demand.window", VERIFY_QUEUE_DEMAND,
	 verify_hook_demand, NULL},
	{LEDGER_PHASE_EXPIRE, "case.window", VERIFY_QUEUE_CASE,
	 verify_hook_case, NULL},
	{LEDGER_PHASE_EXPIRE, "case.held", VERIFY_QUEUE_HELD,
	 verify_hook_held, NULL},
	{LEDGER_PHASE_EXPIRE, "verifier.leave", VERIFY_QUEUE_UNBOND,
	 verify_hook_unbond, NULL},
};
const size_t verify_hook_count = sizeof(verify_hooks) / sizeof(*verify_hooks);
/* clang-format on */
