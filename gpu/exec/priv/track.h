/*
 * gpu/exec/priv/track - who touched which bytes, in pages, and the loops over
 * them that are compiled for each kind of vectors.
 *
 * A page is 512 bytes of a buffer or of shared memory that a traced CTA has
 * touched.  For races it keeps two sets of threads per entry (a word, or a
 * byte once a CTA has touched less than a word): the writers and the readers
 * that no later access is ordered behind.
 *
 * A set is a stamp and a mask.  The stamp holds, from its top, the number of
 * the last synchronisation before the newest access in the set, whether all
 * in it are atomic, and which warp the mask's lanes are of; SET_WARPS: the
 * mask names whole warps.
 */
#ifndef WEFT_GPU_EXEC_PRIV_TRACK_H
#define WEFT_GPU_EXEC_PRIV_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PAGE_BYTES 512u
#define PAGE_WORDS (PAGE_BYTES / 4)
#define PAGE_MASKS (PAGE_BYTES / 64)
#define PAGE_BLOCK 64u

#define SET_SHIFT  7u
#define SET_ATOMIC 64u
#define SET_WARPS  32u
#define SET_WHO	   63u

/* Arrays of page.race. */
enum {
	RACE_W,
	RACE_W_MASK,
	RACE_W_OP,
	RACE_R,
	RACE_R_MASK,
	RACE_R_OP,
	RACE_ARRAYS
};

/* page.has: some byte of it has such a tag. */
#define HAS_UNSET 1u
#define HAS_NAN	  2u
#define HAS_FORM  4u

struct page_tags {
	uint8_t unset[PAGE_BYTES]; /* bits that were never written */
	uint8_t nan[PAGE_BYTES];   /* NAN_* of shadow.h */
	uint16_t form[PAGE_WORDS]; /* of each word */
};

struct page {
	uint8_t *host;
	uint64_t number; /* offset / PAGE_BYTES */
	uint32_t buffer;
	uint32_t bytes; /* less at the buffer's end */
	uint8_t has;
	bool is_written;
	bool is_read;
	/* Of a buffer's page, by block of 64 bytes: those that the CTA has
	 * touched, and those whose bytes are in old. */
	uint8_t touched, saved;
	/* Shared memory: numbers of the last write's and access's stamp. */
	uint32_t wrote, noted;
	uint64_t written[PAGE_MASKS]; /* by byte */
	uint64_t read[PAGE_MASKS];
	uint32_t *race; /* RACE_ARRAYS arrays of race_entries; NULL: none */
	uint32_t race_entries;
	struct page_tags *tags;	  /* looked at when has != 0 */
	uint8_t old[PAGE_BYTES];  /* before the first write */
	uint8_t mine[PAGE_BYTES]; /* trace.keeps_values: as written */
};

#define PAGE_CACHE 256u

/* Pages by hash; the memory stays for the next CTA. */
struct pages {
	struct page **list;
	uint32_t count; /* in use */
	uint32_t made;
	uint32_t cap;
	uint32_t *slots; /* index + 1 */
	uint32_t slot_cap;
	struct page *cache[PAGE_CACHE];
};

struct window;

/* The page of offset, new if need be; NULL: out of memory. */
struct page *pages_at(struct pages *p, uint32_t buffer, uint64_t offset,
		      const struct window *w);
/* The same, only if it is there. */
struct page *pages_find(const struct pages *p, uint32_t buffer,
			uint64_t number);
void pages_clear(struct pages *p);
void pages_free(struct pages *p);
/* Room for page's tags, all clear; false: out of memory. */
bool page_need_tags(struct page *e);
enum err pages_merge(struct pages *to, const struct pages *from);

/* Entries [0, n) of one access by lanes of one warp, side by side. */
struct track_run {
	uint32_t *w, *w_mask, *w_op, *r, *r_mask, *r_op;
	const uint32_t *bits; /* each entry's lane */
	uint32_t n;
	uint32_t epoch; /* stamps below are ordered before all of now */
	uint32_t start; /* stamps below are of other CTAs */
	uint32_t key;	/* stamp of this warp now */
	uint32_t op;
};

enum track_pattern {
	TRACK_ANY,
	TRACK_UNIT,
	TRACK_UNIFORM,
	TRACK_NONE, /* no lane */
};

#define TRACK_LANES 16u

/* The marks of a NaN of 4 bytes. */
#define TRACK_NAN32 0x43424140u

struct track_set {
	bool (*any)(const void *p, size_t bytes);
	/* Is a lane that is on a NaN?  16: either half of 32 bits. */
	bool (*nan16)(const uint32_t *v, const uint32_t *mask, uint32_t n);
	bool (*nan32)(const uint32_t *v, const uint32_t *mask, uint32_t n);
	bool (*nan64)(const uint64_t *v, const uint32_t *mask, uint32_t n);
	/* Are marks those of untouched f32 NaNs, or none, where mask is? */
	bool (*plain32)(const uint32_t *marks, const uint32_t *mask,
			uint32_t n);
	/* Marks of the f32 in v, where mask is; is there any at all? */
	bool (*mark32)(uint32_t *marks, const uint32_t *v, const uint32_t *mask,
		       uint32_t n);
	/* Of each block of TRACK_LANES lanes. */
	void (*patterns)(uint8_t *ret, const uint32_t *at, uint32_t size,
			 uint32_t n, const uint32_t *mask);
	/* Note the access; false: nothing noted, look entry by entry. */
	bool (*load)(const struct track_run *t);
	bool (*store)(const struct track_run *t);
};

extern const struct track_set track_plain;
extern const struct track_set track_avx2;
extern const struct track_set track_avx512;

#endif /* WEFT_GPU_EXEC_PRIV_TRACK_H */
