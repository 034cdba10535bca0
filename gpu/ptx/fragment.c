/*
 * gpu/ptx/fragment - the sizes that matrix and copy instructions fix.
 */
#include "gpu/ptx/priv/parser.h"

struct shape {
	uint16_t m, n, k;
};

static struct shape shape_of(uint8_t value)
{
	switch (value) {
	case PTX_SHAPE_M8N8K4:
		return (struct shape){8, 8, 4};
	case PTX_SHAPE_M8N8K16:
		return (struct shape){8, 8, 16};
	case PTX_SHAPE_M8N8K32:
		return (struct shape){8, 8, 32};
	case PTX_SHAPE_M8N8K128:
		return (struct shape){8, 8, 128};
	case PTX_SHAPE_M16N8K4:
		return (struct shape){16, 8, 4};
	case PTX_SHAPE_M16N8K8:
		return (struct shape){16, 8, 8};
	case PTX_SHAPE_M16N8K16:
		return (struct shape){16, 8, 16};
	case PTX_SHAPE_M16N8K32:
		return (struct shape){16, 8, 32};
	case PTX_SHAPE_M16N8K64:
		return (struct shape){16, 8, 64};
	case PTX_SHAPE_M16N8K128:
		return (struct shape){16, 8, 128};
	case PTX_SHAPE_M16N8K256:
		return (struct shape){16, 8, 256};
	default:
		return (struct shape){0, 0, 0};
	}
}

/* Registers of an operand. */
static uint32_t width_of(const struct ptx_operand *o)
{
	return o->kind == PTX_OPERAND_VECTOR ? o->count : 1;
}

/* Registers a thread holds of a matrix of that many elements. */
static uint32_t registers(uint32_t elements, uint8_t type)
{
	uint32_t bits = ptx_types[type].bits;

	return elements * bits / 32 / (bits == 64 ? 64 : 32);
}

static bool mma_fits(const struct parser *p, const struct ptx_instr *in)
{
	struct shape s = shape_of(in->mod[PTX_MOD_SHAPE]);
	uint32_t want[4] = {
		registers((uint32_t)s.m * s.n, in->types[0]),
		registers((uint32_t)s.m * s.k, in->types[1]),
		registers((uint32_t)s.n * s.k, in->types[2]),
		registers((uint32_t)s.m * s.n, in->types[3]),
	};

	/* The oldest shape: four products at once, a quarter warp each. */
	if (in->mod[PTX_MOD_SHAPE] == PTX_SHAPE_M8N8K4 &&
	    in->types[1] == PTX_TYPE_F16) {
		want[0] = in->types[0] == PTX_TYPE_F16 ? 4 : 8;
		want[1] = want[2] = 2;
		want[3] = in->types[3] == PTX_TYPE_F16 ? 4 : 8;
	}
	for (uint32_t i = 0; i < 4; i++)
		if (width_of(&p->ops_now[i]) != want[i])
			return false;
	return true;
}

static bool matrices_fit(const struct parser *p, const struct ptx_instr *in)
{
	static const uint8_t counts[] = {0, 1, 2, 4};
	uint32_t place = in->op == PTX_OP_stmatrix ? 1 : 0;

	return p->ops_now[place].kind == PTX_OPERAND_VECTOR &&
	       width_of(&p->ops_now[place]) == counts[in->mod[PTX_MOD_NUM] & 3];
}

/* One side of the sum may be negated, and not with .po. */
static bool vmad_fits(const struct parser *p, const struct ptx_instr *in)
{
	const struct ptx_operand *o = p->ops_now;
	bool product = o[1].negated != o[2].negated;
	bool any = o[1].negated || o[2].negated || o[3].negated;

	return in->mod[PTX_MOD_PO] ? !any : !(product && o[3].negated);
}

static bool copy_fits(const struct parser *p, const struct ptx_instr *in)
{
	uint64_t size;

	if (in->mod[PTX_MOD_CP] != PTX_CP_NONE)
		return true;
	size = p->ops_now[2].imm;
	return size == 16 || (in->mod[PTX_MOD_CACHE] == PTX_CACHE_CA &&
			      (size == 4 || size == 8));
}

const char *parser_check_sizes(const struct parser *p,
			       const struct ptx_instr *in)
{
	switch (in->op) {
	case PTX_OP_mma:
		return mma_fits(p, in)
			       ? NULL
			       : "a fragment has another number of registers";
	case PTX_OP_ldmatrix:
	case PTX_OP_stmatrix:
		return matrices_fit(p, in)
			       ? NULL
			       : "the vector has another length than .x says";
	case PTX_OP_cp_async:
		return copy_fits(p, in) ? NULL
					: "cp.async does not copy that many "
					  "bytes";
	case PTX_OP_vmad:
		return vmad_fits(p, in) ? NULL
					: "these negations do not go together";
	case PTX_OP_discard:
	case PTX_OP_applypriority:
		return p->ops_now[1].imm == 128 ? NULL
						: "the size is 128 bytes";
	case PTX_OP_lop3:
		return p->ops_now[5].imm <= 255 ? NULL
						: "the table has eight bits";
	default:
		/* A part of the result, or a second operation. */
		return ptx_is_video(in->op) && !ptx_is_simd(in->op) &&
				       in->mod[PTX_MOD_ATOM] &&
				       p->ops_now[0].select
			       ? "a second operation writes the whole register"
			       : NULL;
	}
}
