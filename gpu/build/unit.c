/*
 * The key is over the encoded unit and our own headers: whatever is encoded
 * is hashed, so that nothing can be forgotten in one of the two.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/limits.h"
#include "gpu/build/priv/unit.h"
#include "gpu/strict/strict.h"

#define UNIT_VERSION 1u

static void put_text(struct buf *out, const struct build_text *t)
{
	enc_array(out, 2);
	enc_str(out, bytes_str(t->name));
	enc_bin(out, t->text);
}

void build_unit_encode(struct buf *out, const struct build_unit *u)
{
	enc_array(out, 7);
	enc_uint(out, UNIT_VERSION);
	put_text(out, &u->source);
	enc_array(out, u->header_count);
	for (uint32_t i = 0; i < u->header_count; i++)
		put_text(out, &u->headers[i]);
	enc_array(out, u->define_count);
	for (uint32_t i = 0; i < u->define_count; i++) {
		enc_array(out, 2);
		enc_str(out, bytes_str(u->defines[i].name));
		enc_str(out, bytes_str(u->defines[i].value));
	}
	enc_array(out, u->kernel_count);
	for (uint32_t i = 0; i < u->kernel_count; i++)
		enc_str(out, bytes_str(u->kernels[i]));
	enc_bool(out, u->fmad);
	enc_uint(out, u->sm);
}

/* A name for C code: not empty, without a zero byte or a line break. */
static const char *get_name(struct dec *d, struct arena *a, bool may_be_empty)
{
	struct bytes s = dec_str(d, BUILD_PATH_BYTES_MAX);
	const char *name;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 0x20)
			dec_fail(d, ERR_MALFORMED);
	if (s.n == 0 && !may_be_empty)
		dec_fail(d, ERR_MALFORMED);
	name = arena_str(a, s);
	if (!name)
		dec_fail(d, ERR_NO_MEMORY);
	return name;
}

static void get_text(struct dec *d, struct arena *a, struct build_text *t)
{
	dec_array_exact(d, 2);
	t->name = get_name(d, a, false);
	t->text = dec_bin(d, BUILD_SOURCE_BYTES_MAX);
}

enum err build_unit_decode(struct arena *a, struct bytes in,
			   struct build_unit *ret_unit)
{
	struct dec d = dec_make(in);
	struct build_unit u = {.sm = 0};
	struct build_text *headers;
	struct build_define *defines;
	const char **kernels;

	dec_array_exact(&d, 7);
	if (dec_uint(&d, UNIT_VERSION) != UNIT_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	get_text(&d, a, &u.source);
	u.header_count = dec_array(&d, BUILD_HEADERS_MAX);
	headers = ARENA_ARRAY(a, u.header_count + 1, struct build_text);
	for (uint32_t i = 0; headers && i < u.header_count && !d.err; i++)
		get_text(&d, a, &headers[i]);
	u.define_count = dec_array(&d, BUILD_HEADERS_MAX);
	defines = ARENA_ARRAY(a, u.define_count + 1, struct build_define);
	for (uint32_t i = 0; defines && i < u.define_count && !d.err; i++) {
		dec_array_exact(&d, 2);
		defines[i].name = get_name(&d, a, false);
		defines[i].value = get_name(&d, a, true);
	}
	u.kernel_count = dec_array(&d, BUILD_KERNELS_MAX);
	kernels = ARENA_ARRAY(a, u.kernel_count + 1, const char *);
	for (uint32_t i = 0; kernels && i < u.kernel_count && !d.err; i++)
		kernels[i] = get_name(&d, a, false);
	u.fmad = dec_bool(&d);
	u.sm = (uint32_t)dec_uint(&d, 999);
	if (!headers || !defines || !kernels)
		dec_fail(&d, ERR_NO_MEMORY);
	if (dec_end(&d) != ERR_OK)
		return dec_end(&d);
	u.headers = headers;
	u.defines = defines;
	u.kernels = kernels;
	*ret_unit = u;
	return ERR_OK;
}

static void put_counted(struct sha256 *s, struct bytes b)
{
	sha256_put_u64_le(s, b.n);
	sha256_put(s, b.p, b.n);
}

struct hash build_unit_key(const struct build_unit *u)
{
	struct sha256 s;
	struct buf b = buf_make(SIZE_MAX / 2);

	sha256_init_tag(&s, "weft/unit");
	build_unit_encode(&b, u);
	put_counted(&s, buf_bytes(&b));
	buf_free(&b);
	for (size_t i = 0; i < strict_header_count; i++) {
		put_counted(&s, bytes_str(strict_headers[i].name));
		put_counted(&s, bytes_of(strict_headers[i].text,
					 strict_headers[i].bytes));
	}
	for (uint32_t i = 0; i < build_shim_count; i++) {
		put_counted(&s, bytes_str(build_shims[i].name));
		put_counted(&s, build_shims[i].text);
	}
	return sha256_end(&s);
}

bool build_ptx_fits(struct bytes ptx, const struct build_unit *u)
{
	struct bytes mark = BYTES_LIT(BUILD_PTX_MARK);
	struct hash key = build_unit_key(u);
	char text[HASH_TEXT_BYTES];

	return bytes_starts(ptx, mark) &&
	       bytes_starts(bytes_skip(ptx, mark.n),
			    bytes_str(hash_text(&key, text)));
}

struct bytes build_ptx_lowered(struct bytes ptx, struct bytes expression)
{
	struct bytes mark = BYTES_LIT(BUILD_PTX_KERNEL);
	struct bytes none = {NULL, 0};

	while (bytes_starts(ptx, BYTES_LIT("// "))) {
		size_t n = 0, space;
		struct bytes line;

		while (n < ptx.n && ptx.p[n] != '\n')
			n++;
		line = bytes_of(ptx.p, n);
		ptx = bytes_skip(ptx, n + 1);
		if (!bytes_starts(line, mark))
			continue;
		line = bytes_skip(line, mark.n);
		/* the lowered name is the last word */
		for (space = line.n; space > 0; space--)
			if (line.p[space - 1] == ' ')
				break;
		if (space > 0 &&
		    bytes_eq(bytes_of(line.p, space - 1), expression))
			return bytes_skip(line, space);
	}
	return none;
}

const char *build_ptx_name(struct arena *a, const char *source_name)
{
	size_t n = strlen(source_name);

	if (n > 3 && strcmp(source_name + n - 3, ".cu") == 0)
		n -= 3;
	return arena_printf(a, "%.*s.ptx", (int)n, source_name);
}

enum err build_committed(struct arena *a, const struct build_unit *u,
			 const struct build_files *files, struct bytes *ret_ptx,
			 struct build_diag *reterr_diag)
{
	const char *name = build_ptx_name(a, u->source.name);
	struct build_source s = {.kind = BUILD_SOURCE_PATH};
	struct build_data d;
	const char *why = "";
	enum err err;

	*reterr_diag = (struct build_diag){.file = u->source.name,
					   .text = err_words(ERR_NO_MEMORY)};
	if (!name)
		return ERR_NO_MEMORY;
	s.name = bytes_str(name);
	err = build_open(files, &s, PTX_TEXT_BYTES_MAX, &d, &why);
	if (err != ERR_OK) {
		reterr_diag->text = BUILD_INSTALL_HINT;
		return ERR_NO_COMPILER;
	}
	if (!build_ptx_fits(d.bytes, u)) {
		reterr_diag->text = arena_printf(
			a,
			"%s was made from another source, header, define "
			"or target; " BUILD_INSTALL_HINT,
			name);
		err = ERR_NO_COMPILER;
	} else {
		*ret_ptx = arena_copy(a, d.bytes);
		if (!ret_ptx->p)
			err = ERR_NO_MEMORY;
	}
	build_close(files, &s, &d);
	return err;
}

/* "<64 hex digits>.ptx" of unit and compiler. */
static void cache_name(const struct build_unit *u,
		       const struct build_nvrtc_place *place,
		       char out[HASH_TEXT_BYTES + 4])
{
	struct hash key = build_unit_key(u);
	struct sha256 s;

	sha256_init_tag(&s, "weft/ptx-cache");
	sha256_put(&s, key.b, sizeof(key.b));
	sha256_put(&s, place->identity.b, sizeof(place->identity.b));
	key = sha256_end(&s);
	hash_text(&key, out);
	memcpy(out + HASH_TEXT_BYTES - 1, ".ptx", 5);
}

enum err build_cache_get(int folder_fd, struct arena *a,
			 const struct build_unit *u,
			 const struct build_nvrtc_place *place,
			 struct bytes *ret_ptx)
{
	struct build_files_folder folder = {folder_fd};
	struct build_files files = build_files_folder(&folder);
	char name[HASH_TEXT_BYTES + 4];
	struct build_source s = {.kind = BUILD_SOURCE_PATH};
	struct build_data d;
	const char *why;
	bool fits;

	cache_name(u, place, name);
	s.name = bytes_str(name);
	if (build_open(&files, &s, PTX_TEXT_BYTES_MAX, &d, &why) != ERR_OK)
		return ERR_NOT_FOUND;
	fits = build_ptx_fits(d.bytes, u);
	*ret_ptx = fits ? arena_copy(a, d.bytes) : (struct bytes){NULL, 0};
	build_close(&files, &s, &d);
	return ret_ptx->p ? ERR_OK : ERR_NOT_FOUND;
}

enum err build_cache_put(int folder_fd, const struct build_unit *u,
			 const struct build_nvrtc_place *place,
			 struct bytes ptx)
{
	char name[HASH_TEXT_BYTES + 4], part[HASH_TEXT_BYTES + 32];
	size_t done = 0;
	int fd;

	cache_name(u, place, name);
	snprintf(part, sizeof(part), "%s.%ld", name, (long)getpid());
	fd = openat(folder_fd, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return ERR_IO;
	while (done < ptx.n) {
		ssize_t n = write(fd, ptx.p + done, ptx.n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (close(fd) != 0 || done < ptx.n ||
	    renameat(folder_fd, part, folder_fd, name) != 0) {
		unlinkat(folder_fd, part, 0);
		return ERR_IO;
	}
	return ERR_OK;
}
