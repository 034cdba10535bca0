/*
 * weft demo: the whole market on this machine.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/daemon.h"
#include "cli/demo.h"
#include "cli/json.h"
#include "cli/table.h"

/* Without "..", and relative where it lies below the present folder. */
static const char *plain_path(struct cli *c, const char *path)
{
	char *full = realpath(path, NULL), *here = getcwd(NULL, 0);
	const char *out = full ? full : path;

	if (full && here && strncmp(full, here, strlen(here)) == 0 &&
	    full[strlen(here)] == '/')
		out = full + strlen(here) + 1;
	out = arena_str(c->arena, bytes_str(out));
	free(full);
	free(here);
	return out;
}

/* Beside the programs, in the source tree above the build, or installed. */
static const char *find_example(struct cli *c, const char *name)
{
	static const char *const places[] = {
		"%.*s/examples/%s/manifest.json",
		"%.*s/../../examples/%s/manifest.json",
		"%.*s/../share/weft/examples/%s/manifest.json",
	};
	const char *weftd = daemon_path(c);
	int n = (int)(strrchr(weftd, '/') ? strrchr(weftd, '/') - weftd : 0);
	char path[4096];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), places[i], n, weftd, name);
#pragma GCC diagnostic pop
		if (access(path, R_OK) == 0)
			return plain_path(c, path);
	}
	return NULL;
}

static void last_words(const struct demo *d, const char *manifest)
{
	printf("\n%s/picture.png\n", d->out);
	if (cli_flag(d->c, "keep"))
		printf("http://%s:%u/ (the node; stop all with weft node stop "
		       "--data %s/...)\n",
		       d->link.host, (unsigned)d->link.port, d->dir);
	printf("\nrun your own    weft job run %s --local\n", manifest);
	printf("rent this out   weft node start --provider\n");
	printf("call it         curl -H \"Authorization: Bearer $(cat "
	       "~/.weft/cookie)\" -d '{\"jsonrpc\":\"2.0\",\"id\":1,"
	       "\"method\":\"rpc.discover\"}' "
	       "http://127.0.0.1:9420/rpc\n");
}

static void report(struct demo *d, uint64_t start_ms)
{
	struct cli *c = d->c;

	if (c->json) {
		json_put(json_pack("{s:I,s:b,s:s,s:f,s:f,s:f,s:s}", "seed",
				   (json_int_t)d->seed, "caught", d->caught,
				   "cheat", d->nodes[d->cheat].account,
				   "start_s", (double)start_ms / 1000,
				   "first_picture_s",
				   (double)d->picture_ms / 1000, "last_pick_s",
				   (double)d->last_ms / 1000, "out", d->out));
		return;
	}
	printf("seed %" PRIu64
	       ": market up in %.2f s; from submit to the first picture "
	       "%.2f s (goal 5), to the last pick %.2f s (goal 15)\n",
	       d->seed, (double)start_ms / 1000, (double)d->picture_ms / 1000,
	       (double)d->last_ms / 1000);
}

static enum cli_exit show(struct demo *d, const char *manifest)
{
	uint64_t begin = clock_now_ms(), start_ms;
	uint64_t picture_ms, last_ms;
	const char *then = cli_value(d->c, "then");
	enum cli_exit code = demo_start(d);

	start_ms = clock_now_ms() - begin;
	if (!code)
		code = demo_buy(d, manifest, d->out, true);
	if (!code && !d->caught)
		code = cli_fail(d->c, CLI_FAILED, "failed",
				"the cheat was not caught");
	if (!code)
		code = demo_money(d);
	picture_ms = d->picture_ms;
	last_ms = d->last_ms;
	if (!code && then) {
		if (!d->c->quiet && !d->c->json)
			printf("\nthe same market buys %s\n", then);
		fflush(stdout);
		code = demo_buy(d, then,
				arena_printf(d->c->arena, "%s/then", d->out),
				false);
	}
	d->picture_ms = picture_ms;
	d->last_ms = last_ms;
	if (!code)
		report(d, start_ms);
	if (!code && !d->c->quiet && !d->c->json)
		last_words(d, manifest);
	return code;
}

static enum cli_exit run(struct cli *c)
{
	static struct demo d;
	unsigned long long seed = 1;
	const char *manifest = find_example(c, "mandelbrot");
	bool keep = cli_flag(c, "keep");
	enum cli_exit code;

	memset(&d, 0, sizeof(d));
	d.c = c;
	d.out = cli_value(c, "out") ? cli_value(c, "out") : "weft-demo.out";
	if (cli_number(c, "seed", UINT64_MAX, &seed))
		return CLI_USAGE;
	d.seed = seed;
	if (!manifest)
		return cli_fail(c, CLI_FAILED, "not_found",
				"examples/mandelbrot is not beside the "
				"programs");
	code = show(&d, manifest);
	demo_stop(&d, keep);
	return code;
}

static const struct cli_option options[] = {
	{"seed", 0, "N", "accounts and who cheats; the same N repeats it"},
	{"out", 'o', "DIR", "results (default: weft-demo.out)"},
	{"then", 0, "MANIFEST", "buy this too, in the same market"},
	{"keep", 0, NULL, "leave the market running"},
	{"dir", 0, "DIR",
	 "make the market's folder here (default: a "
	 "temporary one)"},
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_demo = {
	.noun = "demo",
	.verb = "",
	.operands = "",
	.summary = "the whole market on this machine, in a minute",
	.help = "One chain, three providers, two verifiers, one buyer, in a "
		"folder of their own.\nA Mandelbrot is bought tile by tile; "
		"one provider cheats and is caught; all are\npaid to the "
		"pick.  Needs no GPU and no network.  Fails if no cheat is "
		"caught.\n",
	.options = options,
	.run = run,
};
