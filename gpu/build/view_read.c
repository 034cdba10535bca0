/*
 * "view": what is drawn of the results.  Nothing here changes the program.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/build/number.h"
#include "gpu/build/priv/read.h"
#include "gpu/build/view.h"

static const char *const pixel_words[] = {"gray8", "rgb8", "rgba8", "f32"};
static const unsigned pixel_bytes[] = {1, 3, 4, 4};
static const char *const map_words[] = {"gray", "viridis", "signed"};
static const char *const type_words[] = {"u8",	"u16", "u32", "u64",
					 "s8",	"s16", "s32", "s64",
					 "f16", "f32", "f64"};

static double read_real(struct read *r, const struct json *j)
{
	uint64_t bits = 0;
	double v;

	if (!read_ok(r))
		return 0;
	if (j->kind != JSON_NUMBER || number_float(j->text, 8, &bits) != ERR_OK)
		read_fail(r, j->at, "expected a number, found %s",
			  json_kind_text(j->kind));
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void read_range(struct read *r, const struct json *j,
		       struct manifest_picture *p)
{
	p->is_auto = true;
	if (!j ||
	    (j->kind == JSON_STRING && bytes_eq(j->text, BYTES_LIT("auto"))))
		return;
	if (j->kind != JSON_ARRAY || j->count != 2) {
		read_fail(r, j->at,
			  "expected the range as [low, high] or \"auto\"");
		return;
	}
	p->is_auto = false;
	p->low = read_real(r, j->first);
	p->high = read_real(r, j->last);
	if (read_ok(r) && !(p->low < p->high))
		read_fail(r, j->at,
			  "the range's low end must be below its "
			  "high end");
}

static void check_picture(struct read *r, const struct json *j,
			  const struct manifest_picture *p)
{
	const struct manifest_buffer *b = &r->m->buffers[p->buffer];
	uint64_t pixels = (uint64_t)p->width * p->height;
	uint64_t need = pixels * pixel_bytes[p->format];
	uint64_t tiles = p->columns > 0 ? r->m->task_count : 1;

	if (!read_ok(r))
		return;
	if (need != b->size_bytes)
		read_fail(r, j->at,
			  "a picture of %u x %u %s has %llu bytes, buffer "
			  "\"%.*s\" has %llu",
			  (unsigned)p->width, (unsigned)p->height,
			  pixel_words[p->format], (unsigned long long)need,
			  (int)b->name.n, (const char *)b->name.p,
			  (unsigned long long)b->size_bytes);
	else if (pixels * tiles > VIEW_PIXELS_MAX)
		read_fail(r, j->at, "the picture has more than 2^28 pixels");
	else if ((uint64_t)p->width * (p->columns > 1 ? p->columns : 1) >
			 VIEW_SIDE_MAX ||
		 (p->columns > 0 &&
		  (tiles + p->columns - 1) / p->columns * p->height >
			  VIEW_SIDE_MAX))
		read_fail(r, j->at, "a side of the picture is longer than %u",
			  VIEW_SIDE_MAX);
}

static void read_picture(struct read *r, const struct json *j, const char *what,
			 struct manifest_picture *p)
{
	static const char *const keys[] = {"buffer", "format", "width",
					   "height", "range",  "map",
					   "columns"};
	const struct json *got[7];

	if (!j || !read_object(r, j, what, keys, 7, got))
		return;
	for (size_t i = 0; i < 4; i++)
		if (!read_need(r, j, got[i], keys[i], what))
			return;
	p->is_set = true;
	p->at = j->at;
	p->buffer = read_buffer_name(r, got[0]);
	p->format = (enum manifest_pixels)read_word(
		r, got[1], "the pixels' format", pixel_words, 4);
	p->width = (uint32_t)read_int(r, got[2], 1, VIEW_SIDE_MAX, "the width");
	p->height =
		(uint32_t)read_int(r, got[3], 1, VIEW_SIDE_MAX, "the height");
	read_range(r, got[4], p);
	if (got[5])
		p->map = (enum manifest_map)read_word(r, got[5], "the map",
						      map_words, 3);
	if (got[6])
		p->columns = (uint32_t)read_int(r, got[6], 1, JOB_TASKS_MAX,
						"\"columns\"");
	if (read_ok(r) && got[5] && p->format != MANIFEST_F32 &&
	    p->format != MANIFEST_GRAY8)
		read_fail(r, got[5]->key_at,
			  "\"map\" colours one value a pixel: gray8 or f32");
	check_picture(r, j, p);
}

/* "column", or {"buffer": NAME, "type": "f32"}. */
static void read_one_series(struct read *r, const struct json *j,
			    struct manifest_series *s)
{
	static const char *const keys[] = {"buffer", "type"};
	const struct json *got[2];

	if (j->kind == JSON_STRING) {
		s->name = j->text;
		s->buffer = read_column(r, j->text);
		if (s->buffer == UINT32_MAX &&
		    !bytes_eq(j->text, r->m->task_index))
			read_fail(r, j->at,
				  "there is no column \"%.*s\" in the task "
				  "table; a buffer is given as {\"buffer\": "
				  "NAME, \"type\": \"f32\"}",
				  (int)(j->text.n < 60 ? j->text.n : 60),
				  (const char *)j->text.p);
		return;
	}
	if (!read_object(r, j, "a column", keys, 2, got) ||
	    !read_need(r, j, got[0], "buffer", "a column") ||
	    !read_need(r, j, got[1], "type", "a column"))
		return;
	s->is_buffer = true;
	s->buffer = read_buffer_name(r, got[0]);
	s->type = type_words[read_word(r, got[1], "the elements' type",
				       type_words, 11)];
	if (!read_ok(r))
		return;
	s->name = r->m->buffers[s->buffer].name;
	if (r->m->buffers[s->buffer].size_bytes < 8 &&
	    strtoul(s->type + 1, NULL, 10) / 8 >
		    r->m->buffers[s->buffer].size_bytes)
		read_fail(r, got[1]->at, "the buffer is smaller than a %s",
			  s->type);
}

static void read_table_view(struct read *r, const struct json *j,
			    struct manifest_chart *c)
{
	static const char *const keys[] = {"columns", "sort", "top"};
	const struct json *got[3];
	struct manifest_series *series;

	if (!j || !read_object(r, j, "a table", keys, 3, got) ||
	    !read_need(r, j, got[0], "columns", "a table"))
		return;
	c->is_set = true;
	c->at = j->at;
	if (got[0]->kind != JSON_ARRAY || got[0]->count == 0 ||
	    got[0]->count > MANIFEST_VIEW_COLUMNS_MAX) {
		read_fail(r, got[0]->at, "expected a list of 1 to %u columns",
			  MANIFEST_VIEW_COLUMNS_MAX);
		return;
	}
	series = READ_ARRAY(r, got[0]->count, struct manifest_series);
	c->series = series;
	for (const struct json *k = got[0]->first; k && read_ok(r); k = k->next)
		read_one_series(r, k, &series[c->series_count++]);
	if (got[2])
		c->top = (uint32_t)read_int(r, got[2], 1, JOB_TASKS_MAX,
					    "\"top\"");
	if (!got[1])
		return;
	c->sort = read_string(r, got[1], "\"sort\"", 65);
	if (read_ok(r) && c->sort.p[0] == '-') {
		c->is_descending = true;
		c->sort = bytes_skip(c->sort, 1);
	}
	for (uint32_t i = 0; i < c->series_count; i++)
		if (bytes_eq(series[i].name, c->sort))
			return;
	read_fail(r, got[1]->at,
		  "\"sort\" names one of the columns, with - in front for "
		  "the largest first");
}

static void read_chart(struct read *r, const struct json *j, const char *what,
		       struct manifest_chart *c)
{
	static const char *const keys[] = {"x", "y"};
	const struct json *got[2];
	struct manifest_series *series;

	if (!j || !read_object(r, j, what, keys, 2, got) ||
	    !read_need(r, j, got[0], "x", what) ||
	    !read_need(r, j, got[1], "y", what))
		return;
	c->is_set = true;
	c->at = j->at;
	series = READ_ARRAY(r, 2, struct manifest_series);
	c->series = series;
	for (size_t i = 0; i < 2 && read_ok(r); i++)
		read_one_series(r, got[i], &series[c->series_count++]);
}

void read_view(struct read *r, const struct json *j)
{
	static const char *const keys[] = {"picture", "frames", "table", "line",
					   "points"};
	const struct json *got[5];

	if (!j || !read_object(r, j, "\"view\"", keys, 5, got))
		return;
	read_picture(r, got[0], "a picture", &r->m->picture);
	read_picture(r, got[1], "frames", &r->m->frames);
	read_table_view(r, got[2], &r->m->table_view);
	read_chart(r, got[3], "a line", &r->m->line);
	read_chart(r, got[4], "points", &r->m->points);
}
