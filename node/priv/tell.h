/*
 * node/priv/tell - the objects with which the node answers the RPC, and how
 * values look in them: 64-bit numbers as decimal strings with the unit in the
 * name, ids in hex, heights and indexes as numbers.
 */
#ifndef WEFT_NODE_PRIV_TELL_H
#define WEFT_NODE_PRIV_TELL_H

#include <jansson.h>

#include "node/priv/node.h"

/* As rpc_ops.tell: a new object, NULL for an unknown id.  id may be NULL. */
json_t *node_tell(struct node *n, enum rpc_topic topic, const struct hash *id);

void tell_u64(json_t *j, const char *key, uint64_t v);
void tell_number(json_t *j, const char *key, uint64_t v);
void tell_hash(json_t *j, const char *key, const struct hash *h);
void tell_account(struct node *n, json_t *j, const char *key,
		  const struct pubkey *pk);
void tell_reason(json_t *j, enum reason r);

/* tell_job.c */
json_t *tell_job_result(struct node *n, struct ledger *view,
			const struct hash *id);
json_t *tell_job_log(struct node *n, struct ledger *view,
		     const struct hash *id);

/* tell_audit.c */
json_t *tell_audits(struct node *n, struct ledger *view,
		    const struct hash *lease);
json_t *tell_receipts(struct node *n, struct ledger *view,
		      const struct hash *lease);

#endif /* WEFT_NODE_PRIV_TELL_H */
