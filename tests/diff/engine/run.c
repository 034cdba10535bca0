/*
 * The ways, and what must be equal among them: outcome, bytes, count and cost
 * always, the witness and the writes of all traced runs, and the sanitizer's
 * verdict.  Other bits of NaNs leave all but words that are NaNs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/ptx/parse.h"
#include "tests/diff/engine/engine.h"

/* Far beyond any kernel of the generator, small enough for a reduced one. */
#define COST_MAX 200000000u

#define WAYS_MAX 12u

static struct hash hash_of(const char *tag, const void *p, size_t n)
{
	struct sha256 s;
	sha256_init_tag(&s, tag);
	sha256_put(&s, p, n);
	return sha256_end(&s);
}

static struct hash hash_writes(const struct exec_result *r)
{
	struct sha256 s;
	sha256_init_tag(&s, "weft/test-writes");
	for (size_t i = 0; i < r->write_count; i++) {
		const struct exec_write *w = &r->writes[i];
		sha256_put_u64_le(&s, w->buffer);
		sha256_put_u64_le(&s, w->offset);
		sha256_put_u64_le(&s, w->bytes);
		sha256_put_u64_le(&s, w->nan_bytes);
		sha256_put(&s, w->data, w->bytes);
	}
	for (size_t i = 0; i < r->read_count; i++) {
		const struct exec_range *w = &r->reads[i];
		sha256_put_u64_le(&s, w->buffer);
		sha256_put_u64_le(&s, w->offset);
		sha256_put_u64_le(&s, w->bytes);
	}
	return sha256_end(&s);
}

static void take_result(const struct exec_result *r, const uint8_t *out,
			uint32_t out_bytes, struct diff_result *ret)
{
	*ret = (struct diff_result){
		.outcome = r->outcome, .reason = r->reason, .line = r->line};
	if (r->outcome != EXEC_OK)
		return;
	ret->count = r->count;
	ret->cost = r->cost;
	ret->bytes = hash_of("weft/test-bytes", out, out_bytes);
	ret->witness = r->witness;
	ret->writes = hash_writes(r);
}

bool diff_case_run(struct arena *a, const struct exec_module *m,
		   const struct diff_case *c, const struct diff_way *way,
		   uint8_t *out, struct diff_result *ret_result)
{
	uint8_t params[20] = {0}, seed[32] = {0};
	struct exec_buffer buffers[2] = {
		{.data = out, .bytes = c->out_bytes, .writable = true},
		{.data = (uint8_t *)(uintptr_t)c->in, .bytes = c->in_bytes}};
	struct exec_reloc relocs[2] = {{.param_offset = 0, .buffer = 0},
				       {.param_offset = 8, .buffer = 1}};
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .params = bytes_of(params, sizeof(params)),
				 .relocs = relocs,
				 .reloc_count = 2,
				 .buffers = buffers,
				 .buffer_count = 2};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	memcpy(in.grid, c->grid, sizeof(in.grid));
	memcpy(in.block, c->block, sizeof(in.block));
	put_u32_le(params + 16, c->word);
	put_u64_le(seed, c->seed);
	o.lanes = way->lanes;
	o.threads = way->threads;
	o.group_lanes = way->group_lanes;
	o.schedule_seed = way->schedule_seed;
	o.shuffle_seed = way->shuffle_seed;
	o.nan_variant = way->nan_variant;
	o.sanitize = way->is_sanitized;
	o.record_writes = o.record_reads = way->is_traced;
	o.witness_seed32 = way->is_traced ? seed : NULL;
	o.cta_cost_max = c->cost_max != 0 ? c->cost_max : COST_MAX;
	memset(out, 0, c->out_bytes);
	if (exec_run(m, &in, &o, a, &r) != ERR_OK)
		return false;
	take_result(&r, out, c->out_bytes, ret_result);
	ret_result->is_sanitized = way->is_sanitized;
	return true;
}

/* What of b differs from a; NULL: nothing. */
static const char *difference(const struct diff_result *a,
			      const struct diff_result *b, bool both_traced)
{
	if (a->outcome != b->outcome || a->reason != b->reason)
		return "outcome";
	if (a->outcome != EXEC_OK)
		return NULL;
	if (!hash_eq(&a->bytes, &b->bytes))
		return "bytes";
	if (a->count != b->count)
		return "count";
	if (a->cost != b->cost)
		return "cost";
	if (both_traced && !hash_eq(&a->witness, &b->witness))
		return "witness";
	if (both_traced && !a->is_sanitized && !b->is_sanitized &&
	    !hash_eq(&a->writes, &b->writes))
		return "writes";
	return NULL;
}

static bool is_nan32(uint32_t v)
{
	return (v & 0x7fffffffu) > 0x7f800000u;
}

static bool is_nan64(uint64_t v)
{
	return (v & INT64_MAX) > 0x7ff0000000000000u;
}

/* Equal but for words that are NaNs in both. */
static bool same_numbers(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	for (uint32_t i = 0; i + 8 <= n; i += 8) {
		uint64_t x = u64_le(a + i), y = u64_le(b + i);
		if (x == y || (is_nan64(x) && is_nan64(y)))
			continue;
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t v = (uint32_t)(x >> 32 * k);
			uint32_t w = (uint32_t)(y >> 32 * k);
			if (v != w && !(is_nan32(v) && is_nan32(w)))
				return false;
		}
	}
	return true;
}

struct check {
	struct arena *arena;
	const struct exec_module *m;
	const struct diff_case *c;
	struct diff_report *report;
	uint8_t *base_out, *out;
	struct diff_result traced, sanitized;
	bool has_traced, has_sanitized;
};

static void say_way(struct check *k, const struct diff_way *w, const char *what,
		    const struct diff_result *r)
{
	const struct diff_result *b = &k->report->base;
	k->report->end = DIFF_UNEQUAL;
	snprintf(k->report->text, sizeof(k->report->text),
		 "%s: %s lanes, width %u, schedule %llu, order %llu, threads "
		 "%u, nan %u%s%s: outcome %u %s line %u, plain %u %s line %u",
		 what, exec_lanes_name(w->lanes), w->group_lanes,
		 (unsigned long long)w->schedule_seed,
		 (unsigned long long)w->shuffle_seed, w->threads,
		 w->nan_variant, w->is_traced ? ", traced" : "",
		 w->is_sanitized ? ", sanitized" : "", r->outcome,
		 exec_reason_word(r->reason), r->line, b->outcome,
		 exec_reason_word(b->reason), b->line);
}

/* One more way; false: it differs. */
static bool try_way(struct check *k, const struct diff_way *w)
{
	struct diff_result r;
	const char *what;
	must(diff_case_run(k->arena, k->m, k->c, w, k->out, &r));
	if (w->is_sanitized) {
		if (!k->has_sanitized)
			k->sanitized = r;
		k->has_sanitized = true;
		what = difference(&k->sanitized, &r, false);
		if (what == NULL && r.outcome == EXEC_OK)
			what = difference(&k->report->base, &r, false);
	} else if (w->nan_variant != 0) {
		what = r.outcome != EXEC_OK ? "outcome"
		       : same_numbers(k->base_out, k->out, k->c->out_bytes)
			       ? NULL
			       : "numbers";
	} else {
		what = difference(&k->report->base, &r, false);
	}
	if (what == NULL && w->is_traced) {
		if (!k->has_traced)
			k->traced = r;
		k->has_traced = true;
		what = difference(&k->traced, &r, true);
		/* Of two that are not sanitized the writes count, too. */
		if (what == NULL && k->traced.is_sanitized)
			k->traced = r;
	}
	if (what != NULL)
		say_way(k, w, what, &r);
	return what == NULL;
}

/* The sets of lanes that this CPU has, by a number. */
static enum exec_lanes lanes_by(uint64_t n)
{
	return (enum exec_lanes)(EXEC_LANES_PLAIN +
				 n % (uint64_t)exec_lanes_best());
}

/* All ways but the plain one; how many. */
static uint32_t list_ways(uint64_t s, struct diff_way list[WAYS_MAX])
{
	static const uint32_t widths[] = {1, 8, 16, 32, 0};
	uint32_t n = 0;
	for (int l = EXEC_LANES_AVX2; l <= (int)exec_lanes_best(); l++)
		list[n++] = (struct diff_way){.lanes = (enum exec_lanes)l,
					      .is_traced = true};
	for (uint32_t i = 0; i < 5; i++) {
		bool by_chance = widths[i] == 0 || (s >> i & 1) != 0;
		list[n++] = (struct diff_way){
			.lanes = lanes_by(s + i),
			.group_lanes = widths[i],
			.schedule_seed = by_chance ? s | 1 : 0,
			.shuffle_seed = s >> 5,
			.threads = (s >> i & 2) != 0 ? 2 : 1,
			.is_traced = (s + i) % 2 == 0};
	}
	list[n++] = (struct diff_way){.lanes = lanes_by(s + 1),
				      .group_lanes = widths[s % 4],
				      .schedule_seed = s / 2 | 1,
				      .is_traced = s % 3 == 0,
				      .is_sanitized = true};
	list[n++] = (struct diff_way){.lanes = lanes_by(s + 2),
				      .nan_variant = (uint32_t)(1 + s % 2)};
	return n;
}

static void try_ways(struct check *k)
{
	uint64_t s = k->c->seed * 0x9e3779b97f4a7c15u >> 8;
	struct diff_way list[WAYS_MAX];
	struct diff_way first = {
		.lanes = lanes_by(s), .is_traced = true, .is_sanitized = true};
	uint32_t n = list_ways(s, list);
	if (!try_way(k, &first))
		return;
	k->report->witness = k->sanitized.witness;
	if (k->sanitized.outcome != EXEC_OK) {
		k->report->end = DIFF_UNDEFINED;
		snprintf(k->report->text, sizeof(k->report->text),
			 "%s: line %u", exec_reason_word(k->sanitized.reason),
			 k->sanitized.line);
		return;
	}
	/* Any ways of the list, a run of it from a place by chance. */
	for (uint32_t i = 0; i < n && i < k->c->ways; i++) {
		if (!try_way(k, &list[(s + i * 4) % n]))
			return;
	}
	k->report->end = DIFF_EQUAL;
}

static void check_loaded(struct check *k)
{
	static const struct diff_way plain = {.lanes = EXEC_LANES_PLAIN};
	k->base_out = malloc(k->c->out_bytes + 1);
	k->out = malloc(k->c->out_bytes + 1);
	must(k->base_out != NULL && k->out != NULL);
	must(diff_case_run(k->arena, k->m, k->c, &plain, k->base_out,
			   &k->report->base));
	if (k->report->base.outcome == EXEC_REFUSED) {
		k->report->end = DIFF_REFUSED;
		snprintf(k->report->text, sizeof(k->report->text),
			 "the launch does not fit");
	} else if (k->report->base.outcome == EXEC_OVER) {
		k->report->end = DIFF_UNDEFINED;
		snprintf(k->report->text, sizeof(k->report->text), "too long:");
	} else {
		try_ways(k);
	}
	free(k->base_out);
	free(k->out);
}

void diff_case_check(struct arena *a, const struct diff_case *c,
		     struct diff_report *ret_report)
{
	struct ptx_module *pm;
	struct ptx_diag diag = {0};
	struct exec_module *m;
	struct exec_refusal why = {0};
	struct exec_module_options options = {.stack_bytes = c->stack_bytes};
	struct check k = {.arena = a, .c = c, .report = ret_report};
	arena_reset(a);
	*ret_report = (struct diff_report){.end = DIFF_REFUSED};
	if (ptx_parse(a, c->text, &pm, &diag) != ERR_OK) {
		snprintf(ret_report->text, sizeof(ret_report->text),
			 "line %u: %s", diag.line, diag.text);
		return;
	}
	if (exec_module_load(pm, &options, &m, &why) != ERR_OK) {
		snprintf(ret_report->text, sizeof(ret_report->text),
			 "line %u: %s", why.line, why.text);
		return;
	}
	k.m = m;
	check_loaded(&k);
	exec_module_free(m);
}
