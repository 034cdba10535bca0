/*
 * As in ledger/tx.c, the signed array of seven and the array of eight differ
 * in their first byte and their end only.
 */
#include "ledger/block.h"

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/tx.h"

#define HEAD_SIGNED 0x97 /* array of seven */

/* A block's transactions and what frames them. */
#define BLOCK_ENCODED_MAX (BLOCK_BYTES_MAX + (1u << 20))

static void encode_signed(const struct ledger_block *b, struct buf *out)
{
	enc_uint(out, LEDGER_BLOCK_VERSION);
	enc_str(out, b->chain_id);
	enc_uint(out, b->height);
	enc_hash(out, &b->parent);
	enc_uint(out, b->time_ms);
	enc_hash(out, &b->state_root_before);
	enc_array(out, b->tx_count);
	for (uint32_t i = 0; i < b->tx_count; i++)
		enc_bin(out, b->txs[i]);
}

void ledger_block_encode(const struct ledger_block *b, struct buf *out)
{
	enc_array(out, 8);
	encode_signed(b, out);
	if (b->is_signed)
		enc_sig(out, &b->sig);
	else
		enc_nil(out);
}

static struct hash digest_of(struct bytes tail)
{
	struct sha256 s;
	uint8_t head = HEAD_SIGNED;

	sha256_init_tag(&s, "weft/block");
	sha256_put(&s, &head, 1);
	sha256_put(&s, tail.p, tail.n);
	return sha256_end(&s);
}

struct hash ledger_block_id(struct bytes encoding)
{
	return sha256_tagged("weft/blockid", encoding.p, encoding.n);
}

static enum err decode_txs(struct arena *a, struct dec *d,
			   struct ledger_block *b)
{
	uint64_t sum = 0;

	b->tx_count = dec_array(d, BLOCK_TX_MAX);
	b->txs = ARENA_ARRAY(a, (size_t)b->tx_count + 1, struct bytes);
	if (!b->txs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < b->tx_count; i++) {
		b->txs[i] = dec_bin(d, TX_EVIDENCE_BYTES_MAX);
		sum += b->txs[i].n;
	}
	if (sum > BLOCK_BYTES_MAX)
		dec_fail(d, ERR_LIMIT);
	return ERR_OK;
}

enum err ledger_block_decode(struct arena *a, struct bytes in,
			     struct ledger_block *ret_block,
			     enum reason *reterr_why)
{
	struct dec d = dec_make(in);
	struct ledger_block b = {0};
	size_t signed_end;
	uint64_t version;

	*reterr_why = REASON_too_large;
	if (in.n > BLOCK_ENCODED_MAX)
		return ERR_REFUSED;
	dec_array_exact(&d, 8);
	version = dec_uint(&d, UINT64_MAX);
	b.chain_id = dec_str(&d, LEDGER_CHAIN_ID_BYTES);
	b.height = dec_uint(&d, UINT64_MAX);
	b.parent = dec_hash(&d);
	b.time_ms = dec_uint(&d, UINT64_MAX);
	b.state_root_before = dec_hash(&d);
	if (decode_txs(a, &d, &b) != ERR_OK)
		return ERR_NO_MEMORY;
	signed_end = d.at;
	b.is_signed = !dec_is_nil(&d);
	if (b.is_signed)
		b.sig = dec_sig(&d);
	else
		dec_nil(&d);
	*reterr_why = REASON_bad_encoding;
	if (dec_end(&d) != ERR_OK)
		return ERR_REFUSED;
	*reterr_why = REASON_bad_version;
	if (version != LEDGER_BLOCK_VERSION)
		return ERR_REFUSED;
	b.id = ledger_block_id(in);
	b.digest = digest_of(bytes_of(in.p + 1, signed_end - 1));
	*ret_block = b;
	return ERR_OK;
}

enum err ledger_block_digest(const struct ledger_block *b,
			     struct hash *ret_digest)
{
	struct buf out = buf_make(BLOCK_ENCODED_MAX);
	enum err e;

	encode_signed(b, &out);
	e = out.err;
	if (e == ERR_OK)
		*ret_digest = digest_of(buf_bytes(&out));
	buf_free(&out);
	return e;
}

enum err ledger_block_verify(const struct ledger_block *b,
			     const struct pubkey *proposer)
{
	if (!b->is_signed)
		return ERR_SIGNATURE;
	return sig_verify(proposer, hash_bytes(&b->digest), &b->sig);
}

enum err ledger_block_sign(struct ledger_block *b, const struct seckey *sk,
			   struct buf *out, struct hash *ret_id)
{
	enum err e = ledger_block_digest(b, &b->digest);

	if (e == ERR_OK)
		e = sig_sign(sk, hash_bytes(&b->digest), NULL, &b->sig);
	if (e != ERR_OK)
		return e;
	b->is_signed = true;
	buf_reset(out);
	ledger_block_encode(b, out);
	if (out->err == ERR_OK) {
		b->id = ledger_block_id(buf_bytes(out));
		*ret_id = b->id;
	}
	return out->err;
}
