/*
 * weft ptx run, weft ptx bench
 *
 * Both run one launch in a worker; bench repeats it for about a second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/place.h"
#include "cli/spec.h"
#include "cli/table.h"
#include "cli/work.h"

/* How long a benchmark runs, after one run to measure. */
#define BENCH_US       1000000u
#define BENCH_RUNS_MAX 100000u

#define LAUNCH_OPTIONS                                                    \
	{"kernel", 'k', "NAME", "the kernel to launch"},                  \
		{"grid", 'g', "X[,Y[,Z]]", "CTAs"},                       \
		{"block", 'b', "X[,Y[,Z]]", "threads of a CTA"},          \
		{"shared", 's', "BYTES", "dynamic shared memory"},        \
		{"arg", 'a', "SPEC", "the next argument (see above)"},    \
		{"symbol", 0, "NAME=PATH", "bytes of a module variable"}, \
		{"cta", 0, "N", "run only CTA x + X * (y + Y * z)"},      \
		WORK_OPTIONS

static enum cli_exit dims(struct cli *c, const char *name, uint32_t ret[3])
{
	const char *text = cli_value(c, name);
	const char *at = text;

	if (!text)
		return cli_usage(c, "missing --%s X[,Y[,Z]]", name);
	ret[0] = ret[1] = ret[2] = 1;
	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long long n;

		if (*at < '0' || *at > '9')
			break;
		n = strtoull(at, &end, 0);
		if (n > UINT32_MAX)
			break;
		ret[i] = (uint32_t)n;
		if (!*end)
			return CLI_DONE;
		if (*end != ',')
			break;
		at = end + 1;
	}
	return cli_usage(c, "--%s takes X[,Y[,Z]], not \"%s\"", name, text);
}

static enum cli_exit take_symbols(struct cli *c, struct job_ptx_run *r)
{
	const char *text;

	r->symbols = ARENA_ARRAY(c->arena, JOB_SYMBOLS_MAX, struct job_symbol);
	if (!r->symbols)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	for (size_t i = 0; (text = cli_value_at(c, "symbol", i)); i++) {
		const char *equals = strchr(text, '=');
		enum cli_exit code;

		if (!equals || i == JOB_SYMBOLS_MAX)
			return cli_usage(c, "--symbol takes NAME=PATH");
		r->symbols[i].name = bytes_of(text, (size_t)(equals - text));
		code = work_read(c, equals + 1, JOB_RECORD_BYTES_MAX,
				 &r->symbols[i].data);
		if (code)
			return code;
		r->symbol_count++;
	}
	return CLI_DONE;
}

static enum cli_exit take_launch(struct cli *c, struct job_ptx_run *r,
				 struct spec_list *l)
{
	unsigned long long shared = 0;
	unsigned long long cta = 0;
	const char *kernel = cli_value(c, "kernel");
	const char *text;

	if (!kernel)
		return cli_usage(c, "missing --kernel NAME");
	r->kernel = bytes_str(kernel);
	if (dims(c, "grid", r->grid) || dims(c, "block", r->block) ||
	    cli_number(c, "shared", UINT32_MAX, &shared) ||
	    cli_number(c, "cta", UINT64_MAX, &cta) || work_how(c, &r->how))
		return CLI_USAGE;
	r->shared_bytes = (uint32_t)shared;
	r->one_cta = cli_value(c, "cta") != NULL;
	r->cta = cta;
	r->repeats = 1;
	for (size_t i = 0; (text = cli_value_at(c, "arg", i)); i++) {
		enum cli_exit code = spec_add(c, l, text);

		if (code)
			return code;
	}
	r->args = l->args;
	r->arg_count = l->arg_count;
	r->buffers = l->buffers;
	r->buffer_count = l->buffer_count;
	return take_symbols(c, r);
}

/* Run it; ret's strings lie in the arena. */
static enum cli_exit launch(struct cli *c, const struct job_ptx_run *r,
			    const struct spec_list *l, struct job_run *ret)
{
	struct buf request = buf_make(WIRE_FRAME_BYTES_MAX);
	struct work w = {.kind = WIRE_PTX_RUN,
			 .request = &request,
			 .fds = l->fds,
			 .fd_count = l->buffer_count,
			 .label = "running",
			 .prefix = c->operands[0]};
	struct client *client;
	struct bytes answer;
	enum cli_exit code;

	job_ptx_run_encode(&request, r);
	code = work_run(c, &w, &client);
	if (code)
		return code;
	answer = arena_copy(c->arena, client_answer(client));
	client_free(client);
	if (!answer.p || job_run_decode(c->arena, answer, ret))
		return work_bad_answer(c);
	return CLI_DONE;
}

static enum cli_exit code_of(const struct job_run *r)
{
	if (r->outcome == JOB_REFUSED)
		return CLI_REFUSED;
	return r->outcome == JOB_OK && !r->finding_count ? CLI_DONE
							 : CLI_FAULTED;
}

static void put_text(const struct job_run *r)
{
	struct buf text = buf_make(64u << 10);

	place_put(&text, NULL, r);
	printf("%.*s\n", (int)text.n, (const char *)text.p);
	buf_free(&text);
	printf("%" PRIu64 " thread-instructions, cost %" PRIu64 ", %.3f ms\n",
	       r->count, r->cost, (double)r->run_us / 1000);
}

static void put_run(const struct cli *c, const struct job_run *r)
{
	if (c->json)
		json_put(json_run(r));
	else
		put_text(r);
}

static enum cli_exit run_with(struct cli *c, struct job_ptx_run *r,
			      struct spec_list *l)
{
	struct job_run run;
	enum cli_exit code = launch(c, r, l, &run);

	if (code)
		return code;
	if (run.outcome == JOB_OK || run.outcome == JOB_VOID) {
		code = spec_write(c, l);
		if (code)
			return code;
	}
	place_find_ptx(&run, r->ptx);
	put_run(c, &run);
	return code_of(&run);
}

static void put_bench(struct cli *c, const struct job_run *run, uint64_t ops,
		      uint64_t threads)
{
	double seconds = (double)run->run_us / 1e6;
	double rate = seconds > 0 ? (double)ops / seconds : 0;

	if (c->json)
		json_put(json_pack(
			"{s:o,s:f,s:f,s:f,s:o}", "count", json_count(ops),
			"seconds", seconds, "ops_per_second", rate,
			"ops_per_second_per_core", rate / (double)threads,
			"threads", json_count(threads)));
	else
		printf("%.3f G thread-instructions/s on %" PRIu64
		       " threads, %.3f G/s per core (%" PRIu64 " in %.3f s)\n",
		       rate / 1e9, threads, rate / 1e9 / (double)threads, ops,
		       seconds);
}

static enum cli_exit bench_with(struct cli *c, struct job_ptx_run *r,
				struct spec_list *l)
{
	struct job_run run;
	uint64_t ops;
	enum cli_exit code;

	/* One core is what is compared; more only on demand. */
	if (!r->how.threads)
		r->how.threads = 1;
	code = launch(c, r, l, &run);
	if (code)
		return code;
	if (code_of(&run)) {
		put_run(c, &run);
		return code_of(&run);
	}
	ops = run.count;
	r->repeats = BENCH_RUNS_MAX;
	if (run.run_us > BENCH_US / BENCH_RUNS_MAX)
		r->repeats = (uint32_t)(BENCH_US / run.run_us) + 1;
	code = launch(c, r, l, &run);
	if (code)
		return code;
	put_bench(c, &run, ops * r->repeats, r->how.threads);
	return CLI_DONE;
}

static enum cli_exit with_launch(struct cli *c,
				 enum cli_exit (*then)(struct cli *,
						       struct job_ptx_run *,
						       struct spec_list *))
{
	static struct spec_list l;
	struct job_ptx_run r = {0};
	enum cli_exit code;

	code = take_launch(c, &r, &l);
	if (!code)
		code = work_read(c, c->operands[0], PTX_TEXT_BYTES_MAX, &r.ptx);
	if (!code)
		code = then(c, &r, &l);
	spec_free(&l);
	return code;
}

static enum cli_exit run(struct cli *c)
{
	return with_launch(c, run_with);
}

static enum cli_exit bench(struct cli *c)
{
	return with_launch(c, bench_with);
}

static const struct cli_option run_options[] = {
	LAUNCH_OPTIONS,
	{"sanitize", 0, NULL, "report races, uninitialised reads, leaks"},
	{NULL, 0, NULL, NULL},
};

static const struct cli_option bench_options[] = {
	LAUNCH_OPTIONS,
	{NULL, 0, NULL, NULL},
};

#define SPEC_HELP                                                            \
	"SPEC is TYPE:VALUE with u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64 " \
	"(0x gives raw\nbits), bytes:HEX, in:PATH, out:PATH:BYTES (zeroed, " \
	"written afterwards),\ninout:PATH_IN:PATH_OUT, tmp:BYTES, or null.\n\n"

const struct cli_command cli_ptx_run = {
	.noun = "ptx",
	.verb = "run",
	.operands = "FILE.ptx",
	.summary = "run one launch of a kernel on this CPU",
	.help = "Runs every kernel that the referee can execute, whatever "
		"its class.\n\n" SPEC_HELP
		"  weft ptx run saxpy.ptx --kernel saxpy --grid 4 --block "
		"256 \\\n    --arg u32:1000 --arg f32:2.5 --arg in:x.bin "
		"--arg out:y.bin:4000\n",
	.options = run_options,
	.operands_min = 1,
	.operands_max = 1,
	.run = run,
};

const struct cli_command cli_ptx_bench = {
	.noun = "ptx",
	.verb = "bench",
	.operands = "FILE.ptx",
	.summary = "measure thread-instructions per second",
	.help = "Runs a launch for about a second, on one core unless "
		"--threads says more.\n\n" SPEC_HELP
		"  weft ptx bench mandel.ptx --kernel mandel --grid 64 "
		"--block 256 \\\n    --arg tmp:65536\n",
	.options = bench_options,
	.operands_min = 1,
	.operands_max = 1,
	.run = bench,
};
