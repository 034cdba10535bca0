/*
 * Keys come from the seed, so that the same seed gives the same accounts and
 * the same cheat.  The followers join by the file that the first node writes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/clock.h"
#include "cli/daemon.h"
#include "cli/demo.h"

#define READY_MS    30000u
#define STEP_MS	    50u
#define BUYER_PICKS "100000000000000" /* 100,000 WEFT */
#define OTHER_PICKS "10000000000000"  /* 10,000 WEFT */
#define BOND_PICKS  "2000000000000"   /* 2,000 WEFT: 256 x any lease */
#define BLOCK_MS    "100"

static const char *const names[DEMO_NODES] = {
	"buyer",      "provider A", "provider B",
	"provider C", "verifier 1", "verifier 2",
};
static const char *const folders[DEMO_NODES] = {"buyer", "a",  "b",
						"c",	 "v1", "v2"};

/* 64 hex digits of SHA-256(T(weft/demo) || seed || name) into dir/file. */
static bool put_key(struct demo *d, const char *dir, const char *name,
		    const char *file)
{
	char path[4096], text[HASH_TEXT_BYTES];
	struct sha256 s;
	struct hash h;
	FILE *f;

	sha256_init_tag(&s, "weft/demo");
	sha256_put_u64_le(&s, d->seed);
	sha256_put(&s, name, strlen(name));
	sha256_put(&s, file, strlen(file));
	h = sha256_end(&s);
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	umask(077);
	f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "%s\n", hash_text(&h, text));
	return fclose(f) == 0;
}

static enum cli_exit make_node(struct demo *d, unsigned i)
{
	struct demo_node *n = &d->nodes[i];
	char line[1024];
	json_t *o;
	enum cli_exit code;

	n->name = names[i];
	n->dir = arena_printf(d->c->arena, "%s/%s", d->dir, folders[i]);
	if (!n->dir || mkdir(n->dir, 0700) ||
	    !put_key(d, n->dir, names[i], "account.key") ||
	    !put_key(d, n->dir, names[i], "vrf.key"))
		return cli_fail(d->c, CLI_FAILED, "io", "cannot fill %s: %s",
				d->dir, strerror(errno));
	code = daemon_init(d->c, n->dir, NULL, line, sizeof(line));
	if (code)
		return code;
	o = json_loads(line, 0, NULL);
	snprintf(n->account, sizeof(n->account), "%s", link_text(o, "address"));
	json_decref(o);
	return n->account[0] ? CLI_DONE
			     : cli_fail(d->c, CLI_FAILED, "internal",
					"weftd --init said: %s", line);
}

static enum cli_exit put_genesis(struct demo *d, const char **ret_path)
{
	json_t *accounts = json_array(), *g;
	int bad;

	for (unsigned i = 0; i < DEMO_NODES; i++)
		json_array_append_new(
			accounts,
			json_pack("{s:s,s:s}", "address", d->nodes[i].account,
				  "balance_picks",
				  i == DEMO_BUYER ? BUYER_PICKS : OTHER_PICKS));
	g = json_pack("{s:s,s:{s:s},s:o}", "chain_id", "weft-demo", "params",
		      "block_ms", BLOCK_MS, "accounts", accounts);
	*ret_path = arena_printf(d->c->arena, "%s/genesis.json", d->dir);
	bad = !*ret_path || json_dump_file(g, *ret_path, JSON_INDENT(2));
	json_decref(g);
	return bad ? cli_fail(d->c, CLI_FAILED, "io",
			      "cannot write the genesis")
		   : CLI_DONE;
}

static enum cli_exit start_node(struct demo *d, unsigned i,
				const char *const *flags)
{
	return daemon_start(d->c, d->nodes[i].dir, flags, &d->nodes[i].pid);
}

static enum cli_exit start_buyer(struct demo *d, const char *genesis)
{
	const char *flags[] = {
		"--node.port=0",
		arena_printf(d->c->arena, "--node.genesis=%s", genesis),
		NULL,
	};
	enum cli_exit code = start_node(d, DEMO_BUYER, flags);

	if (!code)
		code = daemon_ready(d->c, d->nodes[DEMO_BUYER].dir,
				    d->nodes[DEMO_BUYER].pid, READY_MS);
	if (!code)
		code = link_open_dir(d->c, d->nodes[DEMO_BUYER].dir, &d->link);
	return code;
}

static enum cli_exit start_follower(struct demo *d, unsigned i)
{
	const char *network =
		arena_printf(d->c->arena, "--node.network=%s/network.json",
			     d->nodes[DEMO_BUYER].dir);
	bool is_provider = i < DEMO_VERIFIER;
	const char *flags[16] = {"--node.port=0", network};
	size_t n = 2;

	if (is_provider) {
		flags[n++] = "--provider.enabled=true";
		flags[n++] = "--provider.threads=1";
		flags[n++] = "--provider.rate=1000000000";
		flags[n++] = arena_printf(d->c->arena, "--provider.name=%s",
					  names[i]);
		flags[n++] = arena_printf(d->c->arena,
					  "--provider.gop_price_picks=%u",
					  400000000 + 20000000 * i);
		if (i == d->cheat)
			flags[n++] = "--demo.tamper=1";
	} else {
		flags[n++] = "--verifier.enabled=true";
		flags[n++] = "--verifier.bond_picks=" BOND_PICKS;
	}
	flags[n] = NULL;
	return start_node(d, i, flags);
}

/* Every offer and every bond on the ledger? */
static bool all_there(struct demo *d)
{
	json_t *offers = link_try(d->c, &d->link, "offer.list", NULL);
	bool ok = json_array_size(json_object_get(offers, "offers")) ==
		  DEMO_PROVIDERS;

	json_decref(offers);
	for (unsigned i = DEMO_VERIFIER; ok && i < DEMO_NODES; i++) {
		json_t *l = link_try(
			d->c, &d->link, "account.locks",
			json_pack("{s:s}", "account", d->nodes[i].account));

		ok = json_array_size(json_object_get(l, "locks")) > 0;
		json_decref(l);
	}
	return ok;
}

static enum cli_exit wait_all(struct demo *d)
{
	for (unsigned ms = 0; ms < READY_MS; ms += STEP_MS) {
		if (cli_interrupted())
			return CLI_INTERRUPTED;
		if (all_there(d))
			return CLI_DONE;
		for (unsigned i = 0; i < DEMO_NODES; i++) {
			if (waitpid(d->nodes[i].pid, NULL, WNOHANG) > 0) {
				d->nodes[i].pid = 0;
				return cli_fail(d->c, CLI_FAILED, "failed",
						"%s ended; see %s/log",
						names[i], d->nodes[i].dir);
			}
		}
		clock_pause_ms(STEP_MS);
	}
	return cli_fail(d->c, CLI_FAILED, "timeout",
			"the market does not come together within %u s; see "
			"%s/*/log (--keep keeps it)",
			READY_MS / 1000, d->dir);
}

static void note_balances(struct demo *d)
{
	for (unsigned i = 0; i < DEMO_NODES; i++) {
		json_t *a = link_try(
			d->c, &d->link, "account.get",
			json_pack("{s:s}", "account", d->nodes[i].account));

		d->nodes[i].start_picks = link_count(a, "balance_picks");
		json_decref(a);
	}
}

/* --dir, or a new folder below $TMPDIR. */
static enum cli_exit make_dir(struct demo *d)
{
	const char *tmp = getenv("TMPDIR"), *given = cli_value(d->c, "dir");
	char *dir;

	if (!tmp)
		tmp = "/tmp";
	dir = given ? arena_printf(d->c->arena, "%s", given)
		    : arena_printf(d->c->arena, "%s/weft-demo-XXXXXX", tmp);
	if (!dir || (given ? mkdir(dir, 0700) != 0 : mkdtemp(dir) == NULL))
		return cli_fail(d->c, CLI_FAILED, "io",
				"cannot make a folder %s: %s",
				given ? given : tmp, strerror(errno));
	d->dir = dir;
	return CLI_DONE;
}

enum cli_exit demo_start(struct demo *d)
{
	const char *genesis = NULL;
	enum cli_exit code = make_dir(d);

	d->cheat = DEMO_PROVIDER + (unsigned)(d->seed % DEMO_PROVIDERS);
	for (unsigned i = 0; i < DEMO_NODES && !code; i++)
		code = make_node(d, i);
	if (!code)
		code = put_genesis(d, &genesis);
	if (!code)
		code = start_buyer(d, genesis);
	for (unsigned i = DEMO_PROVIDER; i < DEMO_NODES && !code; i++)
		code = start_follower(d, i);
	if (!code)
		code = wait_all(d);
	if (!code)
		note_balances(d);
	return code;
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void demo_stop(struct demo *d, bool keep)
{
	link_close(&d->link);
	if (keep || !d->dir)
		return;
	for (unsigned i = 0; i < DEMO_NODES; i++) {
		if (d->nodes[i].pid > 0)
			kill(d->nodes[i].pid, SIGTERM);
	}
	for (unsigned i = 0; i < DEMO_NODES; i++) {
		pid_t pid = d->nodes[i].pid;

		for (unsigned ms = 0; pid > 0; ms += STEP_MS) {
			if (waitpid(pid, NULL, WNOHANG) != 0)
				break;
			if (ms == 5000)
				kill(pid, SIGKILL);
			clock_pause_ms(STEP_MS);
		}
		d->nodes[i].pid = 0;
	}
	nftw(d->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	d->dir = NULL;
}

unsigned demo_who(const struct demo *d, const char *account)
{
	for (unsigned i = 0; i < DEMO_NODES; i++) {
		if (strcmp(d->nodes[i].account, account) == 0)
			return i;
	}
	return DEMO_NODES;
}
