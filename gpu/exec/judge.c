/*
 * The sanitizer's verdict on a CTA that came to its end: findings make it
 * void; where the bits of a NaN mattered it runs twice more with others, and
 * must write the same bytes (NaN words aside) with the same count.
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
		    x->written != y->written || x->nan != y->nan)
			return false;
		for (uint32_t k = 0; k < x->bytes; k++) {
			bool counts = (x->written >> k & 1u) != 0 &&
				      (x->nan >> k & 1u) == 0;
			if (counts &&
			    results[(size_t)i * CELL_BYTES + k] != y->host[k])
				return false;
		}
	}
	return true;
}

/* Run again; true: equal. */
static bool equal_with(struct machine *mc, uint32_t variant,
		       const struct cells *first, const uint8_t *results,
		       uint64_t count)
{
	struct trace *t = mc->trace;
	t->cells = (struct cells){0};
	machine_set_nan(mc, variant);
	machine_run_cta(mc, mc->cta);
	bool same = mc->end.outcome == EXEC_OK && mc->count == count &&
		    same_results(first, results, &t->cells);
	trace_undo(t);
	cells_free(&t->cells);
	return same;
}

static void judge_nan(struct machine *mc)
{
	struct trace *t = mc->trace;
	struct cells first = t->cells;
	struct end end = mc->end;
	uint64_t count = mc->count, cost = mc->cost;
	uint32_t variant = mc->l->options->nan_variant;
	uint8_t *results = copy_results(&first);
	uint64_t *witness = t->witness;
	bool same = results != NULL;

	t->witness = NULL;
	trace_undo(t);
	for (uint32_t v = 1; v < 3 && same; v++)
		same = equal_with(mc, variant + v, &first, results, count);
	t->witness = witness;
	t->cells = first;
	if (results != NULL)
		restore(&first, results);
	free(results);
	machine_set_nan(mc, variant);
	mc->end = end;
	mc->count = count;
	mc->cost = cost;
	if (!same)
		mc->end = (struct end){.outcome = EXEC_VOID,
				       .reason = EXEC_REASON_nan_bits,
				       .op = t->nan_op,
				       .thread = t->nan_thread};
}

void trace_judge(struct machine *mc)
{
	struct trace *t = mc->trace;
	bool faulted = mc->end.outcome == EXEC_FAULT;
	if (t->shadow == NULL || (mc->end.outcome != EXEC_OK && !faulted))
		return;
	/* What came after a finding, a fault too, is undefined. */
	if (t->shadow->first.outcome != EXEC_OK)
		mc->end = t->shadow->first;
	else if (t->nan_matters && !faulted)
		judge_nan(mc);
}
