/*
 * The loader's frame: constants, references, the list of functions, labels,
 * sums of count and cost.  Families of instructions are in load_*.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/must.h"
#include "gpu/exec/priv/load.h"

/* Most memory that a loaded module may take. */
#define MODULE_BYTES_MAX ((size_t)1 << 30)
#define MODULE_UNITS_MAX (1u << 24)

static struct op scratch_op;

void load_refuse(struct loader *l, const char *why)
{
	if (l->err != ERR_OK)
		return;
	l->err = ERR_EXEC_REFUSED;
	if (l->why == NULL)
		return;
	char name[96] = "";
	l->why->line = l->in != NULL ? l->in->line : 0;
	if (l->in != NULL)
		ptx_instr_name(l->pf, l->in, name, sizeof(name));
	snprintf(l->why->text, sizeof(l->why->text), "%s%s%s", name,
		 name[0] != '\0' ? " " : "", why);
}

bool load_grow(struct loader *l, void **p, uint32_t *cap, uint32_t need,
	       size_t size)
{
	if (l->err != ERR_OK)
		return false;
	if (need <= *cap)
		return true;
	uint32_t more = *cap < 64 ? 64 : *cap * 2;
	more = more < need ? need : more;
	void *q = (size_t)more > MODULE_BYTES_MAX / size
			  ? NULL
			  : realloc(*p, (size_t)more * size);
	if (q == NULL) {
		l->err = ERR_NO_MEMORY;
		return false;
	}
	*p = q;
	*cap = more;
	return true;
}

struct op *load_emit(struct loader *l, enum op_id id)
{
	struct exec_module *m = l->m;
	void *p = m->ops;
	if (!load_grow(l, &p, &l->op_cap, m->op_count + 1, sizeof(*m->ops))) {
		scratch_op = (struct op){0};
		return &scratch_op;
	}
	m->ops = p;
	struct op *o = &m->ops[m->op_count];
	*o = (struct op){.id = (uint16_t)id,
			 .guard = REF_NONE,
			 .d = REF_NONE,
			 .e = REF_NONE,
			 .a = REF_NONE,
			 .b = REF_NONE,
			 .c = REF_NONE,
			 .f = REF_NONE,
			 .line = l->in->line,
			 .source_line = l->in->source_line};
	o->number_in_text = l->number;
	o->result = REF_NONE;
	o->is_counted = m->op_count == l->first_op;
	if (l->in->guard != PTX_NO_INDEX) {
		o->guard = load_unit(l, PTX_CLASS_PRED, l->in->guard);
		o->guard_flip = l->in->guard_negated;
	}
	m->op_count++;
	return o;
}

const struct ptx_operand *load_operand(struct loader *l, uint32_t i)
{
	static const struct ptx_operand none;
	if (i >= l->in->operand_count)
		return &none;
	return ptx_operand(l->pf, l->in, i);
}

uint32_t load_class_bytes(uint32_t cls)
{
	return cls == PTX_CLASS_PRED ? 1u
				     : ptx_class_bits((enum ptx_class)cls) / 8;
}

uint32_t load_type_bytes(uint32_t type)
{
	uint32_t bits = ptx_types[type].bits;
	return bits < 8 ? 1u : bits / 8;
}

static uint32_t class_units(uint32_t cls)
{
	return cls == PTX_CLASS_128 ? 4 : cls == PTX_CLASS_64 ? 2 : 1;
}

/* Frame of a function: carry, temporaries, then the classes. */
#define UNIT_TEMPS   2u
#define UNIT_CLASSES (UNIT_TEMPS + 2 * LOAD_TEMPS)

op_ref load_unit(struct loader *l, uint32_t cls, uint32_t index)
{
	uint32_t unit = l->f->first_unit + UNIT_CLASSES;
	must(cls < PTX_CLASS_COUNT && index < l->pf->reg_count[cls]);
	for (uint32_t c = 0; c < cls; c++)
		unit += class_units(c) * l->pf->reg_count[c];
	return unit + class_units(cls) * index;
}

op_ref load_temp(struct loader *l, uint32_t i)
{
	must(i < LOAD_TEMPS);
	return l->f->first_unit + UNIT_TEMPS + 2 * i;
}

static uint32_t hash_of(uint64_t value, bool is_wide)
{
	value = (value ^ (is_wide ? 0x9e37u : 0)) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(value >> 40);
}

static bool hash_rebuild(struct loader *l)
{
	uint32_t cap = l->hash_cap == 0 ? 256 : l->hash_cap * 2;
	uint32_t *h = calloc(cap, sizeof(*h));
	if (h == NULL) {
		l->err = ERR_NO_MEMORY;
		return false;
	}
	for (uint32_t i = 0; i < l->m->constant_count; i++) {
		if ((l->m->constant_wide[i] & CONSTANT_FIX) != 0)
			continue;
		uint32_t at = hash_of(l->m->constants[i],
				      l->m->constant_wide[i] != 0);
		while (h[at & (cap - 1)] != 0)
			at++;
		h[at & (cap - 1)] = i + 1;
	}
	free(l->hash);
	l->hash = h;
	l->hash_cap = cap;
	return true;
}

static op_ref constant_new(struct loader *l, uint64_t value, bool is_wide)
{
	struct exec_module *m = l->m;
	uint32_t n = m->constant_count, cap = l->constant_cap;
	void *v = m->constants, *w = m->constant_wide, *u = m->constant_unit;
	bool ok = load_grow(l, &v, &cap, n + 1, sizeof(*m->constants));
	m->constants = v;
	cap = l->constant_cap;
	ok = ok && load_grow(l, &w, &cap, n + 1, sizeof(*m->constant_wide));
	m->constant_wide = w;
	cap = l->constant_cap;
	ok = ok && load_grow(l, &u, &cap, n + 1, sizeof(*m->constant_unit));
	m->constant_unit = u;
	if (!ok)
		return 0;
	l->constant_cap = cap;
	m->constants[n] = value;
	m->constant_wide[n] = is_wide;
	m->constant_unit[n] = m->constant_units;
	m->constant_units += is_wide ? 2 : 1;
	m->constant_count++;
	return REF_CONST | m->constant_unit[n];
}

op_ref load_constant(struct loader *l, uint64_t value, bool is_wide)
{
	struct exec_module *m = l->m;
	if (!is_wide)
		value &= UINT32_MAX;
	if (m->constant_count * 2 >= l->hash_cap && !hash_rebuild(l))
		return 0;
	uint32_t at = hash_of(value, is_wide), mask = l->hash_cap - 1;
	for (; l->hash[at & mask] != 0; at++) {
		uint32_t i = l->hash[at & mask] - 1;
		if (m->constants[i] == value &&
		    (m->constant_wide[i] != 0) == is_wide)
			return REF_CONST | m->constant_unit[i];
	}
	op_ref r = constant_new(l, value, is_wide);
	if (l->err == ERR_OK)
		l->hash[at & mask] = m->constant_count;
	return r;
}

op_ref load_address(struct loader *l, enum fix_kind kind, uint32_t index,
		    uint64_t offset, bool is_wide)
{
	struct exec_module *m = l->m;
	void *p = m->fixes;
	uint32_t recent = m->fix_count < 64 ? 0 : m->fix_count - 64;
	for (uint32_t i = m->fix_count; i-- > recent;) {
		const struct const_fix *f = &m->fixes[i];
		if (f->kind == kind && f->index == index &&
		    f->offset == offset &&
		    (m->constant_wide[f->constant] & 1u) == is_wide)
			return REF_CONST | m->constant_unit[f->constant];
	}
	/* Outside the hash: its value is the launch's. */
	op_ref r = constant_new(l, 0, is_wide);
	if (!load_grow(l, &p, &l->fix_cap, m->fix_count + 1, sizeof(*m->fixes)))
		return r;
	if (l->err == ERR_OK)
		m->constant_wide[m->constant_count - 1] |= CONSTANT_FIX;
	m->fixes = p;
	m->fixes[m->fix_count++] =
		(struct const_fix){.constant = m->constant_count - 1,
				   .kind = kind,
				   .index = index,
				   .offset = offset};
	return r;
}

op_ref load_special(struct loader *l, uint32_t sreg, uint32_t component)
{
	static const uint8_t first[PTX_SREG_COUNT] = {
		[PTX_SREG_TID] = SPECIAL_TID_X + 1,
		[PTX_SREG_NTID] = SPECIAL_NTID_X + 1,
		[PTX_SREG_CTAID] = SPECIAL_CTAID_X + 1,
		[PTX_SREG_NCTAID] = SPECIAL_NCTAID_X + 1,
		[PTX_SREG_LANEID] = SPECIAL_LANEID + 1,
		[PTX_SREG_LANEMASK_EQ] = SPECIAL_EQ + 1,
		[PTX_SREG_LANEMASK_LE] = SPECIAL_LE + 1,
		[PTX_SREG_LANEMASK_LT] = SPECIAL_LT + 1,
		[PTX_SREG_LANEMASK_GE] = SPECIAL_GE + 1,
		[PTX_SREG_LANEMASK_GT] = SPECIAL_GT + 1,
		[PTX_SREG_DYNAMIC_SMEM] = SPECIAL_DYNAMIC + 1,
		[PTX_SREG_WARPID] = SPECIAL_WARPID + 1,
		[PTX_SREG_NWARPID] = SPECIAL_NWARPID + 1,
	};
	if (sreg >= PTX_SREG_COUNT || first[sreg] == 0 || component > 2) {
		load_refuse(l, "reads a special register that has no defined "
			       "value here");
		return 0;
	}
	uint32_t which = first[sreg] - 1u;
	if (ptx_sregs[sreg].components == 3)
		which += component;
	return l->m->special_unit[which];
}

op_ref load_register(struct loader *l, const struct ptx_operand *o,
		     uint32_t size)
{
	if (o->kind != PTX_OPERAND_REG || load_class_bytes(o->cls) != size ||
	    (size == 1 && o->cls != PTX_CLASS_PRED)) {
		load_refuse(l, "has a register of the wrong width");
		return 0;
	}
	return load_unit(l, o->cls, o->index);
}

static op_ref negated_predicate(struct loader *l, op_ref p)
{
	op_ref t = load_temp(l, LOAD_TEMP_NEGATED);
	struct op *o = load_emit(l, OP_not_pred);
	o->d = t;
	o->a = p;
	return t;
}

op_ref load_source(struct loader *l, const struct ptx_operand *o, uint32_t size)
{
	op_ref r;
	switch (o->kind) {
	case PTX_OPERAND_IMM:
		if (size == 1)
			return load_constant(l, o->imm != 0 ? UINT32_MAX : 0,
					     false);
		if (size == 2)
			return load_constant(l, o->imm & 0xffffu, false);
		return load_constant(l, o->imm, size == 8);
	case PTX_OPERAND_SREG:
		r = load_special(l, o->index, o->component);
		if (size == 4)
			return r;
		break;
	case PTX_OPERAND_REG:
		r = load_register(l, o, size);
		return o->negated && l->err == ERR_OK ? negated_predicate(l, r)
						      : r;
	default:
		break;
	}
	load_refuse(l, "has an operand that is not executed here");
	return 0;
}

static void load_opaque(struct loader *l)
{
	must(l->in->aux < l->pf->opaque_count);
	const struct ptx_opaque *q = &l->pf->opaque[l->in->aux];
	load_refuse(l, "");
	if (l->why != NULL)
		snprintf(l->why->text, sizeof(l->why->text), "%.*s: %s",
			 (int)(q->text.n < 100 ? q->text.n : 100),
			 (const char *)q->text.p, q->why);
}

typedef void load_fn(struct loader *l);

static load_fn *const families[PTX_OP_COUNT] = {
	[PTX_OP_mov] = load_mov,
	[PTX_OP_cvt] = load_cvt,
	[PTX_OP_cvta] = load_cvta,
	[PTX_OP_setp] = load_setp,
	[PTX_OP_set] = load_set,
	[PTX_OP_testp] = load_testp,
	[PTX_OP_ld] = load_ld,
	[PTX_OP_ldu] = load_ld,
	[PTX_OP_st] = load_st,
	[PTX_OP_atom] = load_atom,
	[PTX_OP_red] = load_atom,
	[PTX_OP_isspacep] = load_isspacep,
	[PTX_OP_cp_async] = load_cp_async,
	[PTX_OP_ldmatrix] = load_ldmatrix,
	[PTX_OP_stmatrix] = load_stmatrix,
	[PTX_OP_movmatrix] = load_movmatrix,
	[PTX_OP_mma] = load_mma,
	[PTX_OP_min] = load_extreme,
	[PTX_OP_max] = load_extreme,
	[PTX_OP_cvt_pack] = load_cvt_pack,
	[PTX_OP_membar] = load_hint,
	[PTX_OP_fence] = load_hint,
	[PTX_OP_prefetch] = load_hint,
	[PTX_OP_prefetchu] = load_hint,
	[PTX_OP_applypriority] = load_hint,
	[PTX_OP_nanosleep] = load_hint,
	[PTX_OP_bra] = load_bra,
	[PTX_OP_brx_idx] = load_brx,
	[PTX_OP_call] = load_call,
	[PTX_OP_alloca] = load_alloca,
	[PTX_OP_stacksave] = load_stacksave,
	[PTX_OP_stackrestore] = load_stackrestore,
	[PTX_OP_ret] = load_ret,
	[PTX_OP_exit] = load_exit,
	[PTX_OP_trap] = load_trap,
	[PTX_OP_bar] = load_bar,
	[PTX_OP_barrier] = load_bar,
	[PTX_OP_bar_warp] = load_bar_warp,
	[PTX_OP_shfl] = load_shfl,
	[PTX_OP_vote] = load_vote,
	[PTX_OP_match] = load_match_sync,
	[PTX_OP_redux] = load_redux,
	[PTX_OP_activemask] = load_activemask,
	[PTX_OP_opaque] = load_opaque,
};

static void load_instr(struct loader *l, const struct ptx_instr *in)
{
	l->in = in;
	l->first_op = l->m->op_count;
	if (families[in->op] != NULL)
		families[in->op](l);
	else if (ptx_is_simd(in->op))
		load_simd(l);
	else if (ptx_is_video(in->op))
		load_video(l);
	else
		load_row(l);
}

/* Labels are instruction numbers until the whole function is there. */
static void patch_labels(struct loader *l, const uint32_t *first_op)
{
	for (uint32_t i = l->f->entry; i < l->f->end; i++) {
		struct op *o = &l->m->ops[i];
		if (o->id == OP_bra) {
			o->target = first_op[o->target];
		} else if (o->id == OP_brx) {
			for (uint32_t k = 0; k < o->imm; k++) {
				uint32_t *t = &l->m->tables[o->list + k];
				*t = first_op[*t];
			}
		}
	}
}

static void load_function(struct loader *l, uint32_t index)
{
	l->f = &l->m->functions[index];
	l->pf = &l->pm->functions[index];
	if (!l->pf->has_body || l->err != ERR_OK)
		return;
	uint32_t n = l->pf->instr_count;
	uint32_t *first_op = calloc((size_t)n + 1, sizeof(*first_op));
	if (first_op == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	l->f->entry = l->m->op_count;
	load_param_copies(l);
	for (uint32_t i = 0; i < n && l->err == ERR_OK; i++) {
		first_op[i] = l->m->op_count;
		l->number = i;
		load_instr(l, &l->pf->instrs[i]);
	}
	first_op[n] = l->m->op_count;
	/* Falling off the end is a return, which is not in the text. */
	static const struct ptx_instr end = {.guard = PTX_NO_INDEX};
	l->in = &end;
	l->first_op = UINT32_MAX;
	l->number = UINT32_MAX;
	load_emit(l, l->f->is_entry ? OP_exit : OP_ret);
	l->in = NULL;
	l->f->end = l->m->op_count;
	if (l->err == ERR_OK) {
		patch_labels(l, first_op);
		load_witness(l);
		if (!load_compact(l))
			l->err = ERR_NO_MEMORY;
	}
	free(first_op);
}

/* Kernels share their registers' place: only one runs at a time. */
static void place_registers(struct loader *l)
{
	struct exec_module *m = l->m;
	uint32_t first = 2, most = 0;
	for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
		m->special_unit[i] = first++;
	for (int device = 0; device < 2; device++) {
		for (uint32_t i = 0; i < m->function_count; i++) {
			struct function *f = &m->functions[i];
			const struct ptx_function *pf = &l->pm->functions[i];
			if (!pf->has_body || f->is_entry != (device == 0))
				continue;
			uint64_t units = UNIT_CLASSES;
			for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
				units += (uint64_t)class_units(c) *
					 pf->reg_count[c];
			f->first_unit = first + (device != 0 ? most : 0);
			if (units > MODULE_UNITS_MAX ||
			    f->first_unit + units > MODULE_UNITS_MAX) {
				l->err = ERR_LIMIT;
				return;
			}
			f->unit_count = (uint32_t)units;
			if (device != 0)
				most += f->unit_count;
			else if (f->unit_count > most)
				most = f->unit_count;
		}
	}
	m->first_unit = first;
	m->unit_count = first + most;
}

static void copy_params(struct loader *l, struct function *f,
			const struct ptx_function *pf)
{
	struct arena *a = l->m->arena;
	f->param_count = pf->param_count;
	f->params = ARENA_ARRAY(a, pf->param_count + 1, struct exec_param);
	f->name = arena_copy(a, pf->name);
	if (f->params == NULL || f->name.p == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < pf->param_count; i++)
		f->params[i] = (struct exec_param){
			.offset_bytes = pf->params[i].offset,
			.size_bytes = pf->params[i].bytes};
	f->kernel.name = f->name;
	f->kernel.param_count = pf->param_count;
	f->kernel.param_bytes = pf->param_bytes;
}

static void load_functions(struct loader *l)
{
	struct exec_module *m = l->m;
	m->function_count = l->pm->function_count;
	m->functions =
		ARENA_ARRAY(m->arena, m->function_count + 1, struct function);
	if (m->functions == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct ptx_function *pf = &l->pm->functions[i];
		m->functions[i].is_entry = pf->is_entry;
		m->functions[i].ptx_index = i;
		copy_params(l, &m->functions[i], pf);
	}
	if (l->err == ERR_OK)
		place_registers(l);
	if (l->err == ERR_OK)
		load_call_graph(l);
	if (l->err == ERR_OK)
		load_variables(l);
	if (l->err == ERR_OK)
		load_stack_frames(l);
	if (l->err == ERR_OK)
		load_stage_copies(l);
	for (uint32_t i = 0; i < m->function_count; i++)
		load_function(l, i);
}

/* Arguments and results that an op copies; through the staging places, twice
 * each. */
static uint64_t copies_cost(const struct exec_module *m, const struct op *o)
{
	uint64_t sum = 0;
	bool is_call = o->id == OP_call || o->id == OP_call_end ||
		       o->id == OP_call_to || o->id == OP_call_back;
	for (uint32_t k = 0; is_call && k < o->imm; k++)
		sum += 1 + m->copies[o->list + k].bytes / COPY_COST_BYTES;
	bool staged =
		o->id == OP_call_to || o->id == OP_call_back || o->flags != 0;
	return (staged ? 2 * sum : sum) * OP_COST;
}

static void sum_costs(struct loader *l)
{
	struct exec_module *m = l->m;
	m->cost_before = calloc((size_t)m->op_count + 1, sizeof(uint64_t));
	m->count_before = calloc((size_t)m->op_count + 1, sizeof(uint32_t));
	if (m->cost_before == NULL || m->count_before == NULL) {
		l->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct op *o = &m->ops[i];
		uint32_t vec = o->vec > 1 ? o->vec : 1;
		m->cost_before[i + 1] =
			m->cost_before[i] +
			load_cost((enum op_id)o->id) * (uint64_t)vec +
			copies_cost(m, o);
		m->count_before[i + 1] = m->count_before[i] + o->is_counted;
	}
}

enum err exec_module_load(const struct ptx_module *pm,
			  const struct exec_module_options *options,
			  struct exec_module **ret_module,
			  struct exec_refusal *reterr_why)
{
	struct loader l = {.pm = pm, .why = reterr_why};
	l.m = calloc(1, sizeof(*l.m));
	if (l.m == NULL)
		return ERR_NO_MEMORY;
	l.m->dynamic_slot = UINT32_MAX;
	l.m->stack_bytes = options != NULL ? options->stack_bytes : 0;
	if (l.m->stack_bytes > THREAD_LOCAL_BYTES_MAX)
		l.m->stack_bytes = THREAD_LOCAL_BYTES_MAX;
	l.m->stack_bytes -= l.m->stack_bytes % STACK_UNIT;
	l.m->arena = arena_new(MODULE_BYTES_MAX);
	l.variable_home = calloc((size_t)pm->variable_count + 1,
				 sizeof(*l.variable_home));
	l.variable_place = calloc((size_t)pm->variable_count + 1,
				  sizeof(*l.variable_place));
	l.prototype_targets = calloc((size_t)pm->function_count + 1,
				     sizeof(*l.prototype_targets));
	if (l.m->arena == NULL || l.variable_home == NULL ||
	    l.variable_place == NULL || l.prototype_targets == NULL)
		l.err = ERR_NO_MEMORY;
	if (l.err == ERR_OK)
		load_functions(&l);
	if (l.err == ERR_OK)
		load_place_all(&l);
	if (l.err == ERR_OK)
		load_spans(&l);
	if (l.err == ERR_OK)
		sum_costs(&l);
	free(l.hash);
	free(l.variable_home);
	free(l.variable_place);
	free(l.prototype_targets);
	free(l.param_copies);
	if (l.err != ERR_OK) {
		exec_module_free(l.m);
		return l.err;
	}
	*ret_module = l.m;
	return ERR_OK;
}

void exec_module_free(struct exec_module *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; m->functions != NULL && i < m->function_count;
	     i++) {
		free(m->functions[i].map);
		free(m->functions[i].entry_units);
		free(m->functions[i].stack_variables);
		free(m->functions[i].saves);
	}
	free(m->zero_runs);
	free(m->ops);
	free(m->cost_before);
	free(m->count_before);
	free(m->lists);
	free(m->constants);
	free(m->constant_wide);
	free(m->constant_unit);
	free(m->fixes);
	free(m->copies);
	free(m->tables);
	arena_free(m->arena);
	free(m);
}
