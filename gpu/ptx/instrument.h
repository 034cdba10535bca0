/*
 * gpu/ptx/instrument - a kernel that says what it did, as PTX.
 *
 * The printed text computes what the kernel computes, and besides: for each
 * thread the mix of the witness (doc/formats/gpu-exec.md), and for ranges of
 * memory the lowest CTA that wrote and that read them.  Any device that runs
 * PTX can thus be asked for what the CPU executor finds natively, and the CPU
 * executor itself can run the text.
 *
 * The kernel takes more parameters after its own, each a pointer:
 *
 *   $w   witness: 8 bytes a thread, threads of a CTA in order, CTAs by number
 *   $f   finder: per range 32 bytes: first address, address behind the last;
 *        then lowest writer and lowest reader, which must be all ones before
 *        and stay so where nobody is
 */
#ifndef WEFT_GPU_PTX_INSTRUMENT_H
#define WEFT_GPU_PTX_INSTRUMENT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/parse.h"

/* Most ranges of one text. */
#define PTX_INSTRUMENT_RANGES_MAX 16u

/* Bytes of one range in the finder's table. */
#define PTX_INSTRUMENT_RANGE_BYTES 32u

struct ptx_instrument {
	const uint8_t *witness_seed32; /* NULL: no witness, no $w */
	uint32_t range_count;	       /* 0: no finder, no $f */
};

/*
 * Print one kernel of m, instrumented, into out, appending.
 *
 * a       in/out  scratch
 * kernel          index of an entry in m->functions
 * options         what to add; nothing: the canonical text
 * reterr          may be NULL; written only on failure
 *
 * Cost: linear in the functions reached, times the ranges for each access.
 * Returns ERR_OK; what ptx_print returns; ERR_LIMIT (too many ranges, out is
 * full); ERR_NO_MEMORY.
 */
MUST_USE enum err ptx_instrument(struct arena *a, const struct ptx_module *m,
				 uint32_t kernel,
				 const struct ptx_instrument *options,
				 struct buf *out, struct ptx_diag *reterr);

#endif /* WEFT_GPU_PTX_INSTRUMENT_H */
