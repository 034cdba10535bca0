/*
 * From CUDA C to PTX: keys, headers, the committed text, the cache, and NVRTC
 * itself where it is installed.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/codec.h"
#include "gpu/build/compile.h"
#include "gpu/build/manifest.h"
#include "gpu/build/priv/unit.h"

static struct build_compiler *shared;

/* NVRTC, or NULL after saying why not. */
static struct build_compiler *compiler(struct arena *a)
{
	struct build_nvrtc_place place;
	struct build_diag d;

	if (shared)
		return shared;
	if (build_nvrtc_find(a, &place, &d) != ERR_OK) {
		fprintf(stderr, "skipped: %s\n", d.text);
		return NULL;
	}
	cr_assert_eq(build_compiler_new(a, &place, &shared, &d), ERR_OK, "%s",
		     d.text);
	return shared;
}

static struct build_unit unit(const char *text)
{
	return (struct build_unit){
		.source = {"k.cu", bytes_str(text)}, .fmad = true, .sm = 75};
}

static bool has(struct bytes text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.n; i++)
		if (memcmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

static enum err compile(struct arena *a, const struct build_unit *u,
			struct bytes *ptx, struct build_diag *d)
{
	return build_compile(shared, a, u, ptx, d);
}

Test(compile, plain_kernel_and_leading_line)
{
	struct arena *a = arena_new(64u << 20);
	struct build_unit u = unit("extern \"C\" __global__ void k(float *p, "
				   "float x) { p[threadIdx.x] *= x; }\n");
	struct bytes ptx;
	struct build_diag d;

	if (compiler(a)) {
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		cr_expect(build_ptx_fits(ptx, &u));
		cr_expect(has(ptx, ".visible .entry k("));
		cr_expect(has(ptx, ".target sm_75"));
		cr_expect(has(ptx, ".loc"), "line information");
		cr_expect(has(ptx, "\"k.cu\""), "no folder of this machine");
		u.sm = 80;
		cr_expect(!build_ptx_fits(ptx, &u), "the target counts");
	}
	arena_free(a);
}

Test(compile, templates_by_name_expression)
{
	static const char *const kernels[] = {"ns::kk<float, 16>",
					      "ns::kk<int,2>"};
	struct arena *a = arena_new(64u << 20);
	struct build_unit u =
		unit("namespace ns { template <class T, int N> __global__ void "
		     "kk(T *p) { p[0] = N; } }\n");
	struct bytes ptx, name;
	struct build_diag d;

	u.kernels = kernels;
	u.kernel_count = 2;
	if (compiler(a)) {
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		name = build_ptx_lowered(ptx, BYTES_LIT("ns::kk<float, 16>"));
		cr_expect(bytes_eq(name, BYTES_LIT("_ZN2ns2kkIfLi16EEEvPT_")),
			  "%.*s", (int)name.n, (const char *)name.p);
		name = build_ptx_lowered(ptx, BYTES_LIT("ns::kk<double,1>"));
		cr_expect_eq(name.n, 0u);
	}
	arena_free(a);
}

Test(compile, host_headers_are_there)
{
	struct arena *a = arena_new(64u << 20);
	struct build_unit u =
		unit("#include <stdint.h>\n#include <cstdint>\n"
		     "#include <stddef.h>\n#include <cstddef>\n"
		     "#include <float.h>\n#include <cfloat>\n"
		     "#include <limits.h>\n#include <climits>\n"
		     "#include <assert.h>\n#include <cassert>\n"
		     "#include <math.h>\n#include <cmath>\n"
		     "#include <stdio.h>\n#include <cstdio>\n"
		     "#include <stdlib.h>\n#include <cstdlib>\n"
		     "#include <string.h>\n#include <cstring>\n"
		     "struct s { char c; int i; };\n"
		     "__global__ void k(uint64_t *p, std::int32_t x) {\n"
		     "  assert(x < INT_MAX);\n"
		     "  p[0] = sizeof(size_t) + offsetof(s, i) + UINT32_MAX;\n"
		     "  p[1] = (uint64_t)(FLT_EPSILON * M_PI) + UINT64_C(7);\n"
		     "  if (p == NULL) p[2] = isnan(NAN) + isinf(INFINITY);\n"
		     "}\n");
	struct bytes ptx;
	struct build_diag d;

	if (compiler(a)) {
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		cr_expect(has(ptx, "trap"), "a failing assert traps");
	}
	arena_free(a);
}

/* The toolkit's own stdint is drawn in by cub and by cuda/std. */
Test(compile, host_headers_go_with_the_toolkits)
{
	static const char *const heads[] = {
		"#include <stdint.h>\n#include <cuda/std/cstdint>\n",
		"#include <cuda/std/cstdint>\n#include <cstdint>\n",
		"#include <cuda/std/climits>\n#include <limits.h>\n"
		"#include <cuda/std/cfloat>\n#include <float.h>\n",
		"#include <math.h>\n#include <cuda/std/cmath>\n"
		"#include <assert.h>\n#include <cuda/std/cassert>\n",
	};
	struct arena *a = arena_new(64u << 20);

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]) && compiler(a);
	     i++) {
		struct build_unit u = unit(arena_printf(
			a,
			"%s#include <stdint.h>\n"
			"__global__ void k(int64_t *p, uint_fast16_t x) {\n"
			"  p[0] = INT64_MAX - x; p[1] = UINT64_C(5) + sizeof x;"
			"\n}\n",
			heads[i]));
		struct build_diag d;
		struct bytes ptx;

		cr_expect_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
	}
	arena_free(a);
}

Test(compile, ptx_names_no_folder_of_this_machine)
{
	struct arena *a = arena_new(64u << 20);
	struct build_unit u = unit(
		"#include <cooperative_groups.h>\n"
		"__global__ void k(int *p) {\n"
		"  p[0] = cooperative_groups::coalesced_threads().size();\n"
		"}\n");
	struct bytes ptx;
	struct build_diag d;

	if (compiler(a)) {
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		cr_expect(has(ptx, "\"k.cu\""));
		cr_expect(has(ptx, "\"<cooperative_groups.h>\""));
		cr_expect(!has(ptx, "\"/"));
	}
	arena_free(a);
}

/* NVRTC knows some numbers only; a card runs what an older one runs. */
Test(compile, for_the_nearest_older_card)
{
	static const struct {
		uint32_t sm;
		const char *target;
	} table[] = {{75, "sm_75"}, {80, "sm_80"}, {81, "sm_80"}, {999, "sm_"}};
	struct arena *a = arena_new(64u << 20);

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && compiler(a);
	     i++) {
		struct build_unit u = unit("__global__ void k(int *p) {}\n");
		struct build_diag d;
		struct bytes ptx;

		u.sm = table[i].sm;
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		cr_expect(has(ptx, table[i].target), "%s", table[i].target);
	}
	arena_free(a);
}

Test(compile, errors_name_the_users_file_and_line)
{
	static const struct build_text header = {
		"sub/h.h", {(const uint8_t *)"#pragma once\nint x = ;\n", 22}};
	struct arena *a = arena_new(64u << 20);
	struct build_unit u = unit("__global__ void k(int *p)\n{\n"
				   "\tp[0] = nosuch;\n}\n");
	struct bytes ptx;
	struct build_diag d;

	if (compiler(a)) {
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_COMPILE);
		cr_expect(strstr(d.text, "k.cu(3): error"), "%s", d.text);
		cr_expect(strstr(d.text, "nosuch"), "%s", d.text);
		u = unit("#include \"sub/h.h\"\n");
		u.headers = &header;
		u.header_count = 1;
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_COMPILE);
		cr_expect(strstr(d.text, "sub/h.h(2): error"), "%s", d.text);
	}
	arena_free(a);
}

Test(compile, errors_of_files_for_nvcc_say_what_helps)
{
	static const char *const texts[][2] = {
		{"#include <vector>\n", "\"include\""},
		{"__global__ void k(int *p) {}\n"
		 "int main() { int *p; cudaMalloc(&p, 4); }\n",
		 "__CUDACC_RTC__"},
		{"__global__ void k(int *p) {}\n"
		 "void go() { k<<<1, 1>>>(0); }\n",
		 "__CUDACC_RTC__"},
		{"__global__ void k(int *p) { p[0] = nosuch; }\n", NULL},
		{"#include <cub/cub.cuh>\n", "cub/block/block_scan.cuh"},
		{"__global__ void k(int *p) {\n"
		 "  p[0] = __reduce_add_sync(~0u, p[0]);\n}\n",
		 "\"sm_min\": 80"},
	};
	struct arena *a = arena_new(64u << 20);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && compiler(a);
	     i++) {
		struct build_unit u = unit(texts[i][0]);
		struct build_diag d;
		struct bytes ptx;
		const char *hint;

		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_COMPILE, "%zu", i);
		hint = strstr(d.text, "\n\nhint: ");
		cr_assert_eq(hint != NULL, texts[i][1] != NULL, "%s", d.text);
		if (hint)
			cr_expect(strstr(hint, texts[i][1]), "%s", d.text);
	}
	arena_free(a);
}

Test(compile, fmad_and_defines)
{
	static const struct build_define defines[] = {{"N", "3"}, {"FLAG", ""}};
	struct arena *a = arena_new(64u << 20);
	struct build_unit u =
		unit("#ifndef FLAG\n#error no flag\n#endif\n"
		     "__global__ void k(float *p, float x) { p[N] = p[0] * x + "
		     "p[1]; }\n");
	struct bytes ptx;
	struct build_diag d;

	u.defines = defines;
	u.define_count = 2;
	if (compiler(a)) {
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		cr_expect(has(ptx, "fma.rn.f32"));
		u.fmad = false;
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
		cr_expect(!has(ptx, "fma.rn.f32"));
	}
	arena_free(a);
}

Test(compile, toolkit_headers)
{
	struct arena *a = arena_new(64u << 20);
	struct build_unit u =
		unit("#include <cuda_fp16.h>\n"
		     "__global__ void k(__half *p) { p[0] = p[1] + p[2]; }\n");
	struct bytes ptx;
	struct build_diag d;

	if (compiler(a))
		cr_assert_eq(compile(a, &u, &ptx, &d), ERR_OK, "%s", d.text);
	arena_free(a);
}

Test(compile, what_the_key_depends_on)
{
	static const struct build_define define = {"N", "3"};
	static const struct build_text header = {"h.h", {NULL, 0}};
	static const char *const kernels[] = {"k<1>"};
	struct build_unit u[8];
	struct hash keys[8];

	for (size_t i = 0; i < 8; i++)
		u[i] = unit("__global__ void k() {}\n");
	u[1].source.text = BYTES_LIT("__global__ void l() {}\n");
	u[2].source.name = "other.cu";
	u[3].fmad = false;
	u[4].sm = 80;
	u[5].defines = &define;
	u[5].define_count = 1;
	u[6].headers = &header;
	u[6].header_count = 1;
	u[7].kernels = kernels;
	u[7].kernel_count = 1;
	for (size_t i = 0; i < 8; i++) {
		keys[i] = build_unit_key(&u[i]);
		for (size_t k = 0; k < i; k++)
			cr_expect(!hash_eq(&keys[i], &keys[k]), "%zu %zu", i,
				  k);
	}
}

Test(compile, unit_travels)
{
	static const struct build_define defines[] = {{"N", "3"}, {"F", ""}};
	static const struct build_text headers[] = {
		{"a.h", {(const uint8_t *)"x", 1}}, {"b.h", {NULL, 0}}};
	static const char *const kernels[] = {"k<1>"};
	struct arena *a = arena_new(1u << 20);
	struct build_unit u = unit("code"), got;
	struct buf b = buf_make(1u << 16), again = buf_make(1u << 16);
	struct hash k1, k2;

	u.defines = defines;
	u.define_count = 2;
	u.headers = headers;
	u.header_count = 2;
	u.kernels = kernels;
	u.kernel_count = 1;
	build_unit_encode(&b, &u);
	cr_assert_eq(b.err, ERR_OK);
	cr_assert_eq(build_unit_decode(a, buf_bytes(&b), &got), ERR_OK);
	build_unit_encode(&again, &got);
	cr_expect(bytes_eq(buf_bytes(&b), buf_bytes(&again)));
	k1 = build_unit_key(&u);
	k2 = build_unit_key(&got);
	cr_expect(hash_eq(&k1, &k2));
	for (size_t n = 0; n < b.n; n++)
		cr_expect_neq(build_unit_decode(a, bytes_of(b.p, n), &got),
			      ERR_OK);
	buf_free(&b);
	buf_free(&again);
	arena_free(a);
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	cr_assert(f);
	fputs(text, f);
	fclose(f);
}

/* A folder with a manifest's sources; removed by the caller's shell. */
static int source_folder(char path[64])
{
	char sub[96];

	snprintf(path, 64, "/tmp/weft-test-XXXXXX");
	cr_assert(mkdtemp(path));
	snprintf(sub, sizeof(sub), "%s/inc", path);
	cr_assert_eq(mkdir(sub, 0700), 0);
	put_file(path, "a.cu",
		 "#include \"b.h\"\n  #  include <c.h>\n#include <math.h>\n"
		 "__global__ void k(int *p) { p[0] = B + C + D; }\n");
	put_file(path, "b.h", "#include \"inc/d.h\"\n#define B 1\n");
	put_file(path, "inc/d.h", "#include \"e.h\"\n#define D 1\n");
	put_file(path, "inc/e.h", "#include \"../b.h\"\n");
	put_file(path, "inc/c.h", "#define C 1\n");
	return open(path, O_RDONLY | O_DIRECTORY);
}

static void remove_folder(const char *path)
{
	static const char *const names[] = {"a.cu",    "b.h",	  "inc/c.h",
					    "inc/d.h", "inc/e.h", "a.ptx",
					    "inc",     ""};
	char full[512];

	for (size_t i = 0; i < 8; i++) {
		snprintf(full, sizeof(full), "%s/%s", path, names[i]);
		remove(full);
	}
}

static const char manifest_text[] =
	"{\"weft\": 1, \"cuda\": \"a.cu\", \"include\": [\"inc\"],\n"
	" \"defines\": {\"N\": 3, \"F\": true},\n"
	" \"buffers\": {\"p\": {\"bytes\": 64}},\n"
	" \"steps\": [{\"launch\": \"k\", \"grid\": 1, \"block\": 1,\n"
	"  \"args\": [{\"buffer\": \"p\"}]},\n"
	"  {\"launch\": \"k<3>\", \"grid\": 1, \"block\": 1}]}";

Test(compile, units_bring_their_headers_and_the_committed_ptx)
{
	char path[64];
	struct build_files_folder folder = {source_folder(path)};
	struct build_files files = build_files_folder(&folder);
	struct arena *a = arena_new(64u << 20);
	struct manifest m;
	struct build_diag d;
	struct build_unit *u;
	uint32_t n;
	struct bytes ptx;
	struct hash key;
	char line[200], hex[HASH_TEXT_BYTES];

	cr_assert_eq(manifest_read(a, BYTES_LIT(manifest_text), "m.json",
				   &files, &m, &d),
		     ERR_OK, "%s", d.text);
	cr_assert_eq(build_units(a, &m, &files, &u, &n, &d), ERR_OK, "%s",
		     d.text);
	cr_assert_eq(n, 1);
	cr_expect_eq(u->header_count, 5, "%u", u->header_count);
	cr_expect_str_eq(u->headers[0].name, "b.h");
	cr_expect_str_eq(u->headers[1].name, "inc/d.h");
	cr_expect_str_eq(u->headers[2].name, "e.h");
	cr_expect_str_eq(u->headers[3].name, "../b.h");
	cr_expect_str_eq(u->headers[4].name, "c.h");
	cr_expect_str_eq(u->defines[0].value, "3");
	cr_expect_str_eq(u->defines[1].value, "1");
	cr_expect_eq(u->kernel_count, 1);
	/* nothing committed yet */
	cr_expect_eq(build_committed(a, u, &files, &ptx, &d), ERR_NO_COMPILER);
	cr_expect(strstr(d.text, "contrib/setup"), "%s", d.text);
	put_file(path, "a.ptx", "// weft 00\n");
	cr_expect_eq(build_committed(a, u, &files, &ptx, &d), ERR_NO_COMPILER);
	cr_expect(strstr(d.text, "another source"), "%s", d.text);
	key = build_unit_key(u);
	snprintf(line, sizeof(line), "// weft %s\n.version 7.0\n",
		 hash_text(&key, hex));
	put_file(path, "a.ptx", line);
	cr_expect_eq(build_committed(a, u, &files, &ptx, &d), ERR_OK);
	cr_expect(bytes_eq(ptx, bytes_str(line)));
	close(folder.folder_fd);
	remove_folder(path);
	arena_free(a);
}

Test(compile, cache_gives_back_what_fits)
{
	char path[64];
	int fd = source_folder(path);
	struct arena *a = arena_new(1u << 20);
	struct build_unit u = unit("x"), other = unit("y");
	struct build_nvrtc_place p1 = {.library = "a"}, p2 = {.library = "b"};
	struct hash key = build_unit_key(&u);
	char line[200], hex[HASH_TEXT_BYTES], cmd[100];
	struct bytes ptx;

	p2.identity.b[0] = 1;
	snprintf(line, sizeof(line), "// weft %s\nx", hash_text(&key, hex));
	cr_expect_eq(build_cache_get(fd, a, &u, &p1, &ptx), ERR_NOT_FOUND);
	cr_expect_eq(build_cache_put(fd, &u, &p1, bytes_str(line)), ERR_OK);
	cr_expect_eq(build_cache_get(fd, a, &u, &p1, &ptx), ERR_OK);
	cr_expect(bytes_eq(ptx, bytes_str(line)));
	cr_expect_eq(build_cache_get(fd, a, &u, &p2, &ptx), ERR_NOT_FOUND,
		     "another compiler");
	cr_expect_eq(build_cache_get(fd, a, &other, &p1, &ptx), ERR_NOT_FOUND);
	close(fd);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", path);
	cr_expect_eq(system(cmd), 0);
	arena_free(a);
}

Test(compile, a_named_toolkit_must_be_there)
{
	struct arena *a = arena_new(1u << 20);
	struct build_nvrtc_place place;
	struct build_diag d;

	setenv("WEFT_NVRTC_DIR", "/nonexistent", 1);
	cr_expect_eq(build_nvrtc_find(a, &place, &d), ERR_NO_COMPILER);
	cr_expect_str_eq(d.text, "NVRTC is not installed; contrib/setup "
				 "installs it (or set WEFT_NVRTC_DIR to a CUDA "
				 "toolkit)");
	arena_free(a);
}
