/*
 * gpu/build/files - where a manifest's files come from.
 *
 * The command line reads them from the folder of the manifest; the worker and
 * the RPC have no file system and are handed bytes.  The same code serves
 * both through struct build_files.
 */
#ifndef WEFT_GPU_BUILD_FILES_H
#define WEFT_GPU_BUILD_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

struct arena;

/* Most bytes of a manifest, of a table, and of one source or header. */
#define BUILD_MANIFEST_BYTES_MAX (4u << 20)
#define BUILD_TABLE_BYTES_MAX	 (256u << 20)
#define BUILD_SOURCE_BYTES_MAX	 (4u << 20)

/* A place in a text, from 1; 0 when unknown. */
struct build_pos {
	uint32_t line;
	uint32_t column; /* in bytes */
};

/*
 * What is wrong, and where.  file and text live in the arena of the call that
 * filled it.  text is one sentence, or a compiler's whole message (then it
 * brings its own positions, and at is 0).
 */
struct build_diag {
	const char *file;
	struct build_pos at;
	const char *text;
};

/* "file:line:column: text", parts that are unknown left out. */
void build_diag_put(struct buf *out, const struct build_diag *d);

enum build_source_kind {
	BUILD_SOURCE_NONE = 0,
	BUILD_SOURCE_PATH = 1, /* name: a path beside the manifest */
	BUILD_SOURCE_BLOB = 2, /* name: a root in lower-case hex */
	BUILD_SOURCE_TEXT = 3, /* name: the text itself */
};

/* {t} and {column} in name are replaced per task (manifest_source_name). */
struct build_source {
	enum build_source_kind kind;
	struct bytes name;
	struct build_pos at;
};

/* A file's bytes, held until build_files.close. */
struct build_data {
	struct bytes bytes;
	void *held; /* the implementation's */
};

/*
 * open: bytes of s, at most max_bytes.  why is filled with one clause ("no
 * such file") when it does not return ERR_OK; it may be a static string or
 * live in the implementation until the next call.  Never called for
 * BUILD_SOURCE_TEXT or NONE.
 * Returns ERR_OK, ERR_NOT_FOUND, ERR_LIMIT, ERR_REFUSED (this kind of source
 * is not taken here), ERR_IO, ERR_NO_MEMORY.
 */
struct build_files {
	void *ctx;
	enum err (*open)(void *ctx, const struct build_source *s,
			 uint64_t max_bytes, struct build_data *ret_data,
			 const char **reterr_why);
	void (*close)(void *ctx, struct build_data *d);
};

/*
 * Files by path from an open folder, which must outlive the result; blobs are
 * refused.  Files are mapped, so large inputs cost no memory of their own.
 */
struct build_files_folder {
	int folder_fd;
};
struct build_files build_files_folder(struct build_files_folder *f);

/* Files by name from memory: what the worker was sent. */
struct build_file {
	enum build_source_kind kind; /* PATH or BLOB */
	struct bytes name;
	struct bytes bytes;
};
struct build_files_memory {
	const struct build_file *files;
	size_t count;
};
struct build_files build_files_memory(struct build_files_memory *m);

/* Opens s by kind (a text is its own bytes); same returns as open. */
MUST_USE enum err build_open(const struct build_files *f,
			     const struct build_source *s, uint64_t max_bytes,
			     struct build_data *ret_data,
			     const char **reterr_why);
void build_close(const struct build_files *f, const struct build_source *s,
		 struct build_data *d);

#endif /* WEFT_GPU_BUILD_FILES_H */
