/*
 * card [--seeds N] [--steps N] [EXAMPLE]...: the examples on a card.
 *
 * The first task of every example, through gpu/cuda, on the hostile stand-in
 * under N seeds, and on a real card where there is one: after each step all
 * memory objects must hold the bytes of the referee.  A long example stops
 * after --steps steps.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/build/build.h"
#include "gpu/build/manifest.h"
#include "gpu/cuda/task.h"
#include "gpu/worker/priv/machine.h"
#include "tests/support/cuda/standin.h"

#define ARENA_BYTES (4ull << 30)
#define NAMES_MAX   32

static const char *const all_names[] = {
	"mandelbrot", "nbody",	    "matmul",	    "dedup",
	"sobel",      "hashsearch", "blackscholes", "histogram",
};

/* An example, and the memory that the referee gives after each step. */
struct example {
	struct worker w;
	struct program p;
	struct program_task task;
	struct bytes inputs[PROGRAM_BUFFERS_MAX];
	uint32_t input_count;
	struct machine m;
	uint64_t steps;
	uint8_t **objects; /* [step * object_count + object] */
};

static uint64_t steps_max = 12;

static void fail(const char *name, const char *why)
{
	fprintf(stderr, "card: %s: %s\n", name, why);
	exit(1);
}

static struct bytes read_all(struct arena *a, const struct build_files *files,
			     const char *name)
{
	struct build_source s = {BUILD_SOURCE_PATH, bytes_str(name), {0, 0}};
	struct build_data data;
	const char *why = "";
	struct bytes copy;

	if (build_open(files, &s, 4u << 20, &data, &why) != ERR_OK)
		fail(name, why);
	copy = arena_copy(a, data.bytes);
	build_close(files, &s, &data);
	must(copy.p);
	return copy;
}

/* Program and first task, from the committed PTX; false: an input of the
 * buyer's is not on this machine. */
static bool build_example(struct example *x, const char *name)
{
	struct arena *a = x->w.arena;
	struct build_files_folder folder;
	struct build_files files;
	struct build_text ptx[MANIFEST_SOURCES_MAX];
	struct build_unit *units;
	struct build_result built;
	struct build_task task;
	struct build_diag d = {0};
	struct manifest m;
	uint32_t n = 0;
	char path[512];

	snprintf(path, sizeof(path), "%s/examples/%s", WEFT_SOURCE_DIR, name);
	folder.folder_fd = open(path, O_RDONLY | O_DIRECTORY);
	files = build_files_folder(&folder);
	if (manifest_read(a, read_all(a, &files, "manifest.json"), name, &files,
			  &m, &d) ||
	    build_units(a, &m, &files, &units, &n, &d))
		fail(name, d.text);
	for (uint32_t i = 0; i < n; i++) {
		ptx[i].name = build_ptx_name(a, units[i].source.name);
		must(ptx[i].name);
		ptx[i].text = read_all(a, &files, ptx[i].name);
	}
	if (build_program(a, &m, ptx, n, &files, &built, &d))
		fail(name, d.text);
	must(program_decode(a, built.encoding, &x->p) == ERR_OK);
	if (build_task_open(a, &m, &files, &built.id, 0, &task, &d)) {
		printf("%-14s skipped: %s\n", name, d.text);
		close(folder.folder_fd);
		return false;
	}
	x->task = task.task;
	x->input_count = x->task.input_count;
	for (uint32_t i = 0; i < x->input_count; i++) {
		x->inputs[i] = arena_copy(a, task.inputs[i]);
		must(x->inputs[i].p || x->inputs[i].n == 0);
	}
	build_task_close(&files, &task);
	close(folder.folder_fd);
	return true;
}

/* The referee's way, without anything hostile. */
static void run_referee(struct example *x, const char *name)
{
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct program_launch step;
	struct program_walk walk;
	uint32_t used = 0;

	if (machine_init(&x->m, &x->w, &x->p, &x->task, NULL, 0))
		fail(name, "no machine");
	for (uint32_t i = 0; i < x->p.buffer_count; i++) {
		if (x->p.buffers[i].init != PROGRAM_INIT_INPUT)
			continue;
		must(x->inputs[used].n == x->m.buffers[i].bytes);
		memcpy(x->m.buffers[i].data, x->inputs[used].p,
		       x->inputs[used].n);
		used++;
	}
	x->steps = program_launch_count(&x->p);
	if (x->steps > steps_max)
		x->steps = steps_max;
	x->objects = ARENA_ARRAY(
		x->w.arena, (x->steps + 1) * x->m.object_count + 1, uint8_t *);
	must(x->objects);
	program_walk_start(&walk, &x->p);
	while (program_walk_next(&walk, &step) == ERR_OK &&
	       step.number <= x->steps) {
		struct exec_result r;

		if (machine_step(&x->m, &step, &o, &r) || r.outcome != EXEC_OK)
			fail(name, "the referee does not run it");
		for (uint32_t i = 0; i < x->m.object_count; i++)
			x->objects[step.number * x->m.object_count + i] =
				(uint8_t *)(uintptr_t)arena_copy(
					x->w.arena,
					bytes_of(x->m.buffers[i].data,
						 x->m.buffers[i].bytes))
					.p;
	}
}

static bool more(void *ctx, uint64_t looks)
{
	bool is_real = *(const bool *)ctx;

	if (is_real)
		usleep(200);
	return looks < (is_real ? 300000 : 1000);
}

/* Objects after a step; false: other bytes than the referee's. */
static bool same_memory(struct example *x, struct cuda_task *t, uint64_t k,
			const char *name, uint8_t *room)
{
	struct cuda_diag d;

	for (uint32_t i = 0; i < x->m.object_count; i++) {
		uint64_t bytes = program_object_bytes(&x->p, i);
		const uint8_t *want = x->objects[k * x->m.object_count + i];

		if (cuda_task_get(t, i, 0, bytes, room, &d))
			fail(name, d.text);
		for (uint64_t at = 0; at < bytes; at++) {
			if (room[at] == want[at])
				continue;
			printf("%s: step %llu, object %u, byte %llu: %02x, "
			       "not %02x\n",
			       name, (unsigned long long)k, (unsigned)i,
			       (unsigned long long)at, room[at], want[at]);
			return false;
		}
	}
	return true;
}

static bool run_card(struct example *x, const struct cuda_driver *d,
		     bool is_real, const char *name)
{
	struct cuda_wait wait = {more, &is_real};
	struct cuda_diag diag = {0};
	struct program_launch step;
	struct program_walk walk;
	struct cuda_card *card;
	struct cuda_task t;
	struct arena *a = arena_new(ARENA_BYTES);
	uint8_t *room;
	uint64_t most = 1;
	bool good = true;

	must(a);
	for (uint32_t i = 0; i < x->m.object_count; i++)
		if (program_object_bytes(&x->p, i) > most)
			most = program_object_bytes(&x->p, i);
	room = malloc(most);
	must(room);
	if (cuda_card_open(d, 0, wait, &card, &diag) ||
	    cuda_task_begin(&t, card, a, &x->p, &x->task, x->inputs,
			    x->input_count, &diag))
		fail(name, diag.text);
	program_walk_start(&walk, &x->p);
	while (good && program_walk_next(&walk, &step) == ERR_OK &&
	       step.number <= x->steps) {
		if (cuda_task_step(&t, &step, &diag))
			fail(name, diag.text);
		good = same_memory(x, &t, step.number, name, room);
	}
	cuda_task_end(&t);
	cuda_card_close(card);
	arena_free(a);
	free(room);
	return good;
}

static uint64_t heap_bytes(const struct example *x)
{
	uint64_t n = 1u << 20;

	for (uint32_t i = 0; i < x->m.object_count; i++)
		n += 2 * program_object_bytes(&x->p, i) + 512;
	return n;
}

static bool run_seeds(struct example *x, const char *name, uint64_t seeds,
		      const struct cuda_driver *real)
{
	bool good = true;

	run_referee(x, name);
	for (uint64_t s = 0; s < seeds && good; s++) {
		struct standin_options o = STANDIN_DEFAULT;
		struct cuda_driver d;

		o.seed = s;
		o.heap_bytes = heap_bytes(x);
		o.schedules = s % 4 == 3;
		d = standin_start(&o);
		good = run_card(x, &d, false, name);
		must(standin_in_use() == 0);
	}
	standin_stop();
	if (good && real)
		good = run_card(x, real, true, name);
	printf("%-14s %llu steps, %llu seeds%s: %s\n", name,
	       (unsigned long long)x->steps, (unsigned long long)seeds,
	       real ? " and a card" : "",
	       good ? "the referee's bytes" : "DIFFERS");
	return good;
}

static bool run_example(const char *name, uint64_t seeds,
			const struct cuda_driver *real)
{
	struct example *x = calloc(1, sizeof(*x));
	bool good = true;

	must(x);
	x->w.arena = arena_new(ARENA_BYTES);
	x->w.limits.memory_bytes = ARENA_BYTES;
	x->w.limits.threads = 1;
	x->w.words = buf_make(4096);
	must(x->w.arena);
	if (build_example(x, name))
		good = run_seeds(x, name, seeds, real);
	for (uint32_t i = 0; x->m.modules && i < x->p.part_count; i++)
		exec_module_free(x->m.modules[i]);
	arena_free(x->w.arena);
	buf_free(&x->w.words);
	free(x);
	return good;
}
int main(int argc, char **argv)
{
	const char *names[NAMES_MAX];
	struct cuda_driver real;
	struct cuda_diag diag;
	uint64_t seeds = 20;
	int count = 0;
	bool has_real, good = true;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc)
			seeds = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
			steps_max = strtoull(argv[++i], NULL, 10);
		else if (count < NAMES_MAX)
			names[count++] = argv[i];
	}
	if (count == 0)
		for (size_t i = 0; i < sizeof(all_names) / sizeof(*all_names);
		     i++)
			names[count++] = all_names[i];
	has_real = cuda_driver_load(&real, &diag) == ERR_OK;
	if (!has_real)
		printf("skipped on a card: %s\n", diag.text);
	for (int i = 0; i < count; i++)
		good &= run_example(names[i], seeds, has_real ? &real : NULL);
	if (has_real)
		cuda_driver_unload(&real);
	return good ? 0 : 1;
}
