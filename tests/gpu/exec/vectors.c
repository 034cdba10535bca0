/*
 * Each file of tests/vectors/ptx: many lines become one kernel, which every
 * set of lanes must run to the expected bits, in its first and last thread.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"
#include "tests/support/ptx/vectors.h"

static uint8_t out[VECTOR_OUT_BYTES];

static void check_chunk(void *ctx, const char *ptx,
			const struct vector_line *lines, uint32_t n)
{
	enum exec_lanes sets[3];
	struct kit k = kit_load(ptx);
	struct kit_run run = KIT_RUN(out, VECTOR_THREADS);

	(void)ctx;
	for (uint32_t s = 0; s < kit_lanes(sets); s++) {
		memset(out, 0, sizeof(out));
		run.options.lanes = sets[s];
		struct exec_result r = kit_run(&k, &run);
		cr_assert_eq(r.outcome, EXEC_OK, "%s at line %u",
			     exec_reason_word(r.reason), r.line);
		ptx_vectors_check(lines, n, out, false,
				  exec_lanes_name(sets[s]));
	}
	kit_free(&k);
}

static void check_refused(void *ctx, const char *ptx,
			  const struct vector_line *l)
{
	struct kit k = kit_load(ptx);

	(void)ctx;
	cr_expect_eq(k.err, ERR_EXEC_REFUSED, "%s", l->text);
	cr_expect_gt(k.why.line, 4u);
	kit_free(&k);
}

static void check_file(const char *name)
{
	static const struct vector_user user = {check_chunk, check_refused,
						NULL};

	ptx_vectors_read(name, 1, &user);
}

Test(gpu_exec_vectors, integers)
{
	check_file("int.txt");
}

Test(gpu_exec_vectors, bits)
{
	check_file("bits.txt");
}

Test(gpu_exec_vectors, floats)
{
	check_file("float.txt");
}

Test(gpu_exec_vectors, comparisons)
{
	check_file("compare.txt");
}

Test(gpu_exec_vectors, conversions)
{
	check_file("convert.txt");
}

Test(gpu_exec_vectors, halves)
{
	check_file("half.txt");
}

Test(gpu_exec_vectors, packed)
{
	check_file("packed.txt");
}

Test(gpu_exec_vectors, narrow)
{
	check_file("narrow.txt");
}

Test(gpu_exec_vectors, video)
{
	check_file("video.txt");
}

Test(gpu_exec_vectors, traps)
{
	check_file("traps.txt");
}

Test(gpu_exec_vectors, what_is_flushed)
{
	check_file("flush.txt");
}

Test(gpu_exec_vectors, atomics)
{
	check_file("atomic.txt");
}
