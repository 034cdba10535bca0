/*
 * Machines: states, openings and verdicts come from the toy.
 */
#include "base/arena.h"
#include "base/merkle.h"
#include "base/must.h"
#include "gpu/program/judge.h"
#include "gpu/program/trace.h"
#include "tests/sim/shell/shell.h"

/* The toy machine's lease; with cheat it began with zeroes. */
struct toy_lease *shell_toy(struct sim *s, bool cheat, uint64_t first,
			    uint64_t done)
{
	static const struct toy_cheat zeroes = {.start = true};
	struct hash nobody = HASH_ZERO;
	struct pubkey none = {{0}};
	struct toy_lease **t;

	must(first < TOY_TASKS && done <= TOY_TASKS - first);
	t = &s->toys[cheat][first][done];
	if (!*t)
		*t = toy_lease_make(s->arena, &nobody, &none, (uint32_t)first,
				    (uint32_t)done, cheat ? &zeroes : NULL);
	return *t;
}

/* The referee: proofs are checked in earnest, CTAs run on the toy machine. */

static struct program_judge_answer judge(struct arena *a, struct bytes request)
{
	struct program_judge_answer r = {0};
	struct program_judge_request q;
	struct program_opening o;
	struct program_run run;
	struct program_write writes[2];
	enum program_finding f;
	struct sha256 h;
	size_t n;

	must(program_judge_request_decode(request, &q) == ERR_OK);
	if (program_opening_decode(a, q.opening, &o)) {
		r.verdict = PROGRAM_VERDICT_INCOMPLETE;
		return r;
	}
	must(program_opening_check(a, &q.claim, &o, &q.seed, &f, &run) ==
	     ERR_OK);
	r.verdict = program_finding_verdict(f);
	if (f != PROGRAM_FINE)
		return r;
	if (!run.needed) {
		r.witness = program_still_witness(&q.witness_seed, &o);
		return r;
	}
	n = toy_writes(a, run.launch.number, run.launch.step_index, run.cta,
		       writes);
	r.verdict = program_finding_verdict(
		program_run_compare(&run, writes, n, &r.difference));
	r.count = 50;
	r.cost = 5000;
	sha256_init_tag(&h, "toy/witness");
	sha256_put(&h, q.witness_seed.b, HASH_BYTES);
	sha256_put_u64_be(&h, run.launch.number);
	sha256_put_u64_be(&h, run.cta);
	r.witness = sha256_end(&h);
	return r;
}

enum err shell_referee(void *ctx, struct arena *a, uint64_t version,
		       struct bytes request, struct bytes *ret_verdict)
{
	struct program_judge_answer r = judge(a, request);
	struct buf b = buf_make(4096);

	(void)ctx, (void)version;
	program_judge_answer_encode(&b, &r);
	*ret_verdict = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return ERR_OK;
}

void shell_run(struct sim *s, uint32_t node, const struct core_action *a)
{
	struct toy_lease *t = shell_toy(s, node == CHEAT, 0, TOY_TASKS);
	struct core_ran *ran = ARENA_NEW(s->arena, struct core_ran);
	struct core_event e = {
		.kind = CORE_EVENT_RAN, .ticket = a->ticket, .ran = ran};
	struct program_task task;
	struct program_result r;
	uint64_t k;

	must(program_task_decode(s->arena, arena_copy(s->arena, a->run.task),
				 &task) == ERR_OK);
	k = task.index;
	must(program_result_decode(s->arena, t->results[k], &r) == ERR_OK);
	*ran = (struct core_ran){
		.steps = r.steps,
		.memory_roots = merkle_bytes_root(bytes_of(
			t->memory_roots[k], sizeof(t->memory_roots[k]))),
		.trace_root = r.trace_root,
		.objects = r.object_roots,
		.object_count = r.object_count,
		.count = 1000,
		.run_ms = 900,
		.wall_ms = 1000,
		.out_bytes = 5000,
	};
	shell_put_bytes(s, t->memory_roots[k], sizeof(t->memory_roots[k]));
	shell_put_bytes(s, t->states[k][TOY_STEPS][1], 5000);
	shell_tell_later(s, node, s->nodes[node].life,
			 500 + shell_below(s, 3000), &e);
}

/* The toy lease that committed these leaves. */
static struct toy_lease *toy_of(struct sim *s, bool cheat,
				const struct core_open *o)
{
	uint64_t first = o->task_index - o->position;

	for (uint64_t done = o->position + 1; first + done <= TOY_TASKS;
	     done++) {
		struct toy_lease *t = shell_toy(s, cheat, first, done);

		if (hash_eq(&t->leaves_root, &o->leaves_root))
			return t;
	}
	return NULL;
}

void shell_open(struct sim *s, uint32_t node, const struct core_action *a)
{
	const struct core_open *o = &a->open;
	struct toy_lease *t = toy_of(s, node == CHEAT, o);
	struct bytes *list =
		ARENA_ARRAY(s->arena, o->sample_count + 1, struct bytes);
	struct core_opened *opened = ARENA_NEW(s->arena, struct core_opened);
	struct core_event e = {.kind = CORE_EVENT_OPENED,
			       .ticket = a->ticket,
			       .opened = opened};

	must(t && list && opened);
	for (uint32_t i = 0; i < o->sample_count; i++) {
		const struct program_sample *p = &o->samples[i];
		uint64_t writer = PROGRAM_WRITER_NONE;
		struct program_opening opening;

		if (p->kind == PROGRAM_SAMPLE_CHUNK)
			writer = toy_chunk_writer(s->arena, t, p, &o->seed);
		opening = toy_opening(s->arena, t, p, writer);
		list[i] = toy_encode(s->arena, &opening);
	}
	*opened = (struct core_opened){list, o->sample_count, 10};
	shell_answer(s, node, &e);
}

void shell_audit(struct sim *s, uint32_t node, const struct core_action *a)
{
	struct program_judge_answer *r =
		ARENA_NEW(s->arena, struct program_judge_answer);
	struct core_event e = {
		.kind = CORE_EVENT_AUDITED, .ticket = a->ticket, .audited = r};

	must(r);
	*r = judge(s->arena, arena_copy(s->arena, a->audit.request));
	/* a cheat does not ask itself */
	if (node == CHEAT)
		r->verdict = PROGRAM_VERDICT_VALID;
	shell_answer(s, node, &e);
}
