/*
 * The witness of one CTA: per thread a 64-bit mix of results that only its
 * execution gives.
 *
 *   key    = SHA-256(T("weft/witness") || seed || function name): k0 = its
 *            first 8 bytes, k1 = the next, little endian
 *   instruction i of the function's canonical text is selected when it may be
 *   (struct op.is_witness) and mix(k0 + i) mod 16 = 0
 *   h      = k1 of the kernel at the start of each thread
 *   h      = (rotl(h, 5) ^ (v + (i << 32))) * 0x9e3779b97f4a7c15 for each
 *            selected result v, and for each executed conditional branch,
 *            selected or not, with v = 1 taken, 2 not
 *
 * and the CTA's witness is SHA-256(T("weft/threads") || h of all threads in
 * order, 8 bytes little endian each).
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/trace.h"

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static struct hash function_key(const struct launch *l,
				const struct function *f)
{
	struct sha256 s;
	sha256_init_tag(&s, "weft/witness");
	sha256_put(&s, l->options->witness_seed32, 32);
	sha256_put(&s, f->name.p, f->name.n);
	return sha256_end(&s);
}

enum err witness_select(struct launch *l)
{
	const struct exec_module *m = l->m;
	l->selected = calloc((size_t)m->op_count + 1, sizeof(*l->selected));
	if (l->selected == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct function *f = &m->functions[i];
		struct hash key = function_key(l, f);
		uint64_t k0 = u64_le(key.b);
		for (uint32_t k = f->entry; k < f->end; k++) {
			const struct op *o = &m->ops[k];
			l->selected[k] =
				o->is_witness != 0 &&
				(mix(k0 + o->number_in_text) & 15u) == 0;
		}
	}
	struct hash key = function_key(l, l->kernel);
	l->witness_start = u64_le(key.b + 8);
	return ERR_OK;
}

void witness_start(struct machine *mc)
{
	for (uint32_t i = 0; i < mc->l->threads; i++)
		mc->trace->witness[i] = mc->l->witness_start;
}

static void mix_in(uint64_t *h, uint64_t v, uint32_t number)
{
	uint64_t x = *h << 5 | *h >> 59;
	*h = (x ^ (v + ((uint64_t)number << 32))) * 0x9e3779b97f4a7c15u;
}

/* NaNs of floats by type; other values as they are. */
static uint64_t canonical(const struct op *o, uint64_t v)
{
	if (o->is_float == 0)
		return v;
	if (o->result_bytes == 4 && (v & 0x7fffffffu) > 0x7f800000u)
		return 0x7fffffffu;
	if (o->result_bytes == 8 && (v & INT64_MAX) > 0x7ff0000000000000u)
		return 0x7fffffffffffffffu;
	return v;
}

void witness_mix(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask)
{
	const void *d = machine_lanes(mc, s, o->result);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint64_t v = o->result_bytes == 8 ? ((const uint64_t *)d)[i]
						  : ((const uint32_t *)d)[i];
		mix_in(&mc->trace->witness[s->first + i], canonical(o, v),
		       o->number_in_text);
	}
}

void witness_branch(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t active, const uint32_t *taken)
{
	for (uint32_t i = 0; i < s->n; i++) {
		bool is_taken = active != 0 && lane_is_on(taken, i);
		if (lane_is_on(s->mask, i))
			mix_in(&mc->trace->witness[s->first + i],
			       is_taken ? 1 : 2, o->number_in_text);
	}
}

struct hash witness_end(const struct machine *mc)
{
	struct sha256 s;
	sha256_init_tag(&s, "weft/threads");
	for (uint32_t i = 0; i < mc->l->threads; i++)
		sha256_put_u64_le(&s, mc->trace->witness[i]);
	return sha256_end(&s);
}
