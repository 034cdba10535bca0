/*
 * Works on the canonical text line by line: it is parsed again, so that every
 * line with an instruction is known, and what must be added goes before or
 * behind that line.  Names that are added begin with %w and $w, which the
 * printer gives to nothing.
 *
 *   %wh  the mix h      %ws  where it goes     %wc  number of the CTA
 *   %wb, %we  ranges    %wf  the finder's table
 *
 * h lives in a register and goes to memory around calls and at ends; device
 * functions get its place as one more argument.
 */
#include "gpu/ptx/instrument.h"

#include <string.h>

#include "base/hash.h"
#include "gpu/ptx/print.h"
#include "gpu/ptx/priv/taint.h"

#define MULTIPLIER "0x9E3779B97F4A7C15"

static const char *const class_names[PTX_CLASS_COUNT] = {"%p", "%c", "%h",
							 "%r", "%d", "%q"};

/* The instruction that a line holds. */
struct place {
	uint32_t function; /* PTX_NO_INDEX: none */
	uint32_t instr;
};

struct writer {
	struct arena *a;
	const struct ptx_module *m;
	const struct ptx_instrument *options;
	struct buf *out;
	struct place *places; /* by line */
	uint32_t line_count;
	bool **allowed; /* by function and instruction: the witness may look */
	const struct ptx_function *f; /* that is being written */
	uint64_t k0, k1;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void set_key(struct writer *w)
{
	struct sha256 s;
	struct hash h;

	sha256_init_tag(&s, "weft/witness");
	sha256_put(&s, w->options->witness_seed32, 32);
	sha256_put(&s, w->f->name.p, w->f->name.n);
	h = sha256_end(&s);
	w->k0 = u64_le(h.b);
	w->k1 = u64_le(h.b + 8);
}

static bool has_witness(const struct writer *w)
{
	return w->options->witness_seed32 != NULL;
}

static bool has_finder(const struct writer *w)
{
	return w->options->range_count > 0;
}

/* "@!%p3 ", or nothing. */
static void put_guard(struct writer *w, const struct ptx_instr *in)
{
	if (in->guard != PTX_NO_INDEX)
		buf_printf(w->out, "@%s%%p%u ", in->guard_negated ? "!" : "",
			   in->guard);
}

/* h = (rotl(h, 5) ^ %wv) * MULTIPLIER, for the threads of the guard. */
static void put_mix(struct writer *w, const struct ptx_instr *in)
{
	static const char *const lines[] = {
		/* clang-format off */
		"shr.u64 %wt, %wh, 59",
		"shl.b64 %wh, %wh, 5",
		"or.b64 %wh, %wh, %wt",
		"xor.b64 %wh, %wh, %wv",
		("mul.lo.u64 %wh, %wh, " MULTIPLIER),
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (in != NULL)
			put_guard(w, in);
		buf_put_str(w->out, lines[i]);
		buf_put_str(w->out, ";\n");
	}
}

/* The result of an instruction that the seed selects. */
static void put_result(struct writer *w, const struct ptx_instr *in,
		       uint32_t number)
{
	const struct ptx_operand *d = ptx_operand(w->f, in, 0);
	bool is_wide = d->cls == PTX_CLASS_64;
	const char *from = is_wide ? "%wv" : "%wr";
	uint64_t nan = is_wide ? 0x7fffffffffffffffu : 0x7fffffffu;

	buf_printf(w->out, "mov.b%u %s, %s%u;\n", is_wide ? 64 : 32, from,
		   class_names[d->cls], d->index);
	if (ptx_types[in->types[0]].kind == PTX_KIND_F) {
		buf_printf(w->out, "setp.nan.f%u %%wp, %s, %s;\n",
			   is_wide ? 64 : 32, from, from);
		buf_printf(w->out, "selp.b%u %s, %llu, %s, %%wp;\n",
			   is_wide ? 64 : 32, from, (unsigned long long)nan,
			   from);
	}
	if (!is_wide)
		buf_put_str(w->out, "cvt.u64.u32 %wv, %wr;\n");
	buf_printf(w->out, "add.u64 %%wv, %%wv, %llu;\n",
		   (unsigned long long)number << 32);
	put_mix(w, in);
}

/* Which way a conditional branch goes: 1 taken, 2 not. */
static void put_branch(struct writer *w, const struct ptx_instr *in,
		       uint32_t number)
{
	uint64_t v = (uint64_t)number << 32;
	uint32_t yes = in->guard_negated ? 2 : 1;

	buf_printf(w->out, "selp.b64 %%wv, %llu, %llu, %%p%u;\n",
		   (unsigned long long)(v + yes),
		   (unsigned long long)(v + 3 - yes), in->guard);
	put_mix(w, NULL);
}

static uint32_t access_bytes(const struct ptx_instr *in)
{
	static const uint8_t counts[4] = {1, 2, 4, 8};

	return ptx_types[in->types[0]].bits / 8u *
	       counts[in->mod[PTX_MOD_VEC] & 3u];
}

/* Memory that a range may lie in. */
static bool is_far(const struct ptx_instr *in)
{
	uint32_t space = in->mod[PTX_MOD_SPACE];

	return space == PTX_SPACE_NONE || space == PTX_SPACE_GLOBAL ||
	       space == PTX_SPACE_CONST;
}

/* The operand's address into %wv; false: it is in no range. */
static bool put_address(struct writer *w, const struct ptx_operand *o)
{
	const struct ptx_variable *v;

	switch ((enum ptx_base)o->base) {
	case PTX_BASE_REG:
		if (o->cls != PTX_CLASS_64)
			return false;
		buf_printf(w->out, "add.s64 %%wv, %%d%u, %lld;\n", o->index,
			   (long long)o->offset);
		return true;
	case PTX_BASE_VARIABLE:
		v = &w->m->variables[o->index];
		if (v->owner != PTX_NO_INDEX || (v->space != PTX_SPACE_GLOBAL &&
						 v->space != PTX_SPACE_CONST))
			return false;
		buf_put_str(w->out, "mov.u64 %wv, ");
		buf_put_bytes(w->out, v->name);
		buf_printf(w->out, ";\nadd.s64 %%wv, %%wv, %lld;\n",
			   (long long)o->offset);
		return true;
	case PTX_BASE_NONE:
	case PTX_BASE_PARAM:
	case PTX_BASE_RETURN:
	case PTX_BASE_FUNCTION:
		break;
	}
	return false;
}

static void put_search(struct writer *w, const struct ptx_instr *in,
		       uint32_t bytes, bool is_read, bool is_written)
{
	const char *sign = in->guard_negated ? "!" : "";

	buf_printf(w->out, "add.s64 %%wt, %%wv, %u;\n", bytes);
	for (uint32_t i = 0; i < w->options->range_count; i++) {
		if (in->guard == PTX_NO_INDEX)
			buf_printf(w->out, "setp.lt.u64 %%wp, %%wv, %%we%u;\n",
				   i);
		else
			buf_printf(w->out,
				   "setp.lt.and.u64 %%wp, %%wv, %%we%u, "
				   "%s%%p%u;\n",
				   i, sign, in->guard);
		buf_printf(w->out,
			   "setp.gt.and.u64 %%wp, %%wt, %%wb%u, %%wp;\n", i);
		for (uint32_t k = 0; k < 2; k++) {
			if (k == 0 ? is_written : is_read)
				buf_printf(w->out,
					   "@%%wp red.global.min.u64 "
					   "[%%wf+%u], %%wc;\n",
					   PTX_INSTRUMENT_RANGE_BYTES * i + 16 +
						   8 * k);
		}
	}
}

/* Which CTA touches what, before it does. */
static void put_access(struct writer *w, const struct ptx_instr *in)
{
	bool is_store = in->op == PTX_OP_st;
	bool is_load = in->op == PTX_OP_ld || in->op == PTX_OP_ldu;
	bool is_atomic = in->op == PTX_OP_atom || in->op == PTX_OP_red;
	bool is_copy = in->op == PTX_OP_cp_async && in->operand_count > 2;
	uint32_t at = in->op == PTX_OP_st || in->op == PTX_OP_red ? 0 : 1;

	if (is_copy) {
		const struct ptx_operand *n = ptx_operand(w->f, in, 2);

		if (put_address(w, ptx_operand(w->f, in, 1)))
			put_search(w, in, (uint32_t)n->imm, true, false);
		return;
	}
	if (!(is_store || is_load || is_atomic) || !is_far(in))
		return;
	if (put_address(w, ptx_operand(w->f, in, at)))
		put_search(w, in, access_bytes(in), !is_store, !is_load);
}

static bool is_end(const struct ptx_instr *in)
{
	return in->op == PTX_OP_exit || in->op == PTX_OP_ret;
}

/* What goes before a line with an instruction. */
static void put_before(struct writer *w, const struct ptx_instr *in,
		       uint32_t number)
{
	if (has_finder(w))
		put_access(w, in);
	if (in->op == PTX_OP_call && has_finder(w))
		buf_put_str(w->out, "st.param.b64 [$wf], %wf;\n");
	if (!has_witness(w))
		return;
	if (in->op == PTX_OP_bra && in->guard != PTX_NO_INDEX)
		put_branch(w, in, number);
	if (is_end(in) || in->op == PTX_OP_call) {
		put_guard(w, in);
		buf_put_str(w->out, "st.global.u64 [%ws], %wh;\n");
	}
	if (in->op == PTX_OP_call)
		buf_put_str(w->out, "st.param.b64 [$ww], %ws;\n");
}

static void put_after(struct writer *w, const struct ptx_instr *in,
		      uint32_t number)
{
	uint32_t function = (uint32_t)(w->f - w->m->functions);

	if (!has_witness(w))
		return;
	if (in->op == PTX_OP_call) {
		put_guard(w, in);
		buf_put_str(w->out, "ld.global.u64 %wh, [%ws];\n");
	} else if (w->allowed[function][number] &&
		   (mix(w->k0 + number) & 15u) == 0) {
		put_result(w, in, number);
	}
}

/* " .param .b64 $w, .param .b64 $f", or the actual ones. */
static void put_extra(struct writer *w, bool is_formal, bool is_first)
{
	if (has_witness(w)) {
		buf_put_str(w->out, is_first ? "" : ", ");
		buf_put_str(w->out, is_formal ? ".param .b64 $w" : "$ww");
		is_first = false;
	}
	if (has_finder(w)) {
		buf_put_str(w->out, is_first ? "" : ", ");
		buf_put_str(w->out, is_formal ? ".param .b64 $f" : "$wf");
	}
}

static size_t last_of(struct bytes line, char c)
{
	size_t i = line.n;

	while (i > 0 && line.p[i - 1] != (uint8_t)c)
		i--;
	return i - 1;
}

/* A head or a prototype: more formal parameters. */
static void put_head(struct writer *w, struct bytes line)
{
	size_t at = last_of(line, ')');

	buf_put(w->out, line.p, at);
	put_extra(w, true, line.p[at - 1] == '(');
	buf_put_bytes(w->out, bytes_skip(line, at));
}

static void put_call(struct writer *w, struct bytes line,
		     const struct ptx_call *c)
{
	size_t at = c->arg_count > 0 ? last_of(line, ')') : last_of(line, ';');

	/* Without arguments an indirect call ends in ", $C0;". */
	if (c->arg_count == 0 && c->callee == PTX_NO_INDEX)
		at = last_of(line, ',');
	buf_put(w->out, line.p, at);
	if (c->arg_count == 0)
		buf_put_str(w->out, ", (");
	put_extra(w, false, c->arg_count == 0);
	if (c->arg_count == 0)
		buf_put_str(w->out, ")");
	buf_put_bytes(w->out, bytes_skip(line, at));
}

/* %ws += the linear number of three: x + X * (y + Y * z). */
static void put_linear(struct writer *w, const char *number, const char *size)
{
	buf_printf(w->out, "mov.u32 %%wr, %%%s.z;\n", number);
	buf_put_str(w->out, "cvt.u64.u32 %wt, %wr;\n");
	for (uint32_t i = 0; i < 2; i++) {
		char c = i == 0 ? 'y' : 'x';

		buf_printf(w->out, "mov.u32 %%wr, %%%s.%c;\n", size, c);
		buf_put_str(w->out, "cvt.u64.u32 %wv, %wr;\n"
				    "mul.lo.u64 %wt, %wt, %wv;\n");
		buf_printf(w->out, "mov.u32 %%wr, %%%s.%c;\n", number, c);
		buf_put_str(w->out, "cvt.u64.u32 %wv, %wr;\n"
				    "add.u64 %wt, %wt, %wv;\n");
	}
	buf_put_str(w->out, "add.u64 %ws, %ws, %wt;\n");
}

/* A kernel: where the thread's h goes. */
static void put_slot(struct writer *w)
{
	static const char sizes[3] = {'x', 'y', 'z'};

	buf_put_str(w->out, "mov.u64 %ws, %wc;\n");
	for (uint32_t i = 0; i < 3; i++) {
		buf_printf(w->out, "mov.u32 %%wr, %%ntid.%c;\n", sizes[i]);
		buf_put_str(w->out, "cvt.u64.u32 %wv, %wr;\n"
				    "mul.lo.u64 %ws, %ws, %wv;\n");
	}
	put_linear(w, "tid", "ntid");
	buf_put_str(w->out, "shl.b64 %ws, %ws, 3;\n"
			    "ld.param.u64 %wt, [$w];\n"
			    "cvta.to.global.u64 %wt, %wt;\n"
			    "add.u64 %ws, %ws, %wt;\n");
	buf_printf(w->out, "mov.b64 %%wh, %llu;\n", (unsigned long long)w->k1);
}

/* The first statements of a body, behind its declarations. */
static void put_start(struct writer *w)
{
	buf_put_str(w->out, "mov.u64 %ws, 0;\n");
	put_linear(w, "ctaid", "nctaid");
	buf_put_str(w->out, "mov.u64 %wc, %ws;\n");
	if (has_witness(w) && w->f->is_entry)
		put_slot(w);
	if (has_witness(w) && !w->f->is_entry)
		buf_put_str(w->out, "ld.param.u64 %ws, [$w];\n"
				    "ld.global.u64 %wh, [%ws];\n");
	if (!has_finder(w))
		return;
	buf_put_str(w->out, "ld.param.u64 %wf, [$f];\n");
	if (w->f->is_entry)
		buf_put_str(w->out, "cvta.to.global.u64 %wf, %wf;\n");
	for (uint32_t i = 0; i < w->options->range_count; i++)
		buf_printf(w->out,
			   "ld.global.u64 %%wb%u, [%%wf+%u];\n"
			   "ld.global.u64 %%we%u, [%%wf+%u];\n",
			   i, PTX_INSTRUMENT_RANGE_BYTES * i, i,
			   PTX_INSTRUMENT_RANGE_BYTES * i + 8);
}

static void put_declarations(struct writer *w)
{
	buf_put_str(w->out, ".reg .pred %wp;\n.reg .b32 %wr;\n"
			    ".reg .b64 %wh, %ws, %wc, %wt, %wv, %wf;\n");
	if (has_finder(w))
		buf_printf(w->out, ".reg .b64 %%wb<%u>, %%we<%u>;\n",
			   w->options->range_count, w->options->range_count);
	if (w->f->call_count == 0)
		return;
	if (has_witness(w))
		buf_put_str(w->out, ".param .b64 $ww;\n");
	if (has_finder(w))
		buf_put_str(w->out, ".param .b64 $wf;\n");
}

/* The function that a head names: "[.visible .entry|.func (...) ]name(". */
static const struct ptx_function *head_function(const struct writer *w,
						struct bytes line)
{
	size_t n = 0;

	line = bytes_starts(line, BYTES_LIT(".func "))
		       ? bytes_skip(line, 6)
		       : bytes_skip(line, sizeof(".visible .entry ") - 1);
	if (line.n > 0 && line.p[0] == '(') {
		while (n < line.n && line.p[n] != ')')
			n++;
		line = bytes_skip(line, n + 2);
		n = 0;
	}
	while (n < line.n && line.p[n] != '(')
		n++;
	line.n = n;
	for (uint32_t i = 0; i < w->m->function_count; i++)
		if (bytes_eq(w->m->functions[i].name, line))
			return &w->m->functions[i];
	return NULL;
}

static bool is_head(struct bytes line)
{
	return bytes_starts(line, BYTES_LIT(".func ")) ||
	       bytes_starts(line, BYTES_LIT(".visible .entry "));
}

static bool is_prototype(struct bytes line)
{
	static const char word[] = ": .callprototype ";
	size_t n = 0;

	while (n < line.n && line.p[n] != ':')
		n++;
	return bytes_starts(bytes_skip(line, n), BYTES_LIT(word));
}

static void put_instr(struct writer *w, struct bytes line, uint32_t number)
{
	const struct ptx_instr *in = &w->f->instrs[number];

	put_before(w, in, number);
	if (in->op == PTX_OP_call)
		put_call(w, line, &w->f->calls[in->aux]);
	else
		buf_put_bytes(w->out, line);
	put_after(w, in, number);
}

/* Is this the first line of a body that is no declaration? */
static bool is_declaration(struct bytes line)
{
	return line.n > 0 && line.p[0] == '.';
}

/* One line; started: the body's first statements are written. */
static void put_line(struct writer *w, struct bytes line, uint32_t number,
		     bool *started)
{
	bool in_body = w->f != NULL;

	if (is_head(line)) {
		put_head(w, line);
		w->f = head_function(w, line);
		*started = false;
		return;
	}
	/* Only a declaration: its semicolon has a line of its own. */
	if (in_body && !*started && line.p[0] == ';') {
		buf_put_bytes(w->out, line);
		w->f = NULL;
		return;
	}
	if (!in_body || (line.n > 0 && line.p[0] == '{')) {
		buf_put_bytes(w->out, line);
		if (in_body) {
			if (has_witness(w))
				set_key(w);
			put_declarations(w);
		}
		return;
	}
	if (!*started && !is_declaration(line)) {
		put_start(w);
		*started = true;
	}
	if (line.n > 0 && line.p[0] == '}') {
		if (has_witness(w))
			buf_put_str(w->out, "st.global.u64 [%ws], %wh;\n");
		buf_put_str(w->out, "ret;\n");
		buf_put_bytes(w->out, line);
		w->f = NULL;
	} else if (w->places[number].function != PTX_NO_INDEX) {
		put_instr(w, line, w->places[number].instr);
	} else if (is_prototype(line)) {
		put_head(w, line);
	} else {
		buf_put_bytes(w->out, line);
	}
}

static enum err put_text(struct writer *w, struct bytes text)
{
	uint32_t number = 1;
	bool started = false;

	while (text.n > 0 && w->out->err == ERR_OK) {
		const uint8_t *end = memchr(text.p, '\n', text.n);
		size_t n = end == NULL ? text.n : (size_t)(end - text.p) + 1;

		put_line(w, bytes_slice(text, 0, n), number++, &started);
		text = bytes_skip(text, n);
	}
	return w->out->err;
}

/* Which line holds which instruction; what the witness may look at. */
static enum err look(struct writer *w, struct bytes text)
{
	const struct ptx_module *m = w->m;

	w->line_count = 2;
	for (size_t i = 0; i < text.n; i++)
		w->line_count += text.p[i] == '\n';
	w->places = ARENA_ARRAY(w->a, w->line_count, struct place);
	w->allowed = ARENA_ARRAY(w->a, m->function_count + 1u, bool *);
	if (w->places == NULL || w->allowed == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < w->line_count; i++)
		w->places[i].function = PTX_NO_INDEX;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct ptx_function *f = &m->functions[i];

		for (uint32_t k = 0; k < f->instr_count; k++)
			w->places[f->instrs[k].line] = (struct place){i, k};
		w->allowed[i] = ARENA_ARRAY(w->a, f->instr_count + 1u, bool);
		if (w->allowed[i] == NULL)
			return ERR_NO_MEMORY;
		enum err e = taint_allow(w->a, f, w->allowed[i]);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

enum err ptx_instrument(struct arena *a, const struct ptx_module *m,
			uint32_t kernel, const struct ptx_instrument *options,
			struct buf *out, struct ptx_diag *reterr)
{
	struct buf text = buf_make(out->max);
	struct writer w = {.a = a, .options = options, .out = out};
	struct ptx_module *canonical;

	if (options->range_count > PTX_INSTRUMENT_RANGES_MAX)
		return ERR_LIMIT;
	enum err e = ptx_print(a, m, &kernel, 1, &text, NULL, reterr);
	if (e == ERR_OK && !has_witness(&w) && !has_finder(&w))
		buf_put_bytes(out, buf_bytes(&text));
	else if (e == ERR_OK)
		e = ptx_parse(a, buf_bytes(&text), &canonical, reterr);
	if (e == ERR_OK && (has_witness(&w) || has_finder(&w))) {
		w.m = canonical;
		e = look(&w, buf_bytes(&text));
		if (e == ERR_OK)
			e = put_text(&w, buf_bytes(&text));
	}
	buf_free(&text);
	return e == ERR_OK ? out->err : e;
}
