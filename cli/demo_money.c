/*
 * Who paid whom, to the pick; receipts; and that all money adds up.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/demo.h"
#include "cli/money.h"

json_t *demo_audit(struct demo *d, const char *lease)
{
	json_t *found = NULL;

	/* Whoever ruled or drew it knows the bytes: ask each. */
	for (unsigned i = 0; i < DEMO_NODES && !found; i++) {
		struct link l = {0};
		json_t *r = NULL, *a;
		size_t k;

		if (link_open_dir(d->c, d->nodes[i].dir, &l) == CLI_DONE)
			r = link_try(d->c, &l, "audit.get",
				     json_pack("{s:s}", "lease", lease));
		json_array_foreach(json_object_get(r, "audits"), k, a)
		{
			if (!found && json_object_get(a, "dispute"))
				found = json_incref(a);
		}
		json_decref(r);
		link_close(&l);
	}
	return found;
}

static void print_change(struct demo *d, unsigned i)
{
	struct demo_node *n = &d->nodes[i];
	json_t *a = link_try(d->c, &d->link, "account.get",
			     json_pack("{s:s}", "account", n->account));
	uint64_t has = link_count(a, "balance_picks");
	uint64_t bond = link_count(a, "bond_picks");
	bool more = has >= n->start_picks;
	char text[COIN_TEXT_BYTES], held[COIN_TEXT_BYTES];

	printf("  %-10s  %c%s", n->name, more ? '+' : '-',
	       coin_text(coin_picks(more ? has - n->start_picks
					 : n->start_picks - has),
			 text));
	if (bond && i < DEMO_VERIFIER)
		printf("  (and %s withheld as bond)",
		       coin_text(coin_picks(bond), held));
	printf("\n");
	json_decref(a);
}

static void print_receipt(const struct demo_node *n, const json_t *r)
{
	const json_t *mj = json_object_get(r, "device_mj");

	printf("  %s: lease %.8s, tasks %" PRIu64 " to %" PRIu64
	       ", %.3f Gop, %.2f s, %" PRIu64 " bytes out, joules %s\n",
	       n->name, link_text(r, "lease"), link_number(r, "first"),
	       link_number(r, "first") + link_number(r, "done") - 1,
	       (double)link_count(r, "ops_priced") / 1e9,
	       (double)link_count(r, "wall_ms") / 1000,
	       link_count(r, "out_bytes"),
	       json_is_string(mj) ? json_string_value(mj)
				  : "not measured here");
}

static void print_receipts(struct demo *d)
{
	for (unsigned i = DEMO_PROVIDER; i < DEMO_VERIFIER; i++) {
		struct link l = {0};
		json_t *all = NULL, *r;
		size_t k;

		if (link_open_dir(d->c, d->nodes[i].dir, &l) == CLI_DONE)
			all = link_try(d->c, &l, "receipt.list", NULL);
		json_array_foreach(json_object_get(all, "receipts"), k, r)
		{
			if (demo_who(d, link_text(r, "provider")) == i)
				print_receipt(&d->nodes[i], r);
		}
		json_decref(all);
		link_close(&l);
	}
}

enum cli_exit demo_money(struct demo *d)
{
	char sum[COIN_TEXT_BYTES], burnt[COIN_TEXT_BYTES];
	json_t *f = NULL;
	bool ok;
	enum cli_exit code = link_call(d->c, &d->link, "chain.fsck", NULL, &f);

	if (code)
		return code;
	ok = json_is_true(json_object_get(f, "conserved")) &&
	     json_is_true(json_object_get(f, "root_right"));
	if (!d->c->quiet && !d->c->json) {
		printf("\nmoney\n");
		for (unsigned i = 0; i < DEMO_NODES; i++)
			print_change(d, i);
		printf("  balances, locks, pools and %s burnt add up to the "
		       "issued %s%s\n",
		       money_of(f, "burnt_picks", burnt),
		       money_of(f, "issued_picks", sum),
		       ok ? "" : ": NO, THEY DO NOT");
		printf("receipts\n");
		print_receipts(d);
	}
	json_decref(f);
	return ok ? CLI_DONE
		  : cli_fail(d->c, CLI_FAILED, "internal",
			     "the money does not add up");
}
