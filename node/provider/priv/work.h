/*
 * node/provider/priv/work - one lease in the hands of the provider.
 */
#ifndef WEFT_NODE_PROVIDER_PRIV_WORK_H
#define WEFT_NODE_PROVIDER_PRIV_WORK_H

#include "base/arena.h"
#include "gpu/program/header.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"
#include "market/lease.h"
#include "node/core/act.h"
#include "node/provider/provider.h"

/* A fetch that failed is tried again after. */
#define WORK_RETRY_MS 300u

/* A worker that died is tried again so often. */
#define WORK_TRIES_MAX 2u

/* Samples of the self-check, and blocks before a window's end in which what
 * is done is committed. */
#define WORK_CHECK_SAMPLES 4u
#define WORK_MARGIN_BLOCKS 4u

/* What is fetched before a lease is accepted, in this order. */
enum work_phase {
	WORK_PROGRAM,
	WORK_HEADER,
	WORK_TASKS,
	WORK_INPUTS,
	WORK_READY,
};

enum task_state {
	TASK_TODO,
	TASK_RUNNING,
	TASK_TAMPERING, /* waits for its output's bytes */
	TASK_DONE,
};

struct work_task {
	enum task_state state;
	uint64_t ticket;
	unsigned tries;
	struct bytes task;	  /* encoded */
	struct bytes result;	  /* encoded; DONE */
	struct hash memory_roots; /* blob of S_0 ... S_n; DONE */
	uint64_t steps;
	uint64_t run_ms;
	uint64_t count;
	uint64_t out_bytes;
	struct core_ran *ran; /* TAMPERING: kept for a moment */
};

enum check_state {
	CHECK_NONE,
	CHECK_OPENING,
	CHECK_AUDITING,
	CHECK_FINE,
	CHECK_WRONG,
	CHECK_VOID, /* the program has no defined result there */
};

/* A task as the journal remembers it, until the lease is seen. */
struct work_kept {
	struct work_kept *next;
	uint32_t position;
	struct bytes record;
};

struct duty;

struct work {
	bool used;
	bool known; /* the journal has it */
	struct hash id;
	struct market_lease lease;
	uint64_t seen_height;
	struct arena *arena;
	/* preparation */
	enum work_phase phase;
	uint64_t ticket;
	uint64_t retry_ms;
	uint64_t begun_ms;
	uint64_t ready_ms;
	uint64_t in_bytes;
	uint32_t job_tasks; /* of the whole job */
	uint32_t input_task;
	uint32_t input_index;
	struct program program;
	struct program_header header;
	/* running */
	struct work_task *tasks; /* lease.count, once WORK_TASKS is over */
	struct work_kept *kept;
	uint32_t limit;	    /* tasks from here on are not run */
	enum reason reason; /* why limit is below lease.count */
	struct market_fault fault;
	enum check_state check;
	uint64_t check_ticket; /* of the opening */
	uint64_t check_audits[WORK_CHECK_SAMPLES];
	uint32_t check_left;
	/* results, once stated */
	bool stated;
	struct hash leaves_root;
	uint64_t leaves_bytes;
	struct hash result_root;
	struct hash receipt_root; /* the blob */
	struct hash receipt_hash;
	/* transactions */
	uint64_t tx_ticket;
	uint64_t tx_again_height;
	unsigned tx_refusals;
	/* openings, demands: duty.c */
	struct duty *duty;
};

/* Ended leases whose outputs are still kept. */
struct served {
	struct hash id;
	uint64_t until_height;
};
#define SERVED_MAX 65536u

struct provider {
	struct provider_config config;
	struct work works[PROVIDER_LEASES_MAX];
	struct served *served;
	size_t served_count;
	uint64_t height;
	bool started;
	bool paused;
	bool draining;
	uint32_t running;
	uint64_t offer_ticket;
	uint64_t offer_again_height;
	uint64_t done_tasks;
	uint64_t done_leases;
	uint64_t last_task_ms;
	enum reason last_reason;
	const char *waiting;
};

/* prepare.c: fetch what the lease needs; true when all is here. */
bool work_prepare(struct provider *p, struct work *w, struct core_out *out);
void work_fetched(struct provider *p, struct work *w, struct core_out *out,
		  const struct core_event *event);

/* run.c: tasks and their results. */
void work_schedule(struct provider *p, struct core_out *out);
void work_ran(struct provider *p, struct work *w, struct work_task *t,
	      struct core_out *out, const struct core_event *event);
void work_tampered(struct provider *p, struct work *w, struct work_task *t,
		   struct core_out *out, const struct core_event *event);
/* Tasks done from the first on, without a gap, at most limit. */
uint32_t work_done(const struct work *w);
/* Put back what the journal remembers of the tasks. */
void work_restore(struct provider *p, struct work *w);

/* state.c: what is said to the ledger. */
void work_accept(struct provider *p, struct work *w, struct core_out *out);
void work_decline(struct provider *p, struct work *w, struct core_out *out,
		  enum reason reason);
/* Results of the first done tasks: list blob, roots, receipt. */
bool work_state_results(struct provider *p, struct work *w,
			struct core_out *out, uint32_t done);
void work_commit(struct provider *p, struct work *w, struct core_out *out);

/* check.c: 4 CTAs of one task, before the commit. */
void work_check(struct work *w, struct core_out *out);
void work_check_opened(struct provider *p, struct work *w, struct core_out *out,
		       const struct core_event *event);
/* true if the event was the check's. */
bool work_check_audited(struct work *w, struct core_out *out,
			const struct core_event *event);
/* What the ledger will know of the lease. */
void work_claim(const struct work *w, struct program_claim *ret_claim);

/* duty.c: openings for auditors, answers to demands. */
void duty_drive(struct provider *p, struct work *w, struct core_out *out,
		struct ledger *view);
/* true if the event was the duty's. */
bool duty_event(struct provider *p, struct work *w, struct core_out *out,
		const struct core_event *event);
void duty_asked(struct provider *p, struct work *w, struct core_out *out,
		const struct core_event *event);

#endif /* WEFT_NODE_PROVIDER_PRIV_WORK_H */
