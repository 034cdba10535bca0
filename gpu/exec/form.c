/*
 * Sums of bases: terms in ascending order, those with coefficient 0 left out,
 * found again by hash.  Coefficients are modulo 2^64; a register of 32 bits
 * has its value modulo 2^32, which the same coefficients describe.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/form.h"

#define SLOTS (4u * FORM_MAX)

bool form_setup(struct form_table *t)
{
	t->list = calloc(FORM_MAX, sizeof(*t->list));
	t->slots = calloc(SLOTS, sizeof(*t->slots));
	t->count = 2;
	return t->list != NULL && t->slots != NULL;
}

void form_free(struct form_table *t)
{
	free(t->list);
	free(t->slots);
}

static uint32_t hash_of(const struct form *f)
{
	uint64_t h = f->kind * 31u + f->of;
	for (uint32_t i = 0; i < f->terms; i++) {
		h = (h ^ f->base[i]) * 0x9e3779b97f4a7c15u;
		h = (h ^ f->coefficient[i]) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	return (uint32_t)((h * 0x9e3779b97f4a7c15u) >> 40) % SLOTS;
}

static bool is_same(const struct form *a, const struct form *b)
{
	bool same =
		a->kind == b->kind && a->terms == b->terms && a->of == b->of;
	for (uint32_t i = 0; same && i < a->terms; i++)
		same = a->base[i] == b->base[i] &&
		       a->coefficient[i] == b->coefficient[i];
	return same;
}

void form_reset(struct form_table *t)
{
	if (t->count == 2)
		return;
	/* Only what is in use: a CTA has few forms. */
	for (uint32_t i = 2; i < t->count; i++) {
		uint32_t at = hash_of(&t->list[i]);
		while (t->slots[at] != 0) {
			t->slots[at] = 0;
			at = (at + 1) % SLOTS;
		}
	}
	t->count = 2;
}

static uint16_t find(struct form_table *t, const struct form *f)
{
	uint32_t at = hash_of(f);
	for (; t->slots[at] != 0; at = (at + 1) % SLOTS) {
		if (is_same(&t->list[t->slots[at]], f))
			return t->slots[at];
	}
	if (t->count == FORM_MAX)
		return FORM_MIXED;
	t->list[t->count] = *f;
	t->slots[at] = (uint16_t)t->count;
	return (uint16_t)t->count++;
}

uint16_t form_address(struct form_table *t, uint32_t base)
{
	return find(t, &(struct form){.kind = FORM_SUM,
				      .terms = 1,
				      .base = {base},
				      .coefficient = {1}});
}

/* Add a term, keeping the order; false: too many. */
static bool add_term(struct form *f, uint32_t base, uint64_t coefficient)
{
	uint32_t i = 0;
	while (i < f->terms && f->base[i] < base)
		i++;
	if (i < f->terms && f->base[i] == base) {
		f->coefficient[i] += coefficient;
		if (f->coefficient[i] != 0)
			return true;
		for (f->terms--; i < f->terms; i++) {
			f->base[i] = f->base[i + 1];
			f->coefficient[i] = f->coefficient[i + 1];
		}
		return true;
	}
	if (f->terms == FORM_TERMS)
		return false;
	for (uint32_t k = f->terms++; k > i; k--) {
		f->base[k] = f->base[k - 1];
		f->coefficient[k] = f->coefficient[k - 1];
	}
	f->base[i] = base;
	f->coefficient[i] = coefficient;
	return true;
}

uint16_t form_sum(struct form_table *t, uint16_t a, uint16_t b, bool subtract)
{
	if (b == FORM_CLEAN)
		return a;
	if (a == FORM_MIXED || b == FORM_MIXED || t->list[a].kind != FORM_SUM ||
	    t->list[b].kind != FORM_SUM)
		return FORM_MIXED;
	struct form f = t->list[a];
	const struct form *g = &t->list[b];
	for (uint32_t i = 0; i < g->terms; i++) {
		uint64_t c = g->coefficient[i];
		if (!add_term(&f, g->base[i], subtract ? -c : c))
			return FORM_MIXED;
	}
	for (uint32_t i = f.terms; i < FORM_TERMS; i++) {
		f.base[i] = 0;
		f.coefficient[i] = 0;
	}
	return f.terms == 0 ? FORM_CLEAN : find(t, &f);
}

uint16_t form_negate(struct form_table *t, uint16_t a)
{
	return form_sum(t, FORM_CLEAN, a, true);
}

uint16_t form_high(struct form_table *t, uint16_t a)
{
	if (a == FORM_CLEAN || a == FORM_MIXED || t->list[a].kind != FORM_SUM)
		return a == FORM_CLEAN ? FORM_CLEAN : FORM_MIXED;
	return find(t, &(struct form){.kind = FORM_HIGH, .of = a});
}

uint16_t form_low(struct form_table *t, uint16_t a)
{
	if (a == FORM_CLEAN || a == FORM_MIXED || t->list[a].kind == FORM_HIGH)
		return a == FORM_CLEAN ? FORM_CLEAN : FORM_MIXED;
	if (t->list[a].kind == FORM_LOW)
		return a;
	return find(t, &(struct form){.kind = FORM_LOW, .of = a});
}

bool form_is_address(const struct form_table *t, uint16_t a, uint32_t *ret_base)
{
	const struct form *f = &t->list[a];
	if (a == FORM_CLEAN || a == FORM_MIXED || f->kind != FORM_SUM ||
	    f->terms != 1 || f->coefficient[0] != 1)
		return false;
	*ret_base = f->base[0];
	return true;
}

uint16_t form_widen(const struct form_table *t, uint16_t a)
{
	uint32_t base;
	if (a == FORM_CLEAN)
		return a;
	/* Addresses of these spaces fit 32 bits. */
	if (form_is_address(t, a, &base) &&
	    (base >> 28 == BASE_SHARED || base >> 28 == BASE_LOCAL))
		return a;
	return FORM_MIXED;
}

uint16_t form_join(struct form_table *t, uint16_t low, uint16_t high)
{
	if (high == FORM_CLEAN)
		return form_widen(t, low);
	const struct form *h = &t->list[high];
	if (high != FORM_MIXED && h->kind == FORM_HIGH && h->of == low)
		return low;
	return FORM_MIXED;
}
