/*
 * tests/corpus/corpus - the packed texts and what is known about them.
 *
 * A variant is one compiler with its options (contrib/corpus-ptx); a text is
 * what it made of one source in tests/corpus/cuda.
 */
#ifndef WEFT_TESTS_CORPUS_CORPUS_H
#define WEFT_TESTS_CORPUS_CORPUS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "tests/corpus/spec.h"

extern const char *const corpus_variants[]; /* ends with NULL */

struct corpus_text {
	const char *source; /* "hashing" */
	struct bytes ptx;
	struct spec_kernel *specs;
	uint32_t spec_count;
};

/* All texts of a variant, in a; their number. */
uint32_t corpus_open(struct arena *a, const char *variant,
		     struct corpus_text **ret_texts);

const struct spec_kernel *corpus_spec(const struct corpus_text *t,
				      struct bytes kernel);

/* A file below tests/corpus, zero-terminated, in a. */
struct bytes corpus_read(struct arena *a, const char *path);

#endif /* WEFT_TESTS_CORPUS_CORPUS_H */
