/*
 * What the lanes of %m<mask> do together: exactly they come here.  A lane
 * reads only from lanes of the mask, or does not use what it read.
 */
#include <stdio.h>

#include "tests/support/kernels/priv/gen.h"

/* A lane of the mask into %t1, the same for all. */
static void choose_source(struct gen *g)
{
	if (gen_chance(g, 50)) {
		gen_put(g, "bfind.u32 %%t1, %%m%u;", g->mask);
		return;
	}
	gen_put(g, "neg.s32 %%t1, %%m%u;", g->mask);
	gen_put(g, "and.b32 %%t1, %%t1, %%m%u;", g->mask);
	gen_put(g, "bfind.u32 %%t1, %%t1;");
}

/* d = source lane's s where that lane is in the mask, else the old d. */
static void shuffle_checked(struct gen *g)
{
	static const char *const modes[] = {"up", "down", "bfly", "idx"};
	/* Clamp and segment: whole warps, or parts of 8 lanes. */
	bool parts = gen_chance(g, 30);
	uint32_t mode = gen_below(g, 4);
	uint32_t by = gen_below(g, parts ? 8 : 32);
	uint32_t c = (parts ? 0x1800u : 0) | (mode == 0 ? 0 : 0x1fu);
	uint32_t d = gen_below(g, GEN_INTS), s = gen_below(g, GEN_INTS);
	gen_put(g, "shfl.sync.%s.b32 %%t0|%%pt, %%i%u, %u, %u, %%m%u;",
		modes[mode], s, by, c, g->mask);
	switch (mode) {
	case 0:
		gen_put(g, "sub.u32 %%t1, %%lane, %u;", by);
		break;
	case 1:
		gen_put(g, "add.u32 %%t1, %%lane, %u;", by);
		break;
	case 2:
		gen_put(g, "xor.b32 %%t1, %%lane, %u;", by);
		break;
	default:
		gen_put(g, "and.b32 %%t1, %%lane, %u;", parts ? 24 : 0);
		gen_put(g, "or.b32 %%t1, %%t1, %u;", by);
		break;
	}
	gen_put(g, "shr.u32 %%t1, %%m%u, %%t1;", g->mask);
	gen_put(g, "and.b32 %%t1, %%t1, 1;");
	gen_put(g, "setp.ne.and.u32 %%pt, %%t1, 0, %%pt;");
	gen_put(g, "selp.b32 %%i%u, %%t0, %%i%u, %%pt;", d, d);
	gen_put(g, "selp.b32 %%i%u, %%i%u, 7, %%pt;", s, s);
}

static void shuffle(struct gen *g)
{
	if (gen_chance(g, 50)) {
		shuffle_checked(g);
		return;
	}
	choose_source(g);
	uint32_t d = gen_below(g, GEN_INTS), s = gen_below(g, GEN_INTS);
	gen_put(g, "shfl.sync.idx.b32 %%i%u, %%i%u, %%t1, 31, %%m%u;", d, s,
		g->mask);
}

/* Of those that happen to be here only that a lane is one of them. */
void gen_activemask(struct gen *g)
{
	uint32_t d = gen_below(g, GEN_INTS);
	gen_put(g, "activemask.b32 %%t0;");
	if (gen_chance(g, 50)) {
		gen_put(g, "mov.u32 %%t1, %%lanemask_eq;");
		gen_put(g, "and.b32 %%i%u, %%t0, %%t1;", d);
	} else {
		gen_put(g, "bfe.u32 %%i%u, %%t0, %%lane, 1;", d);
	}
}

void gen_warp(struct gen *g)
{
	static const char *const others[] = {
		"vote.sync.<all|any|uni>.pred $P, $n, ",
		"vote.sync.ballot.b32 $I, $n, ",
		"match.any.sync.b32 $I, $j, ",
		"match.any.sync.b64 $I, $m, ",
		"match.all.sync.b32 $I|$P, $j, ",
		"redux.sync.<add|min|max>.<u32|s32> $I, $j, ",
		"redux.sync.<and|or|xor>.b32 $I, $j, ",
		"bar.warp.sync ",
	};
	char t[96];
	uint32_t i = gen_below(g, 11);
	if (i >= sizeof(others) / sizeof(others[0])) {
		shuffle(g);
		return;
	}
	snprintf(t, sizeof(t), "%s%%m%u;", others[i], g->mask);
	gen_expand(g, t, false);
}
