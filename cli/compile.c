/*
 * The cache is a folder of the user's; without one every run compiles.
 */
#define _GNU_SOURCE
#include "cli/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/work.h"
#include "gpu/build/manifest.h"

enum cli_exit compile_fail(struct cli *c, enum err e,
			   const struct build_diag *diag)
{
	struct buf text = buf_make(64u << 10);
	const char *word = e == ERR_NO_COMPILER ? "no_compiler"
			   : e == ERR_MANIFEST	? "manifest"
						: "failed";
	enum cli_exit code;

	if (diag->text)
		build_diag_put(&text, diag);
	else
		buf_put_str(&text, err_words(e));
	code = cli_fail(c, CLI_FAILED, word, "%.*s", (int)text.n,
			(const char *)text.p);
	buf_free(&text);
	return code;
}

static int open_cache(struct cli *c)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	const char *path;

	if (base && *base == '/') {
		path = arena_printf(c->arena, "%s/weft", base);
	} else if (home && *home == '/') {
		base = arena_printf(c->arena, "%s/.cache", home);
		path = arena_printf(c->arena, "%s/.cache/weft", home);
	} else {
		return -1;
	}
	if (!base || !path)
		return -1;
	(void)mkdir(base, 0700);
	(void)mkdir(path, 0700);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static enum cli_exit compile_in_worker(struct cli *c,
				       const struct build_unit *unit,
				       struct bytes *ret_ptx)
{
	struct buf record = buf_make(JOB_RECORD_BYTES_MAX);
	struct buf request = buf_make(JOB_RECORD_BYTES_MAX + 64);
	struct work w = {
		.kind = WIRE_COMPILE, .request = &request, .label = NULL};
	struct client *client;
	struct bytes ptx;
	enum cli_exit code;

	build_unit_encode(&record, unit);
	job_record_encode(&request, buf_bytes(&record));
	if (record.err)
		request.err = record.err;
	buf_free(&record);
	code = work_run(c, &w, &client);
	if (code)
		return code;
	if (job_record_decode(client_answer(client), &ptx)) {
		code = work_bad_answer(c);
	} else {
		*ret_ptx = arena_copy(c->arena, ptx);
		if (!ret_ptx->p)
			code = cli_fail(c, CLI_FAILED, "no_memory",
					"no memory for the PTX");
	}
	client_free(client);
	return code;
}

enum cli_exit compile_unit(struct cli *c, const struct build_files *files,
			   const struct build_unit *unit, struct bytes *ret_ptx)
{
	struct build_nvrtc_place place;
	struct build_diag diag = {0};
	enum cli_exit code;
	int cache;
	enum err e = build_nvrtc_find(c->arena, &place, &diag);

	if (e) {
		e = build_committed(c->arena, unit, files, ret_ptx, &diag);
		return e ? compile_fail(c, e, &diag) : CLI_DONE;
	}
	cache = open_cache(c);
	if (cache >= 0 &&
	    !build_cache_get(cache, c->arena, unit, &place, ret_ptx)) {
		close(cache);
		return CLI_DONE;
	}
	code = compile_in_worker(c, unit, ret_ptx);
	/* A full disk costs time at the next run, nothing else. */
	if (!code && cache >= 0)
		(void)!build_cache_put(cache, unit, &place, *ret_ptx);
	if (cache >= 0)
		close(cache);
	return code;
}

static enum cli_exit read_ptx(struct cli *c, const struct manifest *m,
			      const struct build_files *files,
			      struct build_text *texts)
{
	for (uint32_t i = 0; i < m->source_count; i++) {
		const struct build_source *s = &m->sources[i];
		struct build_diag diag = {.file = m->file, .at = s->at};
		struct build_data data;
		enum err e;

		e = build_open(files, s, PTX_TEXT_BYTES_MAX, &data, &diag.text);
		if (e)
			return compile_fail(c, e, &diag);
		texts[i].name = arena_str(c->arena, s->name);
		texts[i].text = arena_copy(c->arena, data.bytes);
		build_close(files, s, &data);
		if (!texts[i].name)
			return cli_fail(c, CLI_FAILED, "no_memory",
					"no memory for the PTX");
	}
	return CLI_DONE;
}

enum cli_exit compile_manifest(struct cli *c, const struct manifest *m,
			       const struct build_files *files,
			       struct build_text **ret_ptx, uint32_t *ret_count)
{
	struct build_diag diag = {0};
	struct build_text *texts;
	struct build_unit *units;
	uint32_t count;
	enum err e;

	texts = ARENA_ARRAY(c->arena, (size_t)m->source_count + 1,
			    struct build_text);
	if (!texts)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	*ret_ptx = texts;
	*ret_count = m->source_count;
	if (m->is_ptx)
		return read_ptx(c, m, files, texts);
	e = build_units(c->arena, m, files, &units, &count, &diag);
	if (e)
		return compile_fail(c, e, &diag);
	for (uint32_t i = 0; i < count && i < m->source_count; i++) {
		enum cli_exit code =
			compile_unit(c, files, &units[i], &texts[i].text);

		if (code)
			return code;
		texts[i].name = build_ptx_name(c->arena, units[i].source.name);
	}
	return CLI_DONE;
}

enum cli_exit compile_folder(struct cli *c, const char *path, int *ret_fd,
			     const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	const char *folder = ".";
	int fd;

	if (slash)
		folder = arena_printf(c->arena, "%.*s", (int)(slash - path + 1),
				      path);
	fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0)
		return cli_fail(c, CLI_FAILED, "not_found",
				"cannot open the folder of %s: %s", path,
				strerror(errno));
	*ret_fd = fd;
	*ret_name = slash ? slash + 1 : path;
	return CLI_DONE;
}
