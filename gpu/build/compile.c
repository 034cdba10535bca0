/*
 * NVRTC by its C interface, found at run time: the header is not needed and
 * its absence is normal.  All headers of ours and of the user are handed over
 * as memory; only the toolkit's own folders are on the include path.
 */
#define _POSIX_C_SOURCE 200809L

#include "gpu/build/compile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "gpu/build/priv/unit.h"
#include "gpu/strict/strict.h"

#define OPTIONS_MAX	  1200u
#define LOG_BYTES_MAX	  (64u << 10)
#define PROBE_BYTES_MAX	  (64u << 20)
#define ARCHITECTURES_MAX 256

struct nvrtc_program;

/* name, result, arguments */
#define NVRTC_LIST(X)                                                          \
	X(nvrtcVersion, int, (int *, int *))                                   \
	X(nvrtcCreateProgram, int,                                             \
	  (struct nvrtc_program **, const char *, const char *, int,           \
	   const char *const *, const char *const *))                          \
	X(nvrtcDestroyProgram, int, (struct nvrtc_program **))                 \
	X(nvrtcCompileProgram, int,                                            \
	  (struct nvrtc_program *, int, const char *const *))                  \
	X(nvrtcAddNameExpression, int, (struct nvrtc_program *, const char *)) \
	X(nvrtcGetLoweredName, int,                                            \
	  (struct nvrtc_program *, const char *, const char **))               \
	X(nvrtcGetPTXSize, int, (struct nvrtc_program *, size_t *))            \
	X(nvrtcGetPTX, int, (struct nvrtc_program *, char *))                  \
	X(nvrtcGetProgramLogSize, int, (struct nvrtc_program *, size_t *))     \
	X(nvrtcGetProgramLog, int, (struct nvrtc_program *, char *))           \
	X(nvrtcGetErrorString, const char *, (int))                            \
	X(nvrtcGetNumSupportedArchs, int, (int *))                             \
	X(nvrtcGetSupportedArchs, int, (int *))

struct build_compiler {
	void *library;
	void *builtins; /* NULL: the linker finds it by itself */
	char *includes[4];
#define X(name, result, args) result(*name) args;
	NVRTC_LIST(X)
#undef X
};

static enum err no_compiler(struct build_diag *diag, const char *text)
{
	*diag = (struct build_diag){.text = text ? text
						 : err_words(ERR_NO_MEMORY)};
	return text ? ERR_NO_COMPILER : ERR_NO_MEMORY;
}

static bool load_symbols(struct build_compiler *c)
{
#define X(name, result, args)                       \
	{                                           \
		void *p = dlsym(c->library, #name); \
                                                    \
		if (!p)                             \
			return false;               \
		memcpy(&c->name, &p, sizeof(p));    \
	}
	NVRTC_LIST(X)
#undef X
	return true;
}

/*
 * NVRTC opens its builtins by name only, which works when their folder is on
 * the linker's path.  Loaded here first, the name is known.
 */
static void *load_builtins(struct arena *a, const char *library)
{
	static const char leaf[] = "libnvrtc-builtins.so.";
	const char *slash = strrchr(library, '/');
	const char *version = strstr(library, ".so.");
	char folder[BUILD_PATH_BYTES_MAX];
	struct dirent *e;
	const char *path = NULL;
	DIR *dir;

	if (!slash || !version || slash - library >= (long)sizeof(folder))
		return NULL;
	memcpy(folder, library, (size_t)(slash - library));
	folder[slash - library] = '\0';
	dir = opendir(folder);
	while (dir && (e = readdir(dir)) != NULL)
		if (strncmp(e->d_name, leaf, sizeof(leaf) - 1) == 0 &&
		    strncmp(e->d_name + sizeof(leaf) - 1, version + 4,
			    strlen(version + 4)) == 0)
			path = arena_printf(a, "%s/%s", folder, e->d_name);
	if (dir)
		closedir(dir);
	return path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
}

static bool copy_includes(struct build_compiler *c,
			  const struct build_nvrtc_place *place)
{
	for (size_t i = 0; i < 3 && place->includes[i]; i++) {
		c->includes[i] = strdup(place->includes[i]);
		if (!c->includes[i])
			return false;
	}
	return true;
}

enum err build_compiler_new(struct arena *a,
			    const struct build_nvrtc_place *place,
			    struct build_compiler **ret_c,
			    struct build_diag *reterr_diag)
{
	static const char probe[] = "__global__ void weft_probe() {}\n";
	struct build_unit u = {
		.source = {"probe.cu",
			   {(const uint8_t *)probe, sizeof(probe) - 1}},
		.fmad = true,
		.sm = 75,
	};
	struct build_compiler *c = calloc(1, sizeof(*c));
	struct arena *scratch;
	struct bytes ptx;
	enum err err;

	if (!c)
		return no_compiler(reterr_diag, NULL);
	if (!copy_includes(c, place)) {
		build_compiler_free(c);
		return no_compiler(reterr_diag, NULL);
	}
	c->builtins = load_builtins(a, place->library);
	c->library = dlopen(place->library, RTLD_NOW | RTLD_LOCAL);
	if (!c->library || !load_symbols(c)) {
		const char *why = dlerror();
		const char *text =
			arena_printf(a, "cannot load %s: %s", place->library,
				     why ? why : "?");

		build_compiler_free(c);
		return no_compiler(reterr_diag, text);
	}
	scratch = arena_new(PROBE_BYTES_MAX);
	if (!scratch) {
		build_compiler_free(c);
		return no_compiler(reterr_diag, NULL);
	}
	err = build_compile(c, scratch, &u, &ptx, reterr_diag);
	if (err != ERR_OK) {
		const char *text =
			arena_printf(a,
				     "%s cannot compile an empty kernel: "
				     "%s",
				     place->library, reterr_diag->text);

		err = no_compiler(reterr_diag, text);
		build_compiler_free(c);
		c = NULL;
	}
	arena_free(scratch);
	*ret_c = c;
	return err;
}

void build_compiler_free(struct build_compiler *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < 4; i++)
		free(c->includes[i]);
	if (c->library)
		dlclose(c->library);
	if (c->builtins)
		dlclose(c->builtins);
	free(c);
}

/* What is handed to NVRTC; all strings zero-terminated, in the arena. */
struct input {
	struct arena *a;
	const char *options[OPTIONS_MAX];
	int option_count;
	const char **header_names;
	const char **header_texts;
	int header_count;
	bool full; /* no memory, or too many */
};

static void add_option(struct input *in, const char *option)
{
	if (!option || in->option_count == OPTIONS_MAX)
		in->full = true;
	else
		in->options[in->option_count++] = option;
}

static void add_header(struct input *in, const char *name, struct bytes text)
{
	const char *copy = arena_str(in->a, text);

	if (!copy)
		in->full = true;
	in->header_names[in->header_count] = name;
	in->header_texts[in->header_count++] = copy;
}

/* The newest that this NVRTC compiles for and that sm can run. */
static uint32_t architecture(const struct build_compiler *c, uint32_t sm)
{
	int known[ARCHITECTURES_MAX], count = 0, best = 0;

	if (c->nvrtcGetNumSupportedArchs(&count) != 0 ||
	    count > ARCHITECTURES_MAX || c->nvrtcGetSupportedArchs(known) != 0)
		return sm;
	for (int i = 0; i < count; i++)
		if (known[i] > best && known[i] <= (int)sm)
			best = known[i];
	return best ? (uint32_t)best : sm;
}

static void make_options(struct input *in, const struct build_compiler *c,
			 const struct build_unit *u)
{
	add_option(in, arena_printf(in->a, "--gpu-architecture=compute_%u",
				    (unsigned)architecture(c, u->sm)));
	add_option(in, "--std=c++17");
	add_option(in, u->fmad ? "--fmad=true" : "--fmad=false");
	add_option(in, "--generate-line-info");
	add_option(in, arena_printf(in->a, "--pre-include=%s", strict_prelude));
	for (uint32_t i = 0; i < u->define_count; i++)
		add_option(in, arena_printf(in->a, "--define-macro=%s%s%s",
					    u->defines[i].name,
					    u->defines[i].value[0] ? "=" : "",
					    u->defines[i].value));
	for (size_t i = 0; i < 4 && c->includes[i]; i++)
		add_option(in, arena_printf(in->a, "--include-path=%s",
					    c->includes[i]));
}

static void make_headers(struct input *in, const struct build_unit *u)
{
	size_t count = u->header_count + build_shim_count + strict_header_count;

	in->header_names = ARENA_ARRAY(in->a, count, const char *);
	in->header_texts = ARENA_ARRAY(in->a, count, const char *);
	if (!in->header_names || !in->header_texts) {
		in->full = true;
		return;
	}
	for (uint32_t i = 0; i < u->header_count; i++)
		add_header(in, u->headers[i].name, u->headers[i].text);
	for (uint32_t i = 0; i < build_shim_count; i++)
		add_header(in, build_shims[i].name, build_shims[i].text);
	for (size_t i = 0; i < strict_header_count; i++)
		add_header(in, strict_headers[i].name,
			   bytes_of(strict_headers[i].text,
				    strict_headers[i].bytes));
}

/* NVRTC's log, cut to LOG_BYTES_MAX. */
static const char *get_log(const struct build_compiler *c, struct arena *a,
			   struct nvrtc_program *p)
{
	size_t n = 0;
	char *log;

	if (c->nvrtcGetProgramLogSize(p, &n) != 0 || n < 2 || n > (8u << 20))
		return "the compiler failed without a message";
	log = ARENA_ARRAY(a, n + 1, char);
	if (!log)
		return err_words(ERR_NO_MEMORY);
	if (c->nvrtcGetProgramLog(p, log) != 0)
		return "the compiler failed without a message";
	if (n > LOG_BYTES_MAX)
		n = LOG_BYTES_MAX;
	log[n] = '\0';
	n = strlen(log);
	while (n > 0 && log[n - 1] == '\n')
		log[--n] = '\0';
	return log;
}

#define HOST_HINT                                                           \
	"hint: only kernels are compiled, launches stand in the manifest; " \
	"put host code between #ifndef __CUDACC_RTC__ and #endif"

/* What NVRTC says of a file that was written for nvcc, and what helps. */
static const struct {
	const char *sign;
	const char *hint;
} hints[] = {
	{"cub/device/",
	 "hint: cub's functions for the host do not compile for a device alone; "
	 "include what the kernel uses, such as <cub/block/block_scan.cuh>"},
	{"cannot open source file",
	 "hint: only toolkit headers (cuda/std/limits, cub/block/...) and small "
	 "C ones (stdint.h, math.h, ...) are there; put your own beside the "
	 "manifest and name their folder in \"include\""},
	{"\"__reduce_",
	 "hint: cards before sm_80 lack it; say that yours are newer: "
	 "\"device\": {\"sm_min\": 80}, or --sm-min 80"},
	{"\"cudaMalloc\" is undefined", HOST_HINT},
	{"\"cudaMemcpy\" is undefined", HOST_HINT},
	{"\"cudaDeviceSynchronize\" is undefined", HOST_HINT},
	{"device-side kernel launch", HOST_HINT},
	{"is considered a host function", HOST_HINT},
};

static const char *with_hint(struct arena *a, const char *log)
{
	const char *ret = NULL;

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]) && !ret; i++)
		if (strstr(log, hints[i].sign))
			ret = arena_printf(a, "%s\n\n%s", log, hints[i].hint);
	return ret ? ret : log;
}

/* path behind folder and a slash; all of path if it lies elsewhere. */
static struct bytes below(struct bytes path, const char *folder)
{
	size_t n = strlen(folder);

	if (n > 0 && folder[n - 1] == '/')
		n--;
	if (path.n > n + 1 && bytes_starts(path, bytes_of(folder, n)) &&
	    path.p[n] == '/')
		return bytes_skip(path, n + 1);
	return path;
}

/* path and what follows it on the line: "<path>" for a header of the toolkit,
 * relative if it lies in the user's folder. */
static void put_path(const struct build_compiler *c, struct buf *out,
		     struct bytes path, const char *users)
{
	struct bytes rest = path;
	const uint8_t *quote;

	for (size_t i = 4; i-- > 0;)
		if (c->includes[i])
			rest = below(rest, c->includes[i]);
	quote = rest.n < path.n ? memchr(rest.p, '"', rest.n) : NULL;
	if (quote) {
		size_t n = (size_t)(quote - rest.p);

		buf_printf(out, "<%.*s>", (int)n, (const char *)rest.p);
		buf_put_bytes(out, bytes_skip(rest, n));
	} else {
		buf_put_bytes(out, below(path, users));
	}
}

/*
 * NVRTC writes the sources' absolute paths into .file.  Without this
 * machine's folders the PTX is the same wherever it was made.
 */
static void put_relative(const struct build_compiler *c, struct buf *out,
			 struct bytes ptx)
{
	char folder[BUILD_PATH_BYTES_MAX];

	if (!getcwd(folder, sizeof(folder)))
		folder[0] = '\0';
	while (ptx.n > 0) {
		const uint8_t *end = memchr(ptx.p, '\n', ptx.n);
		size_t n = end ? (size_t)(end - ptx.p) + 1 : ptx.n;
		struct bytes line = bytes_of(ptx.p, n);
		const uint8_t *quote = bytes_starts(line, BYTES_LIT("\t.file"))
					       ? memchr(line.p, '"', line.n)
					       : NULL;

		n = quote ? (size_t)(quote - line.p) + 1 : line.n;
		buf_put(out, line.p, n);
		if (quote)
			put_path(c, out, bytes_skip(line, n), folder);
		ptx = bytes_skip(ptx, line.n);
	}
}

/* The leading lines, then what NVRTC printed. */
static enum err take_ptx(const struct build_compiler *c, struct arena *a,
			 struct nvrtc_program *p, const struct build_unit *u,
			 struct bytes *ret_ptx)
{
	struct buf b = buf_make(PTX_TEXT_BYTES_MAX);
	struct hash key = build_unit_key(u);
	char text[HASH_TEXT_BYTES];
	size_t n = 0;
	char *room;
	enum err err;

	if (c->nvrtcGetPTXSize(p, &n) != 0 || n == 0 || n > PTX_TEXT_BYTES_MAX)
		return n > PTX_TEXT_BYTES_MAX ? ERR_LIMIT : ERR_COMPILE;
	room = ARENA_ARRAY(a, n, char);
	if (!room)
		return ERR_NO_MEMORY;
	if (c->nvrtcGetPTX(p, room) != 0)
		return ERR_COMPILE;
	buf_printf(&b, BUILD_PTX_MARK "%s\n", hash_text(&key, text));
	for (uint32_t i = 0; i < u->kernel_count; i++) {
		const char *lowered = NULL;

		if (c->nvrtcGetLoweredName(p, u->kernels[i], &lowered) == 0 &&
		    lowered)
			buf_printf(&b, BUILD_PTX_KERNEL "%s %s\n",
				   u->kernels[i], lowered);
	}
	put_relative(c, &b, bytes_of(room, n - 1));
	err = b.err;
	if (err == ERR_OK) {
		*ret_ptx = arena_copy(a, buf_bytes(&b));
		if (!ret_ptx->p)
			err = ERR_NO_MEMORY;
	}
	buf_free(&b);
	return err;
}

static enum err compile_program(const struct build_compiler *c,
				struct input *in, struct nvrtc_program *p,
				const struct build_unit *u,
				struct bytes *ret_ptx, struct build_diag *diag)
{
	enum err err;

	for (uint32_t i = 0; i < u->kernel_count; i++) {
		if (c->nvrtcAddNameExpression(p, u->kernels[i]) == 0)
			continue;
		diag->text = arena_printf(in->a,
					  "\"%s\" is no name "
					  "expression",
					  u->kernels[i]);
		return ERR_COMPILE;
	}
	if (c->nvrtcCompileProgram(p, in->option_count, in->options) != 0) {
		diag->text = with_hint(in->a, get_log(c, in->a, p));
		return ERR_COMPILE;
	}
	err = take_ptx(c, in->a, p, u, ret_ptx);
	if (err == ERR_LIMIT)
		diag->text = "the PTX is longer than 4 MiB";
	else if (err == ERR_COMPILE)
		diag->text = "the compiler gave no PTX";
	return err;
}

enum err build_compile(struct build_compiler *c, struct arena *a,
		       const struct build_unit *u, struct bytes *ret_ptx,
		       struct build_diag *reterr_diag)
{
	struct input *in = ARENA_NEW(a, struct input);
	struct nvrtc_program *p = NULL;
	const char *source;
	int code;
	enum err err;

	*reterr_diag = (struct build_diag){.text = err_words(ERR_NO_MEMORY)};
	if (!in)
		return ERR_NO_MEMORY;
	in->a = a;
	make_options(in, c, u);
	make_headers(in, u);
	source = arena_str(a, u->source.text);
	if (!source || in->full)
		return ERR_NO_MEMORY;
	code = c->nvrtcCreateProgram(&p, source, u->source.name,
				     in->header_count, in->header_texts,
				     in->header_names);
	if (code != 0) {
		reterr_diag->text = arena_printf(a, "NVRTC: %s",
						 c->nvrtcGetErrorString(code));
		return ERR_COMPILE;
	}
	err = compile_program(c, in, p, u, ret_ptx, reterr_diag);
	c->nvrtcDestroyProgram(&p);
	return err;
}
