/* Every record of gpu/program against bytes that make.py computed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "gpu/program/header.h"
#include "gpu/program/judge.h"
#include "gpu/program/opening.h"
#include "gpu/program/program.h"
#include "gpu/program/trace.h"
#include "tests/support/toy.h"
#include "tests/support/vectors.h"

static struct arena *a;
static uint8_t hex[1 << 20];

static void setup(void)
{
	a = arena_new(64u << 20);
}

static void teardown(void)
{
	arena_free(a);
}

TestSuite(vectors, .init = setup, .fini = teardown);

static struct bytes expected(const char *name)
{
	struct vectors v;

	vectors_open(&v, WEFT_SOURCE_DIR, "format/program.txt");
	while (vectors_next(&v)) {
		size_t n;
		struct bytes out;

		if (strcmp(v.field[0], name))
			continue;
		n = vectors_hex(v.field[1], hex, sizeof(hex));
		out = arena_copy(a, bytes_of(hex, n));
		while (vectors_next(&v))
			;
		return out;
	}
	cr_assert_fail("no vector %s", name);
	return (struct bytes){0};
}

static uint64_t number(const char *name)
{
	struct vectors v;
	uint64_t out = 0;

	vectors_open(&v, WEFT_SOURCE_DIR, "format/program.txt");
	while (vectors_next(&v))
		if (!strcmp(v.field[0], name))
			out = strtoull(v.field[1], NULL, 10);
	return out;
}

static void same(const char *name, struct bytes got)
{
	struct bytes want = expected(name);

	cr_assert_eq(got.n, want.n, "%s: %zu bytes, not %zu", name, got.n,
		     want.n);
	for (size_t i = 0; i < got.n; i++)
		cr_assert_eq(got.p[i], want.p[i], "%s: byte %zu", name, i);
}

#define SAME(name, encode, x)                      \
	do {                                       \
		struct buf b_ = buf_make(1 << 24); \
		encode(&b_, x);                    \
		same(name, buf_bytes(&b_));        \
		buf_free(&b_);                     \
	} while (0)

static const struct hash *hash_of(const char *s)
{
	struct hash *h = ARENA_NEW(a, struct hash);

	*h = sha256(s, strlen(s));
	return h;
}

static struct toy_lease *lease(void)
{
	struct pubkey provider;

	memcpy(provider.b, hash_of("provider")->b, 32);
	return toy_lease_make(a, hash_of("lease"), &provider, 1, 3, NULL);
}

Test(vectors, program)
{
	struct program p = toy_program(a);
	struct program q;
	struct hash id;

	cr_assert_eq(program_check(&p), ERR_OK);
	SAME("program", program_encode, &p);
	cr_assert_eq(program_decode(a, expected("program"), &q), ERR_OK);
	SAME("program", program_encode, &q);
	cr_assert_eq(program_id(a, &q, &id), ERR_OK);
	same("program_id", hash_bytes(&id));
}

Test(vectors, header)
{
	struct program p = toy_program(a);
	struct program_header h = toy_header(a, &p);
	struct program_header got;
	struct hash root;

	SAME("header", program_header_encode, &h);
	cr_assert_eq(program_header_decode(a, expected("header"), &got),
		     ERR_OK);
	SAME("header", program_header_encode, &got);
	cr_assert_eq(program_header_fits(a, &p, &got), ERR_OK);
	/* 3 * 1000 + 6 * 50 */
	cr_assert_eq(got.totals.ops_per_task, 3300u);
	cr_assert_eq(got.totals.launches, TOY_STEPS);
	cr_assert_eq(got.totals.write_bytes, 5040u + 10000 + 4200 + 700);
	cr_assert_eq(program_header_root(a, &h, &root), ERR_OK);
	same("header_root", hash_bytes(&root));
}

Test(vectors, task_and_trace)
{
	struct toy_lease *t = lease();
	struct program_task task;
	struct program_result r;
	struct hash h;

	same("task", t->tasks[2]);
	same("tasks_root", hash_bytes(&t->claim.tasks_root));
	cr_assert_eq(program_task_decode(a, t->tasks[2], &task), ERR_OK);
	SAME("task", program_task_encode, &task);
	cr_assert_eq(program_task_fits(&t->program, &task), ERR_OK);
	h = program_start_root(&t->program, &task);
	same("start_root", hash_bytes(&h));
	same("last_root", hash_bytes(&t->memory_roots[1][TOY_STEPS]));
	cr_assert_eq(
		program_trace_root(a, t->memory_roots[1], TOY_STEPS + 1, &h),
		ERR_OK);
	same("trace_root", hash_bytes(&h));
	same("result", t->results[1]);
	cr_assert_eq(program_result_decode(a, t->results[1], &r), ERR_OK);
	SAME("result", program_result_encode, &r);
	same("leaves_root", hash_bytes(&t->leaves_root));
	same("result_root", hash_bytes(&t->claim.result_root));
}

Test(vectors, sample)
{
	struct program_sample s = {2, 1, PROGRAM_SAMPLE_CTA, 2, 1};
	struct bytes in = expected("sample");
	struct dec d = dec_make(in);
	struct program_sample got = program_sample_decode(&d);

	cr_assert_eq(dec_end(&d), ERR_OK);
	cr_assert(program_sample_eq(&s, &got));
	SAME("sample", program_sample_encode, &s);
}

static enum err sample_of(const uint8_t bytes[6])
{
	struct dec d = dec_make(bytes_of(bytes, 6));

	(void)program_sample_decode(&d);
	return dec_end(&d);
}

Test(vectors, a_sample_of_a_launch)
{
	struct program_sample s = {2, 6, PROGRAM_SAMPLE_LAUNCH, 0,
				   PROGRAM_WARP_ALL};
	struct bytes in = expected("launch_sample");
	struct dec d = dec_make(in);
	struct program_sample got = program_sample_decode(&d);

	cr_assert_eq(dec_end(&d), ERR_OK);
	cr_assert(program_sample_eq(&s, &got));
	SAME("launch_sample", program_sample_encode, &s);
	/* [2, 6, 2, number, warp]: of all, so neither number nor warp */
	cr_assert_eq(sample_of((uint8_t[]){0x95, 2, 6, 2, 0, 0xc0}), ERR_OK);
	cr_assert_neq(sample_of((uint8_t[]){0x95, 2, 6, 2, 1, 0xc0}), ERR_OK);
	cr_assert_neq(sample_of((uint8_t[]){0x95, 2, 6, 2, 0, 0}), ERR_OK);
	cr_assert_neq(sample_of((uint8_t[]){0x95, 2, 6, 1, 0, 0}), ERR_OK);
	cr_assert_neq(sample_of((uint8_t[]){0x95, 2, 6, 4, 0, 0xc0}), ERR_OK);
}

static void round_trip(const char *name)
{
	struct program_opening o;

	cr_assert_eq(program_opening_decode(a, expected(name), &o), ERR_OK);
	SAME(name, program_opening_encode, &o);
}

Test(vectors, openings)
{
	struct toy_lease *t = lease();
	struct program_sample cta = {2, 1, PROGRAM_SAMPLE_CTA, 2,
				     PROGRAM_WARP_ALL};
	struct program_sample chunk = {3, 6, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	struct program_sample copy = {1, 4, PROGRAM_SAMPLE_CHUNK, 0,
				      PROGRAM_WARP_ALL};
	uint64_t writer = toy_chunk_writer(a, t, &chunk, hash_of("seed"));
	struct program_opening o = toy_opening(a, t, &cta, PROGRAM_WRITER_NONE);
	struct hash digest;

	same("cta_opening", toy_encode(a, &o));
	digest = program_opening_digest(&t->claim.lease, toy_encode(a, &o));
	same("cta_digest", hash_bytes(&digest));
	cr_assert_eq(writer, number("chunk_writer"));
	o = toy_opening(a, t, &chunk, writer);
	same("chunk_opening", toy_encode(a, &o));
	o = toy_opening(a, t, &copy, PROGRAM_WRITER_NONE);
	same("copy_opening", toy_encode(a, &o));
	round_trip("cta_opening");
	round_trip("chunk_opening");
	round_trip("copy_opening");
}

Test(vectors, a_pair_of_ctas)
{
	struct toy_lease *t = lease();
	struct program_sample pair = {2, 6, PROGRAM_SAMPLE_PAIR, 1,
				      PROGRAM_WARP_ALL};
	struct program_opening o = toy_opening(a, t, &pair, 3);

	same("pair_opening", toy_encode(a, &o));
	round_trip("pair_opening");
}

Test(vectors, a_chunk_that_a_warp_wrote)
{
	struct toy_lease *t = lease();
	struct program_sample chunk = {3, 1, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	uint64_t writer = toy_chunk_writer(a, t, &chunk, hash_of("seed"));
	struct program_opening o = toy_opening(a, t, &chunk, writer);
	struct program_sample got;

	cr_assert_eq(writer, number("warp_writer"));
	o.writer_warp = 1;
	same("warp_chunk_opening", toy_encode(a, &o));
	round_trip("warp_chunk_opening");
	cr_assert_eq(
		program_opening_decode(a, expected("warp_chunk_opening"), &o),
		ERR_OK);
	cr_assert_eq(o.writer, writer);
	cr_assert_eq(o.writer_warp, 1u);
	cr_assert_eq(
		program_opening_sample(expected("warp_chunk_opening"), &got),
		ERR_OK);
	cr_assert(program_sample_eq(&chunk, &got));
}

Test(vectors, judge)
{
	struct program_judge_request r;
	struct program_judge_answer w;
	struct toy_lease *t = lease();

	cr_assert_eq(
		program_judge_request_decode(expected("judge_request"), &r),
		ERR_OK);
	cr_assert(hash_eq(&r.claim.result_root, &t->claim.result_root));
	cr_assert_eq(r.count_max, 1100u);
	SAME("judge_request", program_judge_request_encode, &r);
	cr_assert_eq(program_judge_answer_decode(expected("judge_answer"), &w),
		     ERR_OK);
	cr_assert_eq(w.verdict, PROGRAM_VERDICT_FRAUD);
	SAME("judge_answer", program_judge_answer_encode, &w);
}
