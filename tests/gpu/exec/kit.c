#include "tests/gpu/exec/kit.h"

#include <criterion/criterion.h>
#include <string.h>

struct kit kit_load(const char *text)
{
	return kit_load_stack(text, 0);
}

struct kit kit_load_stack(const char *text, uint32_t stack_bytes)
{
	struct exec_module_options options = {.stack_bytes = stack_bytes};
	struct kit k = {.arena = arena_new(PTX_ARENA_BYTES)};
	struct ptx_module *pm;
	struct ptx_diag diag = {0};
	enum err e = ptx_parse(k.arena, bytes_str(text), &pm, &diag);
	cr_assert_eq(e, ERR_OK, "line %u: %s", diag.line, diag.text);
	k.err = exec_module_load(pm, &options, &k.module, &k.why);
	return k;
}

void kit_free(struct kit *k)
{
	if (k->err == ERR_OK)
		exec_module_free(k->module);
	arena_free(k->arena);
}

struct exec_result kit_run(struct kit *k, const struct kit_run *run)
{
	struct exec_buffer buffers[2] = {
		{.data = run->out, .bytes = run->out_bytes, .writable = true},
		{.data = run->in, .bytes = run->in_bytes}};
	struct exec_reloc relocs[2] = {{.param_offset = 0, .buffer = 0},
				       {.param_offset = 8, .buffer = 1}};
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .shared_bytes = run->shared_bytes,
				 .relocs = relocs,
				 .reloc_count = run->in != NULL ? 2 : 1,
				 .buffers = buffers,
				 .buffer_count = run->in != NULL ? 2 : 1};
	struct exec_result r;
	memcpy(in.grid, run->grid, sizeof(in.grid));
	memcpy(in.block, run->block, sizeof(in.block));
	cr_assert_eq(k->err, ERR_OK, "line %u: %s", k->why.line, k->why.text);
	cr_assert_eq(exec_run(k->module, &in, &run->options, k->arena, &r),
		     ERR_OK);
	return r;
}

uint32_t kit_lanes(enum exec_lanes ret_lanes[3])
{
	uint32_t n = 0;
	for (enum exec_lanes l = EXEC_LANES_PLAIN; l <= exec_lanes_best(); l++)
		ret_lanes[n++] = l;
	return n;
}

struct exec_result kit_sanitize(const char *text, struct kit_run run,
				uint32_t ctas)
{
	struct kit k = kit_load(text);
	memset(run.out, 0, run.out_bytes);
	run.grid[0] = ctas;
	run.options.sanitize = true;
	struct exec_result res = kit_run(&k, &run);
	/* Lists die with the kit. */
	res.findings = NULL;
	kit_free(&k);
	return res;
}
