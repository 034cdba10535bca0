/*
 * Watches one job: which tiles are there, which leases ended how.  The story
 * is told from what the ledger and the nodes say, nothing is played.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/demo.h"
#include "cli/money.h"
#include "gpu/build/view.h"

#define PRICE_MAX_PICKS "600000000" /* above every offer of the demo */
#define POLL_MS		150u
#define JOB_MS_MAX	120000u
#define TASKS_MAX	4096u
#define LEASES_MAX	256u

struct watch {
	struct demo *d;
	struct buy b;
	char id[HASH_TEXT_BYTES];
	struct picture *picture;
	char root[TASKS_MAX][HASH_TEXT_BYTES]; /* shown, by task */
	char told[LEASES_MAX][HASH_TEXT_BYTES];
	unsigned told_count;
	uint64_t samples; /* of each lease */
	bool show;
};

static void say(const struct watch *w, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(const struct watch *w, const char *fmt, ...)
{
	va_list args;

	if (w->d->c->quiet || w->d->c->json || !w->show)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	fflush(stdout);
}

static bool fetch_tile(struct watch *w, const json_t *task, uint32_t buffer,
		       uint8_t **ret)
{
	json_t *outputs = json_object_get(task, "outputs"), *o;
	size_t i;

	json_array_foreach(outputs, i, o)
	{
		struct hash root;

		if (link_number(o, "buffer") != buffer ||
		    hex_decode(bytes_str(link_text(o, "root")), root.b, 32))
			continue;
		return link_get(w->d->c, &w->d->link, &root,
				link_count(o, "bytes"), ret) == CLI_DONE;
	}
	return false;
}

/* Show a task's tile if it is new. */
static void look_at_task(struct watch *w, const json_t *task)
{
	const struct manifest_picture *v = &w->b.job.m.picture;
	uint64_t index = link_number(task, "index");
	const json_t *first =
		json_array_get(json_object_get(task, "outputs"), 0);
	const char *root = link_text(first, "root");
	unsigned who = demo_who(w->d, link_text(task, "provider"));
	uint8_t *rgb = NULL;

	if (index >= TASKS_MAX || !*root || strcmp(w->root[index], root) == 0 ||
	    who == DEMO_NODES)
		return;
	if (!fetch_tile(w, task, v->buffer, &rgb))
		return;
	snprintf(w->root[index], HASH_TEXT_BYTES, "%s", root);
	if (!w->d->picture_ms)
		w->d->picture_ms = clock_now_ms() - w->d->begin_ms;
	if (w->picture)
		picture_tile(w->picture, (uint32_t)index, rgb,
			     who - DEMO_PROVIDER, link_text(task, "state"));
	free(rgb);
}

static void look_at_tasks(struct watch *w)
{
	json_t *r, *task;
	size_t i;

	r = link_try(w->d->c, &w->d->link, "job.result",
		     json_pack("{s:s}", "id", w->id));
	json_array_foreach(json_object_get(r, "tasks"), i, task)
		look_at_task(w, task);
	json_decref(r);
}

static bool tell_once(struct watch *w, const char *lease)
{
	for (unsigned i = 0; i < w->told_count; i++) {
		if (strcmp(w->told[i], lease) == 0)
			return false;
	}
	if (w->told_count == LEASES_MAX)
		return false;
	snprintf(w->told[w->told_count++], HASH_TEXT_BYTES, "%s", lease);
	return true;
}

static void tell_dispute(const struct watch *w, const json_t *audit)
{
	const json_t *x = json_object_get(audit, "dispute");
	unsigned by = demo_who(w->d, link_text(audit, "auditor"));

	if (!x)
		return;
	say(w,
	    "     %s drew thread block %" PRIu64 " of tile %" PRIu64
	    " (step %" PRIu64 ") and ran it again:\n"
	    "     buffer %" PRIu64 " from byte %" PRIu64 "  committed %.32s\n"
	    "                            re-run    %.32s\n",
	    by < DEMO_NODES ? w->d->nodes[by].name : "a verifier",
	    link_number(x, "cta"), link_number(x, "task"),
	    link_number(x, "step"), link_number(x, "buffer"),
	    link_number(x, "offset"), link_text(x, "found"),
	    link_text(x, "expected"));
}

static void tell_lease(struct watch *w, const json_t *s)
{
	const char *state = link_text(s, "state");
	unsigned who = demo_who(w->d, link_text(s, "provider"));
	char penalty[COIN_TEXT_BYTES];
	json_t *audit;

	if (strcmp(state, "refuted") != 0 || who == DEMO_NODES ||
	    !tell_once(w, link_text(s, "id")))
		return;
	w->d->caught |= who == w->d->cheat;
	audit = demo_audit(w->d, link_text(s, "id"));
	say(w, "\n  !  %s sent wrong tiles %" PRIu64 " to %" PRIu64 ".\n",
	    w->d->nodes[who].name, link_number(s, "first"),
	    link_number(s, "first") + link_number(s, "count") - 1);
	tell_dispute(w, audit);
	say(w, "     Every node re-ran that one thread block: verdict fraud.  "
	       "The tiles go to\n     somebody else, unpaid");
	if (link_count(s, "penalty_picks"))
		say(w, "; %s of bond is taken.\n\n",
		    money_of(s, "penalty_picks", penalty));
	else
		say(w, "; a newcomer has no bond to take yet.\n\n");
	if (w->picture)
		picture_break(w->picture);
	json_decref(audit);
}

static void look_at_leases(struct watch *w)
{
	json_t *r, *s;
	size_t i;

	r = link_try(w->d->c, &w->d->link, "lease.list",
		     json_pack("{s:s,s:i}", "job", w->id, "limit", 500));
	json_array_foreach(json_object_get(r, "leases"), i, s) tell_lease(w, s);
	json_decref(r);
}

/* How much of the work was done a second time. */
static void tell_share(struct watch *w)
{
	json_t *r =
		link_try(w->d->c, &w->d->link, "lease.list",
			 json_pack("{s:s,s:i}", "job", w->id, "limit", 500));
	const json_t *work = json_object_get(w->b.params, "work");
	double whole = (double)link_count(work, "ops_per_task") *
		       (double)w->b.job.m.task_count;
	unsigned drawn = 0;
	json_t *s;
	size_t i;

	json_array_foreach(json_object_get(r, "leases"), i, s) drawn +=
		json_is_true(json_object_get(s, "drawn"));
	json_decref(r);
	say(w,
	    "checks: %u leases audited, %" PRIu64
	    " samples each: about %.1f %% of the work was run twice;\n"
	    "        each verdict cost one thread block on every node\n",
	    drawn, w->samples,
	    whole > 0 ? 100 * drawn * (double)w->samples *
				(double)link_count(work, "sample_ops") / whole
		      : 0);
}

static enum cli_exit watch_job(struct watch *w)
{
	struct demo *d = w->d;

	for (;;) {
		json_t *job = link_try(d->c, &d->link, "job.wait",
				       json_pack("{s:s,s:i}", "id", w->id,
						 "timeout_ms", (int)POLL_MS));
		bool ended = strcmp(link_text(job, "state"), "ended") == 0;
		bool whole = link_number(json_object_get(job, "tasks"),
					 "done") == w->b.job.m.task_count;

		json_decref(job);
		if (cli_interrupted())
			return CLI_INTERRUPTED;
		look_at_tasks(w);
		look_at_leases(w);
		if (ended && whole) {
			d->last_ms = clock_now_ms() - d->begin_ms;
			tell_share(w);
			return CLI_DONE;
		}
		if (ended || clock_now_ms() - d->begin_ms > JOB_MS_MAX)
			return cli_fail(d->c, CLI_FAILED, "failed",
					"the job did not end well; see "
					"%s/*/log (--keep keeps it)",
					d->dir);
	}
}

static void tell_quote(const struct watch *w, const json_t *q)
{
	char a[COIN_TEXT_BYTES], b[COIN_TEXT_BYTES];

	say(w,
	    "quote: %" PRIu64 " tasks of %.3f Gop, %s each at most; escrow "
	    "%s\n",
	    w->b.job.m.task_count,
	    (double)link_count(json_object_get(w->b.params, "work"),
			       "ops_per_task") /
		    1e9,
	    money_of(q, "task_price_max_picks", a),
	    money_of(q, "escrow_picks", b));
	say(w,
	    "       every result is bound to its provider; %" PRIu64
	    " thread blocks of each lease are drawn\n"
	    "       after the commit and run again by a verifier\n\n",
	    link_number(q, "samples"));
}

static enum cli_exit buy_and_watch(struct watch *w)
{
	struct demo *d = w->d;
	const struct manifest_picture *v = &w->b.job.m.picture;
	json_t *answer = NULL;
	enum cli_exit code = buy_put(d->c, &d->link, &w->b);

	if (!code) {
		json_object_set_new(w->b.params, "price_max_picks_per_gop",
				    json_string(PRICE_MAX_PICKS));
		d->begin_ms = clock_now_ms();
		code = buy_submit(d->c, &d->link, &w->b, w->id, &answer);
	}
	if (code)
		return code;
	tell_quote(w, answer);
	w->samples = link_number(answer, "samples");
	json_decref(answer);
	if (v->is_set && w->show)
		w->picture = picture_new(d, v->width, v->height, v->columns,
					 (uint32_t)w->b.job.m.task_count);
	return watch_job(w);
}

static enum cli_exit save(struct watch *w, const char *out)
{
	uint64_t done = 0;
	enum cli_exit code = buy_fetch(w->d->c, &w->d->link, &w->b.job.m, w->id,
				       out, false, &done);

	if (!code && done < w->b.job.m.task_count)
		code = cli_fail(w->d->c, CLI_FAILED, "output_unavailable",
				"only %" PRIu64 " of %" PRIu64 " outputs came",
				done, w->b.job.m.task_count);
	return code;
}

enum cli_exit demo_buy(struct demo *d, const char *manifest, const char *out,
		       bool show)
{
	static struct watch w;
	enum cli_exit code;

	memset(&w, 0, sizeof(w));
	w.d = d;
	w.show = show;
	code = buy_open(d->c, manifest, &w.b);
	if (!code)
		code = buy_and_watch(&w);
	if (!code)
		code = save(&w, out);
	picture_free(w.picture);
	buy_close(&w.b);
	return code;
}
