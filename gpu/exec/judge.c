/*
 * One CTA to its verdict: it runs; where it touched less than a word it runs
 * again with races followed by byte; findings make it void; where the bits of
 * a NaN mattered it runs twice more with others, and must write the same
 * bytes (NaNs aside) with the same count.
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

/* What a CTA left in one page. */
struct result {
	struct page *page;
	uint8_t bytes[PAGE_BYTES];
};

/* What a CTA has done, put aside while it runs again. */
struct record {
	struct pages pages;
	struct result *results; /* of written pages */
	uint32_t result_count;
	struct end end;
	uint64_t count, cost;
	uint32_t nan_op, nan_thread;
};

static bool put_aside(struct machine *mc, struct record *r)
{
	struct trace *t = mc->trace;
	*r = (struct record){.pages = t->pages,
			     .end = mc->end,
			     .count = mc->count,
			     .cost = mc->cost,
			     .nan_op = t->nan_op,
			     .nan_thread = t->nan_thread};
	r->results = calloc((size_t)t->pages.count + 1, sizeof(*r->results));
	if (r->results == NULL)
		return false;
	for (uint32_t i = 0; i < t->pages.count; i++) {
		struct page *e = t->pages.list[i];
		if (!e->is_written)
			continue;
		struct result *x = &r->results[r->result_count++];
		x->page = e;
		memcpy(x->bytes, e->host, e->bytes);
	}
	trace_undo(t);
	t->pages = (struct pages){0};
	return true;
}

static void take_back(struct machine *mc, struct record *r)
{
	mc->trace->pages = r->pages;
	mc->end = r->end;
	mc->count = r->count;
	mc->cost = r->cost;
	for (uint32_t i = 0; i < r->result_count; i++) {
		const struct page *e = r->results[i].page;
		for (uint32_t k = 0; k < e->bytes; k++) {
			if ((e->written[k / 64] >> (k % 64) & 1u) != 0)
				e->host[k] = r->results[i].bytes[k];
		}
	}
	free(r->results);
}

static uint8_t nan_code(const struct page *e, uint32_t k)
{
	return (e->has & HAS_NAN) != 0 ? e->tags->nan[k] : 0;
}

static bool same_page(const struct result *a, const struct page *b)
{
	const struct page *e = a->page;
	if (b == NULL ||
	    memcmp(e->written, b->written, sizeof(b->written)) != 0)
		return false;
	for (uint32_t k = 0; k < e->bytes; k++) {
		bool is_written = (e->written[k / 64] >> (k % 64) & 1u) != 0;
		bool is_nan =
			nan_code(e, k) != 0 && nan_code(e, k) == nan_code(b, k);
		if (is_written && !is_nan && a->bytes[k] != b->host[k])
			return false;
	}
	return true;
}

static bool same_results(const struct record *r, const struct pages *p)
{
	uint32_t written = 0;
	for (uint32_t i = 0; i < p->count; i++)
		written += p->list[i]->is_written;
	if (written != r->result_count)
		return false;
	for (uint32_t i = 0; i < r->result_count; i++) {
		const struct page *e = r->results[i].page;
		if (!same_page(&r->results[i],
			       pages_find(p, e->buffer, e->number)))
			return false;
	}
	return true;
}

/* Run, and again where races must be followed by byte. */
static void run_once(struct machine *mc, uint64_t cta)
{
	struct trace *t = mc->trace;
	struct shadow *h = t->shadow;
	uint32_t findings = h != NULL ? h->finding_count : 0;
	uint64_t total = h != NULL ? h->finding_total : 0;
	machine_run_cta(mc, cta);
	if (!t->is_again)
		return;
	trace_undo(t);
	h->entry_shift = 0;
	/* They will be found again. */
	h->finding_count = findings;
	h->finding_total = total;
	machine_run_cta(mc, cta);
}

/* Run again on mc, and undo it; true: as r says. */
static bool equal_again(struct machine *mc, const struct record *r)
{
	run_once(mc, mc->cta);
	bool same = mc->end.outcome == EXEC_OK && mc->count == r->count &&
		    mc->trace->shadow->first.outcome == EXEC_OK &&
		    same_results(r, &mc->trace->pages);
	trace_undo(mc->trace);
	pages_free(&mc->trace->pages);
	return same;
}

static void judge_nan(struct machine *mc)
{
	struct trace *t = mc->trace;
	uint32_t variant = mc->l->options->nan_variant;
	uint64_t *witness = t->witness;
	struct record r;
	bool same = put_aside(mc, &r);
	t->witness = NULL;
	for (uint32_t v = 1; v < 3 && same; v++) {
		machine_set_nan(mc, variant + v);
		same = equal_again(mc, &r);
	}
	t->witness = witness;
	machine_set_nan(mc, variant);
	take_back(mc, &r);
	if (same)
		return;
	mc->end = (struct end){.outcome = EXEC_VOID,
			       .reason = EXEC_REASON_nan_bits,
			       .op = r.nan_op,
			       .thread = r.nan_thread};
	shadow_find(mc, &mc->strips[r.nan_thread / STRIP_LANES],
		    &mc->ops[r.nan_op], EXEC_REASON_nan_bits,
		    r.nan_thread % STRIP_LANES, 0);
}

void trace_run_cta(struct machine *mc, uint64_t cta)
{
	struct trace *t = mc->trace;
	run_once(mc, cta);
	bool faulted = mc->end.outcome == EXEC_FAULT;
	if (t->shadow == NULL || (mc->end.outcome != EXEC_OK && !faulted))
		return;
	/* What came after a finding, a fault too, is undefined. */
	if (t->shadow->first.outcome != EXEC_OK) {
		mc->end = t->shadow->first;
		return;
	}
	if (!faulted && t->nan_matters)
		judge_nan(mc);
}
