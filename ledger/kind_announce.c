/*
 * node.announce [[endpoint ...], cert, box, operator, operator_sig, stamp]:
 * what an account says about its node; replaces what it said before.
 *
 *   endpoint      str, "host:port"
 *   cert          SHA-256 of its TLS certificate, or nil
 *   box           X25519 key for sealed boxes, or nil
 *   operator      account, or nil; operator_sig is its BIP-340 signature over
 *                 SHA-256(T("weft/operator") || chain id || account)
 *   stamp         [block id, nonce], or nil: opens credit (ledger/apply.h)
 *
 * The record keeps all but the signature and the stamp, and the height.
 */
#include "base/arena.h"
#include "base/codec.h"
#include "ledger/account.h"
#include "ledger/apply.h"
#include "ledger/bodies.h"
#include "ledger/priv/kinds.h"
#include "ledger/priv/state.h"

static void dec_node(struct dec *d, struct ledger_node *n)
{
	n->endpoint_count = dec_array(d, LEDGER_ENDPOINTS_MAX);
	for (uint32_t i = 0; i < n->endpoint_count; i++)
		n->endpoints[i] = dec_str(d, LEDGER_ENDPOINT_BYTES_MAX);
	n->has_cert = !dec_is_nil(d);
	if (n->has_cert)
		n->cert = dec_hash(d);
	else
		dec_nil(d);
	n->has_box = !dec_is_nil(d);
	if (n->has_box)
		dec_bin_exact(d, n->box32, sizeof(n->box32));
	else
		dec_nil(d);
	n->has_operator = !dec_is_nil(d);
	if (n->has_operator)
		n->operator_account = dec_pubkey(d);
	else
		dec_nil(d);
}

static void enc_node(struct buf *b, const struct ledger_node *n)
{
	enc_array(b, n->endpoint_count);
	for (uint32_t i = 0; i < n->endpoint_count; i++)
		enc_str(b, n->endpoints[i]);
	if (n->has_cert)
		enc_hash(b, &n->cert);
	else
		enc_nil(b);
	if (n->has_box)
		enc_bin(b, bytes_of(n->box32, sizeof(n->box32)));
	else
		enc_nil(b);
	if (n->has_operator)
		enc_pubkey(b, &n->operator_account);
	else
		enc_nil(b);
}

void ledger_announce_encode(struct buf *out, const struct ledger_announce *a)
{
	enc_array(out, 6);
	enc_node(out, &a->node);
	if (a->node.has_operator)
		enc_sig(out, &a->operator_sig);
	else
		enc_nil(out);
	if (!a->has_stamp) {
		enc_nil(out);
		return;
	}
	enc_array(out, 2);
	enc_hash(out, &a->stamp_block);
	enc_uint(out, a->stamp_nonce);
}

/* Printable ASCII without blanks: it ends up in URLs and logs. */
static bool endpoints_ok(const struct ledger_node *n)
{
	for (uint32_t i = 0; i < n->endpoint_count; i++) {
		struct bytes at = n->endpoints[i];

		for (size_t j = 0; j < at.n; j++)
			if (at.p[j] <= ' ' || at.p[j] > '~')
				return false;
		if (at.n == 0)
			return false;
	}
	return true;
}

enum err kind_announce_decode(struct arena *a, struct bytes body,
			      void **ret_body, enum reason *reterr_why)
{
	struct ledger_announce *an = ARENA_NEW(a, struct ledger_announce);
	struct dec d = dec_make(body);

	if (!an)
		return ERR_NO_MEMORY;
	dec_array_exact(&d, 6);
	dec_node(&d, &an->node);
	if (an->node.has_operator)
		an->operator_sig = dec_sig(&d);
	else
		dec_nil(&d);
	an->has_stamp = !dec_is_nil(&d);
	if (an->has_stamp) {
		dec_array_exact(&d, 2);
		an->stamp_block = dec_hash(&d);
		an->stamp_nonce = dec_uint(&d, UINT64_MAX);
	} else {
		dec_nil(&d);
	}
	if (dec_end(&d) != ERR_OK)
		return dec_end(&d);
	*ret_body = an;
	*reterr_why = REASON_bad_value;
	return endpoints_ok(&an->node) ? ERR_OK : ERR_REFUSED;
}

struct hash ledger_operator_digest(struct bytes chain_id,
				   const struct pubkey *account)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/operator");
	sha256_put(&s, chain_id.p, chain_id.n);
	sha256_put(&s, account->b, sizeof(account->b));
	return sha256_end(&s);
}

enum err kind_announce_check(struct ledger *l, const void *body)
{
	const struct ledger_announce *an = body;
	struct hash h;

	if (!an->node.has_operator)
		return ERR_OK;
	h = ledger_operator_digest(l->chain_id, &l->sender);
	if (sig_verify(&an->node.operator_account, hash_bytes(&h),
		       &an->operator_sig) != ERR_OK)
		return ledger_refuse(l, REASON_bad_signature);
	return ERR_OK;
}

enum err ledger_announce_stamp(struct ledger *l, const void *body,
			       bool *ret_opens)
{
	const struct ledger_announce *an = body;
	struct hash h;

	*ret_opens = false;
	if (!an->has_stamp)
		return ERR_OK;
	h = ledger_stamp_hash(l->chain_id, &an->stamp_block, &l->sender,
			      an->stamp_nonce);
	if (!ledger_stamp_ok(&h, l->params->credit_stamp_bits))
		return ERR_OK;
	return ledger_block_noted(l, &an->stamp_block, ret_opens);
}

static struct ledger_key node_key(const struct pubkey *account)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_NODE);

	key_pubkey(&k, account);
	return k;
}

enum err kind_announce_apply(struct ledger *l, const void *body)
{
	const struct ledger_announce *an = body;
	struct ledger_key k = node_key(&l->sender);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_array(&b, 5);
	enc_node(&b, &an->node);
	enc_uint(&b, l->height);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "node.announced", NULL, &l->sender, NULL,
			   bytes_of(NULL, 0));
}

static enum err node_decode(struct bytes value, struct ledger_node *ret_node)
{
	struct ledger_node n = {0};
	struct dec d = dec_make(value);

	dec_array_exact(&d, 5);
	dec_node(&d, &n);
	n.height = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret_node = n;
	return ERR_OK;
}

enum err ledger_node_get(struct ledger *l, const struct pubkey *account,
			 struct ledger_node *ret_node)
{
	struct ledger_key k = node_key(account);
	struct bytes value;
	enum err e = ledger_get(l, &k, &value);

	return e == ERR_OK ? node_decode(value, ret_node) : e;
}

enum err ledger_operator(struct ledger *l, const struct pubkey *account,
			 struct pubkey *ret_operator)
{
	struct ledger_node n;
	enum err e = ledger_node_get(l, account, &n);

	if (e != ERR_OK && e != ERR_NOT_FOUND)
		return e;
	*ret_operator =
		e == ERR_OK && n.has_operator ? n.operator_account : *account;
	return ERR_OK;
}

enum err ledger_node_next(struct ledger *l, const struct pubkey *after,
			  struct pubkey *ret_account,
			  struct ledger_node *ret_node)
{
	struct ledger_key prefix = ledger_key(LEDGER_PREFIX_NODE);
	struct ledger_key k = after ? node_key(after) : prefix;
	struct bytes value;
	enum err e;

	e = ledger_scan(l, &prefix, &k, true, &k, &value);
	if (e == ERR_OK)
		e = node_decode(value, ret_node);
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < sizeof(ret_account->b); i++)
		ret_account->b[i] = k.b[1 + i];
	return ERR_OK;
}
