/*
 * gpu/ptx/print - the canonical text of kernels.
 *
 * The text depends on the tree only: chosen kernels with the functions and
 * variables they reach, one instruction a line, registers, labels and
 * parameters renamed in order of first appearance, one spelling of every
 * modifier, .rn on each float add, sub and mul, and the lowest .version and
 * .target that the content needs.  print(parse(print(m))) == print(m).
 */
#ifndef WEFT_GPU_PTX_PRINT_H
#define WEFT_GPU_PTX_PRINT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/parse.h"

/* The lowest that any canonical text names. */
#define PTX_VERSION_MIN 63u
#define PTX_SM_MIN	75u

/* Where an instruction of the printed text came from. */
struct ptx_line {
	uint32_t line;	      /* in the printed text, from 1; ascending */
	uint32_t text_line;   /* in the parsed text */
	uint32_t source_line; /* in the user's source, 0: unknown */
	uint16_t source_file; /* index in module->files, 0xffff: unknown */
};

struct ptx_lines {
	struct ptx_line *lines;
	uint32_t count;
};

/*
 * Print kernels (indexes of entries in m->functions; kernel_count 0: all) into
 * out, appending.
 *
 * a          in/out  scratch, and the lines
 * out        in/out  what was appended before an error is garbage
 * ret_lines  may be NULL; lives in a
 * reterr     may be NULL; written only on failure
 *
 * Cost: linear in the functions reached.
 * Returns ERR_OK; ERR_PTX_UNKNOWN (a reached function holds an opaque
 * instruction: reterr names it); ERR_REFUSED (a reached function has no
 * body); ERR_LIMIT (out is full); ERR_NO_MEMORY.
 */
MUST_USE enum err ptx_print(struct arena *a, const struct ptx_module *m,
			    const uint32_t *kernels, uint32_t kernel_count,
			    struct buf *out, struct ptx_lines *ret_lines,
			    struct ptx_diag *reterr);

#endif /* WEFT_GPU_PTX_PRINT_H */
