/*
 * gpu/ptx/ssa - one name for every definition of a register.
 *
 * Every definition gets a name first; then every use asks which name reaches
 * it.  Where several do, a phi is made on demand and its arguments are asked
 * for in turn, so that only phis which somebody reads come to be.  Phis of one
 * value, and plain moves, become that value's name.
 */
#include "gpu/ptx/priv/ssa.h"

#include <string.h>

/* Answers kept (what a register holds at a block's head) for each
 * instruction, and of one function. */
#define ANSWERS_PER_INSTR 64u
#define ANSWERS_MIN	  128u
#define ANSWERS_MAX	  (1u << 19)
/* Steps in the table of answers. */
#define PROBES_MAX (1u << 26)
/* Rounds in which phis of one value go away. */
#define ROUNDS_MAX 32u

#define ENTRY 0u /* what a register holds at a block's head */
#define LAST  1u /* what it holds at the end, if the block writes it */

struct answer {
	uint64_t key; /* 0: free */
	uint32_t name;
};

struct maker {
	struct arena *a;
	const struct ptx_function *from;
	struct ssa *s;
	uint32_t class_first[PTX_CLASS_COUNT], var_count;
	uint32_t name_cap;
	uint32_t *parent; /* [name] the name that it stands for */
	/* The block at hand: what its registers hold by now. */
	uint32_t *now, *now_block;
	struct answer *answers;
	uint32_t answer_mask, answer_count, answer_cap;
	uint64_t probes;
	uint32_t *phi_var;
	uint32_t phi_cap, arg_count, arg_cap;
	uint32_t merge_cap;
	uint32_t *param_name; /* [variable] at the entry; 0: nothing */
	uint32_t *chain;
	enum err err;
};

static uint32_t new_name(struct maker *k, uint8_t cls, uint32_t def)
{
	uint32_t name = k->s->name_count;

	if (name == k->name_cap) {
		k->err = ERR_LIMIT;
		return 0;
	}
	k->s->name_count++;
	k->parent[name] = name;
	k->s->cls[name] = cls;
	k->s->def[name] = def;
	return name;
}

static uint32_t find(struct maker *k, uint32_t name)
{
	while (k->parent[name] != name) {
		k->parent[name] = k->parent[k->parent[name]];
		name = k->parent[name];
	}
	return name;
}

static uint64_t key_of(uint32_t kind, uint32_t var, uint32_t block)
{
	return ((uint64_t)var << 32 | (uint64_t)block << 1 | kind) + 1;
}

/* The place of an answer, perhaps a free one. */
static struct answer *answer_at(struct maker *k, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15ull;
	uint32_t i;

	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	i = (uint32_t)(h >> 32) & k->answer_mask;
	while (k->answers[i].key && k->answers[i].key != key) {
		i = (i + 1) & k->answer_mask;
		if (++k->probes > PROBES_MAX) {
			k->err = ERR_LIMIT;
			break;
		}
	}
	return &k->answers[i];
}

static void keep(struct maker *k, uint64_t key, uint32_t name)
{
	struct answer *at = answer_at(k, key);

	if (k->err != ERR_OK)
		return;
	if (!at->key) {
		if (k->answer_count == k->answer_cap) {
			k->err = ERR_LIMIT;
			return;
		}
		k->answer_count++;
		at->key = key;
	}
	at->name = name;
}

static uint32_t var_of(const struct maker *k, uint8_t cls, uint32_t index)
{
	return k->class_first[cls] + index;
}

static uint32_t new_phi(struct maker *k, uint32_t var, uint8_t cls,
			uint32_t block)
{
	struct ssa *s = k->s;
	uint32_t count = 0;

	/* The entry has one more way in. */
	if (block != PTX_NO_INDEX)
		count = s->flow.blocks[block].pred_count + (block == 0);
	if (s->phi_count == k->phi_cap || count > k->arg_cap - k->arg_count) {
		k->err = ERR_LIMIT;
		return 0;
	}
	k->phi_var[s->phi_count] = var;
	s->phis[s->phi_count] =
		(struct ssa_phi){.name = new_name(k, cls, PTX_NO_INDEX),
				 .block = block,
				 .arg_first = k->arg_count,
				 .arg_count = count};
	k->arg_count += count;
	return s->phis[s->phi_count++].name;
}

/* What var holds at the head of a block. */
static uint32_t at_head(struct maker *k, uint32_t var, uint8_t cls,
			uint32_t block)
{
	uint32_t depth = 0, name = 0;

	for (;;) {
		const struct flow_block *b = &k->s->flow.blocks[block];
		struct answer *known = answer_at(k, key_of(ENTRY, var, block));

		if (k->err != ERR_OK)
			return 0;
		if (known->key) {
			name = known->name;
			break;
		}
		if (b->pred_count == 0) {
			name = block == 0 ? k->param_name[var] : 0;
			break;
		}
		if (b->pred_count > 1 || block == 0) {
			name = new_phi(k, var, cls, block);
			keep(k, key_of(ENTRY, var, block), name);
			break;
		}
		k->chain[depth++] = block;
		block = k->s->flow.preds[b->pred_first];
		known = answer_at(k, key_of(LAST, var, block));
		if (known->key) {
			name = known->name;
			break;
		}
	}
	while (depth > 0)
		keep(k, key_of(ENTRY, var, k->chain[--depth]), name);
	return name;
}

static uint32_t at_end(struct maker *k, uint32_t var, uint8_t cls,
		       uint32_t block)
{
	const struct answer *known = answer_at(k, key_of(LAST, var, block));

	return known->key ? known->name : at_head(k, var, cls, block);
}

/* What a use in the block at hand reads. */
static uint32_t read_var(struct maker *k, uint8_t cls, uint32_t index,
			 uint32_t block)
{
	uint32_t var = var_of(k, cls, index);

	if (k->now_block[var] == block)
		return k->now[var];
	return k->s->flow.blocks[block].rank == PTX_NO_INDEX
		       ? 0
		       : at_head(k, var, cls, block);
}

static void write_var(struct maker *k, uint8_t cls, uint32_t index,
		      uint32_t block, uint32_t name)
{
	uint32_t var = var_of(k, cls, index);

	k->now[var] = name;
	k->now_block[var] = block;
}

/* Where the walk over all instructions is. */
struct cursor {
	uint32_t next; /* the second time: name of the next definition */
	uint32_t block, instr;
	bool is_guarded;
};

/* The first time: a name for a register that an instruction writes. */
static void name_def(struct maker *k, struct cursor *c, struct ptx_operand *o)
{
	uint32_t name = new_name(k, o->cls, c->instr);

	keep(k, key_of(LAST, var_of(k, o->cls, o->index), c->block), name);
}

static void rename_use(struct maker *k, const struct cursor *c,
		       struct ptx_operand *o)
{
	struct ptx_function *f = &k->s->f;
	bool is_base =
		o->kind == PTX_OPERAND_MEMORY || o->kind == PTX_OPERAND_ADDRESS;

	for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
		rename_use(k, c, &f->elements[o->index + i]);
	if (o->kind == PTX_OPERAND_REG || (is_base && o->base == PTX_BASE_REG))
		o->index = read_var(k, o->cls, o->index, c->block);
}

/* The second time: the same names again, in the same order. */
static void rename_def(struct maker *k, struct cursor *c, struct ptx_operand *o)
{
	uint32_t name = c->next++, old;

	if (c->is_guarded) {
		if (k->s->merge_count == k->merge_cap) {
			k->err = ERR_LIMIT;
			return;
		}
		old = read_var(k, o->cls, o->index, c->block);
		k->s->merges[k->s->merge_count++] =
			(struct ssa_merge){c->instr, name, old};
	}
	write_var(k, o->cls, o->index, c->block, name);
	o->index = name;
}

typedef void def_fn(struct maker *, struct cursor *, struct ptx_operand *);

/* Calls what for every register that an instruction writes. */
static void each_def(struct maker *k, const struct ptx_instr *in, def_fn *what,
		     struct cursor *c)
{
	struct ptx_function *f = &k->s->f;
	uint32_t dests = ptx_dest_count(in);

	for (uint32_t i = 0; i < dests && i < in->operand_count; i++) {
		struct ptx_operand *o = &f->operands[in->operand_first + i];

		if (o->kind == PTX_OPERAND_REG)
			what(k, c, o);
		for (uint32_t e = 0;
		     o->kind == PTX_OPERAND_VECTOR && e < o->count; e++)
			if (f->elements[o->index + e].kind == PTX_OPERAND_REG)
				what(k, c, &f->elements[o->index + e]);
	}
	for (uint32_t i = 0;
	     in->op == PTX_OP_call && i < f->calls[in->aux].result_count; i++)
		if (f->calls[in->aux].results[i].kind == PTX_OPERAND_REG)
			what(k, c, &f->calls[in->aux].results[i]);
}

static void each_use(struct maker *k, const struct ptx_instr *in,
		     const struct cursor *c)
{
	struct ptx_function *f = &k->s->f;

	for (uint32_t i = ptx_dest_count(in); i < in->operand_count; i++)
		rename_use(k, c, &f->operands[in->operand_first + i]);
	if (in->op != PTX_OP_call)
		return;
	rename_use(k, c, &f->calls[in->aux].target);
	for (uint32_t i = 0; i < f->calls[in->aux].arg_count; i++)
		rename_use(k, c, &f->calls[in->aux].args[i]);
}

static void name_all(struct maker *k)
{
	struct ptx_function *f = &k->s->f;
	struct cursor c = {0};

	for (uint32_t i = 0; i < f->instr_count && k->err == ERR_OK; i++) {
		c.instr = i;
		c.block = k->s->flow.block_of[i];
		each_def(k, &f->instrs[i], name_def, &c);
	}
}

/* A move between registers of one class: two names of one value. */
static void unite_move(struct maker *k, const struct ptx_instr *in)
{
	const struct ptx_function *f = &k->s->f;
	const struct ptx_operand *d, *o;

	if (in->op != PTX_OP_mov || in->guard != PTX_NO_INDEX)
		return;
	d = ptx_operand(f, in, 0);
	o = ptx_operand(f, in, 1);
	if (d->kind == PTX_OPERAND_REG && o->kind == PTX_OPERAND_REG &&
	    d->cls == o->cls && !o->negated)
		k->parent[d->index] = find(k, o->index);
}

static void rename_all(struct maker *k, uint32_t first_name)
{
	struct ptx_function *f = &k->s->f;
	struct cursor c = {.next = first_name};

	for (uint32_t i = 0; i < f->instr_count && k->err == ERR_OK; i++) {
		struct ptx_instr *in = &f->instrs[i];

		c.instr = i;
		c.block = k->s->flow.block_of[i];
		c.is_guarded = in->guard != PTX_NO_INDEX;
		if (c.is_guarded)
			in->guard =
				read_var(k, PTX_CLASS_PRED, in->guard, c.block);
		each_use(k, in, &c);
		each_def(k, in, rename_def, &c);
		unite_move(k, in);
	}
}

/* Whether the function can return at the end of a block. */
static bool returns(const struct ptx_function *f, const struct flow_block *b)
{
	const struct ptx_instr *in = &f->instrs[b->end - 1];
	uint32_t count;
	const uint32_t *to = flow_jumps(f, b->end - 1, &count);

	if (b->rank == PTX_NO_INDEX)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (to[i] >= f->instr_count)
			return true;
	return in->op == PTX_OP_ret ||
	       (b->end == f->instr_count &&
		(in->guard != PTX_NO_INDEX ||
		 !(in->op == PTX_OP_exit || in->op == PTX_OP_trap ||
		   in->op == PTX_OP_bra || in->op == PTX_OP_brx_idx)));
}

/* Phis of the result registers; their arguments are blocks until
 * fill_phis(). */
static void name_results(struct maker *k)
{
	struct ssa *s = k->s;

	for (uint32_t i = 0; i < s->f.return_count; i++) {
		struct ptx_param *p = &s->f.returns[i];
		uint32_t phi = s->phi_count;

		if (!p->in_register)
			continue;
		p->index = new_phi(k, var_of(k, p->cls, p->index), p->cls,
				   PTX_NO_INDEX);
		for (uint32_t b = 0;
		     b < s->flow.block_count && k->err == ERR_OK; b++) {
			if (!returns(&s->f, &s->flow.blocks[b]))
				continue;
			if (k->arg_count == k->arg_cap) {
				k->err = ERR_LIMIT;
				return;
			}
			s->args[k->arg_count++] = b;
			s->phis[phi].arg_count++;
		}
	}
}

/* Asks for the arguments of every phi, and of those made meanwhile. */
static void fill_phis(struct maker *k)
{
	struct ssa *s = k->s;

	for (uint32_t i = 0; i < s->phi_count && k->err == ERR_OK; i++) {
		struct ssa_phi p = s->phis[i];
		uint32_t var = k->phi_var[i];
		uint8_t cls = s->cls[p.name];

		for (uint32_t n = 0; n < p.arg_count && k->err == ERR_OK; n++) {
			uint32_t *arg = &s->args[p.arg_first + n];
			const struct flow_block *b;

			if (p.block == PTX_NO_INDEX) {
				*arg = at_end(k, var, cls, *arg);
				continue;
			}
			b = &s->flow.blocks[p.block];
			*arg = n < b->pred_count
				       ? at_end(k, var, cls,
						s->flow.preds[b->pred_first +
							      n])
				       : k->param_name[var];
		}
	}
}

/* Whether all arguments of a phi are one name, itself aside. */
static bool is_one(struct maker *k, const struct ssa_phi *p, uint32_t *ret)
{
	uint32_t one = PTX_NO_INDEX;

	for (uint32_t n = 0; n < p->arg_count; n++) {
		uint32_t x = find(k, k->s->args[p->arg_first + n]);

		if (x == p->name || x == one)
			continue;
		if (one != PTX_NO_INDEX)
			return false;
		one = x;
	}
	*ret = one;
	return one != PTX_NO_INDEX;
}

static void drop_phis(struct maker *k)
{
	struct ssa *s = k->s;
	bool changed = true;

	for (uint32_t round = 0; changed && round < ROUNDS_MAX; round++) {
		changed = false;
		for (uint32_t i = 0; i < s->phi_count; i++) {
			const struct ssa_phi *p = &s->phis[i];
			uint32_t one;

			if (find(k, p->name) != p->name || !is_one(k, p, &one))
				continue;
			k->parent[p->name] = one;
			changed = true;
		}
	}
}

static void settle_operand(struct maker *k, struct ptx_operand *o)
{
	bool is_base =
		o->kind == PTX_OPERAND_MEMORY || o->kind == PTX_OPERAND_ADDRESS;

	if (o->kind == PTX_OPERAND_REG || (is_base && o->base == PTX_BASE_REG))
		o->index = find(k, o->index);
}

/* Every name becomes the one it stands for. */
static void settle(struct maker *k)
{
	struct ssa *s = k->s;
	struct ptx_function *f = &s->f;

	for (uint32_t i = 0; i < f->operand_count; i++)
		settle_operand(k, &f->operands[i]);
	for (uint32_t i = 0; i < f->element_count; i++)
		settle_operand(k, &f->elements[i]);
	for (uint32_t i = 0; i < f->instr_count; i++)
		if (f->instrs[i].guard != PTX_NO_INDEX)
			f->instrs[i].guard = find(k, f->instrs[i].guard);
	for (uint32_t i = 0; i < f->call_count; i++) {
		settle_operand(k, &f->calls[i].target);
		for (uint32_t n = 0; n < f->calls[i].arg_count; n++)
			settle_operand(k, &f->calls[i].args[n]);
		for (uint32_t n = 0; n < f->calls[i].result_count; n++)
			settle_operand(k, &f->calls[i].results[n]);
	}
	for (uint32_t i = 0; i < f->return_count; i++)
		if (f->returns[i].in_register)
			f->returns[i].index = find(k, f->returns[i].index);
	for (uint32_t i = 0; i < s->merge_count; i++)
		s->merges[i].old = find(k, s->merges[i].old);
	for (uint32_t i = 0; i < k->arg_count; i++)
		s->args[i] = find(k, s->args[i]);
}

/* Phis by their blocks, those that became another name left out. */
static enum err sort_phis(struct maker *k)
{
	struct ssa *s = k->s;
	uint32_t blocks = s->flow.block_count, total = 0;
	struct ssa_phi *sorted =
		ARENA_ARRAY(k->a, s->phi_count + 1u, struct ssa_phi);
	uint32_t *next = ARENA_ARRAY(k->a, blocks + 2u, uint32_t);

	s->phi_first = ARENA_ARRAY(k->a, blocks + 2u, uint32_t);
	if (!sorted || !s->phi_first || !next)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < s->phi_count; i++) {
		uint32_t b = s->phis[i].block;

		if (find(k, s->phis[i].name) == s->phis[i].name)
			s->phi_first[(b == PTX_NO_INDEX ? blocks : b) + 1]++;
	}
	for (uint32_t b = 0; b < blocks + 2u; b++) {
		total += s->phi_first[b];
		next[b] = s->phi_first[b] = total;
	}
	for (uint32_t i = 0; i < s->phi_count; i++) {
		uint32_t b = s->phis[i].block;

		if (find(k, s->phis[i].name) == s->phis[i].name)
			sorted[next[b == PTX_NO_INDEX ? blocks : b]++] =
				s->phis[i];
	}
	s->phis = sorted;
	s->phi_count = total;
	return ERR_OK;
}

static void *copy(struct maker *k, const void *from, size_t count, size_t size,
		  size_t align)
{
	void *to = arena_array(k->a, count + 1, size, align);

	if (to && count)
		memcpy(to, from, count * size);
	if (!to)
		k->err = ERR_NO_MEMORY;
	return to;
}

#define COPY(k, from, count, type) \
	((type *)copy(k, from, count, sizeof(type), _Alignof(type)))

static void copy_function(struct maker *k)
{
	struct ptx_function *f = &k->s->f;

	*f = *k->from;
	f->params = COPY(k, f->params, f->param_count, struct ptx_param);
	f->returns = COPY(k, f->returns, f->return_count, struct ptx_param);
	f->instrs = COPY(k, f->instrs, f->instr_count, struct ptx_instr);
	f->operands =
		COPY(k, f->operands, f->operand_count, struct ptx_operand);
	f->elements =
		COPY(k, f->elements, f->element_count, struct ptx_operand);
	f->calls = COPY(k, f->calls, f->call_count, struct ptx_call);
	for (uint32_t i = 0; k->err == ERR_OK && i < f->call_count; i++) {
		struct ptx_call *c = &f->calls[i];

		c->args = COPY(k, c->args, c->arg_count, struct ptx_operand);
		c->results = COPY(k, c->results, c->result_count,
				  struct ptx_operand);
	}
}

static uint32_t count_defs(const struct ptx_function *f)
{
	uint32_t count = f->element_count;

	for (uint32_t i = 0; i < f->instr_count; i++)
		count += ptx_dest_count(&f->instrs[i]);
	for (uint32_t i = 0; i < f->call_count; i++)
		count += f->calls[i].result_count;
	return count;
}

static enum err make_room(struct maker *k)
{
	const struct ptx_function *f = k->from;
	struct ssa *s = k->s;
	uint32_t defs = count_defs(f), size = 64;
	uint64_t answers =
		(uint64_t)f->instr_count * ANSWERS_PER_INSTR + ANSWERS_MIN;

	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
		k->class_first[c] = k->var_count;
		k->var_count += f->reg_count[c];
	}
	if (answers > ANSWERS_MAX)
		answers = ANSWERS_MAX;
	k->phi_cap = k->arg_cap = (uint32_t)answers;
	k->answer_cap = k->phi_cap + defs;
	while (size < 2 * k->answer_cap)
		size *= 2;
	k->answer_mask = size - 1;
	k->merge_cap = defs;
	k->name_cap = defs + f->param_count + k->phi_cap + 1;
	k->answers = ARENA_ARRAY(k->a, size, struct answer);
	k->parent = ARENA_ARRAY(k->a, k->name_cap, uint32_t);
	k->now = ARENA_ARRAY(k->a, k->var_count + 1u, uint32_t);
	k->now_block = ARENA_ARRAY(k->a, k->var_count + 1u, uint32_t);
	k->param_name = ARENA_ARRAY(k->a, k->var_count + 1u, uint32_t);
	k->phi_var = ARENA_ARRAY(k->a, k->phi_cap, uint32_t);
	k->chain = ARENA_ARRAY(k->a, s->flow.block_count + 1u, uint32_t);
	s->def = ARENA_ARRAY(k->a, k->name_cap, uint32_t);
	s->cls = ARENA_ARRAY(k->a, k->name_cap, uint8_t);
	s->phis = ARENA_ARRAY(k->a, k->phi_cap, struct ssa_phi);
	s->args = ARENA_ARRAY(k->a, k->arg_cap, uint32_t);
	s->merges = ARENA_ARRAY(k->a, defs + 1u, struct ssa_merge);
	if (!k->answers || !k->parent || !k->now || !k->now_block ||
	    !k->param_name || !k->phi_var || !k->chain || !s->def || !s->cls ||
	    !s->phis || !s->args || !s->merges)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < k->var_count; i++)
		k->now_block[i] = PTX_NO_INDEX;
	return ERR_OK;
}

static void name_params(struct maker *k)
{
	struct ptx_function *f = &k->s->f;

	new_name(k, 0, PTX_NO_INDEX);
	for (uint32_t i = 0; i < f->param_count; i++) {
		struct ptx_param *p = &f->params[i];
		uint32_t name;

		if (!p->in_register)
			continue;
		name = new_name(k, p->cls, PTX_NO_INDEX);
		k->param_name[var_of(k, p->cls, p->index)] = name;
		p->index = name;
	}
}

enum err ssa_make(struct arena *a, const struct ptx_function *f,
		  struct ssa *ret)
{
	struct ssa s = {0};
	struct maker k = {.a = a, .from = f, .s = &s};
	uint32_t first;
	enum err e;

	copy_function(&k);
	if (k.err != ERR_OK)
		return k.err;
	e = flow_make(a, &s.f, &s.flow);
	if (e == ERR_OK)
		e = make_room(&k);
	if (e != ERR_OK)
		return e;
	name_params(&k);
	first = s.name_count;
	name_all(&k);
	if (k.err == ERR_OK)
		rename_all(&k, first);
	if (k.err == ERR_OK)
		name_results(&k);
	if (k.err == ERR_OK)
		fill_phis(&k);
	if (k.err != ERR_OK)
		return k.err;
	drop_phis(&k);
	settle(&k);
	e = sort_phis(&k);
	s.flow.f = NULL;
	if (e == ERR_OK)
		*ret = s;
	return e;
}
