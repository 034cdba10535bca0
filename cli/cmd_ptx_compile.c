/*
 * weft ptx compile, weft ptx canon
 */
#include <string.h>
#include <unistd.h>

#include "cli/compile.h"
#include "cli/table.h"
#include "cli/work.h"
#include "gpu/build/manifest.h"

#define DEFINES_MAX 256u

/* -D X=Y and -D X. */
static enum cli_exit take_defines(struct cli *c, struct manifest *m)
{
	struct manifest_define *d =
		ARENA_ARRAY(c->arena, DEFINES_MAX, struct manifest_define);
	const char *text;

	if (!d)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	for (size_t i = 0; (text = cli_value_at(c, "define", i)); i++) {
		size_t n = strcspn(text, "=");

		if (i == DEFINES_MAX)
			return cli_usage(c, "over %u defines", DEFINES_MAX);
		if (!n)
			return cli_usage(c, "-D takes NAME or NAME=VALUE");
		d[i].name = arena_str(c->arena, bytes_of(text, n));
		d[i].value = text[n] ? text + n + 1 : "";
		if (!d[i].name)
			return cli_fail(c, CLI_FAILED, "no_memory",
					"out of memory");
		m->define_count++;
	}
	m->defines = d;
	return CLI_DONE;
}

static enum cli_exit compile_one(struct cli *c, struct manifest *m,
				 const struct build_files *files)
{
	struct build_text *ptx;
	uint32_t count;
	enum cli_exit code = compile_manifest(c, m, files, &ptx, &count);

	if (code)
		return code;
	return work_write(c, cli_value(c, "output"), ptx[0].text);
}

static enum cli_exit compile(struct cli *c)
{
	struct build_files_folder folder;
	struct build_files files;
	struct build_source source = {.kind = BUILD_SOURCE_PATH};
	struct manifest m = {.sources = &source,
			     .source_count = 1,
			     .fmad = !cli_flag(c, "no-fmad")};
	unsigned long long sm = 0;
	const char *name;
	enum cli_exit code;

	if (cli_number(c, "sm-min", 999, &sm))
		return CLI_USAGE;
	m.sm_min = (uint32_t)sm;
	code = compile_folder(c, c->operands[0], &folder.folder_fd, &name);
	if (code)
		return code;
	m.file = c->operands[0];
	source.name = bytes_str(name);
	files = build_files_folder(&folder);
	code = take_defines(c, &m);
	if (!code)
		code = compile_one(c, &m, &files);
	close(folder.folder_fd);
	return code;
}

static const struct cli_option compile_options[] = {
	{"define", 'D', "X=Y", "define a macro, as often as needed"},
	{"no-fmad", 0, NULL, "C's rounding: no fused multiply-add"},
	{"sm-min", 0, "NN", "for cards from sm_NN on; otherwise sm_75"},
	{"output", 'o', "FILE", "write here instead of standard output"},
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_ptx_compile = {
	.noun = "ptx",
	.verb = "compile",
	.operands = "FILE.cu",
	.summary = "compile CUDA C to PTX, without a GPU",
	.help = "Compiles with NVRTC, with Weft's strict math included "
		"first, so that the\nresult is exact on every device.  "
		"Errors keep your lines.  Where NVRTC is not\ninstalled, "
		"FILE.ptx beside the source is used if it was made from "
		"the same text.\n\n"
		"  weft ptx compile saxpy.cu -D N=16 -o saxpy.ptx\n",
	.options = compile_options,
	.operands_min = 1,
	.operands_max = 1,
	.run = compile,
};

static enum cli_exit canon(struct cli *c)
{
	struct buf request = buf_make(PTX_TEXT_BYTES_MAX + 64);
	struct work w = {.kind = WIRE_CANON,
			 .request = &request,
			 .prefix = c->operands[0]};
	struct client *client;
	struct bytes text;
	enum cli_exit code;

	code = work_read(c, c->operands[0], PTX_TEXT_BYTES_MAX, &text);
	if (code)
		return code;
	job_record_encode(&request, text);
	code = work_run(c, &w, &client);
	if (code)
		return code;
	if (job_record_decode(client_answer(client), &text))
		code = work_bad_answer(c);
	else
		code = work_write(c, cli_value(c, "output"), text);
	client_free(client);
	return code;
}

static const struct cli_option canon_options[] = {
	{"output", 'o', "FILE", "write here instead of standard output"},
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_ptx_canon = {
	.noun = "ptx",
	.verb = "canon",
	.operands = "FILE.ptx",
	.summary = "print the canonical form of PTX",
	.help = "The form that programs carry: parsed and printed again, "
		"one instruction a line,\nregisters renamed, every "
		"rounding written out.\n\n"
		"  weft ptx canon saxpy.ptx\n",
	.options = canon_options,
	.operands_min = 1,
	.operands_max = 1,
	.run = canon,
};
