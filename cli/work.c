/*
 * The table of failures decides exit codes: what the kernel or the machine
 * cannot do is told apart from what the user wrote.
 */
#define _GNU_SOURCE
#include "cli/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/progress.h"

static const struct {
	enum err err;
	enum cli_exit code;
	const char *word;
} failures[] = {
	{ERR_REFUSED, CLI_USAGE, "bad_value"},
	{ERR_EXEC_REFUSED, CLI_REFUSED, "not_executable"},
	{ERR_LIMIT, CLI_REFUSED, "limit_reached"},
	{ERR_NO_MEMORY, CLI_FAILED, "no_memory"},
	{ERR_PTX_SYNTAX, CLI_FAILED, "malformed"},
	{ERR_PTX_UNKNOWN, CLI_FAILED, "unknown_instruction"},
	{ERR_MANIFEST, CLI_FAILED, "manifest"},
	{ERR_COMPILE, CLI_FAILED, "compile"},
	{ERR_NO_COMPILER, CLI_FAILED, "no_compiler"},
	{ERR_TIMEOUT, CLI_FAULTED, "limit_seconds"},
	{ERR_WORKER_DIED, CLI_FAILED, "worker_died"},
	{ERR_WORKER_LIED, CLI_FAILED, "worker_lied"},
};

static const char *const lanes_words[] = {"auto", "avx512", "avx2", "plain"};

enum cli_exit work_how(struct cli *c, struct job_how *ret)
{
	const char *lanes = cli_value(c, "lanes");
	unsigned long long threads = 0;
	bool known = !lanes;

	if (cli_number(c, "threads", 256, &threads))
		return CLI_USAGE;
	if (cli_value(c, "threads") && !threads)
		return cli_usage(c, "--threads takes a number from 1");
	for (size_t i = 0; i < sizeof(lanes_words) / sizeof(*lanes_words); i++)
		known |= lanes && !strcmp(lanes, lanes_words[i]);
	if (!known)
		return cli_usage(c,
				 "--lanes takes auto, avx512, avx2 or "
				 "plain, not \"%s\"",
				 lanes);
	*ret = (struct job_how){
		.lanes = bytes_str(lanes ? lanes : "auto"),
		.threads = (uint32_t)threads,
		.sanitize = cli_flag(c, "sanitize"),
	};
	return CLI_DONE;
}

static bool watch(void *ctx, struct client_progress progress)
{
	struct progress *bar = ctx;

	if (bar)
		progress_update(bar, progress.done, progress.total);
	return !cli_interrupted();
}

static enum cli_exit say_failure(struct cli *c, const struct work *w,
				 enum err e, const char *words)
{
	enum cli_exit code = CLI_FAILED;
	const char *word = "failed";
	/* "LINE:COLUMN: ..." goes on after a file's name, a sentence does not
	 */
	size_t digits = strspn(words, "0123456789");
	bool place = digits && words[digits] == ':' && w->prefix;

	if (cli_interrupted())
		return CLI_INTERRUPTED;
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
		if (failures[i].err != e)
			continue;
		code = failures[i].code;
		word = failures[i].word;
	}
	return cli_fail(c, code, word, "%s%s%s", place ? w->prefix : "",
			place ? ":" : "", words);
}

enum cli_exit work_run(struct cli *c, const struct work *w, struct client **ret)
{
	struct client_options o = {.wall_ms = w->wall_ms};
	struct client *client;
	struct progress bar;
	enum cli_exit code = CLI_DONE;
	enum err e = w->request->err;

	if (w->label)
		progress_begin(&bar, c, w->label);
	if (!e)
		e = client_run(&o, w->kind, buf_bytes(w->request), w->fds,
			       w->fd_count, watch, w->label ? &bar : NULL,
			       &client);
	buf_free(w->request);
	if (w->label)
		progress_end(&bar);
	if (e == ERR_IO)
		return cli_fail(c, CLI_FAILED, "no_worker",
				"cannot start weft-worker; it belongs beside "
				"this program");
	if (e)
		return say_failure(c, w, e, err_words(e));
	if (client_state_of(client) != CLIENT_ANSWERED) {
		code = say_failure(c, w, client_error(client),
				   client_error_words(client));
		client_free(client);
		return code;
	}
	*ret = client;
	return CLI_DONE;
}

enum cli_exit work_bad_answer(struct cli *c)
{
	return cli_fail(c, CLI_FAILED, "worker_lied",
			"the worker's answer does not decode");
}

/* Open for reading; *ret_bytes: its size. */
static enum cli_exit open_file(struct cli *c, const char *path, int *ret_fd,
			       uint64_t *ret_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return cli_fail(c, CLI_FAILED, "not_found",
				"cannot read %s: %s", path, strerror(error));
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return cli_fail(c, CLI_FAILED, "not_found", "%s is not a file",
				path);
	}
	*ret_fd = fd;
	*ret_bytes = (uint64_t)st.st_size;
	return CLI_DONE;
}

static enum cli_exit read_all(struct cli *c, const char *path, int fd,
			      uint8_t *p, uint64_t bytes)
{
	uint64_t at = 0;

	while (at < bytes) {
		ssize_t n = read(fd, p + at, bytes - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return cli_fail(c, CLI_FAILED, "io",
					"cannot read %s: %s", path,
					n ? strerror(errno) : "it shrank");
		at += (uint64_t)n;
	}
	return CLI_DONE;
}

enum cli_exit work_read(struct cli *c, const char *path, size_t max_bytes,
			struct bytes *ret)
{
	uint64_t bytes;
	uint8_t *p;
	int fd;
	enum cli_exit code = open_file(c, path, &fd, &bytes);

	if (code)
		return code;
	if (bytes > max_bytes) {
		close(fd);
		return cli_fail(c, CLI_FAILED, "too_large",
				"%s is longer than %zu bytes", path, max_bytes);
	}
	p = arena_alloc(c->arena, (size_t)bytes + 1, 64);
	code = p ? read_all(c, path, fd, p, bytes)
		 : cli_fail(c, CLI_FAILED, "no_memory", "no memory for %s",
			    path);
	close(fd);
	if (!code)
		*ret = bytes_of(p, (size_t)bytes);
	return code;
}

enum cli_exit work_load(struct cli *c, const char *path, struct memory *ret)
{
	struct memory m;
	uint64_t bytes;
	int fd;
	enum cli_exit code = open_file(c, path, &fd, &bytes);

	if (code)
		return code;
	if (memory_new("buffer", bytes, &m))
		code = cli_fail(c, CLI_FAILED, "no_memory", "no memory for %s",
				path);
	else
		code = read_all(c, path, fd, m.p, bytes);
	close(fd);
	if (!code)
		*ret = m;
	return code;
}

enum cli_exit work_write(struct cli *c, const char *path, struct bytes b)
{
	bool to_stdout = !path || !strcmp(path, "-");
	FILE *f = to_stdout ? stdout : fopen(path, "wbe");
	bool failed = !f;

	if (f) {
		failed = b.n && fwrite(b.p, 1, b.n, f) != b.n;
		failed |= (to_stdout ? fflush(f) : fclose(f)) != 0;
	}
	if (failed)
		return cli_fail(c, CLI_FAILED, "io", "cannot write %s: %s",
				to_stdout ? "the output" : path,
				strerror(errno));
	return CLI_DONE;
}
