/*
 * Steps are told apart by the one key that says what they do; each kind has a
 * table of the keys it knows.
 */
#include <string.h>

#include "gpu/build/number.h"
#include "gpu/build/priv/read.h"

static const struct {
	const char *key;
	uint8_t bytes;
	bool is_signed;
	bool is_float;
	enum program_type type;
} scalars[] = {
	/* clang-format off */
	{"u8",  1, false, false, PROGRAM_TYPE_U8},
	{"u16", 2, false, false, PROGRAM_TYPE_U16},
	{"u32", 4, false, false, PROGRAM_TYPE_U32},
	{"u64", 8, false, false, PROGRAM_TYPE_U64},
	{"s8",  1, true,  false, PROGRAM_TYPE_S8},
	{"s16", 2, true,  false, PROGRAM_TYPE_S16},
	{"s32", 4, true,  false, PROGRAM_TYPE_S32},
	{"s64", 8, true,  false, PROGRAM_TYPE_S64},
	{"f16", 2, false, true,  PROGRAM_TYPE_B16},
	{"f32", 4, false, true,  PROGRAM_TYPE_B32},
	{"f64", 8, false, true,  PROGRAM_TYPE_B64},
	/* clang-format on */
};

#define SCALARS (sizeof(scalars) / sizeof(scalars[0]))

static const char *const arg_keys[] = {
	"buffer", "offset", "null", "length_of", "bytes", "at",
	"u8",	  "u16",    "u32",  "u64",	 "s8",	  "s16",
	"s32",	  "s64",    "f16",  "f32",	 "f64",
};

#define ARG_KEYS   (sizeof(arg_keys) / sizeof(arg_keys[0]))
#define ARG_SCALAR 6u /* index of "u8" */

/* The float's column, when the string is one column's name alone. */
static bool float_column(struct read *r, const struct json *j,
			 struct manifest_arg *arg)
{
	uint32_t column = read_column(r, j->text);
	enum program_column type =
		arg->type == PROGRAM_TYPE_B16	? PROGRAM_COLUMN_F16
		: arg->type == PROGRAM_TYPE_B32 ? PROGRAM_COLUMN_F32
						: PROGRAM_COLUMN_F64;
	int64_t *code;

	if (column == UINT32_MAX)
		return false;
	if (!r->m->table.columns[column].is_number) {
		read_fail(r, j->at,
			  "column \"%.*s\" does not hold numbers only",
			  (int)j->text.n, (const char *)j->text.p);
		return true;
	}
	code = READ_ARRAY(r, 2, int64_t);
	if (!code)
		return true;
	code[0] = PROGRAM_OP_COLUMN;
	code[1] = read_carry(r, column, type);
	arg->value.expr = (struct program_expr){.code = code, .code_count = 2};
	for (uint64_t task = 0; task < r->m->task_count; task++) {
		int64_t v;

		if (manifest_carried_value(r->m, (uint32_t)code[1], task, &v) ==
		    ERR_OK)
			continue;
		read_fail(r, j->at,
			  "column \"%.*s\": the value of row %llu is outside "
			  "the range of %s",
			  (int)j->text.n, (const char *)j->text.p,
			  (unsigned long long)task + 1, arg->key);
		return true;
	}
	return true;
}

static void float_arg(struct read *r, const struct json *j, unsigned bytes,
		      struct manifest_arg *arg)
{
	bool special = j->kind == JSON_STRING &&
		       (bytes_starts(j->text, BYTES_LIT("0x")) ||
			bytes_eq(j->text, BYTES_LIT("nan")) ||
			bytes_eq(j->text, BYTES_LIT("inf")) ||
			bytes_eq(j->text, BYTES_LIT("-inf")));
	uint64_t bits = 0;
	enum err err;

	if (j->kind == JSON_STRING && !special && float_column(r, j, arg))
		return;
	if (j->kind != JSON_NUMBER && !special) {
		read_fail(r, j->at,
			  "%s takes a number, \"0x...\" (raw bits), \"nan\", "
			  "\"inf\", \"-inf\" or a column's name",
			  arg->key);
		return;
	}
	err = number_float(j->text, bytes, &bits);
	if (err == ERR_OVERFLOW)
		read_fail(r, j->at, "the value is outside the range of %s",
			  arg->key);
	else if (err != ERR_OK)
		read_fail(r, j->at, "expected a number for %s", arg->key);
	arg->value.expr = program_expr_const((int64_t)bits);
}

static bool is_hex_literal(const struct json *j)
{
	if (j->kind != JSON_STRING || j->text.n < 3 || j->text.p[0] != '0' ||
	    (j->text.p[1] | 0x20) != 'x')
		return false;
	for (size_t i = 2; i < j->text.n; i++)
		if (!strchr("0123456789abcdefABCDEF", j->text.p[i]))
			return false;
	return true;
}

/* Bits of an integer type as the program's signed value of it; a u64 above
 * 2^63 travels as raw bits. */
static void int_bits(struct manifest_arg *arg, unsigned bytes, bool is_signed,
		     uint64_t bits)
{
	unsigned shift = 64 - bytes * 8;

	if (is_signed)
		bits = (uint64_t)((int64_t)(bits << shift) >> shift);
	if (!is_signed && bits >> 63 != 0)
		arg->type = PROGRAM_TYPE_B64;
	arg->value.expr = program_expr_const((int64_t)bits);
}

/* A plain literal: checked against the type by its digits. */
static bool int_literal(struct read *r, const struct json *j, unsigned bytes,
			bool is_signed, struct manifest_arg *arg)
{
	uint64_t bits = 0;
	enum err err;

	if (j->kind != JSON_NUMBER && !is_hex_literal(j))
		return false;
	err = number_int(j->text, bytes, is_signed, &bits);
	if (err == ERR_MALFORMED)
		return false; /* read_expr says what is wrong */
	if (err == ERR_OVERFLOW)
		read_fail(r, j->at, "the value is outside the range of %s",
			  arg->key);
	int_bits(arg, bytes, is_signed, bits);
	return true;
}

static void int_arg(struct read *r, const struct json *j, unsigned bytes,
		    bool is_signed, struct manifest_arg *arg)
{
	int64_t low = 0, high = INT64_MAX;

	if (int_literal(r, j, bytes, is_signed, arg))
		return;
	arg->value = read_expr(r, j, READ_TASK, arg->key);
	if (!read_ok(r) || arg->value.expr.code_count > 0)
		return;
	if (is_signed) {
		low = bytes == 8 ? INT64_MIN : -((int64_t)1 << (bytes * 8 - 1));
		high = bytes == 8 ? INT64_MAX
				  : ((int64_t)1 << (bytes * 8 - 1)) - 1;
	} else if (bytes < 8) {
		high = ((int64_t)1 << (bytes * 8)) - 1;
	}
	if (arg->value.expr.value < low || arg->value.expr.value > high)
		read_fail(r, j->at, "%lld is outside the range of %s",
			  (long long)arg->value.expr.value, arg->key);
}

/* {"buffer": NAME, "offset": N} inside "at". */
static void read_at(struct read *r, const struct json *j, uint32_t data_bytes,
		    struct manifest_at *at)
{
	static const char *const keys[] = {"buffer", "offset"};
	const struct json *got[2];
	uint64_t byte = 0;

	if (number_int(j->key, 8, false, &byte) != ERR_OK ||
	    byte + 8 > data_bytes || byte > data_bytes) {
		read_fail(r, j->key_at,
			  "expected a byte offset in the struct, at most %u",
			  data_bytes < 8 ? 0 : data_bytes - 8);
		return;
	}
	at->byte = (uint32_t)byte;
	if (!read_object(r, j, "an address", keys, 2, got) ||
	    !read_need(r, j, got[0], "buffer", "an address"))
		return;
	at->buffer = read_buffer_name(r, got[0]);
	at->offset.at = j->at;
	if (got[1])
		at->offset = read_expr(r, got[1], READ_TASK, "an offset");
}

/* Sorted by byte (few), overlapping ones refused. */
static void sort_ats(struct read *r, struct manifest_at *ats, uint32_t count,
		     struct build_pos pos)
{
	for (uint32_t i = 1; i < count; i++) {
		struct manifest_at x = ats[i];
		uint32_t k = i;

		for (; k > 0 && ats[k - 1].byte > x.byte; k--)
			ats[k] = ats[k - 1];
		ats[k] = x;
	}
	for (uint32_t i = 1; i < count; i++)
		if (ats[i].byte - ats[i - 1].byte < 8)
			read_fail(r, pos, "the addresses at %u and %u overlap",
				  (unsigned)ats[i - 1].byte,
				  (unsigned)ats[i].byte);
}

static void bytes_arg(struct read *r, const struct json *j,
		      const struct json *at, struct manifest_arg *arg)
{
	struct bytes hex = read_string(r, j, "the bytes of a struct",
				       2 * MANIFEST_ARG_BYTES_MAX);
	struct manifest_at *ats;
	uint8_t *raw;

	raw = READ_ARRAY(r, hex.n / 2, uint8_t);
	if (!raw)
		return;
	if (hex.n % 2 != 0 || hex_decode(hex, raw, hex.n / 2) != ERR_OK) {
		read_fail(r, j->at, "expected pairs of hex digits");
		return;
	}
	arg->data = bytes_of(raw, hex.n / 2);
	if (!at)
		return;
	if (at->kind != JSON_OBJECT || at->count > MANIFEST_ARGS_MAX) {
		read_fail(r, at->at,
			  "expected \"at\" as an object of byte offsets");
		return;
	}
	ats = READ_ARRAY(r, at->count, struct manifest_at);
	arg->ats = ats;
	for (const struct json *c = at->first; c && read_ok(r); c = c->next)
		read_at(r, c, (uint32_t)arg->data.n, &ats[arg->at_count++]);
	if (read_ok(r))
		sort_ats(r, ats, arg->at_count, at->at);
}

static void length_arg(struct read *r, const struct json *j,
		       struct manifest_arg *arg)
{
	arg->kind = MANIFEST_ARG_LENGTH;
	arg->buffer = read_buffer_name(r, j);
	if (read_ok(r) &&
	    r->m->buffers[arg->buffer].from.kind == BUILD_SOURCE_NONE)
		read_fail(r, j->at,
			  "\"length_of\" needs a buffer that comes from a "
			  "file");
}

static bool arg_shape(struct read *r, const struct json *j,
		      const struct json **got, size_t *ret_kind)
{
	size_t kinds = 0;

	if (!read_object(r, j, "an argument", arg_keys, ARG_KEYS, got))
		return false;
	for (size_t i = 0; i < ARG_KEYS; i++) {
		if (!got[i] || i == 1 || i == 5)
			continue;
		*ret_kind = i;
		kinds++;
	}
	if (kinds != 1) {
		read_fail(r, j->at,
			  "an argument needs exactly one of buffer, null, "
			  "length_of, bytes, u8 ... s64, f16, f32, f64");
		return false;
	}
	if (got[1] && *ret_kind != 0)
		read_fail(r, got[1]->key_at, "\"offset\" belongs to a buffer");
	if (got[5] && *ret_kind != 4)
		read_fail(r, got[5]->key_at, "\"at\" belongs to bytes");
	return read_ok(r);
}

static void read_arg(struct read *r, const struct json *j,
		     struct manifest_arg *arg)
{
	const struct json *got[ARG_KEYS];
	size_t kind = 0;

	arg->at = j->at;
	arg->value.at = j->at;
	if (!arg_shape(r, j, got, &kind))
		return;
	arg->key = arg_keys[kind];
	if (kind == 0) {
		arg->kind = MANIFEST_ARG_BUFFER;
		arg->buffer = read_buffer_name(r, got[0]);
		if (got[1])
			arg->value =
				read_expr(r, got[1], READ_TASK, "an offset");
	} else if (kind == 2) {
		arg->kind = MANIFEST_ARG_NULL;
		if (!read_bool(r, got[2], "\"null\""))
			read_fail(r, got[2]->at, "expected true");
	} else if (kind == 3) {
		length_arg(r, got[3], arg);
	} else if (kind == 4) {
		arg->kind = MANIFEST_ARG_BYTES;
		bytes_arg(r, got[4], got[5], arg);
	} else {
		size_t s = kind - ARG_SCALAR;

		arg->kind = MANIFEST_ARG_VALUE;
		arg->type = scalars[s].type;
		arg->is_float = scalars[s].is_float;
		if (arg->is_float)
			float_arg(r, got[kind], scalars[s].bytes, arg);
		else
			int_arg(r, got[kind], scalars[s].bytes,
				scalars[s].is_signed, arg);
	}
}

/* 1 to 3 numbers; one alone may stand without a list. */
static void read_dim(struct read *r, const struct json *j, const char *what,
		     int64_t most, struct manifest_expr *dim)
{
	const struct json *c = j;
	uint32_t count = 1;

	for (size_t i = 0; i < 3; i++)
		dim[i] = (struct manifest_expr){program_expr_const(1), j->at};
	if (j->kind == JSON_ARRAY) {
		c = j->first;
		count = j->count;
	}
	if (count < 1 || count > 3) {
		read_fail(r, j->at, "%s takes 1 to 3 numbers", what);
		return;
	}
	for (uint32_t i = 0; i < count && read_ok(r); i++, c = c->next) {
		dim[i] = read_expr(r, c, READ_LOOPS, what);
		if (read_ok(r) && dim[i].expr.code_count == 0 &&
		    (dim[i].expr.value < 1 || dim[i].expr.value > most))
			read_fail(r, c->at,
				  "%s must lie between 1 and %lld, found %lld",
				  what, (long long)most,
				  (long long)dim[i].expr.value);
	}
}

static void read_launch(struct read *r, const struct json *j,
			struct manifest_step *s)
{
	static const char *const keys[] = {"launch", "grid", "block", "shared",
					   "args"};
	const struct json *got[5];
	struct manifest_arg *args;

	if (!read_object(r, j, "a launch", keys, 5, got) ||
	    !read_need(r, j, got[1], "grid", "a launch") ||
	    !read_need(r, j, got[2], "block", "a launch"))
		return;
	s->kernel = read_string(r, got[0], "a kernel's name", 1000);
	read_dim(r, got[1], "the grid", INT32_MAX, s->grid);
	read_dim(r, got[2], "the block", CTA_THREADS_MAX, s->cta);
	s->shared_bytes.at = j->at;
	if (got[3])
		s->shared_bytes = read_expr(r, got[3], READ_LOOPS,
					    "\"shared\", in bytes");
	if (!read_ok(r) || !got[4])
		return;
	if (got[4]->kind != JSON_ARRAY) {
		read_fail(r, got[4]->at,
			  "expected \"args\" as a list, found %s",
			  json_kind_text(got[4]->kind));
		return;
	}
	if (got[4]->count > MANIFEST_ARGS_MAX) {
		read_fail(r, got[4]->at, "more than %u arguments",
			  MANIFEST_ARGS_MAX);
		return;
	}
	args = READ_ARRAY(r, got[4]->count, struct manifest_arg);
	s->args = args;
	s->arg_count = got[4]->count;
	if (!args)
		return;
	for (const struct json *c = got[4]->first; c && read_ok(r); c = c->next)
		read_arg(r, c, args++);
}

/* A constant range must lie in its buffer; others are checked when the
 * program is made. */
static void check_range(struct read *r, struct build_pos at,
			const struct manifest_expr *offset,
			const struct manifest_expr *bytes, uint32_t buffer)
{
	const struct manifest_buffer *b = &r->m->buffers[buffer];
	int64_t o = offset->expr.value;
	int64_t n = bytes->expr.value;

	if (!read_ok(r) || offset->expr.code_count > 0 ||
	    bytes->expr.code_count > 0)
		return;
	if (o < 0 || n < 0 || (uint64_t)o > b->size_bytes ||
	    (uint64_t)n > b->size_bytes - (uint64_t)o)
		read_fail(r, at,
			  "bytes %lld to %lld are outside buffer \"%.*s\", "
			  "which has %llu",
			  (long long)o, (long long)((uint64_t)o + (uint64_t)n),
			  (int)b->name.n, (const char *)b->name.p,
			  (unsigned long long)b->size_bytes);
}

static void read_copy(struct read *r, const struct json *j,
		      struct manifest_step *s)
{
	static const char *const keys[] = {"copy", "to", "bytes", "from_offset",
					   "to_offset"};
	const struct json *got[5];

	if (!read_object(r, j, "a copy", keys, 5, got) ||
	    !read_need(r, j, got[1], "to", "a copy"))
		return;
	s->buffer = read_buffer_name(r, got[0]);
	s->to = read_buffer_name(r, got[1]);
	s->from_offset.at = s->to_offset.at = s->bytes.at = j->at;
	if (got[3])
		s->from_offset =
			read_expr(r, got[3], READ_LOOPS, "\"from_offset\"");
	if (got[4])
		s->to_offset =
			read_expr(r, got[4], READ_LOOPS, "\"to_offset\"");
	if (!read_ok(r))
		return;
	s->is_whole = !got[2];
	if (got[2])
		s->bytes = read_expr(r, got[2], READ_LOOPS, "\"bytes\"");
	else if (got[3] || got[4])
		read_fail(r, j->at, "a copy with an offset needs \"bytes\"");
	else if (r->m->buffers[s->buffer].size_bytes !=
		 r->m->buffers[s->to].size_bytes)
		read_fail(
			r, j->at,
			"a whole copy needs buffers of one size, these have "
			"%llu and %llu bytes",
			(unsigned long long)r->m->buffers[s->buffer].size_bytes,
			(unsigned long long)r->m->buffers[s->to].size_bytes);
	else
		s->bytes.expr = program_expr_const(
			(int64_t)r->m->buffers[s->buffer].size_bytes);
	if (read_ok(r) && s->buffer == s->to)
		read_fail(r, j->at, "a copy needs two different buffers");
	check_range(r, j->at, &s->from_offset, &s->bytes, s->buffer);
	check_range(r, j->at, &s->to_offset, &s->bytes, s->to);
}

static void read_fill(struct read *r, const struct json *j,
		      struct manifest_step *s)
{
	static const char *const keys[] = {"fill", "with"};
	const struct json *got[2];

	if (!read_object(r, j, "a fill", keys, 2, got) ||
	    !read_need(r, j, got[1], "with", "a fill"))
		return;
	s->to = s->buffer = read_buffer_name(r, got[0]);
	s->with = read_expr(r, got[1], READ_LOOPS, "\"with\"");
	if (read_ok(r) && s->with.expr.code_count == 0 &&
	    (s->with.expr.value < 0 || s->with.expr.value > 255))
		read_fail(r, got[1]->at,
			  "\"with\" must lie between 0 and 255, found %lld",
			  (long long)s->with.expr.value);
}

static void read_list(struct read *r, const struct json *j,
		      const struct manifest_step **ret, uint32_t *ret_count);

/* Which of the loop names this is. */
static uint32_t loop_name(const struct read *r, struct bytes name)
{
	for (uint32_t i = 0; i < r->loop_name_count; i++)
		if (bytes_eq(r->loop_names[i], name))
			return i;
	return UINT32_MAX;
}

static void read_repeat(struct read *r, const struct json *j,
			struct manifest_step *s)
{
	static const char *const keys[] = {"repeat", "index", "steps"};
	const struct json *got[3];
	uint32_t name = UINT32_MAX;

	if (!read_object(r, j, "a repeat", keys, 3, got) ||
	    !read_need(r, j, got[2], "steps", "a repeat"))
		return;
	s->times = (uint64_t)read_int(r, got[0], 1, PROGRAM_LAUNCHES_MAX,
				      "\"repeat\"");
	if (got[1]) {
		s->index = read_string(r, got[1], "a repeat's index", 64);
		name = loop_name(r, s->index);
	}
	if (!read_ok(r))
		return;
	if (r->loop_count == PROGRAM_REPEAT_DEPTH) {
		read_fail(r, j->at, "repeats nest at most %u deep",
			  PROGRAM_REPEAT_DEPTH);
		return;
	}
	for (uint32_t i = 0; i < r->loop_count; i++)
		if (got[1] && r->loops[i] == name)
			read_fail(r, got[1]->at,
				  "an outer repeat has the same index");
	r->loops[r->loop_count++] = name;
	read_list(r, got[2], &s->steps, &s->step_count);
	r->loop_count--;
}

static const struct {
	const char *key;
	enum manifest_step_kind kind;
	void (*read)(struct read *r, const struct json *j,
		     struct manifest_step *s);
} step_kinds[] = {
	{"launch", MANIFEST_LAUNCH, read_launch},
	{"copy", MANIFEST_COPY, read_copy},
	{"fill", MANIFEST_FILL, read_fill},
	{"repeat", MANIFEST_LOOP, read_repeat},
};

#define STEP_KINDS (sizeof(step_kinds) / sizeof(step_kinds[0]))

static void read_step(struct read *r, const struct json *j,
		      struct manifest_step *s)
{
	static const char *const words[] = {"launch", "copy", "fill", "repeat"};

	s->at = j->at;
	if (j->kind != JSON_OBJECT) {
		read_fail(r, j->at, "expected a step as an object, found %s",
			  json_kind_text(j->kind));
		return;
	}
	for (const struct json *c = j->first; c; c = c->next) {
		for (size_t i = 0; i < STEP_KINDS; i++) {
			if (!bytes_eq(c->key, bytes_str(step_kinds[i].key)))
				continue;
			s->kind = step_kinds[i].kind;
			step_kinds[i].read(r, j, s);
			return;
		}
	}
	if (j->count > 0 && manifest_nearest(j->first->key, words, 4))
		read_fail(r, j->first->key_at,
			  "a step has no key \"%.*s\"; did you mean \"%s\"?",
			  (int)j->first->key.n, (const char *)j->first->key.p,
			  manifest_nearest(j->first->key, words, 4));
	else
		read_fail(r, j->at,
			  "a step needs one of the keys \"launch\", \"copy\", "
			  "\"fill\", \"repeat\"");
}

static void read_list(struct read *r, const struct json *j,
		      const struct manifest_step **ret, uint32_t *ret_count)
{
	struct manifest_step *steps;

	if (!read_ok(r))
		return;
	if (j->kind != JSON_ARRAY || j->count == 0) {
		read_fail(r, j->at, "expected \"steps\" as a list of steps");
		return;
	}
	r->step_total += j->count;
	if (r->step_total > PROGRAM_STEPS_MAX) {
		read_fail(r, j->at, "more than %u steps", PROGRAM_STEPS_MAX);
		return;
	}
	steps = READ_ARRAY(r, j->count, struct manifest_step);
	if (!steps)
		return;
	*ret = steps;
	*ret_count = j->count;
	for (const struct json *c = j->first; c && read_ok(r); c = c->next)
		read_step(r, c, steps++);
}

/* Indexes of all repeats, wherever they stand; wrong types are left to the
 * real reading. */
void read_loop_names(struct read *r, const struct json *steps, unsigned depth)
{
	if (!r->loop_names)
		r->loop_names = READ_ARRAY(r, MANIFEST_NAMES_MAX, struct bytes);
	if (!steps || !read_ok(r) || depth > JSON_DEPTH_MAX)
		return;
	for (const struct json *c = steps->first; c; c = c->next) {
		for (const struct json *k = c->first; k; k = k->next) {
			if (bytes_eq(k->key, BYTES_LIT("steps")))
				read_loop_names(r, k, depth + 1);
			if (!bytes_eq(k->key, BYTES_LIT("index")) ||
			    k->kind != JSON_STRING ||
			    loop_name(r, k->text) != UINT32_MAX)
				continue;
			if (!read_is_name(k->text)) {
				read_fail(r, k->at,
					  "a repeat's index must be a name: "
					  "letters, digits and _ only");
				return;
			}
			if (r->loop_name_count == MANIFEST_NAMES_MAX) {
				read_fail(r, k->at, "more than %u names",
					  MANIFEST_NAMES_MAX);
				return;
			}
			r->loop_names[r->loop_name_count++] = k->text;
		}
	}
}

/* A loop's index may not hide a column or the tasks' index. */
static void check_loop_names(struct read *r, const struct json *steps)
{
	for (uint32_t i = 0; i < r->loop_name_count; i++) {
		struct bytes name = r->loop_names[i];

		if (read_column(r, name) != UINT32_MAX ||
		    bytes_eq(name, r->m->task_index))
			read_fail(r, steps->at,
				  "the repeat's index \"%.*s\" is already the "
				  "tasks' index or a column",
				  (int)name.n, (const char *)name.p);
	}
}

void read_steps(struct read *r, const struct json *j)
{
	check_loop_names(r, j);
	read_list(r, j, &r->m->steps, &r->m->step_count);
}
