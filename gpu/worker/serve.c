/*
 * One request, in a fixed order: begin the sandbox, read the frame, check the
 * descriptors, prepare what needs files, lock, decode and run, answer.  The
 * request's own bytes are decoded behind the lock.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/codec.h"
#include "gpu/worker/priv/job.h"
#include "gpu/worker/sandbox.h"
#include "gpu/worker/worker.h"

#define WORDS_BYTES_MAX (48u << 10)

/* Exit statuses; the parent shows them when no answer came. */
enum {
	EXIT_ANSWERED = 0,
	EXIT_NO_SANDBOX = 70,
	EXIT_NO_REQUEST = 71,
	EXIT_NO_MEMORY = 72,
};

static uint64_t default_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long size = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || size <= 0)
		return 1ull << 30;
	return (uint64_t)pages * (uint64_t)size / 2;
}

static enum err receive(struct worker *w, struct wire_frame *ret_frame)
{
	enum err e;

	while ((e = wire_take(&w->wire, ret_frame)) == ERR_BUSY) {
		e = wire_fill(&w->wire);
		if (e)
			return e;
		if (w->wire.eof)
			return ERR_IO;
	}
	return e;
}

/* The parent may have died before we asked to die with it. */
static bool parent_is_gone(int socket_fd)
{
	struct pollfd p = {.fd = socket_fd};

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR));
}

static enum err take_request(struct worker *w, const struct wire_frame *f)
{
	enum err e = job_limits_decode(f->body, &w->limits);

	for (size_t i = 0; i < f->fd_count; i++)
		w->fds[i] = f->fds[i];
	w->fd_count = f->fd_count;
	if (e)
		return e;
	if (!w->limits.memory_bytes)
		w->limits.memory_bytes = default_memory();
	return ERR_OK;
}

static void send_failure(struct worker *w, enum err e)
{
	struct buf body = buf_make(2 * WORDS_BYTES_MAX);

	if (!w->words.n)
		buf_put_str(&w->words, err_words(e));
	job_failure_encode(&body, e, buf_bytes(&w->words));
	if (!body.err &&
	    !wire_put(&w->wire, WIRE_FAILURE, buf_bytes(&body), NULL, 0))
		(void)!wire_flush(&w->wire);
	buf_free(&body);
}

static void send_answer(struct worker *w, uint32_t kind, struct bytes answer)
{
	struct buf body = buf_make(WIRE_FRAME_BYTES_MAX);
	enum err e;

	enc_array(&body, 2);
	enc_uint(&body, w->level);
	buf_put_bytes(&body, answer);
	e = body.err;
	if (!e)
		e = wire_put(&w->wire, kind + WIRE_ANSWER, buf_bytes(&body),
			     NULL, 0);
	if (e)
		send_failure(w, e);
	else
		(void)!wire_flush(&w->wire);
	buf_free(&body);
}

static enum err lock_down(struct worker *w, const struct worker_job *job,
			  int socket_fd, bool isolated)
{
	const char *const *folders = NULL;
	enum err e;

	e = sandbox_check_fds(socket_fd, w->fds, w->fd_count);
	if (e)
		return worker_fail(w, e, "undeclared descriptors are open");
	if (job->prepare) {
		e = job->prepare(w, &folders);
		if (e)
			return e;
	}
	w->level = sandbox_lock(socket_fd, folders, isolated);
	if (w->level == CLIENT_SANDBOX_NONE ||
	    (w->limits.want_full && w->level < CLIENT_SANDBOX_FULL))
		return worker_fail(w, ERR_UNSUPPORTED,
				   "this system cannot lock a worker down");
	return ERR_OK;
}

static void serve(struct worker *w, const struct wire_frame *f, int socket_fd,
		  bool isolated)
{
	const struct worker_job *job = worker_job_find(f->kind);
	struct buf answer = buf_make(WIRE_FRAME_BYTES_MAX);
	enum err e;

	if (!job) {
		e = worker_fail(w, ERR_MALFORMED, "unknown job");
	} else {
		e = lock_down(w, job, socket_fd, isolated);
		if (!e)
			e = job->run(w, w->limits.request, &answer);
		if (!e)
			e = answer.err;
	}
	if (e)
		send_failure(w, e);
	else
		send_answer(w, f->kind, buf_bytes(&answer));
	buf_free(&answer);
}

int worker_main(int socket_fd)
{
	static struct worker w;
	struct sandbox_limits limits;
	struct wire_frame f;
	bool isolated;

	wire_init(&w.wire, socket_fd, WIRE_FRAME_BYTES_MAX);
	w.words = buf_make(WORDS_BYTES_MAX);
	w.arena = arena_new(WORKER_ARENA_BYTES);
	if (!w.arena)
		return EXIT_NO_MEMORY;
	if (receive(&w, &f) || take_request(&w, &f))
		return EXIT_NO_REQUEST;
	limits = (struct sandbox_limits){w.limits.memory_bytes, w.limits.cpu_ms,
					 w.limits.wall_ms};
	if (sandbox_begin(&limits, &isolated))
		return EXIT_NO_SANDBOX;
	if (parent_is_gone(socket_fd))
		return EXIT_NO_REQUEST;
	/* A short job tells nothing but its answer. */
	w.progress_ms = worker_now_us() / 1000;
	serve(&w, &f, socket_fd, isolated);
	/* The parent kills us as soon as it has the answer; what we hold is
	 * the kernel's to free. */
	_exit(EXIT_ANSWERED);
}

enum err worker_fail(struct worker *w, enum err e, const char *fmt, ...)
{
	char text[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_reset(&w->words);
	buf_put_str(&w->words, text);
	return e;
}

void worker_progress(struct worker *w, uint64_t done, uint64_t total)
{
	uint64_t now_ms = worker_now_us() / 1000;
	struct buf body;

	if (now_ms - w->progress_ms < 100)
		return;
	w->progress_ms = now_ms;
	body = buf_make(64);
	enc_array(&body, 2);
	enc_uint(&body, total && done > total ? total : done);
	enc_uint(&body, total);
	if (!body.err &&
	    !wire_put(&w->wire, WIRE_PROGRESS, buf_bytes(&body), NULL, 0))
		(void)!wire_flush(&w->wire);
	buf_free(&body);
}
