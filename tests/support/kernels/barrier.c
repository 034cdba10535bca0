/*
 * Barriers, all in uniform flow: of the CTA in every spelling, and of its even
 * or odd warps with counts.
 */
#include <stdio.h>

#include "tests/support/kernels/priv/gen.h"

/*
 * Odd warps arrive, even ones wait for them and may then read what they wrote;
 * or even ones have a barrier of their own.  All meet afterwards, so that no
 * barrier is used for two things at once.
 */
static void put_halves(struct gen *g)
{
	static const char *const own[] = {
		"bar.red.popc.u32 $I, %u, %u, $n;",
		"barrier.red.<and|or>.pred $P, %u, %u, $n;",
		"barrier.cta.sync.aligned %u, %u;",
	};
	uint32_t n = gen_label(g), id = 1 + gen_below(g, 15);
	uint32_t r = gen_below(g, 6);
	char t[64];
	gen_put(g, "and.b32 %%t0, %%id, 32;");
	gen_put(g, "setp.ne.u32 %%pt, %%t0, 0;");
	gen_put(g, "@%%pt bra O%u;", n);
	if (r < 3) {
		snprintf(t, sizeof(t), own[r], id, g->threads / 2);
		gen_expand(g, t, false);
		gen_put(g, "O%u:", n);
	} else {
		gen_put(g, "%s %u, %u;",
			r == 3 ? "bar.sync" : "barrier.sync.aligned", id,
			g->threads);
		gen_put(g, "xor.b32 %%t0, %%id, 32;");
		gen_put(g, "mad.lo.u32 %%t0, %%t0, %u, %%sh;",
			GEN_SHARED_BYTES);
		gen_expand(g, "ld.shared.u32 $I, [%t0];", false);
		gen_put(g, "bra A%u;", n);
		gen_put(g, "O%u:", n);
		gen_put(g, "%s %u, %u;",
			r == 4 ? "bar.arrive" : "barrier.arrive.aligned", id,
			g->threads);
		gen_put(g, "A%u:", n);
	}
	gen_put(g, "bar.sync 0;");
}

static void put_whole(struct gen *g)
{
	static const char *const plain[] = {
		"barrier.sync %u;",
		"barrier.sync.aligned %u;",
		"barrier.cta.sync.aligned %u;",
		"bar.red.popc.u32 $I, %u, $n;",
		"bar.red.<and|or>.pred $P, %u, $n;",
	};
	/* Who is gone counts in the others, and in these does not. */
	static const char *const counted[] = {
		"bar.sync %u, %u;",
		"barrier.sync %u, %u;",
		"bar.red.popc.u32 $I, %u, %u, $n;",
		"barrier.red.<and|or>.pred $P, %u, %u, $n;",
	};
	uint32_t r = gen_below(g, 9), id = gen_below(g, 16);
	char t[64];
	if (r < 5)
		snprintf(t, sizeof(t), plain[r], id);
	else if (g->threads % 32 == 0 && !g->has_exits)
		snprintf(t, sizeof(t), counted[r - 5], id, g->threads);
	else
		snprintf(t, sizeof(t), "bar.sync %u;", id);
	gen_expand(g, t, false);
}

/* The barrier and its count in registers. */
static void put_by_register(struct gen *g)
{
	gen_put(g, "mov.u32 %%t0, %u;", gen_below(g, 16));
	if (g->threads % 32 != 0 || g->has_exits) {
		gen_put(g, "bar.sync %%t0;");
		return;
	}
	gen_put(g, "mov.u32 %%t1, %u;", g->threads);
	gen_put(g, "bar.sync %%t0, %%t1;");
}

void gen_barrier(struct gen *g)
{
	bool has_halves = g->threads % 64 == 0 && !g->has_exits;
	uint32_t r = gen_below(g, 6);
	if (r == 0 && has_halves)
		put_halves(g);
	else if (r == 1)
		put_by_register(g);
	else if (r == 2)
		gen_put(g, "bar.sync 0;");
	else
		put_whole(g);
	g->writes_shared = gen_chance(g, 50);
}
