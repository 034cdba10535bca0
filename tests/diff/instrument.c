/*
 * The witness and the finder as PTX against those of the executor: random
 * kernels, instrumented, run by the executor itself, must leave the same
 * bytes, the same mix of each thread and the same CTAs for each range.
 *
 * instrument [--count N] [--seed S] [--print]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "base/must.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/instrument.h"
#include "tests/support/kernels/kernels.h"

#define RANGES	 6u
#define CTAS_MAX 8u

struct job {
	struct kernels_case k;
	struct arena *arena;
	uint64_t seed;
	uint8_t seed32[32];
	uint8_t in[KERNELS_IN_BYTES];
	uint8_t *out[2]; /* of the plain and of the instrumented kernel */
	struct exec_range ranges[RANGES];
	uint32_t threads, ctas;
	uint8_t *mixes; /* 8 bytes a thread */
	uint8_t table[RANGES * PTX_INSTRUMENT_RANGE_BYTES];
	struct exec_result native;
};

static bool load(struct job *j, struct bytes text, struct ptx_module **ret_tree,
		 struct exec_module **ret_module)
{
	struct ptx_diag diag = {0};
	struct exec_refusal why = {0};
	struct exec_module_options options = {.stack_bytes =
						      KERNELS_STACK_BYTES};
	if (ptx_parse(j->arena, text, ret_tree, &diag) != ERR_OK) {
		printf("seed %llu: line %u: %s\n", (unsigned long long)j->seed,
		       diag.line, diag.text);
		return false;
	}
	if (exec_module_load(*ret_tree, &options, ret_module, &why) != ERR_OK) {
		printf("seed %llu: line %u: %s\n", (unsigned long long)j->seed,
		       why.line, why.text);
		return false;
	}
	return true;
}

static void choose_ranges(struct job *j)
{
	uint64_t state = j->seed ^ 0x1234567;
	for (uint32_t i = 0; i < RANGES; i++) {
		uint32_t bytes = i % 2 == 0 ? j->k.out_bytes : KERNELS_IN_BYTES;
		uint64_t at = kernels_draw(&state) % bytes;
		uint64_t n = 1 + kernels_draw(&state) % (i < 2 ? bytes : 64);
		j->ranges[i] = (struct exec_range){
			.buffer = i % 2,
			.offset = at,
			.bytes = n < bytes - at ? n : bytes - at};
		uint8_t *p = j->table + i * PTX_INSTRUMENT_RANGE_BYTES;
		uint64_t base = EXEC_BUFFER_BASE(i % 2) + at;
		put_u64_le(p, base);
		put_u64_le(p + 8, base + j->ranges[i].bytes);
		memset(p + 16, 0xff, 16);
	}
}

/* traced: natively; else the instrumented kernel, whose parameters go on. */
static struct exec_result run(struct job *j, const struct exec_module *m,
			      bool traced)
{
	uint8_t params[20] = {0};
	struct exec_buffer buffers[4] = {
		{.data = j->out[traced ? 0 : 1],
		 .bytes = j->k.out_bytes,
		 .writable = true},
		{.data = j->in, .bytes = sizeof(j->in)},
		{.data = j->mixes,
		 .bytes = 8ull * j->threads * j->ctas,
		 .writable = true},
		{.data = j->table,
		 .bytes = sizeof(j->table),
		 .writable = true}};
	struct exec_reloc relocs[4] = {{.param_offset = 0, .buffer = 0},
				       {.param_offset = 8, .buffer = 1},
				       {.param_offset = 24, .buffer = 2},
				       {.param_offset = 32, .buffer = 3}};
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .params = bytes_of(params, sizeof(params)),
				 .relocs = relocs,
				 .reloc_count = traced ? 2 : 4,
				 .buffers = buffers,
				 .buffer_count = traced ? 2 : 4};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	memcpy(in.grid, j->k.grid, sizeof(in.grid));
	memcpy(in.block, j->k.block, sizeof(in.block));
	put_u32_le(params + 16, j->k.word);
	if (traced) {
		o.witness_seed32 = j->seed32;
		o.ranges = j->ranges;
		o.range_count = RANGES;
	}
	must(exec_run(m, &in, &o, j->arena, &r) == ERR_OK);
	return r;
}

static struct hash witness(const struct job *j)
{
	struct hash list[CTAS_MAX];
	must(j->ctas <= CTAS_MAX);
	for (uint32_t i = 0; i < j->ctas; i++) {
		struct sha256 s;
		sha256_init_tag(&s, "weft/threads");
		sha256_put(&s, j->mixes + (size_t)i * j->threads * 8,
			   (size_t)j->threads * 8);
		list[i] = sha256_end(&s);
	}
	return j->ctas == 1 ? list[0] : merkle_list_root(list, j->ctas);
}

/* What differs; NULL: nothing. */
static const char *difference(const struct job *j, const struct exec_result *r)
{
	struct hash h = witness(j);
	if (r->outcome != j->native.outcome || r->outcome != EXEC_OK)
		return exec_reason_word(r->reason);
	if (memcmp(j->out[0], j->out[1], j->k.out_bytes) != 0)
		return "bytes";
	if (!hash_eq(&h, &j->native.witness))
		return "witness";
	for (uint32_t i = 0; i < RANGES; i++) {
		const struct exec_found *f = &j->native.found[i];
		const uint8_t *p = j->table + i * PTX_INSTRUMENT_RANGE_BYTES;
		if (u64_le(p + 16) != (f->written ? f->writer : UINT64_MAX))
			return "writer";
		if (u64_le(p + 24) != (f->read ? f->reader : UINT64_MAX))
			return "reader";
	}
	return NULL;
}

static bool compare(struct job *j, struct buf *text, bool print)
{
	struct ptx_instrument options = {.witness_seed32 = j->seed32,
					 .range_count = RANGES};
	struct ptx_module *tree;
	struct exec_module *plain, *more;
	struct ptx_diag diag = {0};
	if (!load(j, buf_bytes(&j->k.text), &tree, &plain))
		return false;
	j->native = run(j, plain, true);
	exec_module_free(plain);
	uint32_t kernel = ptx_module_find(tree, BYTES_LIT("k"));
	if (ptx_instrument(j->arena, tree, kernel, &options, text, &diag) !=
	    ERR_OK) {
		printf("seed %llu: line %u: %s\n", (unsigned long long)j->seed,
		       diag.line, diag.text);
		return false;
	}
	if (print)
		fwrite(text->p, 1, text->n, stdout);
	if (!load(j, buf_bytes(text), &tree, &more))
		return false;
	struct exec_result r = run(j, more, false);
	exec_module_free(more);
	const char *what = difference(j, &r);
	if (what != NULL)
		printf("seed %llu: %s, line %u\n", (unsigned long long)j->seed,
		       what, r.line);
	return what == NULL;
}

static bool one(struct arena *a, uint64_t seed, bool print)
{
	struct job j = {.arena = a, .seed = seed};
	struct buf text = buf_make(8u << 20);
	arena_reset(a);
	kernels_make(seed, 0, &j.k);
	kernels_input(seed, j.in, sizeof(j.in));
	put_u64_le(j.seed32, seed);
	j.threads = j.k.block[0] * j.k.block[1];
	j.ctas = j.k.grid[0] * j.k.grid[1];
	for (uint32_t i = 0; i < 2; i++)
		must((j.out[i] = calloc(1, j.k.out_bytes)) != NULL);
	must((j.mixes = calloc(j.ctas, (size_t)j.threads * 8)) != NULL);
	choose_ranges(&j);
	bool ok = compare(&j, &text, print);
	free(j.out[0]);
	free(j.out[1]);
	free(j.mixes);
	buf_free(&j.k.text);
	buf_free(&text);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t count = 500, seed = 1, equal = 0;
	bool print = false;
	for (int i = 1; i < argc; i++) {
		if (i + 1 < argc && strcmp(argv[i], "--count") == 0)
			count = strtoull(argv[++i], NULL, 0);
		else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[++i], NULL, 0);
		else if (strcmp(argv[i], "--print") == 0)
			print = true;
		else {
			fprintf(stderr, "instrument [--count N] [--seed S] "
					"[--print]\n");
			return 2;
		}
	}
	struct arena *a = arena_new(PTX_ARENA_BYTES);
	must(a != NULL);
	for (uint64_t i = 0; i < count; i++)
		equal += one(a, seed + i, print);
	printf("%llu kernels from seed %llu: %llu equal\n",
	       (unsigned long long)count, (unsigned long long)seed,
	       (unsigned long long)equal);
	arena_free(a);
	return equal == count && count > 0 ? 0 : 1;
}
