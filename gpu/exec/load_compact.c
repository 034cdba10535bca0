/*
 * Registers that are never alive together share a place, so that a strip's
 * working set stays near the core.
 *
 * Per function: values that are read in a basic block before that block
 * writes them are global, the rest lives inside blocks.  Backward dataflow
 * over the global ones gives where they are alive; each value gets the hull
 * of its places in the order of the ops; a linear scan hands out units.  An
 * op with a guard writes only some lanes, so it ends nothing.  What is alive
 * at the entry may be read unwritten and is zeroed for each CTA.
 *
 * Lanes of one strip may stand at different ops, so values share a place only
 * with those of their width: a lane's 64 bits lie where two other lanes have
 * 32.  Temporaries have both widths, but no lane rests inside an instruction:
 * they share among themselves, and with no register.  The exception are those
 * with which a lane waits: of 32 bits they have places of their own, of 64
 * bits they are as registers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/op_list.h"

/* Largest bit matrix of the dataflow; beyond it registers stay apart. */
#define DATAFLOW_WORDS_MAX (1u << 23)

struct value {
	uint32_t first_unit; /* before */
	uint32_t units;
	uint32_t from, to; /* hull, as op indexes; from > to: unused */
	uint32_t global;   /* index, or UINT32_MAX */
	uint32_t block;	   /* of the last write seen; UINT32_MAX: none */
	uint32_t next;	   /* list of values by hull's end, or start */
	uint32_t unit;	   /* after */
	bool is_pinned;	   /* alive throughout */
	bool is_alive;	   /* while liveness is counted */
	uint8_t kind;	   /* enum ptx_class; of none: PTX_CLASS_COUNT */
	uint8_t pool;	   /* enum pool_kind */
};

/* Who may follow whom in a place. */
enum pool_kind {
	POOL_32,
	POOL_64,
	POOL_TEMPS,
	POOL_WAITING, /* the carry flag, a negated predicate */
	POOL_COUNT
};

struct block {
	uint32_t from, to; /* ops [from, to) */
};

struct compact {
	struct loader *l;
	struct function *f;
	const struct ptx_function *pf;
	uint32_t base;	    /* raw first unit */
	uint32_t *value_of; /* by raw unit - base */
	struct value *values;
	uint32_t value_count;
	struct block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* by op - entry */
	uint32_t global_count, words;
	uint64_t *in, *out, *gen, *kill; /* by block */
	uint32_t alive[PTX_CLASS_COUNT + 1];
};

typedef void visit_fn(struct compact *c, uint32_t op, op_ref *r, bool is_def);

static bool is_mine(const struct compact *c, op_ref r)
{
	return r != REF_NONE && (r & REF_CONST) == 0 && r >= c->base &&
	       r < c->base + c->f->unit_count;
}

static void visit(struct compact *c, uint32_t op, op_ref *r, bool is_def,
		  visit_fn *fn)
{
	if (is_mine(c, *r))
		fn(c, op, r, is_def);
}

/* Every reference of an op: reads first, then writes. */
static void visit_op(struct compact *c, uint32_t i, visit_fn *fn)
{
	struct exec_module *m = c->l->m;
	struct op *o = &m->ops[i];
	op_ref *reads[5] = {&o->guard, &o->a, &o->b, &o->c, &o->f};
	for (int k = 0; k < 5; k++)
		visit(c, i, reads[k], false, fn);
	uint32_t writes = op_list_writes(o);
	for (uint32_t k = 0; k < op_list_reads(o); k++)
		visit(c, i, &m->lists[o->list + writes + k], false, fn);
	for (uint32_t k = 0; k < writes; k++)
		visit(c, i, &m->lists[o->list + k], true, fn);
	bool calls = o->id == OP_call || o->id == OP_call_end ||
		     o->id == OP_call_to || o->id == OP_call_back;
	for (uint32_t k = 0; calls && k < o->imm; k++) {
		visit(c, i, &m->copies[o->list + k].from_ref, false, fn);
		visit(c, i, &m->copies[o->list + k].to_ref, true, fn);
	}
	visit(c, i, &o->d, true, fn);
	visit(c, i, &o->e, true, fn);
}

static struct value *value_at(struct compact *c, op_ref r)
{
	return &c->values[c->value_of[r - c->base]];
}

static void add_values(struct compact *c, uint32_t *unit, uint32_t count,
		       uint32_t units, enum pool_kind pool)
{
	for (uint32_t i = 0; i < count; i++) {
		c->value_of[*unit] = c->value_count;
		c->values[c->value_count++] =
			(struct value){.first_unit = c->base + *unit,
				       .units = units,
				       .from = UINT32_MAX,
				       .global = UINT32_MAX,
				       .block = UINT32_MAX,
				       .kind = PTX_CLASS_COUNT,
				       .pool = (uint8_t)pool};
		*unit += units;
	}
}

/* What a caller writes into registers, or takes out of them. */
static void pin(struct compact *c, const struct ptx_param *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!p[i].in_register)
			continue;
		op_ref r = load_unit(c->l, p[i].cls, p[i].index);
		value_at(c, r)->is_pinned = true;
		if (p[i].cls == PTX_CLASS_128)
			value_at(c, r + 2)->is_pinned = true;
	}
}

static void list_values(struct compact *c)
{
	uint32_t unit = 0;
	add_values(c, &unit, 1, 2, POOL_WAITING);
	add_values(c, &unit, LOAD_TEMPS, 2, POOL_TEMPS);
	c->values[1 + LOAD_TEMP_NEGATED].pool = POOL_WAITING;
	c->values[1 + LOAD_TEMP_ROW].pool = POOL_64;
	c->values[2 + LOAD_TEMP_ROW].pool = POOL_64;
	for (uint32_t k = 0; k < PTX_CLASS_COUNT; k++) {
		uint32_t from = c->value_count;
		/* 128 bits are two values. */
		add_values(c, &unit,
			   c->pf->reg_count[k] * (k == PTX_CLASS_128 ? 2u : 1u),
			   k >= PTX_CLASS_64 ? 2 : 1,
			   k >= PTX_CLASS_64 ? POOL_64 : POOL_32);
		for (uint32_t i = from; i < c->value_count; i++)
			c->values[i].kind = (uint8_t)k;
	}
	pin(c, c->pf->params, c->f->is_entry ? 0 : c->pf->param_count);
	pin(c, c->pf->returns, c->pf->return_count);
}

static bool is_call(const struct op *o)
{
	return o->id == OP_call || o->id == OP_call_to;
}

static bool ends_block(const struct op *o)
{
	return o->id == OP_bra || o->id == OP_brx || o->id == OP_exit ||
	       o->id == OP_ret || is_call(o);
}

static void mark_leaders(struct compact *c, uint8_t *leads)
{
	const struct exec_module *m = c->l->m;
	uint32_t entry = c->f->entry;
	leads[0] = 1;
	for (uint32_t i = entry; i < c->f->end; i++) {
		const struct op *o = &m->ops[i];
		if (o->id == OP_bra)
			leads[o->target - entry] = 1;
		for (uint32_t k = 0; o->id == OP_brx && k < o->imm; k++)
			leads[m->tables[o->list + k] - entry] = 1;
		if (ends_block(o))
			leads[i + 1 - entry] = 1;
	}
}

static bool list_blocks(struct compact *c)
{
	uint32_t n = c->f->end - c->f->entry;
	uint8_t *leads = calloc((size_t)n + 1, 1);
	c->blocks = calloc((size_t)n + 1, sizeof(*c->blocks));
	c->block_of = calloc((size_t)n + 1, sizeof(*c->block_of));
	if (leads == NULL || c->blocks == NULL || c->block_of == NULL) {
		free(leads);
		return false;
	}
	mark_leaders(c, leads);
	for (uint32_t i = 0; i < n; i++) {
		if (leads[i] != 0)
			c->blocks[c->block_count++].from = c->f->entry + i;
		c->blocks[c->block_count - 1].to = c->f->entry + i + 1;
		c->block_of[i] = c->block_count - 1;
	}
	free(leads);
	return true;
}

/* First pass: hulls of the places in the text, and which are global. */
static void see(struct compact *c, uint32_t op, op_ref *r, bool is_def)
{
	struct value *v = value_at(c, *r);
	uint32_t block = c->block_of[op - c->f->entry];
	v->from = op < v->from ? op : v->from;
	v->to = op > v->to ? op : v->to;
	if (is_def && c->l->m->ops[op].guard == REF_NONE)
		v->block = block;
	else if (v->block != block && v->global == UINT32_MAX)
		v->global = c->global_count++;
}

/* Second pass: read before written, and written, in each block. */
static void gather(struct compact *c, uint32_t op, op_ref *r, bool is_def)
{
	struct value *v = value_at(c, *r);
	if (v->global == UINT32_MAX)
		return;
	size_t at = (size_t)c->block_of[op - c->f->entry] * c->words +
		    v->global / 64;
	uint64_t bit = (uint64_t)1 << (v->global % 64);
	bool whole = c->l->m->ops[op].guard == REF_NONE;
	if (!is_def && (c->kill[at] & bit) == 0)
		c->gen[at] |= bit;
	if (is_def && whole)
		c->kill[at] |= bit;
}

static bool join(uint64_t *to, const uint64_t *from, uint32_t words)
{
	uint64_t changed = 0;
	for (uint32_t i = 0; i < words; i++) {
		changed |= from[i] & ~to[i];
		to[i] |= from[i];
	}
	return changed != 0;
}

static void take_from(struct compact *c, uint32_t block, uint32_t op)
{
	if (op >= c->f->end)
		return;
	uint32_t next = c->block_of[op - c->f->entry];
	join(c->out + (size_t)block * c->words, c->in + (size_t)next * c->words,
	     c->words);
}

/* out = union of the successors' in; in = gen or (out without kill). */
static bool flow_block(struct compact *c, uint32_t b)
{
	const struct exec_module *m = c->l->m;
	uint32_t last = c->blocks[b].to - 1;
	const struct op *o = &m->ops[last];
	bool falls = !ends_block(o) || is_call(o) || o->guard != REF_NONE;
	size_t at = (size_t)b * c->words;
	if (o->id == OP_bra)
		take_from(c, b, o->target);
	for (uint32_t k = 0; o->id == OP_brx && k < o->imm; k++)
		take_from(c, b, m->tables[o->list + k]);
	if (falls)
		take_from(c, b, last + 1);
	bool changed = false;
	for (uint32_t i = 0; i < c->words; i++) {
		uint64_t in =
			c->gen[at + i] | (c->out[at + i] & ~c->kill[at + i]);
		changed = changed || in != c->in[at + i];
		c->in[at + i] = in;
	}
	return changed;
}

static bool flow(struct compact *c)
{
	c->words = (c->global_count + 63) / 64;
	size_t n = (size_t)c->words * c->block_count;
	if (n > DATAFLOW_WORDS_MAX)
		return false;
	c->in = calloc(4 * n + 1, sizeof(*c->in));
	if (c->in == NULL)
		return false;
	c->out = c->in + n;
	c->gen = c->out + n;
	c->kill = c->gen + n;
	for (uint32_t i = c->f->entry; i < c->f->end; i++)
		visit_op(c, i, gather);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = c->block_count; b-- > 0;)
			changed = flow_block(c, b) || changed;
	}
	return true;
}

static void set_alive(struct compact *c, struct value *v, bool alive)
{
	if (v->is_alive == alive)
		return;
	v->is_alive = alive;
	c->alive[v->kind] += alive ? 1u : UINT32_MAX;
}

/* Backward over an op: a whole write ends a value, a read begins one. */
static void end_value(struct compact *c, uint32_t op, op_ref *r, bool is_def)
{
	if (is_def && c->l->m->ops[op].guard == REF_NONE)
		set_alive(c, value_at(c, *r), false);
}

static void begin_value(struct compact *c, uint32_t op, op_ref *r, bool is_def)
{
	struct op *o = &c->l->m->ops[op];
	struct value *v = value_at(c, *r);
	if (is_def)
		return;
	if (!v->is_alive && !v->is_pinned)
		o->last_reads |= (uint8_t)((r == &o->a ? READS_A : 0) |
					   (r == &o->b ? READS_B : 0) |
					   (r == &o->c ? READS_C : 0));
	set_alive(c, v, true);
}

static void refuse_crowd(struct compact *c, uint32_t op)
{
	load_refuse(c->l, "more than 512 registers of a kind are alive");
	if (c->l->why != NULL)
		c->l->why->line = c->l->m->ops[op].line;
}

/* At most PTX_LIVE_REGISTERS_MAX of a kind are alive before any op; which
 * reads are a value's last. */
static void check_crowds(struct compact *c)
{
	for (uint32_t b = 0; b < c->block_count; b++) {
		const uint64_t *out = c->out + (size_t)b * c->words;
		for (uint32_t i = 0; i < c->value_count; i++) {
			struct value *v = &c->values[i];
			uint32_t g = v->global;
			set_alive(c, v,
				  g != UINT32_MAX &&
					  (out[g / 64] >> (g % 64) & 1u) != 0);
		}
		for (uint32_t i = c->blocks[b].to; i-- > c->blocks[b].from;) {
			visit_op(c, i, end_value);
			visit_op(c, i, begin_value);
			for (uint32_t k = 0; k < PTX_CLASS_COUNT; k++) {
				/* 128 bits are two values. */
				uint32_t most = PTX_LIVE_REGISTERS_MAX
						<< (k == PTX_CLASS_128 ? 1 : 0);
				if (c->alive[k] > most) {
					refuse_crowd(c, i);
					return;
				}
			}
		}
	}
}

static void widen(struct value *v, uint32_t op)
{
	v->from = op < v->from ? op : v->from;
	v->to = op > v->to ? op : v->to;
}

static void widen_hulls(struct compact *c)
{
	for (uint32_t i = 0; i < c->value_count; i++) {
		struct value *v = &c->values[i];
		uint32_t word = v->global / 64, bit = v->global % 64;
		if (v->is_pinned) {
			v->from = c->f->entry;
			v->to = c->f->end - 1;
		}
		for (uint32_t b = 0;
		     v->global != UINT32_MAX && b < c->block_count; b++) {
			size_t at = (size_t)b * c->words + word;
			if ((c->in[at] >> bit & 1u) != 0)
				widen(v, c->blocks[b].from);
			if ((c->out[at] >> bit & 1u) != 0)
				widen(v, c->blocks[b].to - 1);
		}
	}
}

/* Free units of one size, as a stack. */
struct pool {
	uint32_t *units;
	uint32_t count;
	uint32_t size;
};

static uint32_t take_unit(struct pool *p, uint32_t *top)
{
	if (p->count > 0)
		return p->units[--p->count];
	uint32_t unit = *top;
	*top += p->size;
	return unit;
}

/* Values by the op where their hull starts (or ends). */
static void chain(struct compact *c, uint32_t *heads, bool by_end)
{
	uint32_t n = c->f->end - c->f->entry;
	memset(heads, 0xff, ((size_t)n + 1) * sizeof(*heads));
	for (uint32_t i = 0; i < c->value_count; i++) {
		struct value *v = &c->values[i];
		if (v->from > v->to)
			continue;
		uint32_t at = (by_end ? v->to : v->from) - c->f->entry;
		v->next = heads[at];
		heads[at] = i;
	}
}

struct scan {
	uint32_t *starts; /* heads, then values in order */
	uint32_t *order;
	uint32_t *first; /* in order, by op */
	struct pool pools[POOL_COUNT];
	uint32_t *memory;
};

static bool scan_new(struct compact *c, struct scan *s)
{
	size_t n = (size_t)(c->f->end - c->f->entry) + 2;
	size_t v = (size_t)c->value_count + 1;
	s->memory = calloc(2 * n + (POOL_COUNT + 1) * v, sizeof(uint32_t));
	if (s->memory == NULL)
		return false;
	s->starts = s->memory;
	s->first = s->starts + n;
	s->order = s->first + n;
	for (uint32_t k = 0; k < POOL_COUNT; k++)
		s->pools[k] = (struct pool){.units = s->order + v * (k + 1),
					    .size = k == POOL_32 ? 1 : 2};
	return true;
}

/* Hands out units in the order of the ops. */
static uint32_t scan_run(struct compact *c, struct scan *s)
{
	uint32_t n = c->f->end - c->f->entry, top = 0, count = 0;
	chain(c, s->starts, false);
	for (uint32_t i = 0; i < n; i++) {
		s->first[i] = count;
		for (uint32_t v = s->starts[i]; v != UINT32_MAX;
		     v = c->values[v].next)
			s->order[count++] = v;
	}
	s->first[n] = count;
	chain(c, s->starts, true);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
			struct value *v = &c->values[s->order[k]];
			v->unit = take_unit(&s->pools[v->pool], &top);
		}
		for (uint32_t k = s->starts[i]; k != UINT32_MAX;
		     k = c->values[k].next) {
			struct value *v = &c->values[k];
			struct pool *p = &s->pools[v->pool];
			p->units[p->count++] = v->unit;
		}
	}
	return top;
}

/* Where each raw unit of the function goes; what is alive at the entry. */
static bool keep_map(struct compact *c, uint32_t units)
{
	struct function *f = c->f;
	f->map = malloc(((size_t)f->unit_count + 1) * sizeof(*f->map));
	f->entry_units = calloc((size_t)units + 1, 1);
	if (f->map == NULL || f->entry_units == NULL)
		return false;
	/* UINT32_MAX: nothing needs a place for it. */
	memset(f->map, 0xff, ((size_t)f->unit_count + 1) * sizeof(*f->map));
	for (uint32_t i = 0; i < c->value_count; i++) {
		const struct value *v = &c->values[i];
		if (v->from > v->to)
			continue;
		f->map[v->first_unit - c->base] = v->unit;
		bool alive =
			v->is_pinned ||
			(v->global != UINT32_MAX &&
			 (c->in[v->global / 64] >> (v->global % 64) & 1u) != 0);
		for (uint32_t k = 0; alive && k < v->units; k++)
			f->entry_units[v->unit + k] =
				v->pool == POOL_64 && k % 2 == 0 ? ENTRY_WIDE
								 : ENTRY_NARROW;
	}
	f->packed_units = units;
	return true;
}

/* No map: registers stay apart and all are zeroed. */
static bool keep_raw(struct compact *c)
{
	struct function *f = c->f;
	f->map = calloc((size_t)f->unit_count + 1, sizeof(*f->map));
	f->entry_units = malloc((size_t)f->unit_count + 1);
	if (f->map == NULL || f->entry_units == NULL)
		return false;
	for (uint32_t i = 0; i < f->unit_count; i++)
		f->map[i] = i;
	memset(f->entry_units, 1, f->unit_count);
	f->packed_units = f->unit_count;
	return true;
}

bool load_compact(struct loader *l)
{
	struct compact c = {
		.l = l, .f = l->f, .pf = l->pf, .base = l->f->first_unit};
	struct scan s = {0};
	bool ok;
	c.value_of = calloc((size_t)l->f->unit_count + 1, sizeof(uint32_t));
	c.values = calloc((size_t)l->f->unit_count + 1, sizeof(*c.values));
	ok = c.value_of != NULL && c.values != NULL && list_blocks(&c);
	if (ok) {
		list_values(&c);
		for (uint32_t i = l->f->entry; i < l->f->end; i++)
			visit_op(&c, i, see);
		if (flow(&c)) {
			check_crowds(&c);
			widen_hulls(&c);
			ok = scan_new(&c, &s) && keep_map(&c, scan_run(&c, &s));
		} else {
			ok = keep_raw(&c);
		}
	}
	free(s.memory);
	free(c.value_of);
	free(c.values);
	free(c.blocks);
	free(c.block_of);
	free(c.in);
	return ok;
}
