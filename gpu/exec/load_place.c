/*
 * The last pass: functions get their final place in a strip's registers and
 * every reference is rewritten to it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/op_list.h"

#define PLACED_UNITS_MAX (1u << 17)

/* Kernels share one place: only one of them runs at a time. */
static bool place_functions(struct loader *l)
{
	struct exec_module *m = l->m;
	uint64_t at = 0;
	for (int device = 0; device < 2; device++) {
		for (uint32_t i = 0; i < m->function_count; i++) {
			struct function *f = &m->functions[i];
			if (f->map == NULL || f->is_entry != (device == 0))
				continue;
			f->placed_unit = m->first_unit +
					 (device != 0 ? (uint32_t)at : 0);
			if (device != 0)
				at += f->packed_units;
			else if (f->packed_units > at)
				at = f->packed_units;
			if (at > PLACED_UNITS_MAX)
				return false;
		}
	}
	m->unit_count = m->first_unit + (uint32_t)at;
	return true;
}

static bool holds(const struct function *f, op_ref r)
{
	return f->map != NULL && r >= f->first_unit &&
	       r - f->first_unit < f->unit_count;
}

static op_ref placed(const struct exec_module *m, const struct function *f,
		     op_ref r)
{
	if (r == REF_NONE || (r & REF_CONST) != 0 || r < m->first_unit)
		return r;
	/* In a call's copies it may be another function's register. */
	for (uint32_t i = 0; i < m->function_count && !holds(f, r); i++) {
		if (!m->functions[i].is_entry && holds(&m->functions[i], r))
			f = &m->functions[i];
	}
	must(holds(f, r));
	return f->placed_unit + f->map[r - f->first_unit];
}

static void place_op(struct exec_module *m, const struct function *f,
		     struct op *o)
{
	op_ref *refs[8] = {&o->guard, &o->a, &o->b, &o->c,
			   &o->f,     &o->d, &o->e, &o->result};
	uint32_t listed = op_list_writes(o) + op_list_reads(o);
	bool calls = o->id == OP_call || o->id == OP_call_end ||
		     o->id == OP_call_to || o->id == OP_call_back;
	for (int k = 0; k < 8; k++)
		*refs[k] = placed(m, f, *refs[k]);
	for (uint32_t k = 0; k < listed; k++)
		m->lists[o->list + k] = placed(m, f, m->lists[o->list + k]);
	for (uint32_t k = 0; calls && k < o->imm; k++) {
		struct call_copy *c = &m->copies[o->list + k];
		c->from_ref = placed(m, f, c->from_ref);
		c->to_ref = placed(m, f, c->to_ref);
	}
}

/* The callee's side of calls through the staging places. */
static void place_copies(struct exec_module *m, const struct function *f)
{
	for (uint32_t k = 0; k < f->param_count + f->return_count; k++) {
		struct call_copy *c =
			k < f->param_count ? &m->copies[f->argument_copies + k]
					   : &m->copies[f->result_copies + k -
							f->param_count];
		c->from_ref = placed(m, f, c->from_ref);
		c->to_ref = placed(m, f, c->to_ref);
	}
}

/* Runs of units that a CTA must find zeroed. */
static bool list_zeroed(struct exec_module *m, uint8_t *zeroed)
{
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct function *f = &m->functions[i];
		for (uint32_t k = 0; f->map != NULL && k < f->packed_units; k++)
			zeroed[f->placed_unit + k] |= f->entry_units[k];
	}
	m->zero_runs = calloc((size_t)m->unit_count + 1, sizeof(*m->zero_runs));
	if (m->zero_runs == NULL)
		return false;
	uint32_t count = 0;
	for (uint32_t u = m->first_unit; u < m->unit_count; u++) {
		if (zeroed[u] == 0)
			continue;
		if (u > m->first_unit && zeroed[u - 1] != 0)
			m->zero_runs[count - 1].bytes++;
		else
			m->zero_runs[count++] =
				(struct place){.at = u, .bytes = 1};
	}
	m->zero_run_count = count;
	return true;
}

void load_place_all(struct loader *l)
{
	struct exec_module *m = l->m;
	if (!place_functions(l)) {
		l->err = ERR_LIMIT;
		return;
	}
	for (uint32_t i = 0; i < m->function_count; i++) {
		struct function *f = &m->functions[i];
		for (uint32_t k = f->entry; f->map != NULL && k < f->end; k++)
			place_op(m, f, &m->ops[k]);
		if (f->map != NULL && !f->is_entry)
			place_copies(m, f);
		if (f->map != NULL && f->is_recursive)
			load_saves(l, f);
	}
	uint8_t *zeroed = calloc((size_t)m->unit_count + 1, 1);
	if (zeroed == NULL || !list_zeroed(m, zeroed))
		l->err = ERR_NO_MEMORY;
	free(zeroed);
	for (uint32_t i = 0; i < m->function_count; i++) {
		free(m->functions[i].map);
		m->functions[i].map = NULL;
	}
}
