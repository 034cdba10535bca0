/*
 * gpu/exec/priv/chain_plan - a launch's chains, and what a strip keeps of them.
 */
#ifndef WEFT_GPU_EXEC_PRIV_CHAIN_PLAN_H
#define WEFT_GPU_EXEC_PRIV_CHAIN_PLAN_H

#include "gpu/exec/priv/chain.h"
#include "gpu/exec/priv/op.h"

#define CHAIN_SOURCES 3u

/* No register, but an element of an access: source.at is the offset to its
 * span's first one. */
#define SOURCE_NO_SPAN UINT32_MAX

struct link_source {
	op_ref ref;
	uint32_t span; /* of the launch's chain spans; or SOURCE_NO_SPAN */
	int64_t at;
	uint8_t kind; /* enum link_kind; of a span, as its slot says */
};

struct link_plan {
	const struct link_row *row; /* NULL: fn is one for all */
	link_fn *fn;
	op_ref d;     /* where it stores, or REF_NONE */
	uint32_t csr; /* of a link that sets it */
	struct link_source sources[CHAIN_SOURCES];
};

/* Loads of a chain through one slot. */
struct chain_span {
	uint32_t op; /* the first of them */
	int64_t low; /* least and greatest offset */
	int64_t high;
};

struct chain {
	uint32_t ops; /* so many from its first on */
	uint32_t first_link, link_count;
	uint32_t first_span, span_count;
	uint32_t first_patch, patch_count;
	uint32_t last_load; /* op index; UINT32_MAX: none */
	uint32_t csr;	    /* MXCSR behind it; 0: as before */
	uint8_t spoils;
};

struct chain_plans {
	struct chain *chains;
	uint32_t count;
	struct link_plan *links;
	uint32_t link_count;
	struct chain_span *spans;
	uint32_t span_count;
	uint32_t patch_count; /* sources of links that are loads */
};

/* What a strip has found out about a span: of which filling. */
struct span_seen {
	uint32_t fill; /* 0: nothing */
	uint8_t shape;
	int64_t row;
	uintptr_t base; /* of lane 0 without an offset */
};

/* An address in a link that moves with a load's. */
struct link_patch {
	const uint8_t **address;
	uint32_t span;
};

/* By the launch's numbers of links, spans and chains. */
struct chain_strip {
	struct link *links;
	struct span_seen *seen;
	struct link_patch *patches;
	uint8_t *states; /* enum chain_state */
};

#endif /* WEFT_GPU_EXEC_PRIV_CHAIN_PLAN_H */
