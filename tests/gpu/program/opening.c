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
	struct program_write writes[16];
	struct program_run run;
	enum program_finding f;
	uint64_t end;
	size_t n = 0;

	cr_assert_eq(program_opening_check(a, &t->claim, o, &seed, &f, &run),
		     ERR_OK);
	if (f != PROGRAM_FINE || !run.needed)
		return f;
	end = run.whole ? run.launch.cta_count : run.cta + 1;
	cr_assert(!run.whole || run.cta == 0);
	for (uint64_t cta = run.cta; cta < end; cta++)
		n += toy_writes(a, run.launch.number, run.launch.step_index,
				cta, writes + n);
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

/* Which findings do the samples of a cheating lease give? */
static void survey(const struct toy_cheat *cheat, uint32_t found[7])
{
	struct program_sample s = first_sample();
	struct program_difference d;

	memset(found, 0, 7 * sizeof(*found));
	make(cheat);
	while (next_sample(&s)) {
		struct program_opening o = open_sample(&s);

		found[judge(&o, &d)]++;
	}
}

Test(opening, wrong_start_is_seen_by_every_sample)
{
	struct toy_cheat cheat = {.start = true};
	uint32_t found[7];

	survey(&cheat, found);
	cr_assert_eq(found[PROGRAM_BAD_START], DONE * 23u);
}

Test(opening, wrong_end_is_seen_by_every_sample)
{
	struct toy_cheat cheat = {.end = true};
	uint32_t found[7];

	survey(&cheat, found);
	cr_assert_eq(found[PROGRAM_BAD_END], DONE * 23u);
}

/* Step 1's CTA 1 writes out[600, 664): that CTA's sample and the chunk. */
Test(opening, a_wrong_written_byte)
{
	struct toy_cheat cheat = {
		.step = 1, .object = 1, .offset = 610, .flip = 4};
	struct program_sample s = {FIRST, 1, PROGRAM_SAMPLE_CTA, 1,
				   PROGRAM_WARP_ALL};
	struct program_difference d = {0};
	struct program_opening o;
	uint32_t found[7];

	survey(&cheat, found);
	cr_assert_geq(found[PROGRAM_BAD_BYTES], DONE);
	cr_assert_eq(found[PROGRAM_BAD_START] + found[PROGRAM_BAD_END] +
			     found[PROGRAM_BAD_WRITE] +
			     found[PROGRAM_NO_PROOF] +
			     found[PROGRAM_INCOMPLETE],
		     0u);
	o = open_sample(&s);
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
	cr_assert_eq(d.object_index, 1u);
	cr_assert_eq(d.offset, 610u);
	/* number 1 * 7 + cta 1 * 5 + 10 */
	cr_assert_eq(d.expected, 22);
	cr_assert_eq(d.found, 22 ^ 4);
}

/* Step 6 may write only buffer 1 (k1); buffer 2 changes. */
Test(opening, a_change_where_the_step_may_not_write)
{
	struct toy_cheat cheat = {
		.step = 6, .object = 2, .offset = 5, .flip = 1};
	uint32_t found[7];

	survey(&cheat, found);
	cr_assert_eq(found[PROGRAM_BAD_WRITE], DONE * (4u + 2u));
}

/* A byte of step 6's chunk 1 that no CTA writes: any CTA that is named does
 * not write it; naming none is as bad. */
Test(opening, a_change_that_no_cta_made)
{
	struct toy_cheat cheat = {
		.step = 6, .object = 1, .offset = 4500, .flip = 1};
	struct program_sample s = {FIRST, 6, PROGRAM_SAMPLE_CHUNK, 1,
				   PROGRAM_WARP_ALL};
	struct program_difference d;
	struct program_opening o;

	make(&cheat);
	o = toy_opening(a, t, &s, 2);
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
	cr_assert_eq(d.offset, 4500u);
	cr_assert_eq(d.expected, 7);
	cr_assert_eq(d.found, 6);
	o = toy_opening(a, t, &s, PROGRAM_WRITER_NONE);
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
	o = toy_opening(a, t, &s, 2);
	o.writer = 4; /* the launch has 0 to 3 */
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
}

/* Step 4 copies out[100, 150) to acc[0, 50); step 10 fills acc[10, 30). */
Test(opening, copies_and_fills_are_checked_by_meaning)
{
	static const struct toy_cheat cheats[] = {
		{.step = 4, .object = 2, .offset = 20, .flip = 1},
		{.step = 4, .object = 2, .offset = 50, .flip = 1},
		{.step = 10, .object = 2, .offset = 29, .flip = 1},
		{.step = 10, .object = 2, .offset = 9, .flip = 1},
	};

	for (size_t i = 0; i < 4; i++) {
		struct program_sample s = {FIRST, cheats[i].step,
					   PROGRAM_SAMPLE_CHUNK, 0,
					   PROGRAM_WARP_ALL};
		struct program_difference d;
		struct program_opening o;

		make(&cheats[i]);
		o = open_sample(&s);
		cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES, "cheat %zu", i);
	}
}

Test(opening, missing_pieces_are_incomplete)
{
	struct program_sample cta = {FIRST, 1, PROGRAM_SAMPLE_CTA, 1,
				     PROGRAM_WARP_ALL};
	struct program_sample copy = {FIRST, 4, PROGRAM_SAMPLE_CHUNK, 0,
				      PROGRAM_WARP_ALL};
	struct program_difference d;
	struct program_opening o;

	make(NULL);
	o = open_sample(&cta);
	o.after_count = 0;
	cr_assert_eq(judge(&o, &d), PROGRAM_INCOMPLETE);
	o = open_sample(&copy);
	/* the source, object 1, stands before the target, object 2 */
	o.before++;
	o.before_count--;
	cr_assert_eq(judge(&o, &d), PROGRAM_INCOMPLETE);
	o = open_sample(&copy);
	o.after_count = 0;
	cr_assert_eq(judge(&o, &d), PROGRAM_INCOMPLETE);
}

Test(opening, samples_outside_the_program)
{
	static const struct program_sample bad[] = {
		{FIRST + DONE, 1, PROGRAM_SAMPLE_CTA, 0, PROGRAM_WARP_ALL},
		{FIRST - 1, 1, PROGRAM_SAMPLE_CTA, 0, PROGRAM_WARP_ALL},
		{FIRST, 0, PROGRAM_SAMPLE_CTA, 0, PROGRAM_WARP_ALL},
		{FIRST, 11, PROGRAM_SAMPLE_CTA, 0, PROGRAM_WARP_ALL},
		{FIRST, 1, PROGRAM_SAMPLE_CTA, 3, PROGRAM_WARP_ALL},
		{FIRST, 1, PROGRAM_SAMPLE_CTA, 0, 2},
		{FIRST, 1, PROGRAM_SAMPLE_CHUNK, 3, PROGRAM_WARP_ALL},
	};
	struct program_sample good = {FIRST, 1, PROGRAM_SAMPLE_CTA, 0, 1};
	struct program_sample no_warps = {FIRST, 2, PROGRAM_SAMPLE_CTA, 0, 0};
	struct program_sample a_copy = {FIRST, 3, PROGRAM_SAMPLE_CHUNK, 0,
					PROGRAM_WARP_ALL};
	struct program_difference d;
	struct program_opening o;

	make(NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		o = open_sample(&good);
		o.sample = bad[i];
		cr_assert_eq(judge(&o, &d), PROGRAM_NO_PROOF, "%zu", i);
	}
	o = open_sample(&no_warps);
	cr_assert_eq(judge(&o, &d), PROGRAM_NO_PROOF);
	o = open_sample(&a_copy);
	o.sample.kind = PROGRAM_SAMPLE_CTA;
	cr_assert_eq(judge(&o, &d), PROGRAM_NO_PROOF);
}

/* Part 1 of class R: steps 2 and 6 are one sample each, 2 and 4 CTAs. */
Test(opening, a_launch_is_one_sample)
{
	struct program_sample all = {FIRST, 6, PROGRAM_SAMPLE_LAUNCH, 0,
				     PROGRAM_WARP_ALL};
	struct program_sample cta = {FIRST, 6, PROGRAM_SAMPLE_CTA, 1,
				     PROGRAM_WARP_ALL};
	struct program_sample other = {FIRST, 1, PROGRAM_SAMPLE_LAUNCH, 0,
				       PROGRAM_WARP_ALL};
	struct program_sample copy = {FIRST, 4, PROGRAM_SAMPLE_LAUNCH, 0,
				      PROGRAM_WARP_ALL};
	struct program_sample chunk = {FIRST, 6, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	struct program_difference d;
	struct program_opening o;

	toy_class = PROGRAM_CLASS_R;
	make(NULL);
	o = open_sample(&all);
	cr_assert_eq(judge(&o, &d), PROGRAM_FINE);
	/* without what the last of its CTAs wrote */
	o.after_count = 0;
	cr_assert_eq(judge(&o, &d), PROGRAM_INCOMPLETE);
	/* one of its CTAs, a launch of CTAs, no launch: no samples */
	o = open_sample(&cta);
	cr_assert_eq(judge(&o, &d), PROGRAM_NO_PROOF);
	o = open_sample(&other);
	cr_assert_eq(judge(&o, &d), PROGRAM_NO_PROOF);
	o = open_sample(&copy);
	cr_assert_eq(judge(&o, &d), PROGRAM_NO_PROOF);
	/* a changed chunk needs all of it, whichever CTA is named */
	o = open_sample(&chunk);
	cr_assert_eq(judge(&o, &d), PROGRAM_FINE);
	o.writer = 3;
	cr_assert_eq(judge(&o, &d), PROGRAM_FINE);
	o.writer = 4;
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
	o.writer = PROGRAM_WRITER_NONE;
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
	toy_class = PROGRAM_CLASS_A;
}

/* One byte that its third CTA wrote, and one that none did. */
Test(opening, a_cheat_in_a_launch)
{
	struct toy_cheat cheats[] = {
		{.step = 6,
		 .object = 1,
		 .offset = 2048 + 2 * 16 + 3,
		 .flip = 1},
		{.step = 6, .object = 1, .offset = 2000, .flip = 1},
	};
	struct program_sample all = {FIRST, 6, PROGRAM_SAMPLE_LAUNCH, 0,
				     PROGRAM_WARP_ALL};
	struct program_sample chunk = {FIRST, 6, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	struct program_difference d;
	struct program_opening o;

	toy_class = PROGRAM_CLASS_R;
	make(&cheats[0]);
	o = open_sample(&all);
	cr_assert_eq(judge(&o, &d), PROGRAM_BAD_BYTES);
	cr_assert_eq(d.offset, cheats[0].offset);
	/* the launch wrote 6 there */
	cr_assert_eq(d.expected, 6);
	cr_assert_eq(d.found, 7);
	make(&cheats[1]);
	o = open_sample(&all);
	cr_assert_eq(judge(&o, &d), PROGRAM_FINE);
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t at;

		seed = sha256(&i, 4);
		cr_assert_eq(program_chunk_byte(
				     &seed, &chunk,
				     bytes_of(t->states[0][5][1], 4096),
				     bytes_of(t->states[0][6][1], 4096), &at),
			     ERR_OK);
		o = toy_opening(a, t, &chunk, 0);
		cr_assert_eq(judge(&o, &d),
			     at == 2000 ? PROGRAM_BAD_BYTES : PROGRAM_FINE);
	}
	toy_class = PROGRAM_CLASS_A;
}

/* Two CTAs of step 6, whichever comes first; nothing else is a pair. */
Test(opening, a_pair)
{
	struct program_sample pair = {FIRST, 6, PROGRAM_SAMPLE_PAIR, 1,
				      PROGRAM_WARP_ALL};
	struct program_sample copy = {FIRST, 4, PROGRAM_SAMPLE_PAIR, 0,
				      PROGRAM_WARP_ALL};
	static const uint64_t wrong[] = {1, 4, PROGRAM_WRITER_NONE};
	struct program_opening o;
	enum program_finding f;
	struct program_run run;

	make(NULL);
	o = toy_opening(a, t, &pair, 3);
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert_eq(f, PROGRAM_FINE);
	cr_assert(run.needed && run.pair && run.cta == 1 && run.other == 3);
	for (size_t i = 0; i < 3; i++) {
		o.writer = wrong[i];
		cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f,
						   &run),
			     ERR_OK);
		cr_assert_eq(f, PROGRAM_NO_PROOF, "%zu", i);
	}
	o = toy_opening(a, t, &copy, 1);
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert_eq(f, PROGRAM_NO_PROOF);
	/* the CTAs of a launch that is one sample are no pair */
	toy_class = PROGRAM_CLASS_R;
	make(NULL);
	o = toy_opening(a, t, &pair, 3);
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert_eq(f, PROGRAM_NO_PROOF);
	toy_class = PROGRAM_CLASS_A;
}

/* Step 1's CTAs have two warps, which are what is sampled. */
Test(opening, a_warp_is_one_sample)
{
	struct program_sample whole = {FIRST, 1, PROGRAM_SAMPLE_CTA, 0,
				       PROGRAM_WARP_ALL};
	struct program_sample warp = {FIRST, 1, PROGRAM_SAMPLE_CTA, 0, 1};
	struct program_sample chunk = {FIRST, 1, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	struct program_sample other = {FIRST, 2, PROGRAM_SAMPLE_CTA, 0,
				       PROGRAM_WARP_ALL};
	struct program_opening o;
	enum program_finding f;
	struct program_run run;

	make(NULL);
	o = open_sample(&whole);
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert(f == PROGRAM_FINE && run.too_much);
	o = open_sample(&warp);
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert(f == PROGRAM_FINE && !run.too_much && run.warp == 1);
	o = open_sample(&chunk);
	o.writer_warp = 1;
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert(f == PROGRAM_FINE && run.needed && run.must_write);
	cr_assert(run.warp == 1 && !run.too_much && run.cta == o.writer);
	o.writer_warp = 2; /* the CTA has 0 and 1 */
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert_eq(f, PROGRAM_BAD_BYTES);
	/* one warp, so a CTA is the sample */
	o = open_sample(&other);
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert(f == PROGRAM_FINE && !run.too_much);
}

/*
 * Every byte of an honest opening bent: it does not decode, proves nothing,
 * or says the same (an unused field); it never accuses the provider.
 */
Test(opening, no_bent_byte_accuses)
{
	struct program_sample s = {FIRST, 1, PROGRAM_SAMPLE_CTA, 1,
				   PROGRAM_WARP_ALL};
	struct program_opening o;
	struct bytes in;
	uint8_t *p;
	uint32_t fine = 0;

	make(NULL);
	o = open_sample(&s);
	in = toy_encode(a, &o);
	p = ARENA_ARRAY(a, in.n, uint8_t);
	for (size_t i = 0; i < in.n; i++) {
		struct arena *scratch = arena_new(8u << 20);
		struct program_opening bent;
		enum program_finding f = PROGRAM_NO_PROOF;
		struct program_run run;

		memcpy(p, in.p, in.n);
		p[i] ^= (uint8_t)(1u << (i % 8));
		if (program_opening_decode(scratch, bytes_of(p, in.n), &bent) ==
		    ERR_OK)
			cr_assert_eq(program_opening_check(scratch, &t->claim,
							   &bent, &seed, &f,
							   &run),
				     ERR_OK);
		cr_assert(f == PROGRAM_NO_PROOF || f == PROGRAM_FINE,
			  "byte %zu: %d", i, f);
		fine += f == PROGRAM_FINE;
		arena_free(scratch);
	}
	/* only the CTA's number itself may change into another one */
	cr_assert_leq(fine, 2u);
}

Test(opening, any_nan_stands_for_any_nan)
{
	static const uint8_t one[8] = {0, 0, 0xc0, 0x7f, 1, 2, 3, 4};
	struct program_sample s = {FIRST, 1, PROGRAM_SAMPLE_CTA, 0,
				   PROGRAM_WARP_ALL};
	struct program_difference d;
	struct program_write write = {1, 0, {one, 4}, 4};
	struct program_opening o;
	enum program_finding f;
	struct program_run run;

	make(NULL);
	/* S_1 holds a NaN of other bits where CTA 0 writes */
	for (uint32_t i = 0; i < DONE; i++) {
		static const uint8_t other[4] = {1, 0, 0x80, 0xff};

		memcpy(t->states[i][1][1], other, 4);
	}
	o = open_sample(&s);
	/* the roots no longer fit, so the proof fails; compare alone */
	cr_assert_eq(program_opening_check(a, &t->claim, &o, &seed, &f, &run),
		     ERR_OK);
	cr_assert_eq(f, PROGRAM_NO_PROOF);
	memset(&run, 0, sizeof(run));
	run.program = t->program;
	run.opening = &o;
	cr_assert_eq(program_run_compare(&run, &write, 1, &d), PROGRAM_FINE);
	write.nan_bytes = 0;
	cr_assert_eq(program_run_compare(&run, &write, 1, &d),
		     PROGRAM_BAD_BYTES);
	cr_assert_eq(d.offset, 0u);
	write = (struct program_write){1, 4, {one + 4, 4}, 4};
	cr_assert_eq(program_run_compare(&run, &write, 1, &d),
		     PROGRAM_BAD_BYTES);
}

/*
 * The dearest opening there is, in memory: as many arguments as the steps may
 * hold, as many ranges as there may be, and data for them.  A referee's
 * scratch is bounded, so running out of it must never be up to the sender.
 */
Test(opening, memory_is_bounded)
{
	struct arena *scratch = arena_new(256u << 20);
	struct program_sample s = {FIRST, 1, PROGRAM_SAMPLE_CTA, 1,
				   PROGRAM_WARP_ALL};
	struct program_opening o;
	struct program_opening back;
	struct program_run run;
	enum program_finding f;
	struct merkle_range *ranges;
	struct program_step step = {.arg_count = PROGRAM_ARGS_MAX};
	struct buf b = buf_make(1 << 16);
	struct bytes in;
	uint8_t *data = ARENA_ARRAY(a, 8u << 20, uint8_t);

	make(NULL);
	o = open_sample(&s);
	step.args = ARENA_ARRAY(a, PROGRAM_ARGS_MAX, struct program_arg);
	for (uint32_t i = 0; i < PROGRAM_ARGS_MAX; i++)
		step.args[i].kind = PROGRAM_ARG_NULL;
	t->program.steps = &step;
	t->program.step_count = 1;
	program_item_encode(&b, &t->program, 3);
	o.step_count = PROGRAM_STEP_BYTES_MAX / (uint32_t)b.n;
	o.steps = ARENA_ARRAY(a, o.step_count, struct bytes);
	for (uint32_t i = 0; i < o.step_count; i++)
		o.steps[i] = buf_bytes(&b);
	o.part_index = 1; /* the part of the steps is not carried */
	ranges = ARENA_ARRAY(a, PROGRAM_RANGES_MAX, struct merkle_range);
	for (uint32_t i = 0; i < PROGRAM_RANGES_MAX; i++)
		ranges[i] = (struct merkle_range){2 * i, 1};
	o.before[0].ranges = ranges;
	o.before[0].range_count = PROGRAM_RANGES_MAX - 1;
	o.before[0].data = bytes_of(data, 8u << 20);
	o.before_count = 1;
	o.after[0].ranges[0].count = 1;
	o.after[0].range_count = 1;
	o.after_count = 1;
	in = toy_encode(a, &o);
	cr_assert_eq(program_opening_decode(scratch, in, &back), ERR_OK);
	cr_assert_eq(program_opening_check(scratch, &t->claim, &back, &seed, &f,
					   &run),
		     ERR_OK);
	cr_assert_eq(f, PROGRAM_NO_PROOF);
	cr_assert_gt(arena_used(scratch), 10u << 20);
	cr_assert_lt(arena_used(scratch), PROGRAM_CHECK_SCRATCH);
	o.before[0].range_count = PROGRAM_RANGES_MAX;
	in = toy_encode(a, &o);
	cr_assert_eq(program_opening_decode(scratch, in, &back), ERR_LIMIT);
	arena_free(scratch);
	buf_free(&b);
}
