/*
 * Everything is built from taking from one place and adding to another; both
 * are checked before either is written, so that a refusal in the middle of a
 * hook (where nothing is rolled back for a mere "no") moves nothing.
 */
#include "ledger/money.h"

#include "base/codec.h"
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/priv/state.h"

const char *ledger_purpose_word(enum ledger_purpose p)
{
	switch (p) {
#define X(word, number)             \
	case LEDGER_PURPOSE_##word: \
		return #word;
		LEDGER_PURPOSES(X)
#undef X
	}
	return NULL;
}

const char *ledger_why_word(enum ledger_why w)
{
	switch (w) {
#define X(word, number)         \
	case LEDGER_WHY_##word: \
		return #word;
		LEDGER_WHYS(X)
#undef X
	}
	return NULL;
}

/* --- totals and fees --- */

enum err ledger_totals(struct ledger *l, struct coin *ret_issued,
		       struct coin *ret_burnt)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_TOTALS);
	struct bytes value;
	struct dec d;
	enum err e = ledger_get(l, &k, &value);

	if (e == ERR_NOT_FOUND)
		return ERR_STORE; /* genesis writes it */
	if (e != ERR_OK)
		return e;
	d = dec_make(value);
	dec_array_exact(&d, 2);
	*ret_issued = dec_coin(&d);
	*ret_burnt = dec_coin(&d);
	return dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
}

enum err ledger_totals_put(struct ledger *l, struct coin issued,
			   struct coin burnt)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_TOTALS);
	struct buf b = buf_make(32);
	enum err e;

	enc_array(&b, 2);
	enc_coin(&b, issued);
	enc_coin(&b, burnt);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

static enum err burn(struct ledger *l, struct coin amount)
{
	struct coin issued;
	struct coin burnt;
	enum err e;

	if (coin_is_zero(amount))
		return ERR_OK;
	e = ledger_totals(l, &issued, &burnt);
	if (e != ERR_OK)
		return e;
	/* Burnt money was issued, so it fits. */
	must(coin_add(burnt, amount, &burnt));
	return ledger_totals_put(l, issued, burnt);
}

enum err ledger_fee_note(struct ledger *l, struct coin fee)
{
	/* Fees were issued too. */
	must(coin_add(l->priv->at.fees, fee, &l->priv->at.fees));
	return ERR_OK;
}

enum err ledger_fees_settle(struct ledger *l)
{
	struct ledger_note note = {LEDGER_WHY_proposer, HASH_ZERO};
	struct coin fees = l->priv->at.fees;
	struct coin half;
	struct coin rest;
	enum err e;

	if (coin_is_zero(fees))
		return ERR_OK;
	must(coin_scale(fees, 1, 2, &half));
	must(coin_sub(fees, half, &rest));
	l->priv->at.fees = COIN_ZERO;
	e = burn(l, rest);
	if (e != ERR_OK)
		return e;
	return ledger_credit(l, &l->proposer, half, note, NULL);
}

/* --- balances --- */

enum err ledger_balance(struct ledger *l, const struct pubkey *account,
			struct coin *ret_balance)
{
	struct ledger_account a;
	enum err e = ledger_account_get(l, account, &a);

	if (e == ERR_OK)
		*ret_balance = a.balance;
	return e;
}

enum err ledger_debit(struct ledger *l, const struct pubkey *from,
		      struct coin amount, struct ledger_note note,
		      const struct pubkey *to)
{
	struct ledger_account a;
	enum err e;

	if (coin_is_zero(amount))
		return ERR_OK;
	e = ledger_account_get(l, from, &a);
	if (e != ERR_OK)
		return e;
	if (!coin_sub(a.balance, amount, &a.balance))
		return ledger_refuse(l, REASON_insufficient_funds);
	e = ledger_account_put(l, from, &a);
	if (e != ERR_OK)
		return e;
	return ledger_line_note(l, from, to, LINE_OUT, amount, a.balance, note);
}

/* Owed fees come out of what arrives, before the owner sees it. */
static enum err pay_owed(struct ledger *l, const struct pubkey *to,
			 struct ledger_account *a)
{
	struct ledger_note note = {LEDGER_WHY_owed_fee, HASH_ZERO};
	struct coin part = coin_min(a->owed, a->balance);
	enum err e;

	if (coin_is_zero(part))
		return ERR_OK;
	must(coin_sub(a->owed, part, &a->owed));
	must(coin_sub(a->balance, part, &a->balance));
	if (coin_is_zero(a->owed))
		a->unpaid_count = 0;
	e = ledger_line_note(l, to, NULL, LINE_OUT, part, a->balance, note);
	return e == ERR_OK ? ledger_fee_note(l, part) : e;
}

enum err ledger_credit(struct ledger *l, const struct pubkey *to,
		       struct coin amount, struct ledger_note note,
		       const struct pubkey *from)
{
	struct ledger_account a;
	enum err e;

	if (coin_is_zero(amount))
		return ERR_OK;
	e = ledger_account_get(l, to, &a);
	if (e != ERR_OK)
		return e;
	/* All money was issued in 64 bits. */
	must(coin_add(a.balance, amount, &a.balance));
	e = ledger_line_note(l, to, from, LINE_IN, amount, a.balance, note);
	if (e == ERR_OK)
		e = pay_owed(l, to, &a);
	return e == ERR_OK ? ledger_account_put(l, to, &a) : e;
}

/* Pay for work goes where the account wants it. */
static enum err credit_payout(struct ledger *l, const struct pubkey *to,
			      struct coin amount, struct ledger_note note,
			      const struct pubkey *from)
{
	struct ledger_account a;
	enum err e = ledger_account_get(l, to, &a);

	if (e != ERR_OK)
		return e;
	/* What it owes is its own debt, whoever gets the rest. */
	if (!a.has_payout || !coin_is_zero(a.owed))
		return ledger_credit(l, to, amount, note, from);
	return ledger_credit(l, &a.payout, amount, note, from);
}

enum err ledger_pay(struct ledger *l, const struct pubkey *from,
		    const struct pubkey *to, struct coin amount,
		    struct ledger_note note)
{
	enum err e = ledger_debit(l, from, amount, note, to);

	return e == ERR_OK ? ledger_credit(l, to, amount, note, from) : e;
}

enum err ledger_burn(struct ledger *l, const struct pubkey *from,
		     struct coin amount, struct ledger_note note)
{
	enum err e = ledger_debit(l, from, amount, note, NULL);

	return e == ERR_OK ? burn(l, amount) : e;
}

/* --- pools --- */

static struct ledger_key pool_key(enum ledger_pool pool)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_POOL);

	key_u8(&k, (uint8_t)pool);
	return k;
}

enum err ledger_pool_get(struct ledger *l, enum ledger_pool pool,
			 struct coin *ret_amount)
{
	struct ledger_key k = pool_key(pool);
	struct bytes value;
	struct dec d;
	enum err e = ledger_get(l, &k, &value);

	*ret_amount = COIN_ZERO;
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	d = dec_make(value);
	*ret_amount = dec_coin(&d);
	return dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
}

static enum err pool_put(struct ledger *l, enum ledger_pool pool,
			 struct coin amount)
{
	struct ledger_key k = pool_key(pool);
	struct buf b = buf_make(16);
	enum err e;

	enc_coin(&b, amount);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

static enum err pool_take_in(struct ledger *l, enum ledger_pool pool,
			     struct coin amount)
{
	struct coin now;
	enum err e = ledger_pool_get(l, pool, &now);

	if (e != ERR_OK || coin_is_zero(amount))
		return e;
	must(coin_add(now, amount, &now));
	return pool_put(l, pool, now);
}

enum err ledger_pool_add(struct ledger *l, const struct pubkey *from,
			 enum ledger_pool pool, struct coin amount,
			 struct ledger_note note)
{
	enum err e = ledger_debit(l, from, amount, note, NULL);

	return e == ERR_OK ? pool_take_in(l, pool, amount) : e;
}

enum err ledger_pool_pay(struct ledger *l, enum ledger_pool pool,
			 const struct pubkey *to, struct coin amount,
			 struct ledger_note note)
{
	struct coin now;
	enum err e = ledger_pool_get(l, pool, &now);

	if (e != ERR_OK || coin_is_zero(amount))
		return e;
	if (!coin_sub(now, amount, &now))
		return ledger_refuse(l, REASON_insufficient_funds);
	e = pool_put(l, pool, now);
	return e == ERR_OK ? credit_payout(l, to, amount, note, NULL) : e;
}

/* --- locks --- */

static struct ledger_key lock_key(const struct ledger_lock_id *id)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_LOCK);

	key_pubkey(&k, &id->owner);
	key_u8(&k, (uint8_t)id->purpose);
	key_hash(&k, &id->object);
	return k;
}

static enum err lock_decode(struct bytes value, struct ledger_lock *ret_lock)
{
	struct dec d = dec_make(value);

	dec_array_exact(&d, 2);
	ret_lock->amount = dec_coin(&d);
	ret_lock->end_height = dec_uint(&d, UINT64_MAX);
	return dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
}

enum err ledger_lock_get(struct ledger *l, const struct ledger_lock_id *id,
			 struct ledger_lock *ret_lock)
{
	struct ledger_key k = lock_key(id);
	struct bytes value;
	enum err e = ledger_get(l, &k, &value);

	*ret_lock = (struct ledger_lock){.amount = COIN_ZERO};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	return e == ERR_OK ? lock_decode(value, ret_lock) : e;
}

static enum err lock_put(struct ledger *l, const struct ledger_lock_id *id,
			 const struct ledger_lock *lock)
{
	struct ledger_key k = lock_key(id);
	struct buf b = buf_make(32);
	enum err e;

	if (coin_is_zero(lock->amount)) {
		e = ledger_del(l, &k);
		return e == ERR_NOT_FOUND ? ERR_OK : e;
	}
	enc_array(&b, 2);
	enc_coin(&b, lock->amount);
	enc_uint(&b, lock->end_height);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

/* Locks that change without their owner's balance get a line of their own. */
static enum err lock_line(struct ledger *l, const struct pubkey *owner,
			  const struct pubkey *other, enum ledger_line_way way,
			  struct coin amount, struct ledger_note note)
{
	struct coin balance;
	enum err e = ledger_balance(l, owner, &balance);

	if (e != ERR_OK)
		return e;
	return ledger_line_note(l, owner, other, way, amount, balance, note);
}

static enum err lock_take_in(struct ledger *l, const struct ledger_lock_id *id,
			     struct coin amount, uint64_t end_height)
{
	struct ledger_lock lock;
	enum err e;

	if (coin_is_zero(amount))
		return ERR_OK;
	e = ledger_lock_get(l, id, &lock);
	if (e != ERR_OK)
		return e;
	must(coin_add(lock.amount, amount, &lock.amount));
	lock.end_height = end_height;
	return lock_put(l, id, &lock);
}

static enum err lock_take_out(struct ledger *l, const struct ledger_lock_id *id,
			      struct coin amount)
{
	struct ledger_lock lock;
	enum err e;

	if (coin_is_zero(amount))
		return ERR_OK;
	e = ledger_lock_get(l, id, &lock);
	if (e != ERR_OK)
		return e;
	if (!coin_sub(lock.amount, amount, &lock.amount))
		return ledger_refuse(l, REASON_insufficient_funds);
	return lock_put(l, id, &lock);
}

/* The same, to somewhere that is not the owner's balance. */
static enum err lock_spend(struct ledger *l, const struct ledger_lock_id *id,
			   const struct pubkey *other, struct coin amount,
			   struct ledger_note note)
{
	enum err e = lock_take_out(l, id, amount);

	if (e != ERR_OK)
		return e;
	return lock_line(l, &id->owner, other, LINE_LOCK_OUT, amount, note);
}

enum err ledger_lock(struct ledger *l, const struct ledger_lock_id *id,
		     struct coin amount, uint64_t end_height,
		     struct ledger_note note)
{
	enum err e = ledger_debit(l, &id->owner, amount, note, NULL);

	return e == ERR_OK ? lock_take_in(l, id, amount, end_height) : e;
}

enum err ledger_release(struct ledger *l, const struct ledger_lock_id *id,
			struct coin amount, struct ledger_note note)
{
	enum err e = lock_take_out(l, id, amount);

	if (e != ERR_OK)
		return e;
	return ledger_credit(l, &id->owner, amount, note, NULL);
}

enum err ledger_lock_pay(struct ledger *l, const struct ledger_lock_id *id,
			 const struct pubkey *to, struct coin amount,
			 struct ledger_note note)
{
	enum err e = lock_spend(l, id, to, amount, note);

	return e == ERR_OK ? credit_payout(l, to, amount, note, &id->owner) : e;
}

enum err ledger_lock_move(struct ledger *l, const struct ledger_lock_id *from,
			  const struct ledger_lock_id *to, struct coin amount,
			  uint64_t end_height, struct ledger_note note)
{
	enum err e = lock_spend(l, from, &to->owner, amount, note);

	if (e == ERR_OK)
		e = lock_take_in(l, to, amount, end_height);
	if (e != ERR_OK)
		return e;
	return lock_line(l, &to->owner, &from->owner, LINE_LOCK_IN, amount,
			 note);
}

enum err ledger_lock_burn(struct ledger *l, const struct ledger_lock_id *id,
			  struct coin amount, struct ledger_note note)
{
	enum err e = lock_spend(l, id, NULL, amount, note);

	return e == ERR_OK ? burn(l, amount) : e;
}

enum err ledger_lock_pool(struct ledger *l, const struct ledger_lock_id *id,
			  enum ledger_pool pool, struct coin amount,
			  struct ledger_note note)
{
	enum err e = lock_spend(l, id, NULL, amount, note);

	return e == ERR_OK ? pool_take_in(l, pool, amount) : e;
}

enum err ledger_account_lock_next(struct ledger *l,
				  const struct ledger_lock_id *after,
				  struct ledger_lock_id *ret_id,
				  struct ledger_lock *ret_lock)
{
	struct ledger_key prefix = ledger_key(LEDGER_PREFIX_LOCK);
	struct ledger_key k = lock_key(after);
	struct ledger_lock_id id = {.owner = after->owner};
	struct bytes value;
	enum err e;

	key_pubkey(&prefix, &after->owner);
	e = ledger_scan(l, &prefix, &k, true, &k, &value);
	if (e == ERR_OK)
		e = lock_decode(value, ret_lock);
	if (e != ERR_OK)
		return e;
	id.purpose = (enum ledger_purpose)k.b[33];
	for (size_t i = 0; i < 32; i++)
		id.object.b[i] = k.b[34 + i];
	*ret_id = id;
	return ERR_OK;
}
