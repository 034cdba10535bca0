/*
 * A new file is written beside the old one, flushed, and renamed over it; the
 * folder is flushed too, so that a power cut leaves one of the two whole.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wallet/priv/file.h"

static enum err check_private(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return ERR_IO;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0)
		return ERR_REFUSED;
	return ERR_OK;
}

static enum err read_all(int fd, struct buf *out)
{
	uint8_t chunk[4096];
	ssize_t n;

	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf_put(out, chunk, (size_t)n);
		if (out->err != ERR_OK)
			return out->err == ERR_LIMIT ? ERR_MALFORMED : out->err;
	}
	return n < 0 ? ERR_IO : ERR_OK;
}

enum err file_read_private(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	enum err e;

	if (fd < 0 && errno == ENOENT)
		return ERR_NOT_FOUND;
	if (fd < 0)
		return errno == ELOOP ? ERR_REFUSED : ERR_IO;
	e = check_private(fd);
	if (e == ERR_OK)
		e = read_all(fd, out);
	close(fd);
	return e;
}

static bool write_all(int fd, struct bytes text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text = bytes_skip(text, (size_t)n);
	}
	return fsync(fd) == 0;
}

static bool sync_folder_of(const char *path)
{
	char copy[PATH_MAX];
	int fd;
	bool ok;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

enum err file_write_private(const char *path, struct bytes text)
{
	char temp[PATH_MAX];
	int n = snprintf(temp, sizeof(temp), "%s.XXXXXX", path);
	int fd;
	bool ok;

	if (n < 0 || (size_t)n >= sizeof(temp))
		return ERR_IO;
	fd = mkostemp(temp, O_CLOEXEC); /* mode 0600 */
	if (fd < 0)
		return ERR_IO;
	ok = write_all(fd, text);
	ok = close(fd) == 0 && ok;
	ok = ok && rename(temp, path) == 0;
	if (!ok) {
		unlink(temp);
		return ERR_IO;
	}
	return sync_folder_of(path) ? ERR_OK : ERR_IO;
}
