#include "gpu/program/sample.h"

#include "base/coin.h"
#include "gpu/program/walk.h"

bool program_sample_eq(const struct program_sample *a,
		       const struct program_sample *b)
{
	return a->task_index == b->task_index &&
	       a->step_number == b->step_number && a->kind == b->kind &&
	       a->number == b->number && a->warp == b->warp;
}

void program_sample_encode(struct buf *out, const struct program_sample *s)
{
	enc_array(out, 5);
	enc_uint(out, s->task_index);
	enc_uint(out, s->step_number);
	enc_uint(out, s->kind);
	enc_uint(out, s->number);
	if (s->warp == PROGRAM_WARP_ALL)
		enc_nil(out);
	else
		enc_uint(out, s->warp);
}

struct program_sample program_sample_decode(struct dec *d)
{
	struct program_sample s = {0};

	dec_array_exact(d, 5);
	s.task_index = dec_uint(d, JOB_TASKS_MAX - 1);
	s.step_number = dec_uint(d, PROGRAM_LAUNCHES_MAX);
	s.kind = (enum program_sample_kind)dec_uint(d, PROGRAM_SAMPLE_PAIR);
	s.number = dec_uint(d, PROGRAM_CTAS_MAX);
	s.warp = PROGRAM_WARP_ALL;
	if (dec_is_nil(d))
		dec_nil(d);
	else
		s.warp = (uint32_t)dec_uint(d, CTA_THREADS_MAX / 32 - 1);
	if ((s.kind != PROGRAM_SAMPLE_CTA && s.warp != PROGRAM_WARP_ALL) ||
	    (s.kind == PROGRAM_SAMPLE_LAUNCH && s.number != 0))
		dec_fail(d, ERR_MALFORMED);
	return s;
}

static bool cta_exists(const struct program *p, const struct program_launch *l,
		       const struct program_sample *s)
{
	uint32_t warps = program_launch_warps(p, l);

	return l->kind == PROGRAM_STEP_LAUNCH &&
	       !program_launch_is_whole(p, l) && s->number < l->cta_count &&
	       (warps ? s->warp < warps : s->warp == PROGRAM_WARP_ALL);
}

bool program_sample_exists(const struct program *p,
			   const struct program_sample *s)
{
	struct program_launch l;
	uint32_t object, bytes;
	uint64_t offset;

	if (program_launch_at(p, s->step_number, &l))
		return false;
	switch (s->kind) {
	case PROGRAM_SAMPLE_CTA:
		return cta_exists(p, &l, s);
	case PROGRAM_SAMPLE_CHUNK:
		return program_chunk_find(p, l.step_index, s->number, &object,
					  &offset, &bytes) == ERR_OK;
	case PROGRAM_SAMPLE_LAUNCH:
		return program_launch_is_whole(p, &l) && l.cta_count > 0;
	case PROGRAM_SAMPLE_PAIR:
		break;
	}
	return false;
}

enum err program_chunk_find(const struct program *p, uint32_t step_index,
			    uint64_t number, uint32_t *ret_object_index,
			    uint64_t *ret_offset, uint32_t *ret_bytes)
{
	uint8_t access[PROGRAM_OBJECTS_MAX];
	uint32_t count = program_object_count(p);

	program_step_access(p, step_index, access);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = program_object_bytes(p, i);
		uint64_t chunks = bytes / PROGRAM_CHUNK_BYTES +
				  (bytes % PROGRAM_CHUNK_BYTES != 0);
		uint64_t left;

		if (!(access[i] & PROGRAM_WRITE))
			continue;
		if (number >= chunks) {
			number -= chunks;
			continue;
		}
		*ret_object_index = i;
		*ret_offset = number * PROGRAM_CHUNK_BYTES;
		left = bytes - *ret_offset;
		*ret_bytes = left < PROGRAM_CHUNK_BYTES ? (uint32_t)left
							: PROGRAM_CHUNK_BYTES;
		return ERR_OK;
	}
	return ERR_NOT_FOUND;
}

/* The first 64 bits of SHA-256(seed || encoded sample). */
static uint64_t sample_word(const struct hash *seed,
			    const struct program_sample *s)
{
	struct buf b = buf_make(64);
	struct sha256 h;
	struct hash out;

	sha256_init(&h);
	sha256_put(&h, seed->b, HASH_BYTES);
	program_sample_encode(&b, s);
	sha256_put(&h, b.p, b.n);
	buf_free(&b);
	out = sha256_end(&h);
	return u64_be(out.b);
}

enum err program_chunk_byte(const struct hash *seed,
			    const struct program_sample *s, struct bytes before,
			    struct bytes after, uint32_t *ret_at_bytes)
{
	uint64_t differing = 0;
	uint64_t pick;

	for (size_t i = 0; i < after.n; i++)
		differing += before.p[i] != after.p[i];
	if (differing == 0)
		return ERR_NOT_FOUND;
	pick = u64_mulhi(sample_word(seed, s), differing);
	for (size_t i = 0; i < after.n; i++) {
		if (before.p[i] == after.p[i] || pick-- > 0)
			continue;
		*ret_at_bytes = (uint32_t)i;
		break;
	}
	return ERR_OK;
}
