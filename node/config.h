/*
 * node/config - what one node is told: a file, then flags.
 *
 * The file has lines "key = value" under "[section]"; "#" begins a comment.
 * A flag "--section.key=value" says the same as a line; "--data DIR" and
 * "--config FILE" come first.  An unknown key is an error.  The keys stand
 * in one table, which also prints the manual.
 */
#ifndef WEFT_NODE_CONFIG_H
#define WEFT_NODE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

#define CONFIG_PATH_BYTES 1024u
#define CONFIG_TEXT_BYTES 128u

/* section, key, kind, default, words; kinds: number, text, path, flag */
/* clang-format off */
#define CONFIG_LIST(X)                                                         \
	X(node, data, path, "", "folder of this node; made if missing")        \
	X(node, host, text, "127.0.0.1", "address to listen on")               \
	X(node, port, number, "9420", "0: any free one")                       \
	X(node, network, path, "", "network file to join; none: own chain")    \
	X(node, genesis, path, "", "JSON for a new own chain")                 \
	X(node, worker, path, "", "weft-worker; none: beside weftd")           \
	X(node, announce, flag, "true", "tell the chain this node's address")  \
	X(node, log, text, "info", "debug, info, warn or error")               \
	X(node, blob_quota_mib, number, "20480", "unpinned blobs go above")    \
	X(node, reserve_mib, number, "256", "free disk below which no "        \
					    "transaction is taken")            \
	X(node, rollback, number, "0", "step back to this height and end")     \
	X(node, history, flag, "true", "keep account lines and tx index")      \
	X(node, paranoid, flag, "false", "count all money after each block")   \
	X(solo, block_ms, number, "1000", "least distance of two blocks")      \
	X(solo, chain_id, text, "weft-solo", "of a new own chain")             \
	X(solo, fund_weft, number, "1000000", "what a new chain's wallet has") \
	X(provider, enabled, flag, "false", "sell this machine's work")        \
	X(provider, owner, text, "", "account that is paid; none: this one")   \
	X(provider, name, text, "cpu", "device name in the offer")             \
	X(provider, region, text, "", "region tag")                            \
	X(provider, gop_price_picks, number, "10000", "price per Gop")         \
	X(provider, value_min_picks, number, "0", "of a lease")                \
	X(provider, rate, number, "1000000000", "instructions a second")       \
	X(provider, slots, number, "1", "leases at a time")                    \
	X(provider, tasks, number, "1", "tasks at a time")                     \
	X(provider, threads, number, "0", "of a task; 0: all")                 \
	X(provider, memory_mib, number, "1024", "of a task")                   \
	X(provider, task_seconds, number, "3600", "a task is stopped after")   \
	X(provider, offer_blocks, number, "1000000", "an offer stands for")    \
	X(provider, keep_blocks, number, "20000", "outputs are kept for")      \
	X(provider, bond_target_picks, number, "0", "withheld up to this")     \
	X(provider, watts, number, "0", "0: not stated")                       \
	X(verifier, enabled, flag, "false", "audit others' work")              \
	X(verifier, bond_picks, number, "10000000000", "bonded at start")      \
	X(verifier, audits, number, "1", "samples at a time")                  \
	X(buyer, enabled, flag, "true", "fetch outputs of own jobs")           \
	X(demo, tamper, number, "0", "cheat in every n-th task; 0: never")
/* clang-format on */

#define CONFIG_FIELD_number(name) uint64_t name;
#define CONFIG_FIELD_text(name)	  char name[CONFIG_TEXT_BYTES];
#define CONFIG_FIELD_path(name)	  char name[CONFIG_PATH_BYTES];
#define CONFIG_FIELD_flag(name)	  bool name;

struct config {
#define X(section, key, kind, value, words) CONFIG_FIELD_##kind(section##_##key)
	CONFIG_LIST(X)
#undef X
	/* not in files: do one thing and end */
	bool init;    /* --init: make keys, print who this is */
	bool fsck;    /* --fsck: look at everything */
	bool help;    /* --help */
	bool version; /* --version */
};

#define CONFIG_ERROR_BYTES 256u

/* All defaults. */
void config_init(struct config *c);

/*
 * Lines of a file.  reterr_words says line and what was expected.
 * Returns ERR_OK, ERR_MALFORMED.
 */
MUST_USE enum err config_parse(struct config *c, struct bytes text,
			       char reterr_words[CONFIG_ERROR_BYTES]);

/*
 * Flags over the file that --config names, or <data>/weft.conf if it is
 * there, over defaults.
 * Returns ERR_OK, ERR_MALFORMED, ERR_IO (the file), ERR_NOT_FOUND (no data
 * folder was named and there is no HOME).
 */
MUST_USE enum err config_load(struct config *c, int argc, char **argv,
			      char reterr_words[CONFIG_ERROR_BYTES]);

/* The manual of all keys. */
void config_help(struct buf *out);

#endif /* WEFT_NODE_CONFIG_H */
