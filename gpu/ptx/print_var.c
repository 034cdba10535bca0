/*
 * gpu/ptx/print_var - module variables, each after those that its initialiser
 * names.
 *
 * The order is a depth-first walk with a stack of its own, since chains of
 * initialisers are as long as a stranger likes.
 */
#include "gpu/ptx/priv/printer.h"

static void print_reloc(struct printer *p, const struct ptx_reloc *r)
{
	struct bytes name = r->base == PTX_BASE_FUNCTION
				    ? p->m->functions[r->index].name
				    : p->m->variables[r->index].name;

	if (r->bytes == 1) {
		print_str(p, "0x");
		print_hex(p, 0xffull << r->shift, 2u + r->shift / 4u);
		print_str(p, "(");
	}
	if (r->generic)
		print_str(p, "generic(");
	buf_put_bytes(p->out, name);
	if (r->generic)
		print_str(p, ")");
	if (r->addend) {
		print_str(p, r->addend < 0 ? "-" : "+");
		print_u64(p, r->addend < 0 ? 0 - (uint64_t)r->addend
					   : (uint64_t)r->addend);
	}
	if (r->bytes == 1)
		print_str(p, ")");
}

/* Bytes up to the last that is not zero and no address. */
static uint64_t init_length(const struct ptx_variable *v)
{
	uint64_t n = v->init_bytes, least = 0;

	if (v->reloc_count)
		least = v->relocs[v->reloc_count - 1].offset +
			v->relocs[v->reloc_count - 1].bytes;
	while (n > least && v->init[n - 1] == 0)
		n--;
	return n;
}

static void print_init(struct printer *p, const struct ptx_variable *v)
{
	uint32_t size = ptx_types[v->type].bits / 8u, reloc = 0;
	uint64_t n = init_length(v);

	if (n == 0)
		return;
	print_str(p, " = ");
	if (v->bytes != size)
		print_str(p, "{");
	for (uint64_t at = 0; at < n; at += size) {
		uint64_t value = 0;

		if (at)
			print_str(p, ", ");
		if (reloc < v->reloc_count && v->relocs[reloc].offset == at) {
			print_reloc(p, &v->relocs[reloc++]);
			continue;
		}
		for (uint32_t i = 0; i < size && i < 8; i++)
			value |= (uint64_t)v->init[at + i] << (8 * i);
		print_u64(p, value);
	}
	if (v->bytes != size)
		print_str(p, "}");
}

static enum err print_module_variable(struct printer *p, uint32_t index)
{
	const struct ptx_variable *v = &p->m->variables[index];

	print_variable(p, v, NULL, 0);
	print_init(p, v);
	print_line_end(p);
	p->marks[index] = 2;
	return p->out->err;
}

struct frame {
	uint32_t variable, reloc;
};

static enum err print_after_needed(struct printer *p, struct frame *stack,
				   uint32_t index)
{
	uint32_t depth = 1;

	stack[0] = (struct frame){index, 0};
	p->marks[index] = 1;
	while (depth > 0) {
		struct frame *top = &stack[depth - 1];
		const struct ptx_variable *v = &p->m->variables[top->variable];
		const struct ptx_reloc *r;

		if (top->reloc == v->reloc_count) {
			PRINT_TRY(print_module_variable(p, top->variable));
			depth--;
			continue;
		}
		r = &v->relocs[top->reloc++];
		if (r->base != PTX_BASE_VARIABLE || p->marks[r->index] == 2)
			continue;
		if (p->marks[r->index] == 1)
			return print_fail(
				p, ERR_REFUSED, v->line,
				"initialisers name each other: ", v->name);
		p->marks[r->index] = 1;
		stack[depth++] = (struct frame){r->index, 0};
	}
	return ERR_OK;
}

enum err print_variables(struct printer *p)
{
	const struct ptx_module *m = p->m;
	struct frame *stack;

	stack = ARENA_ARRAY(p->a, m->variable_count + 1u, struct frame);
	if (!stack)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->variable_count; i++)
		if (p->reach.variables[i] &&
		    m->variables[i].owner == PTX_NO_INDEX && p->marks[i] == 0)
			PRINT_TRY(print_after_needed(p, stack, i));
	return ERR_OK;
}
