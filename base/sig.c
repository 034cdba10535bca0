#include "base/sig.h"

#include <stdlib.h>
#include <string.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <sodium.h>

#include "base/must.h"

bool pubkey_eq(const struct pubkey *a, const struct pubkey *b)
{
	return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

void sig_wipe(void *p, size_t n)
{
	sodium_memzero(p, n);
}

/* The caller wipes the key pair and destroys the context. */
static enum err keypair_of(const struct seckey *sk, secp256k1_context **ret_ctx,
			   secp256k1_keypair *ret_pair)
{
	secp256k1_context *ctx =
		secp256k1_context_create(SECP256K1_CONTEXT_NONE);

	must(ctx);
	if (!secp256k1_keypair_create(ctx, ret_pair, sk->b)) {
		secp256k1_context_destroy(ctx);
		return ERR_REFUSED;
	}
	*ret_ctx = ctx;
	return ERR_OK;
}

enum err sig_pubkey(const struct seckey *sk, struct pubkey *ret_pk)
{
	secp256k1_context *ctx;
	secp256k1_keypair pair;
	secp256k1_xonly_pubkey x;

	if (keypair_of(sk, &ctx, &pair))
		return ERR_REFUSED;
	must(secp256k1_keypair_xonly_pub(ctx, &x, 0, &pair));
	must(secp256k1_xonly_pubkey_serialize(ctx, ret_pk->b, &x));
	sig_wipe(&pair, sizeof(pair));
	secp256k1_context_destroy(ctx);
	return ERR_OK;
}

enum err sig_sign(const struct seckey *sk, struct bytes msg,
		  const uint8_t *aux32, struct sig *ret_sig)
{
	secp256k1_schnorrsig_extraparams extra =
		SECP256K1_SCHNORRSIG_EXTRAPARAMS_INIT;
	uint8_t aux[32] = {0};
	secp256k1_context *ctx;
	secp256k1_keypair pair;
	int ok;

	if (keypair_of(sk, &ctx, &pair))
		return ERR_REFUSED;
	if (aux32)
		memcpy(aux, aux32, sizeof(aux));
	extra.ndata = aux;
	ok = secp256k1_schnorrsig_sign_custom(ctx, ret_sig->b, msg.p, msg.n,
					      &pair, &extra);
	sig_wipe(&pair, sizeof(pair));
	secp256k1_context_destroy(ctx);
	return ok ? ERR_OK : ERR_REFUSED;
}

enum err sig_verify(const struct pubkey *pk, struct bytes msg,
		    const struct sig *s)
{
	const secp256k1_context *ctx = secp256k1_context_static;
	secp256k1_xonly_pubkey x;

	if (!secp256k1_xonly_pubkey_parse(ctx, &x, pk->b))
		return ERR_SIGNATURE;
	if (!secp256k1_schnorrsig_verify(ctx, s->b, msg.p, msg.n, &x))
		return ERR_SIGNATURE;
	return ERR_OK;
}
