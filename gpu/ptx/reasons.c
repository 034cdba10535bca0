/*
 * gpu/ptx/reasons - the rules that refuse or lower a class, one instruction
 * or one buffer at a time.
 */
#include <string.h>

#include "base/limits.h"
#include "gpu/ptx/priv/analysis.h"
#include "gpu/ptx/priv/isa.h"

/* Different reasons kept; more are counted under the last of their cause. */
#define REASONS_MAX 256u

void reasons_add(struct analysis *n, enum ptx_why why,
		 const struct ptx_function *f, const struct ptx_instr *in,
		 const char *detail)
{
	struct ptx_reason r = {.why = why,
			       .source_file = UINT16_MAX,
			       .opcode = "",
			       .detail = detail,
			       .count = 1};
	char name[160];
	uint32_t i;

	if (in) {
		ptx_instr_name(f, in, name, sizeof(name));
		r.line = in->line;
		r.source_line = in->source_line;
		r.source_file = in->source_file;
		r.opcode = name;
	}
	for (i = 0; i < n->reason_count; i++) {
		struct ptx_reason *old = &n->reasons[i];

		if (old->why != why || (strcmp(old->opcode, r.opcode) != 0 &&
					n->reason_count < REASONS_MAX))
			continue;
		old->count++;
		return;
	}
	if (n->reason_count == n->reason_cap)
		return;
	if (in)
		r.opcode = arena_str(n->out, bytes_str(name));
	if (!r.opcode) {
		n->err = ERR_NO_MEMORY;
		r.opcode = "";
	}
	n->reasons[n->reason_count++] = r;
}

/* Bases that are certainly or possibly addresses. */
static bool is_leak(const struct analysis *n, const struct value *v)
{
	if (!(v->kinds & VALUE_HIDDEN))
		return false;
	if (v->bases >> BASE_OTHER & 1)
		return true;
	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];

		if ((v->bases >> b & 1) &&
		    (o->kind != OBJECT_BUFFER || n->launch || o->is_addressed))
			return true;
	}
	return false;
}

static struct value operand(struct analysis *n, uint32_t function,
			    const struct ptx_instr *in, uint32_t i)
{
	return transfer_value(n, function,
			      ptx_operand(&n->m->functions[function], in, i),
			      transfer_type(in, i));
}

/* Whether comparing an address with zero for equality says nothing: it is
 * that of a buffer or of generic memory, at most a little behind its start. */
static bool is_null_test(const struct analysis *n, const struct value *a,
			 const struct value *zero)
{
	int64_t lo = -1, hi = -1;

	if (a->shape == SHAPE_AFFINE)
		value_range(a, n->extent, &lo, &hi);
	return value_is_const(zero) && zero->c0 == 0 &&
	       (a->kinds & ~VALUE_CLEAN) == VALUE_ADDRESS &&
	       !(a->bases >> BASE_OTHER & 1) && !analysis_has_small(n, a) &&
	       lo >= 0 && hi < 1ll << 32;
}

/* Offsets that cannot pass an end of the address space. */
#define NEAR (1ll << 20)

/* Whether an address cannot pass an end of the address space, wherever its
 * base lies: else its order tells where.  Without a launch, sizes are not
 * known, and the order counts as clean. */
static bool stays_in_order(const struct analysis *n, const struct value *v)
{
	if (analysis_has_small(n, v))
		return value_has_small_offset(v, NEAR);
	return !n->launch || value_is_near(v, n->extent, 1ull << 39);
}

static void check_compare(struct analysis *n, uint32_t function,
			  const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	uint32_t first = ptx_dest_count(in);
	struct value a = operand(n, function, in, first);
	struct value b = operand(n, function, in, first + 1);
	uint8_t cmp = in->mod[PTX_MOD_CMP];
	enum ptx_type t = transfer_type(in, first);
	bool equality = cmp == PTX_CMP_EQ || cmp == PTX_CMP_NE;
	bool same, is_fine;

	if (!is_leak(n, &a) && !is_leak(n, &b))
		return;
	same = value_is_one_base(&a) && value_is_one_base(&b) &&
	       a.bases == b.bases;
	if (ptx_types[t].kind == PTX_KIND_F)
		is_fine = false;
	else if (equality)
		is_fine =
			same ||
			(ptx_types[t].bits == 64 &&
			 (is_null_test(n, &a, &b) || is_null_test(n, &b, &a)));
	else
		is_fine =
			same && stays_in_order(n, &a) && stays_in_order(n, &b);
	if (!is_fine)
		reasons_add(n, PTX_WHY_address_leak, f, in,
			    "compares an address");
}

/* isspacep: known of an address near its base, a leak of anything else. */
static void check_space_test(struct analysis *n, uint32_t function,
			     const struct ptx_instr *in)
{
	struct value v = operand(n, function, in, 1);

	if (v.kinds &&
	    (v.kinds != VALUE_ADDRESS || analysis_has_small(n, &v) ||
	     v.bases >> BASE_OTHER & 1 || !value_has_small_offset(&v, NEAR)))
		reasons_add(n, PTX_WHY_address_leak, &n->m->functions[function],
			    in, "asks for the space of a number");
}

static void check_operands(struct analysis *n, uint32_t function,
			   const struct ptx_instr *in, uint32_t first,
			   const char *detail)
{
	const struct ptx_function *f = &n->m->functions[function];

	for (uint32_t i = first; i < in->operand_count; i++) {
		struct value v;

		if (ptx_operand(f, in, i)->kind == PTX_OPERAND_NONE ||
		    ptx_operand(f, in, i)->kind == PTX_OPERAND_MEMORY)
			continue;
		v = operand(n, function, in, i);
		if (is_leak(n, &v))
			reasons_add(n, PTX_WHY_address_leak, f, in, detail);
	}
}

/* Values that decide something. */
static void check_leak(struct analysis *n, uint32_t function,
		       const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	struct value v;

	switch (in->op) {
	case PTX_OP_setp:
	case PTX_OP_set:
		check_compare(n, function, in);
		return;
	case PTX_OP_slct:
		v = operand(n, function, in, 3);
		if (is_leak(n, &v))
			reasons_add(n, PTX_WHY_address_leak, f, in,
				    "an address selects");
		return;
	case PTX_OP_isspacep:
		check_space_test(n, function, in);
		return;
	case PTX_OP_shfl:
		check_operands(n, function, in, 3, "an address is a lane");
		return;
	case PTX_OP_lop3:
		if (in->mod[PTX_MOD_BOOL])
			check_operands(n, function, in, 2,
				       "an address decides");
		return;
	case PTX_OP_vote:
	case PTX_OP_match:
	case PTX_OP_redux:
	case PTX_OP_testp:
	case PTX_OP_brx_idx:
	case PTX_OP_bar:
	case PTX_OP_barrier:
	case PTX_OP_alloca:
	case PTX_OP_cp_async:
		check_operands(n, function, in, ptx_dest_count(in),
			       "an address decides");
		return;
	case PTX_OP_atom:
	case PTX_OP_red:
		check_operands(n, function, in, ptx_dest_count(in),
			       "an address in an atomic");
		return;
	case PTX_OP_stmatrix:
		check_operands(n, function, in, 0, "an address in a matrix");
		return;
	default:
		return;
	}
}

static void check_opaque(struct analysis *n, const struct ptx_function *f,
			 const struct ptx_instr *in)
{
	const struct ptx_opaque *o = &f->opaque[in->aux];
	enum ptx_why why = PTX_WHY_unknown;

	if (o->is_known)
		why = PTX_WHY_refused;
	if (strstr(o->why, "clusters"))
		why = PTX_WHY_cluster;
	if (strstr(o->why, "textures") || strstr(o->why, "surfaces"))
		why = PTX_WHY_texture;
	reasons_add(n, why, f, in, o->why);
}

static void check_sregs(struct analysis *n, const struct ptx_function *f,
			const struct ptx_instr *in)
{
	for (uint32_t i = 0; i < in->operand_count; i++) {
		const struct ptx_operand *o = ptx_operand(f, in, i);
		const char *text;

		if (o->kind != PTX_OPERAND_SREG ||
		    ptx_sregs[o->index].is_listed)
			continue;
		text = ptx_sregs[o->index].text;
		if (o->index == PTX_SREG_ENVREG)
			reasons_add(n, PTX_WHY_env_register, f, in, text);
		else if (strstr(text, "cluster"))
			reasons_add(n, PTX_WHY_cluster, f, in, text);
		else
			reasons_add(n, PTX_WHY_special_register, f, in, text);
	}
}

static void check_float(struct analysis *n, const struct ptx_function *f,
			const struct ptx_instr *in)
{
	uint8_t round = in->mod[PTX_MOD_ROUND];
	bool is_float = ptx_types[in->types[0]].kind == PTX_KIND_F;

	if (ptx_ops[in->op].trait == PTX_TRAIT_APPROX ||
	    round == PTX_ROUND_APPROX || round == PTX_ROUND_FULL)
		reasons_add(n, PTX_WHY_approximate, f, in, "");
	else if (in->mod[PTX_MOD_FTZ] &&
		 (in->op == PTX_OP_add || in->op == PTX_OP_sub ||
		  in->op == PTX_OP_mul || in->op == PTX_OP_fma ||
		  in->op == PTX_OP_mad || in->op == PTX_OP_div ||
		  in->op == PTX_OP_rcp || in->op == PTX_OP_sqrt ||
		  in->op == PTX_OP_cvt))
		reasons_add(n, PTX_WHY_subnormal_ftz, f, in, "");
	if (in->op == PTX_OP_mma && is_float)
		reasons_add(n, PTX_WHY_float_mma, f, in, "");
	else if (in->op == PTX_OP_mma && in->mod[PTX_MOD_SATFINITE])
		reasons_add(n, PTX_WHY_saturating_mma, f, in, "");
	if (in->op == PTX_OP_redux && is_float)
		reasons_add(n, PTX_WHY_float_mma, f, in,
			    "the order of a float reduction");
}

/*
 * Cards since sm_75 run a video instruction as steps that ptxas makes.  Steps
 * of the plain forms agree with the ISA; of those with a saturation, a second
 * min or max, a scale or a result in the upper half, ptxas 13.0 has some that
 * do not, and of vset the ISA does not say whose sign a second min has.
 */
static void check_video(struct analysis *n, const struct ptx_function *f,
			const struct ptx_instr *in)
{
	uint8_t second = in->mod[PTX_MOD_ATOM];

	if (!ptx_is_video(in->op))
		return;
	if (in->mod[PTX_MOD_SAT] || in->mod[PTX_MOD_PO] ||
	    in->mod[PTX_MOD_SCALE] || second == PTX_ATOM_MIN ||
	    second == PTX_ATOM_MAX ||
	    ptx_operand(f, in, 0)->select == PTX_SELECT_H1)
		reasons_add(n, PTX_WHY_video_steps, f, in, "");
}

static void check_call(struct analysis *n, uint32_t function,
		       const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_call *c = &f->calls[in->aux];
	struct value v;

	if (c->callee != PTX_NO_INDEX) {
		const struct ptx_function *g = &n->m->functions[c->callee];

		if (!g->has_body)
			reasons_add(n, PTX_WHY_no_body, f, in,
				    arena_str(n->out, g->name));
		return;
	}
	/* Only what a constant table or a mov made may be called. */
	v = transfer_value(n, function, &c->target, PTX_TYPE_B64);
	if ((v.kinds & ~VALUE_CLEAN) != VALUE_ADDRESS ||
	    v.bases != 1ull << BASE_OTHER)
		reasons_add(n, PTX_WHY_indirect_call, f, in, "");
}

static void check_instr(struct analysis *n, uint32_t function,
			const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];

	if (in->op == PTX_OP_opaque) {
		check_opaque(n, f, in);
		return;
	}
	check_sregs(n, f, in);
	check_float(n, f, in);
	check_video(n, f, in);
	check_leak(n, function, in);
	if (in->op == PTX_OP_activemask)
		reasons_add(n, PTX_WHY_activemask, f, in, "");
	if ((in->op == PTX_OP_vote || in->op == PTX_OP_shfl) &&
	    !in->mod[PTX_MOD_SYNC])
		reasons_add(n, PTX_WHY_activemask, f, in,
			    "without .sync it takes who is there");
	if (in->op == PTX_OP_discard)
		reasons_add(n, PTX_WHY_refused, f, in,
			    "what is read after it is unspecified");
	if (in->op == PTX_OP_stacksave || in->op == PTX_OP_stackrestore ||
	    (in->op == PTX_OP_alloca &&
	     analysis_stack_of(n, function, in) == PTX_NO_INDEX))
		reasons_add(n, PTX_WHY_stack_pointer, f, in, "");
	if (in->op == PTX_OP_bar || in->op == PTX_OP_barrier)
		n->uses_barrier = true;
	if (in->op == PTX_OP_call)
		check_call(n, function, in);
	if (in->mod[PTX_MOD_SCOPE] == PTX_SCOPE_CLUSTER ||
	    in->mod[PTX_MOD_SPACE] == PTX_SPACE_SHARED_CLUSTER)
		reasons_add(n, PTX_WHY_cluster, f, in, "");
}

/* Whether an access may touch memory that other CTAs see. */
static bool may_be_global(const struct analysis *n, const struct access *c)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);

	if (direct != PTX_NO_INDEX)
		return n->objects[direct].is_global;
	if (value_may_be_anywhere(&c->at))
		return true;
	for (uint32_t b = 0; b < n->base_count; b++)
		if ((c->at.bases >> b & 1) &&
		    n->objects[n->base_object[b]].is_global)
			return true;
	return false;
}

static void check_constant(struct analysis *n, const struct object *o,
			   const struct access *c)
{
	bool is_constant = o->kind == OBJECT_PARAM && o->function == n->kernel;

	if (o->kind == OBJECT_VARIABLE)
		is_constant = o->space == PTX_SPACE_CONST ||
			      n->m->variables[o->index].reloc_count;
	if (is_constant)
		reasons_add(n, PTX_WHY_stores_constant, c->f, c->in, "");
}

/* Stores that go nobody knows where, or where none may go. */
static void check_target(struct analysis *n, const struct access *c)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);

	if (direct != PTX_NO_INDEX) {
		check_constant(n, &n->objects[direct], c);
		return;
	}
	if (value_may_be_anywhere(&c->at))
		reasons_add(n,
			    c->at.kinds & VALUE_DATA
				    ? PTX_WHY_store_through_loaded
				    : PTX_WHY_store_to_any,
			    c->f, c->in, "");
	for (uint32_t b = 0; b < n->base_count; b++)
		if (c->at.bases >> b & 1)
			check_constant(n, &n->objects[n->base_object[b]], c);
}

/* The space that the instruction says the access is in. */
static uint8_t said_space(const struct access *c)
{
	if (c->in->op == PTX_OP_cp_async)
		return c->is_write ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
	return ptx_mod_canonical(c->in, PTX_MOD_SPACE);
}

/* An address of one space used in another, or one that cvta did not make
 * generic. */
static void check_space(struct analysis *n, const struct access *c)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);
	uint8_t said = said_space(c);
	bool wrong = false;

	if (direct != PTX_NO_INDEX) {
		uint8_t space = n->objects[direct].space;

		wrong = said != space &&
			(said != PTX_SPACE_NONE || space != PTX_SPACE_GLOBAL);
	}
	for (uint32_t b = 0; direct == PTX_NO_INDEX && b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];

		if (!(c->at.bases >> b & 1))
			continue;
		if (said == PTX_SPACE_NONE)
			wrong |= b != o->generic;
		else
			wrong |= said != o->space || b != o->base;
	}
	if (wrong)
		reasons_add(n, PTX_WHY_wrong_space, c->f, c->in, "");
}

static void check_stored(struct analysis *n, const struct access *c)
{
	if (c->in->op == PTX_OP_st && may_be_global(n, c))
		check_operands(n, c->function, c->in, 1, "stores an address");
}

static bool is_used(struct analysis *n, const struct access *c)
{
	const struct ptx_operand *d = ptx_operand(c->f, c->in, 0);

	if (c->in->op != PTX_OP_atom || d->kind == PTX_OPERAND_NONE)
		return false;
	if (d->kind != PTX_OPERAND_REG)
		return true;
	return n->reg_used[analysis_reg(n, c->function, d) - n->regs];
}

/* Whether the order of such atomics shows in nothing. */
static bool is_commuting(const struct ptx_instr *in)
{
	uint8_t op = in->mod[PTX_MOD_ATOM];

	return ptx_types[in->types[0]].kind != PTX_KIND_F &&
	       (op == PTX_ATOM_ADD || op == PTX_ATOM_AND || op == PTX_ATOM_OR ||
		op == PTX_ATOM_XOR || op == PTX_ATOM_MIN || op == PTX_ATOM_MAX);
}

static void check_atomic(struct analysis *n, const struct access *c)
{
	const struct ptx_type_info *t = &ptx_types[c->in->types[0]];

	if (t->kind == PTX_KIND_F)
		reasons_add(n, PTX_WHY_float_atomic, c->f, c->in, "");
	else if (is_used(n, c))
		reasons_add(n, PTX_WHY_atomic_result_used, c->f, c->in, "");
	else if (!is_commuting(c->in))
		reasons_add(n, PTX_WHY_atomic_order, c->f, c->in, "");
	else if (t->bits != 32 && t->bits != 64)
		reasons_add(n, PTX_WHY_atomic_wide, c->f, c->in, "");
}

/* An address that is no sum of addresses and numbers: what stands there
 * would tell where memory lies.  Without a launch a parameter that is no
 * pointer looks the same. */
static void check_address(struct analysis *n, const struct access *c)
{
	struct value v = c->at;

	if (!(v.kinds & VALUE_MIXED))
		return;
	for (uint32_t b = 0; b < n->base_count && !n->launch; b++)
		if ((c->all_bases >> b & 1) &&
		    n->objects[n->base_object[b]].kind == OBJECT_BUFFER &&
		    !n->objects[n->base_object[b]].is_addressed)
			return;
	reasons_add(n, PTX_WHY_address_leak, c->f, c->in,
		    "an address made of parts of addresses");
}

/* Buffers lie this far apart, and no offset may pass half of that. */
#define APART (1ull << 40)

/* An offset that memory holds, or that a loop adds up, and that nothing
 * bounds: on a card it is a fault, here it could be another buffer. */
static void check_offset(struct analysis *n, const struct access *c)
{
	uint8_t said = said_space(c);
	uint32_t direct = analysis_object_of(n, c->function, c->memory);

	/* Pointers that memory holds may read every buffer anyway. */
	if (!n->launch || direct != PTX_NO_INDEX || !c->at.bases ||
	    c->at.kinds & (VALUE_MIXED | VALUE_DATA))
		return;
	if ((said == PTX_SPACE_NONE || said == PTX_SPACE_GLOBAL ||
	     said == PTX_SPACE_CONST) &&
	    !value_is_near(&c->at, n->extent, APART / 2))
		reasons_add(n, PTX_WHY_far_offset, c->f, c->in, "");
}

static void check_access(struct analysis *n, const struct access *c)
{
	uint8_t sem = c->in->mod[PTX_MOD_SEM];

	check_address(n, c);
	check_offset(n, c);
	check_space(n, c);
	if (c->is_write || c->is_atomic)
		check_target(n, c);
	if (c->is_atomic)
		check_atomic(n, c);
	check_stored(n, c);
	if (!c->is_atomic && sem != PTX_SEM_NONE && sem != PTX_SEM_WEAK &&
	    may_be_global(n, c))
		reasons_add(n, PTX_WHY_volatile_access, c->f, c->in, "");
}

/* The signedness of min and max is part of the operation. */
static uint8_t atom_key(const struct ptx_instr *in)
{
	uint8_t op = in->mod[PTX_MOD_ATOM];

	if ((op == PTX_ATOM_MIN || op == PTX_ATOM_MAX) &&
	    ptx_types[in->types[0]].kind == PTX_KIND_S)
		op = (uint8_t)(op + 64);
	return op;
}

static void check_object(struct analysis *n, struct object *o,
			 const struct access *c)
{
	uint8_t key = atom_key(c->in);
	uint8_t bits = ptx_types[c->in->types[0]].bits;

	if (c->is_nc && o->written)
		reasons_add(n, PTX_WHY_nc_written, c->f, c->in, "");
	if (!c->is_atomic) {
		if (o->is_global && o->atomic)
			reasons_add(n, PTX_WHY_atomic_and_plain, c->f, c->in,
				    "");
		return;
	}
	if (!o->atom_op) {
		o->atom_op = key;
		o->atom_bits = bits;
		if (o->is_global && is_commuting(c->in) && !is_used(n, c))
			reasons_add(n, PTX_WHY_atomic_one_op, c->f, c->in, "");
	} else if (o->atom_op != key || o->atom_bits != bits) {
		reasons_add(n, PTX_WHY_atomic_mixed, c->f, c->in, "");
	}
}

void reasons_of_buffers(struct analysis *n)
{
	bool writes = false, loads_any_nc = false;

	for (uint32_t i = 0; i < n->object_count; i++)
		writes |= n->objects[i].is_global && n->objects[i].written;
	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];
		uint32_t direct = analysis_object_of(n, c->function, c->memory);

		if (direct != PTX_NO_INDEX) {
			check_object(n, &n->objects[direct], c);
			continue;
		}
		for (uint32_t b = 0; b < n->base_count; b++)
			if (c->at.bases >> b & 1)
				check_object(n, &n->objects[n->base_object[b]],
					     c);
		/* Through an unknown pointer: perhaps what is written. */
		loads_any_nc = c->is_nc && value_may_be_anywhere(&c->at);
		if (loads_any_nc && writes)
			reasons_add(n, PTX_WHY_nc_written, c->f, c->in,
				    "through a loaded pointer");
	}
}

void reasons_find(struct analysis *n)
{
	for (uint32_t i = 0; i < n->m->function_count; i++) {
		const struct ptx_function *f = &n->m->functions[i];

		if (!n->reach.functions[i])
			continue;
		for (uint32_t k = 0; k < f->instr_count; k++) {
			analysis_at(n, i, k);
			check_instr(n, i, &f->instrs[k]);
		}
		if (f->needs_cluster)
			reasons_add(n, PTX_WHY_cluster, f, NULL, "");
		if (!f->has_body && n->reach.addressed[i])
			reasons_add(n, PTX_WHY_no_body, f, NULL,
				    arena_str(n->out, f->name));
	}
	for (uint32_t i = 0; i < n->m->variable_count; i++)
		if (n->reach.variables[i] && n->m->variables[i].is_opaque)
			reasons_add(n, PTX_WHY_texture, NULL, NULL,
				    arena_str(n->out, n->m->variables[i].name));
	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];

		analysis_at(n, c->function, (uint32_t)(c->in - c->f->instrs));
		check_access(n, c);
	}
}

void reasons_of_launch(struct analysis *n, const struct ptx_needs *needs)
{
	const struct ptx_launch *l = n->launch;
	uint64_t shared = needs->shared_bytes;
	uint64_t threads = needs->threads;

	if (l) {
		shared += l->shared_bytes;
		threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
		if (l->block[0] > CTA_THREADS_MAX ||
		    l->block[1] > CTA_THREADS_MAX ||
		    l->block[2] > CTA_THREADS_MAX)
			threads = UINT64_MAX;
		if (needs->needs_stack && !l->stack_bytes)
			reasons_add(n, PTX_WHY_needs_stack, NULL, NULL, "");
	}
	if (shared > CTA_SHARED_BYTES_MAX)
		reasons_add(n, PTX_WHY_too_much_shared, NULL, NULL, "");
	if (needs->local_bytes > THREAD_LOCAL_BYTES_MAX)
		reasons_add(n, PTX_WHY_too_much_local, NULL, NULL, "");
	if (threads > CTA_THREADS_MAX)
		reasons_add(n, PTX_WHY_too_many_threads, NULL, NULL, "");
}
