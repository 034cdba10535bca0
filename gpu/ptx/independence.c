/*
 * gpu/ptx/independence - a proof that no CTA touches what another one writes.
 *
 * Needs a launch, whose sizes make the offsets of all accesses to one buffer
 * forms in the six indexes with known extents.  Two ways to show that
 * different CTAs get different bytes:
 *
 *   intervals  the bytes of one CTA lie in an interval that is shorter than
 *              the least step from CTA to CTA;
 *   digits     sorted by size, every coefficient is at least the span of all
 *              smaller ones together: then the indexes can be read back from
 *              the offset like the digits of a number.
 */
#include "gpu/ptx/priv/analysis.h"

/* Spans beyond this prove nothing. */
#define SPAN_MAX (1ull << 62)

struct forms {
	bool is_affine; /* all of one kind, with the same coefficients */
	bool any;
	int64_t coef[VALUE_IDS];
	int64_t step;
	int64_t lo, hi; /* of c0, and of c0 + bytes */
};

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static void add_form(struct forms *s, const struct access *c)
{
	const struct value *v = &c->at;
	int64_t end;

	if (v->shape != SHAPE_AFFINE ||
	    __builtin_add_overflow(v->c0, (int64_t)c->bytes, &end)) {
		s->is_affine = false;
		return;
	}
	if (!s->any) {
		s->any = true;
		s->step = v->step;
		s->lo = v->c0;
		s->hi = end;
		for (uint32_t i = 0; i < VALUE_IDS; i++)
			s->coef[i] = v->coef[i];
		return;
	}
	for (uint32_t i = 0; i < VALUE_IDS; i++)
		if (s->coef[i] != v->coef[i])
			s->is_affine = false;
	s->step = value_gcd(s->step, v->step);
	if (v->c0 < s->lo)
		s->lo = v->c0;
	if (end > s->hi)
		s->hi = end;
}

/*
 * Whether the indexes in [from, VALUE_IDS) can be read back from an offset
 * below the first span bytes.
 */
static bool digits(const struct analysis *n, const struct forms *s,
		   uint32_t from, uint64_t span)
{
	bool done[VALUE_IDS] = {false};

	for (;;) {
		uint32_t least = VALUE_IDS;
		uint64_t reach, step;

		for (uint32_t i = from; i < VALUE_IDS; i++)
			if (!done[i] && n->extent[i] > 1 && s->coef[i] &&
			    (least == VALUE_IDS ||
			     magnitude(s->coef[i]) < magnitude(s->coef[least])))
				least = i;
		if (least == VALUE_IDS)
			break;
		done[least] = true;
		step = magnitude(s->coef[least]);
		if (step < span ||
		    __builtin_mul_overflow(step, n->extent[least] - 1, &reach))
			return false;
		span += reach;
		if (span > SPAN_MAX)
			return false;
	}
	return s->step == 0 || magnitude(s->step) >= span;
}

static bool is_disjoint(const struct analysis *n, const struct forms *s)
{
	uint64_t span = (uint64_t)s->hi - (uint64_t)s->lo, own = span;

	for (uint32_t i = 3; i < VALUE_IDS; i++)
		if (n->extent[i] > 1 && !s->coef[i])
			return false;
	if (span > SPAN_MAX)
		return false;
	if (digits(n, s, 0, span))
		return true;
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t reach;

		if (__builtin_mul_overflow(magnitude(s->coef[i]),
					   n->extent[i] - 1, &reach) ||
		    reach > SPAN_MAX)
			return false;
		own += reach;
		if (own > SPAN_MAX)
			return false;
	}
	return digits(n, s, 3, own);
}

static bool touches(const struct analysis *n, const struct access *c,
		    uint32_t object)
{
	uint32_t function = (uint32_t)(c->f - n->m->functions);
	uint32_t direct = analysis_object_of(n, function, c->memory);

	if (direct != PTX_NO_INDEX)
		return direct == object;
	if (value_may_be_anywhere(&c->at))
		return true;
	return n->objects[object].base != BASE_OTHER &&
	       (c->at.bases >> n->objects[object].base & 1);
}

static bool object_is_proved(const struct analysis *n, uint32_t object)
{
	struct forms s = {.is_affine = true};

	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];

		if (!touches(n, c, object))
			continue;
		/* One base exactly, or the offset means nothing. */
		if (c->at.kinds != VALUE_ADDRESS ||
		    (c->at.bases & (c->at.bases - 1)))
			return false;
		add_form(&s, c);
	}
	return s.is_affine && is_disjoint(n, &s);
}

bool independence_is_proved(struct analysis *n)
{
	bool one_cta = n->launch != NULL;

	for (uint32_t i = 3; i < VALUE_IDS; i++)
		one_cta = one_cta && n->extent[i] <= 1;
	if (one_cta)
		return true;
	for (uint32_t i = 0; i < n->object_count; i++) {
		const struct object *o = &n->objects[i];

		if (!o->is_global || !o->written)
			continue;
		/* Atomics of one operation commute (class R). */
		if (o->atomic && !o->plain && !n->reads_all)
			continue;
		if (!n->launch || !object_is_proved(n, i))
			return false;
	}
	return true;
}
