#include "gpu/program/judge.h"

#include "base/codec.h"

const char *program_verdict_word(enum program_verdict v)
{
	static const char *const words[] = {
#define X(word, number) [number] = #word,
		PROGRAM_VERDICT_LIST(X)
#undef X
	};

	return (unsigned)v < PROGRAM_VERDICT_COUNT ? words[v] : NULL;
}

enum program_verdict program_finding_verdict(enum program_finding f)
{
	switch (f) {
	case PROGRAM_FINE:
		return PROGRAM_VERDICT_VALID;
	case PROGRAM_NO_PROOF:
	case PROGRAM_INCOMPLETE:
		return PROGRAM_VERDICT_INCOMPLETE;
	case PROGRAM_BAD_START:
		return PROGRAM_VERDICT_BAD_START;
	case PROGRAM_BAD_END:
		return PROGRAM_VERDICT_BAD_END;
	case PROGRAM_BAD_WRITE:
	case PROGRAM_BAD_BYTES:
		return PROGRAM_VERDICT_FRAUD;
	}
	return PROGRAM_VERDICT_INCOMPLETE;
}

static void enc_claim(struct buf *b, const struct program_claim *c)
{
	enc_array(b, 8);
	enc_hash(b, &c->lease);
	enc_pubkey(b, &c->provider);
	enc_hash(b, &c->program_id);
	enc_hash(b, &c->tasks_root);
	enc_uint(b, c->task_count);
	enc_uint(b, c->first_task);
	enc_uint(b, c->done_count);
	enc_hash(b, &c->result_root);
}

static struct program_claim dec_claim(struct dec *d)
{
	struct program_claim c = {0};

	dec_array_exact(d, 8);
	c.lease = dec_hash(d);
	c.provider = dec_pubkey(d);
	c.program_id = dec_hash(d);
	c.tasks_root = dec_hash(d);
	c.task_count = dec_uint(d, JOB_TASKS_MAX);
	c.first_task = dec_uint(d, JOB_TASKS_MAX);
	c.done_count = dec_uint(d, JOB_TASKS_MAX);
	c.result_root = dec_hash(d);
	return c;
}

void program_judge_request_encode(struct buf *out,
				  const struct program_judge_request *r)
{
	enc_array(out, 10);
	enc_uint(out, PROGRAM_JUDGE_VERSION);
	enc_uint(out, r->referee_version);
	enc_claim(out, &r->claim);
	enc_hash(out, &r->seed);
	enc_uint(out, r->class);
	enc_uint(out, r->cost_max);
	enc_uint(out, r->count_max);
	enc_bool(out, r->want_witness);
	enc_hash(out, &r->witness_seed);
	enc_bin(out, r->opening);
}

enum err program_judge_request_decode(struct bytes in,
				      struct program_judge_request *ret_request)
{
	struct dec d = dec_make(in);
	struct program_judge_request r = {0};

	dec_array_exact(&d, 10);
	if (dec_uint(&d, UINT32_MAX) != PROGRAM_JUDGE_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	r.referee_version = (uint32_t)dec_uint(&d, UINT32_MAX);
	r.claim = dec_claim(&d);
	r.seed = dec_hash(&d);
	r.class = (enum program_class)dec_uint(&d, PROGRAM_CLASS_X);
	r.cost_max = dec_uint(&d, UINT64_MAX);
	r.count_max = dec_uint(&d, UINT64_MAX);
	r.want_witness = dec_bool(&d);
	r.witness_seed = dec_hash(&d);
	r.opening = dec_bin(&d, PROGRAM_OPENING_BYTES_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_request = r;
	return ERR_OK;
}

void program_judge_answer_encode(struct buf *out,
				 const struct program_judge_answer *r)
{
	enc_array(out, 8);
	enc_uint(out, PROGRAM_JUDGE_VERSION);
	enc_uint(out, r->verdict);
	enc_uint(out, r->outcome);
	enc_uint(out, r->detail);
	enc_uint(out, r->count);
	enc_uint(out, r->cost);
	enc_hash(out, &r->witness);
	enc_array(out, 4);
	enc_uint(out, r->difference.object_index);
	enc_uint(out, r->difference.offset);
	enc_uint(out, r->difference.expected);
	enc_uint(out, r->difference.found);
}

enum err program_judge_answer_decode(struct bytes in,
				     struct program_judge_answer *ret_answer)
{
	struct dec d = dec_make(in);
	struct program_judge_answer r = {0};

	dec_array_exact(&d, 8);
	if (dec_uint(&d, UINT32_MAX) != PROGRAM_JUDGE_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	r.verdict =
		(enum program_verdict)dec_uint(&d, PROGRAM_VERDICT_COUNT - 1);
	r.outcome = (enum program_outcome)dec_uint(&d, PROGRAM_OUTCOME_REFUSED);
	r.detail = (uint32_t)dec_uint(&d, UINT32_MAX);
	r.count = dec_uint(&d, UINT64_MAX);
	r.cost = dec_uint(&d, UINT64_MAX);
	r.witness = dec_hash(&d);
	dec_array_exact(&d, 4);
	r.difference.object_index = (uint32_t)dec_uint(&d, UINT32_MAX);
	r.difference.offset = dec_uint(&d, UINT64_MAX);
	r.difference.expected = (uint8_t)dec_uint(&d, UINT8_MAX);
	r.difference.found = (uint8_t)dec_uint(&d, UINT8_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_answer = r;
	return ERR_OK;
}

struct hash program_still_witness(const struct hash *witness_seed,
				  const struct program_opening *o)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/still");
	sha256_put(&s, witness_seed->b, HASH_BYTES);
	for (uint32_t i = 0; i < o->object_count; i++)
		sha256_put(&s, o->after_roots[i].b, HASH_BYTES);
	for (uint32_t i = 0; i < o->after_count; i++)
		sha256_put(&s, o->after[i].data.p, o->after[i].data.n);
	return sha256_end(&s);
}
