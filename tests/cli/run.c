/*
 * Outputs go to files, so that no pipe can fill up while we wait.
 */
#define _GNU_SOURCE
#include "tests/cli/run.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEFT_PATH WEFT_BINARY_DIR "/weft"
#define ARGS_MAX  64

static char folder[] = "/tmp/weft-cli-XXXXXX";

static void slurp(const char *path, char *text, size_t max)
{
	size_t n = run_read(path, text, max - 1);

	text[n == (size_t)-1 ? 0 : n] = 0;
}

static void child(const char *const *argv)
{
	const char *args[ARGS_MAX] = {"weft"};
	int out = open("stdout.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
	int err = open("stderr.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);

	for (size_t i = 0; argv[i] && i < ARGS_MAX - 2; i++)
		args[i + 1] = argv[i];
	dup2(out, 1);
	dup2(err, 2);
	setenv("XDG_CACHE_HOME", folder, 1);
	execv(WEFT_PATH, (char *const *)args);
	_exit(127);
}

void run_weft(struct run *r, const char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		child(argv);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	r->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	slurp("stdout.txt", r->out, sizeof(r->out));
	slurp("stderr.txt", r->err, sizeof(r->err));
}

void run_enter(void)
{
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

void run_leave(void)
{
	cr_assert_eq(chdir("/"), 0);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void run_write(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	cr_assert(f);
	cr_assert_eq(fwrite(p, 1, n, f), n);
	fclose(f);
}

void run_write_text(const char *path, const char *text)
{
	run_write(path, text, strlen(text));
}

size_t run_read(const char *path, void *p, size_t max)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return (size_t)-1;
	n = fread(p, 1, max, f);
	fclose(f);
	return n;
}

json_t *run_json(const struct run *r)
{
	json_error_t error;
	json_t *o = json_loads(r->out, 0, &error);

	cr_assert(o, "%s in %s%s", error.text, r->out, r->err);
	return o;
}
