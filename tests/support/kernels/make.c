/*
 * The shape of a kernel: what comes before and after the statements, and the
 * statements that hold others.
 */
#include <stdio.h>

#include "base/must.h"
#include "tests/support/kernels/priv/gen.h"

#define TEXT_MAX (1u << 20)

static void body(struct gen *g, uint32_t statements);

static uint32_t new_label(struct gen *g)
{
	return g->labels++;
}

/* Statements inside another one, where mask is exact and the phase of shared
 * memory at the end is that at the start. */
static void inner(struct gen *g, uint32_t statements, uint32_t mask,
		  bool is_uniform)
{
	struct gen outer = *g;
	g->depth++;
	g->mask = mask;
	g->is_uniform = is_uniform;
	body(g, statements);
	if (g->writes_shared != outer.writes_shared)
		gen_put(g, "bar.sync 0;");
	g->depth = outer.depth;
	g->mask = outer.mask;
	g->is_uniform = outer.is_uniform;
	g->writes_shared = outer.writes_shared;
}

/* The mask of what comes inside: known when that of here is, at times. */
static uint32_t inner_mask(struct gen *g)
{
	return g->mask != GEN_NO_MASK && gen_chance(g, 60) ? g->depth + 1
							   : GEN_NO_MASK;
}

static void put_if(struct gen *g)
{
	uint32_t n = new_label(g), p = gen_below(g, GEN_PREDS);
	uint32_t mask = inner_mask(g), size = 1 + gen_below(g, 6);
	bool has_else = gen_chance(g, 50);
	if (mask != GEN_NO_MASK)
		gen_put(g, "vote.sync.ballot.b32 %%m%u, %%p%u, %%m%u;", mask, p,
			g->mask);
	gen_put(g, "@!%%p%u bra E%u;", p, n);
	inner(g, size, mask, false);
	if (has_else)
		gen_put(g, "bra D%u;", n);
	gen_put(g, "E%u:", n);
	if (!has_else)
		return;
	if (mask != GEN_NO_MASK)
		gen_put(g, "xor.b32 %%m%u, %%m%u, %%m%u;", mask, mask, g->mask);
	inner(g, 1 + gen_below(g, 6), mask, false);
	gen_put(g, "D%u:", n);
}

/* The same way for the whole CTA. */
static void put_uniform_if(struct gen *g)
{
	uint32_t n = new_label(g);
	if (gen_chance(g, 50))
		gen_put(g, "setp.lt.u32 %%pt, %%cta, %u;", gen_below(g, 3));
	else
		gen_put(g, "setp.lt.u32 %%pt, %%n, 0x%x;", gen_word(g));
	gen_put(g, "@%%pt bra%s E%u;", gen_chance(g, 50) ? ".uni" : "", n);
	inner(g, 1 + gen_below(g, 6), g->mask, g->is_uniform);
	gen_put(g, "E%u:", n);
}

static void put_counted_loop(struct gen *g)
{
	uint32_t n = new_label(g), d = g->depth;
	gen_put(g, "mov.u32 %%c%u, %u;", d, 1 + gen_below(g, 4));
	gen_put(g, "L%u:", n);
	inner(g, 2 + gen_below(g, 6), g->mask, g->is_uniform);
	gen_put(g, "sub.u32 %%c%u, %%c%u, 1;", d, d);
	gen_put(g, "setp.ne.u32 %%pt, %%c%u, 0;", d);
	gen_put(g, "@%%pt bra L%u;", n);
}

/* Each lane as often as one of its integers says. */
static void put_loop(struct gen *g)
{
	uint32_t n = new_label(g), d = g->depth, mask = inner_mask(g);
	gen_put(g, "and.b32 %%c%u, %%i%u, %u;", d, gen_below(g, GEN_INTS),
		gen_chance(g, 50) ? 3 : 7);
	if (mask != GEN_NO_MASK)
		gen_put(g, "mov.b32 %%m%u, %%m%u;", mask, g->mask);
	gen_put(g, "L%u:", n);
	gen_put(g, "setp.eq.u32 %%pc%u, %%c%u, 0;", d, d);
	if (mask != GEN_NO_MASK)
		gen_put(g, "vote.sync.ballot.b32 %%m%u, !%%pc%u, %%m%u;", mask,
			d, mask);
	gen_put(g, "@%%pc%u bra E%u;", d, n);
	inner(g, 1 + gen_below(g, 4), mask, false);
	if (mask == GEN_NO_MASK && gen_chance(g, 40))
		gen_put(g, "@%%p%u bra E%u;", gen_below(g, GEN_PREDS), n);
	gen_put(g, "sub.u32 %%c%u, %%c%u, 1;", d, d);
	gen_put(g, "bra L%u;", n);
	gen_put(g, "E%u:", n);
	/* Or those that leave meet the vote again, with another mask. */
	if (mask != GEN_NO_MASK)
		gen_put(g, "bar.warp.sync %%m%u;", g->mask);
}

/* Four indices, three labels. */
static void put_brx(struct gen *g)
{
	uint32_t n = new_label(g), mask = inner_mask(g);
	uint32_t last = gen_below(g, 3);
	gen_put(g, "and.b32 %%t2, %%i%u, 3;", gen_below(g, GEN_INTS));
	if (mask != GEN_NO_MASK) {
		gen_put(g, "setp.eq.u32 %%pt, %%t2, 3;");
		gen_put(g, "selp.b32 %%t1, %u, %%t2, %%pt;", last);
		gen_put(g, "match.any.sync.b32 %%m%u, %%t1, %%m%u;", mask,
			g->mask);
	}
	gen_put(g, "T%u: .branchtargets B%u_0, B%u_1, B%u_2, B%u_%u;", n, n, n,
		n, n, last);
	gen_put(g, "brx.idx %%t2, T%u;", n);
	for (uint32_t i = 0; i < 3; i++) {
		gen_put(g, "B%u_%u:", n, i);
		inner(g, 1 + gen_below(g, 3), mask, false);
		if (i < 2)
			gen_put(g, "bra D%u;", n);
	}
	gen_put(g, "D%u:", n);
}

static void put_exit(struct gen *g)
{
	uint32_t p = gen_below(g, GEN_PREDS);
	/* Few: one thread in eight at most. */
	gen_put(g, "and.b32 %%t0, %%lane, 7;");
	gen_put(g, "setp.eq.and.u32 %%pt, %%t0, %u, %%p%u;", gen_below(g, 8),
		p);
	gen_put(g, "vote.sync.ballot.b32 %%m0, !%%pt, %%m0;");
	gen_put(g, "@%%pt %s;", gen_chance(g, 50) ? "exit" : "ret");
	g->has_exits = true;
}

static void put_barrier(struct gen *g)
{
	char t[64];
	switch (gen_below(g, 6)) {
	case 0:
		gen_put(g, "barrier.sync %u;", gen_below(g, 16));
		break;
	case 1:
		gen_put(g, "barrier.sync.aligned %u;", gen_below(g, 16));
		break;
	case 2:
		if (g->threads % 32 == 0 && !g->has_exits)
			gen_put(g, "bar.sync %u, %u;", gen_below(g, 16),
				g->threads);
		else
			gen_put(g, "bar.sync %u;", gen_below(g, 16));
		break;
	case 3:
		snprintf(t, sizeof(t), "bar.red.popc.u32 $I, %u, $n;",
			 gen_below(g, 16));
		gen_expand(g, t, false);
		break;
	case 4:
		snprintf(t, sizeof(t), "bar.red.<and|or>.pred $P, %u, $n;",
			 gen_below(g, 16));
		gen_expand(g, t, false);
		break;
	default:
		gen_put(g, "bar.sync 0;");
		break;
	}
	g->writes_shared = gen_chance(g, 50);
}

static void put_call(struct gen *g)
{
	uint32_t f = gen_below(g, g->functions);
	if (g->by_register[f]) {
		gen_put(g, "call (%%i%u), f%u, (%%i%u, %%i%u);",
			gen_below(g, GEN_INTS), f, gen_below(g, GEN_INTS),
			gen_below(g, GEN_INTS));
		return;
	}
	gen_put(g, "{");
	gen_put(g, ".param .b32 ca;");
	gen_put(g, ".param .b64 cb;");
	gen_put(g, ".param .align 8 .b8 cs[16];");
	gen_put(g, ".param .b64 cr;");
	gen_expand(g, "st.param.b32 [ca], $j;", false);
	gen_expand(g, "st.param.b64 [cb], $m;", false);
	gen_expand(g, "st.param.v2.b32 [cs], {$j, $j};", false);
	gen_expand(g, "st.param.b64 [cs+8], $m;", false);
	gen_put(g, "call (cr), f%u, (ca, cb, cs);", f);
	gen_expand(g, "ld.param.b64 $L, [cr];", false);
	gen_put(g, "}");
}

static bool has(const struct gen *g, uint32_t without)
{
	return !g->is_function && (g->without & without) == 0;
}

/* A statement that holds others; false: none fits here. */
static bool compound(struct gen *g)
{
	if (g->depth >= GEN_DEPTH_MAX)
		return false;
	switch (gen_below(g, 6)) {
	case 0:
	case 1:
		put_if(g);
		return true;
	case 2:
		put_loop(g);
		return true;
	case 3:
		put_counted_loop(g);
		return true;
	case 4:
		if (!g->is_uniform || g->is_function)
			return false;
		put_uniform_if(g);
		return true;
	default:
		put_brx(g);
		return true;
	}
}

static void statement(struct gen *g)
{
	uint32_t r = gen_below(g, 100);
	bool can_barrier = g->is_uniform && has(g, KERNELS_NO_SHARED);
	if (r < 10 && compound(g))
		return;
	if (r >= 10 && r < 20 && !g->is_function)
		gen_memory(g);
	else if (r >= 20 && r < 30 && g->mask != GEN_NO_MASK)
		gen_warp(g);
	else if (r >= 30 && r < 36 && has(g, KERNELS_NO_SHARED))
		gen_shared(g);
	else if (r >= 36 && r < 39 && can_barrier)
		put_barrier(g);
	else if (r >= 39 && r < 42 && has(g, KERNELS_NO_ATOMIC))
		gen_atomic(g);
	else if (r >= 42 && r < 45 && g->functions > 0)
		put_call(g);
	else if (r == 45 && g->depth == 0 && g->mask == 0)
		put_exit(g);
	else if (r >= 46 && r < 49)
		gen_carry(g);
	else if (r >= 49 && r < 52 && (g->without & KERNELS_NO_FLOAT) == 0)
		gen_launder(g);
	else
		gen_line(g);
}

static void body(struct gen *g, uint32_t statements)
{
	for (uint32_t i = 0; i < statements; i++)
		statement(g);
}

static void declare(struct gen *g)
{
	gen_put(g, ".reg .pred %%p<%u>;", GEN_PREDS);
	gen_put(g, ".reg .pred %%pt, %%pc<4>;");
	gen_put(g, ".reg .b32 %%i<%u>;", GEN_INTS);
	gen_put(g, ".reg .b64 %%l<%u>;", GEN_LONGS);
	gen_put(g, ".reg .b16 %%h<%u>;", GEN_SHORTS);
	gen_put(g, ".reg .b32 %%f<%u>;", GEN_FLOATS);
	gen_put(g, ".reg .b64 %%d<%u>;", GEN_DOUBLES);
	gen_put(g, ".reg .b16 %%x<%u>;", GEN_F16S);
	gen_put(g, ".reg .b16 %%y<%u>;", GEN_BF16S);
	gen_put(g, ".reg .b32 %%u<%u>;", GEN_F16X2S);
	gen_put(g, ".reg .b32 %%v<%u>;", GEN_BF16X2S);
	gen_put(g, ".reg .b32 %%t<3>, %%c<4>, %%m<5>;");
	gen_put(g, ".reg .b64 %%a<2>;");
	gen_put(g, ".reg .b32 %%id, %%lane, %%gid, %%cta, %%n, %%junk;");
	gen_put(g, ".reg .b64 %%junkl;");
}

/* Values for all registers, from those in %i0 and %l0. */
static void start_values(struct gen *g)
{
	for (uint32_t i = 1; i < GEN_INTS; i++)
		gen_put(g, "mad.lo.u32 %%i%u, %%i%u, 0x%x, 0x%x;", i,
			gen_below(g, i), gen_word(g) | 1, gen_word(g));
	for (uint32_t i = 1; i < GEN_LONGS; i++)
		gen_put(g, "mad.wide.u32 %%l%u, %%i%u, 0x%x, %%l%u;", i,
			gen_below(g, GEN_INTS), gen_word(g), i - 1);
	for (uint32_t i = 0; i < GEN_SHORTS; i++)
		gen_put(g, "cvt.u16.u32 %%h%u, %%i%u;", i, i);
	for (uint32_t i = 0; i < GEN_FLOATS; i++)
		gen_put(g, "cvt.rn.f32.s32 %%f%u, %%i%u;", i, i);
	for (uint32_t i = 0; i < GEN_DOUBLES; i++)
		gen_put(g, "cvt.rn.f64.s64 %%d%u, %%l%u;", i, i);
	for (uint32_t i = 0; i < GEN_F16S; i++)
		gen_put(g, "mov.b16 %%x%u, %%h%u;", i, i);
	for (uint32_t i = 0; i < GEN_BF16S; i++)
		gen_put(g, "mov.b16 %%y%u, %%h%u;", i, i);
	for (uint32_t i = 0; i < GEN_F16X2S; i++)
		gen_put(g, "mov.b32 %%u%u, %%i%u;", i, i);
	for (uint32_t i = 0; i < GEN_BF16X2S; i++)
		gen_put(g, "mov.b32 %%v%u, %%i%u;", i, i + 3);
	for (uint32_t i = 0; i < GEN_PREDS; i++)
		gen_put(g, "setp.lt.s32 %%p%u, %%i%u, %%i%u;", i, i, i + 1);
}

static void put_function(struct gen *g, uint32_t f)
{
	struct gen outer = *g;
	g->is_function = true;
	g->mask = GEN_NO_MASK;
	g->depth = 1;
	g->by_register[f] = outer.by_register[f] = gen_chance(g, 40);
	if (g->by_register[f])
		gen_put(g,
			".func (.reg .b32 %%ret) f%u"
			"(.reg .b32 %%ra, .reg .b32 %%rb)",
			f);
	else
		gen_put(g,
			".func (.param .b64 ret) f%u(.param .b32 pa, "
			".param .b64 pb, .param .align 8 .b8 ps[16])",
			f);
	gen_put(g, "{");
	declare(g);
	if (g->by_register[f]) {
		gen_put(g, "mov.b32 %%i0, %%ra;");
		gen_put(g, "mov.b64 %%l0, {%%ra, %%rb};");
	} else {
		gen_put(g, "ld.param.b32 %%i0, [pa];");
		gen_put(g, "ld.param.b64 %%l0, [pb];");
	}
	start_values(g);
	if (!g->by_register[f]) {
		gen_put(g, "ld.param.v2.b32 {%%i1, %%i2}, [ps];");
		gen_put(g, "ld.param.b64 %%l1, [ps+8];");
	}
	body(g, 4 + gen_below(g, 10));
	if (g->by_register[f])
		gen_put(g, "mov.b32 %%ret, %%i0;");
	else
		gen_put(g, "st.param.b64 [ret], %%l0;");
	gen_put(g, "ret;");
	gen_put(g, "}");
	outer.state = g->state;
	outer.labels = g->labels;
	*g = outer;
}

static void put_table(struct gen *g, const char *space, const char *name)
{
	char list[512];
	int n = 0;
	for (uint32_t i = 0; i < 64; i++)
		n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%u",
			      i == 0 ? "" : ",", gen_below(g, 256));
	gen_put(g, "%s .align 16 .b8 %s[64] = {%s};", space, name, list);
}

/* Who the thread is, and where its places are. */
static void put_places(struct gen *g)
{
	static const char *const lines[] = {
		"ld.param.u64 %out, [out];",
		"ld.param.u64 %in, [in];",
		"ld.param.u32 %n, [n];",
		"mov.u32 %t0, %tid.y;",
		"mov.u32 %t1, %ntid.x;",
		"mov.u32 %id, %tid.x;",
		"mad.lo.u32 %id, %t0, %t1, %id;",
		"mov.u32 %t0, %ctaid.y;",
		"mov.u32 %t1, %nctaid.x;",
		"mov.u32 %gid, %ctaid.x;",
		"mad.lo.u32 %gid, %t0, %t1, %gid;",
		"mov.u32 %cta, %ctaid.x;",
		"mov.u32 %lane, %laneid;",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		gen_put(g, "%s", lines[i]);
	gen_put(g, "mad.lo.u32 %%gid, %%gid, %u, %%id;", g->threads);
	gen_put(g, "mad.wide.u32 %%own, %%gid, %u, %%out;",
		KERNELS_THREAD_BYTES);
	gen_put(g, "mov.u64 %%loc, loc;");
	gen_put(g, "cvta.local.u64 %%gloc, %%loc;");
	for (uint32_t i = 0; i < GEN_LOCAL_BYTES; i += 16)
		gen_put(g, "st.local.v4.b32 [%%loc+%u], {%%gid, %%id, 0, %%n};",
			i);
}

static void put_shared_start(struct gen *g)
{
	gen_put(g, "mov.u32 %%sh, sh;");
	gen_put(g, "mov.u32 %%sat, sat;");
	gen_put(g, "cvt.u64.u32 %%gsh, %%sh;");
	gen_put(g, "cvta.shared.u64 %%gsh, %%gsh;");
	gen_put(g, "mad.lo.u32 %%sown, %%id, %u, %%sh;", GEN_SHARED_BYTES);
	gen_put(g, "mad.wide.u32 %%gown, %%id, %u, %%gsh;", GEN_SHARED_BYTES);
	gen_put(g, "st.shared.v4.b32 [%%sown], {%%gid, %%id, %%gid, %%n};");
	gen_put(g, "setp.eq.u32 %%pt, %%id, 0;");
	for (uint32_t i = 0; i < KERNELS_ATOMIC_BYTES; i += 16)
		gen_put(g, "@%%pt st.shared.v2.u64 [%%sat+%u], {%u, %u};", i,
			gen_below(g, 1000), gen_below(g, 1000));
	gen_put(g, "bar.sync 0;");
	g->writes_shared = gen_chance(g, 50);
}

/* Registers from the input. */
static void put_loads(struct gen *g)
{
	gen_put(g, "mul.lo.u32 %%t0, %%gid, %u;", 8 * (1 + gen_below(g, 9)));
	gen_put(g, "and.b32 %%t0, %%t0, %u;", KERNELS_IN_BYTES / 2 - 8);
	gen_put(g, "cvt.u64.u32 %%a0, %%t0;");
	gen_put(g, "add.s64 %%a0, %%a0, %%in;");
	for (uint32_t i = 0; i < GEN_FLOATS; i++)
		gen_put(g, "ld.global.f32 %%f%u, [%%a0+%u];", i,
			4 * gen_below(g, 128));
	for (uint32_t i = 0; i < GEN_DOUBLES; i++)
		gen_put(g, "ld.global.f64 %%d%u, [%%a0+%u];", i,
			8 * gen_below(g, 64));
	for (uint32_t i = 0; i < GEN_F16S; i++)
		gen_put(g, "ld.global.b16 %%x%u, [%%a0+%u];", i,
			2 * gen_below(g, 256));
	for (uint32_t i = 0; i < GEN_INTS / 2; i++)
		gen_put(g, "ld.global.u32 %%i%u, [%%a0+%u];", 2 * i,
			4 * gen_below(g, 128));
}

/* All registers to the thread's place; a float as one, whatever its NaN. */
static void put_results(struct gen *g)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < GEN_DOUBLES; i++, at += 8)
		gen_put(g, "st.global.f64 [%%own+%u], %%d%u;", at, i);
	for (uint32_t i = 0; i < GEN_LONGS; i++, at += 8)
		gen_put(g, "st.global.u64 [%%own+%u], %%l%u;", at, i);
	for (uint32_t i = 0; i < GEN_INTS; i++, at += 4)
		gen_put(g, "st.global.u32 [%%own+%u], %%i%u;", at, i);
	for (uint32_t i = 0; i < GEN_FLOATS; i++, at += 4)
		gen_put(g, "st.global.f32 [%%own+%u], %%f%u;", at, i);
	for (uint32_t i = 0; i < GEN_SHORTS; i++, at += 2)
		gen_put(g, "st.global.u16 [%%own+%u], %%h%u;", at, i);
	for (uint32_t i = 0; i < GEN_F16X2S + 2; i++) {
		bool is_f16 = i < GEN_F16X2S;
		if (is_f16)
			gen_put(g, "mov.b32 {%%x0, %%x1}, %%u%u;", i);
		for (uint32_t k = 0; k < (is_f16 ? 2u : 1u); k++, at += 4) {
			gen_put(g, "cvt.f32.f16 %%f0, %%x%u;",
				is_f16 ? k : i - 1);
			gen_put(g, "st.global.f32 [%%own+%u], %%f0;", at);
		}
	}
	for (uint32_t i = 0; i < GEN_BF16S; i++, at += 4) {
		gen_put(g, "cvt.f32.bf16 %%f0, %%y%u;", i);
		gen_put(g, "st.global.f32 [%%own+%u], %%f0;", at);
	}
	gen_put(g, "mov.b32 %%t0, 0;");
	for (uint32_t i = 0; i < GEN_PREDS; i++) {
		gen_put(g, "selp.u32 %%t1, %u, 0, %%p%u;", 1u << i, i);
		gen_put(g, "or.b32 %%t0, %%t0, %%t1;");
	}
	gen_put(g, "st.global.u32 [%%own+%u], %%t0;", at);
	must(at + 4 <= GEN_OWN_INTS);
}

static void put_kernel(struct gen *g, uint32_t ctas)
{
	bool has_shared = (g->without & KERNELS_NO_SHARED) == 0;
	gen_put(g, ".visible .entry k(.param .u64 out, .param .u64 in, "
		   ".param .u32 n)");
	gen_put(g, "{");
	declare(g);
	gen_put(g, ".reg .b64 %%out, %%in, %%own, %%loc, %%gloc, %%gsh;");
	gen_put(g, ".reg .b64 %%gown, %%atoms;");
	gen_put(g, ".reg .b32 %%sh, %%sown, %%sat;");
	gen_put(g, ".local .align 16 .b8 loc[%u];", GEN_LOCAL_BYTES);
	if (has_shared) {
		gen_put(g, ".shared .align 16 .b8 sh[%u];",
			GEN_SHARED_BYTES * g->threads);
		gen_put(g, ".shared .align 16 .b8 sat[%u];",
			KERNELS_ATOMIC_BYTES);
	}
	put_places(g);
	gen_put(g, "add.s64 %%atoms, %%out, %u;",
		ctas * g->threads * KERNELS_THREAD_BYTES);
	gen_put(g, "mov.b32 %%i0, %%gid;");
	gen_put(g, "mov.b64 %%l0, {%%gid, %%n};");
	start_values(g);
	put_loads(g);
	if (has_shared)
		put_shared_start(g);
	g->mask = GEN_NO_MASK;
	if ((g->without & KERNELS_NO_WARP) == 0) {
		g->mask = 0;
		gen_put(g, "setp.eq.u32 %%pt, %%id, %%id;");
		gen_put(g, "vote.sync.ballot.b32 %%m0, %%pt, 0xffffffff;");
	}
	g->is_uniform = true;
	body(g, 12 + gen_below(g, 40));
	put_results(g);
	gen_put(g, "ret;");
	gen_put(g, "}");
}

/* Warps whole and in part, one and many; beyond a strip of the executor. */
static void choose_shape(struct gen *g, struct kernels_case *c)
{
	static const uint32_t sizes[] = {1,  5,	 32, 32, 33, 64,
					 64, 64, 70, 96, 96, 128};
	static const uint32_t large[] = {256, 257, 288, 320, 512, 1024};
	uint32_t n = sizes[gen_below(g, 12)], rows = 1;
	if (gen_chance(g, 5))
		n = large[gen_below(g, 6)];
	if (n % 2 == 0 && gen_chance(g, 30))
		rows = 2;
	*c = (struct kernels_case){.grid = {1 + gen_below(g, n > 200 ? 2 : 3),
					    gen_chance(g, 20) ? 2 : 1, 1},
				   .block = {n / rows, rows, 1}};
	g->threads = n;
}

void kernels_make(uint64_t seed, uint32_t without,
		  struct kernels_case *ret_case)
{
	struct gen g = {.state = seed * 0x2545f4914f6cdd1du + 1,
			.without = without};
	struct buf text = buf_make(TEXT_MAX);
	g.out = &text;
	choose_shape(&g, ret_case);
	ret_case->word = gen_word(&g);
	uint32_t ctas = ret_case->grid[0] * ret_case->grid[1];
	ret_case->out_bytes =
		ctas * g.threads * KERNELS_THREAD_BYTES + KERNELS_ATOMIC_BYTES;
	for (uint32_t i = 0; i < GEN_FAMILIES; i++)
		g.weights[i] = 1 + gen_below(&g, 8);
	if ((without & KERNELS_NO_FLOAT) != 0)
		g.weights[GEN_F32] = g.weights[GEN_F64] = g.weights[GEN_HALF] =
			g.weights[GEN_CVT] = 0;
	gen_put(&g, ".version 8.6");
	gen_put(&g, ".target sm_100");
	gen_put(&g, ".address_size 64");
	put_table(&g, ".const", "ctab");
	put_table(&g, ".global", "gtab");
	uint32_t n = (without & KERNELS_NO_CALL) != 0
			     ? 0
			     : gen_below(&g, GEN_FUNCTIONS_MAX + 1);
	for (; g.functions < n; g.functions++)
		put_function(&g, g.functions);
	put_kernel(&g, ctas);
	must(text.err == ERR_OK);
	ret_case->text = text;
}
