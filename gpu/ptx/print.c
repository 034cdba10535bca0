/*
 * gpu/ptx/print - from the tree to the one text that means it.
 *
 * Order: directives, declarations of device functions, variables (what an
 * initialiser names first), then bodies of device functions and of kernels,
 * all in the tree's order.  A tree parsed from this text has the same order,
 * the same register numbers and the same label order, hence the same text.
 */
#include "gpu/ptx/print.h"

#include <string.h>

#include "gpu/ptx/priv/isa.h"
#include "gpu/ptx/priv/needs.h"
#include "gpu/ptx/priv/printer.h"
#include "gpu/ptx/priv/reach.h"

void print_str(struct printer *p, const char *text)
{
	buf_put(p->out, text, strlen(text));
}

void print_u64(struct printer *p, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	buf_put(p->out, digits + n, sizeof(digits) - n);
}

void print_hex(struct printer *p, uint64_t v, uint32_t digits)
{
	while (digits-- > 0)
		buf_put_u8(
			p->out,
			(uint8_t) "0123456789ABCDEF"[(v >> (4 * digits)) & 15]);
}

void print_line_end(struct printer *p)
{
	print_str(p, ";\n");
	p->line++;
}

void print_newline(struct printer *p)
{
	print_str(p, "\n");
	p->line++;
}

enum err print_fail(struct printer *p, enum err code, uint32_t line,
		    const char *what, struct bytes name)
{
	size_t at = 0;

	if (!p->diag)
		return code;
	*p->diag = (struct ptx_diag){.code = code, .line = line};
	for (; *what && at + 1 < sizeof(p->diag->text); what++)
		p->diag->text[at++] = *what;
	for (size_t i = 0; i < name.n && at + 1 < sizeof(p->diag->text); i++)
		p->diag->text[at++] = (char)name.p[i];
	p->diag->text[at] = 0;
	return code;
}

/* The type that stands for the width of elements. */
static const char *width_type(uint32_t bits)
{
	switch (bits) {
	case 1:
		return ".pred";
	case 8:
		return ".b8";
	case 16:
		return ".b16";
	case 32:
		return ".b32";
	case 64:
		return ".b64";
	default:
		return ".b128";
	}
}

/* .align 8 .b8 name[24] */
static void print_object(struct printer *p, const char *type, uint32_t align,
			 uint32_t element_bytes, uint64_t bytes,
			 const char *prefix, uint32_t number, struct bytes name)
{
	if (align != element_bytes) {
		print_str(p, ".align ");
		print_u64(p, align);
		print_str(p, " ");
	}
	print_str(p, type);
	print_str(p, " ");
	if (prefix) {
		print_str(p, prefix);
		print_u64(p, number);
	} else {
		buf_put_bytes(p->out, name);
	}
	if (bytes != element_bytes) {
		print_str(p, "[");
		print_u64(p, bytes / element_bytes);
		print_str(p, "]");
	}
}

static void print_param(struct printer *p, const struct ptx_param *o,
			const char *prefix, uint32_t number, bool is_entry)
{
	const struct ptx_type_info *t = &ptx_types[o->type];

	if (o->in_register) {
		static const char *const names[] = {"%p", "%c", "%h",
						    "%r", "%d", "%q"};

		print_str(p, ".reg ");
		print_str(p, width_type(t->bits));
		print_str(p, " ");
		print_str(p, names[o->cls]);
		print_u64(p, o->index);
		return;
	}
	print_str(p, ".param ");
	if (is_entry && o->bytes == t->bits / 8u) {
		print_str(p, o->align != o->bytes ? ".align " : ".");
		if (o->align != o->bytes) {
			print_u64(p, o->align);
			print_str(p, " .");
		}
		print_str(p, t->text);
		print_str(p, " ");
		print_str(p, prefix);
		print_u64(p, number);
		return;
	}
	print_object(p, width_type(t->bits), o->align, t->bits / 8u, o->bytes,
		     prefix, number, (struct bytes){0});
}

void print_params(struct printer *p, const struct ptx_param *list,
		  uint32_t count, const char *prefix, bool is_entry)
{
	print_str(p, "(");
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			print_str(p, ", ");
		print_param(p, &list[i], prefix, i, is_entry);
	}
	print_str(p, ")");
}

static void print_three(struct printer *p, const char *what,
			const uint32_t n[3])
{
	if (!n[0])
		return;
	print_newline(p);
	print_str(p, what);
	for (uint32_t i = 0; i < 3; i++) {
		print_str(p, i ? ", " : " ");
		print_u64(p, n[i]);
	}
}

static void print_one(struct printer *p, const char *what, uint32_t n)
{
	if (!n)
		return;
	print_newline(p);
	print_str(p, what);
	print_u64(p, n);
}

static void print_header(struct printer *p, const struct ptx_function *f)
{
	print_str(p, f->is_entry ? ".visible .entry " : ".func ");
	if (f->return_count) {
		print_params(p, f->returns, f->return_count, "$z", false);
		print_str(p, " ");
	}
	buf_put_bytes(p->out, f->name);
	print_params(p, f->params, f->param_count, "$a", f->is_entry);
	print_three(p, ".maxntid", f->maxntid);
	print_three(p, ".reqntid", f->reqntid);
	print_one(p, ".minnctapersm ", f->minnctapersm);
	print_one(p, ".maxnreg ", f->maxnreg);
	if (f->is_noreturn) {
		print_newline(p);
		print_str(p, ".noreturn");
	}
	print_newline(p);
}

void print_variable(struct printer *p, const struct ptx_variable *v,
		    const char *prefix, uint32_t number)
{
	static const char *const spaces[] = {[PTX_SPACE_GLOBAL] = ".global ",
					     [PTX_SPACE_SHARED] = ".shared ",
					     [PTX_SPACE_LOCAL] = ".local ",
					     [PTX_SPACE_CONST] = ".const ",
					     [PTX_SPACE_PARAM] = ".param "};
	uint32_t bits = ptx_types[v->type].bits;
	const char *type = width_type(bits);

	if (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST)
		print_str(p, ".visible ");
	if (v->is_dynamic)
		print_str(p, ".extern ");
	print_str(p, spaces[v->space]);
	/* ptxas takes addresses in unsigned numbers, not in bits. */
	if (v->reloc_count)
		type = bits == 64 ? ".u64" : bits == 32 ? ".u32" : ".u8";
	print_object(p, type, v->align, bits / 8u,
		     v->is_dynamic ? bits / 8u : v->bytes, prefix, number,
		     v->name);
	if (v->is_dynamic)
		print_str(p, "[]");
}

/* A name that the printer gives to something inside functions. */
static bool is_reserved(struct bytes name)
{
	size_t i = 2;

	if (name.n < 3 || !((name.p[0] == '$' && strchr("azvLTC", name.p[1])) ||
			    (name.p[0] == '%' && strchr("pchrdq", name.p[1]))))
		return false;
	while (i < name.n && name.p[i] >= '0' && name.p[i] <= '9')
		i++;
	return i == name.n;
}

static enum err print_body(struct printer *p, const struct ptx_function *f)
{
	print_header(p, f);
	print_str(p, "{\n");
	p->line++;
	PRINT_TRY(print_statements(p, f));
	print_str(p, "}\n");
	p->line++;
	return p->out->err;
}

static enum err check_function(struct printer *p, const struct ptx_function *f)
{
	if (!f->has_body)
		return print_fail(
			p, ERR_REFUSED, f->line,
			"a function without a body is called: ", f->name);
	if (is_reserved(f->name))
		return print_fail(p, ERR_REFUSED, f->line,
				  "a reserved name: ", f->name);
	if (f->needs_cluster)
		return print_fail(p, ERR_REFUSED, f->line,
				  "clusters are not done here: ", f->name);
	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_instr *in = &f->instrs[i];

		if (in->op == PTX_OP_opaque)
			return print_fail(p, ERR_PTX_UNKNOWN, in->line,
					  "cannot be run here: ",
					  f->opaque[in->aux].text);
	}
	return ERR_OK;
}

static enum err check_variable(struct printer *p, const struct ptx_variable *v)
{
	if (v->is_opaque)
		return print_fail(
			p, ERR_PTX_UNKNOWN, v->line,
			"textures and surfaces are not done here: ", v->name);
	if (v->is_extern && !v->is_dynamic)
		return print_fail(p, ERR_REFUSED, v->line,
				  "a variable that is not defined: ", v->name);
	if (v->owner == PTX_NO_INDEX && is_reserved(v->name))
		return print_fail(p, ERR_REFUSED, v->line,
				  "a reserved name: ", v->name);
	return ERR_OK;
}

/* Everything that is reached: printable, and what it needs. */
static enum err check_all(struct printer *p, struct needs *n)
{
	const struct ptx_module *m = p->m;

	*n = needs_least();
	for (uint32_t i = 0; i < m->variable_count; i++) {
		if (!p->reach.variables[i])
			continue;
		PRINT_TRY(check_variable(p, &m->variables[i]));
		needs_add_variable(n, &m->variables[i]);
	}
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct ptx_function *f = &m->functions[i];

		if (!p->reach.functions[i])
			continue;
		PRINT_TRY(check_function(p, f));
		needs_add_function(n, f);
		for (uint32_t k = 0; k < f->instr_count; k++)
			needs_add_instr(n, f, &f->instrs[k]);
	}
	needs_settle(n);
	return ERR_OK;
}

static void print_versions(struct printer *p, const struct needs *n)
{
	print_str(p, ".version ");
	print_u64(p, n->version / 10u);
	print_str(p, ".");
	print_u64(p, n->version % 10u);
	print_str(p, "\n.target sm_");
	print_u64(p, n->sm);
	print_str(p, "\n.address_size 64\n");
	p->line += 3;
}

static enum err print_functions(struct printer *p)
{
	const struct ptx_module *m = p->m;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < m->function_count; i++)
			if (p->reach.functions[i] &&
			    m->functions[i].is_entry == (pass == 1))
				PRINT_TRY(print_body(p, &m->functions[i]));
	return ERR_OK;
}

static enum err all_kernels(struct arena *a, const struct ptx_module *m,
			    const uint32_t **kernels, uint32_t *count)
{
	uint32_t *list = ARENA_ARRAY(a, m->function_count + 1u, uint32_t);
	uint32_t n = 0;

	if (!list)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->function_count; i++)
		if (m->functions[i].is_entry && m->functions[i].has_body)
			list[n++] = i;
	*kernels = list;
	*count = n;
	return ERR_OK;
}

static enum err begin(struct printer *p, const uint32_t *kernels,
		      uint32_t kernel_count)
{
	const struct ptx_module *m = p->m;
	uint32_t lines = 0;

	if (!kernel_count)
		PRINT_TRY(all_kernels(p->a, m, &kernels, &kernel_count));
	PRINT_TRY(reach_find(p->a, m, kernels, kernel_count, &p->reach));
	for (uint32_t i = 0; i < m->function_count; i++)
		if (p->reach.functions[i])
			lines += m->functions[i].instr_count;
	p->lines = ARENA_ARRAY(p->a, lines + 1u, struct ptx_line);
	p->numbers = ARENA_ARRAY(p->a, m->variable_count + 1u, uint32_t);
	p->marks = ARENA_ARRAY(p->a, m->variable_count + 1u, uint8_t);
	return p->lines && p->numbers && p->marks ? ERR_OK : ERR_NO_MEMORY;
}

enum err ptx_print(struct arena *a, const struct ptx_module *m,
		   const uint32_t *kernels, uint32_t kernel_count,
		   struct buf *out, struct ptx_lines *ret_lines,
		   struct ptx_diag *reterr)
{
	struct printer p = {
		.a = a, .m = m, .out = out, .diag = reterr, .line = 1};
	struct needs n;
	enum err e = begin(&p, kernels, kernel_count);

	if (e != ERR_OK)
		return e;
	e = check_all(&p, &n);
	if (e != ERR_OK)
		return e;
	print_versions(&p, &n);
	for (uint32_t i = 0; i < m->function_count; i++) {
		if (!p.reach.functions[i] || m->functions[i].is_entry)
			continue;
		print_header(&p, &m->functions[i]);
		print_line_end(&p);
	}
	e = print_variables(&p);
	if (e == ERR_OK)
		e = print_functions(&p);
	if (e == ERR_OK && ret_lines)
		*ret_lines = (struct ptx_lines){p.lines, p.line_count};
	return e;
}
