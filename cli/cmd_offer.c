/*
 * weft offer post, list
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/link.h"
#include "cli/money.h"
#include "cli/table.h"

static enum cli_exit post(struct cli *c)
{
	struct link l = {0};
	unsigned long long price = 0, rate = 0, memory = 1024, slots = 1;
	json_t *answer = NULL;
	enum cli_exit code;

	if (cli_number(c, "price-picks", UINT64_MAX, &price) ||
	    cli_number(c, "rate", UINT64_MAX, &rate) ||
	    cli_number(c, "memory-mib", 1u << 20, &memory) ||
	    cli_number(c, "slots", 256, &slots))
		return CLI_USAGE;
	if (!price || !rate)
		return cli_usage(c, "name --price-picks and --rate");
	code = link_open(c, &l);
	if (!code)
		code = link_call(
			c, &l, "offer.post",
			json_pack("{s:o,s:o,s:o,s:I}", "price_picks_per_gop",
				  json_sprintf("%llu", price), "rate_ops_per_s",
				  json_sprintf("%llu", rate), "memory_bytes",
				  json_sprintf("%llu", memory << 20), "slots",
				  (json_int_t)slots),
			&answer);
	if (!code && c->json)
		json_put(json_incref(answer));
	else if (!code)
		printf("%s\n", link_text(answer, "id"));
	json_decref(answer);
	link_close(&l);
	return code;
}

static enum cli_exit list(struct cli *c)
{
	struct link l = {0};
	json_t *page = NULL, *o;
	size_t i;
	enum cli_exit code = link_open(c, &l);

	if (!code)
		code = link_call(c, &l, "offer.list",
				 json_pack("{s:i}", "limit", 500), &page);
	if (!code && c->json) {
		json_put(json_incref(page));
	} else if (!code) {
		printf("%-12s  %-6s  %-16s  %-24s  %8s  %s\n", "OFFER",
		       "DEVICE", "NAME", "PRICE PER GOP", "GOP/S", "SLOTS");
		json_array_foreach(json_object_get(page, "offers"), i, o)
		{
			char price[COIN_TEXT_BYTES];

			printf("%-12.12s  %-6s  %-16.16s  %-24s  %8.2f  "
			       "%" PRIu64 "/%" PRIu64 "%s\n",
			       link_text(o, "id"), link_text(o, "device"),
			       link_text(o, "name"),
			       money_of(o, "price_picks_per_gop", price),
			       (double)link_count(o, "rate_ops_per_s") / 1e9,
			       link_number(o, "used_slots"),
			       link_number(o, "slots"),
			       json_is_true(json_object_get(o, "stands"))
				       ? ""
				       : "  (closed)");
		}
	}
	json_decref(page);
	link_close(&l);
	return code;
}

static const struct cli_option post_options[] = {
	{"price-picks", 0, "N", "picks (10^-9 WEFT) per 10^9 instructions"},
	{"rate", 0, "N", "thread-instructions a second (weft ptx bench)"},
	{"memory-mib", 0, "N", "for a task's buffers (default: 1024)"},
	{"slots", 0, "N", "leases at a time (default: 1)"},
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};
static const struct cli_option list_options[] = {
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_offer_post = {
	.noun = "offer",
	.verb = "post",
	.operands = "",
	.summary = "sell this machine's work",
	.help = "The node must run as a provider (weft node start "
		"--provider).  Kind cpu.\n",
	.options = post_options,
	.run = post,
};

const struct cli_command cli_offer_list = {
	.noun = "offer",
	.verb = "list",
	.operands = "",
	.summary = "what is offered",
	.help = "All offers that the node's ledger knows.\n",
	.options = list_options,
	.run = list,
};
