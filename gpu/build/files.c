/*
 * A folder's files are mapped privately: a large input costs address space,
 * not memory.
 */
#define _POSIX_C_SOURCE 200809L

#include "gpu/build/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void build_diag_put(struct buf *out, const struct build_diag *d)
{
	if (d->file)
		buf_put_str(out, d->file);
	if (d->file && d->at.line > 0)
		buf_printf(out, ":%u", (unsigned)d->at.line);
	if (d->file && d->at.line > 0 && d->at.column > 0)
		buf_printf(out, ":%u", (unsigned)d->at.column);
	if (d->file)
		buf_put_str(out, ": ");
	buf_put_str(out, d->text ? d->text : "");
}

static enum err map_file(int fd, uint64_t max_bytes, struct build_data *ret,
			 const char **why)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0) {
		*why = strerror(errno);
		return ERR_IO;
	}
	if (!S_ISREG(st.st_mode)) {
		*why = "not a regular file";
		return ERR_REFUSED;
	}
	if ((uint64_t)st.st_size > max_bytes) {
		*why = "the file is too large";
		return ERR_LIMIT;
	}
	*ret = (struct build_data){{NULL, 0}, NULL};
	if (st.st_size == 0)
		return ERR_OK;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		*why = strerror(errno);
		return ERR_NO_MEMORY;
	}
	ret->bytes = bytes_of(p, (size_t)st.st_size);
	ret->held = p;
	return ERR_OK;
}

static enum err folder_open(void *ctx, const struct build_source *s,
			    uint64_t max_bytes, struct build_data *ret_data,
			    const char **reterr_why)
{
	const struct build_files_folder *f = ctx;
	char path[4096];
	enum err err;
	int fd;

	if (s->kind != BUILD_SOURCE_PATH) {
		*reterr_why = "a blob can be named over the RPC only";
		return ERR_REFUSED;
	}
	if (s->name.n >= sizeof(path) || memchr(s->name.p, 0, s->name.n)) {
		*reterr_why = "the path is too long";
		return ERR_REFUSED;
	}
	memcpy(path, s->name.p, s->name.n);
	path[s->name.n] = '\0';
	fd = openat(f->folder_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		*reterr_why = strerror(errno);
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
	}
	err = map_file(fd, max_bytes, ret_data, reterr_why);
	close(fd);
	return err;
}

static void folder_close(void *ctx, struct build_data *d)
{
	(void)ctx;
	if (d->held)
		munmap(d->held, d->bytes.n);
	*d = (struct build_data){{NULL, 0}, NULL};
}

struct build_files build_files_folder(struct build_files_folder *f)
{
	return (struct build_files){f, folder_open, folder_close};
}

static enum err memory_open(void *ctx, const struct build_source *s,
			    uint64_t max_bytes, struct build_data *ret_data,
			    const char **reterr_why)
{
	const struct build_files_memory *m = ctx;

	for (size_t i = 0; i < m->count; i++) {
		if (m->files[i].kind != s->kind ||
		    !bytes_eq(m->files[i].name, s->name))
			continue;
		if (m->files[i].bytes.n > max_bytes) {
			*reterr_why = "the file is too large";
			return ERR_LIMIT;
		}
		*ret_data = (struct build_data){m->files[i].bytes, NULL};
		return ERR_OK;
	}
	*reterr_why = s->kind == BUILD_SOURCE_PATH
			      ? "the file did not come with the manifest"
			      : "there is no such blob here";
	return ERR_NOT_FOUND;
}

static void memory_close(void *ctx, struct build_data *d)
{
	(void)ctx;
	*d = (struct build_data){{NULL, 0}, NULL};
}

struct build_files build_files_memory(struct build_files_memory *m)
{
	return (struct build_files){m, memory_open, memory_close};
}

enum err build_open(const struct build_files *f, const struct build_source *s,
		    uint64_t max_bytes, struct build_data *ret_data,
		    const char **reterr_why)
{
	if (s->kind != BUILD_SOURCE_TEXT && s->kind != BUILD_SOURCE_NONE)
		return f->open(f->ctx, s, max_bytes, ret_data, reterr_why);
	if (s->name.n > max_bytes) {
		*reterr_why = "the text is too long";
		return ERR_LIMIT;
	}
	*ret_data = (struct build_data){s->name, NULL};
	return ERR_OK;
}

void build_close(const struct build_files *f, const struct build_source *s,
		 struct build_data *d)
{
	if (s->kind != BUILD_SOURCE_TEXT && s->kind != BUILD_SOURCE_NONE)
		f->close(f->ctx, d);
}
