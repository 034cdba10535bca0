/*
 * tests/diff/engine - one kernel, run in many ways that must agree.
 *
 * A case is PTX with a kernel "k" of the shape that tests/support/kernels
 * makes.  diff_case_check() runs it plain, on every set of lanes, at widths 1,
 * 8, 16, 32 and the CTA's, with warps and CTAs in orders by chance, with
 * several threads, traced and sanitized; whatever has a defined result has the
 * same everywhere.
 */
#ifndef WEFT_TESTS_DIFF_ENGINE_ENGINE_H
#define WEFT_TESTS_DIFF_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "gpu/exec/exec.h"

struct arena;

/* A kernel to run; text and in are borrowed. */
struct diff_case {
	struct bytes text;
	uint32_t grid[3], block[3];
	uint32_t out_bytes;
	uint32_t word;
	uint32_t stack_bytes;
	uint64_t cost_max; /* of a CTA; 0: far beyond the generator's */
	uint64_t seed;	   /* of schedules and witnesses */
	uint32_t ways;	   /* how many beside the plain and the sanitized one;
			    * 9 are all */
	const uint8_t *in;
	uint32_t in_bytes;
};

/* How to run it. */
struct diff_way {
	enum exec_lanes lanes;
	uint32_t group_lanes;
	uint64_t schedule_seed;
	uint64_t shuffle_seed;
	uint32_t threads;
	uint32_t nan_variant;
	bool is_traced; /* writes, reads and witness */
	bool is_sanitized;
};

/* What a run left; hashes are of what the options asked for. */
struct diff_result {
	enum exec_outcome outcome;
	enum exec_reason reason;
	uint32_t line;
	uint64_t count, cost;
	struct hash bytes;
	struct hash witness;
	struct hash writes;
	bool is_sanitized; /* its writes say more: where NaNs are */
};

enum diff_end {
	DIFF_EQUAL,
	DIFF_REFUSED,	/* does not parse or load: why is in text */
	DIFF_UNDEFINED, /* the sanitizer, or a limit, ended it */
	DIFF_UNEQUAL,	/* text says which way differs, and in what */
};

struct diff_report {
	enum diff_end end;
	char text[256];
	struct diff_result base; /* of the plain run */
	struct hash witness;	 /* zero where nothing was defined */
};

/* a is scratch, reset by the call. */
void diff_case_check(struct arena *a, const struct diff_case *c,
		     struct diff_report *ret_report);

/* One run; false: refused, with text saying why.  out is c->out_bytes long and
 * holds the bytes afterwards. */
bool diff_case_run(struct arena *a, const struct exec_module *m,
		   const struct diff_case *c, const struct diff_way *way,
		   uint8_t *out, struct diff_result *ret_result);

/*
 * A shorter text that comes to the same end, by taking lines out; text is
 * replaced.
 */
void diff_case_reduce(struct arena *a, struct diff_case *c, struct buf *text);

#endif /* WEFT_TESTS_DIFF_ENGINE_ENGINE_H */
