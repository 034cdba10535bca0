/*
 * tests/support/vectors - read golden files line by line.
 *
 * A vector file is text: '#' starts a comment line, fields are separated by
 * blanks.  A missing or unreadable file fails the test at once.
 */
#ifndef WEFT_TESTS_SUPPORT_VECTORS_H
#define WEFT_TESTS_SUPPORT_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VECTOR_FIELDS_MAX 64

struct vectors {
	FILE *file;
	char *line;
	size_t cap;
	int number; /* of the present line, from 1 */
	int count;  /* fields of the present line */
	const char *field[VECTOR_FIELDS_MAX];
};

/* path is relative to tests/vectors. */
void vectors_open(struct vectors *v, const char *root, const char *path);

/* The next line with fields; false at the end, which also closes. */
bool vectors_next(struct vectors *v);

/* Hex to n bytes or fail; "-" gives 0 bytes.  Returns the byte count. */
size_t vectors_hex(const char *hex, uint8_t *out, size_t max);

#endif /* WEFT_TESTS_SUPPORT_VECTORS_H */
