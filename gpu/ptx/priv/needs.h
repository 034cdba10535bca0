/*
 * gpu/ptx/priv/needs - the least architecture and version that text needs.
 */
#ifndef WEFT_GPU_PTX_PRIV_NEEDS_H
#define WEFT_GPU_PTX_PRIV_NEEDS_H

#include <stdint.h>

#include "gpu/ptx/module.h"

struct needs {
	uint16_t sm, version;
};

/* PTX_SM_MIN and PTX_VERSION_MIN. */
struct needs needs_least(void);

/* Raises n to what the instruction needs. */
void needs_add_instr(struct needs *n, const struct ptx_function *f,
		     const struct ptx_instr *in);

/* Raises n to what the shape and directives of f need. */
void needs_add_function(struct needs *n, const struct ptx_function *f);

/* Raises n to what the initialiser of v needs. */
void needs_add_variable(struct needs *n, const struct ptx_variable *v);

/* Raises the version to the first that knows n->sm. */
void needs_settle(struct needs *n);

#endif /* WEFT_GPU_PTX_PRIV_NEEDS_H */
