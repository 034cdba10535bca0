/*
 * gpu/exec/priv/trace - what a traced run keeps about its CTA.
 *
 * Traced runs go lane by lane through memory and note here what was read and
 * written; plain runs have no trace and pay nothing.
 */
#ifndef WEFT_GPU_EXEC_PRIV_TRACE_H
#define WEFT_GPU_EXEC_PRIV_TRACE_H

#include "gpu/exec/priv/machine.h"

/*
 * One access of a lane, before it happens: at host, inside window w.
 * False: the CTA has ended (mc->end says how).
 */
bool trace_access(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t address, const uint8_t *host,
		  const struct window *w, uint32_t size, bool is_write);

/* A barrier of the CTA has opened. */
void trace_barrier(struct machine *mc);

#endif /* WEFT_GPU_EXEC_PRIV_TRACE_H */
