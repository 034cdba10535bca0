/*
 * The HTTP door with real sockets on loopback: limits, order, strangers.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "node/client.h"
#include "node/server.h"

static struct event_base *base;
static struct server *server;
static unsigned gone;
static unsigned calls;

static void on_gone(void *kept)
{
	(void)kept;
	gone++;
}

/* /echo answers the body, /never keeps the call. */
static void on_call(void *ctx, struct server_call *c)
{
	struct bytes path = server_call_head(c)->path;

	(void)ctx;
	calls++;
	if (bytes_eq(path, BYTES_LIT("/never"))) {
		server_call_keep(c, &gone, on_gone);
		return;
	}
	server_answer(c, 200, "text/plain", "", server_call_body(c));
}

static void open_with(size_t connections)
{
	const struct server_options options = {
		.host = "127.0.0.1",
		.connections_max = connections,
		.body_bytes_max = 100,
		.handlers = {.call = on_call},
	};

	base = event_base_new();
	gone = calls = 0;
	cr_assert_eq(server_new(base, &options, &server), ERR_OK);
}

static void begin(void)
{
	open_with(8);
}

static void end(void)
{
	server_free(server);
	event_base_free(base);
}

TestSuite(server, .init = begin, .fini = end, .timeout = 20);

static int dial(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(server_port(server))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	cr_assert_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* Turn the loop until fd has said n statuses, or closed. */
static const char *hear(int fd, const char *until)
{
	static char text[65536];
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < 1000000 && !strstr(text, until); i++) {
		ssize_t got;

		event_base_loop(base, EVLOOP_NONBLOCK);
		got = recv(fd, text + at, sizeof(text) - 1 - at, MSG_DONTWAIT);
		if (got == 0)
			break;
		if (got > 0)
			at += (size_t)got;
		text[at] = '\0';
	}
	return text;
}

#define HOST "Host: 127.0.0.1\r\n"

Test(server, answers_requests_of_one_connection_in_order)
{
	int fd = dial();
	const char *text;

	say(fd, "POST /a HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nfirst"
		"POST /b HTTP/1.1\r\n" HOST "Content-Length: 6\r\n\r\nsecond");
	text = hear(fd, "second");
	cr_assert_not_null(strstr(text, "first"));
	cr_assert_lt(strstr(text, "first"), strstr(text, "second"));
	close(fd);
}

Test(server, refuses_other_hosts_and_origins)
{
	static const char *const bad[] = {
		"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "Origin: http://evil.example\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int fd = dial();

		say(fd, bad[i]);
		cr_assert_not_null(strstr(hear(fd, "\r\n\r\n"), " 403 "), "%s",
				   bad[i]);
		close(fd);
	}
	cr_assert_eq(calls, 0);
}

Test(server, takes_its_own_host_and_origin)
{
	int fd = dial();

	say(fd, "GET / HTTP/1.1\r\nHost: localhost:9420\r\n"
		"Origin: http://127.0.0.1:9420\r\n\r\n");
	cr_assert_not_null(strstr(hear(fd, "\r\n\r\n"), " 200 "));
	close(fd);
}

Test(server, bodies_end_at_their_limit)
{
	char text[400];
	int fd = dial();

	snprintf(text, sizeof(text),
		 "POST / HTTP/1.1\r\n" HOST "Content-Length: 100\r\n\r\n"
		 "%0100d",
		 0);
	say(fd, text);
	cr_assert_not_null(strstr(hear(fd, "\r\n\r\n"), " 200 "));
	close(fd);
	fd = dial();
	say(fd, "POST / HTTP/1.1\r\n" HOST "Content-Length: 101\r\n\r\n");
	cr_assert_not_null(strstr(hear(fd, "\r\n\r\n"), " 413 "));
	close(fd);
	fd = dial();
	say(fd, "POST / HTTP/1.1\r\n" HOST "\r\n");
	cr_assert_not_null(strstr(hear(fd, "\r\n\r\n"), " 411 "));
	close(fd);
	fd = dial();
	say(fd, "garbage\r\n\r\n");
	cr_assert_not_null(strstr(hear(fd, "\r\n\r\n"), " 400 "));
	close(fd);
}

Test(server, hears_that_a_caller_is_gone)
{
	int fd = dial();

	say(fd, "GET /never HTTP/1.1\r\n" HOST "\r\n");
	while (!calls)
		event_base_loop(base, EVLOOP_NONBLOCK);
	close(fd);
	while (!gone)
		event_base_loop(base, EVLOOP_NONBLOCK);
	cr_assert_eq(server_connections(server), 0);
}

Test(server, the_last_connection_waits_for_a_free_one)
{
	int fds[3];

	end();
	open_with(2);
	for (int i = 0; i < 3; i++)
		fds[i] = dial(); /* the third is the kernel's alone */
	say(fds[0], "GET /a HTTP/1.1\r\n" HOST "\r\n");
	(void)hear(fds[0], "\r\n\r\n");
	say(fds[1], "GET /a HTTP/1.1\r\n" HOST "\r\n");
	(void)hear(fds[1], "\r\n\r\n");
	cr_assert_eq(server_connections(server), 2);
	say(fds[2], "GET /a HTTP/1.1\r\n" HOST "\r\n");
	for (int i = 0; i < 50; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
	cr_assert_eq(server_connections(server), 2);
	close(fds[0]);
	cr_assert_not_null(strstr(hear(fds[2], "\r\n\r\n"), " 200 "));
	close(fds[1]);
	close(fds[2]);
}

Test(server, listens_on_loopback_only)
{
	static const char *const hosts[] = {"0.0.0.0", "192.168.1.1", "8.8.8.8",
					    "localhost", "::"};
	struct server *other;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		const struct server_options options = {.host = hosts[i]};

		cr_assert_eq(server_new(base, &options, &other), ERR_REFUSED,
			     "%s", hosts[i]);
	}
}

/* What a node asks of another one. */
struct heard {
	bool done;
	enum err e;
	unsigned status;
	char body[64];
};

static void on_done(void *ctx, enum err e, unsigned status, struct bytes body)
{
	struct heard *h = ctx;

	h->done = true;
	h->e = e;
	h->status = status;
	snprintf(h->body, sizeof(h->body), "%.*s", (int)body.n,
		 (const char *)body.p);
}

static struct heard ask(uint16_t port, const char *text, uint64_t most)
{
	char endpoint[32];
	struct heard h = {.done = false};
	struct node_request *r;
	struct node_request_options options = {
		.method = "POST",
		.path = "/",
		.headers = "",
		.body = bytes_str(text),
		.body_bytes_max = most,
		.wait_ms = 5000,
		.done = on_done,
		.ctx = &h,
	};

	snprintf(endpoint, sizeof(endpoint), "127.0.0.1:%u", port);
	options.endpoint = bytes_str(endpoint);
	cr_assert_eq(node_request_start(base, &options, &r), ERR_OK);
	while (!h.done)
		event_base_loop(base, EVLOOP_ONCE);
	return h;
}

Test(server, is_understood_by_our_own_client)
{
	struct heard h = ask(server_port(server), "hello", 5);

	cr_assert_eq(h.e, ERR_OK);
	cr_assert_eq(h.status, 200);
	cr_assert_str_eq(h.body, "hello");
	h = ask(server_port(server), "hello", 4);
	cr_assert_eq(h.e, ERR_LIMIT);
}

Test(server, that_is_not_there_is_unreachable)
{
	uint16_t port = server_port(server);
	struct node_request *r;
	struct node_request_options options = {
		.endpoint = BYTES_LIT("10.0.0.1:80"),
		.method = "GET",
		.path = "/",
		.headers = "",
	};

	server_free(server);
	server = NULL;
	cr_assert_eq(ask(port, "x", 9).e, ERR_UNREACHABLE);
	cr_assert_eq(node_request_start(base, &options, &r), ERR_REFUSED);
}

Test(server, refusal_reaches_who_is_still_sending)
{
	static const char piece[4096];
	int fd = dial();
	const char *text;

	say(fd, "POST / HTTP/1.1\r\n" HOST "Content-Length: 1000000\r\n\r\n");
	for (int i = 0; i < 200; i++) {
		(void)!send(fd, piece, sizeof(piece),
			    MSG_DONTWAIT | MSG_NOSIGNAL);
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
	text = hear(fd, "\r\n\r\n");
	cr_assert_not_null(strstr(text, " 413 "));
	close(fd);
}
