/*
 * node/data/blob - the store's folder, pins, reading and making room.
 *
 * The folder is the index: a whole blob is a file under its final name, put
 * there by rename after its root was checked and its bytes were on disk, so
 * that a kill at any point leaves either the blob or a part file.
 */
#define _GNU_SOURCE

#include "node/data/blob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/must.h"
#include "node/data/priv/blob.h"
#include "node/data/priv/env.h"

#define NAME_COUNT 4u

void blob_file(const struct hash *root, enum core_name name, const char *prefix,
	       char out[BLOB_FILE_BYTES])
{
	char text[HASH_TEXT_BYTES];

	(void)snprintf(out, BLOB_FILE_BYTES, "%s%s.%u", prefix,
		       hash_text(root, text), (unsigned)name);
}

/* The root of a whole blob's file name; false for other files. */
static bool file_root(const char *file, struct hash *ret_root,
		      enum core_name *ret_name)
{
	if (strlen(file) != 66 || file[64] != '.' || file[65] < '0' ||
	    file[65] >= '0' + (int)NAME_COUNT)
		return false;
	*ret_name = (enum core_name)(file[65] - '0');
	return hex_decode(bytes_of(file, 64), ret_root->b, HASH_BYTES) ==
	       ERR_OK;
}

typedef bool each_file(void *ctx, struct blob_store *s, const char *file,
		       const struct hash *root, enum core_name name,
		       const struct stat *st);

/* Calls each for whole blobs until it returns false. */
static enum err each_blob(struct blob_store *s, each_file *each, void *ctx)
{
	DIR *d = opendir(s->dir);
	struct dirent *entry;

	if (!d)
		return ERR_IO;
	while ((entry = readdir(d))) {
		enum core_name name;
		struct hash root;
		struct stat st;

		if (!file_root(entry->d_name, &root, &name) ||
		    fstatat(s->dir_fd, entry->d_name, &st, 0))
			continue;
		if (!each(ctx, s, entry->d_name, &root, name, &st))
			break;
	}
	closedir(d);
	return ERR_OK;
}

static bool add_size(void *ctx, struct blob_store *s, const char *file,
		     const struct hash *root, enum core_name name,
		     const struct stat *st)
{
	(void)ctx, (void)file, (void)root, (void)name;
	s->bytes += (uint64_t)st->st_size;
	s->count++;
	return true;
}

enum err blob_store_open(const char *dir, struct data_env *env,
			 uint64_t quota_bytes, struct blob_store **ret_store)
{
	struct blob_store *s = calloc(1, sizeof(*s));
	size_t n = strlen(dir) + sizeof("/blobs");

	if (!s)
		return ERR_NO_MEMORY;
	s->dir_fd = -1;
	s->env = env;
	s->quota_bytes = quota_bytes;
	s->dir = malloc(n);
	if (!s->dir) {
		blob_store_close(s);
		return ERR_NO_MEMORY;
	}
	(void)snprintf(s->dir, n, "%s/blobs", dir);
	if (mkdir(s->dir, 0700) && errno != EEXIST)
		goto failed;
	s->dir_fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0 || each_blob(s, add_size, NULL))
		goto failed;
	*ret_store = s;
	return ERR_OK;
failed:
	blob_store_close(s);
	return ERR_IO;
}

void blob_store_close(struct blob_store *s)
{
	if (!s)
		return;
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	free(s->dir);
	free(s);
}

enum err blob_find(struct blob_store *s, const struct hash *root,
		   char ret_file[BLOB_FILE_BYTES], uint64_t *ret_bytes,
		   enum core_name *ret_name)
{
	for (unsigned i = 0; i < NAME_COUNT; i++) {
		struct stat st;

		blob_file(root, (enum core_name)i, "", ret_file);
		if (fstatat(s->dir_fd, ret_file, &st, 0))
			continue;
		*ret_bytes = (uint64_t)st.st_size;
		*ret_name = (enum core_name)i;
		return ERR_OK;
	}
	return ERR_NOT_FOUND;
}

bool blob_has(struct blob_store *s, const struct hash *root,
	      uint64_t *ret_bytes)
{
	char file[BLOB_FILE_BYTES];
	enum core_name name;

	return blob_find(s, root, file, ret_bytes, &name) == ERR_OK;
}

enum err blob_open(struct blob_store *s, const struct hash *root, int *ret_fd,
		   uint64_t *ret_bytes)
{
	char file[BLOB_FILE_BYTES];
	enum core_name name;
	int fd;

	if (blob_find(s, root, file, ret_bytes, &name))
		return ERR_NOT_FOUND;
	fd = openat(s->dir_fd, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ERR_IO;
	/* the time of use; one that cannot be set only ages the blob */
	(void)futimens(fd, NULL);
	*ret_fd = fd;
	return ERR_OK;
}

enum err blob_read(struct blob_store *s, const struct hash *root,
		   struct buf *out)
{
	uint64_t bytes;
	uint64_t at = 0;
	uint8_t *p;
	int fd;
	enum err e = blob_open(s, root, &fd, &bytes);

	if (e)
		return e;
	p = bytes > out->max ? NULL : buf_extend(out, (size_t)bytes);
	while (p && at < bytes) {
		ssize_t got = read(fd, p + at, (size_t)(bytes - at));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		at += (uint64_t)got;
	}
	close(fd);
	if (!p && bytes)
		return ERR_LIMIT;
	return at == bytes ? ERR_OK : ERR_IO;
}

/* a, b as one LMDB key. */
struct pair {
	struct hash a;
	struct hash b;
};

static enum err put_pair(MDB_txn *txn, MDB_dbi dbi, const struct hash *a,
			 const struct hash *b)
{
	struct pair pair = {*a, *b};
	uint8_t one = 1;
	MDB_val k = {sizeof(pair), &pair};
	MDB_val v = {1, &one};

	return mdb_put(txn, dbi, &k, &v, 0) ? ERR_STORE : ERR_OK;
}

enum err blob_pin(struct blob_store *s, const struct hash *root,
		  const struct hash *owner)
{
	MDB_txn *txn;
	enum err e = env_begin(s->env, &txn);

	if (e)
		return e;
	e = put_pair(txn, s->env->pin, root, owner);
	if (!e)
		e = put_pair(txn, s->env->owner, owner, root);
	return env_end(s->env, txn, e);
}

/* The first key >= (a, b) whose first half is a. */
static bool first_of(MDB_txn *txn, MDB_dbi dbi, const struct hash *a,
		     struct pair *ret)
{
	struct pair from = {*a, HASH_ZERO};
	MDB_val k = {sizeof(from), &from};
	MDB_val v;
	MDB_cursor *cursor;
	bool found = false;

	if (mdb_cursor_open(txn, dbi, &cursor))
		return false;
	if (!mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE) &&
	    k.mv_size == sizeof(*ret)) {
		memcpy(ret, k.mv_data, sizeof(*ret));
		found = hash_eq(&ret->a, a);
	}
	mdb_cursor_close(cursor);
	return found;
}

enum err blob_unpin(struct blob_store *s, const struct hash *owner)
{
	MDB_txn *txn;
	struct pair pair;
	enum err e = env_begin(s->env, &txn);

	if (e)
		return e;
	while (!e && first_of(txn, s->env->owner, owner, &pair)) {
		struct pair other = {pair.b, pair.a};
		MDB_val k = {sizeof(pair), &pair};
		MDB_val k2 = {sizeof(other), &other};
		int rc = mdb_del(txn, s->env->owner, &k, NULL);
		int rc2 = mdb_del(txn, s->env->pin, &k2, NULL);

		if (rc || (rc2 && rc2 != MDB_NOTFOUND))
			e = ERR_STORE;
	}
	return env_end(s->env, txn, e);
}

bool blob_is_pinned(struct blob_store *s, const struct hash *root)
{
	MDB_txn *txn = s->env->txn;
	struct pair pair;
	bool found;

	if (txn)
		return first_of(txn, s->env->pin, root, &pair);
	/* a store that cannot be read keeps everything */
	if (mdb_txn_begin(s->env->env, NULL, MDB_RDONLY, &txn))
		return true;
	found = first_of(txn, s->env->pin, root, &pair);
	mdb_txn_abort(txn);
	return found;
}

/* The least recently used blob that nobody pins. */
struct oldest {
	bool found;
	struct timespec used;
	char file[BLOB_FILE_BYTES];
	uint64_t bytes;
};

static bool look_oldest(void *ctx, struct blob_store *s, const char *file,
			const struct hash *root, enum core_name name,
			const struct stat *st)
{
	struct oldest *o = ctx;

	(void)name;
	if (o->found && (st->st_mtim.tv_sec > o->used.tv_sec ||
			 (st->st_mtim.tv_sec == o->used.tv_sec &&
			  st->st_mtim.tv_nsec >= o->used.tv_nsec)))
		return true;
	if (blob_is_pinned(s, root))
		return true;
	o->found = true;
	o->used = st->st_mtim;
	o->bytes = (uint64_t)st->st_size;
	(void)snprintf(o->file, sizeof(o->file), "%s", file);
	return true;
}

static enum err remove_oldest(struct blob_store *s)
{
	struct oldest o = {.found = false};
	enum err e = each_blob(s, look_oldest, &o);

	if (e)
		return e;
	if (!o.found)
		return ERR_LIMIT;
	if (unlinkat(s->dir_fd, o.file, 0))
		return ERR_IO;
	s->bytes -= o.bytes;
	s->count--;
	return ERR_OK;
}

enum err blob_evict(struct blob_store *s, uint64_t wanted_bytes)
{
	if (wanted_bytes > s->quota_bytes)
		return ERR_LIMIT;
	while (s->bytes > s->quota_bytes - wanted_bytes) {
		enum err e = remove_oldest(s);

		if (e)
			return e;
	}
	return ERR_OK;
}

enum err blob_room(struct blob_store *s, uint64_t bytes)
{
	struct statvfs disk;

	if (fstatvfs(s->dir_fd, &disk))
		return ERR_IO;
	if ((uint64_t)disk.f_bavail * disk.f_frsize <
	    bytes + BLOB_RESERVE_BYTES)
		return ERR_LIMIT;
	return blob_evict(s, bytes);
}

static bool add_pinned(void *ctx, struct blob_store *s, const char *file,
		       const struct hash *root, enum core_name name,
		       const struct stat *st)
{
	struct blob_usage *u = ctx;

	(void)file, (void)name;
	if (blob_is_pinned(s, root))
		u->pinned_bytes += (uint64_t)st->st_size;
	return true;
}

void blob_usage(struct blob_store *s, struct blob_usage *ret)
{
	*ret = (struct blob_usage){.bytes = s->bytes,
				   .quota_bytes = s->quota_bytes,
				   .count = s->count};
	/* what cannot be listed counts as not pinned */
	if (each_blob(s, add_pinned, ret))
		ret->pinned_bytes = 0;
}

struct fsck {
	uint64_t checked;
	uint64_t removed;
	enum err err;
};

static bool check_one(void *ctx, struct blob_store *s, const char *file,
		      const struct hash *root, enum core_name name,
		      const struct stat *st)
{
	struct fsck *f = ctx;
	struct buf b = buf_make((size_t)st->st_size);
	struct hash found = HASH_ZERO;
	enum err e = blob_read(s, root, &b);

	if (!e)
		e = blob_root(name, buf_bytes(&b), &found);
	buf_free(&b);
	f->checked++;
	if (e == ERR_NO_MEMORY) {
		f->err = e;
		return false;
	}
	if (!e && hash_eq(&found, root))
		return true;
	if (unlinkat(s->dir_fd, file, 0)) {
		f->err = ERR_IO;
		return false;
	}
	s->bytes -= (uint64_t)st->st_size;
	s->count--;
	f->removed++;
	return true;
}

enum err blob_fsck(struct blob_store *s, uint64_t *ret_checked,
		   uint64_t *ret_removed)
{
	struct fsck f = {.err = ERR_OK};
	enum err e = each_blob(s, check_one, &f);

	*ret_checked = f.checked;
	*ret_removed = f.removed;
	return e ? e : f.err;
}
