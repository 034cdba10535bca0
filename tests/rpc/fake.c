#include "tests/rpc/fake.h"

#include <string.h>

#include <criterion/criterion.h>

#include "base/bech32m.h"

static enum err tx_submit(void *ctx, struct bytes tx,
			  struct ledger_tx_result *ret)
{
	struct fake *f = ctx;

	return ledger_chain_check(f->rig.chain, tx, LEDGER_CHECK_NEW, ret);
}

static bool account(void *ctx, uint32_t index, struct pubkey *ret_account,
		    const char **ret_name)
{
	struct fake *f = ctx;

	if (index > 0)
		return false;
	*ret_account = f->rig.keys[1];
	*ret_name = "default";
	return true;
}

static void send_tx(void *ctx, const struct rpc_send *s,
		    void (*done)(void *arg, const struct rpc_sent *r),
		    void *arg)
{
	struct fake *f = ctx;
	struct rpc_sent r = {0};

	f->sends++;
	if (f->hold_sends) {
		f->held = done;
		f->held_arg = arg;
		return;
	}
	r.reason = rig_send(&f->rig, 1, s->kind, s->body);
	r.err = r.reason ? ERR_REFUSED : ERR_OK;
	r.height = rig_height(&f->rig);
	r.tx_id = f->rig.outcome.results[f->rig.outcome.result_count - 1].id;
	done(arg, &r);
}

void fake_release(struct fake *f)
{
	struct rpc_sent r = {.height = 7};

	f->held(f->held_arg, &r);
}

static json_t *tell(void *ctx, enum rpc_topic topic, const struct hash *id)
{
	(void)ctx;
	(void)id;
	if (topic != RPC_TOPIC_NODE_STATUS)
		return 0;
	return json_pack("{s:s}", "health", "ok");
}

static enum err memo_get(void *ctx, struct bytes key, struct buf *out)
{
	struct fake *f = ctx;

	if (!bytes_eq(key, buf_bytes(&f->memo_key)))
		return ERR_NOT_FOUND;
	buf_put_bytes(out, buf_bytes(&f->memo_value));
	return ERR_OK;
}

static enum err memo_put(void *ctx, struct bytes key, struct bytes value)
{
	struct fake *f = ctx;

	buf_reset(&f->memo_key);
	buf_reset(&f->memo_value);
	buf_put_bytes(&f->memo_key, key);
	buf_put_bytes(&f->memo_value, value);
	return ERR_OK;
}

void fake_open(struct fake *f)
{
	struct rig_options o = {.actor_count = 2,
				.balance_picks = 1000000000000};
	struct rpc_host host = {0};

	memset(f, 0, sizeof(*f));
	rig_open(&f->rig, &o);
	f->memo_key = buf_make(1000);
	f->memo_value = buf_make(100000);
	f->scopes = RPC_SCOPE_READ | RPC_SCOPE_SPEND | RPC_SCOPE_CONTROL;
	host.chain = f->rig.chain;
	host.hrp = ADDRESS_HRP_TEST;
	host.version = "0-test";
	host.ops.ctx = f;
	host.ops.tx_submit = tx_submit;
	host.ops.account = account;
	host.ops.send = send_tx;
	host.ops.tell = tell;
	host.ops.memo_get = memo_get;
	host.ops.memo_put = memo_put;
	f->rpc = rpc_new(&host);
	cr_assert_not_null(f->rpc);
}

void fake_close(struct fake *f)
{
	rpc_free(f->rpc);
	json_decref(f->answer);
	buf_free(&f->memo_key);
	buf_free(&f->memo_value);
	rig_close(&f->rig);
}

static void done(void *arg, int http_status, struct bytes answer)
{
	struct fake *f = arg;

	cr_assert_eq(f->status, 0, "answered twice");
	f->status = http_status;
	if (answer.n)
		f->answer = json_loadb((const char *)answer.p, answer.n, 0, 0);
}

json_t *fake_call_at(struct fake *f, const char *text, uint64_t now_ms)
{
	struct rpc_caller caller = {.scopes = f->scopes};

	json_decref(f->answer);
	f->answer = 0;
	f->status = 0;
	rpc_handle(f->rpc, &caller, bytes_str(text), now_ms, done, f);
	return f->answer;
}

json_t *fake_call(struct fake *f, const char *text)
{
	return fake_call_at(f, text, 1000);
}

json_t *fake_result(struct fake *f, const char *text)
{
	json_t *r = json_object_get(fake_call(f, text), "result");

	cr_assert_not_null(r, "%s: %s", text,
			   f->answer ? json_dumps(f->answer, 0) : "nothing");
	cr_assert_eq(f->status, 200);
	return r;
}

int fake_code(struct fake *f, const char *text)
{
	json_t *e = json_object_get(fake_call(f, text), "error");

	cr_assert_not_null(e, "%s: %s", text,
			   f->answer ? json_dumps(f->answer, 0) : "nothing");
	cr_assert(json_is_string(
		json_object_get(json_object_get(e, "data"), "hint")));
	return (int)json_integer_value(json_object_get(e, "code"));
}

const char *fake_reason(struct fake *f)
{
	json_t *e = json_object_get(f->answer, "error");

	return json_string_value(
		json_object_get(json_object_get(e, "data"), "reason"));
}
