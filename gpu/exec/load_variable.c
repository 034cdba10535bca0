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

static void add_slot(struct loader *l, const struct ptx_variable *v,
		     uint32_t index, struct slot *slots, uint32_t *count,
		     uint64_t *bytes)
{
	if (v->is_dynamic && l->m->dynamic_slot != UINT32_MAX) {
		l->variable_home[index] = l->m->dynamic_slot;
		return;
	}
	if (*count >= SLOTS_MAX || v->bytes > CTA_SHARED_BYTES_MAX) {
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
		add_slot(l, v, index, m->local_slots, &m->local_slot_count,
			 local);
		break;
	case PTX_SPACE_PARAM:
		l->variable_place[index] = (struct place){
			.at = (uint32_t)align_up(m->frame_bytes, v->align),
			.bytes = (uint32_t)v->bytes};
		m->frame_bytes =
			l->variable_place[index].at + (uint32_t)v->bytes;
		break;
	default:
		add_module_variable(l, v, index);
		break;
	}
	if (m->frame_bytes > THREAD_LOCAL_BYTES_MAX ||
	    *local > THREAD_LOCAL_BYTES_MAX || *shared > (16u << 20))
		l->err = l->err == ERR_OK ? ERR_LIMIT : l->err;
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
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = align_up(l->m->frame_bytes, p[i].align);
		places[i] =
			(struct place){.at = (uint32_t)at, .bytes = p[i].bytes};
		if (at + p[i].bytes > THREAD_LOCAL_BYTES_MAX) {
			l->err = ERR_LIMIT;
			return;
		}
		l->m->frame_bytes = (uint32_t)at + p[i].bytes;
	}
	*ret_places = places;
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
		if (v->space == space && sees)
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
	m->local_slots = ARENA_ARRAY(m->arena, n + 1, struct slot);
	if (m->variables == NULL || m->shared_slots == NULL ||
	    m->local_slots == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < n && l->err == ERR_OK; i++)
		add_variable(l, i, &shared, &local);
	m->shared_bytes = align_up(shared, 1);
	m->local_bytes = (uint32_t)align_up(local, 1);
	for (uint32_t i = 0; i < m->function_count && l->err == ERR_OK; i++) {
		const struct ptx_function *pf = &l->pm->functions[i];
		if (pf->is_entry)
			continue;
		place_params(l, pf->params, pf->param_count,
			     &m->functions[i].param_places);
		place_params(l, pf->returns, pf->return_count,
			     &m->functions[i].return_places);
		m->functions[i].return_count = pf->return_count;
	}
	m->frame_bytes = (uint32_t)align_up(m->frame_bytes, 1);
	if (l->err == ERR_OK)
		describe_kernels(l);
}
