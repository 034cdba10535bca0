/*
 * Any bytes as evidence, or as the body of one of verify's transactions: what
 * decodes encodes to the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "verify/evidence.h"
#include "verify/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define X(name)                                                   \
	static void body_##name(struct arena *a, struct bytes in) \
	{                                                         \
		struct dec d = dec_make(in);                      \
		struct verify_##name x = {0};                     \
		struct buf b = buf_make(1u << 20);                \
                                                                  \
		verify_##name##_decode(&d, a, &x);                \
		if (dec_end(&d) == ERR_OK) {                      \
			verify_##name##_encode(&b, &x);           \
			if (!bytes_eq(buf_bytes(&b), in))         \
				abort();                          \
		}                                                 \
		buf_free(&b);                                     \
	}
VERIFY_BODIES(X)
#undef X

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(16u << 20);
	struct bytes in = bytes_of(data, size);
	struct verify_evidence e;

	if (!a)
		return 0;
	if (verify_evidence_decode(in, &e) == ERR_OK) {
		struct buf b = buf_make(64u << 20);

		verify_evidence_encode(&b, &e);
		if (!bytes_eq(buf_bytes(&b), in))
			abort();
		buf_free(&b);
	}
#define X(name) body_##name(a, in);
	VERIFY_BODIES(X)
#undef X
	arena_free(a);
	return 0;
}
