/*
 * Jobs on a PTX text alone: canon, check, and the loading that all runs
 * share.  Messages begin with "line:column: " of that text.
 */
#include <string.h>

#include "gpu/ptx/classify.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/print.h"
#include "gpu/worker/priv/job.h"

enum err worker_parse(struct worker *w, struct bytes ptx,
		      struct ptx_module **ret_tree)
{
	struct ptx_diag diag = {0};
	enum err e = ptx_parse(w->arena, ptx, ret_tree, &diag);

	if (!e)
		return ERR_OK;
	if (!diag.line)
		return worker_fail(w, e, "%s",
				   diag.text[0] ? diag.text : err_words(e));
	return worker_fail(w, e, "%u:%u: %s", diag.line, diag.column,
			   diag.text);
}

enum err worker_load_tree(struct worker *w, const struct ptx_module *tree,
			  uint32_t stack_bytes, struct exec_module **ret_module)
{
	struct exec_module_options o = {.stack_bytes = stack_bytes};
	struct exec_refusal why = {0};
	enum err e = exec_module_load(tree, &o, ret_module, &why);

	if (e == ERR_EXEC_REFUSED)
		return worker_fail(w, e, "%u: %s", why.line, why.text);
	return e;
}

enum err worker_load(struct worker *w, struct bytes ptx, uint32_t stack_bytes,
		     struct ptx_module **ret_tree,
		     struct exec_module **ret_module)
{
	enum err e = worker_parse(w, ptx, ret_tree);

	return e ? e : worker_load_tree(w, *ret_tree, stack_bytes, ret_module);
}

enum err worker_canon(struct worker *w, struct bytes request,
		      struct buf *answer)
{
	struct ptx_module *tree;
	struct ptx_diag diag = {0};
	struct bytes ptx;
	struct buf text = buf_make(JOB_RECORD_BYTES_MAX);
	enum err e = job_record_decode(request, &ptx);

	if (!e)
		e = worker_parse(w, ptx, &tree);
	if (e)
		return e;
	e = ptx_print(w->arena, tree, NULL, 0, &text, NULL, &diag);
	if (e)
		return worker_fail(w, e, "%u:%u: %s", diag.line, diag.column,
				   diag.text[0] ? diag.text : err_words(e));
	job_record_encode(answer, buf_bytes(&text));
	buf_free(&text);
	return ERR_OK;
}

static struct bytes file_of(const struct ptx_module *m, uint32_t file)
{
	return file < m->file_count && m->files[file].p ? m->files[file]
							: BYTES_LIT("");
}

static struct job_reason reason_of(struct arena *a, const struct ptx_module *m,
				   const struct ptx_reason *from)
{
	const char *text = ptx_why_text(from->why);

	if (from->detail[0])
		text = arena_printf(a, "%s (%s)", text, from->detail);
	return (struct job_reason){
		.line = from->line,
		.source_line = from->source_line,
		.file = file_of(m, from->source_file),
		.opcode = bytes_str(from->opcode),
		.reason = bytes_str(ptx_why_word(from->why)),
		.text = bytes_str(text ? text : ""),
		.hint = bytes_str(ptx_why_hint(from->why)),
		.count = from->count,
	};
}

/* What the referee cannot execute, in the canonical text of the kernel alone;
 * written if there is such. */
static enum err find_refusal(struct arena *a, const struct ptx_module *m,
			     uint32_t kernel, bool needs_stack,
			     struct buf *text, struct exec_refusal *ret_why,
			     struct ptx_line *ret_place, bool *ret_is_refused)
{
	struct exec_module_options o = {.stack_bytes = needs_stack ? 4096 : 0};
	struct ptx_lines lines = {0};
	struct ptx_module *part;
	struct exec_module *loaded;
	enum err e = ptx_print(a, m, &kernel, 1, text, &lines, NULL);

	if (!e)
		e = ptx_parse(a, buf_bytes(text), &part, NULL);
	if (!e)
		e = exec_module_load(part, &o, &loaded, ret_why);
	if (!e)
		exec_module_free(loaded);
	*ret_is_refused = e == ERR_EXEC_REFUSED;
	if (e != ERR_EXEC_REFUSED)
		return e;
	for (uint32_t i = 0; i < lines.count; i++)
		if (lines.lines[i].line <= ret_why->line)
			*ret_place = lines.lines[i];
	return ERR_OK;
}

/* A kernel that the market knows, but not this referee, does not run. */
static enum err report_refusal(struct arena *a, const struct ptx_module *m,
			       const struct ptx_report *r, struct job_kernel *k)
{
	struct arena *scratch = arena_new(PTX_ARENA_BYTES);
	struct buf text = buf_make(JOB_RECORD_BYTES_MAX);
	struct exec_refusal why = {0};
	struct ptx_line at = {0};
	bool is_refused = false;
	enum err e = ERR_NO_MEMORY;

	if (scratch)
		e = find_refusal(scratch, m, r->kernel, r->needs.needs_stack,
				 &text, &why, &at, &is_refused);
	buf_free(&text);
	arena_free(scratch);
	if (e || !is_refused)
		return e;
	memmove(&k->reasons[1], &k->reasons[0],
		k->reason_count * sizeof(k->reasons[0]));
	k->reason_count++;
	k->reasons[0] = (struct job_reason){
		.line = at.text_line,
		.source_line = at.source_line,
		.file = file_of(m,
				at.source_line ? at.source_file : UINT32_MAX),
		.reason = BYTES_LIT("not_executed"),
		.text = bytes_str(arena_printf(
			a, "the referee does not execute this: %s", why.text)),
		.hint = BYTES_LIT("write it without this instruction"),
		.count = 1,
	};
	k->class_name = BYTES_LIT("X");
	k->independence = BYTES_LIT("");
	return k->reasons[0].text.p ? ERR_OK : ERR_NO_MEMORY;
}

static enum err report_reasons(struct arena *a, const struct ptx_module *m,
			       const struct ptx_report *r, struct job_kernel *k)
{
	uint32_t count = r->reason_count;

	if (count > JOB_REPORT_REASONS_MAX - 1)
		count = JOB_REPORT_REASONS_MAX - 1;
	k->reasons = ARENA_ARRAY(a, count + 1u, struct job_reason);
	if (!k->reasons)
		return ERR_NO_MEMORY;
	k->reason_count = count;
	for (uint32_t i = 0; i < count; i++)
		k->reasons[i] = reason_of(a, m, &r->reasons[i]);
	return ERR_OK;
}

/* Footprint entries of one parameter (a struct may hold several pointers)
 * become one line. */
static enum err report_uses(struct arena *a, const struct ptx_report *r,
			    struct job_kernel *k)
{
	k->uses = ARENA_ARRAY(a, r->footprint_count, struct job_use);
	if (!k->uses && r->footprint_count)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < r->footprint_count; i++) {
		const struct ptx_footprint *f = &r->footprint[i];
		struct job_use *u = NULL;

		if (f->is_variable)
			continue;
		for (uint32_t j = 0; j < k->use_count; j++)
			if (k->uses[j].param == f->index)
				u = &k->uses[j];
		if (!u) {
			u = &k->uses[k->use_count++];
			*u = (struct job_use){.param = f->index};
		}
		u->read |= f->read || f->atomic;
		u->write |= f->written || f->atomic;
	}
	return ERR_OK;
}

static enum err report_opcodes(struct arena *a, const struct ptx_report *r,
			       struct job_kernel *k)
{
	k->opcodes = ARENA_ARRAY(a, r->count_count, struct job_opcode);
	if (!k->opcodes && r->count_count)
		return ERR_NO_MEMORY;
	k->opcode_count = r->count_count;
	for (uint32_t i = 0; i < r->count_count; i++)
		k->opcodes[i] = (struct job_opcode){
			bytes_str(r->counts[i].opcode), r->counts[i].count};
	return ERR_OK;
}

static enum err report_kernel(struct arena *a, const struct ptx_module *m,
			      uint32_t index, struct job_kernel *k)
{
	struct ptx_report r;
	char *letter = arena_alloc(a, 1, 1);
	enum err e = ptx_classify(a, m, index, NULL, &r);

	if (e)
		return e;
	if (!letter)
		return ERR_NO_MEMORY;
	*letter = ptx_sale_letter(r.sale);
	k->name = m->functions[index].name;
	k->class_name = bytes_of(letter, 1);
	k->independence = bytes_str(r.sale >= PTX_SALE_C	   ? ""
				    : r.independence == PTX_PROVED ? "proved"
								   : "assumed");
	k->sm = r.needs.sm;
	k->version = r.needs.version;
	k->shared_bytes = r.needs.shared_bytes;
	k->dynamic_shared = r.needs.uses_dynamic_shared;
	k->threads = r.needs.threads;
	k->local_bytes = r.needs.local_bytes;
	k->needs_stack = r.needs.needs_stack;
	k->memory_bytes = r.needs.memory_bytes;
	e = report_reasons(a, m, &r, k);
	/* Only these need the referee to be sold. */
	if (!e && (r.sale == PTX_SALE_A || r.sale == PTX_SALE_R ||
		   r.sale == PTX_SALE_S))
		e = report_refusal(a, m, &r, k);
	if (!e)
		e = report_uses(a, &r, k);
	if (!e)
		e = report_opcodes(a, &r, k);
	return e;
}

enum err worker_check(struct worker *w, struct bytes request,
		      struct buf *answer)
{
	struct job_report report = {0};
	struct ptx_module *tree;
	struct bytes ptx;
	enum err e = job_record_decode(request, &ptx);

	if (!e)
		e = worker_parse(w, ptx, &tree);
	if (e)
		return e;
	report.kernels = ARENA_ARRAY(w->arena, JOB_REPORT_KERNELS_MAX,
				     struct job_kernel);
	if (!report.kernels)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < tree->function_count; i++) {
		if (!tree->functions[i].is_entry ||
		    !tree->functions[i].has_body)
			continue;
		if (report.kernel_count == JOB_REPORT_KERNELS_MAX)
			return worker_fail(w, ERR_LIMIT, "over %u kernels",
					   JOB_REPORT_KERNELS_MAX);
		e = report_kernel(w->arena, tree, i,
				  &report.kernels[report.kernel_count++]);
		if (e)
			return e;
	}
	job_report_encode(answer, &report);
	return ERR_OK;
}

/* The last printed line that starts at or before line. */
static const struct ptx_line *line_before(const struct ptx_lines *l,
					  uint64_t line)
{
	const struct ptx_line *best = NULL;

	for (uint32_t i = 0; i < l->count && l->lines[i].line <= line; i++)
		best = &l->lines[i];
	return best;
}

static struct job_place place_of(const struct ptx_module *tree,
				 const struct ptx_lines *lines, uint64_t line)
{
	const struct ptx_line *l = line_before(lines, line);
	struct job_place place = {{NULL, 0}, 0};

	if (!l || !l->source_line)
		return place;
	place.line = l->source_line;
	if (l->source_file < tree->file_count && tree->files[l->source_file].p)
		place.file = tree->files[l->source_file];
	return place;
}

enum err worker_lines(struct worker *w, struct bytes request,
		      struct buf *answer)
{
	struct job_places places = {0};
	struct buf text = buf_make(JOB_RECORD_BYTES_MAX);
	struct ptx_module *tree;
	struct ptx_lines lines;
	struct job_lines l;
	uint32_t kernel;
	enum err e = job_lines_decode(w->arena, request, &l);

	if (!e)
		e = worker_parse(w, l.ptx, &tree);
	if (e)
		return e;
	kernel = ptx_module_find(tree, l.kernel);
	places.found = kernel != PTX_NO_INDEX;
	if (places.found) {
		e = ptx_print(w->arena, tree, &kernel, 1, &text, &lines, NULL);
		if (e)
			return e;
		places.place_count = l.line_count;
		places.places = ARENA_ARRAY(w->arena, (size_t)l.line_count + 1,
					    struct job_place);
		if (!places.places)
			return ERR_NO_MEMORY;
	}
	for (uint32_t i = 0; i < places.place_count; i++)
		places.places[i] = place_of(tree, &lines, l.lines[i]);
	job_places_encode(answer, &places);
	buf_free(&text);
	return ERR_OK;
}
