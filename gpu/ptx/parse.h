/*
 * gpu/ptx/parse - from a stranger's text to a tree.
 *
 * The text is hostile: time is linear in its length, memory is bounded by the
 * arena, and everything that the tree promises (gpu/ptx/module.h) has been
 * checked: operand counts, register widths, ranges of indexes, labels, calls
 * against their callee's shape.  An instruction or modifier that Weft does
 * not know does not stop the parse; it becomes PTX_OP_opaque, and its kernel
 * can then be neither printed nor run (class X).
 */
#ifndef WEFT_GPU_PTX_PARSE_H
#define WEFT_GPU_PTX_PARSE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/ptx/module.h"

/* An arena of this size parses any text that the limits allow. */
#define PTX_ARENA_BYTES (256u << 20)

/* What is wrong, and where.  text is zero-terminated, one line, printable. */
struct ptx_diag {
	enum err code;
	uint32_t line, column; /* from 1; 0: the text as a whole */
	char text[160];
};

/*
 * Parse one module.
 *
 * a         in/out  owns the tree; must have been made with room for at
 *                   least 64 times the text and 1 MiB
 * text      in      borrowed until the tree is dropped (names point into it)
 * ret       written only on ERR_OK; lives in a
 * reterr    may be NULL; written only on failure
 *
 * Cost: linear; below 1 s for PTX_TEXT_BYTES_MAX.
 * Returns ERR_OK; ERR_PTX_SYNTAX (not PTX, or PTX that breaks its own rules);
 * ERR_PTX_UNKNOWN (a directive that is not known); ERR_LIMIT;
 * ERR_NO_MEMORY (the arena is full).
 */
MUST_USE enum err ptx_parse(struct arena *a, struct bytes text,
			    struct ptx_module **ret, struct ptx_diag *reterr);

/*
 * Parse several texts as one module, as executors load the parts of a
 * program.  A function or module variable that stands in more than one of
 * them must be written with the same bytes, which canonical parts do.
 * Contract as above; a diagnostic's line is inside texts[*reterr_part].
 */
MUST_USE enum err ptx_parse_parts(struct arena *a, const struct bytes *texts,
				  uint32_t text_count, struct ptx_module **ret,
				  struct ptx_diag *reterr,
				  uint32_t *reterr_part);

#endif /* WEFT_GPU_PTX_PARSE_H */
