/*
 * cli/link - the node that commands talk to: JSON-RPC and blobs over HTTP on
 * this machine.
 *
 * The node is found by its data folder (--data, $WEFT_DIR, ~/.weft): endpoint
 * and cookie stand there.  Every function says itself what went wrong and
 * gives the exit code.
 */
#ifndef WEFT_CLI_LINK_H
#define WEFT_CLI_LINK_H

#include <stdint.h>

#include <jansson.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "cli/cli.h"

struct event_base;
struct evhttp_connection;

/* The row of --data, for option tables. */
#define LINK_OPTIONS                                                     \
	{                                                                \
		"data", 0, "DIR", "the node's folder (default: ~/.weft)" \
	}

struct link {
	const char *dir;
	char host[64];
	uint16_t port;
	char cookie[80];
	struct event_base *base;
	struct evhttp_connection *connection;
};

/* The data folder as --data, $WEFT_DIR and HOME say; NULL after a message. */
const char *link_dir(struct cli *c);

/* CLI_DONE, CLI_UNREACHABLE (no node runs there), CLI_FAILED.  End with
 * link_close in any case; zero l before. */
MUST_USE enum cli_exit link_open(struct cli *c, struct link *l);

/* The same for a folder that is not the option's. */
MUST_USE enum cli_exit link_open_dir(struct cli *c, const char *dir,
				     struct link *l);
void link_close(struct link *l);

/*
 * Call a method; params' reference is taken (NULL: none).  With --explain the
 * request is shown on standard error.
 * ret_result   a new reference
 * Returns CLI_DONE, CLI_UNREACHABLE, CLI_REFUSED (funds, policy, state) or
 * CLI_FAILED, said.
 */
MUST_USE enum cli_exit link_call(struct cli *c, struct link *l,
				 const char *method, json_t *params,
				 json_t **ret_result);

/* The same, quiet: NULL on any failure. */
json_t *link_try(struct cli *c, struct link *l, const char *method,
		 json_t *params);

/* How a blob is named: the words of PUT /blob?name=. */
#define LINK_BYTES   "bytes"
#define LINK_LIST    "list"
#define LINK_PROGRAM "program"
#define LINK_HEADER  "header"

/* Store bytes at the node; its root must come out as want. */
MUST_USE enum cli_exit link_put(struct cli *c, struct link *l, const char *name,
				struct bytes body, const struct hash *want);

/*
 * Fetch a blob of `bytes` bytes and check it against its root.
 * ret_bytes   the caller's to free()
 */
MUST_USE enum cli_exit link_get(struct cli *c, struct link *l,
				const struct hash *root, uint64_t bytes,
				uint8_t **ret_bytes);

/* A full id from what was typed: 64 digits, or a unique beginning among the
 * "id"s of method's list under key. */
MUST_USE enum cli_exit link_id(struct cli *c, struct link *l,
			       const char *method, const char *key,
			       const char *typed, char ret_id[HASH_TEXT_BYTES]);

/* Members of answers; "" or 0 when absent. */
const char *link_text(const json_t *o, const char *key);
uint64_t link_number(const json_t *o, const char *key);
uint64_t link_count(const json_t *o, const char *key); /* decimal string */

#endif /* WEFT_CLI_LINK_H */
