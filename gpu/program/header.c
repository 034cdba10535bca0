/*
 * The totals are never on the wire: they are summed again by whoever reads a
 * header, so they cannot disagree with the rows.
 */
#include "gpu/program/header.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/coin.h"
#include "base/merkle.h"
#include "gpu/program/priv/walk.h"
#include "gpu/program/walk.h"

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Threads of the largest CTA and dynamic shared bytes, over all runs. */
static enum err launch_shape(const struct program *p, uint32_t step_index,
			     uint32_t *ret_threads, uint32_t *ret_shared)
{
	struct program_runs r = program_runs_make(p, step_index);
	uint64_t runs = r.fixed ? 1 : r.count;

	*ret_threads = 0;
	*ret_shared = 0;
	for (uint64_t run = 0; run < runs; run++) {
		struct program_launch l;
		enum err err = program_runs_at(&r, run, &l);

		if (err)
			return err;
		*ret_threads = max_u32(*ret_threads,
				       l.block[0] * l.block[1] * l.block[2]);
		*ret_shared = max_u32(*ret_shared, l.shared_bytes);
	}
	return ERR_OK;
}

static enum err add_launch(const struct program *p, uint32_t step_index,
			   struct program_header *h,
			   struct program_header_row *row)
{
	const struct program_step *s = &p->steps[step_index];
	const struct program_part *part = &p->parts[s->part_index];
	struct program_needs *n = &h->needs;
	uint32_t threads;
	uint32_t shared;
	enum err err = launch_shape(p, step_index, &threads, &shared);

	if (err)
		return err;
	row->warps = program_warps(p, step_index, threads);
	if (part->class > h->class)
		h->class = part->class;
	if (part->independence > h->independence)
		h->independence = part->independence;
	n->sm = max_u32(n->sm, part->needs.sm);
	n->shared_bytes =
		max_u32(n->shared_bytes, part->needs.shared_bytes + shared);
	n->threads = max_u32(n->threads, threads);
	n->local_bytes = max_u32(n->local_bytes, part->needs.local_bytes);
	return program_step_ctas(p, step_index, &row->ctas);
}

static enum err make_row(const struct program *p, uint32_t step_index,
			 struct program_header *h,
			 struct program_header_row *row)
{
	enum err err = ERR_OK;
	uint64_t bytes;
	uint64_t chunks;

	row->runs = program_step_runs(p, step_index);
	if (row->runs == 0)
		return ERR_OK;
	if (p->steps[step_index].kind == PROGRAM_STEP_LAUNCH)
		err = add_launch(p, step_index, h, row);
	program_step_written(p, step_index, &bytes, &chunks);
	if (!err && (!u64_mul(bytes, row->runs, &row->write_bytes) ||
		     !u64_mul(chunks, row->runs, &row->write_chunks)))
		err = ERR_OVERFLOW;
	return err;
}

enum err program_header_make(struct arena *a, const struct program *p,
			     struct program_header *ret_header)
{
	struct program_header h = {.needs.sm = 75, .row_count = p->step_count};
	uint32_t objects = program_object_count(p);
	enum err err = ERR_OK;

	h.rows = ARENA_ARRAY(a, p->step_count, struct program_header_row);
	if (!h.rows)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < objects; i++)
		h.needs.memory_bytes += program_object_bytes(p, i);
	for (uint32_t i = 0; i < p->buffer_count; i++) {
		const struct program_buffer *b = &p->buffers[i];

		if (b->init == PROGRAM_INIT_INPUT)
			h.totals.input_bytes += b->bytes;
		if (b->save)
			h.totals.output_bytes += b->bytes;
	}
	for (uint32_t i = 0; i < p->step_count && !err; i++)
		err = make_row(p, i, &h, &h.rows[i]);
	if (!err)
		err = program_header_total(&h);
	if (!err)
		*ret_header = h;
	return err;
}

enum err program_header_total(struct program_header *h)
{
	struct program_totals t = {.input_bytes = h->totals.input_bytes,
				   .output_bytes = h->totals.output_bytes};

	for (uint32_t i = 0; i < h->row_count; i++) {
		const struct program_header_row *r = &h->rows[i];
		uint64_t ops;

		if (!u64_mul(r->ctas, r->mean_ops, &ops) ||
		    !u64_add(t.ops_per_task, ops, &t.ops_per_task) ||
		    !u64_add(t.launches, r->runs, &t.launches) ||
		    !u64_add(t.ctas, r->ctas, &t.ctas) ||
		    !u64_add(t.write_bytes, r->write_bytes, &t.write_bytes))
			return ERR_OVERFLOW;
		t.cta_ops = max_u64(t.cta_ops, r->cta_ops);
		t.cta_open = max_u64(t.cta_open, r->cta_open);
	}
	if (t.ops_per_task > TASK_OPS_MAX)
		return ERR_OVERFLOW;
	h->totals = t;
	return ERR_OK;
}

/* Of a drawn sample in this step; where runs differ, of the mean run. */
static uint64_t row_sample_ops(const struct program *p, uint32_t step_index,
			       const struct program_header_row *r)
{
	const struct program_step *s = &p->steps[step_index];

	if (s->kind == PROGRAM_STEP_LAUNCH && r->runs > 0 &&
	    p->parts[s->part_index].class == PROGRAM_CLASS_R)
		return r->ctas * r->mean_ops / r->runs + 1;
	return r->warps ? r->mean_ops / r->warps + 1 : r->mean_ops;
}

uint64_t program_sample_ops(const struct program *p,
			    const struct program_header *h)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < h->row_count; i++) {
		const struct program_header_row *r = &h->rows[i];
		uint64_t ops = row_sample_ops(p, i, r);
		uint64_t part;

		if (h->totals.ops_per_task == 0 ||
		    !u64_muldiv_up(r->ctas * r->mean_ops, ops,
				   h->totals.ops_per_task, &part) ||
		    !u64_add(sum, part, &sum))
			return h->totals.ops_per_task;
	}
	return sum;
}

static bool needs_eq(const struct program_needs *a,
		     const struct program_needs *b)
{
	return a->sm == b->sm && a->shared_bytes == b->shared_bytes &&
	       a->threads == b->threads && a->local_bytes == b->local_bytes &&
	       a->memory_bytes == b->memory_bytes;
}

static bool row_fits(const struct program_header_row *want,
		     const struct program_header_row *r)
{
	return want->runs == r->runs && want->ctas == r->ctas &&
	       want->warps == r->warps && want->write_bytes == r->write_bytes &&
	       want->write_chunks == r->write_chunks &&
	       (r->ctas > 0 ||
		(r->mean_ops == 0 && r->cta_ops == 0 && r->cta_open == 0)) &&
	       r->mean_ops <= r->cta_ops;
}

static bool totals_eq(const struct program_totals *a,
		      const struct program_totals *b)
{
	return a->launches == b->launches && a->ctas == b->ctas &&
	       a->ops_per_task == b->ops_per_task && a->cta_ops == b->cta_ops &&
	       a->cta_open == b->cta_open && a->write_bytes == b->write_bytes &&
	       a->input_bytes == b->input_bytes &&
	       a->output_bytes == b->output_bytes;
}

enum err program_header_fits(struct arena *scratch, const struct program *p,
			     const struct program_header *h)
{
	struct program_header want;
	struct program_header sums = *h;
	enum err err = program_header_make(scratch, p, &want);

	if (err)
		return err;
	if (want.row_count != h->row_count || want.class != h->class ||
	    want.independence != h->independence ||
	    !needs_eq(&want.needs, &h->needs))
		return ERR_REFUSED;
	for (uint32_t i = 0; i < h->row_count; i++)
		if (!row_fits(&want.rows[i], &h->rows[i]))
			return ERR_REFUSED;
	sums.totals.input_bytes = want.totals.input_bytes;
	sums.totals.output_bytes = want.totals.output_bytes;
	err = program_header_total(&sums);
	if (err)
		return err;
	return totals_eq(&sums.totals, &h->totals) ? ERR_OK : ERR_REFUSED;
}

void program_header_row_encode(struct buf *out,
			       const struct program_header_row *row)
{
	enc_array(out, 8);
	enc_uint(out, row->runs);
	enc_uint(out, row->ctas);
	enc_uint(out, row->warps);
	enc_uint(out, row->mean_ops);
	enc_uint(out, row->cta_ops);
	enc_uint(out, row->cta_open);
	enc_uint(out, row->write_bytes);
	enc_uint(out, row->write_chunks);
}

static struct program_header_row dec_row(struct dec *d)
{
	struct program_header_row r = {0};

	dec_array_exact(d, 8);
	r.runs = dec_uint(d, PROGRAM_LAUNCHES_MAX);
	r.ctas = dec_uint(d, PROGRAM_CTAS_MAX);
	r.warps = dec_uint(d, CTA_THREADS_MAX / 32);
	r.mean_ops = dec_uint(d, TASK_OPS_MAX);
	r.cta_ops = dec_uint(d, TASK_OPS_MAX);
	r.cta_open = dec_uint(d, UINT64_MAX);
	r.write_bytes = dec_uint(d, UINT64_MAX);
	r.write_chunks = dec_uint(d, UINT64_MAX);
	return r;
}

enum err program_header_row_decode(struct bytes in,
				   struct program_header_row *ret_row)
{
	struct dec d = dec_make(in);
	struct program_header_row r = dec_row(&d);

	if (dec_end(&d))
		return dec_end(&d);
	*ret_row = r;
	return ERR_OK;
}

void program_header_encode(struct buf *out, const struct program_header *h)
{
	enc_array(out, 7);
	enc_uint(out, PROGRAM_HEADER_VERSION);
	enc_uint(out, h->class);
	enc_uint(out, h->independence);
	enc_array(out, 5);
	enc_uint(out, h->needs.sm);
	enc_uint(out, h->needs.shared_bytes);
	enc_uint(out, h->needs.threads);
	enc_uint(out, h->needs.local_bytes);
	enc_uint(out, h->needs.memory_bytes);
	enc_uint(out, h->totals.input_bytes);
	enc_uint(out, h->totals.output_bytes);
	enc_array(out, h->row_count);
	for (uint32_t i = 0; i < h->row_count; i++)
		program_header_row_encode(out, &h->rows[i]);
}

static void dec_head(struct dec *d, struct program_header *h)
{
	dec_array_exact(d, 7);
	if (dec_uint(d, UINT32_MAX) != PROGRAM_HEADER_VERSION)
		dec_fail(d, ERR_MALFORMED);
	h->class = (enum program_class)dec_uint(d, PROGRAM_CLASS_X);
	h->independence =
		(enum program_independence)dec_uint(d, PROGRAM_ASSUMED);
	dec_array_exact(d, 5);
	h->needs.sm = (uint32_t)dec_uint(d, UINT32_MAX);
	h->needs.shared_bytes = (uint32_t)dec_uint(d, UINT32_MAX);
	h->needs.threads = (uint32_t)dec_uint(d, UINT32_MAX);
	h->needs.local_bytes = (uint32_t)dec_uint(d, UINT32_MAX);
	h->needs.memory_bytes = dec_uint(d, UINT64_MAX);
	h->totals.input_bytes = dec_uint(d, UINT64_MAX);
	h->totals.output_bytes = dec_uint(d, UINT64_MAX);
}

enum err program_header_decode(struct arena *a, struct bytes in,
			       struct program_header *ret_header)
{
	struct dec d = dec_make(in);
	struct program_header h = {0};
	enum err err;

	if (in.n > PROGRAM_HEADER_BYTES_MAX)
		return ERR_LIMIT;
	dec_head(&d, &h);
	h.row_count = dec_array(&d, PROGRAM_STEPS_MAX);
	if (d.err)
		return d.err;
	h.rows = ARENA_ARRAY(a, h.row_count + 1, struct program_header_row);
	if (!h.rows)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < h.row_count; i++)
		h.rows[i] = dec_row(&d);
	if (dec_end(&d))
		return dec_end(&d);
	err = program_header_total(&h);
	if (!err)
		*ret_header = h;
	return err;
}

enum err program_header_root(struct arena *scratch,
			     const struct program_header *h,
			     struct hash *ret_root)
{
	struct hash *items =
		ARENA_ARRAY(scratch, h->row_count + 1, struct hash);
	struct buf b = buf_make(256);
	enum err err;

	if (!items)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < h->row_count && !b.err; i++) {
		buf_reset(&b);
		program_header_row_encode(&b, &h->rows[i]);
		items[i] = merkle_item(b.p, b.n);
	}
	err = b.err;
	buf_free(&b);
	if (!err)
		*ret_root = merkle_list_root(items, h->row_count);
	return err;
}
