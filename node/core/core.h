/*
 * node/core - what a node decides, without doing any of it.
 *
 * Events, timers and answers come in, actions come out; time is an argument
 * and nothing waits.  The shell (node/) performs the actions and feeds their
 * answers back; tests/sim does the same for hundreds of nodes in a process.
 *
 * A core is a table of roles (provider, verifier, buyer).  A role is a
 * reconciler: at every block it compares what the ledger says with what it
 * has itself and asks for the next thing that is missing.  So a lost answer,
 * a restart or a refused transaction needs no special way back, and
 * "unknown" is never read as "absent": without a block nothing is undone.
 *
 * Start at core_new() and core_step(); roles are in node/provider,
 * node/verifier and node/buyer, what they ask for is in node/core/act.h.
 */
#ifndef WEFT_NODE_CORE_CORE_H
#define WEFT_NODE_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "node/core/work.h"

struct ledger;

/* Most roles in a core, and most actions that one event may cause. */
#define CORE_ROLES_MAX	 8u
#define CORE_ACTIONS_MAX 4096u

/* Most bytes all actions of one event may carry. */
#define CORE_SCRATCH_BYTES_MAX (64u << 20)

/* Longest journal key a role may use. */
#define CORE_KEY_BYTES_MAX 64u

/* A ticket names one action until it is answered: a number, 0 is none.
 * Unique while the process lives, not across restarts. */

enum core_event_kind {
	CORE_EVENT_JOURNAL, /* one record of the role's, at start */
	CORE_EVENT_START,   /* all records were given */
	CORE_EVENT_BLOCK,   /* a block was applied */
	CORE_EVENT_TIMER,   /* a time asked for with core_wake has come */
	CORE_EVENT_TX,	    /* what became of core_submit */
	CORE_EVENT_FETCHED, /* what became of core_fetch* */
	CORE_EVENT_RAN,	    /* what became of core_run */
	CORE_EVENT_OPENED,  /* what became of core_open */
	CORE_EVENT_AUDITED, /* what became of core_audit */
	CORE_EVENT_ASKED,   /* a peer asks about a lease */
	CORE_EVENT_PAUSE,   /* the owner wants the machine: .flag */
};

/* What a peer asks about a lease; numbers are not on the wire. */
enum core_ask {
	CORE_ASK_OPENINGS, /* by a drawn auditor, who proved who it is */
	CORE_ASK_RECEIPT,  /* by anybody */
};

/*
 * What happened.  Everything pointed to is borrowed for the call.  Answers
 * carry the ticket of what was asked and go to the role that asked; the
 * others go to every role.
 */
struct core_event {
	enum core_event_kind kind;
	uint64_t ticket;
	/* ERR_OK, or why it failed: ERR_TIMEOUT and ERR_UNREACHABLE may be
	 * tried again, ERR_NOT_FOUND, ERR_REFUSED and ERR_PROOF name what
	 * the other side did. */
	enum err err;
	enum reason reason;	    /* TX refused or failed: the word */
	uint64_t height;	    /* BLOCK: its height; TX: where it is */
	uint64_t time_ms;	    /* BLOCK: its time */
	struct ledger *view;	    /* the state after the last block;
				     * given with every event, NULL
				     * before there is one */
	struct bytes key;	    /* JOURNAL */
	struct bytes bytes;	    /* JOURNAL value, FETCHED with bytes */
	struct hash id;		    /* TX: txid; ASKED: lease */
	enum core_ask ask;	    /* ASKED: what */
	struct pubkey who;	    /* OPENINGS: proved by signature */
	const struct core_ran *ran; /* RAN */
	const struct core_opened *opened;	    /* OPENED */
	const struct program_judge_answer *audited; /* AUDITED */
	bool flag;				    /* PAUSE: on or off */
};

struct core_out;
struct core_action;

/*
 * A role: its name is the first part of its journal keys and of its log
 * lines.  step may only look at its own state and the event, and act through
 * node/core/act.h.
 */
struct core_role {
	const char *name;
	void (*step)(void *state, struct core_out *out,
		     const struct core_event *event);
	/* Frees state; may be NULL. */
	void (*free)(void *state);
};

struct core;

/* NULL when out of memory. */
struct core *core_new(void);

/* Adds a role; state is the core's from then on and is freed with it.
 * At most CORE_ROLES_MAX.  The role's number is its place in the order. */
void core_add(struct core *c, const struct core_role *role, void *state);
void core_free(struct core *c); /* NULL is fine */

/*
 * Tell the core what happened at now_ms (any steady clock).
 *
 * JOURNAL and answers reach one role (JOURNAL by the key's prefix), the
 * other kinds all of them in order.  The actions are valid until the next
 * call; perform them in their order.
 *
 * ret_actions, ret_count   borrowed from the core
 *
 * Never blocks.  Returns ERR_OK, or ERR_NO_MEMORY or ERR_LIMIT when the
 * actions did not fit: stop the node, its duties would be missed silently.
 */
MUST_USE enum err core_step(struct core *c, uint64_t now_ms,
			    const struct core_event *event,
			    const struct core_action **ret_actions,
			    size_t *ret_count);

#endif /* WEFT_NODE_CORE_CORE_H */
