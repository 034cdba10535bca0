/*
 * What a provider serves to an auditor, and configuration and network files.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/must.h"
#include "node/config.h"
#include "node/core/bundle.h"
#include "node/genesis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena *a;
	static struct config config;
	struct network network;
	struct bundle_item *items;
	uint32_t count;
	char words[CONFIG_ERROR_BYTES];

	if (!a)
		a = arena_new(64u << 20);
	arena_reset(a);
	if (bundle_decode(a, bytes_of(data, size), &items, &count) == ERR_OK) {
		struct buf b = buf_make(size + 16);

		bundle_encode(&b, items, count);
		must(bytes_eq(buf_bytes(&b), bytes_of(data, size)));
		buf_free(&b);
	}
	config_init(&config);
	(void)!config_parse(&config, bytes_of(data, size), words);
	(void)!network_parse(bytes_of(data, size), &network, words);
	return 0;
}
