/*
 * Every file of tests/vectors/ptx through the launch half: on the stand-in,
 * with NaNs of other bits, and on a card where there is one.  A part of the
 * chunks, all of them with WEFT_HEAVY set or on a card.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/cuda/kit.h"
#include "tests/support/ptx/vectors.h"

static uint8_t out[VECTOR_OUT_BYTES];

static void run_chunk(void *ctx, const char *ptx,
		      const struct vector_line *lines, uint32_t n)
{
	struct kit *k = ctx;
	struct cuda_module *m;
	uint64_t at = 0;
	struct cuda_launch l = {
		.kernel = BYTES_LIT("k"),
		.grid = {1, 1, 1},
		.block = {VECTOR_THREADS, 1, 1},
		.params = bytes_of((const uint8_t *)&at, sizeof(at)),
	};

	if (cuda_module_load(k->card, bytes_str(ptx), 0, &m, &k->diag) !=
		    ERR_OK &&
	    k->is_real) {
		fprintf(stderr, "skipped on this card: %s\n", k->diag.text);
		return;
	}
	kit_ok(k, k->diag.code ? ERR_CUDA : ERR_OK);
	kit_ok(k, cuda_alloc(k->card, sizeof(out), &at, &k->diag));
	kit_ok(k, cuda_fill(k->card, at, 0, sizeof(out), &k->diag));
	kit_ok(k, cuda_launch(k->card, m, &l, &k->diag));
	kit_ok(k, cuda_get(k->card, out, at, sizeof(out), &k->diag));
	ptx_vectors_check(lines, n, out, true, cuda_card_info(k->card)->name);
	cuda_free(k->card, at);
	cuda_module_free(k->card, m);
}

static void run_file(const char *name)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct vector_user user = {run_chunk, NULL, NULL};
	struct kit *k;

	o.sm = 100;
	o.seed = strlen(name);
	user.ctx = k = kit_standin(&o);
	ptx_vectors_read(name, getenv("WEFT_HEAVY") ? 1 : 4, &user);
	kit_end(k);
	user.ctx = k = kit_real();
	if (!k)
		return;
	ptx_vectors_read(name, 1, &user);
	kit_end(k);
}

Test(gpu_cuda_vectors, integers)
{
	run_file("int.txt");
}

Test(gpu_cuda_vectors, bits)
{
	run_file("bits.txt");
}

Test(gpu_cuda_vectors, floats)
{
	run_file("float.txt");
}

Test(gpu_cuda_vectors, comparisons)
{
	run_file("compare.txt");
}

Test(gpu_cuda_vectors, conversions)
{
	run_file("convert.txt");
}

Test(gpu_cuda_vectors, halves)
{
	run_file("half.txt");
}

Test(gpu_cuda_vectors, packed)
{
	run_file("packed.txt");
}

Test(gpu_cuda_vectors, narrow)
{
	run_file("narrow.txt");
}

Test(gpu_cuda_vectors, video)
{
	run_file("video.txt");
}

Test(gpu_cuda_vectors, traps)
{
	run_file("traps.txt");
}

Test(gpu_cuda_vectors, what_is_flushed)
{
	run_file("flush.txt");
}
