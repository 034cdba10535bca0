/*
 * gpu/exec/priv/chain - straight stretches of ops, a tile at a time.
 *
 * A chain is a run of unguarded ops inside a basic block.  Instead of each op
 * over the whole strip, all of them run over one tile of it and then over the
 * next: a result is in CPU registers when the next op wants it, and where
 * nobody else wants it, it is never stored.  Loads of elements that lie in
 * rows are not carried out: whoever wants such an element takes it from where
 * it lies.  Only where memory allows all loads of a chain at once does it run;
 * otherwise its ops run one by one, as they do in traced runs.
 *
 * Each op is one or more links, each a small function which calls the next:
 * the op's own, one that gives NaNs their bits, one that stores.
 */
#ifndef WEFT_GPU_EXEC_PRIV_CHAIN_H
#define WEFT_GPU_EXEC_PRIV_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Vectors of a tile. */
#define TILE_VECTORS 8u

/* Where a source is. */
enum link_kind {
	LINK_V, /* vectors one behind the other, as in a register's lanes */
	LINK_B, /* one value for all */
	LINK_T, /* what the link before gives */
	LINK_U, /* vectors of 16 lanes, rows apart */
	LINK_R, /* one value for each 16 lanes, rows apart */
	LINK_KINDS
};

/* Of one, two, three sources: LINK_KINDS of them, squared, cubed. */
#define LINK_FORM(a, b, c) \
	((a) + LINK_KINDS * (b) + LINK_KINDS * LINK_KINDS * (c))

#define LINK_FORMS(sources)                         \
	((sources) == 1	  ? LINK_KINDS              \
	 : (sources) == 2 ? LINK_KINDS * LINK_KINDS \
			  : LINK_KINDS * LINK_KINDS * LINK_KINDS)

/* Of any lane set: it casts them to what they are. */
typedef void link_fn(void);

/* Ready to run on one strip.  What a link does not use is zero, but sources
 * may always be read. */
struct link {
	link_fn *fn;
	uint8_t *d; /* lane 0 */
	const uint8_t *a, *b, *c;
	int64_t a_row, b_row, c_row; /* U, R: from 16 lanes to the next */
};

struct tile {
	uint32_t block;	      /* of 16 lanes: the first */
	uint32_t nan32;	      /* the bits of a NaN */
	const uint32_t *mask; /* of lane 0; NULL: all lanes */
};

/* What an op is as a link (link_row.traits). */
#define LINK_RAW   1u /* its NaNs may have any bits */
#define LINK_BITS  2u /* it looks at the bits of a source */
#define LINK_SWAPS 4u /* a and b may change places */

struct link_row {
	link_fn *const *forms; /* by LINK_FORM; NULL: the op is no link */
	uint8_t sources;
	uint8_t traits;
};

/* What a lane set offers for chains. */
struct link_set {
	uint32_t tile_lanes;
	/* By lane_op.rounding and operation number; NULL: none. */
	const struct link_row *rows[4];
	link_fn *store;
	link_fn *store_raw; /* with the bits that NaNs shall have */
	link_fn *settle;    /* gives them these bits, in CPU registers */
	link_fn *csr;	    /* sets MXCSR: to a_row */
	link_fn *end;
	/* Lanes [lo, hi), whole tiles of them; no other lanes are on. */
	void (*run)(const struct link *first, const struct tile *t, uint32_t lo,
		    uint32_t hi);
};

#endif /* WEFT_GPU_EXEC_PRIV_CHAIN_H */
