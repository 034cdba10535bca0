/*
 * The order: parse all PTX, resolve launches to kernels, lay out steps, check
 * arguments, classify every launch as bound, find the module variables that
 * are state, check and encode.  Parsed modules live in a scratch arena that
 * is gone at the end; only the program stays.
 */
#include "gpu/build/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/build/priv/make.h"
#include "gpu/program/header.h"

enum err make_fail(struct make *k, struct build_pos at, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	*k->diag = (struct build_diag){k->m->file, at,
				       arena_str(k->a, bytes_str(text))};
	if (!k->diag->text)
		return make_no_memory(k);
	return ERR_MANIFEST;
}

enum err make_no_memory(struct make *k)
{
	*k->diag = (struct build_diag){.file = k->m->file,
				       .text = err_words(ERR_NO_MEMORY)};
	return ERR_NO_MEMORY;
}

static enum err parse_all(struct make *k)
{
	k->modules =
		ARENA_ARRAY(k->scratch, k->ptx_count + 1, struct ptx_module *);
	if (!k->modules)
		return make_no_memory(k);
	for (uint32_t i = 0; i < k->ptx_count; i++) {
		struct ptx_diag d = {.line = 0};
		enum err err = ptx_parse(k->scratch, k->ptx[i].text,
					 &k->modules[i], &d);

		if (err == ERR_OK)
			continue;
		if (err == ERR_NO_MEMORY)
			return make_no_memory(k);
		*k->diag =
			(struct build_diag){k->ptx[i].name,
					    {d.line, d.column},
					    arena_str(k->a, bytes_str(d.text))};
		return k->diag->text ? err : make_no_memory(k);
	}
	return ERR_OK;
}

static enum err make_buffers(struct make *k)
{
	const struct manifest *m = k->m;

	k->p.buffers =
		ARENA_ARRAY(k->a, m->buffer_count + 1, struct program_buffer);
	k->p.columns =
		ARENA_ARRAY(k->a, m->carried_count + 1, enum program_column);
	if (!k->p.buffers || !k->p.columns)
		return make_no_memory(k);
	k->p.buffer_count = m->buffer_count;
	k->p.column_count = m->carried_count;
	for (uint32_t i = 0; i < m->buffer_count; i++) {
		const struct manifest_buffer *b = &m->buffers[i];
		struct program_buffer *out = &k->p.buffers[i];
		bool input = b->from.kind != BUILD_SOURCE_NONE;

		out->bytes = b->size_bytes;
		out->init = input ? PROGRAM_INIT_INPUT : PROGRAM_INIT_FILL;
		out->fill = b->fill;
		out->save = b->save.n > 0 ||
			    (m->picture.is_set && m->picture.buffer == i) ||
			    (m->frames.is_set && m->frames.buffer == i);
	}
	return ERR_OK;
}

/* Buffers that a table or chart shows are outputs too. */
static void save_shown(struct make *k, const struct manifest_chart *c)
{
	for (uint32_t i = 0; c->is_set && i < c->series_count; i++)
		if (c->series[i].is_buffer)
			k->p.buffers[c->series[i].buffer].save = true;
}

/* The parts together must be loadable as one module. */
static enum err check_parts(struct make *k)
{
	struct bytes *texts =
		ARENA_ARRAY(k->scratch, k->p.part_count + 1, struct bytes);
	struct ptx_module *module;
	struct ptx_diag d = {.line = 0};
	uint32_t part = 0;
	enum err err;

	if (!texts)
		return make_no_memory(k);
	for (uint32_t i = 0; i < k->p.part_count; i++)
		texts[i] = k->p.parts[i].text;
	err = ptx_parse_parts(k->scratch, texts, k->p.part_count, &module, &d,
			      &part);
	if (err == ERR_OK)
		return ERR_OK;
	if (err == ERR_NO_MEMORY)
		return make_no_memory(k);
	return make_fail(k, (struct build_pos){0, 0},
			 "the kernels do not fit together: %s", d.text);
}

static enum err encode(struct make *k, struct build_result *r)
{
	struct buf b = buf_make(PROGRAM_BYTES_MAX);
	struct program_header h;
	enum err err = program_check(&k->p);

	if (err == ERR_LIMIT || err == ERR_MALFORMED)
		return make_fail(k, (struct build_pos){0, 0},
				 "the program passes a limit: steps, CTAs or "
				 "bytes (at most 2^20 launches, 2^40 CTAs, 64 "
				 "GiB)");
	if (err == ERR_OK)
		err = program_header_make(k->a, &k->p, &h);
	if (err == ERR_OK)
		err = program_id(k->scratch, &k->p, &r->id);
	if (err == ERR_OK) {
		program_encode(&b, &k->p);
		err = b.err;
	}
	if (err == ERR_OK) {
		r->encoding = arena_copy(k->a, buf_bytes(&b));
		err = r->encoding.p ? ERR_OK : ERR_NO_MEMORY;
	}
	buf_free(&b);
	if (err == ERR_NO_MEMORY)
		return make_no_memory(k);
	if (err != ERR_OK)
		return make_fail(k, (struct build_pos){0, 0},
				 "the program is larger than 16 MiB");
	r->needs = (struct build_needs){
		.sm = h.needs.sm,
		.shared_bytes = h.needs.shared_bytes,
		.threads = h.needs.threads,
		.local_bytes = h.needs.local_bytes,
		.memory_bytes = h.needs.memory_bytes,
	};
	return ERR_OK;
}

static bool all_printed(const struct make *k)
{
	for (uint32_t i = 0; i < k->p.part_count; i++)
		if (!k->parts[i].is_printed)
			return false;
	return true;
}

static enum err make(struct make *k, struct build_result *r)
{
	enum err err = parse_all(k);

	if (err == ERR_OK)
		err = make_buffers(k);
	if (err != ERR_OK)
		return err;
	save_shown(k, &k->m->table_view);
	save_shown(k, &k->m->line);
	save_shown(k, &k->m->points);
	err = make_steps(k);
	if (err == ERR_OK)
		err = make_check_values(k);
	if (err == ERR_OK)
		err = make_classify(k);
	if (err == ERR_OK)
		err = make_symbols(k);
	if (err != ERR_OK)
		return err;
	r->class_name = ptx_sale_letter(k->sale);
	r->is_proved = k->is_proved;
	r->launches = k->launches;
	r->launch_count = k->launch_count;
	r->reasons = k->reasons;
	r->reason_count = k->reason_count;
	if (!all_printed(k))
		return ERR_OK; /* class X: there is nothing to run */
	err = check_parts(k);
	return err == ERR_OK ? encode(k, r) : err;
}

enum err build_program(struct arena *a, const struct manifest *m,
		       const struct build_text *ptx, uint32_t ptx_count,
		       const struct build_files *files,
		       struct build_result *ret_result,
		       struct build_diag *reterr_diag)
{
	struct make k = {.a = a,
			 .m = m,
			 .ptx = ptx,
			 .ptx_count = ptx_count,
			 .files = files,
			 .diag = reterr_diag};
	struct build_result r = {.class_name = 'A'};
	enum err err;

	*reterr_diag = (struct build_diag){.file = m->file};
	k.scratch = arena_new(BUILD_SCRATCH_BYTES);
	if (!k.scratch)
		return make_no_memory(&k);
	err = make(&k, &r);
	arena_free(k.scratch);
	if (err == ERR_OK)
		*ret_result = r;
	return err;
}
