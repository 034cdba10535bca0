/*
 * gpu/ptx/form - which types and modifiers go together.
 *
 * Most of it is the table forms.def; rules between modifiers rather than
 * types stand here, one function per family.  A modifier that has no meaning
 * for a type is refused, never dropped.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "gpu/ptx/priv/isa.h"

/* Sets of types; T_ANY: no matter. */
#define T_ANY	  0ull
#define T_(name)  (1ull << PTX_TYPE_##name)
#define T_PRED	  T_(PRED)
#define T_B8	  T_(B8)
#define T_B16	  T_(B16)
#define T_B32	  T_(B32)
#define T_B64	  T_(B64)
#define T_B128	  T_(B128)
#define T_U16	  T_(U16)
#define T_U32	  T_(U32)
#define T_U64	  T_(U64)
#define T_S16	  T_(S16)
#define T_S32	  T_(S32)
#define T_S64	  T_(S64)
#define T_F16	  T_(F16)
#define T_F16X2	  T_(F16X2)
#define T_BF16	  T_(BF16)
#define T_BF16X2  T_(BF16X2)
#define T_F32	  T_(F32)
#define T_F32X2	  T_(F32X2)
#define T_F64	  T_(F64)
#define T_TF32	  T_(TF32)
#define T_U16X2	  T_(U16X2)
#define T_S16X2	  T_(S16X2)
#define T_INT2	  (T_(U2) | T_(S2))
#define T_INT4	  (T_(U4) | T_(S4))
#define T_INT8	  (T_(U8) | T_(S8))
#define T_INT16	  (T_(U16) | T_(S16))
#define T_INT32	  (T_(U32) | T_(S32))
#define T_INT64	  (T_(U64) | T_(S64))
#define T_BITS	  (T_B16 | T_B32 | T_B64)
#define T_INTS	  (T_INT8 | T_INT16 | T_INT32 | T_INT64)
#define T_PACKED8 (T_(E4M3X2) | T_(E5M2X2))
#define T_FLOAT8  (T_(E4M3) | T_(E5M2))
#define T_HALVES  (T_F16 | T_F16X2 | T_BF16 | T_BF16X2)
#define T_MEMORY  (T_B8 | T_BITS | T_B128 | T_INTS | T_F32 | T_F64)

/* Sets of roundings. */
#define R_(name)  (1u << PTX_ROUND_##name)
#define R_RN	  R_(RN)
#define R_RZ	  R_(RZ)
#define R_RNA	  R_(RNA)
#define R_IEEE	  (R_(RN) | R_(RZ) | R_(RM) | R_(RP))
#define R_INTEGER (R_(RNI) | R_(RZI) | R_(RMI) | R_(RPI))
#define R_APPROX  R_(APPROX)
#define R_FULL	  R_(FULL)

struct form {
	uint16_t op;
	uint16_t rounds;
	uint64_t types, second;
	const char *mods;
};

static const struct form forms[] = {
#define PTX_FORM(op, types, second, mods, rounds) \
	{PTX_OP_##op, rounds, types, second, mods},
#include "gpu/ptx/forms.def"
};

static bool in_set(uint64_t set, uint8_t type)
{
	return set >> type & 1;
}

static bool has_letter(const char *mods, uint32_t group)
{
	for (; *mods; mods++)
		if (*mods != '*' && ptx_group_of_letter(*mods) == group)
			return true;
	return false;
}

static bool rounding_fits(const struct form *f, const struct ptx_instr *in)
{
	uint8_t round = in->mod[PTX_MOD_ROUND];

	return round ? f->rounds >> round & 1
		     : f->mods[0] != '*' || f->mods[1] != 'r';
}

/* Types and modifiers, but for the rounding. */
static bool fits(const struct form *f, const struct ptx_instr *in)
{
	if (!in_set(f->types, in->types[0]) ||
	    (f->second && !in_set(f->second, in->types[1])))
		return false;
	for (uint32_t g = 0; g < PTX_MOD_COUNT; g++)
		if (g != PTX_MOD_ROUND && in->mod[g] && !has_letter(f->mods, g))
			return false;
	for (const char *c = f->mods; *c; c++)
		if (*c == '*' && c[1] != 'r' &&
		    !in->mod[ptx_group_of_letter(c[1])])
			return false;
	return true;
}

static const char *check_table(const struct ptx_instr *in)
{
	const char *why = NULL;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].op != in->op)
			continue;
		if (fits(&forms[i], in)) {
			if (rounding_fits(&forms[i], in))
				return NULL;
			why = "this rounding and this type do not go together";
		}
		if (!why)
			why = "these modifiers and this type do not go "
			      "together";
	}
	return why;
}

static const char *check_mul(const struct ptx_instr *in)
{
	uint8_t m = in->mod[PTX_MOD_MUL];
	bool wide = m == PTX_MUL_WIDE;
	bool carry = in->mod[PTX_MOD_CC] || in->op == PTX_OP_madc;

	if (wide && (ptx_types[in->types[0]].bits == 64 || carry ||
		     in->op == PTX_OP_mul24 || in->op == PTX_OP_mad24 ||
		     in->op == PTX_OP_dp2a))
		return ".wide does not fit";
	if (in->mod[PTX_MOD_SAT] && m && m != PTX_MUL_HI)
		return ".sat goes with .hi";
	return NULL;
}

static const char *check_compare(const struct ptx_instr *in)
{
	uint8_t type = in->types[in->op == PTX_OP_setp ? 0 : 1];
	uint8_t c = in->mod[PTX_MOD_CMP], kind = ptx_types[type].kind;
	bool ok;

	if (in->mod[PTX_MOD_BOOL] == PTX_BOOL_POPC)
		return ".popc does not fit";
	if (kind == PTX_KIND_B)
		ok = c == PTX_CMP_EQ || c == PTX_CMP_NE;
	else if (kind == PTX_KIND_S)
		ok = c <= PTX_CMP_GE;
	else if (kind == PTX_KIND_U)
		ok = c <= PTX_CMP_HS;
	else
		ok = c <= PTX_CMP_GE || c >= PTX_CMP_EQU;
	if (!ok)
		return "this comparison and this type do not go together";
	return NULL;
}

/* A saturation that can change nothing is no form. */
static const char *check_cvt(const struct ptx_instr *in)
{
	const struct ptx_type_info *d = &ptx_types[in->types[0]];
	const struct ptx_type_info *s = &ptx_types[in->types[1]];
	bool holds = d->kind == s->kind
			     ? d->bits >= s->bits
			     : d->kind == PTX_KIND_S && d->bits > s->bits;

	if (in->mod[PTX_MOD_SAT] && d->kind != PTX_KIND_F &&
	    s->kind != PTX_KIND_F && holds)
		return ".sat does not fit";
	return NULL;
}

/* Cache operators and priorities of loads and stores: hints, but each has its
 * places. */
static const char *check_cache(const struct ptx_instr *in, uint32_t bits)
{
	const uint32_t loads = 1u << PTX_CACHE_CA | 1u << PTX_CACHE_CG |
			       1u << PTX_CACHE_CS | 1u << PTX_CACHE_LU |
			       1u << PTX_CACHE_CV;
	const uint32_t nc =
		1u << PTX_CACHE_CA | 1u << PTX_CACHE_CG | 1u << PTX_CACHE_CS;
	const uint32_t stores = 1u << PTX_CACHE_WB | 1u << PTX_CACHE_CG |
				1u << PTX_CACHE_CS | 1u << PTX_CACHE_WT;
	uint8_t cache = in->mod[PTX_MOD_CACHE];
	uint8_t space = in->mod[PTX_MOD_SPACE];
	uint32_t set = in->op == PTX_OP_st   ? stores
		       : in->mod[PTX_MOD_NC] ? nc
					     : loads;
	bool is_global = !space || space == PTX_SPACE_GLOBAL;

	if (cache &&
	    (!(set >> cache & 1) || in->mod[PTX_MOD_SEM] > PTX_SEM_WEAK ||
	     in->mod[PTX_MOD_EVICT] || space == PTX_SPACE_CONST ||
	     space >= PTX_SPACE_PARAM))
		return "this cache operator does not fit";
	if (!is_global &&
	    (in->mod[PTX_MOD_EVICT] || in->mod[PTX_MOD_EVICT_L2] ||
	     in->mod[PTX_MOD_CACHE_HINT] || in->mod[PTX_MOD_PREFETCH] ||
	     bits == 256))
		return "this goes with .global";
	if (in->mod[PTX_MOD_EVICT_L2] && bits != 256)
		return "an L2 priority goes with 32 bytes";
	return NULL;
}

/* Ordering, scope, cache and width of loads and stores. */
static const char *check_memory(const struct ptx_instr *in)
{
	static const uint8_t widths[] = {1, 2, 4, 8};
	uint8_t sem = in->mod[PTX_MOD_SEM];
	uint8_t space = in->mod[PTX_MOD_SPACE];
	uint32_t element = ptx_types[in->types[0]].bits;
	uint32_t bits = element * widths[in->mod[PTX_MOD_VEC] & 3];
	bool is_store = in->op == PTX_OP_st;
	bool scoped = sem >= PTX_SEM_RELAXED;

	if (!in_set(T_MEMORY, in->types[0]) ||
	    bits > (in->op == PTX_OP_ldu ? 128u : 256u) ||
	    (in->mod[PTX_MOD_VEC] == PTX_VEC_V8 && element != 32) ||
	    (in->types[0] == PTX_TYPE_B128 && in->mod[PTX_MOD_VEC]))
		return "this type and vector do not go together";
	if (scoped != (in->mod[PTX_MOD_SCOPE] != 0))
		return "ordering and scope do not go together";
	if (sem == PTX_SEM_SC || sem == PTX_SEM_ACQ_REL ||
	    sem == PTX_SEM_MMIO ||
	    sem == (is_store ? PTX_SEM_ACQUIRE : PTX_SEM_RELEASE) ||
	    (sem > PTX_SEM_WEAK &&
	     (space == PTX_SPACE_LOCAL || space == PTX_SPACE_CONST ||
	      space == PTX_SPACE_PARAM || space >= PTX_SPACE_PARAM_ENTRY)))
		return "this ordering does not fit";
	if (is_store &&
	    (space == PTX_SPACE_CONST || space == PTX_SPACE_PARAM_ENTRY))
		return "this space cannot be written";
	if (in->mod[PTX_MOD_NC] && (space != PTX_SPACE_GLOBAL || sem))
		return ".nc goes with .global";
	if (in->op == PTX_OP_ldu && space && space != PTX_SPACE_GLOBAL)
		return "ldu goes with .global";
	return check_cache(in, bits);
}

static const char *check_atomic(const struct ptx_instr *in)
{
	uint8_t space = in->mod[PTX_MOD_SPACE], sem = in->mod[PTX_MOD_SEM];
	uint8_t type = in->types[0];
	bool is_float = ptx_types[type].kind == PTX_KIND_F;
	bool half = in_set(T_HALVES, type);
	uint64_t set = 0;

	switch (in->mod[PTX_MOD_ATOM]) {
	case PTX_ATOM_ADD:
		set = T_INT32 | T_U64 | T_HALVES | T_F32 | T_F64;
		break;
	case PTX_ATOM_AND:
	case PTX_ATOM_OR:
	case PTX_ATOM_XOR:
		set = T_B32 | T_B64;
		break;
	case PTX_ATOM_MIN:
	case PTX_ATOM_MAX:
		set = T_INT32 | T_INT64 | (in->mod[PTX_MOD_VEC] ? T_HALVES : 0);
		break;
	case PTX_ATOM_EXCH:
		set = T_B32 | T_B64 | T_B128;
		break;
	case PTX_ATOM_CAS:
		set = T_B16 | T_B32 | T_B64 | T_B128;
		break;
	case PTX_ATOM_INC:
	case PTX_ATOM_DEC:
		set = T_U32;
		break;
	}
	if (!in_set(set, type) ||
	    (in->op == PTX_OP_red && in_set(T_B16 | T_B128, type)) ||
	    (in->op == PTX_OP_red && in->mod[PTX_MOD_ATOM] >= PTX_ATOM_EXCH &&
	     in->mod[PTX_MOD_ATOM] <= PTX_ATOM_CAS))
		return "this operation and this type do not go together";
	if (in->mod[PTX_MOD_VEC] &&
	    (!in_set(T_HALVES | T_F32, type) ||
	     (space && space != PTX_SPACE_GLOBAL) ||
	     ptx_types[type].bits << in->mod[PTX_MOD_VEC] > 128))
		return "this type and vector do not go together";
	if (in->op == PTX_OP_red &&
	    (sem == PTX_SEM_ACQUIRE || sem == PTX_SEM_ACQ_REL))
		return "this ordering does not fit";
	if (half != (in->mod[PTX_MOD_NOFTZ] != 0) ||
	    (in->mod[PTX_MOD_VEC] && !is_float))
		return "these modifiers and this type do not go together";
	if (space && space != PTX_SPACE_GLOBAL && space != PTX_SPACE_SHARED &&
	    space != PTX_SPACE_SHARED_CTA && space != PTX_SPACE_SHARED_CLUSTER)
		return "no atomics in this space";
	if (sem == PTX_SEM_WEAK || sem == PTX_SEM_VOLATILE ||
	    sem == PTX_SEM_SC || sem == PTX_SEM_MMIO)
		return "this ordering does not fit";
	return NULL;
}

static const char *check_warp(const struct ptx_instr *in)
{
	uint8_t v = in->mod[PTX_MOD_VOTE];

	if (in->op == PTX_OP_vote &&
	    (v == PTX_VOTE_BALLOT) != (in->types[0] == PTX_TYPE_B32))
		return "this vote and this type do not go together";
	if (in->op == PTX_OP_match && v != PTX_VOTE_ALL && v != PTX_VOTE_ANY)
		return "match is .all or .any";
	if (in->op == PTX_OP_redux) {
		uint8_t a = in->mod[PTX_MOD_ATOM];
		bool bits = a >= PTX_ATOM_AND && a <= PTX_ATOM_XOR;

		if (a > PTX_ATOM_MAX || in->mod[PTX_MOD_ABS] ||
		    in->mod[PTX_MOD_NAN] ||
		    !in_set(bits ? T_B32 : T_INT32, in->types[0]))
			return "this operation and this type do not go "
			       "together";
	}
	return NULL;
}

static const char *check_sync(const struct ptx_instr *in)
{
	uint8_t scope = in->mod[PTX_MOD_SCOPE], sem = in->mod[PTX_MOD_SEM];

	if (in->op == PTX_OP_membar && scope != PTX_SCOPE_CTA &&
	    scope != PTX_SCOPE_GL && scope != PTX_SCOPE_SYS)
		return "membar is .cta, .gl or .sys";
	if (in->op == PTX_OP_fence &&
	    (scope == PTX_SCOPE_GL || sem == PTX_SEM_WEAK ||
	     sem == PTX_SEM_VOLATILE || sem == PTX_SEM_RELAXED ||
	     sem == PTX_SEM_MMIO))
		return "this ordering does not fit";
	if (in->op == PTX_OP_fence || in->op == PTX_OP_membar)
		return NULL;
	if (scope && scope != PTX_SCOPE_CTA)
		return "barriers here are .cta";
	if (in->mod[PTX_MOD_BAR] != PTX_BAR_RED)
		return in->mod[PTX_MOD_BOOL] || in->types[0]
			       ? "this barrier takes no operation"
			       : NULL;
	if (in->mod[PTX_MOD_BOOL] == PTX_BOOL_POPC)
		return in->types[0] == PTX_TYPE_U32 ? NULL : "popc gives .u32";
	return (in->mod[PTX_MOD_BOOL] == PTX_BOOL_AND ||
		in->mod[PTX_MOD_BOOL] == PTX_BOOL_OR) &&
			       in->types[0] == PTX_TYPE_PRED
		       ? NULL
		       : "the reduction is .and.pred or .or.pred";
}

static const char *check_copy(const struct ptx_instr *in)
{
	uint8_t cache = in->mod[PTX_MOD_CACHE];

	if (in->mod[PTX_MOD_CP])
		return cache || in->mod[PTX_MOD_SPACE] ||
				       in->mod[PTX_MOD_DST_SPACE]
			       ? "these modifiers do not go together"
			       : NULL;
	if ((cache != PTX_CACHE_CA && cache != PTX_CACHE_CG) ||
	    in->mod[PTX_MOD_SPACE] != PTX_SPACE_GLOBAL ||
	    !in->mod[PTX_MOD_DST_SPACE])
		return "cp.async copies from .global to .shared";
	return in->mod[PTX_MOD_CACHE_HINT] ? "cache policies are not done here"
					   : NULL;
}

/* A shape, two factors, and a sum of the same type as what is added to. */
static bool is_float_mma(const struct ptx_instr *in)
{
	static const struct {
		uint8_t shape;
		uint64_t factors, sums;
	} known[] = {
		{PTX_SHAPE_M8N8K4, T_F16, T_F16 | T_F32},
		{PTX_SHAPE_M16N8K8, T_F16, T_F16 | T_F32},
		{PTX_SHAPE_M16N8K16, T_F16, T_F16 | T_F32},
		{PTX_SHAPE_M16N8K8, T_BF16 | T_TF32, T_F32},
		{PTX_SHAPE_M16N8K4, T_TF32, T_F32},
		{PTX_SHAPE_M16N8K16, T_BF16, T_F32},
		{PTX_SHAPE_M8N8K4, T_F64, T_F64},
		{PTX_SHAPE_M16N8K4, T_F64, T_F64},
		{PTX_SHAPE_M16N8K8, T_F64, T_F64},
		{PTX_SHAPE_M16N8K16, T_F64, T_F64},
		{PTX_SHAPE_M16N8K16, T_FLOAT8, T_F16 | T_F32},
		{PTX_SHAPE_M16N8K32, T_FLOAT8, T_F16 | T_F32},
	};
	uint8_t a = in->types[1], b = in->types[2];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].shape == in->mod[PTX_MOD_SHAPE] &&
		    in_set(known[i].factors, a) &&
		    (a == b || known[i].factors == T_FLOAT8) &&
		    in_set(known[i].factors, b) &&
		    in_set(known[i].sums, in->types[0]) &&
		    (in->types[0] == in->types[3] ||
		     (in->mod[PTX_MOD_SHAPE] == PTX_SHAPE_M8N8K4 &&
		      in->types[0] == PTX_TYPE_F32 &&
		      in->types[3] == PTX_TYPE_F16)))
			return true;
	return false;
}

static const char *check_mma(const struct ptx_instr *in)
{
	uint8_t x = in->mod[PTX_MOD_SHAPE], a = in->types[1], b = in->types[2];
	bool popc = in->mod[PTX_MOD_MMA_POPC] != 0;

	bool old = x == PTX_SHAPE_M8N8K4 && a == PTX_TYPE_F16;

	/* Only the oldest shape has other layouts. */
	if (!old && (in->mod[PTX_MOD_LAYOUT_A] != PTX_LAYOUT_A_ROW ||
		     in->mod[PTX_MOD_LAYOUT_B] != PTX_LAYOUT_B_COL))
		return "not a layout of this shape";
	if (in->types[0] != PTX_TYPE_S32)
		return in->mod[PTX_MOD_SATFINITE] || popc || !is_float_mma(in)
			       ? "not a type of mma"
			       : NULL;
	if (in->types[3] != PTX_TYPE_S32)
		return "not a type of mma";
	if (popc != (a == PTX_TYPE_B1) ||
	    (popc && in->mod[PTX_MOD_BOOL] != PTX_BOOL_XOR &&
	     in->mod[PTX_MOD_BOOL] != PTX_BOOL_AND))
		return "these modifiers and this type do not go together";
	if (in_set(T_INT8, a) && in_set(T_INT8, b))
		return x == PTX_SHAPE_M8N8K16 || x == PTX_SHAPE_M16N8K16 ||
				       x == PTX_SHAPE_M16N8K32
			       ? NULL
			       : "not a shape of this type";
	if (in_set(T_INT4, a) && in_set(T_INT4, b))
		return x == PTX_SHAPE_M8N8K32 || x == PTX_SHAPE_M16N8K32 ||
				       x == PTX_SHAPE_M16N8K64
			       ? NULL
			       : "not a shape of this type";
	if (a == PTX_TYPE_B1 && b == PTX_TYPE_B1 && !in->mod[PTX_MOD_SATFINITE])
		return x == PTX_SHAPE_M8N8K128 || x == PTX_SHAPE_M16N8K128 ||
				       x == PTX_SHAPE_M16N8K256
			       ? NULL
			       : "not a shape of this type";
	return "not a type of mma";
}

/* prefetch, prefetchu, applypriority, discard: what they may name. */
static const char *check_hint(const struct ptx_instr *in)
{
	uint8_t level = in->mod[PTX_MOD_LEVEL], space = in->mod[PTX_MOD_SPACE];
	uint8_t evict = in->mod[PTX_MOD_EVICT_L2];
	bool is_global = !space || space == PTX_SPACE_GLOBAL;

	switch (in->op) {
	case PTX_OP_prefetch:
		if (!level == !evict)
			return "one cache level should be named";
		return evict == PTX_EVICT_L2_FIRST ||
				       (!is_global &&
					(evict || space != PTX_SPACE_LOCAL))
			       ? "this level and space do not go together"
			       : NULL;
	case PTX_OP_prefetchu:
		return level == PTX_LEVEL_L1 ? NULL : "the level is L1";
	case PTX_OP_discard:
		return level == PTX_LEVEL_L2 && is_global ? NULL
							  : "the level is L2";
	default:
		return evict == PTX_EVICT_L2_NORMAL && is_global
			       ? NULL
			       : "the priority is L2::evict_normal";
	}
}

static const char *check_rest(const struct ptx_instr *in)
{
	switch (in->op) {
	case PTX_OP_min:
	case PTX_OP_max:
		/* .abs alone: of three f32. */
		return in->mod[PTX_MOD_XORSIGN] > in->mod[PTX_MOD_ABS] ||
				       (in->mod[PTX_MOD_ABS] &&
					!in->mod[PTX_MOD_XORSIGN] &&
					in->types[0] != PTX_TYPE_F32)
			       ? ".xorsign goes with .abs"
			       : NULL;
	case PTX_OP_lop3:
		return in->mod[PTX_MOD_BOOL] > PTX_BOOL_OR
			       ? "lop3 takes .and or .or"
			       : NULL;
	case PTX_OP_cvt_pack:
		return (in->types[2] ==
			PTX_TYPE_B32) == (ptx_types[in->types[0]].bits <= 8) &&
				       (!in->types[2] ||
					in->types[2] == PTX_TYPE_B32)
			       ? NULL
			       : "not a form of cvt.pack";
	case PTX_OP_ldmatrix:
	case PTX_OP_stmatrix:
	case PTX_OP_movmatrix:
		if (in->mod[PTX_MOD_SHAPE] != PTX_SHAPE_M8N8)
			return "only .m8n8 is done here";
		return in->mod[PTX_MOD_SPACE] &&
				       in->mod[PTX_MOD_SPACE] !=
					       PTX_SPACE_SHARED &&
				       in->mod[PTX_MOD_SPACE] !=
					       PTX_SPACE_SHARED_CTA
			       ? "matrices lie in .shared"
			       : NULL;
	case PTX_OP_cvta:
	case PTX_OP_isspacep:
		return in->mod[PTX_MOD_SPACE] == PTX_SPACE_PARAM_FUNC
			       ? "no generic address leads there"
			       : NULL;
	default:
		return NULL;
	}
}

/* vadd ... vset4: the third type, the comparison, the second operation. */
static const char *check_video(const struct ptx_instr *in)
{
	bool is_shift = in->op == PTX_OP_vshl || in->op == PTX_OP_vshr;
	bool is_set = in->op == PTX_OP_vset || in->op == PTX_OP_vset2 ||
		      in->op == PTX_OP_vset4;
	uint8_t a = in->mod[PTX_MOD_ATOM];

	if (!is_set && !in_set(T_INT32, in->types[2]))
		return "video instructions take .u32 and .s32";
	if (is_shift && in->types[2] != PTX_TYPE_U32)
		return "the amount of a shift is .u32";
	if (in->mod[PTX_MOD_CMP] > PTX_CMP_GE)
		return "this comparison does not fit";
	if (ptx_is_simd(in->op)
		    ? (a && a != PTX_ATOM_ADD) || (a && in->mod[PTX_MOD_SAT])
		    : a && a != PTX_ATOM_ADD && a != PTX_ATOM_MIN &&
			      a != PTX_ATOM_MAX)
		return "this second operation does not fit";
	return NULL;
}

const char *ptx_form_check(const struct ptx_instr *in)
{
	const char *why = check_table(in);

	if (why)
		return why;
	switch (in->op) {
	case PTX_OP_mul:
	case PTX_OP_mad:
	case PTX_OP_madc:
	case PTX_OP_mul24:
	case PTX_OP_mad24:
	case PTX_OP_dp2a:
		return check_mul(in);
	case PTX_OP_set:
	case PTX_OP_setp:
		return check_compare(in);
	case PTX_OP_cvt:
		return check_cvt(in);
	case PTX_OP_ld:
	case PTX_OP_ldu:
	case PTX_OP_st:
		return check_memory(in);
	case PTX_OP_atom:
	case PTX_OP_red:
		return check_atomic(in);
	case PTX_OP_vote:
	case PTX_OP_match:
	case PTX_OP_redux:
		return check_warp(in);
	case PTX_OP_bar:
	case PTX_OP_barrier:
	case PTX_OP_fence:
	case PTX_OP_membar:
		return check_sync(in);
	case PTX_OP_cp_async:
		return check_copy(in);
	case PTX_OP_mma:
		return check_mma(in);
	case PTX_OP_prefetch:
	case PTX_OP_prefetchu:
	case PTX_OP_applypriority:
	case PTX_OP_discard:
		return check_hint(in);
	default:
		return ptx_is_video(in->op) ? check_video(in) : check_rest(in);
	}
}
