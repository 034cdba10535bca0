/*
 * The shape of a kernel: what comes before and after the statements, and the
 * statements that hold others.
 */
#include <stdio.h>

#include "base/must.h"
#include "tests/support/kernels/priv/gen.h"

#define TEXT_MAX (1u << 20)

uint32_t gen_label(struct gen *g)
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
	gen_body(g, statements);
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
	uint32_t n = gen_label(g), p = gen_below(g, GEN_PREDS);
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
	uint32_t n = gen_label(g);
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
	uint32_t n = gen_label(g), d = g->depth;
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
	uint32_t n = gen_label(g), d = g->depth, mask = inner_mask(g);
	uint32_t i = gen_below(g, GEN_INTS), most = gen_chance(g, 50) ? 3 : 7;
	gen_put(g, "and.b32 %%c%u, %%i%u, %u;", d, i, most);
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
	uint32_t n = gen_label(g), mask = inner_mask(g);
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
	else if (r == 30 && has(g, KERNELS_NO_WARP))
		gen_activemask(g);
	else if (r >= 30 && r < 36 && has(g, KERNELS_NO_SHARED))
		gen_shared(g);
	else if (r >= 36 && r < 39 && can_barrier)
		gen_barrier(g);
	else if (r >= 39 && r < 42 && has(g, KERNELS_NO_ATOMIC))
		gen_atomic(g);
	else if (r >= 42 && r < 45 && g->functions > 0)
		gen_call(g);
	else if (r == 45 && g->depth == 0 && g->mask == 0)
		put_exit(g);
	else if (r >= 46 && r < 49)
		gen_carry(g);
	else if (r >= 49 && r < 52 && (g->without & KERNELS_NO_FLOAT) == 0)
		gen_launder(g);
	else
		gen_line(g);
}

void gen_body(struct gen *g, uint32_t statements)
{
	for (uint32_t i = 0; i < statements; i++)
		statement(g);
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
	for (uint32_t i = 0; i < KERNELS_ATOMIC_BYTES; i += 16) {
		uint32_t a = gen_below(g, 1000), b = gen_below(g, 1000);
		gen_put(g, "@%%pt st.shared.v2.u64 [%%sat+%u], {%u, %u};", i, a,
			b);
	}
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
	gen_declare(g);
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
	gen_start_values(g);
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
	gen_body(g, 12 + gen_below(g, 40));
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
	uint32_t x = 1 + gen_below(g, n > 200 ? 2 : 3);
	uint32_t y = gen_chance(g, 20) ? 2 : 1;
	*c = (struct kernels_case){.grid = {x, y, 1},
				   .block = {n / rows, rows, 1}};
	g->threads = n;
}

void kernels_make(uint64_t seed, uint32_t without,
		  struct kernels_case *ret_case)
{
	kernels_make_chosen(bytes_of(NULL, 0), seed, without, ret_case);
}

void kernels_make_chosen(struct bytes choices, uint64_t seed, uint32_t without,
			 struct kernels_case *ret_case)
{
	struct gen g = {.state = seed * 0x2545f4914f6cdd1du + 1,
			.choices = choices,
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
	gen_put(&g, ".version 8.8");
	gen_put(&g, ".target sm_100");
	gen_put(&g, ".address_size 64");
	put_table(&g, ".const", "ctab");
	put_table(&g, ".global", "gtab");
	if ((without & KERNELS_NO_CALL) == 0)
		gen_functions(&g);
	put_kernel(&g, ctas);
	must(text.err == ERR_OK);
	ret_case->text = text;
}
