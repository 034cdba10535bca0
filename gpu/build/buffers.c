/*
 * Buffers, and the names of files that come and go with them.  Output names
 * are expanded for every task here already, so that two tasks can never write
 * to one file and no column can climb out of the result folder.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/build/priv/read.h"

static const char *const pixel_words[] = {"gray8", "rgb8", "rgba8", "f32"};

/* Length of the placeholder {name} at s, 0 if none; *which: column index,
 * or UINT32_MAX for the task's index. */
static size_t placeholder(const struct manifest *m, struct bytes s,
			  uint32_t *which)
{
	size_t n = 1;
	struct bytes name;

	if (s.n < 3 || s.p[0] != '{')
		return 0;
	while (n < s.n && s.p[n] != '}' && s.p[n] != '{')
		n++;
	if (n == s.n || s.p[n] != '}')
		return 0;
	name = bytes_of(s.p + 1, n - 1);
	for (uint32_t i = 0; i < m->table.column_count; i++) {
		if (!bytes_eq(m->table.columns[i].name, name))
			continue;
		*which = i;
		return n + 1;
	}
	*which = UINT32_MAX;
	if (m->task_index.n > 0 ? bytes_eq(name, m->task_index)
				: bytes_eq(name, BYTES_LIT("t")))
		return n + 1;
	return 0;
}

bool manifest_name_is_per_task(const struct manifest *m, struct bytes name)
{
	uint32_t which;

	for (size_t i = 0; i < name.n; i++)
		if (placeholder(m, bytes_skip(name, i), &which) > 0)
			return true;
	return false;
}

bool manifest_inputs_per_task(const struct manifest *m)
{
	for (uint32_t i = 0; i < m->buffer_count; i++)
		if (m->buffers[i].from.kind != BUILD_SOURCE_NONE &&
		    m->buffers[i].from.kind != BUILD_SOURCE_TEXT &&
		    manifest_name_is_per_task(m, m->buffers[i].from.name))
			return true;
	return false;
}

void read_pattern(struct read *r, struct bytes name, struct build_pos at)
{
	uint32_t which;

	for (size_t i = 0; i < name.n; i++) {
		size_t n;

		if (name.p[i] != '{' && name.p[i] != '}')
			continue;
		n = placeholder(r->m, bytes_skip(name, i), &which);
		if (n == 0) {
			read_fail(r, at,
				  "braces in a file's name must hold the "
				  "tasks' index or a column's name");
			return;
		}
		i += n - 1;
	}
}

struct bytes manifest_task_name(struct arena *a, const struct manifest *m,
				struct bytes name, uint64_t task)
{
	struct buf b = buf_make(64u << 10);
	struct bytes out;
	uint32_t which = 0;

	for (size_t i = 0; i < name.n; i++) {
		size_t n = placeholder(m, bytes_skip(name, i), &which);

		if (n == 0) {
			buf_put_u8(&b, name.p[i]);
			continue;
		}
		if (which == UINT32_MAX)
			buf_printf(&b, "%llu", (unsigned long long)task);
		else
			buf_put_bytes(
				&b,
				m->table.cells[task * m->table.column_count +
					       which]);
		i += n - 1;
	}
	out = b.err == ERR_OK ? arena_copy(a, buf_bytes(&b))
			      : (struct bytes){NULL, 0};
	buf_free(&b);
	return out;
}

static void read_from(struct read *r, const struct json *j,
		      struct manifest_buffer *b)
{
	static const char *const keys[] = {"png", "format"};
	const struct json *got[2];

	if (j->kind != JSON_OBJECT || !j->first ||
	    bytes_eq(j->first->key, BYTES_LIT("blob")) ||
	    bytes_eq(j->first->key, BYTES_LIT("text"))) {
		b->from = read_source(r, j, "\"from\"", true);
		return;
	}
	if (!read_object(r, j, "a picture to read", keys, 2, got) ||
	    !read_need(r, j, got[0], "png", "a picture to read") ||
	    !read_need(r, j, got[1], "format", "a picture to read"))
		return;
	b->is_png = true;
	b->from = read_source(r, got[0], "\"png\"", true);
	b->png_format = (enum manifest_pixels)read_word(
		r, got[1], "the pixels' format", pixel_words, 4);
}

static void read_save(struct read *r, const struct json *j,
		      struct manifest_buffer *b)
{
	b->save = read_string(r, j, "\"save\", a file's name", 1000);
	if (!read_ok(r))
		return;
	if (!read_safe_path(b->save)) {
		read_fail(r, j->at,
			  "\"save\" names a file inside the result folder: "
			  "not absolute, no \"..\"");
		return;
	}
	if (bytes_eq(b->save, BYTES_LIT("tasks.csv")) ||
	    bytes_eq(b->save, BYTES_LIT("picture.png")) ||
	    bytes_eq(b->save, BYTES_LIT("frames.png")))
		read_fail(r, j->at, "\"%.*s\" is written by weft itself",
			  (int)b->save.n, (const char *)b->save.p);
	read_pattern(r, b->save, j->at);
}

static void read_buffer(struct read *r, const struct json *j,
			struct manifest_buffer *b)
{
	static const char *const keys[] = {"bytes", "from", "pad", "fill",
					   "save"};
	const struct json *got[5];

	b->name = j->key;
	b->at = j->at;
	if (j->key.n == 0 || j->key.n > 64) {
		read_fail(r, j->key_at,
			  "a buffer's name must have 1 to 64 characters");
		return;
	}
	if (!read_object(r, j, "a buffer", keys, 5, got) ||
	    !read_need(r, j, got[0], "bytes", "a buffer"))
		return;
	b->size_bytes =
		(uint64_t)read_int(r, got[0], 1, (int64_t)TASK_BUFFER_BYTES_MAX,
				   "a buffer's size in bytes");
	if (got[1] && got[3]) {
		read_fail(r, got[3]->key_at,
			  "a buffer takes either \"from\" or \"fill\"");
		return;
	}
	if (got[2] && !got[1]) {
		read_fail(r, got[2]->key_at, "\"pad\" needs \"from\"");
		return;
	}
	if (got[1])
		read_from(r, got[1], b);
	if (got[2]) {
		b->is_padded = true;
		b->pad = (uint8_t)read_int(r, got[2], 0, 255, "\"pad\"");
	}
	if (got[3])
		b->fill = (uint8_t)read_int(r, got[3], 0, 255, "\"fill\"");
	if (got[4])
		read_save(r, got[4], b);
}

void read_buffers(struct read *r, const struct json *j)
{
	struct manifest_buffer *buffers;
	uint64_t total = 0;

	if (!read_ok(r))
		return;
	if (j->kind != JSON_OBJECT || j->count == 0) {
		read_fail(r, j->at,
			  "expected \"buffers\" as an object with at least "
			  "one buffer");
		return;
	}
	if (j->count > PROGRAM_BUFFERS_MAX) {
		read_fail(r, j->at, "more than %u buffers",
			  PROGRAM_BUFFERS_MAX);
		return;
	}
	buffers = READ_ARRAY(r, j->count, struct manifest_buffer);
	r->m->buffers = buffers;
	for (const struct json *c = j->first; c && read_ok(r); c = c->next) {
		struct manifest_buffer *b = &buffers[r->m->buffer_count++];

		read_buffer(r, c, b);
		total += b->size_bytes;
	}
	if (read_ok(r) && total > TASK_BUFFER_BYTES_MAX)
		read_fail(r, j->at,
			  "the buffers have %llu bytes together, more than "
			  "64 GiB",
			  (unsigned long long)total);
}

/* One output file of one task. */
struct saved {
	struct bytes name;
	uint32_t buffer;
};

static int saved_cmp(const void *a, const void *b)
{
	return bytes_cmp(((const struct saved *)a)->name,
			 ((const struct saved *)b)->name);
}

static uint64_t files_of(const struct manifest *m, uint32_t buffer)
{
	struct bytes name = m->buffers[buffer].save;

	if (name.n == 0)
		return 0;
	return manifest_name_is_per_task(m, name) ? m->task_count : 1;
}

/* Names must be safe and different, over all tasks. */
void read_saves_check(struct read *r)
{
	const struct manifest *m = r->m;
	uint64_t count = 0, n = 0;
	struct saved *all;

	for (uint32_t i = 0; i < m->buffer_count; i++)
		count += files_of(m, i);
	all = READ_ARRAY(r, (size_t)count, struct saved);
	for (uint32_t i = 0; i < m->buffer_count && read_ok(r); i++) {
		for (uint64_t t = 0; t < files_of(m, i); t++) {
			all[n].buffer = i;
			all[n].name = manifest_task_name(r->a, m,
							 m->buffers[i].save, t);
			if (!read_safe_path(all[n].name)) {
				read_fail(r, m->buffers[i].at,
					  "the output of task %llu would get "
					  "an unsafe name",
					  (unsigned long long)t);
				return;
			}
			n++;
		}
	}
	if (!read_ok(r) || n < 2)
		return;
	qsort(all, (size_t)n, sizeof(all[0]), saved_cmp);
	for (uint64_t i = 1; i < n; i++) {
		if (!bytes_eq(all[i].name, all[i - 1].name))
			continue;
		read_fail(r, m->buffers[all[i].buffer].at,
			  "two outputs have the name \"%.*s\"",
			  (int)(all[i].name.n < 200 ? all[i].name.n : 200),
			  (const char *)all[i].name.p);
		return;
	}
}
