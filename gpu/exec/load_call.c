/*
 * Calls.  One to a known function copies arguments straight into the callee's
 * places and results back.  A call by an address, or one that may come back
 * to the function that makes it, goes through staging places of the thread:
 * caller to staging, then what the caller must keep is saved, then staging to
 * callee; and the other way round at the end.
 */
#include "gpu/exec/priv/load.h"

#define STAGE_ALIGN 16u

static void add_copy(struct loader *l, struct call_copy c)
{
	struct exec_module *m = l->m;
	void *p = m->copies;
	if (!load_grow(l, &p, &l->copy_cap, m->copy_count + 1,
		       sizeof(*m->copies)))
		return;
	m->copies = p;
	m->copies[m->copy_count++] = c;
}

/* Bytes of a parameter as it is copied; a predicate's lanes are 32 bits. */
static uint32_t copy_bytes(const struct ptx_param *p)
{
	if (p->in_register && p->cls == PTX_CLASS_PRED)
		return 4;
	return p->in_register ? load_class_bytes(p->cls) : p->bytes;
}

uint32_t load_stage_bytes(const struct ptx_param *p)
{
	return (copy_bytes(p) + STAGE_ALIGN - 1) / STAGE_ALIGN * STAGE_ALIGN;
}

/* The caller's side of one argument or result. */
static void caller_side(struct loader *l, const struct ptx_operand *o,
			const struct ptx_param *p, op_ref *ret_ref,
			uint32_t *ret_at)
{
	*ret_ref = REF_NONE;
	*ret_at = 0;
	if (o->kind == PTX_OPERAND_ADDRESS && o->base == PTX_BASE_VARIABLE &&
	    l->pm->variables[o->index].space == PTX_SPACE_PARAM) {
		struct place at = l->variable_place[o->index];
		*ret_at = at.at;
		if (at.bytes < p->bytes)
			load_refuse(l, "passes a parameter that is too small");
	} else if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_IMM) {
		uint32_t size =
			p->in_register ? load_class_bytes(p->cls) : p->bytes;
		if (size != 2 && size != 4 && size != 8 &&
		    !(size == 1 && p->in_register))
			load_refuse(l, "passes a parameter of this width");
		else
			*ret_ref = load_source(l, o, size);
	} else {
		load_refuse(l, "passes an operand that is not done here");
	}
}

/* A register of the callee, whose frame load_unit() does not see. */
static op_ref callee_unit(struct loader *l, uint32_t callee, uint32_t cls,
			  uint32_t index)
{
	struct function *f = l->f;
	const struct ptx_function *pf = l->pf;
	l->f = &l->m->functions[callee];
	l->pf = &l->pm->functions[callee];
	op_ref ref = load_unit(l, cls, index);
	l->f = f;
	l->pf = pf;
	return ref;
}

/* Into the callee's place for a parameter. */
static struct call_copy callee_side(struct loader *l, uint32_t callee,
				    const struct ptx_param *p,
				    struct place place)
{
	struct call_copy c = {.from_ref = REF_NONE,
			      .to_ref = REF_NONE,
			      .to_at = place.at,
			      .bytes = copy_bytes(p)};
	if (p->in_register)
		c.to_ref = callee_unit(l, callee, p->cls, p->index);
	return c;
}

static struct call_copy turned(struct call_copy c)
{
	return (struct call_copy){.from_ref = c.to_ref,
				  .from_at = c.to_at,
				  .to_ref = c.from_ref,
				  .to_at = c.from_at,
				  .bytes = c.bytes};
}

static void stage_function(struct loader *l, uint32_t index)
{
	const struct ptx_function *pf = &l->pm->functions[index];
	struct function *f = &l->m->functions[index];
	uint32_t at = l->m->stage_at;
	f->argument_copies = l->m->copy_count;
	for (uint32_t i = 0; i < pf->param_count; i++) {
		struct call_copy c = callee_side(l, index, &pf->params[i],
						 f->param_places[i]);
		c.from_at = at;
		add_copy(l, c);
		at += load_stage_bytes(&pf->params[i]);
	}
	at = l->m->stage_at;
	f->result_copies = l->m->copy_count;
	for (uint32_t i = 0; i < pf->return_count; i++) {
		struct call_copy c = callee_side(l, index, &pf->returns[i],
						 f->return_places[i]);
		c.from_at = at;
		add_copy(l, turned(c));
		at += load_stage_bytes(&pf->returns[i]);
	}
}

void load_stage_copies(struct loader *l)
{
	for (uint32_t i = 0; i < l->m->function_count; i++) {
		const struct ptx_function *pf = &l->pm->functions[i];
		if (pf->has_body && !pf->is_entry && l->err == ERR_OK)
			stage_function(l, i);
	}
}

/* Arguments from the caller into the callee's or the staging places. */
static void pass_arguments(struct loader *l, const struct ptx_call *call,
			   const struct ptx_function *shape, bool staged,
			   struct op *o)
{
	uint32_t at = l->m->stage_at;
	o->list = l->m->copy_count;
	for (uint32_t i = 0; i < call->arg_count && l->err == ERR_OK; i++) {
		const struct ptx_param *p = &shape->params[i];
		struct call_copy c = {.from_ref = REF_NONE,
				      .to_ref = REF_NONE,
				      .to_at = at,
				      .bytes = copy_bytes(p)};
		if (!staged)
			c = callee_side(
				l, call->callee, p,
				l->m->functions[call->callee].param_places[i]);
		caller_side(l, &call->args[i], p, &c.from_ref, &c.from_at);
		add_copy(l, c);
		at += load_stage_bytes(p);
	}
	o->imm = l->m->copy_count - o->list;
}

static void take_results(struct loader *l, const struct ptx_call *call,
			 const struct ptx_function *shape, bool staged,
			 struct op *o)
{
	uint32_t at = l->m->stage_at;
	o->list = l->m->copy_count;
	for (uint32_t i = 0; i < call->result_count && l->err == ERR_OK; i++) {
		const struct ptx_param *p = &shape->returns[i];
		struct call_copy c = {.from_ref = REF_NONE,
				      .to_ref = REF_NONE,
				      .from_at = at,
				      .bytes = copy_bytes(p)};
		if (!staged)
			c = turned(callee_side(l, call->callee, p,
					       l->m->functions[call->callee]
						       .return_places[i]));
		at += load_stage_bytes(p);
		if (call->results[i].kind == PTX_OPERAND_NONE)
			continue;
		caller_side(l, &call->results[i], p, &c.to_ref, &c.to_at);
		if (c.to_ref != REF_NONE && (c.to_ref & REF_CONST) != 0)
			load_refuse(l, "has a constant as a result");
		add_copy(l, c);
	}
	o->imm = l->m->copy_count - o->list;
}

static void add_target(struct loader *l, uint32_t function)
{
	void *p = l->m->tables;
	if (!load_grow(l, &p, &l->table_cap, l->m->table_count + 1,
		       sizeof(uint32_t)))
		return;
	l->m->tables = p;
	l->m->tables[l->m->table_count++] = function;
}

/* Functions that a call by an address may reach, in module->tables. */
static struct place list_targets(struct loader *l, const struct ptx_call *call,
				 const struct ptx_function *shape)
{
	struct place t = {.at = l->m->table_count};
	bool is_prototype = call->prototype != PTX_NO_INDEX;
	if (is_prototype && l->prototype_targets[call->prototype].bytes != 0) {
		t = l->prototype_targets[call->prototype];
		t.bytes--;
		return t;
	}
	for (uint32_t i = 0; is_prototype && i < l->m->function_count; i++) {
		if (ptx_same_shape(&l->pm->functions[i], shape))
			add_target(l, i);
	}
	for (uint32_t i = 0; !is_prototype && i < call->target_count; i++) {
		if (ptx_same_shape(&l->pm->functions[call->targets[i]], shape))
			add_target(l, call->targets[i]);
	}
	t.bytes = l->m->table_count - t.at;
	if (is_prototype) {
		l->prototype_targets[call->prototype] = t;
		l->prototype_targets[call->prototype].bytes++;
	}
	return t;
}

static void call_known(struct loader *l, const struct ptx_call *call,
		       const struct ptx_function *shape)
{
	const struct function *callee = &l->m->functions[call->callee];
	bool staged = l->f->is_recursive && callee->cycle == l->f->cycle;
	struct op pass = {0}, take = {0};
	pass_arguments(l, call, shape, staged, &pass);
	take_results(l, call, shape, staged, &take);
	struct op *o = load_emit(l, OP_call);
	o->target = call->callee;
	o->list = pass.list;
	o->imm = pass.imm;
	o->flags = staged;
	/* Lanes come back here; those that did not call pass by. */
	struct op *r = load_emit(l, staged ? OP_call_back : OP_call_end);
	r->list = take.list;
	r->imm = take.imm;
	r->flags = staged;
	r->target = l->f->ptx_index;
}

/* Any of the targets in the caller's own cycle? */
static bool may_return_here(const struct loader *l, struct place targets)
{
	for (uint32_t i = 0; l->f->is_recursive && i < targets.bytes; i++) {
		uint32_t f = l->m->tables[targets.at + i];
		if (l->m->functions[f].cycle == l->f->cycle)
			return true;
	}
	return false;
}

static void call_by_address(struct loader *l, const struct ptx_call *call,
			    const struct ptx_function *shape)
{
	struct op pass = {0}, take = {0};
	struct place targets = list_targets(l, call, shape);
	bool saves = may_return_here(l, targets);
	op_ref a = load_source(l, &call->target, 8);
	pass_arguments(l, call, shape, true, &pass);
	take_results(l, call, shape, true, &take);
	struct op *o = load_emit(l, OP_call_to);
	o->a = a;
	o->list = pass.list;
	o->imm = pass.imm;
	o->flags = saves;
	o->target = targets.at;
	o->offset = targets.bytes;
	struct op *r = load_emit(l, OP_call_back);
	r->list = take.list;
	r->imm = take.imm;
	r->flags = saves;
	r->target = l->f->ptx_index;
}

void load_call(struct loader *l)
{
	const struct ptx_call *call = &l->pf->calls[l->in->aux];
	uint32_t known = call->callee;
	if (known == PTX_NO_INDEX)
		known = call->prototype;
	if (known == PTX_NO_INDEX && call->target_count > 0)
		known = call->targets[0];
	if (known == PTX_NO_INDEX) {
		load_refuse(l, "has no prototype");
		return;
	}
	const struct ptx_function *shape = &l->pm->functions[known];
	if (call->callee != PTX_NO_INDEX &&
	    (!shape->has_body || shape->is_entry)) {
		load_refuse(l, "of a function without a body");
		return;
	}
	if (call->arg_count != shape->param_count ||
	    call->result_count != shape->return_count) {
		load_refuse(l, "does not fit the callee's parameters");
		return;
	}
	l->m->has_calls = true;
	if (call->callee != PTX_NO_INDEX)
		call_known(l, call, shape);
	else
		call_by_address(l, call, shape);
}

void load_alloca(struct loader *l)
{
	op_ref a = load_source(l, load_operand(l, 1), 8);
	op_ref d = load_register(l, load_operand(l, 0), 8);
	struct op *o = load_emit(l, OP_alloca);
	o->a = a;
	o->d = d;
}

void load_stacksave(struct loader *l)
{
	uint32_t size = load_type_bytes(l->in->types[0]);
	op_ref d = load_register(l, load_operand(l, 0), size);
	struct op *o = load_emit(l, OP_stacksave);
	o->d = d;
	o->size = (uint8_t)size;
}

void load_stackrestore(struct loader *l)
{
	uint32_t size = load_type_bytes(l->in->types[0]);
	op_ref a = load_source(l, load_operand(l, 0), size);
	struct op *o = load_emit(l, OP_stackrestore);
	o->a = a;
	o->size = (uint8_t)size;
	o->target = l->f->ptx_index;
}
