/*
 * node/genesis - JSON in, structs out; every refusal names its place.
 */
#include "node/genesis.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bech32m.h"
#include "base/coin.h"
#include "node/http.h"

const char *genesis_hrp(struct bytes chain_id)
{
	return bytes_eq(chain_id, BYTES_LIT("weft")) ? ADDRESS_HRP_MAIN
						     : ADDRESS_HRP_TEST;
}

static enum err bad(char words[GENESIS_ERROR_BYTES], const char *what)
{
	(void)snprintf(words, GENESIS_ERROR_BYTES, "%s", what);
	return ERR_MALFORMED;
}

static enum err own_validator(struct arena *a, const struct keys *keys,
			      struct ledger_genesis *g)
{
	struct ledger_validator *v = ARENA_NEW(a, struct ledger_validator);

	if (!v)
		return ERR_NO_MEMORY;
	/* no engine of its own: the beacon's key names the validator */
	memcpy(v->key32, keys->vrf.b, sizeof(v->key32));
	v->vrf = keys->vrf;
	v->account = keys->account;
	v->power = 1;
	g->validators = v;
	g->validator_count = 1;
	return ERR_OK;
}

enum err genesis_own(struct arena *a, const struct config *config,
		     const struct keys *keys, uint64_t time_ms,
		     struct ledger_genesis *ret_genesis)
{
	struct ledger_genesis g = {
		.chain_id = bytes_str(config->solo_chain_id),
		.time_ms = time_ms,
		.params = ledger_params_default(),
		.account_count = 1,
	};
	struct ledger_genesis_account *account =
		ARENA_NEW(a, struct ledger_genesis_account);
	struct coin weft = coin_picks(COIN_PICKS_PER_WEFT);
	enum err e;

	if (!account)
		return ERR_NO_MEMORY;
	account->account = keys->account;
	if (!coin_mul(weft, config->solo_fund_weft, &account->balance))
		return ERR_OVERFLOW;
	g.accounts = account;
	e = ledger_param_set(&g.params, LEDGER_PARAM_block_ms,
			     config->solo_block_ms);
	if (!e)
		e = own_validator(a, keys, &g);
	if (!e)
		*ret_genesis = g;
	return e;
}

/* A decimal string, or a number that is exact in JSON. */
static bool get_u64(const json_t *v, uint64_t *ret)
{
	if (json_is_string(v))
		return http_number(bytes_str(json_string_value(v)), ret) ==
		       ERR_OK;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(v);
	return true;
}

static enum err take_params(const json_t *params, struct ledger_params *p,
			    char words[GENESIS_ERROR_BYTES])
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)params, name, value)
	{
		enum ledger_param row;
		uint64_t v;

		if (ledger_param_find(bytes_str(name), &row) ||
		    !get_u64(value, &v) || ledger_param_set(p, row, v)) {
			(void)snprintf(words, GENESIS_ERROR_BYTES,
				       "params.%.64s: no such parameter, or "
				       "outside its range",
				       name);
			return ERR_MALFORMED;
		}
	}
	return ERR_OK;
}

static int by_key(const struct ledger_genesis_account *a,
		  const struct ledger_genesis_account *b)
{
	return memcmp(a->account.b, b->account.b, sizeof(a->account.b));
}

/* Insertion into a list that a person wrote: short. */
static void insert(struct ledger_genesis_account *list, uint32_t count,
		   struct ledger_genesis_account item)
{
	while (count && by_key(&item, &list[count - 1]) < 0) {
		list[count] = list[count - 1];
		count--;
	}
	list[count] = item;
}

static enum err take_accounts(struct arena *a, const json_t *accounts,
			      struct ledger_genesis *g,
			      char words[GENESIS_ERROR_BYTES])
{
	size_t n = json_array_size(accounts);
	struct ledger_genesis_account *list =
		ARENA_ARRAY(a, n ? n : 1, struct ledger_genesis_account);

	if (!list)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		const json_t *row = json_array_get(accounts, i);
		const char *address =
			json_string_value(json_object_get(row, "address"));
		struct ledger_genesis_account item;
		uint64_t picks;

		if (!address ||
		    address_parse(genesis_hrp(g->chain_id), bytes_str(address),
				  &item.account) ||
		    !get_u64(json_object_get(row, "balance_picks"), &picks)) {
			(void)snprintf(words, GENESIS_ERROR_BYTES,
				       "accounts[%u]: expected address and "
				       "balance_picks",
				       i);
			return ERR_MALFORMED;
		}
		item.balance = coin_picks(picks);
		insert(list, i, item);
	}
	g->accounts = list;
	g->account_count = (uint32_t)n;
	return ERR_OK;
}

static bool get_key32(const json_t *row, const char *name, uint8_t out[32])
{
	const char *hex = json_string_value(json_object_get(row, name));

	return hex && hex_decode(bytes_str(hex), out, 32) == ERR_OK;
}

static enum err take_validators(struct arena *a, const json_t *rows,
				struct ledger_genesis *g,
				char words[GENESIS_ERROR_BYTES])
{
	size_t n = json_array_size(rows);
	struct ledger_validator *list =
		ARENA_ARRAY(a, n ? n : 1, struct ledger_validator);

	if (!list)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		const json_t *row = json_array_get(rows, i);
		const char *account =
			json_string_value(json_object_get(row, "account"));

		if (!get_key32(row, "key", list[i].key32) ||
		    !get_key32(row, "vrf", list[i].vrf.b) || !account ||
		    address_parse(genesis_hrp(g->chain_id), bytes_str(account),
				  &list[i].account) ||
		    !get_u64(json_object_get(row, "power"), &list[i].power))
			return bad(words, "validators: expected key, vrf, "
					  "account and power");
	}
	g->validators = list;
	g->validator_count = (uint32_t)n;
	return ERR_OK;
}

static enum err take_genesis(struct arena *a, const json_t *root,
			     const struct keys *keys, uint64_t time_ms,
			     struct ledger_genesis *g,
			     char words[GENESIS_ERROR_BYTES])
{
	const char *chain_id =
		json_string_value(json_object_get(root, "chain_id"));
	const json_t *time = json_object_get(root, "time_ms");
	const json_t *validators = json_object_get(root, "validators");
	enum reason why;
	enum err e;

	if (!chain_id)
		return bad(words, "chain_id is missing");
	g->chain_id = arena_copy(a, bytes_str(chain_id));
	g->time_ms = time_ms;
	if (time && !get_u64(time, &g->time_ms))
		return bad(words, "time_ms: expected a number");
	g->params = ledger_params_default();
	e = take_params(json_object_get(root, "params"), &g->params, words);
	if (!e)
		e = take_accounts(a, json_object_get(root, "accounts"), g,
				  words);
	if (!e)
		e = validators ? take_validators(a, validators, g, words)
			       : own_validator(a, keys, g);
	if (!e && ledger_genesis_check(g, &why)) {
		(void)snprintf(words, GENESIS_ERROR_BYTES, "refused: %s",
			       reason_word(why));
		e = ERR_MALFORMED;
	}
	return e;
}

static json_t *load(struct bytes json, char words[GENESIS_ERROR_BYTES])
{
	json_error_t error;
	json_t *root = json_loadb((const char *)json.p, json.n,
				  JSON_REJECT_DUPLICATES, &error);

	if (!root)
		(void)snprintf(words, GENESIS_ERROR_BYTES, "line %d: %.160s",
			       error.line, error.text);
	return root;
}

enum err genesis_parse(struct arena *a, struct bytes json,
		       const struct keys *keys, uint64_t time_ms,
		       struct ledger_genesis *ret_genesis,
		       char reterr_words[GENESIS_ERROR_BYTES])
{
	struct ledger_genesis g = {.time_ms = 0};
	json_t *root = load(json, reterr_words);
	enum err e;

	if (!root)
		return ERR_MALFORMED;
	e = take_genesis(a, root, keys, time_ms, &g, reterr_words);
	json_decref(root);
	if (!e)
		*ret_genesis = g;
	return e;
}

static enum err take_nodes(const json_t *nodes, struct network *n,
			   char words[GENESIS_ERROR_BYTES])
{
	n->node_count = json_array_size(nodes);
	if (!n->node_count || n->node_count > ENGINE_PEERS_MAX)
		return bad(words, "nodes: expected 1 to 16");
	for (size_t i = 0; i < n->node_count; i++) {
		const char *endpoint = json_string_value(
			json_object_get(json_array_get(nodes, i), "endpoint"));

		if (!endpoint || strlen(endpoint) >= NETWORK_ENDPOINT_BYTES)
			return bad(words, "nodes: expected an endpoint each");
		(void)snprintf(n->endpoints[i], NETWORK_ENDPOINT_BYTES, "%s",
			       endpoint);
	}
	return ERR_OK;
}

enum err network_parse(struct bytes json, struct network *ret_network,
		       char reterr_words[GENESIS_ERROR_BYTES])
{
	struct network n = {.node_count = 0};
	json_t *root = load(json, reterr_words);
	const char *chain_id;
	enum err e;

	if (!root)
		return ERR_MALFORMED;
	chain_id = json_string_value(json_object_get(root, "chain_id"));
	if (!chain_id || strlen(chain_id) >= sizeof(n.chain_id) ||
	    !get_key32(root, "genesis_hash", n.genesis_hash.b)) {
		e = bad(reterr_words, "expected chain_id and genesis_hash");
	} else {
		(void)snprintf(n.chain_id, sizeof(n.chain_id), "%s", chain_id);
		e = take_nodes(json_object_get(root, "nodes"), &n,
			       reterr_words);
	}
	json_decref(root);
	if (!e)
		*ret_network = n;
	return e;
}

void network_print(const struct network *n, struct buf *out)
{
	char hash[HASH_TEXT_BYTES];

	buf_printf(out,
		   "{\n  \"chain_id\": \"%s\",\n  \"genesis_hash\": \"%s\",\n"
		   "  \"nodes\": [",
		   n->chain_id, hash_text(&n->genesis_hash, hash));
	for (size_t i = 0; i < n->node_count; i++)
		buf_printf(out, "%s\n    {\"endpoint\": \"%s\"}", i ? "," : "",
			   n->endpoints[i]);
	buf_put_str(out, "\n  ]\n}\n");
}
