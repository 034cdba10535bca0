/*
 * A joined output has the size of all tasks from the start, so that each
 * task's part is one write at its place and a file is usable at any moment.
 */
#define _POSIX_C_SOURCE 200809L

#include "gpu/build/priv/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

static bool chart_shows(const struct manifest_chart *c, uint32_t buffer)
{
	for (uint32_t i = 0; c->is_set && i < c->series_count; i++)
		if (c->series[i].is_buffer && c->series[i].buffer == buffer)
			return true;
	return false;
}

bool results_is_viewed(const struct manifest *m, uint32_t buffer)
{
	return (m->picture.is_set && m->picture.buffer == buffer) ||
	       (m->frames.is_set && m->frames.buffer == buffer) ||
	       chart_shows(&m->table_view, buffer) ||
	       chart_shows(&m->line, buffer) || chart_shows(&m->points, buffer);
}

bool view_needs_buffer(const struct manifest *m, uint32_t buffer)
{
	return m->buffers[buffer].save.n > 0 || results_is_viewed(m, buffer);
}

static enum err write_all(int fd, const uint8_t *p, uint64_t n, uint64_t at)
{
	while (n > 0) {
		size_t part = n > (1u << 30) ? 1u << 30 : (size_t)n;
		ssize_t w = pwrite(fd, p, part, (off_t)at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return ERR_IO;
		p += w;
		at += (uint64_t)w;
		n -= (uint64_t)w;
	}
	return ERR_OK;
}

enum err results_write(const struct view_results *r, const char *name,
		       struct bytes bytes)
{
	char part[64];
	int fd;
	enum err err;

	snprintf(part, sizeof(part), ".%s.%ld", name, (long)getpid());
	fd = openat(r->folder_fd, part,
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return ERR_IO;
	err = write_all(fd, bytes.p, bytes.n, 0);
	if (close(fd) != 0)
		err = ERR_IO;
	if (err == ERR_OK && renameat(r->folder_fd, part, r->folder_fd, name))
		err = ERR_IO;
	if (err != ERR_OK)
		unlinkat(r->folder_fd, part, 0);
	return err;
}

/* Open name for writing; the folders in it are made. */
static int create(const struct view_results *r, struct bytes name)
{
	char path[4096];

	if (name.n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path, name.p, name.n);
	path[name.n] = '\0';
	for (size_t i = 1; i < name.n; i++) {
		if (path[i] != '/')
			continue;
		path[i] = '\0';
		if (mkdirat(r->folder_fd, path, 0777) != 0 && errno != EEXIST)
			return -1;
		path[i] = '/';
	}
	return openat(r->folder_fd, path,
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		      0666);
}

/* The fill value where no task has written yet. */
static enum err prefill(int fd, uint8_t value, uint64_t bytes)
{
	uint8_t chunk[65536];
	enum err err = ERR_OK;

	if (ftruncate(fd, (off_t)bytes) != 0)
		return ERR_IO;
	if (value == 0)
		return ERR_OK;
	memset(chunk, value, sizeof(chunk));
	for (uint64_t at = 0; at < bytes && err == ERR_OK; at += sizeof(chunk))
		err = write_all(fd, chunk,
				bytes - at < sizeof(chunk) ? bytes - at
							   : sizeof(chunk),
				at);
	return err;
}

static enum err open_joined(struct view_results *r, uint32_t buffer)
{
	const struct manifest_buffer *b = &r->m->buffers[buffer];

	if (b->save.n == 0 || manifest_name_is_per_task(r->m, b->save))
		return ERR_OK;
	r->joined[buffer] = create(r, b->save);
	if (r->joined[buffer] < 0)
		return ERR_IO;
	return prefill(r->joined[buffer], b->fill,
		       b->size_bytes * r->m->task_count);
}

static void io_diag(struct build_diag *diag, const char *dir)
{
	static char text[600];

	snprintf(text, sizeof(text), "cannot write to %.400s: %.150s", dir,
		 strerror(errno));
	*diag = (struct build_diag){.text = text};
}

static enum err open_all(struct view_results *r, const char *dir)
{
	enum err err = ERR_OK;

	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return ERR_IO;
	r->folder_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->folder_fd < 0)
		return ERR_IO;
	for (uint32_t i = 0; i < r->m->buffer_count && err == ERR_OK; i++) {
		err = open_joined(r, i);
		if (err != ERR_OK || !results_is_viewed(r->m, i))
			continue;
		r->kept[i] =
			calloc((size_t)r->m->task_count, sizeof(uint8_t *));
		if (!r->kept[i])
			err = ERR_NO_MEMORY;
	}
	return err;
}

enum err view_results_new(const struct manifest *m, const char *dir,
			  struct view_results **ret_results,
			  struct build_diag *reterr_diag)
{
	struct view_results *r = calloc(1, sizeof(*r));
	enum err err;

	*reterr_diag = (struct build_diag){.text = err_words(ERR_NO_MEMORY)};
	if (!r)
		return ERR_NO_MEMORY;
	r->m = m;
	r->folder_fd = -1;
	for (uint32_t i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		r->joined[i] = -1;
	r->rows = calloc((size_t)m->task_count, sizeof(*r->rows));
	err = r->rows ? open_all(r, dir) : ERR_NO_MEMORY;
	if (err == ERR_IO)
		io_diag(reterr_diag, dir);
	if (err != ERR_OK)
		view_results_free(r);
	else
		*ret_results = r;
	return err;
}

static enum err keep(struct view_results *r, uint64_t task, uint32_t buffer,
		     struct bytes bytes)
{
	uint8_t *copy = malloc(bytes.n);

	if (!copy)
		return ERR_NO_MEMORY;
	memcpy(copy, bytes.p, bytes.n);
	free(r->kept[buffer][task]);
	r->kept[buffer][task] = copy;
	return ERR_OK;
}

enum err view_results_put(struct view_results *r, uint64_t task,
			  uint32_t buffer, struct bytes bytes)
{
	const struct manifest *m = r->m;
	const struct manifest_buffer *b;
	struct arena *a;
	enum err err = ERR_OK;
	int fd;

	if (task >= m->task_count || buffer >= m->buffer_count ||
	    bytes.n != m->buffers[buffer].size_bytes)
		return ERR_REFUSED;
	b = &m->buffers[buffer];
	if (r->kept[buffer])
		err = keep(r, task, buffer, bytes);
	if (err != ERR_OK || b->save.n == 0)
		return err;
	if (r->joined[buffer] >= 0)
		return write_all(r->joined[buffer], bytes.p, bytes.n,
				 task * b->size_bytes);
	a = arena_new(64u << 10);
	if (!a)
		return ERR_NO_MEMORY;
	fd = create(r, manifest_task_name(a, m, b->save, task));
	arena_free(a);
	if (fd < 0)
		return ERR_IO;
	err = write_all(fd, bytes.p, bytes.n, 0);
	if (close(fd) != 0)
		err = ERR_IO;
	return err;
}

static void row_clear(struct results_row *row)
{
	free(row->state);
	free(row->reason);
	free(row->provider);
	free(row->lease);
	memset(row, 0, sizeof(*row));
}

enum err view_results_row(struct view_results *r,
			  const struct view_task_row *row)
{
	struct results_row *to;

	if (row->index >= r->m->task_count ||
	    (row->output_root.n != 0 && row->output_root.n != HASH_BYTES))
		return ERR_REFUSED;
	to = &r->rows[row->index];
	row_clear(to);
	to->state = strdup(row->state ? row->state : "");
	to->reason = strdup(row->reason ? row->reason : "");
	to->provider = strdup(row->provider ? row->provider : "");
	to->lease = strdup(row->lease ? row->lease : "");
	if (row->output_root.n > 0)
		hex_encode(row->output_root, to->root);
	return to->state && to->reason && to->provider && to->lease
		       ? ERR_OK
		       : ERR_NO_MEMORY;
}

/* A cell of CSV: quoted when it must be. */
static void put_cell(struct buf *b, struct bytes cell)
{
	bool quote = false;

	for (size_t i = 0; i < cell.n; i++)
		quote = quote || memchr(",\"\r\n", cell.p[i], 4);
	if (!quote) {
		buf_put_bytes(b, cell);
		return;
	}
	buf_put_u8(b, '"');
	for (size_t i = 0; i < cell.n; i++) {
		if (cell.p[i] == '"')
			buf_put_u8(b, '"');
		buf_put_u8(b, cell.p[i]);
	}
	buf_put_u8(b, '"');
}

static void put_row(struct buf *b, const struct view_results *r, uint64_t task)
{
	const struct results_row *row = &r->rows[task];
	const struct manifest_table *t = &r->m->table;
	const char *cells[] = {row->state ? row->state : "open", row->reason,
			       row->provider, row->lease, row->root};

	buf_printf(b, "%llu", (unsigned long long)task);
	for (uint32_t i = 0; i < t->column_count; i++) {
		buf_put_u8(b, ',');
		put_cell(b, t->cells[task * t->column_count + i]);
	}
	for (size_t i = 0; i < 5; i++) {
		buf_put_u8(b, ',');
		put_cell(b, bytes_str(cells[i] ? cells[i] : ""));
	}
	buf_put_u8(b, '\n');
}

static enum err write_tasks(const struct view_results *r)
{
	struct buf b = buf_make(1u << 30);
	const struct manifest_table *t = &r->m->table;
	enum err err;

	buf_put_str(&b, "index");
	for (uint32_t i = 0; i < t->column_count; i++) {
		buf_put_u8(&b, ',');
		put_cell(&b, t->columns[i].name);
	}
	buf_put_str(&b, ",state,reason,provider,lease,output_root\n");
	for (uint64_t i = 0; i < r->m->task_count; i++)
		put_row(&b, r, i);
	err = b.err;
	if (err == ERR_OK)
		err = results_write(r, "tasks.csv", buf_bytes(&b));
	buf_free(&b);
	return err;
}

/* The tiles of view.picture: all tasks, or the first that is there. */
static enum err draw(const struct view_results *r, struct arena *a,
		     struct view_image *ret_image)
{
	const struct manifest_picture *p = &r->m->picture;
	uint64_t count = p->columns > 0 ? r->m->task_count : 1;
	struct bytes *tiles = ARENA_ARRAY(a, (size_t)count, struct bytes);
	size_t size = (size_t)r->m->buffers[p->buffer].size_bytes;

	if (!tiles)
		return ERR_NO_MEMORY;
	for (uint64_t i = 0; i < r->m->task_count; i++) {
		const uint8_t *kept = r->kept[p->buffer][i];

		if (!kept)
			continue;
		if (p->columns > 0)
			tiles[i] = bytes_of(kept, size);
		else if (tiles[0].n == 0)
			tiles[0] = bytes_of(kept, size);
	}
	return view_draw(a, p, tiles, count, ret_image);
}

static enum err write_picture(const struct view_results *r)
{
	struct arena *a = arena_new(1ull << 31);
	struct buf b = buf_make(1u << 30);
	struct view_image image;
	enum err err = a ? draw(r, a, &image) : ERR_NO_MEMORY;

	if (err == ERR_OK)
		err = view_png_encode(&image, &b);
	if (err == ERR_OK)
		err = results_write(r, "picture.png", buf_bytes(&b));
	buf_free(&b);
	arena_free(a);
	return err;
}

static enum err write_frames(const struct view_results *r)
{
	struct buf b = buf_make(1u << 30);
	enum err err = results_frames(r, &b);

	if (err == ERR_OK && b.n > 0)
		err = results_write(r, "frames.png", buf_bytes(&b));
	buf_free(&b);
	return err;
}

static enum err write_plot(const struct view_results *r,
			   const struct manifest_chart *chart, bool is_joined,
			   const char *name)
{
	struct buf b = buf_make(1u << 24);
	enum err err = results_plot(r, chart, is_joined, &b);

	if (err == ERR_OK)
		err = results_write(r, name, buf_bytes(&b));
	buf_free(&b);
	return err;
}

enum err view_results_finish(struct view_results *r, const char **ret_picture,
			     struct build_diag *reterr_diag)
{
	enum err err = write_tasks(r);

	*ret_picture = NULL;
	if (err == ERR_OK && r->m->picture.is_set) {
		err = write_picture(r);
		if (err == ERR_OK)
			*ret_picture = "picture.png";
	}
	if (err == ERR_OK && r->m->frames.is_set)
		err = write_frames(r);
	if (err == ERR_OK && r->m->line.is_set)
		err = write_plot(r, &r->m->line, true, "line.png");
	if (err == ERR_OK && r->m->points.is_set)
		err = write_plot(r, &r->m->points, false, "points.png");
	if (err == ERR_IO)
		io_diag(reterr_diag, "the result folder");
	else if (err != ERR_OK)
		*reterr_diag = (struct build_diag){.text = err_words(err)};
	return err;
}

/* 1, 3 or 4 channels to 4. */
static void to_rgba(const struct view_image *image, uint8_t *out)
{
	size_t n = (size_t)image->width * image->height;
	uint32_t c = image->channels;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = image->pixels + i * c;

		out[4 * i] = p[0];
		out[4 * i + 1] = p[c > 1 ? 1 : 0];
		out[4 * i + 2] = p[c > 1 ? 2 : 0];
		out[4 * i + 3] = c == 4 ? p[3] : 255;
	}
}

const uint8_t *view_results_pixels(struct view_results *r, uint32_t *ret_width,
				   uint32_t *ret_height)
{
	struct arena *a;
	struct view_image image;

	free(r->pixels);
	r->pixels = NULL;
	a = r->m->picture.is_set ? arena_new(1ull << 31) : NULL;
	if (a && draw(r, a, &image) == ERR_OK) {
		r->pixels = malloc((size_t)image.width * image.height * 4);
		if (r->pixels)
			to_rgba(&image, r->pixels);
		*ret_width = image.width;
		*ret_height = image.height;
	}
	arena_free(a);
	return r->pixels;
}

void view_results_free(struct view_results *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < PROGRAM_BUFFERS_MAX; i++) {
		if (r->joined[i] >= 0)
			close(r->joined[i]);
		for (uint64_t t = 0; r->kept[i] && t < r->m->task_count; t++)
			free(r->kept[i][t]);
		free(r->kept[i]);
	}
	for (uint64_t i = 0; r->rows && i < r->m->task_count; i++)
		row_clear(&r->rows[i]);
	if (r->folder_fd >= 0)
		close(r->folder_fd);
	free(r->rows);
	free(r->pixels);
	free(r);
}
