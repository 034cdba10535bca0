/*
 * Programs from manifests and PTX: kernels by name, arguments against
 * parameters, symbols, steps, tasks; the examples as a whole.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/build/build.h"
#include "gpu/build/manifest.h"
#include "gpu/build/priv/make.h"
#include "gpu/program/header.h"

/* p: pointer, n: u32, x: f32, s: a struct of 16 bytes */
static const char ptx_text[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".visible .const .align 4 .b8 c_table[8];\n"
	".visible .global .align 4 .u32 counter = 5;\n"
	".visible .global .align 8 .u64 pointer = generic(counter);\n"
	".visible .entry k(.param .u64 p, .param .u32 n, .param .f32 x,\n"
	"  .param .align 8 .b8 s[16])\n"
	"{\n"
	"  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<2>;\n"
	"  ld.param.u64 %rd1, [p];\n"
	"  ld.const.u32 %r1, [c_table];\n"
	"  mov.u32 %r2, %ctaid.x;\n"
	"  mul.wide.u32 %rd2, %r2, 4;\n"
	"  add.s64 %rd3, %rd1, %rd2;\n"
	"  st.global.u32 [%rd3], %r1;\n"
	"  ret;\n"
	"}\n"
	".visible .entry _Z5threePi(.param .u64 p) { ret; }\n"
	".visible .entry _Z5twicePf(.param .u64 p) { ret; }\n"
	".visible .entry _Z5twicePd(.param .u64 p) { ret; }\n"
	".visible .entry _ZN2ns5innerEPi(.param .u64 p) { ret; }\n"
	".visible .entry write() {\n"
	"  .reg .b32 %r<2>;\n"
	"  mov.u32 %r1, 1;\n"
	"  st.global.u32 [counter], %r1;\n"
	"  ret;\n"
	"}\n";

static struct arena *arena;

static enum err make(const char *manifest, const char *text, struct manifest *m,
		     struct build_result *r, struct build_diag *d)
{
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct build_text ptx = {"k.ptx", bytes_str(text)};
	enum err err;

	arena = arena_new(256u << 20);
	err = manifest_read(arena, bytes_str(manifest), "m.json", &files, m, d);
	if (err == ERR_OK)
		err = build_program(arena, m, &ptx, 1, &files, r, d);
	return err;
}

/* A manifest with one launch on line 3. */
static const char *launch(const char *kernel, const char *args,
			  const char *more)
{
	static char text[4096];

	snprintf(text, sizeof(text),
		 "{\"weft\": 1, \"ptx\": \"k.ptx\", \"buffers\": {\"a\": "
		 "{\"bytes\": 64}},\n \"steps\": [\n{\"launch\": \"%s\", "
		 "\"grid\": 4, \"block\": 32, \"args\": [%s]}]%s}",
		 kernel, args, more);
	return text;
}

#define GOOD                                                                 \
	"{\"buffer\": \"a\"}, {\"u32\": 7}, {\"f32\": 1.5}, {\"bytes\": "    \
	"\"000102030405060708090a0b0c0d0e0f\", \"at\": {\"8\": {\"buffer\":" \
	" \"a\", \"offset\": 4}}}"

static void expect_error(const char *manifest, const char *want)
{
	struct manifest m;
	struct build_result r;
	struct build_diag d = {0};
	struct buf b = buf_make(4096);
	enum err err = make(manifest, ptx_text, &m, &r, &d);

	cr_expect_eq(err, ERR_MANIFEST, "%s", err_name(err));
	if (err != ERR_OK)
		build_diag_put(&b, &d);
	cr_expect(bytes_eq(buf_bytes(&b), bytes_str(want)),
		  "got  %.*s\nwant %s", (int)b.n, (const char *)b.p, want);
	buf_free(&b);
	arena_free(arena);
}

Test(program, arguments_against_parameters)
{
	expect_error(launch("k", "", ""),
		     "m.json:3:1: kernel \"k\" takes 4 arguments, 0 are given");
	expect_error(launch("k",
			    "{\"u32\": 1}, {\"u32\": 7}, {\"f32\": 1.5}, "
			    "{\"bytes\": \"00\"}",
			    ""),
		     "m.json:3:50: argument 1 is u32 (4 bytes), the kernel's "
		     "parameter 1 is u64 (8 bytes)");
	expect_error(launch("k",
			    "{\"buffer\": \"a\"}, {\"u64\": 7}, {\"f32\": "
			    "1.5}, {\"bytes\": \"00\"}",
			    ""),
		     "m.json:3:67: argument 2 is u64 (8 bytes), the kernel's "
		     "parameter 2 is u32 (4 bytes)");
	expect_error(launch("k",
			    "{\"buffer\": \"a\"}, {\"f32\": 7}, {\"f32\": "
			    "1.5}, {\"bytes\": \"00\"}",
			    ""),
		     "m.json:3:67: argument 2 is f32 (4 bytes), the kernel's "
		     "parameter 2 is u32 (4 bytes)");
	expect_error(launch("k",
			    "{\"buffer\": \"a\"}, {\"u32\": 7}, {\"s32\": "
			    "1}, {\"bytes\": \"00\"}",
			    ""),
		     "m.json:3:79: argument 3 is s32 (4 bytes), the kernel's "
		     "parameter 3 is f32 (4 bytes)");
	expect_error(launch("k",
			    "{\"buffer\": \"a\"}, {\"u32\": 7}, {\"f32\": "
			    "1}, {\"bytes\": \"00\"}",
			    ""),
		     "m.json:3:91: argument 4 is bytes (1 bytes), the kernel's "
		     "parameter 4 is a struct of 16 bytes");
}

Test(program, kernels_by_name)
{
	struct manifest m;
	struct build_result r;
	struct build_diag d;

	expect_error(launch("kk", "", ""),
		     "m.json:3:1: there is no kernel \"kk\"; there are k, "
		     "_Z5threePi, _Z5twicePf, _Z5twicePd, _ZN2ns5innerEPi, "
		     "write");
	expect_error(launch("twice", "{\"buffer\": \"a\"}", ""),
		     "m.json:3:1: several kernels have the name \"twice\"; "
		     "there are _Z5twicePf, _Z5twicePd");
	cr_assert_eq(make(launch("three", "{\"buffer\": \"a\"}", ""), ptx_text,
			  &m, &r, &d),
		     ERR_OK, "%s", d.text);
	cr_expect(bytes_eq(r.launches[0].entry, BYTES_LIT("_Z5threePi")));
	arena_free(arena);
	cr_assert_eq(make(launch("ns::inner", "{\"null\": true}", ""), ptx_text,
			  &m, &r, &d),
		     ERR_OK, "%s", d.text);
	arena_free(arena);
	cr_assert_eq(make(launch("_Z5twicePd", "{\"null\": true}", ""),
			  ptx_text, &m, &r, &d),
		     ERR_OK, "%s", d.text);
	arena_free(arena);
}

Test(program, names_that_match)
{
	static const struct {
		const char *symbol, *name;
		bool match;
	} t[] = {
		/* clang-format off */
		{"k", "k", true}, {"k", "kk", false},
		{"_Z1kPf", "k", true}, {"_Z2kkPf", "k", false},
		{"_ZL1kPf", "k", true}, {"_Z1kIfLi16EEvPT_", "k", true},
		{"_ZN2ns1kEPf", "ns::k", true}, {"_ZN2ns1kEPf", "k", false},
		{"_ZN1a1b1kIfEEvv", "a::b::k", true},
		{"_ZN12_GLOBAL__N_11kEPf", "k", true},
		{"_ZN2nsL5tableE", "ns::table", true},
		{"_ZL5table", "table", true}, {"_Z", "k", false},
		{"_Z99k", "k", false}, {"_ZN", "", false},
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		cr_expect_eq(make_name_matches(bytes_str(t[i].symbol),
					       bytes_str(t[i].name)),
			     t[i].match, "%s %s", t[i].symbol, t[i].name);
}

Test(program, sizes_and_values)
{
	expect_error("{\"weft\": 1, \"ptx\": \"k.ptx\", \"buffers\": {\"a\": "
		     "{\"bytes\": 64}},\n \"steps\": [{\"launch\": "
		     "\"three\", \"grid\": 1, \"block\": [32, 64],\n  "
		     "\"args\": [{\"buffer\": \"a\"}]}]}",
		     "m.json:2:53: the block has 2048 threads, at most 1024 "
		     "are allowed");
	expect_error("{\"weft\": 1, \"ptx\": \"k.ptx\", \"buffers\": {\"a\": "
		     "{\"bytes\": 64}},\n \"steps\": [{\"launch\": "
		     "\"three\", \"grid\": [1, 65536], \"block\": 32,\n  "
		     "\"args\": [{\"buffer\": \"a\"}]}]}",
		     "m.json:2:44: the grid's y may be 65535 at most");
	expect_error("{\"weft\": 1, \"ptx\": \"k.ptx\", \"buffers\": {\"a\": "
		     "{\"bytes\": 64}},\n \"steps\": [{\"launch\": "
		     "\"three\", \"grid\": 1, \"block\": 32, \"shared\": "
		     "232449,\n  \"args\": [{\"buffer\": \"a\"}]}]}",
		     "m.json:2:66: \"shared\" must lie between 0 and 232448");
	expect_error(launch("three",
			    "{\"buffer\": \"a\", \"offset\": "
			    "\"16*t\"}",
			    ", \"tasks\": {\"count\": 6, \"index\": \"t\"}"),
		     "m.json:3:80: argument 1 (buffer) of task 5: the offset "
		     "lies outside the buffer");
	expect_error(launch("k",
			    "{\"buffer\": \"a\"}, {\"u32\": \"3 - t\"}, "
			    "{\"f32\": 1}, {\"bytes\": "
			    "\"000102030405060708090a0b0c0d0e0f\"}",
			    ", \"tasks\": {\"count\": 6, \"index\": \"t\"}"),
		     "m.json:3:75: argument 2 (u32) of task 4: the value is "
		     "outside its range");
}

Test(program, symbols)
{
	struct manifest m;
	struct build_result r;
	struct build_diag d;
	struct program p;

	expect_error(launch("k", GOOD,
			    ",\n \"symbols\": {\"c_tabel\": {\"text\": "
			    "\"x\"}}"),
		     "m.json:4:14: there is no variable \"c_tabel\" that the "
		     "kernels use");
	expect_error(launch("k", GOOD,
			    ",\n \"symbols\": {\"c_table\": {\"text\": "
			    "\"abc\"}}"),
		     "m.json:4:25: the file has 3 bytes, the variable "
		     "\"c_table\" 8");
	cr_assert_eq(make(launch("k", GOOD,
				 ", \"symbols\": {\"c_table\": {\"text\": "
				 "\"abcdefgh\"}}"),
			  ptx_text, &m, &r, &d),
		     ERR_OK, "%s", d.text);
	cr_assert_eq(program_decode(arena, r.encoding, &p), ERR_OK);
	cr_assert_eq(p.symbol_count, 1);
	cr_expect(!p.symbols[0].written);
	cr_expect(bytes_eq(p.symbols[0].data, BYTES_LIT("abcdefgh")));
	arena_free(arena);
	cr_assert_eq(make(launch("write", "", ""), ptx_text, &m, &r, &d),
		     ERR_OK, "%s", d.text);
	cr_assert_eq(program_decode(arena, r.encoding, &p), ERR_OK);
	cr_assert_eq(p.symbol_count, 1);
	cr_expect(bytes_eq(p.symbols[0].name, BYTES_LIT("counter")));
	cr_expect(p.symbols[0].written);
	cr_expect(bytes_eq(p.symbols[0].data, BYTES_LIT("\5")));
	cr_expect_eq(program_object_count(&p), 2);
	arena_free(arena);
}

Test(program, what_is_in_it)
{
	struct manifest m;
	struct build_result r, back;
	struct build_diag d;
	struct program p;
	struct program_launch l;
	struct program_params params;
	struct program_task t = {.index = 0};
	struct buf b = buf_make(1u << 20);

	cr_assert_eq(make(launch("k", GOOD, ""), ptx_text, &m, &r, &d), ERR_OK,
		     "%s", d.text);
	cr_assert_eq(program_decode(arena, r.encoding, &p), ERR_OK);
	cr_assert_eq(p.part_count, 1);
	cr_expect_eq(p.parts[0].params[3].offset_bytes, 16);
	cr_expect_eq(p.parts[0].params[0].access, PROGRAM_WRITE);
	cr_expect_eq(p.parts[0].params[1].access, 0);
	cr_assert_eq(program_launch_at(&p, 1, &l), ERR_OK);
	cr_assert_eq(program_launch_params(arena, &p, &l, &t, &params), ERR_OK);
	cr_assert_eq(params.byte_count, 32);
	cr_expect_eq(memcmp(params.bytes,
			    "\0\0\0\0\0\0\0\0\7\0\0\0\0\0\xc0\x3f"
			    "\0\1\2\3\4\5\6\7\0\0\0\0\0\0\0\0",
			    32),
		     0);
	cr_assert_eq(params.reloc_count, 2);
	cr_expect_eq(params.relocs[1].at_bytes, 24);
	cr_expect_eq(params.relocs[1].offset, 4);
	build_result_encode(&b, &r);
	cr_assert_eq(b.err, ERR_OK);
	cr_assert_eq(build_result_decode(arena, buf_bytes(&b), &back), ERR_OK);
	cr_expect(hash_eq(&back.id, &r.id));
	cr_expect(bytes_eq(back.encoding, r.encoding));
	cr_expect_eq(back.class_name, r.class_name);
	cr_expect_eq(back.launch_count, 1);
	for (size_t n = 0; n < b.n; n += 7)
		cr_expect_neq(
			build_result_decode(arena, bytes_of(b.p, n), &back),
			ERR_OK);
	buf_free(&b);
	arena_free(arena);
}

Test(program, ptx_errors_name_the_line)
{
	struct manifest m;
	struct build_result r;
	struct build_diag d;

	cr_expect_eq(make(launch("k", "", ""),
			  ".version 7.0\n.target sm_75\n.address_size 64\n"
			  ".entry k() {\n add.u32 %r1 %r2;\n}\n",
			  &m, &r, &d),
		     ERR_PTX_SYNTAX);
	cr_expect_str_eq(d.file, "k.ptx");
	cr_expect_eq(d.at.line, 5, "%u %s", d.at.line, d.text);
	arena_free(arena);
}

Test(program, an_instruction_that_is_not_run_is_class_x)
{
	struct manifest m;
	struct build_result r;
	struct build_diag d;

	cr_assert_eq(make(launch("k", "", ""),
			  ".version 7.0\n.target sm_75\n.address_size 64\n"
			  ".visible .entry k() {\n .reg .b32 %r<3>;\n"
			  " frobnicate.u32 %r1, %r2;\n ret;\n}\n",
			  &m, &r, &d),
		     ERR_OK, "%s", d.text);
	cr_expect_eq(r.class_name, 'X');
	cr_expect_eq(r.encoding.n, 0);
	cr_assert_gt(r.reason_count, 0);
	cr_expect_eq(r.reasons[0].line, 6);
	arena_free(arena);
}

/* SHA-256(T("weft/bytes") || u64le 8 || SHA-256(T("weft/short") || ...)) by
 * Python's hashlib. */
static const char padded_root[] =
	"051316a3852d6d7b05ef42f32a1a316de94804fecd17191595553ebd53cf6c31";

Test(program, tasks_and_their_root)
{
	static const char text[] =
		"{\"weft\": 1, \"ptx\": \"k.ptx\",\n"
		" \"tasks\": {\"table\": {\"text\": "
		"\"file,n\\na,1\\nb,-2\\n\"}},\n"
		" \"buffers\": {\"in\": {\"bytes\": 8, \"from\": \"{file}\", "
		"\"pad\": 0},\n"
		"  \"same\": {\"bytes\": 2, \"from\": {\"text\": \"xy\"}}},\n"
		" \"steps\": [{\"launch\": \"three\", \"grid\": 1, \"block\": "
		"1,\n  \"args\": [{\"buffer\": \"in\", \"offset\": \"n*n\"}]}"
		"]}";
	static const struct build_file list[] = {
		{BUILD_SOURCE_PATH,
		 {(const uint8_t *)"a", 1},
		 {(const uint8_t *)"abcd", 4}},
		{BUILD_SOURCE_PATH,
		 {(const uint8_t *)"b", 1},
		 {(const uint8_t *)"abcdefgh", 8}},
	};
	struct build_files_memory mem = {list, 2};
	struct build_files files = build_files_memory(&mem);
	struct manifest m;
	struct build_diag d;
	struct build_task t;
	struct hash id = {{1}}, root, leaves[2], want;
	char hex[HASH_TEXT_BYTES];

	arena = arena_new(16u << 20);
	cr_assert_eq(
		manifest_read(arena, BYTES_LIT(text), "m.json", &files, &m, &d),
		ERR_OK, "%s", d.text);
	for (uint64_t i = 0; i < 2; i++) {
		struct buf b = buf_make(1u << 16);

		cr_assert_eq(build_task_open(arena, &m, &files, &id, i, &t, &d),
			     ERR_OK, "%s", d.text);
		cr_expect_eq(t.task.input_count, 2);
		cr_expect_eq(t.task.inputs[0].length_bytes, i ? 8 : 4);
		cr_expect_eq(t.inputs[0].n, 8);
		cr_expect_eq(t.task.columns[0], i ? -2 : 1);
		if (i == 0)
			cr_expect_str_eq(hash_text(&t.task.inputs[0].root, hex),
					 padded_root);
		program_task_encode(&b, &t.task);
		leaves[i] = program_task_leaf(buf_bytes(&b));
		build_task_close(&files, &t);
		buf_free(&b);
	}
	want = merkle_list_root(leaves, 2);
	cr_assert_eq(
		build_tasks_root(arena, &m, &files, &id, &root, &d, NULL, NULL),
		ERR_OK, "%s", d.text);
	cr_expect(hash_eq(&root, &want));
	mem.count = 1;
	cr_expect_eq(
		build_tasks_root(arena, &m, &files, &id, &root, &d, NULL, NULL),
		ERR_MANIFEST);
	cr_expect_str_eq(d.text, "input of task 1, \"b\": the file did not "
				 "come with the manifest");
	cr_expect(d.at.line == 3 && d.at.column == 41, "%u:%u", d.at.line,
		  d.at.column);
	arena_free(arena);
}

static struct build_compiler *compiler;

/* An example, compiled if NVRTC is here, else from its committed PTX. */
static enum err build_example(const char *name, struct build_result *r,
			      struct build_diag *d)
{
	char path[512];
	struct build_files_folder folder;
	struct build_files files;
	struct build_source s = {
		BUILD_SOURCE_PATH, BYTES_LIT("manifest.json"), {0, 0}};
	struct build_data data;
	struct build_nvrtc_place place;
	struct build_unit *u;
	struct build_text ptx[8];
	struct manifest m;
	uint32_t n = 0;
	const char *why;
	enum err err;

	snprintf(path, sizeof(path), "%s/examples/%s", WEFT_SOURCE_DIR, name);
	folder.folder_fd = open(path, O_RDONLY | O_DIRECTORY);
	files = build_files_folder(&folder);
	cr_assert_eq(build_open(&files, &s, 1u << 20, &data, &why), ERR_OK);
	cr_assert_eq(manifest_read(arena, arena_copy(arena, data.bytes), name,
				   &files, &m, d),
		     ERR_OK, "%s: %s", name, d->text);
	build_close(&files, &s, &data);
	cr_assert_eq(build_units(arena, &m, &files, &u, &n, d), ERR_OK, "%s",
		     d->text);
	if (!compiler && build_nvrtc_find(arena, &place, d) == ERR_OK)
		cr_assert_eq(build_compiler_new(arena, &place, &compiler, d),
			     ERR_OK, "%s", d->text);
	for (uint32_t i = 0; i < n; i++) {
		ptx[i].name = u[i].source.name;
		err = compiler ? build_compile(compiler, arena, &u[i],
					       &ptx[i].text, d)
			       : build_committed(arena, &u[i], &files,
						 &ptx[i].text, d);
		if (err == ERR_NO_COMPILER) {
			close(folder.folder_fd);
			return err;
		}
		cr_assert_eq(err, ERR_OK, "%s: %s", name, d->text);
	}
	err = build_program(arena, &m, ptx, n, &files, r, d);
	close(folder.folder_fd);
	return err;
}

Test(program, examples_are_sold)
{
	static const char *const names[] = {
		"mandelbrot", "nbody",	    "matmul",	    "dedup",
		"sobel",      "hashsearch", "blackscholes", "histogram",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct build_result r;
		struct build_diag d = {0};
		struct program p;
		struct program_header h;
		enum err err;

		arena = arena_new(512u << 20);
		err = build_example(names[i], &r, &d);
		if (err == ERR_NO_COMPILER) {
			fprintf(stderr, "skipped: %s: %s\n", names[i], d.text);
			arena_free(arena);
			continue;
		}
		cr_assert_eq(err, ERR_OK, "%s: %s", names[i], d.text);
		for (uint32_t k = 0; k < r.reason_count; k++)
			cr_log_info("%s %.*s:%u %.*s %.*s", names[i],
				    (int)r.reasons[k].file.n,
				    (const char *)r.reasons[k].file.p,
				    r.reasons[k].line,
				    (int)r.reasons[k].opcode.n,
				    (const char *)r.reasons[k].opcode.p,
				    (int)r.reasons[k].reason.n,
				    (const char *)r.reasons[k].reason.p);
		cr_expect(strchr("ARS", r.class_name), "%s: %c", names[i],
			  r.class_name);
		cr_assert_eq(program_decode(arena, r.encoding, &p), ERR_OK,
			     "%s", names[i]);
		cr_expect_eq(program_header_make(arena, &p, &h), ERR_OK);
		cr_expect_eq(h.needs.sm, r.needs.sm);
		arena_free(arena);
	}
}
