/*
 * The launch half against the stand-in, and against a card where there is
 * one: memory, launches, limits, faults, a failure of each call.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/gpu/cuda/kit.h"

#define N 1000u

struct saxpy_params {
	uint64_t x, y;
	float a;
	uint32_t n;
};

static struct cuda_launch saxpy_launch(const struct saxpy_params *p)
{
	return (struct cuda_launch){
		.kernel = BYTES_LIT("saxpy"),
		.grid = {(N + 127) / 128, 1, 1},
		.block = {128, 1, 1},
		.params = bytes_of((const uint8_t *)p, sizeof(*p)),
	};
}

static void run_saxpy(struct kit *k)
{
	struct cuda_module *m = kit_load(k, kit_saxpy);
	struct saxpy_params p = {.a = 1.5f, .n = N};
	struct cuda_launch l = saxpy_launch(&p);
	float x[N], y[N], got[N];

	for (uint32_t i = 0; i < N; i++) {
		x[i] = (float)i / 7.0f;
		y[i] = (float)i * 1e-3f;
	}
	kit_ok(k, cuda_alloc(k->card, sizeof(x), &p.x, &k->diag));
	kit_ok(k, cuda_alloc(k->card, sizeof(y), &p.y, &k->diag));
	cr_assert_eq(p.x % 256, 0);
	kit_ok(k, cuda_put(k->card, p.x, x, sizeof(x), &k->diag));
	kit_ok(k, cuda_put(k->card, p.y, y, sizeof(y), &k->diag));
	kit_ok(k, cuda_launch(k->card, m, &l, &k->diag));
	kit_ok(k, cuda_get(k->card, got, p.y, sizeof(got), &k->diag));
	for (uint32_t i = 0; i < N; i++)
		cr_assert_eq(got[i], fmaf(1.5f, x[i], y[i]));
	kit_ok(k, cuda_fill(k->card, p.x, 0x41, sizeof(x), &k->diag));
	kit_ok(k, cuda_copy(k->card, p.y + 400, p.x, 100, &k->diag));
	kit_ok(k, cuda_get(k->card, got, p.y + 396, 108, &k->diag));
	cr_assert_eq(got[0], fmaf(1.5f, x[99], y[99]));
	cr_assert_eq(memcmp((uint8_t *)got + 4, "AAAA", 4), 0);
	cr_assert_eq(got[26], fmaf(1.5f, x[125], y[125]));
	cuda_free(k->card, p.x);
	cuda_free(k->card, p.y);
	cuda_module_free(k->card, m);
	kit_end(k);
}

Test(gpu_cuda, saxpy)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k;

	for (o.seed = 0; o.seed < 20; o.seed++) {
		o.schedules = o.seed % 2;
		run_saxpy(kit_standin(&o));
	}
	k = kit_real();
	if (k)
		run_saxpy(k);
}

Test(gpu_cuda, a_machine_without_a_driver_says_what_to_install)
{
	struct cuda_driver d;
	struct cuda_diag diag = {0};
	enum err e = cuda_driver_load(&d, &diag);

	if (e == ERR_OK) {
		cuda_driver_unload(&d);
		return;
	}
	cr_expect_eq(e, ERR_NO_CUDA);
	cr_expect_eq(diag.reason, REASON_gpu_lost);
	cr_expect_not_null(strstr(diag.text, "install NVIDIA's driver"));
}

Test(gpu_cuda, what_the_card_is)
{
	struct standin_options o = STANDIN_DEFAULT;
	const struct cuda_card_info *i;
	struct kit *k;
	uint32_t n = 0;

	o.sm = 86;
	k = kit_standin(&o);
	i = cuda_card_info(k->card);
	cr_expect_eq(i->sm, 86);
	cr_expect_eq(i->shared_max, 99u << 10);
	cr_expect_eq(i->threads_max, 1024);
	cr_expect_eq(i->driver_version, 13000);
	cr_expect_eq(i->memory_bytes, o.heap_bytes);
	cr_expect_str_eq(i->name, "stand-in sm_86");
	kit_ok(k, cuda_card_count(&k->d, &n, &k->diag));
	cr_expect_eq(n, 1);
	kit_end(k);
}

/* One kernel k over one buffer of 256 bytes. */
static enum err run_body(struct kit *k, const char *body, uint32_t shared)
{
	struct buf b = buf_make(1u << 16);
	struct cuda_module *m;
	uint64_t at = 0;
	struct cuda_launch l = {
		.kernel = BYTES_LIT("k"),
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.shared_bytes = shared,
		.params = bytes_of((const uint8_t *)&at, sizeof(at)),
	};
	enum err e;

	buf_printf(&b,
		   KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
			    ".reg .b32 %%r<4>; .reg .b64 %%rd<4>; "
			    ".reg .pred %%p<2>;\n"
			    "ld.param.u64 %%rd1, [out];\n%s\nret;\n}\n",
		   body);
	buf_put_u8(&b, 0);
	m = kit_load(k, (const char *)buf_bytes(&b).p);
	buf_free(&b);
	kit_ok(k, cuda_alloc(k->card, 256, &at, &k->diag));
	e = cuda_launch(k->card, m, &l, &k->diag);
	cuda_free(k->card, at);
	cuda_module_free(k->card, m);
	return e;
}

static void expect_fault(const char *body, int code, enum reason reason)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k = kit_standin(&o);
	uint64_t at = 0;

	cr_expect_eq(run_body(k, body, 0), ERR_CUDA, "%s", body);
	cr_expect_eq(k->diag.code, code, "%s: %s", body, k->diag.text);
	cr_expect_eq(k->diag.reason, reason);
	/* The context is lost, and the card can be opened again. */
	cr_expect_eq(cuda_alloc(k->card, 1, &at, &k->diag), ERR_CUDA);
	cr_expect_eq(k->diag.code, code);
	kit_end(k);
}

Test(gpu_cuda, faults_of_a_kernel)
{
	expect_fault("st.global.u32 [%rd1+2], 1;", CUDA_MISALIGNED_ADDRESS,
		     REASON_kernel_fault);
	expect_fault("mov.u64 %rd1, 4096; st.global.u32 [%rd1], 1;",
		     CUDA_ILLEGAL_ADDRESS, REASON_kernel_fault);
	expect_fault("trap;", CUDA_LAUNCH_FAILED, REASON_kernel_fault);
}

Test(gpu_cuda, a_fault_ends_with_its_context)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k = kit_standin(&o);
	struct cuda_wait wait = {NULL, NULL};

	cr_expect_eq(run_body(k, "trap;", 0), ERR_CUDA);
	cuda_card_close(k->card);
	kit_ok(k, cuda_card_open(&k->d, 0, wait, &k->card, &k->diag));
	uint64_t at = 0;
	kit_ok(k, cuda_alloc(k->card, 16, &at, &k->diag));
	cuda_free(k->card, at);
	kit_end(k);
}

Test(gpu_cuda, a_store_past_its_buffer_may_succeed)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k = kit_standin(&o);
	uint64_t first = 0, second = 0;
	uint8_t got = 0;

	/* What the referee faults, a card need not: buffers touch. */
	kit_ok(k, cuda_alloc(k->card, 256, &first, &k->diag));
	kit_ok(k, cuda_alloc(k->card, 256, &second, &k->diag));
	cr_expect_eq(second, first + 256);
	kit_ok(k, run_body(k, "st.global.u8 [%rd1+-256], 77;", 0));
	kit_ok(k, cuda_get(k->card, &got, second, 1, &k->diag));
	cr_expect_eq(got, 77);
	cuda_free(k->card, first);
	cuda_free(k->card, second);
	kit_end(k);
}

Test(gpu_cuda, a_launch_without_end_times_out)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k;

	o.hang = true;
	k = kit_standin(&o);
	cr_expect_eq(run_body(k, "", 0), ERR_TIMEOUT);
	cr_expect_eq(k->diag.reason, REASON_limit_seconds);
	cr_expect_eq(k->looks, k->looks_max);
	kit_end(k);
	/* A barrier of 64 threads in a CTA of 32. */
	o.hang = false;
	k = kit_standin(&o);
	cr_expect_eq(run_body(k, "bar.sync 1, 64;", 0), ERR_TIMEOUT);
	kit_end(k);
}

Test(gpu_cuda, limits_of_the_card)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k;
	uint64_t at = 0;
	struct saxpy_params p = {0};
	struct cuda_launch l = saxpy_launch(&p);
	struct cuda_module *m;

	o.sm = 75;
	k = kit_standin(&o);
	kit_ok(k, run_body(k, "", 64u << 10));
	cr_expect_eq(run_body(k, "", (64u << 10) + 4), ERR_LIMIT);
	cr_expect_not_null(strstr(k->diag.text, "shared memory"));
	cr_expect_eq(cuda_alloc(k->card, o.heap_bytes + 1, &at, &k->diag),
		     ERR_LIMIT);
	cr_expect_eq(k->diag.reason, REASON_limit_memory);
	/* All of it is too much too: something lies there already. */
	cr_expect_eq(cuda_alloc(k->card, o.heap_bytes, &at, &k->diag),
		     ERR_CUDA);
	cr_expect_eq(k->diag.reason, REASON_limit_memory);
	m = kit_load(k, kit_saxpy);
	l.block[0] = 1025;
	cr_expect_eq(cuda_launch(k->card, m, &l, &k->diag), ERR_LIMIT);
	l.block[0] = 1;
	l.grid[0] = 0;
	cr_expect_eq(cuda_launch(k->card, m, &l, &k->diag), ERR_CUDA);
	cr_expect_eq(k->diag.code, CUDA_INVALID_VALUE);
	cr_expect_eq(k->diag.reason, REASON_driver_fault);
	l.grid[0] = 1;
	l.kernel = BYTES_LIT("other");
	cr_expect_eq(cuda_launch(k->card, m, &l, &k->diag), ERR_CUDA);
	cr_expect_eq(k->diag.code, CUDA_NOT_FOUND);
	cuda_module_free(k->card, m);
	kit_end(k);
}

Test(gpu_cuda, the_log_of_the_jit_is_shown)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k = kit_standin(&o);
	struct cuda_module *m;

	cr_expect_eq(cuda_module_load(k->card,
				      bytes_str(KIT_HEAD "\nnonsense\n"), 64,
				      &m, &k->diag),
		     ERR_CUDA);
	cr_expect_eq(k->diag.code, CUDA_INVALID_PTX);
	cr_expect_eq(k->diag.reason, REASON_driver_fault);
	cr_expect_not_null(strstr(k->diag.text, "module_load"));
	cr_expect_not_null(strstr(k->diag.text, "line 5"), "%s", k->diag.text);
	cr_expect_eq(cuda_module_load(k->card,
				      bytes_str(".version 7.8\n"
						".target sm_90\n"),
				      64, &m, &k->diag),
		     ERR_CUDA, "newer than this card");
	cr_expect_not_null(strstr(k->diag.text, "sm_90"), "%s", k->diag.text);
	kit_end(k);
}

Test(gpu_cuda, module_variables)
{
	static const char text[] =
		KIT_HEAD ".visible .global .align 4 .u32 sum[2] = {5, 6};\n"
			 ".visible .entry k() {\n"
			 ".reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
			 "mov.u64 %rd1, sum; ld.global.u32 %r1, [%rd1];\n"
			 "ld.global.u32 %r2, [%rd1+4]; add.u32 %r1, %r1, %r2;\n"
			 "st.global.u32 [%rd1], %r1;\nret;\n}\n";
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k = kit_standin(&o);
	struct cuda_module *m = kit_load(k, text);
	struct cuda_launch l = {.kernel = BYTES_LIT("k"),
				.grid = {1, 1, 1},
				.block = {1, 1, 1}};
	uint64_t at = 0, bytes = 0;
	uint32_t v[2] = {0};

	kit_ok(k, cuda_module_symbol(k->card, m, BYTES_LIT("sum"), &at, &bytes,
				     &k->diag));
	cr_expect_eq(bytes, 8);
	kit_ok(k, cuda_launch(k->card, m, &l, &k->diag));
	kit_ok(k, cuda_get(k->card, v, at, 8, &k->diag));
	cr_expect_eq(v[0], 11);
	v[1] = 100;
	kit_ok(k, cuda_put(k->card, at, v, 8, &k->diag));
	kit_ok(k, cuda_launch(k->card, m, &l, &k->diag));
	kit_ok(k, cuda_get(k->card, v, at, 8, &k->diag));
	cr_expect_eq(v[0], 111);
	cr_expect_eq(cuda_module_symbol(k->card, m, BYTES_LIT("none"), &at,
					&bytes, &k->diag),
		     ERR_CUDA);
	cuda_module_free(k->card, m);
	kit_end(k);
}

static bool go_on(void *ctx, uint64_t looks)
{
	(void)ctx;
	return looks < 100;
}

/* All that a lease does with a card, as far as it goes. */
static enum err whole_life(const struct cuda_driver *d, struct kit *k)
{
	struct cuda_wait wait = {go_on, NULL};
	struct cuda_module *m = NULL;
	struct saxpy_params p = {.a = 1.0f};
	struct cuda_launch l = saxpy_launch(&p);
	uint8_t byte = 0;
	enum err e = cuda_card_open(d, 0, wait, &k->card, &k->diag);

	if (e)
		return e;
	l.shared_bytes = 64;
	l.stack_bytes = 64;
	l.grid[0] = 1;
	if (!e)
		e = cuda_alloc(k->card, 4, &p.x, &k->diag);
	if (!e)
		e = cuda_alloc(k->card, 4, &p.y, &k->diag);
	if (!e)
		e = cuda_put(k->card, p.x, &byte, 1, &k->diag);
	if (!e)
		e = cuda_copy(k->card, p.y, p.x, 1, &k->diag);
	if (!e)
		e = cuda_fill(k->card, p.y, 1, 1, &k->diag);
	if (!e)
		e = cuda_module_load(k->card, bytes_str(kit_saxpy), 128, &m,
				     &k->diag);
	if (!e)
		e = cuda_launch(k->card, m, &l, &k->diag);
	if (!e)
		e = cuda_get(k->card, &byte, p.y, 1, &k->diag);
	cuda_module_free(k->card, m);
	cuda_free(k->card, p.x);
	cuda_free(k->card, p.y);
	cuda_card_close(k->card);
	return e;
}

Test(gpu_cuda, a_failure_of_each_call_is_named_and_leaves_nothing)
{
	/* These end something, cannot be told apart from a later failure, or
	 * are asked only while loading or for a message. */
	static const char *const quiet[] = {
		"init",		 "device_count", "ctx_release", "module_unload",
		"module_global", "mem_free",	 "stream_free", "event_free",
		"error_name",	 "error_text",
	};
	static const char *const members[] = {
#define X(symbol, member, args) #member,
		CUDA_DRIVER_LIST(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct standin_options o = STANDIN_DEFAULT;
		struct cuda_driver d;
		struct kit k = {0};
		bool is_quiet = false;
		enum err e;

		for (size_t q = 0; q < sizeof(quiet) / sizeof(quiet[0]); q++)
			is_quiet |= strcmp(quiet[q], members[i]) == 0;
		o.fail = members[i];
		o.fail_code = CUDA_UNKNOWN;
		o.seed = 3;
		d = standin_start(&o);
		e = whole_life(&d, &k);
		cr_expect_eq(e, is_quiet ? ERR_OK : ERR_CUDA, "%s: %s",
			     members[i], k.diag.text);
		if (!is_quiet) {
			cr_expect_not_null(strstr(k.diag.text, members[i]),
					   "%s: %s", members[i], k.diag.text);
			cr_expect_eq(k.diag.reason, REASON_gpu_lost);
		}
		cr_expect_eq(standin_in_use(), 0, "%s", members[i]);
		standin_stop();
	}
}

Test(gpu_cuda, a_turned_bit_is_seen)
{
	struct standin_options o = STANDIN_DEFAULT;
	struct kit *k;
	uint64_t at = 0;
	uint8_t bytes[256], other[256];

	o.flip_launch = 1;
	k = kit_standin(&o);
	kit_ok(k, cuda_alloc(k->card, sizeof(bytes), &at, &k->diag));
	kit_ok(k, cuda_get(k->card, bytes, at, sizeof(bytes), &k->diag));
	struct cuda_module *m =
		kit_load(k, KIT_HEAD ".visible .entry k() { ret; }\n");
	struct cuda_launch l = {.kernel = BYTES_LIT("k"),
				.grid = {1, 1, 1},
				.block = {1, 1, 1}};
	kit_ok(k, cuda_launch(k->card, m, &l, &k->diag));
	kit_ok(k, cuda_get(k->card, other, at, sizeof(other), &k->diag));
	cr_expect_neq(memcmp(bytes, other, sizeof(bytes)), 0);
	cuda_module_free(k->card, m);
	cuda_free(k->card, at);
	kit_end(k);
}
