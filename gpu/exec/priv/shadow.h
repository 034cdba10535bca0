/*
 * gpu/exec/priv/shadow - the sanitizer's state beside a CTA's own.
 *
 * Every lane of every register has three planes of tags, laid out like the
 * registers themselves: which bits were never written, which bytes come from
 * a NaN of unspecified bits, and how the value depends on addresses.  A
 * register whose lanes are all without a tag of some plane has its flag clear
 * and the plane is not looked at: the common case costs one test.
 *
 * Bytes of shared, local and parameter memory have the same planes, bytes of
 * buffers the second one.
 */
#ifndef WEFT_GPU_EXEC_PRIV_SHADOW_H
#define WEFT_GPU_EXEC_PRIV_SHADOW_H

#include "gpu/exec/priv/form.h"
#include "gpu/exec/priv/machine.h"
#include "gpu/exec/priv/track.h"

/* Flags of a register in a strip: some lane has such a tag. */
#define FLAG_UNSET 1u
#define FLAG_NAN   2u
#define FLAG_FORM  4u

/* A byte of the NaN plane: byte k of an untouched NaN of 2, 4 or 8 bytes, or
 * computed from one. */
#define NAN_MARK   1u
#define NAN_BYTE16 0x20u
#define NAN_BYTE32 0x40u
#define NAN_BYTE64 0x80u
#define NAN_WORD16 0x2120u
#define NAN_WORD32 TRACK_NAN32
#define NAN_WORD64 0x8786858483828180u

/* The tags of one value of up to 8 bytes. */
struct tag {
	uint64_t unset; /* bits */
	uint64_t nan;	/* a code per byte */
	uint16_t form;
};

/* How tags of unset bits and NaNs follow values. */
enum flow_rule {
	FLOW_ALL,    /* any such bit of a source spoils the whole result */
	FLOW_MOVE,   /* bits of a (and b) move as the values do */
	FLOW_SIGN,   /* likewise, and the sign is repeated */
	FLOW_INVERT, /* likewise, but a NaN is one no more */
	FLOW_SHIFT,  /* a moves by b; by c: FLOW_FUNNEL */
	FLOW_FUNNEL,
	FLOW_EXTRACT, /* a, by b and c */
	FLOW_INSERT,  /* a and b, by c and f */
	FLOW_AND,
	FLOW_OR,
	FLOW_XOR,
	FLOW_LOP3,
	FLOW_CARRY,  /* upward from the lowest such bit */
	FLOW_SELECT, /* a or b, by c */
	FLOW_EQUAL,
	FLOW_FLOAT, /* a NaN or none, by the result */
	FLOW_VALUE, /* a NaN's bits do not matter */
};

/* How forms follow them. */
enum flow_form {
	FORM_ANY, /* mixed, if a source is not clean */
	FORM_COPY,
	FORM_ADD,
	FORM_SUBTRACT,
	FORM_ADD_C, /* c, if a and b are clean */
	FORM_NEGATE,
	FORM_UPPER,
	FORM_EXTEND,
	FORM_CUT, /* to the low 8 or 16 bits */
	FORM_PAIR,
	FORM_BITS_AND,
	FORM_BITS_OR,
	FORM_FIELD, /* bits [b, b + c) */
	FORM_SELECT,
	FORM_COMPARE,
};

#define WIDE_A 1u
#define WIDE_B 2u
#define WIDE_C 4u
#define WIDE_F 8u
#define WIDE_D 16u

/* Rules of a lane op; worked out once for a launch. */
struct flow {
	uint8_t rule;	/* enum flow_rule */
	uint8_t form;	/* enum flow_form */
	uint8_t result; /* of a float whose NaNs are marked; 0: none */
	uint8_t source; /* of the floats it reads */
	uint8_t wide;	/* WIDE_* */
	bool is_signed; /* FORM_COMPARE */
	uint32_t a, b, c, f, d, e; /* planes */
};

/* Tags of memory that is no page: local bytes and call parameters. */
struct tag_bytes {
	uint8_t *unset, *nan;
	uint16_t *form;
	uint8_t has; /* HAS_* */
	uint32_t bytes;
};

/* What the loop asks of an op before it leaves the tags out of it. */
struct quiet {
	uint64_t planes; /* that it reads and writes, as bits */
	uint8_t result;	 /* flow.result, where a NaN must get its marks */
};

/* And of a chain. */
struct quiet_chain {
	uint64_t planes; /* but those of its loads' addresses, as bits */
	uint32_t loads, floats, plane_count;
	/* Loads, then ops whose floats stay, then the planes. */
	const uint32_t *list;
};

/* quiet.planes of what is never quiet. */
#define QUIET_NEVER ((uint64_t)1 << 63)

struct shadow {
	const struct track_set *track;
	struct flow *flows;
	struct quiet *quiet; /* by op */
	struct quiet_chain *chains;
	uint32_t *chain_ops; /* their lists */
	/* The op's marks of NaNs follow from its result alone. */
	bool marks_fresh;
	/* Planes whose flags are not 0: a bit for each, and how many share it;
	 * QUIET_NEVER is always there. */
	uint64_t dirty[MACHINE_STRIPS];
	uint32_t dirty_count[MACHINE_STRIPS][64];
	uint32_t planes; /* registers, constants, one that stays clean */
	uint32_t clean;	 /* the last of them */
	uint32_t stride; /* bytes of a unit */
	uint8_t *flags[MACHINE_STRIPS];
	uint8_t *unset[MACHINE_STRIPS];
	uint8_t *nan[MACHINE_STRIPS];
	uint16_t *forms[MACHINE_STRIPS];      /* one for all lanes, by plane */
	uint16_t *lane_forms[MACHINE_STRIPS]; /* where those are FORM_VARIED */
	uint8_t *zero;			      /* a clean plane */
	uint8_t *scratch[2];
	uint8_t *operands; /* six of a lane op, each of two units */
	struct tag_bytes local[MACHINE_STRIPS];
	struct tag_bytes frames[MACHINE_STRIPS];
	struct form_table table;
	uint16_t *param_forms; /* by word of the kernel's parameters */

	struct calm *calm;   /* accesses that are not noted yet */
	struct page *shared; /* pages of shared memory */
	uint32_t shared_pages;
	uint8_t entry_shift;	   /* 2: race entries are words; 0: bytes */
	uint32_t number;	   /* of the last synchronisation */
	uint32_t epoch;		   /* stamp: older is ordered before all */
	uint32_t start;		   /* stamp: older is of other CTAs */
	uint32_t (*lane_seen)[32]; /* by thread: lanes of its warp */
	uint32_t warp_seen[32][32];
	uint32_t arrived[MACHINE_BARRIERS][32]; /* at bar.arrive; 0: not */
	uint32_t (*arrived_seen)[32][32];
	uint32_t *bits[6]; /* lane bits of entries, by log2 of a lane's */
	uint32_t bits_memory[64 * 32];

	struct exec_finding findings[EXEC_FINDINGS_MAX];
	uint32_t finding_count;
	uint64_t finding_total;
	struct end first; /* the CTA's first finding */
};

/* What one lane does to memory. */
struct touch {
	uint32_t lane;
	uint64_t address;
	uint8_t *host;
	const struct window *window;
	struct page *page; /* NULL: no buffer and not shared */
	uint32_t at;	   /* in the page */
	uint32_t size;
	bool is_write;
	bool is_atomic;
};

enum err shadow_new(const struct launch *l, struct shadow **ret_shadow);
void shadow_free(struct shadow *h);
void shadow_start(struct machine *mc);

/* Where a reference's tags are.  No operand has reference 0 or REF_NONE. */
static inline uint32_t shadow_plane(const struct machine *mc,
				    const struct shadow *h, op_ref r)
{
	if (r == REF_NONE || r == 0)
		return h->clean;
	return (r & REF_CONST) != 0 ? mc->l->m->unit_count + (r & ~REF_CONST)
				    : r;
}

/* The bit of dirty that a plane shares with others. */
static inline uint32_t shadow_dirty_bit(uint32_t plane)
{
	return plane % 63;
}

static inline uint64_t shadow_plane_bit(const struct shadow *h, uint32_t plane)
{
	return plane == h->clean ? 0 : (uint64_t)1 << shadow_dirty_bit(plane);
}

/* Of strip k; all flags change here. */
static inline void shadow_put_flags(struct shadow *h, uint32_t k,
				    uint32_t plane, uint8_t flags)
{
	uint8_t old = h->flags[k][plane];
	uint32_t bit = shadow_dirty_bit(plane);
	h->flags[k][plane] = flags;
	if ((old == 0) == (flags == 0))
		return;
	h->dirty_count[k][bit] += flags != 0 ? 1 : UINT32_MAX;
	if (h->dirty_count[k][bit] != 0)
		h->dirty[k] |= (uint64_t)1 << bit;
	else
		h->dirty[k] &= ~((uint64_t)1 << bit);
}

/* The group's lanes lie in [low, high). */
static inline uint32_t shadow_low(const struct strip *s)
{
	return s->args.lo & ~(LANE_STEP - 1);
}
static inline uint32_t shadow_high(const struct strip *s)
{
	return s->args.hi < s->n ? s->args.hi : s->n;
}

struct tag shadow_tag(const struct machine *mc, const struct strip *s, op_ref r,
		      uint32_t lane, bool wide);
void shadow_set_tag(struct machine *mc, struct strip *s, op_ref r,
		    uint32_t lane, bool wide, struct tag t);
bool tag_is_clear(struct tag t);
/* The lanes hold a defined value. */
void shadow_clear(struct machine *mc, struct strip *s, op_ref r, bool wide,
		  const uint32_t *mask);
/* Forms of a plane's lanes under mask: form, or lanes where not NULL. */
void shadow_put_form(struct machine *mc, struct strip *s, uint32_t at,
		     const uint32_t *mask, uint16_t form,
		     const uint16_t *lanes);
/* The rules of all ops (shadow_rules.c); false: out of memory. */
bool shadow_flows(const struct launch *l, struct shadow *h);
/* Does the op read plane only as a float of so many bytes? */
bool flow_reads_as_float(const struct shadow *h, const struct flow *f,
			 uint32_t plane, uint8_t bytes);
/* The launch's chains (shadow_chain.c), after the rules; false: no memory. */
bool shadow_plan_chains(const struct launch *l, struct shadow *h);
/* The chain at op pc, as chain_run(), where nothing has tags. */
uint32_t shadow_chain(struct machine *mc, struct strip *s, uint32_t pc);
/* Addresses in constants and parameters (shadow_form.c). */
void shadow_bases(struct machine *mc);
/* Did a selection take its first operand? */
bool shadow_took_first(struct machine *mc, struct strip *s, const struct op *o,
		       uint32_t lane);
/* The forms of an op's result (shadow_form.c). */
void shadow_forms(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask);
/* Does lane k take part in the warp operation of lane i? */
bool shadow_meets(const struct machine *mc, const struct strip *s,
		  const struct op *o, uint32_t i, uint32_t k);
/* Bytes [0, size) of a value are all parts of untouched NaNs. */
bool nan_is_whole(uint64_t codes, uint32_t size);

/*
 * May the lane op run without its tags being looked at?  Nothing that it reads
 * or writes has any; which of its results are NaNs must be asked afterwards,
 * where h->quiet[pc].result is not 0.
 */
static inline bool shadow_is_quiet(const struct shadow *h,
				   const struct strip *s, uint32_t pc)
{
	return (h->quiet[pc].planes & h->dirty[s->first / STRIP_LANES]) == 0;
}

/* Before a lane op, while its sources have their values: its results' tags. */
void shadow_before(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask);
/* After it: which of its results are NaNs. */
void shadow_after(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask);
/* After a step that gives d (and e): tags from lane a's of the warp. */
void shadow_step(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask);
/* After a step on the registers of whole warps, by lists. */
void shadow_matrix(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask);
/* After it, where its 32-bit result is known to be a float's. */
void shadow_after_float(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask);
/* A value decides something for a lane. */
void shadow_use(struct machine *mc, struct strip *s, const struct op *o,
		op_ref r, uint32_t lane);
/* The same for all lanes of mask. */
void shadow_use_all(struct machine *mc, struct strip *s, const struct op *o,
		    op_ref r, const uint32_t *mask);
/* A predicate decides for the group's lanes. */
void shadow_decide(struct machine *mc, struct strip *s, const struct op *o);

/* An address that a lane uses; false: the CTA has ended. */
bool shadow_address(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t lane, uint64_t address, const struct window *w);
/* The address register alone says that all lanes may use it in w. */
bool shadow_knows(const struct machine *mc, const struct strip *s,
		  const struct op *o, const struct window *w);
/* Addresses of all lanes of mask, in one window. */
bool shadow_addresses(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, const struct window *w);
/* May some bytes of this constant memory be addresses? */
bool shadow_holds_forms(const struct machine *mc, const struct window *w);
/* The form of bytes of a variable's initialiser. */
uint16_t shadow_initialised(struct machine *mc, uint32_t variable, uint64_t at,
			    uint32_t size);
/* A load of a kernel's parameter at a fixed place. */
void shadow_param(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask);
/* Tags of a load's or store's elements, of one lane. */
void shadow_move(struct machine *mc, struct strip *s, const struct op *o,
		 const struct touch *t);
void shadow_atomic(struct machine *mc, struct strip *s, const struct op *o,
		   const struct touch *t);
/* After it: a sum of floats that became a NaN. */
void shadow_atomic_done(struct machine *mc, struct strip *s, const struct op *o,
			const struct touch *t);
/* Call parameters: the op's elements of one lane. */
void shadow_frame(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t at, bool is_write);
/* A call begins for these lanes: what the function has is unset. */
void shadow_enter(struct machine *mc, struct strip *s, const struct function *f,
		  const uint32_t *mask);
void shadow_copy(struct machine *mc, struct strip *s, const struct call_copy *c,
		 uint32_t lane);
/* The stack of a lane (shadow_stack.c): bytes of it are taken and unset; a
 * register or a function's .param bytes are kept there or come back; a
 * parameter is copied into local memory; d is the address of a unit. */
void shadow_take(struct machine *mc, struct strip *s, uint32_t lane,
		 uint32_t at, uint32_t bytes);
void shadow_keep(struct machine *mc, struct strip *s, const struct save *r,
		 uint32_t lane, uint32_t at, bool keeps);
void shadow_keep_frame(struct machine *mc, struct strip *s, uint32_t lane,
		       struct place frame, uint32_t at, bool keeps);
void shadow_copy_param(struct machine *mc, struct strip *s, uint32_t lane,
		       struct place frame, uint64_t local_at);
void shadow_stack_address(struct machine *mc, struct strip *s,
			  const struct op *o, uint32_t lane, uint32_t unit);
/* The address that a call goes to; false: it is no address at all. */
bool shadow_target(struct machine *mc, struct strip *s, const struct op *o,
		   uint32_t lane);
/* Lane i of d gets lane j of a, whose tag was old. */
void shadow_shuffle(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t i, bool is_member, struct tag old);

/* A NaN's bits decide something: the CTA runs again with others. */
void shadow_nan(struct machine *mc, struct strip *s, const struct op *o,
		uint32_t lane);
/* Gives the finding where it is the first of its kind and line, else NULL. */
struct exec_finding *shadow_find(struct machine *mc, struct strip *s,
				 const struct op *o, enum exec_reason kind,
				 uint32_t lane, uint64_t address);
/* An access that another one races with. */
struct clash {
	uint32_t op;
	uint32_t thread;  /* or the first of its warp */
	uint32_t threads; /* 1, 32 */
};
void shadow_find_race(struct machine *mc, struct strip *s, const struct op *o,
		      uint32_t lane, uint64_t address, struct clash other);

#endif /* WEFT_GPU_EXEC_PRIV_SHADOW_H */
