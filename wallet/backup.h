/*
 * wallet/backup - a secret on paper.
 *
 * Bech32m (BIP-350) of the 32 bytes with the prefix "weftsecret": its checksum
 * finds any four wrong characters, and no word list is needed.  Printed in
 * groups of four; blanks and line ends do not matter when it is read.
 */
#ifndef WEFT_WALLET_BACKUP_H
#define WEFT_WALLET_BACKUP_H

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/sig.h"

#define BACKUP_HRP	  "weftsecret"
#define BACKUP_TEXT_BYTES 96

/* "weftsecret1 qqqq qqqq ..." with a zero; wipe it with sig_wipe. */
void backup_text(const struct seckey *sk, char out[BACKUP_TEXT_BYTES]);

/*
 * From such a text, or from 64 hex digits (no checksum: for keys made
 * elsewhere).
 * Returns ERR_OK, ERR_MALFORMED (characters, checksum, length), ERR_REFUSED
 * (no secret key: zero, or not below the group's order).
 */
MUST_USE enum err backup_parse(struct bytes text, struct seckey *ret_secret);

#endif /* WEFT_WALLET_BACKUP_H */
