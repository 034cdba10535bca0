/*
 * Kernels are named as in the source; PTX has mangled names.  Only as much of
 * the Itanium mangling is read as a plain or namespaced name needs; templates
 * are found by the table that the compiler left in the PTX's first lines.
 */
#include <string.h>

#include "gpu/build/priv/make.h"
#include "gpu/build/priv/unit.h"

/* <length><identifier> at *i; n = 0 if none. */
static struct bytes component(struct bytes s, size_t *i)
{
	struct bytes none = {NULL, 0};
	size_t n = 0, at = *i;

	while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9' && n < 10000)
		n = n * 10 + (size_t)(s.p[at++] - '0');
	if (n == 0 || n > s.n - at)
		return none;
	*i = at + n;
	return bytes_of(s.p + at, n);
}

static bool is_anonymous(struct bytes part)
{
	return bytes_starts(part, BYTES_LIT("_GLOBAL__N_")) ||
	       bytes_starts(part, BYTES_LIT("_INTERNAL_"));
}

/* The next part of "a::b::c"; n = 0 at the end. */
static struct bytes next_part(struct bytes *name)
{
	size_t n = 0;
	struct bytes part;

	while (n < name->n && name->p[n] != ':')
		n++;
	part = bytes_of(name->p, n);
	while (n < name->n && name->p[n] == ':')
		n++;
	*name = bytes_skip(*name, n);
	return part;
}

bool make_name_matches(struct bytes symbol, struct bytes source_name)
{
	size_t i = 2;
	bool nested, any = false;
	struct bytes part, want;

	if (bytes_eq(symbol, source_name))
		return true;
	if (!bytes_starts(symbol, BYTES_LIT("_Z")))
		return false;
	if (i < symbol.n && symbol.p[i] == 'L')
		i++;
	nested = i < symbol.n && symbol.p[i] == 'N';
	i += nested;
	do {
		if (i < symbol.n && symbol.p[i] == 'L')
			i++;
		part = component(symbol, &i);
		if (is_anonymous(part))
			continue;
		if (part.n == 0)
			break;
		want = next_part(&source_name);
		if (!bytes_eq(part, want))
			return false;
		any = true;
	} while (nested);
	return any && source_name.n == 0;
}

/* Names of the entries that a message can hold. */
static void list_entries(struct make *k, struct bytes only, struct buf *out)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < k->ptx_count; i++) {
		const struct ptx_module *m = k->modules[i];

		for (uint32_t f = 0; f < m->function_count; f++) {
			struct bytes name = m->functions[f].name;

			if (!m->functions[f].is_entry ||
			    (only.n > 0 && !make_name_matches(name, only)))
				continue;
			if (shown++ == 8) {
				buf_put_str(out, ", ...");
				return;
			}
			buf_printf(out, "%s%.*s", shown > 1 ? ", " : "",
				   (int)(name.n < 120 ? name.n : 120),
				   (const char *)name.p);
		}
	}
}

static enum err fail_kernel(struct make *k, const struct manifest_step *s,
			    const char *what, bool only_matching)
{
	struct bytes none = {NULL, 0};
	struct buf b = buf_make(4096);
	enum err err;

	list_entries(k, only_matching ? s->kernel : none, &b);
	err = make_fail(k, s->at, "%s \"%.*s\"; there %s %.*s", what,
			(int)(s->kernel.n < 100 ? s->kernel.n : 100),
			(const char *)s->kernel.p, b.n > 0 ? "are" : "is",
			b.n > 0 ? (int)b.n : 4,
			b.n > 0 ? (const char *)b.p : "none");
	buf_free(&b);
	return err;
}

enum err make_find_kernel(struct make *k, const struct manifest_step *s,
			  uint32_t *ret_module, uint32_t *ret_kernel)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < k->ptx_count; i++) {
		const struct ptx_module *m = k->modules[i];
		struct bytes lowered =
			build_ptx_lowered(k->ptx[i].text, s->kernel);

		for (uint32_t f = 0; f < m->function_count; f++) {
			struct bytes name = m->functions[f].name;

			if (!m->functions[f].is_entry)
				continue;
			if (lowered.n > 0 ? !bytes_eq(name, lowered)
					  : !make_name_matches(name, s->kernel))
				continue;
			found++;
			*ret_module = i;
			*ret_kernel = f;
			if (bytes_eq(name, s->kernel) || lowered.n > 0)
				return ERR_OK;
		}
	}
	if (found == 0)
		return fail_kernel(k, s, "there is no kernel", false);
	if (found > 1)
		return fail_kernel(k, s, "several kernels have the name", true);
	return ERR_OK;
}
