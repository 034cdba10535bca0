/*
 * Functions and calls: arguments in registers and in parameter space, by name
 * and by address, recursions that end.
 */
#include <stdio.h>

#include "base/must.h"
#include "tests/support/kernels/priv/gen.h"

#define PARAM_ARGUMENTS \
	"(.param .b32 pa, .param .b64 pb, .param .align 8 .b8 ps[16])"

void gen_declare(struct gen *g)
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
	gen_put(g,
		".reg .b32 %%id, %%lane, %%gid, %%cta, %%n, %%junk, %%deep;");
	gen_put(g, ".reg .b64 %%junkl;");
}

/* Values for all registers, from those in %i0 and %l0. */
void gen_start_values(struct gen *g)
{
	for (uint32_t i = 1; i < GEN_INTS; i++) {
		uint32_t from = gen_below(g, i), factor = gen_word(g) | 1;
		gen_put(g, "mad.lo.u32 %%i%u, %%i%u, 0x%x, 0x%x;", i, from,
			factor, gen_word(g));
	}
	for (uint32_t i = 1; i < GEN_LONGS; i++) {
		uint32_t from = gen_below(g, GEN_INTS);
		gen_put(g, "mad.wide.u32 %%l%u, %%i%u, 0x%x, %%l%u;", i, from,
			gen_word(g), i - 1);
	}
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

static bool in_params(const struct gen *g, uint32_t f)
{
	return !g->by_register[f];
}

/* One of the functions below end with its arguments in parameter space. */
static uint32_t choose_by_params(struct gen *g, uint32_t end)
{
	uint32_t f = gen_below(g, end);
	while (!in_params(g, f))
		f = (f + 1) % end;
	return f;
}

static bool has_by_params(const struct gen *g, uint32_t end)
{
	for (uint32_t f = 0; f < end; f++)
		if (in_params(g, f))
			return true;
	return false;
}

/*
 * An address of a function below end into %a0: one, one of two by a
 * predicate, or one of the table.
 */
static void put_address(struct gen *g, uint32_t end)
{
	uint32_t f = choose_by_params(g, end), h = choose_by_params(g, end);
	uint32_t r = gen_below(g, g->is_function ? 2 : 4);
	gen_put(g, "mov.u64 %%a0, f%u;", f);
	if (r == 1) {
		gen_put(g, "mov.u64 %%a1, f%u;", h);
		gen_put(g, "selp.b64 %%a0, %%a0, %%a1, %%p%u;",
			gen_below(g, GEN_PREDS));
	} else if (r > 1) {
		gen_put(g, "mov.u64 %%a1, ftab;");
		gen_put(g, "and.b32 %%t0, %%i%u, %u;", gen_below(g, GEN_INTS),
			GEN_TABLE - 1);
		gen_put(g, "mad.wide.u32 %%a1, %%t0, 8, %%a1;");
		gen_put(g, "ld.global.u64 %%a0, [%%a1];");
	}
}

/*
 * A call of f, or of a function below end by address.  The low bits of the
 * first argument say how deep a recursion may go: those in a recursion's own
 * counter, none in another function, any in the kernel.
 */
static void put_call_in_params(struct gen *g, uint32_t f, uint32_t end,
			       bool is_recursion)
{
	bool by_address = (g->without & KERNELS_NO_STACK) == 0 &&
			  has_by_params(g, end) && gen_chance(g, 35);
	uint32_t n = gen_label(g), i = gen_below(g, GEN_INTS);
	gen_put(g, "{");
	gen_put(g, ".param .b32 ca;");
	gen_put(g, ".param .b64 cb;");
	gen_put(g, ".param .align 8 .b8 cs[16];");
	gen_put(g, ".param .b64 cr;");
	if (g->is_function) {
		gen_put(g, "and.b32 %%t0, %%i%u, -8;", i);
		if (is_recursion) {
			gen_put(g, "sub.u32 %%t1, %%deep, 1;");
			gen_put(g, "or.b32 %%t0, %%t0, %%t1;");
		}
		gen_put(g, "st.param.b32 [ca], %%t0;");
	} else {
		gen_put(g, "st.param.b32 [ca], %%i%u;", i);
	}
	gen_expand(g, "st.param.b64 [cb], $m;", false);
	gen_expand(g, "st.param.v2.b32 [cs], {$j, $j};", false);
	gen_expand(g, "st.param.b64 [cs+8], $m;", false);
	if (by_address) {
		put_address(g, end);
		gen_put(g,
			"C%u: .callprototype (.param .b64 _) _ (.param .b32 _, "
			".param .b64 _, .param .align 8 .b8 _[16]);",
			n);
		gen_put(g, "call (cr), %%a0, (ca, cb, cs), C%u;", n);
	} else {
		gen_put(g, "call (cr), f%u, (ca, cb, cs);", f);
	}
	gen_expand(g, "ld.param.b64 $L, [cr];", false);
	gen_put(g, "}");
}

void gen_call(struct gen *g)
{
	uint32_t f = gen_below(g, g->functions);
	if (in_params(g, f)) {
		put_call_in_params(g, f, g->functions, false);
		return;
	}
	uint32_t d = gen_below(g, GEN_INTS), a = gen_below(g, GEN_INTS);
	gen_put(g, "call (%%i%u), f%u, (%%i%u, %%i%u);", d, f, a,
		gen_below(g, GEN_INTS));
}

/* One call of itself or of any other, once the counter allows it. */
static void put_recursion(struct gen *g, uint32_t f)
{
	uint32_t n = gen_label(g);
	gen_put(g, "setp.eq.u32 %%pt, %%deep, 0;");
	gen_put(g, "@%%pt bra R%u;", n);
	if (gen_chance(g, 30))
		f = choose_by_params(g, g->function_count);
	put_call_in_params(g, f, g->function_count, true);
	gen_put(g, "R%u:", n);
}

static void put_head(struct gen *g, uint32_t f, const char *end)
{
	if (in_params(g, f))
		gen_put(g, ".func (.param .b64 ret) f%u" PARAM_ARGUMENTS "%s",
			f, end);
	else
		gen_put(g,
			".func (.reg .b32 %%ret) f%u"
			"(.reg .b32 %%ra, .reg .b32 %%rb)%s",
			f, end);
}

static void put_function(struct gen *g, uint32_t f)
{
	struct gen outer = *g;
	/* One call of itself seven deep, or two three deep. */
	uint32_t calls = 0;
	if (in_params(g, f) && (g->without & KERNELS_NO_STACK) == 0)
		calls = gen_below(g, 3);
	g->is_function = true;
	g->mask = GEN_NO_MASK;
	g->depth = 1;
	put_head(g, f, "");
	gen_put(g, "{");
	gen_declare(g);
	if (in_params(g, f)) {
		gen_put(g, "ld.param.b32 %%i0, [pa];");
		gen_put(g, "ld.param.b64 %%l0, [pb];");
	} else {
		gen_put(g, "mov.b32 %%i0, %%ra;");
		gen_put(g, "mov.b64 %%l0, {%%ra, %%rb};");
	}
	gen_start_values(g);
	if (in_params(g, f)) {
		gen_put(g, "ld.param.v2.b32 {%%i1, %%i2}, [ps];");
		gen_put(g, "ld.param.b64 %%l1, [ps+8];");
	}
	if (calls > 0)
		gen_put(g, "and.b32 %%deep, %%i0, %u;", calls == 1 ? 7 : 3);
	gen_body(g, 2 + gen_below(g, 5));
	for (uint32_t i = 0; i < calls; i++)
		put_recursion(g, f);
	gen_body(g, 2 + gen_below(g, 5));
	if (in_params(g, f))
		gen_put(g, "st.param.b64 [ret], %%l0;");
	else
		gen_put(g, "mov.b32 %%ret, %%i0;");
	gen_put(g, "ret;");
	gen_put(g, "}");
	outer.state = g->state;
	outer.labels = g->labels;
	*g = outer;
}

/* Those in parameter space again and again. */
static void put_table(struct gen *g)
{
	char list[96];
	int n = 0;
	for (uint32_t i = 0; i < GEN_TABLE; i++)
		n += snprintf(list + n, sizeof(list) - (size_t)n, "%sf%u",
			      i == 0 ? "" : ", ",
			      choose_by_params(g, g->functions));
	gen_put(g, ".global .align 8 .u64 ftab[%u] = {%s};", GEN_TABLE, list);
}

void gen_functions(struct gen *g)
{
	g->function_count = gen_below(g, GEN_FUNCTIONS_MAX + 1);
	for (uint32_t f = 0; f < g->function_count; f++)
		g->by_register[f] = gen_chance(g, 30);
	for (uint32_t f = 0; f < g->function_count; f++)
		if (in_params(g, f))
			put_head(g, f, ";");
	for (; g->functions < g->function_count; g->functions++)
		put_function(g, g->functions);
	if (has_by_params(g, g->functions))
		put_table(g);
}
