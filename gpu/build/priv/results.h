/*
 * gpu/build/priv/results - a result folder while it is being written.
 */
#ifndef WEFT_GPU_BUILD_PRIV_RESULTS_H
#define WEFT_GPU_BUILD_PRIV_RESULTS_H

#include "gpu/build/manifest.h"
#include "gpu/build/view.h"

/* How a task ended; strings are malloc'ed, NULL: not known. */
struct results_row {
	char *state;
	char *reason;
	char *provider;
	char *lease;
	char root[HASH_TEXT_BYTES]; /* "" if none */
};

struct view_results {
	const struct manifest *m;
	int folder_fd;
	int joined[PROGRAM_BUFFERS_MAX]; /* -1: none */
	struct results_row *rows;	 /* one a task */
	/* kept[buffer][task]: bytes that a view draws, malloc'ed */
	uint8_t **kept[PROGRAM_BUFFERS_MAX];
	uint8_t *pixels; /* for view_results_pixels */
};

/* True if a view draws from this buffer. */
bool results_is_viewed(const struct manifest *m, uint32_t buffer);

/* Values between which colours are chosen. */
struct draw_range {
	double low;
	double high;
};

/* The picture's own, or with "auto" that of all tiles together. */
struct draw_range draw_range_of(const struct manifest_picture *p,
				const struct bytes *tiles, uint64_t count);

/* Bits of an element: types are "u8" ... "f64", as the reader of manifests
 * gives them. */
unsigned results_type_bits(const char *type);

/* One element of a buffer as a number, rounded to 53 bits. */
double results_element(const char *type, const uint8_t *p);

/* A chart as a PNG, appended to out.  ERR_OK, ERR_LIMIT, ERR_NO_MEMORY. */
MUST_USE enum err results_plot(const struct view_results *r,
			       const struct manifest_chart *chart,
			       bool is_joined, struct buf *out);

/* view.frames as an animated PNG of the tasks that are there, in order,
 * appended to out; nothing if none is.  ERR_OK, ERR_LIMIT, ERR_NO_MEMORY. */
MUST_USE enum err results_frames(const struct view_results *r, struct buf *out);

/* Replace a file of the folder by bytes.  ERR_OK or ERR_IO. */
MUST_USE enum err results_write(const struct view_results *r, const char *name,
				struct bytes bytes);

#endif /* WEFT_GPU_BUILD_PRIV_RESULTS_H */
