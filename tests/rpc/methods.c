/*
 * Methods over a real chain: exact amounts, idempotency, waits.
 */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bech32m.h"
#include "rpc/error.h"
#include "tests/rpc/fake.h"

static struct fake f;
static char one[ADDRESS_TEXT_BYTES], two[ADDRESS_TEXT_BYTES];
static char text[1000];

static void setup(void)
{
	fake_open(&f);
	address_text(ADDRESS_HRP_TEST, &f.rig.keys[1], one);
	address_text(ADDRESS_HRP_TEST, &f.rig.keys[2], two);
}

static void teardown(void)
{
	fake_close(&f);
}

TestSuite(methods, .init = setup, .fini = teardown);

static const char *call(const char *method, const char *params)
{
	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
		 "\"params\":%s}",
		 method, params);
	return text;
}

static const char *send_params(const char *amount, const char *key)
{
	static char params[400];

	snprintf(params, sizeof(params),
		 "{\"to\":\"%s\",\"amount_picks\":\"%s\"%s%s%s}", two, amount,
		 key ? ",\"idempotency_key\":\"" : "", key ? key : "",
		 key ? "\"" : "");
	return params;
}

static const char *balance_of(const char *address)
{
	static char value[32];
	char params[200];
	json_t *r;

	snprintf(params, sizeof(params), "{\"account\":\"%s\"}", address);
	r = fake_result(&f, call("account.get", params));
	snprintf(value, sizeof(value), "%s",
		 json_string_value(json_object_get(r, "balance_picks")));
	return value;
}

Test(methods, a_payment_arrives_to_the_pick)
{
	json_t *r = fake_result(
		&f, call("wallet.send", send_params("123456789", 0)));

	cr_assert_eq(json_integer_value(json_object_get(r, "height")), 1);
	cr_assert_str_eq(balance_of(two), "1000123456789");
}

Test(methods, amounts_are_strings_and_nothing_else)
{
	static const char *const bad[] = {
		"",    "-1", "01", "1.5", "1e3", " 1", "18446744073709551616",
		"0x10"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(fake_code(&f, call("wallet.send",
						send_params(bad[i], 0))),
			     -32602, "%s", bad[i]);
	cr_assert_eq(
		fake_code(&f, call("wallet.send",
				   send_params("18446744073709551615", 0))),
		REASON_insufficient_funds);
	cr_assert_str_eq(fake_reason(&f), "insufficient_funds");
	cr_assert_str_eq(balance_of(two), "1000000000000");
}

Test(methods, the_same_key_pays_once)
{
	json_t *r = fake_result(
		&f, call("wallet.send", send_params("5", "order-1")));
	char tx[80];

	snprintf(tx, sizeof(tx), "%s",
		 json_string_value(json_object_get(r, "tx")));
	r = fake_result(&f, call("wallet.send", send_params("5", "order-1")));
	cr_assert_str_eq(json_string_value(json_object_get(r, "tx")), tx);
	cr_assert_eq(f.sends, 1);
	cr_assert_eq(
		fake_code(&f, call("wallet.send", send_params("6", "order-1"))),
		1003);
	cr_assert_eq(f.sends, 1);
	cr_assert_str_eq(balance_of(two), "1000000000005");
}

Test(methods, a_refused_call_is_not_remembered)
{
	fake_code(&f, call("wallet.send",
			   send_params("18446744073709551615", "k")));
	fake_code(&f, call("wallet.send",
			   send_params("18446744073709551615", "k")));
	cr_assert_eq(f.sends, 2);
}

Test(methods, history_explains_the_balance)
{
	char params[200];
	json_t *r;

	fake_result(&f, call("wallet.send", send_params("1000", 0)));
	fake_result(&f, call("wallet.send", send_params("2000", 0)));
	snprintf(params, sizeof(params), "{\"account\":\"%s\"}", one);
	r = fake_result(&f, call("account.explain", params));
	cr_assert(json_is_true(json_object_get(r, "adds_up")));
	snprintf(params, sizeof(params), "{\"account\":\"%s\",\"limit\":1}",
		 two);
	r = fake_result(&f, call("account.history", params));
	cr_assert_eq(json_array_size(json_object_get(r, "lines")), 1);
	r = json_array_get(json_object_get(r, "lines"), 0);
	cr_assert_str_eq(json_string_value(json_object_get(r, "amount_picks")),
			 "2000");
	cr_assert_str_eq(json_string_value(json_object_get(r, "why")),
			 "transfer");
}

Test(methods, a_late_answer_completes_its_batch)
{
	char batch[1200];

	f.hold_sends = true;
	snprintf(batch, sizeof(batch),
		 "[%s,{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		 "\"node.status\"}]",
		 call("wallet.send", send_params("5", 0)));
	cr_assert_null(fake_call(&f, batch));
	cr_assert_eq(f.status, 0, "nothing is sent before all have answered");
	fake_release(&f);
	cr_assert_eq(f.status, 200);
	cr_assert_eq(json_array_size(f.answer), 2);
}

Test(methods, a_wait_for_an_unknown_job_fails_at_once)
{
	char params[200];

	snprintf(params, sizeof(params), "{\"id\":\"%064d\"}", 7);
	cr_assert_eq(fake_code(&f, call("job.wait", params)), REASON_not_found);
	cr_assert_eq(fake_code(&f, call("job.get", params)), REASON_not_found);
	cr_assert_eq(rpc_wake_ms(f.rpc), UINT64_MAX);
}

Test(methods, submit_wants_a_manifest_or_a_whole_program)
{
	cr_assert_eq(fake_code(&f, call("job.submit", "{}")), -32602);
	cr_assert_eq(fake_code(&f, call("job.submit", "{\"tasks\":3}")),
		     -32602);
	cr_assert_eq(fake_code(&f, call("job.submit", "{\"manifest\":{}}")),
		     1001, "this fake node cannot build");
	cr_assert_eq(f.sends, 0);
}

Test(methods, tx_submit_tells_why_not)
{
	cr_assert_eq(fake_code(&f, call("tx.submit", "{\"tx\":\"00\"}")),
		     REASON_bad_encoding);
	cr_assert_eq(fake_code(&f, call("tx.submit", "{\"tx\":\"0\"}")),
		     -32602);
}

Test(methods, blocks_and_transactions_can_be_looked_up)
{
	json_t *r = fake_result(&f, call("wallet.send", send_params("9", 0)));
	char params[200];

	snprintf(params, sizeof(params), "{\"id\":\"%s\"}",
		 json_string_value(json_object_get(r, "tx")));
	r = fake_result(&f, call("tx.get", params));
	cr_assert_eq(json_integer_value(json_object_get(r, "height")), 1);
	cr_assert_str_eq(json_string_value(json_object_get(r, "reason")),
			 "none");
	r = fake_result(&f, call("chain.block", "{\"height\":1}"));
	cr_assert_eq(json_array_size(json_object_get(r, "txs")), 2,
		     "the beacon and the transfer");
	cr_assert_eq(fake_code(&f, call("chain.block", "{\"height\":2}")),
		     REASON_not_found);
}

Test(methods, params_are_strings_by_name)
{
	json_t *r = fake_result(&f, call("chain.params", "{}"));

	cr_assert_str_eq(json_string_value(json_object_get(r, "samples")),
			 "20");
	cr_assert_str_eq(
		json_string_value(json_object_get(r, "fee_per_byte_picks")),
		"10");
}
