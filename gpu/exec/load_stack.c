/*
 * What a thread's stack holds.  Each activation of a function takes
 *
 *   32 + sum of its .local variables, each rounded up to 32
 *      + sum of its .param variables, parameters and results in .param space,
 *        each rounded up to 16
 *      + its registers: 4 bytes each up to 32 bits, 8 or 16 the wider ones
 *
 * rounded up to 32.  Only functions that can reach themselves really keep
 * something there: their variables, first, and behind them, while they call,
 * their registers and .param bytes.  All others have one static place each.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/limits.h"
#include "gpu/exec/priv/load.h"

#define FRAME_HEAD 32u

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

uint32_t load_stack_variable(struct loader *l, uint32_t function,
			     uint64_t bytes)
{
	struct function *f = &l->m->functions[function];
	uint32_t n = f->stack_variable_count;
	uint64_t at = n == 0 ? 0
			     : round_up(f->stack_variables[n - 1].at +
						f->stack_variables[n - 1].bytes,
					STACK_UNIT);
	struct place *p = realloc(f->stack_variables, (n + 1) * sizeof(*p));
	if (p == NULL || at + bytes > THREAD_LOCAL_BYTES_MAX) {
		f->stack_variables = p == NULL ? f->stack_variables : p;
		if (l->err == ERR_OK)
			l->err = p == NULL ? ERR_NO_MEMORY : ERR_LIMIT;
		return 0;
	}
	f->stack_variables = p;
	p[n] = (struct place){.at = (uint32_t)at, .bytes = (uint32_t)bytes};
	f->stack_variable_count++;
	return (uint32_t)at;
}

static op_ref stack_address(struct loader *l, uint32_t at, uint64_t offset,
			    bool is_wide)
{
	op_ref t = load_temp(l, LOAD_TEMP_ADDRESS);
	struct op *o = load_emit(l, OP_stack_address);
	o->d = t;
	o->imm = at;
	o->offset = (int64_t)offset;
	o->is_wide = is_wide;
	return t;
}

op_ref load_local_address(struct loader *l, uint32_t variable, uint64_t offset,
			  bool is_wide)
{
	uint32_t owner = l->pm->variables[variable].owner;
	uint32_t home = l->variable_home[variable];
	if (owner != PTX_NO_INDEX && l->m->functions[owner].is_recursive)
		return stack_address(l, home, offset, is_wide);
	return load_address(l, FIX_LOCAL, home, offset, is_wide);
}

op_ref load_param_address(struct loader *l, uint32_t param, uint64_t offset,
			  bool is_wide)
{
	for (uint32_t i = 0; i < l->param_copy_count; i++) {
		const struct param_copy *c = &l->param_copies[i];
		if (c->function != l->f->ptx_index || c->param != param)
			continue;
		if (l->f->is_recursive)
			return stack_address(l, c->home, offset, is_wide);
		return load_address(l, FIX_LOCAL, c->home, offset, is_wide);
	}
	load_refuse(l, "takes an address that is not executed here");
	return 0;
}

void load_param_copies(struct loader *l)
{
	static const struct ptx_instr start = {.guard = PTX_NO_INDEX};
	l->in = &start;
	l->first_op = UINT32_MAX;
	l->number = UINT32_MAX;
	for (uint32_t i = 0; i < l->param_copy_count; i++) {
		const struct param_copy *c = &l->param_copies[i];
		if (c->function != l->f->ptx_index)
			continue;
		struct place from = l->f->param_places[c->param];
		bool is_stack = l->f->is_recursive;
		struct op *o = load_emit(l, OP_param_copy);
		o->imm = is_stack ? c->home
				  : (uint32_t)l->m->local_slots[c->home].at;
		o->flags = is_stack;
		o->list = from.at;
		o->target = from.bytes;
	}
	l->in = NULL;
}

static uint64_t register_bytes(const struct ptx_function *pf)
{
	uint64_t n = 0;
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
		n += (uint64_t)pf->reg_count[c] * (c == PTX_CLASS_128  ? 16
						   : c == PTX_CLASS_64 ? 8
								       : 4);
	return n;
}

static uint64_t param_bytes(const struct ptx_param *p, uint32_t n)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += p[i].in_register ? 0 : round_up(p[i].bytes, 16);
	return sum;
}

void load_stack_frames(struct loader *l)
{
	for (uint32_t i = 0; i < l->m->function_count; i++) {
		const struct ptx_function *pf = &l->pm->functions[i];
		struct function *f = &l->m->functions[i];
		uint64_t local = 0, params = 0;
		for (uint32_t k = 0; k < pf->variable_count; k++) {
			const struct ptx_variable *v =
				&l->pm->variables[pf->variable_first + k];
			if (v->space == PTX_SPACE_LOCAL)
				local += round_up(v->bytes, STACK_UNIT);
			if (v->space == PTX_SPACE_PARAM)
				params += round_up(v->bytes, 16);
		}
		for (uint32_t k = 0; k < l->param_copy_count; k++) {
			const struct param_copy *c = &l->param_copies[k];
			if (c->function == i)
				local += round_up(pf->params[c->param].bytes,
						  STACK_UNIT);
		}
		params += param_bytes(pf->params, pf->param_count) +
			  param_bytes(pf->returns, pf->return_count);
		uint64_t sum = FRAME_HEAD + local + params + register_bytes(pf);
		f->save_at = (uint32_t)local;
		f->stack_bytes = sum > UINT32_MAX / 2
					 ? UINT32_MAX / 2
					 : (uint32_t)round_up(sum, STACK_UNIT);
	}
}

static uint32_t save_bytes(uint32_t cls)
{
	return cls == PTX_CLASS_128 || cls == PTX_CLASS_64 ? 8 : 4;
}

static void add_save(struct function *f, uint8_t *seen, uint32_t unit,
		     uint32_t bytes)
{
	if (unit == UINT32_MAX || seen[unit] != 0)
		return;
	seen[unit] = 1;
	f->saves[f->save_count++] =
		(struct save){.ref = f->placed_unit + unit, .bytes = bytes};
}

void load_saves(struct loader *l, struct function *f)
{
	const struct ptx_function *pf = &l->pm->functions[f->ptx_index];
	uint8_t *seen = calloc((size_t)f->packed_units + 4, 1);
	f->saves = calloc((size_t)f->packed_units + 4, sizeof(*f->saves));
	if (seen == NULL || f->saves == NULL) {
		free(seen);
		l->err = ERR_NO_MEMORY;
		return;
	}
	l->f = f;
	l->pf = pf;
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
		for (uint32_t i = 0; i < pf->reg_count[c]; i++) {
			op_ref raw = load_unit(l, c, i);
			uint32_t at = raw - f->first_unit;
			add_save(f, seen, f->map[at], save_bytes(c));
			if (c == PTX_CLASS_128)
				add_save(f, seen, f->map[at + 2], 8);
		}
	}
	free(seen);
}
