/*
 * A list of chunks, each twice as large as the one before up to 1 MiB;
 * a request that does not fit gets a chunk of its own.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define CHUNK_MIN ((size_t)4 << 10)
#define CHUNK_MAX ((size_t)1 << 20)
#define ALIGN_MAX 64u

struct chunk {
	struct chunk *next;
	uint8_t *data; /* aligned to ALIGN_MAX, inside this allocation */
	size_t size;
	size_t used;
};

struct arena {
	struct chunk *head; /* newest */
	size_t used;
	size_t max;
	size_t next_size;
};

struct arena *arena_new(size_t max_bytes)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (a) {
		a->max = max_bytes;
		a->next_size = CHUNK_MIN;
	}
	return a;
}

static void chunks_free(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	chunks_free(a->head);
	free(a);
}

void arena_reset(struct arena *a)
{
	if (a->head) {
		chunks_free(a->head->next);
		a->head->next = 0;
		a->head->used = 0;
	}
	a->used = 0;
}

size_t arena_used(const struct arena *a)
{
	return a->used;
}

static struct chunk *chunk_add(struct arena *a, size_t need)
{
	size_t size = need > a->next_size ? need : a->next_size;
	struct chunk *c;

	if (size > SIZE_MAX - sizeof(*c) - ALIGN_MAX)
		return 0;
	c = malloc(sizeof(*c) + ALIGN_MAX + size);
	if (!c)
		return 0;
	c->data = (uint8_t *)(c + 1);
	c->data += (ALIGN_MAX - (uintptr_t)c->data % ALIGN_MAX) % ALIGN_MAX;
	c->size = size;
	c->used = 0;
	c->next = a->head;
	a->head = c;
	if (a->next_size < CHUNK_MAX)
		a->next_size *= 2;
	return c;
}

void *arena_alloc(struct arena *a, size_t size, size_t align)
{
	struct chunk *c = a->head;
	size_t at;

	must(align && align <= ALIGN_MAX && (align & (align - 1)) == 0);
	if (size > a->max || a->used > a->max - size)
		return 0;
	if (size == 0)
		size = 1;
	at = c ? (c->used + align - 1) & ~(align - 1) : 0;
	if (!c || at > c->size || c->size - at < size) {
		c = chunk_add(a, size);
		if (!c)
			return 0;
		at = 0;
	}
	c->used = at + size;
	a->used += size;
	return memset(c->data + at, 0, size);
}

void *arena_array(struct arena *a, size_t count, size_t size, size_t align)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		return 0;
	return arena_alloc(a, n, align);
}

struct bytes arena_copy(struct arena *a, struct bytes b)
{
	uint8_t *p;

	if (b.n == 0)
		return (struct bytes){0};
	p = arena_alloc(a, b.n, 1);
	if (!p)
		return (struct bytes){0, b.n};
	memcpy(p, b.p, b.n);
	return (struct bytes){p, b.n};
}

char *arena_str(struct arena *a, struct bytes b)
{
	char *p = b.n == SIZE_MAX ? 0 : arena_alloc(a, b.n + 1, 1);

	if (p && b.n)
		memcpy(p, b.p, b.n);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args;
	char *p;
	int n;

	va_start(args, fmt);
	n = vsnprintf(0, 0, fmt, args);
	va_end(args);
	if (n < 0)
		return 0;
	p = arena_alloc(a, (size_t)n + 1, 1);
	if (!p)
		return 0;
	va_start(args, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, args);
	va_end(args);
	return p;
}
