/*
 * Verifiers: their bond, the draw among them, and what duties do to them.
 *
 * An auditor is drawn by one word of SHA-256(T("weft/auditor") || seed ||
 * lease || u32be n), n the number drawn before: mulhi(word, sum of the
 * eligible bonds), walked in the order of accounts.
 */
#include "verify/verifier.h"

#include "base/arena.h"
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "verify/kinds.h"
#include "verify/priv/flow.h"
#include "verify/priv/records.h"

/* Blocks after which a verifier with duties at hand is asked again. */
#define UNBOND_RETRY_BLOCKS 100u

static enum err bond_of(struct ledger *l, const struct pubkey *account,
			struct coin *ret_bond)
{
	struct ledger_lock_id id = verify_bond_lock(account);
	struct ledger_lock lock;
	enum err err = ledger_lock_get(l, &id, &lock);

	if (!err)
		*ret_bond = lock.amount;
	return err;
}

static enum err first_bond(struct ledger *l, struct verify_verifier *ret_v)
{
	uint32_t count;
	enum err err = verify_verifier_count(l, &count);

	if (err)
		return err;
	if (count >= VERIFY_VERIFIERS_MAX)
		return ledger_refuse(l, REASON_limit_reached);
	*ret_v = (struct verify_verifier){.account = l->sender};
	return verify_verifier_count_put(l, count + 1);
}

enum err verify_apply_bond(struct ledger *l, const void *body)
{
	const struct verify_verifier_bond *x = body;
	struct ledger_lock_id id = verify_bond_lock(&l->sender);
	struct ledger_note note = {LEDGER_WHY_lock, l->tx_id};
	struct verify_verifier v;
	struct coin bond;
	enum err err = verify_verifier_get(l, &l->sender, &v);

	if (err == ERR_NOT_FOUND)
		err = first_bond(l, &v);
	if (err)
		return err;
	if (v.state == VERIFY_LEAVING || v.state == VERIFY_OUT)
		return ledger_refuse(l, REASON_wrong_state);
	err = ledger_lock(l, &id, x->amount, 0, note);
	if (!err)
		err = bond_of(l, &l->sender, &bond);
	if (err)
		return err;
	if (coin_cmp(bond, coin_picks(l->params->verifier_min_picks)) < 0)
		return ledger_refuse(l, REASON_bad_value);
	return verify_verifier_save(l, &v);
}

/* A queue entry's id for an account. */
static struct hash account_id(const struct pubkey *account)
{
	struct hash h;

	for (int i = 0; i < HASH_BYTES; i++)
		h.b[i] = account->b[i];
	return h;
}

enum err verify_apply_unbond(struct ledger *l, const void *body UNUSED)
{
	struct hash id = account_id(&l->sender);
	struct verify_verifier v;
	enum err err = verify_verifier_get(l, &l->sender, &v);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (v.state == VERIFY_LEAVING)
		return ledger_refuse(l, REASON_duplicate);
	v.state = VERIFY_LEAVING;
	v.leave_height = l->height + l->params->verifier_unbond_blocks;
	err = ledger_queue_add(l, VERIFY_QUEUE_UNBOND, v.leave_height, &id);
	return err ? err : verify_verifier_save(l, &v);
}

enum err verify_apply_pause(struct ledger *l, const void *body)
{
	const struct verify_verifier_pause *x = body;
	struct verify_verifier v;
	enum err err = verify_verifier_get(l, &l->sender, &v);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (v.state != VERIFY_ACTIVE && v.state != VERIFY_PAUSED)
		return ledger_refuse(l, REASON_wrong_state);
	v.state = x->is_paused ? VERIFY_PAUSED : VERIFY_ACTIVE;
	return verify_verifier_save(l, &v);
}

enum err verify_hook_unbond(struct ledger *l, uint64_t due_height UNUSED,
			    const struct hash *id)
{
	struct ledger_note note = {LEDGER_WHY_bond_back, *id};
	struct ledger_lock_id lock;
	struct verify_verifier v;
	struct pubkey account;
	struct coin bond;
	uint32_t count;
	enum err err;

	for (int i = 0; i < HASH_BYTES; i++)
		account.b[i] = id->b[i];
	err = verify_verifier_get(l, &account, &v);
	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (v.duties > 0)
		return ledger_queue_add(l, VERIFY_QUEUE_UNBOND,
					l->height + UNBOND_RETRY_BLOCKS, id);
	lock = verify_bond_lock(&account);
	err = bond_of(l, &account, &bond);
	if (!err)
		err = ledger_release(l, &lock, bond, note);
	if (!err)
		err = verify_verifier_drop(l, &account);
	if (!err)
		err = verify_verifier_count(l, &count);
	return err ? err : verify_verifier_count_put(l, count - 1);
}

/* The accounts that a draw for one lease may not choose. */
struct barred {
	struct pubkey provider; /* operators */
	struct pubkey buyer;
	const struct pubkey *excluded;
	uint32_t excluded_count;
	struct coin need;
};

static enum err eligible(struct ledger *l, const struct verify_verifier *v,
			 const struct barred *b, bool *ret_is,
			 struct coin *ret_bond)
{
	struct pubkey operator_account;
	struct coin free;
	enum err err;

	*ret_is = false;
	if (v->state != VERIFY_ACTIVE)
		return ERR_OK;
	for (uint32_t i = 0; i < b->excluded_count; i++)
		if (pubkey_eq(&b->excluded[i], &v->account))
			return ERR_OK;
	err = bond_of(l, &v->account, ret_bond);
	if (err)
		return err;
	if (!coin_sub(*ret_bond, v->reserved, &free) ||
	    coin_cmp(free, b->need) < 0 ||
	    coin_cmp(*ret_bond, coin_picks(l->params->verifier_min_picks)) < 0)
		return ERR_OK;
	err = ledger_operator(l, &v->account, &operator_account);
	if (err)
		return err;
	*ret_is = !pubkey_eq(&operator_account, &b->provider) &&
		  !pubkey_eq(&operator_account, &b->buyer);
	return ERR_OK;
}

static uint64_t auditor_word(const struct hash *seed, const struct hash *lease,
			     uint32_t n)
{
	struct sha256 s;
	struct hash h;

	sha256_init_tag(&s, "weft/auditor");
	sha256_put(&s, seed->b, HASH_BYTES);
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put_u32_be(&s, n);
	h = sha256_end(&s);
	return u64_be(h.b);
}

struct candidate {
	struct pubkey account;
	struct coin bond;
};

static enum err candidates(struct ledger *l, const struct barred *b,
			   struct candidate *list, uint32_t *ret_count,
			   struct coin *ret_sum)
{
	struct verify_verifier v;
	const struct pubkey *after = NULL;
	uint32_t n = 0;
	enum err err;

	*ret_sum = COIN_ZERO;
	while (n < VERIFY_VERIFIERS_MAX) {
		struct pubkey last;
		struct coin bond;
		bool is;

		if (after)
			last = *after;
		err = verify_verifier_next(l, after ? &last : NULL, &v);
		if (err == ERR_NOT_FOUND)
			break;
		if (!err)
			err = eligible(l, &v, b, &is, &bond);
		if (err)
			return err;
		after = &v.account;
		if (!is)
			continue;
		must(coin_add(*ret_sum, bond, ret_sum));
		list[n++] = (struct candidate){v.account, bond};
	}
	*ret_count = n;
	return ERR_OK;
}

enum err verify_auditor_draw(struct ledger *l, const struct market_lease *lease,
			     const struct hash *seed,
			     const struct pubkey *excluded,
			     uint32_t excluded_count,
			     struct pubkey *ret_auditor,
			     struct coin *ret_reserved)
{
	struct barred b = {.excluded = excluded,
			   .excluded_count = excluded_count};
	struct candidate *list =
		ARENA_ARRAY(l->scratch, VERIFY_VERIFIERS_MAX, struct candidate);
	struct coin sum;
	uint64_t at;
	uint32_t n;
	enum err err = ledger_operator(l, &lease->provider, &b.provider);

	if (!err)
		err = ledger_operator(l, &lease->buyer, &b.buyer);
	if (err)
		return err;
	if (!list)
		return ERR_NO_MEMORY;
	if (!coin_mul(lease->price, l->params->verifier_bond_factor, &b.need))
		return ERR_NOT_FOUND;
	err = candidates(l, &b, list, &n, &sum);
	if (err)
		return err;
	at = u64_mulhi(auditor_word(seed, &lease->id, excluded_count),
		       coin_raw(sum));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bond = coin_raw(list[i].bond);

		if (at < bond) {
			*ret_auditor = list[i].account;
			*ret_reserved = b.need;
			return ERR_OK;
		}
		at -= bond;
	}
	return ERR_NOT_FOUND;
}

enum err verify_duty_take(struct ledger *l, const struct pubkey *account,
			  struct coin reserved)
{
	struct verify_verifier v;
	enum err err = verify_verifier_get(l, account, &v);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	v.duties++;
	must(coin_add(v.reserved, reserved, &v.reserved));
	return verify_verifier_save(l, &v);
}

/* Load a verifier with one duty less. */
static enum err duty_end(struct ledger *l, const struct pubkey *account,
			 struct coin reserved, struct verify_verifier *ret_v)
{
	enum err err = verify_verifier_get(l, account, ret_v);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	must(ret_v->duties > 0);
	ret_v->duties--;
	must(coin_sub(ret_v->reserved, reserved, &ret_v->reserved));
	return ERR_OK;
}

enum err verify_duty_done(struct ledger *l, const struct pubkey *account,
			  struct coin reserved, bool audited)
{
	struct verify_verifier v;
	enum err err = duty_end(l, account, reserved, &v);

	if (err)
		return err;
	if (audited) {
		v.audits++;
		v.missed = 0;
	}
	return verify_verifier_save(l, &v);
}

enum err verify_duty_missed(struct ledger *l, const struct pubkey *account,
			    struct coin reserved, struct coin fee,
			    const struct hash *lease, struct coin *ret_taken)
{
	struct ledger_lock_id id = verify_bond_lock(account);
	struct ledger_note note = {LEDGER_WHY_penalty, *lease};
	struct verify_verifier v;
	struct coin bond;
	enum err err = duty_end(l, account, reserved, &v);

	if (!err)
		err = bond_of(l, account, &bond);
	if (err)
		return err;
	*ret_taken = coin_min(bond, fee);
	v.missed++;
	if (v.missed >= l->params->verifier_missed_max &&
	    v.state != VERIFY_LEAVING)
		v.state = VERIFY_OUT;
	err = ledger_lock_burn(l, &id, *ret_taken, note);
	return err ? err : verify_verifier_save(l, &v);
}

enum err verify_duty_failed(struct ledger *l, const struct pubkey *account,
			    struct coin reserved, const struct hash *lease)
{
	struct ledger_lock_id id = verify_bond_lock(account);
	struct ledger_note note = {LEDGER_WHY_penalty, *lease};
	struct verify_verifier v;
	struct coin bond;
	enum err err = duty_end(l, account, reserved, &v);

	if (!err)
		err = bond_of(l, account, &bond);
	if (!err)
		err = ledger_lock_burn(l, &id, bond, note);
	if (err)
		return err;
	if (v.state != VERIFY_LEAVING)
		v.state = VERIFY_OUT;
	return verify_verifier_save(l, &v);
}
