/*
 * One process per job.  The child gets the socket as descriptor 3, /dev/null
 * as input and output and a small memfd as standard error, whose tail tells
 * what it said when it dies.  As soon as the answer is whole, or anything is
 * wrong, it is killed and reaped: only then does the caller hear of the end,
 * so that nothing writes to shared buffers any more.
 */
#define _GNU_SOURCE
#include "gpu/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/codec.h"
#include "gpu/client/job.h"
#include "gpu/client/spawn.h"

#define WALL_MS_DEFAULT (24ull * 3600 * 1000)
#define POLL_MS		100
#define WORDS_BYTES_MAX (64u << 10)

/* Frames taken in one step, so that a flood of progress cannot hold the
 * caller's loop. */
#define FRAMES_A_STEP 64

struct client {
	struct wire wire;
	pid_t pid; /* 0: reaped */
	int stderr_fd;
	uint64_t deadline_ms;
	enum wire_kind kind;
	enum client_state state;
	struct client_progress progress;
	enum client_sandbox level;
	bool want_full;
	struct buf answer;
	enum err error;
	struct buf words; /* zero-terminated once set */
};

static void reap(struct client *c, int *ret_status)
{
	int status = 0;
	pid_t got;

	if (!c->pid)
		return;
	kill(c->pid, SIGKILL);
	do {
		got = waitpid(c->pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	c->pid = 0;
	if (ret_status)
		*ret_status = status;
}

/* Controls would reach somebody's terminal: only lines and tabs stay. */
static void put_clean(struct buf *out, struct bytes words)
{
	for (size_t i = 0; i < words.n; i++) {
		uint8_t ch = words.p[i];

		if ((ch < 0x20 && ch != '\n' && ch != '\t') || ch == 0x7f)
			ch = '?';
		buf_put_u8(out, ch);
	}
}

static void fail(struct client *c, enum err e, struct bytes words)
{
	reap(c, NULL);
	c->state = CLIENT_FAILED;
	c->error = e;
	buf_reset(&c->words);
	put_clean(&c->words, words);
	buf_put_u8(&c->words, 0);
}

static void put_stderr_tail(struct client *c)
{
	char tail[2048];
	off_t end = lseek(c->stderr_fd, 0, SEEK_END);
	off_t at = end > (off_t)sizeof(tail) ? end - (off_t)sizeof(tail) : 0;
	ssize_t n = pread(c->stderr_fd, tail, sizeof(tail), at);

	if (n <= 0)
		return;
	buf_put_str(&c->words, ":\n");
	put_clean(&c->words, bytes_of(tail, (size_t)n));
}

/* The stream ended or broke before an answer. */
static void died(struct client *c)
{
	int status = 0;
	bool was_gone;
	int flags;

	/* What it died of, unless it only closed the socket. */
	was_gone = c->pid && waitpid(c->pid, &status, WNOHANG) == c->pid;
	if (was_gone)
		c->pid = 0;
	else
		reap(c, &status);
	flags = status;
	c->state = CLIENT_FAILED;
	c->error = ERR_WORKER_DIED;
	buf_reset(&c->words);
	if (WIFSIGNALED(flags))
		buf_printf(&c->words, "the worker died of signal %d (%s)",
			   WTERMSIG(flags), strsignal(WTERMSIG(flags)));
	else
		buf_printf(&c->words, "the worker ended with status %d",
			   WEXITSTATUS(flags));
	put_stderr_tail(c);
	buf_put_u8(&c->words, 0);
}

static void encode_envelope(struct buf *out, const struct client_options *o,
			    struct bytes body)
{
	enc_array(out, 6);
	enc_uint(out, o->memory_bytes);
	enc_uint(out, o->cpu_ms);
	enc_uint(out, o->wall_ms);
	enc_uint(out, o->threads);
	enc_bool(out, o->want_full);
	buf_put_bytes(out, body);
}

static enum err client_send(struct client *c, const struct client_options *o,
			    struct bytes body, const int *fds, size_t fd_count)
{
	struct buf envelope = buf_make((size_t)WIRE_FRAME_BYTES_MAX);
	enum err e;

	encode_envelope(&envelope, o, body);
	e = envelope.err;
	if (!e)
		e = wire_put(&c->wire, c->kind, buf_bytes(&envelope), fds,
			     fd_count);
	buf_free(&envelope);
	if (e)
		return e;
	e = wire_flush(&c->wire);
	return e == ERR_BUSY || e == ERR_IO ? ERR_OK : e;
}

enum err client_start(const struct client_options *options, enum wire_kind kind,
		      struct bytes body, const int *fds, size_t fd_count,
		      uint64_t now_ms, struct client **ret_client)
{
	struct client_options o = *options;
	size_t answer = o.answer_bytes_max;
	struct client *c = calloc(1, sizeof(*c));
	int fd;
	enum err e;

	if (!c)
		return ERR_NO_MEMORY;
	if (!o.wall_ms)
		o.wall_ms = WALL_MS_DEFAULT;
	wire_init(&c->wire, -1, answer ? answer : WIRE_FRAME_BYTES_MAX);
	c->kind = kind;
	c->want_full = o.want_full;
	c->deadline_ms = now_ms + o.wall_ms;
	c->words = buf_make(WORDS_BYTES_MAX);
	c->answer = buf_make(c->wire.in_bytes_max);
	c->stderr_fd = memfd_create("worker-stderr", MFD_CLOEXEC);
	e = client_spawn(o.worker_path, c->stderr_fd, &fd, &c->pid);
	if (!e) {
		c->wire.fd = fd;
		e = client_send(c, &o, body, fds, fd_count);
	}
	if (e) {
		client_free(c);
		return e;
	}
	*ret_client = c;
	return ERR_OK;
}

int client_fd(const struct client *c)
{
	return c->wire.fd;
}

bool client_wants_write(const struct client *c)
{
	return c->wire.out_at < c->wire.out.n;
}

uint64_t client_deadline_ms(const struct client *c)
{
	return c->deadline_ms;
}

static void lied(struct client *c, const char *what)
{
	fail(c, ERR_WORKER_LIED, bytes_str(what));
}

static void take_progress(struct client *c, struct bytes body)
{
	struct dec d = dec_make(body);
	struct client_progress p;

	dec_array_exact(&d, 2);
	p.done = dec_uint(&d, UINT64_MAX);
	p.total = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d) || (p.total && p.done > p.total))
		lied(c, "the worker sent malformed progress");
	else
		c->progress = p;
}

static void take_failure(struct client *c, struct bytes body)
{
	enum err e;
	struct bytes words;

	if (job_failure_decode(body, &e, &words))
		lied(c, "the worker sent a malformed failure");
	else
		fail(c, e, words);
}

static void take_answer(struct client *c, struct bytes body)
{
	struct dec d = dec_make(body);
	uint64_t level;
	struct bytes raw;

	dec_array_exact(&d, 2);
	level = dec_uint(&d, CLIENT_SANDBOX_FULL);
	raw = dec_raw(&d);
	if (dec_end(&d) || level < CLIENT_SANDBOX_REDUCED ||
	    (c->want_full && level < CLIENT_SANDBOX_FULL)) {
		lied(c, "the worker sent a malformed answer");
		return;
	}
	c->level = (enum client_sandbox)level;
	buf_put_bytes(&c->answer, raw);
	if (c->answer.err) {
		fail(c, c->answer.err, BYTES_LIT("no room for the answer"));
		return;
	}
	reap(c, NULL);
	c->state = CLIENT_ANSWERED;
}

static void take_frame(struct client *c, const struct wire_frame *f)
{
	if (f->fd_count) {
		for (size_t i = 0; i < f->fd_count; i++)
			close(f->fds[i]);
		lied(c, "the worker sent descriptors");
	} else if (f->kind == WIRE_PROGRESS) {
		take_progress(c, f->body);
	} else if (f->kind == WIRE_FAILURE) {
		take_failure(c, f->body);
	} else if (f->kind == (uint32_t)c->kind + WIRE_ANSWER) {
		take_answer(c, f->body);
	} else {
		lied(c, "the worker sent a frame of an unknown kind");
	}
}

static void take_frames(struct client *c)
{
	for (int i = 0; i < FRAMES_A_STEP; i++) {
		struct wire_frame f;
		enum err e = wire_take(&c->wire, &f);

		if (e == ERR_BUSY)
			break;
		if (e) {
			lied(c, e == ERR_LIMIT
					? "the worker announced a frame that "
					  "is too long"
					: "the worker sent a malformed frame");
			return;
		}
		take_frame(c, &f);
		if (c->state != CLIENT_RUNNING)
			return;
		wire_drop(&c->wire);
	}
	if (c->wire.in_fd_count)
		lied(c, "the worker sent descriptors");
	else if (c->wire.eof)
		died(c);
}

enum client_state client_step(struct client *c, uint64_t now_ms)
{
	enum err e;

	if (c->state != CLIENT_RUNNING)
		return c->state;
	e = wire_flush(&c->wire);
	/* A worker that refuses early answers before it has read all. */
	if (e == ERR_IO)
		c->wire.out_at = c->wire.out.n;
	e = wire_fill(&c->wire);
	if (e == ERR_IO)
		c->wire.eof = true;
	if (e == ERR_NO_MEMORY)
		fail(c, e, BYTES_LIT("no memory for the answer"));
	else if (e == ERR_LIMIT)
		lied(c, "the worker sent too much");
	else
		take_frames(c);
	if (c->state == CLIENT_RUNNING && now_ms >= c->deadline_ms)
		fail(c, ERR_TIMEOUT, BYTES_LIT("the time limit was passed"));
	return c->state;
}

void client_cancel(struct client *c)
{
	if (c->state == CLIENT_RUNNING)
		fail(c, ERR_REFUSED, BYTES_LIT("cancelled"));
}

struct client_progress client_progress(const struct client *c)
{
	return c->progress;
}

struct bytes client_answer(const struct client *c)
{
	return buf_bytes(&c->answer);
}

enum client_sandbox client_sandbox_level(const struct client *c)
{
	return c->level;
}

enum err client_error(const struct client *c)
{
	return c->error;
}

const char *client_error_words(const struct client *c)
{
	return c->words.n && !c->words.err ? (const char *)c->words.p
					   : err_words(c->error);
}

enum client_state client_state_of(const struct client *c)
{
	return c->state;
}

void client_free(struct client *c)
{
	if (!c)
		return;
	reap(c, NULL);
	wire_free(&c->wire);
	if (c->stderr_fd >= 0)
		close(c->stderr_fd);
	buf_free(&c->answer);
	buf_free(&c->words);
	free(c);
}

enum err client_run(const struct client_options *options, enum wire_kind kind,
		    struct bytes body, const int *fds, size_t fd_count,
		    client_watch watch, void *ctx, struct client **ret_client)
{
	struct client *c;
	enum err e = client_start(options, kind, body, fds, fd_count,
				  client_now_ms(), &c);

	if (e)
		return e;
	while (client_step(c, client_now_ms()) == CLIENT_RUNNING) {
		struct pollfd p = {.fd = client_fd(c), .events = POLLIN};

		if (client_wants_write(c))
			p.events |= POLLOUT;
		poll(&p, 1, POLL_MS);
		if (watch && !watch(ctx, c->progress))
			client_cancel(c);
	}
	*ret_client = c;
	return ERR_OK;
}
