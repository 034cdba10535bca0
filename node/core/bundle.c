/*
 * node/core/bundle - one list, read with a sticky cursor.
 */
#include "node/core/bundle.h"

#include "base/arena.h"
#include "base/codec.h"

void bundle_encode(struct buf *out, const struct bundle_item *items,
		   uint32_t count)
{
	enc_array(out, 2);
	enc_uint(out, BUNDLE_VERSION);
	enc_array(out, count);
	for (uint32_t i = 0; i < count; i++) {
		enc_array(out, 2);
		enc_bin(out, items[i].opening);
		enc_sig(out, &items[i].sig);
	}
}

enum err bundle_decode(struct arena *a, struct bytes in,
		       struct bundle_item **ret_items, uint32_t *ret_count)
{
	struct dec d = dec_make(in);
	struct bundle_item *items;
	uint32_t count;

	dec_array_exact(&d, 2);
	if (dec_uint(&d, UINT32_MAX) != BUNDLE_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	count = dec_array(&d, BUNDLE_SAMPLES_MAX);
	items = ARENA_ARRAY(a, count ? count : 1, struct bundle_item);
	if (!items)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < count && !d.err; i++) {
		dec_array_exact(&d, 2);
		items[i].opening = dec_bin(&d, BUNDLE_BYTES_MAX);
		items[i].sig = dec_sig(&d);
	}
	*ret_items = items;
	*ret_count = count;
	return dec_end(&d);
}
