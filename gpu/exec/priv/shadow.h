/*
 * gpu/exec/priv/shadow - the sanitizer's state beside a CTA's own.
 *
 * A tag per lane of each register and per byte of memory says whether the
 * value was never written and whether it is, or comes from, a NaN of
 * unspecified bits.  Each byte of shared memory and of touched buffers knows
 * who read and wrote it since the last barrier.
 */
#ifndef WEFT_GPU_EXEC_PRIV_SHADOW_H
#define WEFT_GPU_EXEC_PRIV_SHADOW_H

#include "gpu/exec/priv/machine.h"

#define TAG_UNSET 1u /* never written */
#define TAG_NAN	  2u
/* It is that NaN itself, untouched, of 16, 32 or 64 bits. */
#define TAG_PURE16 4u
#define TAG_PURE32 8u
#define TAG_PURE64 16u
#define TAG_PURE   (TAG_PURE16 | TAG_PURE32 | TAG_PURE64)

struct cell;

/* Who touched a byte since the last barrier; threads plus 1. */
struct byte_state {
	uint32_t epoch;
	uint16_t writer, writer_warp_epoch;
	uint16_t reader, reader_warp_epoch;
	uint8_t is_atomic; /* the writer was */
	uint8_t tag;	   /* shared memory */
};

struct shadow {
	uint32_t lanes; /* tags of a unit in a strip */
	uint8_t *tags[MACHINE_STRIPS];
	uint8_t *zero; /* of constants */
	uint8_t *local[MACHINE_STRIPS];
	uint8_t *frames[MACHINE_STRIPS];
	struct byte_state *shared;
	struct byte_state *global; /* CELL_BYTES for each cell */
	uint32_t global_cap;	   /* cells */
	uint32_t epoch;
	uint16_t warp_epoch[32];
	struct exec_finding findings[EXEC_FINDINGS_MAX];
	uint32_t finding_count;
	uint64_t finding_total;
	struct end first; /* the CTA's first finding */
};

struct shadow_place {
	uint32_t lane;
	uint64_t address;
	uint8_t *host;
	const struct window *window;
	struct cell *cell; /* NULL: no buffer */
	uint32_t size;
	bool is_write;
	bool is_atomic;
};

enum err shadow_new(const struct launch *l, struct shadow **ret_shadow);
void shadow_free(struct shadow *h);
void shadow_start(struct machine *mc);
void shadow_barrier(struct shadow *h);
void shadow_warp_barrier(struct shadow *h, uint32_t warp);

/* The tag of a NaN of that many bytes, and of a value that has parts with
 * tags a and b. */
static inline uint8_t tag_pure(uint32_t bytes)
{
	return bytes == 2   ? TAG_PURE16
	       : bytes == 4 ? TAG_PURE32
	       : bytes == 8 ? TAG_PURE64
			    : 0;
}
static inline uint8_t tag_join(uint8_t a, uint8_t b)
{
	return (uint8_t)(((a | b) & (TAG_UNSET | TAG_NAN)) |
			 (a & b & TAG_PURE));
}

/* A call begins for these lanes: what the function has is unset. */
void shadow_enter(struct machine *mc, struct strip *s, const struct function *f,
		  const uint32_t *mask);

/* Tags of a register's lanes. */
uint8_t *shadow_tags(const struct machine *mc, const struct strip *s, op_ref r);

/* After a lane op: its results' tags. */
void shadow_lanes(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask);
/* After a step that gives d (and e): tags from lane a's of the warp. */
void shadow_step(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask);
/* A value decides something for a lane. */
void shadow_use(struct machine *mc, struct strip *s, const struct op *o,
		op_ref r, uint32_t lane);
/* A predicate decides for the group's lanes. */
void shadow_decide(struct machine *mc, struct strip *s, const struct op *o);
bool shadow_access(struct machine *mc, struct strip *s, const struct op *o,
		   const struct shadow_place *p);
/* Call parameters: the op's elements of one lane. */
void shadow_frame(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t at, bool is_write);
void shadow_copy(struct machine *mc, struct strip *s, const struct call_copy *c,
		 uint32_t lane);
/* The lanes hold a defined value. */
void shadow_clear(struct machine *mc, struct strip *s, op_ref r,
		  const uint32_t *mask);
/* Lane i of d got lane j of a. */
void shadow_shuffle(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t i, uint32_t j, bool is_member, const uint8_t *old);

/* A NaN's bits decide something: the CTA runs again with others. */
void shadow_nan(struct machine *mc, struct strip *s, const struct op *o,
		uint32_t lane);
void shadow_find(struct machine *mc, struct strip *s, const struct op *o,
		 enum exec_reason kind, uint32_t lane, uint64_t address);

#endif /* WEFT_GPU_EXEC_PRIV_SHADOW_H */
