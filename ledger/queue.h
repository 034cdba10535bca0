/*
 * ledger/queue - what is due at which height, oldest first.
 *
 * A queue is a number; its entries are (height, id), each at most once.
 * Market owns queues 1-31, verify 32-63.  A hook that names a queue gets its
 * due entries (ledger/rules.h).
 */
#ifndef WEFT_LEDGER_QUEUE_H
#define WEFT_LEDGER_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/hash.h"
#include "ledger/state.h"

/*
 * Put id in at due_height (a height that has passed is due at once).
 * In a transaction at most 1,024 entries a block enter one queue; more are
 * refused with limit_reached.  Hooks are not limited: they work bounded
 * queues.
 * Returns ERR_OK, ERR_REFUSED, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_queue_add(struct ledger *l, uint8_t queue,
				   uint64_t due_height, const struct hash *id);

/* Take it out; ERR_OK also if it was not there. */
MUST_USE enum err ledger_queue_remove(struct ledger *l, uint8_t queue,
				      uint64_t due_height,
				      const struct hash *id);

/* The oldest entry, due or not.  ERR_OK, ERR_NOT_FOUND (empty), ERR_STORE. */
MUST_USE enum err ledger_queue_first(struct ledger *l, uint8_t queue,
				     uint64_t *ret_due_height,
				     struct hash *ret_id);

/* The one after (*due_height, *id).  ERR_OK, ERR_NOT_FOUND, ERR_STORE. */
MUST_USE enum err ledger_queue_next(struct ledger *l, uint8_t queue,
				    uint64_t *due_height, struct hash *id);

/* Take an entry out and say whether it was there.  ERR_OK, ERR_STORE,
 * ERR_NO_MEMORY. */
MUST_USE enum err ledger_queue_take(struct ledger *l, uint8_t queue,
				    uint64_t due_height, const struct hash *id,
				    bool *ret_there);

#endif /* WEFT_LEDGER_QUEUE_H */
