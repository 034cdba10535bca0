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

static json_t *json_reasons(const struct job_kernel *k)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < k->reason_count; i++) {
		const struct job_reason *r = &k->reasons[i];

		json_array_append_new(
			list, json_pack("{s:o,s:o,s:o,s:o,s:o}", "line",
					json_count(r->line), "source_line",
					json_count(r->source_line), "opcode",
					json_text(r->opcode), "reason",
					json_text(r->reason), "hint",
					json_text(r->hint)));
	}
	return list;
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
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:{s:i,s:o,s:o,s:o,s:o},s:o}",
			 "name", json_text(k->name), "class",
			 json_text(k->class_name), "independence",
			 json_text(k->independence), "reasons", reasons,
			 "footprint", footprint, "needs", "sm", (int)k->sm,
			 "shared_bytes", json_count(k->shared_bytes), "threads",
			 json_count(k->threads), "local_bytes",
			 json_count(k->local_bytes), "memory_bytes",
			 json_count(k->memory_bytes), "opcodes", opcodes);
}

static void put_kernel(const struct job_kernel *k)
{
	printf("%.*s: class %.*s (%.*s), sm_%u, %u shared bytes, %u local "
	       "bytes a thread\n",
	       (int)k->name.n, (const char *)k->name.p, (int)k->class_name.n,
	       (const char *)k->class_name.p, (int)k->independence.n,
	       (const char *)k->independence.p, k->sm, k->shared_bytes,
	       k->local_bytes);
	for (uint32_t i = 0; i < k->use_count; i++)
		printf("  parameter %u: %s%s\n", k->uses[i].param,
		       k->uses[i].read ? "read " : "",
		       k->uses[i].write ? "written" : "");
}

static void put_reason(uint64_t line, struct bytes file, struct bytes opcode,
		       struct bytes reason, struct bytes hint)
{
	printf("  %.*s%sline %" PRIu64 ": %.*s: %.*s%s%.*s\n", (int)file.n,
	       (const char *)file.p, file.n ? " " : "", line, (int)opcode.n,
	       (const char *)opcode.p, (int)reason.n, (const char *)reason.p,
	       hint.n ? "; " : "", (int)hint.n, (const char *)hint.p);
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
			put_reason(k->reasons[r].line, BYTES_LIT(""),
				   k->reasons[r].opcode, k->reasons[r].reason,
				   k->reasons[r].hint);
	}
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

static json_t *launch_reasons(const struct local_job *j,
			      const struct build_launch *l)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < l->reason_count; i++) {
		const struct build_reason *r =
			&j->result.reasons[l->first_reason + i];

		json_array_append_new(list,
				      json_pack("{s:o,s:i,s:o,s:o,s:o}", "file",
						json_text(r->file), "line",
						(int)r->line, "opcode",
						json_text(r->opcode), "reason",
						json_text(r->reason), "hint",
						json_text(r->hint)));
	}
	return list;
}

/* A launch: its kernel's report with the class that the launch has. */
static void take_launch(struct cli *c, const struct local_job *j,
			const struct build_launch *l,
			const struct job_kernel *kernel, json_t *kernels)
{
	struct job_kernel k = kernel ? *kernel : (struct job_kernel){0};

	k.name = l->kernel;
	k.class_name = bytes_of(&l->class_name, 1);
	k.independence = bytes_str(l->is_proved ? "proved" : "assumed");
	json_array_append_new(kernels, json_kernel(&k, launch_reasons(j, l)));
	if (c->json)
		return;
	put_kernel(&k);
	for (uint32_t i = 0; i < l->reason_count; i++) {
		const struct build_reason *r =
			&j->result.reasons[l->first_reason + i];

		put_reason(r->line, r->file, r->opcode, r->reason, r->hint);
	}
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

		take_launch(c, j, l, kernel_of(reports, j->ptx_count, l->entry),
			    kernels);
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
