/*
 * The sanitizer's verdict on a CTA that came to its end: findings make it
 * void; it must do the same with all addresses elsewhere; where the bits of a
 * NaN mattered it runs twice more with others, and must write the same bytes
 * (NaN words aside) with the same count.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

/* Bits of unspecified NaNs: the plain run's, then two others. */
static const uint32_t nan32[3] = {0x7fffffffu, 0xff800001u, 0x7fc00000u};
static const uint64_t nan64[3] = {0x7fffffffffffffffu, 0xfff0000000000001u,
				  0x7ff8000000000000u};

void machine_set_nan(struct machine *mc, uint32_t variant)
{
	mc->nan32 = nan32[variant % 3];
	mc->nan64 = nan64[variant % 3];
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		mc->strips[k].args.nan32 = mc->nan32;
		mc->strips[k].args.nan64 = mc->nan64;
	}
}

/* What the CTA left in its cells. */
static uint8_t *copy_results(const struct cells *c)
{
	uint8_t *p = malloc((size_t)c->count * CELL_BYTES + 1);
	for (uint32_t i = 0; p != NULL && i < c->count; i++)
		memcpy(p + (size_t)i * CELL_BYTES, c->list[i].host,
		       c->list[i].bytes);
	return p;
}

static void restore(const struct cells *c, const uint8_t *results)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct cell *e = &c->list[i];
		for (uint32_t k = 0; k < e->bytes; k++) {
			if ((e->written >> k & 1u) != 0)
				e->host[k] =
					results[(size_t)i * CELL_BYTES + k];
		}
	}
}

/* Cells of both runs come in the order of first touch, as long as both do
 * the same; when they do not, the bytes will not be equal either. */
static bool same_results(const struct cells *a, const uint8_t *results,
			 const struct cells *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct cell *x = &a->list[i], *y = &b->list[i];
		if (x->buffer != y->buffer || x->number != y->number ||
		    x->written != y->written)
			return false;
		for (uint32_t k = 0; k < x->bytes; k++) {
			bool counts = (x->written >> k & 1u) != 0 &&
				      ((x->nan | y->nan) >> k & 1u) == 0;
			if (counts &&
			    results[(size_t)i * CELL_BYTES + k] != y->host[k])
				return false;
		}
	}
	return true;
}

/* What a CTA has done, put aside while it runs again. */
struct record {
	struct cells cells;
	uint8_t *results;
	struct end end;
	uint64_t count, cost;
};

static void put_aside(struct machine *mc, struct record *r)
{
	*r = (struct record){.cells = mc->trace->cells,
			     .results = copy_results(&mc->trace->cells),
			     .end = mc->end,
			     .count = mc->count,
			     .cost = mc->cost};
	trace_undo(mc->trace);
	mc->trace->cells = (struct cells){0};
}

static void take_back(struct machine *mc, struct record *r)
{
	mc->trace->cells = r->cells;
	mc->end = r->end;
	mc->count = r->count;
	mc->cost = r->cost;
	if (r->results != NULL)
		restore(&r->cells, r->results);
	free(r->results);
}

/* Run again on mc, and undo it; true: as r says. */
static bool equal_on(struct machine *mc, const struct record *r)
{
	machine_run_cta(mc, mc->cta);
	bool same = mc->end.outcome == EXEC_OK && mc->count == r->count &&
		    same_results(&r->cells, r->results, &mc->trace->cells);
	trace_undo(mc->trace);
	cells_free(&mc->trace->cells);
	return same;
}

static void judge_nan(struct machine *mc)
{
	struct trace *t = mc->trace;
	uint32_t variant = mc->l->options->nan_variant;
	uint64_t *witness = t->witness;
	struct record r;
	put_aside(mc, &r);
	bool same = r.results != NULL;
	t->witness = NULL;
	for (uint32_t v = 1; v < 3 && same; v++) {
		machine_set_nan(mc, variant + v);
		same = equal_on(mc, &r);
	}
	t->witness = witness;
	machine_set_nan(mc, variant);
	take_back(mc, &r);
	if (!same)
		mc->end = (struct end){.outcome = EXEC_VOID,
				       .reason = EXEC_REASON_nan_bits,
				       .op = t->nan_op,
				       .thread = t->nan_thread};
}

/* With all addresses elsewhere: what the CTA does must be the same. */
static void judge_addresses(struct machine *mc, struct machine *other)
{
	struct record r;
	put_aside(mc, &r);
	other->cta = mc->cta;
	other->count_max = mc->count_max;
	other->cost_max = mc->cost_max;
	bool same = r.results != NULL && equal_on(other, &r);
	take_back(mc, &r);
	if (!same)
		mc->end = (struct end){.outcome = EXEC_VOID,
				       .reason = EXEC_REASON_address_leak,
				       .op = mc->l->kernel->entry};
}

void trace_judge(struct machine *mc, struct machine *other)
{
	struct trace *t = mc->trace;
	bool faulted = mc->end.outcome == EXEC_FAULT;
	if (t->shadow == NULL || (mc->end.outcome != EXEC_OK && !faulted))
		return;
	/* What came after a finding, a fault too, is undefined. */
	if (t->shadow->first.outcome != EXEC_OK) {
		mc->end = t->shadow->first;
		return;
	}
	if (faulted)
		return;
	bool nan_matters = t->nan_matters;
	if (other != NULL)
		judge_addresses(mc, other);
	if (nan_matters && mc->end.outcome == EXEC_OK)
		judge_nan(mc);
}
