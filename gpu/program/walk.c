/*
 * A repeat stands before its body in the flat array, so the executions of a
 * span of steps are a sum of products, and the place of any execution is
 * found by subtracting whole spans.
 */
#include "gpu/program/walk.h"

#include <string.h>

#include "base/must.h"
#include "gpu/program/priv/walk.h"

/* Executions of steps [first, end); a checked program keeps it small. */
static uint64_t span(const struct program *p, uint32_t first, uint32_t end)
{
	uint32_t until[PROGRAM_REPEAT_DEPTH + 1] = {end};
	uint64_t times[PROGRAM_REPEAT_DEPTH + 1] = {1};
	uint32_t depth = 0;
	uint64_t n = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct program_step *s = &p->steps[i];

		while (i == until[depth])
			depth--;
		if (s->kind != PROGRAM_STEP_REPEAT) {
			n += times[depth];
			continue;
		}
		must(depth < PROGRAM_REPEAT_DEPTH);
		depth++;
		until[depth] = i + 1 + s->body_count;
		times[depth] = times[depth - 1] * s->count;
	}
	return n;
}

uint64_t program_launch_count(const struct program *p)
{
	return span(p, 0, p->step_count);
}

uint64_t program_step_runs(const struct program *p, uint32_t step_index)
{
	uint64_t runs = 1;

	if (p->steps[step_index].kind == PROGRAM_STEP_REPEAT)
		return 0;
	for (uint32_t i = 0; i < step_index; i++) {
		const struct program_step *s = &p->steps[i];

		if (s->kind == PROGRAM_STEP_REPEAT &&
		    step_index <= i + s->body_count)
			runs *= s->count;
	}
	return runs;
}

/* A value in [min, max], or ERR_REFUSED. */
static enum err eval_in(const struct program_expr *e,
			const struct program_env *env, int64_t min, int64_t max,
			uint64_t *ret)
{
	int64_t v = 0;
	enum err err = program_expr_eval(e, env, &v);

	if (err)
		return err;
	if (v < min || v > max)
		return ERR_REFUSED;
	*ret = (uint64_t)v;
	return ERR_OK;
}

static enum err eval_launch(const struct program_step *s,
			    struct program_launch *l)
{
	static const int64_t grid_max[3] = {INT32_MAX, 65535, 65535};
	static const int64_t block_max[3] = {1024, 1024, 64};
	uint64_t threads = 1;
	uint64_t v = 0;
	enum err err;

	l->part_index = s->part_index;
	l->cta_count = 1;
	for (int i = 0; i < 3; i++) {
		err = eval_in(&s->grid[i], &l->env, 1, grid_max[i], &v);
		if (err)
			return err;
		l->grid[i] = (uint32_t)v;
		if (v > PROGRAM_CTAS_MAX / l->cta_count)
			return ERR_REFUSED;
		l->cta_count *= v;
		err = eval_in(&s->block[i], &l->env, 1, block_max[i], &v);
		if (err)
			return err;
		l->block[i] = (uint32_t)v;
		threads *= v;
	}
	if (threads > CTA_THREADS_MAX)
		return ERR_REFUSED;
	err = eval_in(&s->shared_bytes, &l->env, 0, CTA_SHARED_BYTES_MAX, &v);
	l->shared_bytes = (uint32_t)v;
	return err;
}

/* [offset, offset + bytes) within buffer index. */
static enum err eval_range(const struct program *p, uint32_t index,
			   const struct program_expr *offset,
			   const struct program_env *env, uint64_t bytes,
			   uint64_t *ret_offset)
{
	uint64_t size = p->buffers[index].bytes;

	if (bytes > size)
		return ERR_REFUSED;
	return eval_in(offset, env, 0, (int64_t)(size - bytes), ret_offset);
}

static enum err eval_copy(const struct program *p, const struct program_step *s,
			  struct program_launch *l)
{
	enum err err = eval_in(&s->bytes, &l->env, 1, INT64_MAX, &l->bytes);

	l->from_index = s->from_index;
	l->to_index = s->to_index;
	if (!err)
		err = eval_range(p, s->from_index, &s->from_offset, &l->env,
				 l->bytes, &l->from_offset);
	if (!err)
		err = eval_range(p, s->to_index, &s->to_offset, &l->env,
				 l->bytes, &l->to_offset);
	if (!err && l->from_index == l->to_index &&
	    l->from_offset < l->to_offset + l->bytes &&
	    l->to_offset < l->from_offset + l->bytes)
		err = ERR_REFUSED;
	return err;
}

static enum err eval_fill(const struct program *p, const struct program_step *s,
			  struct program_launch *l)
{
	uint64_t v = 0;
	enum err err = eval_in(&s->bytes, &l->env, 1, INT64_MAX, &l->bytes);

	l->to_index = s->to_index;
	if (!err)
		err = eval_range(p, s->to_index, &s->to_offset, &l->env,
				 l->bytes, &l->to_offset);
	if (!err)
		err = eval_in(&s->with, &l->env, 0, UINT8_MAX, &v);
	l->with = (uint8_t)v;
	return err;
}

/* env and number of *l are set. */
static enum err eval_step(const struct program *p, uint32_t step_index,
			  struct program_launch *l)
{
	const struct program_step *s = &p->steps[step_index];

	l->step_index = step_index;
	l->kind = s->kind;
	switch (s->kind) {
	case PROGRAM_STEP_LAUNCH:
		return eval_launch(s, l);
	case PROGRAM_STEP_COPY:
		return eval_copy(p, s, l);
	case PROGRAM_STEP_FILL:
		return eval_fill(p, s, l);
	case PROGRAM_STEP_REPEAT:
		break;
	}
	return ERR_NOT_FOUND;
}

void program_walk_start(struct program_walk *w, const struct program *p)
{
	memset(w, 0, sizeof(*w));
	w->p = p;
}

/* Leave or turn the loops that end here, then enter those that begin. */
static bool walk_settle(struct program_walk *w)
{
	for (;;) {
		const struct program_step *s;

		if (w->depth > 0) {
			uint32_t top = w->depth - 1;

			s = &w->p->steps[w->loop[top]];
			if (w->at == w->loop[top] + 1 + s->body_count) {
				if (++w->turn[top] < s->count)
					w->at = w->loop[top] + 1;
				else
					w->depth--;
				continue;
			}
		}
		if (w->at == w->p->step_count)
			return false;
		s = &w->p->steps[w->at];
		if (s->kind != PROGRAM_STEP_REPEAT)
			return true;
		must(w->depth < PROGRAM_REPEAT_DEPTH);
		w->loop[w->depth] = w->at++;
		w->turn[w->depth++] = 0;
	}
}

enum err program_walk_next(struct program_walk *w,
			   struct program_launch *ret_launch)
{
	struct program_launch l = {0};
	enum err err;

	if (!walk_settle(w))
		return ERR_NOT_FOUND;
	l.number = ++w->number;
	l.env.repeat_count = w->depth;
	for (uint32_t i = 0; i < w->depth; i++)
		l.env.repeat[i] = (int64_t)w->turn[i];
	err = eval_step(w->p, w->at++, &l);
	if (!err)
		*ret_launch = l;
	return err;
}

enum err program_launch_at(const struct program *p, uint64_t number,
			   struct program_launch *ret_launch)
{
	struct program_launch l = {.number = number};
	uint64_t left = number - 1;
	enum err err = ERR_NOT_FOUND;

	if (number == 0)
		return ERR_NOT_FOUND;
	for (uint32_t i = 0; i < p->step_count;) {
		const struct program_step *s = &p->steps[i];
		uint64_t body;

		if (s->kind != PROGRAM_STEP_REPEAT) {
			if (left-- == 0) {
				err = eval_step(p, i, &l);
				break;
			}
			i++;
			continue;
		}
		body = span(p, i + 1, i + 1 + s->body_count);
		if (left < body * s->count) {
			l.env.repeat[l.env.repeat_count++] =
				(int64_t)(left / body);
			left %= body;
			i++;
		} else {
			left -= body * s->count;
			i += 1 + s->body_count;
		}
	}
	if (!err)
		*ret_launch = l;
	return err;
}

enum err program_run_number(const struct program *p, uint32_t step_index,
			    uint64_t run_index, uint64_t *ret_number)
{
	uint64_t before = 0;
	uint64_t runs = program_step_runs(p, step_index);

	if (run_index >= runs)
		return ERR_NOT_FOUND;
	for (uint32_t i = 0; i < step_index;) {
		const struct program_step *s = &p->steps[i];
		uint64_t body;

		if (s->kind != PROGRAM_STEP_REPEAT) {
			before++;
			i++;
			continue;
		}
		body = span(p, i + 1, i + 1 + s->body_count);
		if (step_index > i + s->body_count) {
			before += body * s->count;
			i += 1 + s->body_count;
			continue;
		}
		runs /= s->count;
		before += body * (run_index / runs);
		run_index %= runs;
		i++;
	}
	*ret_number = before + 1;
	return ERR_OK;
}

struct program_runs program_runs_make(const struct program *p,
				      uint32_t step_index)
{
	struct program_runs r = {.p = p, .step_index = step_index, .count = 1};

	for (uint32_t i = 0; i < step_index; i++) {
		const struct program_step *s = &p->steps[i];

		if (s->kind != PROGRAM_STEP_REPEAT ||
		    step_index > i + s->body_count)
			continue;
		must(r.depth < PROGRAM_REPEAT_DEPTH);
		r.loops[r.depth++] = s->count;
		r.count *= s->count;
	}
	r.fixed = program_step_fixed(p, step_index);
	return r;
}

enum err program_runs_at(const struct program_runs *r, uint64_t run_index,
			 struct program_launch *ret_launch)
{
	struct program_launch l = {.env.repeat_count = r->depth};
	enum err err;

	for (uint32_t i = r->depth; i-- > 0; run_index /= r->loops[i])
		l.env.repeat[i] = (int64_t)(run_index % r->loops[i]);
	err = eval_step(r->p, r->step_index, &l);
	if (!err)
		*ret_launch = l;
	return err;
}

enum err program_step_ctas(const struct program *p, uint32_t step_index,
			   uint64_t *ret_ctas)
{
	struct program_runs r = program_runs_make(p, step_index);
	uint64_t times = r.fixed ? r.count : 1;
	uint64_t sum = 0;

	for (uint64_t run = 0; run < r.count; run += times) {
		struct program_launch l;
		enum err err = program_runs_at(&r, run, &l);

		if (err)
			return err;
		if (l.cta_count > (PROGRAM_CTAS_MAX - sum) / times)
			return ERR_LIMIT;
		sum += l.cta_count * times;
	}
	*ret_ctas = sum;
	return ERR_OK;
}

bool program_launch_is_whole(const struct program *p,
			     const struct program_launch *l)
{
	return l->kind == PROGRAM_STEP_LAUNCH &&
	       p->parts[l->part_index].class == PROGRAM_CLASS_R;
}

uint32_t program_warps(const struct program *p, uint32_t step_index,
		       uint32_t threads)
{
	const struct program_step *s = &p->steps[step_index];
	const struct program_part *part = &p->parts[s->part_index];

	if (!part->by_warp || part->class == PROGRAM_CLASS_R || threads <= 32)
		return 0;
	for (int i = 0; i < 3; i++)
		if (program_expr_uses_repeat(&s->block[i]))
			return 0;
	return (threads + 31) / 32;
}

uint32_t program_launch_warps(const struct program *p,
			      const struct program_launch *l)
{
	if (l->kind != PROGRAM_STEP_LAUNCH)
		return 0;
	return program_warps(p, l->step_index,
			     l->block[0] * l->block[1] * l->block[2]);
}

enum err program_cta_place(const struct program *p, uint32_t step_index,
			   uint64_t cta_index, uint64_t *ret_number,
			   uint64_t *ret_cta)
{
	struct program_runs r = program_runs_make(p, step_index);

	for (uint64_t run = 0; run < r.count; run++) {
		struct program_launch l;
		enum err err = program_runs_at(&r, run, &l);

		if (err || l.cta_count == 0)
			return err ? err : ERR_NOT_FOUND;
		if (r.fixed) {
			run = cta_index / l.cta_count;
			cta_index %= l.cta_count;
		}
		if (cta_index < l.cta_count) {
			*ret_cta = cta_index;
			return program_run_number(p, step_index, run,
						  ret_number);
		}
		cta_index -= l.cta_count;
	}
	return ERR_NOT_FOUND;
}
