/*
 * The process id stands in DIR/pid; whether that process still is the node is
 * asked of its endpoint, which weftd removes when it ends.
 */
#define _GNU_SOURCE
#include "cli/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/clock.h"

#define FLAGS_MAX    80
#define STOP_TIME_MS 20000u
#define STEP_MS	     20u

const char *daemon_path(struct cli *c)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n < 0)
		return "weftd";
	self[n] = 0;
	slash = strrchr(self, '/');
	if (!slash)
		return "weftd";
	*slash = 0;
	return arena_printf(c->arena, "%s/weftd", self);
}

/* argv of weftd for a folder. */
static bool make_argv(struct cli *c, const char *dir, const char *first,
		      const char *const *flags, const char **argv)
{
	size_t n = 0;

	argv[n++] = daemon_path(c);
	argv[n++] = "--data";
	argv[n++] = dir;
	if (first)
		argv[n++] = first;
	for (; flags && *flags && n < FLAGS_MAX; flags++)
		argv[n++] = *flags;
	argv[n] = NULL;
	return argv[0] != NULL;
}

static void become(const char **argv, int out_fd)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null_fd >= 0)
		dup2(null_fd, 0);
	dup2(out_fd, 1);
	dup2(out_fd, 2);
	execv(argv[0], (char *const *)argv);
	dprintf(2, "weft: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void note_pid(struct cli *c, const char *dir, pid_t pid)
{
	const char *path = arena_printf(c->arena, "%s/pid", dir);
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%ld\n", (long)pid);
	fclose(f);
}

enum cli_exit daemon_start(struct cli *c, const char *dir,
			   const char *const *flags, pid_t *ret_pid)
{
	const char *argv[FLAGS_MAX + 8];
	const char *log = arena_printf(c->arena, "%s/log", dir);
	const char *endpoint = arena_printf(c->arena, "%s/endpoint", dir);
	int fd;
	pid_t pid;

	if (!log || !endpoint || !make_argv(c, dir, NULL, flags, argv))
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	if (mkdir(dir, 0700) && errno != EEXIST)
		return cli_fail(c, CLI_FAILED, "io", "cannot make %s: %s", dir,
				strerror(errno));
	unlink(endpoint);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return cli_fail(c, CLI_FAILED, "io", "cannot write %s: %s", log,
				strerror(errno));
	pid = fork();
	if (pid == 0) {
		setsid();
		become(argv, fd);
	}
	close(fd);
	if (pid < 0)
		return cli_fail(c, CLI_FAILED, "io", "cannot fork: %s",
				strerror(errno));
	note_pid(c, dir, pid);
	*ret_pid = pid;
	return CLI_DONE;
}

/* The last line of DIR/log. */
static const char *last_words(struct cli *c, const char *dir)
{
	const char *path = arena_printf(c->arena, "%s/log", dir);
	FILE *f = path ? fopen(path, "r") : NULL;
	char line[512], last[512] = "it left no word";

	if (!f)
		return "it left no log";
	while (fgets(line, sizeof(line), f))
		memcpy(last, line, sizeof(last));
	fclose(f);
	last[strcspn(last, "\n")] = 0;
	return arena_str(c->arena, bytes_str(last));
}

enum cli_exit daemon_ready(struct cli *c, const char *dir, pid_t pid,
			   unsigned time_ms)
{
	const char *endpoint = arena_printf(c->arena, "%s/endpoint", dir);

	for (unsigned ms = 0; endpoint && ms < time_ms; ms += STEP_MS) {
		int status;

		if (access(endpoint, R_OK) == 0)
			return CLI_DONE;
		if (waitpid(pid, &status, WNOHANG) == pid)
			return cli_fail(c, CLI_FAILED, "failed",
					"weftd ended at once: %s",
					last_words(c, dir));
		clock_pause_ms(STEP_MS);
	}
	kill(pid, SIGTERM);
	return cli_fail(c, CLI_FAILED, "timeout",
			"weftd does not listen after %u s: %s", time_ms / 1000,
			last_words(c, dir));
}

enum cli_exit daemon_init(struct cli *c, const char *dir,
			  const char *const *flags, char *out, size_t size)
{
	const char *argv[FLAGS_MAX + 8];
	int pipe_fds[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (!make_argv(c, dir, "--init", flags, argv))
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	if (pipe2(pipe_fds, O_CLOEXEC))
		return cli_fail(c, CLI_FAILED, "io", "cannot make a pipe");
	pid = fork();
	if (pid == 0)
		become(argv, pipe_fds[1]);
	close(pipe_fds[1]);
	while (pid > 0 && n + 1 < size &&
	       (got = read(pipe_fds[0], out + n, size - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = 0;
	close(pipe_fds[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return cli_fail(c, CLI_FAILED, "failed",
				"weftd --init failed: %s", out);
	return CLI_DONE;
}

enum cli_exit daemon_fsck(struct cli *c, const char *dir)
{
	const char *argv[FLAGS_MAX + 8];
	int status;
	pid_t pid;

	if (!make_argv(c, dir, "--fsck", NULL, argv))
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	pid = fork();
	if (pid == 0)
		become(argv, 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return cli_fail(c, CLI_FAILED, "failed",
				"%s does not check; see above", dir);
	return CLI_DONE;
}

enum cli_exit daemon_stop(struct cli *c, const char *dir)
{
	const char *path = arena_printf(c->arena, "%s/pid", dir);
	FILE *f = path ? fopen(path, "r") : NULL;
	char text[32] = "";
	long pid;

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = 0;
		fclose(f);
	}
	pid = strtol(text, NULL, 10);
	path = arena_printf(c->arena, "%s/endpoint", dir);
	if (pid <= 1 || !path || access(path, F_OK) ||
	    kill((pid_t)pid, SIGTERM))
		return cli_fail(c, CLI_UNREACHABLE, "unreachable",
				"no node runs in %s", dir);
	for (unsigned ms = 0; ms < STOP_TIME_MS; ms += STEP_MS) {
		/* A child of ours must be collected, another's just goes. */
		if (waitpid((pid_t)pid, NULL, WNOHANG) == (pid_t)pid ||
		    kill((pid_t)pid, 0))
			return CLI_DONE;
		clock_pause_ms(STEP_MS);
	}
	return cli_fail(c, CLI_FAILED, "timeout", "node %ld does not end", pid);
}
