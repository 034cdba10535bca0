/*
 * gpu/build/compile - CUDA C to PTX by NVRTC.
 *
 * Two halves.  The command line collects sources and headers, computes the
 * key of all inputs and looks into its cache; the worker loads NVRTC, locks
 * itself down and compiles from memory.  The PTX that results begins with
 *
 *   // weft <64 hex digits of the key>
 *   // kernel <name expression> <lowered name>        (one per template)
 *
 * so that the same text can be committed beside its source and used where
 * NVRTC is not installed.
 */
#ifndef WEFT_GPU_BUILD_COMPILE_H
#define WEFT_GPU_BUILD_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/build/files.h"

struct arena;
struct manifest;

#define BUILD_HEADERS_MAX    1024u
#define BUILD_KERNELS_MAX    256u
#define BUILD_PATH_BYTES_MAX 4096u

struct build_text {
	const char *name;
	struct bytes text;
};

struct build_define {
	const char *name;
	const char *value; /* "" for a bare -D */
};

/* One source; everything borrowed. */
struct build_unit {
	struct build_text source;
	const struct build_text *headers; /* by the name in #include */
	uint32_t header_count;
	const struct build_define *defines;
	uint32_t define_count;
	const char *const *kernels; /* name expressions with '<' */
	uint32_t kernel_count;
	bool fmad;
	uint32_t sm; /* 75, 80, ... */
};

/*
 * The units of a manifest's cuda sources: texts, headers that they include
 * from beside them or from the include folders (transitively, whatever #if
 * says), defines, name expressions.  All in a.
 * Returns ERR_OK, ERR_MANIFEST (a source is missing, too large; diagnosis),
 * ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err build_units(struct arena *a, const struct manifest *m,
			      const struct build_files *files,
			      struct build_unit **ret_units,
			      uint32_t *ret_count,
			      struct build_diag *reterr_diag);

/*
 * SHA-256 over everything the PTX depends on but the compiler's version:
 * source, headers, our strict math, defines, name expressions, fmad, target.
 */
struct hash build_unit_key(const struct build_unit *u);

/* True if ptx starts with "// weft <key of u>". */
bool build_ptx_fits(struct bytes ptx, const struct build_unit *u);

/* x.cu -> x.ptx, where committed PTX lies; in a, NULL: no memory. */
const char *build_ptx_name(struct arena *a, const char *source_name);

/* Canonical record of a unit, for the worker's wire; decode borrows in. */
void build_unit_encode(struct buf *out, const struct build_unit *u);
MUST_USE enum err build_unit_decode(struct arena *a, struct bytes in,
				    struct build_unit *ret_unit);

/* Where NVRTC was found; strings in the arena of the call. */
struct build_nvrtc_place {
	const char *library;	 /* path of libnvrtc.so.* */
	const char *includes[4]; /* toolkit and CCCL folders, NULL at the end */
	struct hash identity;	 /* of path, size and time of the library */
};

/*
 * Search, in this order: $WEFT_NVRTC_DIR; "nvrtc" beside the folder of the
 * running program and in the folder above it (contrib/setup puts the wheels
 * there); /usr/local/cuda; the linker's path.
 * Returns ERR_OK, ERR_NO_COMPILER (reterr text names what installs it),
 * ERR_NO_MEMORY.
 */
MUST_USE enum err build_nvrtc_find(struct arena *a,
				   struct build_nvrtc_place *ret_place,
				   struct build_diag *reterr_diag);

/* A loaded NVRTC.  One per process; not thread-safe. */
struct build_compiler;

/*
 * Load the library and compile an empty kernel, so that all files that NVRTC
 * opens lazily are open: call before the process locks down.  Afterwards only
 * the folders in place->includes are read.
 * Returns ERR_OK, ERR_NO_COMPILER, ERR_NO_MEMORY.
 */
MUST_USE enum err build_compiler_new(struct arena *a,
				     const struct build_nvrtc_place *place,
				     struct build_compiler **ret_c,
				     struct build_diag *reterr_diag);
void build_compiler_free(struct build_compiler *c); /* NULL is fine */

/*
 * Compile one unit.  Never opens a file but those under place->includes.
 * Blocks for as long as NVRTC takes (0.1 to 10 s).
 * ret_ptx          in a, with the leading lines described above
 * Returns ERR_OK, ERR_COMPILE (reterr_diag->text: NVRTC's log with the
 * user's files and lines), ERR_NO_MEMORY.
 */
MUST_USE enum err build_compile(struct build_compiler *c, struct arena *a,
				const struct build_unit *u,
				struct bytes *ret_ptx,
				struct build_diag *reterr_diag);

/*
 * A folder of compiled PTX, named by key and compiler.  get: ERR_OK or
 * ERR_NOT_FOUND; put replaces atomically, a failure to write is ERR_IO and
 * harmless.
 */
MUST_USE enum err build_cache_get(int folder_fd, struct arena *a,
				  const struct build_unit *u,
				  const struct build_nvrtc_place *place,
				  struct bytes *ret_ptx);
MUST_USE enum err build_cache_put(int folder_fd, const struct build_unit *u,
				  const struct build_nvrtc_place *place,
				  struct bytes ptx);

/*
 * PTX of a unit without NVRTC: the committed file beside the source, if its
 * first line fits.  Else ERR_NO_COMPILER with the command that installs it.
 */
MUST_USE enum err build_committed(struct arena *a, const struct build_unit *u,
				  const struct build_files *files,
				  struct bytes *ret_ptx,
				  struct build_diag *reterr_diag);

#endif /* WEFT_GPU_BUILD_COMPILE_H */
