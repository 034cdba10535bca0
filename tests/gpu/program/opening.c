/*
 * Openings of every sample of the toy's lease: an honest one passes, each
 * kind of cheating is found for what it is, and no bent byte is believed.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/merkle.h"
#include "gpu/program/judge.h"
#include "tests/support/toy.h"

#define FIRST 1u
#define DONE  3u

static struct arena *a;
static struct hash seed;
static struct toy_lease *t;

static void make(const struct toy_cheat *cheat)
{
	struct hash lease = sha256("lease", 5);
	struct pubkey provider = {{3}};

	t = toy_lease_make(a, &lease, &provider, FIRST, DONE, cheat);
}

static void setup(void)
{
	a = arena_new(256u << 20);
	seed = sha256("seed", 4);
}

static void teardown(void)
{
	arena_free(a);
}

TestSuite(opening, .init = setup, .fini = teardown);

static struct program_opening open_sample(const struct program_sample *s)
{
	uint64_t writer = PROGRAM_WRITER_NONE;

	if (s->kind == PROGRAM_SAMPLE_CHUNK)
		writer = toy_chunk_writer(a, t, s, &seed);
	return toy_opening(a, t, s, writer);
}

/* Check, run on the toy machine, compare. */
static enum program_finding judge(const struct program_opening *o,
				  struct program_difference *d)
{
	struct program_write writes[2];
	struct program_run run;
	enum program_finding f;
	size_t n;

	cr_assert_eq(program_opening_check(a, &t->claim, o, &seed, &f, &run),
		     ERR_OK);
	if (f != PROGRAM_FINE || !run.needed)
		return f;
	n = toy_writes(a, run.launch.number, run.launch.step_index, run.cta,
		       writes);
	return program_run_compare(&run, writes, n, d);
}

/* The next sample of the whole lease; false at the end. */
static bool next_sample(struct program_sample *s)
{
	struct program_launch l;
	uint64_t count;
	uint64_t bytes;

	for (;;) {
		cr_assert_eq(program_launch_at(&t->program, s->step_number, &l),
			     ERR_OK);
		s->number++;
		count = l.cta_count;
		if (s->kind == PROGRAM_SAMPLE_CHUNK)
			program_step_written(&t->program, l.step_index, &bytes,
					     &count);
		if (s->number < count)
			return true;
		s->number = UINT64_MAX;
		if (s->kind == PROGRAM_SAMPLE_CTA) {
			s->kind = PROGRAM_SAMPLE_CHUNK;
			continue;
		}
		s->kind = PROGRAM_SAMPLE_CTA;
		if (++s->step_number <= TOY_STEPS)
			continue;
		s->step_number = 1;
		if (++s->task_index == FIRST + DONE)
			return false;
	}
}

static struct program_sample first_sample(void)
{
	return (struct program_sample){.task_index = FIRST,
				       .step_number = 1,
				       .number = UINT64_MAX,
				       .warp = PROGRAM_WARP_ALL};
}

Test(opening, honest_ones_pass)
{
	struct program_sample s = first_sample();
	struct program_difference d;
	uint32_t n = 0;

	make(NULL);
	for (; next_sample(&s); n++) {
		struct program_opening o = open_sample(&s);
		struct program_opening back;
		struct bytes in = toy_encode(a, &o);

		cr_assert_eq(program_opening_decode(a, in, &back), ERR_OK);
		cr_assert_eq(judge(&back, &d), PROGRAM_FINE,
			     "kind %d step %u number %u: %d", s.kind,
			     (unsigned)s.step_number, (unsigned)s.number,
			     judge(&back, &d));
	}
	/* a task: 3 + 2 + 4 CTAs; chunks 3 + 2 * 2 + 6 + 1 */
	cr_assert_eq(n, DONE * (9u + 14u));
}
