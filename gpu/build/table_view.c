/*
 * view.table: one line a task.  Columns of buffers show the buffer's first
 * element; sorting compares numbers as numbers and text as text.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/number.h"
#include "gpu/build/priv/results.h"

#define CELL_MAX 40u

struct cell {
	bool is_number;
	double number;
	char text[CELL_MAX];
};

struct line {
	struct cell *cells;
	struct cell key;
	uint64_t task;
	bool descending;
};

static double f16_value(uint32_t bits)
{
	int exponent = (int)(bits >> 10 & 31);
	double m = bits & 1023;
	double v;

	if (exponent == 31)
		v = m > 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		v = ldexp(m, -24);
	else
		v = ldexp(m + 1024, exponent - 25);
	return bits >> 15 ? -v : v;
}

unsigned results_type_bits(const char *type)
{
	switch (type[1]) {
	case '8':
		return 8;
	case '1':
		return 16;
	case '3':
		return 32;
	default:
		return 64;
	}
}

static uint64_t raw_element(const uint8_t *p, unsigned bits)
{
	uint64_t raw = 0;

	for (unsigned i = 0; i < bits / 8; i++)
		raw |= (uint64_t)p[i] << (8 * i);
	return raw;
}

/* An integer of that many bits as 64. */
static int64_t extend(uint64_t raw, unsigned bits)
{
	return (int64_t)(raw << (64 - bits)) >> (int)(64 - bits);
}

double results_element(const char *type, const uint8_t *p)
{
	unsigned bits = results_type_bits(type);
	uint64_t raw = raw_element(p, bits);
	uint32_t low = (uint32_t)raw;
	float f;
	double v;

	if (type[0] == 'u')
		return (double)raw;
	if (type[0] == 's')
		return (double)extend(raw, bits);
	if (bits == 16)
		return f16_value(low);
	memcpy(&f, &low, sizeof(f));
	memcpy(&v, &raw, sizeof(v));
	return bits == 32 ? (double)f : v;
}

/* The first element of a buffer as a number and as text. */
static void buffer_cell(const char *type, const uint8_t *p, struct cell *c)
{
	unsigned bits = results_type_bits(type);
	uint64_t raw = raw_element(p, bits);

	c->is_number = true;
	c->number = results_element(type, p);
	if (type[0] == 'f')
		snprintf(c->text, CELL_MAX, "%.9g", c->number);
	else if (type[0] == 'u')
		snprintf(c->text, CELL_MAX, "%llu", (unsigned long long)raw);
	else
		snprintf(c->text, CELL_MAX, "%lld",
			 (long long)extend(raw, bits));
}

static void text_cell(struct bytes text, bool is_number, struct cell *c)
{
	uint64_t bits = 0;

	c->is_number = is_number && number_float(text, 8, &bits) == ERR_OK;
	memcpy(&c->number, &bits, sizeof(c->number));
	snprintf(c->text, CELL_MAX, "%.*s",
		 (int)(text.n < CELL_MAX ? text.n : CELL_MAX - 1),
		 (const char *)text.p);
}

static void fill_cell(const struct view_results *r,
		      const struct manifest_series *s, uint64_t task,
		      struct cell *c)
{
	const struct manifest_table *t = &r->m->table;

	if (s->is_buffer) {
		const uint8_t *kept = r->kept[s->buffer][task];

		if (kept)
			buffer_cell(s->type, kept, c);
		else
			snprintf(c->text, CELL_MAX, "-");
	} else if (s->buffer == UINT32_MAX) {
		c->is_number = true;
		c->number = (double)task;
		snprintf(c->text, CELL_MAX, "%llu", (unsigned long long)task);
	} else {
		text_cell(t->cells[task * t->column_count + s->buffer],
			  t->columns[s->buffer].is_number, c);
	}
}

/* Lines without a value come last; equal ones stay in task order. */
static int line_cmp(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;
	int order = 0;

	if (a->key.is_number != b->key.is_number)
		return a->key.is_number ? -1 : 1;
	if (a->key.is_number)
		order = (a->key.number > b->key.number) -
			(a->key.number < b->key.number);
	else
		order = strcmp(a->key.text, b->key.text);
	if (a->descending)
		order = -order;
	if (order == 0)
		order = (a->task > b->task) - (a->task < b->task);
	return order;
}

static void put_lines(struct buf *out, const struct manifest_chart *c,
		      const struct line *lines, uint64_t count)
{
	int width[MANIFEST_VIEW_COLUMNS_MAX];

	for (uint32_t i = 0; i < c->series_count; i++) {
		width[i] = (int)(c->series[i].name.n < CELL_MAX
					 ? c->series[i].name.n
					 : CELL_MAX - 1);
		for (uint64_t t = 0; t < count; t++) {
			int n = (int)strlen(lines[t].cells[i].text);

			width[i] = n > width[i] ? n : width[i];
		}
	}
	for (uint32_t i = 0; i < c->series_count; i++) {
		int n = (int)c->series[i].name.n;

		buf_printf(out, "%s%-*.*s", i > 0 ? "  " : "", width[i],
			   n < width[i] ? n : width[i],
			   (const char *)c->series[i].name.p);
	}
	buf_put_u8(out, '\n');
	for (uint64_t t = 0; t < count; t++) {
		for (uint32_t i = 0; i < c->series_count; i++) {
			const struct cell *cell = &lines[t].cells[i];

			buf_printf(out, cell->is_number ? "%s%*s" : "%s%-*s",
				   i > 0 ? "  " : "", width[i], cell->text);
		}
		buf_put_u8(out, '\n');
	}
}

static void fill_lines(struct view_results *r, struct line *lines,
		       struct cell *cells)
{
	const struct manifest_chart *c = &r->m->table_view;
	uint32_t key = UINT32_MAX;

	for (uint32_t i = 0; i < c->series_count; i++)
		if (c->sort.n > 0 && bytes_eq(c->series[i].name, c->sort))
			key = i;
	for (uint64_t t = 0; t < r->m->task_count; t++) {
		struct line *l = &lines[t];

		l->cells = cells + t * c->series_count;
		l->task = t;
		l->descending = c->is_descending;
		for (uint32_t i = 0; i < c->series_count; i++)
			fill_cell(r, &c->series[i], t, &l->cells[i]);
		if (key != UINT32_MAX)
			l->key = l->cells[key];
	}
}

enum err view_results_table(struct view_results *r, struct buf *out)
{
	const struct manifest_chart *c = &r->m->table_view;
	uint64_t count = r->m->task_count;
	struct line *lines;
	struct cell *cells;

	if (!c->is_set)
		return ERR_OK;
	lines = calloc((size_t)count, sizeof(*lines));
	cells = calloc((size_t)count * c->series_count, sizeof(*cells));
	if (lines && cells) {
		fill_lines(r, lines, cells);
		qsort(lines, (size_t)count, sizeof(*lines), line_cmp);
		if (c->top > 0 && c->top < count)
			count = c->top;
		put_lines(out, c, lines, count);
	}
	free(lines);
	free(cells);
	return lines && cells ? out->err : ERR_NO_MEMORY;
}
