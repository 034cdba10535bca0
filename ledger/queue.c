/*
 * Key: prefix, u8 queue, u64be height, id.  The value only has to be there.
 */
#include "ledger/queue.h"

#include <string.h>

#include "base/must.h"
#include "ledger/priv/state.h"
#include "ledger/rules.h"

static const uint8_t present[1] = {0xc0}; /* msgpack nil */

static struct ledger_key queue_key(uint8_t queue)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_QUEUE);

	must(queue > 0 && queue < QUEUES_MAX);
	key_u8(&k, queue);
	return k;
}

static struct ledger_key entry_key(uint8_t queue, uint64_t due_height,
				   const struct hash *id)
{
	struct ledger_key k = queue_key(queue);

	key_u64(&k, due_height);
	key_hash(&k, id);
	return k;
}

enum err ledger_queue_add(struct ledger *l, uint8_t queue, uint64_t due_height,
			  const struct hash *id)
{
	struct ledger_key k = entry_key(queue, due_height, id);
	uint16_t *added = &l->priv->at.queue_added[queue];

	if (!hash_is_zero(&l->tx_id)) {
		if (*added >= LEDGER_HOOK_ENTRIES_MAX)
			return ledger_refuse(l, REASON_limit_reached);
		(*added)++;
	}
	return ledger_put(l, &k, bytes_of(present, sizeof(present)));
}

enum err ledger_queue_take(struct ledger *l, uint8_t queue, uint64_t due_height,
			   const struct hash *id, bool *ret_there)
{
	struct ledger_key k = entry_key(queue, due_height, id);
	enum err e = ledger_del(l, &k);

	*ret_there = e == ERR_OK;
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

enum err ledger_queue_remove(struct ledger *l, uint8_t queue,
			     uint64_t due_height, const struct hash *id)
{
	bool there;

	return ledger_queue_take(l, queue, due_height, id, &there);
}

static enum err entry_after(struct ledger *l, uint8_t queue,
			    const struct ledger_key *from,
			    uint64_t *ret_due_height, struct hash *ret_id)
{
	struct ledger_key prefix = queue_key(queue);
	struct ledger_key k;
	struct bytes value;
	enum err e;

	e = ledger_scan(l, &prefix, from, true, &k, &value);
	if (e != ERR_OK)
		return e;
	*ret_due_height = u64_be(k.b + 2);
	memcpy(ret_id->b, k.b + 10, sizeof(ret_id->b));
	return ERR_OK;
}

enum err ledger_queue_first(struct ledger *l, uint8_t queue,
			    uint64_t *ret_due_height, struct hash *ret_id)
{
	return entry_after(l, queue, NULL, ret_due_height, ret_id);
}

enum err ledger_queue_next(struct ledger *l, uint8_t queue,
			   uint64_t *due_height, struct hash *id)
{
	struct ledger_key k = entry_key(queue, *due_height, id);

	return entry_after(l, queue, &k, due_height, id);
}
