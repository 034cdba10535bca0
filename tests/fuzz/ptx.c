/*
 * Any bytes as PTX: what parses prints, what prints parses to the same text,
 * and every kernel has a class.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "gpu/ptx/classify.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/print.h"

static void classify_all(struct arena *a, const struct ptx_module *m)
{
	static const struct ptx_bound bound[] = {{0, 0, 0}, {8, 0, 4}};
	static const uint8_t params[64] = {16};
	const struct ptx_launch launch = {
		.grid = {7, 2, 1},
		.block = {32, 4, 1},
		.params = {params, sizeof(params)},
		.bound = bound,
		.bound_count = 2,
	};
	struct ptx_report r;

	for (uint32_t i = 0; i < m->function_count; i++) {
		if (!m->functions[i].is_entry || !m->functions[i].has_body)
			continue;
		if (ptx_classify(a, m, i, NULL, &r) == ERR_NOT_FOUND ||
		    ptx_classify(a, m, i, &launch, &r) == ERR_NOT_FOUND)
			abort();
	}
}

static enum err print_all(struct arena *a, const struct ptx_module *m,
			  struct buf *out)
{
	struct ptx_diag d;

	return ptx_print(a, m, NULL, 0, out, NULL, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct buf once = buf_make(16u << 20), twice = buf_make(16u << 20);
	struct ptx_module *m, *again;
	struct ptx_diag d = {0};

	if (!a)
		return 0;
	if (ptx_parse(a, bytes_of(data, size), &m, &d) == ERR_OK) {
		classify_all(a, m);
		if (print_all(a, m, &once) == ERR_OK) {
			if (ptx_parse(a, buf_bytes(&once), &again, &d) ==
				    ERR_OK &&
			    print_all(a, again, &twice) == ERR_OK &&
			    !bytes_eq(buf_bytes(&once), buf_bytes(&twice)))
				abort();
			if (d.code == ERR_PTX_SYNTAX && once.n < 1u << 20)
				abort();
		}
	}
	buf_free(&once);
	buf_free(&twice);
	arena_free(a);
	return 0;
}
