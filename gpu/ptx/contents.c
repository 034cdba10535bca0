/*
 * gpu/ptx/contents - what memory that is no buffer may hold, no matter when.
 *
 * Small objects have a cell for every 4 bytes, so that a spilled pointer, a
 * frame of unoptimised code or a struct of arguments keeps its parts apart.  A
 * value comes back whole where every store of these bytes had the same width
 * and place; otherwise it is mixed.
 */
#include "gpu/ptx/priv/analysis.h"

/* Places of one access that are told apart, and how far they may lie. */
#define PLACES_MAX 64
#define PLACES_FAR (1 << 20)

/* The two cells behind those by offset. */
static struct cell *anywhere(struct analysis *n, const struct object *o)
{
	return &n->cells[o->cell_first + o->cell_count];
}

static struct cell *heap(struct analysis *n, const struct object *o)
{
	return anywhere(n, o) + 1;
}

static void put(struct analysis *n, struct cell *c, const struct value *v,
		uint8_t form)
{
	struct value old = c->v;

	if (!v->kinds)
		return;
	if (value_join(&c->v, v, n->extent)) {
		n->grew = true;
		if (n->widen == WIDEN_RANGE)
			value_widen(&c->v, &old, n->extent, NULL, 0);
		else if (n->widen == WIDEN_SHAPE)
			value_forget(&c->v);
	}
	if ((c->form | form) != c->form)
		n->grew = true;
	c->form |= form;
}

static void put_part(struct analysis *n, struct cell *c, const struct value *v,
		     uint8_t form)
{
	struct value part = value_mix(v, v);

	put(n, c, &part, form);
}

/* Into the cells that bytes at a known offset touch. */
static void store_known(struct analysis *n, const struct object *o, int64_t at,
			uint32_t bytes, const struct value *v)
{
	struct cell *c = &n->cells[o->cell_first + at / 4];

	if (at % 4 == 0 && bytes == 4) {
		put(n, c, v, CELL_FOUR);
	} else if (at % 4 == 0 && bytes == 8) {
		put(n, &c[0], v, CELL_EIGHT);
		put_part(n, &c[1], v, CELL_UPPER);
	} else {
		for (int64_t i = at / 4; i <= (at + bytes - 1) / 4; i++)
			put_part(n, &n->cells[o->cell_first + i], v, CELL_PART);
	}
}

static bool is_inside(const struct object *o, int64_t at, uint32_t bytes)
{
	return at >= 0 && (uint64_t)at + bytes <= o->bytes;
}

/* The few places that an offset can take: the first, how far they lie apart,
 * and how many; false: too many, or unknown. */
static bool few_places(const struct analysis *n, const struct object *o,
		       const struct value *at, uint32_t bytes, int64_t *first,
		       int64_t *step, int64_t *count)
{
	int64_t hi;

	if (at->shape != SHAPE_AFFINE)
		return false;
	*step = at->step;
	for (uint32_t i = 0; i < at->term_count; i++)
		*step = value_gcd(*step, at->coef[i]);
	value_range(at, n->extent, first, &hi);
	if (value_is_far(*first) || value_is_far(hi) || *first < -PLACES_FAR ||
	    hi > PLACES_FAR)
		return false;
	/* What is not aligned is a fault. */
	if (*step && *step < bytes && o->align >= bytes &&
	    (bytes & (bytes - 1)) == 0) {
		*first = (*first + bytes - 1) & -(int64_t)bytes;
		*step = bytes;
	}
	*count = *step ? (hi - *first) / *step + 1 : 1;
	return *count <= PLACES_MAX;
}

/* A store that may go anywhere in the object. */
static void store_anywhere(struct analysis *n, const struct object *o,
			   uint32_t bytes, struct value v)
{
	uint8_t form = CELL_PART;

	if (bytes == 8 && o->align >= 8)
		form = CELL_EIGHT;
	if (bytes == 4 && o->align >= 4)
		form = CELL_FOUR;
	if (form == CELL_PART)
		v = value_mix(&v, &v);
	value_flatten(&v, n->extent);
	put(n, anywhere(n, o), &v, form);
}

/* Who reads what others wrote knows nothing of their indexes: of those of the
 * thread in shared memory, of any in global memory. */
static void forget_writer(const struct analysis *n, const struct object *o,
			  struct value *v)
{
	bool is_theirs = false;

	for (uint32_t i = 0; i < v->term_count; i++)
		is_theirs |= v->var[i] < 3 || v->var[i] >= VALUE_IDS;
	if (o->is_global || (o->space == PTX_SPACE_SHARED && is_theirs))
		value_flatten(v, n->extent);
}

void contents_store(struct analysis *n, uint32_t object, const struct value *at,
		    uint32_t bytes, struct value v)
{
	const struct object *o = &n->objects[object];
	int64_t first, step, count;

	if (!o->has_cells || !v.kinds || bytes == 0)
		return;
	forget_writer(n, o, &v);
	if (!o->cell_count ||
	    !few_places(n, o, at, bytes, &first, &step, &count))
		store_anywhere(n, o, bytes, v);
	else
		for (int64_t i = 0; i < count; i++) {
			int64_t place = first + step * i;

			/* Outside, it is a fault. */
			if (is_inside(o, place, bytes))
				store_known(n, o, place, bytes, &v);
		}
	if (o->cell_count && value_is_fixed(at) && !is_inside(o, at->c0, bytes))
		return;
	value_flatten(&v, n->extent);
	if (bytes != 8 && bytes != 4)
		v = value_mix(&v, &v);
	put(n, heap(n, o), &v,
	    bytes == 8	 ? CELL_EIGHT
	    : bytes == 4 ? CELL_FOUR
			 : CELL_PART);
}

void contents_init(struct analysis *n, uint32_t object, int64_t offset,
		   uint32_t bytes, struct value v)
{
	const struct object *o = &n->objects[object];

	if (!o->has_cells || !is_inside(o, offset, bytes))
		return;
	if (o->cell_count)
		store_known(n, o, offset, bytes, &v);
	put(n, heap(n, o), &v, bytes == 8 ? CELL_EIGHT : CELL_PART);
}

void contents_fill(struct analysis *n, uint32_t object, struct value v)
{
	const struct object *o = &n->objects[object];

	if (!o->has_cells)
		return;
	/* Where an initialiser put an address stands nothing else. */
	for (uint32_t i = 0; i < o->cell_count; i++)
		if (!n->cells[o->cell_first + i].form)
			put(n, &n->cells[o->cell_first + i], &v, 0);
	put(n, heap(n, o), &v, 0);
}

/* One cell, read as bytes of that form. */
static void take(struct analysis *n, struct value *v, const struct cell *c,
		 uint8_t form)
{
	struct value part = c->v;

	if (c->form & ~form)
		part = value_mix(&part, &part);
	value_join(v, &part, n->extent);
}

static struct value load_known(struct analysis *n, const struct object *o,
			       int64_t at, uint32_t bytes)
{
	struct value v = {0};
	const struct cell *c = &n->cells[o->cell_first + at / 4];

	if (at % 4 == 0 && bytes == 4) {
		take(n, &v, c, CELL_FOUR);
		take(n, &v, anywhere(n, o), CELL_FOUR);
		return v;
	}
	if (at % 4 == 0 && bytes == 8) {
		take(n, &v, &c[0], CELL_EIGHT);
		/* A whole address has its upper half behind it. */
		if (c[1].form != CELL_UPPER)
			take(n, &v, &c[1], 0);
		if (!c[0].form || !c[1].form)
			v = value_mix(&v, &v);
		take(n, &v, anywhere(n, o), CELL_EIGHT);
		return v;
	}
	for (int64_t i = at / 4; i <= (at + bytes - 1) / 4; i++)
		take(n, &v, &n->cells[o->cell_first + i], 0);
	take(n, &v, anywhere(n, o), 0);
	return value_mix(&v, &v);
}

/* Eight aligned bytes anywhere: of every place that the offset can take. */
static struct value load_eight(struct analysis *n, const struct object *o,
			       const struct value *at)
{
	int64_t step = at->shape == SHAPE_AFFINE ? at->step : 0, from = 0;
	struct value v = {0};

	for (uint32_t i = 0; at->shape == SHAPE_AFFINE && i < at->term_count;
	     i++)
		step = value_gcd(step, at->coef[i]);
	if (step < 8 || step % 8)
		step = 8;
	else
		from = at->c0 % step + (at->c0 % step < 0 ? step : 0);
	for (; from + 8 <= (int64_t)o->cell_count * 4; from += step) {
		struct value one = load_known(n, o, from, 8);

		value_join(&v, &one, n->extent);
		n->cell_visits++;
	}
	return v;
}

static struct value load_any(struct analysis *n, uint32_t object,
			     const struct value *at, uint32_t bytes)
{
	const struct object *o = &n->objects[object];
	struct value v = {0}, one;
	int64_t first, step, count;

	if (!o->has_cells)
		return value_data();
	if (o->cell_count && n->cell_visits < CELL_VISITS_MAX &&
	    few_places(n, o, at, bytes, &first, &step, &count)) {
		for (int64_t i = 0; i < count; i++) {
			if (!is_inside(o, first + step * i, bytes))
				continue;
			one = load_known(n, o, first + step * i, bytes);
			value_join(&v, &one, n->extent);
			n->cell_visits++;
		}
		if (count > 1)
			value_flatten(&v, n->extent);
		return v;
	}
	if (bytes == 8 && o->align >= 8 && o->cell_count &&
	    n->cell_visits < CELL_VISITS_MAX) {
		v = load_eight(n, o, at);
	} else {
		take(n, &v, heap(n, o),
		     bytes == 8 && o->align >= 8   ? CELL_EIGHT
		     : bytes == 4 && o->align >= 4 ? CELL_FOUR
						   : 0);
		if (bytes != 8 && bytes != 4)
			v = value_mix(&v, &v);
	}
	value_flatten(&v, n->extent);
	return v;
}

struct value contents_load(struct analysis *n, uint32_t object,
			   const struct value *at, uint32_t bytes)
{
	struct value v = load_any(n, object, at, bytes);

	if (v.kinds)
		return v;
	n->saw_unset = true;
	return n->is_settled ? value_unset() : v;
}

void contents_copy(struct analysis *n, uint32_t from, uint32_t to)
{
	const struct object *a = &n->objects[from], *b = &n->objects[to];

	if (!a->has_cells || !b->has_cells)
		return;
	for (uint32_t i = 0; i < a->cell_count && i < b->cell_count; i++) {
		const struct cell *c = &n->cells[a->cell_first + i];

		put(n, &n->cells[b->cell_first + i], &c->v, c->form);
	}
	put(n, anywhere(n, b), &anywhere(n, a)->v, anywhere(n, a)->form);
	put(n, heap(n, b), &heap(n, a)->v, heap(n, a)->form);
	/* One of them is a heap: places are lost. */
	if (a->cell_count < b->cell_count)
		put_part(n, anywhere(n, b), &heap(n, a)->v, CELL_PART);
}
