/*
 * libpng's simplified interface: no callbacks, no longjmp, bounded by the
 * sizes that are checked before any pixel is decoded.
 */
#include <png.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/view.h"

static uint32_t format_of(uint32_t channels)
{
	return channels == 1   ? PNG_FORMAT_GRAY
	       : channels == 3 ? PNG_FORMAT_RGB
			       : PNG_FORMAT_RGBA;
}

enum err view_png_encode(const struct view_image *image, struct buf *out)
{
	png_image png;
	png_alloc_size_t bytes = 0;
	uint8_t *room;

	memset(&png, 0, sizeof(png));
	png.version = PNG_IMAGE_VERSION;
	png.width = image->width;
	png.height = image->height;
	png.format = format_of(image->channels);
	if (!png_image_write_to_memory(&png, NULL, &bytes, 0, image->pixels, 0,
				       NULL))
		return ERR_NO_MEMORY;
	room = buf_extend(out, bytes);
	if (!room)
		return out->err;
	if (!png_image_write_to_memory(&png, room, &bytes, 0, image->pixels, 0,
				       NULL))
		return ERR_NO_MEMORY;
	return ERR_OK;
}

static enum err decode_fail(png_image *png, const char **why, const char *text)
{
	png_image_free(png);
	*why = text;
	return ERR_MALFORMED;
}

enum err view_png_decode(struct arena *a, struct bytes png_bytes,
			 uint32_t channels, struct view_image *ret_image,
			 const char **reterr_why)
{
	static const png_color black = {0, 0, 0};
	png_image png;
	struct view_image image = {.channels = channels};

	memset(&png, 0, sizeof(png));
	png.version = PNG_IMAGE_VERSION;
	if (!png_image_begin_read_from_memory(&png, png_bytes.p, png_bytes.n))
		return decode_fail(&png, reterr_why, "not a PNG");
	if ((uint64_t)png.width * png.height > VIEW_PIXELS_MAX ||
	    png.width > VIEW_SIDE_MAX || png.height > VIEW_SIDE_MAX) {
		png_image_free(&png);
		*reterr_why = "the picture is too large";
		return ERR_LIMIT;
	}
	png.format = format_of(channels);
	image.width = png.width;
	image.height = png.height;
	image.pixels = ARENA_ARRAY(a, PNG_IMAGE_SIZE(png), uint8_t);
	if (!image.pixels) {
		png_image_free(&png);
		*reterr_why = err_words(ERR_NO_MEMORY);
		return ERR_NO_MEMORY;
	}
	if (!png_image_finish_read(&png, &black, image.pixels, 0, NULL))
		return decode_fail(&png, reterr_why, "a broken PNG");
	*ret_image = image;
	return ERR_OK;
}
