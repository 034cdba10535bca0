/*
 * The task table is CSV as RFC 4180 has it: a header, rows of as many cells,
 * quotes doubled inside quoted cells, LF or CRLF.  It is read twice: once to
 * count, once to keep the cells.
 */
#include <string.h>

#include "base/arena.h"
#include "gpu/build/number.h"
#include "gpu/build/priv/read.h"

struct csv {
	struct bytes text;
	size_t i;
	uint32_t line;
	struct read *r;
	const char *file;
	struct build_pos at; /* of the cell read last */
	size_t line_start;
};

static void csv_fail(struct csv *c, struct build_pos at, const char *text)
{
	if (!read_ok(c->r))
		return;
	read_fail(c->r, at, "%s", text);
	c->r->diag->file = c->file;
}

/* The raw cell at c->i, quotes removed but not undoubled: *twice says that
 * it holds doubled quotes. */
static struct bytes csv_cell(struct csv *c, bool *twice)
{
	size_t from = c->i;

	*twice = false;
	c->at = (struct build_pos){c->line,
				   (uint32_t)(c->i - c->line_start) + 1};
	if (c->i == c->text.n || c->text.p[c->i] != '"') {
		while (c->i < c->text.n && !memchr(",\r\n", c->text.p[c->i], 3))
			if (c->text.p[c->i++] == '"')
				csv_fail(c, c->at,
					 "a quote inside a cell without "
					 "quotes");
		return bytes_of(c->text.p + from, c->i - from);
	}
	for (from = ++c->i; c->i < c->text.n; c->i++) {
		if (c->text.p[c->i] == '\n') {
			c->line++;
			c->line_start = c->i + 1;
		}
		if (c->text.p[c->i] != '"')
			continue;
		if (c->i + 1 == c->text.n || c->text.p[c->i + 1] != '"')
			break;
		*twice = true;
		c->i++;
	}
	if (c->i == c->text.n) {
		csv_fail(c, c->at, "the quote of this cell is not closed");
		return (struct bytes){NULL, 0};
	}
	c->i++;
	return bytes_of(c->text.p + from, c->i - 1 - from);
}

/* Behind a cell: true if another follows on the line. */
static bool csv_more(struct csv *c)
{
	if (c->i == c->text.n)
		return false;
	if (c->text.p[c->i] == ',') {
		c->i++;
		return true;
	}
	if (c->text.p[c->i] == '\r' && c->i + 1 < c->text.n &&
	    c->text.p[c->i + 1] == '\n')
		c->i++;
	if (c->text.p[c->i] == '\n') {
		c->i++;
		c->line++;
		c->line_start = c->i;
		return false;
	}
	csv_fail(c, c->at,
		 "expected a comma or the end of the line behind "
		 "this cell");
	c->i = c->text.n;
	return false;
}

static struct bytes undouble(struct read *r, struct bytes cell)
{
	uint8_t *p = READ_ARRAY(r, cell.n, uint8_t);
	size_t n = 0;

	if (!p)
		return (struct bytes){NULL, 0};
	for (size_t i = 0; i < cell.n; i++) {
		p[n++] = cell.p[i];
		if (cell.p[i] == '"')
			i++;
	}
	return bytes_of(p, n);
}

/* One line's cells into row (up to max); their number, 0 after an error. */
static uint32_t csv_line(struct csv *c, struct bytes *row, uint32_t max)
{
	uint32_t n = 0;
	bool more = true, twice;

	while (more && read_ok(c->r)) {
		struct bytes cell = csv_cell(c, &twice);

		if (n == max) {
			csv_fail(c, c->at,
				 "this line has more cells than the header");
			return 0;
		}
		if (row)
			row[n] = twice ? undouble(c->r, cell) : cell;
		n++;
		more = csv_more(c);
	}
	return read_ok(c->r) ? n : 0;
}

static void read_header(struct csv *c, struct manifest_table *t)
{
	static struct bytes const none = {NULL, 0};
	struct bytes *names =
		READ_ARRAY(c->r, MANIFEST_NAMES_MAX, struct bytes);
	struct manifest_column *columns;
	struct build_pos at = {1, 1};

	if (!names)
		return;
	names[0] = none;
	t->column_count = csv_line(c, names, MANIFEST_NAMES_MAX);
	columns = READ_ARRAY(c->r, t->column_count, struct manifest_column);
	if (!columns)
		return;
	t->columns = columns;
	for (uint32_t i = 0; i < t->column_count; i++) {
		if (names[i].n == 0 || names[i].n > 64)
			csv_fail(c, at,
				 "a column's name must have 1 to 64 "
				 "characters");
		for (uint32_t k = 0; k < i; k++)
			if (bytes_eq(names[i], names[k]))
				csv_fail(c, at,
					 "two columns have the same name");
		columns[i].name = names[i];
	}
}

/* Which columns hold integers, which numbers, in all rows. */
static void classify(struct manifest_table *t, struct manifest_column *columns,
		     uint64_t rows)
{
	for (uint32_t i = 0; i < t->column_count; i++) {
		columns[i].is_integer = true;
		columns[i].is_number = true;
		for (uint64_t row = 0; row < rows; row++) {
			struct bytes b = t->cells[row * t->column_count + i];
			uint64_t bits;

			if (columns[i].is_integer &&
			    number_int(b, 8, true, &bits) != ERR_OK)
				columns[i].is_integer = false;
			if (columns[i].is_number &&
			    (bytes_starts(b, BYTES_LIT("0x")) ||
			     number_float(b, 8, &bits) != ERR_OK))
				columns[i].is_number = false;
			if (!columns[i].is_integer && !columns[i].is_number)
				break;
		}
	}
}

static uint64_t count_lines(struct bytes text)
{
	uint64_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

static void read_table(struct read *r, const char *file, struct bytes text)
{
	struct csv c = {.text = text, .line = 1, .r = r, .file = file};
	struct manifest_table *t = &r->m->table;
	struct bytes *cells;
	uint64_t rows = 0, most;

	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		c.i = c.line_start = 3;
	read_header(&c, t);
	if (!read_ok(r))
		return;
	most = count_lines(text);
	if (most > JOB_TASKS_MAX)
		most = JOB_TASKS_MAX;
	cells = READ_ARRAY(r, (size_t)most * t->column_count, struct bytes);
	if (!cells)
		return;
	while (c.i < text.n && read_ok(r)) {
		uint32_t line = c.line;

		if (rows == most) {
			csv_fail(&c, (struct build_pos){line, 1},
				 "more than 1,048,576 rows");
			return;
		}
		if (csv_line(&c, cells + rows * t->column_count,
			     t->column_count) != t->column_count)
			csv_fail(&c, (struct build_pos){line, 1},
				 "this line has fewer cells than the header");
		rows++;
	}
	t->cells = cells;
	r->m->task_count = rows;
	if (rows == 0)
		csv_fail(&c, (struct build_pos){1, 1},
			 "the table has no row behind its header");
	if (read_ok(r))
		classify(t, (struct manifest_column *)t->columns, rows);
}

static void open_table(struct read *r, const struct json *j,
		       const struct build_files *files)
{
	struct build_source s = read_source(r, j, "the task table", false);
	struct build_data d;
	const char *why = "";
	const char *file = "table";
	struct bytes text;

	if (!read_ok(r))
		return;
	if (build_open(files, &s, BUILD_TABLE_BYTES_MAX, &d, &why) != ERR_OK) {
		read_fail(r, s.at, "cannot read the task table \"%.*s\": %s",
			  (int)(s.name.n < 200 ? s.name.n : 200),
			  (const char *)s.name.p, why);
		return;
	}
	text = arena_copy(r->a, d.bytes);
	build_close(files, &s, &d);
	if (s.kind == BUILD_SOURCE_PATH)
		file = arena_str(r->a, s.name);
	if ((text.n > 0 && !text.p) || !file) {
		(void)read_alloc(r, SIZE_MAX, 2, 1);
		return;
	}
	read_table(r, file, text);
}

static const char *const task_keys[] = {"count", "index", "table"};

void read_tasks(struct read *r, const struct json *j,
		const struct build_files *files)
{
	const struct json *got[3];
	struct manifest *m = r->m;

	m->task_count = 1;
	m->task_index = BYTES_LIT("t");
	if (!j || !read_object(r, j, "\"tasks\"", task_keys, 3, got))
		return;
	if (!got[0] == !got[2]) {
		read_fail(r, j->at,
			  "\"tasks\" needs either \"count\" or \"table\"");
		return;
	}
	if (got[1]) {
		m->task_index = read_string(r, got[1], "the tasks' index", 64);
		if (read_ok(r) && !read_is_name(m->task_index))
			read_fail(r, got[1]->at,
				  "the tasks' index must be a name: letters, "
				  "digits and _ only");
	}
	if (got[2] && read_ok(r))
		open_table(r, got[2], files);
	if (!read_ok(r) || read_column(r, m->task_index) == UINT32_MAX)
		return;
	if (got[1])
		read_fail(r, got[1]->at,
			  "the tasks' index has the name of a column");
	m->task_index = (struct bytes){NULL, 0};
}

void read_task_count(struct read *r, const struct json *j)
{
	const struct json *got[3];

	if (!j || !read_object(r, j, "\"tasks\"", task_keys, 3, got) || !got[0])
		return;
	r->m->task_count = (uint64_t)read_int(r, got[0], 1, JOB_TASKS_MAX,
					      "the number of tasks");
}

enum err manifest_carried_value(const struct manifest *m,
				uint32_t carried_index, uint64_t task,
				int64_t *ret_value)
{
	const struct manifest_carried *c = &m->carried[carried_index];
	struct bytes text =
		m->table.cells[task * m->table.column_count + c->column];
	uint64_t bits = 0;
	enum err err = ERR_OVERFLOW;

	switch (c->type) {
	case PROGRAM_COLUMN_INT:
		err = number_int(text, 8, true, &bits);
		break;
	case PROGRAM_COLUMN_F16:
		err = number_float(text, 2, &bits);
		break;
	case PROGRAM_COLUMN_F32:
		err = number_float(text, 4, &bits);
		break;
	case PROGRAM_COLUMN_F64:
		err = number_float(text, 8, &bits);
		break;
	}
	if (err != ERR_OK)
		return ERR_OVERFLOW;
	*ret_value = (int64_t)bits;
	return ERR_OK;
}
