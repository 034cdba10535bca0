/*
 * The parent's side, against workers that lie, die, hang and flood
 * (tests/liar/worker.c).
 */
#define _GNU_SOURCE
#include "gpu/client/client.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/codec.h"

#define LIAR WEFT_BINARY_DIR "/tests/liar/worker"

/* Long enough for a loaded machine; only a broken test waits for it. */
#define LIMIT_MS 60000

static struct client *start(const char *lie, uint64_t wall_ms, uint64_t now_ms)
{
	struct client_options o = {.worker_path = LIAR,
				   .wall_ms = wall_ms,
				   .answer_bytes_max = 1u << 20};
	struct client *c = NULL;

	setenv("WEFT_LIE", lie, 1);
	cr_assert_eq(client_start(&o, WIRE_CANON, BYTES_LIT("\xc0"), NULL, 0,
				  now_ms, &c),
		     ERR_OK);
	return c;
}

static struct client *finish(const char *lie)
{
	struct client_options o = {.worker_path = LIAR,
				   .wall_ms = LIMIT_MS,
				   .answer_bytes_max = 1u << 20};
	struct client *c = NULL;

	setenv("WEFT_LIE", lie, 1);
	cr_assert_eq(client_run(&o, WIRE_CANON, BYTES_LIT("\xc0"), NULL, 0,
				NULL, NULL, &c),
		     ERR_OK);
	return c;
}

static void expect_failure(const char *lie, enum err e, const char *words)
{
	struct client *c = finish(lie);

	cr_expect_eq(client_state_of(c), CLIENT_FAILED, "%s", lie);
	cr_expect_eq(client_error(c), e, "%s: %s", lie, client_error_words(c));
	cr_expect(strstr(client_error_words(c), words), "%s: %s", lie,
		  client_error_words(c));
	client_free(c);
	/* Nothing is left of it. */
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_expect_eq(errno, ECHILD);
}

Test(client, deaths_are_told_with_their_cause)
{
	expect_failure("exit", ERR_WORKER_DIED, "status 3");
	expect_failure("crash", ERR_WORKER_DIED, "signal");
	expect_failure("half", ERR_WORKER_DIED, "status 0");
	expect_failure("close", ERR_WORKER_DIED, "signal 9");
}

Test(client, lies_end_the_job)
{
	expect_failure("huge", ERR_WORKER_LIED, "too long");
	expect_failure("garbage", ERR_WORKER_LIED, "malformed frame");
	expect_failure("kind", ERR_WORKER_LIED, "unknown kind");
	expect_failure("other", ERR_WORKER_LIED, "unknown kind");
	expect_failure("level", ERR_WORKER_LIED, "malformed answer");
	expect_failure("backward", ERR_WORKER_LIED, "malformed progress");
	expect_failure("fd", ERR_WORKER_LIED, "descriptors");
}

Test(client, last_words_are_cleaned)
{
	struct client *c = finish("shout");

	cr_expect_eq(client_error(c), ERR_WORKER_DIED);
	cr_expect(strstr(client_error_words(c), "last words"));
	cr_expect(!strchr(client_error_words(c), 033));
	client_free(c);
}

Test(client, truth_is_heard_and_what_follows_is_not)
{
	struct client *c = finish("truth");

	cr_assert_eq(client_state_of(c), CLIENT_ANSWERED, "%s",
		     client_error_words(c));
	cr_expect_eq(client_sandbox_level(c), CLIENT_SANDBOX_REDUCED);
	cr_expect_eq(client_progress(c).done, 1);
	cr_expect_eq(client_progress(c).total, 2);
	cr_expect(bytes_eq(client_answer(c), BYTES_LIT("\xc0")));
	client_free(c);
}

/* Time is an argument: no waiting here. */
Test(client, a_hanging_worker_meets_its_deadline)
{
	struct client *c = start("hang", 5000, 1000);

	cr_expect_eq(client_deadline_ms(c), 6000);
	cr_expect_eq(client_step(c, 5999), CLIENT_RUNNING);
	cr_expect_eq(client_step(c, 6000), CLIENT_FAILED);
	cr_expect_eq(client_error(c), ERR_TIMEOUT);
	client_free(c);
}

Test(client, cancel_kills)
{
	struct client *c = start("hang", 5000, 0);

	client_cancel(c);
	cr_expect_eq(client_step(c, 1), CLIENT_FAILED);
	cr_expect_eq(client_error(c), ERR_REFUSED);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
	client_free(c);
}

/* A flood of progress does not keep a step from returning, nor the deadline
 * from coming. */
Test(client, a_flood_does_not_hold_the_loop)
{
	struct client *c = start("flood", 5000, 0);
	struct pollfd p = {.fd = client_fd(c), .events = POLLIN};

	for (int i = 0; i < 20; i++) {
		cr_assert_eq(poll(&p, 1, LIMIT_MS), 1);
		cr_assert_eq(client_step(c, 1), CLIENT_RUNNING);
	}
	cr_expect_eq(client_progress(c).done, 1);
	cr_expect_eq(client_step(c, 5000), CLIENT_FAILED);
	cr_expect_eq(client_error(c), ERR_TIMEOUT);
	client_free(c);
}

Test(client, killed_from_outside)
{
	struct client *c = start("hang", LIMIT_MS, client_now_ms());
	struct pollfd p = {.fd = client_fd(c), .events = POLLIN};
	char path[64];
	FILE *f;
	int pid = 0;

	/* Its only child is the worker. */
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	f = fopen(path, "r");
	cr_assert(f && fscanf(f, "%d", &pid) == 1 && pid > 0);
	fclose(f);
	kill(pid, SIGKILL);
	cr_assert_eq(poll(&p, 1, LIMIT_MS), 1);
	cr_expect_eq(client_step(c, client_now_ms()), CLIENT_FAILED);
	cr_expect_eq(client_error(c), ERR_WORKER_DIED);
	cr_expect(strstr(client_error_words(c), "signal 9"));
	client_free(c);
}

Test(client, no_binary_is_an_error)
{
	struct client_options o = {.worker_path = "/nonexistent/worker"};
	struct client *c = NULL;

	cr_expect_eq(
		client_start(&o, WIRE_CANON, BYTES_LIT("\xc0"), NULL, 0, 0, &c),
		ERR_IO);
	client_free(NULL);
}

static size_t open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

Test(client, leaves_no_descriptor_open)
{
	size_t before = open_fds();

	for (int i = 0; i < 3; i++) {
		client_free(finish("truth"));
		client_free(finish("fd"));
		client_free(finish("exit"));
	}
	cr_expect_eq(open_fds(), before);
}
