/*
 * ops.def as a table, and the search for the row that an instruction fits:
 * types must be listed, every modifier must be needed or allowed, and every
 * needed one must be there.
 */
#include "gpu/exec/priv/load.h"

#define T(x)	 (1ull << PTX_TYPE_##x)
#define G(x)	 (1ull << PTX_MOD_##x)
#define ANY	 UINT64_MAX
#define EXPLICIT (1ull << 63)

#define NEED0                \
	{                    \
		{0, 0},      \
		{            \
			0, 0 \
		}            \
	}
#define NEED2(g, v)                           \
	{                                     \
		{PTX_MOD_##g, PTX_##g##_##v}, \
		{                             \
			0, 0                  \
		}                             \
	}
#define NEED4(g, v, h, w)                          \
	{                                          \
		{PTX_MOD_##g, PTX_##g##_##v},      \
		{                                  \
			PTX_MOD_##h, PTX_##h##_##w \
		}                                  \
	}

_Static_assert(PTX_MOD_COUNT < 63, "groups fit the allow mask");
_Static_assert(PTX_TYPE_COUNT <= 64, "types fit the type masks");

struct op_row {
	uint16_t mnemonic;
	bool is_step;
	uint16_t cost;
	uint64_t type0, type1;
	uint8_t need[2][2]; /* group, value; value 0: nothing */
	uint64_t allow;
	const char *args;
};

static const struct op_row op_rows[OP_COUNT] = {
#define LANE_OP(id, mn, t0, t1, nd, al, args_, fn, cost_, doc) \
	[OP_##id] = {PTX_OP_##mn, false, cost_, t0, t1, nd, al, args_},
#define STEP_OP(id, mn, t0, t1, nd, al, args_, fn, cost_, doc) \
	[OP_##id] = {PTX_OP_##mn, true, cost_, t0, t1, nd, al, args_},
#include "gpu/exec/ops.def"
};

uint32_t load_cost(enum op_id id)
{
	return op_rows[id].cost * OP_COST;
}

bool load_is_step(enum op_id id)
{
	return op_rows[id].is_step;
}

uint32_t load_result_units(enum op_id id)
{
	return op_rows[id].args[0] == '8' ? 2 : 1;
}

static bool type_fits(uint64_t mask, uint32_t type)
{
	if (mask == ANY)
		return true;
	return type == PTX_TYPE_NONE ? mask == 0 : (mask >> type & 1u) != 0;
}

static bool is_needed(const struct op_row *r, uint32_t group, uint32_t value)
{
	for (int i = 0; i < 2; i++) {
		if (r->need[i][1] != 0 && r->need[i][0] == group &&
		    r->need[i][1] == value)
			return true;
	}
	return false;
}

static bool mods_fit(const struct op_row *r, const uint8_t *mods,
		     uint64_t ignore)
{
	uint32_t needs = 0, have = 0;
	for (int i = 0; i < 2; i++)
		needs += r->need[i][1] != 0;
	for (uint32_t g = 0; g < PTX_MOD_COUNT; g++) {
		if (mods[g] == 0 || (ignore >> g & 1u) != 0)
			continue;
		if (is_needed(r, g, mods[g]))
			have++;
		else if ((r->allow >> g & 1u) == 0)
			return false;
		if (g == PTX_MOD_ROUND && mods[g] > PTX_ROUND_RP)
			return false;
	}
	if ((r->allow & EXPLICIT) != 0 && mods[PTX_MOD_ROUND] == 0)
		return false;
	return have == needs;
}

enum op_id load_match(uint32_t ptx_op, uint32_t type0, uint32_t type1,
		      const uint8_t *mods, uint64_t ignore)
{
	for (uint32_t i = 0; i < OP_COUNT; i++) {
		const struct op_row *r = &op_rows[i];
		if (r->mnemonic == ptx_op && type_fits(r->type0, type0) &&
		    type_fits(r->type1, type1) && mods_fit(r, mods, ignore))
			return (enum op_id)i;
	}
	return OP_COUNT;
}

uint16_t load_csr(const struct ptx_instr *in)
{
	/* By PTX_ROUND_*: rn, rz, rm, rp; MXCSR has 0, 3, 1, 2. */
	static const uint8_t modes[5] = {0, 0, 3, 1, 2};
	uint32_t round = in->mod[PTX_MOD_ROUND];
	uint32_t csr = CSR_BASE;
	if (round <= PTX_ROUND_RP)
		csr |= (uint32_t)modes[round] << 13;
	if (in->mod[PTX_MOD_FTZ] != 0)
		csr |= CSR_FLUSH;
	return (uint16_t)csr;
}

static uint32_t code_bytes(char code)
{
	return code == 'p' ? 1u : (uint32_t)(code - '0');
}

static op_ref *source_at(struct op *o, uint32_t i)
{
	op_ref *const places[4] = {&o->a, &o->b, &o->c, &o->f};
	return places[i];
}

/* One operand by its code; returns false when it took none of the text's. */
static bool row_operand(struct loader *l, struct op *o, char code, bool is_dest,
			uint32_t place, uint32_t operand)
{
	op_ref carry = l->f->first_unit;
	if (code == 'c') {
		if (is_dest)
			o->e = carry;
		else
			*source_at(o, place) = carry;
		return false;
	}
	const struct ptx_operand *p = load_operand(l, operand);
	if (code == '#') {
		if (p->kind != PTX_OPERAND_IMM)
			load_refuse(l, "needs a constant");
		o->imm = (uint32_t)p->imm;
	} else if (is_dest && p->kind == PTX_OPERAND_NONE) {
		op_ref t = load_temp(l, LOAD_TEMPS - 1 - place);
		*(place == 0 ? &o->d : &o->e) = t;
	} else if (is_dest) {
		op_ref r = load_register(l, p, code_bytes(code));
		*(place == 0 ? &o->d : &o->e) = r;
	} else {
		*source_at(o, place) = load_source(l, p, code_bytes(code));
	}
	return true;
}

/* lop3 without a boolean has a place for the predicate it lacks. */
static bool skips_second(const struct loader *l)
{
	return l->in->op == PTX_OP_lop3 && l->in->mod[PTX_MOD_BOOL] == 0;
}

static bool is_float(uint32_t type)
{
	return ptx_types[type].kind == PTX_KIND_F;
}

/* Of one float; pairs of halves have a number of their own. */
static uint8_t result_bytes(uint32_t type)
{
	if (type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2)
		return RESULT_PAIR;
	if (type == PTX_TYPE_F32X2)
		return RESULT_PAIR32;
	return (uint8_t)load_type_bytes(type);
}

void load_row(struct loader *l)
{
	const struct ptx_instr *in = l->in;
	enum op_id id =
		load_match(in->op, in->types[0], in->types[1], in->mod, 0);
	if (id == OP_COUNT) {
		load_refuse(l, "is not executed here");
		return;
	}
	/* Sources first: they may emit ops of their own. */
	struct op o = {.imm = in->mod[PTX_MOD_FTZ]};
	const char *args = op_rows[id].args;
	bool is_dest = true;
	uint32_t place = 0, operand = 0;
	for (; *args != '\0'; args++) {
		if (*args == ':') {
			is_dest = false;
			place = 0;
			operand += skips_second(l);
			continue;
		}
		operand += row_operand(l, &o, *args, is_dest, place, operand);
		place += *args != '#';
	}
	if (operand != in->operand_count)
		load_refuse(l, "has operands that are not executed here");
	struct op *e = load_emit(l, id);
	e->d = o.d;
	e->e = o.e;
	e->a = o.a;
	e->b = o.b;
	e->c = o.c;
	e->f = o.f;
	e->imm = o.imm;
	e->result_bytes = result_bytes(in->types[0]);
	if (is_float(in->types[0]))
		e->csr = load_csr(in);
}
