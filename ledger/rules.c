/*
 * Hooks are put in order once, by phase and name, so that the order of the
 * joined tables cannot matter.
 */
#include "ledger/rules.h"

#include <string.h>

#include "base/limits.h"
#include "base/must.h"

static void kind_join(struct ledger_rules *r, const struct ledger_kind *k)
{
	must(k->number > 0 && k->number < LEDGER_KIND_NUMBERS);
	must(!r->kind_at[k->number] && k->name && k->decode && k->apply);
	must(k->bytes_max <= TX_EVIDENCE_BYTES_MAX);
	must(!ledger_kind_find(r, bytes_str(k->name)));
	r->kind_at[k->number] = k;
}

static int hook_cmp(const struct ledger_hook *a, const struct ledger_hook *b)
{
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	return bytes_cmp(bytes_str(a->name), bytes_str(b->name));
}

static void hook_join(struct ledger_rules *r, const struct ledger_hook *h)
{
	size_t at = r->hook_count;

	must(r->hook_count < LEDGER_HOOKS_MAX && h->name);
	must((h->entry == NULL) != (h->run == NULL));
	while (at > 0 && hook_cmp(r->hooks[at - 1], h) > 0) {
		r->hooks[at] = r->hooks[at - 1];
		at--;
	}
	must(at == 0 || hook_cmp(r->hooks[at - 1], h) != 0);
	r->hooks[at] = h;
	r->hook_count++;
}

void ledger_rules_join(const struct ledger_rows *rows, size_t count,
		       struct ledger_referee referee,
		       struct ledger_rules *ret_rules)
{
	struct ledger_rules *r = ret_rules;

	memset(r, 0, sizeof(*r));
	r->referee = referee;
	for (size_t i = 0; i < ledger_kind_count; i++)
		kind_join(r, &ledger_kinds[i]);
	for (size_t t = 0; t < count; t++) {
		for (size_t i = 0; i < rows[t].kind_count; i++)
			kind_join(r, &rows[t].kinds[i]);
		for (size_t i = 0; i < rows[t].hook_count; i++)
			hook_join(r, &rows[t].hooks[i]);
	}
}

const struct ledger_kind *ledger_kind_find(const struct ledger_rules *rules,
					   struct bytes name)
{
	for (size_t i = 0; i < LEDGER_KIND_NUMBERS; i++) {
		const struct ledger_kind *k = rules->kind_at[i];

		if (k && bytes_eq(bytes_str(k->name), name))
			return k;
	}
	return NULL;
}
