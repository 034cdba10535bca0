/*
 * gpu/ptx/print_instr - the statements of a body: registers, variables, then
 * one instruction a line, with the tables that it needs before it.
 */
#include <string.h>

#include "gpu/ptx/priv/isa.h"
#include "gpu/ptx/priv/printer.h"

static const char *const class_names[PTX_CLASS_COUNT] = {"%p", "%c", "%h",
							 "%r", "%d", "%q"};
static const char *const class_types[PTX_CLASS_COUNT] = {
	".pred", ".b8", ".b16", ".b32", ".b64", ".b128"};

static void print_reg(struct printer *p, uint8_t cls, uint32_t index)
{
	print_str(p, class_names[cls]);
	print_u64(p, index);
}

static void print_label(struct printer *p, uint32_t instr)
{
	print_str(p, "$L");
	print_u64(p, p->labels[instr] - 1);
}

static void print_base(struct printer *p, const struct ptx_operand *o)
{
	const struct ptx_module *m = p->m;

	switch ((enum ptx_base)o->base) {
	case PTX_BASE_NONE:
		return;
	case PTX_BASE_REG:
		print_reg(p, o->cls, o->index);
		return;
	case PTX_BASE_VARIABLE:
		if (m->variables[o->index].owner == PTX_NO_INDEX) {
			buf_put_bytes(p->out, m->variables[o->index].name);
			return;
		}
		print_str(p, "$v");
		print_u64(p, p->numbers[o->index]);
		return;
	case PTX_BASE_PARAM:
		print_str(p, "$a");
		print_u64(p, o->index);
		return;
	case PTX_BASE_RETURN:
		print_str(p, "$z");
		print_u64(p, o->index);
		return;
	case PTX_BASE_FUNCTION:
		buf_put_bytes(p->out, m->functions[o->index].name);
		return;
	}
}

static void print_address(struct printer *p, const struct ptx_operand *o)
{
	print_base(p, o);
	if (o->base == PTX_BASE_NONE) {
		print_u64(p, (uint64_t)o->offset);
	} else if (o->offset) {
		print_str(p, o->offset < 0 ? "+-" : "+");
		print_u64(p, o->offset < 0 ? 0 - (uint64_t)o->offset
					   : (uint64_t)o->offset);
	}
}

static void print_imm(struct printer *p, uint64_t bits, enum ptx_type t)
{
	if (t == PTX_TYPE_F32) {
		print_str(p, "0f");
		print_hex(p, bits, 8);
	} else if (t == PTX_TYPE_F64) {
		print_str(p, "0d");
		print_hex(p, bits, 16);
	} else {
		print_u64(p, bits);
	}
}

static void print_sreg(struct printer *p, const struct ptx_operand *o)
{
	const struct ptx_sreg_info *info = &ptx_sregs[o->index];

	print_str(p, info->text);
	if (info->components == 3) {
		char component[] = ".x";

		component[1] = (char)('x' + o->component);
		print_str(p, component);
	} else if (o->index == PTX_SREG_ENVREG || o->index == PTX_SREG_PM ||
		   o->index == PTX_SREG_RESERVED_SMEM) {
		print_u64(p, o->component);
	}
}

static void print_lanes(struct printer *p, const struct ptx_operand *o,
			bool is_bytes)
{
	print_str(p, is_bytes ? ".b" : ".h");
	for (uint32_t i = PTX_LANE_COUNT(o->lanes); i-- > 0;)
		print_u64(p, PTX_LANE(o->lanes, i));
}

static void print_operand(struct printer *p, const struct ptx_function *f,
			  const struct ptx_operand *o, enum ptx_type t)
{
	static const char *const selects[] = {"",    ".b0", ".b1", ".b2",
					      ".b3", ".h0", ".h1", ""};

	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_OPERAND_NONE:
		print_str(p, "_");
		return;
	case PTX_OPERAND_REG:
		if (o->negated)
			print_str(p, o->cls == PTX_CLASS_PRED ? "!" : "-");
		print_reg(p, o->cls, o->index);
		print_str(p, selects[o->select]);
		return;
	case PTX_OPERAND_IMM:
		print_imm(p, o->imm, t);
		return;
	case PTX_OPERAND_SREG:
		print_sreg(p, o);
		return;
	case PTX_OPERAND_ADDRESS:
		print_address(p, o);
		return;
	case PTX_OPERAND_MEMORY:
		print_str(p, "[");
		print_address(p, o);
		print_str(p, "]");
		return;
	case PTX_OPERAND_VECTOR:
		print_str(p, "{");
		for (uint32_t i = 0; i < o->count; i++) {
			if (i)
				print_str(p, ", ");
			print_operand(p, f, &f->elements[o->index + i], t);
		}
		print_str(p, "}");
		return;
	case PTX_OPERAND_LABEL:
		print_label(p, o->index);
		return;
	case PTX_OPERAND_TABLE:
		print_str(p, "$T");
		print_u64(p, p->table_number);
		return;
	}
}

static enum ptx_type letter_type(const struct ptx_instr *in, char letter)
{
	switch (letter) {
	case '0':
	case 'R':
	case 'V':
	case 'M':
	case 'w':
		return (enum ptx_type)in->types[0];
	case '1':
	case 'S':
		return (enum ptx_type)in->types[1];
	case '2':
		return (enum ptx_type)in->types[2];
	case '3':
		return (enum ptx_type)in->types[3];
	default:
		return PTX_TYPE_B32;
	}
}

/* Operands by the pattern of isa.def, as the parser took them. */
static void print_pattern(struct printer *p, const struct ptx_function *f,
			  const struct ptx_instr *in)
{
	const char *c = ptx_ops[in->op].operands;
	bool is_bytes = ptx_lane_count(in->op) == 4;
	uint32_t i = 0;

	for (; *c && i < in->operand_count; c++) {
		const struct ptx_operand *o = ptx_operand(f, in, i);

		if (*c == '?' || *c == '=')
			continue;
		if (*c == '|') {
			c++;
			i++;
			if (o->kind == PTX_OPERAND_NONE)
				continue;
			print_str(p, "|");
		} else {
			print_str(p, i++ ? ", " : " ");
		}
		print_operand(p, f, o, letter_type(in, *c));
		if (o->select == PTX_SELECT_LANES)
			print_lanes(p, o, is_bytes);
	}
}

/* bar, barrier and cp.async: what is there, in order. */
static void print_plain(struct printer *p, const struct ptx_function *f,
			const struct ptx_instr *in)
{
	bool first = true;

	for (uint32_t i = 0; i < in->operand_count; i++) {
		const struct ptx_operand *o = ptx_operand(f, in, i);

		if (o->kind == PTX_OPERAND_NONE)
			continue;
		print_str(p, first ? " " : ", ");
		print_operand(p, f, o, PTX_TYPE_B32);
		first = false;
	}
}

static void print_actuals(struct printer *p, const struct ptx_function *f,
			  const struct ptx_operand *list, uint32_t count)
{
	print_str(p, "(");
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			print_str(p, ", ");
		print_operand(p, f, &list[i], PTX_TYPE_B64);
	}
	print_str(p, ")");
}

static void print_call(struct printer *p, const struct ptx_function *f,
		       const struct ptx_instr *in)
{
	const struct ptx_call *c = &f->calls[in->aux];

	print_str(p, " ");
	if (c->result_count) {
		print_actuals(p, f, c->results, c->result_count);
		print_str(p, ", ");
	}
	if (c->callee != PTX_NO_INDEX)
		buf_put_bytes(p->out, p->m->functions[c->callee].name);
	else
		print_operand(p, f, &c->target, PTX_TYPE_B64);
	if (c->arg_count) {
		print_str(p, ", ");
		print_actuals(p, f, c->args, c->arg_count);
	}
	if (c->callee == PTX_NO_INDEX) {
		print_str(p, ", $C");
		print_u64(p, p->call_number);
	}
}

/* What stands before an indirect call: $C0: .callprototype ... */
static void print_call_shape(struct printer *p, const struct ptx_call *c)
{
	print_str(p, "$C");
	print_u64(p, p->call_number);
	if (c->prototype != PTX_NO_INDEX) {
		const struct ptx_function *f = &p->m->functions[c->prototype];

		print_str(p, ": .callprototype ");
		if (f->return_count) {
			print_params(p, f->returns, f->return_count, "$z",
				     false);
			print_str(p, " ");
		}
		print_str(p, "_ ");
		print_params(p, f->params, f->param_count, "$a", false);
	} else {
		print_str(p, ": .calltargets ");
		for (uint32_t i = 0; i < c->target_count; i++) {
			if (i)
				print_str(p, ", ");
			buf_put_bytes(p->out,
				      p->m->functions[c->targets[i]].name);
		}
	}
	print_line_end(p);
}

static void print_table(struct printer *p, const struct ptx_table *t)
{
	print_str(p, "$T");
	print_u64(p, p->table_number);
	print_str(p, ": .branchtargets ");
	for (uint32_t i = 0; i < t->count; i++) {
		if (i)
			print_str(p, ", ");
		print_label(p, t->targets[i]);
	}
	print_line_end(p);
}

static void print_opcode(struct printer *p, const struct ptx_function *f,
			 const struct ptx_instr *in)
{
	char name[160];

	if (in->guard != PTX_NO_INDEX) {
		print_str(p, in->guard_negated ? "@!" : "@");
		print_reg(p, PTX_CLASS_PRED, in->guard);
		print_str(p, " ");
	}
	ptx_instr_name(f, in, name, sizeof(name));
	print_str(p, name);
}

static void print_instr(struct printer *p, const struct ptx_function *f,
			struct ptx_instr in)
{
	bool is_indirect =
		in.op == PTX_OP_call && f->calls[in.aux].callee == PTX_NO_INDEX;

	if (is_indirect)
		print_call_shape(p, &f->calls[in.aux]);
	if (in.op == PTX_OP_brx_idx)
		print_table(p, &f->tables[ptx_operand(f, &in, 1)->index]);
	p->lines[p->line_count++] = (struct ptx_line){
		.line = p->line,
		.text_line = in.line,
		.source_line = in.source_line,
		.source_file = in.source_file,
	};
	print_opcode(p, f, &in);
	if (in.op == PTX_OP_call)
		print_call(p, f, &in);
	else if (in.op == PTX_OP_bar || in.op == PTX_OP_barrier ||
		 in.op == PTX_OP_cp_async)
		print_plain(p, f, &in);
	else
		print_pattern(p, f, &in);
	print_line_end(p);
	p->call_number += is_indirect;
	p->table_number += in.op == PTX_OP_brx_idx;
}

/* Numbers the labels in the order of the instructions they name. */
static enum err number_labels(struct printer *p, const struct ptx_function *f)
{
	uint32_t next = 0;

	p->labels = ARENA_ARRAY(p->a, f->instr_count + 1u, uint32_t);
	if (!p->labels)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < f->operand_count; i++)
		if (f->operands[i].kind == PTX_OPERAND_LABEL)
			p->labels[f->operands[i].index] = 1;
	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_table *t;

		if (f->instrs[i].op != PTX_OP_brx_idx)
			continue;
		t = &f->tables[ptx_operand(f, &f->instrs[i], 1)->index];
		for (uint32_t k = 0; k < t->count; k++)
			p->labels[t->targets[k]] = 1;
	}
	for (uint32_t i = 0; i <= f->instr_count; i++)
		if (p->labels[i])
			p->labels[i] = ++next;
	return ERR_OK;
}

static void print_declarations(struct printer *p, const struct ptx_function *f)
{
	uint32_t in_params[PTX_CLASS_COUNT] = {0};
	uint32_t next = 0;

	for (uint32_t i = 0; i < f->param_count; i++)
		if (f->params[i].in_register)
			in_params[f->params[i].cls]++;
	for (uint32_t i = 0; i < f->return_count; i++)
		if (f->returns[i].in_register)
			in_params[f->returns[i].cls]++;
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
		/* Registers of the head are declared there already. */
		for (uint32_t i = in_params[c];
		     in_params[c] > 0 && i < f->reg_count[c]; i++) {
			print_str(p, ".reg ");
			print_str(p, class_types[c]);
			print_str(p, " ");
			print_reg(p, (uint8_t)c, i);
			print_line_end(p);
		}
		if (in_params[c] > 0 || f->reg_count[c] == 0)
			continue;
		print_str(p, ".reg ");
		print_str(p, class_types[c]);
		print_str(p, " ");
		print_str(p, class_names[c]);
		print_str(p, "<");
		print_u64(p, f->reg_count[c]);
		print_str(p, ">");
		print_line_end(p);
	}
	for (uint32_t i = 0; i < f->variable_count; i++) {
		uint32_t v = f->variable_first + i;

		if (!p->reach.variables[v])
			continue;
		p->numbers[v] = next;
		print_variable(p, &p->m->variables[v], "$v", next++);
		print_line_end(p);
	}
}

enum err print_statements(struct printer *p, const struct ptx_function *f)
{
	p->table_number = 0;
	p->call_number = 0;
	PRINT_TRY(number_labels(p, f));
	print_declarations(p, f);
	for (uint32_t i = 0; i < f->instr_count && p->out->err == ERR_OK; i++) {
		if (p->labels[i]) {
			print_label(p, i);
			print_str(p, ":");
			print_newline(p);
		}
		print_instr(p, f, f->instrs[i]);
	}
	if (p->labels[f->instr_count]) {
		print_label(p, f->instr_count);
		print_str(p, ":");
		print_newline(p);
	}
	return p->out->err;
}
