/*
 * Packed and narrow numbers: min and max of three, comparisons of halves,
 * cvt.pack, the eight-bit floats and tf32.
 */
#include "gpu/exec/priv/load_pack.h"
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/soft.h"

static struct op *emit1(struct loader *l, enum op_id id, op_ref d, op_ref a)
{
	struct op *o = load_emit(l, id);
	o->d = d;
	o->a = a;
	return o;
}

static struct op *emit2(struct loader *l, enum op_id id, op_ref d, op_ref a,
			op_ref b)
{
	struct op *o = emit1(l, id, d, a);
	o->b = b;
	return o;
}

static op_ref dest(struct loader *l, const struct ptx_operand *o, uint32_t size)
{
	return o->kind == PTX_OPERAND_NONE ? load_temp(l, 0)
					   : load_register(l, o, size);
}

/* Three f32: .abs looks at magnitudes. */
static void extreme_of_three(struct loader *l)
{
	const struct ptx_instr *in = l->in;
	uint16_t csr = load_csr(in);
	uint32_t ftz = in->mod[PTX_MOD_FTZ];
	enum op_id id = load_match(in->op, in->types[0], PTX_TYPE_NONE, in->mod,
				   1ull << PTX_MOD_ABS);
	op_ref v[3], t = load_temp(l, 3);
	for (uint32_t i = 0; i < 3; i++) {
		v[i] = load_source(l, load_operand(l, i + 1), 4);
		if (in->mod[PTX_MOD_ABS] == 0)
			continue;
		struct op *o = emit1(l, OP_abs_f32, load_temp(l, i), v[i]);
		o->imm = ftz;
		o->csr = csr;
		o->result_bytes = 4;
		v[i] = load_temp(l, i);
	}
	op_ref d = dest(l, load_operand(l, 0), 4);
	for (uint32_t i = 0; i < 2; i++) {
		struct op *o = emit2(l, id, i == 0 ? t : d, i == 0 ? v[0] : t,
				     v[i + 1]);
		o->imm = ftz;
		o->csr = csr;
		o->result_bytes = 4;
	}
}

void load_extreme(struct loader *l)
{
	if (l->in->operand_count == 4)
		extreme_of_three(l);
	else
		load_row(l);
}

/* As f32 values in two temporaries; part 1: the upper halves. */
static void widen_halves(struct loader *l, uint32_t type, uint32_t first,
			 uint32_t part)
{
	bool is_bf16 = type == PTX_TYPE_BF16 || type == PTX_TYPE_BF16X2;
	uint32_t size = load_type_bytes(type);
	for (uint32_t i = 0; i < 2; i++) {
		op_ref t = load_temp(l, 4 + i);
		op_ref a = load_source(l, load_operand(l, first + i), size);
		if (l->in->mod[PTX_MOD_FTZ] != 0) {
			emit1(l, OP_flush_f16x2, t, a);
			a = t;
		}
		if (part == 1) {
			emit1(l, OP_shift16, t, a);
			a = t;
		}
		struct op *o =
			emit1(l, is_bf16 ? OP_f32_bf16 : OP_f32_f16, t, a);
		o->csr = CSR_BASE;
		o->result_bytes = 4;
	}
}

bool load_compare_half(struct loader *l, uint32_t type, uint32_t first,
		       uint32_t part, op_ref d)
{
	/* In f32, which holds all halves; they are flushed before. */
	const uint64_t ignore = 1ull << PTX_MOD_BOOL | 1ull << PTX_MOD_FTZ;
	enum op_id id = load_match(PTX_OP_setp, PTX_TYPE_F32, PTX_TYPE_NONE,
				   l->in->mod, ignore);
	if (id == OP_COUNT) {
		load_refuse(l, "is not executed here");
		return false;
	}
	widen_halves(l, type, first, part);
	emit2(l, id, d, load_temp(l, 4), load_temp(l, 5))->csr = CSR_BASE;
	return true;
}

void load_cvt_pack(struct loader *l)
{
	const struct ptx_type_info *t = &ptx_types[l->in->types[0]];
	op_ref a = load_source(l, load_operand(l, 1), 4);
	op_ref b = load_source(l, load_operand(l, 2), 4);
	op_ref c = l->in->operand_count > 3
			   ? load_source(l, load_operand(l, 3), 4)
			   : load_constant(l, 0, false);
	struct op *o = emit2(l, OP_pack, dest(l, load_operand(l, 0), 4), a, b);
	o->c = c;
	o->imm = t->bits | (t->kind == PTX_KIND_S ? 1u << 8 : 0);
}

static uint32_t relu_bit(const struct loader *l)
{
	return l->in->mod[PTX_MOD_RELU] != 0 ? 1u << 8 : 0;
}

static bool is_f8(uint32_t type)
{
	return type == PTX_TYPE_E4M3X2 || type == PTX_TYPE_E5M2X2;
}

/* Two floats to two of eight bits; the first is the upper one. */
static void to_f8(struct loader *l)
{
	const struct ptx_instr *in = l->in;
	uint32_t imm = relu_bit(l) | (in->types[0] == PTX_TYPE_E5M2X2);
	op_ref low = load_temp(l, 0), high = load_temp(l, 1);
	if (in->types[1] == PTX_TYPE_F32) {
		op_ref a = load_source(l, load_operand(l, 1), 4);
		op_ref b = load_source(l, load_operand(l, 2), 4);
		emit1(l, OP_f8_f32, high, a)->imm = imm;
		emit1(l, OP_f8_f32, low, b)->imm = imm;
	} else {
		op_ref a = load_source(l, load_operand(l, 1), 4);
		emit1(l, OP_shift16, high, a);
		emit1(l, OP_f8_f16, high, high)->imm = imm;
		emit1(l, OP_f8_f16, low, a)->imm = imm;
	}
	emit2(l, OP_join8, dest(l, load_operand(l, 0), 2), low, high);
}

static void from_f8(struct loader *l)
{
	uint32_t imm = relu_bit(l) | (l->in->types[1] == PTX_TYPE_E5M2X2);
	op_ref low = load_temp(l, 0), high = load_temp(l, 1);
	op_ref a = load_source(l, load_operand(l, 1), 2);
	emit1(l, OP_shift8, high, a);
	for (uint32_t i = 0; i < 2; i++) {
		op_ref t = i == 0 ? low : high;
		struct op *o = emit1(l, OP_f16_f8, t, i == 0 ? a : t);
		o->imm = imm;
		o->csr = CSR_BASE;
		o->result_bytes = 2;
	}
	emit2(l, OP_join16, dest(l, load_operand(l, 0), 4), low, high);
}

static void to_tf32(struct loader *l)
{
	/* By PTX_ROUND_*: to even, down, away. */
	uint32_t round = l->in->mod[PTX_MOD_ROUND];
	uint32_t mode = round == PTX_ROUND_RN	? 0
			: round == PTX_ROUND_RZ ? 1
						: 2;
	op_ref a = load_source(l, load_operand(l, 1), 4);
	struct op *o = emit1(l, OP_tf32, dest(l, load_operand(l, 0), 4), a);
	o->imm = mode | relu_bit(l) |
		 (l->in->mod[PTX_MOD_SATFINITE] != 0 ? 1u << 9 : 0);
	o->csr = CSR_BASE;
	o->result_bytes = 4;
}

bool load_cvt_narrow(struct loader *l)
{
	const struct ptx_instr *in = l->in;
	if (in->types[0] == PTX_TYPE_TF32)
		to_tf32(l);
	else if (is_f8(in->types[0]))
		to_f8(l);
	else if (is_f8(in->types[1]))
		from_f8(l);
	else
		return false;
	return true;
}
