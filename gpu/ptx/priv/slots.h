/*
 * gpu/ptx/priv/slots - places in local memory that are as good as registers.
 *
 * Unoptimised code keeps every variable in a frame of its function.  A slot is
 * a few bytes of a function's own .local variable that only its own loads and
 * stores touch, each as a whole and at an offset that can be read off the
 * text.  In a copy of the function they become moves to and from a register of
 * the slot, so that the analyser sees one value at a time.
 *
 * Whether other accesses keep out of a slot is known only when all addresses
 * are: the analysis assumes it, slots_check() looks at what it found, and what
 * was wrong is assumed no more the next time.  That is sound: the first access
 * that does not keep out has an address for which the assumption held.
 */
#ifndef WEFT_GPU_PTX_PRIV_SLOTS_H
#define WEFT_GPU_PTX_PRIV_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/ptx/module.h"

struct analysis;

struct slot {
	uint32_t variable; /* in module->variables */
	uint32_t at;
	uint8_t bytes;
	uint8_t cls;	 /* enum ptx_class of its register */
	bool has_class;	 /* some store of a register gave it */
	bool is_dropped; /* it stays memory */
	uint32_t reg;	 /* in cls, if not dropped */
};

struct slots {
	struct slot *list; /* by variable and offset */
	uint32_t count;
	uint32_t *first; /* [own variable] in list; and behind the last */
	/* [instruction] the slot of a load or store, or PTX_NO_INDEX. */
	uint32_t *of;
};

/*
 * Finds the slots of a function; all are good at first.  Cost: linear in
 * instructions and in the bytes of its local variables, near that in slots.
 * Returns ERR_OK, ERR_NO_MEMORY.
 */
MUST_USE enum err slots_find(struct arena *a, const struct ptx_module *m,
			     uint32_t function, struct slots *ret);

/*
 * A copy of the function (its instructions and operands) with moves for the
 * accesses of slots that are not dropped.  Returns ERR_OK, ERR_NO_MEMORY.
 */
MUST_USE enum err slots_apply(struct arena *a, const struct ptx_function *f,
			      struct slots *s, struct ptx_function *ret);

/*
 * After access_find(): drops every slot that some access, made as memory, may
 * touch.  True: some slot was dropped, the analysis has to be made again.
 */
bool slots_check(struct analysis *n);

/* Drops all; true: there were some. */
bool slots_drop_all(struct analysis *n);

#endif /* WEFT_GPU_PTX_PRIV_SLOTS_H */
