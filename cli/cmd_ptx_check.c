/*
 * weft ptx check: what kernels, or a manifest's launches, can be sold as.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/local.h"
#include "cli/table.h"
#include "cli/work.h"
#include "gpu/ptx/classify.h"

static enum cli_exit report_on(struct cli *c, const char *path,
			       struct bytes ptx, struct job_report *ret)
{
	struct buf request = buf_make(PTX_TEXT_BYTES_MAX + 64);
	struct work w = {
		.kind = WIRE_CHECK, .request = &request, .prefix = path};
	struct client *client;
	struct bytes answer;
	enum cli_exit code;

	job_record_encode(&request, ptx);
	code = work_run(c, &w, &client);
	if (code)
		return code;
	answer = arena_copy(c->arena, client_answer(client));
	client_free(client);
	if (!answer.p || job_report_decode(c->arena, answer, ret))
		return work_bad_answer(c);
	return CLI_DONE;
}

static json_t *json_reason(const struct job_reason *r)
{
	return json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "line",
		json_count(r->line), "source_line", json_count(r->source_line),
		"file", json_text(r->file), "opcode", json_text(r->opcode),
		"reason", json_text(r->reason), "text", json_text(r->text),
		"hint", json_text(r->hint), "count", json_count(r->count));
}

static json_t *json_reasons(const struct job_kernel *k)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < k->reason_count; i++)
		json_array_append_new(list, json_reason(&k->reasons[i]));
	return list;
}

static json_t *json_needs(const struct job_kernel *k)
{
	char version[16];

	snprintf(version, sizeof(version), "%u.%u", k->version / 10,
		 k->version % 10);
	return json_pack("{s:i,s:s,s:o,s:b,s:o,s:o,s:b,s:o}", "sm", (int)k->sm,
			 "version", version, "shared_bytes",
			 json_count(k->shared_bytes), "dynamic_shared",
			 k->dynamic_shared, "threads", json_count(k->threads),
			 "local_bytes", json_count(k->local_bytes), "stack",
			 k->needs_stack, "memory_bytes",
			 json_count(k->memory_bytes));
}

static json_t *json_kernel(const struct job_kernel *k, json_t *reasons)
{
	json_t *footprint = json_array();
	json_t *opcodes = json_object();

	for (uint32_t i = 0; i < k->use_count; i++)
		json_array_append_new(footprint,
				      json_pack("{s:i,s:b,s:b}", "param",
						(int)k->uses[i].param, "read",
						k->uses[i].read, "write",
						k->uses[i].write));
	for (uint32_t i = 0; i < k->opcode_count; i++)
		json_object_setn_new(
			opcodes, (const char *)k->opcodes[i].name.p,
			k->opcodes[i].name.n, json_count(k->opcodes[i].count));
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name",
			 json_text(k->name), "class", json_text(k->class_name),
			 "independence", json_text(k->independence), "reasons",
			 reasons, "footprint", footprint, "needs",
			 json_needs(k), "opcodes", opcodes);
}

/* What a class means to whoever wrote the kernel. */
static const char *meaning_of(struct bytes class_name)
{
	switch (class_name.n ? class_name.p[0] : 0) {
	case 'A':
		return "exact on every device";
	case 'B':
		return "exact on one architecture";
	case 'R':
		return "exact; checked as a whole launch";
	case 'S':
		return "a search: most thread blocks may write nothing";
	case 'C':
		return "not sold: the result depends on order, time or "
		       "place";
	case 'D':
		return "not sold: it needs the whole grid at once";
	default:
		return "does not run here";
	}
}

static void put_kernel(const struct job_kernel *k)
{
	printf("%.*s: class %.*s, %s\n", (int)k->name.n,
	       (const char *)k->name.p, (int)k->class_name.n,
	       (const char *)k->class_name.p, meaning_of(k->class_name));
	if (k->independence.n)
		printf("  thread blocks are independent: %.*s\n",
		       (int)k->independence.n, (const char *)k->independence.p);
	printf("  needs sm_%u, PTX %u.%u, %u bytes of shared memory%s, %u of "
	       "local memory a thread%s",
	       k->sm, k->version / 10, k->version % 10, k->shared_bytes,
	       k->dynamic_shared ? " and what the launch adds" : "",
	       k->local_bytes, k->needs_stack ? ", a stack" : "");
	if (k->threads)
		printf(", thread blocks of at most %u", k->threads);
	printf("\n");
	for (uint32_t i = 0; i < k->use_count; i++)
		printf("  parameter %u: %s%s%s\n", k->uses[i].param,
		       k->uses[i].read ? "read" : "",
		       k->uses[i].read && k->uses[i].write ? " and " : "",
		       k->uses[i].write ? "written" : "");
}

static void put_words(const char *before, struct bytes words)
{
	if (words.n)
		printf("%s%.*s", before, (int)words.n, (const char *)words.p);
}

static void put_reason(const struct job_reason *r)
{
	printf("  %.*s", (int)r->reason.n, (const char *)r->reason.p);
	put_words(" at ", r->opcode);
	if (r->source_line && r->file.n)
		printf(", %.*s:%" PRIu64, (int)r->file.n,
		       (const char *)r->file.p, r->source_line);
	if (r->line)
		printf(", PTX line %" PRIu64, r->line);
	if (r->count > 1)
		printf(" and %" PRIu64 " more", r->count - 1);
	put_words("\n    ", r->text);
	put_words("\n    instead: ", r->hint);
	printf("\n");
}

static enum cli_exit check_ptx(struct cli *c, struct bytes ptx)
{
	struct job_report report;
	json_t *kernels;
	enum cli_exit code = report_on(c, c->operands[0], ptx, &report);

	if (code)
		return code;
	kernels = json_array();
	for (uint32_t i = 0; i < report.kernel_count; i++) {
		const struct job_kernel *k = &report.kernels[i];

		json_array_append_new(kernels, json_kernel(k, json_reasons(k)));
		if (c->json)
			continue;
		put_kernel(k);
		for (uint32_t r = 0; r < k->reason_count; r++)
			put_reason(&k->reasons[r]);
	}
	if (!report.kernel_count && !c->json)
		printf("no kernels: nothing in it is an .entry\n");
	if (c->json)
		json_put(json_pack("{s:o}", "kernels", kernels));
	else
		json_decref(kernels);
	return CLI_DONE;
}

/* The kernel that a launch runs, in one of the texts' reports. */
static const struct job_kernel *kernel_of(const struct job_report *reports,
					  uint32_t count, struct bytes entry)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < reports[i].kernel_count; k++)
			if (bytes_eq(reports[i].kernels[k].name, entry))
				return &reports[i].kernels[k];
	return NULL;
}

/* The sentence of a reason's word. */
static struct bytes text_of(struct bytes word)
{
	for (uint32_t i = 0; i < PTX_WHY_COUNT; i++)
		if (bytes_eq(word, bytes_str(ptx_why_word((enum ptx_why)i))))
			return bytes_str(ptx_why_text((enum ptx_why)i));
	return BYTES_LIT("");
}

/* A launch: its kernel's report with the class and the reasons that the
 * launch has. */
static enum cli_exit take_launch(struct cli *c, const struct local_job *j,
				 const struct build_launch *l,
				 const struct job_kernel *kernel,
				 json_t *kernels)
{
	struct job_kernel k = kernel ? *kernel : (struct job_kernel){0};

	k.name = l->kernel;
	k.reasons = ARENA_ARRAY(c->arena, (size_t)l->reason_count + 1,
				struct job_reason);
	if (!k.reasons)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	k.class_name = bytes_of(&l->class_name, 1);
	k.independence =
		l->is_proved ? BYTES_LIT("proved") : BYTES_LIT("assumed");
	if (strchr("CDX", l->class_name))
		k.independence = BYTES_LIT("");
	k.reason_count = l->reason_count;
	for (uint32_t i = 0; i < l->reason_count; i++) {
		const struct build_reason *r =
			&j->result.reasons[l->first_reason + i];

		k.reasons[i] = (struct job_reason){
			.line = r->file.n ? 0 : r->line,
			.source_line = r->file.n ? r->line : 0,
			.file = r->file,
			.opcode = r->opcode,
			.reason = r->reason,
			.text = text_of(r->reason),
			.hint = r->hint,
			.count = 1,
		};
	}
	json_array_append_new(kernels, json_kernel(&k, json_reasons(&k)));
	if (c->json)
		return CLI_DONE;
	put_kernel(&k);
	for (uint32_t i = 0; i < k.reason_count; i++)
		put_reason(&k.reasons[i]);
	return CLI_DONE;
}

static enum cli_exit check_launches(struct cli *c, struct local_job *j)
{
	struct job_report *reports;
	json_t *kernels;
	enum cli_exit code = local_build(c, j, false, true);

	if (code)
		return code;
	reports = ARENA_ARRAY(c->arena, (size_t)j->ptx_count + 1,
			      struct job_report);
	if (!reports)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	for (uint32_t i = 0; i < j->ptx_count; i++) {
		code = report_on(c, j->ptx[i].name, j->ptx[i].text,
				 &reports[i]);
		if (code)
			return code;
	}
	kernels = json_array();
	for (uint32_t i = 0; i < j->result.launch_count; i++) {
		const struct build_launch *l = &j->result.launches[i];

		code = take_launch(c, j, l,
				   kernel_of(reports, j->ptx_count, l->entry),
				   kernels);
		if (code)
			return code;
	}
	if (c->json)
		json_put(json_pack("{s:o}", "kernels", kernels));
	else
		json_decref(kernels);
	return CLI_DONE;
}

static bool is_manifest(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!strchr(" \t\r\n", text.p[i]))
			return text.p[i] == '{';
	return false;
}

static enum cli_exit check(struct cli *c)
{
	static struct local_job j;
	struct bytes text;
	enum cli_exit code;

	code = work_read(c, c->operands[0], PTX_TEXT_BYTES_MAX, &text);
	if (code)
		return code;
	if (!is_manifest(text))
		return check_ptx(c, text);
	code = local_open(c, c->operands[0], &j);
	if (!code)
		code = check_launches(c, &j);
	local_close(&j);
	return code;
}

const struct cli_command cli_ptx_check = {
	.noun = "ptx",
	.verb = "check",
	.operands = "FILE.ptx|MANIFEST",
	.summary = "classify kernels or launches, with reasons",
	.help = "A: exact everywhere.  B: exact per architecture.  R: "
		"one atomic operation.  S: a\nsearch.  C, D and X are "
		"not sold; the reasons name the rewrite that helps.\n\n"
		"  weft ptx check saxpy.ptx --json\n",
	.operands_min = 1,
	.operands_max = 1,
	.run = check,
};
