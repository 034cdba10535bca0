/*
 * What a program says of its launches is its buyer's word; what the classifier
 * says decides.
 */
#include <string.h>

#include "gpu/worker/priv/sold.h"

/* The classifier's rank of a class. */
static enum ptx_sale sale_of(enum program_class c)
{
	switch (c) {
	case PROGRAM_CLASS_A:
		return PTX_SALE_A;
	case PROGRAM_CLASS_B:
		return PTX_SALE_B;
	case PROGRAM_CLASS_R:
		return PTX_SALE_R;
	case PROGRAM_CLASS_S:
		return PTX_SALE_S;
	case PROGRAM_CLASS_C:
		return PTX_SALE_C;
	case PROGRAM_CLASS_D:
		return PTX_SALE_D;
	case PROGRAM_CLASS_X:
		break;
	}
	return PTX_SALE_X;
}

bool sold_is_worse(const struct ptx_report *report, enum program_class class)
{
	return report->sale > sale_of(class);
}

enum err sold_classify(struct arena *a, const struct ptx_module *tree,
		       const struct program_part *part,
		       const struct program_launch *step,
		       const struct program_params *params, bool *ret_worse,
		       struct ptx_report *ret_report)
{
	struct ptx_bound *bound = ARENA_ARRAY(
		a, (size_t)params->reloc_count + 1, struct ptx_bound);
	struct ptx_launch l = {
		.shared_bytes = step->shared_bytes,
		.params = bytes_of(params->bytes, params->byte_count),
		.bound = bound,
		.bound_count = params->reloc_count,
		.stack_bytes = part->stack_bytes};
	enum err e;

	if (!bound)
		return ERR_NO_MEMORY;
	memcpy(l.grid, step->grid, sizeof(l.grid));
	memcpy(l.block, step->block, sizeof(l.block));
	for (uint32_t i = 0; i < params->reloc_count; i++)
		bound[i] = (struct ptx_bound){params->relocs[i].at_bytes,
					      params->relocs[i].buffer_index,
					      params->relocs[i].offset};
	*ret_worse = true;
	e = ptx_classify(a, tree, ptx_module_find(tree, part->entry), &l,
			 ret_report);
	if (e == ERR_NOT_FOUND) { /* no such kernel in the part */
		*ret_report = (struct ptx_report){.sale = PTX_SALE_X};
		return ERR_OK;
	}
	if (!e)
		*ret_worse = sold_is_worse(ret_report, part->class) ||
			     (ret_report->independence == PTX_ASSUMED &&
			      part->independence == PROGRAM_PROVED);
	return e;
}
