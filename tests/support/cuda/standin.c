/*
 * The heap is one buffer of the executor, so that a card address is an
 * executor address and parameters need no translation.  A module's variables
 * are buffers of their own, behind the heap; their addresses for the host
 * carry the module's number.
 */
#include "tests/support/cuda/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

#define BLOCKS_MAX    1024u
#define MODULES_MAX   256u
#define VARIABLES_MAX 256u
#define FUNS_MAX      1024u
#define HOST_MODULE   48u /* shift of a module's number in an address */

struct block {
	uint64_t at, bytes; /* in the heap; at 0: free */
};

struct variable {
	struct bytes name;
	uint8_t *data;
	uint64_t bytes;
};

struct mod {
	bool used;
	char *text;
	struct arena *arena;
	struct ptx_module *tree;
	struct exec_module *exec;
	uint32_t stack_bytes; /* as exec was loaded */
	struct variable variables[VARIABLES_MAX];
	uint32_t variable_count;
};

struct fun {
	struct mod *mod;
	char name[4096];
	uint32_t dynamic_max;
};

static struct {
	struct standin_options o;
	uint64_t random;
	uint8_t *heap;
	uint64_t top; /* where the next block goes */
	struct block blocks[BLOCKS_MAX];
	struct mod mods[MODULES_MAX];
	struct fun *funs[FUNS_MAX];
	uint32_t fun_count;
	uint64_t stack_bytes;
	int sticky;	 /* what every call gives after a fault */
	uint32_t looks;	 /* until the last launch has ended */
	bool never_ends; /* it waits at a barrier for ever */
	uint32_t launches;
	uint32_t calls; /* of o.fail */
	uint32_t streams, events, contexts;
} card;

static uint64_t draw(void)
{
	uint64_t x = card.random += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* What a call has to give before it does anything. */
static int before(const char *member)
{
	if (card.o.fail && strcmp(card.o.fail, member) == 0 &&
	    card.calls++ >= card.o.fail_after)
		return card.o.fail_code;
	return card.sticky;
}

#define BEFORE(member)                       \
	do {                                 \
		int code_ = before(#member); \
		if (code_ != CUDA_SUCCESS)   \
			return code_;        \
	} while (0)

static const char *const code_names[1000] = {
	[CUDA_INVALID_VALUE] = "CUDA_ERROR_INVALID_VALUE",
	[CUDA_OUT_OF_MEMORY] = "CUDA_ERROR_OUT_OF_MEMORY",
	[CUDA_INVALID_DEVICE] = "CUDA_ERROR_INVALID_DEVICE",
	[CUDA_INVALID_PTX] = "CUDA_ERROR_INVALID_PTX",
	[CUDA_NOT_FOUND] = "CUDA_ERROR_NOT_FOUND",
	[CUDA_ILLEGAL_ADDRESS] = "CUDA_ERROR_ILLEGAL_ADDRESS",
	[CUDA_OUT_OF_RESOURCES] = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
	[CUDA_MISALIGNED_ADDRESS] = "CUDA_ERROR_MISALIGNED_ADDRESS",
	[CUDA_HARDWARE_STACK] = "CUDA_ERROR_HARDWARE_STACK_ERROR",
	[CUDA_INVALID_PC] = "CUDA_ERROR_INVALID_PC",
	[CUDA_LAUNCH_FAILED] = "CUDA_ERROR_LAUNCH_FAILED",
	[CUDA_UNKNOWN] = "CUDA_ERROR_UNKNOWN",
};

static int error_name(int code, const char **ret)
{
	if (code < 0 || code > 999 || !code_names[code])
		return CUDA_INVALID_VALUE;
	*ret = code_names[code];
	return CUDA_SUCCESS;
}

static int error_text(int code, const char **ret)
{
	return error_name(code, ret);
}

static int init(unsigned flags)
{
	(void)flags;
	return before("init");
}

static int version(int *ret)
{
	BEFORE(version);
	*ret = 13000;
	return CUDA_SUCCESS;
}

static int device_count(int *ret)
{
	BEFORE(device_count);
	*ret = 1;
	return CUDA_SUCCESS;
}

static int device_get(int *ret, int index)
{
	BEFORE(device_get);
	if (index != 0)
		return CUDA_INVALID_DEVICE;
	*ret = 0;
	return CUDA_SUCCESS;
}

static int device_name(char *to, int bytes, int device)
{
	(void)device;
	BEFORE(device_name);
	snprintf(to, (size_t)bytes, "stand-in sm_%u", (unsigned)card.o.sm);
	return CUDA_SUCCESS;
}

/* Shared memory that a CTA may have, by architecture. */
static uint32_t shared_max(void)
{
	switch (card.o.sm) {
	case 75:
		return 64u << 10;
	case 80:
		return 163u << 10;
	case 90:
	case 100:
		return 227u << 10;
	default:
		return 99u << 10;
	}
}

static int device_attribute(int *ret, int which, int device)
{
	(void)device;
	BEFORE(device_attribute);
	switch (which) {
	case CUDA_ATTR_THREADS:
		*ret = 1024;
		break;
	case CUDA_ATTR_SM_COUNT:
		*ret = 4;
		break;
	case CUDA_ATTR_MAJOR:
		*ret = (int)card.o.sm / 10;
		break;
	case CUDA_ATTR_MINOR:
		*ret = (int)card.o.sm % 10;
		break;
	case CUDA_ATTR_SHARED:
		*ret = (int)shared_max();
		break;
	default:
		return CUDA_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static int device_memory(size_t *ret, int device)
{
	(void)device;
	BEFORE(device_memory);
	*ret = card.o.heap_bytes;
	return CUDA_SUCCESS;
}

static int ctx_retain(struct cuda_ctx **ret, int device)
{
	(void)device;
	BEFORE(ctx_retain);
	card.contexts++;
	*ret = (struct cuda_ctx *)(void *)&card;
	return CUDA_SUCCESS;
}

/* A fault ends with its context. */
static int ctx_release(int device)
{
	(void)device;
	must(card.contexts > 0);
	if (--card.contexts == 0)
		card.sticky = CUDA_SUCCESS;
	return CUDA_SUCCESS;
}

static int ctx_set(struct cuda_ctx *ctx)
{
	must(ctx == (struct cuda_ctx *)(void *)&card);
	return before("ctx_set");
}

static int ctx_limit(int which, size_t value)
{
	BEFORE(ctx_limit);
	if (which != CUDA_LIMIT_STACK)
		return CUDA_INVALID_VALUE;
	if (value > 512u << 10)
		return CUDA_INVALID_VALUE;
	card.stack_bytes = value;
	return CUDA_SUCCESS;
}

static void drop_module(struct mod *m)
{
	exec_module_free(m->exec);
	for (uint32_t i = 0; i < m->variable_count; i++)
		free(m->variables[i].data);
	arena_free(m->arena);
	free(m->text);
	*m = (struct mod){0};
}

/* Written variables live in memory of their own. */
static void make_variables(struct mod *m)
{
	for (uint32_t i = 0; i < exec_variable_count(m->exec); i++) {
		struct exec_variable v;
		struct variable *to = &m->variables[m->variable_count];

		exec_variable_at(m->exec, i, &v);
		/* Nobody may change a constant that holds addresses. */
		if (v.holds_addresses)
			continue;
		must(m->variable_count < VARIABLES_MAX);
		m->variable_count++;
		/* the module is loaded again when the stack changes */
		*to = (struct variable){arena_copy(m->arena, v.name),
					calloc(1, v.bytes + 1), v.bytes};
		must(to->name.p && to->data);
		if (v.init)
			memcpy(to->data, v.init, v.bytes);
	}
}

static int load_exec(struct mod *m, uint32_t stack_bytes, char *log,
		     size_t log_bytes)
{
	struct exec_module_options options = {.stack_bytes = stack_bytes};
	struct exec_refusal why;

	exec_module_free(m->exec);
	m->exec = NULL;
	m->stack_bytes = stack_bytes;
	if (exec_module_load(m->tree, &options, &m->exec, &why) == ERR_OK)
		return CUDA_SUCCESS;
	snprintf(log, log_bytes, "ptxas stand-in, line %u; fatal: %s",
		 (unsigned)why.line, why.text);
	return CUDA_INVALID_PTX;
}

/* A text for a newer card is refused by its first lines. */
static int check_target(const char *text, char *log, size_t log_bytes)
{
	const char *target = strstr(text, ".target sm_");
	unsigned long sm = target ? strtoul(target + 11, NULL, 10) : 0;

	if (sm <= card.o.sm)
		return CUDA_SUCCESS;
	snprintf(log, log_bytes, "ptxas stand-in: .target sm_%lu, not sm_%u",
		 sm, (unsigned)card.o.sm);
	return CUDA_INVALID_PTX;
}

static int parse(struct mod *m, const char *text, char *log, size_t log_bytes)
{
	size_t n = strlen(text);
	struct ptx_diag d;
	int code = check_target(text, log, log_bytes);

	if (code != CUDA_SUCCESS)
		return code;
	m->text = malloc(n + 1);
	m->arena = arena_new(64 * n + (2u << 20));
	must(m->text && m->arena);
	memcpy(m->text, text, n + 1);
	if (ptx_parse(m->arena, bytes_of((const uint8_t *)m->text, n), &m->tree,
		      &d) != ERR_OK) {
		snprintf(log, log_bytes, "ptxas stand-in, line %u; fatal: %s",
			 (unsigned)d.line, d.text);
		return CUDA_INVALID_PTX;
	}
	code = load_exec(m, (uint32_t)card.stack_bytes, log, log_bytes);
	if (code == CUDA_SUCCESS)
		make_variables(m);
	return code;
}

static int module_load(struct cuda_mod **ret, const void *text, unsigned count,
		       int *options, void **values)
{
	char none[1], *log = none;
	size_t log_bytes = sizeof(none);
	struct mod *m = card.mods;
	int code;

	BEFORE(module_load);
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CUDA_JIT_ERROR_LOG)
			log = values[i];
		else if (options[i] == CUDA_JIT_ERROR_LOG_BYTES)
			log_bytes = (size_t)(uintptr_t)values[i];
		else if (options[i] != CUDA_JIT_THREADS)
			return CUDA_INVALID_VALUE;
	}
	while (m < card.mods + MODULES_MAX && m->used)
		m++;
	must(m < card.mods + MODULES_MAX);
	code = parse(m, text, log, log_bytes);
	m->used = code == CUDA_SUCCESS;
	if (code != CUDA_SUCCESS)
		drop_module(m);
	else
		*ret = (struct cuda_mod *)(void *)m;
	return code;
}

static int module_unload(struct cuda_mod *mod)
{
	struct mod *m = (struct mod *)(void *)mod;

	must(m->used);
	for (uint32_t i = 0; i < card.fun_count; i++)
		if (card.funs[i]->mod == m)
			card.funs[i]->mod = NULL;
	drop_module(m);
	return CUDA_SUCCESS;
}

static int module_function(struct cuda_fun **ret, struct cuda_mod *mod,
			   const char *name)
{
	struct mod *m = (struct mod *)(void *)mod;
	struct exec_kernel k;
	struct fun *f;

	BEFORE(module_function);
	if (exec_kernel_find(m->exec, bytes_str(name), &k) != ERR_OK ||
	    strlen(name) >= sizeof(f->name))
		return CUDA_NOT_FOUND;
	f = NULL;
	for (uint32_t i = 0; i < card.fun_count; i++) {
		struct fun *g = card.funs[i];

		if (g->mod == m && strcmp(g->name, name) == 0) {
			*ret = (struct cuda_fun *)(void *)g;
			return CUDA_SUCCESS;
		}
		if (g->mod == NULL)
			f = g; /* of a module that is gone */
	}
	if (!f) {
		must(card.fun_count < FUNS_MAX);
		f = calloc(1, sizeof(*f));
		must(f);
		card.funs[card.fun_count++] = f;
	}
	f->mod = m;
	f->dynamic_max =
		(48u << 10) -
		(k.shared_bytes < 48u << 10 ? k.shared_bytes : 48u << 10);
	snprintf(f->name, sizeof(f->name), "%s", name);
	*ret = (struct cuda_fun *)(void *)f;
	return CUDA_SUCCESS;
}

static uint64_t variable_address(const struct mod *m, uint32_t index)
{
	return (uint64_t)(m - card.mods + 1) << HOST_MODULE |
	       EXEC_BUFFER_BASE(index + 1);
}

static int module_global(uint64_t *ret, size_t *ret_bytes, struct cuda_mod *mod,
			 const char *name)
{
	struct mod *m = (struct mod *)(void *)mod;

	BEFORE(module_global);
	for (uint32_t i = 0; i < m->variable_count; i++)
		if (bytes_eq(m->variables[i].name, bytes_str(name))) {
			*ret = variable_address(m, i);
			*ret_bytes = m->variables[i].bytes;
			return CUDA_SUCCESS;
		}
	return CUDA_NOT_FOUND;
}

/* Host memory behind [at, at + bytes); NULL: not of this card. */
static uint8_t *host(uint64_t at, uint64_t bytes)
{
	uint64_t number = at >> HOST_MODULE, index, offset;
	const struct mod *m;

	at &= (1ull << HOST_MODULE) - 1;
	index = (at >> 40) - 1;
	offset = at & ((1ull << 40) - 1);
	if (number == 0) {
		if (index != 0 || offset > card.o.heap_bytes ||
		    bytes > card.o.heap_bytes - offset)
			return NULL;
		return card.heap + offset;
	}
	if (number > MODULES_MAX)
		return NULL;
	m = &card.mods[number - 1];
	if (index == 0 || index > m->variable_count ||
	    offset > m->variables[index - 1].bytes ||
	    bytes > m->variables[index - 1].bytes - offset)
		return NULL;
	return m->variables[index - 1].data + offset;
}

static int mem_alloc(uint64_t *ret, size_t bytes)
{
	uint64_t room = ((uint64_t)bytes + 255) & ~255ull;
	uint32_t i = 0;

	BEFORE(mem_alloc);
	if (bytes == 0)
		return CUDA_INVALID_VALUE;
	while (i < BLOCKS_MAX && card.blocks[i].at != 0)
		i++;
	if (i == BLOCKS_MAX || room > card.o.heap_bytes - card.top)
		return CUDA_OUT_OF_MEMORY;
	card.blocks[i] = (struct block){card.top, room};
	*ret = EXEC_BUFFER_BASE(0) + card.top;
	card.top += room;
	return CUDA_SUCCESS;
}

static int mem_free(uint64_t at)
{
	bool found = false;

	card.top = 0;
	for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
		struct block *b = &card.blocks[i];

		if (b->at && EXEC_BUFFER_BASE(0) + b->at == at) {
			*b = (struct block){0};
			found = true;
		}
		if (b->at && b->at + b->bytes > card.top)
			card.top = b->at + b->bytes;
	}
	must(found);
	if (card.top == 0)
		card.top = 256 * (1 + draw() % 1024);
	return CUDA_SUCCESS;
}

static int mem_put(uint64_t to, const void *from, size_t bytes)
{
	uint8_t *p = host(to, bytes);

	BEFORE(mem_put);
	if (!p)
		return CUDA_INVALID_VALUE;
	memcpy(p, from, bytes);
	return CUDA_SUCCESS;
}

static int mem_get(void *to, uint64_t from, size_t bytes)
{
	const uint8_t *p = host(from, bytes);

	BEFORE(mem_get);
	if (!p)
		return CUDA_INVALID_VALUE;
	memcpy(to, p, bytes);
	return CUDA_SUCCESS;
}

static int mem_copy(uint64_t to, uint64_t from, size_t bytes)
{
	uint8_t *p = host(to, bytes);
	const uint8_t *q = host(from, bytes);

	BEFORE(mem_copy);
	if (!p || !q)
		return CUDA_INVALID_VALUE;
	/* Overlapping ranges are undefined: a caller must not. */
	must(p + bytes <= q || q + bytes <= p);
	memcpy(p, q, bytes);
	return CUDA_SUCCESS;
}

static int mem_fill(uint64_t to, unsigned char with, size_t bytes)
{
	uint8_t *p = host(to, bytes);

	BEFORE(mem_fill);
	if (!p)
		return CUDA_INVALID_VALUE;
	memset(p, with, bytes);
	return CUDA_SUCCESS;
}

static int fun_set(struct cuda_fun *fun, int which, int value)
{
	struct fun *f = (struct fun *)(void *)fun;
	struct exec_kernel k;

	BEFORE(fun_set);
	must(exec_kernel_find(f->mod->exec, bytes_str(f->name), &k) == ERR_OK);
	if (which != CUDA_FUN_DYNAMIC_SHARED || value < 0 ||
	    (uint32_t)value + k.shared_bytes > shared_max())
		return CUDA_INVALID_VALUE;
	f->dynamic_max = (uint32_t)value;
	return CUDA_SUCCESS;
}

static int fault_code(enum exec_reason r)
{
	switch ((int)r) {
	case EXEC_REASON_misaligned:
		return CUDA_MISALIGNED_ADDRESS;
	case EXEC_REASON_stack:
		return CUDA_HARDWARE_STACK;
	case EXEC_REASON_bad_call:
		return CUDA_INVALID_PC;
	case EXEC_REASON_out_of_bounds:
	case EXEC_REASON_read_only:
		return CUDA_ILLEGAL_ADDRESS;
	default:
		return CUDA_LAUNCH_FAILED;
	}
}

static void flip_a_bit(void)
{
	uint64_t lowest = card.top, at;

	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		if (card.blocks[i].at && card.blocks[i].at < lowest)
			lowest = card.blocks[i].at;
	if (lowest == card.top)
		return;
	at = lowest + draw() % (card.top - lowest);
	card.heap[at] ^= (uint8_t)(1u << (draw() & 7));
}

static struct exec_options hostile_options(void)
{
	struct exec_options o = EXEC_OPTIONS_DEFAULT;

	o.shuffle_seed = draw() | 1;
	o.noise_seed = draw() | 1;
	o.nan_variant = (uint32_t)(draw() % 3);
	if (card.o.schedules) {
		o.schedule_seed = draw() | 1;
		o.group_lanes = 1u << draw() % 6;
	}
	return o;
}

static int run(const struct fun *f, const struct exec_launch *l)
{
	struct exec_options o = hostile_options();
	struct arena *a = arena_new(64u << 20);
	struct exec_result r;

	must(a);
	must(exec_run(f->mod->exec, l, &o, a, &r) == ERR_OK);
	arena_free(a);
	card.looks = (uint32_t)(draw() % 3);
	if (++card.launches == card.o.flip_launch)
		flip_a_bit();
	if (r.outcome == EXEC_OK)
		return CUDA_SUCCESS;
	if (r.reason == EXEC_REASON_deadlock)
		card.never_ends = true;
	else if (r.outcome == EXEC_REFUSED)
		return CUDA_OUT_OF_RESOURCES;
	else
		card.sticky = fault_code(r.reason);
	/* As on a card, the launch itself was fine. */
	return CUDA_SUCCESS;
}

static int launch_bound(struct fun *f, struct exec_launch *l)
{
	struct exec_buffer buffers[VARIABLES_MAX + 1];
	struct exec_symbol symbols[VARIABLES_MAX];
	const struct mod *m = f->mod;

	buffers[0] = (struct exec_buffer){.data = card.heap,
					  .bytes = card.o.heap_bytes,
					  .writable = true};
	for (uint32_t i = 0; i < m->variable_count; i++) {
		buffers[i + 1] =
			(struct exec_buffer){.data = m->variables[i].data,
					     .bytes = m->variables[i].bytes,
					     .writable = true};
		symbols[i] = (struct exec_symbol){m->variables[i].name, i + 1};
	}
	l->buffers = buffers;
	l->buffer_count = m->variable_count + 1;
	l->symbols = symbols;
	l->symbol_count = m->variable_count;
	return run(f, l);
}

static int launch(struct cuda_fun *fun, unsigned gx, unsigned gy, unsigned gz,
		  unsigned bx, unsigned by, unsigned bz, unsigned shared,
		  struct cuda_stream *stream, void **params, void **extra)
{
	struct fun *f = (struct fun *)(void *)fun;
	struct exec_launch l = {
		.kernel = bytes_str(f->name),
		.grid = {gx, gy, gz},
		.block = {bx, by, bz},
		.shared_bytes = shared,
	};
	char log[256];

	BEFORE(launch);
	must(stream && !params && f->mod);
	if ((uint64_t)gx * gy * gz == 0 || (uint64_t)bx * by * bz == 0 ||
	    bx > 1024 || by > 1024 || bz > 64 || gy > 65535 || gz > 65535)
		return CUDA_INVALID_VALUE;
	if ((uint64_t)bx * by * bz > 1024 || shared > f->dynamic_max)
		return CUDA_INVALID_VALUE;
	if (extra) {
		must(extra[0] == CUDA_PARAM_BUFFER &&
		     extra[2] == CUDA_PARAM_SIZE && extra[4] == CUDA_PARAM_END);
		l.params = bytes_of(extra[1], *(const size_t *)extra[3]);
	}
	if (f->mod->stack_bytes != card.stack_bytes &&
	    load_exec(f->mod, (uint32_t)card.stack_bytes, log, sizeof(log)) !=
		    CUDA_SUCCESS)
		return CUDA_INVALID_PTX;
	return launch_bound(f, &l);
}

static int stream_new(struct cuda_stream **ret, unsigned flags)
{
	(void)flags;
	BEFORE(stream_new);
	card.streams++;
	*ret = (struct cuda_stream *)(void *)&card.streams;
	return CUDA_SUCCESS;
}

static int stream_free(struct cuda_stream *s)
{
	(void)s;
	must(card.streams-- > 0);
	return CUDA_SUCCESS;
}

static int event_new(struct cuda_event **ret, unsigned flags)
{
	(void)flags;
	BEFORE(event_new);
	card.events++;
	*ret = (struct cuda_event *)(void *)&card.events;
	return CUDA_SUCCESS;
}

static int event_free(struct cuda_event *e)
{
	(void)e;
	must(card.events-- > 0);
	return CUDA_SUCCESS;
}

/* The launch's fault is not known yet: it comes with the query. */
static int event_record(struct cuda_event *e, struct cuda_stream *s)
{
	int sticky = card.sticky, code;

	must(e && s);
	card.sticky = CUDA_SUCCESS;
	code = before("event_record");
	card.sticky = sticky;
	return code;
}

static int event_query(struct cuda_event *e)
{
	must(e);
	if (card.o.hang || card.never_ends)
		return CUDA_NOT_READY;
	if (card.looks > 0) {
		card.looks--;
		return CUDA_NOT_READY;
	}
	return before("event_query");
}

void standin_stop(void)
{
	for (uint32_t i = 0; i < MODULES_MAX; i++)
		if (card.mods[i].used)
			drop_module(&card.mods[i]);
	for (uint32_t i = 0; i < card.fun_count; i++)
		free(card.funs[i]);
	free(card.heap);
	memset(&card, 0, sizeof(card));
}

struct cuda_driver standin_start(const struct standin_options *options)
{
	struct cuda_driver d = {0};

	standin_stop();
	card.o = *options;
	card.random = options->seed;
	card.stack_bytes = 1024;
	card.heap = malloc(options->heap_bytes);
	must(card.heap);
	for (uint64_t i = 0; i + 8 <= options->heap_bytes; i += 8) {
		uint64_t noise = draw();

		memcpy(card.heap + i, &noise, 8);
	}
	card.top = 256 * (1 + draw() % 1024);
#define X(symbol, member, args) d.member = member;
	CUDA_DRIVER_LIST(X)
#undef X
	return d;
}

uint32_t standin_in_use(void)
{
	uint32_t n = card.contexts + card.streams + card.events;

	for (uint32_t i = 0; i < MODULES_MAX; i++)
		n += card.mods[i].used;
	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		n += card.blocks[i].at != 0;
	return n;
}
