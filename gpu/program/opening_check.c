/*
 * From the outside in: program, task and result against the roots that the
 * ledger knows; the trace's four states; the objects of the two states around
 * the step; the pieces of the objects.  What fails before a hash on the
 * ledger's side has confirmed it proves nothing (NO_PROOF); what fails after
 * shows the provider wrong.
 */
#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/program/opening.h"

/* A finding other than FINE ends the check; memory errors end it harder. */
struct check {
	struct arena *a;
	const struct program_claim *claim;
	const struct program_opening *o;
	struct program_run run;
	enum program_finding finding;
	enum err err; /* ERR_NO_MEMORY or ERR_OK */
};

static const struct hash *proof_hashes(struct bytes proof)
{
	return (const struct hash *)(const void *)proof.p;
}

/* Records a finding; true when everything is still fine. */
static bool expect(struct check *c, bool ok, enum program_finding otherwise)
{
	if (c->err || c->finding != PROGRAM_FINE)
		return false;
	if (!ok)
		c->finding = otherwise;
	return ok;
}

/* Decoding failed: out of memory is not the opening's fault. */
static bool expect_ok(struct check *c, enum err err,
		      enum program_finding otherwise)
{
	if (err == ERR_NO_MEMORY && !c->err)
		c->err = err;
	return expect(c, err == ERR_OK, otherwise);
}

static bool list_holds(const struct hash *root, uint64_t count, uint64_t at,
		       struct hash leaf, struct bytes proof)
{
	return program_list_check(root, count, at, &leaf, 1,
				  proof_hashes(proof),
				  proof.n / HASH_BYTES) == ERR_OK;
}

static struct hash item(struct bytes b)
{
	return merkle_item(b.p, b.n);
}

static bool program_proved(struct check *c)
{
	const struct program_opening *o = c->o;
	uint32_t parts = c->run.program.part_count;
	bool one = o->part_index != PROGRAM_PART_NONE;
	struct merkle_range ranges[3] = {{0, 1}};
	size_t n = 1;
	size_t leaf_count = 0;
	struct hash *leaves = ARENA_ARRAY(c->a, o->step_count + 2, struct hash);
	struct hash tree;
	struct hash root;
	uint64_t count = 1 + (uint64_t)parts + o->step_count;

	if (!leaves) {
		c->err = ERR_NO_MEMORY;
		return false;
	}
	leaves[leaf_count++] = item(o->preamble);
	if (one) {
		ranges[n++] = (struct merkle_range){1 + o->part_index, 1};
		leaves[leaf_count++] = item(o->part);
	}
	ranges[n++] = (struct merkle_range){1 + parts, o->step_count};
	for (uint32_t i = 0; i < o->step_count; i++)
		leaves[leaf_count++] = item(o->steps[i]);
	if (merkle_check(count, ranges, n, leaves, leaf_count,
			 proof_hashes(o->program_proof),
			 o->program_proof.n / HASH_BYTES, &tree))
		return false;
	root = merkle_list_wrap(count, &tree);
	return hash_eq(&root, &c->claim->program_id);
}

static void check_program(struct check *c)
{
	const struct program_opening *o = c->o;
	uint32_t parts = o->part_index == PROGRAM_PART_NONE ? 0 : 1;

	if (!expect_ok(c,
		       program_items_decode(c->a, o->preamble, o->part_index,
					    &o->part, parts, o->steps,
					    o->step_count, &c->run.program),
		       PROGRAM_NO_PROOF))
		return;
	expect(c, program_proved(c), PROGRAM_NO_PROOF);
}

static void check_task(struct check *c)
{
	const struct program_opening *o = c->o;
	const struct program_claim *claim = c->claim;
	struct program_task *t = &c->run.task;

	if (c->err || c->finding != PROGRAM_FINE)
		return;
	if (!expect_ok(c, program_task_decode(c->a, o->task, t),
		       PROGRAM_NO_PROOF))
		return;
	expect(c,
	       t->index == o->sample.task_index &&
		       t->index < claim->task_count &&
		       t->index >= claim->first_task &&
		       t->index - claim->first_task < claim->done_count &&
		       hash_eq(&t->program_id, &claim->program_id),
	       PROGRAM_NO_PROOF);
	expect(c,
	       c->finding == PROGRAM_FINE &&
		       list_holds(&claim->tasks_root, claim->task_count,
				  t->index, program_task_leaf(o->task),
				  o->task_proof),
	       PROGRAM_NO_PROOF);
	/* The buyer's task does not fit the buyer's program: no provider can
	 * be blamed for it. */
	expect(c,
	       c->finding == PROGRAM_FINE &&
		       program_task_fits(&c->run.program, t) == ERR_OK,
	       PROGRAM_NO_PROOF);
}

/* The result leaf under result_root. */
static bool result_proved(struct check *c)
{
	const struct program_opening *o = c->o;
	struct hash leaf = program_result_leaf(o->result);
	struct merkle_range range = {c->run.task.index - c->claim->first_task,
				     1};
	struct hash tree;
	struct hash root;

	if (merkle_check(c->claim->done_count, &range, 1, &leaf, 1,
			 proof_hashes(o->result_proof),
			 o->result_proof.n / HASH_BYTES, &tree))
		return false;
	root = merkle_list_wrap(c->claim->done_count, &tree);
	root = program_result_root(&c->claim->lease, &c->claim->provider,
				   &root);
	return hash_eq(&root, &c->claim->result_root);
}

static void check_result(struct check *c)
{
	struct program_result *r = &c->run.result;

	if (c->err || c->finding != PROGRAM_FINE)
		return;
	if (!expect(c, result_proved(c), PROGRAM_NO_PROOF))
		return;
	if (!expect_ok(c, program_result_decode(c->a, c->o->result, r),
		       PROGRAM_BAD_END))
		return;
	expect(c,
	       r->index == c->run.task.index &&
		       r->steps == program_launch_count(&c->run.program) &&
		       r->object_count == program_object_count(&c->run.program),
	       PROGRAM_BAD_END);
}

/*
 * The four states stand in the trace.  Equal indexes (a task of one step, its
 * first or last step) must hold equal hashes and are one leaf.
 */
static bool trace_proved(struct check *c, uint64_t k)
{
	const struct program_opening *o = c->o;
	uint64_t n = c->run.result.steps;
	const uint64_t at[4] = {0, k - 1, k, n};
	struct merkle_range ranges[4];
	struct hash leaves[4];
	size_t count = 0;
	struct hash tree;
	struct hash root;

	for (int i = 0; i < 4; i++) {
		if (i && at[i] == at[i - 1]) {
			if (!hash_eq(&o->memory_roots[i],
				     &o->memory_roots[i - 1]))
				return false;
			continue;
		}
		ranges[count] = (struct merkle_range){at[i], 1};
		leaves[count++] = program_trace_leaf(&o->memory_roots[i]);
	}
	if (merkle_check(n + 1, ranges, count, leaves, count,
			 proof_hashes(o->trace_proof),
			 o->trace_proof.n / HASH_BYTES, &tree))
		return false;
	root = merkle_list_wrap(n + 1, &tree);
	return hash_eq(&root, &c->run.result.trace_root);
}

static void check_trace(struct check *c)
{
	const struct program_opening *o = c->o;
	uint64_t k = o->sample.step_number;
	struct hash start;
	struct hash last;

	if (c->err || c->finding != PROGRAM_FINE)
		return;
	if (!expect(c, k >= 1 && k <= c->run.result.steps && trace_proved(c, k),
		    PROGRAM_NO_PROOF))
		return;
	start = program_start_root(&c->run.program, &c->run.task);
	expect(c, hash_eq(&start, &o->memory_roots[0]), PROGRAM_BAD_START);
	last = program_memory_root(c->run.result.object_roots,
				   c->run.result.object_count);
	expect(c, hash_eq(&last, &o->memory_roots[3]), PROGRAM_BAD_END);
}

static void check_ends(struct check *c)
{
	check_program(c);
	check_task(c);
	check_result(c);
	check_trace(c);
}

/* The object roots around the step, and that only allowed ones changed. */
static void check_objects(struct check *c)
{
	const struct program_opening *o = c->o;
	uint32_t n = program_object_count(&c->run.program);
	uint8_t access[PROGRAM_OBJECTS_MAX];
	struct hash before;
	struct hash after;

	if (c->err || c->finding != PROGRAM_FINE)
		return;
	if (!expect(c, o->object_count == n, PROGRAM_NO_PROOF))
		return;
	before = program_memory_root(o->before_roots, n);
	after = program_memory_root(o->after_roots, n);
	if (!expect(c,
		    hash_eq(&before, &o->memory_roots[1]) &&
			    hash_eq(&after, &o->memory_roots[2]),
		    PROGRAM_NO_PROOF))
		return;
	program_step_access(&c->run.program, c->run.launch.step_index, access);
	for (uint32_t i = 0; i < n; i++)
		expect(c,
		       (access[i] & PROGRAM_WRITE) ||
			       hash_eq(&o->before_roots[i], &o->after_roots[i]),
		       PROGRAM_BAD_WRITE);
}

/* All opened leaves of one object, hashed, under its root. */
static bool pieces_proved(struct check *c, const struct program_pieces *p,
			  const struct hash *roots)
{
	uint64_t bytes = program_object_bytes(&c->run.program, p->object_index);
	uint64_t leaf_count = merkle_leaf_count(bytes);
	uint64_t total = 0;
	size_t n = 0;
	size_t at = 0;
	struct hash *leaves;
	struct hash tree;
	struct hash root;

	for (uint32_t i = 0; i < p->range_count; i++) {
		if (p->ranges[i].first >= leaf_count ||
		    p->ranges[i].count > leaf_count - p->ranges[i].first)
			return false;
		total += p->ranges[i].count;
	}
	if (total > p->data.n / MERKLE_LEAF_BYTES + 1)
		return false;
	leaves = ARENA_ARRAY(c->a, (size_t)total, struct hash);
	if (!leaves) {
		c->err = ERR_NO_MEMORY;
		return false;
	}
	for (uint32_t i = 0; i < p->range_count; i++) {
		for (uint64_t j = 0; j < p->ranges[i].count; j++) {
			uint64_t from =
				(p->ranges[i].first + j) * MERKLE_LEAF_BYTES;
			struct bytes leaf =
				bytes_slice(p->data, at,
					    bytes - from < MERKLE_LEAF_BYTES
						    ? (size_t)(bytes - from)
						    : MERKLE_LEAF_BYTES);

			if (leaf.n == 0)
				return false;
			leaves[n++] = merkle_leaf(leaf.p, leaf.n);
			at += leaf.n;
		}
	}
	if (at != p->data.n ||
	    merkle_check(leaf_count, p->ranges, p->range_count, leaves, n,
			 proof_hashes(p->proof), p->proof.n / HASH_BYTES,
			 &tree))
		return false;
	root = merkle_bytes_wrap(bytes, &tree);
	return hash_eq(&root, &roots[p->object_index]);
}

static void check_pieces(struct check *c)
{
	const struct program_opening *o = c->o;

	for (uint32_t i = 0; i < o->before_count; i++)
		if (expect(c, o->before[i].object_index < o->object_count,
			   PROGRAM_NO_PROOF))
			expect(c,
			       pieces_proved(c, &o->before[i], o->before_roots),
			       PROGRAM_NO_PROOF);
	for (uint32_t i = 0; i < o->after_count; i++)
		if (expect(c, o->after[i].object_index < o->object_count,
			   PROGRAM_NO_PROOF))
			expect(c,
			       pieces_proved(c, &o->after[i], o->after_roots),
			       PROGRAM_NO_PROOF);
}

/* Is it all of the CTA, or a warp that can be run alone? */
static bool is_unit(const struct check *c, uint32_t warp)
{
	const struct program_launch *l = &c->run.launch;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	return warp == PROGRAM_WARP_ALL ||
	       (c->run.program.parts[l->part_index].by_warp &&
		warp < (threads + 31) / 32);
}

static void run_cta(struct check *c, uint64_t cta, uint32_t warp)
{
	c->run.needed = true;
	c->run.cta = cta;
	c->run.warp = warp;
	c->run.too_much =
		warp == PROGRAM_WARP_ALL &&
		program_launch_warps(&c->run.program, &c->run.launch) > 0;
}

static void run_launch(struct check *c)
{
	c->run.needed = true;
	c->run.whole = true;
	c->run.warp = PROGRAM_WARP_ALL;
}

static void check_cta(struct check *c)
{
	const struct program_sample *s = &c->o->sample;
	const struct program_launch *l = &c->run.launch;

	/* A CTA of a class R launch alone does not make its bytes. */
	if (expect(c,
		   l->kind == PROGRAM_STEP_LAUNCH && s->number < l->cta_count &&
			   !program_launch_is_whole(&c->run.program, l) &&
			   is_unit(c, s->warp),
		   PROGRAM_NO_PROOF))
		run_cta(c, s->number, s->warp);
}

/* Whole CTAs both: what is asked is whether either order leaves the bytes. */
static void check_pair(struct check *c)
{
	const struct program_opening *o = c->o;
	const struct program_launch *l = &c->run.launch;

	if (!expect(c,
		    l->kind == PROGRAM_STEP_LAUNCH &&
			    !program_launch_is_whole(&c->run.program, l) &&
			    o->sample.number < l->cta_count &&
			    o->writer < l->cta_count &&
			    o->writer != o->sample.number &&
			    o->writer_warp == PROGRAM_WARP_ALL,
		    PROGRAM_NO_PROOF))
		return;
	run_cta(c, o->sample.number, PROGRAM_WARP_ALL);
	c->run.pair = true;
	c->run.other = o->writer;
}

static void check_launch(struct check *c)
{
	if (expect(c,
		   program_launch_is_whole(&c->run.program, &c->run.launch) &&
			   c->run.launch.cta_count > 0,
		   PROGRAM_NO_PROOF))
		run_launch(c);
}

/* The chunk before and after; false if it is not opened whole. */
static bool chunk_open(struct check *c, uint32_t object, uint64_t offset,
		       uint32_t bytes, struct bytes ret[2])
{
	const struct program_opening *o = c->o;
	uint64_t size = program_object_bytes(&c->run.program, object);
	const struct program_pieces *before =
		program_pieces_of(o->before, o->before_count, object);
	const struct program_pieces *after =
		program_pieces_of(o->after, o->after_count, object);

	if (!before || !after)
		return false;
	ret[0] = program_pieces_at(before, size, offset, bytes);
	ret[1] = program_pieces_at(after, size, offset, bytes);
	return ret[0].n == bytes && ret[1].n == bytes;
}

/*
 * A copy's or fill's chunk must be what the step makes of it.  Opened ranges
 * have gaps between them, so bytes in a row lie in one of them.
 */
static void check_meaning(struct check *c, uint32_t object, uint64_t offset,
			  const struct bytes chunk[2])
{
	const struct program_launch *l = &c->run.launch;
	const struct program_opening *o = c->o;
	uint64_t lo = offset > l->to_offset ? offset : l->to_offset;
	uint64_t hi = offset + chunk[1].n;
	const struct program_pieces *from;
	struct bytes source = {0};

	if (hi > l->to_offset + l->bytes)
		hi = l->to_offset + l->bytes;
	if (object != l->to_index || lo > hi)
		lo = hi;
	if (lo < hi && l->kind == PROGRAM_STEP_COPY) {
		from = program_pieces_of(o->before, o->before_count,
					 l->from_index);
		if (from)
			source = program_pieces_at(
				from,
				program_object_bytes(&c->run.program,
						     l->from_index),
				l->from_offset + lo - l->to_offset, hi - lo);
		if (!expect(c, source.n == hi - lo, PROGRAM_INCOMPLETE))
			return;
	}
	for (size_t i = 0; i < chunk[1].n; i++) {
		uint64_t at = offset + i;
		uint8_t want = chunk[0].p[i];

		if (at >= lo && at < hi)
			want = l->kind == PROGRAM_STEP_COPY ? source.p[at - lo]
							    : l->with;
		if (!expect(c, chunk[1].p[i] == want, PROGRAM_BAD_BYTES))
			return;
	}
}

/* A changed chunk names the CTA, or warp, that wrote the drawn byte. */
static void check_writer(struct check *c, const struct hash *seed,
			 uint32_t object, uint64_t offset,
			 const struct bytes chunk[2])
{
	const struct program_opening *o = c->o;
	uint32_t at;

	if (program_chunk_byte(seed, &o->sample, chunk[0], chunk[1], &at))
		return; /* unchanged: nothing to run */
	if (!expect(c, o->writer != PROGRAM_WRITER_NONE, PROGRAM_BAD_BYTES))
		return;
	if (!expect(c,
		    o->writer < c->run.launch.cta_count &&
			    is_unit(c, o->writer_warp),
		    PROGRAM_BAD_BYTES))
		return;
	if (program_launch_is_whole(&c->run.program, &c->run.launch))
		run_launch(c);
	else
		run_cta(c, o->writer, o->writer_warp);
	c->run.must_write = true;
	c->run.byte_object = object;
	c->run.byte_offset = offset + at;
}

static void check_chunk(struct check *c, const struct hash *seed)
{
	struct bytes chunk[2];
	uint32_t object;
	uint32_t bytes;
	uint64_t offset;

	if (!expect(c,
		    program_chunk_find(&c->run.program,
				       c->run.launch.step_index,
				       c->o->sample.number, &object, &offset,
				       &bytes) == ERR_OK,
		    PROGRAM_NO_PROOF))
		return;
	if (!expect(c, chunk_open(c, object, offset, bytes, chunk),
		    PROGRAM_INCOMPLETE))
		return;
	if (c->run.launch.kind == PROGRAM_STEP_LAUNCH)
		check_writer(c, seed, object, offset, chunk);
	else
		check_meaning(c, object, offset, chunk);
}

static void check_step(struct check *c, const struct hash *seed)
{
	struct program_launch *l = &c->run.launch;
	bool launch;

	if (c->err || c->finding != PROGRAM_FINE)
		return;
	if (!expect(c,
		    program_launch_at(&c->run.program, c->o->sample.step_number,
				      l) == ERR_OK,
		    PROGRAM_NO_PROOF))
		return;
	launch = l->kind == PROGRAM_STEP_LAUNCH;
	expect(c,
	       c->o->part_index == (launch ? l->part_index : PROGRAM_PART_NONE),
	       PROGRAM_NO_PROOF);
	check_objects(c);
	check_pieces(c);
	if (c->err || c->finding != PROGRAM_FINE)
		return;
	switch (c->o->sample.kind) {
	case PROGRAM_SAMPLE_CTA:
		check_cta(c);
		break;
	case PROGRAM_SAMPLE_CHUNK:
		check_chunk(c, seed);
		break;
	case PROGRAM_SAMPLE_LAUNCH:
		check_launch(c);
		break;
	case PROGRAM_SAMPLE_PAIR:
		check_pair(c);
		break;
	}
	if (launch && c->run.needed && c->finding == PROGRAM_FINE)
		expect_ok(c,
			  program_launch_params(c->a, &c->run.program, l,
						&c->run.task, &c->run.params),
			  PROGRAM_NO_PROOF);
}

enum err program_opening_check(struct arena *a,
			       const struct program_claim *claim,
			       const struct program_opening *o,
			       const struct hash *seed,
			       enum program_finding *ret_finding,
			       struct program_run *ret_run)
{
	struct check c = {.a = a, .claim = claim, .o = o};

	check_ends(&c);
	check_step(&c, seed);
	if (c.err)
		return c.err;
	c.run.opening = o;
	if (c.finding != PROGRAM_NO_PROOF)
		*ret_run = c.run;
	*ret_finding = c.finding;
	return ERR_OK;
}

enum err program_opening_check_ends(struct arena *a,
				    const struct program_claim *claim,
				    const struct program_opening *o,
				    enum program_finding *ret_finding)
{
	struct check c = {.a = a, .claim = claim, .o = o};

	check_ends(&c);
	if (!c.err)
		*ret_finding = c.finding;
	return c.err;
}
