/*
 * Every call of the driver goes through TRY, which names it in the diagnosis.
 * The context is the primary one: it survives this process's other users of
 * the card and needs no version-dependent call.
 */
#include "gpu/cuda/card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_card {
	const struct cuda_driver *d;
	struct cuda_wait wait;
	struct cuda_card_info info;
	int device;
	struct cuda_ctx *ctx;
	struct cuda_stream *stream;
	struct cuda_event *done;
	uint64_t stack_bytes; /* the limit as it was set last; 0: never */
};

struct cuda_module {
	struct cuda_mod *mod;
};

#define TRY(d, call, diag) try_code((d), (d)->call, #call, (diag))

static enum err try_code(const struct cuda_driver *d, int code,
			 const char *call, struct cuda_diag *diag)
{
	char tried[64];
	size_t n = strcspn(call, "(");

	if (code == CUDA_SUCCESS)
		return ERR_OK;
	n = n < sizeof(tried) ? n : sizeof(tried) - 1;
	memcpy(tried, call, n);
	tried[n] = '\0';
	cuda_diag_set(d, code, tried, diag);
	return ERR_CUDA;
}

static enum err too_much(struct cuda_diag *diag, const char *what,
			 uint64_t asked, uint64_t most)
{
	*diag = (struct cuda_diag){.reason = REASON_driver_fault};
	snprintf(diag->text, sizeof(diag->text),
		 "the launch needs %llu %s, this card has %llu",
		 (unsigned long long)asked, what, (unsigned long long)most);
	return ERR_LIMIT;
}

/* Zero-terminated copy; free it. */
static char *text_of(struct bytes s)
{
	char *p = malloc(s.n + 1);

	if (!p)
		return NULL;
	memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

enum err cuda_card_count(const struct cuda_driver *d, uint32_t *ret_count,
			 struct cuda_diag *reterr_diag)
{
	int n = 0;
	enum err e = TRY(d, device_count(&n), reterr_diag);

	if (e == ERR_OK)
		*ret_count = n > 0 ? (uint32_t)n : 0;
	return e;
}

static enum err ask(struct cuda_card *c, enum cuda_attribute which,
		    uint32_t *ret, struct cuda_diag *diag)
{
	int v = 0;
	enum err e =
		TRY(c->d, device_attribute(&v, (int)which, c->device), diag);

	*ret = v > 0 ? (uint32_t)v : 0;
	return e;
}

static enum err read_info(struct cuda_card *c, struct cuda_diag *diag)
{
	struct cuda_card_info *i = &c->info;
	uint32_t major = 0, minor = 0;
	size_t memory = 0;
	enum err e = TRY(c->d, version(&i->driver_version), diag);

	if (!e)
		e = TRY(c->d,
			device_name(i->name, (int)sizeof(i->name) - 1,
				    c->device),
			diag);
	if (!e)
		e = TRY(c->d, device_memory(&memory, c->device), diag);
	if (!e)
		e = ask(c, CUDA_ATTR_MAJOR, &major, diag);
	if (!e)
		e = ask(c, CUDA_ATTR_MINOR, &minor, diag);
	if (!e)
		e = ask(c, CUDA_ATTR_SM_COUNT, &i->sm_count, diag);
	if (!e)
		e = ask(c, CUDA_ATTR_THREADS, &i->threads_max, diag);
	if (!e)
		e = ask(c, CUDA_ATTR_SHARED, &i->shared_max, diag);
	i->sm = 10 * major + minor;
	i->memory_bytes = memory;
	return e;
}

enum err cuda_card_open(const struct cuda_driver *d, uint32_t index,
			struct cuda_wait wait, struct cuda_card **ret_card,
			struct cuda_diag *reterr_diag)
{
	struct cuda_card *c = calloc(1, sizeof(*c));
	enum err e;

	if (!c)
		return ERR_NO_MEMORY;
	c->d = d;
	c->wait = wait;
	e = TRY(d, device_get(&c->device, (int)index), reterr_diag);
	if (!e)
		e = read_info(c, reterr_diag);
	if (!e)
		e = TRY(d, ctx_retain(&c->ctx, c->device), reterr_diag);
	if (!e)
		e = TRY(d, ctx_set(c->ctx), reterr_diag);
	if (!e)
		e = TRY(d, stream_new(&c->stream, 0), reterr_diag);
	if (!e)
		e = TRY(d, event_new(&c->done, CUDA_EVENT_NO_TIMING),
			reterr_diag);
	if (e) {
		cuda_card_close(c);
		return e;
	}
	*ret_card = c;
	return ERR_OK;
}

/* What the driver says to these calls changes nothing any more. */
void cuda_card_close(struct cuda_card *c)
{
	if (!c)
		return;
	if (c->done)
		(void)c->d->event_free(c->done);
	if (c->stream)
		(void)c->d->stream_free(c->stream);
	if (c->ctx)
		(void)c->d->ctx_release(c->device);
	free(c);
}

const struct cuda_card_info *cuda_card_info(const struct cuda_card *c)
{
	return &c->info;
}

enum err cuda_alloc(struct cuda_card *c, uint64_t bytes, uint64_t *ret_address,
		    struct cuda_diag *reterr_diag)
{
	uint64_t address = 0;
	enum err e;

	if (bytes > c->info.memory_bytes) {
		e = too_much(reterr_diag, "bytes of memory", bytes,
			     c->info.memory_bytes);
		reterr_diag->reason = REASON_limit_memory;
		return e;
	}
	e = TRY(c->d, mem_alloc(&address, bytes ? (size_t)bytes : 1),
		reterr_diag);
	if (!e)
		*ret_address = address;
	return e;
}

void cuda_free(struct cuda_card *c, uint64_t address)
{
	if (address)
		(void)c->d->mem_free(address);
}

enum err cuda_put(struct cuda_card *c, uint64_t to, const void *from,
		  uint64_t bytes, struct cuda_diag *reterr_diag)
{
	if (!bytes)
		return ERR_OK;
	return TRY(c->d, mem_put(to, from, (size_t)bytes), reterr_diag);
}

enum err cuda_get(struct cuda_card *c, void *to, uint64_t from, uint64_t bytes,
		  struct cuda_diag *reterr_diag)
{
	if (!bytes)
		return ERR_OK;
	return TRY(c->d, mem_get(to, from, (size_t)bytes), reterr_diag);
}

enum err cuda_copy(struct cuda_card *c, uint64_t to, uint64_t from,
		   uint64_t bytes, struct cuda_diag *reterr_diag)
{
	if (!bytes)
		return ERR_OK;
	return TRY(c->d, mem_copy(to, from, (size_t)bytes), reterr_diag);
}

enum err cuda_fill(struct cuda_card *c, uint64_t to, uint8_t with,
		   uint64_t bytes, struct cuda_diag *reterr_diag)
{
	if (!bytes)
		return ERR_OK;
	return TRY(c->d, mem_fill(to, with, (size_t)bytes), reterr_diag);
}

/* Put the JIT's log behind what the code says. */
static void add_log(struct cuda_diag *diag, const char *log)
{
	size_t n = strlen(diag->text);

	if (log[0])
		snprintf(diag->text + n, sizeof(diag->text) - n, ": %s", log);
	n = strlen(diag->text);
	while (n > 0 && diag->text[n - 1] == '\n')
		diag->text[--n] = '\0';
}

enum err cuda_module_load(struct cuda_card *c, struct bytes text,
			  uint32_t threads, struct cuda_module **ret_module,
			  struct cuda_diag *reterr_diag)
{
	struct cuda_module *m = calloc(1, sizeof(*m));
	char *log = calloc(1, CUDA_LOG_BYTES);
	char *source = text_of(text);
	/* Integers travel in the pointers themselves, as the driver wants. */
	int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES,
			 CUDA_JIT_THREADS};
	void *values[] = {log, (void *)(uintptr_t)(CUDA_LOG_BYTES - 1),
			  (void *)(uintptr_t)threads};
	enum err e = ERR_NO_MEMORY;

	if (m && log && source) {
		e = TRY(c->d,
			module_load(&m->mod, source, threads ? 3 : 2, options,
				    values),
			reterr_diag);
		if (e)
			add_log(reterr_diag, log);
	}
	free(source);
	free(log);
	if (e) {
		free(m);
		return e;
	}
	*ret_module = m;
	return ERR_OK;
}

void cuda_module_free(struct cuda_card *c, struct cuda_module *m)
{
	if (!m)
		return;
	(void)c->d->module_unload(m->mod);
	free(m);
}

enum err cuda_module_symbol(struct cuda_card *c, const struct cuda_module *m,
			    struct bytes name, uint64_t *ret_address,
			    uint64_t *ret_bytes, struct cuda_diag *reterr_diag)
{
	char *text = text_of(name);
	size_t bytes = 0;
	uint64_t address = 0;
	enum err e;

	if (!text)
		return ERR_NO_MEMORY;
	e = TRY(c->d, module_global(&address, &bytes, m->mod, text),
		reterr_diag);
	free(text);
	if (e)
		return e;
	*ret_address = address;
	*ret_bytes = bytes;
	return ERR_OK;
}

/* Twice what the referee counts and 4 KiB: frames differ. */
static enum err set_stack(struct cuda_card *c, uint32_t bytes,
			  struct cuda_diag *diag)
{
	uint64_t want = 2 * (uint64_t)bytes + 4096;
	enum err e;

	if (!bytes || want <= c->stack_bytes)
		return ERR_OK;
	e = TRY(c->d, ctx_limit(CUDA_LIMIT_STACK, (size_t)want), diag);
	if (!e)
		c->stack_bytes = want;
	return e;
}

static enum err wait_for(struct cuda_card *c, struct cuda_diag *diag)
{
	uint64_t looks = 0;
	int code;

	while ((code = c->d->event_query(c->done)) == CUDA_NOT_READY) {
		if (c->wait.more(c->wait.ctx, ++looks))
			continue;
		*diag = (struct cuda_diag){
			.reason = REASON_limit_seconds,
			.text = "the launch did not end in its time"};
		return ERR_TIMEOUT;
	}
	return try_code(c->d, code, "event_query", diag);
}

static enum err check_size(const struct cuda_card *c,
			   const struct cuda_launch *l, struct cuda_diag *diag)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (threads > c->info.threads_max)
		return too_much(diag, "threads in a CTA", threads,
				c->info.threads_max);
	if (l->shared_bytes > c->info.shared_max)
		return too_much(diag, "bytes of shared memory", l->shared_bytes,
				c->info.shared_max);
	if (l->params.n > CUDA_PARAM_BYTES_MAX)
		return too_much(diag, "bytes of parameters", l->params.n,
				CUDA_PARAM_BYTES_MAX);
	return ERR_OK;
}

enum err cuda_launch(struct cuda_card *c, const struct cuda_module *m,
		     const struct cuda_launch *launch,
		     struct cuda_diag *reterr_diag)
{
	const struct cuda_launch *l = launch;
	char *name = text_of(l->kernel);
	uint8_t params[CUDA_PARAM_BYTES_MAX + 1] = {0};
	size_t bytes = l->params.n;
	void *extra[] = {CUDA_PARAM_BUFFER, params, CUDA_PARAM_SIZE, &bytes,
			 CUDA_PARAM_END};
	struct cuda_fun *f = NULL;
	enum err e = name ? check_size(c, l, reterr_diag) : ERR_NO_MEMORY;

	if (!e)
		e = TRY(c->d, module_function(&f, m->mod, name), reterr_diag);
	free(name);
	if (!e)
		e = set_stack(c, l->stack_bytes, reterr_diag);
	if (!e && l->shared_bytes)
		e = TRY(c->d,
			fun_set(f, CUDA_FUN_DYNAMIC_SHARED,
				(int)l->shared_bytes),
			reterr_diag);
	if (e)
		return e;
	if (bytes)
		memcpy(params, l->params.p, bytes);
	e = TRY(c->d,
		launch(f, l->grid[0], l->grid[1], l->grid[2], l->block[0],
		       l->block[1], l->block[2], l->shared_bytes, c->stream,
		       NULL, bytes ? extra : NULL),
		reterr_diag);
	if (!e)
		e = TRY(c->d, event_record(c->done, c->stream), reterr_diag);
	return e ? e : wait_for(c, reterr_diag);
}
