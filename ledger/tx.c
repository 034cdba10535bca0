/*
 * The array of ten that is signed and the array of eleven that travels differ
 * in their first byte and their end only, so both hashes are taken over the
 * encoding itself.  The cursor refuses every form but the shortest, so what
 * decodes is what encoding would give.
 */
#include "ledger/tx.h"

#include "base/codec.h"
#include "base/must.h"

#define HEAD_SIGNED 0x9a /* array of ten */

static void encode_signed(const struct ledger_tx *tx, struct buf *out)
{
	enc_uint(out, LEDGER_TX_VERSION);
	enc_str(out, tx->chain_id);
	enc_uint(out, tx->kind);
	enc_pubkey(out, &tx->sender);
	if (tx->has_key)
		enc_pubkey(out, &tx->key);
	else
		enc_nil(out);
	enc_uint(out, tx->lane);
	enc_uint(out, tx->seq);
	enc_coin(out, tx->fee);
	enc_uint(out, tx->expiry_height);
	buf_put_bytes(out, tx->body);
}

void ledger_tx_encode(const struct ledger_tx *tx, struct buf *out)
{
	enc_array(out, 11);
	encode_signed(tx, out);
	if (tx->is_signed)
		enc_sig(out, &tx->sig);
	else
		enc_nil(out);
}

static struct hash digest_of(struct bytes tail)
{
	struct sha256 s;
	uint8_t head = HEAD_SIGNED;

	sha256_init_tag(&s, "weft/tx");
	sha256_put(&s, &head, 1);
	sha256_put(&s, tail.p, tail.n);
	return sha256_end(&s);
}

struct hash ledger_tx_id(struct bytes encoding)
{
	return sha256_tagged("weft/txid", encoding.p, encoding.n);
}

enum err ledger_tx_decode(struct bytes in, struct ledger_tx *ret_tx,
			  enum reason *reterr_why)
{
	struct dec d = dec_make(in);
	struct ledger_tx tx = {0};
	size_t signed_end;
	uint64_t version;

	if (in.n > TX_EVIDENCE_BYTES_MAX) {
		*reterr_why = REASON_too_large;
		return ERR_REFUSED;
	}
	dec_array_exact(&d, 11);
	version = dec_uint(&d, UINT64_MAX);
	tx.chain_id = dec_str(&d, LEDGER_CHAIN_ID_BYTES);
	tx.kind = (uint32_t)dec_uint(&d, UINT32_MAX);
	tx.sender = dec_pubkey(&d);
	tx.has_key = !dec_is_nil(&d);
	if (tx.has_key)
		tx.key = dec_pubkey(&d);
	else
		dec_nil(&d);
	tx.lane = (uint8_t)dec_uint(&d, LEDGER_LANES - 1);
	tx.seq = dec_uint(&d, UINT64_MAX);
	tx.fee = dec_coin(&d);
	tx.expiry_height = dec_uint(&d, UINT64_MAX);
	tx.body = dec_raw(&d);
	signed_end = d.at;
	tx.is_signed = !dec_is_nil(&d);
	if (tx.is_signed)
		tx.sig = dec_sig(&d);
	else
		dec_nil(&d);
	*reterr_why = REASON_bad_encoding;
	if (dec_end(&d) != ERR_OK || tx.body.n == 0)
		return ERR_REFUSED;
	/* The key must not be spelled out when it is the sender's own, or one
	 * transaction would have two forms. */
	if (tx.has_key && pubkey_eq(&tx.key, &tx.sender))
		return ERR_REFUSED;
	if (version != LEDGER_TX_VERSION) {
		*reterr_why = REASON_bad_version;
		return ERR_REFUSED;
	}
	tx.id = ledger_tx_id(in);
	tx.digest = digest_of(bytes_of(in.p + 1, signed_end - 1));
	tx.size_bytes = (uint32_t)in.n;
	*ret_tx = tx;
	return ERR_OK;
}

enum err ledger_tx_digest(const struct ledger_tx *tx, struct hash *ret_digest)
{
	struct buf b = buf_make(TX_EVIDENCE_BYTES_MAX);
	enum err e;

	encode_signed(tx, &b);
	e = b.err;
	if (e == ERR_OK)
		*ret_digest = digest_of(buf_bytes(&b));
	buf_free(&b);
	return e;
}

const struct pubkey *ledger_tx_signer(const struct ledger_tx *tx)
{
	return tx->has_key ? &tx->key : &tx->sender;
}

enum err ledger_tx_verify(const struct ledger_tx *tx)
{
	if (!tx->is_signed)
		return ERR_SIGNATURE;
	return sig_verify(ledger_tx_signer(tx), hash_bytes(&tx->digest),
			  &tx->sig);
}

enum err ledger_tx_sign(struct ledger_tx *tx, const struct seckey *sk,
			struct buf *out)
{
	enum err e = ledger_tx_digest(tx, &tx->digest);

	if (e == ERR_OK)
		e = sig_sign(sk, hash_bytes(&tx->digest), NULL, &tx->sig);
	if (e != ERR_OK)
		return e;
	tx->is_signed = true;
	ledger_tx_encode(tx, out);
	return out->err;
}
