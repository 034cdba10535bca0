/*
 * node/data/write - how a blob comes into the store.
 *
 * Plain bytes are hashed while they arrive; programs, headers and lists,
 * which are small, are read back and decoded at the end.  After a resume the
 * part that lies on the disk is hashed again.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/merkle.h"
#include "node/data/blob.h"
#include "node/data/priv/blob.h"

#define READ_BYTES (64u << 10)

struct blob_writer {
	struct blob_store *store;
	enum core_name name;
	struct hash root;
	uint64_t bytes;
	uint64_t bytes_max;
	int fd;
	char part[BLOB_FILE_BYTES];
	struct merkle_stream stream;
};

/* Hash what an earlier writer left. */
static enum err resume(struct blob_writer *w)
{
	uint8_t *block = malloc(READ_BYTES);
	ssize_t got;

	if (!block)
		return ERR_NO_MEMORY;
	while ((got = read(w->fd, block, READ_BYTES)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		merkle_stream_put(&w->stream, block, (size_t)got);
		w->bytes += (uint64_t)got;
	}
	free(block);
	return got < 0 ? ERR_IO : ERR_OK;
}

enum err blob_writer_restart(struct blob_writer *w)
{
	w->bytes = 0;
	merkle_stream_init(&w->stream);
	if (ftruncate(w->fd, 0) || lseek(w->fd, 0, SEEK_SET))
		return ERR_IO;
	return ERR_OK;
}

enum err blob_writer_begin(struct blob_store *s, enum core_name name,
			   const struct hash *root, uint64_t bytes_max,
			   uint64_t *ret_have, struct blob_writer **ret_writer)
{
	struct blob_writer *w;
	uint64_t have;
	enum err e;

	if (blob_has(s, root, &have))
		return ERR_EXISTS;
	w = calloc(1, sizeof(*w));
	if (!w)
		return ERR_NO_MEMORY;
	w->store = s;
	w->name = name;
	w->root = *root;
	w->bytes_max = bytes_max;
	merkle_stream_init(&w->stream);
	blob_file(root, name, "part-", w->part);
	w->fd = openat(s->dir_fd, w->part, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	e = w->fd < 0 ? ERR_IO : resume(w);
	/* left by a peer that sent too much: begin again */
	if (!e && w->bytes > bytes_max)
		e = blob_writer_restart(w);
	if (e) {
		blob_writer_close(w);
		return e;
	}
	*ret_have = w->bytes;
	*ret_writer = w;
	return ERR_OK;
}

enum err blob_writer_put(struct blob_writer *w, struct bytes bytes)
{
	size_t at = 0;
	enum err e;

	if (bytes.n > w->bytes_max - w->bytes)
		return ERR_LIMIT;
	e = blob_room(w->store, w->bytes + bytes.n);
	if (e)
		return e;
	while (at < bytes.n) {
		ssize_t put = write(w->fd, bytes.p + at, bytes.n - at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			break;
		at += (size_t)put;
	}
	merkle_stream_put(&w->stream, bytes.p, at);
	w->bytes += at;
	return at == bytes.n ? ERR_OK : ERR_IO;
}

/* The root of what was written. */
static enum err written_root(struct blob_writer *w, struct hash *ret_root)
{
	uint8_t *p;
	uint64_t at = 0;
	enum err e;

	if (w->name == CORE_NAME_BYTES) {
		*ret_root = merkle_stream_end(&w->stream);
		return ERR_OK;
	}
	p = malloc(w->bytes ? (size_t)w->bytes : 1);
	if (!p)
		return ERR_NO_MEMORY;
	while (at < w->bytes) {
		ssize_t got = pread(w->fd, p + at, (size_t)(w->bytes - at),
				    (off_t)at);

		if (got <= 0)
			break;
		at += (uint64_t)got;
	}
	e = at < w->bytes
		    ? ERR_IO
		    : blob_root(w->name, bytes_of(p, (size_t)at), ret_root);
	free(p);
	return e;
}

enum err blob_writer_end(struct blob_writer *w, const struct hash *owner)
{
	struct blob_store *s = w->store;
	char file[BLOB_FILE_BYTES];
	struct hash root;
	enum err e = written_root(w, &root);

	if (!e && !hash_eq(&root, &w->root))
		e = ERR_PROOF;
	if (e && e != ERR_IO && e != ERR_NO_MEMORY &&
	    unlinkat(s->dir_fd, w->part, 0))
		e = ERR_IO;
	blob_file(&w->root, w->name, "", file);
	if (!e && owner)
		e = blob_pin(s, &w->root, owner);
	if (!e &&
	    (fdatasync(w->fd) || renameat(s->dir_fd, w->part, s->dir_fd, file)))
		e = ERR_IO;
	if (!e) {
		s->bytes += w->bytes;
		s->count++;
	}
	blob_writer_close(w);
	return e;
}

void blob_writer_close(struct blob_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

enum err blob_put(struct blob_store *s, enum core_name name, struct bytes bytes,
		  const struct hash *root, const struct hash *owner,
		  struct hash *ret_root)
{
	struct blob_writer *w;
	struct hash found;
	uint64_t have;
	enum err e = blob_root(name, bytes, &found);

	if (e)
		return e;
	if (root && !hash_eq(root, &found))
		return ERR_PROOF;
	*ret_root = found;
	e = blob_writer_begin(s, name, &found, bytes.n, &have, &w);
	if (e == ERR_EXISTS)
		return owner ? blob_pin(s, &found, owner) : ERR_OK;
	if (e)
		return e;
	/* a shorter part of the same blob may lie there: what it holds is
	 * checked with the rest */
	e = blob_writer_put(w, bytes_skip(bytes, (size_t)have));
	if (e) {
		blob_writer_close(w);
		return e;
	}
	return blob_writer_end(w, owner);
}
