/*
 * .loc: where an instruction comes from in the user's source.
 *
 * Compilers inline what headers hold; .loc says then where, as another .loc
 * that stands before it.  An instruction of a toolkit's header is given the
 * nearest place outwards that is the user's own.
 */
#include <string.h>

#include "gpu/ptx/priv/parser.h"

/* As .loc says it, numbers that are too large as unknown ones. */
struct place {
	uint32_t file, line, column;
};

struct ptx_loc {
	struct place at;
	uint32_t caller; /* index + 1, below the own; 0: none */
};

/* Loses what falls together: then the header's own line is shown. */
static uint32_t *seen(struct parser *p, struct place at)
{
	uint32_t h = at.file * 0x9e3779b1u ^ at.line * 0x85ebca6bu ^
		     at.column * 0xc2b2ae35u;

	if (!p->locs_seen)
		p->locs_seen = ARENA_ARRAY(p->a, (size_t)1 << p->locs_seen_bits,
					   uint32_t);
	if (!p->locs_seen) {
		parser_fail(p, ERR_NO_MEMORY, "out of memory");
		return NULL;
	}
	return &p->locs_seen[h >> (32 - p->locs_seen_bits)];
}

static struct place take_place(struct parser *p)
{
	int64_t file = parser_count(p);
	int64_t line = parser_count(p);
	int64_t column = 0;

	if (p->t.kind == TOKEN_NUMBER)
		column = parser_count(p);
	return (struct place){
		file >= 0 && file < UINT16_MAX ? (uint32_t)file : UINT16_MAX,
		line > 0 && line < UINT32_MAX ? (uint32_t)line : 0,
		column > 0 && column < UINT32_MAX ? (uint32_t)column : 0};
}

static uint32_t find_caller(struct parser *p, struct place at)
{
	const uint32_t *slot = seen(p, at);

	if (!slot || !*slot || *slot > p->loc_count ||
	    memcmp(&p->locs[*slot - 1].at, &at, sizeof(at)) != 0)
		return 0;
	return *slot;
}

/* .loc file line column [, function_name label [+ n], inlined_at place] */
void parser_loc(struct parser *p)
{
	uint32_t text_line = p->t.line;
	struct ptx_loc loc = {0};
	uint32_t *slot;

	parser_advance(p);
	loc.at = take_place(p);
	while (p->t.line == text_line && p->t.kind != TOKEN_END &&
	       p->err == ERR_OK) {
		bool is_inlined = parser_is_word(p, "inlined_at");

		parser_advance(p);
		if (is_inlined)
			loc.caller = find_caller(p, take_place(p));
	}
	p->locs = parser_grow(p, p->locs, p->loc_count, &p->loc_cap,
			      sizeof(*p->locs), PTX_TEXT_BYTES_MAX);
	slot = seen(p, loc.at);
	if (!p->locs || !slot)
		return;
	p->locs[p->loc_count++] = loc;
	*slot = p->loc_count;
	p->loc = p->loc_count;
}

/* Of the toolkit (gpu/build writes <cooperative_groups.h>, nvcc a whole path),
 * or of what is put before every source. */
static bool is_foreign(struct bytes name)
{
	return bytes_starts(name, BYTES_LIT("<")) ||
	       bytes_starts(name, BYTES_LIT("/")) ||
	       bytes_starts(name, BYTES_LIT("weft_")) ||
	       bytes_starts(name, BYTES_LIT("cuda_"));
}

static struct place place_of(const struct parser *p, uint32_t loc)
{
	struct place inner = p->locs[loc - 1].at;

	for (; loc; loc = p->locs[loc - 1].caller) {
		struct place at = p->locs[loc - 1].at;

		if (at.file < p->m->file_count &&
		    !is_foreign(p->m->files[at.file]))
			return at;
	}
	return inner;
}

/* The names of files stand at the end of a text. */
void parser_place_instrs(struct parser *p, uint32_t first)
{
	struct place at = {UINT16_MAX, 0, 0};
	uint32_t last = 0;

	p->loc_count = 0;
	for (uint32_t i = first; i < p->instr_count; i++) {
		struct ptx_instr *in = &p->instrs[i];

		if (in->source_line && in->source_line != last)
			at = place_of(p, in->source_line);
		if (!in->source_line)
			continue;
		last = in->source_line;
		in->source_line = at.line;
		in->source_file = (uint16_t)at.file;
	}
}
