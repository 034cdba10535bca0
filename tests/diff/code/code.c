/*
 * Each row of code.def becomes a line in both texts with the same variables
 * and constants.  In C, what rounds in a direction goes through volatiles, so
 * that no compiler moves it past the change of the mode.
 */
#include "tests/diff/code/code.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "tests/support/kernels/kernels.h"

static const struct {
	const char *kinds, *ptx, *c;
} rows[] = {
#define CODE_ROW(kinds, ptx, c) {kinds, ptx, c},
#include "tests/diff/code/code.def"
};

#define ROW_COUNT ((uint32_t)(sizeof(rows) / sizeof(rows[0])))

static const char *const modes[4] = {"rn", "rz", "rm", "rp"};

static void put_helpers(struct buf *c)
{
	static const char text[] =
		"#include <fenv.h>\n#include <math.h>\n#include <string.h>\n"
		"typedef unsigned u32; typedef int s32;\n"
		"typedef unsigned long long u64; typedef long long s64;\n"
		"typedef unsigned __int128 u128; typedef __int128 s128;\n"
		"static inline float F(u32 v) { float r; memcpy(&r, &v, 4);"
		" return r; }\n"
		"static inline double D(u64 v) { double r; memcpy(&r, &v, 8);"
		" return r; }\n"
		"static inline u32 div_s32(s32 a, s32 b) { return b == 0 ?"
		" ~(u32)0 : b == -1 ? 0 - (u32)a : (u32)(a / b); }\n"
		"static inline u32 rem_s32(s32 a, s32 b) { return b == 0 ?"
		" (u32)a : b == -1 ? 0 : (u32)(a % b); }\n"
		"static inline u64 div_s64(s64 a, s64 b) { return b == 0 ?"
		" ~(u64)0 : b == -1 ? 0 - (u64)a : (u64)(a / b); }\n"
		"static inline u64 rem_s64(s64 a, s64 b) { return b == 0 ?"
		" (u64)a : b == -1 ? 0 : (u64)(a % b); }\n"
		"static u32 count(u64 v) { u32 n = 0; for (; v != 0; v >>= 1)"
		" n += v & 1; return n; }\n"
		"static u32 zeros(u64 v, u32 n) { for (; v != 0; v >>= 1)"
		" n--; return n; }\n"
		"static u32 reversed(u32 v) { u32 r = 0; for (int i = 0;"
		" i < 32; i++) r |= (v >> i & 1) << (31 - i); return r; }\n"
		"static u32 products(u32 a, u32 b, u32 c) { for (int i = 0;"
		" i < 32; i += 8) c += (u32)((signed char)(a >> i) *"
		" (s32)(b >> i & 255)); return c; }\n"
		"static u32 bytes_of(u32 a, u32 b, u32 c) { u32 r = 0;"
		" u64 v = (u64)b << 32 | a; for (int i = 0; i < 4; i++) {"
		" u32 k = c >> 4 * i & 15, x = (u32)(v >> 8 * (k & 7)) & 255;"
		" r |= (k & 8 ? (x & 128 ? 255 : 0) : x) << 8 * i; }"
		" return r; }\n"
		"static u32 field(u32 a, u32 at, u32 n) { at &= 255; n &= 255;"
		" u32 r = 0; for (u32 i = 0; i < n && at + i < 32; i++)"
		" r |= (a >> (at + i) & 1) << i; return r; }\n"
		"static float clamped(float v) { return !(v > 0) ? 0 :"
		" v > 1 ? 1 : v; }\n"
		"static double least(double a, double b) { if (a != a)"
		" return b; if (b != b) return a; if (a == 0 && b == 0)"
		" return signbit(a) ? a : b; return a < b ? a : b; }\n"
		"static s32 to_s32(double v) { return v != v ? 0 :"
		" v <= -2147483648.0 ? -2147483647 - 1 : v >= 2147483647.0 ?"
		" 2147483647 : (s32)v; }\n"
		"static u32 to_u32(double v) { return v != v || v <= 0 ? 0 :"
		" v >= 4294967295.0 ? ~(u32)0 : (u32)v; }\n";
	buf_put_str(c, text);
}

/* For each mode: add, sub, mul, div, sqrt, fma and conversions. */
static void put_rounded(struct buf *c, uint32_t m)
{
	static const char *const names[4] = {"FE_TONEAREST", "FE_TOWARDZERO",
					     "FE_DOWNWARD", "FE_UPWARD"};
	static const struct {
		const char *name, *from, *to, *what;
	} ops[] = {
		{"add_f32", "float", "float", "x + y"},
		{"sub_f32", "float", "float", "x - y"},
		{"mul_f32", "float", "float", "x * y"},
		{"div_f32", "float", "float", "x / y"},
		{"add_f64", "double", "double", "x + y"},
		{"sub_f64", "double", "double", "x - y"},
		{"mul_f64", "double", "double", "x * y"},
		{"div_f64", "double", "double", "x / y"},
		{"sqrt_f32", "float", "float", "sqrtf(x)"},
		{"sqrt_f64", "double", "double", "sqrt(x)"},
		{"fma_f32", "float", "float", "fmaf(x, y, z)"},
		{"fma_f64", "double", "double", "fma(x, y, z)"},
		{"f32_s64", "s64", "float", "(float)x"},
		{"f64_s64", "s64", "double", "(double)x"},
		{"f32_f64", "double", "float", "(float)x"},
	};
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const char *t = ops[i].from, *w = ops[i].what;
		uint32_t n = strchr(w, 'z') != NULL   ? 3
			     : strchr(w, 'y') != NULL ? 2
						      : 1;
		buf_printf(c, "static inline %s %s_%s(%s a", ops[i].to,
			   ops[i].name, modes[m], t);
		for (uint32_t k = 1; k < n; k++)
			buf_printf(c, ", %s %c", t, (int)('a' + k));
		buf_put_str(c, ") {\n");
		const char *v = m == 0 ? "" : "volatile ";
		buf_printf(c, "%s%s x = a; (void)x;\n", v, t);
		if (n > 1)
			buf_printf(c, "%s%s y = b;\n", v, t);
		if (n > 2)
			buf_printf(c, "%s%s z = c;\n", v, t);
		if (m != 0)
			buf_printf(c, "fesetround(%s);\n", names[m]);
		buf_printf(c, "%s%s r = %s;\n", v, ops[i].to, w);
		if (m != 0)
			buf_put_str(c, "fesetround(FE_TONEAREST);\n");
		buf_put_str(c, "return r;\n}\n");
	}
}

void code_put_heads(struct buf *c, struct buf *ptx)
{
	put_helpers(c);
	for (uint32_t m = 0; m < 4; m++)
		put_rounded(c, m);
	buf_put_str(ptx, ".version 7.8\n.target sm_90\n.address_size 64\n");
}

struct filler {
	uint64_t *state;
	struct buf *c, *ptx;
	char names[5][40];     /* PTX */
	char constants[5][40]; /* C */
	uint32_t mode, shift, compare;
};

static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((kernels_draw(state) >> 32) * n >> 32);
}

static uint32_t count_of(char kind)
{
	return kind == 'i'   ? CODE_INTS
	       : kind == 'l' ? CODE_LONGS
	       : kind == 'f' ? CODE_FLOATS
			     : CODE_DOUBLES;
}

static void choose_operand(struct filler *f, uint32_t i, char kind)
{
	uint8_t bytes[8];
	bool is_constant = i > 0 && below(f->state, 8) == 0;
	if (!is_constant) {
		uint32_t k = below(f->state, count_of(kind));
		snprintf(f->names[i], sizeof(f->names[i]), "%%%c%u", kind, k);
		snprintf(f->constants[i], sizeof(f->constants[i]), "%c%u", kind,
			 k);
		return;
	}
	kernels_input(kernels_draw(f->state), bytes, 8);
	unsigned long long v = u64_le(bytes);
	unsigned w = (unsigned)v;
	const char *ptx[4] = {"0x%x", "0x%llx", "0f%08X", "0d%016llX"};
	const char *c[4] = {"0x%xu", "0x%llxull", "F(0x%xu)", "D(0x%llxull)"};
	uint32_t at = (uint32_t)(strchr("ilfd", kind) - "ilfd");
	char *p = f->names[i], *q = f->constants[i];
	if (at % 2 == 0) {
		snprintf(p, 40, at == 0 ? ptx[0] : ptx[2], w);
		snprintf(q, 40, at == 0 ? c[0] : c[2], w);
	} else {
		snprintf(p, 40, at == 1 ? ptx[1] : ptx[3], v);
		snprintf(q, 40, at == 1 ? c[1] : c[3], v);
	}
}

static void fill(struct filler *f, const char *t, bool is_ptx)
{
	static const char *const ordered[4] = {"lt", "le", "gt", "ge"};
	static const char *const unordered[4] = {"ltu", "leu", "gtu", "geu"};
	static const char *const signs[4] = {"<", "<=", ">", ">="};
	struct buf *out = is_ptx ? f->ptx : f->c;
	for (; *t != '\0'; t++) {
		if (*t != '$') {
			buf_put_u8(out, (uint8_t)*t);
			continue;
		}
		t++;
		if (*t == 'm')
			buf_put_str(out, modes[f->mode]);
		else if (*t == 's')
			buf_printf(out, is_ptx ? "%u" : "%uu", f->shift);
		else if (*t == 'q' || *t == 'u')
			buf_put_str(out, !is_ptx     ? signs[f->compare]
					 : *t == 'q' ? ordered[f->compare]
						     : unordered[f->compare]);
		else
			buf_put_str(out, is_ptx ? f->names[*t - '0']
						: f->constants[*t - '0']);
	}
	buf_put_str(out, "\n");
}

static void put_statement(struct filler *f)
{
	uint32_t r = below(f->state, ROW_COUNT);
	f->mode = below(f->state, 4);
	f->shift = below(f->state, 40);
	f->compare = below(f->state, 4);
	for (uint32_t i = 0; rows[r].kinds[i] != '\0'; i++)
		choose_operand(f, i, rows[r].kinds[i]);
	fill(f, rows[r].ptx, true);
	fill(f, rows[r].c, false);
}

static const struct {
	char kind;
	const char *c, *ptx;
	uint32_t at, bytes;
} variables[] = {
	{'d', "double", "f64", 0, 8},
	{'l', "u64", "u64", CODE_AT_LONGS, 8},
	{'i', "u32", "u32", CODE_AT_INTS, 4},
	{'f', "float", "f32", CODE_AT_FLOATS, 4},
};

static void put_start(struct filler *f, uint32_t index)
{
	buf_printf(f->c, "void k%u(const char *in, char *out) {\n", index);
	buf_printf(f->ptx,
		   ".visible .entry k%u(.param .u64 out, .param .u64 in) {\n",
		   index);
	buf_put_str(f->ptx, ".reg .pred %p; .reg .b32 %t; .reg .b64 %a, %b;\n");
	for (uint32_t v = 0; v < 4; v++)
		buf_printf(f->ptx, ".reg .b%u %%%c<%u>;\n",
			   8 * variables[v].bytes, variables[v].kind,
			   count_of(variables[v].kind));
	buf_printf(f->ptx,
		   "mov.u32 %%t, %%tid.x; ld.param.u64 %%a, [out];\n"
		   "ld.param.u64 %%b, [in];\n"
		   "mad.wide.u32 %%a, %%t, %u, %%a;\n"
		   "mad.wide.u32 %%b, %%t, %u, %%b;\n",
		   CODE_BYTES, CODE_BYTES);
	for (uint32_t v = 0; v < 4; v++) {
		for (uint32_t k = 0; k < count_of(variables[v].kind); k++) {
			uint32_t n = variables[v].bytes;
			uint32_t at = variables[v].at + n * k;
			char c = variables[v].kind;
			buf_printf(f->c,
				   "%s %c%u; memcpy(&%c%u, in + %u, %u);\n",
				   variables[v].c, c, k, c, k, at, n);
			buf_printf(f->ptx, "ld.global.%s %%%c%u, [%%b+%u];\n",
				   variables[v].ptx, c, k, at);
		}
	}
}

static void put_end(struct filler *f)
{
	for (uint32_t v = 0; v < 4; v++) {
		for (uint32_t k = 0; k < count_of(variables[v].kind); k++) {
			uint32_t n = variables[v].bytes;
			uint32_t at = variables[v].at + n * k;
			char c = variables[v].kind;
			buf_printf(f->c, "memcpy(out + %u, &%c%u, %u);\n", at,
				   c, k, n);
			buf_printf(f->ptx, "st.global.%s [%%a+%u], %%%c%u;\n",
				   variables[v].ptx, at, c, k);
		}
	}
	buf_put_str(f->c, "}\n");
	buf_put_str(f->ptx, "ret;\n}\n");
}

void code_put_function(uint64_t seed, uint32_t index, uint32_t statements,
		       struct buf *c, struct buf *ptx)
{
	uint64_t state = (seed + index) * 0x9e3779b97f4a7c15u;
	struct filler f = {.state = &state, .c = c, .ptx = ptx};
	put_start(&f, index);
	for (uint32_t i = 0; i < statements; i++)
		put_statement(&f);
	put_end(&f);
}
