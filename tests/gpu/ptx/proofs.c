/*
 * Random kernels whose addresses are known: what is proved independent is so.
 * Every kernel is made twice, as PTX and as a list of steps that this file
 * carries out itself for every thread of a small grid.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "gpu/ptx/classify.h"
#include "tests/gpu/ptx/kit.h"

#define STEPS_MAX  24
#define WRITES_MAX 65536
#define KERNELS	   1500

enum kind {
	ADD,
	SUB,
	MUL,
	SHL,
	SHR_U,
	SHR_S,
	AND,
	OR,
	MIN_S,
	MAX_S,
	DIV_U,
	REM_U,
	REM_S,
	SELECT_LT, /* d = a <s b ? a : c */
	GUARD_LT,  /* leave unless a < b */
	GUARD_U,
	GUARD_EQ,
	LOOP,  /* from here on, c times, with d counting up from a */
	STORE, /* four bytes at offset a * c, sign- or zero-extended */
	STORE_U,
	KINDS,
};

struct step {
	enum kind kind;
	uint32_t d, a, b; /* registers */
	int32_t c;	  /* a number in place of b, if b is 0 */
};

struct kernel {
	uint32_t grid[3], block[3];
	struct step steps[STEPS_MAX];
	uint32_t step_count, reg_count;
};

struct write {
	int64_t at;
	uint32_t cta;
};

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

/* Registers 1 to 4 are tid.x, tid.y, ctaid.x, ctaid.y. */
static void make_kernel(struct kernel *k)
{
	bool loops = false;

	/* A draw a statement: those of one initialiser have no order. */
	*k = (struct kernel){
		.grid = {1, 1, 1}, .block = {1, 1, 1}, .reg_count = 5};
	k->grid[0] += draw(5);
	k->grid[1] += draw(3);
	k->block[0] += draw(12);
	k->block[1] += draw(4);
	k->step_count = 4 + draw(STEPS_MAX - 8);
	for (uint32_t i = 0; i < k->step_count; i++) {
		static const int32_t numbers[] = {1,  2,  3,  4,   5,  7,
						  8,  12, 15, 16,  31, 32,
						  -1, -4, 60, 100, 255};
		struct step *s = &k->steps[i];

		s->kind = (enum kind)draw(LOOP + 1);
		if (i < 6)
			s->kind = draw(2) ? MUL : ADD;
		if (s->kind == LOOP && loops)
			s->kind = ADD;
		loops |= s->kind == LOOP;
		s->a = 1 + draw(k->reg_count - 1);
		s->b = draw(2) ? 1 + draw(k->reg_count - 1) : 0;
		s->c = numbers[draw(17)];
		if (s->kind == SHL || s->kind == SHR_U || s->kind == SHR_S ||
		    s->kind == DIV_U || s->kind == REM_U || s->kind == REM_S ||
		    s->kind == LOOP) {
			s->b = 0;
			s->c = 1 + (int32_t)draw(s->kind == LOOP ? 6 : 9);
		}
		s->d = k->reg_count++;
		/* The sum of all that was made last tends to matter. */
		if (s->kind == ADD && i > 2 && draw(2))
			s->a = k->reg_count - 2;
	}
	for (uint32_t i = 0; i < 1 + draw(2); i++) {
		struct step *s = &k->steps[k->step_count++];

		*s = (struct step){.kind = draw(2) ? STORE : STORE_U};
		s->a = k->reg_count - 1 - draw(3);
		s->c = draw(3) ? 4 : 8;
	}
}

static void put(struct buf *out, const char *text)
{
	buf_put_str(out, text);
	buf_put_str(out, "\n");
}

static void put_step(struct buf *out, const struct step *s, uint32_t at)
{
	static const char *const names[KINDS] = {
		[ADD] = "add.s32",   [SUB] = "sub.s32",	  [MUL] = "mul.lo.s32",
		[SHL] = "shl.b32",   [SHR_U] = "shr.u32", [SHR_S] = "shr.s32",
		[AND] = "and.b32",   [OR] = "or.b32",	  [MIN_S] = "min.s32",
		[MAX_S] = "max.s32", [DIV_U] = "div.u32", [REM_U] = "rem.u32",
		[REM_S] = "rem.s32"};
	char b[32], line[256];

	snprintf(b, sizeof(b), s->b ? "%%r%u" : "%d", s->b ? s->b : 0);
	if (!s->b)
		snprintf(b, sizeof(b), "%d", s->c);
	if (names[s->kind])
		snprintf(line, sizeof(line), "%s %%r%u, %%r%u, %s;",
			 names[s->kind], s->d, s->a, b);
	else if (s->kind == SELECT_LT)
		snprintf(line, sizeof(line),
			 "setp.lt.s32 %%p1, %%r%u, %s;\n"
			 "selp.b32 %%r%u, %%r%u, %d, %%p1;",
			 s->a, b, s->d, s->a, s->c);
	else if (s->kind == GUARD_LT)
		snprintf(line, sizeof(line),
			 "setp.ge.s32 %%p1, %%r%u, %s;\n@%%p1 bra OUT;\n"
			 "mov.u32 %%r%u, %%r%u;",
			 s->a, b, s->d, s->a);
	else if (s->kind == GUARD_U)
		snprintf(line, sizeof(line),
			 "setp.lt.u32 %%p1, %%r%u, %s;\n@!%%p1 bra OUT;\n"
			 "mov.u32 %%r%u, %%r%u;",
			 s->a, b, s->d, s->a);
	else if (s->kind == GUARD_EQ)
		snprintf(line, sizeof(line),
			 "and.b32 %%r%u, %%r%u, 3;\n"
			 "setp.ne.s32 %%p1, %%r%u, %d;\n@%%p1 bra OUT;",
			 s->d, s->a, s->d, s->c & 3);
	else if (s->kind == LOOP)
		snprintf(line, sizeof(line),
			 "mov.u32 %%r%u, %%r%u;\nadd.s32 %%r99, %%r%u, %d;\n"
			 "AGAIN:",
			 s->d, s->a, s->a, s->c);
	else
		snprintf(line, sizeof(line),
			 "mul.wide.%s %%d2, %%r%u, %d;\n"
			 "add.s64 %%d3, %%d1, %%d2;\n"
			 "st.global.u32 [%%d3], %u;",
			 s->kind == STORE ? "s32" : "u32", s->a, s->c, at);
	put(out, line);
}

static struct bytes text_of(struct arena *a, const struct kernel *k)
{
	struct buf out = buf_make(1u << 20);
	struct bytes text;
	char line[128];

	put(&out, ".version 7.0\n.target sm_75\n.address_size 64\n"
		  ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n"
		  ".reg .b32 %r<100>;\n.reg .b64 %d<4>;\n"
		  "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\n"
		  "mov.u32 %r2, %tid.y;\nmov.u32 %r3, %ctaid.x;\n"
		  "mov.u32 %r4, %ctaid.y;");
	for (uint32_t i = 0; i < k->step_count; i++)
		put_step(&out, &k->steps[i], i);
	for (uint32_t i = 0; i < k->step_count; i++) {
		const struct step *s = &k->steps[i];

		if (s->kind != LOOP)
			continue;
		snprintf(line, sizeof(line),
			 "add.s32 %%r%u, %%r%u, 1;\n"
			 "setp.%s.s32 %%p2, %%r%u, %%r99;\n@%%p2 bra AGAIN;",
			 s->d, s->d, s->c & 1 ? "lt" : "ne", s->d);
		put(&out, line);
	}
	put(&out, "OUT: ret;\n}");
	text = arena_copy(a, buf_bytes(&out));
	buf_free(&out);
	return text;
}

static uint32_t compute(const struct step *s, uint32_t a, uint32_t b)
{
	int32_t x = (int32_t)a, y = (int32_t)b;

	switch (s->kind) {
	case ADD:
		return a + b;
	case SUB:
		return a - b;
	case MUL:
		return a * b;
	case SHL:
		return a << s->c;
	case SHR_U:
		return a >> s->c;
	case SHR_S:
		return (uint32_t)(x >> s->c);
	case AND:
		return a & b;
	case OR:
		return a | b;
	case MIN_S:
		return x < y ? a : b;
	case MAX_S:
		return x > y ? a : b;
	case DIV_U:
		return a / b;
	case REM_U:
		return a % b;
	case REM_S:
		return (uint32_t)(x % y);
	case SELECT_LT:
		return x < y ? a : (uint32_t)s->c;
	case GUARD_LT:
	case GUARD_U:
	case LOOP:
		return a;
	case GUARD_EQ:
		return a & 3;
	case STORE:
	case STORE_U:
	case KINDS:
		break;
	}
	return 0;
}

static bool leaves(const struct step *s, uint32_t a, uint32_t b)
{
	if (s->kind == GUARD_LT)
		return (int32_t)a >= (int32_t)b;
	if (s->kind == GUARD_U)
		return a >= b;
	return s->kind == GUARD_EQ && (a & 3) != ((uint32_t)s->c & 3);
}

/* One thread: its registers, and what it writes. */
static void run_thread(const struct kernel *k, const uint32_t id[4],
		       uint32_t cta, struct write *w, uint32_t *count)
{
	uint32_t r[100] = {0, id[0], id[1], id[2], id[3]};
	uint32_t loop = k->step_count, left = 0;

	for (uint32_t i = 0; i < k->step_count; i++) {
		const struct step *s = &k->steps[i];
		uint32_t a = r[s->a], b = s->b ? r[s->b] : (uint32_t)s->c;

		if (s->kind == STORE || s->kind == STORE_U) {
			int64_t at = s->kind == STORE
					     ? (int64_t)(int32_t)a * s->c
					     : (int64_t)a * s->c;

			if (*count < WRITES_MAX)
				w[(*count)++] = (struct write){at, cta};
		} else {
			if (leaves(s, a, b))
				return;
			r[s->d] = compute(s, a, b);
		}
		if (s->kind == LOOP) {
			loop = i;
			left = (uint32_t)s->c;
		}
		if (i + 1 == k->step_count && left > 1) {
			left--;
			r[k->steps[loop].d]++;
			i = loop;
		}
	}
}

static int by_place(const void *x, const void *y)
{
	const struct write *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->cta < b->cta ? -1 : a->cta > b->cta;
}

/* Whether two CTAs write one byte. */
static bool do_meet(const struct kernel *k, struct write *w)
{
	uint32_t count = 0;

	for (uint32_t cta = 0; cta < k->grid[0] * k->grid[1]; cta++)
		for (uint32_t t = 0; t < k->block[0] * k->block[1]; t++) {
			const uint32_t id[4] = {
				t % k->block[0], t / k->block[0],
				cta % k->grid[0], cta / k->grid[0]};

			run_thread(k, id, cta, w, &count);
		}
	qsort(w, count, sizeof(*w), by_place);
	for (uint32_t i = 1; i < count; i++)
		if (w[i].cta != w[i - 1].cta && w[i].at - w[i - 1].at < 4)
			return true;
	return false;
}

Test(ptx_proofs, what_is_proved_is_so)
{
	const char *heavy = getenv("WEFT_HEAVY");
	const char *seed = getenv("WEFT_SEED");
	uint32_t rounds = heavy ? (uint32_t)strtoul(heavy, NULL, 10) : 1;
	uint32_t proved = 0, meeting = 0, total = KERNELS * rounds;
	struct write *w = calloc(WRITES_MAX, sizeof(*w));

	cr_assert_not_null(w);
	state = seed ? strtoull(seed, NULL, 10) : 20240611;
	for (uint32_t i = 0; i < total; i++) {
		struct arena *a = kit_arena();
		struct ptx_bound bound = {0, 0, 0};
		struct ptx_launch l = {.bound = &bound, .bound_count = 1};
		struct ptx_report r;
		struct kernel k;
		struct bytes text;
		const struct ptx_module *m;
		bool is_bad;

		make_kernel(&k);
		memcpy(l.grid, k.grid, sizeof(l.grid));
		memcpy(l.block, k.block, sizeof(l.block));
		text = text_of(a, &k);
		m = kit_parse(a, text);
		cr_assert_eq(ptx_classify(a, m, kit_find(m, "k"), &l, &r),
			     ERR_OK);
		is_bad = do_meet(&k, w);
		proved += r.independence == PTX_PROVED;
		meeting += is_bad;
		cr_expect(!is_bad || r.independence == PTX_ASSUMED,
			  "kernel %u, grid %u %u, block %u %u:\n%.*s", i,
			  k.grid[0], k.grid[1], k.block[0], k.block[1],
			  (int)text.n, (const char *)text.p);
		arena_free(a);
	}
	free(w);
	/* Both happen often. */
	cr_expect_gt(proved, total / 20, "%u of %u", proved, total);
	cr_expect_gt(meeting, total / 20, "%u of %u", meeting, total);
	cr_log_info("%u kernels: %u proved, %u meet", total, proved, meeting);
}
