/*
 * A list of what is allowed, and death for the rest.  Arguments are compared
 * as whole 64-bit words where a bit in the upper half could matter; pointers
 * cannot be looked at, so no call that takes a path is on the runner's list.
 */
#define _GNU_SOURCE
#include "gpu/worker/priv/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What a thread of glibc's pthread_create is made with. */
#define THREAD_FLAGS                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
	 CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |               \
	 CLONE_CHILD_CLEARTID)

/* Calls that are harmless with any arguments. */
static const int plain_calls[] = {
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(gettid),
	SCMP_SYS(getpid),
	SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(close),
	SCMP_SYS(lseek),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
#ifdef WEFT_ASAN
	SCMP_SYS(sigaltstack),
#endif
};

/* What NVRTC needs beside them: reading, and asking about itself. */
static const int compiler_calls[] = {
	SCMP_SYS(read),		SCMP_SYS(pread64),    SCMP_SYS(readv),
	SCMP_SYS(fstat),	SCMP_SYS(newfstatat), SCMP_SYS(stat),
	SCMP_SYS(lstat),	SCMP_SYS(statx),      SCMP_SYS(access),
	SCMP_SYS(faccessat),	SCMP_SYS(faccessat2), SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),	SCMP_SYS(getcwd),     SCMP_SYS(getdents64),
	SCMP_SYS(uname),	SCMP_SYS(sysinfo),    SCMP_SYS(getrusage),
	SCMP_SYS(times),	SCMP_SYS(getuid),     SCMP_SYS(geteuid),
	SCMP_SYS(getgid),	SCMP_SYS(getegid),    SCMP_SYS(sigaltstack),
	SCMP_SYS(clock_getres),
};

/* Argument n is value; its bits in mask are value. */
static struct scmp_arg_cmp is(unsigned n, scmp_datum_t value)
{
	return (struct scmp_arg_cmp){n, SCMP_CMP_EQ, value, 0};
}

static struct scmp_arg_cmp masked(unsigned n, scmp_datum_t mask,
				  scmp_datum_t value)
{
	return (struct scmp_arg_cmp){n, SCMP_CMP_MASKED_EQ, mask, value};
}

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static int allow_list(scmp_filter_ctx ctx, const int *calls, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, calls[i], 0);
	return rc;
}

/* Memory that is never executable; a mapping of a descriptor is of one that
 * was handed to us, since none can be opened. */
static int allow_memory(scmp_filter_ctx ctx)
{
	int rc = seccomp_rule_add(
		ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
		masked(2, ~(scmp_datum_t)(PROT_READ | PROT_WRITE), 0));

	if (rc)
		return rc;
	return seccomp_rule_add(
		ctx, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
		masked(2, ~(scmp_datum_t)(PROT_READ | PROT_WRITE), 0));
}

static int allow_threads(scmp_filter_ctx ctx)
{
	int rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				  is(0, THREAD_FLAGS));

	if (rc)
		return rc;
	/* Its flags lie behind a pointer: glibc falls back to clone. */
	rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (rc)
		return rc;
	/* The first thread makes glibc set up its own two signals. */
	for (scmp_datum_t sig = 32; sig <= 33 && !rc; sig++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW,
				      SCMP_SYS(rt_sigaction), 1, is(0, sig));
	if (rc)
		return rc;
	/* abort() and must() end the process itself. */
	return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				is(0, (scmp_datum_t)getpid()));
}

static int allow_answers(scmp_filter_ctx ctx, int socket_fd)
{
	int rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1,
				  is(0, (scmp_datum_t)socket_fd));

	if (rc)
		return rc;
	rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
			      is(0, STDERR_FILENO));
	if (rc)
		return rc;
	return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				is(1, F_GET_SEALS));
}

static int allow_files(scmp_filter_ctx ctx, enum policy_files files)
{
	/* Every flag that could make, change or hide a file. */
	const scmp_datum_t reading =
		(scmp_datum_t) ~(O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
				 O_DIRECTORY | O_NOFOLLOW | O_LARGEFILE);
	int rc;

	if (files == POLICY_NO_FILES)
		return 0;
	rc = allow_list(ctx, compiler_calls, COUNT(compiler_calls));
	if (rc)
		return rc;
	/* NVRTC asks for a larger stack of its own, and may have it. */
	rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
			      is(0, 0), is(1, RLIMIT_STACK));
	if (rc)
		return rc;
	if (files == POLICY_DENY_FILES) {
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES),
				      SCMP_SYS(openat), 0);
		return rc ? rc
			  : seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES),
					     SCMP_SYS(open), 0);
	}
	rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
			      masked(2, reading, O_RDONLY));
	if (rc)
		return rc;
	return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
				masked(1, reading, O_RDONLY));
}

enum err policy_load(int socket_fd, enum policy_files files)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int rc;

	if (!ctx)
		return ERR_UNSUPPORTED;
	rc = allow_list(ctx, plain_calls, COUNT(plain_calls));
	if (!rc)
		rc = allow_memory(ctx);
	if (!rc)
		rc = allow_threads(ctx);
	if (!rc)
		rc = allow_answers(ctx, socket_fd);
	if (!rc)
		rc = allow_files(ctx, files);
	if (!rc)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!rc)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc ? ERR_UNSUPPORTED : ERR_OK;
}
