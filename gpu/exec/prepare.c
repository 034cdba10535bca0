/*
 * A launch made ready: sizes checked, the parameter block with addresses in
 * it, constants and initialisers that hold addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "gpu/exec/priv/prepare.h"
#include "gpu/exec/priv/trace.h"
#include "gpu/ptx/module.h"

static uint64_t variable_address(const struct launch *l, uint32_t variable)
{
	uint32_t b = l->variable_buffer[variable];
	return b != UINT32_MAX ? EXEC_BUFFER_BASE((uint64_t)b)
			       : VARIABLE_BASE(variable);
}

static bool bind_variables(struct launch *l)
{
	const struct exec_launch *in = l->in;
	for (uint32_t j = 0; j < l->m->variable_count; j++)
		l->variable_buffer[j] = UINT32_MAX;
	for (size_t i = 0; i < in->symbol_count; i++) {
		bool found = false;
		for (uint32_t j = 0; j < l->m->variable_count; j++) {
			const struct variable *v = &l->m->variables[j];
			if (!bytes_eq(v->public.name, in->symbols[i].name))
				continue;
			found = in->symbols[i].buffer < in->buffer_count &&
				in->buffers[in->symbols[i].buffer].bytes >=
					v->public.bytes;
			l->variable_buffer[j] = in->symbols[i].buffer;
		}
		if (!found)
			return false;
	}
	return true;
}

/* The address that an initialiser's place holds; false: not done here. */
static bool reloc_value(const struct launch *l, const struct ptx_reloc *r,
			uint64_t *ret_value)
{
	if (r->base == PTX_BASE_FUNCTION) {
		*ret_value = FUNCTION_BASE(r->index) + (uint64_t)r->addend;
		return true;
	}
	for (uint32_t j = 0; j < l->m->variable_count; j++) {
		if (l->m->variables[j].ptx_index != r->index)
			continue;
		*ret_value = variable_address(l, j) + (uint64_t)r->addend;
		return true;
	}
	return false;
}

static bool fill_variables(struct launch *l)
{
	for (uint32_t j = 0; j < l->m->variable_count; j++) {
		const struct variable *v = &l->m->variables[j];
		if (l->variable_buffer[j] != UINT32_MAX)
			continue;
		l->variable_host[j] = malloc(v->public.bytes + 64);
		if (l->variable_host[j] == NULL)
			return false;
		memcpy(l->variable_host[j], v->init, v->public.bytes);
		for (uint32_t k = 0; k < v->reloc_count; k++) {
			uint64_t at = v->relocs[k].offset, value = 0;
			if (!reloc_value(l, &v->relocs[k], &value) ||
			    at + v->relocs[k].bytes > v->public.bytes)
				return false;
			memcpy(l->variable_host[j] + at, &value,
			       v->relocs[k].bytes < 8 ? 4 : 8);
		}
	}
	return true;
}

static void fill_constants(struct launch *l)
{
	const struct exec_module *m = l->m;
	if (m->constant_count > 0)
		memcpy(l->constants, m->constants,
		       m->constant_count * sizeof(*l->constants));
	for (uint32_t k = 0; k < m->fix_count; k++) {
		const struct const_fix *f = &m->fixes[k];
		uint64_t base = f->kind == FIX_FUNCTION
					? FUNCTION_BASE(f->index)
				: f->kind == FIX_VARIABLE
					? variable_address(l, f->index)
					: machine_slot(f->index);
		l->constants[f->constant] = base + f->offset;
	}
}

static bool fill_params(struct launch *l)
{
	const struct exec_launch *in = l->in;
	if (in->params.n > l->param_bytes)
		return false;
	if (in->params.n > 0)
		memcpy(l->params, in->params.p, in->params.n);
	for (size_t i = 0; i < in->reloc_count; i++) {
		const struct exec_reloc *r = &in->relocs[i];
		if (r->buffer >= in->buffer_count ||
		    r->param_offset > l->param_bytes ||
		    l->param_bytes - r->param_offset < 8)
			return false;
		put_u64_le(l->params + r->param_offset,
			   EXEC_BUFFER_BASE(r->buffer) + r->offset);
	}
	return true;
}

static bool sizes_fit(struct launch *l)
{
	const struct exec_launch *in = l->in;
	uint64_t threads = 1, ctas = 1;
	for (int i = 0; i < 3; i++) {
		if (in->block[i] == 0 || in->block[i] > CTA_THREADS_MAX ||
		    in->grid[i] == 0)
			return false;
		threads *= in->block[i];
		if (__builtin_mul_overflow(ctas, in->grid[i], &ctas))
			return false;
	}
	if (threads > CTA_THREADS_MAX || ctas > PROGRAM_CTAS_MAX)
		return false;
	l->threads = (uint32_t)threads;
	l->cta_total = ctas;
	l->dynamic_at = l->m->shared_bytes;
	l->shared_bytes = l->m->shared_bytes + in->shared_bytes;
	return in->shared_bytes <= CTA_SHARED_BYTES_MAX &&
	       (uint64_t)l->kernel->kernel.shared_bytes + in->shared_bytes <=
		       CTA_SHARED_BYTES_MAX &&
	       in->buffer_count <= EXEC_BUFFERS_MAX;
}

static bool ctas_fit(const struct launch *l)
{
	const struct exec_launch *in = l->in;
	if (in->ctas != NULL) {
		for (uint64_t i = 0; i < in->cta_count; i++) {
			if (in->ctas[i] >= l->cta_total)
				return false;
		}
		return true;
	}
	return in->cta_first <= l->cta_total &&
	       in->cta_count <= l->cta_total - in->cta_first;
}

/* At most 64 KiB of a thread are local, the stack included. */
static void set_stack(struct launch *l)
{
	uint32_t local = l->kernel->kernel.local_bytes;
	uint32_t room = local < THREAD_LOCAL_BYTES_MAX
				? THREAD_LOCAL_BYTES_MAX - local
				: 0;
	l->stack_bytes = l->m->stack_bytes < room ? l->m->stack_bytes : room;
	l->stack_bytes -= l->stack_bytes % STACK_UNIT;
	l->depth_max += l->stack_bytes / STACK_UNIT;
}

static const struct function *find_kernel(const struct exec_module *m,
					  struct bytes name)
{
	for (uint32_t i = 0; i < m->function_count; i++) {
		if (m->functions[i].is_entry &&
		    bytes_eq(m->functions[i].name, name))
			return &m->functions[i];
	}
	return NULL;
}

enum err launch_prepare(const struct exec_module *m,
			const struct exec_launch *in,
			const struct exec_options *options,
			const struct lane_set *lanes, struct launch *l,
			enum exec_reason *ret_reason)
{
	*l = (struct launch){.m = m,
			     .in = in,
			     .options = options,
			     .lanes = lanes,
			     .is_scheduled = options->schedule_seed != 0 ||
					     options->group_lanes != 0};
	*ret_reason = EXEC_REASON_no_kernel;
	l->kernel = find_kernel(m, in->kernel);
	if (l->kernel == NULL)
		return ERR_OK;
	*ret_reason = EXEC_REASON_bad_launch;
	if (!sizes_fit(l) || !ctas_fit(l) ||
	    (options->warp != EXEC_WARP_ALL &&
	     (l->kernel->kernel.barriers ||
	      options->warp >= (l->threads + 31) / 32)))
		return ERR_OK;
	l->param_bytes = l->kernel->kernel.param_bytes;
	l->strip_count = (l->threads + STRIP_LANES - 1) / STRIP_LANES;
	uint32_t widest = l->threads < STRIP_LANES ? l->threads : STRIP_LANES;
	/* Not a power of two: lanes of different registers would keep meeting
	 * in the same place of the cache, and loads wait for stores there. */
	l->stride = (widest + LANE_STEP - 1) / LANE_STEP * LANE_STEP * 4 + 64;
	l->depth_max = m->has_calls ? m->depth_max : 0;
	if (l->kernel->needs_stack)
		set_stack(l);
	l->params = calloc(1, l->param_bytes + 64);
	l->constants =
		calloc((size_t)m->constant_count + 1, sizeof(*l->constants));
	l->variable_host = calloc((size_t)m->variable_count + 1,
				  sizeof(*l->variable_host));
	l->variable_buffer = calloc((size_t)m->variable_count + 1,
				    sizeof(*l->variable_buffer));
	if (l->params == NULL || l->constants == NULL ||
	    l->variable_host == NULL || l->variable_buffer == NULL)
		return ERR_NO_MEMORY;
	if (!bind_variables(l) || !fill_params(l))
		return ERR_OK;
	if (!fill_variables(l))
		return ERR_NO_MEMORY;
	fill_constants(l);
	*ret_reason = EXEC_REASON_none;
	enum err err = launch_resolve(l);
	if (err == ERR_OK && options->witness_seed32 != NULL)
		err = witness_select(l);
	return err;
}

void launch_free(struct launch *l)
{
	if (l->variable_host != NULL) {
		for (uint32_t j = 0; j < l->m->variable_count; j++)
			free(l->variable_host[j]);
	}
	free((void *)(uintptr_t)l->variable_host);
	free(l->variable_buffer);
	free(l->constants);
	free(l->lane_ops);
	free(l->chains.chains);
	free(l->chains.links);
	free(l->chains.spans);
	free(l->selected);
	free(l->params);
}
