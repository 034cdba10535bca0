#include "gpu/ptx/classify.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "gpu/ptx/parse.h"
#include "tests/gpu/ptx/kit.h"

static struct ptx_report classify(struct arena *a, const struct ptx_module *m,
				  const char *kernel,
				  const struct ptx_launch *launch)
{
	struct ptx_report r;

	cr_assert_eq(ptx_classify(a, m, kit_find(m, kernel), launch, &r),
		     ERR_OK, "%s", kernel);
	return r;
}

static const struct ptx_reason *find(const struct ptx_report *r,
				     enum ptx_why why)
{
	for (uint32_t i = 0; i < r->reason_count; i++)
		if (r->reasons[i].why == why)
			return &r->reasons[i];
	return NULL;
}

/* What a compiler made of whole kernels. */
static const struct {
	const char *sample, *kernel;
	char letter;
	const char *why; /* "" for none */
} kernels[] = {
	{"mandelbrot", "mandelbrot", 'A', ""},
	{"nbody", "nbody", 'A', ""},
	{"matmul", "matmul", 'A', ""},
	{"matmul", "matmul_f64", 'A', ""},
	{"minhash", "minhash", 'A', ""},
	{"minhash", "histogram", 'R', "atomic_one_op"},
	{"minhash", "sum_float", 'C', "float_atomic"},
	{"minhash", "append", 'C', "atomic_result_used"},
	{"sobel", "sobel", 'A', ""},
	{"hashsearch", "search", 'S', "writes_by_chance"},
	{"hashsearch", "search_slots", 'A', ""},
	{"blackscholes", "blackscholes", 'B', "approximate"},
	{"features", "structs", 'A', ""},
	{"features", "pointers", 'A', ""},
	{"features", "indirect", 'A', ""},
	{"features", "recursion", 'A', ""},
	{"features", "local_array", 'A', ""},
	{"features", "warps", 'A', ""},
	{"features", "volatile_spin", 'C', "volatile_access"},
	{"features", "clocks", 'C', "special_register"},
	{"features", "shared_address", 'A', ""},
};

Test(ptx_classify, knows_the_kernels_of_the_samples)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct arena *a = kit_arena();
		const struct ptx_module *m = kit_sample(a, kernels[i].sample);
		struct ptx_report r = classify(a, m, kernels[i].kernel, NULL);

		cr_expect_eq(ptx_sale_letter(r.sale), kernels[i].letter,
			     "%s is %c", kernels[i].kernel,
			     ptx_sale_letter(r.sale));
		if (*kernels[i].why)
			cr_expect_str_eq(ptx_why_word(r.reasons[0].why),
					 kernels[i].why);
		else
			cr_expect_eq(r.reason_count, 0u);
		arena_free(a);
	}
}

/* Bodies by hand: p is stored to or loaded from through %d1. */
static const struct {
	const char *body, *why; /* worst reason, "" for class A */
} bodies[] = {
	{"", ""},
	{"st.global.b32 [%d1], 5;", ""},
	{"mov.u32 %r1, %smid; st.global.b32 [%d1], %r1;", "special_register"},
	{"mov.u32 %r1, %warpid;", "special_register"},
	{"mov.u32 %r1, %laneid; st.global.b32 [%d1], %r1;", ""},
	{"mov.u32 %r1, %envreg2;", "env_register"},
	{"mov.u32 %r1, %cluster_ctarank;", "cluster"},
	{"barrier.cluster.arrive;", "cluster"},
	{"activemask.b32 %r1;", "activemask"},
	{"tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [t, {%r5}];", "texture"},
	{"frob.b32 %r1;", "unknown"},
	{"wmma.load.a.sync.aligned.m16n16k16.global.row.f16 {%r1}, [%d1];",
	 "refused"},
	{"discard.global.L2 [%d1], 128;", "refused"},
	/* Approximations and flushing. */
	{"sin.approx.f32 %r1, %r2;", "approximate"},
	{"div.full.f32 %r1, %r2, %r3;", "approximate"},
	{"div.rn.f32 %r1, %r2, %r3;", ""},
	{"add.rn.ftz.f32 %r1, %r2, %r3;", "subnormal_ftz"},
	{"min.ftz.f32 %r1, %r2, %r3;", ""},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
	 "{%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
	 "{%r1,%r2,%r3,%r4};",
	 "float_mma"},
	{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
	 "{%r1,%r2}, {%r3}, {%r4}, {%r1,%r2};",
	 ""},
	{"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 "
	 "{%r1,%r2}, {%r3}, {%r4}, {%r1,%r2};",
	 "saturating_mma"},
	{"vadd.s32.s32.s32 %r1.h0, %r2.b1, %r3.h1, %r4;", ""},
	{"vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", ""},
	{"vadd.s32.s32.s32.sat %r1, %r2, %r3;", "video_steps"},
	{"vmax.u32.u32.u32.min %r1, %r2, %r3, %r4;", "video_steps"},
	{"vset.u32.u32.lt %r1.h1, %r2, %r3, %r4;", "video_steps"},
	{"vmad.u32.u32.u32.shr7 %r1, %r2, %r3, %r4;", "video_steps"},
	{"vadd4.u32.u32.u32.sat %r1, %r2, %r3, %r4;", "video_steps"},
	/* Atomics. */
	{"red.global.add.u32 [%d1], 1;", "atomic_one_op"},
	{"atom.global.add.u32 %r1, [%d1], 1;", "atomic_one_op"},
	{"atom.global.add.u32 %r1, [%d1], 1; st.global.b32 [%d2], %r1;",
	 "atomic_result_used"},
	{"atom.global.add.u32 %r1, [%d1], 1; @%p1 mov.u32 %r2, %r1;",
	 "atomic_result_used"},
	{"red.global.add.f32 [%d1], %r1;", "float_atomic"},
	{"red.shared.add.f32 [s], %r1;", "float_atomic"},
	{"red.shared.add.u32 [s], %r1;", ""},
	{"red.shared.add.u32 [s], %r1; red.shared.max.u32 [s+4], %r1;",
	 "atomic_mixed"},
	{"red.global.add.u32 [%d1], 1; red.global.or.b32 [%d1+4], 1;",
	 "atomic_mixed"},
	{"red.global.add.u32 [%d1], 1; red.global.add.u64 [%d1+8], 1;",
	 "atomic_mixed"},
	{"red.global.min.s32 [%d1], 1; red.global.min.u32 [%d1+4], 1;",
	 "atomic_mixed"},
	{"red.global.add.u32 [%d1], 1; ld.global.b32 %r2, [%d1+4];",
	 "atomic_and_plain"},
	{"red.global.add.u32 [%d1], 1; ld.global.b32 %r2, [%d2];",
	 "atomic_one_op"},
	{"atom.global.exch.b32 _, [%d1], 1;", "atomic_order"},
	{"red.global.inc.u32 [%d1], 1;", "atomic_order"},
	{"atom.global.cas.b32 %r1, [%d1], 1, 2;", "atomic_order"},
	/* Memory that others see. */
	{"ld.global.nc.b32 %r1, [%d1]; st.global.b32 [%d1+4], %r1;",
	 "nc_written"},
	{"ld.global.nc.b32 %r1, [%d1]; st.global.b32 [%d2], %r1;", ""},
	{"ld.volatile.global.b32 %r1, [%d1];", "volatile_access"},
	{"ld.volatile.shared.b32 %r1, [s];", ""},
	{"ld.acquire.gpu.b32 %r1, [%d1];", "volatile_access"},
	{"st.release.gpu.global.b32 [%d1], 1;", "volatile_access"},
	{"ld.global.u64 %d3, [%d1]; ld.global.u32 %r1, [%d3];", ""},
	{"ld.global.u64 %d3, [%d1]; st.global.u32 [%d3], 1;",
	 "store_through_loaded"},
	{"selp.b64 %d3, %d1, 0, %p1; st.global.u32 [%d3], 1;", ""},
	{"mov.u64 %d3, %d1; ld.global.u64 %d3, [%d3+8];"
	 "st.global.u32 [%d3], 1;",
	 "store_through_loaded"},
	{"mov.u64 %d3, %d1; ld.global.u64 %d3, [%d3+8];"
	 "ld.global.nc.u32 %r1, [%d3]; st.global.u32 [%d2], %r1;",
	 "nc_written"},
	{"mov.u64 %d3, 1099511627776; st.global.u32 [%d3], 1;", "store_to_any"},
	{"mov.u32 %r1, %gridid;", "special_register"},
	{"mov.u32 %r1, %reserved_smem_offset_begin;", "special_register"},
	/* Addresses that show. */
	{"isspacep.shared %p1, %d1;", ""},
	{"add.u64 %d3, %d1, %d2; isspacep.shared %p1, %d3;", "address_leak"},
	{"ld.global.u64 %d3, [%d1]; isspacep.shared %p1, %d3;", "address_leak"},
	{"st.global.u64 [%d1], %d2;", "address_leak"},
	{"st.global.u64 [%d1], %d2; ld.global.b32 %r1, [%d2];", "address_leak"},
	{"cvt.u32.u64 %r1, %d2; st.global.b32 [%d1], %r1;", "address_leak"},
	{"mov.b64 {%r1, %r2}, %d2; st.global.b32 [%d1], %r2;", "address_leak"},
	{"sub.s64 %d3, %d2, %d1; st.global.u64 [%d1], %d3;", "address_leak"},
	{"add.s64 %d3, %d1, 64; sub.s64 %d4, %d3, %d1;"
	 "st.global.u64 [%d1], %d4;",
	 ""},
	{"setp.lt.u64 %p1, %d1, %d2;", "address_leak"},
	{"add.s64 %d3, %d1, 64; setp.lt.u64 %p1, %d1, %d3;", ""},
	{"setp.eq.s64 %p1, %d1, 0;", ""},
	{"setp.eq.s64 %p1, %d1, 4096;", "address_leak"},
	{"setp.ne.u64 %p1, 0, %d1;", ""},
	{"add.u64 %d3, %d1, 4096; setp.eq.u64 %p1, %d3, 0;", ""},
	{"selp.b64 %d3, %d1, 0, %p1; setp.eq.u64 %p2, %d3, 0;", ""},
	{"setp.lt.s64 %p1, %d1, 0;", "address_leak"},
	{"cvt.u32.u64 %r1, %d1; setp.eq.u32 %p1, %r1, 0;", "address_leak"},
	{"cvt.u32.u64 %r1, %d1; setp.gt.f32 %p1, %r1, 0f00000000;",
	 "address_leak"},
	{"setp.lt.f64 %p1, %d1, 0d0000000000000000;", "address_leak"},
	{"add.u64 %d3, %d1, 0xffff800000000000; setp.lt.s64 %p1, %d3, 0;",
	 "address_leak"},
	{"sub.u64 %d3, %d1, 0x20000000000; setp.eq.u64 %p1, %d3, 0;",
	 "address_leak"},
	{"ld.global.u64 %d3, [%d2]; sub.u64 %d4, %d1, %d3;"
	 "setp.eq.u64 %p1, %d4, 0;",
	 "address_leak"},
	{"add.u64 %d3, %d1, 64; mov.u64 %d4, %d1; L: ld.global.u32 %r1, [%d4];"
	 "add.u64 %d4, %d4, 4; setp.lt.u64 %p1, %d4, %d3; @%p1 bra L;",
	 ""},
	{"ld.global.u64 %d3, [%d2]; add.u64 %d4, %d1, %d3;"
	 "setp.eq.u64 %p1, %d4, %d1;",
	 ""},
	{"mov.u32 %r1, s; setp.eq.u32 %p1, %r1, 0;", "address_leak"},
	{"mov.u64 %d3, s; setp.eq.u64 %p1, %d3, 0;", "address_leak"},
	{"mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; setp.eq.u64 %p1, %d4, 0;",
	 ""},
	{"mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; sub.u64 %d5, %d4, %d3;"
	 "st.global.u64 [%d1], %d5;",
	 "address_leak"},
	{"mov.u64 %d3, l; cvta.local.u64 %d4, %d3; sub.u64 %d5, %d4, %d3;"
	 "st.global.u64 [%d1], %d5;",
	 "address_leak"},
	{"mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; cvta.to.shared.u64 %d5, "
	 "%d4; sub.u64 %d6, %d5, %d3; st.global.u64 [%d1], %d6;",
	 ""},
	{"mov.u64 %d3, 64; cvta.shared.u64 %d4, %d3; st.global.u64 [%d1], %d4;",
	 "address_leak"},
	{"mov.u32 %r1, s; sub.u32 %r2, %r1, 4096; cvt.u64.u32 %d3, %r2;"
	 "cvt.u64.u32 %d4, %r1; sub.u64 %d5, %d4, %d3;"
	 "st.global.u64 [%d1], %d5;",
	 "address_leak"},
	{"cvt.u32.u64 %r1, %d1; cvt.u64.u32 %d3, %r1; sub.u64 %d4, %d1, %d3;"
	 "st.global.u64 [%d2], %d4;",
	 "address_leak"},
	{"add.u64 %d3, %d1, %d2; sub.u64 %d4, %d3, 0x20000000000;"
	 "ld.global.b32 %r1, [%d4]; st.global.b32 [%d1], %r1;",
	 "address_leak"},
	{"mov.u64 %d3, s; ld.global.b32 %r1, [%d3];", "wrong_space"},
	{"mov.u64 %d3, s; ld.b32 %r1, [%d3];", "wrong_space"},
	{"mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; ld.shared.b32 %r1, [%d4];",
	 "wrong_space"},
	{"mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; ld.b32 %r1, [%d4];", ""},
	{"ld.shared.b32 %r1, [%d1];", "wrong_space"},
	{"ld.b32 %r1, [s];", "wrong_space"},
	{"add.u64 %d3, %d1, 0x7f0000000000; isspacep.shared %p1, %d3;",
	 "address_leak"},
	{"mov.u64 %d3, 4096; isspacep.local %p1, %d3;", "address_leak"},
	{"mov.u64 %d3, unaligned; and.b64 %d4, %d3, 7;"
	 "st.global.u64 [%d1], %d4;",
	 "address_leak"},
	{"mov.u64 %d3, s; and.b64 %d4, %d3, 15; st.global.u64 [%d1], %d4;", ""},
	{"and.b64 %d3, %d1, 15; st.global.u64 [%d2], %d3;", ""},
	{"and.b64 %d3, %d1, 4095; st.global.u64 [%d2], %d3;", "address_leak"},
	{"mov.u64 %d3, s; st.global.u64 [%d1], %d3;", "address_leak"},
	{"mov.u64 %d3, l; st.global.u64 [%d1], %d3;", "address_leak"},
	{"st.local.u64 [l+8], %d2; ld.local.u64 %d3, [l+8];"
	 "st.global.u64 [%d1], %d3;",
	 "address_leak"},
	{"st.local.u64 [l+8], %d2; ld.local.u64 %d3, [l+16];"
	 "st.global.u64 [%d1], %d3;",
	 ""},
	{"st.local.u64 [l+8], %d2; ld.local.u64 %d3, [l+8];"
	 "st.global.u32 [%d3], 1;",
	 ""},
	{"selp.b64 %d3, %d1, %d2, %p1; st.global.u32 [%d3], 1;", ""},
	{"mul.lo.u64 %d3, %d1, 3; shr.u64 %d3, %d3, 9;"
	 "cvt.u32.u64 %r1, %d3; st.global.b32 [%d1], %r1;",
	 "address_leak"},
	{"xor.b64 %d3, %d1, %d2; xor.b64 %d3, %d3, %d2;"
	 "st.global.b32 [%d3], 1;",
	 "address_leak"},
	{"sub.s64 %d3, %d2, %d1; add.s64 %d4, %d1, %d3;"
	 "st.global.b32 [%d4], 1;",
	 ""},
	{"shr.u64 %d3, %d1, 3; and.b64 %d4, %d3, 56; add.s64 %d5, %d1, %d4;"
	 "ld.global.b32 %r1, [%d5]; st.global.b32 [%d2], %r1;",
	 "address_leak"},
	{"red.global.add.u64 [%d1], %d2;", "address_leak"},
	{"st.param.u64 [p], %d1;", "stores_constant"},
};

Test(ptx_classify, follows_the_rules)
{
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct arena *a = kit_arena();
		const char *body = arena_printf(
			a,
			".shared .b8 unaligned[9];"
			"ld.param.u64 %%d1, [p]; cvta.to.global.u64 %%d1, %%d1;"
			"ld.param.u64 %%d2, [q]; cvta.to.global.u64 %%d2, %%d2;"
			"%s ret;",
			bodies[i].body);
		const struct ptx_module *m = kit_body(a, body);
		struct ptx_report r = classify(a, m, "k", NULL);
		const char *why =
			r.reason_count ? ptx_why_word(r.reasons[0].why) : "";

		cr_expect_str_eq(why, bodies[i].why, "%s: %s", bodies[i].body,
				 why);
		arena_free(a);
	}
}

Test(ptx_classify, reasons_say_where)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_sample(a, "minhash");
	struct ptx_report r = classify(a, m, "append", NULL);
	const struct ptx_reason *w = find(&r, PTX_WHY_atomic_result_used);

	cr_assert_not_null(w);
	cr_expect_str_eq(w->opcode, "atom.global.add.u32");
	cr_expect_gt(w->line, 0u);
	cr_expect_str_neq(ptx_why_hint(w->why), "");
	arena_free(a);
}

Test(ptx_classify, tells_the_footprint)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_sample(a, "nbody");
	struct ptx_report r = classify(a, m, "nbody", NULL);

	cr_assert_eq(r.footprint_count, 3u);
	cr_expect(r.footprint[0].read && !r.footprint[0].written);
	cr_expect(!r.footprint[1].read && r.footprint[1].written);
	cr_expect(r.footprint[2].read && r.footprint[2].written);
	cr_expect(r.needs.uses_dynamic_shared);
	cr_expect_not(r.by_warp);
	m = kit_sample(a, "features");
	r = classify(a, m, "pointers", NULL);
	/* out; table_data through a pointer in memory; table_ptr. */
	cr_assert_eq(r.footprint_count, 3u);
	cr_expect(r.footprint[0].written);
	cr_expect(r.footprint[1].is_variable && r.footprint[1].read &&
		  !r.footprint[1].written);
	cr_expect_not(r.reads_all);
	r = classify(a, m, "recursion", NULL);
	cr_expect(r.needs.needs_stack);
	cr_expect(r.by_warp);
	r = classify(a, m, "warps", NULL);
	cr_expect_eq(r.needs.threads, 128u);
	cr_expect_eq(r.needs.sm, 80);
	r = classify(a, m, "local_array", NULL);
	cr_expect_eq(r.needs.local_bytes, 128u);
	arena_free(a);
}

Test(ptx_classify, counts_opcodes)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m =
		kit_body(a, "add.s32 %r1, %r2, %r3; add.f32 %r1, %r2, %r3;"
			    "add.s32 %r1, %r2, %r3; ret;");
	struct ptx_report r = classify(a, m, "k", NULL);

	cr_assert_eq(r.count_count, 3u);
	cr_expect_str_eq(r.counts[0].opcode, "add.rn.f32");
	cr_expect_str_eq(r.counts[1].opcode, "add.s32");
	cr_expect_eq(r.counts[1].count, 2u);
	cr_expect_eq(r.instr_count, 4u);
	arena_free(a);
}

/* One launch of a kernel of the samples. */
struct shot {
	struct ptx_launch launch;
	struct ptx_bound bound[5];
	uint8_t params[64];
};

static void shoot(struct shot *s, uint32_t gx, uint32_t gy, uint32_t bx,
		  uint32_t by)
{
	*s = (struct shot){0};
	s->launch = (struct ptx_launch){.grid = {gx, gy, 1},
					.block = {bx, by, 1},
					.bound = s->bound,
					.params = {s->params, 64}};
}

static void bind(struct shot *s, uint32_t offset, uint32_t buffer)
{
	s->bound[s->launch.bound_count++] =
		(struct ptx_bound){.param_offset = offset, .buffer = buffer};
}

static enum ptx_independence judge(const char *sample, const char *kernel,
				   const struct shot *s)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_sample(a, sample);
	struct ptx_report r = classify(a, m, kernel, &s->launch);

	arena_free(a);
	return r.independence;
}

Test(ptx_classify, proves_independence_of_launches)
{
	struct shot s;

	/* Rows of 64 floats in tiles of 16 x 16. */
	shoot(&s, 4, 4, 16, 16);
	bind(&s, 0, 0);
	bind(&s, 8, 1);
	bind(&s, 16, 2);
	put_u32_le(s.params + 24, 64);
	cr_expect_eq(judge("matmul", "matmul", &s), PTX_PROVED);
	/* Rows of 48: the fourth column of tiles writes the next row. */
	put_u32_le(s.params + 24, 48);
	cr_expect_eq(judge("matmul", "matmul", &s), PTX_ASSUMED);
	/* In place: it reads what others write. */
	put_u32_le(s.params + 24, 64);
	s.bound[0].buffer = 2;
	cr_expect_eq(judge("matmul", "matmul", &s), PTX_ASSUMED);

	shoot(&s, 32, 1, 128, 1);
	bind(&s, 0, 0);
	bind(&s, 8, 1);
	bind(&s, 16, 2);
	put_u32_le(s.params + 24, 4096);
	cr_expect_eq(judge("nbody", "nbody", &s), PTX_PROVED);

	/* A grid-stride loop of a power of two. */
	shoot(&s, 32, 1, 128, 1);
	for (uint32_t i = 0; i < 5; i++)
		bind(&s, 8 * i, i);
	put_u32_le(s.params + 48, 1 << 20);
	cr_expect_eq(judge("blackscholes", "blackscholes", &s), PTX_PROVED);

	shoot(&s, 100, 1, 256, 1);
	bind(&s, 0, 0);
	cr_expect_eq(judge("hashsearch", "search_slots", &s), PTX_PROVED);
	cr_expect_eq(judge("hashsearch", "search", &s), PTX_ASSUMED);
	s.launch.grid[0] = 1;
	cr_expect_eq(judge("hashsearch", "search", &s), PTX_PROVED);

	/* a[i] from a[i - 1]. */
	shoot(&s, 8, 1, 128, 1);
	bind(&s, 0, 0);
	put_u32_le(s.params + 8, 1024);
	cr_expect_eq(judge("features", "in_place", &s), PTX_ASSUMED);
}

static struct ptx_report launch_body(struct arena *a, const char *body,
				     const struct shot *s)
{
	return classify(a, kit_body(a, body), "k", &s->launch);
}

Test(ptx_classify, sees_what_is_bound)
{
	struct arena *a = kit_arena();
	const char *body = "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];"
			   "ld.global.nc.b32 %r1, [%d1];"
			   "st.global.b32 [%d2+4], %r1;"
			   "setp.lt.u64 %p1, %d1, %d2; ret;";
	struct ptx_report r;
	struct shot s;

	/* Two buffers: their addresses are compared. */
	shoot(&s, 1, 1, 32, 1);
	bind(&s, 0, 5);
	bind(&s, 8, 6);
	r = launch_body(a, body, &s);
	cr_expect_not_null(find(&r, PTX_WHY_address_leak));
	cr_expect_null(find(&r, PTX_WHY_nc_written));
	/* One: it is written, and compared with itself. */
	s.bound[1].buffer = 5;
	r = launch_body(a, body, &s);
	cr_expect_null(find(&r, PTX_WHY_address_leak));
	cr_expect_not_null(find(&r, PTX_WHY_nc_written));
	cr_assert_eq(r.footprint_count, 2u);
	cr_expect(r.footprint[0].written && r.footprint[1].written);
	/* None at q: a number is no address. */
	s.launch.bound_count = 1;
	r = launch_body(a, body, &s);
	cr_expect_not_null(find(&r, PTX_WHY_store_to_any));
	arena_free(a);
}

/* Loops over one buffer by its addresses. */
Test(ptx_classify, knows_loops_over_addresses)
{
	static const struct {
		const char *body;
		bool is_leak;
	} loops[] = {
		{"add.u64 %d3, %d1, 64; mov.u64 %d4, %d1;"
		 "L: add.u64 %d4, %d4, 4; setp.lt.u64 %p1, %d4, %d3;"
		 "@%p1 bra L; ret;",
		 false},
		/* To the end of the address space: how soon, tells where. */
		{"mov.u64 %d4, %d1; L: add.u64 %d4, %d4, 0x10000000000;"
		 "setp.gt.u64 %p1, %d4, %d1; @%p1 bra L; ret;",
		 true},
		{"mov.u64 %d4, %d1; L: add.u64 %d4, %d4, 4;"
		 "@%p2 add.u64 %d4, %d4, 0x10000000000;"
		 "setp.gt.u64 %p1, %d4, %d1; @%p1 bra L; ret;",
		 true},
		{"ld.global.u64 %d3, [%d1]; add.u64 %d4, %d1, %d3;"
		 "setp.lt.u64 %p1, %d4, %d1; ret;",
		 true},
		{"add.u64 %d3, %d1, 64; mov.u64 %d4, %d1;"
		 "L: add.u64 %d4, %d4, 0x10000000000;"
		 "setp.ne.u64 %p1, %d4, %d3; @%p1 bra L; ret;",
		 false},
	};
	struct shot s;

	shoot(&s, 4, 1, 128, 1);
	bind(&s, 0, 0);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct arena *a = kit_arena();
		const char *body = arena_printf(a, "ld.param.u64 %%d1, [p]; %s",
						loops[i].body);
		struct ptx_report r = launch_body(a, body, &s);

		cr_expect_eq(find(&r, PTX_WHY_address_leak) != NULL,
			     loops[i].is_leak, "%s", loops[i].body);
		arena_free(a);
	}
}

Test(ptx_classify, bounds_the_launch)
{
	struct arena *a = kit_arena();
	struct ptx_report r;
	struct shot s;

	shoot(&s, 1, 1, 1024, 1);
	r = launch_body(a, "ret;", &s);
	cr_expect_eq(r.sale, PTX_SALE_A);
	s.launch.block[1] = 2;
	r = launch_body(a, "ret;", &s);
	cr_expect_not_null(find(&r, PTX_WHY_too_many_threads));
	shoot(&s, 1, 1, 32, 1);
	s.launch.shared_bytes = CTA_SHARED_BYTES_MAX - 256;
	r = launch_body(a, "st.shared.b32 [s], 1; ret;", &s);
	cr_expect_eq(r.sale, PTX_SALE_A);
	s.launch.shared_bytes++;
	r = launch_body(a, "st.shared.b32 [s], 1; ret;", &s);
	cr_expect_not_null(find(&r, PTX_WHY_too_much_shared));
	r = launch_body(a,
			".local .b8 big[65536]; st.local.b32 [big], 1;"
			"st.local.b32 [l], 1; ret;",
			&s);
	cr_expect_not_null(find(&r, PTX_WHY_too_much_local));
	r = classify(a, kit_sample(a, "features"), "recursion", &s.launch);
	cr_expect_not_null(find(&r, PTX_WHY_needs_stack));
	s.launch.stack_bytes = 1024;
	r = classify(a, kit_sample(a, "features"), "recursion", &s.launch);
	cr_expect_null(find(&r, PTX_WHY_needs_stack));
	arena_free(a);
}

Test(ptx_classify, calls_without_a_body_are_refused)
{
	struct arena *a = kit_arena();
	const struct ptx_module *m = kit_parse(
		a, BYTES_LIT(".version 8.0\n.target sm_75\n"
			     ".extern .func (.param .b32 r) vprintf"
			     "(.param .b64 a, .param .b64 b);\n"
			     ".entry k() { .param .b64 x; .param .b64 y;"
			     ".param .b32 z; call (z), vprintf, (x, y); }"));
	struct ptx_report r = classify(a, m, "k", NULL);

	cr_expect_eq(r.sale, PTX_SALE_X);
	cr_expect_eq(r.reasons[0].why, PTX_WHY_no_body);
	cr_expect_str_eq(r.reasons[0].detail, "vprintf");
	arena_free(a);
}

#define SHAPES(x, arg, proto)                                                  \
	BYTES_LIT(                                                             \
		".version 8.0\n.target sm_75\n"                                \
		".func (.param .b32 r) sees(.param .b64 x) {\n"                \
		".reg .b64 %d; .reg .b32 %r;\n"                                \
		"ld.param.u64 %d, [x]; ld.u32 %r, [%d+8];\n"                   \
		"st.param.b32 [r], %r; ret; }\n"                               \
		".func (.param .b32 r) adds(.param " x " x) {\n"               \
		".reg .b32 %r;\n"                                              \
		"ld.param.b32 %r, [x]; st.param.b32 [r], %r; ret; }\n"         \
		".global .u64 table[2] = {sees, adds};\n"                      \
		".entry k(.param .u64 p) {\n"                                  \
		".reg .b64 %d<8>; .reg .b32 %r<4>; .local .align 8 .b8 l[16];" \
		"one: .callprototype (.param .b32 _) _ (.param .b64 _);\n"     \
		"two: .callprototype (.param .b32 _) _ (.param " proto         \
		" _);\n"                                                       \
		"ld.param.u64 %d0, [p]; cvta.to.global.u64 %d0, %d0;\n"        \
		"mov.u64 %d1, l; cvta.local.u64 %d2, %d1;\n"                   \
		"mov.u32 %r0, %tid.x; st.local.u64 [%d1], %d2;\n"              \
		"st.local.u32 [%d1+8], %r0;\n"                                 \
		"ld.global.u64 %d3, [table]; ld.global.u64 %d4, [table+8];\n"  \
		"call (%r1), %d3, (%d2), one;\n"                               \
		"call (%r2), %d4, (" arg "), two;\n"                           \
		"add.u32 %r1, %r1, %r2; mul.wide.u32 %d5, %r0, 4;\n"           \
		"add.s64 %d5, %d0, %d5; st.global.u32 [%d5], %r1; ret; }")

/* An address that goes to one function is none that another gets, if their
 * parameters have other sizes; the referee would not call it. */
Test(ptx_classify, a_call_reaches_functions_of_its_shape)
{
	struct arena *a = kit_arena();
	struct ptx_report r;

	r = classify(a, kit_parse(a, SHAPES(".b32", "%r1", ".b32")), "k", NULL);
	cr_expect_eq(r.sale, PTX_SALE_A, "%s",
		     r.reason_count ? ptx_why_word(r.reasons[0].why) : "");
	r = classify(a, kit_parse(a, SHAPES(".b64", "%d2", ".b64")), "k", NULL);
	cr_expect_eq(r.sale, PTX_SALE_C);
	cr_expect_eq(r.reasons[0].why, PTX_WHY_address_leak);
	arena_free(a);
}

#define CALLS(body)                                                            \
	BYTES_LIT(".version 8.0\n.target sm_75\n"                              \
		  ".func f(.param .b32 x) { ret; }\n"                          \
		  ".global .u64 table[3] = {f, 0, f};\n.global .u64 any[2];\n" \
		  ".entry k(.param .u64 p) { .reg .b64 %d<4>; .reg .b32 %r;"   \
		  "proto: .callprototype _ (.param .b32 _);" body              \
		  " call %d1, (1), proto; }")

Test(ptx_classify, calls_only_what_constants_hold)
{
	const struct bytes good[] = {
		CALLS("mov.u64 %d1, f;"),
		CALLS("ld.global.u64 %d1, [table+16];"),
		CALLS("mov.u32 %r, %tid.x; mul.wide.u32 %d2, %r, 8;"
		      "mov.u64 %d3, table; add.s64 %d0, %d2, %d3;"
		      "ld.global.u64 %d1, [%d0];"),
	};
	const struct bytes bad[] = {
		CALLS("ld.param.u64 %d1, [p];"),
		CALLS("ld.global.u64 %d1, [any];"),
		CALLS("ld.param.u64 %d2, [p]; ld.global.u64 %d1, [%d2];"),
		CALLS("mov.u64 %d1, f; add.s64 %d1, %d1, 8;"
		      "ld.global.u64 %d1, [any];"),
		CALLS("mov.u64 %d1, 4096;"),
	};
	struct arena *a = kit_arena();

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct ptx_report r =
			classify(a, kit_parse(a, good[i]), "k", NULL);

		cr_expect_eq(r.sale, PTX_SALE_A, "good %zu", i);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ptx_report r =
			classify(a, kit_parse(a, bad[i]), "k", NULL);

		cr_expect_not_null(find(&r, PTX_WHY_indirect_call), "bad %zu",
				   i);
	}
	arena_free(a);
}

/* The words are on the wire and in documents. */
Test(ptx_classify, has_a_sale_for_each_reason)
{
	cr_expect_eq(ptx_why_sale(PTX_WHY_approximate), PTX_SALE_B);
	cr_expect_eq(ptx_why_sale(PTX_WHY_atomic_one_op), PTX_SALE_R);
	cr_expect_eq(ptx_why_sale(PTX_WHY_writes_by_chance), PTX_SALE_S);
	cr_expect_eq(ptx_why_sale(PTX_WHY_grid_barrier), PTX_SALE_D);
	cr_expect_eq(ptx_why_sale(PTX_WHY_unknown), PTX_SALE_X);
	for (uint32_t i = 0; i < PTX_WHY_COUNT; i++)
		cr_expect_neq(ptx_why_sale((enum ptx_why)i), PTX_SALE_A);
}
