/*
 * Index records, none of them canonical:
 *
 *   'l' account u64be height u32be index -> [why, way, amount, balance, ref,
 *                                            other]
 *
 * Lines are noted while a block runs and written when it is done, so that a
 * refused transaction leaves none.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/account.h"
#include "ledger/priv/state.h"

#define INDEX_LINE 'l'

static struct ledger_key line_key(const struct pubkey *account, uint64_t height,
				  uint32_t index)
{
	struct ledger_key k = ledger_key(INDEX_LINE);

	key_pubkey(&k, account);
	key_u64(&k, height);
	key_u32(&k, index);
	return k;
}

enum err ledger_line_note(struct ledger *l, const struct pubkey *account,
			  const struct pubkey *other, enum ledger_line_way way,
			  struct coin amount, struct coin balance,
			  struct ledger_note note)
{
	struct ledger_priv *p = l->priv;
	struct ledger_line_note *n;

	if (!p->keeps_lines || coin_is_zero(amount))
		return ERR_OK;
	n = ARENA_NEW(p->arena, struct ledger_line_note);
	if (!n)
		return ERR_NO_MEMORY;
	n->account = *account;
	n->has_other = other != NULL;
	if (other)
		n->other = *other;
	n->way = way;
	n->why = note.why;
	n->amount = amount;
	n->balance = balance;
	n->ref = note.ref;
	n->index = p->at.line_count++;
	n->prev = p->at.lines;
	p->at.lines = n;
	return ERR_OK;
}

static enum err line_write(struct ledger *l, const struct ledger_line_note *n,
			   struct buf *b)
{
	struct ledger_priv *p = l->priv;
	struct ledger_key k = line_key(&n->account, l->height, n->index);

	buf_reset(b);
	enc_array(b, 6);
	enc_uint(b, n->why);
	enc_uint(b, n->way);
	enc_coin(b, n->amount);
	enc_coin(b, n->balance);
	if (hash_is_zero(&n->ref))
		enc_nil(b);
	else
		enc_hash(b, &n->ref);
	if (n->has_other)
		enc_pubkey(b, &n->other);
	else
		enc_nil(b);
	if (b->err != ERR_OK)
		return b->err;
	return p->store->ops->put(p->txn, LEDGER_TABLE_INDEX, key_view(&k),
				  buf_bytes(b));
}

enum err ledger_lines_flush(struct ledger *l)
{
	struct buf b = buf_make(256);
	enum err e = ERR_OK;

	for (struct ledger_line_note *n = l->priv->at.lines; n && e == ERR_OK;
	     n = n->prev)
		e = line_write(l, n, &b);
	buf_free(&b);
	return e;
}

enum err ledger_lines_drop(const struct ledger_store *store,
			   struct ledger_txn *txn, const struct pubkey *account,
			   uint64_t height)
{
	struct ledger_key from = line_key(account, height, 0);
	struct bytes key;
	struct bytes value;
	enum err e;

	for (;;) {
		struct ledger_key k = {.n = 0};

		e = store->ops->seek(txn, LEDGER_TABLE_INDEX, key_view(&from),
				     &key, &value);
		if (e != ERR_OK)
			return e == ERR_NOT_FOUND ? ERR_OK : e;
		if (key.n != from.n || memcmp(key.p, from.b, 41) != 0)
			return ERR_OK;
		key_bytes(&k, key);
		e = store->ops->del(txn, LEDGER_TABLE_INDEX, key_view(&k));
		if (e != ERR_OK)
			return e;
	}
}

static enum err line_decode(struct bytes key, struct bytes value,
			    struct ledger_line *ret_line)
{
	struct ledger_line line = {0};
	struct dec d = dec_make(value);
	uint64_t way;

	line.height = u64_be(key.p + 33);
	line.index = u32_be(key.p + 41);
	dec_array_exact(&d, 6);
	line.why = (enum ledger_why)dec_uint(&d, UINT32_MAX);
	way = dec_uint(&d, LINE_LOCK_IN);
	line.is_in = way == LINE_IN || way == LINE_LOCK_IN;
	line.is_lock = way == LINE_LOCK_IN || way == LINE_LOCK_OUT;
	line.amount = dec_coin(&d);
	line.balance = dec_coin(&d);
	if (dec_is_nil(&d))
		dec_nil(&d);
	else
		line.ref = dec_hash(&d);
	line.has_other = !dec_is_nil(&d);
	if (line.has_other)
		line.other = dec_pubkey(&d);
	else
		dec_nil(&d);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret_line = line;
	return ERR_OK;
}

enum err ledger_account_line_before(struct ledger *l,
				    const struct pubkey *account,
				    uint64_t height, uint32_t index,
				    struct ledger_line *ret_line)
{
	struct ledger_priv *p = l->priv;
	struct ledger_key k = line_key(account, height, index);
	struct bytes key;
	struct bytes value;
	enum err e;

	e = p->store->ops->seek_back(p->txn, LEDGER_TABLE_INDEX, key_view(&k),
				     &key, &value);
	if (e != ERR_OK)
		return e;
	if (key.n != k.n || memcmp(key.p, k.b, 33) != 0)
		return ERR_NOT_FOUND;
	return line_decode(key, value, ret_line);
}
