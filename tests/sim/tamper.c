/*
 * tests/sim/tamper - is a cheat caught as often as the draw promises?
 *
 *   tamper [--runs N] [--fraction N] [--seed N]
 *
 * N leases of tests/vectors/sim/churn.json, 6 tasks of 8 steps with 256 CTAs
 * each, sampled by CTA and by warp, by a provider that tampers one CTA in
 * every fraction in each launch of each task and hides it as well as it can;
 * each is audited with the default 20 samples by the code that auditors and
 * the ledger run.  Expected is what the draw's rules give for each very lease
 * (sim_chance); measured must be within 3 standard deviations, and every
 * single sample must judge as its CTA deserves.  Half as many of search.json by
 * a provider that does not run these CTAs at all, and of tally.json, whose
 * launches are one sample each.  Then providers that start from zeroed
 * inputs, or name outputs that S_last does not hold: every sample must say
 * so; and honest ones: every sample must be valid.
 *
 * A lease is one forked process, because a worker frees nothing.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "market/price.h"
#include "tests/sim/lease/lease.h"
#include "verify/draw.h"

#define RUNS_MAX 100000ul

/* What the audit of one lease came to. */
struct run {
	bool done;
	bool caught;
	uint32_t wrong; /* samples that judged otherwise than they should */
	uint32_t verdicts[PROGRAM_VERDICT_COUNT];
	double chance;
};

struct options {
	unsigned long runs;
	unsigned long fraction;
	unsigned long seed;
};

static enum program_verdict deserved(enum sim_cheat cheat, bool guilty)
{
	switch (cheat) {
	case SIM_HONEST:
		return PROGRAM_VERDICT_VALID;
	case SIM_TAMPER:
	case SIM_SKIP:
		return guilty ? PROGRAM_VERDICT_FRAUD : PROGRAM_VERDICT_VALID;
	case SIM_START:
		return PROGRAM_VERDICT_BAD_START;
	case SIM_END:
		return PROGRAM_VERDICT_BAD_END;
	}
	must(false);
	return PROGRAM_VERDICT_VALID;
}

static void one_lease(struct sim_job *job, const struct options *o,
		      enum sim_cheat cheat, unsigned long number,
		      struct run *ret)
{
	struct sim_random r = {(o->seed << 32 | (uint64_t)cheat << 28) +
			       number + 1};
	struct sim_lease *x;

	for (int i = 0; i < 8; i++)
		(void)sim_random_next(&r); /* near seeds start alike */
	x = sim_lease_make(job, &r, cheat, (uint32_t)o->fraction);
	ret->chance = sim_chance(x, x->terms.sample_count);
	for (uint32_t i = 0; i < x->terms.sample_count; i++) {
		bool guilty;
		enum program_verdict v = sim_audit(x, i, &guilty);

		ret->verdicts[v]++;
		ret->wrong += v != deserved(cheat, guilty);
		ret->caught |= v != PROGRAM_VERDICT_VALID;
	}
	ret->done = true;
}

static void run_leases(struct sim_job *job, const struct options *o,
		       enum sim_cheat cheat, struct run *runs,
		       unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		pid_t pid;

		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			one_lease(job, o, cheat, i, &runs[i]);
			_exit(0);
		}
		must(pid > 0 && waitpid(pid, NULL, 0) == pid);
	}
}

/* True if no lease died and no sample judged wrong. */
static bool sum_up(const char *what, const struct run *runs,
		   unsigned long count, unsigned long *ret_caught)
{
	uint64_t verdicts[PROGRAM_VERDICT_COUNT] = {0}, wrong = 0, dead = 0;

	*ret_caught = 0;
	for (unsigned long i = 0; i < count; i++) {
		*ret_caught += runs[i].caught;
		wrong += runs[i].wrong;
		dead += !runs[i].done;
		for (uint32_t v = 0; v < PROGRAM_VERDICT_COUNT; v++)
			verdicts[v] += runs[i].verdicts[v];
	}
	printf("%-14s %5lu leases, %5lu caught; samples:", what, count,
	       *ret_caught);
	for (uint32_t v = 0; v < PROGRAM_VERDICT_COUNT; v++)
		if (verdicts[v])
			printf(" %llu %s", (unsigned long long)verdicts[v],
			       program_verdict_word((enum program_verdict)v));
	printf("\n");
	if (wrong)
		printf("  WRONG: %llu samples judged otherwise than they "
		       "should\n",
		       (unsigned long long)wrong);
	if (dead)
		printf("  WRONG: %llu leases did not come to an end\n",
		       (unsigned long long)dead);
	return !wrong && !dead;
}

static bool as_often(const struct run *runs, unsigned long count,
		     unsigned long caught)
{
	double expected = 0, variance = 0, n = (double)count, off;

	for (unsigned long i = 0; i < count; i++) {
		expected += runs[i].chance;
		variance += runs[i].chance * (1 - runs[i].chance);
	}
	off = variance > 0 ? ((double)caught - expected) / sqrt(variance) : 0;
	printf("  measured %.2f %%, expected %.2f %% (standard deviation "
	       "%.2f %%): off by %+.2f of them\n",
	       100 * (double)caught / n, 100 * expected / n,
	       100 * sqrt(variance) / n, off);
	return fabs(off) <= 3;
}

static void print_formula(const struct options *o)
{
	uint32_t samples = (uint32_t)ledger_params_default().samples;

	printf("  1 - (1 - 1/%lu)^%u = %.2f %%\n", o->fraction, samples,
	       (double)verify_catch_ppm((uint32_t)(1000000 / o->fraction),
					samples, MARKET_CERTAIN) /
		       10000);
}

/* What a provider does with a job, and how often it must be caught. */
struct trial {
	const char *what;
	const char *job;
	enum sim_cheat cheat;
	enum { AS_OFTEN, ALWAYS, NEVER } caught;
};

static const struct trial trials[] = {
	{"tampered", "churn", SIM_TAMPER, AS_OFTEN},
	{"zeroed inputs", "churn", SIM_START, ALWAYS},
	{"false outputs", "churn", SIM_END, ALWAYS},
	{"honest", "churn", SIM_HONEST, NEVER},
	{"not searched", "search", SIM_SKIP, AS_OFTEN},
	{"searched", "search", SIM_HONEST, NEVER},
	{"miscounted", "tally", SIM_TAMPER, AS_OFTEN},
	{"counted", "tally", SIM_HONEST, NEVER},
};

#define TRIALS (sizeof(trials) / sizeof(trials[0]))

static bool one_trial(const struct trial *t, struct sim_job *job,
		      const struct options *o, struct run *runs)
{
	unsigned long few = (o->runs + 9) / 10;
	unsigned long count = t->caught == AS_OFTEN ? o->runs : few, caught;
	bool is_churn = strcmp(t->job, "churn") == 0;
	bool ok;

	/* N leases of churn are asked for, half as many of the others */
	if (t->caught == AS_OFTEN && !is_churn)
		count = (o->runs + 1) / 2;
	run_leases(job, o, t->cheat, runs, count);
	ok = sum_up(t->what, runs, count, &caught);
	switch (t->caught) {
	case AS_OFTEN:
		ok &= as_often(runs, count, caught);
		if (is_churn)
			print_formula(o);
		break;
	case ALWAYS:
		ok &= caught == count;
		break;
	case NEVER:
		ok &= caught == 0;
		break;
	}
	return ok;
}

static bool parse(int argc, char **argv, struct options *o)
{
	*o = (struct options){200, 64, 1};
	for (int i = 1; i < argc; i += 2) {
		unsigned long *at = strcmp(argv[i], "--runs") == 0 ? &o->runs
				    : strcmp(argv[i], "--fraction") == 0
					    ? &o->fraction
				    : strcmp(argv[i], "--seed") == 0 ? &o->seed
								     : NULL;

		if (!at || i + 1 == argc)
			return false;
		*at = strtoul(argv[i + 1], NULL, 10);
	}
	return o->runs > 0 && o->runs <= RUNS_MAX && o->fraction > 1 &&
	       o->fraction <= 256;
}

/* Jobs lie beside each other, so that one is opened once. */
static bool all_trials(const struct options *o, struct run *runs)
{
	static struct sim_job *jobs[TRIALS]; /* never given back */
	bool ok = true;

	for (size_t i = 0; i < TRIALS; i++) {
		const char *name = trials[i].job;

		if (i > 0 && strcmp(name, trials[i - 1].job) == 0)
			jobs[i] = jobs[i - 1];
		else
			jobs[i] =
				sim_job_open(name, strcmp(name, "churn") != 0);
		ok &= one_trial(&trials[i], jobs[i], o, runs + i * o->runs);
	}
	return ok;
}

int main(int argc, char **argv)
{
	struct options o;
	struct run *runs;
	bool ok;

	if (!parse(argc, argv, &o)) {
		fprintf(stderr, "usage: tamper [--runs N] [--fraction 2-256] "
				"[--seed N]\n");
		return 2;
	}
	runs = mmap(NULL, TRIALS * o.runs * sizeof(*runs),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(runs != MAP_FAILED);
	ok = all_trials(&o, runs);
	printf("%s\n", ok ? "ok" : "FAILED");
	return ok ? 0 : 1;
}
