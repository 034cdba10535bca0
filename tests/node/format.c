/*
 * The node's formats against vectors of a second implementation.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "node/buyer/buyer.h"
#include "node/core/bundle.h"
#include "node/data/blob.h"
#include "node/priv/node.h"
#include "tests/support/vectors.h"

/* The bytes of a named line; valid until the next call. */
static struct bytes vector(const char *name)
{
	static uint8_t bytes[4096];
	struct bytes found = {NULL, 0};
	struct vectors v;

	vectors_open(&v, WEFT_SOURCE_DIR, "format/node.txt");
	while (vectors_next(&v))
		if (strcmp(v.field[0], name) == 0)
			found = bytes_of(bytes, vectors_hex(v.field[1], bytes,
							    sizeof(bytes)));
	cr_assert_not_null(found.p, "%s", name);
	return found;
}

Test(format, bundle)
{
	struct bytes expected = vector("bundle");
	struct bundle_item items[2] = {{BYTES_LIT("first"), {{0}}},
				       {BYTES_LIT(""), {{0}}}};
	struct buf b = buf_make(1024);

	memset(items[0].sig.b, 1, 64);
	memset(items[1].sig.b, 2, 64);
	bundle_encode(&b, items, 2);
	cr_assert(bytes_eq(buf_bytes(&b), expected));
	buf_free(&b);
}

Test(format, ask_digest)
{
	struct hash lease;
	struct pubkey provider;
	struct hash digest;

	memset(lease.b, 0x11, 32);
	memset(provider.b, 0x22, 32);
	digest = node_ask_digest(&lease, &provider, 1234567890123);
	cr_assert(bytes_eq(hash_bytes(&digest), vector("ask_digest")));
}

Test(format, list_root)
{
	struct hash root;

	cr_assert_eq(blob_root(CORE_NAME_LIST, vector("list_blob"), &root),
		     ERR_OK);
	cr_assert(bytes_eq(hash_bytes(&root), vector("list_root")));
}

Test(format, inputs_owner)
{
	struct hash job;
	struct hash owner;

	memset(job.b, 0x33, 32);
	owner = buyer_inputs_owner(&job);
	cr_assert(bytes_eq(hash_bytes(&owner), vector("inputs_owner")));
}
