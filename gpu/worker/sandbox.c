/*
 * In two steps around the loading of libraries: what needs a single thread or
 * must hold for everything comes first, what would break a loader comes last.
 */
#define _GNU_SOURCE
#include "gpu/worker/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "gpu/worker/priv/policy.h"

/* What the worker may print before it dies. */
#define STDERR_BYTES_MAX (64u << 10)

/* Descriptors while toolkit headers are read. */
#define OPEN_FILES_MAX 256u

static enum err set_limit(int what, uint64_t value)
{
	struct rlimit r = {value, value};

	return setrlimit((__rlimit_resource_t)what, &r) ? ERR_IO : ERR_OK;
}

static enum err set_limits(const struct sandbox_limits *l)
{
	enum err e = set_limit(RLIMIT_CORE, 0);

	if (!e)
		e = set_limit(RLIMIT_FSIZE, STDERR_BYTES_MAX);
	if (!e)
		e = set_limit(RLIMIT_NOFILE, OPEN_FILES_MAX);
	if (!e && l->cpu_ms)
		e = set_limit(RLIMIT_CPU, l->cpu_ms / 1000 + 1);
#ifndef WEFT_ASAN
	/* Buffers are counted where they are made; this only stops what a
	 * bug or an escape would take. */
	if (!e && l->memory_bytes < UINT64_MAX / 4)
		e = set_limit(RLIMIT_AS,
			      2 * l->memory_bytes +
				      CLIENT_ADDRESS_SPACE_MIN_BYTES);
#endif
	return e;
}

static void set_alarm(uint64_t wall_ms)
{
	struct itimerval t;

	memset(&t, 0, sizeof(t));
	/* The parent's own timer comes first. */
	t.it_value.tv_sec = (time_t)(wall_ms / 1000 + 1);
	setitimer(ITIMER_REAL, &t, NULL);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2];

	memset(none, 0, sizeof(none));
	(void)syscall(SYS_capset, &head, none);
}

static int compare_bytes(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* The C library asks the system some things once, at first use: have it ask
 * now. */
static void warm_up(void)
{
	static uint8_t bytes[4096];

	/* One heap for all threads: else malloc opens files, to count the
	 * processors and to see whether it may shrink a thread's heap. */
	mallopt(M_ARENA_MAX, 1);
	/* qsort looks at the size of memory. */
	qsort(bytes, sizeof(bytes), 1, compare_bytes);
}

enum err sandbox_begin(const struct sandbox_limits *limits, bool *ret_isolated)
{
	bool isolated;

	warm_up();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return ERR_IO;
	isolated = !unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC |
			    CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWCGROUP);
	/* A user namespace gives its creator capabilities in it. */
	drop_capabilities();
	/* A change of credentials clears this, so it comes behind them. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || prctl(PR_SET_DUMPABLE, 0))
		return ERR_IO;
	if (set_limits(limits))
		return ERR_IO;
	if (limits->wall_ms)
		set_alarm(limits->wall_ms);
	*ret_isolated = isolated;
	return ERR_OK;
}

static bool is_declared(int fd, int socket_fd, const int *fds, size_t fd_count)
{
	if ((fd >= 0 && fd <= 2) || fd == socket_fd)
		return true;
	for (size_t i = 0; i < fd_count; i++)
		if (fds[i] == fd)
			return true;
	return false;
}

enum err sandbox_check_fds(int socket_fd, const int *fds, size_t fd_count)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *entry;
	size_t seen = 0;
	bool odd = false;

	if (!d)
		return ERR_IO;
	while ((entry = readdir(d))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] == '.' || fd == dirfd(d))
			continue;
		if (is_declared(fd, socket_fd, fds, fd_count))
			seen++;
		else
			odd = true;
	}
	closedir(d);
	return odd || seen != fd_count + 4 ? ERR_REFUSED : ERR_OK;
}

static long landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
		       LANDLOCK_CREATE_RULESET_VERSION);
}

/* All rights that this kernel knows of files. */
static uint64_t handled_rights(long version)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

	if (version >= 2)
		rights |= 1ull << 13; /* refer */
	if (version >= 3)
		rights |= 1ull << 14; /* truncate */
	if (version >= 5)
		rights |= 1ull << 15; /* ioctl of devices */
	return rights;
}

static bool allow_folder(int ruleset, const char *path)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE |
				  LANDLOCK_ACCESS_FS_READ_DIR,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};
	bool done;

	if (rule.parent_fd < 0)
		return false;
	done = !syscall(SYS_landlock_add_rule, ruleset,
			LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
	return done;
}

static bool landlock(const char *const *read_folders)
{
	struct landlock_ruleset_attr attr;
	long version = landlock_version();
	long ruleset;
	bool done;

	if (version < 1)
		return false;
	memset(&attr, 0, sizeof(attr));
	attr.handled_access_fs = handled_rights(version);
	/* The first version's size: rights of files alone. */
	ruleset = syscall(SYS_landlock_create_ruleset, &attr,
			  sizeof(attr.handled_access_fs), 0);
	if (ruleset < 0)
		return false;
	/* A toolkit folder that is missing is simply not readable. */
	for (; read_folders && *read_folders; read_folders++)
		(void)allow_folder((int)ruleset, *read_folders);
	done = !syscall(SYS_landlock_restrict_self, ruleset, 0);
	close((int)ruleset);
	return done;
}

enum client_sandbox sandbox_lock(int socket_fd, const char *const *read_folders,
				 bool isolated)
{
	bool locked = landlock(read_folders);
	enum policy_files files = POLICY_NO_FILES;

	if (read_folders)
		files = locked ? POLICY_READ_FILES : POLICY_DENY_FILES;
	if (policy_load(socket_fd, files))
		return CLIENT_SANDBOX_NONE;
	return isolated && locked ? CLIENT_SANDBOX_FULL
				  : CLIENT_SANDBOX_REDUCED;
}
