/*
 * The sandbox, attacked from inside: each forbidden act must die by SIGSYS,
 * and what a worker needs must go on working.
 */
#define _GNU_SOURCE
#include "gpu/worker/sandbox.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct sandbox_limits limits = {
	.memory_bytes = 1u << 30,
	.cpu_ms = 60000,
	.wall_ms = 60000,
};

/* Status of a child that locks itself down and then acts.  A pair of sockets
 * stands where the parent's would. */
static int status_of(void (*act)(int socket_fd), const char *const *folders)
{
	int pair[2];
	int status;
	pid_t pid;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pid = fork();
	if (!pid) {
		bool isolated;

		if (sandbox_begin(&limits, &isolated))
			_exit(90);
		if (sandbox_lock(pair[1], folders, isolated) ==
		    CLIENT_SANDBOX_NONE)
			_exit(91);
		act(pair[1]);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	close(pair[0]);
	close(pair[1]);
	return status;
}

static void act_open(int fd UNUSED)
{
	syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}
static void act_old_open(int fd UNUSED)
{
	syscall(SYS_open, "/etc/passwd", O_RDONLY);
}
static void act_create(int fd UNUSED)
{
	syscall(SYS_openat, AT_FDCWD, "/tmp/x", O_CREAT | O_WRONLY, 0600);
}
static void act_stat(int fd UNUSED)
{
	char room[256];

	syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", room, 0);
}
static void act_unlink(int fd UNUSED)
{
	syscall(SYS_unlink, "/tmp/weft-no-such-file");
}
static void act_socket(int fd UNUSED)
{
	syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}
static void act_unix_socket(int fd UNUSED)
{
	syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}
static void act_connect(int fd)
{
	struct sockaddr_in a = {.sin_family = AF_INET};

	syscall(SYS_connect, fd, &a, sizeof(a));
}
static void act_fork(int fd UNUSED)
{
	syscall(SYS_fork);
}
static void act_clone_process(int fd UNUSED)
{
	syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}
static void act_clone_namespace(int fd UNUSED)
{
	syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
}
/* Flags of a thread, and one bit more in the upper half. */
static void act_clone_high(int fd UNUSED)
{
	syscall(SYS_clone,
		(1ull << 33) | CLONE_VM | CLONE_FS | CLONE_FILES |
			CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			CLONE_SETTLS | CLONE_PARENT_SETTID |
			CLONE_CHILD_CLEARTID,
		0, 0, 0, 0);
}
static void act_exec(int fd UNUSED)
{
	char *argv[] = {(char *)"true", NULL};

	syscall(SYS_execve, "/bin/true", argv, NULL);
}
static void act_kill_parent(int fd UNUSED)
{
	syscall(SYS_kill, getppid(), 0);
}
static void act_tgkill_other(int fd UNUSED)
{
	syscall(SYS_tgkill, 1, 1, 0);
}
static void act_ptrace(int fd UNUSED)
{
	syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
}
static void act_read_process(int fd UNUSED)
{
	char b[8];
	struct iovec v = {b, 8};

	syscall(SYS_process_vm_readv, 1, &v, 1, &v, 1, 0);
}
static void act_exec_memory(int fd UNUSED)
{
	syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void act_make_executable(int fd UNUSED)
{
	static uint8_t page[8192];
	uintptr_t p = ((uintptr_t)page + 4095) & ~(uintptr_t)4095;

	syscall(SYS_mprotect, p, 4096, PROT_READ | PROT_EXEC);
}
/* A bit above the protection's lower half must not slip through. */
static void act_high_protection(int fd UNUSED)
{
	syscall(SYS_mmap, 0, 4096, (1ull << 32) | PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void act_write_stdout(int fd UNUSED)
{
	syscall(SYS_write, 1, "x", 1);
}
static void act_send_elsewhere(int fd)
{
	struct msghdr m = {0};

	syscall(SYS_sendmsg, fd + 1, &m, 0);
}
static void act_send_high(int fd)
{
	struct msghdr m = {0};

	syscall(SYS_sendmsg, (1ll << 32) | fd, &m, 0);
}
static void act_memfd(int fd UNUSED)
{
	syscall(SYS_memfd_create, "x", 0);
}
static void act_raise_limits(int fd UNUSED)
{
	struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};

	syscall(SYS_prlimit64, 0, RLIMIT_CPU, &r, NULL);
}
static void act_stop_alarm(int fd UNUSED)
{
	struct itimerval t = {0};

	syscall(SYS_setitimer, ITIMER_REAL, &t, NULL);
}
static void act_ioctl(int fd)
{
	syscall(SYS_ioctl, fd, 0x5412, "x"); /* type into a terminal */
}
static void act_dumpable(int fd UNUSED)
{
	syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
}
/* Nobody else's signals than glibc's own two. */
static void act_signal_handler(int fd UNUSED)
{
	signal(SIGXCPU, SIG_IGN);
}
static void act_unshare(int fd UNUSED)
{
	syscall(SYS_unshare, CLONE_NEWUSER);
}
static void act_io_uring(int fd UNUSED)
{
	syscall(SYS_io_uring_setup, 1, NULL);
}
static void act_bpf(int fd UNUSED)
{
	syscall(SYS_bpf, 0, NULL, 0);
}
static void act_old_abi(int fd UNUSED)
{
	/* x32's numbers are the same calls under another name. */
	syscall(0x40000000 | SYS_getpid);
}

#define ACT(name)                 \
	{                         \
#name, act_##name \
	}
static const struct {
	const char *name;
	void (*act)(int socket_fd);
} forbidden[] = {
	ACT(open),
	ACT(old_open),
	ACT(create),
	ACT(stat),
	ACT(unlink),
	ACT(socket),
	ACT(unix_socket),
	ACT(connect),
	ACT(fork),
	ACT(clone_process),
	ACT(clone_namespace),
	ACT(clone_high),
	ACT(exec),
	ACT(kill_parent),
	ACT(tgkill_other),
	ACT(ptrace),
	ACT(read_process),
	ACT(exec_memory),
	ACT(make_executable),
	ACT(high_protection),
	ACT(write_stdout),
	ACT(send_elsewhere),
	ACT(send_high),
	ACT(memfd),
	ACT(raise_limits),
	ACT(stop_alarm),
	ACT(ioctl),
	ACT(dumpable),
	ACT(signal_handler),
	ACT(unshare),
	ACT(io_uring),
	ACT(bpf),
	ACT(old_abi),
};

Test(sandbox, forbidden_acts_die)
{
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++) {
		int status = status_of(forbidden[i].act, NULL);

		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS,
			  "%s: status 0x%x", forbidden[i].name,
			  (unsigned)status);
	}
}

static void *add_one(void *p)
{
	++*(int *)p;
	return p;
}

static void *churn(void *p)
{
	for (int i = 0; i < 20000; i++)
		free(malloc(64 + (size_t)i % 5000));
	return p;
}

/* Threads that contend for the heap: it must not look at files. */
static void contend(int fd UNUSED)
{
	pthread_t t[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&t[i], NULL, churn, NULL))
			_exit(1);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	_exit(42);
}

Test(sandbox, threads_share_a_heap)
{
	int status = status_of(contend, NULL);

	cr_expect(WIFEXITED(status), "0x%x", (unsigned)status);
	cr_expect_eq(WEXITSTATUS(status), 42);
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* What running kernels takes: threads, memory, answers. */
static void work(int socket_fd)
{
	pthread_t t;
	int n = 0;
	char b = 'x';
	struct iovec v = {&b, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	void *p;

	if (pthread_create(&t, NULL, add_one, &n) || pthread_join(t, NULL) ||
	    n != 1)
		_exit(1);
	p = mmap(NULL, 64u << 20, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		_exit(2);
	memset(p, 1, 64u << 20);
	if (munmap(p, 64u << 20))
		_exit(3);
	if (sendmsg(socket_fd, &m, MSG_NOSIGNAL) != 1)
		_exit(4);
	static int numbers[100000];

	qsort(numbers, 100000, sizeof(int), compare_ints);
	p = malloc(100u << 20);
	if (!p)
		_exit(5);
	memset(p, 1, 100u << 20);
	free(p);
	_exit(42);
}

Test(sandbox, honest_work_goes_on)
{
	int status = status_of(work, NULL);

	cr_expect(WIFEXITED(status), "0x%x", (unsigned)status);
	cr_expect_eq(WEXITSTATUS(status), 42);
}

/* The compiler's sandbox: one folder, and only to read. */
static char allowed[64];

static void read_inside(int fd UNUSED)
{
	char path[96];

	strcpy(path, allowed);
	strcat(path, "/header.h");
	_exit(open(path, O_RDONLY) >= 0 ? 42 : 1);
}
static void read_outside(int fd UNUSED)
{
	_exit(open("/etc/passwd", O_RDONLY) < 0 ? 42 : 1);
}
static void write_inside(int fd UNUSED)
{
	char path[96];

	strcpy(path, allowed);
	strcat(path, "/header.h");
	open(path, O_WRONLY);
}
static void read_by_parent_folder(int fd UNUSED)
{
	char path[96];

	strcpy(path, allowed);
	strcat(path, "/../../etc/passwd");
	_exit(open(path, O_RDONLY) < 0 ? 42 : 1);
}

Test(sandbox, a_compiler_reads_its_headers_only)
{
	const char *folders[] = {allowed, NULL};
	char path[96];
	int status;

	strcpy(allowed, "/tmp/weft-sandbox-XXXXXX");
	cr_assert(mkdtemp(allowed));
	strcpy(path, allowed);
	strcat(path, "/header.h");
	close(open(path, O_CREAT | O_WRONLY, 0600));
	status = status_of(read_inside, folders);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 42, "0x%x",
		  (unsigned)status);
	status = status_of(read_outside, folders);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 42, "0x%x",
		  (unsigned)status);
	status = status_of(read_by_parent_folder, folders);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 42, "0x%x",
		  (unsigned)status);
	status = status_of(write_inside, folders);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "0x%x",
		  (unsigned)status);
	/* All else stays forbidden. */
	status = status_of(act_socket, folders);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	status = status_of(act_exec, folders);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	unlink(path);
	rmdir(allowed);
}

Test(sandbox, descriptors_are_counted)
{
	int pair[2];
	int extra;
	int fds[1];

	/* The test runner's own descriptors are in the way: a child closes
	 * them first. */
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	for (int i = 0; i < 3; i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			dup2(pair[0], 3);
			close_range(4, ~0u, 0);
			extra = dup(3);
			fds[0] = extra;
			if (i == 0) /* one too many */
				_exit((int)sandbox_check_fds(3, NULL, 0));
			if (i == 1) /* exactly */
				_exit((int)sandbox_check_fds(3, fds, 1));
			close(extra); /* one missing */
			_exit((int)sandbox_check_fds(3, fds, 1));
		}
		waitpid(pid, &status, 0);
		cr_expect_eq(WEXITSTATUS(status),
			     i == 1 ? ERR_OK : ERR_REFUSED);
	}
	close(pair[0]);
	close(pair[1]);
}

static void spin(int fd UNUSED)
{
	for (volatile uint64_t i = 0;; i++)
		;
}

Test(sandbox, processor_time_ends)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		const struct sandbox_limits one = {1u << 30, 1, 0};
		bool isolated;

		if (sandbox_begin(&one, &isolated) ||
		    sandbox_lock(3, NULL, isolated) == CLIENT_SANDBOX_NONE)
			_exit(90);
		spin(0);
	}
	waitpid(pid, &status, 0);
	cr_expect(WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU ||
					  WTERMSIG(status) == SIGKILL),
		  "0x%x", (unsigned)status);
}
