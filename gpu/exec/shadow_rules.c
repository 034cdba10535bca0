/*
 * Which rule an operation follows.  What is not named here takes the
 * strictest: its result is unset, marked or mixed when any of its sources is.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/shadow.h"

/* Widths of operands: the column "operands" of ops.def. */
static const char *const args_of[OP_COUNT] = {
#define LANE_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) \
	[OP_##id] = args,
#define STEP_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) \
	[OP_##id] = args,
#include "gpu/exec/ops.def"
};

struct rule {
	uint16_t id;
	uint8_t rule, form;
	uint8_t result, source; /* of floats */
};

/* An operation of 32 and 64 bits, and of 16. */
#define WIDTHS(op, rule, form)                \
	{OP_##op##32, rule, form, 0, 0},      \
	{                                     \
		OP_##op##64, rule, form, 0, 0 \
	}
#define ALL3(op, rule, form) \
	{OP_##op##16, rule, FORM_ANY, 0, 0}, WIDTHS(op, rule, form)

static const struct rule rules[] = {
	{OP_mov_32, FLOW_MOVE, FORM_COPY, 0, 0},
	{OP_mov_64, FLOW_MOVE, FORM_COPY, 0, 0},
	{OP_narrow, FLOW_MOVE, FORM_COPY, 0, 0},
	{OP_high, FLOW_MOVE, FORM_UPPER, 0, 0},
	{OP_widen_u, FLOW_MOVE, FORM_EXTEND, 0, 0},
	{OP_widen_s, FLOW_SIGN, FORM_EXTEND, 0, 0},
	{OP_ext_u8, FLOW_MOVE, FORM_CUT, 0, 0},
	{OP_ext_u16, FLOW_MOVE, FORM_CUT, 0, 0},
	{OP_ext_s8, FLOW_SIGN, FORM_ANY, 0, 0},
	{OP_ext_s16, FLOW_SIGN, FORM_ANY, 0, 0},
	{OP_shift16, FLOW_MOVE, FORM_ANY, 0, 0},
	{OP_join, FLOW_MOVE, FORM_PAIR, 0, 0},
	{OP_join16, FLOW_MOVE, FORM_ANY, 0, 0},
	{OP_shift8, FLOW_MOVE, FORM_ANY, 0, 0},
	{OP_join8, FLOW_MOVE, FORM_ANY, 0, 0},
	{OP_put_byte, FLOW_MOVE, FORM_ANY, 0, 0},
	{OP_brev_32, FLOW_INVERT, FORM_ANY, 0, 0},
	{OP_brev_64, FLOW_INVERT, FORM_ANY, 0, 0},
	{OP_not_pred, FLOW_INVERT, FORM_ANY, 0, 0},
	ALL3(not_, FLOW_INVERT, FORM_NEGATE),
	ALL3(and_, FLOW_AND, FORM_BITS_AND),
	ALL3(or_, FLOW_OR, FORM_BITS_OR),
	ALL3(xor_, FLOW_XOR, FORM_BITS_OR),
	{OP_and_pred, FLOW_AND, FORM_ANY, 0, 0},
	{OP_or_pred, FLOW_OR, FORM_ANY, 0, 0},
	{OP_xor_pred, FLOW_XOR, FORM_ANY, 0, 0},
	{OP_lop3, FLOW_LOP3, FORM_ANY, 0, 0},
	ALL3(add_, FLOW_CARRY, FORM_ADD),
	ALL3(sub_, FLOW_CARRY, FORM_SUBTRACT),
	ALL3(neg_, FLOW_CARRY, FORM_NEGATE),
	ALL3(mul_lo_, FLOW_CARRY, FORM_ANY),
	ALL3(mad_lo_, FLOW_CARRY, FORM_ADD_C),
	{OP_mul_wide_u32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_mad_wide_u32, FLOW_ALL, FORM_ADD_C, 0, 0},
	{OP_mad_wide_s32, FLOW_ALL, FORM_ADD_C, 0, 0},
	{OP_mad_wide_u16, FLOW_ALL, FORM_ADD_C, 0, 0},
	{OP_mad_wide_s16, FLOW_ALL, FORM_ADD_C, 0, 0},
	ALL3(shl_, FLOW_SHIFT, FORM_ANY),
	ALL3(shr_u, FLOW_SHIFT, FORM_ANY),
	ALL3(shr_s, FLOW_SHIFT, FORM_ANY),
	{OP_shf_l_wrap, FLOW_FUNNEL, FORM_ANY, 0, 0},
	{OP_shf_l_clamp, FLOW_FUNNEL, FORM_ANY, 0, 0},
	{OP_shf_r_wrap, FLOW_FUNNEL, FORM_ANY, 0, 0},
	{OP_shf_r_clamp, FLOW_FUNNEL, FORM_ANY, 0, 0},
	WIDTHS(bfe_u, FLOW_EXTRACT, FORM_FIELD),
	WIDTHS(bfe_s, FLOW_EXTRACT, FORM_FIELD),
	WIDTHS(bfi_, FLOW_INSERT, FORM_ANY),
	{OP_prmt, FLOW_FUNNEL, FORM_ANY, 0, 0},
	ALL3(selp_, FLOW_SELECT, FORM_SELECT),
	{OP_slct_16_s32, FLOW_SELECT, FORM_ANY, 0, 0},
	{OP_slct_32_s32, FLOW_SELECT, FORM_SELECT, 0, 0},
	{OP_slct_64_s32, FLOW_SELECT, FORM_SELECT, 0, 0},
	{OP_slct_16_f32, FLOW_SELECT, FORM_ANY, 0, 4},
	{OP_slct_32_f32, FLOW_SELECT, FORM_SELECT, 0, 4},
	{OP_slct_64_f32, FLOW_SELECT, FORM_SELECT, 0, 4},
	{OP_f32_s32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f32_u32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f32_s64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f32_u64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f64_s32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f64_u32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f64_s64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f64_u64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f16_u64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_f16_s64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_bf16_u64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_bf16_s64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_min_xs_f32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_max_xs_f32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_min_xs_f16, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_max_xs_f16, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_min_xs_bf16, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_max_xs_bf16, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_min_xs_f16x2, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_max_xs_f16x2, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_min_xs_bf16x2, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_max_xs_bf16x2, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_copysign_f32, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_copysign_f64, FLOW_ALL, FORM_ANY, 0, 0},
	{OP_testp_f32, FLOW_VALUE, FORM_ANY, 0, 4},
	{OP_testp_f64, FLOW_VALUE, FORM_ANY, 0, 8},
	{OP_int_f32, FLOW_VALUE, FORM_ANY, 0, 4},
	{OP_int_f64, FLOW_VALUE, FORM_ANY, 0, 8},
	{OP_clamp_f32, FLOW_VALUE, FORM_ANY, 0, 4},
	{OP_clamp_f64, FLOW_VALUE, FORM_ANY, 0, 8},
	{OP_f32_f16, FLOW_FLOAT, FORM_ANY, 4, 2},
	{OP_f32_bf16, FLOW_FLOAT, FORM_ANY, 4, 2},
	{OP_f32_f64, FLOW_FLOAT, FORM_ANY, 4, 8},
	{OP_f64_f32, FLOW_FLOAT, FORM_ANY, 8, 4},
	{OP_f16_f32, FLOW_FLOAT, FORM_ANY, 2, 4},
	{OP_bf16_f32, FLOW_FLOAT, FORM_ANY, 2, 4},
	{OP_f16_f64, FLOW_FLOAT, FORM_ANY, 2, 8},
	{OP_round_f32, FLOW_FLOAT, FORM_ANY, 4, 4},
	{OP_round_f64, FLOW_FLOAT, FORM_ANY, 8, 8},
	{OP_copy_f32, FLOW_FLOAT, FORM_ANY, 4, 4},
	{OP_copy_f64, FLOW_FLOAT, FORM_ANY, 8, 8},
	{OP_tf32, FLOW_FLOAT, FORM_ANY, 4, 4},
	{OP_bf16_f64, FLOW_FLOAT, FORM_ANY, 2, 8},
	{OP_clamp_f16, FLOW_VALUE, FORM_ANY, 0, 2},
	{OP_f16_f8, FLOW_FLOAT, FORM_ANY, 2, 0},
	{OP_f8_f32, FLOW_VALUE, FORM_ANY, 0, 4},
	{OP_f8_f16, FLOW_VALUE, FORM_ANY, 0, 2},
};

/* Comparisons of integers stand in a row, eq_u16 to hs_u64; of floats
 * behind them, eq_f32 to nan_f64, single and double in turn. */
static bool compares_integers(uint32_t id)
{
	return id >= OP_eq_u16 && id <= OP_hs_u64;
}

static bool orders_signed(uint32_t id)
{
	static const uint16_t ids[] = {OP_lt_s16, OP_lt_s32, OP_lt_s64,
				       OP_le_s16, OP_le_s32, OP_le_s64,
				       OP_gt_s16, OP_gt_s32, OP_gt_s64,
				       OP_ge_s16, OP_ge_s32, OP_ge_s64};
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

static bool compares_floats(uint32_t id)
{
	return id >= OP_eq_f32 && id <= OP_nan_f64;
}

static void named_rule(const struct op *o, struct flow *f)
{
	if (compares_integers(o->id)) {
		f->is_signed = orders_signed(o->id);
		f->rule = o->id <= OP_ne_u64 ? FLOW_EQUAL : FLOW_ALL;
		f->form = FORM_COMPARE;
		return;
	}
	if (compares_floats(o->id)) {
		f->rule = FLOW_VALUE;
		f->source = (o->id - OP_eq_f32) % 2 == 0 ? 4 : 8;
		return;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].id != o->id)
			continue;
		f->rule = rules[i].rule;
		f->form = rules[i].form;
		f->result = rules[i].result;
		f->source = rules[i].source;
		return;
	}
	if (o->csr == 0)
		return;
	f->rule = FLOW_FLOAT;
	f->result = o->result_bytes;
	f->source = o->result_bytes;
}

/* The widths of an op's operands, from its column. */
static uint8_t widths(uint32_t id)
{
	const char *args = args_of[id];
	const char *sources = strchr(args, ':');
	uint8_t wide = args[0] == '8' ? WIDE_D : 0;
	uint8_t bit = WIDE_A;
	for (sources = sources == NULL ? "" : sources + 1; *sources != '\0';
	     sources++) {
		if (*sources == '#')
			continue;
		wide |= *sources == '8' ? bit : 0;
		bit = (uint8_t)(bit << 1);
	}
	return wide;
}

static uint32_t plane_of(const struct launch *l, const struct shadow *h,
			 op_ref r)
{
	if (r == REF_NONE || r == 0)
		return h->clean;
	return (r & REF_CONST) != 0 ? l->m->unit_count + (r & ~REF_CONST) : r;
}

static struct quiet quiet_of(const struct shadow *h, const struct flow *f,
			     uint32_t guard)
{
	return (struct quiet){
		.planes =
			shadow_plane_bit(h, f->a) | shadow_plane_bit(h, f->b) |
			shadow_plane_bit(h, f->c) | shadow_plane_bit(h, f->f) |
			shadow_plane_bit(h, f->d) | shadow_plane_bit(h, f->e) |
			shadow_plane_bit(h, guard),
		.result = f->result};
}

/* How far ahead a result's last reader is looked for. */
#define LOOK_AHEAD 32u

bool flow_reads_as_float(const struct shadow *h, const struct flow *f,
			 uint32_t plane, uint8_t bytes)
{
	if (f->a != plane && f->b != plane && f->c != plane && f->f != plane)
		return true;
	return (f->rule == FLOW_FLOAT || f->rule == FLOW_VALUE) &&
	       f->source == bytes && f->e == h->clean;
}

/*
 * A result that only float operations of its type read before it is gone,
 * on a way without a branch or a target, needs no mark where it is a NaN:
 * none of them looks at a mark of an untouched NaN.
 */
static bool needs_mark(const struct launch *l, const struct shadow *h,
		       const uint8_t *targets, uint32_t i)
{
	const struct flow *f = &h->flows[i];
	for (uint32_t k = i + 1; k < i + LOOK_AHEAD; k++) {
		if (k >= l->m->op_count || targets[k] != 0 ||
		    l->lanes->ops[l->m->ops[k].id] == NULL ||
		    !flow_reads_as_float(h, &h->flows[k], f->d, f->result))
			return true;
		if (h->flows[k].d == f->d && l->m->ops[k].guard == REF_NONE)
			return false;
	}
	return true;
}

/* Where a group may begin or stop, but for behind steps. */
static void mark_targets(const struct exec_module *m, uint8_t *targets)
{
	for (uint32_t i = 0; i < m->op_count; i++) {
		if (m->ops[i].target < m->op_count)
			targets[m->ops[i].target] = 1;
	}
	for (uint32_t i = 0; i < m->table_count; i++) {
		if (m->tables[i] < m->op_count)
			targets[m->tables[i]] = 1;
	}
	for (uint32_t i = 0; i < m->function_count; i++)
		targets[m->functions[i].entry] = 1;
}

bool shadow_flows(const struct launch *l, struct shadow *h)
{
	uint8_t *targets = calloc(l->m->op_count + 1u, 1);
	if (targets == NULL)
		return false;
	mark_targets(l->m, targets);
	for (uint32_t i = 0; i < l->m->op_count; i++) {
		const struct op *o = &l->m->ops[i];
		struct flow *f = &h->flows[i];
		h->quiet[i].planes = QUIET_NEVER;
		if (l->lanes->ops[o->id] == NULL)
			continue;
		named_rule(o, f);
		f->wide = widths(o->id);
		f->a = plane_of(l, h, o->a);
		f->b = plane_of(l, h, o->b);
		f->c = plane_of(l, h, o->c);
		f->f = plane_of(l, h, o->f);
		f->d = plane_of(l, h, o->d);
		f->e = plane_of(l, h, o->e);
		h->quiet[i] = quiet_of(h, f, plane_of(l, h, o->guard));
	}
	for (uint32_t i = 0; i < l->m->op_count; i++) {
		if (h->quiet[i].result != 0 && !needs_mark(l, h, targets, i))
			h->quiet[i].result = 0;
	}
	free(targets);
	return true;
}
