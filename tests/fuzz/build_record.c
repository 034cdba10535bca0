/*
 * The records that cross between a process and its worker: a unit to compile
 * and the result of a build.  What decodes encodes to the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "gpu/build/build.h"
#include "gpu/build/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct bytes in = bytes_of(data, size);
	struct buf out = buf_make(64u << 20);
	struct build_unit u;
	struct build_result r;

	if (!a)
		return 0;
	if (build_unit_decode(a, in, &u) == ERR_OK) {
		build_unit_encode(&out, &u);
		if (!bytes_eq(buf_bytes(&out), in))
			abort();
	}
	buf_reset(&out);
	if (build_result_decode(a, in, &r) == ERR_OK) {
		build_result_encode(&out, &r);
		if (!bytes_eq(buf_bytes(&out), in))
			abort();
	}
	buf_free(&out);
	arena_free(a);
	return 0;
}
