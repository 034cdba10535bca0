/*
 * node/genesis - where a chain comes from: an own one, a JSON file, or the
 * nodes of a network file.
 *
 * Genesis JSON: {"chain_id", "time_ms", "params": {name: "n"}, "accounts":
 * [{"address", "balance_picks"}], "validators": [{"key", "vrf", "account",
 * "power"}]}; without validators this node is the only one.
 * Network JSON: {"chain_id", "genesis_hash", "nodes": [{"endpoint"}]}.
 */
#ifndef WEFT_NODE_GENESIS_H
#define WEFT_NODE_GENESIS_H

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "ledger/genesis.h"
#include "node/config.h"
#include "node/engine/engine.h"
#include "node/keys.h"

struct arena;

#define NETWORK_ENDPOINT_BYTES 160u

struct network {
	char chain_id[33];
	struct hash genesis_hash;
	size_t node_count;
	char endpoints[ENGINE_PEERS_MAX][NETWORK_ENDPOINT_BYTES];
};

#define GENESIS_ERROR_BYTES 256u

/* "weft" for the main network, "weftt" for all others. */
const char *genesis_hrp(struct bytes chain_id);

/* An own chain whose genesis funds this node's account. */
MUST_USE enum err genesis_own(struct arena *a, const struct config *config,
			      const struct keys *keys, uint64_t time_ms,
			      struct ledger_genesis *ret_genesis);

/* Returns ERR_OK, ERR_MALFORMED with words, ERR_NO_MEMORY. */
MUST_USE enum err genesis_parse(struct arena *a, struct bytes json,
				const struct keys *keys, uint64_t time_ms,
				struct ledger_genesis *ret_genesis,
				char reterr_words[GENESIS_ERROR_BYTES]);

/* Returns ERR_OK, ERR_MALFORMED with words. */
MUST_USE enum err network_parse(struct bytes json, struct network *ret_network,
				char reterr_words[GENESIS_ERROR_BYTES]);

/* The file that others join with. */
void network_print(const struct network *n, struct buf *out);

#endif /* WEFT_NODE_GENESIS_H */
