#define _GNU_SOURCE /* strtok_r */
#include "tests/support/ptx/vectors.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define HEAD                                                      \
	".version 8.3\n.target sm_90\n.address_size 64\n"         \
	".visible .entry k(.param .u64 out) {\n"                  \
	".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<24>;\n" \
	".reg .b64 %rd<24>; .reg .b128 %q<4>;\n"

static struct vector_line lines[VECTOR_LINES];

/* -r.b1:ff, or without the sign and the part; false: it is no value. */
static bool read_value(const char *w, struct vector_value *v)
{
	const char *colon = strchr(w, ':');
	if (colon == NULL)
		return false;
	v->is_minus = *w == '-';
	w += v->is_minus;
	v->cls = *w++;
	snprintf(v->part, sizeof(v->part), "%.*s", (int)(colon - w), w);
	v->bits = strtoull(colon + 1, NULL, 16);
	return true;
}

static bool read_line(FILE *f, struct vector_line *l)
{
	memset(l, 0, sizeof(*l));
	do {
		if (fgets(l->text, sizeof(l->text), f) == NULL)
			return false;
		l->text[strcspn(l->text, "\n")] = '\0';
	} while (l->text[0] == '#' || l->text[0] == '\0');
	char copy[256], *save = NULL;
	memcpy(copy, l->text, sizeof(copy));
	bool is_out = false;
	for (char *w = strtok_r(copy, " ", &save); w != NULL;
	     w = strtok_r(NULL, " ", &save)) {
		struct vector_value *v =
			is_out ? &l->out[l->out_count] : &l->in[l->in_count];
		if (l->op[0] == '\0') {
			snprintf(l->op, sizeof(l->op), "%s", w);
		} else if (strcmp(w, "=") == 0) {
			is_out = true;
		} else if (read_value(w, v)) {
			*(is_out ? &l->out_count : &l->in_count) += 1;
		} else {
			snprintf(l->outcome, sizeof(l->outcome), "%s", w);
		}
	}
	return true;
}

static void put_input(struct buf *b, uint32_t i, const struct vector_value *v)
{
	switch (v->cls) {
	case 'p':
		buf_printf(b, "setp.ne.u32 %%p%u, %" PRIu64 ", 0;\n", i,
			   v->bits);
		break;
	case 'h':
		buf_printf(b, "mov.b16 %%h%u, 0x%" PRIx64 ";\n", i, v->bits);
		break;
	case 'r':
		buf_printf(b, "mov.b32 %%r%u, 0x%" PRIx64 ";\n", i, v->bits);
		break;
	case 'd':
		buf_printf(b, "mov.b64 %%rd%u, 0x%" PRIx64 ";\n", i, v->bits);
		break;
	default:
		break;
	}
}

static const char *register_name(char cls)
{
	return cls == 'd' ? "rd" : cls == 'p' ? "p" : cls == 'h' ? "h" : "r";
}

/* Inputs are registers 1.., results are 10.. of their class. */
static void put_line(struct buf *b, uint32_t number,
		     const struct vector_line *l)
{
	for (uint32_t i = 0; i < l->in_count; i++)
		put_input(b, i + 1, &l->in[i]);
	buf_printf(b, "%s ", l->op);
	for (uint32_t i = 0; i < l->out_count; i++)
		buf_printf(b, "%s%%%s%u%s", i > 0 ? "|" : "",
			   register_name(l->out[i].cls),
			   (l->out[i].cls == 'p' ? 6 : 10) + i, l->out[i].part);
	for (uint32_t i = 0; i < l->in_count; i++) {
		if (l->in[i].cls == 'i')
			buf_printf(b, ", 0x%" PRIx64, l->in[i].bits);
		else
			buf_printf(b, ", %s%%%s%u%s",
				   l->in[i].is_minus ? "-" : "",
				   register_name(l->in[i].cls), i + 1,
				   l->in[i].part);
	}
	buf_put_str(b, ";\n");
	for (uint32_t i = 0; i < l->out_count; i++) {
		uint32_t at = (number * 2 + i) * VECTOR_THREADS * 8;
		char c = l->out[i].cls;
		if (c == 'p')
			buf_printf(b,
				   "selp.u32 %%r20, 1, 0, %%p%u;\n"
				   "st.global.u32 [%%rd20+%u], %%r20;\n",
				   6 + i, at);
		else
			buf_printf(b, "st.global.%s [%%rd20+%u], %%%s%u;\n",
				   c == 'd'   ? "u64"
				   : c == 'h' ? "u16"
					      : "u32",
				   at, register_name(c), 10 + i);
	}
}

/* What an atomic takes: registers of width bytes, count of them. */
struct shape {
	uint32_t width, count;
	const char *letter, *type;
};

static struct shape shape_of(const char *op)
{
	const char *type = strrchr(op, '.'), *vec = strstr(op, ".v");
	struct shape s = {.count = vec == NULL ? 1 : (uint32_t)vec[2] - '0'};
	s.width = strstr(type, "128")  ? 16
		  : strstr(type, "x2") ? 4
		  : strstr(type, "16") ? 2
		  : strstr(type, "64") ? 8
				       : 4;
	s.letter = s.width == 16  ? "q"
		   : s.width == 8 ? "rd"
		   : s.width == 4 ? "r"
				  : "h";
	s.type = s.width == 16	? "b128"
		 : s.width == 8 ? "b64"
		 : s.width == 4 ? "b32"
				: "b16";
	return s;
}

/* {%h0,%h1}, or one register. */
static void put_registers(struct buf *b, struct shape s, uint32_t first)
{
	buf_put_str(b, s.count > 1 ? "{" : "");
	for (uint32_t i = 0; i < s.count; i++)
		buf_printf(b, "%s%%%s%u", i > 0 ? "," : "", s.letter,
			   first + i);
	buf_put_str(b, s.count > 1 ? "}" : "");
}

static void fill_registers(struct buf *b, struct shape s, uint32_t first,
			   const struct vector_value *v)
{
	if (s.width == 16) {
		buf_printf(b,
			   "mov.b64 %%rd1, 0x%" PRIx64 ";\n"
			   "mov.b64 %%rd2, 0x%" PRIx64 ";\n"
			   "mov.b128 %%q%u, {%%rd1, %%rd2};\n",
			   v[0].bits, v[1].bits, first);
		return;
	}
	uint64_t ones = UINT64_MAX >> (64 - 8 * s.width);
	for (uint32_t i = 0; i < s.count; i++) {
		uint32_t at = i * s.width;
		buf_printf(b, "mov.%s %%%s%u, 0x%" PRIx64 ";\n", s.type,
			   s.letter, first + i,
			   v[at / 8].bits >> (8 * (at % 8)) & ones);
	}
}

/* Memory and operands are pairs of m and v; m is what memory holds then, v
 * what the instruction gave. */
static void put_atomic(struct buf *b, uint32_t number,
		       const struct vector_line *l)
{
	struct shape s = shape_of(l->op);
	uint32_t operands = l->in_count / 2 - 1;
	bool has_result = strncmp(l->op, "atom", 4) == 0;
	fill_registers(b, (struct shape){8, 2, "rd", "b64"}, 1, l->in);
	buf_put_str(b, "st.global.v2.b64 [%rd22], {%rd1, %rd2};\n");
	for (uint32_t i = 0; i < operands; i++)
		fill_registers(b, s, s.width == 16 ? i : 8 * i,
			       &l->in[2 + 2 * i]);
	buf_printf(b, "%s ", l->op);
	/* In place of the first operand. */
	if (has_result)
		put_registers(b, s, 0);
	buf_put_str(b, has_result ? ", [%rd22]" : "[%rd22]");
	for (uint32_t i = 0; i < operands; i++) {
		buf_put_str(b, ", ");
		put_registers(b, s, s.width == 16 ? i : 8 * i);
	}
	buf_put_str(b, ";\n");
	if (l->out[0].cls == 'v') {
		buf_printf(b, "st.global.%s%s [%%rd22], ",
			   s.count > 2	  ? "v4."
			   : s.count == 2 ? "v2."
					  : "",
			   s.type);
		put_registers(b,
			      (struct shape){s.width,
					     s.count == 8 ? 4 : s.count,
					     s.letter, s.type},
			      0);
		buf_put_str(b, ";\n");
	}
	if (l->out[0].cls == 'v' && s.count == 8) {
		buf_put_str(b, "st.global.v4.b16 [%rd22+8], ");
		put_registers(b, (struct shape){2, 4, "h", "b16"}, 4);
		buf_put_str(b, ";\n");
	}
	buf_put_str(b, "ld.global.v2.b64 {%rd1, %rd2}, [%rd22];\n");
	for (uint32_t i = 0; i < 2; i++)
		buf_printf(b, "st.global.u64 [%%rd20+%u], %%rd%u;\n",
			   (number * 2 + i) * VECTOR_THREADS * 8, 1 + i);
}

/* Both NaNs of one width, in a word of a float type? */
static bool both_nan(uint64_t a, uint64_t b, uint64_t infinity, uint64_t sign)
{
	return (a & ~sign) > infinity && (b & ~sign) > infinity;
}

static bool same_half(uint32_t a, uint32_t b)
{
	return a == b || both_nan(a, b, 0x7c00, 0x8000) ||
	       both_nan(a, b, 0x7f80, 0x8000);
}

static bool same_word(uint32_t a, uint32_t b)
{
	return a == b || both_nan(a, b, 0x7f800000, 0x80000000) ||
	       (same_half(a & 0xffff, b & 0xffff) &&
		same_half(a >> 16, b >> 16));
}

static bool is_same(const struct vector_line *l, uint32_t k, uint64_t got,
		    bool any_nan)
{
	uint64_t want = l->out[k].bits;

	if (got == want || !any_nan || !strstr(l->op, "f"))
		return got == want;
	if (l->out[k].cls != 'd')
		return got <= UINT32_MAX &&
		       same_word((uint32_t)got, (uint32_t)want);
	return both_nan(got, want, 0x7ff0000000000000, 1ull << 63) ||
	       (same_word((uint32_t)got, (uint32_t)want) &&
		same_word((uint32_t)(got >> 32), (uint32_t)(want >> 32)));
}

void ptx_vectors_check(const struct vector_line *l, uint32_t n,
		       const uint8_t *out, bool any_nan, const char *who)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < l[i].out_count; k++) {
			const uint8_t *p =
				out + (size_t)(i * 2 + k) * VECTOR_THREADS * 8;
			uint64_t first = u64_le(p);
			uint64_t last = u64_le(p + 8 * (VECTOR_THREADS - 1));
			cr_expect(is_same(&l[i], k, first, any_nan),
				  "%s: %s: got %" PRIx64, who, l[i].text,
				  first);
			cr_expect_eq(last, first, "%s: %s: last thread", who,
				     l[i].text);
		}
	}
}

static void do_chunk(uint32_t n, const struct vector_user *user)
{
	struct buf b = buf_make(8u << 20);

	buf_put_str(&b, HEAD
		    "ld.param.u64 %rd20, [out]; mov.u32 %r20, %tid.x;\n"
		    "mul.wide.u32 %rd21, %r20, 16; add.u64 %rd22, %rd20, %rd21;"
		    "\n");
	buf_printf(&b,
		   "add.u64 %%rd22, %%rd22, %u; mul.wide.u32 %%rd21, %%r20, 8;"
		   "\nadd.u64 %%rd20, %%rd20, %%rd21;\n",
		   VECTOR_CELLS);
	for (uint32_t i = 0; i < n; i++) {
		if (lines[i].in[0].cls == 'm')
			put_atomic(&b, i, &lines[i]);
		else
			put_line(&b, i, &lines[i]);
	}
	buf_put_str(&b, "ret;\n}\n");
	buf_put_u8(&b, 0);
	cr_assert_eq(b.err, ERR_OK);
	user->chunk(user->ctx, (const char *)b.p, lines, n);
	buf_free(&b);
}

static void do_refused(const struct vector_line *l,
		       const struct vector_user *user)
{
	struct buf b = buf_make(1u << 16);

	buf_put_str(&b, HEAD);
	put_line(&b, 0, l);
	buf_put_str(&b, "ret;\n}\n");
	buf_put_u8(&b, 0);
	user->refused(user->ctx, (const char *)b.p, l);
	buf_free(&b);
}

void ptx_vectors_read(const char *name, uint32_t stride,
		      const struct vector_user *user)
{
	char path[512];
	uint32_t n = 0, total = 0, chunk = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/vectors/ptx/%s", WEFT_SOURCE_DIR,
		 name);
	f = fopen(path, "r");
	cr_assert(f != NULL, "%s", path);
	while (read_line(f, &lines[n])) {
		total++;
		if (strcmp(lines[n].outcome, "refused") == 0) {
			if (user->refused)
				do_refused(&lines[n], user);
		} else if (++n == VECTOR_LINES) {
			if (chunk++ % stride == 0)
				do_chunk(n, user);
			n = 0;
		}
	}
	if (n > 0 && chunk % stride == 0)
		do_chunk(n, user);
	fclose(f);
	cr_assert_gt(total, 10u);
}
