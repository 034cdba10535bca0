/*
 * weft job run --local on small manifests with PTX, so that no compiler is
 * needed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/cli/run.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* out[ctaid] = 10 * task + ctaid, as words; task 13 is out of bounds when
 * limit is 14, since it stores at 2^20. */
static const char number_ptx[] =
	HEAD ".visible .entry number(.param .u64 out, .param .u32 task,"
	     " .param .u32 bad)\n{\n"
	     ".reg .pred %p<2>;\n.reg .b64 %d<4>;\n.reg .b32 %r<8>;\n"
	     "ld.param.u64 %d0, [out];\nld.param.u32 %r0, [task];\n"
	     "ld.param.u32 %r5, [bad];\n"
	     "mov.u32 %r1, %ctaid.x;\n"
	     "mad.lo.u32 %r2, %r0, 10, %r1;\n"
	     "setp.eq.u32 %p0, %r0, %r5;\n"
	     "selp.b32 %r6, 1048576, %r1, %p0;\n"
	     "mul.wide.u32 %d1, %r6, 4;\nadd.s64 %d2, %d0, %d1;\n"
	     "st.global.u32 [%d2], %r2;\nret;\n}\n";

#define MANIFEST(tasks, bad)                                                    \
	"{\"weft\": 1, \"name\": \"number\", \"ptx\": \"number.ptx\",\n"        \
	" \"buffers\": {\"out\": {\"bytes\": 16, \"save\": \"out.bin\"}},\n"    \
	" \"steps\": [{\"launch\": \"number\", \"grid\": [4], \"block\": "      \
	"[1],\n"                                                                \
	"  \"args\": [{\"buffer\": \"out\"}, {\"u32\": \"t\"}, {\"u32\": " #bad \
	"}]}],\n"                                                               \
	" \"tasks\": {\"count\": " #tasks ", \"index\": \"t\"}}\n"

static struct run r;

static void set_up(void)
{
	run_enter();
	run_write_text("number.ptx", number_ptx);
}

TestSuite(job, .init = set_up, .fini = run_leave);

static unsigned word_at(const char *p, size_t i)
{
	const unsigned char *u = (const unsigned char *)p + 4 * i;

	return (unsigned)(u[0] | u[1] << 8 | u[2] << 16) | (unsigned)u[3] << 24;
}

Test(job, tasks_are_joined_in_order)
{
	char got[256];
	char csv[4096];
	json_t *o;

	run_write_text("m.json", MANIFEST(3, 99));
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "res", "--json");
	cr_assert_eq(r.code, 0, "%s", r.err);
	o = run_json(&r);
	cr_expect_str_eq(json_string_value(json_object_get(o, "state")),
			 "done");
	cr_expect_eq(json_integer_value(json_object_get(o, "done")), 3);
	json_decref(o);
	cr_assert_eq(run_read("res/out.bin", got, sizeof(got)), 48);
	for (size_t t = 0; t < 3; t++)
		for (size_t i = 0; i < 4; i++)
			cr_expect_eq(word_at(got, 4 * t + i), 10 * t + i);
	csv[run_read("res/tasks.csv", csv, sizeof(csv) - 1)] = 0;
	cr_expect(strstr(csv, "index"));
	cr_expect(strstr(csv, "\n2,"));
}

Test(job, every_file_it_left_is_named)
{
	static const char plain[] = MANIFEST(3, 99);
	static const char *const names[] = {"out.bin", "tasks.csv", "line.png",
					    "picture.png"};
	char text[1024], listed[256] = "", got[4096];

	run_write_text("m.json", plain);
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "res", "-q");
	cr_assert_eq(r.code, 0, "%s", r.err);
	cr_expect(strstr(r.out, "\nres/out.bin\nres/tasks.csv\n"), "%s", r.out);

	snprintf(text, sizeof(text), "%.*s, \"view\": {%s, %s}}",
		 (int)(strlen(plain) - 2), plain,
		 "\"line\": {\"x\": \"t\", \"y\": {\"buffer\": \"out\", "
		 "\"type\": \"u32\"}}",
		 "\"picture\": {\"buffer\": \"out\", \"format\": \"rgba8\", "
		 "\"width\": 2, \"height\": 2}");
	run_write_text("v.json", text);
	WEFT(&r, "job", "run", "v.json", "--local", "-o", "seen", "-q");
	cr_assert_eq(r.code, 0, "%s", r.err);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(listed);
		char path[64];

		snprintf(listed + n, sizeof(listed) - n, "seen/%s\n", names[i]);
		snprintf(path, sizeof(path), "seen/%s", names[i]);
		cr_expect_gt(run_read(path, got, sizeof(got)), 0, "%s", path);
	}
	cr_expect(strstr(r.out, listed), "%s", r.out);
}

Test(job, every_way_of_running_gives_the_same_bytes)
{
	static const char *const ways[] = {"--sanitize", "--threads=1",
					   "--lanes=plain", "--any-class"};
	char first[64];
	char got[64];

	run_write_text("m.json", MANIFEST(3, 99));
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "a");
	cr_assert_eq(r.code, 0, "%s", r.err);
	cr_assert_eq(run_read("a/out.bin", first, 64), 48);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		WEFT(&r, "job", "run", "m.json", "--local", "-o", "b", ways[i]);
		cr_assert_eq(r.code, 0, "%s %s", ways[i], r.err);
		cr_assert_eq(run_read("b/out.bin", got, 64), 48);
		cr_expect(!memcmp(first, got, 48), "%s", ways[i]);
	}
}

/* Task 0 is sampled: its fault stops the job before it runs. */
Test(job, a_fault_in_the_sample_exits_4)
{
	run_write_text("m.json", MANIFEST(3, 0));
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "res");
	cr_expect_eq(r.code, 4, "%s", r.err);
	cr_expect(strstr(r.err, "out_of_bounds"), "%s", r.err);
}

/* The program's text is canonical and holds no lines of the user's: they are
 * found in what was compiled. */
Test(job, a_fault_is_told_with_the_users_line)
{
	static const char ptx[] =
		HEAD ".file 1 \"number.cu\"\n"
		     ".visible .entry number(.param .u64 out, .param .u32 task,"
		     " .param .u32 bad)\n{\n"
		     ".reg .b64 %d<4>;\n"
		     "ld.param.u64 %d0, [out];\n"
		     ".loc 1 42 0\n"
		     "st.global.u32 [%d0+16], 1;\nret;\n}\n";

	run_write_text("number.ptx", ptx);
	run_write_text("m.json", MANIFEST(1, 9));
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "res");
	cr_expect_eq(r.code, 4, "%s", r.err);
	cr_expect(strstr(r.err, "number.cu:42"), "%s", r.err);
}

/* 64 tasks, of which a quote looks into 16: a bad one that it did not see is
 * a task that failed, the others are done.  Task 63 may be seen; then 4. */
Test(job, a_fault_in_one_task_leaves_the_others_done)
{
	char csv[8192];

	run_write_text("m.json", MANIFEST(64, 63));
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "res");
	cr_assert(r.code == 6 || r.code == 4, "%d %s", r.code, r.err);
	if (r.code == 4)
		return;
	csv[run_read("res/tasks.csv", csv, sizeof(csv) - 1)] = 0;
	cr_expect(strstr(csv, "\n62,"), "%s", csv);
	cr_expect(strstr(csv, "kernel_fault"), "%s", csv);
}

/* A used atomic result is class C. */
Test(job, what_is_not_sold_exits_3)
{
	static const char ptx[] =
		HEAD ".visible .entry number(.param .u64 out, .param .u32 task,"
		     " .param .u32 bad)\n{\n"
		     ".reg .b64 %d<4>;\n.reg .b32 %r<4>;\n"
		     "ld.param.u64 %d0, [out];\n"
		     "atom.global.add.u32 %r1, [%d0], 1;\n"
		     "st.global.u32 [%d0+4], %r1;\nret;\n}\n";

	run_write_text("number.ptx", ptx);
	run_write_text("m.json", MANIFEST(1, 9));
	WEFT(&r, "job", "run", "m.json", "--local", "-o", "res", "--json");
	cr_expect_eq(r.code, 3, "%s", r.err);
	cr_expect(strstr(r.err, "class C"), "%s", r.err);
	json_decref(run_json(&r));
	WEFT(&r, "ptx", "check", "m.json", "--json");
	cr_expect_eq(r.code, 0, "%s", r.err);
	cr_expect(strstr(r.out, "\"class\":\"C\""), "%s", r.out);
}

Test(job, mistakes_in_the_manifest_are_placed)
{
	run_write_text("m.json", "{\"weft\": 1,\n \"nmae\": \"x\"}\n");
	WEFT(&r, "job", "run", "m.json", "--local");
	cr_expect_eq(r.code, 1);
	cr_expect(strstr(r.err, "m.json:2:"), "%s", r.err);
	cr_expect(strstr(r.err, "name"), "%s", r.err);
	WEFT(&r, "job", "run", "missing.json", "--local");
	cr_expect_eq(r.code, 1);
}

Test(job, quote_counts)
{
	json_t *o;

	run_write_text("m.json", MANIFEST(3, 99));
	WEFT(&r, "job", "quote", "m.json", "--local", "--json");
	cr_assert_eq(r.code, 0, "%s", r.err);
	o = run_json(&r);
	/* eleven instructions of four threads */
	cr_expect_eq(json_integer_value(json_object_get(o, "ops_per_task")),
		     44);
	json_decref(o);
}
