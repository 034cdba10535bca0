/*
 * node/keys - small secret files: written beside their name and renamed, so
 * that a kill leaves the old one or the new one.
 */
#define _GNU_SOURCE

#include "node/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/config.h"
#include "node/random.h"

#define KEY_HEX_BYTES 64u

static void join(char out[CONFIG_PATH_BYTES + 64], const char *dir,
		 const char *name, const char *end)
{
	(void)snprintf(out, CONFIG_PATH_BYTES + 64, "%s/%s%s", dir, name, end);
}

enum err file_put(const char *dir, const char *name, struct bytes text)
{
	char path[CONFIG_PATH_BYTES + 64];
	char part[CONFIG_PATH_BYTES + 64];
	bool fine;
	int fd;

	join(path, dir, name, "");
	join(part, dir, name, ".part");
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	if (fd < 0)
		return ERR_IO;
	fine = write(fd, text.p, text.n) == (ssize_t)text.n && !fsync(fd);
	if (close(fd) || !fine)
		return ERR_IO;
	return rename(part, path) ? ERR_IO : ERR_OK;
}

enum err file_get(const char *dir, const char *name, struct buf *out)
{
	char path[CONFIG_PATH_BYTES + 64];
	uint8_t piece[4096];
	ssize_t got;
	int fd;

	join(path, dir, name, "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
	while ((got = read(fd, piece, sizeof(piece))) > 0)
		buf_put(out, piece, (size_t)got);
	close(fd);
	sig_wipe(piece, sizeof(piece));
	return got < 0 ? ERR_IO : out->err;
}

/* May anybody but the owner read it? */
static enum err check_mode(const char *dir, const char *name)
{
	char path[CONFIG_PATH_BYTES + 64];
	struct stat st;

	join(path, dir, name, "");
	if (stat(path, &st))
		return ERR_IO;
	return st.st_mode & (S_IRWXG | S_IRWXO) ? ERR_REFUSED : ERR_OK;
}

static enum err read_secret(const char *dir, const char *name,
			    uint8_t secret32[32])
{
	struct buf text = buf_make(KEY_HEX_BYTES + 2);
	struct bytes hex;
	enum err e = file_get(dir, name, &text);

	if (!e)
		e = check_mode(dir, name);
	hex = buf_bytes(&text);
	while (hex.n && hex.p[hex.n - 1] == '\n')
		hex.n--;
	if (!e)
		e = hex_decode(hex, secret32, 32);
	if (text.n)
		sig_wipe(text.p, text.n);
	buf_free(&text);
	return e == ERR_LIMIT ? ERR_MALFORMED : e;
}

static enum err open_secret(const char *dir, const char *name,
			    uint8_t secret32[32])
{
	char hex[KEY_HEX_BYTES + 2];
	enum err e = read_secret(dir, name, secret32);

	if (e != ERR_NOT_FOUND)
		return e;
	e = random_bytes(secret32, 32);
	if (e)
		return e;
	hex_encode(bytes_of(secret32, 32), hex);
	hex[KEY_HEX_BYTES] = '\n';
	e = file_put(dir, name, bytes_of(hex, KEY_HEX_BYTES + 1));
	sig_wipe(hex, sizeof(hex));
	return e;
}

enum err keys_open(const char *dir, struct keys *ret_keys)
{
	struct keys k;
	enum err e = open_secret(dir, "account.key", k.account_secret.b);

	if (!e)
		e = open_secret(dir, "vrf.key", k.vrf_secret.seed);
	if (!e)
		e = sig_pubkey(&k.account_secret, &k.account);
	if (!e) {
		vrf_public_of(&k.vrf_secret, &k.vrf);
		*ret_keys = k;
	}
	sig_wipe(&k, sizeof(k));
	return e;
}

void keys_wipe(struct keys *k)
{
	sig_wipe(k, sizeof(*k));
}
