/*
 * gpu/exec/priv/machine - the state of one CTA that runs, and its steps.
 *
 * A machine belongs to one thread of the host and runs one CTA after the
 * other.  The CTA's threads sit in strips; in a strip the lanes with the
 * lowest pc form the group that runs.
 */
#ifndef WEFT_GPU_EXEC_PRIV_MACHINE_H
#define WEFT_GPU_EXEC_PRIV_MACHINE_H

#include "gpu/exec/priv/chain_plan.h"
#include "gpu/exec/priv/lanes.h"
#include "gpu/exec/priv/op.h"

#define MACHINE_STRIPS	 (1024u / STRIP_LANES)
#define MACHINE_BARRIERS 16u

/* pcs[] of lanes that do not run. */
#define PC_EXIT UINT32_MAX
#define PC_WAIT (UINT32_MAX - 1)

/* wait[] of a lane: barrier number + 1, or this. */
#define WAIT_WARP 100u

enum step {
	STEP_NEXT,    /* on to the next op, the same group */
	STEP_JUMP,    /* s->pc is set, the same group */
	STEP_REGROUP, /* pcs[] are set for all lanes of the group */
	STEP_AGAIN,   /* likewise, and this op has not been executed */
	STEP_PAUSE,   /* this op is done; the strip must wait for others */
	STEP_STOP,    /* the CTA ends: machine->end says how */
};

/* Address registers that a strip remembers, and slot 0 that never does. */
#define SPAN_SLOTS 8u

/* A place in host memory that an address may lie in. */
struct window {
	uint8_t *host;
	uint64_t base;
	uint64_t bytes;
	uint32_t buffer; /* UINT32_MAX: none */
	uint64_t origin; /* the buffer's first address */
	bool is_writable;
	bool is_per_lane; /* local: host of lane 0, local_bytes apart */
	bool is_stack;	  /* bytes is each lane's own */
};

/* How the addresses of a strip lie to each other, by blocks of 16 lanes. */
enum span_shape {
	SPAN_UNIT, /* one element behind the other, blocks a row apart */
	SPAN_SAME, /* a block has one address, blocks are a row apart */
	SPAN_ANY,  /* as at and patterns say */
};

/* The addresses that a register gives the group, while it stays as it is.
 * With a constant offset from low to low + room all lie in the window. */
struct span_slot {
	op_ref ref;    /* the register */
	uint16_t key;  /* op.span_key */
	uint8_t shape; /* enum span_shape */
	bool is_writable;
	lane_load_fn *load; /* of shapes in rows */
	int64_t offset;	    /* for which host is right */
	int64_t low;
	uint64_t room;
	int64_t row;
	uint8_t *host;
	struct window window; /* for traced runs */
	bool is_known;	      /* and that tags say nothing against it */
	uint32_t *at;
	uint8_t patterns[STRIP_LANES / 16 + 1];
	uint32_t fill; /* another for each time that it is filled */
};

struct strip {
	struct lane_args args; /* of lane functions; operands unset */
	uint8_t *regs;
	uint32_t first;	  /* thread of lane 0 */
	uint32_t n;	  /* threads here */
	uint32_t lanes;	  /* n rounded up to LANE_STEP */
	uint32_t pc;	  /* of the group */
	uint32_t stop_pc; /* another group may be lower from here on */
	uint32_t live;	  /* threads that have not exited */
	uint32_t active;  /* of the group */
	bool is_whole;	  /* the group is all that live */
	bool runs;	  /* there is a group */
	/* All that live wait at barrier at_barrier - 1, at pc; wait[] and
	 * resume[] do not say so yet.  0: they do. */
	uint32_t at_barrier;
	const uint32_t *mask; /* of the group; NULL: all n */
	uint32_t *live_mask;
	uint32_t *group_mask;
	uint32_t *guard_mask;
	uint32_t *pcs;
	uint32_t *resume;
	uint32_t *wait;
	uint32_t *depth;   /* of calls */
	uint32_t *returns; /* [depth][lane] */
	uint32_t *callees; /* [depth][lane]: the function that was called */
	/* With a stack, bytes of it: in use, [lane]; before each call,
	 * [depth][lane]; of the variable that starts at a unit, [unit][lane].
	 */
	uint32_t *stack_top;
	uint32_t *stack_bases;
	uint32_t *stack_sizes;
	uint32_t *at;	      /* scratch: offsets of one access */
	uint32_t spans_valid; /* bits */
	struct span_slot spans[SPAN_SLOTS];
	uint32_t span_fills;
	struct chain_strip chains;
	uint8_t *frames; /* call parameters, frame_bytes a lane */
	uint8_t *local;	 /* local_bytes a lane */
};

struct barrier {
	uint32_t arrived_warps; /* by bar.arrive */
	bool and_all;		/* of bar.red */
	bool or_any;
	uint32_t popc;
};

/* How a CTA ended before its threads did. */
struct end {
	enum exec_outcome outcome;
	enum exec_reason reason;
	uint32_t op;
	uint32_t thread;
	uint64_t address;
	struct exec_range missing;
};

/*
 * A launch made ready: shared by all machines, never changes.
 */
struct launch {
	const struct exec_module *m;
	const struct exec_launch *in;
	const struct exec_options *options;
	const struct lane_set *lanes;
	const struct function *kernel;
	struct lane_op *lane_ops; /* by op */
	uint32_t csr;		  /* to start with */
	uint8_t *params;
	uint64_t param_bytes;
	uint64_t *constants;	 /* with addresses in place */
	uint8_t **variable_host; /* NULL: bound */
	uint32_t *variable_buffer;
	uint32_t threads; /* of a CTA */
	uint32_t strip_count;
	uint32_t stride; /* bytes of a unit */
	uint32_t depth_max;
	uint32_t stack_bytes; /* of a thread; 0: the kernel needs none */
	uint64_t cta_total;
	uint64_t shared_bytes; /* with dynamic */
	uint64_t dynamic_at;
	uint8_t *selected; /* by op: the witness takes its result */
	uint64_t witness_start;
	bool is_scheduled; /* by options, for a test */
	struct chain_plans chains;
};

struct trace;

struct machine {
	const struct launch *l;
	const struct lane_set *lanes;
	const struct op *ops;
	uint8_t *consts;
	uint32_t stride;
	struct strip strips[MACHINE_STRIPS];
	uint8_t *shared;
	void *memory; /* everything above, one allocation */
	uint64_t cta;
	uint32_t ctaid[3];
	uint64_t count, cost;
	uint64_t count_max, cost_max;
	uint32_t nan32;
	uint64_t nan64;
	uint32_t csr;	   /* present MXCSR */
	uint64_t schedule; /* of a test's schedule: what it draws from */
	uint32_t schedule_turn;
	struct barrier barriers[MACHINE_BARRIERS];
	struct end end;
	struct trace *trace; /* NULL: a plain run */
};

typedef enum step step_fn(struct machine *mc, struct strip *s,
			  const struct op *o, const uint32_t *mask,
			  uint32_t active);

extern step_fn *const exec_steps[OP_COUNT];

/* Slot k of shared or local memory, in the space's own addresses. */
static inline uint64_t machine_slot(uint64_t k)
{
	return (k + 1) << SLOT_SHIFT;
}

/* What starts at that unit of a thread's stack. */
static inline uint64_t machine_stack(uint32_t unit)
{
	return STACK_BASE + ((uint64_t)unit << STACK_SHIFT);
}

static inline void *machine_lanes(const struct machine *mc,
				  const struct strip *s, op_ref r)
{
	if ((r & REF_CONST) != 0)
		return mc->consts + (uint64_t)(r & ~REF_CONST) * mc->stride;
	return s->regs + (uint64_t)r * mc->stride;
}

static inline bool lane_is_on(const uint32_t *mask, uint32_t i)
{
	return mask == NULL || mask[i] != 0;
}

/* End the CTA; gives STEP_STOP. */
enum step machine_end(struct machine *mc, struct strip *s,
		      enum exec_outcome outcome, enum exec_reason reason,
		      uint32_t lane, uint64_t address);

/* The window that holds address; false: none. */
bool machine_window(const struct machine *mc, const struct strip *s,
		    enum op_space space, uint64_t address,
		    struct window *ret_window);

/* The window and offset for one access of a lane, or the CTA's end. */
bool machine_reach(struct machine *mc, struct strip *s, enum op_space space,
		   uint32_t lane, uint64_t address, uint32_t size,
		   bool is_write, uint8_t **ret_host,
		   struct window *ret_window);

/* pcs[] of the group's lanes; mask NULL: the group. */
void strip_set_pcs(struct machine *mc, struct strip *s, const uint32_t *mask,
		   uint32_t pc);
/*
 * The group parts at a branch: taken of its lanes, those of s->guard_mask, go
 * to target.  Those that are behind go on as the group, at s->pc; false: as
 * others may be further behind, the strip must be looked at as a whole.
 */
bool strip_split(struct machine *mc, struct strip *s, uint32_t target,
		 uint32_t taken);
/* Run until no lane of the strip can; false: the CTA has ended. */
bool strip_run(struct machine *mc, struct strip *s);
void strip_regroup(struct machine *mc, struct strip *s);
void strip_start(struct machine *mc, struct strip *s, uint32_t pc);

/* Schedules of tests (schedule.c): at the start of a CTA, the next group of
 * a strip, and which strip runs k-th. */
void schedule_start(struct machine *mc);
void schedule_group(struct machine *mc, struct strip *s);
uint32_t schedule_strip(struct machine *mc, uint32_t k);
/* What nothing initialises: zero, or noise where a test asks for it. */
void schedule_noise(struct machine *mc, void *p, size_t bytes, bool registers);

/* The bits of unspecified NaNs: 0 as GPUs give them, 1 and 2 others. */
void machine_set_nan(struct machine *mc, uint32_t variant);

/* The row that does the same with less; its operands are then o's. */
enum op_id op_simplify(struct op *o);
/* The ops as the loop runs them in this launch (resolve.c). */
MUST_USE enum err launch_resolve(struct launch *l);

/* Chains of this launch (chain_build.c); none where ops must run one by one. */
MUST_USE enum err launch_chain(struct launch *l);
/* The chain that starts at op pc, as a whole; 0: not now, else its ops. */
uint32_t chain_run(struct machine *mc, struct strip *s, uint32_t pc);

/* The slot with the addresses of an access of the group, filled if need be;
 * NULL: it has none. */
const struct span_slot *memory_span(struct machine *mc, struct strip *s,
				    const struct op *o);

/* Do the options ask for more than results?  Machines have a trace then. */
bool run_is_traced(const struct exec_options *o);

/* One CTA to its end; mc->end says how. */
void machine_run_cta(struct machine *mc, uint64_t cta);

/* Memory of a machine for this launch. */
MUST_USE enum err machine_new(const struct launch *l,
			      struct machine *ret_machine);
void machine_free(struct machine *mc);

#endif /* WEFT_GPU_EXEC_PRIV_MACHINE_H */
