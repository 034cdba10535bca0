/*
 * Fewer lines, the same difference: runs of lines are taken out, long ones
 * first, as long as what is left comes to the same end: unequal in the same
 * thing, or undefined for the same reason.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "tests/diff/engine/engine.h"

#define TRIES_MAX 4000u

struct lines {
	struct bytes *list;
	size_t count;
};

static struct lines split(struct bytes text)
{
	struct lines l = {0};
	l.list = calloc(text.n + 1, sizeof(*l.list));
	must(l.list != NULL);
	while (text.n > 0) {
		const uint8_t *end = memchr(text.p, '\n', text.n);
		size_t n = end == NULL ? text.n : (size_t)(end - text.p) + 1;
		l.list[l.count++] = bytes_slice(text, 0, n);
		text = bytes_skip(text, n);
	}
	return l;
}

/* All lines but [first, first + n). */
static void join(const struct lines *l, size_t first, size_t n, struct buf *out)
{
	buf_reset(out);
	for (size_t i = 0; i < l->count; i++) {
		if (i < first || i >= first + n)
			buf_put_bytes(out, l->list[i]);
	}
}

/* The same end, and the same word before the colon: what differs. */
static bool same_kind(const struct diff_report *a, const struct diff_report *b)
{
	size_t n = strcspn(a->text, ":");
	return a->end == b->end && strncmp(a->text, b->text, n + 1) == 0;
}

void diff_case_reduce(struct arena *a, struct diff_case *c, struct buf *text)
{
	struct diff_report first, r;
	struct buf shorter = buf_make(text->max);
	uint32_t tries = 0;
	c->text = buf_bytes(text);
	diff_case_check(a, c, &first);
	bool changed = first.end != DIFF_EQUAL;
	while (changed && tries < TRIES_MAX) {
		struct lines l = split(buf_bytes(text));
		changed = false;
		for (size_t n = l.count / 2; n > 0 && !changed; n /= 2) {
			for (size_t at = 0; at + n <= l.count && !changed;
			     at += n) {
				join(&l, at, n, &shorter);
				c->text = buf_bytes(&shorter);
				diff_case_check(a, c, &r);
				changed = same_kind(&first, &r);
				tries++;
			}
		}
		free(l.list);
		if (changed) {
			buf_reset(text);
			buf_put_bytes(text, buf_bytes(&shorter));
		}
	}
	c->text = buf_bytes(text);
	buf_free(&shorter);
}
