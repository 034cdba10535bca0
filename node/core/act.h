/*
 * node/core/act - what a role can ask of its shell.
 *
 * Each function appends one action to the step's output and, where there is
 * an answer, gives the ticket under which it will come.  All arguments are
 * copied.  When the output is full the step ends with ERR_LIMIT; the role
 * need not look.
 */
#ifndef WEFT_NODE_CORE_ACT_H
#define WEFT_NODE_CORE_ACT_H

#include "node/core/core.h"

/* Most peers that are tried for one blob. */
#define CORE_SOURCES_MAX 4u

enum core_action_kind {
	CORE_ACTION_SUBMIT,
	CORE_ACTION_FETCH,
	CORE_ACTION_FETCH_OF_LEASE,
	CORE_ACTION_STORE,
	CORE_ACTION_PIN,
	CORE_ACTION_UNPIN,
	CORE_ACTION_RUN,
	CORE_ACTION_OPEN,
	CORE_ACTION_AUDIT,
	CORE_ACTION_CANCEL,
	CORE_ACTION_JOURNAL,
	CORE_ACTION_WAKE,
	CORE_ACTION_REPLY,
	CORE_ACTION_NOTE,
};

/* Whose key signs, and in which order: transactions of one lane follow each
 * other, lanes do not wait for each other. */
enum core_lane {
	CORE_LANE_WALLET = 0,
	CORE_LANE_PROVIDER = 1,
	CORE_LANE_VERIFIER = 2,
	CORE_LANE_BUYER = 3,
	CORE_LANE_NODE = 4, /* node.announce */
};

enum core_note_level {
	CORE_NOTE_EVENT, /* for the event stream only */
	CORE_NOTE_INFO,
	CORE_NOTE_WARN,
};

/* Fields that a kind does not name are zero. */
struct core_action {
	enum core_action_kind kind;
	uint64_t ticket;
	enum core_lane lane; /* SUBMIT */
	uint32_t tx_kind;    /* SUBMIT */
	struct bytes bytes;  /* SUBMIT body, STORE, JOURNAL value (p NULL:
			      * delete), NOTE text */
	struct bytes key;    /* JOURNAL, NOTE topic */
	struct hash root;  /* FETCH, PIN, UNPIN, REPLY; FETCH_OF_LEASE: lease */
	struct hash owner; /* PIN, UNPIN, STORE, FETCH: who pins */
	enum core_name name; /* FETCH, STORE */
	enum core_ask ask;   /* FETCH_OF_LEASE */
	uint64_t bytes_max;  /* FETCH, FETCH_OF_LEASE */
	bool want_bytes;     /* FETCH: give the content with the answer */
	struct pubkey from[CORE_SOURCES_MAX];
	size_t from_count;
	struct core_run run;
	struct core_open open;
	struct core_audit audit;
	uint64_t at_ms; /* WAKE */
	enum err err;	/* REPLY */
	enum core_note_level level;
};

/*
 * Sign and submit a transaction; answered by TX when it is in a block, was
 * refused, or expired (reason tx_expired: look at the state and ask again).
 */
uint64_t core_submit(struct core_out *out, enum core_lane lane,
		     uint32_t tx_kind, struct bytes body);

/*
 * Get a blob from one of the accounts' nodes (or the own store), check it
 * and keep it, pinned by owner.  Answered by FETCHED.
 * want_bytes  the answer carries the content; then bytes_max is at most
 *             CORE_SCRATCH_BYTES_MAX / 2
 */
struct core_fetch {
	struct hash root;
	enum core_name name;
	struct hash owner;
	uint64_t bytes_max;
	bool want_bytes;
	const struct pubkey *from;
	size_t from_count;
};
uint64_t core_fetch(struct core_out *out, const struct core_fetch *fetch);

/*
 * Ask a lease's provider for its openings (signed as drawn auditor) or its
 * receipt.  Answered by FETCHED with bytes, at most bytes_max.
 */
uint64_t core_fetch_of_lease(struct core_out *out, enum core_ask ask,
			     const struct hash *lease,
			     const struct pubkey *provider, uint64_t bytes_max);

/* Keep bytes under their root, pinned by owner.  No answer. */
void core_store(struct core_out *out, struct bytes bytes, enum core_name name,
		const struct hash *root, const struct hash *owner);
void core_pin(struct core_out *out, const struct hash *root,
	      const struct hash *owner);

/* Let go of everything that owner pins. */
void core_unpin(struct core_out *out, const struct hash *owner);

/* Worker jobs; answered by RAN, OPENED, AUDITED. */
uint64_t core_run(struct core_out *out, const struct core_run *run,
		  const struct hash *owner);
uint64_t core_open(struct core_out *out, const struct core_open *open);
uint64_t core_audit(struct core_out *out, const struct core_audit *audit);

/* The answer, if any, will not come.  0 is fine. */
void core_cancel(struct core_out *out, uint64_t ticket);

/*
 * Remember across restarts.  All journal actions of one step are written
 * together, before the step's other actions are performed.
 */
void core_journal_put(struct core_out *out, struct bytes key,
		      struct bytes value);
void core_journal_del(struct core_out *out, struct bytes key);

/* A TIMER event with this ticket to this role, at or after at_ms. */
uint64_t core_wake(struct core_out *out, uint64_t at_ms);

/*
 * Answer an ASKED with a blob of the store, or say why not (ERR_BUSY: ask
 * again later, ERR_REFUSED, ERR_NOT_FOUND).  root is looked at for ERR_OK.
 */
void core_reply(struct core_out *out, uint64_t asked, enum err e,
		const struct hash *root);

/* Tell people: topic such as "lease" or "job", the object, and words. */
void core_note(struct core_out *out, enum core_note_level level,
	       const char *topic, const struct hash *id, const char *fmt, ...)
	PRINTF_LIKE(5, 6);

/* The step's clock, and memory that lives until the next step. */
uint64_t core_now_ms(const struct core_out *out);
struct arena *core_arena(struct core_out *out);

#endif /* WEFT_NODE_CORE_ACT_H */
