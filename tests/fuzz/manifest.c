/*
 * Any bytes as a manifest.  What is accepted must be usable: all names
 * expand, all carried columns have values.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "gpu/build/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct arena *a, const struct manifest *m)
{
	uint64_t last = m->task_count - 1;

	for (uint32_t i = 0; i < m->buffer_count; i++) {
		struct bytes save = m->buffers[i].save;

		if (save.n > 0 && !manifest_task_name(a, m, save, last).p)
			abort();
	}
	for (uint32_t i = 0; i < m->carried_count; i++) {
		int64_t v;

		if (manifest_carried_value(m, i, last, &v) != ERR_OK)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct arena *a = arena_new(64u << 20);
	struct manifest m;
	struct build_diag d;
	enum err err;

	if (!a)
		return 0;
	err = manifest_read(a, bytes_of(data, size), "m.json", &files, &m, &d);
	if (err == ERR_OK)
		use(a, &m);
	else if (!d.text)
		abort();
	arena_free(a);
	return 0;
}
