/*
 * weft wallet list, balance, locks, history, send.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bech32m.h"
#include "cli/cmd_wallet_keys.h"
#include "cli/json.h"
#include "cli/link.h"
#include "cli/money.h"
#include "cli/table.h"

/* Balances of the file's accounts, asked one by one. */
static void add_balances(struct cli *c, struct link *l, json_t *accounts)
{
	json_t *o;
	size_t i;

	json_array_foreach(accounts, i, o)
	{
		json_t *a = link_try(
			c, l, "account.get",
			json_pack("{s:s}", "account", link_text(o, "account")));

		json_object_set_new(o, "balance_picks",
				    json_string(link_text(a, "balance_picks")));
		json_decref(a);
	}
}

static void print_accounts(const json_t *accounts)
{
	json_t *o;
	size_t i;

	json_array_foreach(accounts, i, o)
	{
		char balance[COIN_TEXT_BYTES];

		printf("%-10s  %s  %s\n", link_text(o, "name"),
		       link_text(o, "account"),
		       money_of(o, "balance_picks", balance));
	}
}

static enum cli_exit list(struct cli *c)
{
	struct link l = {0};
	json_t *answer = NULL, *accounts, *own = NULL;
	enum cli_exit code = link_open(c, &l);

	if (!code)
		code = link_call(c, &l, "wallet.list", NULL, &answer);
	if (!code) {
		const char *first;

		accounts = json_object_get(answer, "accounts");
		first = link_text(json_array_get(accounts, 0), "account");
		own = wallet_file_json(c, strncmp(first, "weft1", 5) == 0
						  ? ADDRESS_HRP_MAIN
						  : ADDRESS_HRP_TEST);
		add_balances(c, &l, own);
		json_array_extend(accounts, own);
		if (c->json)
			json_put(json_incref(answer));
		else
			print_accounts(accounts);
	}
	json_decref(own);
	json_decref(answer);
	link_close(&l);
	return code;
}

/* Operand 0, or the wallet's first account. */
static enum cli_exit account_of(struct cli *c, struct link *l, char out[128])
{
	json_t *answer = NULL;
	enum cli_exit code;

	if (c->operand_count > 0) {
		snprintf(out, 128, "%s", c->operands[0]);
		return CLI_DONE;
	}
	code = link_call(c, l, "wallet.list", NULL, &answer);
	if (!code)
		snprintf(out, 128, "%s",
			 link_text(json_array_get(
					   json_object_get(answer, "accounts"),
					   0),
				   "account"));
	json_decref(answer);
	if (!code && !out[0])
		code = cli_fail(c, CLI_REFUSED, "no_wallet",
				"the node holds no account; name one");
	return code;
}

/* Call method for one account and print it. */
static enum cli_exit show(struct cli *c, const char *method,
			  void (*print)(const json_t *answer))
{
	struct link l = {0};
	char account[128] = "";
	json_t *answer = NULL;
	enum cli_exit code = link_open(c, &l);

	if (!code)
		code = account_of(c, &l, account);
	if (!code)
		code = link_call(c, &l, method,
				 json_pack("{s:s}", "account", account),
				 &answer);
	if (!code && c->json)
		json_put(json_incref(answer));
	else if (!code)
		print(answer);
	json_decref(answer);
	link_close(&l);
	return code;
}

static void print_balance(const json_t *a)
{
	char text[COIN_TEXT_BYTES];

	printf("%s\n", money_of(a, "balance_picks", text));
	if (link_count(a, "bond_picks"))
		printf("%s bonded\n", money_of(a, "bond_picks", text));
	if (link_count(a, "owed_picks"))
		printf("%s owed for fees\n", money_of(a, "owed_picks", text));
}

static enum cli_exit balance(struct cli *c)
{
	return show(c, "account.get", print_balance);
}

static void print_locks(const json_t *a)
{
	json_t *o;
	size_t i;

	json_array_foreach(json_object_get(a, "locks"), i, o)
	{
		char text[COIN_TEXT_BYTES];

		printf("%-24s  %-9s  %-12.12s  until height %" PRIu64 "\n",
		       money_of(o, "amount_picks", text),
		       link_text(o, "purpose"), link_text(o, "object"),
		       link_number(o, "end_height"));
	}
}

static enum cli_exit locks(struct cli *c)
{
	return show(c, "account.locks", print_locks);
}

static void print_history(const json_t *a)
{
	json_t *o;
	size_t i;

	json_array_foreach(json_object_get(a, "lines"), i, o)
	{
		char amount[COIN_TEXT_BYTES], rest[COIN_TEXT_BYTES];
		bool in = strcmp(link_text(o, "direction"), "in") == 0;

		printf("%8" PRIu64 "  %-10s %c%-24s  %s\n",
		       link_number(o, "height"), link_text(o, "why"),
		       in ? '+' : '-', money_of(o, "amount_picks", amount),
		       money_of(o, "balance_picks", rest));
	}
}

static enum cli_exit history(struct cli *c)
{
	return show(c, "account.history", print_history);
}

static enum cli_exit send(struct cli *c)
{
	struct link l = {0};
	json_t *params, *answer = NULL;
	char picks[32];
	bool all = cli_flag(c, "all");
	enum cli_exit code;

	if (all == (c->operand_count == 2))
		return cli_usage(c, "name an amount such as 1.5, or --all");
	if (!all && !money_picks(c->operands[1], picks))
		return cli_usage(c, "\"%s\" is no amount in WEFT",
				 c->operands[1]);
	if (cli_value(c, "from"))
		return wallet_send_signed(c, cli_value(c, "from"),
					  c->operands[0], all ? NULL : picks);
	params = json_pack("{s:s}", "to", c->operands[0]);
	if (all)
		json_object_set_new(params, "all", json_true());
	else
		json_object_set_new(params, "amount_picks", json_string(picks));
	if (cli_value(c, "key"))
		json_object_set_new(params, "idempotency_key",
				    json_string(cli_value(c, "key")));
	code = link_open(c, &l);
	if (!code)
		code = link_call(c, &l, "wallet.send", json_incref(params),
				 &answer);
	if (!code && c->json)
		json_put(json_incref(answer));
	else if (!code)
		printf("%s in block %" PRIu64 "\n", link_text(answer, "tx"),
		       link_number(answer, "height"));
	json_decref(params);
	json_decref(answer);
	link_close(&l);
	return code;
}

static const struct cli_option link_options[] = {
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};
static const struct cli_option send_options[] = {
	{"all", 0, NULL, "balance less locks and fee"},
	{"from", 0, "NAME",
	 "sign with this key of DIR/wallet (default: the "
	 "node's)"},
	{"key", 0, "TEXT", "idempotency key: the same pays once"},
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};

#define WALLET_COMMAND(name, args, least, most, one, text, opts) \
	const struct cli_command cli_wallet_##name = {           \
		.noun = "wallet",                                \
		.verb = #name,                                   \
		.operands = args,                                \
		.summary = one,                                  \
		.help = text,                                    \
		.options = opts,                                 \
		.operands_min = least,                           \
		.operands_max = most,                            \
		.run = name,                                     \
	}

WALLET_COMMAND(list, "", 0, 0, "accounts of the node and of the wallet's file",
	       "Name, address, balance.\n", link_options);
WALLET_COMMAND(balance, "[ADDRESS]", 0, 1, "what an account has",
	       "Balance, bond and fees owed.\n", link_options);
WALLET_COMMAND(locks, "[ADDRESS]", 0, 1, "what is locked, for what",
	       "Every lock has a purpose, an object and a height at which "
	       "it ends.\n",
	       link_options);
WALLET_COMMAND(history, "[ADDRESS]", 0, 1, "every movement of money",
	       "Newest first; the second amount is the balance after it.\n",
	       link_options);
WALLET_COMMAND(send, "ADDRESS [WEFT]", 1, 2, "pay somebody",
	       "From the node's account.\n\n  weft wallet send weft1... 1.5\n",
	       send_options);
