/*
 * cli/buy - a manifest bought through a node: built here, its blobs put to
 * the node, the job submitted, its results fetched.
 */
#ifndef WEFT_CLI_BUY_H
#define WEFT_CLI_BUY_H

#include "cli/cli.h"
#include "cli/link.h"
#include "cli/local.h"

/* The rows of what a buyer may say, for option tables. */
#define BUY_OPTIONS                                                        \
	{"price", 0, "WEFT", "most per Gop (default: 2 x the median)"},    \
		{"deadline", 0, "BLOCKS", "from now on (default: 10000)"}, \
		{"samples", 0, "N", "look at N samples of every lease"},   \
		{"key", 0, "TEXT", "idempotency key: the same buys once"}, \
		LINK_OPTIONS

struct buy {
	struct local_job job;
	struct hash tasks_root;
	json_t *params; /* of job.quote and job.submit; owned */
};

/*
 * Read, compile, build and quote the manifest of operand 0, and name its
 * tasks.  Puts nothing.  End with buy_close in any case.
 */
MUST_USE enum cli_exit buy_open(struct cli *c, const char *path, struct buy *b);

/* Put program, header, tasks and inputs to the node. */
MUST_USE enum cli_exit buy_put(struct cli *c, struct link *l, struct buy *b);

/* job.submit; ret_id the job's. */
MUST_USE enum cli_exit buy_submit(struct cli *c, struct link *l, struct buy *b,
				  char ret_id[HASH_TEXT_BYTES],
				  json_t **ret_answer);
void buy_close(struct buy *b);

/*
 * Fetch what is there of a job's outputs into dir, write tasks.csv and the
 * view.  m names the buffers.
 * is_partial  do not wait for outputs that are on their way to the node
 * ret_done    tasks whose outputs came
 */
MUST_USE enum cli_exit buy_fetch(struct cli *c, struct link *l,
				 const struct manifest *m, const char *id,
				 const char *dir, bool is_partial,
				 uint64_t *ret_done);

#endif /* WEFT_CLI_BUY_H */
