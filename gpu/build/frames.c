/*
 * An animated PNG is a PNG whose later pictures stand in fdAT chunks.  Each
 * frame is encoded as a PNG of its own, and its IDAT chunks are taken over.
 */
#include <string.h>

#include "base/arena.h"
#include "gpu/build/priv/results.h"

/* Milliseconds that a frame is shown. */
#define FRAME_MS 100u

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};

/* PNG's CRC-32 over type and data. */
static uint32_t crc32_of(const uint8_t *p, size_t n)
{
	uint32_t c = 0xffffffffu;

	for (size_t i = 0; i < n; i++) {
		c ^= p[i];
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
	}
	return ~c;
}

static void put_u32(struct buf *b, uint32_t v)
{
	uint8_t raw[4];

	put_u32_be(raw, v);
	buf_put(b, raw, sizeof(raw));
}

/* A chunk whose data starts with head (may be NULL: none). */
static void put_chunk(struct buf *out, const char *type, const uint32_t *head,
		      struct bytes data)
{
	size_t start;

	put_u32(out, (uint32_t)(data.n + (head ? 4 : 0)));
	start = out->n;
	buf_put(out, type, 4);
	if (head)
		put_u32(out, *head);
	buf_put_bytes(out, data);
	if (out->err == ERR_OK)
		put_u32(out, crc32_of(out->p + start, out->n - start));
}

static void put_frame_control(struct buf *out, uint32_t *sequence,
			      uint32_t width, uint32_t height)
{
	struct buf b = buf_make(64);
	uint8_t tail[6] = {0, FRAME_MS, 3, 0xe8, 0, 0}; /* n / 1000 s */

	put_u32(&b, width);
	put_u32(&b, height);
	put_u32(&b, 0);
	put_u32(&b, 0);
	buf_put(&b, tail, sizeof(tail));
	put_chunk(out, "fcTL", sequence, buf_bytes(&b));
	++*sequence;
	buf_free(&b);
}

/* The next chunk of a PNG that was just encoded; false at its end. */
static bool next_chunk(struct bytes *png, const uint8_t **type,
		       struct bytes *data)
{
	uint32_t n;

	if (png->n < 12)
		return false;
	n = u32_be(png->p);
	if (n > png->n - 12)
		return false;
	*type = png->p + 4;
	*data = bytes_of(png->p + 8, n);
	*png = bytes_skip(*png, n + 12);
	return true;
}

/* Frame number of one picture: the first brings the header. */
static void put_frame(struct buf *out, struct bytes png, uint32_t frames,
		      bool is_first, uint32_t *sequence)
{
	const uint8_t *type;
	struct bytes data;
	uint32_t width = 0, height = 0;

	png = bytes_skip(png, sizeof(signature));
	while (next_chunk(&png, &type, &data)) {
		if (memcmp(type, "IHDR", 4) == 0) {
			uint8_t actl[8];

			width = u32_be(data.p);
			height = u32_be(data.p + 4);
			put_u32_be(actl, frames);
			put_u32_be(actl + 4, 0); /* for ever */
			if (is_first) {
				put_chunk(out, "IHDR", NULL, data);
				put_chunk(out, "acTL", NULL, BYTES_OF(actl));
			}
			put_frame_control(out, sequence, width, height);
		} else if (memcmp(type, "IDAT", 4) == 0) {
			if (is_first) {
				put_chunk(out, "IDAT", NULL, data);
				continue;
			}
			put_chunk(out, "fdAT", sequence, data);
			++*sequence;
		}
	}
}

static enum err one_frame(const struct manifest_picture *p, struct bytes tile,
			  struct buf *png)
{
	struct arena *a = arena_new(1u << 30);
	struct view_image image;
	enum err err = a ? view_draw(a, p, &tile, 1, &image) : ERR_NO_MEMORY;

	if (err == ERR_OK)
		err = view_png_encode(&image, png);
	arena_free(a);
	return err;
}

static enum err put_all(const struct view_results *r, const struct bytes *tiles,
			uint32_t count, struct buf *out)
{
	struct manifest_picture p = r->m->frames;
	struct draw_range range = draw_range_of(&p, tiles, count);
	uint32_t sequence = 0;
	enum err err = ERR_OK;

	p.is_auto = false; /* one range, or the colours would flicker */
	p.low = range.low;
	p.high = range.high;
	p.columns = 0;
	buf_put(out, signature, sizeof(signature));
	for (uint32_t i = 0; i < count && err == ERR_OK; i++) {
		struct buf png = buf_make(1u << 30);

		err = one_frame(&p, tiles[i], &png);
		if (err == ERR_OK)
			put_frame(out, buf_bytes(&png), count, i == 0,
				  &sequence);
		buf_free(&png);
	}
	put_chunk(out, "IEND", NULL, (struct bytes){NULL, 0});
	return err == ERR_OK ? out->err : err;
}

enum err results_frames(const struct view_results *r, struct buf *out)
{
	uint32_t buffer = r->m->frames.buffer, count = 0;
	size_t size = (size_t)r->m->buffers[buffer].size_bytes;
	struct arena *a = arena_new(64u << 20);
	struct bytes *tiles =
		a ? ARENA_ARRAY(a, (size_t)r->m->task_count, struct bytes)
		  : NULL;
	enum err err = tiles ? ERR_OK : ERR_NO_MEMORY;

	for (uint64_t i = 0; tiles && i < r->m->task_count; i++)
		if (r->kept[buffer][i])
			tiles[count++] = bytes_of(r->kept[buffer][i], size);
	if (count > 0)
		err = put_all(r, tiles, count, out);
	arena_free(a);
	return err;
}
