/*
 * weft job submit, list, get, wait, fetch, explain, cancel, and run and
 * quote through a node.
 */
#define _GNU_SOURCE
#include "cli/cmd_job_node.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/coin.h"
#include "cli/buy.h"
#include "cli/compile.h"
#include "cli/json.h"
#include "cli/local.h"
#include "cli/money.h"
#include "cli/progress.h"
#include "cli/table.h"

#define WAIT_STEP_MS 2000

/* Remember which manifest a job came from, so that fetch needs only its id. */
static void remember_manifest(const struct link *l, const char *id,
			      const char *manifest)
{
	char path[4096], *full = realpath(manifest, NULL);
	FILE *f;

	snprintf(path, sizeof(path), "%s/jobs", l->dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/jobs/%s", l->dir, id);
	f = full ? fopen(path, "w") : NULL;
	if (f) {
		fprintf(f, "%s\n", full);
		fclose(f);
	}
	free(full);
}

static const char *recall_manifest(struct cli *c, const struct link *l,
				   const char *id)
{
	char path[4096], line[4096];
	FILE *f;
	char *ok;

	if (cli_value(c, "manifest"))
		return cli_value(c, "manifest");
	snprintf(path, sizeof(path), "%s/jobs/%s", l->dir, id);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	ok = fgets(line, sizeof(line), f);
	fclose(f);
	if (!ok)
		return NULL;
	line[strcspn(line, "\n")] = 0;
	return arena_str(c->arena, bytes_str(line));
}

static void print_quote(const json_t *q, uint64_t tasks)
{
	char a[COIN_TEXT_BYTES], b[COIN_TEXT_BYTES], p[COIN_TEXT_BYTES];

	printf("%" PRIu64 " tasks at no more than %s each (%s per Gop)\n",
	       tasks, money_of(q, "task_price_max_picks", a),
	       money_of(q, "price_max_picks_per_gop", p));
	printf("escrow %s, of which checks %s a task at most; what is not "
	       "spent comes back\n",
	       money_of(q, "escrow_picks", a),
	       money_of(q, "check_fee_max_picks_per_task", b));
}

enum cli_exit job_quote_node(struct cli *c)
{
	static struct buy b;
	struct link l = {0};
	json_t *q = NULL;
	enum cli_exit code = link_open(c, &l);

	if (!code)
		code = buy_open(c, c->operands[0], &b);
	if (!code)
		code = link_call(c, &l, "job.quote", json_incref(b.params), &q);
	if (!code && c->json)
		json_put(json_incref(q));
	else if (!code)
		print_quote(q, b.job.m.task_count);
	json_decref(q);
	buy_close(&b);
	link_close(&l);
	return code;
}

static enum cli_exit submit_open(struct cli *c, struct link *l, struct buy *b,
				 char id[HASH_TEXT_BYTES], json_t **ret)
{
	enum cli_exit code = link_open(c, l);

	if (!code)
		code = buy_open(c, c->operands[0], b);
	if (!code)
		code = buy_put(c, l, b);
	if (!code)
		code = buy_submit(c, l, b, id, ret);
	if (!code)
		remember_manifest(l, id, c->operands[0]);
	return code;
}

static enum cli_exit cmd_submit(struct cli *c)
{
	static struct buy b;
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	json_t *answer = NULL;
	enum cli_exit code = submit_open(c, &l, &b, id, &answer);

	if (!code && c->json) {
		json_put(json_incref(answer));
	} else if (!code) {
		print_quote(answer, b.job.m.task_count);
		printf("%s\n", id);
		cli_note(c, "weft job wait %.12s; weft job fetch %.12s", id,
			 id);
	}
	json_decref(answer);
	buy_close(&b);
	link_close(&l);
	return code;
}

static uint64_t tasks_ended(const json_t *job)
{
	const json_t *t = json_object_get(job, "tasks");

	return link_number(t, "done") + link_number(t, "quarantined");
}

/* Until ended, or (early) committed; *ret the job. */
static enum cli_exit wait_for(struct cli *c, struct link *l, const char *id,
			      const char *until, json_t **ret)
{
	struct progress bar;
	enum cli_exit code = CLI_DONE;
	json_t *job = NULL;
	bool over = false;

	progress_begin(&bar, c, "job");
	while (!code && !over) {
		json_decref(job);
		job = NULL;
		code = link_call(c, l, "job.wait",
				 json_pack("{s:s,s:i,s:s}", "id", id,
					   "timeout_ms", WAIT_STEP_MS, "until",
					   until),
				 &job);
		if (code)
			break;
		const json_t *t = json_object_get(job, "tasks");
		uint64_t count = link_number(t, "count");
		uint64_t stated =
			tasks_ended(job) + link_number(t, "committed");
		bool early = strcmp(until, "committed") == 0;

		progress_update(&bar, early ? stated : tasks_ended(job), count);
		over = strcmp(link_text(job, "state"), "ended") == 0 ||
		       (early && stated == count);
	}
	progress_end(&bar);
	if (code == CLI_INTERRUPTED)
		cli_note(c,
			 "the job goes on: weft job wait %.12s comes back to "
			 "it",
			 id);
	if (code)
		json_decref(job);
	else
		*ret = job;
	return code;
}

static void print_job(const json_t *j)
{
	const json_t *t = json_object_get(j, "tasks");
	char paid[COIN_TEXT_BYTES], fees[COIN_TEXT_BYTES];
	const char *reason = link_text(j, "reason");

	printf("job %s\n", link_text(j, "id"));
	printf("  state     %s%s%s\n", link_text(j, "state"),
	       strcmp(reason, "none") ? ", " : "",
	       strcmp(reason, "none") ? reason : "");
	printf("  tasks     %" PRIu64 ": %" PRIu64 " done, %" PRIu64
	       " committed, %" PRIu64 " running, %" PRIu64 " waiting, %" PRIu64
	       " quarantined\n",
	       link_number(t, "count"), link_number(t, "done"),
	       link_number(t, "committed"), link_number(t, "in_lease"),
	       link_number(t, "free"), link_number(t, "quarantined"));
	printf("  paid      %s to providers, %s for checks and posting\n",
	       money_of(j, "paid_picks", paid),
	       money_of(j, "fees_picks", fees));
	printf("  heights   posted %" PRIu64 ", deadline %" PRIu64
	       ", now %" PRIu64 "\n",
	       link_number(j, "posted_height"),
	       link_number(j, "deadline_height"), link_number(j, "height"));
}

/* What the end of a job means for the exit code. */
static enum cli_exit code_of_end(const json_t *job)
{
	const json_t *t = json_object_get(job, "tasks");
	uint64_t done = link_number(t, "done");

	if (done == link_number(t, "count"))
		return CLI_DONE;
	return done ? CLI_PARTLY : CLI_FAILED;
}

static enum cli_exit fetch_into(struct cli *c, struct link *l,
				const struct manifest *m, const char *id,
				bool is_partial, uint64_t *ret_done)
{
	const char *dir = cli_value(c, "output");

	if (!dir)
		dir = arena_printf(c->arena, "%.*s.out", (int)m->name.n,
				   (const char *)m->name.p);
	if (!dir)
		return CLI_FAILED;
	enum cli_exit code = buy_fetch(c, l, m, id, dir, is_partial, ret_done);

	if (!code && !c->json)
		local_print_files(m, dir);
	return code;
}

enum cli_exit job_run_node(struct cli *c)
{
	static struct buy b;
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	json_t *answer = NULL, *job = NULL;
	uint64_t done = 0;
	bool early = cli_flag(c, "early");
	enum cli_exit code = submit_open(c, &l, &b, id, &answer);

	if (!code) {
		cli_note(c, "job %s", id);
		code = wait_for(c, &l, id, early ? "committed" : "ended", &job);
	}
	if (!code)
		code = fetch_into(c, &l, &b.job.m, id, false, &done);
	if (!code && c->json)
		json_put(json_incref(job));
	else if (!code)
		print_job(job);
	if (!code && !early)
		code = code_of_end(job);
	json_decref(job);
	json_decref(answer);
	buy_close(&b);
	link_close(&l);
	return code;
}

/* Open the link and complete operand 0 to a job's id. */
static enum cli_exit with_job(struct cli *c, struct link *l,
			      char id[HASH_TEXT_BYTES])
{
	enum cli_exit code = link_open(c, l);

	return code ? code
		    : link_id(c, l, "job.list", "jobs", c->operands[0], id);
}

static enum cli_exit cmd_get(struct cli *c)
{
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	json_t *job = NULL;
	enum cli_exit code = with_job(c, &l, id);

	if (!code)
		code = link_call(c, &l, "job.get", json_pack("{s:s}", "id", id),
				 &job);
	if (!code && c->json)
		json_put(json_incref(job));
	else if (!code)
		print_job(job);
	json_decref(job);
	link_close(&l);
	return code;
}

static enum cli_exit cmd_wait(struct cli *c)
{
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	json_t *job = NULL;
	bool early = cli_flag(c, "early");
	enum cli_exit code = with_job(c, &l, id);

	if (!code)
		code = wait_for(c, &l, id, early ? "committed" : "ended", &job);
	if (!code && c->json)
		json_put(json_incref(job));
	else if (!code)
		print_job(job);
	if (!code && !early)
		code = code_of_end(job);
	json_decref(job);
	link_close(&l);
	return code;
}

static enum cli_exit cmd_fetch(struct cli *c)
{
	static struct local_job j;
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	const char *manifest = NULL;
	uint64_t done = 0;
	enum cli_exit code = with_job(c, &l, id);

	if (!code) {
		manifest = recall_manifest(c, &l, id);
		if (!manifest)
			code = cli_usage(c, "name the job's manifest with "
					    "--manifest FILE");
	}
	if (!code)
		code = local_open(c, manifest, &j);
	if (!code)
		code = fetch_into(c, &l, &j.m, id, cli_flag(c, "partial"),
				  &done);
	if (!code && c->json)
		json_put(json_pack("{s:s,s:I,s:I}", "id", id, "tasks",
				   (json_int_t)j.m.task_count, "fetched",
				   (json_int_t)done));
	if (!code && done < j.m.task_count)
		code = CLI_PARTLY;
	if (manifest)
		local_close(&j);
	link_close(&l);
	return code;
}

static enum cli_exit cmd_explain(struct cli *c)
{
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	json_t *answer = NULL, *o;
	size_t i;
	enum cli_exit code = with_job(c, &l, id);

	if (!code)
		code = link_call(c, &l, "job.explain",
				 json_pack("{s:s}", "id", id), &answer);
	if (!code && c->json) {
		json_put(json_incref(answer));
	} else if (!code) {
		json_array_foreach(json_object_get(answer, "reasons"), i, o)
			printf("%4" PRIu64 " offers: %s\n",
			       link_number(o, "count"), link_text(o, "words"));
		if (!json_array_size(json_object_get(answer, "reasons")))
			printf("there is no offer at all\n");
	}
	json_decref(answer);
	link_close(&l);
	return code;
}

static enum cli_exit cmd_cancel(struct cli *c)
{
	struct link l = {0};
	char id[HASH_TEXT_BYTES];
	json_t *answer = NULL;
	enum cli_exit code = with_job(c, &l, id);

	if (!code)
		code = link_call(c, &l, "job.cancel",
				 json_pack("{s:s}", "id", id), &answer);
	if (!code && c->json)
		json_put(json_incref(answer));
	else if (!code)
		printf("cancelled at height %" PRIu64
		       "; running leases are paid for what they commit\n",
		       link_number(answer, "height"));
	json_decref(answer);
	link_close(&l);
	return code;
}

static enum cli_exit cmd_list(struct cli *c)
{
	struct link l = {0};
	json_t *page = NULL, *o;
	size_t i;
	enum cli_exit code = link_open(c, &l);

	if (!code)
		code = link_call(c, &l, "job.list",
				 json_pack("{s:i}", "limit", 500), &page);
	if (!code && c->json) {
		json_put(json_incref(page));
	} else if (!code) {
		printf("%-12s  %-8s  %12s  %s\n", "JOB", "STATE", "DONE",
		       "PAID");
		json_array_foreach(json_object_get(page, "jobs"), i, o)
		{
			const json_t *t = json_object_get(o, "tasks");
			char paid[COIN_TEXT_BYTES], done[32];

			snprintf(done, sizeof(done), "%" PRIu64 "/%" PRIu64,
				 link_number(t, "done"),
				 link_number(t, "count"));
			printf("%-12.12s  %-8s  %12s  %s\n", link_text(o, "id"),
			       link_text(o, "state"), done,
			       money_of(o, "paid_picks", paid));
		}
	}
	json_decref(page);
	link_close(&l);
	return code;
}

static const struct cli_option submit_options[] = {
	BUY_OPTIONS,
	{NULL, 0, NULL, NULL},
};
static const struct cli_option link_options[] = {
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};
static const struct cli_option wait_options[] = {
	{"early", 0, NULL, "return when all results are stated, unchecked"},
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};
static const struct cli_option fetch_options[] = {
	{"output", 'o', "DIR", "results (default: NAME.out)"},
	{"manifest", 0, "FILE", "the job's, if it was submitted elsewhere"},
	{"partial", 0, NULL,
	 "take what the node holds; do not wait 30 s for more"},
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};

#define JOB_COMMAND(name, word, args, n, one, text, opts) \
	const struct cli_command cli_job_##name = {       \
		.noun = "job",                            \
		.verb = word,                             \
		.operands = args,                         \
		.summary = one,                           \
		.help = text,                             \
		.options = opts,                          \
		.operands_min = n,                        \
		.operands_max = n,                        \
		.run = cmd_##name,                        \
	}

JOB_COMMAND(submit, "submit", "MANIFEST", 1, "buy a job and return at once",
	    "Builds the manifest here, hands program, tasks and inputs to "
	    "the node, locks the\nescrow and prints the job's id.  The node "
	    "owns the job from then on.\n",
	    submit_options);
JOB_COMMAND(list, "list", "", 0, "jobs that the node's ledger knows",
	    "One line a job.  Ids may be shortened in every command.\n",
	    link_options);
JOB_COMMAND(get, "get", "JOB", 1, "how a job stands",
	    "State, tasks, money and heights.\n", link_options);
JOB_COMMAND(wait, "wait", "JOB", 1, "wait until a job has ended",
	    "Ctrl-C only stops waiting; the job goes on.\n", wait_options);
JOB_COMMAND(fetch, "fetch", "JOB", 1, "fetch a job's results",
	    "Every output is checked against the root that its provider "
	    "committed.  Outputs are\nthere from the commit on; tasks.csv "
	    "says which are audited.\n",
	    fetch_options);
JOB_COMMAND(explain, "explain", "JOB", 1, "why a job finds no provider",
	    "Counts the offers by what does not fit.\n", link_options);
JOB_COMMAND(cancel, "cancel", "JOB", 1, "end a job",
	    "No new leases; running ones are paid for what they commit in "
	    "their window; the\nrest of the escrow comes back.\n",
	    link_options);
