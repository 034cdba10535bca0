/*
 * Jobs through the real process: what kernels compute, how they fail, and
 * that a hostile one ends the worker and nothing else.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "gpu/client/client.h"
#include "gpu/client/job.h"
#include "gpu/client/memory.h"

#define WORKER WEFT_BINARY_DIR "/weft-worker"

/* Only a broken test waits for it. */
#define LIMIT_MS 60000

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* p[i] = i * 3 + n, one CTA after another, 32-bit words */
static const char fill_ptx[] =
	HEAD ".visible .entry fill(.param .u64 p, .param .u32 n)\n{\n"
	     ".reg .b32 %r<8>;\n.reg .b64 %d<4>;\n"
	     "ld.param.u64 %d0, [p];\n"
	     "ld.param.u32 %r0, [n];\n"
	     "mov.u32 %r1, %ctaid.x;\n"
	     "mov.u32 %r2, %ntid.x;\n"
	     "mov.u32 %r3, %tid.x;\n"
	     "mad.lo.s32 %r4, %r1, %r2, %r3;\n"
	     "mul.lo.s32 %r5, %r4, 3;\n"
	     "add.s32 %r6, %r5, %r0;\n"
	     "mul.wide.u32 %d1, %r4, 4;\n"
	     "add.s64 %d2, %d0, %d1;\n"
	     "st.global.u32 [%d2], %r6;\n"
	     "ret;\n}\n";

static const char endless_ptx[] = HEAD ".visible .entry endless()\n{\n"
				       "$again:\nbra $again;\n}\n";

static struct arena *arena;

static void set_up(void)
{
	arena = arena_new(64u << 20);
}

static void tear_down(void)
{
	arena_free(arena);
}

TestSuite(jobs, .init = set_up, .fini = tear_down);

static struct client *ask(enum wire_kind kind, struct buf *request,
			  const int *fds, size_t fd_count,
			  const struct client_options *options)
{
	struct client_options o = *options;
	struct client *c = NULL;

	o.worker_path = WORKER;
	if (!o.wall_ms)
		o.wall_ms = LIMIT_MS;
	cr_assert_eq(request->err, ERR_OK);
	cr_assert_eq(client_run(&o, kind, buf_bytes(request), fds, fd_count,
				NULL, NULL, &c),
		     ERR_OK);
	buf_free(request);
	return c;
}

static const struct client_options plain;

/* One launch of fill_ptx over a buffer of words. */
static struct client *run_fill(uint32_t words, uint32_t ctas, uint32_t n,
			       struct memory *ret_memory,
			       const struct client_options *options)
{
	struct buf request = buf_make(1u << 20);
	struct job_buffer buffer = {(uint64_t)words * 4, true};
	struct job_ptx_arg args[2] = {
		{.is_buffer = true, .type = BYTES_LIT("tmp")},
		{.bytes = BYTES_OF(n), .type = BYTES_LIT("u32")},
	};
	struct job_ptx_run r = {.ptx = bytes_str(fill_ptx),
				.kernel = BYTES_LIT("fill"),
				.grid = {ctas, 1, 1},
				.block = {32, 1, 1},
				.repeats = 1,
				.how = {.threads = 2},
				.args = args,
				.arg_count = 2,
				.buffers = &buffer,
				.buffer_count = 1};

	cr_assert_eq(memory_new("words", buffer.bytes, ret_memory), ERR_OK);
	job_ptx_run_encode(&request, &r);
	return ask(WIRE_PTX_RUN, &request, &ret_memory->fd, 1, options);
}

static void answer_of(struct client *c, struct job_run *ret)
{
	cr_assert_eq(client_state_of(c), CLIENT_ANSWERED, "%s",
		     client_error_words(c));
	cr_assert_eq(job_run_decode(arena, client_answer(c), ret), ERR_OK);
}

Test(jobs, a_kernel_fills_a_shared_buffer)
{
	struct memory m;
	struct client *c = run_fill(256, 8, 7, &m, &plain);
	struct job_run run;

	answer_of(c, &run);
	cr_expect_eq(run.outcome, JOB_OK);
	/* 12 instructions of 256 threads */
	cr_expect_eq(run.count, 12u * 256);
	for (uint32_t i = 0; i < 256; i++)
		cr_expect_eq(u32_le(m.p + 4 * i), i * 3 + 7);
	cr_expect_geq(client_sandbox_level(c), CLIENT_SANDBOX_REDUCED);
	client_free(c);
	memory_free(&m);
}

/* The last CTA's stores lie behind the buffer. */
Test(jobs, out_of_bounds_is_a_fault_with_its_place)
{
	struct memory m;
	struct client *c = run_fill(224, 8, 0, &m, &plain);
	struct job_run run;

	answer_of(c, &run);
	cr_expect_eq(run.outcome, JOB_FAULT);
	cr_expect(bytes_eq(run.reason, BYTES_LIT("out_of_bounds")));
	cr_expect_eq(run.cta, 7);
	cr_expect_eq(run.thread, 0);
	cr_expect_eq(run.address, (1ull << 40) + 224 * 4);
	/* "st.global" is the 18th line of the text */
	cr_expect_eq(run.line, 18);
	client_free(c);
	memory_free(&m);
}

static struct client *run_endless(const struct client_options *options)
{
	struct buf request = buf_make(1u << 20);
	struct job_ptx_run r = {.ptx = bytes_str(endless_ptx),
				.kernel = BYTES_LIT("endless"),
				.grid = {1, 1, 1},
				.block = {32, 1, 1},
				.repeats = 1};

	job_ptx_run_encode(&request, &r);
	return ask(WIRE_PTX_RUN, &request, NULL, 0, options);
}

Test(jobs, an_endless_loop_meets_the_wall)
{
	struct client_options o = {.wall_ms = 300};
	struct client *c = run_endless(&o);

	cr_expect_eq(client_state_of(c), CLIENT_FAILED);
	cr_expect_eq(client_error(c), ERR_TIMEOUT);
	client_free(c);
}

Test(jobs, an_endless_loop_uses_up_its_processor_time)
{
	struct client_options o = {.cpu_ms = 1};
	struct client *c = run_endless(&o);

	cr_expect_eq(client_error(c), ERR_WORKER_DIED);
	client_free(c);
}

/* Kill -9 of the parent: its worker goes with it. */
Test(jobs, a_worker_dies_with_its_parent)
{
	int ready[2];
	int status;
	pid_t parent;
	pid_t worker = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	cr_assert_eq(pipe(ready), 0);
	parent = fork();
	if (!parent) {
		struct client_options o = {.worker_path = WORKER};
		struct buf request = buf_make(1u << 20);
		struct job_ptx_run r = {.ptx = bytes_str(endless_ptx),
					.kernel = BYTES_LIT("endless"),
					.grid = {1, 1, 1},
					.block = {32, 1, 1},
					.repeats = 1};
		struct client *c;
		char path[64];
		FILE *f;

		job_ptx_run_encode(&request, &r);
		if (client_start(&o, WIRE_PTX_RUN, buf_bytes(&request), NULL, 0,
				 0, &c))
			_exit(1);
		snprintf(path, sizeof(path), "/proc/self/task/%d/children",
			 (int)getpid());
		f = fopen(path, "r");
		if (!f || fscanf(f, "%d", &worker) != 1)
			_exit(2);
		if (write(ready[1], &worker, sizeof(worker)) < 0)
			_exit(3);
		for (;;)
			client_step(c, 0);
	}
	cr_assert_eq(read(ready[0], &worker, sizeof(worker)),
		     (ssize_t)sizeof(worker));
	kill(parent, SIGKILL);
	cr_assert_eq(waitpid(parent, &status, 0), parent);
	/* It is ours now, and ends by itself. */
	cr_assert_eq(waitpid(worker, &status, 0), worker);
}

Test(jobs, buffers_beyond_the_memory_limit_are_refused)
{
	struct client_options o = {.memory_bytes = 1000};
	struct buf request = buf_make(1u << 20);
	/* A written variable of 4,096 bytes is memory of the worker's. */
	static const char ptx[] =
		HEAD ".visible .global .align 4 .b8 room[4096];\n"
		     ".visible .entry k()\n{\n.reg .b64 %d<2>;\n"
		     "mov.u64 %d0, room;\n"
		     "st.global.u32 [%d0], 1;\nret;\n}\n";
	struct job_ptx_run r = {.ptx = bytes_str(ptx),
				.kernel = BYTES_LIT("k"),
				.grid = {1, 1, 1},
				.block = {1, 1, 1},
				.repeats = 1};
	struct client *c;

	job_ptx_run_encode(&request, &r);
	c = ask(WIRE_PTX_RUN, &request, NULL, 0, &o);
	cr_expect_eq(client_error(c), ERR_LIMIT, "%s", client_error_words(c));
	cr_expect(strstr(client_error_words(c), "4096"), "%s",
		  client_error_words(c));
	client_free(c);
}

Test(jobs, what_a_kernel_does_not_reach_does_not_stop_it)
{
	static const char ptx[] =
		HEAD ".visible .entry odd()\n{\n.reg .f32 %f<2>;\n"
		     "ex2.approx.f32 %f1, %f0;\nret;\n}\n"
		     ".func two()\n{\nret;\n}\n"
		     ".func one()\n{\ncall two;\nret;\n}\n"
		     ".visible .entry k()\n{\ncall one;\nret;\n}\n";
	struct job_ptx_run r = {.ptx = bytes_str(ptx),
				.kernel = BYTES_LIT("k"),
				.grid = {1, 1, 1},
				.block = {1, 1, 1},
				.repeats = 1};
	struct buf request = buf_make(1u << 20);
	struct job_run run;
	struct client *c;

	job_ptx_run_encode(&request, &r);
	c = ask(WIRE_PTX_RUN, &request, NULL, 0, &plain);
	answer_of(c, &run);
	/* two calls, three returns */
	cr_expect_eq(run.count, 5);
	client_free(c);
	r.kernel = BYTES_LIT("odd");
	request = buf_make(1u << 20);
	job_ptx_run_encode(&request, &r);
	c = ask(WIRE_PTX_RUN, &request, NULL, 0, &plain);
	cr_expect_eq(client_error(c), ERR_EXEC_REFUSED);
	client_free(c);
}

static void expect_refusal(enum wire_kind kind, const char *text, enum err e,
			   const char *words)
{
	struct buf request = buf_make(1u << 20);
	struct client *c;

	job_record_encode(&request, bytes_str(text));
	c = ask(kind, &request, NULL, 0, &plain);
	cr_expect_eq(client_state_of(c), CLIENT_FAILED, "%s", text);
	cr_expect_eq(client_error(c), e, "%s: %s", text, client_error_words(c));
	cr_expect(strstr(client_error_words(c), words), "%s",
		  client_error_words(c));
	client_free(c);
}

Test(jobs, malformed_text_is_told_with_its_line)
{
	expect_refusal(WIRE_CANON, HEAD "what", ERR_PTX_UNKNOWN, "4:1");
	expect_refusal(WIRE_CHECK, "", ERR_PTX_SYNTAX, "");
	expect_refusal(WIRE_REFEREE, "rubbish", ERR_MALFORMED, "judge");
	expect_refusal(WIRE_BUILD, "rubbish", ERR_MALFORMED, "");
	expect_refusal(WIRE_TASK, "rubbish", ERR_MALFORMED, "");
	expect_refusal(WIRE_PTX_RUN, "rubbish", ERR_MALFORMED, "");
	expect_refusal((enum wire_kind)99, "rubbish", ERR_MALFORMED,
		       "unknown job");
}

Test(jobs, canon_of_canon_is_itself)
{
	struct bytes once = bytes_str(fill_ptx);
	struct bytes first = {0};

	for (int i = 0; i < 2; i++) {
		struct buf request = buf_make(1u << 20);
		struct client *c;
		struct bytes text;

		job_record_encode(&request, once);
		c = ask(WIRE_CANON, &request, NULL, 0, &plain);
		cr_assert_eq(client_state_of(c), CLIENT_ANSWERED, "%s",
			     client_error_words(c));
		cr_assert_eq(job_record_decode(client_answer(c), &text),
			     ERR_OK);
		once = arena_copy(arena, text);
		if (i == 0)
			first = once;
		client_free(c);
	}
	cr_expect(bytes_eq(first, once));
}

Test(jobs, check_reports_class_and_footprint)
{
	struct buf request = buf_make(1u << 20);
	struct job_report report;
	struct client *c;

	job_record_encode(&request, bytes_str(fill_ptx));
	c = ask(WIRE_CHECK, &request, NULL, 0, &plain);
	cr_assert_eq(client_state_of(c), CLIENT_ANSWERED, "%s",
		     client_error_words(c));
	cr_assert_eq(job_report_decode(arena, client_answer(c), &report),
		     ERR_OK);
	cr_assert_eq(report.kernel_count, 1);
	cr_expect(bytes_eq(report.kernels[0].name, BYTES_LIT("fill")));
	cr_expect(bytes_eq(report.kernels[0].class_name, BYTES_LIT("A")));
	cr_assert_eq(report.kernels[0].use_count, 1);
	cr_expect_eq(report.kernels[0].uses[0].param, 0);
	cr_expect(!report.kernels[0].uses[0].read);
	cr_expect(report.kernels[0].uses[0].write);
	client_free(c);
}

/* A buffer whose size is not the declared one, or that is not sealed. */
Test(jobs, a_lying_parent_is_refused)
{
	struct buf request = buf_make(1u << 20);
	struct job_buffer buffer = {4096, true};
	struct job_ptx_arg arg = {.is_buffer = true};
	struct job_ptx_run r = {.ptx = bytes_str(fill_ptx),
				.kernel = BYTES_LIT("fill"),
				.grid = {1, 1, 1},
				.block = {1, 1, 1},
				.repeats = 1,
				.args = &arg,
				.arg_count = 1,
				.buffers = &buffer,
				.buffer_count = 1};
	struct memory m;
	struct client *c;

	cr_assert_eq(memory_new("short", 100, &m), ERR_OK);
	job_ptx_run_encode(&request, &r);
	c = ask(WIRE_PTX_RUN, &request, &m.fd, 1, &plain);
	cr_expect_eq(client_error(c), ERR_MALFORMED, "%s",
		     client_error_words(c));
	client_free(c);
	memory_free(&m);
}

/* What RPC sends: PTX and an input inside the manifest, four tasks. */
static const char manifest[] =
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": {\"text\": \""
	".version 7.0\\n.target sm_75\\n.address_size 64\\n"
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 t)"
	"\\n{\\n.reg .b32 %r<4>;\\n.reg .b64 %d<3>;\\n"
	"ld.param.u64 %d0, [in];\\nld.param.u64 %d1, [out];\\n"
	"ld.param.u32 %r0, [t];\\nld.global.u32 %r1, [%d0];\\n"
	"add.s32 %r2, %r0, %r1;\\nst.global.u32 [%d1], %r2;\\nret;\\n}"
	"\"},\"buffers\": {\"in\": {\"bytes\": 4, \"from\": {\"text\": "
	"\"abcd\"}}, \"out\": {\"bytes\": 4, \"save\": \"o\"}},"
	"\"steps\": [{\"launch\": \"k\", \"grid\": [1], \"block\": [2],"
	" \"args\": [{\"buffer\": \"in\"}, {\"buffer\": \"out\"},"
	" {\"u32\": \"t\"}]}],"
	"\"tasks\": {\"count\": 4, \"index\": \"t\"}}";

Test(jobs, a_manifest_alone_becomes_a_job)
{
	struct buf request = buf_make(1u << 20);
	struct job_manifest m = {.manifest = bytes_str(manifest),
				 .want_quote = true};
	struct job_planned planned;
	struct client *c;

	job_manifest_encode(&request, &m);
	c = ask(WIRE_MANIFEST, &request, NULL, 0, &plain);
	cr_assert_eq(client_state_of(c), CLIENT_ANSWERED, "%s",
		     client_error_words(c));
	cr_assert_eq(job_planned_decode(arena, client_answer(c), &planned),
		     ERR_OK);
	cr_expect_eq(planned.task_count, 4);
	cr_expect(!bytes_eq(planned.tasks[0], planned.tasks[3]));
	cr_expect_gt(planned.program.n, 0);
	cr_expect_gt(planned.built.header.n, 0);
	/* seven instructions of two threads */
	cr_expect_eq(planned.built.ops_per_task, 14);
	cr_expect(bytes_eq(planned.class_name, BYTES_LIT("A")));
	client_free(c);
}

Test(jobs, a_wrong_manifest_is_told_with_its_place)
{
	struct buf request = buf_make(1u << 20);
	struct job_manifest m = {.manifest = BYTES_LIT("{\n \"wefd\": 2}")};
	struct client *c;

	job_manifest_encode(&request, &m);
	c = ask(WIRE_MANIFEST, &request, NULL, 0, &plain);
	cr_expect_eq(client_error(c), ERR_MANIFEST, "%s",
		     client_error_words(c));
	cr_expect(strstr(client_error_words(c), ":2:"), "%s",
		  client_error_words(c));
	client_free(c);
}
