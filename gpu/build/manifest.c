/*
 * The order of reading is that of dependence: the task table brings names,
 * "let" uses them, everything else uses both.
 */
#include "gpu/build/manifest.h"

#include <string.h>

#include "gpu/build/priv/read.h"

/* name, its key */
#define KEY_LIST(X)                 \
	X(WEFT, "weft")             \
	X(NAME, "name")             \
	X(CUDA, "cuda")             \
	X(PTX, "ptx")               \
	X(DEFINES, "defines")       \
	X(INCLUDE, "include")       \
	X(FMAD, "fmad")             \
	X(STACK, "stack")           \
	X(LET, "let")               \
	X(BUFFERS, "buffers")       \
	X(SYMBOLS, "symbols")       \
	X(STEPS, "steps")           \
	X(TASKS, "tasks")           \
	X(LIMITS, "limits")         \
	X(UNIT, "unit")             \
	X(DEVICE, "device")         \
	X(CONFIDENCE, "confidence") \
	X(TRACE, "trace")           \
	X(VIEW, "view")

enum key {
#define X(name, text) KEY_##name,
	KEY_LIST(X)
#undef X
		KEY_COUNT
};

static const char *const keys[] = {
#define X(name, text) text,
	KEY_LIST(X)
#undef X
};

void read_sources(struct read *r, const struct json *root,
		  const struct json *cuda, const struct json *ptx)
{
	const struct json *j = cuda ? cuda : ptx;
	struct build_source *list;
	struct manifest *m = r->m;
	uint32_t count = 1;

	if (!read_ok(r))
		return;
	if (!cuda == !ptx) {
		read_fail(r, root->at,
			  "a manifest needs either \"cuda\" or \"ptx\"");
		return;
	}
	m->is_ptx = ptx != NULL;
	if (j->kind == JSON_ARRAY) {
		count = j->count;
		if (count < 1 || count > MANIFEST_SOURCES_MAX) {
			read_fail(r, j->at, "expected 1 to %u sources",
				  MANIFEST_SOURCES_MAX);
			return;
		}
		j = j->first;
	}
	list = READ_ARRAY(r, count, struct build_source);
	m->sources = list;
	for (; m->source_count < count && read_ok(r); j = j->next)
		list[m->source_count++] = read_source(
			r, j, m->is_ptx ? "\"ptx\"" : "\"cuda\"", false);
}

static const char *define_value(struct read *r, const struct json *j)
{
	struct bytes v = {NULL, 0};

	if (j->kind == JSON_BOOL)
		return j->truth ? "1" : "0";
	if (j->kind == JSON_NUMBER || j->kind == JSON_STRING)
		v = j->text;
	else
		read_fail(r, j->at,
			  "a define is a number, a string, true or false");
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < 0x20)
			read_fail(r, j->at, "a define must stand on one line");
	return arena_str(r->a, v);
}

static void read_defines(struct read *r, const struct json *j)
{
	struct manifest_define *list;

	if (!j || !read_ok(r))
		return;
	if (j->kind != JSON_OBJECT || j->count > MANIFEST_NAMES_MAX) {
		read_fail(r, j->at,
			  "expected \"defines\" as an object of at most %u",
			  MANIFEST_NAMES_MAX);
		return;
	}
	list = READ_ARRAY(r, j->count, struct manifest_define);
	r->m->defines = list;
	for (const struct json *c = j->first; c && read_ok(r); c = c->next) {
		struct manifest_define *d = &list[r->m->define_count++];

		if (!read_is_name(c->key)) {
			read_fail(r, c->key_at,
				  "a define's name has letters, digits and _ "
				  "only");
			return;
		}
		d->name = arena_str(r->a, c->key);
		d->value = define_value(r, c);
		if (read_ok(r) && (!d->name || !d->value))
			(void)read_alloc(r, SIZE_MAX, 2, 1);
	}
}

static void read_includes(struct read *r, const struct json *j)
{
	struct bytes *list;
	uint32_t count = 1;

	if (!j || !read_ok(r))
		return;
	if (j->kind == JSON_ARRAY) {
		count = j->count;
		j = j->first;
	}
	if (count > MANIFEST_SOURCES_MAX) {
		read_fail(r, j->at, "more than %u folders",
			  MANIFEST_SOURCES_MAX);
		return;
	}
	list = READ_ARRAY(r, count, struct bytes);
	r->m->includes = list;
	for (; r->m->include_count < count && read_ok(r); j = j->next)
		list[r->m->include_count++] =
			read_string(r, j, "a folder", 1000);
}

static void read_symbols(struct read *r, const struct json *j)
{
	struct manifest_symbol *list;

	if (!j || !read_ok(r))
		return;
	if (j->kind != JSON_OBJECT || j->count > PROGRAM_SYMBOLS_MAX) {
		read_fail(r, j->at,
			  "expected \"symbols\" as an object of at most %u",
			  PROGRAM_SYMBOLS_MAX);
		return;
	}
	list = READ_ARRAY(r, j->count, struct manifest_symbol);
	r->m->symbols = list;
	for (const struct json *c = j->first; c && read_ok(r); c = c->next) {
		struct manifest_symbol *s = &list[r->m->symbol_count++];

		s->name = c->key;
		s->at = c->key_at;
		s->from = read_source(r, c, "a symbol's bytes", false);
	}
}

static void read_limits(struct read *r, const struct json *j)
{
	static const char *const names[] = {"limit_ops", "cta_ops", "seconds"};
	const struct json *got[3];
	struct manifest *m = r->m;

	if (!j || !read_object(r, j, "\"limits\"", names, 3, got))
		return;
	if (got[0])
		m->limit_ops = (uint64_t)read_int(r, got[0], 1, INT64_MAX,
						  "\"limit_ops\"");
	if (got[1])
		m->cta_ops = (uint64_t)read_int(r, got[1], 1, INT64_MAX,
						"\"cta_ops\"");
	if (got[2])
		m->seconds = (uint64_t)read_int(r, got[2], 1, 1000000,
						"\"seconds\"");
}

static void read_unit(struct read *r, const struct json *j)
{
	static const char *const names[] = {"name", "per_task"};
	const struct json *got[2];

	if (!j || !read_object(r, j, "\"unit\"", names, 2, got) ||
	    !read_need(r, j, got[0], "name", "\"unit\"") ||
	    !read_need(r, j, got[1], "per_task", "\"unit\""))
		return;
	r->m->unit_name = read_string(r, got[0], "a unit's name", 64);
	r->m->unit_per_task =
		(uint64_t)read_int(r, got[1], 1, INT64_MAX, "\"per_task\"");
}

static void read_device(struct read *r, const struct json *j)
{
	static const char *const names[] = {"kind", "sm_min", "memory_min"};
	static const char *const kinds[] = {"any", "gpu", "cpu"};
	const struct json *got[3];
	struct manifest *m = r->m;

	if (!j || !read_object(r, j, "\"device\"", names, 3, got))
		return;
	if (got[0])
		m->device = (enum manifest_device)read_word(
			r, got[0], "a device's kind", kinds, 3);
	if (got[1])
		m->sm_min = (uint32_t)read_int(r, got[1], 50, 999,
					       "\"sm_min\", such as 75 or 90");
	if (got[2])
		m->memory_min_bytes = (uint64_t)read_int(
			r, got[2], 1, INT64_MAX, "\"memory_min\" in bytes");
}

static void read_check_tasks(struct read *r, const struct json *j)
{
	uint32_t *list;

	if (j->kind != JSON_ARRAY || j->count == 0) {
		read_fail(r, j->at, "expected \"tasks\" as a list of numbers");
		return;
	}
	list = READ_ARRAY(r, j->count, uint32_t);
	r->m->check_tasks = list;
	for (const struct json *c = j->first; c && read_ok(r); c = c->next)
		list[r->m->check_task_count++] = (uint32_t)read_int(
			r, c, 0, (int64_t)r->m->task_count - 1,
			"a task's number");
}

static void read_confidence(struct read *r, const struct json *j)
{
	static const char *const words[] = {"sampled", "dual", "full"};
	static const char *const names[] = {"samples", "tasks"};
	const struct json *got[2];

	if (!j || !read_ok(r))
		return;
	if (j->kind != JSON_OBJECT) {
		r->m->confidence = (enum manifest_confidence)read_word(
			r, j,
			"the confidence (or {\"samples\": n} or "
			"{\"tasks\": [...]})",
			words, 3);
		return;
	}
	if (!read_object(r, j, "\"confidence\"", names, 2, got))
		return;
	if (!got[0] == !got[1]) {
		read_fail(r, j->at,
			  "\"confidence\" needs either \"samples\" or "
			  "\"tasks\"");
		return;
	}
	if (got[0])
		r->m->samples =
			(uint32_t)read_int(r, got[0], 1, 10000, "\"samples\"");
	if (!got[1])
		return;
	r->m->confidence = MANIFEST_TASKS;
	read_check_tasks(r, got[1]);
}

static void read_head(struct read *r, const struct json *root,
		      const struct json *const *got)
{
	struct manifest *m = r->m;

	if (!read_need(r, root, got[KEY_WEFT], "weft", "a manifest") ||
	    !read_need(r, root, got[KEY_BUFFERS], "buffers", "a manifest") ||
	    !read_need(r, root, got[KEY_STEPS], "steps", "a manifest"))
		return;
	(void)read_int(r, got[KEY_WEFT], 1, 1,
		       "\"weft\", the manifest's version,");
	m->name = BYTES_LIT("job");
	if (got[KEY_NAME])
		m->name = read_string(r, got[KEY_NAME], "\"name\"", 100);
}

/* Nobody named the tasks' index: then "t" is free for others. */
static void free_default_index(struct read *r, const struct json *tasks,
			       const struct json *let)
{
	bool explicit = false;

	for (const struct json *c = tasks ? tasks->first : NULL; c; c = c->next)
		explicit = explicit || bytes_eq(c->key, BYTES_LIT("index"));
	if (explicit)
		return;
	for (const struct json *c = let ? let->first : NULL; c; c = c->next)
		if (bytes_eq(c->key, r->m->task_index))
			r->m->task_index = (struct bytes){NULL, 0};
	for (uint32_t i = 0; i < r->loop_name_count; i++)
		if (bytes_eq(r->loop_names[i], r->m->task_index))
			r->m->task_index = (struct bytes){NULL, 0};
}

static void read_all(struct read *r, const struct json *root,
		     const struct build_files *files)
{
	static const char *const traces[] = {"steps", "segments"};
	const struct json *got[KEY_COUNT];
	struct manifest *m = r->m;

	if (!read_object(r, root, "a manifest", keys, KEY_COUNT, got))
		return;
	read_head(r, root, got);
	read_sources(r, root, got[KEY_CUDA], got[KEY_PTX]);
	read_loop_names(r, got[KEY_STEPS], 0);
	read_tasks(r, got[KEY_TASKS], files);
	free_default_index(r, got[KEY_TASKS], got[KEY_LET]);
	read_lets(r, got[KEY_LET]);
	read_task_count(r, got[KEY_TASKS]);
	read_defines(r, got[KEY_DEFINES]);
	read_includes(r, got[KEY_INCLUDE]);
	m->fmad = !got[KEY_FMAD] || read_bool(r, got[KEY_FMAD], "\"fmad\"");
	if (got[KEY_STACK])
		m->stack_bytes = (uint32_t)read_int(
			r, got[KEY_STACK], 0, THREAD_LOCAL_BYTES_MAX,
			"\"stack\", bytes a thread,");
	if (!read_ok(r))
		return;
	read_buffers(r, got[KEY_BUFFERS]);
	read_saves_check(r);
	read_symbols(r, got[KEY_SYMBOLS]);
	if (read_ok(r))
		read_steps(r, got[KEY_STEPS]);
	read_limits(r, got[KEY_LIMITS]);
	read_unit(r, got[KEY_UNIT]);
	read_device(r, got[KEY_DEVICE]);
	read_confidence(r, got[KEY_CONFIDENCE]);
	if (got[KEY_TRACE])
		m->trace_segments = read_word(r, got[KEY_TRACE], "\"trace\"",
					      traces, 2) == 1;
	read_view(r, got[KEY_VIEW]);
}

enum err manifest_read(struct arena *a, struct bytes text, const char *file,
		       const struct build_files *files, struct manifest *ret_m,
		       struct build_diag *reterr_diag)
{
	struct manifest m = {.fmad = true};
	struct read r = {.a = a, .diag = reterr_diag, .m = &m};
	struct json *root = NULL;
	enum err err;

	r.file = m.file = arena_str(a, bytes_str(file));
	*reterr_diag = (struct build_diag){.file = m.file};
	if (!m.file) {
		reterr_diag->text = err_words(ERR_NO_MEMORY);
		return ERR_NO_MEMORY;
	}
	if (text.n > BUILD_MANIFEST_BYTES_MAX) {
		reterr_diag->text = "the manifest is longer than 4 MiB";
		return ERR_MANIFEST;
	}
	err = json_parse(a, text, &root, reterr_diag);
	if (err != ERR_OK)
		return err == ERR_MALFORMED ? ERR_MANIFEST : err;
	read_all(&r, root, files);
	if (r.err == ERR_OK)
		*ret_m = m;
	return r.err;
}
