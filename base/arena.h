/*
 * base/arena - memory that is freed as a whole.
 *
 * One arena per unit of work: a block, a request, a kernel.  Every arena has
 * a maximum, so hostile input runs into ERR_LIMIT instead of the machine's
 * memory.  Not thread-safe.
 */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"

struct arena;

/* max_bytes bounds the sum of all allocations since the last reset.  NULL
 * when the machine is out of memory. */
struct arena *arena_new(size_t max_bytes);
void arena_free(struct arena *a); /* NULL is fine */

/* Forget all allocations; keeps one chunk for reuse. */
void arena_reset(struct arena *a);

/* Bytes handed out since the last reset. */
size_t arena_used(const struct arena *a);

/*
 * Zeroed memory, aligned to align (a power of two, at most 64), valid until
 * the arena is reset or freed.  NULL when max_bytes would be passed or the
 * machine is out of memory.  count * size is checked for overflow.
 */
MUST_USE void *arena_alloc(struct arena *a, size_t size, size_t align);
MUST_USE void *arena_array(struct arena *a, size_t count, size_t size,
			   size_t align);

#define ARENA_NEW(a, type) \
	((type *)arena_alloc(a, sizeof(type), _Alignof(type)))
#define ARENA_ARRAY(a, count, type) \
	((type *)arena_array(a, count, sizeof(type), _Alignof(type)))

/* A copy that lives as long as the arena; p is NULL if that failed and
 * b.n > 0. */
MUST_USE struct bytes arena_copy(struct arena *a, struct bytes b);

/* A zero-terminated copy of b; NULL if that failed. */
MUST_USE char *arena_str(struct arena *a, struct bytes b);

/* A formatted zero-terminated string; NULL if that failed. */
MUST_USE char *arena_printf(struct arena *a, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

#endif /* WEFT_BASE_ARENA_H */
