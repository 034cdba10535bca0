/*
 * Genesis and network files.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bech32m.h"
#include "node/genesis.h"

static struct arena *arena;
static struct keys keys;
static struct ledger_genesis genesis;
static char words[GENESIS_ERROR_BYTES];

static void begin(void)
{
	arena = arena_new(1u << 24);
	memset(&keys, 0, sizeof(keys));
	memset(keys.account_secret.b, 3, 32);
	cr_assert_eq(sig_pubkey(&keys.account_secret, &keys.account), ERR_OK);
	vrf_public_of(&keys.vrf_secret, &keys.vrf);
}

static void end(void)
{
	arena_free(arena);
}

TestSuite(genesis, .init = begin, .fini = end);

static enum err parse(const char *json)
{
	return genesis_parse(arena, bytes_str(json), &keys, 77, &genesis,
			     words);
}

Test(genesis, own_chain_funds_its_account)
{
	struct config config;

	config_init(&config);
	config.solo_fund_weft = 5;
	config.solo_block_ms = 100;
	cr_assert_eq(genesis_own(arena, &config, &keys, 77, &genesis), ERR_OK);
	cr_assert_eq(genesis.account_count, 1);
	cr_assert_eq(coin_raw(genesis.accounts[0].balance), 5000000000u);
	cr_assert_eq(genesis.params.block_ms, 100);
	cr_assert(pubkey_eq(&genesis.validators[0].account, &keys.account));
}

Test(genesis, reads_accounts_in_any_order)
{
	struct pubkey other = {{0xee}};
	char a[ADDRESS_TEXT_BYTES];
	char b[ADDRESS_TEXT_BYTES];
	char json[1024];

	snprintf(json, sizeof(json),
		 "{\"chain_id\":\"t\",\"params\":{\"block_ms\":\"50\"},"
		 "\"accounts\":[{\"address\":\"%s\",\"balance_picks\":\"7\"},"
		 "{\"address\":\"%s\",\"balance_picks\":\"9\"}]}",
		 address_text(ADDRESS_HRP_TEST, &other, a),
		 address_text(ADDRESS_HRP_TEST, &keys.account, b));
	cr_assert_eq(parse(json), ERR_OK, "%s", words);
	cr_assert_eq(genesis.time_ms, 77);
	cr_assert_eq(genesis.params.block_ms, 50);
	cr_assert_eq(genesis.account_count, 2);
	cr_assert_lt(memcmp(&genesis.accounts[0].account,
			    &genesis.accounts[1].account, 32),
		     0);
	cr_assert_eq(genesis.validator_count, 1);
}

Test(genesis, says_what_is_wrong)
{
	cr_assert_eq(parse("{"), ERR_MALFORMED);
	cr_assert_eq(parse("{}"), ERR_MALFORMED);
	cr_assert_str_eq(words, "chain_id is missing");
	cr_assert_eq(parse("{\"chain_id\":\"t\",\"params\":{\"speed\":1}}"),
		     ERR_MALFORMED);
	cr_assert_str_eq(words, "params.speed: no such parameter, or outside "
				"its range");
	cr_assert_eq(parse("{\"chain_id\":\"t\",\"accounts\":[{}]}"),
		     ERR_MALFORMED);
	cr_assert_str_eq(words, "accounts[0]: expected address and "
				"balance_picks");
	cr_assert_eq(parse("{\"chain_id\":\"UPPER\"}"), ERR_MALFORMED);
	cr_assert_str_eq(words, "refused: bad_value");
	/* C7: an empty validator set is no chain */
	cr_assert_eq(parse("{\"chain_id\":\"t\",\"validators\":[]}"),
		     ERR_MALFORMED);
}

Test(genesis, network_file_comes_back_as_it_went)
{
	struct network n = {.node_count = 2, .genesis_hash = {{9}}};
	struct network back;
	struct buf b = buf_make(4096);

	snprintf(n.chain_id, sizeof(n.chain_id), "t");
	snprintf(n.endpoints[0], NETWORK_ENDPOINT_BYTES, "127.0.0.1:1");
	snprintf(n.endpoints[1], NETWORK_ENDPOINT_BYTES, "127.0.0.1:2");
	network_print(&n, &b);
	cr_assert_eq(network_parse(buf_bytes(&b), &back, words), ERR_OK);
	cr_assert_eq(back.node_count, 2);
	cr_assert_str_eq(back.endpoints[1], "127.0.0.1:2");
	cr_assert(hash_eq(&back.genesis_hash, &n.genesis_hash));
	buf_free(&b);
	cr_assert_eq(
		network_parse(BYTES_LIT("{\"chain_id\":\"t\"}"), &back, words),
		ERR_MALFORMED);
}
