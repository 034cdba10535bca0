/*
 * gpu/exec/priv/trace - what a traced run keeps about its CTA.
 *
 * Every access of memory is noted before it happens: which bytes of which
 * pages were read and written, and for the sanitizer by whom.  Plain runs
 * have no trace and pay nothing.
 */
#ifndef WEFT_GPU_EXEC_PRIV_TRACE_H
#define WEFT_GPU_EXEC_PRIV_TRACE_H

#include "gpu/exec/priv/machine.h"
#include "gpu/exec/priv/track.h"

struct shadow;

struct trace {
	struct pages pages;
	struct shadow *shadow; /* NULL: not sanitizing */
	bool keeps_reads;      /* which bytes, not only which pages */
	bool keeps_values; /* what the CTA itself wrote, for other threads */
	bool is_again;	   /* the CTA has to run again, races by byte */
	uint32_t nan_op, nan_thread; /* where, first */
	bool nan_matters;	     /* run again with other NaN bits */
	uint64_t *witness;	     /* a mix per thread; NULL: none */
};

/* The shadow, where nothing but its tags is to be looked at in lane ops. */
static inline const struct shadow *trace_quiet(const struct trace *t)
{
	return t != NULL && t->witness == NULL ? t->shadow : NULL;
}

/* is_shared: other threads run CTAs of the same launch. */
enum err trace_new(const struct launch *l, bool is_shared,
		   struct trace **ret_trace);
void trace_free(struct trace *t);
void trace_start(struct machine *mc);

/*
 * One access of a lane, before it happens: at host, inside window w.
 * False: the CTA has ended (mc->end says how).
 */
bool trace_access(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t address, uint8_t *host,
		  const struct window *w, uint32_t size, bool is_write);

/*
 * Addresses of a strip's lanes, from a window's start: at[i] + delta, or where
 * at is NULL in rows: first + row * (i / 16) + step * (i % 16).
 */
struct trace_at {
	const uint32_t *at;
	uint64_t least, most; /* without delta, of lanes that are on */
	int64_t delta;
	int64_t first, row;
	uint32_t step; /* 0, or an access's size */
	bool is_known; /* shadow_knows() of the address register */
};

/* An access at a slot's addresses. */
static inline struct trace_at trace_at_slot(const struct op *o,
					    const struct span_slot *k)
{
	uint32_t size = (uint32_t)o->size * o->vec;
	int64_t least = k->offset - k->low;
	int64_t most = least + (int64_t)(k->window.bytes - size - k->room);
	return (struct trace_at){.at = k->shape == SPAN_ANY ? k->at : NULL,
				 .is_known = k->is_known,
				 .least = (uint64_t)least,
				 .most = (uint64_t)most,
				 .delta = o->offset - k->offset,
				 .first = k->host - k->window.host,
				 .row = k->row,
				 .step = k->shape == SPAN_UNIT ? size : 0};
}

/*
 * An access of all lanes of mask (NULL: all), before it happens, inside
 * window w.  False: the CTA has ended.
 */
bool trace_span(struct machine *mc, struct strip *s, const struct op *o,
		const uint32_t *mask, const struct window *w,
		const struct trace_at *at, bool is_write);

/* A chain's loads through one slot, which can bring no tags and need no more
 * than being kept in mind; false: that is not so, and nothing has been done. */
bool trace_calm_loads(struct machine *mc, struct strip *s,
		      const struct chain_span *c, uint32_t chain);

/* Races of an access of shared memory that happened before; base: of at in
 * shared memory. */
void trace_again(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask, uint64_t base, const struct trace_at *at,
		 bool is_write);

/* One place for all lanes of a load, at w->host + delta. */
bool trace_fixed(struct machine *mc, struct strip *s, const struct op *o,
		 const struct window *w, int64_t delta);

/* After an atomic of a lane: what it left. */
void trace_updated(struct machine *mc, struct strip *s, const struct op *o,
		   uint32_t lane, uint8_t *host, const struct window *w);

/* The loops that go with the launch's lanes. */
const struct track_set *track_set_of(const struct launch *l);

/* Barrier id opens, before its waiters are let go; UINT32_MAX: for all. */
void trace_barrier(struct machine *mc, uint32_t id);

/* Put back what the CTA wrote. */
void trace_undo(struct trace *t);

/*
 * Run one CTA on a traced machine, again where the sanitizer must: races by
 * byte, and with other NaN bits where they matter.  Its findings make it
 * void; mc->end says the outcome.
 */
void trace_run_cta(struct machine *mc, uint64_t cta);

/* Pages as sorted, merged lists in arena. */
enum err pages_writes(const struct pages *p, struct arena *arena,
		      const struct exec_write **ret_writes, size_t *ret_count);
enum err pages_reads(const struct pages *p, const struct exec_launch *in,
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

/* Two CTAs that touch one byte, one of them writing. */
struct cross_find {
	bool found;
	uint64_t address;
	uint64_t other; /* position of the other CTA, plus 1 */
	uint32_t op;	/* this CTA's access */
	uint32_t other_op;
};

/* Take the pages of a CTA that is done; position: in the run's order. */
enum err cross_add(struct cross *x, const struct machine *mc, uint64_t position,
		   struct cross_find *ret_find);
void cross_found(const struct cross *x, struct exec_found *ret_found);

#endif /* WEFT_GPU_EXEC_PRIV_TRACE_H */
