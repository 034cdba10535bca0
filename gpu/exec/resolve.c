/*
 * From a module's ops to what the loop needs of them in one launch: functions
 * of the launch's lanes, places instead of references, and what is known
 * before anything runs.
 */
#include <stdlib.h>

#include "gpu/exec/priv/machine.h"

static uint32_t place_of(const struct launch *l, op_ref r)
{
	if (r == REF_NONE)
		return 0;
	uint32_t at = (r & ~REF_CONST) * (l->stride / 64);
	return (r & REF_CONST) != 0 ? at | LANE_CONST : at;
}

static bool is_uniform(op_ref r)
{
	return r != REF_NONE && (r & REF_CONST) != 0;
}

#define CSR_ROUNDING 0x6000u

/* What MXCSR must be for this op. */
static uint32_t csr_of(const struct launch *l, const struct op *o)
{
	lane_fn *fn = l->lanes->ops[o->id];
	bool rounds = fn != NULL && l->lanes->rounds(fn);
	return rounds ? o->csr & ~CSR_ROUNDING : o->csr;
}

/* The MXCSR that all ops want; 0: they differ. */
static uint32_t common_csr(const struct launch *l)
{
	uint32_t csr = 0;
	for (uint32_t i = 0; i < l->m->op_count; i++) {
		uint32_t want = csr_of(l, &l->m->ops[i]);
		if (want != 0 && csr != 0 && want != csr)
			return 0;
		csr = want != 0 ? want : csr;
	}
	return csr == 0 ? CSR_BASE : csr;
}

/* A row that does the same with less, and its operands in o. */
enum op_id op_simplify(struct op *o)
{
	bool rotates = (o->id == OP_shf_l_wrap || o->id == OP_shf_r_wrap) &&
		       o->a == o->b;
	if (!rotates)
		return (enum op_id)o->id;
	o->b = o->c;
	o->c = REF_NONE;
	o->last_reads =
		(uint8_t)((o->last_reads & READS_A) |
			  ((o->last_reads & READS_C) != 0 ? READS_B : 0));
	return o->id == OP_shf_l_wrap ? OP_rotl_32 : OP_rotr_32;
}

static void resolve(const struct launch *l, const struct op *from, uint32_t csr,
		    struct lane_op *ret)
{
	struct op changed = *from, *o = &changed;
	enum op_id id = op_simplify(o);
	*ret = (struct lane_op){
		.fn = l->lanes->ops[id],
		.d = place_of(l, o->d),
		.e = place_of(l, o->e),
		.a = place_of(l, o->a),
		.b = place_of(l, o->b),
		.c = place_of(l, o->c),
		.f = place_of(l, o->f),
		.imm = o->imm,
		.csr = (uint16_t)csr_of(l, from),
		.rounding = (uint8_t)((o->csr & CSR_ROUNDING) >> 13),
		.id = (uint16_t)id,
		.spoils = o->spoils,
		.uniform = (uint8_t)((is_uniform(o->a) ? UNIFORM_A : 0) |
				     (is_uniform(o->b) ? UNIFORM_B : 0) |
				     (is_uniform(o->c) ? UNIFORM_C : 0)),
	};
	ret->flags = (uint8_t)((o->guard != REF_NONE ? LANE_GUARDED : 0) |
			       (ret->fn == NULL ? LANE_STEPS : 0) |
			       (o->csr != 0 && csr == 0 ? LANE_CSR : 0));
}

enum err launch_resolve(struct launch *l)
{
	const struct exec_module *m = l->m;
	uint32_t csr = common_csr(l);
	uint64_t most = (uint64_t)(m->unit_count > m->constant_units
					   ? m->unit_count
					   : m->constant_units) *
			(l->stride / 64);
	if (most >= LANE_CONST)
		return ERR_NO_MEMORY;
	l->csr = csr != 0 ? csr : CSR_BASE;
	l->lane_ops = calloc((size_t)m->op_count + 1, sizeof(*l->lane_ops));
	if (l->lane_ops == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->op_count; i++)
		resolve(l, &m->ops[i], csr, &l->lane_ops[i]);
	return launch_chain(l);
}
