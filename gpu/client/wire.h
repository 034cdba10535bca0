/*
 * gpu/client/wire - frames between a process and its worker.
 *
 * A frame is a big-endian u32 length and that many bytes of one canonical
 * msgpack array [version, kind, fd_count, body].  File descriptors (memfds
 * of buffers) ride on the frame's first byte.  Kinds: a request is 1..99,
 * its answer is request + 100, a failure is 200 and progress is 201, so that
 * a new job needs one number.  One connection carries one request, any
 * number of progress frames, and one answer or failure; nothing else.
 *
 * Both ends treat the other as hostile: lengths are bounded before memory is
 * taken, descriptors that no frame declares are closed and end the stream.
 */
#ifndef WEFT_GPU_CLIENT_WIRE_H
#define WEFT_GPU_CLIENT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

#define WIRE_VERSION 1u

/* Most bytes in a frame, and descriptors on it. */
#define WIRE_FRAME_BYTES_MAX (160u << 20)
#define WIRE_FDS_MAX	     160u

enum wire_kind {
	/* requests; the answer's kind is the request's + WIRE_ANSWER */
	WIRE_COMPILE = 1,
	WIRE_CHECK = 2,
	WIRE_CANON = 3,
	WIRE_BUILD = 4,
	WIRE_TASK = 5,
	WIRE_OPEN = 6,
	WIRE_REFEREE = 7,
	WIRE_PTX_RUN = 8,
	WIRE_MANIFEST = 9,
	WIRE_LINES = 10,
	WIRE_ANSWER = 100, /* added to a request's kind */
	WIRE_FAILURE = 200,
	WIRE_PROGRESS = 201,
};

/* One received frame.  body borrows from the wire until wire_take; fds are
 * owned by the receiver, who closes them. */
struct wire_frame {
	uint32_t kind;
	struct bytes body; /* one msgpack value */
	int fds[WIRE_FDS_MAX];
	size_t fd_count;
};

/*
 * One end of the socket: bytes waiting to go out, bytes and descriptors that
 * came in.  Initialise with wire_init, end with wire_free.
 */
struct wire {
	int fd; /* owned */
	struct buf out;
	size_t out_at;		   /* bytes of out already sent */
	int out_fds[WIRE_FDS_MAX]; /* borrowed from the sender */
	size_t out_fd_count;
	struct buf in;
	int in_fds[WIRE_FDS_MAX];
	size_t in_fd_count;
	size_t in_bytes_max;
	bool eof;
};

/* fd is taken over.  A frame longer than in_bytes_max is refused. */
void wire_init(struct wire *w, int fd, size_t in_bytes_max);

/* Closes the socket and received descriptors nobody took. */
void wire_free(struct wire *w);

/*
 * Append a frame to the output.  body: one msgpack value.  fds are borrowed
 * until wire_flush has sent everything.  At most one frame with descriptors
 * may wait at a time.
 * Returns ERR_OK, ERR_LIMIT (too long, too many), ERR_NO_MEMORY, ERR_BUSY.
 */
MUST_USE enum err wire_put(struct wire *w, uint32_t kind, struct bytes body,
			   const int *fds, size_t fd_count);

/*
 * Send what the socket takes.  Returns ERR_OK (all is sent), ERR_BUSY (wait
 * until writable; never on a blocking socket), ERR_IO (the peer is gone).
 */
MUST_USE enum err wire_flush(struct wire *w);

/*
 * Read once.  Returns ERR_OK (something came, or w->eof is now set),
 * ERR_BUSY (nothing there; on a blocking socket it waits instead), ERR_IO,
 * ERR_LIMIT (too many descriptors), ERR_NO_MEMORY.
 */
MUST_USE enum err wire_fill(struct wire *w);

/*
 * Take the next whole frame.  *ret_frame.body is valid until the next
 * wire_fill or wire_drop; call wire_drop when done with it.
 * Returns ERR_OK, ERR_BUSY (not whole yet), ERR_LIMIT (announces more than
 * in_bytes_max), ERR_MALFORMED (not canonical, wrong version, wrong count of
 * descriptors).
 */
MUST_USE enum err wire_take(struct wire *w, struct wire_frame *ret_frame);

/* Forget the frame that wire_take gave; its descriptors stay the caller's. */
void wire_drop(struct wire *w);

/* Split the bytes of one whole frame after its length; for tests and fuzzing.
 * Returns ERR_OK, ERR_MALFORMED, ERR_LIMIT. */
MUST_USE enum err wire_decode(struct bytes payload, uint32_t *ret_kind,
			      uint32_t *ret_fd_count, struct bytes *ret_body);

#endif /* WEFT_GPU_CLIENT_WIRE_H */
