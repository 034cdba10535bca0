/*
 * Each file of tests/vectors/ptx: many lines become one kernel, which every
 * set of lanes must run to the expected bits, in its first and last thread.
 */
#define _GNU_SOURCE /* strtok_r */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

#define LINES	512u
#define THREADS 48u
#define VALUES	8u

struct value {
	char cls;
	bool is_minus;
	char part[8]; /* ".b1": of a video operand */
	uint64_t bits;
};

struct line {
	char text[256];
	char op[96];
	struct value in[VALUES], out[VALUES];
	uint32_t in_count, out_count;
	char outcome[16];
};

static struct line lines[LINES];
static uint8_t out[LINES * 2 * THREADS * 8];

/* -r.b1:ff, or without the sign and the part; false: it is no value. */
static bool read_value(const char *w, struct value *v)
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

static bool read_line(FILE *f, struct line *l)
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
		struct value *v =
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

static void put_input(struct buf *b, uint32_t i, const struct value *v)
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
static void put_line(struct buf *b, uint32_t number, const struct line *l)
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
		uint32_t at = (number * 2 + i) * THREADS * 8;
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

static void check_lines(uint32_t n, const char *set)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < lines[i].out_count; k++) {
			const uint8_t *p =
				out + (size_t)(i * 2 + k) * THREADS * 8;
			uint64_t first = u64_le(p);
			uint64_t last = u64_le(p + 8 * (THREADS - 1));
			cr_expect_eq(first, lines[i].out[k].bits,
				     "%s: %s: got %" PRIx64, set, lines[i].text,
				     first);
			cr_expect_eq(last, first, "%s: %s: last thread", set,
				     lines[i].text);
		}
	}
}

static void check_chunk(uint32_t n)
{
	enum exec_lanes sets[3];
	struct buf b = buf_make(8u << 20);
	buf_put_str(&b, KIT_HEAD
		    ".visible .entry k(.param .u64 out) {\n"
		    ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<24>;\n"
		    ".reg .b64 %rd<24>;\n"
		    "ld.param.u64 %rd20, [out]; mov.u32 %r20, %tid.x;\n"
		    "mul.wide.u32 %rd21, %r20, 8; add.u64 %rd20, %rd20, %rd21;"
		    "\n");
	for (uint32_t i = 0; i < n; i++)
		put_line(&b, i, &lines[i]);
	buf_put_str(&b, "ret;\n}\n");
	buf_put_u8(&b, 0);
	cr_assert_eq(b.err, ERR_OK);
	struct kit k = kit_load((const char *)b.p);
	struct kit_run run = KIT_RUN(out, THREADS);
	for (uint32_t s = 0; s < kit_lanes(sets); s++) {
		memset(out, 0, sizeof(out));
		run.options.lanes = sets[s];
		struct exec_result r = kit_run(&k, &run);
		cr_assert_eq(r.outcome, EXEC_OK, "%s at line %u",
			     exec_reason_word(r.reason), r.line);
		check_lines(n, exec_lanes_name(sets[s]));
	}
	kit_free(&k);
	buf_free(&b);
}

static void check_refused(const struct line *l)
{
	struct buf b = buf_make(1u << 16);
	buf_put_str(&b, KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
				 ".reg .pred %p<8>; .reg .b16 %h<16>;\n"
				 ".reg .b32 %r<24>; .reg .b64 %rd<24>;\n");
	put_line(&b, 0, l);
	buf_put_str(&b, "ret;\n}\n");
	buf_put_u8(&b, 0);
	struct kit k = kit_load((const char *)b.p);
	cr_expect_eq(k.err, ERR_EXEC_REFUSED, "%s", l->text);
	cr_expect_gt(k.why.line, 4u);
	kit_free(&k);
	buf_free(&b);
}

static void check_file(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/tests/vectors/ptx/%s", WEFT_SOURCE_DIR,
		 name);
	FILE *f = fopen(path, "r");
	uint32_t n = 0, total = 0;
	cr_assert(f != NULL, "%s", path);
	while (read_line(f, &lines[n])) {
		total++;
		if (strcmp(lines[n].outcome, "refused") == 0)
			check_refused(&lines[n]);
		else if (++n == LINES) {
			check_chunk(n);
			n = 0;
		}
	}
	if (n > 0)
		check_chunk(n);
	fclose(f);
	cr_assert_gt(total, 10u);
}

Test(gpu_exec_vectors, integers)
{
	check_file("int.txt");
}

Test(gpu_exec_vectors, bits)
{
	check_file("bits.txt");
}

Test(gpu_exec_vectors, floats)
{
	check_file("float.txt");
}

Test(gpu_exec_vectors, comparisons)
{
	check_file("compare.txt");
}

Test(gpu_exec_vectors, conversions)
{
	check_file("convert.txt");
}

Test(gpu_exec_vectors, halves)
{
	check_file("half.txt");
}

Test(gpu_exec_vectors, packed)
{
	check_file("packed.txt");
}

Test(gpu_exec_vectors, narrow)
{
	check_file("narrow.txt");
}

Test(gpu_exec_vectors, video)
{
	check_file("video.txt");
}

Test(gpu_exec_vectors, traps)
{
	check_file("traps.txt");
}
