/*
 * JSON-RPC 2.0 itself: what is a request, who gets an answer, which error.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bech32m.h"
#include "base/limits.h"
#include "rpc/error.h"
#include "tests/rpc/fake.h"

#define CALL(method, params)                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\"," \
	"\"params\":" params "}"

static struct fake f;

static void setup(void)
{
	fake_open(&f);
}

static void teardown(void)
{
	fake_close(&f);
}

TestSuite(protocol, .init = setup, .fini = teardown);

Test(protocol, garbage_is_a_parse_error_with_id_null)
{
	static const char *const bad[] = {"",
					  "{",
					  "nul",
					  "[1,",
					  "{\"a\":1,}",
					  "\xff\xfe",
					  "{\"a\":1,\"a\":2}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_assert_eq(fake_code(&f, bad[i]), -32700, "%s", bad[i]);
		cr_assert(json_is_null(json_object_get(f.answer, "id")));
		cr_assert_eq(f.status, 200);
	}
}

Test(protocol, things_that_are_no_request)
{
	static const char *const bad[] = {
		"1",
		"\"x\"",
		"{}",
		"[]",
		"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
		"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"rpc.discover\"}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(fake_code(&f, bad[i]), -32600, "%s", bad[i]);
}

Test(protocol, depth_is_bounded_before_parsing)
{
	char text[400];
	size_t n = 0;

	n += (size_t)snprintf(text, sizeof(text), "%s",
			      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			      "\"node.status\",\"params\":{\"x\":");
	memset(text + n, '[', RPC_DEPTH_MAX - 2);
	memset(text + n + RPC_DEPTH_MAX - 2, ']', RPC_DEPTH_MAX - 2);
	strcpy(text + n + 2 * (RPC_DEPTH_MAX - 2), "}}");
	cr_assert_eq(fake_code(&f, text), -32602, "64 deep is read");
	memset(text + n, '[', RPC_DEPTH_MAX - 1);
	memset(text + n + RPC_DEPTH_MAX - 1, ']', RPC_DEPTH_MAX - 1);
	strcpy(text + n + 2 * (RPC_DEPTH_MAX - 1), "}}");
	cr_assert_eq(fake_code(&f, text), -32700, "65 deep is not");
}

Test(protocol, ids_come_back_as_they_were)
{
	fake_result(&f, "{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"method\":"
			"\"node.status\"}");
	cr_assert_str_eq(json_string_value(json_object_get(f.answer, "id")),
			 "a b");
	fake_result(&f, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":"
			"\"node.status\"}");
	cr_assert(json_is_null(json_object_get(f.answer, "id")));
}

Test(protocol, notifications_get_204_and_nothing)
{
	fake_call(&f, "{\"jsonrpc\":\"2.0\",\"method\":\"node.status\"}");
	cr_assert_eq(f.status, 204);
	cr_assert_null(f.answer);
	fake_call(&f, "[{\"jsonrpc\":\"2.0\",\"method\":\"node.status\"}]");
	cr_assert_eq(f.status, 204);
}

Test(protocol, a_notification_never_spends)
{
	char text[400], to[ADDRESS_TEXT_BYTES];

	address_text(ADDRESS_HRP_TEST, &f.rig.keys[2], to);
	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"method\":\"wallet.send\",\"params\":{"
		 "\"to\":\"%s\",\"amount_picks\":\"5\"}}",
		 to);
	fake_call(&f, text);
	cr_assert_eq(f.sends, 0);
}

Test(protocol, batches_keep_their_order)
{
	json_t *a = fake_call(
		&f, "[{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"no.such\"},"
		    "{\"jsonrpc\":\"2.0\",\"method\":\"node.status\"},"
		    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"node.status\"},"
		    "7]");

	cr_assert_eq(json_array_size(a), 3);
	cr_assert_eq(
		json_integer_value(json_object_get(json_array_get(a, 0), "id")),
		3);
	cr_assert_eq(
		json_integer_value(json_object_get(json_array_get(a, 1), "id")),
		2);
	cr_assert_not_null(json_object_get(json_array_get(a, 1), "result"));
	cr_assert_not_null(json_object_get(json_array_get(a, 2), "error"));
}

Test(protocol, a_batch_holds_100)
{
	struct buf b = buf_make(100000);

	for (int n = 100; n <= 101; n++) {
		buf_reset(&b);
		for (int i = 0; i < n; i++)
			buf_printf(&b,
				   "%c{\"jsonrpc\":\"2.0\",\"id\":%d,"
				   "\"method\":\"node.status\"}",
				   i ? ',' : '[', i);
		buf_put(&b, "]", 2);
		if (n == 100) {
			fake_call(&f, (const char *)b.p);
			cr_assert_eq(json_array_size(f.answer), 100);
		} else {
			cr_assert_eq(fake_code(&f, (const char *)b.p), 1007);
		}
	}
	buf_free(&b);
}

Test(protocol, scopes_are_kept)
{
	f.scopes = RPC_SCOPE_READ;
	cr_assert_eq(fake_code(&f, CALL("provider.pause", "{}")), 1002);
	fake_result(&f, CALL("node.status", "{}"));
	f.scopes = 0;
	cr_assert_eq(fake_code(&f, CALL("node.status", "{}")), 1002);
}

Test(protocol, parameters_are_named_in_errors)
{
	const char *m;

	cr_assert_eq(fake_code(&f, CALL("chain.block", "{}")), -32602);
	m = json_string_value(
		json_object_get(json_object_get(f.answer, "error"), "message"));
	cr_assert_str_eq(m, "params.height: missing");
	fake_code(&f, CALL("chain.block", "{\"heigth\":1}"));
	m = json_string_value(
		json_object_get(json_object_get(f.answer, "error"), "message"));
	cr_assert_str_eq(m, "params.heigth: no such parameter");
	fake_code(&f, CALL("chain.block", "{\"height\":\"1\"}"));
	m = json_string_value(
		json_object_get(json_object_get(f.answer, "error"), "message"));
	cr_assert_str_eq(m, "params.height: expected a whole number");
	cr_assert_eq(fake_code(&f, CALL("chain.block", "[1]")), -32602);
	cr_assert_eq(fake_code(&f, CALL("chain.block", "{\"height\":-1}")),
		     -32602);
}

Test(protocol, discover_lists_every_method_it_answers)
{
	json_t *all = json_object_get(
		fake_result(&f, CALL("rpc.discover", "{}")), "methods");
	json_t *copy = json_deep_copy(all), *m;
	size_t i;

	cr_assert_gt(json_array_size(copy), 40);
	json_array_foreach(copy, i, m)
	{
		char text[300];

		snprintf(text, sizeof(text),
			 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\"}",
			 json_string_value(json_object_get(m, "name")));
		fake_call(&f, text);
		m = json_object_get(f.answer, "error");
		cr_assert_neq(json_integer_value(json_object_get(m, "code")),
			      -32601, "%s", text);
	}
	json_decref(copy);
}

Test(protocol, codes_are_frozen)
{
	cr_assert_eq(RPC_ERROR_no_wallet, 1000);
	cr_assert_eq(RPC_ERROR_not_here, 1001);
	cr_assert_eq(RPC_ERROR_forbidden, 1002);
	cr_assert_eq(RPC_ERROR_other_params, 1003);
	cr_assert_eq(RPC_ERROR_busy, 1004);
	cr_assert_eq(RPC_ERROR_build_failed, 1005);
	cr_assert_eq(RPC_ERROR_no_state, 1006);
	cr_assert_eq(RPC_ERROR_too_many, 1007);
	cr_assert_eq(RPC_ERROR_spends_silently, 1008);
	cr_assert_eq(RPC_ERROR_worker_failed, 1009);
}
