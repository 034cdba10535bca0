/*
 * Help, mistakes and exit codes.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <string.h>

#include "tests/cli/run.h"

static struct run r;

TestSuite(usage, .init = run_enter, .fini = run_leave);

/* Every command in the overview teaches itself. */
Test(usage, each_command_has_help)
{
	static struct run overview;
	char *line;
	char *rest = overview.out;
	int count = 0;

	WEFT(&overview, "--help");
	cr_assert_eq(overview.code, 0);
	while ((line = strsep(&rest, "\n"))) {
		char *noun;
		char *verb;

		if (strncmp(line, "  ", 2) || line[2] == ' ')
			continue;
		line += 2;
		line[18] = 0;
		noun = strsep(&line, " ");
		verb = strsep(&line, " ");
		if (verb && *verb)
			WEFT(&r, noun, verb, "--help");
		else
			WEFT(&r, noun, "--help");
		cr_expect_eq(r.code, 0, "%s %s", noun, verb);
		cr_expect(!strncmp(r.out, "usage: weft ", 12), "%s", r.out);
		cr_expect(strstr(r.out, "--json"));
		count++;
	}
	cr_expect_geq(count, 9);
}

Test(usage, mistakes_are_answered_with_the_nearest_word)
{
	WEFT(&r, "ptz", "run");
	cr_expect_eq(r.code, 2);
	cr_expect(strstr(r.err, "did you mean \"weft ptx\"?"), "%s", r.err);
	WEFT(&r, "ptx", "rum");
	cr_expect_eq(r.code, 2);
	cr_expect(strstr(r.err, "did you mean \"weft ptx run\"?"), "%s", r.err);
	WEFT(&r, "ptx", "run", "x.ptx", "--kernl", "k");
	cr_expect_eq(r.code, 2);
	cr_expect(strstr(r.err, "did you mean --kernel?"), "%s", r.err);
}

Test(usage, usage_errors_exit_2)
{
	static const char *const bad[][12] = {
		{NULL},
		{"ptx", NULL},
		{"ptx", "run", NULL},
		{"ptx", "run", "a", "b", NULL},
		{"ptx", "run", "a", "--kernel", NULL},
		{"ptx", "run", "a", "--json=3", NULL},
		{"ptx", "run", "a", "--kernel", "k", NULL},
		{"ptx", "run", "a", "--kernel", "k", "--grid", "x", "--block",
		 "1", NULL},
		{"ptx", "run", "a", "--kernel", "k", "--grid", "1,2,3,4",
		 "--block", "1", NULL},
		{"ptx", "run", "a", "-k", "k", "-g", "1", "-b", "1", "--lanes",
		 "sse", NULL},
		{"ptx", "run", "a", "-k", "k", "-g", "1", "-b", "1", "-a",
		 "u8:256", NULL},
		{"ptx", "run", "a", "-k", "k", "-g", "1", "-b", "1", "-a",
		 "out:x", NULL},
		{"job", "run", "--local", NULL},
		{"completion", "zsh", NULL},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		run_weft(&r, bad[i]);
		cr_expect_eq(r.code, 2, "%zu: %d %s", i, r.code, r.err);
		cr_expect(r.err[0]);
	}
}

Test(usage, json_errors_are_json)
{
	json_t *o;
	const char *reason;
	const char *text;

	WEFT(&r, "ptx", "canon", "missing.ptx", "--json");
	cr_expect_eq(r.code, 1);
	o = run_json(&r);
	cr_assert_eq(json_unpack(o, "{s:{s:s,s:s}}", "error", "reason", &reason,
				 "text", &text),
		     0);
	cr_expect_str_eq(reason, "not_found");
	cr_expect(strstr(text, "missing.ptx"));
	json_decref(o);
	WEFT(&r, "ptx", "run", "--json");
	cr_expect_eq(r.code, 2);
	json_decref(run_json(&r));
}

Test(usage, version_and_completion)
{
	WEFT(&r, "version");
	cr_expect_eq(r.code, 0);
	cr_expect(!strncmp(r.out, "weft ", 5));
	WEFT(&r, "completion", "bash");
	cr_expect_eq(r.code, 0);
	cr_expect(strstr(r.out, "complete -o filenames -F _weft weft"));
}

/* A line of roff that begins with a dot is a request: only those of man(7)
 * that a page uses may stand there, so that no text is taken for one. */
static void expect_requests(const char *page)
{
	static const char *const known[] = {".TH ", ".SH ",  ".TP\n", ".B ",
					    ".BR ", ".nf\n", ".fi\n"};

	for (const char *s = page; s; s = strchr(s, '\n')) {
		bool found = false;

		s += *s == '\n';
		if (*s != '.' && *s != '\'')
			continue;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			found |= !strncmp(s, known[i], strlen(known[i]));
		cr_expect(found, "%.20s", s);
	}
}

Test(usage, each_command_has_a_manual_page)
{
	static char page[1 << 16];
	FILE *f;
	size_t n;

	WEFT(&r, "man", "pages");
	cr_assert_eq(r.code, 0, "%s", r.err);
	f = fopen("pages/weft-ptx-run.1", "r");
	cr_assert(f);
	n = fread(page, 1, sizeof(page) - 1, f);
	page[n] = 0;
	fclose(f);
	expect_requests(page);
	cr_expect(strstr(page, ".TH \"weft-ptx-run\" 1\n.SH NAME\n"
			       "weft-ptx-run \\- ") == page);
	cr_expect(strstr(page, "\\-\\-kernel \\fINAME\\fR"), "%s", page);
	f = fopen("pages/weft.1", "r");
	cr_assert(f);
	n = fread(page, 1, sizeof(page) - 1, f);
	page[n] = 0;
	fclose(f);
	expect_requests(page);
	cr_expect(strstr(page, "weft-job-fetch (1)\n"));
	WEFT(&r, "man", "/proc/pages");
	cr_expect_eq(r.code, 1);
}
