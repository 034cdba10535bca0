/*
 * gpu/build/view - what the buyer gets: files, a table, a picture.
 *
 * Outputs of tasks arrive in any order and are joined in task order; a task
 * that is not done leaves the fill value.
 */
#ifndef WEFT_GPU_BUILD_VIEW_H
#define WEFT_GPU_BUILD_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/build/files.h"

struct arena;
struct manifest;
struct manifest_picture;

/* Most pixels of one picture, and of a side. */
#define VIEW_PIXELS_MAX (1u << 28)
#define VIEW_SIDE_MAX	65535u

/* A result folder being written. */
struct view_results;

/*
 * Create or open the folder dir below folder_fd and prepare the output files
 * of m: joined ones are created at their full size with the fill value.
 * buffers_wanted: also keeps what view.picture needs.
 * Returns ERR_OK, ERR_IO (errno text in reterr_diag), ERR_NO_MEMORY.
 */
MUST_USE enum err view_results_new(const struct manifest *m, const char *dir,
				   struct view_results **ret_results,
				   struct build_diag *reterr_diag);

/* A row of tasks.csv; strings are copied. */
struct view_task_row {
	uint64_t index;
	const char *state;	  /* "done", "failed", ... */
	const char *reason;	  /* a reason word, "" if none */
	const char *provider;	  /* address, or "local" */
	const char *lease;	  /* hex, or "" */
	struct bytes output_root; /* 32 bytes, or empty */
};

/* True if buffer is saved or drawn, so its bytes are needed. */
bool view_needs_buffer(const struct manifest *m, uint32_t buffer);

/*
 * Write one buffer of one task to its place.
 * Returns ERR_OK, ERR_REFUSED (bytes is not the buffer's size), ERR_IO,
 * ERR_NO_MEMORY.
 */
MUST_USE enum err view_results_put(struct view_results *r, uint64_t task,
				   uint32_t buffer, struct bytes bytes);

/* Note how a task ended; a later call for the same task replaces it. */
MUST_USE enum err view_results_row(struct view_results *r,
				   const struct view_task_row *row);

/*
 * Write tasks.csv, and picture.png, frames.png (animated), line.png and
 * points.png if m has them.  May be
 * called again after more tasks (then both are replaced).  ret_picture: path
 * below dir, or NULL.
 */
MUST_USE enum err view_results_finish(struct view_results *r,
				      const char **ret_picture,
				      struct build_diag *reterr_diag);

/* RGBA pixels of what is there so far, for a terminal; NULL without a
 * view.picture.  Owned by r, valid until its next call. */
const uint8_t *view_results_pixels(struct view_results *r, uint32_t *ret_width,
				   uint32_t *ret_height);

/*
 * view.table as text: a header, the top rows in order, aligned, one line
 * each; nothing if m has none.  ERR_OK, ERR_LIMIT or ERR_NO_MEMORY.
 */
MUST_USE enum err view_results_table(struct view_results *r, struct buf *out);

/*
 * view.line and view.points as text of at most 80 columns: dots in braille
 * with the ends of both axes; nothing if m has none.  A buffer's elements are
 * drawn one after the other, tasks in order; a column's value belongs to all
 * elements of its task.  ERR_OK, ERR_LIMIT or ERR_NO_MEMORY.
 */
MUST_USE enum err view_results_plots(struct view_results *r, struct buf *out);

void view_results_free(struct view_results *r); /* NULL is fine */

/* A picture in memory, 8 bits a channel. */
struct view_image {
	uint32_t width;
	uint32_t height;
	uint32_t channels; /* 1, 3 or 4 */
	uint8_t *pixels;   /* width * height * channels */
};

/*
 * Draw tiles tasks' buffers (tiles[i] of p's size, empty: not done) as one
 * image in a.  columns of p say how many tiles stand in a row.
 * Returns ERR_OK, ERR_REFUSED (a tile of another size), ERR_LIMIT,
 * ERR_NO_MEMORY.
 */
MUST_USE enum err view_draw(struct arena *a, const struct manifest_picture *p,
			    const struct bytes *tiles, uint64_t tile_count,
			    struct view_image *ret_image);

/* PNG bytes of image appended to out; ERR_OK, ERR_LIMIT, ERR_NO_MEMORY. */
MUST_USE enum err view_png_encode(const struct view_image *image,
				  struct buf *out);

/*
 * Decode a PNG to pixels of channels 1, 3 or 4 (any PNG is converted: 16 bit
 * is rounded to 8, palettes expanded, transparency kept only with 4).
 * reterr_why: one clause.
 * Returns ERR_OK, ERR_MALFORMED, ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err view_png_decode(struct arena *a, struct bytes png,
				  uint32_t channels,
				  struct view_image *ret_image,
				  const char **reterr_why);

#endif /* WEFT_GPU_BUILD_VIEW_H */
