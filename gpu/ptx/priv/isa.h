/*
 * gpu/ptx/priv/isa - the tables of instructions and modifiers, for the parser
 * and the printer.
 */
#ifndef WEFT_GPU_PTX_PRIV_ISA_H
#define WEFT_GPU_PTX_PRIV_ISA_H

#include <stdint.h>

#include "gpu/ptx/module.h"

struct ptx_mod_info {
	const char *text;
	uint8_t group;
	uint8_t value;
};

struct ptx_refused_info {
	const char *text; /* "cp.async.bulk" */
	const char *why;
};

enum {
	PTX_MOD_INFO_COUNT = 0
#define PTX_MOD(group, name, text) +1
#include "gpu/ptx/mods.def"
};

enum {
	PTX_REFUSED_COUNT = 0
#define PTX_REFUSED(text, why) +1
#include "gpu/ptx/isa.def"
};

/* Most values of one group, and one. */
#define PTX_MOD_VALUES_MAX 20u

extern const struct ptx_mod_info ptx_mod_infos[PTX_MOD_INFO_COUNT];
extern const struct ptx_refused_info ptx_refused[PTX_REFUSED_COUNT];

/* PTX_MOD_COUNT for a letter that is none. */
enum ptx_group ptx_group_of_letter(char letter);

/* Without the dot; "" for value 0. */
const char *ptx_mod_text(enum ptx_group group, uint8_t value);

/* The value of a group as it is printed: one spelling of equal meanings. */
uint8_t ptx_mod_canonical(const struct ptx_instr *in, enum ptx_group g);

/*
 * Whether the instruction's types and modifiers go together as the ISA says.
 * NULL, or words for a person.
 */
const char *ptx_form_check(const struct ptx_instr *in);

#endif /* WEFT_GPU_PTX_PRIV_ISA_H */
