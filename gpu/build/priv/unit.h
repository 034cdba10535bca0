/*
 * gpu/build/priv/unit - what the compiler's halves share.
 */
#ifndef WEFT_GPU_BUILD_PRIV_UNIT_H
#define WEFT_GPU_BUILD_PRIV_UNIT_H

#include "gpu/build/compile.h"

/* What to do when there is no compiler. */
#define BUILD_INSTALL_HINT                                           \
	"NVRTC is not installed; contrib/setup installs it (or set " \
	"WEFT_NVRTC_DIR to a CUDA toolkit)"

/* Small host headers that NVRTC does not know. */
extern const struct build_text build_shims[];
extern const uint32_t build_shim_count;

/* The leading comment lines of a unit's PTX. */
#define BUILD_PTX_MARK	 "// weft "
#define BUILD_PTX_KERNEL "// kernel "

/*
 * The lowered name that ptx's leading lines give to a name expression; n = 0
 * if none.  Borrowed from ptx.
 */
struct bytes build_ptx_lowered(struct bytes ptx, struct bytes expression);

#endif /* WEFT_GPU_BUILD_PRIV_UNIT_H */
