/*
 * Pixels of buffers: each format is turned into 8-bit channels, one value a
 * pixel is coloured by a map.  Tiles that are not there stay empty: black,
 * transparent where there is an alpha channel.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/manifest.h"
#include "gpu/build/priv/results.h"

static uint32_t pixel_bytes(enum manifest_pixels format)
{
	switch (format) {
	case MANIFEST_GRAY8:
		return 1;
	case MANIFEST_RGB8:
		return 3;
	case MANIFEST_RGBA8:
	case MANIFEST_F32:
		break;
	}
	return 4;
}

/* Channels that the picture gets. */
static uint32_t channels_of(const struct manifest_picture *p)
{
	switch (p->format) {
	case MANIFEST_RGB8:
		return 3;
	case MANIFEST_RGBA8:
		return 4;
	case MANIFEST_GRAY8:
	case MANIFEST_F32:
		break;
	}
	return p->map == MANIFEST_MAP_GRAY ? 1 : 3;
}

static double value_at(const struct manifest_picture *p, struct bytes tile,
		       size_t pixel)
{
	uint32_t bits;
	float v;

	if (p->format == MANIFEST_GRAY8)
		return tile.p[pixel];
	bits = u32_le(tile.p + 4 * pixel);
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Lowest and highest finite value of all tiles; a signed map is symmetric
 * about zero. */
struct draw_range draw_range_of(const struct manifest_picture *p,
				const struct bytes *tiles, uint64_t count)
{
	struct draw_range r = {p->low, p->high};
	bool any = false;
	size_t pixels = (size_t)p->width * p->height;

	if (!p->is_auto)
		return r;
	if (p->format == MANIFEST_GRAY8)
		return (struct draw_range){0, 255};
	for (uint64_t t = 0; t < count; t++) {
		for (size_t i = 0; tiles[t].n > 0 && i < pixels; i++) {
			double v = value_at(p, tiles[t], i);

			if (!isfinite(v))
				continue;
			if (!any || v < r.low)
				r.low = v;
			if (!any || v > r.high)
				r.high = v;
			any = true;
		}
	}
	if (!any)
		return (struct draw_range){0, 1};
	if (p->map == MANIFEST_MAP_SIGNED) {
		double most = fmax(fabs(r.low), fabs(r.high));

		r = (struct draw_range){-most, most};
	}
	if (!(r.low < r.high))
		r.high = r.low + 1;
	return r;
}

/* Anchors of viridis at 0, 1/8, ... 1. */
static const uint8_t viridis[9][3] = {
	/* clang-format off */
	{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142},
	{33, 144, 141}, {39, 173, 129}, {92, 200, 99}, {170, 220, 50},
	{253, 231, 37},
	/* clang-format on */
};

/* Blue for negative, white at zero, red for positive. */
static const uint8_t around_zero[3][3] = {
	{33, 102, 172}, {247, 247, 247}, {178, 24, 43}};

static void blend(const uint8_t (*anchors)[3], unsigned count, double x,
		  uint8_t *out)
{
	double at = x * (count - 1);
	unsigned i = at >= count - 1 ? count - 2 : (unsigned)at;
	double f = at - i;

	for (int c = 0; c < 3; c++)
		out[c] = (uint8_t)(anchors[i][c] * (1 - f) +
				   anchors[i + 1][c] * f + 0.5);
}

/* A value as a colour; NaN is black. */
static void colour(const struct manifest_picture *p, const struct draw_range *r,
		   double v, uint8_t *out)
{
	double x = (v - r->low) / (r->high - r->low);

	if (isnan(v) || isnan(x)) {
		memset(out, 0, p->map == MANIFEST_MAP_GRAY ? 1 : 3);
		return;
	}
	x = x < 0 ? 0 : x > 1 ? 1 : x;
	switch (p->map) {
	case MANIFEST_MAP_GRAY:
		out[0] = (uint8_t)(x * 255 + 0.5);
		break;
	case MANIFEST_MAP_VIRIDIS:
		blend(viridis, 9, x, out);
		break;
	case MANIFEST_MAP_SIGNED:
		blend(around_zero, 3, x, out);
		break;
	}
}

static void draw_tile(const struct manifest_picture *p,
		      const struct draw_range *r, struct bytes tile,
		      struct view_image *image, uint64_t x0, uint64_t y0)
{
	uint32_t in = pixel_bytes(p->format), out = image->channels;
	bool copied = p->format == MANIFEST_RGB8 || p->format == MANIFEST_RGBA8;

	for (uint32_t y = 0; y < p->height; y++) {
		uint8_t *row =
			image->pixels + ((y0 + y) * image->width + x0) * out;
		size_t first = (size_t)y * p->width;

		if (copied) {
			memcpy(row, tile.p + first * in, (size_t)p->width * in);
			continue;
		}
		for (uint32_t x = 0; x < p->width; x++)
			colour(p, r, value_at(p, tile, first + x),
			       row + (size_t)x * out);
	}
}

enum err view_draw(struct arena *a, const struct manifest_picture *p,
		   const struct bytes *tiles, uint64_t tile_count,
		   struct view_image *ret_image)
{
	uint64_t columns = p->columns > 0 ? p->columns : 1;
	uint64_t rows, width, height;
	size_t bytes = (size_t)p->width * p->height * pixel_bytes(p->format);
	struct view_image image = {.channels = channels_of(p)};
	struct draw_range range = draw_range_of(p, tiles, 0);

	if (tile_count < columns)
		columns = tile_count > 0 ? tile_count : 1;
	rows = tile_count > 0 ? (tile_count + columns - 1) / columns : 1;
	width = columns * p->width;
	height = rows * p->height;
	if (width > VIEW_SIDE_MAX || height > VIEW_SIDE_MAX ||
	    width * height > VIEW_PIXELS_MAX)
		return ERR_LIMIT;
	for (uint64_t t = 0; t < tile_count; t++)
		if (tiles[t].n != 0 && tiles[t].n != bytes)
			return ERR_REFUSED;
	image.width = (uint32_t)width;
	image.height = (uint32_t)height;
	image.pixels = ARENA_ARRAY(a, (size_t)(width * height) * image.channels,
				   uint8_t);
	if (!image.pixels)
		return ERR_NO_MEMORY;
	if (p->format == MANIFEST_F32 || p->format == MANIFEST_GRAY8)
		range = draw_range_of(p, tiles, tile_count);
	for (uint64_t t = 0; t < tile_count; t++)
		if (tiles[t].n > 0)
			draw_tile(p, &range, tiles[t], &image,
				  t % columns * p->width,
				  t / columns * p->height);
	*ret_image = image;
	return ERR_OK;
}
