/*
 * gpu/ptx/form - which types and modifiers go together.
 */
#include "gpu/ptx/priv/isa.h"

const char *ptx_form_check(const struct ptx_instr *in)
{
	(void)in;
	return NULL;
}
