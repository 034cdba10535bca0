/*
 * Module variables that a kernel may write are state, so they are part of the
 * program and of its memory roots; a constant is, when the manifest gives its
 * bytes.  Others live in the parts' text alone.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/build/priv/make.h"

/* A variable of the program, before they are sorted. */
struct found {
	struct program_symbol symbol;
	uint32_t module;
	uint32_t variable;
};

static bool is_module_variable(const struct ptx_variable *v)
{
	return v->owner == PTX_NO_INDEX && v->bytes > 0 &&
	       (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST);
}

/* What all kernels of a module may do to one of its variables. */
static uint32_t access_of(const struct make *k, uint32_t module,
			  uint32_t variable)
{
	uint32_t access = 0;

	for (uint32_t i = 0; i < k->p.part_count; i++)
		if (k->parts[i].module == module)
			access |= k->parts[i].variables[variable];
	return access;
}

static const struct manifest_symbol *named(const struct make *k,
					   struct bytes name)
{
	for (uint32_t i = 0; i < k->m->symbol_count; i++)
		if (make_name_matches(name, k->m->symbols[i].name))
			return &k->m->symbols[i];
	return NULL;
}

static enum err symbol_bytes(struct make *k, const struct manifest_symbol *s,
			     const struct ptx_variable *v,
			     struct bytes *ret_data)
{
	struct build_data d;
	const char *why = "";
	enum err err =
		build_open(k->files, &s->from, TASK_BUFFER_BYTES_MAX, &d, &why);

	if (err == ERR_NO_MEMORY)
		return make_no_memory(k);
	if (err != ERR_OK)
		return make_fail(
			k, s->from.at, "cannot read \"%.*s\": %s",
			(int)(s->from.name.n < 200 ? s->from.name.n : 200),
			(const char *)s->from.name.p, why);
	if (d.bytes.n != v->bytes)
		err = make_fail(k, s->from.at,
				"the file has %llu bytes, the variable "
				"\"%.*s\" %llu",
				(unsigned long long)d.bytes.n, (int)s->name.n,
				(const char *)s->name.p,
				(unsigned long long)v->bytes);
	else
		*ret_data = arena_copy(k->a, d.bytes);
	build_close(k->files, &s->from, &d);
	if (err == ERR_OK && !ret_data->p)
		return make_no_memory(k);
	return err;
}

/* Trailing zeroes need not be carried: what is missing is zero. */
static struct bytes trim(struct bytes b)
{
	while (b.n > 0 && b.p[b.n - 1] == 0)
		b.n--;
	return b;
}

static enum err add_variable(struct make *k, uint32_t module, uint32_t variable,
			     struct found *all, uint32_t *count)
{
	const struct ptx_variable *v = &k->modules[module]->variables[variable];
	const struct manifest_symbol *s = named(k, v->name);
	uint32_t access = access_of(k, module, variable);
	struct bytes data = bytes_of(v->init, (size_t)v->init_bytes);
	struct found *f = &all[*count];
	struct build_pos at = s ? s->at : (struct build_pos){0, 0};
	enum err err = ERR_OK;

	if (access == 0 || (!(access & PROGRAM_WRITE) && !s))
		return ERR_OK;
	if (v->reloc_count > 0)
		return make_fail(k, at,
				 "the variable \"%.*s\" holds addresses and "
				 "can only be a constant",
				 (int)v->name.n, (const char *)v->name.p);
	for (uint32_t i = 0; i < *count; i++)
		if (bytes_eq(all[i].symbol.name, v->name))
			return make_fail(k, at,
					 "two sources have a variable "
					 "\"%.*s\"",
					 (int)v->name.n,
					 (const char *)v->name.p);
	if (*count == PROGRAM_SYMBOLS_MAX)
		return make_fail(k, at, "more than %u variables",
				 PROGRAM_SYMBOLS_MAX);
	if (s)
		err = symbol_bytes(k, s, v, &data);
	f->symbol.name = arena_copy(k->a, v->name);
	f->symbol.bytes = v->bytes;
	f->symbol.written = (access & PROGRAM_WRITE) != 0;
	f->symbol.data = arena_copy(k->a, trim(data));
	f->module = module;
	f->variable = variable;
	++*count;
	return err;
}

static int found_cmp(const void *a, const void *b)
{
	return bytes_cmp(((const struct found *)a)->symbol.name,
			 ((const struct found *)b)->symbol.name);
}

static enum err part_uses(struct make *k, uint32_t index,
			  const struct found *all, uint32_t count)
{
	const struct make_part *part = &k->parts[index];
	struct program_part *out = &k->p.parts[index];

	out->symbols = ARENA_ARRAY(k->a, count + 1, struct program_symbol_use);
	if (!out->symbols)
		return make_no_memory(k);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t access = part->module == all[i].module
					  ? part->variables[all[i].variable]
					  : 0;

		if (access == 0)
			continue;
		out->symbols[out->symbol_count++] =
			(struct program_symbol_use){i, access};
	}
	return ERR_OK;
}

/* Every symbol of the manifest must name a variable that is used. */
static enum err check_named(struct make *k)
{
	for (uint32_t i = 0; i < k->m->symbol_count; i++) {
		const struct manifest_symbol *s = &k->m->symbols[i];
		uint32_t seen = 0;

		for (uint32_t j = 0; j < k->ptx_count; j++) {
			const struct ptx_module *m = k->modules[j];

			for (uint32_t v = 0; v < m->variable_count; v++)
				if (is_module_variable(&m->variables[v]) &&
				    make_name_matches(m->variables[v].name,
						      s->name))
					seen++;
		}
		if (seen == 0)
			return make_fail(
				k, s->at,
				"there is no variable \"%.*s\" that "
				"the kernels use",
				(int)(s->name.n < 100 ? s->name.n : 100),
				(const char *)s->name.p);
	}
	return ERR_OK;
}

enum err make_symbols(struct make *k)
{
	struct found *all =
		ARENA_ARRAY(k->scratch, PROGRAM_SYMBOLS_MAX, struct found);
	uint32_t count = 0;
	enum err err = check_named(k);

	if (!all)
		return make_no_memory(k);
	for (uint32_t i = 0; i < k->ptx_count && err == ERR_OK; i++) {
		const struct ptx_module *m = k->modules[i];

		for (uint32_t v = 0; v < m->variable_count && err == ERR_OK;
		     v++)
			if (is_module_variable(&m->variables[v]))
				err = add_variable(k, i, v, all, &count);
	}
	if (err != ERR_OK)
		return err;
	qsort(all, count, sizeof(all[0]), found_cmp);
	k->p.symbols = ARENA_ARRAY(k->a, count + 1, struct program_symbol);
	if (!k->p.symbols)
		return make_no_memory(k);
	k->p.symbol_count = count;
	for (uint32_t i = 0; i < count; i++)
		k->p.symbols[i] = all[i].symbol;
	for (uint32_t i = 0; i < k->p.part_count && err == ERR_OK; i++)
		err = part_uses(k, i, all, count);
	return err;
}
