/*
 * WIRE_REFEREE: what the ledger asks.  A pure function of the request's
 * bytes: check the proofs, run the CTA on the opened pieces with the whole
 * sanitizer, compare.  One thread, plain order; the limits are in the request.
 * A launch of class R is run whole, its CTAs in order; between two CTAs that
 * meet in a byte other than by atomics the sanitizer stands as well.  A pair
 * asks whether what its first CTA leaves depends on when its second one runs:
 * it is void if so, and proves nothing if not.
 */
#include <string.h>

#include "gpu/program/judge.h"
#include "gpu/program/opening.h"
#include "gpu/worker/priv/job.h"
#include "gpu/worker/priv/sold.h"

struct referee {
	struct worker *w;
	struct program_judge_request r;
	struct program_opening o;
	struct program_run run;
	struct program_judge_answer a;
	struct exec_module *module;
	struct ptx_module *tree;
	struct exec_buffer *buffers;
	struct exec_symbol *symbols;
	size_t symbol_count;
	size_t buffer_count;
};

static void rule(struct referee *j, enum program_verdict v)
{
	j->a.verdict = v;
}

/* The pieces of one object, as copies that the CTA may change. */
static enum err open_object(struct referee *j, uint32_t object, bool writable)
{
	const struct program_pieces *from =
		program_pieces_of(j->o.before, j->o.before_count, object);
	struct exec_buffer *b = &j->buffers[object];
	struct exec_piece *pieces;
	uint8_t *data;
	size_t used = 0;

	b->bytes = program_object_bytes(&j->run.program, object);
	b->writable = writable;
	if (!from)
		return ERR_OK;
	pieces = ARENA_ARRAY(j->w->arena, (size_t)from->range_count + 1,
			     struct exec_piece);
	data = arena_alloc(j->w->arena, from->data.n + 1, 64);
	if (!pieces || !data)
		return ERR_NO_MEMORY;
	memcpy(data, from->data.p, from->data.n);
	for (uint32_t i = 0; i < from->range_count; i++) {
		uint64_t at = from->ranges[i].first * MERKLE_LEAF_BYTES;
		uint64_t n = from->ranges[i].count * MERKLE_LEAF_BYTES;

		if (n > b->bytes - at)
			n = b->bytes - at; /* the last leaf may be short */
		pieces[i] = (struct exec_piece){at, n, data + used};
		used += n;
	}
	b->pieces = pieces;
	b->piece_count = from->range_count;
	return ERR_OK;
}

static enum err bind_symbol(struct referee *j, const struct program_symbol *s,
			    uint32_t object)
{
	uint32_t buffer = object;

	if (object == UINT32_MAX) {
		struct exec_buffer *b = &j->buffers[j->buffer_count];
		enum err e = worker_zeroes(j->w, s->bytes, &b->data);

		if (e)
			return e;
		if (s->data.n)
			memcpy(b->data, s->data.p, s->data.n);
		b->bytes = s->bytes;
		buffer = (uint32_t)j->buffer_count++;
	}
	for (uint32_t i = 0; i < exec_variable_count(j->module); i++) {
		struct exec_variable v;

		exec_variable_at(j->module, i, &v);
		if (bytes_eq(v.name, s->name))
			j->symbols[j->symbol_count++] =
				(struct exec_symbol){v.name, buffer};
	}
	return ERR_OK;
}

static enum err open_memory(struct referee *j)
{
	const struct program *p = &j->run.program;
	uint32_t objects = program_object_count(p);
	uint8_t access[PROGRAM_OBJECTS_MAX];
	enum err e = ERR_OK;

	/* As when it was run: see machine.c. */
	program_step_access(p, j->run.launch.step_index, access);
	j->buffers =
		ARENA_ARRAY(j->w->arena, (size_t)objects + p->symbol_count + 1,
			    struct exec_buffer);
	j->symbols = ARENA_ARRAY(j->w->arena, (size_t)p->symbol_count + 1,
				 struct exec_symbol);
	if (!j->buffers || !j->symbols)
		return ERR_NO_MEMORY;
	j->buffer_count = objects;
	j->symbol_count = 0;
	for (uint32_t i = 0; i < objects && !e; i++)
		e = open_object(j, i, access[i] & PROGRAM_WRITE);
	for (uint32_t i = 0; i < p->symbol_count && !e; i++)
		e = bind_symbol(j, &p->symbols[i], program_symbol_object(p, i));
	return e;
}

static enum err launch_of(struct referee *j, struct exec_launch *ret)
{
	const struct program_launch *step = &j->run.launch;
	const struct program_params *par = &j->run.params;
	struct exec_reloc *relocs = ARENA_ARRAY(
		j->w->arena, (size_t)par->reloc_count + 1, struct exec_reloc);

	if (!relocs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < par->reloc_count; i++)
		relocs[i] = (struct exec_reloc){par->relocs[i].at_bytes,
						par->relocs[i].buffer_index,
						par->relocs[i].offset};
	*ret = (struct exec_launch){
		.kernel = j->run.program.parts[step->part_index].entry,
		.shared_bytes = step->shared_bytes,
		.params = bytes_of(par->bytes, par->byte_count),
		.relocs = relocs,
		.reloc_count = par->reloc_count,
		.buffers = j->buffers,
		.buffer_count = j->buffer_count,
		.symbols = j->symbols,
		.symbol_count = j->symbol_count,
		.ctas = j->run.whole ? NULL : &j->run.cta,
		.cta_count = j->run.whole ? step->cta_count : 1,
	};
	memcpy(ret->grid, step->grid, sizeof(ret->grid));
	memcpy(ret->block, step->block, sizeof(ret->block));
	return ERR_OK;
}

/* Bytes that the CTA wrote against those in S_k. */
static enum err compare(struct referee *j, const struct exec_result *r)
{
	struct program_write *writes = ARENA_ARRAY(
		j->w->arena, r->write_count + 1, struct program_write);
	enum program_finding f;

	if (!writes)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < r->write_count; i++)
		writes[i] = (struct program_write){
			.object_index = r->writes[i].buffer,
			.offset = r->writes[i].offset,
			.data = bytes_of(r->writes[i].data,
					 (size_t)r->writes[i].bytes),
			.nan_bytes = r->writes[i].nan_bytes,
		};
	f = program_run_compare(&j->run, writes, r->write_count,
				&j->a.difference);
	rule(j, program_finding_verdict(f));
	return ERR_OK;
}

static enum err settle(struct referee *j, const struct exec_result *r)
{
	j->a.detail = r->reason;
	j->a.count = r->count;
	j->a.cost = r->cost;
	if (j->r.want_witness)
		j->a.witness = r->witness;
	switch (r->outcome) {
	case EXEC_OK:
		j->a.outcome = PROGRAM_OUTCOME_OK;
		return compare(j, r);
	case EXEC_INCOMPLETE:
		rule(j, PROGRAM_VERDICT_INCOMPLETE);
		return ERR_OK;
	case EXEC_FAULT:
		j->a.outcome = PROGRAM_OUTCOME_FAULT;
		break;
	case EXEC_VOID:
		j->a.outcome = PROGRAM_OUTCOME_VOID;
		break;
	case EXEC_OVER:
		j->a.outcome = PROGRAM_OUTCOME_OVER;
		if (j->run.too_much && r->reason == EXEC_REASON_cost_limit) {
			rule(j, PROGRAM_VERDICT_INCOMPLETE);
			return ERR_OK;
		}
		break;
	case EXEC_REFUSED:
		j->a.outcome = PROGRAM_OUTCOME_REFUSED;
		break;
	case EXEC_CANCELLED:
		return ERR_IO;
	}
	rule(j, PROGRAM_VERDICT_VOID);
	return ERR_OK;
}

/* Is the launch of a worse class than the job's or the part's, or can the
 * warp that is the sample not be run alone? */
static enum err classify(struct referee *j, bool *ret_worse)
{
	struct ptx_report report;
	enum err e = sold_classify(
		j->w->arena, j->tree,
		&j->run.program.parts[j->run.launch.part_index], &j->run.launch,
		&j->run.params, ret_worse, &report);

	if (!e)
		*ret_worse =
			*ret_worse || sold_is_worse(&report, j->r.class) ||
			(j->run.warp != PROGRAM_WARP_ALL && !report.by_warp);
	return e;
}

/* A part that does not load here is void, not our failure; so is a launch of
 * a worse class. */
static enum err load_part(struct referee *j, bool *ret_loaded)
{
	const struct program_part *part =
		&j->run.program.parts[j->run.launch.part_index];
	bool worse = true;
	enum err e = worker_load(j->w, part->text, part->stack_bytes, &j->tree,
				 &j->module);

	if (e == ERR_NO_MEMORY)
		return e;
	if (!e) {
		e = classify(j, &worse);
		if (e)
			return e;
	}
	*ret_loaded = !worse;
	if (!worse)
		return ERR_OK;
	j->a.outcome = PROGRAM_OUTCOME_REFUSED;
	rule(j, PROGRAM_VERDICT_VOID);
	return ERR_OK;
}

/* More CTAs than may be one sample: nothing of them is run. */
static bool is_too_wide(struct referee *j)
{
	if (!j->run.whole || j->run.launch.cta_count <= DISPUTE_CTAS_MAX)
		return false;
	j->a.outcome = PROGRAM_OUTCOME_OVER;
	j->a.detail = EXEC_REASON_cost_limit;
	rule(j, PROGRAM_VERDICT_VOID);
	return true;
}

/* The byte as the last run left it; pieces that are not there say 0, and are
 * not there in any run. */
static uint8_t byte_left(const struct exec_buffer *b, uint64_t offset)
{
	for (size_t i = 0; i < b->piece_count; i++)
		if (offset - b->pieces[i].offset < b->pieces[i].bytes)
			return b->pieces[i].data[offset - b->pieces[i].offset];
	return 0;
}

static bool is_left(const struct referee *j, const struct exec_result *alone)
{
	for (size_t i = 0; i < alone->write_count; i++) {
		const struct exec_write *w = &alone->writes[i];

		for (uint64_t k = 0; k < w->bytes; k++)
			if (byte_left(&j->buffers[w->buffer], w->offset + k) !=
			    w->data[k])
				return false;
	}
	return true;
}

/* CTAs one after the other, on the opened state, with what cost is left. */
static enum err run_in_order(struct referee *j, const uint64_t *ctas,
			     uint32_t count, bool sanitize,
			     struct exec_result *ret)
{
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_launch l;
	enum err e = open_memory(j);

	if (!e)
		e = launch_of(j, &l);
	if (e)
		return e;
	l.ctas = ctas;
	l.cta_count = count;
	o.threads = 1;
	o.sanitize = sanitize;
	o.record_writes = true;
	o.cta_count_max = j->r.count_max;
	o.cost_max = j->r.cost_max - j->a.cost;
	o.cta_cost_max = o.cost_max;
	e = exec_run(j->module, &l, &o, j->w->arena, ret);
	if (!e)
		j->a.cost += ret->cost;
	return e;
}

static enum err run_pair(struct referee *j)
{
	const uint64_t orders[2][2] = {{j->run.other, j->run.cta},
				       {j->run.cta, j->run.other}};
	struct exec_result alone, both;
	enum err e = run_in_order(j, &j->run.cta, 1, true, &alone);

	rule(j, PROGRAM_VERDICT_INCOMPLETE);
	if (e || alone.outcome != EXEC_OK)
		return e;
	j->a.count = alone.count;
	for (int i = 0; i < 2; i++) {
		if (j->a.cost >= j->r.cost_max)
			return ERR_OK;
		e = run_in_order(j, orders[i], 2, false, &both);
		if (e || both.outcome != EXEC_OK)
			return e;
		if (is_left(j, &alone))
			continue;
		j->a.outcome = PROGRAM_OUTCOME_VOID;
		j->a.detail = EXEC_REASON_cross_cta;
		rule(j, PROGRAM_VERDICT_VOID);
		return ERR_OK;
	}
	return ERR_OK;
}

static enum err run_sample(struct referee *j)
{
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_launch l;
	struct exec_result result;
	bool loaded;
	enum err e = load_part(j, &loaded);

	if (e || !loaded || is_too_wide(j))
		return e;
	if (j->run.pair)
		return run_pair(j);
	e = open_memory(j);
	if (!e)
		e = launch_of(j, &l);
	if (e)
		return e;
	o.threads = 1;
	o.sanitize = true;
	o.record_writes = true;
	o.warp = j->run.warp == PROGRAM_WARP_ALL ? EXEC_WARP_ALL : j->run.warp;
	o.cta_count_max = j->r.count_max;
	o.cta_cost_max = j->r.cost_max;
	o.cost_max = j->r.cost_max;
	if (j->r.want_witness)
		o.witness_seed32 = j->r.witness_seed.b;
	e = exec_run(j->module, &l, &o, j->w->arena, &result);
	return e ? e : settle(j, &result);
}

static enum err judge(struct referee *j)
{
	enum program_finding f;
	enum err e;

	e = program_opening_decode(j->w->arena, j->r.opening, &j->o);
	if (e == ERR_NO_MEMORY)
		return e;
	if (e) {
		rule(j, program_finding_verdict(PROGRAM_NO_PROOF));
		return ERR_OK;
	}
	e = program_opening_check(j->w->arena, &j->r.claim, &j->o, &j->r.seed,
				  &f, &j->run);
	if (e)
		return e;
	rule(j, program_finding_verdict(f));
	if (f != PROGRAM_FINE)
		return ERR_OK;
	if (j->run.needed)
		return run_sample(j);
	if (j->r.want_witness)
		j->a.witness = program_still_witness(&j->r.witness_seed, &j->o);
	return ERR_OK;
}

enum err worker_referee(struct worker *w, struct bytes request,
			struct buf *answer)
{
	static struct referee j;
	struct bytes record;
	struct buf out = buf_make(4096);
	enum err e = job_record_decode(request, &record);

	j = (struct referee){.w = w};
	if (!e)
		e = program_judge_request_decode(record, &j.r);
	if (e)
		return worker_fail(w, ERR_MALFORMED, "not a judge's request");
	if (j.r.referee_version != PROGRAM_REFEREE_VERSION)
		return worker_fail(w, ERR_UNSUPPORTED,
				   "referee version %u is not known here",
				   j.r.referee_version);
	e = judge(&j);
	if (e)
		return e;
	program_judge_answer_encode(&out, &j.a);
	job_record_encode(answer, buf_bytes(&out));
	buf_free(&out);
	return ERR_OK;
}
