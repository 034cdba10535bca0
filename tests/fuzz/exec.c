/*
 * Hostile PTX through the loader and the executor, plain and traced, with
 * tight limits: nothing may leave the buffers it is given.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_kernel(const struct exec_module *m, uint32_t index, bool trace,
		       struct arena *a)
{
	static uint8_t memory[2][1024];
	static const uint8_t seed[32];
	struct exec_kernel k;
	struct exec_buffer buffers[2] = {
		{.data = memory[0], .bytes = 1024, .writable = true},
		{.data = memory[1], .bytes = 1024}};
	struct exec_reloc relocs[2] = {{.param_offset = 0, .buffer = 0},
				       {.param_offset = 8, .buffer = 1}};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	exec_kernel_at(m, index, &k);
	struct exec_launch in = {
		.kernel = k.name,
		.grid = {2, 1, 1},
		.block = {40, 1, 1},
		.shared_bytes = 64,
		.relocs = relocs,
		.reloc_count = k.param_bytes / 8 < 2 ? k.param_bytes / 8 : 2,
		.buffers = buffers,
		.buffer_count = 2};
	o.cta_cost_max = 200000;
	o.sanitize = trace;
	o.record_writes = o.record_reads = trace;
	o.witness_seed32 = trace ? seed : NULL;
	enum err e = exec_run(m, &in, &o, a, &r);
	(void)e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct ptx_module *pm;
	struct exec_module *m;
	struct exec_refusal why;
	if (size < 20000 && a != NULL &&
	    ptx_parse(a, bytes_of(data, size), &pm, NULL) == ERR_OK &&
	    exec_module_load(pm, NULL, &m, &why) == ERR_OK) {
		uint32_t n = exec_kernel_count(m);
		for (uint32_t i = 0; i < n && i < 4; i++) {
			run_kernel(m, i, false, a);
			run_kernel(m, i, true, a);
		}
		exec_module_free(m);
	}
	arena_free(a);
	return 0;
}
