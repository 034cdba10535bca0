/*
 * gpu/ptx/module - the tables behind gpu/ptx/module.h, all from the .def
 * files.
 */
#include "gpu/ptx/module.h"

#include <string.h>

#include "gpu/ptx/priv/isa.h"

const struct ptx_type_info ptx_types[PTX_TYPE_COUNT] = {
#define PTX_TYPE(name, text, bits, kind) \
	[PTX_TYPE_##name] = {text, bits, PTX_KIND_##kind},
#include "gpu/ptx/types.def"
};

const struct ptx_sreg_info ptx_sregs[PTX_SREG_COUNT] = {
#define PTX_SREG(name, text, bits, components, listed) \
	[PTX_SREG_##name] = {text, bits, components, listed},
#include "gpu/ptx/types.def"
};

const struct ptx_op_info ptx_ops[PTX_OP_COUNT] = {
#define PTX_OP(name, text, form, operands, sm, version, trait) \
	[PTX_OP_##name] = {text, form,	  operands,            \
			   sm,	 version, PTX_TRAIT_##trait},
#include "gpu/ptx/isa.def"
	[PTX_OP_opaque] = {"?", "", "", 0, 0, PTX_TRAIT_EXACT},
};

/* Group + 1, by letter. */
static const uint8_t group_of_letter[128] = {
#define PTX_GROUP(name, letter) [letter] = PTX_MOD_##name + 1,
#include "gpu/ptx/mods.def"
};

static const char *const mod_texts[PTX_MOD_COUNT][PTX_MOD_VALUES_MAX] = {
#define PTX_MOD(group, name, text) \
	[PTX_MOD_##group][PTX_##group##_##name] = text,
#include "gpu/ptx/mods.def"
};

const struct ptx_mod_info ptx_mod_infos[PTX_MOD_INFO_COUNT] = {
#define PTX_MOD(group, name, text) \
	{text, PTX_MOD_##group, PTX_##group##_##name},
#include "gpu/ptx/mods.def"
};

const struct ptx_refused_info ptx_refused[PTX_REFUSED_COUNT] = {
#define PTX_REFUSED(text, why) {text, why},
#include "gpu/ptx/isa.def"
};

uint32_t ptx_class_bits(enum ptx_class c)
{
	static const uint8_t bits[PTX_CLASS_COUNT] = {1, 8, 16, 32, 64, 128};

	return bits[c];
}

enum ptx_group ptx_group_of_letter(char letter)
{
	uint8_t g = group_of_letter[(uint8_t)letter & 127];

	return g ? (enum ptx_group)(g - 1) : PTX_MOD_COUNT;
}

const char *ptx_mod_text(enum ptx_group group, uint8_t value)
{
	const char *text = NULL;

	if (value < PTX_MOD_VALUES_MAX)
		text = mod_texts[group][value];
	return text ? text : "";
}

bool ptx_is_video(uint32_t op)
{
	return ptx_ops[op].text[0] == 'v' && op != PTX_OP_vote;
}

uint32_t ptx_lane_count(uint32_t op)
{
	const char *text = ptx_ops[op].text;
	char last = text[strlen(text) - 1];

	return ptx_is_video(op) && (last == '2' || last == '4')
		       ? (uint32_t)(last - '0')
		       : 0;
}

bool ptx_is_simd(uint32_t op)
{
	return ptx_lane_count(op) != 0;
}

uint32_t ptx_dest_count(const struct ptx_instr *in)
{
	const char *c = ptx_ops[in->op].operands;

	if (in->op == PTX_OP_bar || in->op == PTX_OP_barrier)
		return in->mod[PTX_MOD_BAR] == PTX_BAR_RED;
	if (c[0] != '=')
		return 0;
	return c[2] == '|' ? 2 : 1;
}

uint32_t ptx_module_find(const struct ptx_module *m, struct bytes name)
{
	for (uint32_t i = 0; i < m->function_count; i++)
		if (m->functions[i].is_entry && m->functions[i].has_body &&
		    bytes_eq(m->functions[i].name, name))
			return i;
	return PTX_NO_INDEX;
}

/* Appends .text to out, cutting what does not fit. */
static void append(char *out, size_t n, size_t *at, const char *dot,
		   const char *text, size_t length)
{
	for (; *dot && *at + 1 < n; dot++)
		out[(*at)++] = *dot;
	for (size_t i = 0; i < length && *at + 1 < n; i++)
		out[(*at)++] = text[i];
	out[*at] = 0;
}

/* A bare float add, sub or mul is printed with .rn, so that no compiler may
 * fuse it. */
static bool needs_rn(const struct ptx_instr *in)
{
	return (in->op == PTX_OP_add || in->op == PTX_OP_sub ||
		in->op == PTX_OP_mul) &&
	       ptx_types[in->types[0]].kind == PTX_KIND_F &&
	       in->mod[PTX_MOD_ROUND] == PTX_ROUND_NONE;
}

uint8_t ptx_mod_canonical(const struct ptx_instr *in, enum ptx_group g)
{
	uint8_t v = in->mod[g];

	if (g == PTX_MOD_ROUND && needs_rn(in))
		return PTX_ROUND_RN;
	if (g == PTX_MOD_SPACE && v == PTX_SPACE_SHARED_CTA)
		return PTX_SPACE_SHARED;
	if (g == PTX_MOD_DST_SPACE && v == PTX_DST_SPACE_SHARED_CTA)
		return PTX_DST_SPACE_SHARED;
	if (g == PTX_MOD_SPACE &&
	    (v == PTX_SPACE_PARAM_ENTRY || v == PTX_SPACE_PARAM_FUNC))
		return PTX_SPACE_PARAM;
	/* Barriers are of the CTA anyway. */
	if (g == PTX_MOD_SCOPE &&
	    (in->op == PTX_OP_bar || in->op == PTX_OP_barrier))
		return PTX_SCOPE_NONE;
	if (g == PTX_MOD_SEM && v == PTX_SEM_WEAK)
		return PTX_SEM_NONE;
	if (g == PTX_MOD_SCOPE && in->op == PTX_OP_membar && v == PTX_SCOPE_GPU)
		return PTX_SCOPE_GL;
	return v;
}

static bool same_params(const struct ptx_param *a, const struct ptx_param *b,
			uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].in_register != b[i].in_register ||
		    a[i].bytes != b[i].bytes ||
		    (a[i].in_register && a[i].cls != b[i].cls))
			return false;
	return true;
}

bool ptx_same_shape(const struct ptx_function *f,
		    const struct ptx_function *shape)
{
	return f->has_body && !f->is_entry &&
	       f->param_count == shape->param_count &&
	       f->return_count == shape->return_count &&
	       same_params(f->params, shape->params, f->param_count) &&
	       same_params(f->returns, shape->returns, f->return_count);
}

void ptx_instr_name(const struct ptx_function *f, const struct ptx_instr *in,
		    char *out, size_t n)
{
	const struct ptx_op_info *op = &ptx_ops[in->op];
	size_t at = 0;

	if (n == 0)
		return;
	out[0] = 0;
	if (in->op == PTX_OP_opaque) {
		struct bytes t = f->opaque[in->aux].text;

		append(out, n, &at, "", (const char *)t.p, t.n);
		return;
	}
	append(out, n, &at, "", op->text, strlen(op->text));
	for (const char *c = op->form; *c; c++) {
		const char *text = "";

		if (*c == '*')
			continue;
		if (*c >= '0' && *c <= '3') {
			text = ptx_types[in->types[*c - '0']].text;
		} else {
			enum ptx_group g = ptx_group_of_letter(*c);

			if (ptx_mod_canonical(in, g))
				text = ptx_mod_text(g,
						    ptx_mod_canonical(in, g));
		}
		if (*text)
			append(out, n, &at, ".", text, strlen(text));
	}
}
