#include "tests/support/cuda/referee.h"

#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"
#include "tests/support/kernels/kernels.h"

struct params {
	uint64_t out, in;
	uint32_t n;
};

bool referee_run(const struct kernels_case *c, uint8_t *in,
		 uint8_t *out[REFEREE_VARIANTS])
{
	struct arena *a = arena_new(256u << 20);
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct params p = {.n = c->word};
	struct exec_reloc relocs[] = {{.param_offset = 0, .buffer = 0},
				      {.param_offset = 8, .buffer = 1}};
	struct ptx_module *tree;
	struct exec_module *m;
	struct exec_refusal why;
	struct exec_module_options options = {.stack_bytes =
						      KERNELS_STACK_BYTES};
	struct exec_result r;
	struct ptx_diag d;
	bool good = true;

	must(a && ptx_parse(a, buf_bytes(&c->text), &tree, &d) == ERR_OK);
	must(exec_module_load(tree, &options, &m, &why) == ERR_OK);
	for (uint32_t v = 0; v < REFEREE_VARIANTS && good; v++) {
		struct exec_buffer b[] = {
			{.data = out[v],
			 .bytes = c->out_bytes,
			 .writable = true},
			{.data = in, .bytes = KERNELS_IN_BYTES},
		};
		struct exec_launch l = {
			.kernel = BYTES_LIT("k"),
			.params = bytes_of((const uint8_t *)&p, 20),
			.relocs = relocs,
			.reloc_count = 2,
			.buffers = b,
			.buffer_count = 2,
		};

		memcpy(l.grid, c->grid, sizeof(l.grid));
		memcpy(l.block, c->block, sizeof(l.block));
		memset(out[v], 0, c->out_bytes);
		o.nan_variant = v;
		must(exec_run(m, &l, &o, a, &r) == ERR_OK);
		good = r.outcome == EXEC_OK;
	}
	exec_module_free(m);
	arena_free(a);
	return good;
}
