/*
 * How much memory a CTA of 1,024 threads takes with as many live registers
 * as PTX may have, beside its local memory and that memory's shadow.
 */
#include <criterion/criterion.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tests/gpu/exec/kit.h"

#define MOST	 ((size_t)64 << 20)
#define VALUES	 250u /* of 64 bits, all alive at once */
#define TEXT_MAX (1u << 20)

/* Where the sanitizer's allocator is, mallinfo2() knows nothing. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
	if (__sanitizer_get_current_allocated_bytes != NULL)
		return __sanitizer_get_current_allocated_bytes();
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

static char *crowded_text(void)
{
	char *text = malloc(TEXT_MAX);
	size_t n;
	cr_assert(text != NULL);
	n = (size_t)snprintf(text, TEXT_MAX,
			     KIT_HEAD
			     ".visible .entry k(.param .u64 out) {\n"
			     ".reg .b64 %%o, %%v<%u>;\n.reg .b32 %%t;\n"
			     ".shared .align 4 .b8 s[49152];\n"
			     "ld.param.u64 %%o, [out];\nmov.u32 %%t, %%tid.x;\n"
			     "st.shared.u32 [s], 1;\nbar.sync 0;\n",
			     VALUES);
	for (uint32_t i = 0; i < VALUES; i++)
		n += (size_t)snprintf(text + n, TEXT_MAX - n,
				      "mad.wide.u32 %%v%u, %%t, %u, %u;\n", i,
				      i + 3, i);
	for (uint32_t i = 1; i < VALUES; i++)
		n += (size_t)snprintf(text + n, TEXT_MAX - n,
				      "add.u64 %%v0, %%v0, %%v%u;\n", i);
	snprintf(text + n, TEXT_MAX - n,
		 "mad.wide.u32 %%o, %%t, 8, %%o;\n"
		 "st.global.u64 [%%o], %%v0;\nret;\n}\n");
	return text;
}

struct seen {
	size_t before, most;
};

static void look(void *ctx, uint64_t ctas_done)
{
	struct seen *s = ctx;
	size_t now = allocated() - s->before;
	(void)ctas_done;
	s->most = now > s->most ? now : s->most;
}

static void check(bool sanitize)
{
	static uint64_t out[1024];
	char *text = crowded_text();
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(out, 1024);
	struct seen seen = {.before = allocated()};
	r.options.sanitize = sanitize;
	r.options.progress = look;
	r.options.progress_ctx = &seen;
	struct exec_result res = kit_run(&k, &r);
	/* one address for all: the store to shared memory is a race of equal
	 * values, which is none */
	cr_expect_eq(res.outcome, EXEC_OK, "%s", exec_reason_text(res.reason));
	/* sum of t * (i + 3) + i over 250 values of i */
	cr_expect_eq(out[7], 7u * (31125 + 750) + 31125u);
	cr_expect_gt(seen.most, 1024u * VALUES * 8);
	cr_expect_lt(seen.most, MOST, "%zu bytes", seen.most);
	kit_free(&k);
	free(text);
}

Test(gpu_exec_room, plain)
{
	check(false);
}

Test(gpu_exec_room, sanitized)
{
	check(true);
}
