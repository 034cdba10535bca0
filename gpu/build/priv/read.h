/*
 * gpu/build/priv/read - what the readers of a manifest share.
 *
 * The first error sticks: it is recorded with its position, and everything
 * after it reads zeroes, so that a run of reads is checked once at its end.
 */
#ifndef WEFT_GPU_BUILD_PRIV_READ_H
#define WEFT_GPU_BUILD_PRIV_READ_H

#include "base/arena.h"
#include "gpu/build/manifest.h"
#include "gpu/build/priv/json.h"

/* Operands of REPEAT in the code of a let: names, not depths. */
#define READ_LOOP_NAME 1000

struct read_let {
	struct bytes name;
	struct program_expr expr; /* loops by name: READ_LOOP_NAME + index */
};

struct read {
	struct arena *a;
	const char *file;
	struct build_diag *diag;
	enum err err;
	struct manifest *m;

	struct read_let *lets;
	uint32_t let_count;
	/* indexes of all loops, each name once */
	struct bytes *loop_names;
	uint32_t loop_name_count;
	/* open loops, outermost first: indexes into loop_names; UINT32_MAX
	 * for a loop without an index */
	uint32_t loops[PROGRAM_REPEAT_DEPTH];
	uint32_t loop_count;
	/* room for m->carried */
	struct manifest_carried *carried;
	uint32_t step_total;
};

/* What an expression may depend on. */
enum read_scope {
	READ_CONST = 0, /* nothing */
	READ_LOOPS = 1, /* the loops around it */
	READ_TASK = 2,	/* also the task's index and integer columns */
	READ_LET = 3,	/* loops by name, the task, columns */
};

/* Record an error at a place of the manifest; the first one stays. */
void read_fail(struct read *r, struct build_pos at, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
bool read_ok(const struct read *r);

/* Memory of the arena; fails r when there is none.  At least one element. */
void *read_alloc(struct read *r, size_t count, size_t size, size_t align);
#define READ_ARRAY(r, count, type) \
	((type *)read_alloc(r, count, sizeof(type), _Alignof(type)))

/*
 * Members of an object by name: ret[i] is the member keys[i] or NULL.
 * Fails on anything but an object and on unknown keys, naming the nearest.
 * what: "a buffer", for messages.
 */
bool read_object(struct read *r, const struct json *j, const char *what,
		 const char *const *keys, size_t key_count,
		 const struct json **ret);

/* As read_object for one key of an object that must be there. */
bool read_need(struct read *r, const struct json *parent,
	       const struct json *member, const char *key, const char *what);

/* A string of 1 to max bytes. */
struct bytes read_string(struct read *r, const struct json *j, const char *what,
			 size_t max);

/* One of words; its index. */
uint32_t read_word(struct read *r, const struct json *j, const char *what,
		   const char *const *words, size_t count);

bool read_bool(struct read *r, const struct json *j, const char *what);

/* [A-Za-z_][A-Za-z0-9_]* */
bool read_is_name(struct bytes s);

/* An expression in this scope. */
struct manifest_expr read_expr(struct read *r, const struct json *j,
			       enum read_scope scope, const char *what);

/* A constant expression between low and high. */
int64_t read_int(struct read *r, const struct json *j, int64_t low,
		 int64_t high, const char *what);

/* Text of an expression starting at at (plain: columns count on). */
bool read_expr_text(struct read *r, struct bytes text, struct build_pos at,
		    bool plain, enum read_scope scope,
		    struct program_expr *ret);

/* The index under which the program carries this column as type; adds it. */
uint32_t read_carry(struct read *r, uint32_t column, enum program_column type);

/* A column of the table by name, or UINT32_MAX. */
uint32_t read_column(const struct read *r, struct bytes name);

/* The buffer named by j. */
uint32_t read_buffer_name(struct read *r, const struct json *j);

/* A file: a path, {"blob": ROOT} or {"text": ...}. */
struct build_source read_source(struct read *r, const struct json *j,
				const char *what, bool per_task);

/* A path for writing or a folder: relative, without "..". */
bool read_safe_path(struct bytes path);

/* Placeholders of a file name must be known; what: for messages. */
void read_pattern(struct read *r, struct bytes name, struct build_pos at);

/* Parts of the manifest, one file each. */
void read_lets(struct read *r, const struct json *j);
void read_loop_names(struct read *r, const struct json *steps, unsigned depth);
void read_tasks(struct read *r, const struct json *j,
		const struct build_files *files);
void read_task_count(struct read *r, const struct json *j);
void read_buffers(struct read *r, const struct json *j);
void read_saves_check(struct read *r);
void read_steps(struct read *r, const struct json *j);
void read_view(struct read *r, const struct json *j);
void read_sources(struct read *r, const struct json *root,
		  const struct json *cuda, const struct json *ptx);

#endif /* WEFT_GPU_BUILD_PRIV_READ_H */
