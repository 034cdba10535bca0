/*
 * The input chooses a kernel of tests/support/kernels; it has one result at
 * every width of lanes, in other orders, traced and sanitized.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/ptx/parse.h"
#include "tests/diff/engine/engine.h"
#include "tests/support/kernels/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A second under sanitizers. */
#define COST_MAX 4000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena *a;
	static uint8_t in[KERNELS_IN_BYTES];
	struct kernels_case k;
	struct diff_report r;
	if (a == NULL)
		a = arena_new(PTX_ARENA_BYTES);
	must(a != NULL);
	kernels_make_chosen(bytes_of(data, size), size, 0, &k);
	kernels_input(size, in, sizeof(in));
	struct diff_case c = {.text = buf_bytes(&k.text),
			      .out_bytes = k.out_bytes,
			      .word = k.word,
			      .stack_bytes = KERNELS_STACK_BYTES,
			      .cost_max = COST_MAX,
			      .seed = size,
			      .ways = 2,
			      .in = in,
			      .in_bytes = sizeof(in)};
	memcpy(c.grid, k.grid, sizeof(c.grid));
	memcpy(c.block, k.block, sizeof(c.block));
	diff_case_check(a, &c, &r);
	if (r.end == DIFF_UNEQUAL || r.end == DIFF_REFUSED)
		fprintf(stderr, "%s\n%.*s", r.text, (int)k.text.n,
			(const char *)k.text.p);
	must(r.end != DIFF_UNEQUAL && r.end != DIFF_REFUSED);
	buf_free(&k.text);
	return 0;
}
