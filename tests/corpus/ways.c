/*
 * The kernels of the corpus in other ways: CTAs in other orders, by several
 * threads, in parts, lanes by chance: the same bytes.  And with the witness in
 * their text: the same witness, too, as the executor finds natively.
 */
#define _GNU_SOURCE /* mkstemp */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/merkle.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/instrument.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/print.h"
#include "tests/corpus/corpus.h"

static uint32_t compared, assembled;

static const uint8_t seed32[32] = {7, 1};

/* One way to run a kernel: its own buffers, and one for the mixes. */
struct side {
	struct exec_module *m;
	struct exec_buffer buffers[SPEC_PARAMS_MAX + 1];
	struct exec_reloc relocs[SPEC_PARAMS_MAX + 1];
	uint32_t buffer_count;
	uint8_t params[1024];
	struct exec_result result;
};

struct pair {
	struct arena *a;
	const char *source;
	const struct spec_kernel *k;
	uint64_t ctas, threads;
	struct side native, text, other;
};

/* How the executor runs one side. */
struct way {
	bool has_witness;
	uint64_t seed; /* of orders; 0: its own */
	uint32_t threads, group_lanes;
	uint64_t parts; /* of the grid, one after the other */
};

static bool load(struct arena *a, struct bytes text, struct ptx_module **ret_pm,
		 struct exec_module **ret_m)
{
	struct exec_module_options options = {.stack_bytes = 32768};
	struct exec_refusal why = {0};
	struct ptx_diag diag = {0};
	cr_expect_eq(ptx_parse(a, text, ret_pm, &diag), ERR_OK, "line %u: %s",
		     diag.line, diag.text);
	if (diag.code != ERR_OK)
		return false;
	enum err e = exec_module_load(*ret_pm, &options, ret_m, &why);
	cr_expect_eq(e, ERR_OK, "line %u: %s", why.line, why.text);
	return e == ERR_OK;
}

static void add_buffer(struct side *s, uint8_t *data, uint64_t bytes,
		       uint32_t param_offset)
{
	s->relocs[s->buffer_count] = (struct exec_reloc){
		.param_offset = param_offset, .buffer = s->buffer_count};
	s->buffers[s->buffer_count++] = (struct exec_buffer){
		.data = data, .bytes = bytes, .writable = true};
}

static void fill(const struct pair *p, struct side *s)
{
	struct exec_param place;
	for (uint32_t i = 0; i < p->k->param_count; i++) {
		const struct spec_param *v = &p->k->params[i];
		exec_kernel_param(s->m, bytes_str(p->k->name), i, &place);
		if (!v->is_buffer) {
			spec_fill(p->k, i, s->params + place.offset_bytes);
			continue;
		}
		uint8_t *data = arena_alloc(p->a, spec_bytes(v), 64);
		spec_fill(p->k, i, data);
		add_buffer(s, data, spec_bytes(v), place.offset_bytes);
	}
}

static void run(const struct pair *p, struct side *s, const struct way *way)
{
	struct exec_kernel kernel;
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_launch in = {.kernel = bytes_str(p->k->name),
				 .shared_bytes = p->k->shared_bytes,
				 .relocs = s->relocs,
				 .reloc_count = s->buffer_count,
				 .buffers = s->buffers,
				 .buffer_count = s->buffer_count};
	memcpy(in.grid, p->k->grid, sizeof(in.grid));
	memcpy(in.block, p->k->block, sizeof(in.block));
	cr_assert_eq(exec_kernel_find(s->m, in.kernel, &kernel), ERR_OK);
	cr_assert_leq(kernel.param_bytes, sizeof(s->params));
	in.params = bytes_of(s->params, kernel.param_bytes);
	o.witness_seed32 = way->has_witness ? seed32 : NULL;
	o.shuffle_seed = o.schedule_seed = way->seed;
	o.threads = way->threads;
	o.group_lanes = way->group_lanes;
	for (uint64_t i = 0; i < way->parts; i++) {
		in.cta_first = p->ctas * i / way->parts;
		in.cta_count = p->ctas * (i + 1) / way->parts - in.cta_first;
		if (in.cta_count == 0)
			continue;
		cr_assert_eq(exec_run(s->m, &in, &o, p->a, &s->result), ERR_OK);
		if (s->result.outcome != EXEC_OK)
			return;
	}
}

/* From the mixes that the instrumented kernel wrote. */
static struct hash witness(const struct pair *p, const uint8_t *mixes)
{
	struct hash *list = ARENA_ARRAY(p->a, p->ctas, struct hash);
	for (uint64_t i = 0; i < p->ctas; i++) {
		struct sha256 s;
		sha256_init_tag(&s, "weft/threads");
		sha256_put(&s, mixes + i * p->threads * 8, p->threads * 8);
		list[i] = sha256_end(&s);
	}
	return p->ctas == 1 ? list[0] : merkle_list_root(list, p->ctas);
}

/* The same bytes as the native run's in all its buffers. */
static void expect_bytes(const struct pair *p, const struct side *s,
			 const char *what)
{
	cr_expect_eq(s->result.outcome, EXEC_OK, "%s %s %s: %s, line %u",
		     p->source, p->k->name, what,
		     exec_reason_word(s->result.reason), s->result.line);
	for (uint32_t i = 0; i < p->native.buffer_count; i++)
		cr_expect_eq(memcmp(p->native.buffers[i].data,
				    s->buffers[i].data,
				    p->native.buffers[i].bytes),
			     0, "%s %s %s: buffer %u", p->source, p->k->name,
			     what, i);
}

static void compare_orders(struct pair *p)
{
	static const struct way ways[] = {
		{.seed = 11, .threads = 3, .parts = 1},
		{.seed = 12, .threads = 1, .group_lanes = 32, .parts = 3},
		{.threads = 2, .group_lanes = 8, .parts = 2},
	};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char what[32];
		snprintf(what, sizeof(what), "way %zu", i);
		p->other = (struct side){.m = p->native.m};
		fill(p, &p->other);
		run(p, &p->other, &ways[i]);
		expect_bytes(p, &p->other, what);
	}
}

static void compare(struct pair *p)
{
	static const struct way traced = {.has_witness = true, .parts = 1};
	static const struct way plain = {.parts = 1};
	struct exec_param place;
	uint64_t bytes = p->ctas * p->threads * 8;
	uint8_t *mixes = arena_alloc(p->a, bytes, 64);
	memset(mixes, 0, bytes);
	fill(p, &p->native);
	fill(p, &p->text);
	exec_kernel_param(p->text.m, bytes_str(p->k->name), p->k->param_count,
			  &place);
	add_buffer(&p->text, mixes, bytes, place.offset_bytes);
	run(p, &p->native, &traced);
	run(p, &p->text, &plain);
	cr_expect_eq(p->native.result.outcome, EXEC_OK);
	expect_bytes(p, &p->text, "instrumented");
	struct hash h = witness(p, mixes);
	cr_expect(hash_eq(&h, &p->native.result.witness), "%s %s: witness",
		  p->source, p->k->name);
	compare_orders(p);
	compared++;
}

/* One kernel in ten, where there is ptxas. */
static void assemble(struct bytes text, const char *name)
{
	const char *ptxas = getenv("WEFT_PTXAS");
	char path[] = "/tmp/weft-witness-XXXXXX", command[512];
	if (ptxas == NULL || assembled++ % 10 != 0)
		return;
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text.p, text.n), (ssize_t)text.n);
	close(fd);
	snprintf(command, sizeof(command), "%s -arch=sm_90 -O0 -o /dev/null %s",
		 ptxas, path);
	cr_expect_eq(system(command), 0, "%s is not assembled", name);
	unlink(path);
}

static void check_kernel(struct arena *a, const struct corpus_text *t,
			 const struct spec_kernel *k, struct ptx_module *tree,
			 struct exec_module *m)
{
	struct ptx_instrument options = {.witness_seed32 = seed32};
	struct ptx_diag diag = {0};
	struct ptx_module *more;
	struct buf out = buf_make(PTX_TEXT_BYTES_MAX);
	struct pair p = {.a = a, .source = t->source, .k = k};
	uint32_t kernel = ptx_module_find(tree, bytes_str(k->name));
	p.ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
	p.threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	p.native.m = m;
	enum err e = ptx_instrument(a, tree, kernel, &options, &out, &diag);
	cr_expect_eq(e, ERR_OK, "%s %s: line %u: %s", t->source, k->name,
		     diag.line, diag.text);
	if (e == ERR_OK && load(a, buf_bytes(&out), &more, &p.text.m)) {
		compare(&p);
		assemble(buf_bytes(&out), k->name);
		exec_module_free(p.text.m);
	}
	buf_free(&out);
}

static void check_text(const struct corpus_text *t)
{
	for (uint32_t i = 0; i < t->spec_count; i++) {
		const struct spec_kernel *k = &t->specs[i];
		struct arena *a = arena_new(PTX_ARENA_BYTES);
		struct ptx_module *pm, *tree;
		struct exec_module *m;
		struct buf out = buf_make(PTX_TEXT_BYTES_MAX);
		cr_assert_eq(ptx_parse(a, t->ptx, &pm, NULL), ERR_OK);
		uint32_t at = ptx_module_find(pm, bytes_str(k->name));
		if (at != PTX_NO_INDEX && !spec_has(k, "norun") &&
		    k->sale == 'A' &&
		    ptx_print(a, pm, &at, 1, &out, NULL, NULL) == ERR_OK &&
		    load(a, buf_bytes(&out), &tree, &m)) {
			check_kernel(a, t, k, tree, m);
			exec_module_free(m);
		}
		buf_free(&out);
		arena_free(a);
	}
}

Test(corpus, ways_and_witnesses_agree)
{
	struct arena *texts = arena_new(128u << 20);
	struct corpus_text *t;
	uint32_t n = corpus_open(texts, corpus_variants[0], &t);
	for (uint32_t i = 0; i < n; i++)
		check_text(&t[i]);
	cr_expect_geq(compared, 80, "%u kernels compared", compared);
	arena_free(texts);
}
