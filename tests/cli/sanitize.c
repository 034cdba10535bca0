/*
 * tests/vectors/racy/cuda.txt: CUDA C through NVRTC and the manifest, as a
 * buyer runs it, and what the sanitizer says about which line of it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/run.h"

#define LINES_MAX 16
#define CASES_MIN 18

struct racy {
	char name[128];
	unsigned grid, block;
	bool is_fault; /* no finding: the run's end */
	char reason[32];
	unsigned line, other;
	int other_thread; /* -1: not asked */
	int thread;
	int times;		    /* 0: not asked */
	char lines[LINES_MAX][128]; /* with "- ", "+ ", "  " */
	unsigned count;
};

static struct run r;

/* The case's lines are lines 4 and on of the file. */
#define FIRST_LINE 4

static void write_source(const struct racy *c, char skip)
{
	char text[4096];
	size_t n = (size_t)snprintf(
		text, sizeof(text),
		"extern \"C\" __global__ void\n"
		"k(const unsigned *in, unsigned *out, unsigned n)\n{\n");

	for (unsigned i = 0; i < c->count; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n",
				      c->lines[i][0] == skip || !c->lines[i][0]
					      ? ""
					      : c->lines[i] + 2);
	snprintf(text + n, sizeof(text) - n, "}\n");
	run_write_text("k.cu", text);
	snprintf(text, sizeof(text),
		 "{\"weft\": 1, \"name\": \"racy\", \"cuda\": \"k.cu\",\n"
		 " \"buffers\": {\"in\": {\"bytes\": 65536},\n"
		 "  \"out\": {\"bytes\": 65536, \"save\": \"out.bin\"}},\n"
		 " \"steps\": [{\"launch\": \"k\", \"grid\": [%u],\n"
		 "  \"block\": [%u], \"shared\": 256, \"args\": [\n"
		 "  {\"buffer\": \"in\"}, {\"buffer\": \"out\"},\n"
		 "  {\"u32\": 8}]}], \"tasks\": {\"count\": 1}}\n",
		 c->grid, c->block);
	run_write_text("m.json", text);
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* The line as the message has it: without spaces at its start. */
static const char *line_text(const struct racy *c, unsigned line)
{
	const char *s = c->lines[line - 1] + 1;

	return s + strspn(s, " \t");
}

static void expect_place(const struct racy *c, const json_t *o,
			 const char *prefix, unsigned line)
{
	char key[32];

	snprintf(key, sizeof(key), "%sfile", prefix);
	cr_expect_str_eq(text_of(o, key), "k.cu", "%s: %s", c->name, r.out);
	snprintf(key, sizeof(key), "%ssource_line", prefix);
	cr_expect_eq(json_integer_value(json_object_get(o, key)),
		     line + FIRST_LINE - 1, "%s: %s", c->name, r.out);
	snprintf(key, sizeof(key), "%ssource", prefix);
	cr_expect_str_eq(text_of(o, key), line_text(c, line), "%s: %s", c->name,
			 r.out);
}

static void expect_finding(const struct racy *c, const json_t *failure)
{
	const json_t *f =
		json_array_get(json_object_get(failure, "findings"), 0);

	if (!f) {
		cr_expect(f, "%s: %s", c->name, r.out);
		return;
	}
	cr_expect_str_eq(text_of(f, "kind"), c->reason, "%s: %s", c->name,
			 r.out);
	cr_expect_str_neq(text_of(f, "help"), "", "%s", c->name);
	expect_place(c, f, "", c->line);
	if (c->other)
		expect_place(c, f, "other_", c->other);
	if (c->times)
		cr_expect_eq(json_integer_value(json_object_get(f, "count")),
			     c->times, "%s: %s", c->name, r.out);
	if (c->other_thread < 0)
		return;
	cr_expect_eq(json_integer_value(json_object_get(f, "thread")),
		     c->thread, "%s: %s", c->name, r.out);
	cr_expect_eq(json_integer_value(json_object_get(f, "other_thread")),
		     c->other_thread, "%s: %s", c->name, r.out);
}

/* false: there is no compiler. */
static bool run_bad(const struct racy *c)
{
	json_t *o, *failure;

	write_source(c, '+');
	WEFT(&r, "job", "run", "m.json", "--local", "--sanitize", "--any-class",
	     "--json", "-o", "bad");
	if (strstr(r.err, "NVRTC is not installed"))
		return false;
	cr_expect_eq(r.code, 4, "%s: %d %s", c->name, r.code, r.err);
	if (r.code != 4)
		return true;
	o = run_json(&r);
	failure = json_array_get(json_object_get(o, "failures"), 0);
	cr_assert(failure, "%s: %s", c->name, r.out);
	cr_expect_str_eq(text_of(failure, "reason"), c->reason, "%s: %s",
			 c->name, r.out);
	if (c->is_fault)
		expect_place(c, failure, "", c->line);
	else
		expect_finding(c, failure);
	json_decref(o);
	return true;
}

static void run_clean(const struct racy *c)
{
	write_source(c, '-');
	WEFT(&r, "job", "run", "m.json", "--local", "--sanitize", "--any-class",
	     "-o", "good");
	cr_expect_eq(r.code, 0, "%s: %d %s", c->name, r.code, r.err);
	cr_expect(!strstr(r.err, "finding"), "%s: %s", c->name, r.err);
}

static void take_expect(struct racy *c, const char *line)
{
	c->other_thread = -1;
	c->is_fault = strncmp(line, "fault ", 6) == 0;
	line += c->is_fault ? 6 : 0;
	cr_assert_geq(sscanf(line, "%31s %u with %u of %d by %d times %d",
			     c->reason, &c->line, &c->other, &c->thread,
			     &c->other_thread, &c->times),
		      2, "%s: %s", c->name, line);
}

static bool read_case(FILE *f, struct racy *c)
{
	char line[128];

	memset(c, 0, sizeof(*c));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '=')
			snprintf(c->name, sizeof(c->name), "%s", line + 2);
		else if (strncmp(line, "launch ", 7) == 0)
			cr_assert_eq(
				sscanf(line + 7, "%u %u", &c->grid, &c->block),
				2);
		else if (strncmp(line, "expect ", 7) == 0)
			take_expect(c, line + 7);
		else if (line[0] == 0 && !c->reason[0])
			continue;
		else
			snprintf(c->lines[c->count++], sizeof(c->lines[0]),
				 "%s", line);
		cr_assert_lt(c->count, LINES_MAX, "%s", c->name);
		long at = ftell(f);
		int next = fgetc(f);
		if (next == '=' || next == EOF)
			return c->name[0] != 0;
		fseek(f, at, SEEK_SET);
	}
	return false;
}

Test(sanitize, cuda_sources, .init = run_enter, .fini = run_leave)
{
	static struct racy c;
	unsigned count = 0;
	FILE *f = fopen(WEFT_SOURCE_DIR "/tests/vectors/racy/cuda.txt", "r");

	cr_assert(f);
	while (read_case(f, &c)) {
		if (!run_bad(&c)) {
			fclose(f);
			cr_skip_test("NVRTC is not installed");
		}
		run_clean(&c);
		count++;
		if (fseek(f, -1, SEEK_CUR))
			break;
	}
	fclose(f);
	cr_expect_geq(count, CASES_MIN);
}

/* The text for a person says the same, at its line, once. */
Test(sanitize, a_report_in_words, .init = run_enter, .fini = run_leave)
{
	static const char *const words[] = {
		"race: unordered accesses",
		"in k, k.cu:7, PTX line",
		"          7 | out[t] = s[63 - t];\n",
		"by thread (0,0,0) of CTA (0,0,0), byte 252 of shared",
		"shared variable 1, and 127 times more\n",
		"after the access, k.cu:6, PTX line",
		"          6 | s[t] = t;\n",
		"by thread (63,0,0)\n",
		"help: order the two by __syncthreads()",
		"findings: 1, 128 in all",
	};
	static const struct racy c = {
		.grid = 2,
		.block = 64,
		.lines = {"  __shared__ unsigned s[64];",
			  "  unsigned t = threadIdx.x;", "  s[t] = t;",
			  "  out[t] = s[63 - t];"},
		.count = 4,
	};

	write_source(&c, '+');
	WEFT(&r, "job", "run", "m.json", "--local", "--sanitize", "--any-class",
	     "-o", "bad");
	if (strstr(r.err, "NVRTC is not installed"))
		cr_skip_test("NVRTC is not installed");
	cr_expect_eq(r.code, 4);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		cr_expect(strstr(r.err, words[i]), "\"%s\" not in:\n%s",
			  words[i], r.err);
}
