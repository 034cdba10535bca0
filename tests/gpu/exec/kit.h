/*
 * tests/gpu/exec/kit - run a piece of PTX on buffers, in a line or two.
 */
#ifndef WEFT_TESTS_GPU_EXEC_KIT_H
#define WEFT_TESTS_GPU_EXEC_KIT_H

#include "base/arena.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

struct kit {
	struct arena *arena;
	struct exec_module *module;
	struct exec_refusal why;
	enum err err; /* of the load */
};

/* Head of a module: version, target, address size. */
#define KIT_HEAD ".version 7.8\n.target sm_90\n.address_size 64\n"

/* A kernel k with one pointer, %out, in %rd0, and a few registers. */
#define KIT_KERNEL(body)                                                     \
	KIT_HEAD ".visible .entry k(.param .u64 out) {\n"                    \
		 ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<32>;\n"   \
		 ".reg .b64 %rd<32>; .reg .f32 %f<16>; .reg .f64 %fd<16>;\n" \
		 "ld.param.u64 %rd0, [out];\n" body "\nret;\n}\n"

/* Parse and load; a syntax error fails the test. */
struct kit kit_load(const char *text);
/* With that much stack a thread. */
struct kit kit_load_stack(const char *text, uint32_t stack_bytes);
void kit_free(struct kit *k);

struct kit_run {
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;
	struct exec_options options;
	uint8_t *out; /* buffer 0, the first parameter */
	uint64_t out_bytes;
	uint8_t *in; /* buffer 1, the second; NULL: none */
	uint64_t in_bytes;
};

#define KIT_RUN(buffer, threads)                           \
	((struct kit_run){.grid = {1, 1, 1},               \
			  .block = {threads, 1, 1},        \
			  .options = EXEC_OPTIONS_DEFAULT, \
			  .out = (uint8_t *)(buffer),      \
			  .out_bytes = sizeof(buffer)})

/* Runs kernel "k"; the result's lists live as long as the kit. */
struct exec_result kit_run(struct kit *k, const struct kit_run *run);

/* Load text and run ctas CTAs of it sanitized; run->out is zeroed before. */
struct exec_result kit_sanitize(const char *text, struct kit_run run,
				uint32_t ctas);

/* The lanes that this CPU has, plain first; n of them. */
uint32_t kit_lanes(enum exec_lanes ret_lanes[3]);

#endif /* WEFT_TESTS_GPU_EXEC_KIT_H */
