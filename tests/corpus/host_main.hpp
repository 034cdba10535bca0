/*
 * tests/corpus/host_main - runs the kernels of one source on the host and
 * prints what their buffers hold.  contrib/corpus-ptx --reference includes it
 * behind the source, as C++.
 */
#ifndef WEFT_TESTS_CORPUS_HOST_MAIN_HPP
#define WEFT_TESTS_CORPUS_HOST_MAIN_HPP

#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/corpus/spec.h"

corpus_cta corpus;

struct host_kernel {
	const char *name;
	void (*call)(void **args);
};
extern const host_kernel host_kernels[];

template <class... A, size_t... I>
void host_apply(void (*f)(A...), void **args, std::index_sequence<I...>)
{
	f(*(std::remove_cv_t<A> *)args[I]...);
}
template <class... A> void host_call(void (*f)(A...), void **args)
{
	host_apply(f, args, std::index_sequence_for<A...>());
}
#define HOST_KERNEL(k) {#k, [](void **a) { host_call(k, a); }}

static const host_kernel *host_now;
static void **host_args;

static void host_fiber()
{
	host_now->call(host_args);
	corpus.now->done = true;
	corpus.gate.live--;
	if (corpus.gate.arrived > 0 && corpus.gate.arrived == corpus.gate.live) {
		corpus.gate.arrived = 0;
		corpus.gate.generation++;
	}
	corpus_yield();
}

static void host_run_cta()
{
	corpus.gate = {0, 0, corpus.count};
	memset(corpus.warps, 0, sizeof(corpus.warps));
	memset(corpus.dynamic, 0, sizeof(corpus.dynamic));
	for (unsigned i = 0; i < corpus.count; i++) {
		corpus_fiber *f = &corpus.fibers[i];
		f->done = false;
		f->linear = i;
		f->tid = {i % corpus.block.x, i / corpus.block.x % corpus.block.y, i / corpus.block.x / corpus.block.y};
		getcontext(&f->at);
		f->at.uc_stack.ss_sp = f->stack;
		f->at.uc_stack.ss_size = 1 << 17;
		makecontext(&f->at, host_fiber, 0);
	}
	for (bool any = true; any;) {
		any = false;
		for (unsigned i = 0; i < corpus.count; i++) {
			if (corpus.fibers[i].done)
				continue;
			any = true;
			corpus.now = &corpus.fibers[i];
			swapcontext(&corpus.home, &corpus.now->at);
		}
	}
}

static void host_run(const spec_kernel *k, const host_kernel *h)
{
	void *memory[SPEC_PARAMS_MAX], *args[SPEC_PARAMS_MAX];
	for (unsigned i = 0; i < k->param_count; i++) {
		memory[i] = aligned_alloc(256, (spec_bytes(&k->params[i]) + 511) / 256 * 256);
		spec_fill(k, i, (uint8_t *)memory[i]);
		args[i] = k->params[i].is_buffer ? (void *)&memory[i] : memory[i];
	}
	host_now = h;
	host_args = args;
	corpus.grid = {k->grid[0], k->grid[1], k->grid[2]};
	corpus.block = {k->block[0], k->block[1], k->block[2]};
	corpus.count = k->block[0] * k->block[1] * k->block[2];
	for (unsigned z = 0; z < k->grid[2]; z++)
		for (unsigned y = 0; y < k->grid[1]; y++)
			for (unsigned x = 0; x < k->grid[0]; x++) {
				corpus.ctaid = {x, y, z};
				host_run_cta();
			}
	printf("%s", k->name);
	for (unsigned i = 0; i < k->param_count; i++)
		if (k->params[i].is_buffer)
			printf(" %016llx", (unsigned long long)spec_digest((uint8_t *)memory[i], spec_bytes(&k->params[i])));
	printf("\n");
	for (unsigned i = 0; i < k->param_count; i++)
		free(memory[i]);
}

int main(int argc, char **argv)
{
	static spec_kernel specs[SPEC_KERNELS_MAX];
	static char text[1 << 20];
	FILE *f = fopen(argv[1], "r");
	if (argc != 2 || f == NULL)
		return 1;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	unsigned n = spec_parse(text, specs);
	corpus.fibers = (corpus_fiber *)calloc(1024, sizeof(corpus_fiber));
	for (int i = 0; i < 1024; i++)
		corpus.fibers[i].stack = malloc(1 << 17);
	for (unsigned i = 0; i < n; i++)
		for (const host_kernel *h = host_kernels; h->name != NULL; h++)
			if (strcmp(h->name, specs[i].name) == 0)
				host_run(&specs[i], h);
	return n == 0;
}

#endif /* WEFT_TESTS_CORPUS_HOST_MAIN_HPP */
