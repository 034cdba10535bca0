/*
 * kill -9 while blocks are committed: what was reported committed is there,
 * the tree and the money are right, and the chain goes on.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "ledger/account.h"
#include "tests/support/ledger/rig.h"

#define KILLS 10

static void open_at(struct rig *r, const char *folder)
{
	struct ledger *view;

	rig_open(r, &(struct rig_options){.actor_count = 2,
					  .balance_picks = 1000000000000u,
					  .lmdb_path = folder});
	must(ledger_chain_view(r->chain, &view) == ERR_OK);
	must(ledger_account_seq(view, &r->keys[1], 0, &r->seqs[1]) == ERR_OK);
	ledger_chain_view_end(view);
}

/* Commit block after block, telling each, until killed. */
static void child_run(const char *folder, int fd)
{
	struct rig r;

	open_at(&r, folder);
	for (;;) {
		struct bytes tx = rig_transfer(&r, 1, 2, 1);

		rig_block(&r, &tx, 1);
		must(write(fd, "x", 1) == 1);
	}
}

static uint64_t kill_after(const char *folder, int blocks)
{
	uint64_t told = 0;
	char c;
	int fd[2];
	pid_t pid;

	must(pipe(fd) == 0);
	pid = fork();
	must(pid >= 0);
	if (pid == 0) {
		close(fd[0]);
		child_run(folder, fd[1]);
	}
	close(fd[1]);
	while (told < (uint64_t)blocks && read(fd[0], &c, 1) == 1)
		told++;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (read(fd[0], &c, 1) == 1)
		told++;
	close(fd[0]);
	return told;
}

Test(crash, killed_while_committing)
{
	char folder[] = "/tmp/weft-crash-XXXXXX";
	char path[128];
	uint64_t told = 0;

	must(mkdtemp(folder));
	for (int i = 0; i < KILLS; i++) {
		struct ledger_fsck f;
		struct rig r;

		told += kill_after(folder, 1 + i * 2);
		open_at(&r, folder);
		cr_assert_geq(rig_height(&r), told);
		/* One block may have been committed and not told. */
		cr_assert_leq(rig_height(&r), told + 1);
		told = rig_height(&r);
		cr_assert_eq(r.seqs[1], told);
		cr_assert_eq(ledger_chain_fsck(r.chain, &f), ERR_OK);
		cr_assert(f.is_conserved && f.is_root_right && f.is_canonical);
		rig_close(&r);
	}
	snprintf(path, sizeof(path), "%s/data.mdb", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/lock.mdb", folder);
	unlink(path);
	rmdir(folder);
}
