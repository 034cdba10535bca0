/*
 * gpu/exec/priv/race - who may have touched a byte of memory in which order,
 * and what of it needs no look (shadow_race.c, shadow_calm.c).
 */
#ifndef WEFT_GPU_EXEC_PRIV_RACE_H
#define WEFT_GPU_EXEC_PRIV_RACE_H

#include "gpu/exec/priv/shadow.h"

struct trace_at;

/* Races (shadow_race.c). */
bool race_setup(const struct launch *l, struct shadow *h);
void race_start(struct machine *mc);
bool race_need(struct shadow *h, struct page *e);
void race_touch(struct machine *mc, struct strip *s, const struct op *o,
		const struct touch *t);
/* size bytes of each of lanes [lane, lane + count), at e's byte at and on;
 * false: nothing is noted, go lane by lane. */
bool race_touch_run(struct machine *mc, struct strip *s, const struct op *o,
		    struct page *e, uint32_t at, uint32_t lane, uint32_t count,
		    uint32_t size, bool is_write);
/* The same bytes for all of them. */
bool race_touch_one(struct machine *mc, struct strip *s, const struct op *o,
		    struct page *e, uint32_t at, uint32_t lane, uint32_t count,
		    uint32_t size);
/* Accesses of shared memory that no other is near (shadow_calm.c). */
bool calm_setup(struct shadow *h);
void calm_forget(struct shadow *h);
/* An access by lanes at base + at, bytes [from, to] of shared memory; of a
 * write: by lanes that each have their own bytes.  chain: it stands for all of
 * the chain's loads through o's slot; UINT32_MAX: for o.  False: note it. */
bool calm_access(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask, uint64_t base, const struct trace_at *at,
		 uint64_t from, uint64_t to, bool is_write, uint32_t chain);
/* All of them after all. */
void calm_note(struct machine *mc);
/* Bytes [from, to] of shared memory will be noted. */
void calm_before(struct machine *mc, uint64_t from, uint64_t to, bool is_write);

void race_barrier(struct machine *mc, uint32_t id);
void race_arrive(struct machine *mc, uint32_t id, uint32_t warp);
void race_warp_barrier(struct machine *mc, struct strip *s, uint32_t first,
		       uint32_t on, const uint32_t *members);

#endif /* WEFT_GPU_EXEC_PRIV_RACE_H */
