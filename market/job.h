/*
 * market/job - a program bought: tasks, a price limit, a deadline, an escrow.
 *
 * A job's tasks are cut into leases by matching.  What is free is kept as
 * ranges, at most JOB_FREE_RANGES_MAX of them, the lowest first.  Everything
 * that can be charged is locked at the post; what is not spent returns when
 * the job ends, to the pick.
 */
#ifndef WEFT_MARKET_JOB_H
#define WEFT_MARKET_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/codec.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "market/offer.h"

struct ledger;

#define MARKET_DROPS_MAX     3u
#define MARKET_AGENTS_MAX    3u
#define MARKET_SKIPS_MAX     32u     /* operators that a job passes over */
#define MARKET_GRACE_MAX     100000u /* blocks */
#define MARKET_JOB_BYTES_MAX 4096u   /* an encoded job */

/* On the wire; append only. */
enum market_confidence {
	MARKET_SAMPLED = 0, /* audited as often as the record demands */
	MARKET_SAMPLES = 1, /* n samples of every lease */
	MARKET_DUAL = 2,
	MARKET_FULL = 3,
	MARKET_TASKS = 4,
};
enum market_prefer {
	MARKET_PREFER_PRICE = 0,
	MARKET_PREFER_SOON = 1,
	MARKET_PREFER_CARBON = 2, /* at most max_ug_per_gop, then price */
};
enum market_want {
	MARKET_WANT_ANY = 0,
	MARKET_WANT_CPU = 1,
	MARKET_WANT_GPU = 2,
};

/*
 * The header's totals, as the quote found them; checked against header_root
 * by auditors, not by the chain.
 */
struct market_work {
	uint64_t ops_per_task;	/* sum of CTAs * mean_ops; 1..2^62 */
	uint64_t limit_ops;	/* a task may be stopped here */
	uint64_t cta_ops_max;	/* largest cta_ops of a step */
	uint64_t sample_ops;	/* expected work of one drawn sample */
	uint64_t cta_open_max;	/* bytes of the largest opening */
	uint64_t written_bytes; /* sum of bytes the steps may write */
	uint64_t input_bytes;	/* of a task */
	uint64_t output_bytes;
	uint64_t memory_bytes; /* all buffers of a task */
	uint32_t step_count;   /* loops expanded */
	uint32_t sm_min;       /* what the PTX itself needs; 0: a cpu will do */
	uint32_t class_bit;    /* one bit of enum market_class */
};

/* What the buyer decides. */
struct market_job_terms {
	struct hash program_id;
	struct hash header_root;
	struct hash tasks_root;
	uint32_t task_count;	  /* 1..JOB_TASKS_MAX */
	uint32_t lease_tasks_min; /* 1..task_count */
	struct market_work work;
	struct coin gop_price_max;
	enum market_confidence confidence;
	uint32_t samples;     /* MARKET_SAMPLES: 20..1000, else 0 */
	uint32_t seconds_max; /* device time of a task, 0: none */
	uint64_t not_before_height;
	uint64_t deadline_height; /* at most 2^21 ahead */
	uint32_t grace_blocks;	  /* a pause may last */
	enum market_want want;
	uint32_t want_sm_min;
	uint64_t want_memory_min_bytes;
	struct market_region want_region;
	uint32_t want_record_min;
	enum market_prefer prefer;
	uint64_t max_ug_per_gop; /* MARKET_PREFER_CARBON */
	uint32_t drop_count;
	struct pubkey drops[MARKET_DROPS_MAX];
	uint32_t agent_count;
	struct pubkey agents[MARKET_AGENTS_MAX];
};

/* Append only.  In every state but ENDED the escrow is locked. */
enum market_job_state {
	MARKET_JOB_OPEN = 0,	/* matched when something is free */
	MARKET_JOB_PAUSED = 1,	/* reason says why; ends after grace */
	MARKET_JOB_CLOSING = 2, /* no new leases; ends with the last one */
	MARKET_JOB_ENDED = 3,
};

/* Where the job waits for a match. */
enum market_job_index {
	MARKET_JOB_NOWHERE = 0,
	MARKET_JOB_READY = 1,	/* MATCH looks at it */
	MARKET_JOB_WAITING = 2, /* until an offer changes or back-off ends */
};

/* An operator that this job passes over below `until_height`. */
struct market_skip {
	struct pubkey account;
	uint64_t until_height;
};

struct market_job {
	struct hash id;
	struct pubkey buyer;
	struct market_job_terms terms;
	enum market_job_state state;
	enum reason reason; /* of the pause or the end */
	uint64_t posted_height;
	uint64_t ended_height; /* 0: has not */
	uint64_t pause_until;  /* PAUSED: grace ends here */
	/* money: the escrow is the lock of this id, less the leases' own */
	struct coin escrow;	    /* still free to reserve */
	struct coin reserved;	    /* in leases that run */
	struct coin paid;	    /* to providers, withheld part included */
	struct coin fees;	    /* check, posting and idle fees */
	struct coin audit_cost;	    /* table cost of one audit, p = 1 */
	struct coin check_fee_task; /* a task's share of a smallest lease's */
	bool posting_charged;
	/* tasks: free + in_lease + committed + done + quarantined = count */
	uint32_t free_count;
	uint32_t free_ranges;
	uint32_t low_first; /* the lowest free range */
	uint32_t low_count;
	uint32_t in_lease_count;  /* open, accepted */
	uint32_t committed_count; /* committed, auditing */
	uint32_t done_count;	  /* paid for */
	uint32_t quarantined_count;
	uint32_t live_leases;
	uint32_t open_leases; /* of these: not committed yet */
	/* matching */
	enum market_job_index index;
	uint32_t backoff;      /* n: looked at again in 2^n */
	uint64_t retry_height; /* WAITING: when */
	uint64_t due_height;   /* its entry in MARKET_QUEUE_JOB; 0: none */
	/* what auditors reported: sum of 1000 * count / mean_ops */
	uint64_t counted_milli;
	uint32_t counted_samples;
	/* operators whose inputs were not served, one after another */
	uint32_t unserved_count;
	/* the first void result, until a second one confirms it */
	struct hash void_lease;
	struct hash void_prior_root;
	uint32_t skip_count;
	struct market_skip skips[MARKET_SKIPS_MAX];
};

/* Bodies: job.post = terms; [id, amount]; [id, deadline]; [id, header_root,
 * work, gop_price_max]; [id].  Decoding checks ranges; errors stick. */
struct market_job_top_up {
	struct hash id;
	struct coin amount;
};
struct market_job_extend {
	struct hash id;
	uint64_t deadline_height;
};
struct market_job_redeclare {
	struct hash id;
	struct hash header_root;
	struct market_work work;
	struct coin gop_price_max;
};
struct market_job_cancel {
	struct hash id;
};
void market_job_terms_encode(struct buf *b, const struct market_job_terms *t);
void market_job_terms_decode(struct dec *d, struct market_job_terms *ret_t);
void market_job_top_up_encode(struct buf *b, const struct market_job_top_up *x);
void market_job_top_up_decode(struct dec *d, struct market_job_top_up *ret_x);
void market_job_extend_encode(struct buf *b, const struct market_job_extend *x);
void market_job_extend_decode(struct dec *d, struct market_job_extend *ret_x);
void market_job_redeclare_encode(struct buf *b,
				 const struct market_job_redeclare *x);
void market_job_redeclare_decode(struct dec *d,
				 struct market_job_redeclare *ret_x);
void market_job_cancel_encode(struct buf *b, const struct market_job_cancel *x);
void market_job_cancel_decode(struct dec *d, struct market_job_cancel *ret_x);

/* The totals as one array of twelve. */
void market_work_encode(struct buf *b, const struct market_work *w);
void market_work_decode(struct dec *d, struct market_work *ret_w);

/* The state's record. */
void market_job_encode(struct buf *b, const struct market_job *j);
MUST_USE enum err market_job_decode(struct bytes in,
				    struct market_job *ret_job);

/* The id that a job.post gets: of its transaction's id. */
struct hash market_job_id(const struct hash *txid);

/* ERR_OK, ERR_NOT_FOUND, ERR_STORE.  One store read. */
MUST_USE enum err market_job_get(struct ledger *l, const struct hash *id,
				 struct market_job *ret_job);

/*
 * Jobs of a buyer, ended ones too, in the order of their ids: the first with
 * an id above *after (NULL: the first at all).  market_job_next_any: every
 * buyer's.  ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err market_job_next(struct ledger *l, const struct pubkey *buyer,
				  const struct hash *after,
				  struct market_job *ret_job);
MUST_USE enum err market_job_next_any(struct ledger *l,
				      const struct hash *after,
				      struct market_job *ret_job);

/*
 * The job's first free range that starts at or above *first*.
 * ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err market_job_free_next(struct ledger *l, const struct hash *id,
				       uint32_t first, uint32_t *ret_first,
				       uint32_t *ret_count);

/* Does the job pass this operator over at height? */
bool market_job_skips(const struct market_job *j, const struct pubkey *account,
		      uint64_t height);

/*
 * What an auditor counted in one sample of the job: count against the
 * header's mean_ops of its step.  From 64 samples on, a mean above 1.1 pauses
 * the job as underdeclared.  Called by verify.  ERR_OK, ERR_NOT_FOUND,
 * ERR_STORE.
 */
MUST_USE enum err market_job_counted(struct ledger *l, const struct hash *id,
				     uint64_t count, uint64_t mean_ops);

#endif /* WEFT_MARKET_JOB_H */
