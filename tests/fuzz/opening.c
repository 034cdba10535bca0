/*
 * Any bytes as an opening of the toy's lease (tests/support/toy): what
 * decodes encodes to the same bytes, and nothing but an honest opening's
 * own claims ever gets past the proofs.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "gpu/program/opening.h"
#include "tests/support/toy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct arena *home;

static void leave(void)
{
	arena_free(home);
}

static struct toy_lease *lease(void)
{
	static struct toy_lease *t;

	if (!t) {
		struct hash id = sha256("lease", 5);
		struct hash provider = sha256("provider", 8);
		struct pubkey k;

		for (int i = 0; i < 32; i++)
			k.b[i] = provider.b[i];
		home = arena_new(64u << 20);
		atexit(leave);
		t = toy_lease_make(home, &id, &k, 1, 3, NULL);
	}
	return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct bytes in = bytes_of(data, size);
	struct hash seed = sha256("seed", 4);
	struct program_opening o;

	if (!a)
		return 0;
	if (program_opening_decode(a, in, &o) == ERR_OK) {
		struct bytes again = toy_encode(a, &o);
		enum program_finding f;
		struct program_run run;

		if (!bytes_eq(in, again))
			abort();
		if (program_opening_check(a, &lease()->claim, &o, &seed, &f,
					  &run) == ERR_OK &&
		    (f == PROGRAM_BAD_START || f == PROGRAM_BAD_END ||
		     f == PROGRAM_BAD_WRITE))
			abort(); /* the lease is honest */
	}
	arena_free(a);
	return 0;
}
