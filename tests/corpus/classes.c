/*
 * Every kernel of every text: the class and the reason that its source names,
 * and a canonical text that is a fixed point and, where ptxas is installed,
 * assembles.
 */
#define _POSIX_C_SOURCE 200809L

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/ptx/classify.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/print.h"
#include "tests/corpus/corpus.h"

static uint32_t seen;

static struct ptx_module *parse(struct arena *a, struct bytes text,
				const char *what)
{
	struct ptx_module *m = NULL;
	struct ptx_diag diag = {0};
	enum err e = ptx_parse(a, text, &m, &diag);
	cr_expect_eq(e, ERR_OK, "%s: line %u: %s", what, diag.line, diag.text);
	return e == ERR_OK ? m : NULL;
}

static bool has_reason(const struct ptx_report *r, const char *word)
{
	for (uint32_t i = 0; i < r->reason_count; i++) {
		if (strcmp(ptx_why_word(r->reasons[i].why), word) == 0)
			return true;
	}
	return false;
}

/* exceptions.txt has a line for this kernel with what the report says. */
static bool is_known(struct bytes exceptions, const char *variant,
		     const struct corpus_text *t, const struct spec_kernel *k,
		     const struct ptx_report *r)
{
	char line[256];
	snprintf(line, sizeof(line), "\n%s %s %s %c %s\n", variant, t->source,
		 k->name, ptx_sale_letter(r->sale),
		 r->reason_count > 0 ? ptx_why_word(r->reasons[0].why) : "");
	return strstr((const char *)exceptions.p, line) != NULL;
}

static void check_kernel(struct arena *a, const char *variant,
			 const struct corpus_text *t, struct bytes exceptions,
			 const struct ptx_module *m, uint32_t kernel)
{
	const struct ptx_function *f = &m->functions[kernel];
	const struct spec_kernel *k = corpus_spec(t, f->name);
	struct ptx_report r;
	cr_assert_not_null(k, "%s: %.*s", t->source, (int)f->name.n,
			   (const char *)f->name.p);
	cr_assert_eq(ptx_classify(a, m, kernel, NULL, &r), ERR_OK);
	char first[160] = "";
	if (r.reason_count > 0)
		snprintf(first, sizeof(first), "%s line %u %s %s",
			 ptx_why_word(r.reasons[0].why), r.reasons[0].line,
			 r.reasons[0].opcode, r.reasons[0].detail);
	seen++;
	if (is_known(exceptions, variant, t, k, &r))
		return;
	cr_expect_eq(ptx_sale_letter(r.sale), k->sale,
		     "%s %s %s: %c, not %c: %s", variant, t->source, k->name,
		     ptx_sale_letter(r.sale), k->sale, first);
	if (ptx_sale_letter(r.sale) == k->sale && k->reason[0] != '\0') {
		bool said = strcmp(k->reason, "assumed") == 0
				    ? r.independence == PTX_ASSUMED
				    : has_reason(&r, k->reason);
		cr_expect(said, "%s %s %s: not %s but %s", variant, t->source,
			  k->name, k->reason, first);
	}
}

/* Whether ptxas takes the text for the target that it names. */
static bool assembles(const char *ptxas, struct bytes text)
{
	char in[] = "/tmp/weft-corpus-XXXXXX", command[1024];
	const char *target = strstr((const char *)text.p, "sm_");
	int fd = mkstemp(in);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text.p, text.n), (ssize_t)text.n);
	close(fd);
	snprintf(command, sizeof(command), "%s -arch=%.*s -O0 %s -o /dev/null",
		 ptxas, (int)strcspn(target, "\n"), target, in);
	int rc = system(command);
	unlink(in);
	return rc == 0;
}

/* The kernels that print at all, as one text. */
static struct bytes print_all(struct arena *a, const struct ptx_module *m)
{
	uint32_t *kernels = ARENA_ARRAY(a, m->function_count + 1, uint32_t);
	uint32_t n = 0;
	struct buf out = buf_make(16u << 20);
	for (uint32_t i = 0; i < m->function_count; i++) {
		struct buf one = buf_make(16u << 20);
		if (m->functions[i].is_entry &&
		    ptx_print(a, m, &i, 1, &one, NULL, NULL) == ERR_OK)
			kernels[n++] = i;
		buf_free(&one);
	}
	struct bytes text = {0};
	if (n > 0) {
		cr_expect_eq(ptx_print(a, m, kernels, n, &out, NULL, NULL),
			     ERR_OK);
		text = arena_copy(a, (struct bytes){out.p, out.n});
		text = bytes_str(arena_str(a, text));
	}
	buf_free(&out);
	return text;
}

static void check_canonical(struct arena *a, const char *variant,
			    const struct corpus_text *t,
			    const struct ptx_module *m, const char *ptxas)
{
	struct bytes once = print_all(a, m);
	if (once.n == 0)
		return;
	struct ptx_module *again = parse(a, once, t->source);
	cr_assert_not_null(again, "%s %s", variant, t->source);
	cr_expect(bytes_eq(once, print_all(a, again)), "%s %s", variant,
		  t->source);
	if (ptxas != NULL)
		cr_expect(assembles(ptxas, once), "%s %s", variant, t->source);
}

static void check_variant(const char *variant, const char *ptxas)
{
	struct arena *texts = arena_new(64u << 20);
	struct corpus_text *t;
	uint32_t n = corpus_open(texts, variant, &t);
	struct bytes exceptions = corpus_read(texts, "exceptions.txt");
	for (uint32_t i = 0; i < n; i++) {
		struct arena *a = arena_new(PTX_ARENA_BYTES);
		struct ptx_module *m = parse(a, t[i].ptx, t[i].source);
		for (uint32_t k = 0; m != NULL && k < m->function_count; k++) {
			if (m->functions[k].is_entry)
				check_kernel(a, variant, &t[i], exceptions, m,
					     k);
		}
		if (m != NULL)
			check_canonical(a, variant, &t[i], m, ptxas);
		arena_free(a);
	}
	arena_free(texts);
}

/* In one variant, or with WEFT_HEAVY in all, ptxas is asked. */
Test(corpus, every_kernel_has_its_class)
{
	const char *ptxas = getenv("WEFT_PTXAS");
	bool all = getenv("WEFT_HEAVY") != NULL;
	for (uint32_t v = 0; corpus_variants[v] != NULL; v++)
		check_variant(corpus_variants[v], v == 0 || all ? ptxas : NULL);
	cr_expect_geq(seen, 900, "%u kernels", seen);
}
