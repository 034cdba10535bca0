/*
 * Frames over a real socket pair, and frames that must be refused.
 */
#define _GNU_SOURCE
#include "gpu/client/wire.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/codec.h"

struct ends {
	struct wire a;
	struct wire b;
};

static void make_ends(struct ends *e, size_t in_bytes_max)
{
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair),
		     0);
	wire_init(&e->a, pair[0], in_bytes_max);
	wire_init(&e->b, pair[1], in_bytes_max);
}

static void free_ends(struct ends *e)
{
	wire_free(&e->a);
	wire_free(&e->b);
}

/* Moves bytes until b has a frame or an error. */
static enum err pump(struct ends *e, struct wire_frame *f)
{
	for (;;) {
		enum err sent = wire_flush(&e->a);
		enum err got = wire_take(&e->b, f);

		if (got != ERR_BUSY)
			return got;
		got = wire_fill(&e->b);
		if (got && got != ERR_BUSY)
			return got;
		if (got == ERR_BUSY && sent == ERR_OK)
			return ERR_BUSY;
	}
}

/* 0x93 01 02 03 is what a hand-written encoder gives for [1, 2, 3]. */
Test(wire, bytes_of_a_frame)
{
	struct ends e;
	uint8_t raw[32];
	const uint8_t want[] = {0, 0, 0, 8, 0x94, 1, 3, 0, 0x93, 1, 2, 3};

	make_ends(&e, 1024);
	cr_assert_eq(wire_put(&e.a, WIRE_CANON, BYTES_LIT("\x93\x01\x02\x03"),
			      NULL, 0),
		     ERR_OK);
	cr_assert_eq(wire_flush(&e.a), ERR_OK);
	cr_assert_eq(read(e.b.fd, raw, sizeof(raw)), (ssize_t)sizeof(want));
	cr_expect_arr_eq(raw, want, sizeof(want));
	free_ends(&e);
}

Test(wire, large_frames_and_descriptors_arrive)
{
	static const uint8_t zeroes[5u << 20];
	struct ends e;
	struct wire_frame f;
	struct buf body = buf_make(8u << 20);
	int fds[2];
	char text[2];

	make_ends(&e, 8u << 20);
	enc_bin(&body, bytes_of(zeroes, sizeof(zeroes)));
	for (int i = 0; i < 2; i++) {
		fds[i] = memfd_create("x", 0);
		cr_assert_eq(write(fds[i], i ? "B" : "A", 1), 1);
	}
	cr_assert_eq(wire_put(&e.a, WIRE_TASK, buf_bytes(&body), fds, 2),
		     ERR_OK);
	cr_expect_eq(wire_put(&e.a, WIRE_TASK, buf_bytes(&body), fds, 2),
		     ERR_BUSY);
	cr_assert_eq(pump(&e, &f), ERR_OK);
	cr_expect_eq(f.kind, WIRE_TASK);
	cr_expect(bytes_eq(f.body, buf_bytes(&body)));
	cr_assert_eq(f.fd_count, 2);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(pread(f.fds[i], text, 1, 0), 1);
		cr_expect_eq(text[0], i ? 'B' : 'A');
		cr_expect(fcntl(f.fds[i], F_GETFD) & FD_CLOEXEC);
		close(f.fds[i]);
		close(fds[i]);
	}
	wire_drop(&e.b);
	cr_expect_eq(e.b.in.n, 0);
	buf_free(&body);
	free_ends(&e);
}

Test(wire, many_frames_in_one_read)
{
	struct ends e;
	struct wire_frame f;

	make_ends(&e, 1024);
	for (uint32_t i = 0; i < 100; i++)
		cr_assert_eq(wire_put(&e.a, 1 + i, BYTES_LIT("\xc0"), NULL, 0),
			     ERR_OK);
	for (uint32_t i = 0; i < 100; i++) {
		cr_assert_eq(pump(&e, &f), ERR_OK);
		cr_expect_eq(f.kind, 1 + i);
		wire_drop(&e.b);
	}
	cr_expect_eq(pump(&e, &f), ERR_BUSY);
	free_ends(&e);
}

static enum err feed(const void *p, size_t n, size_t in_bytes_max)
{
	struct ends e;
	struct wire_frame f;
	enum err got;

	make_ends(&e, in_bytes_max);
	cr_assert_eq(write(e.a.fd, p, n), (ssize_t)n);
	got = pump(&e, &f);
	free_ends(&e);
	return got;
}

Test(wire, refusals)
{
	/* exactly the limit, and one byte more */
	cr_expect_eq(feed("\0\0\0\5\x94\1\1\0\xc0", 9, 5), ERR_OK);
	cr_expect_eq(feed("\0\0\0\6\x94\1\1\0\xcc\x80", 10, 5), ERR_LIMIT);
	/* version 2; four items announced, three there; a longer integer
	 * than needed; a descriptor that did not come; trailing bytes */
	cr_expect_eq(feed("\0\0\0\5\x94\2\1\0\xc0", 9, 64), ERR_MALFORMED);
	cr_expect_eq(feed("\0\0\0\4\x94\1\1\0", 8, 64), ERR_MALFORMED);
	cr_expect_eq(feed("\0\0\0\6\x94\1\xcc\1\0\xc0", 10, 64), ERR_MALFORMED);
	cr_expect_eq(feed("\0\0\0\5\x94\1\1\1\xc0", 9, 64), ERR_MALFORMED);
	cr_expect_eq(feed("\0\0\0\6\x94\1\1\0\xc0\xc0", 10, 64), ERR_MALFORMED);
	cr_expect_eq(feed("\0\0\0\0", 4, 64), ERR_MALFORMED);
	cr_expect_eq(feed("\0\0\0", 3, 64), ERR_BUSY);
}

/* Descriptors that no frame declares are closed with the wire. */
Test(wire, undeclared_descriptors_are_closed)
{
	struct ends e;
	struct wire_frame f;
	int fd = memfd_create("x", 0);
	int got;

	make_ends(&e, 1024);
	cr_assert_eq(wire_put(&e.a, 1, BYTES_LIT("\xc0"), &fd, 1), ERR_OK);
	/* Declare none. */
	e.a.out.p[7] = 0;
	cr_assert_eq(pump(&e, &f), ERR_OK);
	cr_expect_eq(f.fd_count, 0);
	cr_assert_eq(e.b.in_fd_count, 1);
	got = e.b.in_fds[0];
	free_ends(&e);
	cr_expect_eq(fcntl(got, F_GETFD), -1);
	close(fd);
}
