/*
 * tests/vectors/racy: what the sanitizer must find, by reason and source
 * line, and twins in which it must find nothing.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

#define LINES_MAX 32

struct expect {
	char reason[32];
	uint32_t line, other;
	bool is_fault;
};

struct racy {
	char name[96];
	uint32_t ctas, threads;
	struct expect expect;
	char lines[LINES_MAX][200]; /* with "- ", "+ " or "  " */
	uint32_t line_count;
};

static const char head[] =
	KIT_HEAD ".file 1 \"racy.cu\"\n"
		 ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
		 ".shared .align 16 .b8 s[4096]; .local .align 16 .b8 l[64];\n"
		 ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<32>;\n"
		 ".reg .b64 %rd<32>; .reg .f32 %f<16>; .reg .f64 %fd<16>;\n"
		 "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [in];\n"
		 "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
		 "mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;\n"
		 "mul.wide.u32 %rd1, %r3, 4; add.s64 %rd1, %rd0, %rd1;\n"
		 "mov.u32 %r9, s; mad.lo.u32 %r9, %r0, 4, %r9;\n";

static void make(const struct racy *c, char skip, char *ret, size_t bytes)
{
	size_t n = (size_t)snprintf(ret, bytes, "%s", head);
	for (uint32_t i = 0; i < c->line_count; i++) {
		if (c->lines[i][0] == skip)
			continue;
		n += (size_t)snprintf(ret + n, bytes - n, ".loc 1 %u 0\n%s\n",
				      i + 1, c->lines[i] + 2);
	}
	snprintf(ret + n, bytes - n, "ret;\n}\n");
}

/* How all cases run. */
static enum exec_lanes lanes;
static bool runs_on;

static struct exec_result run(struct kit *k, const struct racy *c,
			      uint32_t threads)
{
	static uint32_t out[16384], in[16384];
	struct kit_run r = KIT_RUN(out, c->threads);
	memset(out, 0, sizeof(out));
	for (uint32_t i = 0; i < 16384; i++)
		in[i] = i;
	r.in = (uint8_t *)in;
	r.in_bytes = sizeof(in);
	r.grid[0] = c->ctas;
	r.options.sanitize = true;
	r.options.threads = threads;
	r.options.lanes = lanes;
	r.options.runs_on = runs_on;
	return kit_run(k, &r);
}

static bool names(const struct exec_finding *f, uint32_t line, uint32_t other)
{
	return f->source_line == line &&
	       (other == 0 || f->other_source_line == other);
}

static const struct exec_finding *finding(const struct exec_result *r,
					  const struct expect *e)
{
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct exec_finding *f = &r->findings[i];
		/* Of two CTAs either may be done first. */
		bool swapped = f->kind == EXEC_REASON_cross_cta &&
			       e->other != 0 && names(f, e->other, e->line);
		if (strcmp(exec_reason_word(f->kind), e->reason) == 0 &&
		    (names(f, e->line, e->other) || swapped))
			return f;
	}
	return NULL;
}

static void expect_bad(const struct racy *c, uint32_t threads)
{
	char text[8192];
	make(c, '+', text, sizeof(text));
	struct kit k = kit_load(text);
	struct exec_result r = run(&k, c, threads);
	const struct exec_finding *first =
		r.finding_count > 0 ? &r.findings[0] : NULL;
	cr_expect_str_eq(exec_reason_word(r.reason), c->expect.reason, "%s: %s",
			 c->name, exec_reason_word(r.reason));
	if (c->expect.is_fault) {
		cr_expect_eq(r.outcome, EXEC_FAULT, "%s", c->name);
		cr_expect_eq(r.source_line, c->expect.line, "%s: line %u",
			     c->name, r.source_line);
	} else {
		cr_expect_eq(r.outcome, EXEC_VOID, "%s", c->name);
		cr_expect(finding(&r, &c->expect) != NULL,
			  "%s: first finding %s line %u with %u", c->name,
			  first ? exec_reason_word(first->kind) : "none",
			  first ? first->source_line : 0,
			  first ? first->other_source_line : 0);
	}
	kit_free(&k);
}

static void expect_good(const struct racy *c, uint32_t threads)
{
	char text[8192];
	make(c, '-', text, sizeof(text));
	struct kit k = kit_load(text);
	struct exec_result r = run(&k, c, threads);
	cr_expect_eq(r.outcome, EXEC_OK, "the twin of %s: %s line %u", c->name,
		     exec_reason_word(r.reason), r.source_line);
	cr_expect_eq(r.finding_total, 0u, "the twin of %s", c->name);
	kit_free(&k);
}

static void read_expect(struct racy *c, const char *line)
{
	struct expect *e = &c->expect;
	*e = (struct expect){0};
	e->is_fault = strncmp(line, "expect fault ", 13) == 0;
	line += e->is_fault ? 13 : 7;
	cr_assert(sscanf(line, "%31s %u with %u", e->reason, &e->line,
			 &e->other) >= 2,
		  "%s", line);
}

static void read_line(struct racy *c, const char *line)
{
	if (strncmp(line, "= ", 2) == 0) {
		snprintf(c->name, sizeof(c->name), "%.90s", line + 2);
		c->line_count = 0;
	} else if (strncmp(line, "launch ", 7) == 0) {
		cr_assert_eq(sscanf(line + 7, "%u %u", &c->ctas, &c->threads),
			     2);
	} else if (strncmp(line, "expect ", 7) == 0) {
		read_expect(c, line);
	} else {
		cr_assert_lt(c->line_count, LINES_MAX);
		snprintf(c->lines[c->line_count++], sizeof(c->lines[0]), "%s",
			 line);
	}
}

static uint32_t each(void (*check)(const struct racy *, uint32_t),
		     uint32_t threads)
{
	char line[200];
	uint32_t cases = 0;
	struct racy c = {.line_count = 0};
	FILE *f = fopen(WEFT_SOURCE_DIR "/tests/vectors/racy/racy.txt", "r");
	cr_assert(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '\0') {
			read_line(&c, line);
			continue;
		}
		check(&c, threads);
		cases++;
		c.line_count = 0;
	}
	if (c.line_count > 0)
		check(&c, threads);
	fclose(f);
	return cases + (c.line_count > 0);
}

Test(gpu_exec_racy, each_is_found)
{
	cr_expect_geq(each(expect_bad, 1), 20u);
}

Test(gpu_exec_racy, no_twin_is)
{
	cr_expect_geq(each(expect_good, 1), 20u);
}

Test(gpu_exec_racy, on_two_threads_too)
{
	each(expect_bad, 2);
	each(expect_good, 2);
}

static bool is_same(const struct exec_finding *x, const struct exec_finding *y)
{
	return x->kind == y->kind && x->line == y->line && x->cta == y->cta &&
	       x->thread == y->thread && x->address == y->address &&
	       x->count == y->count && x->other_line == y->other_line &&
	       x->other_thread == y->other_thread &&
	       x->other_threads == y->other_threads;
}

/* All that is told, but which of two CTAs in conflict came first. */
static void expect_same(const struct racy *c, uint32_t threads)
{
	enum exec_lanes all[3];
	uint32_t n = kit_lanes(all);
	char text[8192];
	bool in_order = strcmp(c->expect.reason, "cross_cta") != 0;
	make(c, '+', text, sizeof(text));
	struct kit k = kit_load(text);
	lanes = all[0];
	struct exec_result first = run(&k, c, 1);
	for (uint32_t i = 0; i < n; i++) {
		lanes = all[i];
		struct exec_result r = run(&k, c, in_order ? threads : 1);
		cr_expect_eq(r.outcome, first.outcome, "%s", c->name);
		cr_expect_eq(r.reason, first.reason, "%s", c->name);
		cr_expect_eq(r.cta, first.cta, "%s", c->name);
		cr_assert_eq(r.finding_count, first.finding_count, "%s",
			     c->name);
		for (size_t f = 0; f < r.finding_count; f++)
			cr_expect(is_same(&r.findings[f], &first.findings[f]),
				  "%s: finding %zu", c->name, f);
	}
	kit_free(&k);
}

Test(gpu_exec_racy, lanes_and_threads_change_no_finding)
{
	runs_on = true;
	each(expect_same, 1);
	each(expect_same, 3);
}
