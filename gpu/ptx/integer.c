/*
 * gpu/ptx/integer - divisions, masks and bounds in the analyser's numbers.
 *
 * A quotient and a remainder of an index by a constant become two variables
 * of their own, tied to the index by what they mean, so that a tile's row and
 * column can still be told apart (independence.c).
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

/* Quotients of larger numbers are told by their range alone. */
#define SPLIT_MAX ((int64_t)1 << 40)

static bool same_terms(const struct value *a, const struct value *b)
{
	if (a->term_count != b->term_count || a->c0 != b->c0)
		return false;
	for (uint32_t i = 0; i < a->term_count; i++)
		if (a->var[i] != b->var[i] || a->coef[i] != b->coef[i])
			return false;
	return true;
}

/* The variables of x / divisor and x % divisor; NULL: none are left. */
static const struct split *split_of(struct analysis *n, const struct value *x,
				    int64_t divisor, int64_t most)
{
	struct split *s;

	for (uint32_t i = 0; i < n->split_count; i++)
		if (n->splits[i].divisor == divisor &&
		    same_terms(&n->splits[i].of, x))
			return &n->splits[i];
	if (n->split_count == SPLITS_MAX || n->var_count + 2 > VALUE_VARS)
		return NULL;
	s = &n->splits[n->split_count++];
	*s = (struct split){.of = *x,
			    .divisor = divisor,
			    .whole = (uint8_t)n->var_count,
			    .rest = (uint8_t)(n->var_count + 1)};
	n->extent[s->whole] = (uint64_t)(most / divisor) + 1;
	n->extent[s->rest] = (uint64_t)(most < divisor ? most + 1 : divisor);
	n->var_count += 2;
	return s;
}

/* What number v is made of, with another shape. */
static struct value like(const struct value *v, struct value shape)
{
	shape.kinds = v->kinds;
	shape.bases = v->bases;
	shape.irregular = v->irregular;
	return shape;
}

/*
 * x = divisor * whole + rest, 0 <= rest < divisor, as integers.  False: not
 * known to be so.
 */
static bool divide(struct analysis *n, const struct value *x, int64_t divisor,
		   struct value *ret_whole, struct value *ret_rest)
{
	struct value whole, rest, part;
	const struct split *s = NULL;
	int64_t lo, hi;

	if (x->shape != SHAPE_AFFINE || !value_is_clean(x) || divisor < 1)
		return false;
	value_part(x, divisor, &whole, &rest);
	value_range(&rest, n->extent, &lo, &hi);
	if (lo >= 0 && hi < divisor) {
		*ret_whole = whole;
		*ret_rest = rest;
		return true;
	}
	if (lo < 0 || hi > SPLIT_MAX)
		return false;
	if (rest.step == 0 && rest.term_count)
		s = split_of(n, &rest, divisor, hi);
	if (s) {
		part = like(x, value_var(s->whole));
		*ret_rest = like(x, value_var(s->rest));
	} else {
		part = like(x, value_in(lo / divisor, hi / divisor));
		*ret_rest = like(x, value_in(0, divisor - 1));
	}
	*ret_whole = value_add(&whole, &part);
	return true;
}

/* Whether a register of that type holds just the number v. */
static bool is_itself(struct analysis *n, const struct value *v,
		      enum ptx_type t)
{
	bool is_signed = ptx_types[t].kind == PTX_KIND_S;
	uint32_t bits = ptx_types[t].bits;
	int64_t lo, hi;

	value_range(v, n->extent, &lo, &hi);
	if (bits == 32)
		return is_signed ? lo >= INT32_MIN && hi <= INT32_MAX
				 : lo >= 0 && hi <= UINT32_MAX;
	return bits == 64 && lo > (is_signed ? -VALUE_FAR : -1) &&
	       hi < VALUE_FAR;
}

struct value integer_divide(struct analysis *n, enum ptx_type t,
			    const struct value *a, const struct value *b,
			    bool want_rest)
{
	struct value whole, rest, v = value_mix(a, b);
	int64_t lo, hi, most;

	if (!v.kinds || !value_is_const(b) || b->c0 < 1 || !value_is_clean(a))
		return v;
	value_range(a, n->extent, &lo, &hi);
	if (!is_itself(n, a, t)) {
		if (want_rest)
			value_clip(&v, n->extent,
				   ptx_types[t].kind == PTX_KIND_S ? 1 - b->c0
								   : 0,
				   b->c0 - 1);
		return v;
	}
	if (lo >= 0 && divide(n, a, b->c0, &whole, &rest))
		return want_rest ? rest : whole;
	most = b->c0 - 1;
	if (want_rest)
		value_clip(&v, n->extent, lo < 0 ? -most : 0,
			   hi < 0 ? 0 : most);
	else
		value_clip(&v, n->extent, lo / b->c0, hi / b->c0);
	return v;
}

struct value integer_shr(struct analysis *n, enum ptx_type t,
			 const struct value *a, const struct value *b)
{
	struct value whole, rest, v = value_mix(a, b);
	uint32_t bits = ptx_types[t].bits;
	int64_t lo, hi;

	if (!v.kinds || !value_is_const(b) || b->c0 < 0 || b->c0 >= bits ||
	    b->c0 > 40 || !value_is_clean(a))
		return v;
	if (!is_itself(n, a, t)) {
		if (bits == 32 && ptx_types[t].kind != PTX_KIND_S)
			value_clip(&v, n->extent, 0, UINT32_MAX >> b->c0);
		return v;
	}
	if (divide(n, a, (int64_t)1 << b->c0, &whole, &rest))
		return whole;
	value_range(a, n->extent, &lo, &hi);
	value_clip(&v, n->extent, lo >> b->c0, hi >> b->c0);
	return v;
}

/* a & mask, where the mask is all ones below, or all ones above, a bit. */
static bool mask_number(struct analysis *n, const struct value *a, int64_t mask,
			struct value *ret)
{
	int64_t size = mask >= 0 ? mask + 1 : -mask;
	struct value whole, rest;

	if (size < 2 || (size & (size - 1)) || size > SPLIT_MAX ||
	    !divide(n, a, size, &whole, &rest))
		return false;
	*ret = mask >= 0 ? rest : value_sub(a, &rest);
	return true;
}

struct value integer_and(struct analysis *n, const struct value *a,
			 const struct value *b, uint32_t align)
{
	const struct value *c = value_is_const(b) ? b : a;
	const struct value *x = c == b ? a : b;
	struct value v;

	if (a->kinds && b->kinds && value_is_const(c) && value_is_clean(x) &&
	    mask_number(n, x, c->c0, &v))
		return v;
	return value_and(a, b, align, n->extent);
}

struct value integer_extract(struct analysis *n, enum ptx_type t,
			     const struct value *a, const struct value *at,
			     const struct value *length)
{
	struct value v = value_mix(a, at), mask;

	v = value_mix(&v, length);
	if (!v.kinds || ptx_types[t].kind != PTX_KIND_U ||
	    !value_is_const(length) || length->c0 < 1 || length->c0 > 30 ||
	    !value_is_clean(a))
		return v;
	mask = value_const(((int64_t)1 << length->c0) - 1);
	value_clip(&v, n->extent, 0, mask.c0);
	if (value_is_const(at) && at->c0 >= 0 && at->c0 < 32 &&
	    is_itself(n, a, t)) {
		v = integer_shr(n, t, a, at);
		v = integer_and(n, &v, &mask, 1);
	}
	return v;
}

struct value integer_least(struct analysis *n, enum ptx_type t,
			   const struct value *a, const struct value *b,
			   bool want_most)
{
	struct value v = value_mix(a, b);
	int64_t x[2], y[2];

	if (!v.kinds || !value_is_clean(a) || !value_is_clean(b) ||
	    !is_itself(n, a, t) || !is_itself(n, b, t))
		return v;
	value_range(a, n->extent, &x[0], &x[1]);
	value_range(b, n->extent, &y[0], &y[1]);
	/* One of them, whichever. */
	v = *a;
	value_join(&v, b, n->extent);
	if (want_most)
		value_clip(&v, n->extent, x[0] > y[0] ? x[0] : y[0], VALUE_FAR);
	else
		value_clip(&v, n->extent, -VALUE_FAR,
			   x[1] < y[1] ? x[1] : y[1]);
	return v;
}

/* Between widths: the low bits of the source's type, as the destination's
 * type, in a register of that many bits. */
struct value integer_convert(struct analysis *n, enum ptx_type to,
			     enum ptx_type from, uint32_t register_bits,
			     struct value v)
{
	uint32_t s = ptx_types[from].bits, d = ptx_types[to].bits;

	if (s < 64 && d > s)
		v = value_extend(&v, s, ptx_types[from].kind == PTX_KIND_S,
				 n->extent);
	if (d < register_bits && d < 64)
		v = value_extend(&v, d, ptx_types[to].kind == PTX_KIND_S,
				 n->extent);
	return v;
}
