/*
 * Where NVRTC may lie: a toolkit's folder, or the folder into which the
 * wheels were unpacked.  The newest libnvrtc.so.* in the first place that has
 * one is taken.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "gpu/build/priv/unit.h"

struct search {
	struct arena *a;
	struct build_nvrtc_place *place;
};

/* libnvrtc.so.<digits>[.digits]..., not the "builtins" or "alt" ones. */
static bool is_library(const char *name)
{
	static const char stem[] = "libnvrtc.so.";
	size_t n = sizeof(stem) - 1;

	if (strncmp(name, stem, n) != 0 || name[n] == '\0')
		return false;
	return strspn(name + n, "0123456789.") == strlen(name + n);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The one with the highest name in a folder, as a path; NULL if none. */
static const char *library_in(struct arena *a, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char best[256] = "";

	if (!dir)
		return NULL;
	while ((e = readdir(dir)) != NULL) {
		if (!is_library(e->d_name) || strlen(e->d_name) >= sizeof(best))
			continue;
		if (strlen(e->d_name) > strlen(best) ||
		    (strlen(e->d_name) == strlen(best) &&
		     strcmp(e->d_name, best) > 0))
			memcpy(best, e->d_name, strlen(e->d_name) + 1);
	}
	closedir(dir);
	if (best[0] == '\0')
		return NULL;
	return arena_printf(a, "%s/%s", folder, best);
}

static void add_include(struct search *s, uint32_t *n, const char *root,
			const char *leaf)
{
	const char *path = arena_printf(s->a, "%s/%s", root, leaf);

	if (path && *n < 3 && is_folder(path))
		s->place->includes[(*n)++] = path;
}

static void identify(struct search *s)
{
	struct sha256 h;
	struct stat st;
	const char *path = s->place->library;

	sha256_init_tag(&h, "weft/nvrtc");
	sha256_put(&h, path, strlen(path));
	if (stat(path, &st) == 0) {
		sha256_put_u64_le(&h, (uint64_t)st.st_size);
		sha256_put_u64_le(&h, (uint64_t)st.st_mtime);
	}
	s->place->identity = sha256_end(&h);
}

static bool try_folder(struct search *s, const char *folder)
{
	/* where a toolkit and the wheels keep libraries, and the headers that
	 * belong to them */
	static const struct {
		const char *lib;
		const char *root;
	} shapes[] = {
		{"nvidia/cu13/lib", "nvidia/cu13"},
		{"lib64", "."},
		{"lib", "."},
		{"targets/x86_64-linux/lib", "targets/x86_64-linux"},
		{".", "."},
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const char *lib =
			arena_printf(s->a, "%s/%s", folder, shapes[i].lib);
		const char *root =
			arena_printf(s->a, "%s/%s", folder, shapes[i].root);
		uint32_t n = 0;

		s->place->library = lib ? library_in(s->a, lib) : NULL;
		if (!s->place->library || !root)
			continue;
		add_include(s, &n, root, "include");
		add_include(s, &n, root, "include/cccl");
		identify(s);
		return true;
	}
	return false;
}

/* <folder of the program>/nvrtc and up to three folders above it. */
static bool try_own_folder(struct search *s)
{
	char path[BUILD_PATH_BYTES_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return false;
	path[n] = '\0';
	for (int up = 0; up < 4; up++) {
		char *slash = strrchr(path, '/');
		const char *folder;

		if (!slash || slash == path)
			return false;
		*slash = '\0';
		folder = arena_printf(s->a, "%s/nvrtc", path);
		if (folder && try_folder(s, folder))
			return true;
	}
	return false;
}

/* The linker's own folders, where a distribution's package lies. */
static bool try_linker(struct search *s)
{
	static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu",
					      "/usr/lib64", "/usr/local/lib",
					      "/usr/lib"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		uint32_t n = 0;

		s->place->library = library_in(s->a, folders[i]);
		if (!s->place->library)
			continue;
		add_include(s, &n, "/usr", "include");
		identify(s);
		return true;
	}
	return false;
}

enum err build_nvrtc_find(struct arena *a, struct build_nvrtc_place *ret_place,
			  struct build_diag *reterr_diag)
{
	const char *own = getenv("WEFT_NVRTC_DIR");
	struct search s = {a, ret_place};

	*ret_place = (struct build_nvrtc_place){.library = NULL};
	if (own && own[0] != '\0') {
		/* asked for by name: nothing else is right */
		if (try_folder(&s, own))
			return ERR_OK;
	} else if (try_own_folder(&s) || try_folder(&s, "/usr/local/cuda") ||
		   try_linker(&s)) {
		return ERR_OK;
	}
	*reterr_diag = (struct build_diag){.text = BUILD_INSTALL_HINT};
	return ERR_NO_COMPILER;
}
