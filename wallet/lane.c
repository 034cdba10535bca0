/* Ranges are a table; an object picks its lane by its id, which is a hash. */
#include "wallet/lane.h"

#include <stddef.h>

struct range {
	uint8_t first;
	uint8_t count;
};

static const struct range ranges[] = {
	[WALLET_USE_MONEY] = {0, 1},	  [WALLET_USE_NODE] = {1, 1},
	[WALLET_USE_JOB] = {2, 14},	  [WALLET_USE_OFFER] = {16, 16},
	[WALLET_USE_LEASE] = {32, 64},	  [WALLET_USE_AUDIT] = {96, 64},
	[WALLET_USE_DISPUTE] = {160, 96},
};

uint8_t wallet_lane(enum wallet_use use, const struct hash *object)
{
	struct range r = ranges[use];
	uint32_t pick = object ? u32_be(object->b) % r.count : 0;

	return (uint8_t)(r.first + pick);
}
