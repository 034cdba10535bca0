/*
 * Loads and stores whose address register has not changed since the strip
 * last used it need not look at their addresses again.  Each such register
 * gets a slot of the strip; every op says which slots its results spoil.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/machine.h"

#define ALL_SLOTS ((1u << SPAN_SLOTS) - 1)

static bool uses_slot(const struct op *o)
{
	return (o->id == OP_ld || o->id == OP_st) && o->is_static == 0 &&
	       o->a != REF_NONE && (o->a & REF_CONST) == 0;
}

/* Slots in the order of the registers' first use in f; by unit, a bit each. */
static void take_slots(struct exec_module *m, const struct function *f,
		       uint8_t *slots)
{
	uint32_t next = 0;
	for (uint32_t i = f->entry; i < f->end; i++) {
		struct op *o = &m->ops[i];
		if (!uses_slot(o))
			continue;
		if (slots[o->a] == 0)
			slots[o->a] =
				(uint8_t)(2u << next++ % (SPAN_SLOTS - 1));
		/* A place may be another's second half: the first wins. */
		o->span_slot = (uint8_t)__builtin_ctz(slots[o->a]);
		o->span_key = (uint16_t)(o->size * o->vec << 8 | o->space << 1 |
					 o->is_wide);
		if (o->is_wide != 0)
			slots[o->a + 1] |= slots[o->a];
	}
}

/* The slots of the units that a result takes. */
static uint8_t spoiled(const struct exec_module *m, const uint8_t *slots,
		       op_ref r, uint32_t units)
{
	uint8_t bits = 0;
	if (r == REF_NONE || (r & REF_CONST) != 0)
		return 0;
	for (uint32_t k = 0; k < units && r + k < m->unit_count; k++)
		bits |= slots[r + k];
	return bits;
}

/* Steps that write nothing but d and e. */
static bool is_plain_step(const struct op *o)
{
	switch (o->id) {
	case OP_st:
	case OP_bra:
	case OP_exit:
	case OP_nop:
	case OP_bar_sync:
	case OP_bar_red:
	case OP_bar_arrive:
	case OP_bar_warp:
	case OP_shfl:
	case OP_vote:
	case OP_atom:
	case OP_red:
		return true;
	default:
		return false;
	}
}

static uint8_t spoils(const struct exec_module *m, const struct op *o,
		      const uint8_t *slots)
{
	bool loads = o->id == OP_ld || o->id == OP_ld_static;
	bool is_step = load_is_step((enum op_id)o->id);
	uint8_t bits = 0;
	if (is_step && !loads && !is_plain_step(o))
		return ALL_SLOTS;
	for (uint32_t k = 0; loads && k < o->vec; k++)
		bits |= spoiled(m, slots, m->lists[o->list + k],
				o->size == 8 ? 2 : 1);
	uint32_t units = is_step ? 2 : load_result_units((enum op_id)o->id);
	bits |= spoiled(m, slots, o->d, units);
	return bits | spoiled(m, slots, o->e, 2);
}

static void set_spoils(struct exec_module *m, const struct function *f,
		       const uint8_t *slots)
{
	for (uint32_t i = f->entry; i < f->end; i++)
		m->ops[i].spoils = spoils(m, &m->ops[i], slots);
}

/* Kernels have slots of their own: their registers share one place. */
void load_spans(struct loader *l)
{
	struct exec_module *m = l->m;
	size_t n = (size_t)m->unit_count + 2;
	uint8_t *slots = calloc(n, 1), *own = malloc(n);
	if (slots == NULL || own == NULL) {
		free(slots);
		free(own);
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < m->function_count; i++) {
		if (!m->functions[i].is_entry)
			take_slots(m, &m->functions[i], slots);
	}
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct function *f = &m->functions[i];
		memcpy(own, slots, n);
		if (f->is_entry)
			take_slots(m, f, own);
		set_spoils(m, f, own);
	}
	free(slots);
	free(own);
}
