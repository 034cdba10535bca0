/*
 * gpu/client - run one job in a weft-worker process.
 *
 * The worker is started, told one job over a socket pair, heard, and gone.
 * Whatever it does - lie, hang, crash, flood - ends this job with an error
 * and never harms the caller.  Two ways to drive it: client_start with
 * client_step in an event loop (nothing blocks; time is an argument), or
 * client_run, which waits.
 *
 * Requests and answers are made and read with gpu/client/job.h.
 */
#ifndef WEFT_GPU_CLIENT_CLIENT_H
#define WEFT_GPU_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/client/wire.h"

/* Least RLIMIT_AS of a worker: sanitizers, thread stacks and NVRTC's tables
 * need address space that they never touch. */
#define CLIENT_ADDRESS_SPACE_MIN_BYTES (4ull << 30)

enum client_sandbox {
	CLIENT_SANDBOX_NONE = 0,    /* never reported by a working worker */
	CLIENT_SANDBOX_REDUCED = 1, /* seccomp, rlimits, no new privileges */
	CLIENT_SANDBOX_FULL = 2,    /* and own namespaces, Landlock */
};

struct client_options {
	/* weft-worker's path; NULL: beside the calling binary, or the
	 * environment's WEFT_WORKER */
	const char *worker_path;
	uint64_t wall_ms;	 /* killed after; 0: 24 hours */
	uint64_t cpu_ms;	 /* of all threads; 0: no limit */
	uint64_t memory_bytes;	 /* of buffers; 0: half the machine's */
	uint32_t threads;	 /* 0: all that this process may use */
	size_t answer_bytes_max; /* 0: WIRE_FRAME_BYTES_MAX */
	bool want_full;		 /* fail with ERR_UNSUPPORTED below "full" */
};

struct client_progress {
	uint64_t done;
	uint64_t total; /* 0: unknown */
};

enum client_state {
	CLIENT_RUNNING = 0,
	CLIENT_ANSWERED = 1, /* client_answer has it */
	CLIENT_FAILED = 2,   /* client_error says why */
};

struct client;

/*
 * Start a worker and queue one request for it.
 *
 * kind, body  as job.h's encoders make them; body is copied
 * fds         memfds of buffers, borrowed until the job has ended
 * now_ms      any steady clock; the deadline is now_ms + wall_ms
 * ret_client  owned by the caller, ends with client_free
 *
 * Never blocks but for the fork.  Returns ERR_OK, ERR_IO (no worker binary,
 * no process, no descriptors), ERR_LIMIT (request too large), ERR_NO_MEMORY.
 */
MUST_USE enum err client_start(const struct client_options *options,
			       enum wire_kind kind, struct bytes body,
			       const int *fds, size_t fd_count, uint64_t now_ms,
			       struct client **ret_client);

/* What to watch: readable always, writable when client_wants_write. */
int client_fd(const struct client *c);
bool client_wants_write(const struct client *c);
uint64_t client_deadline_ms(const struct client *c);

/*
 * Move on: send, receive, check the deadline.  Call when the descriptor is
 * ready or the deadline has passed.  Never blocks.
 */
enum client_state client_step(struct client *c, uint64_t now_ms);

/* Ask it to stop now: the worker is killed, the state is CLIENT_FAILED with
 * ERR_REFUSED and the words "cancelled". */
void client_cancel(struct client *c);

/* The last progress heard. */
struct client_progress client_progress(const struct client *c);

/* The answer's body; borrowed from c.  Only when CLIENT_ANSWERED. */
struct bytes client_answer(const struct client *c);

/* The sandbox level the worker reported; CLIENT_SANDBOX_NONE before. */
enum client_sandbox client_sandbox_level(const struct client *c);

/*
 * Why it failed.  Only when CLIENT_FAILED.  ERR_WORKER_DIED (with the signal
 * in the words), ERR_WORKER_LIED, ERR_TIMEOUT, or what the worker itself
 * reported (job.h).  The words are for a person and borrowed from c; they
 * come from the worker and are printable ASCII or UTF-8 without controls.
 */
enum err client_error(const struct client *c);
const char *client_error_words(const struct client *c);

/* Kills what still runs, reaps it, closes all.  NULL is fine. */
void client_free(struct client *c);

/*
 * Called by client_run at each progress frame and at least every 100 ms;
 * false cancels the job.
 */
typedef bool (*client_watch)(void *ctx, struct client_progress progress);

/*
 * Start, wait, and give the finished client (state CLIENT_ANSWERED or
 * CLIENT_FAILED).  watch may be NULL.
 * Returns what client_start returns, or ERR_OK: look at client_state_of.
 */
MUST_USE enum err client_run(const struct client_options *options,
			     enum wire_kind kind, struct bytes body,
			     const int *fds, size_t fd_count,
			     client_watch watch, void *ctx,
			     struct client **ret_client);

enum client_state client_state_of(const struct client *c);

/* The steady clock that client_run uses, in milliseconds. */
uint64_t client_now_ms(void);

#endif /* WEFT_GPU_CLIENT_CLIENT_H */
