/*
 * view.line and view.points.  Both are drawn on a canvas of dots first; the
 * PNG paints the dots, the text packs eight of them into one braille letter.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/number.h"
#include "gpu/build/priv/results.h"

/* Most points of one chart: what is beyond is not drawn. */
#define POINTS_MAX (1u << 20)

#define PNG_WIDTH   800u
#define PNG_HEIGHT  480u
#define PNG_MARGIN  16u
#define TEXT_WIDTH  128u /* dots: 64 letters */
#define TEXT_HEIGHT 64u	 /* 16 lines */

struct points {
	double *x, *y;
	size_t count;
	double low[2], high[2]; /* of x and y, finite ones */
};

struct canvas {
	uint32_t width, height;
	uint8_t *dots;
};

static uint64_t element_count(const struct view_results *r,
			      const struct manifest_series *s)
{
	if (!s->is_buffer)
		return 1;
	return r->m->buffers[s->buffer].size_bytes /
	       (results_type_bits(s->type) / 8);
}

/* Element i of a series in one task; false: it is not there. */
static bool value_of(const struct view_results *r,
		     const struct manifest_series *s, uint64_t task, uint64_t i,
		     double *ret_v)
{
	const struct manifest_table *t = &r->m->table;
	uint64_t bits;

	if (s->is_buffer) {
		const uint8_t *kept = r->kept[s->buffer][task];

		if (!kept)
			return false;
		*ret_v = results_element(
			s->type, kept + i * (results_type_bits(s->type) / 8));
	} else if (s->buffer == UINT32_MAX) {
		*ret_v = (double)task;
	} else {
		if (number_float(t->cells[task * t->column_count + s->buffer],
				 8, &bits) != ERR_OK)
			return false;
		memcpy(ret_v, &bits, sizeof(bits));
	}
	return isfinite(*ret_v);
}

static void widen(struct points *p, int axis, double v)
{
	if (p->count == 0 || v < p->low[axis])
		p->low[axis] = v;
	if (p->count == 0 || v > p->high[axis])
		p->high[axis] = v;
}

static void collect(const struct view_results *r,
		    const struct manifest_chart *c, struct points *p)
{
	uint64_t nx = element_count(r, &c->series[0]);
	uint64_t ny = element_count(r, &c->series[1]);
	uint64_t n = nx == 1 ? ny : ny == 1 || nx < ny ? nx : ny;
	double x, y;

	for (uint64_t t = 0; t < r->m->task_count; t++)
		for (uint64_t i = 0; i < n && p->count < POINTS_MAX; i++) {
			if (!value_of(r, &c->series[0], t, nx == 1 ? 0 : i,
				      &x) ||
			    !value_of(r, &c->series[1], t, ny == 1 ? 0 : i, &y))
				continue;
			widen(p, 0, x);
			widen(p, 1, y);
			p->x[p->count] = x;
			p->y[p->count++] = y;
		}
}

static enum err points_new(const struct view_results *r,
			   const struct manifest_chart *c, struct points *p)
{
	*p = (struct points){.x = malloc(POINTS_MAX * sizeof(double)),
			     .y = malloc(POINTS_MAX * sizeof(double))};
	if (!p->x || !p->y)
		return ERR_NO_MEMORY;
	collect(r, c, p);
	return ERR_OK;
}

static void points_free(struct points *p)
{
	free(p->x);
	free(p->y);
}

/* Where v lies between low and high, in dots of size. */
static uint32_t place(double v, double low, double high, uint32_t size)
{
	/* halves: the difference of two finite numbers may overflow */
	double span = high / 2 - low / 2;
	double at = span > 0 ? (v / 2 - low / 2) / span : 0.5;

	return (uint32_t)(at * (size - 1) + 0.5);
}

static void stroke(struct canvas *c, int64_t x0, int64_t y0, int64_t x1,
		   int64_t y1)
{
	int64_t dx = llabs(x1 - x0), dy = llabs(y1 - y0);
	int64_t steps = dx > dy ? dx : dy;

	for (int64_t i = 0; i <= steps; i++) {
		int64_t x = steps ? x0 + (x1 - x0) * i / steps : x0;
		int64_t y = steps ? y0 + (y1 - y0) * i / steps : y0;

		c->dots[y * c->width + x] = 1;
	}
}

static void draw(struct canvas *c, const struct points *p, bool is_joined)
{
	uint32_t x0 = 0, y0 = 0;

	for (size_t i = 0; i < p->count; i++) {
		uint32_t x = place(p->x[i], p->low[0], p->high[0], c->width);
		uint32_t y = c->height - 1 -
			     place(p->y[i], p->low[1], p->high[1], c->height);

		if (is_joined && i > 0)
			stroke(c, x0, y0, x, y);
		else
			c->dots[y * c->width + x] = 1;
		x0 = x;
		y0 = y;
	}
}

/* White paper, a grey frame, blue dots of 2 x 2. */
static void paint(const struct canvas *c, struct view_image *image)
{
	static const uint8_t blue[3] = {31, 90, 180};
	size_t row = (size_t)image->width * 3;

	memset(image->pixels, 255, row * image->height);
	for (uint32_t y = 0; y < image->height; y++)
		for (uint32_t x = 0; x < image->width; x++)
			if (x == PNG_MARGIN / 2 || y == PNG_MARGIN / 2 ||
			    x == image->width - PNG_MARGIN / 2 ||
			    y == image->height - PNG_MARGIN / 2)
				memset(image->pixels + y * row + 3 * x, 190, 3);
	for (uint32_t y = 0; y < c->height; y++)
		for (uint32_t x = 0; x < c->width; x++)
			for (uint32_t k = 0; c->dots[y * c->width + x] && k < 4;
			     k++)
				memcpy(image->pixels +
					       (y + PNG_MARGIN + k / 2) * row +
					       3 * (x + PNG_MARGIN + k % 2),
				       blue, 3);
}

enum err results_plot(const struct view_results *r,
		      const struct manifest_chart *chart, bool is_joined,
		      struct buf *out)
{
	struct arena *a = arena_new(16u << 20);
	struct canvas c = {PNG_WIDTH - 2 * PNG_MARGIN,
			   PNG_HEIGHT - 2 * PNG_MARGIN, NULL};
	struct view_image image = {PNG_WIDTH, PNG_HEIGHT, 3, NULL};
	struct points p;
	enum err err = points_new(r, chart, &p);

	if (a) {
		c.dots = ARENA_ARRAY(a, c.width * c.height, uint8_t);
		image.pixels =
			ARENA_ARRAY(a, PNG_WIDTH * PNG_HEIGHT * 3, uint8_t);
	}
	if (!c.dots || !image.pixels)
		err = ERR_NO_MEMORY;
	if (err == ERR_OK) {
		draw(&c, &p, is_joined);
		paint(&c, &image);
		err = view_png_encode(&image, out);
	}
	points_free(&p);
	arena_free(a);
	return err;
}

/* Two dots by four as UTF-8: U+2800 and one bit a dot. */
static void put_braille(struct buf *out, const struct canvas *c, uint32_t x,
			uint32_t y)
{
	static const uint8_t bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
	unsigned v = 0;

	for (uint32_t j = 0; j < 4; j++)
		for (uint32_t i = 0; i < 2; i++)
			if (c->dots[(y + j) * c->width + x + i])
				v |= 1u << bit[j][i];
	buf_put_u8(out, 0xe2);
	buf_put_u8(out, (uint8_t)(0xa0 + (v >> 6)));
	buf_put_u8(out, (uint8_t)(0x80 + (v & 63)));
}

static void put_text(const struct canvas *c, const struct points *p,
		     const struct manifest_chart *chart, struct buf *out)
{
	const struct manifest_series *s = chart->series;

	buf_printf(out, "%.*s against %.*s, %zu points\n", (int)s[1].name.n,
		   (const char *)s[1].name.p, (int)s[0].name.n,
		   (const char *)s[0].name.p, p->count);
	for (uint32_t y = 0; p->count > 0 && y < c->height; y += 4) {
		if (y == 0)
			buf_printf(out, "%12.5g ", p->high[1]);
		else if (y + 4 == c->height)
			buf_printf(out, "%12.5g ", p->low[1]);
		else
			buf_printf(out, "%13s", "");
		for (uint32_t x = 0; x < c->width; x += 2)
			put_braille(out, c, x, y);
		buf_put_u8(out, '\n');
	}
	if (p->count > 0)
		buf_printf(out, "%13s%-32.5g%32.5g\n", "", p->low[0],
			   p->high[0]);
}

static enum err text_plot(const struct view_results *r,
			  const struct manifest_chart *chart, bool is_joined,
			  struct buf *out)
{
	uint8_t dots[TEXT_WIDTH * TEXT_HEIGHT] = {0};
	struct canvas c = {TEXT_WIDTH, TEXT_HEIGHT, dots};
	struct points p;
	enum err err = points_new(r, chart, &p);

	if (err == ERR_OK) {
		draw(&c, &p, is_joined);
		put_text(&c, &p, chart, out);
		err = out->err;
	}
	points_free(&p);
	return err;
}

enum err view_results_plots(struct view_results *r, struct buf *out)
{
	enum err err = ERR_OK;

	if (r->m->line.is_set)
		err = text_plot(r, &r->m->line, true, out);
	if (err == ERR_OK && r->m->points.is_set)
		err = text_plot(r, &r->m->points, false, out);
	return err;
}
