/*
 * node/provider/tamper - a provider that cheats, for the demo and for tests
 * that play the attacker.  It is off unless the configuration says
 * "[demo] tamper", and nothing else in the node knows of it.
 *
 * After a task ran, the lowest bit of every fourth byte of its first saved
 * buffer is turned: a picture that looks right and is wrong.  Roots, traces
 * and openings are then made to agree with the lie, as a careful cheat would,
 * so that only re-running a thread block shows it.
 */
#ifndef WEFT_NODE_PROVIDER_TAMPER_H
#define WEFT_NODE_PROVIDER_TAMPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/program/program.h"
#include "gpu/program/trace.h"

struct arena;

struct tamper_config {
	bool on;
	uint32_t one_in; /* tasks whose index divides by it; 1: every one */
};

bool tamper_wants(const struct tamper_config *t, uint64_t task_index);

/* The object that is tampered with; UINT32_MAX if nothing is saved. */
uint32_t tamper_object(const struct program *p);

/* Turn the bits, in place. */
void tamper_bytes(uint8_t *p, uint64_t n);

/*
 * Make the end of a trace agree: object_roots[object] becomes root, the last
 * of the memory roots (32 bytes each, in place) follows, and ret_trace is the
 * trace root over them.  Returns ERR_OK, ERR_NO_MEMORY.
 */
MUST_USE enum err tamper_trace(struct arena *a, struct hash *object_roots,
			       uint32_t object_count, uint32_t object,
			       const struct hash *root, uint8_t *memory_roots,
			       uint64_t root_count, struct hash *ret_trace);

/*
 * Make an honest opening with a tampered result lie as well: where it shows
 * the last state of the object, it shows bytes.
 * Returns ERR_OK with the new encoding in out, or the errors of decoding.
 */
MUST_USE enum err tamper_opening(struct arena *a, struct bytes opening,
				 uint32_t object, struct bytes bytes,
				 struct buf *out);

#endif /* WEFT_NODE_PROVIDER_TAMPER_H */
