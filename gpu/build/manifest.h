/*
 * gpu/build/manifest - the JSON file that a buyer writes.
 *
 * Read with positions: every error names file, line, column and what was
 * expected there.  Unknown keys are errors that name the nearest known key,
 * duplicate keys are refused.  Nothing is compiled here; what needs kernels
 * is checked in build.h.
 */
#ifndef WEFT_GPU_BUILD_MANIFEST_H
#define WEFT_GPU_BUILD_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/limits.h"
#include "gpu/build/files.h"
#include "gpu/program/program.h"

struct arena;

/* Most of each, beside base/limits.h. */
#define MANIFEST_SOURCES_MAX	  32u
#define MANIFEST_NAMES_MAX	  256u /* of let, columns, defines each */
#define MANIFEST_ARGS_MAX	  256u
#define MANIFEST_ARG_BYTES_MAX	  4096u
#define MANIFEST_VIEW_COLUMNS_MAX 64u

/* An integer expression, and where it stands in the manifest. */
struct manifest_expr {
	struct program_expr expr;
	struct build_pos at;
};

/* Kinds of arguments. */
enum manifest_arg_kind {
	MANIFEST_ARG_BUFFER, /* address of buffer + value */
	MANIFEST_ARG_NULL,
	MANIFEST_ARG_LENGTH, /* true length of a padded input, as u64 */
	MANIFEST_ARG_BYTES,
	MANIFEST_ARG_VALUE, /* a scalar: value as type */
};

/* A buffer's address inside a struct argument. */
struct manifest_at {
	uint32_t byte; /* offset in the struct */
	uint32_t buffer;
	struct manifest_expr offset;
};

struct manifest_arg {
	enum manifest_arg_kind kind;
	const char *key; /* "f32", "buffer": as written */
	enum program_type type;
	bool is_float; /* f16 f32 f64: type is B16 ... */
	uint32_t buffer;
	struct manifest_expr value;    /* VALUE; BUFFER: offset in bytes */
	struct bytes data;	       /* BYTES */
	const struct manifest_at *ats; /* sorted by byte */
	uint32_t at_count;
	struct build_pos at;
};

enum manifest_step_kind {
	MANIFEST_LAUNCH,
	MANIFEST_COPY,
	MANIFEST_FILL,
	MANIFEST_LOOP,
};

struct manifest_step {
	enum manifest_step_kind kind;
	struct build_pos at;
	/* launch */
	struct bytes kernel;
	struct manifest_expr grid[3];
	struct manifest_expr cta[3];
	struct manifest_expr shared_bytes;
	const struct manifest_arg *args;
	uint32_t arg_count;
	/* copy: buffer -> to; fill: to */
	uint32_t buffer;
	uint32_t to;
	bool is_whole; /* copy without bytes: all of it */
	struct manifest_expr bytes;
	struct manifest_expr from_offset;
	struct manifest_expr to_offset;
	struct manifest_expr with; /* 0 to 255 */
	/* loop */
	uint64_t times;
	struct bytes index; /* its name, or empty */
	const struct manifest_step *steps;
	uint32_t step_count;
};

/* Formats of pictures. */
enum manifest_pixels {
	MANIFEST_GRAY8 = 0,
	MANIFEST_RGB8 = 1,
	MANIFEST_RGBA8 = 2,
	MANIFEST_F32 = 3,
};

struct manifest_buffer {
	struct bytes name;
	struct build_pos at;
	uint64_t size_bytes;
	struct build_source from; /* NONE: filled */
	bool is_png;
	enum manifest_pixels png_format;
	bool is_padded; /* a shorter file is taken */
	uint8_t pad;
	uint8_t fill;
	struct bytes save; /* output file, or empty */
};

struct manifest_symbol {
	struct bytes name;
	struct build_source from;
	struct build_pos at;
};

struct manifest_define {
	const char *name;
	const char *value;
};

/* A column of the task table. */
struct manifest_column {
	struct bytes name;
	bool is_integer; /* every row is a decimal or 0x integer */
	bool is_number;	 /* every row is a decimal number */
};

struct manifest_table {
	const struct manifest_column *columns;
	uint32_t column_count;
	/* cells[row * column_count + column], unquoted */
	const struct bytes *cells;
};

/* A column that the program carries: one of the table, as one type.  In the
 * order of first use in the manifest; expressions index this list. */
struct manifest_carried {
	uint32_t column;
	enum program_column type;
};

enum manifest_confidence {
	MANIFEST_SAMPLED, /* samples = 0: the network's default */
	MANIFEST_DUAL,
	MANIFEST_FULL,
	MANIFEST_TASKS,
};

enum manifest_device {
	MANIFEST_DEVICE_ANY,
	MANIFEST_DEVICE_GPU,
	MANIFEST_DEVICE_CPU,
};

enum manifest_map {
	MANIFEST_MAP_GRAY,
	MANIFEST_MAP_VIRIDIS,
	MANIFEST_MAP_SIGNED,
};

/* view.picture and view.frames. */
struct manifest_picture {
	bool is_set;
	uint32_t buffer;
	enum manifest_pixels format;
	uint32_t width;
	uint32_t height;
	bool is_auto; /* range from the data */
	double low;
	double high;
	enum manifest_map map;
	uint32_t columns; /* tasks a row of tiles; 0: one task */
	struct build_pos at;
};

/* view.table, view.line, view.points: columns by name. */
struct manifest_series {
	struct bytes name;
	bool is_buffer;
	uint32_t buffer;  /* or column */
	const char *type; /* of a buffer's elements */
};

struct manifest_chart {
	bool is_set;
	const struct manifest_series *series;
	uint32_t series_count;
	struct bytes sort; /* a series' name; empty: none */
	bool is_descending;
	uint32_t top;
	struct build_pos at;
};

struct manifest {
	const char *file; /* as given, for messages */
	struct bytes name;
	bool is_ptx; /* sources are PTX */
	const struct build_source *sources;
	uint32_t source_count;
	const struct manifest_define *defines;
	uint32_t define_count;
	const struct bytes *includes; /* folders beside the manifest */
	uint32_t include_count;
	bool fmad;
	uint32_t stack_bytes;
	const struct manifest_buffer *buffers;
	uint32_t buffer_count;
	const struct manifest_symbol *symbols;
	uint32_t symbol_count;
	const struct manifest_step *steps;
	uint32_t step_count;
	uint64_t task_count;
	struct bytes task_index;     /* its name, or empty */
	struct manifest_table table; /* empty without a table */
	const struct manifest_carried *carried;
	uint32_t carried_count;
	uint64_t limit_ops; /* 0: default */
	uint64_t cta_ops;   /* 0: default */
	uint64_t seconds;   /* 0: default */
	struct bytes unit_name;
	uint64_t unit_per_task;
	enum manifest_device device;
	uint32_t sm_min; /* 0: none */
	uint64_t memory_min_bytes;
	enum manifest_confidence confidence;
	uint32_t samples;
	const uint32_t *check_tasks;
	uint32_t check_task_count;
	bool trace_segments;
	struct manifest_picture picture;
	struct manifest_picture frames;
	struct manifest_chart table_view;
	struct manifest_chart line;
	struct manifest_chart points;
};

/*
 * Read a manifest.
 *
 * a        in/out  holds everything that ret_m points to, and the diagnosis
 * text             the JSON; borrowed for as long as ret_m is used
 * file             its name for messages, copied
 * files            opens the task table only; borrowed for the call
 * ret_m            written only on ERR_OK
 * reterr_diag      written on everything but ERR_OK
 *
 * Cost: O(text + table), no kernel is touched.  Returns ERR_OK, ERR_MANIFEST
 * (what and where in reterr_diag), ERR_IO (the table cannot be read),
 * ERR_NO_MEMORY.
 */
MUST_USE enum err manifest_read(struct arena *a, struct bytes text,
				const char *file,
				const struct build_files *files,
				struct manifest *ret_m,
				struct build_diag *reterr_diag);

/* Carried column carried_index of one task: an integer, or raw float bits.
 * ERR_OK or ERR_OVERFLOW (a float that is out of its type's range). */
MUST_USE enum err manifest_carried_value(const struct manifest *m,
					 uint32_t carried_index, uint64_t task,
					 int64_t *ret_value);

/* name with {t} and {column} of one task replaced, in a; empty: no memory. */
MUST_USE struct bytes manifest_task_name(struct arena *a,
					 const struct manifest *m,
					 struct bytes name, uint64_t task);

/* True if name holds {t} or a {column}: one file a task. */
bool manifest_name_is_per_task(const struct manifest *m, struct bytes name);

/* True if some input is one file a task. */
bool manifest_inputs_per_task(const struct manifest *m);

/* The known word that is nearest to word, for messages; NULL if none is
 * near. */
const char *manifest_nearest(struct bytes word, const char *const *known,
			     size_t known_count);

#endif /* WEFT_GPU_BUILD_MANIFEST_H */
