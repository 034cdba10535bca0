/*
 * A task's inputs.  A file of exactly the buffer's size is used where it is
 * mapped; padded ones and pictures are copies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/build/build.h"
#include "gpu/build/manifest.h"
#include "gpu/build/view.h"

/* One open input. */
struct held {
	struct build_source source;
	struct build_data data;
	uint8_t *copy; /* malloc'ed, NULL: data's own bytes */
};

struct build_held {
	uint32_t count;
	struct held inputs[PROGRAM_BUFFERS_MAX];
};

struct open {
	struct arena *a;
	const struct manifest *m;
	const struct build_files *files;
	struct build_diag *diag;
};

static enum err fail(struct open *o, enum err err, const struct build_source *s,
		     uint64_t task, const char *why)
{
	*o->diag = (struct build_diag){.file = o->m->file, .at = s->at};
	o->diag->text = arena_printf(o->a, "input of task %llu, \"%.*s\": %s",
				     (unsigned long long)task,
				     (int)(s->kind == BUILD_SOURCE_TEXT ? 0
					   : s->name.n < 200 ? s->name.n
							     : 200),
				     (const char *)s->name.p, why);
	if (!o->diag->text)
		o->diag->text = err_words(ERR_NO_MEMORY);
	return err;
}

static uint32_t png_channels(enum manifest_pixels format)
{
	return format == MANIFEST_RGB8 ? 3 : format == MANIFEST_RGBA8 ? 4 : 1;
}

/* The pixels of a picture as the buffer wants them, malloc'ed. */
static enum err decode(struct open *o, const struct manifest_buffer *b,
		       struct held *h, uint64_t task, struct bytes *ret)
{
	struct arena *scratch = arena_new(1ull << 31);
	struct view_image image;
	const char *why = "";
	size_t n, width = b->png_format == MANIFEST_F32 ? 4 : 1;
	enum err err;

	if (!scratch)
		return fail(o, ERR_NO_MEMORY, &h->source, task,
			    err_words(ERR_NO_MEMORY));
	err = view_png_decode(scratch, h->data.bytes,
			      png_channels(b->png_format), &image, &why);
	if (err != ERR_OK) {
		arena_free(scratch);
		return fail(o, err == ERR_NO_MEMORY ? err : ERR_MANIFEST,
			    &h->source, task, why);
	}
	n = (size_t)image.width * image.height * image.channels;
	h->copy = malloc(n * width);
	for (size_t i = 0; h->copy && i < n && width == 4; i++) {
		float v = (float)image.pixels[i] / 255.0f;
		uint32_t bits;

		memcpy(&bits, &v, sizeof(bits));
		put_u32_le(h->copy + 4 * i, bits);
	}
	if (h->copy && width == 1)
		memcpy(h->copy, image.pixels, n);
	arena_free(scratch);
	*ret = bytes_of(h->copy, n * width);
	if (!h->copy)
		return fail(o, ERR_NO_MEMORY, &h->source, task,
			    err_words(ERR_NO_MEMORY));
	return ERR_OK;
}

/* content to exactly the buffer's size. */
static enum err fit(struct open *o, const struct manifest_buffer *b,
		    struct held *h, uint64_t task, struct bytes *content)
{
	char text[120];
	uint8_t *padded;

	if (content->n == b->size_bytes)
		return ERR_OK;
	if (content->n > b->size_bytes || !b->is_padded) {
		snprintf(text, sizeof(text),
			 "it has %llu bytes, the buffer %llu%s",
			 (unsigned long long)content->n,
			 (unsigned long long)b->size_bytes,
			 content->n < b->size_bytes
				 ? "; \"pad\" would fill it up"
				 : "");
		return fail(o, ERR_MANIFEST, &h->source, task, text);
	}
	padded = malloc((size_t)b->size_bytes);
	if (!padded)
		return fail(o, ERR_NO_MEMORY, &h->source, task,
			    err_words(ERR_NO_MEMORY));
	if (content->n > 0)
		memcpy(padded, content->p, content->n);
	memset(padded + content->n, b->pad, (size_t)b->size_bytes - content->n);
	free(h->copy);
	h->copy = padded;
	*content = bytes_of(padded, (size_t)b->size_bytes);
	return ERR_OK;
}

static void close_input(const struct build_files *files, struct held *h)
{
	free(h->copy);
	h->copy = NULL;
	build_close(files, &h->source, &h->data);
}

static enum err open_input(struct open *o, uint32_t buffer, uint64_t task,
			   struct held *h, struct bytes *ret_bytes,
			   struct program_input *ret_input)
{
	const struct manifest_buffer *b = &o->m->buffers[buffer];
	const char *why = "";
	struct bytes content;
	enum err err;

	h->copy = NULL;
	h->source = b->from;
	if (b->from.kind != BUILD_SOURCE_TEXT)
		h->source.name =
			manifest_task_name(o->a, o->m, b->from.name, task);
	if (h->source.name.n > 0 && !h->source.name.p)
		return fail(o, ERR_NO_MEMORY, &b->from, task,
			    err_words(ERR_NO_MEMORY));
	err = build_open(o->files, &h->source, TASK_BUFFER_BYTES_MAX, &h->data,
			 &why);
	if (err != ERR_OK)
		return fail(o,
			    err == ERR_NO_MEMORY || err == ERR_IO
				    ? err
				    : ERR_MANIFEST,
			    &h->source, task, why);
	content = h->data.bytes;
	if (b->is_png)
		err = decode(o, b, h, task, &content);
	ret_input->length_bytes = content.n;
	if (err == ERR_OK)
		err = fit(o, b, h, task, &content);
	if (err != ERR_OK) {
		close_input(o->files, h);
		return err;
	}
	ret_input->root = merkle_bytes_root(content);
	*ret_bytes = content;
	return ERR_OK;
}

static enum err fill_columns(struct open *o, uint64_t index, int64_t *columns)
{
	for (uint32_t i = 0; i < o->m->carried_count; i++) {
		if (manifest_carried_value(o->m, i, index, &columns[i]) ==
		    ERR_OK)
			continue;
		*o->diag = (struct build_diag){
			.file = o->m->file,
			.text = "a value of the task table is outside its "
				"type's range"};
		return ERR_MANIFEST;
	}
	return ERR_OK;
}

void build_task_close(const struct build_files *files, struct build_task *t)
{
	if (!t->held)
		return;
	for (uint32_t i = 0; i < t->held->count; i++)
		close_input(files, &t->held->inputs[i]);
	free(t->held);
	t->held = NULL;
}

enum err build_task_open(struct arena *a, const struct manifest *m,
			 const struct build_files *files,
			 const struct hash *program_id, uint64_t index,
			 struct build_task *ret_task,
			 struct build_diag *reterr_diag)
{
	struct open o = {a, m, files, reterr_diag};
	struct build_task t = {.task.index = index,
			       .held = calloc(1, sizeof(struct build_held))};
	struct bytes *bytes = ARENA_ARRAY(a, m->buffer_count + 1, struct bytes);
	uint32_t *buffers = ARENA_ARRAY(a, m->buffer_count + 1, uint32_t);
	enum err err = ERR_OK;

	*reterr_diag = (struct build_diag){.file = m->file,
					   .text = err_words(ERR_NO_MEMORY)};
	t.task.inputs =
		ARENA_ARRAY(a, m->buffer_count + 1, struct program_input);
	t.task.columns = ARENA_ARRAY(a, m->carried_count + 1, int64_t);
	if (!t.held || !bytes || !buffers || !t.task.inputs ||
	    !t.task.columns) {
		free(t.held);
		return ERR_NO_MEMORY;
	}
	if (program_id)
		t.task.program_id = *program_id;
	t.task.column_count = m->carried_count;
	t.inputs = bytes;
	t.input_buffers = buffers;
	err = fill_columns(&o, index, t.task.columns);
	for (uint32_t i = 0; i < m->buffer_count && err == ERR_OK; i++) {
		uint32_t n = t.task.input_count;

		if (m->buffers[i].from.kind == BUILD_SOURCE_NONE)
			continue;
		err = open_input(&o, i, index, &t.held->inputs[n], &bytes[n],
				 &t.task.inputs[n]);
		if (err != ERR_OK)
			break;
		buffers[n] = i;
		t.held->count = ++t.task.input_count;
	}
	if (err != ERR_OK)
		build_task_close(files, &t);
	else
		*ret_task = t;
	return err;
}

/* Inputs of one task: those that are the same for all are known already. */
static enum err task_inputs(struct open *o, uint64_t index, bool first,
			    struct program_input *inputs)
{
	const struct manifest *m = o->m;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->buffer_count; i++) {
		const struct build_source *s = &m->buffers[i].from;
		struct held h;
		struct bytes bytes;
		enum err err;

		if (s->kind == BUILD_SOURCE_NONE)
			continue;
		if (first || (s->kind != BUILD_SOURCE_TEXT &&
			      manifest_name_is_per_task(m, s->name))) {
			err = open_input(o, i, index, &h, &bytes, &inputs[n]);
			if (err != ERR_OK)
				return err;
			close_input(o->files, &h);
		}
		n++;
	}
	return ERR_OK;
}

static enum err one_task(struct open *o, struct program_task *t, uint64_t index,
			 struct hash *leaf, build_task_sink sink, void *ctx)
{
	struct buf b = buf_make(PROGRAM_TASK_BYTES_MAX);
	enum err err = fill_columns(o, index, t->columns);

	if (err == ERR_OK)
		err = task_inputs(o, index, index == 0, t->inputs);
	if (err != ERR_OK)
		return err;
	t->index = index;
	program_task_encode(&b, t);
	err = b.err;
	if (err == ERR_OK) {
		*leaf = program_task_leaf(buf_bytes(&b));
		if (sink)
			err = sink(ctx, index, buf_bytes(&b));
	}
	buf_free(&b);
	return err;
}

enum err build_tasks_root(struct arena *a, const struct manifest *m,
			  const struct build_files *files,
			  const struct hash *program_id, struct hash *ret_root,
			  struct build_diag *reterr_diag, build_task_sink sink,
			  void *ctx)
{
	struct arena *scratch = arena_new(1u << 20); /* names of one task */
	struct open o = {scratch, m, files, reterr_diag};
	struct program_task t = {.program_id = *program_id};
	struct hash *leaves = calloc((size_t)m->task_count, sizeof(*leaves));
	enum err err = ERR_OK;

	t.inputs = ARENA_ARRAY(a, m->buffer_count + 1, struct program_input);
	t.columns = ARENA_ARRAY(a, m->carried_count + 1, int64_t);
	t.column_count = m->carried_count;
	if (!scratch || !leaves || !t.inputs || !t.columns)
		err = ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->buffer_count; i++)
		t.input_count += m->buffers[i].from.kind != BUILD_SOURCE_NONE;
	*reterr_diag = (struct build_diag){.file = m->file,
					   .text = err_words(ERR_NO_MEMORY)};
	for (uint64_t i = 0; i < m->task_count && err == ERR_OK; i++) {
		err = one_task(&o, &t, i, &leaves[i], sink, ctx);
		if (err == ERR_OK)
			arena_reset(scratch);
	}
	if (err == ERR_OK)
		*ret_root = merkle_list_root(leaves, m->task_count);
	else if (reterr_diag->text)
		reterr_diag->text = arena_str(a, bytes_str(reterr_diag->text));
	if (err != ERR_OK && !reterr_diag->text)
		reterr_diag->text = err_words(ERR_NO_MEMORY);
	free(leaves);
	arena_free(scratch);
	return err;
}
