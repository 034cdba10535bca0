/*
 * posix_spawn, so that a parent with much memory does not copy its page
 * tables, and so that nothing of ours runs between fork and exec.
 */
#define _GNU_SOURCE
#include "gpu/client/spawn.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENVIRONMENT_MAX 64

/* What the worker may know of our environment: where NVRTC is, and how the
 * sanitizers are set. */
static const char *const kept_prefixes[] = {
	"WEFT_", "CUDA_", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LD_LIBRARY_PATH=",
};

static bool is_kept(const char *entry)
{
	for (size_t i = 0; i < sizeof(kept_prefixes) / sizeof(*kept_prefixes);
	     i++)
		if (!strncmp(entry, kept_prefixes[i], strlen(kept_prefixes[i])))
			return true;
	return false;
}

static void choose_environment(char *kept[ENVIRONMENT_MAX])
{
	size_t count = 0;

	for (char **e = environ; *e && count < ENVIRONMENT_MAX - 1; e++)
		if (is_kept(*e))
			kept[count++] = *e;
	kept[count] = NULL;
}

/* "weft-worker" in the folder of the running program. */
static enum err beside(char path[PATH_MAX])
{
	static const char name[] = "weft-worker";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	size_t end;

	if (n <= 0 || n >= PATH_MAX)
		return ERR_IO;
	for (end = (size_t)n; end && path[end - 1] != '/'; end--)
		;
	if (end + sizeof(name) > PATH_MAX)
		return ERR_IO;
	memcpy(path + end, name, sizeof(name));
	return ERR_OK;
}

static enum err spawn(const char *path, int stderr_fd, int socket_fd,
		      pid_t *ret_pid)
{
	char *argv[] = {(char *)"weft-worker", NULL};
	char *envp[ENVIRONMENT_MAX];
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	sigset_t all;
	int rc;

	choose_environment(envp);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	/* A group of its own: Ctrl-C is the parent's to handle. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETPGROUP);
	/* Both arguments were made at 4 or above (keep_above). */
	rc = posix_spawn_file_actions_adddup2(&files, stderr_fd, 2) ||
	     posix_spawn_file_actions_adddup2(&files, socket_fd,
					      SPAWN_SOCKET_FD) ||
	     posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY,
					      0) ||
	     posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY,
					      0) ||
	     posix_spawn_file_actions_addclosefrom_np(&files,
						      SPAWN_SOCKET_FD + 1);
	if (!rc)
		rc = posix_spawn(ret_pid, path, &files, &attr, argv, envp);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return rc ? ERR_IO : ERR_OK;
}

/* dup2 of a descriptor onto itself would keep close-on-exec: move it away
 * from the low numbers first. */
static int keep_above(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, SPAWN_SOCKET_FD + 1);
}

enum err client_spawn(const char *worker_path, int stderr_fd, int *ret_fd,
		      pid_t *ret_pid)
{
	char path[PATH_MAX];
	int pair[2];
	int theirs;
	int err_fd;
	enum err e = ERR_OK;

	if (!worker_path)
		worker_path = getenv("WEFT_WORKER");
	if (!worker_path) {
		e = beside(path);
		worker_path = path;
	}
	if (e || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return ERR_IO;
	theirs = keep_above(pair[1]);
	err_fd = keep_above(stderr_fd);
	close(pair[1]);
	if (theirs < 0 || err_fd < 0 || fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0)
		e = ERR_IO;
	else
		e = spawn(worker_path, err_fd, theirs, ret_pid);
	if (theirs >= 0)
		close(theirs);
	if (err_fd >= 0)
		close(err_fd);
	if (e)
		close(pair[0]);
	else
		*ret_fd = pair[0];
	return e;
}
