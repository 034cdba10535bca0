/*
 * Loads and stores.  Integers and floats have parts of their own, so that no
 * bits of a NaN become an integer; addresses are always inside and aligned.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/kernels/priv/gen.h"

struct shape {
	uint32_t bytes;
	const char *load, *store; /* type and operands */
};

static const struct shape ints[] = {
	{1, "u8 $I", "u8 $j"},
	{1, "s8 $I", "b8 $k"},
	{1, "s8 $L", "u8 $m"},
	{1, "u8 $H", "s8 $j"},
	{2, "s16 $I", "u16 $k"},
	{2, "u16 $H", "s16 $j"},
	{4, "u32 $I", "u32 $j"},
	{4, "s32 $L", "b32 $i"},
	{4, "b32 $I", "s32 $m"},
	{8, "b64 $L", "b64 $l"},
	{2, "v2.u8 {$I, $I}", "v2.u8 {$j, $j}"},
	{4, "v2.u16 {$H, $H}", "v2.b16 {$k, $k}"},
	{4, "v4.s8 {$I, $I, $I, $I}", "v4.u8 {$j, $j, $j, $j}"},
	{8, "v2.b32 {$I, $I}", "v2.u32 {$j, $j}"},
	{8, "v4.u16 {$H, $H, $H, $H}", "v4.b16 {$k, $k, $k, $k}"},
	{16, "v4.b32 {$I, $I, $I, $I}", "v4.s32 {$j, $j, $j, $j}"},
	{16, "v2.u64 {$L, $L}", "v2.b64 {$m, $m}"},
};

static const struct shape floats[] = {
	{4, "f32 $F", "f32 $e"},
	{4, "b32 $F", "f32 $f"},
	{8, "v2.f32 {$F, $F}", "v2.f32 {$e, $e}"},
	{16, "v4.f32 {$F, $F, $F, $F}", "v4.f32 {$e, $e, $e, $e}"},
};

/* What only the input holds. */
static const struct shape others[] = {
	{8, "f64 $D", ""},
	{16, "v2.f64 {$D, $D}", ""},
	{2, "b16 $X", ""},
	{2, "b16 $Y", ""},
	{4, "b32 $U", ""},
	{4, "b32 $V", ""},
	{8, "v4.b16 {$X, $X, $X, $X}", ""},
};

/* One that fits in so many bytes. */
static const struct shape *choose(struct gen *g, bool is_float, uint32_t most)
{
	const struct shape *list = is_float ? floats : ints;
	uint32_t n = is_float ? sizeof(floats) / sizeof(floats[0])
			      : sizeof(ints) / sizeof(ints[0]);
	const struct shape *s;
	do {
		s = &list[gen_below(g, n)];
	} while (s->bytes > most);
	return s;
}

static bool wants_float(struct gen *g)
{
	return (g->without & KERNELS_NO_FLOAT) == 0 && gen_chance(g, 40);
}

/* "ld.global.v2.u32 {...}, [%a0+8];" */
static void put_load(struct gen *g, const char *space, const struct shape *s,
		     const char *base, uint32_t offset)
{
	char t[160];
	snprintf(t, sizeof(t), "ld%s.%s, [%s+%u];", space, s->load, base,
		 offset);
	gen_expand(g, t, true);
}

static void put_store(struct gen *g, const char *space, const struct shape *s,
		      const char *base, uint32_t offset)
{
	char t[160], type[24];
	int n = (int)strcspn(s->store, " ");
	snprintf(type, sizeof(type), "%.*s", n, s->store);
	snprintf(t, sizeof(t), "st%s.%s [%s+%u],%s;", space, type, base, offset,
		 s->store + n);
	gen_expand(g, t, true);
}

/* %a0 = base + some integer that stays below limit, a power of two. */
static void put_index(struct gen *g, const char *base, uint32_t limit,
		      uint32_t align)
{
	gen_put(g, "and.b32 %%t0, %%i%u, %u;", gen_below(g, GEN_INTS),
		(limit - 1) & ~(align - 1));
	if (gen_chance(g, 50)) {
		gen_put(g, "cvt.u64.u32 %%a0, %%t0;");
		gen_put(g, "add.s64 %%a0, %s, %%a0;", base);
	} else {
		gen_put(g, "mad.wide.u32 %%a0, %%t0, 1, %s;", base);
	}
}

static uint32_t aligned(struct gen *g, uint32_t limit, uint32_t bytes)
{
	return gen_below(g, limit / bytes) * bytes;
}

static void load_input(struct gen *g)
{
	static const char *const spaces[] = {".global", ".global.nc",
					     ".global.ca", ".global.cg", ""};
	const uint32_t half = KERNELS_IN_BYTES / 2;
	const struct shape *s = choose(g, wants_float(g), 16);
	if ((g->without & KERNELS_NO_FLOAT) == 0 && gen_chance(g, 30))
		s = &others[gen_below(g, sizeof(others) / sizeof(others[0]))];
	put_index(g, "%in", half, s->bytes);
	const char *space = spaces[gen_below(g, 5)];
	put_load(g, space, s, "%a0", aligned(g, half, s->bytes));
}

static void load_table(struct gen *g)
{
	const struct shape *s = choose(g, false, 16);
	bool is_const = gen_chance(g, 50);
	gen_put(g, "mov.u64 %%a1, %s;", is_const ? "ctab" : "gtab");
	put_index(g, "%a1", 64, s->bytes);
	put_load(g, is_const ? ".const" : ".global", s, "%a0", 0);
}

/* The thread's own part of the output: integers and floats apart. */
static void use_output(struct gen *g)
{
	bool is_float = wants_float(g);
	const struct shape *s = choose(g, is_float, 16);
	uint32_t from = is_float ? GEN_OWN_FLOATS : GEN_OWN_INTS;
	uint32_t bytes = is_float ? 48 : 32;
	const char *space = gen_chance(g, 70) ? ".global" : "";
	uint32_t at = from + aligned(g, bytes, s->bytes);
	if (is_float || gen_chance(g, 60))
		put_store(g, space, s, "%own", at);
	else
		put_load(g, space, s, "%own", at);
}

/* Local memory: integers below 32, floats above. */
static void use_local(struct gen *g)
{
	bool is_float = wants_float(g), is_generic = gen_chance(g, 25);
	const uint32_t half = GEN_LOCAL_BYTES / 2;
	const struct shape *s = choose(g, is_float, 16);
	const char *space = is_generic ? "" : ".local";
	const char *base = is_generic ? "%gloc" : "%loc";
	uint32_t at = is_float ? half : 0;
	if (gen_chance(g, 60)) {
		put_index(g, base, half, s->bytes);
		base = "%a0";
	} else {
		at += aligned(g, half, s->bytes);
	}
	if (gen_chance(g, 50))
		put_store(g, space, s, base, at);
	else
		put_load(g, space, s, base, at);
}

void gen_memory(struct gen *g)
{
	switch (gen_below(g, 6)) {
	case 0:
	case 1:
		load_input(g);
		break;
	case 2:
		load_table(g);
		break;
	case 3:
		use_output(g);
		break;
	default:
		use_local(g);
		break;
	}
}

/* Every thread's part: integers in its lower half, floats in its upper. */
void gen_shared(struct gen *g)
{
	bool is_float = wants_float(g), is_generic = gen_chance(g, 25);
	const uint32_t half = GEN_SHARED_BYTES / 2;
	const struct shape *s = choose(g, is_float, half);
	const char *space = is_generic ? "" : ".shared";
	uint32_t at = (is_float ? half : 0) + aligned(g, half, s->bytes);
	if (g->writes_shared) {
		const char *base = is_generic ? "%gown" : "%sown";
		if (gen_chance(g, 60))
			put_store(g, space, s, base, at);
		else
			put_load(g, space, s, base, at);
		return;
	}
	gen_put(g, "rem.u32 %%t0, %%i%u, %u;", gen_below(g, GEN_INTS),
		g->threads);
	if (is_generic) {
		gen_put(g, "mad.wide.u32 %%a0, %%t0, %u, %%gsh;",
			GEN_SHARED_BYTES);
		put_load(g, "", s, "%a0", at);
	} else {
		gen_put(g, "mad.lo.u32 %%t0, %%t0, %u, %%sh;",
			GEN_SHARED_BYTES);
		put_load(g, space, s, "%t0", at);
	}
}

/* One operation of one width a place, so that no order shows. */
static const struct {
	const char *text;
	bool is_wide;
} atomics[] = {
	{"add.u32", false}, {"and.b32", false}, {"or.b32", false},
	{"xor.b32", false}, {"min.u32", false}, {"max.u32", false},
	{"min.s32", false}, {"max.s32", false}, {"add.u64", true},
	{"and.b64", true},  {"or.b64", true},	{"xor.b64", true},
	{"min.s64", true},  {"max.u64", true},
};

/* Behind them, in buffers alone: no NaN is ever left over. */
static const char *const vectors[] = {
	"red.global.min.noftz.v2.f16x2 [%atoms+112], {$u, $u};",
	"red.global.max.noftz.v4.bf16 [%atoms+120], {$y, $y, $y, $y};",
};

void gen_atomic(struct gen *g)
{
	uint32_t i = gen_below(g, sizeof(atomics) / sizeof(atomics[0]));
	bool has_shared = (g->without & KERNELS_NO_SHARED) == 0;
	bool shared = has_shared && g->writes_shared && gen_chance(g, 50);
	char t[96];
	if ((g->without & KERNELS_NO_FLOAT) == 0 && gen_chance(g, 10)) {
		gen_expand(g, vectors[gen_below(g, 2)], true);
		return;
	}
	if (has_shared && !g->writes_shared && gen_chance(g, 50)) {
		snprintf(t, sizeof(t), "ld.shared.%s, [%%sat+%u];",
			 atomics[i].is_wide ? "u64 $L" : "u32 $I", 8 * i);
	} else if (gen_chance(g, 70)) {
		snprintf(t, sizeof(t), "red.%s.%s [%s+%u], %s;",
			 shared ? "shared" : "global", atomics[i].text,
			 shared ? "%sat" : "%atoms", 8 * i,
			 atomics[i].is_wide ? "$m" : "$j");
	} else {
		snprintf(t, sizeof(t), "atom.%s.%s %s, [%s+%u], %s;",
			 shared ? "shared" : "global", atomics[i].text,
			 atomics[i].is_wide ? "%junkl" : "%junk",
			 shared ? "%sat" : "%atoms", 8 * i,
			 atomics[i].is_wide ? "$m" : "$j");
	}
	gen_expand(g, t, true);
}
