/*
 * gpu/ptx/classify - the report of one kernel.
 *
 * First the values of all registers (analyse.c), then what memory is touched
 * (access.c), then the rules (reasons.c, regular.c, independence.c); the
 * class is that of the worst reason.
 */
#include "gpu/ptx/classify.h"

#include <string.h>

#include "base/must.h"
#include "gpu/ptx/priv/analysis.h"
#include "gpu/ptx/priv/needs.h"

#define REASONS_CAP 320u
/* Different opcodes counted. */
#define COUNTS_MAX 4096u
/* Analyses of one kernel that assume less each time; the last one nothing. */
#define ROUNDS_MAX 4u
/* Of one analysis; what needs more is too complex. */
#define SCRATCH_BYTES_MAX (384u << 20)

static const struct {
	const char *word, *text, *hint;
	enum ptx_sale sale;
} whys[PTX_WHY_COUNT] = {
#define X(word, sale, text, hint) {#word, text, hint, PTX_SALE_##sale},
	PTX_WHY_LIST(X)
#undef X
};

const char *ptx_why_word(enum ptx_why why)
{
	return whys[why].word;
}

const char *ptx_why_text(enum ptx_why why)
{
	return whys[why].text;
}

const char *ptx_why_hint(enum ptx_why why)
{
	return whys[why].hint;
}

enum ptx_sale ptx_why_sale(enum ptx_why why)
{
	return whys[why].sale;
}

char ptx_sale_letter(enum ptx_sale s)
{
	return "ARBSCDX"[s];
}

/* Local bytes of f and the deepest chain that it calls; recursion and
 * indirect calls are marked and end the chain. */
struct frames {
	const struct analysis *n;
	uint32_t *bytes;
	uint8_t *state; /* 1 open, 2 done */
	bool needs_stack;
};

static uint32_t frame_of(struct frames *w, uint32_t function)
{
	const struct ptx_module *m = w->n->m;
	const struct ptx_function *f = &m->functions[function];
	uint64_t own = 0, most = 0;

	if (w->state[function] == 1)
		w->needs_stack = true;
	if (w->state[function])
		return w->bytes[function];
	w->state[function] = 1;
	for (uint32_t i = 0; i < f->variable_count; i++) {
		const struct ptx_variable *v =
			&m->variables[f->variable_first + i];

		if (v->space == PTX_SPACE_LOCAL)
			own += v->bytes;
	}
	for (uint32_t i = 0; i < f->call_count; i++) {
		uint32_t below;

		if (f->calls[i].callee == PTX_NO_INDEX) {
			w->needs_stack = true;
			continue;
		}
		below = frame_of(w, f->calls[i].callee);
		most = below > most ? below : most;
	}
	w->state[function] = 2;
	own += most;
	w->bytes[function] = own > UINT32_MAX ? UINT32_MAX : (uint32_t)own;
	return w->bytes[function];
}

static uint32_t product(const uint32_t n[3])
{
	uint64_t p = (uint64_t)n[0] * n[1];

	if (p > UINT32_MAX || p * n[2] > UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)(p * n[2]);
}

static void add_variable_needs(struct analysis *n, struct ptx_needs *needs)
{
	for (uint32_t i = 0; i < n->m->variable_count; i++) {
		const struct ptx_variable *v = &n->m->variables[i];
		uint64_t shared = needs->shared_bytes;

		if (!n->reach.variables[i])
			continue;
		if (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST)
			needs->memory_bytes += v->bytes;
		if (v->space != PTX_SPACE_SHARED)
			continue;
		n->uses_shared = true;
		needs->uses_dynamic_shared |= v->is_dynamic;
		shared = (shared + v->align - 1) / v->align * v->align +
			 v->bytes;
		needs->shared_bytes =
			shared > UINT32_MAX ? UINT32_MAX : (uint32_t)shared;
	}
}

static enum err find_needs(struct analysis *n, struct ptx_needs *ret)
{
	const struct ptx_module *m = n->m;
	const struct ptx_function *k = &m->functions[n->kernel];
	struct needs least = needs_least();
	struct frames w = {.n = n};

	w.bytes = ARENA_ARRAY(n->a, m->function_count, uint32_t);
	w.state = ARENA_ARRAY(n->a, m->function_count, uint8_t);
	if (!w.bytes || !w.state)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct ptx_function *f = &m->functions[i];

		if (!n->reach.functions[i])
			continue;
		needs_add_function(&least, f);
		for (uint32_t j = 0; j < f->instr_count; j++)
			needs_add_instr(&least, f, &f->instrs[j]);
		for (uint32_t j = 0; j < f->instr_count; j++)
			w.needs_stack |= f->instrs[j].op == PTX_OP_alloca;
	}
	needs_settle(&least);
	memset(ret, 0, sizeof(*ret));
	ret->sm = least.sm;
	ret->version = least.version;
	ret->local_bytes = frame_of(&w, n->kernel);
	ret->needs_stack = w.needs_stack;
	ret->threads =
		k->reqntid[0] ? product(k->reqntid) : product(k->maxntid);
	add_variable_needs(n, ret);
	return ERR_OK;
}

struct counts {
	struct ptx_count *list;
	uint32_t count;
	uint16_t buckets[COUNTS_MAX * 2]; /* + 1; 0: empty */
};

static enum err count_name(struct analysis *n, struct counts *c,
			   const char *name)
{
	uint32_t h = 2166136261u, i;

	for (const char *p = name; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	for (i = h % (COUNTS_MAX * 2); c->buckets[i];
	     i = (i + 1) % (COUNTS_MAX * 2))
		if (strcmp(c->list[c->buckets[i] - 1].opcode, name) == 0) {
			c->list[c->buckets[i] - 1].count++;
			return ERR_OK;
		}
	if (c->count == COUNTS_MAX)
		return ERR_OK;
	c->list[c->count].opcode = arena_str(n->out, bytes_str(name));
	c->list[c->count].count = 1;
	if (!c->list[c->count].opcode)
		return ERR_NO_MEMORY;
	c->buckets[i] = (uint16_t)++c->count;
	return ERR_OK;
}

static void sort_counts(struct ptx_count *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct ptx_count v = list[i];
		uint32_t k = i;

		for (; k > 0 && strcmp(list[k - 1].opcode, v.opcode) > 0; k--)
			list[k] = list[k - 1];
		list[k] = v;
	}
}

static enum err find_counts(struct analysis *n, struct ptx_report *r)
{
	struct counts *c = ARENA_NEW(n->a, struct counts);
	char name[160];
	enum err e = ERR_OK;

	if (c)
		c->list = ARENA_ARRAY(n->a, COUNTS_MAX, struct ptx_count);
	if (!c || !c->list)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n->m->function_count; i++) {
		const struct ptx_function *f = &n->m->functions[i];

		if (!n->reach.functions[i])
			continue;
		r->instr_count += f->instr_count;
		for (uint32_t k = 0; k < f->instr_count && e == ERR_OK; k++) {
			/* Opaque ones have any name a stranger likes. */
			if (f->instrs[k].op == PTX_OP_opaque) {
				e = count_name(n, c, "?");
				continue;
			}
			ptx_instr_name(f, &f->instrs[k], name, sizeof(name));
			e = count_name(n, c, name);
		}
	}
	sort_counts(c->list, c->count);
	r->counts = ARENA_ARRAY(n->out, c->count + 1u, struct ptx_count);
	if (!r->counts)
		return ERR_NO_MEMORY;
	memcpy(r->counts, c->list, c->count * sizeof(*c->list));
	r->count_count = c->count;
	return e;
}

static enum err find_footprint(struct analysis *n, struct ptx_report *r)
{
	r->footprint =
		ARENA_ARRAY(n->out, n->object_count + 1u, struct ptx_footprint);
	if (!r->footprint)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n->object_count; i++) {
		const struct object *o = &n->objects[i], *s = o;
		struct ptx_footprint p = {0};

		if (!o->is_global)
			continue;
		if (o->kind == OBJECT_BUFFER) {
			const struct ptx_function *k =
				&n->m->functions[n->kernel];

			/* An alias shares what was found for the first. */
			for (s = n->objects; s->index != o->index; s++)
				continue;
			p.index = o->param;
			p.offset = o->param_offset - k->params[o->param].offset;
			if (!n->launch && !s->is_addressed)
				continue;
		} else {
			p.is_variable = true;
			p.index = o->index;
		}
		p.read = s->read;
		p.written = s->written;
		p.atomic = s->atomic;
		r->footprint[r->footprint_count++] = p;
	}
	return ERR_OK;
}

static bool is_before(const struct ptx_reason *a, const struct ptx_reason *b)
{
	enum ptx_sale x = ptx_why_sale(a->why), y = ptx_why_sale(b->why);

	return x != y ? x > y : a->line < b->line;
}

static void sort_reasons(struct ptx_reason *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct ptx_reason v = list[i];
		uint32_t k = i;

		for (; k > 0 && is_before(&v, &list[k - 1]); k--)
			list[k] = list[k - 1];
		list[k] = v;
	}
}

/* Whether the analysis with outcome e has to be made again, with fewer slots
 * of local memory as registers. */
static bool is_wrong(struct analysis *n, enum err e, uint32_t round)
{
	if (e == ERR_LIMIT || e == ERR_NO_MEMORY)
		return slots_drop_all(n);
	if (e != ERR_OK || !slots_check(n))
		return false;
	if (round + 1 >= ROUNDS_MAX)
		slots_drop_all(n);
	return true;
}

/* What registers hold and what memory is touched; n->a is another arena from
 * here on. */
static enum err find_values(struct analysis *n)
{
	struct analysis start;
	enum err e = ERR_OK;

	n->slots = ARENA_ARRAY(n->a, n->m->function_count, struct slots);
	if (!n->slots)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; e == ERR_OK && i < n->m->function_count; i++)
		if (n->reach.functions[i])
			e = slots_find(n->a, n->m, i, &n->slots[i]);
	if (e != ERR_OK)
		return e;
	start = *n;
	for (uint32_t round = 0;; round++) {
		*n = start;
		n->a = arena_new(SCRATCH_BYTES_MAX);
		if (!n->a)
			return ERR_NO_MEMORY;
		e = analysis_run(n);
		if (e == ERR_OK)
			e = access_find(n);
		if (!is_wrong(n, e, round))
			return e;
		arena_free(n->a);
	}
}

/* The analysis proper; ERR_LIMIT: too complex, which is a class, not a
 * failure. */
static enum err judge(struct analysis *n, struct ptx_report *r)
{
	enum err e = find_values(n);

	if (e == ERR_LIMIT) {
		reasons_add(n, PTX_WHY_too_complex, NULL, NULL, "");
		return ERR_OK;
	}
	if (e != ERR_OK)
		return e;
	reasons_find(n);
	reasons_of_buffers(n);
	regular_is_search(n, &r->has_witness);
	waits_find(n);
	r->independence = independence_is_proved(n) ? PTX_PROVED : PTX_ASSUMED;
	if (r->independence != PTX_PROVED)
		independence_find_conflicts(n);
	return find_footprint(n, r);
}

static void take_reasons(struct analysis *n, struct ptx_report *r)
{
	sort_reasons(n->reasons, n->reason_count);
	r->reasons = n->reasons;
	r->reason_count = n->reason_count;
	for (uint32_t i = 0; i < n->reason_count; i++)
		if (ptx_why_sale(n->reasons[i].why) > r->sale)
			r->sale = ptx_why_sale(n->reasons[i].why);
}

static enum err make_report(struct analysis *n, struct ptx_report *r)
{
	enum err e;

	r->independence = PTX_ASSUMED;
	n->reason_cap = REASONS_CAP;
	n->reasons = ARENA_ARRAY(n->out, REASONS_CAP, struct ptx_reason);
	if (!n->reasons)
		return ERR_NO_MEMORY;
	e = reach_find(n->a, n->m, &n->kernel, 1, &n->reach);
	if (e == ERR_OK)
		e = find_needs(n, &r->needs);
	if (e == ERR_OK)
		e = find_counts(n, r);
	if (e == ERR_OK)
		e = judge(n, r);
	if (e != ERR_OK)
		return e;
	reasons_of_launch(n, &r->needs);
	take_reasons(n, r);
	r->reads_all = n->reads_all;
	r->by_warp = !n->uses_barrier && !n->uses_shared;
	return n->err;
}

enum err ptx_classify(struct arena *a, const struct ptx_module *m,
		      uint32_t kernel, const struct ptx_launch *launch,
		      struct ptx_report *ret)
{
	struct analysis n = {
		.out = a, .m = m, .kernel = kernel, .launch = launch};
	struct ptx_report r = {.kernel = kernel};
	struct arena *first;
	enum err e;

	if (kernel >= m->function_count || !m->functions[kernel].is_entry ||
	    !m->functions[kernel].has_body)
		return ERR_NOT_FOUND;
	n.a = first = arena_new(SCRATCH_BYTES_MAX);
	if (!first)
		return ERR_NO_MEMORY;
	e = make_report(&n, &r);
	/* What does not fit is too complex, on every machine alike. */
	if (e == ERR_NO_MEMORY && n.a &&
	    arena_used(n.a) > SCRATCH_BYTES_MAX / 2) {
		e = ERR_OK;
		r = (struct ptx_report){.kernel = kernel,
					.independence = PTX_ASSUMED,
					.needs = r.needs};
		n.reason_count = 0;
		reasons_add(&n, PTX_WHY_too_complex, NULL, NULL, "");
		take_reasons(&n, &r);
	}
	if (n.a != first)
		arena_free(n.a);
	arena_free(first);
	if (e == ERR_OK)
		*ret = r;
	return e;
}
