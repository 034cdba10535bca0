/*
 * tests/verify/world - a chain with the market and verify, the toy program's
 * job on it, and a referee that runs the toy machine.
 */
#ifndef WEFT_TESTS_VERIFY_WORLD_H
#define WEFT_TESTS_VERIFY_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "market/lease.h"
#include "market/record.h"
#include "tests/support/ledger/rig.h"
#include "tests/support/toy.h"
#include "verify/audit.h"
#include "verify/draw.h"
#include "verify/evidence.h"
#include "verify/kinds.h"
#include "verify/verifier.h"

/* Actors; 0 is the proposer. */
enum {
	BUYER = 1,
	PROVIDER = 2,
	VERIFIER = 3, /* the first of VERIFIERS */
	VERIFIERS = 3,
	OUTSIDER = 6,
	PROVIDER2 = 7,
	ACTORS = 8,
};

#define FUNDS 1000000000000ull
#define BOND  20000000000ull /* of each verifier */

struct world {
	struct rig rig;
	struct arena *a;
	struct ledger_params params;
	struct program program;
	struct program_header header;
	struct bytes header_bytes;
	struct hash job;
	uint64_t void_step; /* the referee calls this executed step void */
	bool referee_fails;
	bool conflict; /* the order of a pair matters */
	uint32_t referee_runs;
};

/* Default: short windows, all tasks in one lease, no proofs ordered. */
struct ledger_params world_params(void);
struct world *world_new(const struct ledger_params *params);
void world_free(struct world *w);

/* Verifiers bond, the provider offers, the buyer posts; then a lease is
 * matched, accepted and committed with the toy's results under cheat. */
void world_verifiers(struct world *w, uint32_t count);
void world_offer(struct world *w, uint32_t who);
void world_post(struct world *w);
struct toy_lease *world_lease(struct world *w, uint32_t who,
			      const struct toy_cheat *cheat,
			      struct market_lease *ret_lease);

/* Blocks without transactions; no hook may be refused. */
void world_idle(struct world *w, uint32_t blocks);

/* Until the seed has drawn (or passed) the lease. */
void world_sample(struct world *w);

struct market_lease world_get(struct world *w, const struct hash *lease);
struct verify_audit world_audit(struct world *w, const struct hash *lease);
struct verify_case world_case(struct world *w, const struct hash *id);
struct verify_verifier world_verifier(struct world *w, uint32_t who);
struct verify_demand world_demand(struct world *w, const struct hash *lease);
uint64_t world_balance(struct world *w, uint32_t who);
uint64_t world_lock(struct world *w, uint32_t who, enum ledger_purpose purpose,
		    const struct hash *object);
uint64_t world_pool(struct world *w);
uint64_t world_burnt(struct world *w);
uint64_t world_holds(struct world *w);

/* Which actor is the auditor on duty. */
uint32_t world_auditor(struct world *w, const struct hash *lease);

/* Send a body of verify's: WORLD_SEND(w, who, AUDIT_PLEDGE, audit_pledge, x) */
enum reason world_send_buf(struct world *w, uint32_t who, uint32_t kind,
			   struct buf *b, struct hash *ret_id);
#define WORLD_SEND(w, who, KIND, name, x, ret_id)                        \
	({                                                               \
		struct buf b_ = buf_make(TX_EVIDENCE_BYTES_MAX);         \
		verify_##name##_encode(&b_, x);                          \
		world_send_buf(w, who, VERIFY_KIND_##KIND, &b_, ret_id); \
	})

/* The samples of the draw, and one drawn sample that sees a byte of a step:
 * -1 if none does. */
struct program_sample world_drawn(struct world *w, const struct hash *lease,
				  uint32_t index);

/* Evidence for a sample of the toy's lease; a pair is with CTA 0. */
struct verify_evidence world_evidence(struct world *w,
				      const struct toy_lease *t,
				      const struct program_sample *s);
/* ... with the header that shows it was drawn. */
void world_show_draw(struct world *w, struct verify_evidence *e,
		     uint32_t index);
/* ... signed by the provider. */
void world_sign(struct world *w, uint32_t who, const struct hash *lease,
		struct verify_evidence *e);

/* Open a case with this evidence and send its parts; its id. */
struct hash world_dispute(struct world *w, uint32_t who,
			  const struct hash *lease,
			  const struct verify_evidence *e);
struct hash world_answer(struct world *w, const struct hash *lease,
			 uint32_t place, const struct verify_evidence *e);
struct hash world_prove(struct world *w, uint32_t who, const struct hash *lease,
			const struct verify_evidence *e);
struct hash world_conflict(struct world *w, const struct hash *held,
			   const struct verify_evidence *e);

/* Pledge and reveal `valid` with the toy's true witnesses. */
void world_reveal(struct world *w, const struct toy_lease *t,
		  const struct hash *lease, bool lie);

/* A world of three verifiers in which PROVIDER has a bond: its first lease was
 * honest and is settled. */
struct world *world_bonded(void);
/* The witness of sample index for an auditor; path in e if not NULL. */
struct hash world_witness(struct world *w, const struct toy_lease *t,
			  const struct hash *lease, uint32_t index);
void world_witness_path(struct world *w, const struct toy_lease *t,
			const struct hash *lease, uint32_t index,
			struct verify_evidence *e);

#endif /* WEFT_TESTS_VERIFY_WORLD_H */
