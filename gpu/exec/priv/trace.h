/*
 * gpu/exec/priv/trace - what a traced run keeps about its CTA.
 *
 * Traced runs go lane by lane through memory and note here what was read and
 * written, in cells of 64 bytes of a buffer; plain runs have no trace and pay
 * nothing.
 */
#ifndef WEFT_GPU_EXEC_PRIV_TRACE_H
#define WEFT_GPU_EXEC_PRIV_TRACE_H

#include "gpu/exec/priv/machine.h"

#define CELL_BYTES 64u

/* 64 aligned bytes of a buffer that the CTA has touched; masks by byte. */
struct cell {
	uint64_t number; /* offset / CELL_BYTES */
	uint32_t buffer;
	uint32_t bytes; /* less at a buffer's or piece's end */
	uint64_t written;
	uint64_t read;
	uint64_t atomic;   /* every access was atomic */
	uint64_t plain;	   /* some access was not */
	uint64_t nan;	   /* part of a NaN of unspecified bits */
	uint8_t nan_bytes; /* its size */
	uint8_t *host;
	uint8_t old[CELL_BYTES]; /* before the CTA wrote */
};

/* Cells by hash; emptied for each CTA. */
struct cells {
	struct cell *list;
	uint32_t count, cap;
	uint32_t *slots; /* index + 1 */
	uint32_t slot_cap;
	uint32_t last; /* found last */
};

struct shadow;

struct trace {
	struct cells cells;
	struct shadow *shadow; /* NULL: not sanitizing */
	bool out_of_memory;
	uint32_t nan_op, nan_thread; /* where, first */
	bool nan_matters;	     /* run again with other NaN bits */
	uint64_t *witness;	     /* a mix per thread; NULL: none */
};

enum err trace_new(const struct launch *l, struct trace **ret_trace);
void trace_free(struct trace *t);
void trace_start(struct trace *t);

/*
 * One access of a lane, before it happens: at host, inside window w.
 * False: the CTA has ended (mc->end says how).
 */
bool trace_access(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t address, uint8_t *host,
		  const struct window *w, uint32_t size, bool is_write);

/* A barrier of the CTA has opened. */
void trace_barrier(struct machine *mc);

/* The cell of offset, new if need be; NULL: out of memory. */
struct cell *cells_at(struct cells *c, uint32_t buffer, uint64_t offset,
		      const struct window *w);

/* Put back what the CTA wrote. */
void trace_undo(struct trace *t);

/*
 * After a CTA ended well: its findings, whether it does the same on other, a
 * machine with other addresses (NULL: not asked), and whether other NaN bits
 * change what it wrote (it is run twice more then); mc->end says the outcome.
 */
void trace_judge(struct machine *mc, struct machine *other);

/* Merge the CTA's cells into those of the whole run. */
enum err cells_merge(struct cells *to, const struct cells *from);
void cells_free(struct cells *c);

/* Cells as sorted, merged lists in arena. */
enum err cells_writes(const struct cells *c, struct arena *arena,
		      const struct exec_write **ret_writes, size_t *ret_count);
enum err cells_reads(const struct cells *c, const struct exec_launch *in,
		     struct arena *arena, const struct exec_range **ret_reads,
		     size_t *ret_count);

/* Witness: which ops the seed selects, and mixing their results. */
enum err witness_select(struct launch *l);
void witness_start(struct machine *mc);
void witness_mix(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask);
void witness_branch(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t active, const uint32_t *taken);
struct hash witness_end(const struct machine *mc);

/* Who touched what over all CTAs of a run (cross.c). */
struct cross;
struct cross *cross_new(const struct exec_options *options);
void cross_free(struct cross *x);
/* Take the cells of a CTA that is done; gives the address of a byte that
 * another CTA wrote or that this one wrote and another touched, or 0. */
uint64_t cross_add(struct cross *x, const struct cells *c, uint64_t cta);
void cross_found(const struct cross *x, struct exec_found *ret_found);

#endif /* WEFT_GPU_EXEC_PRIV_TRACE_H */
