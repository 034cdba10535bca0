/*
 * gpu/ptx/needs - a table of what is newer than sm_75 and PTX 6.3.
 *
 * Every rule that fits an instruction raises the result; ptxas is the judge
 * of the table (tests/gpu/ptx/ptxas.c).
 */
#include "gpu/ptx/priv/needs.h"

#include "gpu/ptx/print.h"

#define ANY	  0xffffu
#define NO_GROUP  PTX_MOD_COUNT
#define ANY_VALUE 0xffu

struct rule {
	uint16_t op;   /* enum ptx_op, or ANY */
	uint16_t type; /* among the instruction's types, or ANY */
	uint8_t group; /* enum ptx_group, or NO_GROUP */
	uint8_t value; /* in the group, or ANY_VALUE: any that is written */
	uint16_t sm, version;
};

/* clang-format off */
#define TYPE(op, type, sm, version) \
	{PTX_OP_##op, PTX_TYPE_##type, NO_GROUP, 0, sm, version}
#define MOD(op, group, sm, version) \
	{PTX_OP_##op, ANY, PTX_MOD_##group, ANY_VALUE, sm, version}
#define VALUE(op, group, value, sm, version) \
	{PTX_OP_##op, ANY, PTX_MOD_##group, PTX_##group##_##value, sm, version}
#define BOTH(op, type, group, value, sm, version) \
	{PTX_OP_##op, PTX_TYPE_##type, PTX_MOD_##group, \
	 PTX_##group##_##value, sm, version}
#define EVERY_TYPE(type, sm, version) \
	{ANY, PTX_TYPE_##type, NO_GROUP, 0, sm, version}
#define EVERY(group, sm, version) \
	{ANY, ANY, PTX_MOD_##group, ANY_VALUE, sm, version}

static const struct rule rules[] = {
	EVERY_TYPE(B128, 70, 83),
	{ANY, PTX_TYPE_B128, PTX_MOD_SCOPE, PTX_SCOPE_SYS, 70, 84},
	EVERY_TYPE(F32X2, 100, 86),
	EVERY_TYPE(TF32, 80, 70),
	EVERY_TYPE(E4M3X2, 89, 81), EVERY_TYPE(E5M2X2, 89, 81),
	EVERY_TYPE(E4M3, 89, 84),   EVERY_TYPE(E5M2, 89, 84),
	EVERY_TYPE(BF16, 80, 70),   EVERY_TYPE(BF16X2, 80, 70),
	EVERY_TYPE(U16X2, 90, 80),  EVERY_TYPE(S16X2, 90, 80),
	EVERY(CACHE_HINT, 80, 74),
	EVERY(EVICT, 75, 74),
	EVERY(EVICT_L2, 80, 74),
	EVERY(PREFETCH, 75, 74),
	{ANY, ANY, PTX_MOD_PREFETCH, PTX_PREFETCH_L2_256, 80, 74},
	{ANY, ANY, PTX_MOD_SCOPE, PTX_SCOPE_CLUSTER, 90, 78},
	{ANY, ANY, PTX_MOD_SPACE, PTX_SPACE_SHARED_CLUSTER, 90, 78},
	VALUE(ld, VEC, V8, 100, 88), VALUE(st, VEC, V8, 100, 88),
	VALUE(ldu, VEC, V8, 100, 88),
	{ANY, ANY, PTX_MOD_SEM, PTX_SEM_MMIO, 75, 82},
	TYPE(abs, F16, 75, 65),   TYPE(abs, F16X2, 75, 65),
	TYPE(neg, F16, 75, 60),   TYPE(neg, F16X2, 75, 60),
	TYPE(add, BF16, 90, 78),  TYPE(add, BF16X2, 90, 78),
	TYPE(sub, BF16, 90, 78),  TYPE(sub, BF16X2, 90, 78),
	TYPE(mul, BF16, 90, 78),  TYPE(mul, BF16X2, 90, 78),
	MOD(fma, RELU, 80, 70),
	TYPE(min, F16, 80, 70),   TYPE(min, F16X2, 80, 70),
	TYPE(max, F16, 80, 70),   TYPE(max, F16X2, 80, 70),
	MOD(min, NAN, 80, 70),    MOD(max, NAN, 80, 70),
	MOD(min, XORSIGN, 86, 72), MOD(max, XORSIGN, 86, 72),
	MOD(min, RELU, 90, 80),   MOD(max, RELU, 90, 80),
	TYPE(ex2, F16, 75, 70),   TYPE(ex2, F16X2, 75, 70),
	TYPE(ex2, BF16, 90, 78),  TYPE(ex2, BF16X2, 90, 78),
	TYPE(tanh, BF16, 90, 78), TYPE(tanh, BF16X2, 90, 78),
	TYPE(set, BF16, 90, 78),  TYPE(set, BF16X2, 90, 78),
	TYPE(setp, BF16, 90, 78), TYPE(setp, BF16X2, 90, 78),
	TYPE(cvt, F16X2, 80, 70),
	MOD(cvt, RELU, 80, 70),
	BOTH(cvt, F16, SATFINITE, ON, 75, 81),
	BOTH(cvt, BF16, SATFINITE, ON, 80, 81),
	BOTH(cvt, F16X2, SATFINITE, ON, 80, 81),
	BOTH(cvt, BF16X2, SATFINITE, ON, 80, 81),
	BOTH(cvt, TF32, SATFINITE, ON, 80, 81),
	BOTH(cvt, TF32, ROUND, RN, 90, 78),
	BOTH(cvt, TF32, ROUND, RZ, 90, 78),
	MOD(lop3, BOOL, 70, 82),
	MOD(atom, VEC, 90, 81),   MOD(red, VEC, 90, 81),
	TYPE(atom, BF16, 90, 78), TYPE(atom, BF16X2, 90, 78),
	TYPE(red, BF16, 90, 78),  TYPE(red, BF16X2, 90, 78),
	TYPE(atom, B128, 90, 83),
	VALUE(cvta, SPACE, PARAM, 75, 77),
	VALUE(isspacep, SPACE, PARAM, 75, 77),
	VALUE(cvta, SPACE, PARAM_ENTRY, 75, 77),
	VALUE(isspacep, SPACE, PARAM_ENTRY, 75, 77),
	VALUE(mma, SHAPE, M16N8K8, 75, 65),
	VALUE(mma, SHAPE, M8N8K16, 75, 65),
	VALUE(mma, SHAPE, M8N8K32, 75, 65),
	VALUE(mma, SHAPE, M8N8K128, 75, 70),
	VALUE(mma, SHAPE, M16N8K4, 80, 70),
	VALUE(mma, SHAPE, M16N8K16, 80, 70),
	VALUE(mma, SHAPE, M16N8K32, 80, 70),
	VALUE(mma, SHAPE, M16N8K64, 80, 70),
	VALUE(mma, SHAPE, M16N8K128, 80, 70),
	VALUE(mma, SHAPE, M16N8K256, 80, 70),
	BOTH(mma, F64, SHAPE, M8N8K4, 80, 70),
	BOTH(mma, F64, SHAPE, M16N8K4, 90, 78),
	BOTH(mma, F64, SHAPE, M16N8K8, 90, 78),
	BOTH(mma, F64, SHAPE, M16N8K16, 90, 78),
	VALUE(mma, BOOL, AND, 80, 71),
	VALUE(fence, SEM, ACQUIRE, 90, 86),
	VALUE(fence, SEM, RELEASE, 90, 86),
};
/* clang-format on */

/* The first version that knows an architecture. */
static const struct needs first_version[] = {
	{80, 70},  {86, 71},  {87, 74},	 {88, 90},  {89, 78},  {90, 78},
	{100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88},
};

struct needs needs_least(void)
{
	return (struct needs){PTX_SM_MIN, PTX_VERSION_MIN};
}

static void raise_to(struct needs *n, uint16_t sm, uint16_t version)
{
	if (sm > n->sm)
		n->sm = sm;
	if (version > n->version)
		n->version = version;
}

static bool fits(const struct rule *r, const struct ptx_instr *in)
{
	bool typed = r->type == ANY;

	if (r->op != ANY && r->op != in->op)
		return false;
	for (uint32_t i = 0; i < 4 && !typed; i++)
		typed = in->types[i] == r->type;
	if (!typed)
		return false;
	if (r->group == NO_GROUP)
		return true;
	return r->value == ANY_VALUE ? in->mod[r->group] != 0
				     : in->mod[r->group] == r->value;
}

static void add_sreg(struct needs *n, uint32_t sreg)
{
	switch (sreg) {
	case PTX_SREG_CLUSTERID:
	case PTX_SREG_NCLUSTERID:
	case PTX_SREG_CLUSTER_CTAID:
	case PTX_SREG_CLUSTER_NCTAID:
	case PTX_SREG_CLUSTER_CTARANK:
	case PTX_SREG_CLUSTER_NCTARANK:
	case PTX_SREG_EXPLICIT_CLUSTER:
		raise_to(n, 90, 78);
		return;
	case PTX_SREG_AGGR_SMEM:
		raise_to(n, 90, 81);
		return;
	case PTX_SREG_RESERVED_SMEM:
	case PTX_SREG_RESERVED_SMEM_BEGIN:
	case PTX_SREG_RESERVED_SMEM_END:
	case PTX_SREG_RESERVED_SMEM_CAP:
		raise_to(n, 80, 76);
		return;
	default:
		return;
	}
}

void needs_add_instr(struct needs *n, const struct ptx_function *f,
		     const struct ptx_instr *in)
{
	raise_to(n, ptx_ops[in->op].sm, ptx_ops[in->op].version);
	for (uint32_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (fits(&rules[i], in))
			raise_to(n, rules[i].sm, rules[i].version);
	for (uint32_t i = 0; i < in->operand_count; i++)
		if (ptx_operand(f, in, i)->kind == PTX_OPERAND_SREG)
			add_sreg(n, ptx_operand(f, in, i)->index);
	if ((in->op == PTX_OP_min || in->op == PTX_OP_max) &&
	    in->operand_count == 4)
		raise_to(n, 100, 88);
	/* cp.async that may ignore its source. */
	if (in->op == PTX_OP_cp_async && in->operand_count == 4 &&
	    ptx_operand(f, in, 3)->cls == PTX_CLASS_PRED)
		raise_to(n, 80, 75);
	if (in->op == PTX_OP_cvt && in->types[0] == PTX_TYPE_TF32 &&
	    in->mod[PTX_MOD_SATFINITE] &&
	    in->mod[PTX_MOD_ROUND] != PTX_ROUND_RNA)
		raise_to(n, 100, 86);
	if (in->op == PTX_OP_set &&
	    ptx_types[in->types[0]].kind != PTX_KIND_F &&
	    (in->types[1] == PTX_TYPE_F16 || in->types[1] == PTX_TYPE_F16X2))
		raise_to(n, 75, 65);
	/* Loads and stores of 32 bytes. */
	if (in->mod[PTX_MOD_VEC] == PTX_VEC_V4 &&
	    ptx_types[in->types[0]].bits == 64)
		raise_to(n, 100, 88);
	/* Eight-bit factors in the short shape, or added up in halves. */
	if (in->op == PTX_OP_mma && ptx_types[in->types[1]].bits == 8 &&
	    ptx_types[in->types[1]].kind == PTX_KIND_F &&
	    (in->mod[PTX_MOD_SHAPE] == PTX_SHAPE_M16N8K16 ||
	     in->types[0] == PTX_TYPE_F16))
		raise_to(n, 89, 87);
	/* bfloat16 against anything but float. */
	if (in->op == PTX_OP_cvt) {
		uint8_t a = in->types[0], b = in->types[1];

		if ((a == PTX_TYPE_BF16 && b != PTX_TYPE_F32) ||
		    (b == PTX_TYPE_BF16 && a != PTX_TYPE_F32) ||
		    (a == PTX_TYPE_BF16 &&
		     in->mod[PTX_MOD_ROUND] != PTX_ROUND_RN &&
		     in->mod[PTX_MOD_ROUND] != PTX_ROUND_RZ) ||
		    (b == PTX_TYPE_BF16 && in->mod[PTX_MOD_FTZ]))
			raise_to(n, 90, 78);
		else if (b == PTX_TYPE_BF16)
			raise_to(n, 80, 71);
		if (a == PTX_TYPE_F16X2 &&
		    (b == PTX_TYPE_E4M3X2 || b == PTX_TYPE_E5M2X2))
			raise_to(n, 89, 81);
	}
}

void needs_add_function(struct needs *n, const struct ptx_function *f)
{
	if (f->is_entry && f->param_bytes > 4352)
		raise_to(n, 70, 81);
	if (f->is_noreturn)
		raise_to(n, 30, 64);
	if (f->reg_count[PTX_CLASS_128])
		raise_to(n, 70, 83);
}

void needs_add_variable(struct needs *n, const struct ptx_variable *v)
{
	for (uint32_t i = 0; i < v->reloc_count; i++)
		if (v->relocs[i].bytes == 1)
			raise_to(n, 20, 71);
}

void needs_settle(struct needs *n)
{
	size_t count = sizeof(first_version) / sizeof(first_version[0]);

	for (size_t i = 0; i < count; i++)
		if (first_version[i].sm == n->sm)
			raise_to(n, 0, first_version[i].version);
}
