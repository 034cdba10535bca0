/*
 * A worker that breaks the protocol on purpose, in the way that WEFT_LIE
 * says; it stands where weft-worker would, so that the parent's defences can
 * be tried.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/codec.h"
#include "gpu/client/spawn.h"
#include "gpu/client/wire.h"

static struct wire wire;

static void raw(const void *p, size_t n)
{
	(void)!write(SPAWN_SOCKET_FD, p, n);
}

static void frame(uint32_t kind, struct bytes body)
{
	if (!wire_put(&wire, kind, body, NULL, 0))
		(void)!wire_flush(&wire);
}

/* [level, nil] */
static struct bytes answer(struct buf *b, uint64_t level)
{
	buf_reset(b);
	enc_array(b, 2);
	enc_uint(b, level);
	enc_nil(b);
	return buf_bytes(b);
}

static struct bytes progress(struct buf *b, uint64_t done, uint64_t total)
{
	buf_reset(b);
	enc_array(b, 2);
	enc_uint(b, done);
	enc_uint(b, total);
	return buf_bytes(b);
}

static void hang(void)
{
	for (;;)
		pause();
}

static void send_fd(struct buf *b)
{
	int fd = memfd_create("gift", 0);

	if (!wire_put(&wire, WIRE_CANON + WIRE_ANSWER, answer(b, 1), &fd, 1))
		(void)!wire_flush(&wire);
	hang();
}

static void flood(struct buf *b)
{
	for (;;)
		frame(WIRE_PROGRESS, progress(b, 1, 2));
}

static void act(const char *lie, struct buf *b)
{
	static const uint8_t huge[4] = {0xff, 0xff, 0xff, 0xff};

	if (!strcmp(lie, "exit"))
		_exit(3);
	if (!strcmp(lie, "crash"))
		raise(SIGSEGV);
	if (!strcmp(lie, "hang"))
		hang();
	if (!strcmp(lie, "close"))
		close(SPAWN_SOCKET_FD), hang();
	if (!strcmp(lie, "huge"))
		raw(huge, 4), hang();
	if (!strcmp(lie, "garbage"))
		raw("\0\0\0\4junk", 8), hang();
	if (!strcmp(lie, "half"))
		raw("\0\0\0\4j", 5), _exit(0);
	if (!strcmp(lie, "kind"))
		frame(77, answer(b, 1)), hang();
	if (!strcmp(lie, "other"))
		frame(WIRE_CHECK + WIRE_ANSWER, answer(b, 1)), hang();
	if (!strcmp(lie, "level"))
		frame(WIRE_CANON + WIRE_ANSWER, answer(b, 0)), hang();
	if (!strcmp(lie, "backward"))
		frame(WIRE_PROGRESS, progress(b, 3, 2)), hang();
	if (!strcmp(lie, "fd"))
		send_fd(b);
	if (!strcmp(lie, "flood"))
		flood(b);
	if (!strcmp(lie, "shout")) {
		(void)!write(2, "\033[31mlast words\n", 16);
		abort();
	}
	/* "truth": an answer, and rubbish behind it that nobody reads */
	frame(WIRE_PROGRESS, progress(b, 1, 2));
	frame(WIRE_CANON + WIRE_ANSWER, answer(b, 1));
	raw("rubbish", 7);
	hang();
}

int main(void)
{
	const char *lie = getenv("WEFT_LIE");
	struct buf b = buf_make(4096);

	wire_init(&wire, SPAWN_SOCKET_FD, WIRE_FRAME_BYTES_MAX);
	act(lie ? lie : "truth", &b);
	return 0;
}
