/*
 * A program on the stand-in: module variables that two parts share, a
 * constant with bytes of the manifest, copies, fills, inputs.
 * And on a card where there is one.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/cuda/task.h"
#include "gpu/program/task.h"
#include "tests/gpu/cuda/kit.h"

/* counter += table[1]; out[0] = counter */
static const char add_text[] =
	KIT_HEAD ".visible .global .align 4 .u32 counter = 3;\n"
		 ".visible .const .align 4 .b8 table[8];\n"
		 ".visible .entry add(.param .u64 out) {\n"
		 ".reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
		 "ld.param.u64 %rd1, [out]; mov.u64 %rd2, counter;\n"
		 "ld.const.u32 %r1, [table+4]; ld.global.u32 %r2, [%rd2];\n"
		 "add.u32 %r2, %r2, %r1; st.global.u32 [%rd2], %r2;\n"
		 "st.global.u32 [%rd1], %r2;\nret;\n}\n";

/* counter *= 2, from its own idea of where it lies */
static const char twice_text[] =
	KIT_HEAD ".visible .global .align 4 .u32 counter = 3;\n"
		 ".visible .entry twice() {\n"
		 ".reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
		 "mov.u64 %rd2, counter; ld.global.u32 %r2, [%rd2];\n"
		 "add.u32 %r2, %r2, %r2; st.global.u32 [%rd2], %r2;\nret;\n}\n";

static const uint8_t table_bytes[] = {9, 9, 9, 9, 5, 0};
static const uint8_t counter_bytes[] = {7, 0, 0, 0};

static struct program_buffer buffers[] = {
	{.bytes = 64, .fill = 0xab, .save = true},
	{.bytes = 16, .init = PROGRAM_INIT_INPUT},
};

static struct program_symbol symbols[] = {
	{.name = BYTES_LIT("counter"),
	 .bytes = 4,
	 .written = true,
	 .data = {counter_bytes, sizeof(counter_bytes)}},
	{.name = BYTES_LIT("table"),
	 .bytes = 8,
	 .data = {table_bytes, sizeof(table_bytes)}},
};

static struct program_param pointer = {0, 8, PROGRAM_WRITE};

static struct program_symbol_use add_uses[] = {
	{0, PROGRAM_READ | PROGRAM_WRITE}, {1, PROGRAM_READ}};
static struct program_symbol_use twice_uses[] = {
	{0, PROGRAM_READ | PROGRAM_WRITE}};

static struct program_part parts[] = {
	{.entry = BYTES_LIT("add"),
	 .text = BYTES_LIT(add_text),
	 .params = &pointer,
	 .param_count = 1,
	 .symbols = add_uses,
	 .symbol_count = 2,
	 .needs = {.sm = 75, .threads = 1}},
	{.entry = BYTES_LIT("twice"),
	 .text = BYTES_LIT(twice_text),
	 .symbols = twice_uses,
	 .symbol_count = 1,
	 .needs = {.sm = 75, .threads = 1}},
};

static struct program_arg add_args[] = {{.kind = PROGRAM_ARG_BUFFER}};

#define ONE                                                 \
	.grid = {{.value = 1}, {.value = 1}, {.value = 1}}, \
	.block = {{.value = 1}, {.value = 1}, {.value = 1}}

static struct program_step steps[] = {
	{.kind = PROGRAM_STEP_LAUNCH, ONE, .args = add_args, .arg_count = 1},
	{.kind = PROGRAM_STEP_REPEAT, .count = 3, .body_count = 1},
	{.kind = PROGRAM_STEP_LAUNCH, ONE, .part_index = 1},
	{.kind = PROGRAM_STEP_LAUNCH, ONE, .args = add_args, .arg_count = 1},
	{.kind = PROGRAM_STEP_COPY,
	 .to_offset = {.value = 4},
	 .bytes = {.value = 4}},
	{.kind = PROGRAM_STEP_COPY,
	 .from_index = 1,
	 .to_offset = {.value = 32},
	 .bytes = {.value = 16}},
	{.kind = PROGRAM_STEP_FILL,
	 .to_offset = {.value = 60},
	 .bytes = {.value = 2},
	 .with = {.value = 0xcd}},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct program program(void)
{
	return (struct program){
		.buffers = buffers,
		.buffer_count = COUNT(buffers),
		.symbols = symbols,
		.symbol_count = COUNT(symbols),
		.parts = parts,
		.part_count = COUNT(parts),
		.steps = steps,
		.step_count = COUNT(steps),
	};
}

static void run(struct kit *k)
{
	struct arena *a = arena_new(16u << 20);
	struct program p = program();
	struct program_task task = {0};
	struct bytes input = BYTES_LIT("0123456789abcdef");
	struct program_walk walk;
	struct program_launch step;
	struct cuda_task t;
	uint8_t got[64];
	uint32_t counter = 0;

	cr_assert_eq(program_object_count(&p), 3);
	kit_ok(k,
	       cuda_task_begin(&t, k->card, a, &p, &task, &input, 1, &k->diag));
	program_walk_start(&walk, &p);
	while (program_walk_next(&walk, &step) == ERR_OK)
		kit_ok(k, cuda_task_step(&t, &step, &k->diag));
	kit_ok(k, cuda_task_get(&t, 0, 0, sizeof(got), got, &k->diag));
	kit_ok(k, cuda_task_get(&t, 2, 0, 4, &counter, &k->diag));
	/* ((7 + 5) * 8) + 5 */
	cr_expect_eq(counter, 101);
	cr_expect_eq(got[0], 101);
	cr_expect_eq(got[4], 101);
	cr_expect_eq(got[8], 0xab);
	cr_expect_eq(memcmp(got + 32, "0123456789abcdef", 16), 0);
	cr_expect_eq(got[59], 0xab);
	cr_expect_eq(got[60], 0xcd);
	cr_expect_eq(got[61], 0xcd);
	cr_expect_eq(got[62], 0xab);
	cr_expect_eq(cuda_task_get(&t, 0, 60, 5, got, &k->diag), ERR_REFUSED);
	cr_expect_eq(cuda_task_get(&t, 3, 0, 1, got, &k->diag), ERR_REFUSED);
	cuda_task_end(&t);
	arena_free(a);
	kit_end(k);
}

Test(gpu_cuda_task, variables_copies_and_fills)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k;

	for (o.seed = 0; o.seed < 5; o.seed++)
		run(kit_standin(&o));
	k = kit_real();
	if (k)
		run(k);
}

Test(gpu_cuda_task, inputs_must_fit)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k = kit_standin(&o);
	struct arena *a = arena_new(1u << 20);
	struct program p = program();
	struct program_task task = {0};
	struct bytes input = BYTES_LIT("too short");
	struct cuda_task t;

	cr_expect_eq(
		cuda_task_begin(&t, k->card, a, &p, &task, &input, 1, &k->diag),
		ERR_MALFORMED);
	cuda_task_end(&t);
	cr_expect_eq(
		cuda_task_begin(&t, k->card, a, &p, &task, NULL, 0, &k->diag),
		ERR_MALFORMED);
	cuda_task_end(&t);
	arena_free(a);
	kit_end(k);
}

Test(gpu_cuda_task, more_memory_than_the_card_has)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k;
	struct arena *a = arena_new(1u << 20);
	struct program p = program();
	struct program_task task = {0};
	struct bytes input = BYTES_LIT("0123456789abcdef");
	struct cuda_task t;

	struct program_buffer large[] = {{.bytes = o.heap_bytes}, buffers[1]};

	p.buffers = large;
	k = kit_standin(&o);
	cr_expect_eq(
		cuda_task_begin(&t, k->card, a, &p, &task, &input, 1, &k->diag),
		ERR_CUDA);
	cr_expect_eq(k->diag.reason, REASON_limit_memory);
	cuda_task_end(&t);
	arena_free(a);
	kit_end(k);
}
