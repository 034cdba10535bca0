/*
 * Tags of unset bits and of NaNs through lane operations.
 *
 * Planes are laid out like registers, so an operation that only moves bits
 * moves the tags of its sources when it is run on their planes.  The common
 * case, no tag in any source and no NaN in the result, is one test.
 */
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

struct flow_run {
	struct machine *mc;
	struct strip *s;
	struct shadow *h;
	const struct op *o;
	const struct flow *f;
	const uint32_t *mask;
	uint32_t strip;
	uint32_t lo, hi; /* lanes of the group lie in there */
};

static bool is_wide(const struct flow_run *r, uint32_t which)
{
	return (r->f->wide & which) != 0;
}

static const void *unset_of(const struct flow_run *r, uint32_t plane)
{
	if ((r->h->flags[r->strip][plane] & FLAG_UNSET) == 0)
		return r->h->zero;
	return r->h->unset[r->strip] + (size_t)plane * r->h->stride;
}

static const void *nan_of(const struct flow_run *r, uint32_t plane)
{
	if ((r->h->flags[r->strip][plane] & FLAG_NAN) == 0)
		return r->h->zero;
	return r->h->nan[r->strip] + (size_t)plane * r->h->stride;
}

static const void *value_of(const struct flow_run *r, op_ref ref)
{
	return ref == REF_NONE ? (const void *)r->h->zero
			       : machine_lanes(r->mc, r->s, ref);
}

static uint64_t at(const void *p, uint32_t i, bool wide)
{
	return wide ? ((const uint64_t *)p)[i] : ((const uint32_t *)p)[i];
}

static void put(void *p, uint32_t i, bool wide, uint64_t v)
{
	if (wide)
		((uint64_t *)p)[i] = v;
	else
		((uint32_t *)p)[i] = (uint32_t)v;
}

/* The op itself on other lanes than its own, brought to one place. */
static void apply(const struct flow_run *r, void *d, const void *a,
		  const void *b, const void *c, const void *f)
{
	const void *from[4] = {a, b, c, f};
	size_t bytes = (size_t)2 * r->h->stride;
	uint8_t *to = r->h->operands;
	uint32_t step = (uint32_t)(bytes / 64);
	struct lane_op op = {.fn = r->mc->lanes->ops[r->o->id],
			     .a = 0,
			     .b = step,
			     .c = 2 * step,
			     .f = 3 * step,
			     .d = 4 * step,
			     .e = 5 * step,
			     .imm = r->o->imm};
	uint32_t hi = (r->hi + LANE_STEP - 1) & ~(LANE_STEP - 1);
	struct lane_args args = {
		.op = &op, .base = {to, to}, .lo = r->lo, .hi = hi};
	size_t at = (size_t)8 * r->lo, n = (size_t)8 * (hi - r->lo);
	/* As lanes of 32 or of 64 bits. */
	for (uint32_t k = 0; k < 4; k++) {
		memcpy(to + k * bytes + at / 2,
		       (const uint8_t *)from[k] + at / 2, n / 2);
		memcpy(to + k * bytes + at, (const uint8_t *)from[k] + at, n);
	}
	op.fn(&args);
	memcpy((uint8_t *)d + at / 2, to + 4 * bytes + at / 2, n / 2);
	memcpy((uint8_t *)d + at, to + 4 * bytes + at, n);
}

/* Lanes of 32 and of 64 bits alike. */
static void copy_lanes(const struct flow_run *r, void *d, const void *a)
{
	size_t at = (size_t)4 * r->lo, n = (size_t)4 * (r->hi - r->lo);
	memcpy((uint8_t *)d + at, (const uint8_t *)a + at, n);
	memcpy((uint8_t *)d + 2 * at, (const uint8_t *)a + 2 * at, 2 * n);
}

/* Does some lane that is on have a bit there? */
static bool any_on(const struct flow_run *r, const void *p, bool wide)
{
	uint64_t all = 0;
	const uint64_t *q = p;
	const uint32_t *v = p, *m = r->mask;
	for (uint32_t i = r->lo; wide && i < r->hi; i++)
		all |= m == NULL || m[i] != 0 ? q[i] : 0;
	for (uint32_t i = r->lo; !wide && i < r->hi; i++)
		all |= m == NULL || m[i] != 0 ? v[i] : 0;
	return all != 0;
}

/* The lanes' results in new go to a plane whose old flag says if it holds
 * anything; gives whether it does now. */
static bool blend(const struct flow_run *r, uint8_t *planes, uint32_t plane,
		  bool wide, bool was, const void *new)
{
	void *p = planes + (size_t)plane * r->h->stride;
	const uint32_t *m = r->mask, *v = new;
	const uint64_t *w = new;
	uint64_t *q = p;
	uint32_t *d = p;
	/* What lies outside the group's lanes is not looked at again. */
	uint64_t all = was && (r->lo > 0 || r->hi < r->s->n);
	if (!was)
		memset(p, 0, wide ? 2 * r->h->stride : r->h->stride);
	for (uint32_t i = r->lo; wide && i < r->hi; i++) {
		q[i] = m == NULL || m[i] != 0 ? w[i] : q[i];
		all |= q[i];
	}
	for (uint32_t i = r->lo; !wide && i < r->hi; i++) {
		d[i] = m == NULL || m[i] != 0 ? v[i] : d[i];
		all |= d[i];
	}
	return all != 0;
}

static void set_flag(const struct flow_run *r, uint32_t plane, uint8_t flag,
		     bool on)
{
	uint8_t flags = r->h->flags[r->strip][plane];
	shadow_put_flags(r->h, r->strip, plane,
			 (uint8_t)((flags & ~flag) | (on ? flag : 0)));
}

static void put_unset(const struct flow_run *r, uint32_t plane, bool wide,
		      const void *new)
{
	bool was = (r->h->flags[r->strip][plane] & FLAG_UNSET) != 0;
	if (plane == r->h->clean)
		return;
	set_flag(r, plane, FLAG_UNSET,
		 blend(r, r->h->unset[r->strip], plane, wide, was, new));
}

/* The result is unset as a whole where some source has an unset bit. */
static void unset_all(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *a = unset_of(r, f->a), *b = unset_of(r, f->b);
	const void *c = unset_of(r, f->c), *g = unset_of(r, f->f);
	bool wide = is_wide(r, WIDE_D);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint64_t any = at(a, i, is_wide(r, WIDE_A)) |
			       at(b, i, is_wide(r, WIDE_B)) |
			       at(c, i, is_wide(r, WIDE_C)) |
			       at(g, i, is_wide(r, WIDE_F));
		put(d, i, wide, any != 0 ? UINT64_MAX : 0);
	}
}

/* Where an amount or a selector is unset, so is everything. */
static void unset_by(const struct flow_run *r, void *d, uint32_t plane,
		     bool wide_how)
{
	const void *how = unset_of(r, plane);
	if (how == r->h->zero)
		return;
	for (uint32_t i = r->lo; i < r->hi; i++) {
		if (at(how, i, wide_how) != 0)
			put(d, i, is_wide(r, WIDE_D), UINT64_MAX);
	}
}

static void unset_bitwise(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *ua = unset_of(r, f->a), *ub = unset_of(r, f->b);
	const void *va = value_of(r, r->o->a), *vb = value_of(r, r->o->b);
	bool wide = is_wide(r, WIDE_D);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint64_t x = at(ua, i, wide), y = at(ub, i, wide);
		uint64_t a = at(va, i, wide), b = at(vb, i, wide);
		uint64_t u = x | y;
		if (f->rule == FLOW_AND)
			u = (x & (y | b)) | (y & (x | a));
		else if (f->rule == FLOW_OR)
			u = (x & (y | ~b)) | (y & (x | ~a));
		put(d, i, wide, u);
	}
}

static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t v = 0;
	for (uint32_t k = 0; k < 8; k++) {
		if ((table >> k & 1u) != 0)
			v |= ((k & 4u) != 0 ? a : ~a) &
			     ((k & 2u) != 0 ? b : ~b) &
			     ((k & 1u) != 0 ? c : ~c);
	}
	return v;
}

/* A bit that some setting of the unset bits would change. */
static void unset_lop3(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const uint32_t *ua = unset_of(r, f->a), *ub = unset_of(r, f->b);
	const uint32_t *uc = unset_of(r, f->c), *a = value_of(r, r->o->a);
	const uint32_t *b = value_of(r, r->o->b), *c = value_of(r, r->o->c);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint32_t u = 0, v = lop3(a[i], b[i], c[i], r->o->imm);
		for (uint32_t k = 1; k < 8; k++)
			u |= v ^ lop3(a[i] ^ ((k & 4u) != 0 ? ua[i] : 0),
				      b[i] ^ ((k & 2u) != 0 ? ub[i] : 0),
				      c[i] ^ ((k & 1u) != 0 ? uc[i] : 0),
				      r->o->imm);
		((uint32_t *)d)[i] = u;
	}
}

/* Bits above the lowest unset one of a sum, difference or product. */
static void unset_carry(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *a = unset_of(r, f->a), *b = unset_of(r, f->b);
	const void *c = unset_of(r, f->c);
	bool wide = is_wide(r, WIDE_D);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint64_t u = at(a, i, wide) | at(b, i, wide) | at(c, i, wide);
		put(d, i, wide, u | -u);
	}
}

/* Did lane i take the first operand? */
static bool took_first(const struct flow_run *r, uint32_t i)
{
	uint32_t c = ((const uint32_t *)value_of(r, r->o->c))[i];
	if (r->o->id == OP_selp_16 || r->o->id == OP_selp_32 ||
	    r->o->id == OP_selp_64)
		return c != 0;
	if (r->f->source == 0)
		return (int32_t)c >= 0;
	return (c & 0x7fffffffu) <= 0x7f800000u &&
	       ((int32_t)c >= 0 || c == 0x80000000u);
}

bool shadow_took_first(struct machine *mc, struct strip *s, const struct op *o,
		       uint32_t lane)
{
	struct shadow *h = mc->trace->shadow;
	struct flow_run r = {
		.mc = mc, .s = s, .h = h, .o = o, .f = &h->flows[o - mc->ops]};
	return took_first(&r, lane);
}

static void unset_select(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *ua = unset_of(r, f->a), *ub = unset_of(r, f->b);
	const void *va = value_of(r, r->o->a), *vb = value_of(r, r->o->b);
	const uint32_t *uc = unset_of(r, f->c);
	bool wide = is_wide(r, WIDE_D);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint64_t x = at(ua, i, wide), y = at(ub, i, wide);
		uint64_t u = took_first(r, i) ? x : y;
		/* What both have is there anyway. */
		if (uc[i] != 0)
			u = x | y | (at(va, i, wide) ^ at(vb, i, wide));
		put(d, i, wide, u);
	}
}

static void unset_equal(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *ua = unset_of(r, f->a), *ub = unset_of(r, f->b);
	const void *va = value_of(r, r->o->a), *vb = value_of(r, r->o->b);
	bool wide = is_wide(r, WIDE_A);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint64_t u = at(ua, i, wide) | at(ub, i, wide);
		uint64_t differ = at(va, i, wide) ^ at(vb, i, wide);
		/* They differ in a bit that is set. */
		bool known = u == 0 || (differ & ~u) != 0;
		((uint32_t *)d)[i] = known ? 0 : UINT32_MAX;
	}
}

static void flow_unset(const struct flow_run *r)
{
	const struct flow *f = r->f;
	const void *a = unset_of(r, f->a), *b = unset_of(r, f->b);
	const void *vb = value_of(r, r->o->b), *vc = value_of(r, r->o->c);
	void *d = r->h->scratch[0];
	switch ((enum flow_rule)f->rule) {
	case FLOW_MOVE:
	case FLOW_SIGN:
		apply(r, d, a, b, r->h->zero, r->h->zero);
		break;
	case FLOW_INVERT:
		if (r->o->id == OP_brev_32 || r->o->id == OP_brev_64)
			apply(r, d, a, b, r->h->zero, r->h->zero);
		else
			copy_lanes(r, d, a);
		break;
	case FLOW_SHIFT:
		apply(r, d, a, vb, r->h->zero, r->h->zero);
		unset_by(r, d, f->b, false);
		break;
	case FLOW_FUNNEL:
		apply(r, d, a, b, vc, r->h->zero);
		unset_by(r, d, f->c, false);
		break;
	case FLOW_EXTRACT:
		apply(r, d, a, vb, vc, r->h->zero);
		unset_by(r, d, f->b, false);
		unset_by(r, d, f->c, false);
		break;
	case FLOW_INSERT:
		apply(r, d, a, b, vc, value_of(r, r->o->f));
		unset_by(r, d, f->c, false);
		unset_by(r, d, f->f, false);
		break;
	case FLOW_AND:
	case FLOW_OR:
	case FLOW_XOR:
		unset_bitwise(r, d);
		break;
	case FLOW_LOP3:
		unset_lop3(r, d);
		break;
	case FLOW_CARRY:
		unset_carry(r, d);
		break;
	case FLOW_SELECT:
		unset_select(r, d);
		break;
	case FLOW_EQUAL:
		unset_equal(r, d);
		break;
	case FLOW_ALL:
	case FLOW_FLOAT:
	case FLOW_VALUE:
		unset_all(r, d);
		break;
	}
	put_unset(r, f->d, is_wide(r, WIDE_D), d);
	if (f->e != r->h->clean) {
		unset_all(r, d);
		put_unset(r, f->e, false, d);
	}
}

#define MARK_ALL 0x0101010101010101u

/* Codes of a float that is a NaN as it came out of an operation. */
static uint64_t fresh_codes(uint64_t v, uint32_t bytes)
{
	uint64_t low = (v & 0x7fffu) > 0x7f80u ? NAN_WORD16 : 0;
	uint64_t high = (v >> 16 & 0x7fffu) > 0x7f80u ? NAN_WORD16 : 0;
	switch (bytes) {
	case 2:
		return low;
	case 4:
		return (v & 0x7fffffffu) > 0x7f800000u ? NAN_WORD32 : 0;
	case 8:
		return (v & INT64_MAX) > 0x7ff0000000000000u ? NAN_WORD64 : 0;
	case RESULT_PAIR:
		return low | high << 16;
	case RESULT_PAIR32:
		return fresh_codes(v & UINT32_MAX, 4) | fresh_codes(v >> 32, 4)
								<< 32;
	default:
		return 0;
	}
}

/* Are the codes of a float operand none, or an untouched NaN of its type? */
static bool is_plain_float(uint64_t codes, uint32_t bytes)
{
	switch (bytes) {
	case 2:
		return (codes & 0xffffu) == 0 || (uint16_t)codes == NAN_WORD16;
	case 4:
		return codes == 0 || codes == NAN_WORD32;
	case 8:
		return codes == 0 || codes == NAN_WORD64;
	case RESULT_PAIR:
		return is_plain_float(codes & 0xffffu, 2) &&
		       is_plain_float(codes >> 16, 2);
	case RESULT_PAIR32:
		return is_plain_float(codes & UINT32_MAX, 4) &&
		       is_plain_float(codes >> 32, 4);
	default:
		return codes == 0;
	}
}

/* Are all the amounts whole bytes? */
static bool by_bytes(const struct flow_run *r, const void *how)
{
	uint32_t odd = 0;
	for (uint32_t i = r->lo; i < r->hi; i++)
		odd |= ((const uint32_t *)how)[i] & 7u;
	return odd == 0;
}

/* Floats that were computed with, other than as the NaN itself. */
static void nan_read(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *codes[4] = {nan_of(r, f->a), nan_of(r, f->b),
				nan_of(r, f->c), nan_of(r, f->f)};
	bool wide = is_wide(r, WIDE_D);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		bool plain = true;
		for (uint32_t k = 0; k < 4; k++)
			plain = plain && is_plain_float(at(codes[k], i,
							   is_wide(r, 1u << k)),
							f->source);
		put(d, i, wide, plain ? 0 : MARK_ALL);
	}
}

/* The codes of the result's NaNs. */
static void nan_fresh(const struct flow_run *r, void *d)
{
	const void *v = value_of(r, r->o->d);
	const uint32_t *w = v;
	const uint64_t *x = v;
	if (r->f->result == 4) {
		for (uint32_t i = r->lo; i < r->hi; i++)
			((uint32_t *)d)[i] = (w[i] & 0x7fffffffu) > 0x7f800000u
						     ? NAN_WORD32
						     : 0;
		return;
	}
	for (uint32_t i = r->lo; i < r->hi; i++)
		put(d, i, is_wide(r, WIDE_D),
		    fresh_codes(is_wide(r, WIDE_D) ? x[i] : w[i],
				r->f->result));
}

static uint64_t all_codes(const struct flow_run *r, uint32_t i)
{
	const struct flow *f = r->f;
	return at(nan_of(r, f->a), i, is_wide(r, WIDE_A)) |
	       at(nan_of(r, f->b), i, is_wide(r, WIDE_B)) |
	       at(nan_of(r, f->c), i, is_wide(r, WIDE_C)) |
	       at(nan_of(r, f->f), i, is_wide(r, WIDE_F));
}

static void nan_all(const struct flow_run *r, void *d, bool wide)
{
	for (uint32_t i = r->lo; i < r->hi; i++)
		put(d, i, wide, all_codes(r, i) != 0 ? MARK_ALL : 0);
}

/* Bytes that the other operand leaves as they are, or clears. */
static uint8_t kept_code(enum flow_rule rule, uint8_t code, uint8_t other_code,
			 uint8_t other)
{
	if (code == 0 || other_code != 0)
		return (uint8_t)((code | other_code) != 0 ? NAN_MARK : 0);
	if (rule == FLOW_AND)
		return other == 0xff ? code
				     : (uint8_t)(other == 0 ? 0 : NAN_MARK);
	if (rule == FLOW_OR && other == 0xff)
		return 0;
	return other == 0 ? code : NAN_MARK;
}

static void nan_bitwise(const struct flow_run *r, void *d)
{
	const void *ca = nan_of(r, r->f->a), *cb = nan_of(r, r->f->b);
	const void *va = value_of(r, r->o->a), *vb = value_of(r, r->o->b);
	bool wide = is_wide(r, WIDE_D);
	enum flow_rule rule = (enum flow_rule)r->f->rule;
	for (uint32_t i = r->lo; i < r->hi; i++) {
		uint64_t x = at(ca, i, wide), y = at(cb, i, wide), c = 0;
		uint64_t a = at(va, i, wide), b = at(vb, i, wide);
		for (uint32_t k = 0; (x | y) != 0 && k < 64; k += 8) {
			uint8_t p = (uint8_t)(x >> k), q = (uint8_t)(y >> k);
			uint8_t one = p != 0 ? kept_code(rule, p, q,
							 (uint8_t)(b >> k))
					     : kept_code(rule, q, p,
							 (uint8_t)(a >> k));
			c |= (uint64_t)one << k;
		}
		put(d, i, wide, c);
	}
}

/* Every float operand is a number or an untouched NaN of its type. */
static bool reads_plain(const struct flow_run *r)
{
	const struct flow *f = r->f;
	const uint32_t planes[4] = {f->a, f->b, f->c, f->f};
	const uint32_t *m = r->mask;
	uint32_t bad = 0;
	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t *c = nan_of(r, planes[k]);
		if (c == (const void *)r->h->zero)
			continue;
		if (f->source != 4)
			return false;
		for (uint32_t i = r->lo; i < r->hi; i++)
			bad |= (c[i] != 0 && c[i] != NAN_WORD32) &&
			       (m == NULL || m[i] != 0);
	}
	return bad == 0;
}

static void nan_select(const struct flow_run *r, void *d)
{
	const void *a = nan_of(r, r->f->a), *b = nan_of(r, r->f->b);
	const uint32_t *c = nan_of(r, r->f->c);
	bool wide = is_wide(r, WIDE_D);
	for (uint32_t i = r->lo; i < r->hi; i++) {
		bool decided =
			r->f->source != 0 ? is_plain_float(c[i], 4) : c[i] == 0;
		uint64_t v = at(took_first(r, i) ? a : b, i, wide);
		put(d, i, wide, decided ? v : MARK_ALL);
	}
}

/* The op itself moves codes, but where it repeats signs. */
static void nan_moved(const struct flow_run *r, void *d)
{
	const struct flow *f = r->f;
	const void *a = nan_of(r, f->a), *b = nan_of(r, f->b);
	const void *vb = value_of(r, r->o->b), *vc = value_of(r, r->o->c);
	const void *how = f->rule == FLOW_SHIFT ? vb : vc;
	uint32_t plane = f->rule == FLOW_SHIFT ? f->b : f->c;
	bool is_prmt = r->o->id == OP_prmt;
	uint32_t signs = 0;
	for (uint32_t i = r->lo; is_prmt && i < r->hi; i++)
		signs |= ((const uint32_t *)vc)[i] & 0x8888u;
	bool repeats = signs != 0 || r->o->id == OP_shr_s16 ||
		       r->o->id == OP_shr_s32 || r->o->id == OP_shr_s64;
	if (repeats || nan_of(r, plane) != (const void *)r->h->zero ||
	    (!is_prmt && !by_bytes(r, how)))
		nan_all(r, d, is_wide(r, WIDE_D));
	else if (f->rule == FLOW_SHIFT)
		apply(r, d, a, vb, r->h->zero, r->h->zero);
	else
		apply(r, d, a, b, vc, r->h->zero);
}

static void put_nan(const struct flow_run *r, uint32_t plane, bool wide,
		    const void *new)
{
	bool was = (r->h->flags[r->strip][plane] & FLAG_NAN) != 0;
	if (plane == r->h->clean)
		return;
	set_flag(r, plane, FLAG_NAN,
		 blend(r, r->h->nan[r->strip], plane, wide, was, new));
}

static void flow_nan(const struct flow_run *r)
{
	const struct flow *f = r->f;
	void *d = r->h->scratch[1];
	bool wide = is_wide(r, WIDE_D);
	const void *a = nan_of(r, f->a), *b = nan_of(r, f->b);
	switch ((enum flow_rule)f->rule) {
	case FLOW_MOVE:
		apply(r, d, a, b, r->h->zero, r->h->zero);
		break;
	case FLOW_AND:
	case FLOW_OR:
	case FLOW_XOR:
		nan_bitwise(r, d);
		break;
	case FLOW_SHIFT:
	case FLOW_FUNNEL:
		nan_moved(r, d);
		break;
	case FLOW_SELECT:
		nan_select(r, d);
		break;
	case FLOW_FLOAT:
	case FLOW_VALUE:
		if (!reads_plain(r))
			nan_read(r, d);
		else
			copy_lanes(r, d, r->h->zero);
		break;
	case FLOW_ALL:
	case FLOW_SIGN:
	case FLOW_INVERT:
	case FLOW_EXTRACT:
	case FLOW_INSERT:
	case FLOW_LOP3:
	case FLOW_CARRY:
	case FLOW_EQUAL:
		nan_all(r, d, wide);
		break;
	}
	put_nan(r, f->d, wide, d);
	if (f->e != r->h->clean) {
		nan_all(r, d, false);
		put_nan(r, f->e, false, d);
	}
}

static bool has_nan(const struct machine *mc, const struct strip *s,
		    const struct op *o, uint8_t bytes, const uint32_t *mask)
{
	const struct track_set *t = mc->trace->shadow->track;
	const void *v = machine_lanes(mc, s, o->d);
	uint32_t lo = shadow_low(s), n = shadow_high(s) - lo;
	const uint32_t *m = mask == NULL ? NULL : mask + lo;
	if (bytes == 4)
		return t->nan32((const uint32_t *)v + lo, m, n);
	if (bytes == 8)
		return t->nan64((const uint64_t *)v + lo, m, n);
	if (bytes != RESULT_PAIR32)
		return t->nan16((const uint32_t *)v + lo, m, n);
	for (uint32_t i = lo; i < lo + n; i++) {
		if (fresh_codes(((const uint64_t *)v)[i], bytes) != 0)
			return true;
	}
	return false;
}

/* Flags of a source that count for the lanes that are on. */
static uint8_t live_flags(const struct flow_run *r, uint32_t plane, bool wide)
{
	uint8_t flags = r->h->flags[r->strip][plane];
	if (r->mask == NULL || flags == 0)
		return flags;
	if ((flags & FLAG_UNSET) != 0 && !any_on(r, unset_of(r, plane), wide))
		flags &= (uint8_t)~FLAG_UNSET;
	if ((flags & FLAG_NAN) != 0 && !any_on(r, nan_of(r, plane), wide))
		flags &= (uint8_t)~FLAG_NAN;
	return flags;
}

static void drop_tags(const struct flow_run *r, uint8_t keep)
{
	const struct flow *f = r->f;
	uint8_t d = r->h->flags[r->strip][f->d];
	uint8_t e = r->h->flags[r->strip][f->e];
	uint8_t kept = keep & (FLAG_UNSET | FLAG_NAN);
	if (r->mask == NULL) {
		shadow_put_flags(r->h, r->strip, f->d, d & (kept | FLAG_FORM));
		shadow_put_flags(r->h, r->strip, f->e, e & (kept | FLAG_FORM));
		return;
	}
	copy_lanes(r, r->h->scratch[0], r->h->zero);
	if ((d & FLAG_UNSET & ~kept) != 0)
		put_unset(r, f->d, is_wide(r, WIDE_D), r->h->scratch[0]);
	if ((d & FLAG_NAN & ~kept) != 0)
		put_nan(r, f->d, is_wide(r, WIDE_D), r->h->scratch[0]);
	if ((e & FLAG_UNSET & ~kept) != 0)
		put_unset(r, f->e, false, r->h->scratch[0]);
	if ((e & FLAG_NAN & ~kept) != 0)
		put_nan(r, f->e, false, r->h->scratch[0]);
}

/* Floats of 32 bits that have no tags but untouched NaNs. */
static bool reads_fresh(const struct flow_run *r, uint8_t flags)
{
	const struct flow *f = r->f;
	const uint32_t planes[4] = {f->a, f->b, f->c, f->f};
	if (f->source != 4 || f->e != r->h->clean || (flags & ~FLAG_NAN) != 0 ||
	    (f->rule != FLOW_FLOAT && f->rule != FLOW_VALUE))
		return false;
	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t *marks = nan_of(r, planes[k]);
		if (marks != (const void *)r->h->zero &&
		    !r->h->track->plain32(marks + r->lo,
					  r->mask == NULL ? NULL
							  : r->mask + r->lo,
					  r->hi - r->lo))
			return false;
	}
	return true;
}

/* Then the marks of its result are those of its NaNs. */
static void mark_fresh(const struct flow_run *r)
{
	uint32_t plane = r->f->d;
	const uint32_t *v = value_of(r, r->o->d);
	bool was = (r->h->flags[r->strip][plane] & FLAG_NAN) != 0;
	uint32_t *marks =
		(void *)(r->h->nan[r->strip] + (size_t)plane * r->h->stride);
	if (!was)
		memset(marks, 0, r->h->stride);
	bool any = r->h->track->mark32(marks + r->lo, v + r->lo,
				       r->mask == NULL ? NULL : r->mask + r->lo,
				       r->hi - r->lo);
	set_flag(r, plane, FLAG_NAN,
		 any || (was && (r->lo > 0 || r->hi < r->s->n)));
}

void shadow_before(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	const struct flow *f = &h->flows[o - mc->ops];
	uint32_t k = s->first / STRIP_LANES;
	const uint8_t *flags = h->flags[k];
	uint8_t in = flags[f->a] | flags[f->b] | flags[f->c] | flags[f->f];
	uint8_t out = flags[f->d] | flags[f->e];
	if ((in | out) == 0)
		return;
	struct flow_run r = {.mc = mc,
			     .s = s,
			     .h = h,
			     .o = o,
			     .f = f,
			     .mask = mask,
			     .strip = k,
			     .lo = shadow_low(s),
			     .hi = shadow_high(s)};
	h->marks_fresh = reads_fresh(&r, in | out);
	if (h->marks_fresh && (f->result == 4 || (f->result == 0 && out == 0)))
		return;
	in = live_flags(&r, f->a, is_wide(&r, WIDE_A)) |
	     live_flags(&r, f->b, is_wide(&r, WIDE_B)) |
	     live_flags(&r, f->c, is_wide(&r, WIDE_C)) |
	     live_flags(&r, f->f, is_wide(&r, WIDE_F));
	if (((in | out) & FLAG_FORM) != 0)
		shadow_forms(mc, s, o, mask);
	if ((in & FLAG_UNSET) != 0)
		flow_unset(&r);
	if ((in & FLAG_NAN) != 0)
		flow_nan(&r);
	if ((out & (FLAG_UNSET | FLAG_NAN) & ~in) != 0)
		drop_tags(&r, in);
}

void shadow_after_float(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	if (!has_nan(mc, s, o, 4, mask))
		return;
	struct flow_run r = {.mc = mc,
			     .s = s,
			     .h = h,
			     .o = o,
			     .f = &h->flows[o - mc->ops],
			     .mask = mask,
			     .strip = s->first / STRIP_LANES,
			     .lo = shadow_low(s),
			     .hi = shadow_high(s)};
	mark_fresh(&r);
}

void shadow_after(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	const struct flow *f = &h->flows[o - mc->ops];
	uint32_t k = s->first / STRIP_LANES;
	bool was = (h->flags[k][f->d] & FLAG_NAN) != 0;
	bool fresh = f->result == 4 && (!was || h->marks_fresh);
	if (f->result == 0 ||
	    (!(was && fresh) && !has_nan(mc, s, o, f->result, mask)))
		return;
	struct flow_run r = {.mc = mc,
			     .s = s,
			     .h = h,
			     .o = o,
			     .f = f,
			     .mask = mask,
			     .strip = k,
			     .lo = shadow_low(s),
			     .hi = shadow_high(s)};
	if (fresh) {
		mark_fresh(&r);
		return;
	}
	bool wide = is_wide(&r, WIDE_D);
	const void *marks = nan_of(&r, f->d);
	void *d = h->scratch[1];
	nan_fresh(&r, d);
	for (uint32_t i = r.lo; marks != h->zero && i < r.hi; i++) {
		uint64_t c = at(marks, i, wide);
		if (c != 0 && (c & MARK_ALL) == c)
			put(d, i, wide, c);
	}
	put_nan(&r, f->d, wide, d);
}
