#include "tests/ledger/poke.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/must.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "ledger/state.h"

struct poke_served poke_served[POKE_SERVED_MAX];
uint32_t poke_served_count;
char poke_order[64];
uint32_t poke_order_count;

void poke_encode(struct buf *out, const struct poke *p)
{
	enc_array(out, 6);
	enc_uint(out, p->op);
	enc_pubkey(out, &p->a);
	enc_pubkey(out, &p->b);
	enc_uint(out, p->purpose);
	enc_uint(out, p->object);
	enc_uint(out, p->amount);
}

uint64_t poke_draw(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

struct poke poke_random(uint64_t *state, const struct pubkey *keys,
			uint32_t actors, uint64_t height, uint64_t amount)
{
	struct poke p = {.op = (enum poke_op)poke_draw(state, POKE_BAD_ENTRY)};

	p.a = keys[1 + poke_draw(state, actors)];
	p.b = keys[poke_draw(state, actors + 1)];
	p.purpose = (uint8_t)poke_draw(state, 4);
	p.object = (uint8_t)poke_draw(state, 3);
	p.amount = poke_draw(state, poke_draw(state, 2) ? 20000 : amount);
	if (p.op == POKE_QUEUE_ADD)
		p.amount = height + poke_draw(state, 6);
	return p;
}

static enum err poke_decode(struct arena *a, struct bytes body, void **ret_body,
			    enum reason *reterr_why)
{
	struct poke *p = ARENA_NEW(a, struct poke);
	struct dec d = dec_make(body);

	(void)reterr_why;
	must(p);
	dec_array_exact(&d, 6);
	p->op = (enum poke_op)dec_uint(&d, POKE_OPS - 1);
	p->a = dec_pubkey(&d);
	p->b = dec_pubkey(&d);
	p->purpose = (uint8_t)dec_uint(&d, 7);
	p->object = (uint8_t)dec_uint(&d, 255);
	p->amount = dec_uint(&d, UINT64_MAX);
	*ret_body = p;
	return dec_end(&d);
}

static struct ledger_lock_id lock_of(const struct pubkey *owner,
				     const struct poke *p)
{
	struct ledger_lock_id id = {.owner = *owner};

	id.purpose = (enum ledger_purpose)(p->purpose ? p->purpose : 1);
	id.object.b[0] = p->object;
	return id;
}

static enum err poke_money(struct ledger *l, const struct poke *p)
{
	struct ledger_lock_id la = lock_of(&p->a, p);
	struct ledger_lock_id lb = lock_of(&p->b, p);
	struct ledger_note n = {LEDGER_WHY_costs, l->tx_id};
	struct coin c = coin_picks(p->amount);

	if (p->op == POKE_PAY)
		return ledger_pay(l, &p->a, &p->b, c, n);
	if (p->op == POKE_LOCK)
		return ledger_lock(l, &la, c, l->height + 5, n);
	if (p->op == POKE_RELEASE)
		return ledger_release(l, &la, c, n);
	if (p->op == POKE_LOCK_PAY)
		return ledger_lock_pay(l, &la, &p->b, c, n);
	if (p->op == POKE_LOCK_MOVE)
		return ledger_lock_move(l, &la, &lb, c, l->height + 9, n);
	if (p->op == POKE_LOCK_BURN)
		return ledger_lock_burn(l, &la, c, n);
	if (p->op == POKE_LOCK_POOL)
		return ledger_lock_pool(l, &la, LEDGER_POOL_AUDIT, c, n);
	if (p->op == POKE_POOL_ADD)
		return ledger_pool_add(l, &p->a, LEDGER_POOL_AUDIT, c, n);
	if (p->op == POKE_POOL_PAY)
		return ledger_pool_pay(l, LEDGER_POOL_AUDIT, &p->b, c, n);
	return ledger_burn(l, &p->a, c, n);
}

static enum err poke_apply(struct ledger *l, const void *body)
{
	const struct poke *p = body;
	struct hash id = {{p->object, p->op == POKE_BAD_ENTRY}};
	struct ledger_key k = ledger_key('Z');
	uint64_t holds;

	if (p->op < POKE_CLOCK_HOLD)
		return poke_money(l, p);
	if (p->op == POKE_CLOCK_HOLD)
		return ledger_clock_hold(l);
	if (p->op == POKE_CLOCK_RELEASE) {
		must(ledger_clock(l, &holds) == ERR_OK);
		return holds ? ledger_clock_release(l) : ERR_NOT_FOUND;
	}
	if (p->op == POKE_QUEUE_ADD || p->op == POKE_BAD_ENTRY)
		return ledger_queue_add(l, POKE_QUEUE, p->amount, &id);
	if (p->op == POKE_COST)
		return ledger_cost_charge(l, p->amount);
	key_u8(&k, p->object);
	must(ledger_put(l, &k, BYTES_LIT("\x01")) == ERR_OK);
	must(ledger_emit(l, "never", NULL, NULL, NULL, bytes_of(0, 0)) ==
	     ERR_OK);
	must(ledger_burn(l, &l->sender, coin_picks(1),
			 (struct ledger_note){LEDGER_WHY_burn, HASH_ZERO}) ==
	     ERR_OK);
	return ledger_refuse_window(l, REASON_too_early, 3, 4);
}

static enum err poke_entry(struct ledger *l, uint64_t due,
			   const struct hash *id)
{
	struct ledger_key k = ledger_key('Y');

	key_hash(&k, id);
	must(ledger_put(l, &k, BYTES_LIT("\x01")) == ERR_OK);
	if (id->b[1])
		return ledger_refuse(l, REASON_bad_value);
	must(poke_served_count < POKE_SERVED_MAX);
	poke_served[poke_served_count++] =
		(struct poke_served){l->height, due, id->b[0]};
	return ERR_OK;
}

static enum err order_note(struct ledger *l, char c)
{
	(void)l;
	if (poke_order_count < sizeof(poke_order) - 1)
		poke_order[poke_order_count++] = c;
	return ERR_OK;
}

static enum err run_match(struct ledger *l)
{
	return order_note(l, 'm');
}

static enum err run_settle(struct ledger *l)
{
	return order_note(l, 's');
}

static enum err run_sample_b(struct ledger *l)
{
	return order_note(l, 'b');
}

static enum err run_sample_a(struct ledger *l)
{
	return order_note(l, 'a');
}

static const struct ledger_kind kinds[] = {
	{.number = POKE_KIND,
	 .name = "poke",
	 .decode = poke_decode,
	 .apply = poke_apply},
};

/* Out of order on purpose. */
static const struct ledger_hook hooks[] = {
	{.phase = LEDGER_PHASE_MATCH, .name = "match", .run = run_match},
	{.phase = LEDGER_PHASE_SAMPLE, .name = "sample.b", .run = run_sample_b},
	{.phase = LEDGER_PHASE_SETTLE, .name = "settle", .run = run_settle},
	{.phase = LEDGER_PHASE_SAMPLE, .name = "sample.a", .run = run_sample_a},
	{.phase = LEDGER_PHASE_EXPIRE,
	 .name = "expire",
	 .queue = POKE_QUEUE,
	 .entry = poke_entry},
};

const struct ledger_rows poke_rows = {kinds, 1, hooks, 5};
