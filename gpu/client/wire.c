/*
 * Frames are appended to one output buffer and cut from one input buffer.
 * Descriptors are sent with the first byte of their frame and queued in
 * arrival order on the other side: a Unix socket never delivers bytes behind
 * a message with descriptors together with that message, so the count in the
 * frame tells whose they are.
 */
#define _GNU_SOURCE
#include "gpu/client/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/codec.h"

/* Bytes asked of the socket at a time. */
#define READ_BYTES (256u << 10)

/* Length, array head, version, kind, count: what a frame adds to its body. */
#define HEAD_BYTES_MAX 24u

void wire_init(struct wire *w, int fd, size_t in_bytes_max)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	w->in_bytes_max = in_bytes_max < WIRE_FRAME_BYTES_MAX
				  ? in_bytes_max
				  : WIRE_FRAME_BYTES_MAX;
	w->out = buf_make((size_t)WIRE_FRAME_BYTES_MAX + HEAD_BYTES_MAX);
	w->in = buf_make(w->in_bytes_max + 4 + READ_BYTES);
}

void wire_free(struct wire *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	for (size_t i = 0; i < w->in_fd_count; i++)
		close(w->in_fds[i]);
	w->in_fd_count = 0;
	buf_free(&w->out);
	buf_free(&w->in);
}

enum err wire_put(struct wire *w, uint32_t kind, struct bytes body,
		  const int *fds, size_t fd_count)
{
	size_t start;

	if (fd_count > WIRE_FDS_MAX || body.n > WIRE_FRAME_BYTES_MAX)
		return ERR_LIMIT;
	if (fd_count && w->out.n != 0)
		return ERR_BUSY;
	start = w->out.n;
	if (!buf_extend(&w->out, 4))
		return w->out.err;
	enc_array(&w->out, 4);
	enc_uint(&w->out, WIRE_VERSION);
	enc_uint(&w->out, kind);
	enc_uint(&w->out, fd_count);
	buf_put_bytes(&w->out, body);
	if (w->out.err)
		return w->out.err;
	put_u32_be(w->out.p + start, (uint32_t)(w->out.n - start - 4));
	for (size_t i = 0; i < fd_count; i++)
		w->out_fds[i] = fds[i];
	w->out_fd_count = fd_count;
	return ERR_OK;
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * WIRE_FDS_MAX)];
};

static void attach_fds(struct msghdr *m, union control *c, const int *fds,
		       size_t count)
{
	struct cmsghdr *h;

	memset(c, 0, sizeof(*c));
	m->msg_control = c->bytes;
	m->msg_controllen = CMSG_SPACE(sizeof(int) * count);
	h = CMSG_FIRSTHDR(m);
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int) * count);
	memcpy(CMSG_DATA(h), fds, sizeof(int) * count);
}

enum err wire_flush(struct wire *w)
{
	while (w->out_at < w->out.n) {
		struct iovec v = {w->out.p + w->out_at, w->out.n - w->out_at};
		struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
		union control c;
		ssize_t n;

		if (w->out_fd_count)
			attach_fds(&m, &c, w->out_fds, w->out_fd_count);
		n = sendmsg(w->fd, &m, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? ERR_BUSY : ERR_IO;
		w->out_fd_count = 0;
		w->out_at += (size_t)n;
	}
	buf_reset(&w->out);
	w->out_at = 0;
	return ERR_OK;
}

/* Queue the descriptors of one received message; all are closed and the
 * answer is ERR_LIMIT when there are too many. */
static enum err collect_fds(struct wire *w, struct msghdr *m)
{
	enum err e = m->msg_flags & MSG_CTRUNC ? ERR_LIMIT : ERR_OK;

	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
		size_t count;

		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		count = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(h) + i * sizeof(int),
			       sizeof(int));
			if (w->in_fd_count < WIRE_FDS_MAX) {
				w->in_fds[w->in_fd_count++] = fd;
			} else {
				close(fd);
				e = ERR_LIMIT;
			}
		}
	}
	return e;
}

enum err wire_fill(struct wire *w)
{
	union control c;
	struct iovec v;
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = c.bytes,
			   .msg_controllen = sizeof(c.bytes)};
	size_t had = w->in.n;
	size_t room = w->in.max - had;
	ssize_t n;

	if (room > READ_BYTES)
		room = READ_BYTES;
	if (room == 0)
		return ERR_OK; /* a whole frame waits to be taken */
	v.iov_base = buf_extend(&w->in, room);
	v.iov_len = room;
	if (!v.iov_base)
		return w->in.err;
	do {
		n = recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	w->in.n = had + (n > 0 ? (size_t)n : 0);
	if (n < 0 && errno == EAGAIN)
		return ERR_BUSY;
	if (n < 0)
		return ERR_IO;
	if (n == 0)
		w->eof = true;
	return collect_fds(w, &m);
}

enum err wire_decode(struct bytes payload, uint32_t *ret_kind,
		     uint32_t *ret_fd_count, struct bytes *ret_body)
{
	struct dec d = dec_make(payload);
	uint32_t kind;
	uint32_t fd_count;
	struct bytes body;
	enum err e;

	dec_array_exact(&d, 4);
	if (dec_uint(&d, UINT32_MAX) != WIRE_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	kind = (uint32_t)dec_uint(&d, UINT32_MAX);
	fd_count = (uint32_t)dec_uint(&d, WIRE_FDS_MAX);
	body = dec_raw(&d);
	e = dec_end(&d);
	if (e)
		return e == ERR_LIMIT ? ERR_LIMIT : ERR_MALFORMED;
	*ret_kind = kind;
	*ret_fd_count = fd_count;
	*ret_body = body;
	return ERR_OK;
}

enum err wire_take(struct wire *w, struct wire_frame *ret_frame)
{
	uint32_t fd_count;
	uint32_t length;
	enum err e;

	if (w->in.n < 4)
		return ERR_BUSY;
	length = u32_be(w->in.p);
	if (length > w->in_bytes_max)
		return ERR_LIMIT;
	if (w->in.n - 4 < length)
		return ERR_BUSY;
	e = wire_decode(bytes_of(w->in.p + 4, length), &ret_frame->kind,
			&fd_count, &ret_frame->body);
	if (e)
		return e;
	if (fd_count > w->in_fd_count)
		return ERR_MALFORMED;
	memcpy(ret_frame->fds, w->in_fds, fd_count * sizeof(int));
	ret_frame->fd_count = fd_count;
	w->in_fd_count -= fd_count;
	memmove(w->in_fds, w->in_fds + fd_count, w->in_fd_count * sizeof(int));
	return ERR_OK;
}

void wire_drop(struct wire *w)
{
	buf_consume(&w->in, 4 + (size_t)u32_be(w->in.p));
}
