/*
 * Records of the provider's journal, as a damaged disk may give them back:
 * a role starts from any of them.  The first byte is the key's length, then
 * the key, then the value.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "node/core/core.h"
#include "node/provider/provider.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct provider_config config = {.slots = 1};
	const struct core_action *actions;
	struct core_event e = {.kind = CORE_EVENT_JOURNAL};
	struct core *c = core_new();
	size_t count;
	size_t n = size ? data[0] : 0;

	must(c != NULL);
	core_add(c, &provider_role, provider_new(&config));
	if (size && n <= size - 1) {
		e.key = bytes_of(data + 1, n);
		e.bytes = bytes_of(data + 1 + n, size - 1 - n);
		must(!core_step(c, 1, &e, &actions, &count));
		e = (struct core_event){.kind = CORE_EVENT_START};
		must(!core_step(c, 2, &e, &actions, &count));
	}
	core_free(c);
	return 0;
}
