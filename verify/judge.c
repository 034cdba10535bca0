/*
 * From a case's evidence to a verdict: the parts against their root, the
 * opening against the lease, the sample against the draw, then the referee if
 * a CTA has to run.
 *
 * The words of an opening that only its maker could have said - which CTA
 * wrote a byte - accuse its maker only with its signature, or when the
 * provider itself sends the evidence.
 */
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/merkle.h"
#include "gpu/program/header.h"
#include "gpu/program/judge.h"
#include "gpu/program/walk.h"
#include "market/job.h"
#include "verify/draw.h"
#include "verify/priv/flow.h"

static enum err parts_join(struct ledger *l, const struct verify_case *c,
			   struct bytes *ret_evidence)
{
	uint8_t *p =
		ARENA_ARRAY(l->scratch, (size_t)c->evidence_bytes, uint8_t);
	size_t at = 0;

	if (!p)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < c->part_count; i++) {
		struct bytes part;
		enum err err = verify_part_get(l, &c->id, i, &part);

		if (err)
			return err;
		if (part.n > c->evidence_bytes - at)
			return ERR_STORE;
		memcpy(p + at, part.p, part.n);
		at += part.n;
	}
	*ret_evidence = bytes_of(p, at);
	return ERR_OK;
}

/* Is the opening's sample the draw_index-th of the seed? */
static bool is_drawn(struct ledger *l, const struct verify_evidence *e,
		     const struct market_lease *x, const struct hash *seed,
		     const struct program *p,
		     const struct program_sample *sample)
{
	struct verify_draw d = verify_draw_of(l->params, x, seed);
	struct program_header h;
	struct program_sample s;
	struct hash root;

	if (!e->has_draw || e->draw_index >= x->sample_count || x->done == 0)
		return false;
	if (program_header_decode(l->scratch, e->header, &h) ||
	    program_header_root(l->scratch, &h, &root) ||
	    !hash_eq(&root, &x->header_root))
		return false;
	return verify_draw_sample(&d, p, &h, e->draw_index, &s) == ERR_OK &&
	       program_sample_eq(&s, sample);
}

static enum err ask_referee(struct ledger *l, const struct market_lease *x,
			    const struct program_judge_request *r,
			    struct program_judge_answer *ret_answer)
{
	struct buf b = buf_make(EVIDENCE_BYTES_MAX + 4096);
	struct bytes verdict;
	enum err err;

	program_judge_request_encode(&b, r);
	err = b.err;
	if (!err)
		err = ledger_referee_run(l, x->referee_version, buf_bytes(&b),
					 &verdict);
	buf_free(&b);
	if (err == ERR_UNSUPPORTED || err == ERR_LIMIT)
		return ERR_REFEREE;
	if (err)
		return err;
	/* a referee that does not speak its protocol has failed */
	return program_judge_answer_decode(verdict, ret_answer) ? ERR_REFEREE
								: ERR_OK;
}

/* Does a finding or a verdict about a chunk rest on the opening's words? */
static bool needs_signature(const struct program_opening *o)
{
	return o->sample.kind == PROGRAM_SAMPLE_CHUNK && o->part.n > 0;
}

static bool is_signed(const struct verify_evidence *e,
		      const struct market_lease *x)
{
	struct hash digest = program_opening_digest(&x->id, e->opening);

	return e->has_sig &&
	       sig_verify(&x->provider, hash_bytes(&digest), &e->sig) == ERR_OK;
}

/* One evidence on its way through. */
struct judging {
	struct ledger *l;
	const struct verify_case *c;
	const struct market_lease *x;
	const struct hash *seed;
	const struct pubkey *witness_of;
	struct verify_evidence e;
	struct program_opening o;
	struct program_claim claim;
	struct verify_ruling r;
};

static enum err run_referee(struct judging *j)
{
	struct program_judge_request q =
		verify_request(j->x, j->claim.task_count, j->seed,
			       j->witness_of, j->c->place, j->e.opening);
	enum err err = ask_referee(j->l, j->x, &q, &j->r.answer);

	if (!err)
		j->r.verdict = j->r.answer.verdict;
	return err;
}

/*
 * A buyer can ask for what no draw would give, and nobody can open: an
 * authentic opening of the same step shows it, of any step if there is none
 * of that number.
 */
static enum err find_no_such(struct judging *j, const struct program *p)
{
	struct verify_demand d;
	const struct program_sample *s;
	enum err err;

	if (j->c->kind != VERIFY_CASE_ANSWER)
		return ERR_OK;
	err = verify_demand_get(j->l, &j->c->lease, &d);
	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	if (d.by_auditor || j->c->place >= d.count)
		return ERR_OK;
	s = &d.samples[j->c->place];
	j->r.no_such = (s->step_number == j->o.sample.step_number ||
			s->step_number < 1 ||
			s->step_number > program_launch_count(p)) &&
		       !program_sample_exists(p, s);
	return ERR_OK;
}

static enum err judge_opening(struct judging *j)
{
	struct program_run run;
	enum program_finding finding;
	enum err err = program_opening_check(j->l->scratch, &j->claim, &j->o,
					     j->seed, &finding, &run);

	if (err)
		return err;
	j->r.verdict = program_finding_verdict(finding);
	if (finding == PROGRAM_NO_PROOF)
		return ERR_OK;
	j->r.has_sample = true;
	j->r.sample = j->o.sample;
	j->r.prior_root = j->o.memory_roots[1];
	j->r.draw_index = j->e.draw_index;
	j->r.seed_drawn = is_drawn(j->l, &j->e, j->x, j->seed, &run.program,
				   &j->o.sample);
	err = find_no_such(j, &run.program);
	if (err)
		return err;
	/* a pair is no sample, and a conflict is nothing else */
	if (run.pair != (j->c->kind == VERIFY_CASE_CONFLICT)) {
		j->r.verdict = PROGRAM_VERDICT_INCOMPLETE;
		return ERR_OK;
	}
	j->r.cta = run.cta;
	if (finding == PROGRAM_FINE && run.needed)
		err = run_referee(j);
	else if (!err && finding == PROGRAM_FINE && j->witness_of) {
		struct hash ws = verify_witness_seed(
			j->seed, &j->x->id, j->witness_of, j->c->place);

		j->r.answer.witness = program_still_witness(&ws, &j->o);
	}
	if (err)
		return err;
	if (j->r.verdict == PROGRAM_VERDICT_FRAUD &&
	    j->c->kind == VERIFY_CASE_DISPUTE && needs_signature(&j->o) &&
	    finding != PROGRAM_BAD_WRITE && !is_signed(&j->e, j->x))
		j->r.verdict = PROGRAM_VERDICT_INCOMPLETE;
	j->r.assumed = finding == PROGRAM_FINE && run.needed && !run.whole &&
		       run.program.parts[run.launch.part_index].independence ==
			       PROGRAM_ASSUMED;
	return ERR_OK;
}

enum err verify_judge(struct ledger *l, const struct verify_case *c,
		      const struct market_lease *lease, const struct hash *seed,
		      const struct pubkey *witness_of,
		      struct verify_ruling *ret_ruling)
{
	struct judging j = {.l = l,
			    .c = c,
			    .x = lease,
			    .seed = seed,
			    .witness_of = witness_of,
			    .r.verdict = PROGRAM_VERDICT_INCOMPLETE};
	struct market_job job;
	struct bytes in;
	struct hash root;
	enum err err = parts_join(l, c, &in);

	if (!err)
		err = market_job_get(l, &lease->job, &job);
	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	j.claim = verify_claim_of(lease, job.terms.task_count);
	root = merkle_bytes_root(in);
	if (hash_eq(&root, &c->evidence_root) &&
	    verify_evidence_decode(in, &j.e) == ERR_OK) {
		err = program_opening_decode(l->scratch, j.e.opening, &j.o);
		if (err == ERR_OK)
			err = judge_opening(&j);
		else if (err != ERR_NO_MEMORY)
			err = ERR_OK; /* no opening: proves nothing */
	}
	if (err)
		return err;
	j.r.witness_proof = j.e.witness_proof;
	*ret_ruling = j.r;
	return ERR_OK;
}
