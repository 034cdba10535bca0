/*
 * Video instructions: one lane operation, whose constant says which parts,
 * signs and second step the text asks for.  SIMD ones permute their sources
 * first.
 */
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/video.h"

static enum op_id video_id(uint32_t op)
{
	static const uint16_t ids[PTX_OP_COUNT] = {
		[PTX_OP_vadd] = OP_vadd,
		[PTX_OP_vsub] = OP_vsub,
		[PTX_OP_vabsdiff] = OP_vabsdiff,
		[PTX_OP_vmin] = OP_vmin,
		[PTX_OP_vmax] = OP_vmax,
		[PTX_OP_vshl] = OP_vshl,
		[PTX_OP_vshr] = OP_vshr,
		[PTX_OP_vset] = OP_vset,
		[PTX_OP_vmad] = OP_vmad,
		[PTX_OP_vadd2] = OP_vadd2,
		[PTX_OP_vsub2] = OP_vsub2,
		[PTX_OP_vavrg2] = OP_vavrg2,
		[PTX_OP_vmin2] = OP_vmin2,
		[PTX_OP_vmax2] = OP_vmax2,
		[PTX_OP_vset2] = OP_vset2,
		[PTX_OP_vadd4] = OP_vadd4,
		[PTX_OP_vsub4] = OP_vsub4,
		[PTX_OP_vavrg4] = OP_vavrg4,
		[PTX_OP_vmin4] = OP_vmin4,
		[PTX_OP_vmax4] = OP_vmax4,
		[PTX_OP_vset4] = OP_vset4,
		[PTX_OP_vabsdiff2] = OP_vabsdiff2,
		[PTX_OP_vabsdiff4] = OP_vabsdiff4,
	};
	return (enum op_id)ids[op];
}

static bool is_set(uint32_t op)
{
	return op == PTX_OP_vset || op == PTX_OP_vset2 || op == PTX_OP_vset4;
}

/* vset has no type of its result: it is a 0 or 1. */
static bool has_sign(const struct ptx_instr *in, uint32_t which)
{
	uint32_t skip = is_set(in->op) ? 1 : 0;
	if (which < skip)
		return false;
	return ptx_types[in->types[which - skip]].kind == PTX_KIND_S;
}

static op_ref source(struct loader *l, uint32_t i)
{
	/* The sign of vmad's operands is in the constant. */
	struct ptx_operand o = *load_operand(l, i);
	if (i >= l->in->operand_count)
		return load_constant(l, 0, false);
	o.negated = false;
	return load_source(l, &o, 4);
}

static void emit(struct loader *l, op_ref a, op_ref b, uint32_t imm)
{
	op_ref c = source(l, 3);
	op_ref d = load_operand(l, 0)->kind == PTX_OPERAND_NONE
			   ? load_temp(l, 0)
			   : load_register(l, load_operand(l, 0), 4);
	struct op *o = load_emit(l, video_id(l->in->op));
	o->d = d;
	o->a = a;
	o->b = b;
	o->c = c;
	o->imm = imm;
}

void load_video(struct loader *l)
{
	static const uint32_t seconds[7] = {
		[PTX_ATOM_ADD] = VIDEO_ADD,
		[PTX_ATOM_MIN] = VIDEO_MIN,
		[PTX_ATOM_MAX] = VIDEO_MAX,
	};
	const struct ptx_instr *in = l->in;
	uint32_t imm = VIDEO_PARTS((uint32_t)load_operand(l, 1)->select,
				   (uint32_t)load_operand(l, 2)->select,
				   (uint32_t)load_operand(l, 0)->select);
	imm |= has_sign(in, 0) ? VIDEO_D_SIGNED : 0;
	imm |= has_sign(in, 1) ? VIDEO_A_SIGNED : 0;
	imm |= has_sign(in, 2) ? VIDEO_B_SIGNED : 0;
	imm |= in->mod[PTX_MOD_SAT] != 0 ? VIDEO_SAT : 0;
	imm |= in->mod[PTX_MOD_SHIFT] == PTX_SHIFT_WRAP ? VIDEO_WRAP : 0;
	imm |= in->mod[PTX_MOD_PO] != 0 ? VIDEO_PLUS_ONE : 0;
	imm |= in->mod[PTX_MOD_SCALE] == PTX_SCALE_SHR7 ? VIDEO_SHR7 : 0;
	imm |= in->mod[PTX_MOD_SCALE] == PTX_SCALE_SHR15 ? VIDEO_SHR15 : 0;
	imm |= (uint32_t)in->mod[PTX_MOD_CMP] << VIDEO_COMPARE_SHIFT;
	imm |= seconds[in->mod[PTX_MOD_ATOM] % 7];
	if (in->op == PTX_OP_vmad) {
		bool minus = load_operand(l, 1)->negated !=
			     load_operand(l, 2)->negated;
		imm |= minus ? VIDEO_MINUS_PRODUCT : 0;
		imm |= load_operand(l, 3)->negated ? VIDEO_MINUS_C : 0;
	}
	op_ref a = source(l, 1), b = source(l, 2);
	emit(l, a, b, imm);
}

/* The lanes that operand i names, out of the pair of sources. */
static op_ref permuted(struct loader *l, uint32_t i, op_ref a, op_ref b,
		       uint32_t lanes)
{
	uint32_t chosen = load_operand(l, i)->lanes, selector = 0;
	if (load_operand(l, i)->select != PTX_SELECT_LANES)
		return i == 1 ? a : b;
	for (uint32_t k = 0; k < lanes; k++) {
		uint32_t from = PTX_LANE(chosen, k);
		selector |= lanes == 4 ? from << (4 * k)
				       : (from * 2 | (from * 2 + 1) << 4)
						 << (8 * k);
	}
	struct op *o = load_emit(l, OP_prmt);
	o->d = load_temp(l, i);
	o->a = a;
	o->b = b;
	o->c = load_constant(l, selector, false);
	return load_temp(l, i);
}

void load_simd(struct loader *l)
{
	const struct ptx_instr *in = l->in;
	const struct ptx_operand *d = load_operand(l, 0);
	uint32_t lanes = ptx_lane_count(in->op), imm = 0;
	for (uint32_t i = 0; i < PTX_LANE_COUNT(d->lanes); i++)
		imm |= 1u << PTX_LANE(d->lanes, i);
	if (d->select != PTX_SELECT_LANES)
		imm = (1u << lanes) - 1;
	imm |= has_sign(in, 0) ? SIMD_D_SIGNED : 0;
	imm |= has_sign(in, 1) ? SIMD_A_SIGNED : 0;
	imm |= has_sign(in, 2) ? SIMD_B_SIGNED : 0;
	imm |= in->mod[PTX_MOD_SAT] != 0 ? SIMD_SAT : 0;
	imm |= in->mod[PTX_MOD_ATOM] != 0 ? SIMD_ADD : 0;
	imm |= (uint32_t)in->mod[PTX_MOD_CMP] << SIMD_COMPARE_SHIFT;
	op_ref a = source(l, 1), b = source(l, 2);
	op_ref x = permuted(l, 1, a, b, lanes);
	op_ref y = permuted(l, 2, a, b, lanes);
	emit(l, x, y, imm);
}
