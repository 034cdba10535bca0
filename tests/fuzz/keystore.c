/*
 * A keystore that somebody else has written, and texts that claim to be
 * backups.  The derivation is not run: its cost is the file's to say.
 */
#include <stdint.h>

#include "base/must.h"
#include "wallet/backup.h"
#include "wallet/priv/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct keystore k;
	struct buf out = buf_make(WALLET_FILE_BYTES_MAX);
	struct bytes in = bytes_of(data, size);
	struct seckey sk;

	(void)!backup_parse(in, &sk);
	if (keystore_decode(in, &k) == ERR_OK) {
		keystore_encode(&k, &out);
		must(bytes_eq(in, buf_bytes(&out)));
	}
	buf_free(&out);
	return 0;
}
