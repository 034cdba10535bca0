/*
 * Numbers by chance, most of them near an edge, and lines from templates.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "tests/support/kernels/priv/gen.h"

uint64_t kernels_draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint32_t gen_below(struct gen *g, uint32_t n)
{
	uint32_t width = n <= 256 ? 1 : 2;
	if (g->choices.n >= width) {
		const uint8_t *p = g->choices.p;
		uint32_t v = width == 1 ? p[0] : u16_le(p);
		g->choices = bytes_skip(g->choices, width);
		return v % n;
	}
	return (uint32_t)((kernels_draw(&g->state) >> 32) * n >> 32);
}

bool gen_chance(struct gen *g, uint32_t percent)
{
	return gen_below(g, 100) < percent;
}

static uint64_t edge64(uint64_t *state)
{
	static const uint64_t list[] = {
		0,	 1,	     2,		 3,	     7,		 31,
		32,	 33,	     63,	 64,	     65,	 127,
		128,	 255,	     256,	 0x7fff,     0x8000,	 0xffff,
		0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000};
	uint64_t r = kernels_draw(state);
	uint64_t v = list[(r >> 8) % (sizeof(list) / sizeof(list[0]))];
	if ((r & 7u) == 0)
		v = (uint64_t)1 << (r >> 8) % 64;
	if ((r & 8u) != 0)
		v = ~v;
	return (r & 0x30u) == 0 ? v + 1 : v;
}

uint64_t gen_long(struct gen *g)
{
	return gen_chance(g, 60) ? edge64(&g->state) : kernels_draw(&g->state);
}

uint32_t gen_word(struct gen *g)
{
	return (uint32_t)gen_long(g);
}

/* A float of so many bits of exponent and fraction, often a special one. */
static uint64_t edge_float(uint64_t *state, uint32_t exp_bits,
			   uint32_t frac_bits)
{
	uint64_t r = kernels_draw(state), bias = ((uint64_t)1 << exp_bits) / 2;
	uint64_t top = ((uint64_t)1 << exp_bits) - 1;
	uint64_t frac = kernels_draw(state) & (((uint64_t)1 << frac_bits) - 1);
	uint64_t exp = bias - 5 + r / 64 % 10;
	switch (r % 16) {
	case 0: /* subnormal or zero */
		exp = 0;
		frac = (r >> 16 & 3u) == 0 ? 0 : frac >> r / 64 % frac_bits;
		break;
	case 1: /* infinite */
		exp = top;
		frac = 0;
		break;
	case 2:
		exp = top;
		frac |= 1;
		break;
	case 3: /* about to overflow, or to vanish */
		exp = (r >> 16 & 1u) != 0 ? top - 1 : 1;
		break;
	case 4:
		exp = kernels_draw(state) & top;
		break;
	case 5:
	case 6:
		frac = 0;
		break;
	case 7:
		frac >>= frac_bits / 2;
		frac <<= frac_bits / 2;
		break;
	default:
		break;
	}
	uint64_t sign = r >> 40 & 1u;
	return ((sign << exp_bits | exp) << frac_bits) | frac;
}

void kernels_input(uint64_t seed, uint8_t *out, uint32_t n)
{
	uint64_t state = seed ^ 0x5851f42d4c957f2du;
	for (uint32_t i = 0; i + 8 <= n; i += 8) {
		uint64_t v = kernels_draw(&state);
		switch (v % 6) {
		case 0:
			v = edge64(&state);
			break;
		case 1:
			v = edge_float(&state, 11, 52);
			break;
		case 2:
		case 3:
			v = edge_float(&state, 8, 23);
			v |= edge_float(&state, 8, 23) << 32;
			break;
		case 4:
			v = 0;
			for (uint32_t k = 0; k < 4; k++)
				v |= edge_float(&state, k < 2 ? 5 : 8,
						k < 2 ? 10 : 7)
				     << 16 * k;
			break;
		default:
			break;
		}
		put_u64_le(out + i, v);
	}
}

void gen_put(struct gen *g, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	must(n >= 0 && n < (int)sizeof(line) - 1);
	buf_printf(g->out, "%s\n", line);
}

/* A line being filled in, and the registers that it writes. */
struct line {
	struct gen *g;
	char text[512];
	size_t n;
	char dests[8][16];
	uint32_t dest_count;
};

static void add(struct line *l, const char *s, size_t n)
{
	must(l->n + n < sizeof(l->text));
	memcpy(l->text + l->n, s, n);
	l->n += n;
	l->text[l->n] = '\0';
}

static void add_str(struct line *l, const char *s)
{
	add(l, s, strlen(s));
}

struct kind {
	char letter; /* as in the registers' names */
	uint32_t count;
	uint32_t constants; /* percent */
};

static struct kind kind_of(char c)
{
	switch (c) {
	case 'i':
		return (struct kind){'i', GEN_INTS, 25};
	case 'j':
		return (struct kind){'i', GEN_INTS, 0};
	case 's':
		return (struct kind){'i', GEN_INTS, 60};
	case 'z':
		return (struct kind){'i', GEN_INTS, 50};
	case 'l':
		return (struct kind){'l', GEN_LONGS, 25};
	case 'm':
		return (struct kind){'l', GEN_LONGS, 0};
	case 'h':
		return (struct kind){'h', GEN_SHORTS, 25};
	case 'k':
		return (struct kind){'h', GEN_SHORTS, 0};
	case 'f':
		return (struct kind){'f', GEN_FLOATS, 20};
	case 'e':
		return (struct kind){'f', GEN_FLOATS, 0};
	case 'd':
		return (struct kind){'d', GEN_DOUBLES, 20};
	case 'g':
		return (struct kind){'d', GEN_DOUBLES, 0};
	case 'x':
		return (struct kind){'x', GEN_F16S, 0};
	case 'y':
		return (struct kind){'y', GEN_BF16S, 0};
	case 'u':
		return (struct kind){'u', GEN_F16X2S, 0};
	case 'v':
		return (struct kind){'v', GEN_BF16X2S, 0};
	case 'n':
	case 'p':
		return (struct kind){'p', GEN_PREDS, 0};
	default:
		break;
	}
	must_fail(__FILE__, __LINE__, "a template has an unknown letter");
}

static void add_constant(struct line *l, char c)
{
	struct gen *g = l->g;
	char s[32];
	switch (c) {
	case 'l':
		snprintf(s, sizeof(s), "0x%" PRIx64, gen_long(g));
		break;
	case 'h':
		snprintf(s, sizeof(s), "%u", gen_word(g) & 0x7fffu);
		break;
	case 'f':
		snprintf(s, sizeof(s), "0f%08" PRIX64,
			 edge_float(&g->state, 8, 23));
		break;
	case 'd':
		snprintf(s, sizeof(s), "0d%016" PRIX64,
			 edge_float(&g->state, 11, 52));
		break;
	case 's':
		snprintf(s, sizeof(s), "%u",
			 gen_chance(g, 70) ? gen_below(g, 34)
					   : gen_below(g, 300));
		break;
	default:
		snprintf(s, sizeof(s), "0x%" PRIx32, gen_word(g));
		break;
	}
	add_str(l, s);
}

static bool is_written(const struct line *l, const char *name)
{
	for (uint32_t i = 0; i < l->dest_count; i++)
		if (strcmp(l->dests[i], name) == 0)
			return true;
	return false;
}

static void add_destination(struct line *l, char c)
{
	struct kind k = kind_of(c);
	char s[16];
	uint32_t i = gen_below(l->g, k.count);
	do {
		snprintf(s, sizeof(s), "%%%c%u", k.letter, i++ % k.count);
	} while (is_written(l, s));
	must(l->dest_count < 8);
	memcpy(l->dests[l->dest_count++], s, sizeof(s));
	add_str(l, s);
}

static void add_operand(struct line *l, char c)
{
	char s[16];
	if (c >= 'A' && c <= 'Z') {
		add_destination(l, (char)(c + ('a' - 'A')));
		return;
	}
	if (c == 'q') {
		add_destination(l, 'p');
		add_str(l, "|");
		add_destination(l, 'p');
		return;
	}
	if (c == '#') {
		snprintf(s, sizeof(s), "%u", gen_below(l->g, 256));
		add_str(l, s);
		return;
	}
	struct kind k = kind_of(c);
	if (gen_chance(l->g, k.constants)) {
		add_constant(l, c);
		return;
	}
	const char *sign = c == 'n' && gen_chance(l->g, 40) ? "!" : "";
	snprintf(s, sizeof(s), "%s%%%c%u", sign, k.letter,
		 gen_below(l->g, k.count));
	add_str(l, s);
}

/* One of "<a|b|c>"; gives what follows it. */
static const char *add_choice(struct line *l, const char *t)
{
	uint32_t count = 1;
	const char *end = strchr(t, '>');
	must(end != NULL);
	for (const char *p = t; p < end; p++)
		count += *p == '|';
	for (uint32_t skip = gen_below(l->g, count); skip > 0; skip--)
		t = strchr(t, '|') + 1;
	size_t n = strcspn(t, "|>");
	if (n == 1 && *t == '~')
		add_str(l, (l->g->without & KERNELS_NO_FTZ) == 0 ? ".ftz" : "");
	else
		add(l, t, n);
	return end + 1;
}

void gen_expand(struct gen *g, const char *t, bool may_guard)
{
	struct line l = {.g = g};
	if (may_guard && gen_chance(g, 12)) {
		add_str(&l, gen_chance(g, 50) ? "@!" : "@");
		add_operand(&l, 'p');
		add_str(&l, " ");
	}
	while (*t != '\0') {
		if (*t == '<') {
			t = add_choice(&l, t + 1);
		} else if (*t == '$') {
			add_operand(&l, t[1]);
			t += 2;
		} else {
			add(&l, t++, 1);
		}
	}
	gen_put(g, "%s", l.text);
}

static const struct {
	enum gen_family family;
	const char *text;
} lines[] = {
#define KERNEL_LINE(family, text) {GEN_##family, text},
#include "tests/support/kernels/lines.def"
};

#define LINE_COUNT (sizeof(lines) / sizeof(lines[0]))

void gen_line(struct gen *g)
{
	uint32_t total = 0, family = 0;
	for (uint32_t i = 0; i < GEN_FAMILIES; i++)
		total += g->weights[i];
	uint32_t at = gen_below(g, total);
	while (at >= g->weights[family])
		at -= g->weights[family++];
	uint32_t i;
	do {
		i = gen_below(g, LINE_COUNT);
	} while ((uint32_t)lines[i].family != family);
	gen_expand(g, lines[i].text, true);
}

/* Signs count, so that both must be numbers. */
static void put_signed(struct gen *g)
{
	uint32_t a = gen_below(g, GEN_FLOATS), b = gen_below(g, GEN_FLOATS);
	uint32_t d = gen_below(g, GEN_FLOATS), e = gen_below(g, GEN_DOUBLES);
	switch (gen_below(g, 3)) {
	case 0:
		gen_put(g, "setp.num.f32 %%pt, %%f%u, %%f%u;", a, b);
		gen_put(g, "@%%pt copysign.f32 %%f%u, %%f%u, %%f%u;", d, a, b);
		break;
	case 1:
		gen_put(g, "setp.num.f32 %%pt, %%f%u, %%f%u;", a, b);
		gen_put(g, "@%%pt %s.xorsign.abs.f32 %%f%u, %%f%u, %%f%u;",
			gen_chance(g, 50) ? "min" : "max", d, a, b);
		break;
	default:
		a %= GEN_DOUBLES;
		b %= GEN_DOUBLES;
		gen_put(g, "setp.num.f64 %%pt, %%d%u, %%d%u;", a, b);
		gen_put(g, "@%%pt copysign.f64 %%d%u, %%d%u, %%d%u;", e, a, b);
		break;
	}
}

/* Either it is a number and its bits are those, or they are another's. */
static void put_laundered(struct gen *g, const char *type, uint32_t bits,
			  const char *letters, const uint32_t counts[2])
{
	uint32_t e = gen_below(g, counts[0]), d = gen_below(g, counts[1]);
	gen_put(g, "setp.num.%s %%pt, %%%c%u, %%%c%u;", type, letters[0], e,
		letters[0], e);
	gen_put(g, "selp.b%u %%%c%u, %%%c%u, %u, %%pt;", bits, letters[1], d,
		letters[0], e, gen_below(g, 100));
}

void gen_launder(struct gen *g)
{
	static const uint32_t counts[3][2] = {{GEN_FLOATS, GEN_INTS},
					      {GEN_DOUBLES, GEN_LONGS},
					      {GEN_F16S, GEN_SHORTS}};
	switch (gen_below(g, 4)) {
	case 0:
		put_laundered(g, "f32", 32, "fi", counts[0]);
		break;
	case 1:
		put_laundered(g, "f64", 64, "dl", counts[1]);
		break;
	case 2:
		put_laundered(g, "f16", 16, "xh", counts[2]);
		break;
	default:
		put_signed(g);
		break;
	}
}

void gen_carry(struct gen *g)
{
	static const char *const heads[] = {
		"<add|sub>.cc.<u32|s32> $I, $i, $i;",
		"<add|sub>.cc.<u64|s64> $L, $l, $l;",
		"mad.<lo|hi>.cc.<u32|s32> $I, $i, $i, $i;",
		"mad.<lo|hi>.cc.<u64|s64> $L, $l, $l, $l;"};
	static const char *const links[] = {
		"<addc|subc>.cc.<u32|s32> $I, $i, $i;",
		"<addc|subc>.cc.<u64|s64> $L, $l, $l;",
		"madc.<lo|hi>.cc.<u32|s32> $I, $i, $i, $i;",
		"madc.<lo|hi>.cc.<u64|s64> $L, $l, $l, $l;"};
	static const char *const ends[] = {
		"<addc|subc>.<u32|s32> $I, $i, $i;",
		"<addc|subc>.<u64|s64> $L, $l, $l;",
		"madc.<lo|hi>.<u32|s32> $I, $i, $i, $i;",
		"madc.<lo|hi>.<u64|s64> $L, $l, $l, $l;"};
	gen_expand(g, heads[gen_below(g, 4)], false);
	for (uint32_t n = gen_below(g, 3); n > 0; n--)
		gen_expand(g, links[gen_below(g, 4)], false);
	gen_expand(g, ends[gen_below(g, 4)], false);
}
