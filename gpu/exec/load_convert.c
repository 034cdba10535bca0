/*
 * cvt: a row of lane operations, from the source's register to a 32- or
 * 64-bit value, to the destination's type, into its register.
 */
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/load_pack.h"
#include "gpu/exec/priv/soft.h"

/* Modifiers that change nothing about which pieces are needed. */
struct cvt {
	uint32_t dst, src;	   /* enum ptx_type */
	uint32_t dst_reg, src_reg; /* bytes of the registers */
	op_ref d, a;
	uint32_t round;	  /* enum soft_round */
	bool is_integral; /* rni rzi rmi rpi */
	bool ftz, sat;
	uint16_t csr;
};

static op_ref apply(struct loader *l, enum op_id id, op_ref to, op_ref from,
		    uint32_t imm, uint16_t csr)
{
	struct op *o = load_emit(l, id);
	o->d = to;
	o->a = from;
	o->imm = imm;
	o->csr = csr;
	return to;
}

static uint32_t kind(uint32_t type)
{
	return ptx_types[type].kind;
}

static enum soft_int int_code(uint32_t type)
{
	uint32_t is_signed = kind(type) == PTX_KIND_S;
	switch (load_type_bytes(type)) {
	case 1:
		return (enum soft_int)(SOFT_U8 + is_signed);
	case 2:
		return (enum soft_int)(SOFT_U16 + is_signed);
	case 4:
		return (enum soft_int)(SOFT_U32 + is_signed);
	default:
		return (enum soft_int)(SOFT_U64 + is_signed);
	}
}

/* Extend the low bytes of 32-bit lanes by a type; 4 bytes: as they are. */
static op_ref extend32(struct loader *l, uint32_t type, op_ref to, op_ref from)
{
	bool is_signed = kind(type) == PTX_KIND_S;
	switch (load_type_bytes(type)) {
	case 1:
		return apply(l, is_signed ? OP_ext_s8 : OP_ext_u8, to, from, 0,
			     0);
	case 2:
		return apply(l, is_signed ? OP_ext_s16 : OP_ext_u16, to, from,
			     0, 0);
	default:
		return from;
	}
}

/* A 32-bit value of an integer type into a register of any width. */
static void put_int32(struct loader *l, const struct cvt *c, uint32_t type,
		      op_ref v)
{
	if (c->dst_reg == 8)
		apply(l, kind(type) == PTX_KIND_S ? OP_widen_s : OP_widen_u,
		      c->d, v, 0, 0);
	else
		apply(l, c->dst_reg == 2 ? OP_ext_u16 : OP_mov_32, c->d, v, 0,
		      0);
}

/* The source as a 64-bit value of its type. */
static op_ref source64(struct loader *l, const struct cvt *c)
{
	op_ref v = c->a, t = load_temp(l, 0);
	if (load_type_bytes(c->src) == 8)
		return v;
	if (c->src_reg == 8)
		v = apply(l, OP_narrow, t, v, 0, 0);
	v = extend32(l, c->src, t, v);
	return apply(l, kind(c->src) == PTX_KIND_S ? OP_widen_s : OP_widen_u,
		     load_temp(l, 1), v, 0, 0);
}

/* The source as a 32-bit value of its type (at most 4 bytes). */
static op_ref source32(struct loader *l, const struct cvt *c)
{
	op_ref v = c->a, t = load_temp(l, 0);
	if (c->src_reg == 8)
		v = apply(l, OP_narrow, t, v, 0, 0);
	return extend32(l, c->src, t, v);
}

static void int_to_int(struct loader *l, const struct cvt *c)
{
	uint32_t from = load_type_bytes(c->src), to = load_type_bytes(c->dst);
	op_ref t = load_temp(l, 2);
	if (c->sat) {
		op_ref v = apply(
			l, OP_int_sat, t, source64(l, c),
			int_code(c->src) | (uint32_t)int_code(c->dst) << 8, 0);
		if (c->dst_reg == 8)
			apply(l, OP_mov_64, c->d, v, 0, 0);
		else
			put_int32(
				l, c, c->dst,
				apply(l, OP_narrow, load_temp(l, 3), v, 0, 0));
		return;
	}
	if (from == 8 && to == 8) {
		apply(l, OP_mov_64, c->d, c->a, 0, 0);
		return;
	}
	if (to == 8 && from < 8) {
		apply(l, kind(c->src) == PTX_KIND_S ? OP_widen_s : OP_widen_u,
		      c->d, source32(l, c), 0, 0);
		return;
	}
	op_ref v = from == 8 ? apply(l, OP_narrow, load_temp(l, 0), c->a, 0, 0)
			     : source32(l, c);
	/* A narrower type is extended again, as the destination's. */
	if (to < from || kind(c->dst) != kind(c->src))
		v = extend32(l, c->dst, t, v);
	put_int32(l, c, c->dst, v);
}

static void int_to_half(struct loader *l, const struct cvt *c)
{
	bool is_signed = kind(c->src) == PTX_KIND_S;
	enum op_id id = c->dst == PTX_TYPE_F16
				? (is_signed ? OP_f16_s64 : OP_f16_u64)
				: (is_signed ? OP_bf16_s64 : OP_bf16_u64);
	apply(l, id, c->d, source64(l, c), 0, c->csr);
	if (c->sat)
		apply(l, OP_clamp_f16, c->d, c->d, 0, 0);
}

static void int_to_float(struct loader *l, const struct cvt *c)
{
	bool is_f32 = c->dst == PTX_TYPE_F32;
	bool is_signed = kind(c->src) == PTX_KIND_S;
	bool wide = load_type_bytes(c->src) == 8;
	static const enum op_id ids[2][4] = {
		{OP_f64_u32, OP_f64_s32, OP_f64_u64, OP_f64_s64},
		{OP_f32_u32, OP_f32_s32, OP_f32_u64, OP_f32_s64},
	};
	if (c->dst == PTX_TYPE_F16 || c->dst == PTX_TYPE_BF16) {
		int_to_half(l, c);
		return;
	}
	if (c->dst != PTX_TYPE_F32 && c->dst != PTX_TYPE_F64) {
		load_refuse(l, "is not executed here");
		return;
	}
	op_ref v = wide ? c->a : source32(l, c);
	apply(l, ids[is_f32][(wide ? 2 : 0) + is_signed], c->d, v, 0, c->csr);
	if (c->sat)
		apply(l, is_f32 ? OP_clamp_f32 : OP_clamp_f64, c->d, c->d, 0,
		      0);
}

static void float_to_int(struct loader *l, const struct cvt *c)
{
	uint32_t imm = c->round | (c->ftz ? 1u << 8 : 0) |
		       (uint32_t)int_code(c->dst) << 16;
	if (!c->is_integral) {
		load_refuse(l, "needs .rni, .rzi, .rmi or .rpi");
		return;
	}
	op_ref a = c->a, t = load_temp(l, 0), v = load_temp(l, 1);
	if (c->src == PTX_TYPE_F16)
		a = apply(l, OP_f32_f16, t, a, 0, 0);
	else if (c->src == PTX_TYPE_BF16)
		a = apply(l, OP_f32_bf16, t, a, 0, 0);
	apply(l, c->src == PTX_TYPE_F64 ? OP_int_f64 : OP_int_f32, v, a, imm,
	      0);
	if (c->dst_reg == 8)
		apply(l, OP_mov_64, c->d, v, 0, 0);
	else
		put_int32(l, c, c->dst,
			  apply(l, OP_narrow, load_temp(l, 2), v, 0, 0));
}

static void same_float(struct loader *l, const struct cvt *c)
{
	bool is_f32 = c->dst == PTX_TYPE_F32;
	if (c->is_integral)
		apply(l, is_f32 ? OP_round_f32 : OP_round_f64, c->d, c->a,
		      c->round | (c->ftz ? 1u << 8 : 0), 0);
	else
		apply(l, is_f32 ? OP_copy_f32 : OP_copy_f64, c->d, c->a, c->ftz,
		      0);
	if (c->sat)
		apply(l, is_f32 ? OP_clamp_f32 : OP_clamp_f64, c->d, c->d, 0,
		      0);
}

/* By way of f32, which holds all of both. */
static void half_to_half(struct loader *l, const struct cvt *c, uint32_t imm)
{
	op_ref a = apply(l, c->src == PTX_TYPE_F16 ? OP_f32_f16 : OP_f32_bf16,
			 load_temp(l, 0), c->a, 0, 0);
	if (c->is_integral)
		a = apply(l, OP_round_f32, load_temp(l, 1), a, c->round, 0);
	/* Integral, or a copy: it has no other value. */
	if (c->src == c->dst)
		imm = SOFT_NEAREST;
	apply(l, c->dst == PTX_TYPE_F16 ? OP_f16_f32 : OP_bf16_f32, c->d, a,
	      imm, 0);
}

static void to_half(struct loader *l, const struct cvt *c)
{
	const uint8_t *mod = l->in->mod;
	uint32_t imm = c->round | (mod[PTX_MOD_RELU] != 0 ? 1u << 8 : 0) |
		       (mod[PTX_MOD_SATFINITE] != 0 ? 1u << 9 : 0) |
		       (c->ftz ? 1u << 10 : 0);
	if (c->src == PTX_TYPE_F32)
		apply(l, c->dst == PTX_TYPE_F16 ? OP_f16_f32 : OP_bf16_f32,
		      c->d, c->a, imm, 0);
	else if (c->src == PTX_TYPE_F64)
		apply(l, c->dst == PTX_TYPE_F16 ? OP_f16_f64 : OP_bf16_f64,
		      c->d, c->a, imm, 0);
	else
		half_to_half(l, c, imm);
	if (c->sat)
		apply(l, OP_clamp_f16, c->d, c->d, 0, 0);
}

static void float_to_float(struct loader *l, const struct cvt *c)
{
	uint32_t d = c->dst, s = c->src;
	if (d == s && (d == PTX_TYPE_F32 || d == PTX_TYPE_F64)) {
		same_float(l, c);
	} else if (d == PTX_TYPE_F64 && s == PTX_TYPE_F32) {
		op_ref a = c->a;
		if (c->ftz)
			a = apply(l, OP_copy_f32, load_temp(l, 0), a, 1, 0);
		/* Exact, but not where flushing is on from an op before. */
		apply(l, OP_f64_f32, c->d, a, 0, CSR_BASE);
		if (c->sat)
			apply(l, OP_clamp_f64, c->d, c->d, 0, 0);
	} else if (d == PTX_TYPE_F32 && s == PTX_TYPE_F64) {
		apply(l, OP_f32_f64, c->d, c->a, 0, c->csr);
		if (c->sat)
			apply(l, OP_clamp_f32, c->d, c->d, 0, 0);
	} else if (d == PTX_TYPE_F32 &&
		   (s == PTX_TYPE_F16 || s == PTX_TYPE_BF16)) {
		apply(l, s == PTX_TYPE_F16 ? OP_f32_f16 : OP_f32_bf16, c->d,
		      c->a, 0, 0);
		if (c->ftz)
			apply(l, OP_copy_f32, c->d, c->d, 1, 0);
		if (c->sat)
			apply(l, OP_clamp_f32, c->d, c->d, 0, 0);
	} else if (d == PTX_TYPE_F64) {
		op_ref a =
			apply(l, s == PTX_TYPE_F16 ? OP_f32_f16 : OP_f32_bf16,
			      load_temp(l, 0), c->a, 0, 0);
		/* Exact, but not where flushing is on from an op before. */
		apply(l, OP_f64_f32, c->d, a, 0, CSR_BASE);
		if (c->sat)
			apply(l, OP_clamp_f64, c->d, c->d, 0, 0);
	} else if (d == PTX_TYPE_F16 || d == PTX_TYPE_BF16) {
		to_half(l, c);
	} else {
		load_refuse(l, "is not executed here");
	}
}

/* cvt.rn.f16x2.f32 d, a, b: a in the upper half. */
static void two_to_halves(struct loader *l)
{
	const uint8_t *mod = l->in->mod;
	enum op_id id =
		l->in->types[0] == PTX_TYPE_F16X2 ? OP_f16_f32 : OP_bf16_f32;
	uint32_t round =
		mod[PTX_MOD_ROUND] == PTX_ROUND_RZ ? SOFT_ZERO : SOFT_NEAREST;
	uint32_t imm = round | (mod[PTX_MOD_RELU] != 0 ? 1u << 8 : 0) |
		       (mod[PTX_MOD_SATFINITE] != 0 ? 1u << 9 : 0);
	if (l->in->types[1] != PTX_TYPE_F32 ||
	    mod[PTX_MOD_ROUND] > PTX_ROUND_RZ || mod[PTX_MOD_ROUND] == 0) {
		load_refuse(l, "is not executed here");
		return;
	}
	op_ref a = load_source(l, load_operand(l, 1), 4);
	op_ref b = load_source(l, load_operand(l, 2), 4);
	apply(l, id, load_temp(l, 0), a, imm, 0);
	apply(l, id, load_temp(l, 1), b, imm, 0);
	struct op *o = load_emit(l, OP_join16);
	o->d = load_register(l, load_operand(l, 0), 4);
	o->a = load_temp(l, 1);
	o->b = load_temp(l, 0);
}

/* The register of a value of that type may be wider than it. */
static uint32_t register_bytes(struct loader *l, const struct ptx_operand *o,
			       uint32_t type)
{
	uint32_t need = load_type_bytes(type);
	if (o->kind == PTX_OPERAND_REG && o->cls != PTX_CLASS_PRED) {
		uint32_t have = load_class_bytes(o->cls);
		if (have >= need && have <= 8 && have >= 2)
			return have;
		load_refuse(l, "has a register of the wrong width");
	}
	return need < 2 ? 2 : need;
}

static bool rounding(struct loader *l, struct cvt *c)
{
	/* By PTX_ROUND_*: rn rz rm rp rni rzi rmi rpi. */
	static const uint8_t modes[9] = {
		SOFT_NEAREST, SOFT_NEAREST, SOFT_ZERO, SOFT_DOWN, SOFT_UP,
		SOFT_NEAREST, SOFT_ZERO,    SOFT_DOWN, SOFT_UP};
	uint32_t round = l->in->mod[PTX_MOD_ROUND];
	if (round > PTX_ROUND_RPI) {
		load_refuse(l, "is not executed here");
		return false;
	}
	c->round = modes[round];
	c->is_integral = round >= PTX_ROUND_RNI;
	c->ftz = l->in->mod[PTX_MOD_FTZ] != 0;
	c->sat = l->in->mod[PTX_MOD_SAT] != 0;
	c->csr = load_csr(l->in);
	return true;
}

void load_cvt(struct loader *l)
{
	const struct ptx_instr *in = l->in;
	struct cvt c = {.dst = in->types[0], .src = in->types[1]};
	if (load_cvt_narrow(l))
		return;
	if (c.dst == PTX_TYPE_F16X2 || c.dst == PTX_TYPE_BF16X2) {
		two_to_halves(l);
		return;
	}
	if (!rounding(l, &c))
		return;
	bool dst_float = kind(c.dst) == PTX_KIND_F;
	bool src_float = kind(c.src) == PTX_KIND_F;
	c.dst_reg = register_bytes(l, load_operand(l, 0), c.dst);
	c.src_reg = register_bytes(l, load_operand(l, 1), c.src);
	c.d = load_register(l, load_operand(l, 0), c.dst_reg);
	c.a = load_source(l, load_operand(l, 1), c.src_reg);
	if (l->err != ERR_OK)
		return;
	if ((dst_float && c.dst_reg != load_type_bytes(c.dst)) ||
	    (src_float && c.src_reg != load_type_bytes(c.src)))
		load_refuse(l, "has a register of the wrong width");
	else if (dst_float && src_float)
		float_to_float(l, &c);
	else if (dst_float)
		int_to_float(l, &c);
	else if (src_float)
		float_to_int(l, &c);
	else
		int_to_int(l, &c);
}
