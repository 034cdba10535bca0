/*
 * Loads that share an address register: inside a basic block, the first one
 * fills a slot of the strip and later ones reuse it until the register is
 * written.
 */
#include "base/arena.h"
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/machine.h"

struct keeper {
	op_ref refs[SPAN_SLOTS]; /* REF_NONE: free */
	uint32_t next;		 /* to be replaced */
};

static void forget_all(struct keeper *k)
{
	for (uint32_t i = 0; i < SPAN_SLOTS; i++)
		k->refs[i] = REF_NONE;
}

/* A write to unit r; addresses of 64 bits have two units. */
static void forget(struct keeper *k, op_ref r)
{
	for (uint32_t i = 0; i < SPAN_SLOTS; i++) {
		if (r == k->refs[i] || r == k->refs[i] + 1 ||
		    r + 1 == k->refs[i])
			k->refs[i] = REF_NONE;
	}
}

static void keep(struct keeper *k, struct op *o)
{
	for (uint32_t i = 0; i < SPAN_SLOTS; i++) {
		if (k->refs[i] != o->a)
			continue;
		o->span_slot = (uint8_t)(i + 1);
		o->span_reuse = 1;
		return;
	}
	k->refs[k->next] = o->a;
	o->span_slot = (uint8_t)(k->next + 1);
	k->next = (k->next + 1) % SPAN_SLOTS;
}

static void walk_op(struct loader *l, struct keeper *k, struct op *o)
{
	const struct exec_module *m = l->m;
	bool loads = o->id == OP_ld || o->id == OP_ld_static;
	bool may = o->id == OP_ld && o->guard == REF_NONE &&
		   o->is_static == 0 && (o->a & REF_CONST) == 0;
	if (may)
		keep(k, o);
	forget(k, o->d);
	forget(k, o->e);
	for (uint32_t i = 0; loads && i < o->vec; i++)
		forget(k, m->lists[o->list + i]);
	if (load_is_step((enum op_id)o->id) && !loads && o->id != OP_st &&
	    o->id != OP_nop)
		forget_all(k);
}

static void mark_targets(struct loader *l, uint8_t *targets)
{
	const struct exec_module *m = l->m;
	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct op *o = &m->ops[i];
		if (o->id == OP_bra)
			targets[o->target] = 1;
		for (uint32_t k = 0; o->id == OP_brx && k < o->imm; k++)
			targets[m->tables[o->list + k]] = 1;
	}
}

void load_spans(struct loader *l)
{
	struct exec_module *m = l->m;
	struct keeper k = {.next = 0};
	uint8_t *targets = arena_alloc(m->arena, (size_t)m->op_count + 1, 1);
	if (targets == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	mark_targets(l, targets);
	forget_all(&k);
	for (uint32_t i = 0; i < m->op_count; i++) {
		if (targets[i] != 0)
			forget_all(&k);
		walk_op(l, &k, &m->ops[i]);
	}
}
