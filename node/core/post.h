/*
 * node/core/post - bring evidence to the ledger: the transaction that names
 * it, then its parts, one after another.
 */
#ifndef WEFT_NODE_CORE_POST_H
#define WEFT_NODE_CORE_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/reason.h"
#include "node/core/act.h"

enum post_state {
	POST_NONE,
	POST_OPENING, /* the transaction that names the evidence */
	POST_PARTS,
	POST_DONE,    /* all is in blocks */
	POST_REFUSED, /* reason says why */
};

struct core_post {
	enum post_state state;
	enum core_lane lane;
	uint64_t ticket;
	struct hash case_id;
	struct bytes evidence; /* borrowed until done */
	uint32_t next_part;
	enum reason reason;
};

/* Send the transaction that opens the case; evidence must outlive p. */
void core_post_begin(struct core_post *p, struct core_out *out,
		     enum core_lane lane, uint32_t tx_kind, struct bytes body,
		     struct bytes evidence);

/*
 * Go on with a case of the lease that has this very evidence and is not ruled
 * yet: it was opened by a process that died since.  Evidence is made of
 * nothing but what the lease holds, so the same is made again.
 * view may be NULL.  Returns false if there is none.
 */
bool core_post_resume(struct core_post *p, struct core_out *out,
		      struct ledger *view, const struct hash *lease,
		      enum core_lane lane, struct bytes evidence);

/* true if the event was p's. */
bool core_post_event(struct core_post *p, struct core_out *out,
		     const struct core_event *event);

#endif /* WEFT_NODE_CORE_POST_H */
