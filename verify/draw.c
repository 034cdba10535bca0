/*
 * A choice below w from a uniform word is mulhi(word, w): no loop, a bias
 * below w / 2^64.  Weighted choices walk the rows' running sums.
 */
#include "verify/draw.h"

#include "base/coin.h"
#include "base/merkle.h"
#include "gpu/program/walk.h"
#include "ledger/params.h"
#include "market/lease.h"
#include "market/price.h"

struct verify_draw verify_draw_of(const struct ledger_params *params,
				  const struct market_lease *lease,
				  const struct hash *seed)
{
	return (struct verify_draw){
		.seed = *seed,
		.lease = lease->id,
		.result_root = lease->result_root,
		.first_task = lease->first,
		.done_count = lease->done,
		.chunk_every = (uint32_t)params->chunk_sample_every,
	};
}

uint32_t verify_sample_count(const struct ledger_params *params UNUSED,
			     const struct market_lease *lease)
{
	return lease->sample_count;
}

bool verify_is_audited(const struct hash *seed, const struct hash *lease,
		       uint64_t audit_p)
{
	struct sha256 s;
	struct hash h;

	sha256_init(&s);
	sha256_put(&s, seed->b, HASH_BYTES);
	sha256_put(&s, lease->b, HASH_BYTES);
	h = sha256_end(&s);
	return u64_mulhi(u64_be(h.b), MARKET_CERTAIN) < audit_p;
}

uint64_t verify_draw_word(const struct verify_draw *d, uint32_t sample_index,
			  uint32_t word_index)
{
	struct sha256 s;
	struct hash h;

	sha256_init_tag(&s, "weft/draw");
	sha256_put(&s, d->seed.b, HASH_BYTES);
	sha256_put(&s, d->lease.b, HASH_BYTES);
	sha256_put(&s, d->result_root.b, HASH_BYTES);
	sha256_put_u32_be(&s, sample_index);
	sha256_put_u32_be(&s, word_index / 4);
	h = sha256_end(&s);
	return u64_be(h.b + 8 * (size_t)(word_index % 4));
}

/* What a row weighs: work for CTA samples, bytes written for chunks. */
static uint64_t row_weight(const struct program_header_row *r, bool chunk)
{
	return chunk ? r->write_bytes : r->ctas * r->mean_ops;
}

static bool choose_row(const struct program_header *h, bool chunk,
		       uint64_t word, uint32_t *ret_row)
{
	uint64_t total = chunk ? h->totals.write_bytes : h->totals.ops_per_task;
	uint64_t at = u64_mulhi(word, total);

	for (uint32_t i = 0; i < h->row_count && total > 0; i++) {
		uint64_t w = row_weight(&h->rows[i], chunk);

		if (at < w) {
			*ret_row = i;
			return true;
		}
		at -= w;
	}
	return false;
}

static enum err draw_cta(const struct program *p,
			 const struct program_header_row *r, uint32_t row,
			 uint64_t word, struct program_sample *s)
{
	const struct program_step *step = &p->steps[row];
	uint64_t warps = r->warps ? r->warps : 1;
	uint64_t at;
	enum err err;

	/* a row is its buyer's word until somebody has held it to the program
	 */
	if (step->kind != PROGRAM_STEP_LAUNCH || !u64_mul(r->ctas, warps, &at))
		return ERR_REFUSED;
	at = u64_mulhi(word, at);
	if (r->warps)
		s->warp = (uint32_t)(at % warps);
	err = program_cta_place(p, row, at / warps, &s->step_number,
				&s->number);
	if (err || p->parts[step->part_index].class != PROGRAM_CLASS_R)
		return err;
	/* the launch that the CTA is of, so that launches weigh by theirs */
	s->kind = PROGRAM_SAMPLE_LAUNCH;
	s->number = 0;
	s->warp = PROGRAM_WARP_ALL;
	return ERR_OK;
}

static enum err draw_chunk(const struct program *p,
			   const struct program_header_row *r, uint32_t row,
			   uint64_t word, struct program_sample *s)
{
	uint64_t each = r->runs ? r->write_chunks / r->runs : 0;
	uint64_t at = u64_mulhi(word, r->write_chunks);

	if (each == 0)
		return ERR_REFUSED;
	s->kind = PROGRAM_SAMPLE_CHUNK;
	s->number = at % each;
	return program_run_number(p, row, at / each, &s->step_number);
}

enum err verify_draw_sample(const struct verify_draw *d,
			    const struct program *program,
			    const struct program_header *header,
			    uint32_t sample_index,
			    struct program_sample *ret_sample)
{
	struct program_sample s = {.warp = PROGRAM_WARP_ALL};
	uint32_t every = d->chunk_every;
	bool chunk = every && sample_index % every == every - 1;
	uint32_t row;
	enum err err;

	if (header->row_count != program->step_count)
		return ERR_REFUSED;
	if (header->totals.write_bytes == 0)
		chunk = false;
	else if (header->totals.ops_per_task == 0)
		chunk = true;
	s.task_index =
		d->first_task +
		u64_mulhi(verify_draw_word(d, sample_index, 0), d->done_count);
	if (!choose_row(header, chunk, verify_draw_word(d, sample_index, 1),
			&row) ||
	    program->steps[row].kind == PROGRAM_STEP_REPEAT)
		return ERR_REFUSED;
	if (chunk)
		err = draw_chunk(program, &header->rows[row], row,
				 verify_draw_word(d, sample_index, 2), &s);
	else
		err = draw_cta(program, &header->rows[row], row,
			       verify_draw_word(d, sample_index, 2), &s);
	if (err)
		return ERR_REFUSED;
	*ret_sample = s;
	return ERR_OK;
}

/* Fixed point with 60 bits behind the point; rounded up at each factor, so
 * that the promise errs on the careful side. */
uint32_t verify_catch_ppm(uint32_t fraction_ppm, uint32_t sample_count,
			  uint64_t audit_p)
{
	const uint64_t one = (uint64_t)1 << 60;
	uint64_t miss = one;
	uint64_t caught;

	if (fraction_ppm > 1000000)
		fraction_ppm = 1000000;
	for (uint32_t i = 0; i < sample_count && miss > 0; i++)
		if (!u64_muldiv_up(miss, 1000000 - fraction_ppm, 1000000,
				   &miss))
			return 0;
	if (!u64_muldiv(one - miss, audit_p, MARKET_CERTAIN, &caught) ||
	    !u64_muldiv(caught, 1000000, one, &caught))
		return 0;
	return (uint32_t)caught;
}

struct program_claim verify_claim_of(const struct market_lease *lease,
				     uint64_t task_count)
{
	return (struct program_claim){
		.lease = lease->id,
		.provider = lease->provider,
		.program_id = lease->program_id,
		.tasks_root = lease->tasks_root,
		.task_count = task_count,
		.first_task = lease->first,
		.done_count = lease->done,
		.result_root = lease->result_root,
	};
}

struct hash verify_witness_seed(const struct hash *seed,
				const struct hash *lease,
				const struct pubkey *auditor,
				uint32_t sample_index)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/witness");
	sha256_put(&s, seed->b, HASH_BYTES);
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, auditor->b, sizeof(auditor->b));
	sha256_put_u32_be(&s, sample_index);
	return sha256_end(&s);
}

struct hash verify_witness_root(const struct hash *lease,
				const struct pubkey *auditor,
				const struct hash *list_root)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/witness-root");
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, auditor->b, sizeof(auditor->b));
	sha256_put(&s, list_root->b, HASH_BYTES);
	return sha256_end(&s);
}

struct hash verify_witness_leaf(const struct hash *witness)
{
	return merkle_item(witness->b, HASH_BYTES);
}
