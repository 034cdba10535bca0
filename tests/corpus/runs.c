/*
 * The kernels of the corpus on the executor, against what the same sources
 * give as host C++ (reference.txt): equal bytes in every buffer.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/print.h"
#include "tests/corpus/corpus.h"

static uint32_t compared;

/* Under the sanitizer, which must find nothing. */
static bool sanitizes;

struct run {
	const char *variant;
	const struct corpus_text *text;
	const struct spec_kernel *k;
	struct exec_buffer buffers[SPEC_PARAMS_MAX];
	struct exec_reloc relocs[SPEC_PARAMS_MAX];
	uint32_t buffer_count;
	uint8_t params[512];
};

/* "hashing sha256_blocks 0123456789abcdef ...", or NULL. */
static const char *reference(struct bytes table, const struct run *r)
{
	char head[160];
	snprintf(head, sizeof(head), "\n%s %s ", r->text->source, r->k->name);
	const char *at = strstr((const char *)table.p, head);
	return at == NULL ? NULL : at + strlen(head);
}

static void fill(struct arena *a, struct run *r, const struct exec_module *m)
{
	for (uint32_t i = 0; i < r->k->param_count; i++) {
		const struct spec_param *p = &r->k->params[i];
		struct exec_param place;
		exec_kernel_param(m, bytes_str(r->k->name), i, &place);
		cr_assert_leq(place.offset_bytes + place.size_bytes,
			      sizeof(r->params));
		if (!p->is_buffer) {
			cr_assert_leq(spec_bytes(p), place.size_bytes);
			spec_fill(r->k, i, r->params + place.offset_bytes);
			continue;
		}
		uint8_t *data = arena_alloc(a, spec_bytes(p), 64);
		spec_fill(r->k, i, data);
		r->relocs[r->buffer_count] =
			(struct exec_reloc){.param_offset = place.offset_bytes,
					    .buffer = r->buffer_count};
		r->buffers[r->buffer_count++] = (struct exec_buffer){
			.data = data, .bytes = spec_bytes(p), .writable = true};
	}
}

static void compare(const struct run *r, const char *want)
{
	for (uint32_t i = 0; i < r->buffer_count; i++) {
		uint64_t bits = 0;
		int used = 0;
		cr_assert_eq(sscanf(want, "%" SCNx64 "%n", &bits, &used), 1);
		want += used;
		cr_expect_eq(
			spec_digest(r->buffers[i].data, r->buffers[i].bytes),
			bits, "%s %s %s: buffer %u", r->variant,
			r->text->source, r->k->name, i);
	}
	compared++;
}

static void run_kernel(struct arena *a, struct run *r,
		       const struct exec_module *m, const char *want)
{
	fill(a, r, m);
	struct exec_launch in = {
		.kernel = bytes_str(r->k->name),
		.shared_bytes = r->k->shared_bytes,
		.params = {r->params, sizeof(r->params)},
		.relocs = r->relocs,
		.reloc_count = r->buffer_count,
		.buffers = r->buffers,
		.buffer_count = r->buffer_count,
	};
	struct exec_options options = EXEC_OPTIONS_DEFAULT;
	struct exec_kernel kernel;
	struct exec_result res;
	options.count_max = 100000000;
	options.sanitize = sanitizes;
	memcpy(in.grid, r->k->grid, sizeof(in.grid));
	memcpy(in.block, r->k->block, sizeof(in.block));
	cr_assert_eq(exec_kernel_find(m, in.kernel, &kernel), ERR_OK);
	in.params.n = kernel.param_bytes;
	cr_assert_eq(exec_run(m, &in, &options, a, &res), ERR_OK);
	cr_expect_eq(res.finding_count, 0, "%s %s %s", r->variant,
		     r->text->source, r->k->name);
	cr_expect_eq(res.outcome, EXEC_OK, "%s %s %s: %s at line %u",
		     r->variant, r->text->source, r->k->name,
		     exec_reason_word(res.reason), res.line);
	if (res.outcome == EXEC_OK)
		compare(r, want);
}

/* The canonical text of the kernels that have a reference, as a program has
 * it; NULL: there are none. */
static struct ptx_module *canonical(struct arena *a, const char *variant,
				    const struct corpus_text *t,
				    struct bytes table)
{
	struct ptx_module *pm;
	uint32_t kernels[SPEC_KERNELS_MAX], n = 0;
	cr_assert_eq(ptx_parse(a, t->ptx, &pm, NULL), ERR_OK);
	for (uint32_t i = 0; i < t->spec_count; i++) {
		struct run r = {.text = t, .k = &t->specs[i]};
		uint32_t at = ptx_module_find(pm, bytes_str(r.k->name));
		if (reference(table, &r) != NULL && at != PTX_NO_INDEX)
			kernels[n++] = at;
	}
	if (n == 0)
		return NULL;
	struct buf out = buf_make(PTX_TEXT_BYTES_MAX);
	struct ptx_diag why = {0};
	enum err e = ptx_print(a, pm, kernels, n, &out, NULL, &why);
	cr_assert_eq(e, ERR_OK, "%s %s: line %u: %s", variant, t->source,
		     why.line, why.text);
	struct bytes text = arena_copy(a, (struct bytes){out.p, out.n});
	buf_free(&out);
	cr_assert_eq(ptx_parse(a, text, &pm, NULL), ERR_OK);
	return pm;
}

static void run_text(const char *variant, const struct corpus_text *t,
		     struct bytes table)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES);
	struct ptx_module *pm = canonical(a, variant, t, table);
	struct exec_module *m = NULL;
	struct exec_refusal why = {0};
	struct exec_module_options options = {.stack_bytes = 32768};
	enum err e = ERR_NOT_FOUND;
	if (pm != NULL) {
		e = exec_module_load(pm, &options, &m, &why);
		cr_expect_eq(e, ERR_OK, "%s %s: line %u: %s", variant,
			     t->source, why.line, why.text);
	}
	for (uint32_t i = 0; e == ERR_OK && i < t->spec_count; i++) {
		struct run r = {
			.variant = variant, .text = t, .k = &t->specs[i]};
		const char *want = reference(table, &r);
		if (want != NULL &&
		    ptx_module_find(pm, bytes_str(r.k->name)) != PTX_NO_INDEX)
			run_kernel(a, &r, m, want);
	}
	if (e == ERR_OK)
		exec_module_free(m);
	arena_free(a);
}

static void run_variant(struct arena *texts, const char *variant,
			struct bytes table)
{
	struct corpus_text *t;
	uint32_t n = corpus_open(texts, variant, &t);
	for (uint32_t i = 0; i < n; i++)
		run_text(variant, &t[i], table);
}

Test(corpus, kernels_give_the_bytes_of_the_host)
{
	struct arena *texts = arena_new(128u << 20);
	struct bytes table = corpus_read(texts, "reference.txt");
	for (uint32_t v = 0; corpus_variants[v] != NULL; v++) {
		if (strstr(corpus_variants[v], "-off") != NULL)
			run_variant(texts, corpus_variants[v], table);
	}
	cr_expect_geq(compared, 500, "%u kernels compared", compared);
	arena_free(texts);
}

/* No false alarm in any of them; WEFT_HEAVY: in every variant. */
Test(corpus, the_sanitizer_finds_nothing)
{
	struct arena *texts = arena_new(128u << 20);
	struct bytes table = corpus_read(texts, "reference.txt");
	sanitizes = true;
	for (uint32_t v = 0; corpus_variants[v] != NULL; v++) {
		bool is_first = strcmp(corpus_variants[v], "nvrtc-90-off") == 0;
		if (is_first || (getenv("WEFT_HEAVY") != NULL &&
				 strstr(corpus_variants[v], "-off") != NULL))
			run_variant(texts, corpus_variants[v], table);
	}
	cr_expect_geq(compared, 90, "%u kernels compared", compared);
	arena_free(texts);
}
