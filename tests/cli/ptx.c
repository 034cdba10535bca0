/*
 * weft ptx run, check, canon and bench on small texts.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/cli/run.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static struct run r;

/* Stores 8 bytes of its second parameter (of any type) and its third. */
#define ECHO(type)                                                            \
	HEAD ".visible .entry echo(.param .u64 out, .param ." type " v)\n{\n" \
	     ".reg .b"                                                        \
	     "64 %d<4>;\n.reg .b32 %r<2>;\n.reg .b16 %h<2>;\n"                \
	     "ld.param.u64 %d0, [out];\n"

static const char echo8[] = ECHO("u8") "ld.param.u8 %h0, [v];\n"
				       "st.global.u8 [%d0], %h0;\nret;\n}\n";
static const char echo16[] = ECHO("b16") "ld.param.b16 %h0, [v];\n"
					 "st.global.b16 [%d0], %h0;\nret;\n}\n";
static const char echo32[] = ECHO("b32") "ld.param.b32 %r0, [v];\n"
					 "st.global.b32 [%d0], %r0;\nret;\n}\n";
static const char echo64[] = ECHO("b64") "ld.param.b64 %d1, [v];\n"
					 "st.global.b64 [%d0], %d1;\nret;\n}\n";

/* dst[i] = src[i] + 1 for bytes; one CTA a byte. */
static const char bump[] =
	HEAD ".visible .entry bump(.param .u64 src, .param .u64 dst)\n{\n"
	     ".reg .b64 %d<6>;\n.reg .b32 %r<2>;\n.reg .b16 %h<3>;\n"
	     "ld.param.u64 %d0, [src];\nld.param.u64 %d1, [dst];\n"
	     "mov.u32 %r0, %ctaid.x;\ncvt.u64.u32 %d2, %r0;\n"
	     "add.s64 %d3, %d0, %d2;\nadd.s64 %d4, %d1, %d2;\n"
	     "ld.global.u8 %h0, [%d3];\nadd.s16 %h1, %h0, 1;\n"
	     "st.global.u8 [%d4], %h1;\nret;\n}\n";

static const char traps[] = HEAD ".visible .entry traps()\n{\ntrap;\n}\n";

TestSuite(ptx, .init = run_enter, .fini = run_leave);

/* Values by hand: IEEE bits, two's complement, little endian. */
Test(ptx, scalars_of_every_type)
{
	static const struct {
		const char *text;
		size_t bytes;
		const char *spec;
		const char *want;
	} rows[] = {
		{echo8, 1, "u8:255", "\xff"},
		{echo8, 1, "s8:-2", "\xfe"},
		{echo8, 1, "u8:0x7f", "\x7f"},
		{echo16, 2, "u16:513", "\x01\x02"},
		{echo16, 2, "s16:-32768", "\x00\x80"},
		{echo16, 2, "f16:1.5", "\x00\x3e"},
		{echo16, 2, "f16:0x7e00", "\x00\x7e"},
		{echo32, 4, "u32:4294967295", "\xff\xff\xff\xff"},
		{echo32, 4, "s32:-1", "\xff\xff\xff\xff"},
		{echo32, 4, "s32:0xffffffff", "\xff\xff\xff\xff"},
		{echo32, 4, "f32:0.1", "\xcd\xcc\xcc\x3d"},
		{echo32, 4, "f32:-inf", "\x00\x00\x80\xff"},
		{echo32, 4, "f32:0x7fc00001", "\x01\x00\xc0\x7f"},
		{echo64, 8, "u64:0x0102030405060708",
		 "\x08\x07\x06\x05\x04\x03\x02\x01"},
		{echo64, 8, "s64:-9223372036854775808",
		 "\x00\x00\x00\x00\x00\x00\x00\x80"},
		{echo64, 8, "f64:0.1", "\x9a\x99\x99\x99\x99\x99\xb9\x3f"},
		{echo64, 8, "null", "\0\0\0\0\0\0\0\0"},
		{echo64, 8, "bytes:0011223344556677",
		 "\x00\x11\x22\x33\x44\x55\x66\x77"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char got[16];

		run_write_text("e.ptx", rows[i].text);
		WEFT(&r, "ptx", "run", "e.ptx", "--kernel", "echo", "--grid",
		     "1", "--block", "1", "--arg", "out:o.bin:8", "--arg",
		     rows[i].spec);
		cr_assert_eq(r.code, 0, "%s: %s", rows[i].spec, r.err);
		cr_assert_eq(run_read("o.bin", got, sizeof(got)), 8);
		cr_expect(!memcmp(got, rows[i].want, rows[i].bytes), "%s",
			  rows[i].spec);
	}
}

Test(ptx, buffers)
{
	char got[8];

	run_write_text("b.ptx", bump);
	run_write("in:1.bin", "\x01\x02\x03\xff", 4);
	WEFT(&r, "ptx", "run", "b.ptx", "--kernel", "bump", "--grid", "4",
	     "--block", "1", "--arg", "in:in:1.bin", "--arg", "out:o.bin:4");
	cr_assert_eq(r.code, 0, "%s", r.err);
	cr_assert_eq(run_read("o.bin", got, 8), 4);
	cr_expect(!memcmp(got, "\x02\x03\x04\x00", 4));
	/* One CTA alone; what it does not write is the file's. */
	WEFT(&r, "ptx", "run", "b.ptx", "--kernel", "bump", "--grid", "4",
	     "--block", "1", "--arg", "in:in:1.bin", "--arg",
	     "inout:in:1.bin:o2.bin", "--cta", "2");
	cr_assert_eq(r.code, 0, "%s", r.err);
	cr_assert_eq(run_read("o2.bin", got, 8), 4);
	cr_expect(!memcmp(got, "\x01\x02\x04\xff", 4));
	/* The input's file is untouched. */
	cr_assert_eq(run_read("in:1.bin", got, 8), 4);
	cr_expect(!memcmp(got, "\x01\x02\x03\xff", 4));
}

Test(ptx, json_of_a_good_run)
{
	json_t *o;
	int count;
	int cost;

	run_write_text("b.ptx", bump);
	WEFT(&r, "ptx", "run", "b.ptx", "--kernel", "bump", "--grid", "4",
	     "--block", "1", "--arg", "tmp:4", "--arg", "tmp:4", "--json");
	cr_assert_eq(r.code, 0, "%s", r.err);
	o = run_json(&r);
	cr_expect_str_eq(json_string_value(json_object_get(o, "outcome")),
			 "ok");
	cr_assert_eq(
		json_unpack(o, "{s:i,s:i}", "count", &count, "cost", &cost), 0);
	/* ten instructions of four threads */
	cr_expect_eq(count, 40);
	cr_expect_geq(cost, 40);
	cr_expect_eq(json_array_size(json_object_get(o, "findings")), 0);
	cr_expect(json_is_null(json_object_get(o, "reason")));
	json_decref(o);
}

Test(ptx, faults_exit_4_and_write_nothing)
{
	json_t *o;
	char got[8];

	run_write_text("b.ptx", bump);
	WEFT(&r, "ptx", "run", "b.ptx", "--kernel", "bump", "--grid", "4",
	     "--block", "1", "--arg", "tmp:4", "--arg", "out:o.bin:3",
	     "--json");
	cr_expect_eq(r.code, 4);
	o = run_json(&r);
	cr_expect_str_eq(json_string_value(json_object_get(o, "outcome")),
			 "fault");
	cr_expect_str_eq(json_string_value(json_object_get(o, "reason")),
			 "out_of_bounds");
	cr_expect_str_eq(json_string_value(json_object_get(o, "kernel")),
			 "bump");
	cr_expect_eq(json_integer_value(json_object_get(o, "cta")), 3);
	cr_expect_eq(json_integer_value(json_object_get(o, "thread")), 0);
	/* buffer 1, byte 3 */
	cr_expect_str_eq(json_string_value(json_object_get(o, "address")),
			 "0x20000000003");
	cr_expect_eq(json_integer_value(json_object_get(o, "line")), 17);
	json_decref(o);
	cr_expect_eq(run_read("o.bin", got, 8), (size_t)-1);
	run_write_text("t.ptx", traps);
	WEFT(&r, "ptx", "run", "t.ptx", "--kernel", "traps", "--grid", "1",
	     "--block", "1");
	cr_expect_eq(r.code, 4);
	cr_expect(strstr(r.out, "trap"), "%s", r.out);
}

Test(ptx, what_is_malformed_exits_1_with_its_line)
{
	run_write_text("m.ptx", HEAD ".visible .entry k()\n{\nadd.u32 ;\n}\n");
	WEFT(&r, "ptx", "check", "m.ptx");
	cr_expect_eq(r.code, 1);
	cr_expect(strstr(r.err, "m.ptx:6:"), "%s", r.err);
	WEFT(&r, "ptx", "canon", "m.ptx");
	cr_expect_eq(r.code, 1);
	WEFT(&r, "ptx", "run", "m.ptx", "-k", "k", "-g", "1", "-b", "1");
	cr_expect_eq(r.code, 1);
}

Test(ptx, a_text_without_kernels)
{
	run_write_text("n.ptx", HEAD ".func two()\n{\nret;\n}\n");
	WEFT(&r, "ptx", "check", "n.ptx");
	cr_expect_eq(r.code, 0);
	cr_expect_str_eq(r.out, "no kernels: nothing in it is an .entry\n");
	WEFT(&r, "ptx", "check", "n.ptx", "--json");
	cr_expect_eq(r.code, 0);
	cr_expect_str_eq(r.out, "{\"kernels\":[]}\n");
}

Test(ptx, a_kernel_that_is_not_there)
{
	run_write_text("b.ptx", HEAD ".visible .entry one()\n{\nret;\n}\n"
				     ".func two()\n{\nret;\n}\n"
				     ".visible .entry three()\n{\nret;\n}\n");
	WEFT(&r, "ptx", "run", "b.ptx", "-k", "two", "-g", "1", "-b", "1");
	cr_expect_eq(r.code, 2);
	cr_expect_str_eq(r.err, "weft: no kernel is called two; there is one, "
				"three\n");
}

Test(ptx, arguments_are_held_against_the_kernel)
{
	run_write_text("b.ptx", bump);
	WEFT(&r, "ptx", "run", "b.ptx", "-k", "nope", "-g", "1", "-b", "1");
	cr_expect_eq(r.code, 2);
	cr_expect(strstr(r.err, "nope"));
	WEFT(&r, "ptx", "run", "b.ptx", "-k", "bump", "-g", "1", "-b", "1",
	     "-a", "tmp:4");
	cr_expect_eq(r.code, 2);
	WEFT(&r, "ptx", "run", "b.ptx", "-k", "bump", "-g", "1", "-b", "1",
	     "-a", "tmp:4", "-a", "u32:1");
	cr_expect_eq(r.code, 2);
	cr_expect(strstr(r.err, "argument 1 (u32)"), "%s", r.err);
	/* more threads than a CTA may have */
	WEFT(&r, "ptx", "run", "b.ptx", "-k", "bump", "-g", "1", "-b", "1025",
	     "-a", "tmp:4", "-a", "tmp:4");
	cr_expect_eq(r.code, 3, "%s", r.out);
}

Test(ptx, check_tells_classes)
{
	json_t *o;
	json_t *k;
	const char *class_name;

	run_write_text("b.ptx", bump);
	WEFT(&r, "ptx", "check", "b.ptx", "--json");
	cr_assert_eq(r.code, 0, "%s", r.err);
	o = run_json(&r);
	k = json_array_get(json_object_get(o, "kernels"), 0);
	cr_assert_eq(json_unpack(k, "{s:s}", "class", &class_name), 0);
	cr_expect_str_eq(class_name, "A");
	cr_expect_eq(json_array_size(json_object_get(k, "footprint")), 2);
	cr_expect_eq(json_integer_value(json_object_get(
			     json_object_get(k, "needs"), "sm")),
		     75);
	cr_expect_eq(json_integer_value(json_object_get(
			     json_object_get(k, "opcodes"), "add.s64")),
		     2);
	json_decref(o);
}

/* The clock, with a line of the source; and an instruction that nobody has. */
static const char timed[] =
	HEAD ".visible .entry timed(.param .u64 out)\n{\n"
	     ".reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
	     "ld.param.u64 %d0, [out];\n.loc 1 7 3\nmov.u32 %r0, %clock;\n"
	     "st.global.u32 [%d0], %r0;\nret;\n}\n"
	     ".visible .entry odd()\n{\n.reg .b32 %r<2>;\n"
	     "frob.b32 %r0, %r1;\nret;\n}\n"
	     ".file 1 \"timed.cu\"\n";

Test(ptx, check_says_why_and_what_instead)
{
	const char *class_name, *independence, *word, *file, *text, *hint;
	int line, source_line;
	json_t *o, *k;

	run_write_text("t.ptx", timed);
	WEFT(&r, "ptx", "check", "t.ptx", "--json");
	cr_assert_eq(r.code, 0, "%s", r.err);
	o = run_json(&r);
	k = json_array_get(json_object_get(o, "kernels"), 0);
	cr_assert_eq(json_unpack(k, "{s:s,s:s,s:[{s:i,s:i,s:s,s:s,s:s,s:s}]}",
				 "class", &class_name, "independence",
				 &independence, "reasons", "line", &line,
				 "source_line", &source_line, "file", &file,
				 "reason", &word, "text", &text, "hint", &hint),
		     0);
	cr_expect_str_eq(class_name, "C");
	cr_expect_str_eq(independence, "");
	cr_expect_eq(line, 10);
	cr_expect_eq(source_line, 7);
	cr_expect_str_eq(file, "timed.cu");
	cr_expect_str_eq(word, "special_register");
	cr_expect(text[0] && hint[0]);
	k = json_array_get(json_object_get(o, "kernels"), 1);
	cr_assert_eq(json_unpack(k, "{s:s,s:[{s:s}]}", "class", &class_name,
				 "reasons", "reason", &word),
		     0);
	cr_expect_str_eq(class_name, "X");
	cr_expect_str_eq(word, "unknown");
	json_decref(o);
	WEFT(&r, "ptx", "check", "t.ptx");
	cr_expect_eq(r.code, 0);
	cr_expect(strstr(r.out, "timed: class C, not sold"), "%s", r.out);
	cr_expect(strstr(r.out, "timed.cu:7, PTX line 10"), "%s", r.out);
	cr_expect(strstr(r.out, "instead: "), "%s", r.out);
	cr_expect_null(strstr(r.out, "proved"));
}

Test(ptx, bench_measures)
{
	json_t *o;

	run_write_text("b.ptx", bump);
	WEFT(&r, "ptx", "bench", "b.ptx", "-k", "bump", "-g", "4", "-b", "1",
	     "-a", "tmp:4", "-a", "tmp:4", "--json");
	cr_assert_eq(r.code, 0, "%s", r.err);
	o = run_json(&r);
	cr_expect_gt(
		json_real_value(json_object_get(o, "ops_per_second_per_core")),
		0.0);
	json_decref(o);
}

/* out = table[1], where the table is a constant or a written variable. */
static const char symbol_ptx[] =
	HEAD ".visible .const .align 4 .b8 table[8] = {1,0,0,0,2,0,0,0};\n"
	     ".visible .entry k(.param .u64 out)\n{\n"
	     ".reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
	     "ld.param.u64 %d0, [out];\nld.const.u32 %r0, [table+4];\n"
	     "st.global.u32 [%d0], %r0;\nret;\n}\n";

Test(ptx, symbols)
{
	unsigned char got[8];

	run_write_text("s.ptx", symbol_ptx);
	run_write("t.bin", "\x05\x00\x00\x00\x06\x00\x00\x00", 8);
	WEFT(&r, "ptx", "run", "s.ptx", "-k", "k", "-g", "1", "-b", "1", "-a",
	     "out:o.bin:4");
	cr_assert_eq(r.code, 0, "%s", r.err);
	cr_assert_eq(run_read("o.bin", got, 8), 4);
	cr_expect_eq(got[0], 2);
	WEFT(&r, "ptx", "run", "s.ptx", "-k", "k", "-g", "1", "-b", "1", "-a",
	     "out:o.bin:4", "--symbol", "table=t.bin");
	cr_assert_eq(r.code, 0, "%s", r.err);
	cr_assert_eq(run_read("o.bin", got, 8), 4);
	cr_expect_eq(got[0], 6);
	WEFT(&r, "ptx", "run", "s.ptx", "-k", "k", "-g", "1", "-b", "1", "-a",
	     "out:o.bin:4", "--symbol", "nope=t.bin");
	cr_expect_eq(r.code, 2);
	cr_expect(strstr(r.err, "nope"));
}

/* Two threads of a CTA store different values to one word. */
static const char race_ptx[] =
	HEAD ".visible .entry k(.param .u64 out)\n{\n"
	     ".reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
	     "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\n"
	     "st.global.u32 [%d0], %r0;\nret;\n}\n";

Test(ptx, a_finding_exits_4)
{
	json_t *o;
	json_t *finding;

	run_write_text("r.ptx", race_ptx);
	WEFT(&r, "ptx", "run", "r.ptx", "-k", "k", "-g", "1", "-b", "2", "-a",
	     "tmp:4", "--sanitize", "--json");
	cr_expect_eq(r.code, 4);
	o = run_json(&r);
	cr_expect_str_eq(json_string_value(json_object_get(o, "outcome")),
			 "void");
	finding = json_array_get(json_object_get(o, "findings"), 0);
	cr_assert(finding, "%s", r.out);
	cr_expect_str_eq(json_string_value(json_object_get(finding, "kind")),
			 "race");
	cr_expect_eq(json_integer_value(json_object_get(finding, "line")), 10);
	cr_expect_eq(json_integer_value(json_object_get(finding, "other_line")),
		     10);
	json_decref(o);
	WEFT(&r, "ptx", "run", "r.ptx", "-k", "k", "-g", "1", "-b", "2", "-a",
	     "tmp:4", "--sanitize");
	cr_expect_eq(r.code, 4);
	cr_expect(strstr(r.out, "after the access, PTX line 10"), "%s", r.out);
	cr_expect(strstr(r.out, "findings: 1, 1 in all"), "%s", r.out);
}
