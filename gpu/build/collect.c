/*
 * NVRTC opens no files here, so what a source includes must travel with it.
 * Every #include line counts, whatever #if says around it; what is found
 * neither beside the including file nor in the include folders is left to the
 * compiler (a toolkit header, or an error with the user's line).
 */
#include <string.h>

#include "base/arena.h"
#include "gpu/build/compile.h"
#include "gpu/build/manifest.h"
#include "gpu/build/priv/unit.h"

struct collect {
	struct arena *a;
	const struct manifest *m;
	const struct build_files *files;
	struct build_diag *diag;
	struct build_text *headers; /* room for BUILD_HEADERS_MAX */
	struct bytes *paths;	    /* where each was found */
	uint32_t count;
};

static enum err fail(struct collect *c, struct build_pos at, const char *text)
{
	*c->diag = (struct build_diag){c->m->file, at,
				       text ? text : err_words(ERR_NO_MEMORY)};
	return text ? ERR_MANIFEST : ERR_NO_MEMORY;
}

/* One more component behind the path p[0..n); its new length. */
static size_t join_part(uint8_t *p, size_t n, struct bytes part)
{
	size_t up = n;

	if (part.n == 0 || bytes_eq(part, BYTES_LIT(".")))
		return n;
	while (up > 0 && p[up - 1] != '/')
		up--;
	if (bytes_eq(part, BYTES_LIT("..")) && up < n &&
	    !bytes_eq(bytes_of(p + up, n - up), BYTES_LIT("..")))
		return up > 1 ? up - 1 : up;
	if (n > 0 && p[n - 1] != '/')
		p[n++] = '/';
	memcpy(p + n, part.p, part.n);
	return n + part.n;
}

/* folder/name with "." and "x/.." taken out, so that one file has one path;
 * an empty folder is the manifest's. */
static struct bytes join(struct arena *a, struct bytes folder,
			 struct bytes name)
{
	struct bytes none = {NULL, 0};
	struct bytes parts[2] = {folder, name};
	uint8_t *p = ARENA_ARRAY(a, folder.n + name.n + 2, uint8_t);
	size_t n = 0;

	if (!p)
		return none;
	if (name.n > 0 && name.p[0] == '/')
		parts[0] = none;
	for (size_t k = 0; k < 2; k++) {
		struct bytes s = parts[k];

		if (n == 0 && s.n > 0 && s.p[0] == '/')
			p[n++] = '/';
		for (size_t i = 0, from = 0; i <= s.n; i++) {
			if (i < s.n && s.p[i] != '/')
				continue;
			n = join_part(p, n, bytes_of(s.p + from, i - from));
			from = i + 1;
		}
	}
	return bytes_of(p, n);
}

static struct bytes folder_of(struct bytes path)
{
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

/* The name in an #include on this line, if it is one. */
static bool include_name(struct bytes line, struct bytes *name, bool *quoted)
{
	size_t i = 0, from;
	uint8_t close;

	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	if (i == line.n || line.p[i++] != '#')
		return false;
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	if (!bytes_starts(bytes_skip(line, i), BYTES_LIT("include")))
		return false;
	i += 7;
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	if (i == line.n || (line.p[i] != '"' && line.p[i] != '<'))
		return false;
	*quoted = line.p[i] == '"';
	close = *quoted ? '"' : '>';
	from = ++i;
	while (i < line.n && line.p[i] != close)
		i++;
	*name = bytes_of(line.p + from, i - from);
	return i < line.n && name->n > 0 && name->n < BUILD_PATH_BYTES_MAX;
}

static enum err read_text(struct collect *c, const struct build_source *s,
			  struct bytes *ret, const char **why)
{
	struct build_data d;
	enum err err;

	err = build_open(c->files, s, BUILD_SOURCE_BYTES_MAX, &d, why);
	if (err != ERR_OK)
		return err;
	*ret = arena_copy(c->a, d.bytes);
	if (d.bytes.n > 0 && !ret->p)
		err = ERR_NO_MEMORY;
	build_close(c->files, s, &d);
	return err;
}

static enum err scan(struct collect *c, struct bytes text, struct bytes folder,
		     struct build_pos at, unsigned depth);

/* Take the file at path, if it is there, under the name that was written. */
static enum err take(struct collect *c, struct bytes path, struct bytes name,
		     struct build_pos at, unsigned depth, bool *found)
{
	struct build_source s = {BUILD_SOURCE_PATH, path, at};
	struct bytes text;
	const char *why = "";
	enum err err;

	*found = false;
	if (path.n == 0)
		return ERR_OK;
	err = read_text(c, &s, &text, &why);
	if (err == ERR_NO_MEMORY)
		return fail(c, at, NULL);
	if (err == ERR_LIMIT)
		return fail(c, at,
			    arena_printf(c->a, "header \"%.*s\": %s",
					 (int)path.n, (const char *)path.p,
					 why));
	if (err != ERR_OK)
		return ERR_OK;
	*found = true;
	for (uint32_t i = 0; i < c->count; i++) {
		if (!bytes_eq(bytes_str(c->headers[i].name), name))
			continue;
		if (bytes_eq(c->paths[i], path))
			return ERR_OK;
		return fail(c, at,
			    arena_printf(c->a,
					 "two headers are included as "
					 "\"%.*s\": \"%.*s\" and \"%.*s\"",
					 (int)name.n, (const char *)name.p,
					 (int)c->paths[i].n,
					 (const char *)c->paths[i].p,
					 (int)path.n, (const char *)path.p));
	}
	if (c->count == BUILD_HEADERS_MAX)
		return fail(c, at, "more than 1,024 headers");
	c->headers[c->count].name = arena_str(c->a, name);
	c->headers[c->count].text = text;
	c->paths[c->count] = path;
	if (!c->headers[c->count].name)
		return fail(c, at, NULL);
	c->count++;
	return scan(c, text, folder_of(path), at, depth + 1);
}

static enum err find(struct collect *c, struct bytes name, bool quoted,
		     struct bytes folder, struct build_pos at, unsigned depth)
{
	bool found = false;
	enum err err = ERR_OK;

	if (quoted)
		err = take(c, join(c->a, folder, name), name, at, depth,
			   &found);
	for (uint32_t i = 0; err == ERR_OK && !found && i < c->m->include_count;
	     i++)
		err = take(c, join(c->a, c->m->includes[i], name), name, at,
			   depth, &found);
	return err;
}

static enum err scan(struct collect *c, struct bytes text, struct bytes folder,
		     struct build_pos at, unsigned depth)
{
	enum err err = ERR_OK;

	if (depth > 32)
		return fail(c, at, "headers include each other 32 deep");
	for (size_t i = 0, from = 0; i <= text.n && err == ERR_OK; i++) {
		struct bytes name;
		bool quoted;

		if (i < text.n && text.p[i] != '\n')
			continue;
		if (include_name(bytes_of(text.p + from, i - from), &name,
				 &quoted))
			err = find(c, name, quoted, folder, at, depth);
		from = i + 1;
	}
	return err;
}

/* Does text hold this word?  (In a comment too: that does no harm.) */
static bool mentions(struct bytes text, struct bytes word)
{
	for (size_t i = 0; i + word.n <= text.n; i++)
		if (text.p[i] == word.p[0] &&
		    memcmp(text.p + i, word.p, word.n) == 0)
			return true;
	return false;
}

/* Is the template of this name expression in the unit? */
static bool unit_has(const struct build_unit *u, struct bytes kernel)
{
	size_t end = 0, from;
	struct bytes word;

	while (end < kernel.n && kernel.p[end] != '<')
		end++;
	for (from = end; from > 0 && kernel.p[from - 1] != ':'; from--)
		continue;
	word = bytes_of(kernel.p + from, end - from);
	if (word.n == 0 || mentions(u->source.text, word))
		return true;
	for (uint32_t i = 0; i < u->header_count; i++)
		if (mentions(u->headers[i].text, word))
			return true;
	return false;
}

static enum err add_kernel(struct arena *a, struct build_unit *u,
			   const char **list, struct bytes kernel)
{
	for (uint32_t i = 0; i < u->kernel_count; i++)
		if (bytes_eq(bytes_str(list[i]), kernel))
			return ERR_OK;
	if (u->kernel_count == BUILD_KERNELS_MAX)
		return ERR_LIMIT;
	list[u->kernel_count] = arena_str(a, kernel);
	return list[u->kernel_count++] ? ERR_OK : ERR_NO_MEMORY;
}

/* Name expressions: kernels whose name says how to instantiate them. */
static enum err collect_kernels(struct arena *a, struct build_unit *u,
				const char **list,
				const struct manifest_step *steps,
				uint32_t count)
{
	enum err err = ERR_OK;

	for (uint32_t i = 0; i < count && err == ERR_OK; i++) {
		const struct manifest_step *s = &steps[i];

		if (s->kind == MANIFEST_LOOP)
			err = collect_kernels(a, u, list, s->steps,
					      s->step_count);
		else if (s->kind == MANIFEST_LAUNCH &&
			 memchr(s->kernel.p, '<', s->kernel.n) &&
			 unit_has(u, s->kernel))
			err = add_kernel(a, u, list, s->kernel);
	}
	return err;
}

static enum err collect_defines(struct arena *a, const struct manifest *m,
				struct build_unit *u)
{
	struct build_define *d =
		ARENA_ARRAY(a, m->define_count + 1, struct build_define);

	if (!d)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->define_count; i++) {
		d[i].name = m->defines[i].name;
		d[i].value = m->defines[i].value;
	}
	u->defines = d;
	u->define_count = m->define_count;
	return ERR_OK;
}

static const char *unit_name(struct arena *a, const struct build_source *s,
			     uint32_t index)
{
	if (s->kind == BUILD_SOURCE_PATH)
		return arena_str(a, s->name);
	return arena_printf(a, "source%u.cu", (unsigned)index);
}

static enum err collect_one(struct collect *c, uint32_t index,
			    struct build_unit *u)
{
	const struct build_source *s = &c->m->sources[index];
	const char *why = "";
	enum err err;

	err = read_text(c, s, &u->source.text, &why);
	if (err == ERR_NO_MEMORY)
		return fail(c, s->at, NULL);
	if (err != ERR_OK)
		return fail(c, s->at,
			    arena_printf(
				    c->a, "cannot read the source \"%.*s\": %s",
				    (int)(s->name.n < 200 ? s->name.n : 200),
				    (const char *)s->name.p, why));
	c->count = 0;
	c->headers = ARENA_ARRAY(c->a, BUILD_HEADERS_MAX, struct build_text);
	c->paths = ARENA_ARRAY(c->a, BUILD_HEADERS_MAX, struct bytes);
	u->source.name = unit_name(c->a, s, index);
	if (!c->headers || !c->paths || !u->source.name)
		return fail(c, s->at, NULL);
	err = scan(c, u->source.text,
		   s->kind == BUILD_SOURCE_PATH ? folder_of(s->name)
						: (struct bytes){NULL, 0},
		   s->at, 0);
	u->headers = c->headers;
	u->header_count = c->count;
	return err;
}

enum err build_units(struct arena *a, const struct manifest *m,
		     const struct build_files *files,
		     struct build_unit **ret_units, uint32_t *ret_count,
		     struct build_diag *reterr_diag)
{
	struct collect c = {
		.a = a, .m = m, .files = files, .diag = reterr_diag};
	struct build_unit *units =
		ARENA_ARRAY(a, m->source_count + 1, struct build_unit);
	enum err err = ERR_OK;

	*reterr_diag = (struct build_diag){.file = m->file,
					   .text = err_words(ERR_NO_MEMORY)};
	if (!units)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->source_count && err == ERR_OK; i++) {
		struct build_unit *u = &units[i];
		const char **kernels =
			ARENA_ARRAY(a, BUILD_KERNELS_MAX, const char *);

		if (!kernels)
			return ERR_NO_MEMORY;
		err = collect_one(&c, i, u);
		if (err == ERR_OK)
			err = collect_defines(a, m, u);
		u->kernels = kernels;
		if (err == ERR_OK)
			err = collect_kernels(a, u, kernels, m->steps,
					      m->step_count);
		u->fmad = m->fmad;
		u->sm = m->sm_min > 75 ? m->sm_min : 75;
	}
	if (err == ERR_LIMIT)
		reterr_diag->text = "more than 256 kernels";
	*ret_units = units;
	*ret_count = m->source_count;
	return err;
}
