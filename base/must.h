/*
 * base/must - assertions that stay on in every build.
 *
 * Only for our own bugs: what a peer, a file or a kernel sends is checked and
 * refused, never asserted.
 */
#ifndef WEFT_BASE_MUST_H
#define WEFT_BASE_MUST_H

#include "base/attr.h"

/* Prints "file:line: must(text)" to standard error and aborts. */
NORETURN void must_fail(const char *file, int line, const char *text);

#define must(x) ((x) ? (void)0 : must_fail(__FILE__, __LINE__, #x))

#endif /* WEFT_BASE_MUST_H */
