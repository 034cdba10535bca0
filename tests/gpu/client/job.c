/*
 * Each record, written and read back, and read cut short at every byte.
 */
#include "gpu/client/job.h"

#include <criterion/criterion.h>

#include "base/arena.h"
#include "base/codec.h"

static struct arena *arena;

static void set_up(void)
{
	arena = arena_new(64u << 20);
}

static void tear_down(void)
{
	arena_free(arena);
}

TestSuite(job, .init = set_up, .fini = tear_down);

static const struct job_finding finding = {
	.kind = {(const uint8_t *)"race", 4},
	.line = 7,
	.cta = 1ull << 40,
	.other_line = 5,
	.other_source_line = 6,
	.other_cta = 8,
	.other_thread = 96,
	.other_threads = 32,
};

static struct job_run sample_run(void)
{
	return (struct job_run){
		.outcome = JOB_FAULT,
		.reason = BYTES_LIT("misaligned"),
		.text = BYTES_LIT("text"),
		.kernel = BYTES_LIT("k"),
		.step = 3,
		.line = 17,
		.source_line = 4,
		.cta = 99,
		.thread = 31,
		.address = (1ull << 40) + 2,
		.count = UINT64_MAX,
		.cost = 5,
		.run_us = 12,
		.grid = {2, 3, 4},
		.block = {5, 6, 7},
		.findings = (struct job_finding *)&finding,
		.finding_count = 1,
	};
}

Test(job, run)
{
	struct buf b = buf_make(4096);
	struct job_run r = sample_run();
	struct job_run got;

	job_run_encode(&b, &r);
	cr_assert_eq(b.err, ERR_OK);
	cr_assert_eq(job_run_decode(arena, buf_bytes(&b), &got), ERR_OK);
	cr_expect_eq(got.outcome, JOB_FAULT);
	cr_expect(bytes_eq(got.reason, r.reason));
	cr_expect(bytes_eq(got.kernel, r.kernel));
	cr_expect_eq(got.step, 3);
	cr_expect_eq(got.line, 17);
	cr_expect_eq(got.cta, 99);
	cr_expect_eq(got.thread, 31);
	cr_expect_eq(got.address, (1ull << 40) + 2);
	cr_expect_eq(got.count, UINT64_MAX);
	cr_assert_eq(got.finding_count, 1);
	cr_expect_eq(got.findings[0].other_line, 5);
	cr_expect_eq(got.findings[0].other_source_line, 6);
	cr_expect_eq(got.findings[0].other_cta, 8);
	cr_expect_eq(got.findings[0].cta, 1ull << 40);
	cr_expect_eq(got.findings[0].other_thread, 96);
	cr_expect_eq(got.findings[0].other_threads, 32);
	cr_expect_eq(got.grid[2], 4);
	cr_expect_eq(got.block[0], 5);
	for (size_t n = 0; n < b.n; n++)
		cr_expect_neq(job_run_decode(arena, bytes_of(b.p, n), &got),
			      ERR_OK);
	buf_free(&b);
}

Test(job, outcomes_beyond_the_list_are_refused)
{
	struct buf b = buf_make(4096);
	struct job_run r = {.outcome = JOB_CANCELLED};
	struct job_run got;

	job_run_encode(&b, &r);
	cr_expect_eq(job_run_decode(arena, buf_bytes(&b), &got), ERR_OK);
	buf_reset(&b);
	r.outcome = JOB_CANCELLED + 1;
	job_run_encode(&b, &r);
	cr_expect_neq(job_run_decode(arena, buf_bytes(&b), &got), ERR_OK);
	buf_free(&b);
}

Test(job, failures)
{
	struct buf b = buf_make(4096);
	enum err e;
	struct bytes words;

	job_failure_encode(&b, ERR_PTX_SYNTAX, BYTES_LIT("3:1: what"));
	cr_assert_eq(job_failure_decode(buf_bytes(&b), &e, &words), ERR_OK);
	cr_expect_eq(e, ERR_PTX_SYNTAX);
	cr_expect(bytes_eq(words, BYTES_LIT("3:1: what")));
	/* The number is part of the format. */
	cr_expect_eq(b.p[1], 8);
	/* ERR_OK and our own codes never travel. */
	buf_reset(&b);
	job_failure_encode(&b, ERR_STORE, BYTES_LIT(""));
	cr_assert_eq(job_failure_decode(buf_bytes(&b), &e, &words), ERR_OK);
	cr_expect_eq(e, ERR_IO);
	cr_expect_neq(
		job_failure_decode(BYTES_LIT("\x92\x63\xc4\x00"), &e, &words),
		ERR_OK);
	buf_free(&b);
}

Test(job, ptx_run)
{
	struct buf b = buf_make(4096);
	struct job_buffer buffers[] = {{64, true}};
	struct job_ptx_arg args[] = {
		{.is_buffer = true, .buffer = 0, .type = BYTES_LIT("tmp")},
		{.bytes = BYTES_LIT("\1\2\3\4"), .type = BYTES_LIT("u32")},
	};
	struct job_ptx_run r = {.ptx = BYTES_LIT("text"),
				.kernel = BYTES_LIT("k"),
				.grid = {1, 2, 3},
				.block = {32, 1, 1},
				.repeats = 1,
				.args = args,
				.arg_count = 2,
				.buffers = buffers,
				.buffer_count = 1};
	struct job_ptx_run got;

	job_ptx_run_encode(&b, &r);
	cr_assert_eq(job_ptx_run_decode(arena, buf_bytes(&b), &got), ERR_OK);
	cr_expect_eq(got.grid[2], 3);
	cr_expect_eq(got.block[0], 32);
	cr_assert_eq(got.arg_count, 2);
	cr_expect(bytes_eq(got.args[1].bytes, args[1].bytes));
	for (size_t n = 0; n < b.n; n++)
		cr_expect_neq(job_ptx_run_decode(arena, bytes_of(b.p, n), &got),
			      ERR_OK);
	/* a buffer that is not there */
	buf_reset(&b);
	args[0].buffer = 1;
	job_ptx_run_encode(&b, &r);
	cr_expect_neq(job_ptx_run_decode(arena, buf_bytes(&b), &got), ERR_OK);
	buf_free(&b);
}

Test(job, task_and_open)
{
	struct buf b = buf_make(1u << 16);
	struct program_sample samples = {
		.task_index = 5, .step_number = 1, .warp = PROGRAM_WARP_ALL};
	struct job_open open = {.samples = &samples,
				.sample_count = 1,
				.seed = {{9}},
				.result = BYTES_LIT("r")};
	uint32_t outputs[] = {1};
	struct job_input inputs[] = {{0, 4096}};
	struct job_task t = {.program = BYTES_LIT("p"),
			     .task = BYTES_LIT("t"),
			     .inputs = inputs,
			     .input_count = 1,
			     .outputs = outputs,
			     .output_count = 1,
			     .want_roots = true,
			     .open = &open};
	struct job_task got;

	job_task_encode(&b, &t);
	cr_assert_eq(job_task_decode(arena, buf_bytes(&b), &got), ERR_OK);
	cr_expect_eq(got.inputs[0].bytes, 4096);
	cr_expect_eq(got.outputs[0], 1);
	cr_expect(got.want_roots);
	cr_assert(got.open);
	cr_expect(program_sample_eq(&got.open->samples[0], &samples));
	cr_expect_eq(got.open->seed.b[0], 9);
	for (size_t n = 0; n < b.n; n++)
		cr_expect_neq(job_task_decode(arena, bytes_of(b.p, n), &got),
			      ERR_OK);
	buf_free(&b);
}
