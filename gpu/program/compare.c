/*
 * The writes of a re-run CTA against S_k: byte by byte, but a NaN whose bits
 * nobody specifies equals every NaN of its width.
 */
#include "gpu/program/opening.h"

#include <string.h>

/* Exponent all ones, fraction not zero. */
static bool is_nan(const uint8_t *p, uint32_t bytes)
{
	uint64_t v;

	if (bytes == 2) /* f16; a bf16 NaN is one too, read as f16 or not */
		return (u16_le(p) & 0x7c00u) == 0x7c00u &&
		       (u16_le(p) & 0x3ffu) != 0;
	if (bytes == 4)
		return (u32_le(p) & 0x7f800000u) == 0x7f800000u &&
		       (u32_le(p) & 0x7fffffu) != 0;
	v = u64_le(p);
	return (v & 0x7ff0000000000000u) == 0x7ff0000000000000u &&
	       (v & 0xfffffffffffffu) != 0;
}

/* The first byte where data and found (equally long) disagree; n if none. */
static size_t first_difference(const struct program_write *w, const uint8_t *at,
			       size_t from, size_t n)
{
	uint32_t width = w->nan_bytes;

	for (size_t i = 0; i < n; i++) {
		size_t word = width ? (from + i) / width * width : 0;

		if (at[i] == w->data.p[from + i])
			continue;
		if (width && word >= from && word - from + width <= n &&
		    is_nan(at + (word - from), width))
			continue;
		return i;
	}
	return n;
}

static enum program_finding compare_write(const struct program_run *run,
					  const struct program_write *w,
					  struct program_difference *reterr)
{
	const struct program_opening *o = run->opening;
	const struct program_pieces *p =
		program_pieces_of(o->after, o->after_count, w->object_index);
	uint64_t size;

	if (!p)
		return PROGRAM_INCOMPLETE;
	size = program_object_bytes(&run->program, w->object_index);
	for (size_t at = 0; at < w->data.n;) {
		struct bytes b = program_pieces_at(p, size, w->offset + at,
						   w->data.n - at);
		size_t same;

		if (b.n == 0)
			return PROGRAM_INCOMPLETE;
		same = first_difference(w, b.p, at, b.n);
		if (same < b.n) {
			*reterr = (struct program_difference){
				w->object_index, w->offset + at + same,
				w->data.p[at + same], b.p[same]};
			return PROGRAM_BAD_BYTES;
		}
		at += b.n;
	}
	return PROGRAM_FINE;
}

static bool covers(const struct program_run *run, const struct program_write *w)
{
	return w->object_index == run->byte_object &&
	       run->byte_offset >= w->offset &&
	       run->byte_offset - w->offset < w->data.n;
}

static struct bytes byte_of(const struct program_run *run,
			    const struct program_pieces *list, uint32_t count)
{
	const struct program_pieces *p =
		program_pieces_of(list, count, run->byte_object);

	return program_pieces_at(
		p, program_object_bytes(&run->program, run->byte_object),
		run->byte_offset, 1);
}

enum program_finding
program_run_compare(const struct program_run *run,
		    const struct program_write *writes, size_t write_count,
		    struct program_difference *reterr_difference)
{
	const struct program_opening *o = run->opening;
	enum program_finding missing = PROGRAM_FINE;
	bool wrote = !run->must_write;

	for (size_t i = 0; i < write_count; i++) {
		enum program_finding f =
			compare_write(run, &writes[i], reterr_difference);

		/* A wrong byte outweighs one that is not shown. */
		if (f == PROGRAM_BAD_BYTES)
			return f;
		if (f != PROGRAM_FINE)
			missing = f;
		wrote = wrote || covers(run, &writes[i]);
	}
	if (missing != PROGRAM_FINE)
		return missing;
	if (wrote)
		return PROGRAM_FINE;
	*reterr_difference = (struct program_difference){
		run->byte_object, run->byte_offset,
		*byte_of(run, o->before, o->before_count).p,
		*byte_of(run, o->after, o->after_count).p};
	return PROGRAM_BAD_BYTES;
}
