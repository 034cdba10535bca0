/*
 * gpu/ptx/memory - what loads, stores and atomics do to the analyser's values.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
	uint64_t sign = 1ull << (width - 1);

	if (width < 64)
		bits &= (1ull << width) - 1;
	return (int64_t)((bits ^ sign) - sign);
}

/* A number that memory of that type held. */
static struct value data_of(struct analysis *n, enum ptx_type t)
{
	uint32_t bits = ptx_types[t].bits;
	struct value v = value_data();

	if (bits && bits < 64 && ptx_types[t].kind != PTX_KIND_F)
		v = value_extend(&v, bits, ptx_types[t].kind == PTX_KIND_S,
				 n->extent);
	return v;
}

/* What was found, as the load extends it to its register. */
static struct value as_loaded(struct analysis *n, enum ptx_type t,
			      const struct ptx_operand *d, struct value v)
{
	uint32_t bits = ptx_types[t].bits;

	if (d->kind == PTX_OPERAND_REG && bits < ptx_class_bits(d->cls) &&
	    bits < 64)
		return value_extend(&v, bits, ptx_types[t].kind == PTX_KIND_S,
				    n->extent);
	return v;
}

/* A constant of the launch's parameters, if the load is of one. */
static bool load_launch(struct analysis *n, uint32_t function,
			const struct object *o, int64_t offset,
			const struct ptx_instr *in, struct value *ret)
{
	const struct ptx_type_info *t = &ptx_types[in->types[0]];
	uint64_t at, bits = 0;
	uint32_t bytes = t->bits / 8u;

	if (!n->launch || function != n->kernel || o->kind != OBJECT_PARAM ||
	    o->function != n->kernel || offset < 0 || bytes > 8 ||
	    t->kind == PTX_KIND_F)
		return false;
	at = n->m->functions[function].params[o->index].offset +
	     (uint64_t)offset;
	if (at + bytes > n->launch->params.n)
		return false;
	for (uint32_t i = 0; i < n->launch->bound_count; i++)
		if (n->launch->bound[i].param_offset < at + bytes &&
		    at < n->launch->bound[i].param_offset + 8ull)
			return false;
	for (uint32_t i = 0; i < bytes; i++)
		bits |= (uint64_t)n->launch->params.p[at + i] << (8 * i);
	if (t->kind == PTX_KIND_U && bytes < 4)
		*ret = value_const((int64_t)bits);
	else
		*ret = value_const(sign_extend(bits, t->bits));
	return true;
}

static struct value load_from(struct analysis *n, uint32_t function,
			      const struct ptx_instr *in,
			      const struct ptx_operand *d,
			      const struct value *at)
{
	enum ptx_type t = (enum ptx_type)in->types[0];
	uint32_t bytes = ptx_types[t].bits / 8u;
	struct value v = {0}, part;

	for (uint32_t b = 0; b < n->base_count; b++) {
		uint32_t object = n->base_object[b];
		const struct object *o = &n->objects[object];

		if (!(at->bases >> b & 1))
			continue;
		if (!o->has_cells)
			part = data_of(n, t);
		else if (!value_is_fixed(at) ||
			 !load_launch(n, function, o, at->c0, in, &part))
			part = contents_load(n, object, at, bytes);
		value_join(&v, &part, n->extent);
	}
	if (value_may_be_anywhere(at)) {
		/* Some memory without a name: it may hold what any such
		 * object holds. */
		part = data_of(n, t);
		value_join(&v, &part, n->extent);
		for (uint32_t i = 0;
		     at->bases >> BASE_OTHER & 1 && i < n->object_count; i++) {
			struct value any = value_any(), one;

			if (!analysis_is_other(&n->objects[i]))
				continue;
			one = contents_load(n, i, &any, 1);
			value_join(&v, &one, n->extent);
		}
	}
	return as_loaded(n, t, d, v);
}

static struct value load_named(struct analysis *n, uint32_t function,
			       const struct ptx_instr *in,
			       const struct ptx_operand *d, uint32_t object,
			       int64_t offset)
{
	enum ptx_type t = (enum ptx_type)in->types[0];
	struct value at = value_const(offset), v;

	if (!n->objects[object].has_cells)
		return data_of(n, t);
	if (!load_launch(n, function, &n->objects[object], offset, in, &v))
		v = contents_load(n, object, &at, ptx_types[t].bits / 8u);
	return as_loaded(n, t, d, v);
}

static void load_direct(struct analysis *n, uint32_t function,
			const struct ptx_instr *in, uint32_t object)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *d = ptx_operand(f, in, 0);
	int64_t at = ptx_operand(f, in, 1)->offset;
	int64_t bytes = ptx_types[in->types[0]].bits / 8u;

	if (d->kind != PTX_OPERAND_VECTOR)
		analysis_set(n, function, d,
			     load_named(n, function, in, d, object, at));
	for (uint32_t i = 0; d->kind == PTX_OPERAND_VECTOR && i < d->count; i++)
		analysis_set(n, function, &f->elements[d->index + i],
			     load_named(n, function, in,
					&f->elements[d->index + i], object,
					at + bytes * i));
}

void transfer_load(struct analysis *n, uint32_t function,
		   const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *d = ptx_operand(f, in, 0);
	struct value at = transfer_address(n, function, ptx_operand(f, in, 1));
	int64_t bytes = ptx_types[in->types[0]].bits / 8u;
	uint32_t object =
		analysis_object_of(n, function, ptx_operand(f, in, 1));

	/* Named directly, it may have no number. */
	if (object != PTX_NO_INDEX) {
		load_direct(n, function, in, object);
		return;
	}
	if (d->kind != PTX_OPERAND_VECTOR)
		analysis_set(n, function, d,
			     load_from(n, function, in, d, &at));
	for (uint32_t i = 0; d->kind == PTX_OPERAND_VECTOR && i < d->count;
	     i++) {
		struct value step = value_const(bytes * i);
		struct value e = value_add(&at, &step);

		analysis_set(n, function, &f->elements[d->index + i],
			     load_from(n, function, in,
				       &f->elements[d->index + i], &e));
	}
}

static void store_to(struct analysis *n, const struct value *at, uint32_t bytes,
		     struct value v)
{
	struct value any = value_any();

	for (uint32_t b = 0; b < n->base_count; b++)
		if (at->bases >> b & 1)
			contents_store(n, n->base_object[b], at, bytes, v);
	for (uint32_t i = 0; at->bases >> BASE_OTHER & 1 && i < n->object_count;
	     i++)
		if (analysis_is_other(&n->objects[i]))
			contents_store(n, i, &any, bytes, v);
}

/* Into an object that is named, or wherever at points. */
static void store_value(struct analysis *n, uint32_t object,
			const struct value *at, uint32_t bytes, struct value v)
{
	if (object != PTX_NO_INDEX)
		contents_store(n, object, at, bytes, v);
	else
		store_to(n, at, bytes, v);
}

void transfer_store(struct analysis *n, uint32_t function,
		    const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *m = ptx_operand(f, in, 0);
	const struct ptx_operand *s = ptx_operand(f, in, 1);
	struct value at = transfer_address(n, function, m);
	uint32_t object = analysis_object_of(n, function, m);
	uint32_t bytes = ptx_types[in->types[0]].bits / 8u;
	enum ptx_type t = (enum ptx_type)in->types[0];

	if (s->kind != PTX_OPERAND_VECTOR) {
		store_value(n, object, &at, bytes,
			    transfer_value(n, function, s, t));
		return;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		struct value step = value_const((int64_t)bytes * i);
		struct value e = value_add(&at, &step);

		store_value(n, object, &e, bytes,
			    transfer_value(n, function,
					   &f->elements[s->index + i], t));
	}
}

struct value transfer_anywhere(struct analysis *n, uint32_t function,
			       const struct ptx_operand *o)
{
	uint32_t object = analysis_object_of(n, function, o);
	struct value at = transfer_address(n, function, o);
	struct value any = value_any(), v = {0}, part;

	for (uint32_t i = 0; i < n->object_count; i++) {
		uint32_t b = n->objects[i].base;
		bool reaches =
			object != PTX_NO_INDEX
				? i == object
				: (at.bases >> b & 1 && b != BASE_OTHER &&
				   n->base_object[b] == i) ||
					  (value_may_be_anywhere(&at) &&
					   analysis_is_other(&n->objects[i]));

		if (!reaches)
			continue;
		part = contents_load(n, i, &any, 1);
		value_join(&v, &part, n->extent);
	}
	if (object == PTX_NO_INDEX && value_may_be_anywhere(&at)) {
		part = value_data();
		value_join(&v, &part, n->extent);
	}
	return value_mix(&v, &v);
}

/* Memory that is changed to some number, or to what is copied. */
void transfer_update(struct analysis *n, uint32_t function,
		     const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	struct value any = value_data(), nowhere = value_any(), at;
	uint32_t object;

	if (in->op == PTX_OP_cp_async && in->operand_count > 1)
		any = transfer_anywhere(n, function, ptx_operand(f, in, 1));
	for (uint32_t i = 0; i < in->operand_count; i++) {
		const struct ptx_operand *o = ptx_operand(f, in, i);

		if (o->kind != PTX_OPERAND_MEMORY)
			continue;
		at = transfer_address(n, function, o);
		value_forget(&at);
		object = analysis_object_of(n, function, o);
		if (object != PTX_NO_INDEX)
			contents_store(n, object, &nowhere, 1, any);
		else
			store_to(n, &at, 1, any);
		return;
	}
}
