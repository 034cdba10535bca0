/*
 * gpu/strict - math in CUDA C that gives the same bits everywhere.
 *
 * The sources are the .cuh files of this folder.  They travel inside the
 * binaries: gpu/strict/strict_text.c holds their text and is made by
 * gpu/strict/embed.sh.  Every CUDA source is compiled with strict_prelude in
 * front (NVRTC's --pre-include); it includes the others by name.
 */
#ifndef WEFT_GPU_STRICT_STRICT_H
#define WEFT_GPU_STRICT_STRICT_H

#include <stddef.h>

struct strict_header {
	const char *name; /* as an #include names it */
	const char *text; /* zero-terminated */
	size_t bytes;	  /* of text, without the zero */
};

extern const struct strict_header strict_headers[];
extern const size_t strict_header_count;

/* The name of the header that stands in front of every source. */
extern const char strict_prelude[];

#endif /* WEFT_GPU_STRICT_STRICT_H */
