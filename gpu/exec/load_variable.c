/*
 * Where variables live: slots of shared and local memory, constants and
 * state of the module, and each thread's static place for the .param
 * variables of calls.
 */
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "gpu/exec/priv/load.h"

/* So that every slot's address fits 32 bits. */
#define SLOTS_MAX 2000u

static uint64_t align_up(uint64_t v, uint64_t align)
{
	align = align < 16 ? 16 : align;
	return (v + align - 1) / align * align;
}

static void refuse_variable(struct loader *l, const struct ptx_variable *v,
			    const char *why)
{
	l->in = NULL;
	load_refuse(l, why);
	if (l->why != NULL)
		l->why->line = v->line;
}

/* Local addresses of the upper half are the stack's, if there is one. */
static uint32_t slots_most(const struct loader *l, const struct ptx_variable *v)
{
	bool halved = v->space == PTX_SPACE_LOCAL && l->m->stack_bytes > 0;
	return halved ? (uint32_t)(STACK_BASE >> SLOT_SHIFT) - 24 : SLOTS_MAX;
}

static void add_slot(struct loader *l, const struct ptx_variable *v,
		     uint32_t index, struct slot *slots, uint32_t *count,
		     uint64_t *bytes)
{
	if (v->is_dynamic && l->m->dynamic_slot != UINT32_MAX) {
		l->variable_home[index] = l->m->dynamic_slot;
		return;
	}
	if (*count >= slots_most(l, v) || v->bytes > CTA_SHARED_BYTES_MAX) {
		refuse_variable(l, v, "too many or too large variables");
		return;
	}
	if (v->is_dynamic)
		l->m->dynamic_slot = *count;
	*bytes = align_up(*bytes, v->align);
	slots[*count] = (struct slot){.at = *bytes,
				      .bytes = v->bytes,
				      .owner = v->owner,
				      .align = v->align};
	*bytes += v->bytes;
	l->variable_home[index] = (*count)++;
}

static void add_module_variable(struct loader *l, const struct ptx_variable *v,
				uint32_t index)
{
	struct exec_module *m = l->m;
	struct variable *t = &m->variables[m->variable_count];
	if (v->is_opaque || v->is_extern) {
		refuse_variable(l, v, "a variable that is not done here");
		return;
	}
	t->init = arena_alloc(m->arena, v->bytes + 1, 16);
	t->relocs = ARENA_ARRAY(m->arena, v->reloc_count + 1, struct ptx_reloc);
	t->public =
		(struct exec_variable){.name = arena_copy(m->arena, v->name),
				       .bytes = v->bytes,
				       .init = t->init,
				       .written = v->space == PTX_SPACE_GLOBAL,
				       .holds_addresses = v->reloc_count > 0};
	if (t->init == NULL || t->relocs == NULL || t->public.name.p == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	if (v->init_bytes > 0)
		memcpy(t->init, v->init, v->init_bytes);
	if (v->reloc_count > 0)
		memcpy((void *)(uintptr_t)t->relocs, v->relocs,
		       v->reloc_count * sizeof(struct ptx_reloc));
	t->reloc_count = v->reloc_count;
	t->ptx_index = index;
	t->align = v->align;
	l->variable_home[index] = m->variable_count++;
}

static void add_variable(struct loader *l, uint32_t index, uint64_t *shared,
			 uint64_t *local)
{
	struct exec_module *m = l->m;
	const struct ptx_variable *v = &l->pm->variables[index];
	switch (v->space) {
	case PTX_SPACE_SHARED:
		add_slot(l, v, index, m->shared_slots, &m->shared_slot_count,
			 shared);
		break;
	case PTX_SPACE_LOCAL:
		if (v->owner != PTX_NO_INDEX &&
		    m->functions[v->owner].is_recursive)
			l->variable_home[index] =
				load_stack_variable(l, v->owner, v->bytes);
		else
			add_slot(l, v, index, m->local_slots,
				 &m->local_slot_count, local);
		break;
	case PTX_SPACE_PARAM:
		break;
	default:
		add_module_variable(l, v, index);
		break;
	}
	if (*local > THREAD_LOCAL_BYTES_MAX || *shared > (16u << 20))
		l->err = l->err == ERR_OK ? ERR_LIMIT : l->err;
}

/* A place for bytes among the thread's call parameters. */
static struct place take_place(struct loader *l, uint64_t bytes)
{
	struct exec_module *m = l->m;
	struct place p = {.at = m->frame_bytes, .bytes = (uint32_t)bytes};
	uint64_t end = m->frame_bytes + align_up(bytes, 1);
	if (end > THREAD_LOCAL_BYTES_MAX) {
		l->err = l->err == ERR_OK ? ERR_LIMIT : l->err;
		return p;
	}
	m->frame_bytes = (uint32_t)end;
	return p;
}

static void place_params(struct loader *l, const struct ptx_param *p,
			 uint32_t count, struct place **ret_places)
{
	struct place *places =
		ARENA_ARRAY(l->m->arena, count + 1, struct place);
	if (places == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		places[i] = take_place(l, p[i].in_register ? 0 : p[i].bytes);
	*ret_places = places;
}

/* Is the address of a device function's parameter taken? */
static bool takes_address(const struct ptx_function *pf, uint32_t param)
{
	for (uint32_t i = 0; i < pf->operand_count; i++) {
		const struct ptx_operand *o = &pf->operands[i];
		if (o->kind == PTX_OPERAND_ADDRESS &&
		    o->base == PTX_BASE_PARAM && o->index == param)
			return true;
	}
	return false;
}

/* Its parameter then has a copy in local memory. */
static void copy_param(struct loader *l, uint32_t function, uint32_t param,
		       uint64_t *local)
{
	const struct ptx_param *p = &l->pm->functions[function].params[param];
	struct exec_module *m = l->m;
	struct param_copy c = {.function = function, .param = param};
	void *grown = l->param_copies;
	if (!load_grow(l, &grown, &l->param_copy_cap, l->param_copy_count + 1,
		       sizeof(c)))
		return;
	l->param_copies = grown;
	if (m->functions[function].is_recursive) {
		c.home = load_stack_variable(l, function, p->bytes);
	} else if (m->local_slot_count >= SLOTS_MAX / 2 ||
		   *local + p->bytes > THREAD_LOCAL_BYTES_MAX) {
		l->err = l->err == ERR_OK ? ERR_LIMIT : l->err;
		return;
	} else {
		c.home = m->local_slot_count++;
		m->local_slots[c.home] = (struct slot){
			.at = *local, .bytes = p->bytes, .owner = function};
		*local += align_up(p->bytes, 1);
	}
	l->param_copies[l->param_copy_count++] = c;
}

/* The .param bytes of a function, beside each other. */
static void place_function(struct loader *l, uint32_t index, uint64_t *local)
{
	const struct ptx_function *pf = &l->pm->functions[index];
	struct function *f = &l->m->functions[index];
	f->frame.at = l->m->frame_bytes;
	for (uint32_t i = 0; i < pf->variable_count; i++) {
		uint32_t v = pf->variable_first + i;
		if (l->pm->variables[v].space == PTX_SPACE_PARAM)
			l->variable_place[v] =
				take_place(l, l->pm->variables[v].bytes);
	}
	if (!pf->is_entry) {
		place_params(l, pf->params, pf->param_count, &f->param_places);
		place_params(l, pf->returns, pf->return_count,
			     &f->return_places);
		f->return_count = pf->return_count;
	}
	for (uint32_t i = 0; !pf->is_entry && i < pf->param_count; i++) {
		if (!pf->params[i].in_register && takes_address(pf, i))
			copy_param(l, index, i, local);
	}
	f->frame.bytes = l->m->frame_bytes - f->frame.at;
}

/* Places between callers and callees that go through them. */
static void place_stages(struct loader *l)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < l->m->function_count; i++) {
		const struct ptx_function *pf = &l->pm->functions[i];
		uint64_t in = 0, out = 0;
		for (uint32_t k = 0; !pf->is_entry && k < pf->param_count; k++)
			in += load_stage_bytes(&pf->params[k]);
		for (uint32_t k = 0; k < pf->return_count; k++)
			out += load_stage_bytes(&pf->returns[k]);
		most = in > most ? in : most;
		most = out > most ? out : most;
	}
	l->m->stage_at = take_place(l, most).at;
}

/* What a kernel owns or sees of a space's bytes. */
static uint64_t kernel_bytes(const struct loader *l, uint32_t function,
			     uint32_t space)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < l->pm->variable_count; i++) {
		const struct ptx_variable *v = &l->pm->variables[i];
		bool sees = v->owner == PTX_NO_INDEX || v->owner == function ||
			    !l->pm->functions[v->owner].is_entry;
		bool on_stack = space == PTX_SPACE_LOCAL &&
				v->owner != PTX_NO_INDEX &&
				l->m->functions[v->owner].is_recursive;
		if (v->space == space && sees && !on_stack)
			sum += align_up(v->bytes, 1);
	}
	return sum;
}

static bool has_barrier(const struct ptx_function *pf)
{
	for (uint32_t i = 0; i < pf->instr_count; i++) {
		uint32_t op = pf->instrs[i].op;
		if (op == PTX_OP_bar || op == PTX_OP_barrier)
			return true;
	}
	return false;
}

static void describe_kernels(struct loader *l)
{
	bool device_barrier = false;
	for (uint32_t i = 0; i < l->m->function_count; i++)
		device_barrier |= !l->pm->functions[i].is_entry &&
				  has_barrier(&l->pm->functions[i]);
	for (uint32_t i = 0; i < l->m->function_count; i++) {
		struct exec_kernel *k = &l->m->functions[i].kernel;
		k->shared_bytes =
			(uint32_t)kernel_bytes(l, i, PTX_SPACE_SHARED);
		k->local_bytes = (uint32_t)kernel_bytes(l, i, PTX_SPACE_LOCAL);
		k->barriers = device_barrier || k->shared_bytes > 0 ||
			      l->m->dynamic_slot != UINT32_MAX ||
			      has_barrier(&l->pm->functions[i]);
	}
}

void load_variables(struct loader *l)
{
	struct exec_module *m = l->m;
	uint32_t n = l->pm->variable_count;
	uint64_t shared = 0, local = 0;
	m->variables = ARENA_ARRAY(m->arena, n + 1, struct variable);
	m->shared_slots = ARENA_ARRAY(m->arena, n + 1, struct slot);
	m->local_slots = ARENA_ARRAY(m->arena, n + SLOTS_MAX + 1, struct slot);
	if (m->variables == NULL || m->shared_slots == NULL ||
	    m->local_slots == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < n && l->err == ERR_OK; i++)
		add_variable(l, i, &shared, &local);
	m->shared_bytes = align_up(shared, 1);
	for (uint32_t i = 0; i < m->function_count && l->err == ERR_OK; i++)
		place_function(l, i, &local);
	place_stages(l);
	m->stack_at = (uint32_t)align_up(local, STACK_UNIT);
	m->local_bytes = m->stack_at + m->stack_bytes;
	if (l->err == ERR_OK)
		describe_kernels(l);
}
