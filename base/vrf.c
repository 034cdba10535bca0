/*
 * RFC 9381 section 5 with suite string 0x03.  libsodium multiplies only points
 * of the prime-order group, so the cofactor goes in by three doublings, and a
 * proof's Gamma outside that group is refused: no honest prover makes one.
 */
#include "base/vrf.h"

#include <string.h>

#include <sodium.h>

#define SUITE	  0x03
#define POINT	  32u
#define CHALLENGE 16u
#define SCALAR	  32u

struct key_parts {
	uint8_t x[SCALAR];	/* the secret scalar, clamped */
	uint8_t nonce_seed[32]; /* second half of SHA-512(seed) */
	uint8_t y[POINT];
};

static void expand(const struct vrf_secret *sk, struct key_parts *k)
{
	uint8_t h[64];

	crypto_hash_sha512(h, sk->seed, sizeof(sk->seed));
	h[0] &= 248;
	h[31] &= 127;
	h[31] |= 64;
	memcpy(k->x, h, 32);
	memcpy(k->nonce_seed, h + 32, 32);
	(void)!crypto_scalarmult_ed25519_base_noclamp(k->y, k->x);
	sodium_memzero(h, sizeof(h));
}

void vrf_public_of(const struct vrf_secret *sk, struct vrf_public *ret_pk)
{
	struct key_parts k;

	expand(sk, &k);
	memcpy(ret_pk->b, k.y, POINT);
	sodium_memzero(&k, sizeof(k));
}

static bool times_eight(uint8_t p[POINT])
{
	for (int i = 0; i < 3; i++) {
		if (crypto_core_ed25519_add(p, p, p))
			return false;
	}
	return true;
}

/* Try and increment; the salt is the public key. */
static bool to_curve(const uint8_t y[POINT], struct bytes alpha,
		     uint8_t ret_h[POINT])
{
	static const uint8_t identity[POINT] = {1};

	for (unsigned ctr = 0; ctr < 256; ctr++) {
		crypto_hash_sha512_state s;
		const uint8_t front[2] = {SUITE, 0x01};
		const uint8_t back[2] = {(uint8_t)ctr, 0x00};
		uint8_t h[64];

		crypto_hash_sha512_init(&s);
		crypto_hash_sha512_update(&s, front, 2);
		crypto_hash_sha512_update(&s, y, POINT);
		crypto_hash_sha512_update(&s, alpha.p, alpha.n);
		crypto_hash_sha512_update(&s, back, 2);
		crypto_hash_sha512_final(&s, h);
		if (times_eight(h) && memcmp(h, identity, POINT) != 0) {
			memcpy(ret_h, h, POINT);
			return true;
		}
	}
	return false;
}

static void challenge(const uint8_t y[POINT], const uint8_t h[POINT],
		      const uint8_t gamma[POINT], const uint8_t u[POINT],
		      const uint8_t v[POINT], uint8_t ret_c[SCALAR])
{
	const uint8_t *points[5] = {y, h, gamma, u, v};
	const uint8_t front[2] = {SUITE, 0x02};
	const uint8_t back = 0x00;
	crypto_hash_sha512_state s;
	uint8_t out[64];

	crypto_hash_sha512_init(&s);
	crypto_hash_sha512_update(&s, front, 2);
	for (int i = 0; i < 5; i++)
		crypto_hash_sha512_update(&s, points[i], POINT);
	crypto_hash_sha512_update(&s, &back, 1);
	crypto_hash_sha512_final(&s, out);
	memset(ret_c, 0, SCALAR);
	memcpy(ret_c, out, CHALLENGE);
}

static bool output_of(const uint8_t gamma[POINT], struct vrf_output *ret_beta)
{
	uint8_t msg[2 + POINT + 1] = {SUITE, 0x03};

	memcpy(msg + 2, gamma, POINT);
	if (!times_eight(msg + 2))
		return false;
	crypto_hash_sha512(ret_beta->b, msg, sizeof(msg));
	return true;
}

enum err vrf_prove(const struct vrf_secret *sk, struct bytes alpha,
		   struct vrf_proof *ret_pi)
{
	struct key_parts k;
	uint8_t h[POINT], gamma[POINT], u[POINT], v[POINT];
	uint8_t msg[32 + POINT], wide[64], nonce[SCALAR];
	uint8_t c[SCALAR], cx[SCALAR], s[SCALAR];
	enum err err = ERR_REFUSED;

	expand(sk, &k);
	if (!to_curve(k.y, alpha, h) ||
	    crypto_scalarmult_ed25519_noclamp(gamma, k.x, h))
		goto out;
	memcpy(msg, k.nonce_seed, 32);
	memcpy(msg + 32, h, POINT);
	crypto_hash_sha512(wide, msg, sizeof(msg));
	crypto_core_ed25519_scalar_reduce(nonce, wide);
	if (crypto_scalarmult_ed25519_base_noclamp(u, nonce) ||
	    crypto_scalarmult_ed25519_noclamp(v, nonce, h))
		goto out;
	challenge(k.y, h, gamma, u, v, c);
	crypto_core_ed25519_scalar_mul(cx, c, k.x);
	crypto_core_ed25519_scalar_add(s, nonce, cx);
	memcpy(ret_pi->b, gamma, POINT);
	memcpy(ret_pi->b + POINT, c, CHALLENGE);
	memcpy(ret_pi->b + POINT + CHALLENGE, s, SCALAR);
	err = ERR_OK;
out:
	sodium_memzero(&k, sizeof(k));
	sodium_memzero(nonce, sizeof(nonce));
	sodium_memzero(msg, sizeof(msg));
	sodium_memzero(wide, sizeof(wide));
	return err;
}

/* s below the group's order: reducing it changes nothing. */
static bool scalar_is_canonical(const uint8_t s[SCALAR])
{
	uint8_t wide[64] = {0}, reduced[SCALAR];

	memcpy(wide, s, SCALAR);
	crypto_core_ed25519_scalar_reduce(reduced, wide);
	return memcmp(reduced, s, SCALAR) == 0;
}

/* ret = s * p - c * q. */
static bool combine(const uint8_t s[SCALAR], const uint8_t *p,
		    const uint8_t c[SCALAR], const uint8_t q[POINT],
		    uint8_t ret[POINT])
{
	uint8_t a[POINT], b[POINT];
	int bad = p ? crypto_scalarmult_ed25519_noclamp(a, s, p)
		    : crypto_scalarmult_ed25519_base_noclamp(a, s);

	if (bad || crypto_scalarmult_ed25519_noclamp(b, c, q))
		return false;
	return crypto_core_ed25519_sub(ret, a, b) == 0;
}

enum err vrf_verify(const struct vrf_public *pk, struct bytes alpha,
		    const struct vrf_proof *pi, struct vrf_output *ret_beta)
{
	const uint8_t *gamma = pi->b;
	const uint8_t *s = pi->b + POINT + CHALLENGE;
	uint8_t c[SCALAR] = {0}, again[SCALAR];
	uint8_t h[POINT], u[POINT], v[POINT];
	struct vrf_output beta;

	memcpy(c, pi->b + POINT, CHALLENGE);
	if (!crypto_core_ed25519_is_valid_point(pk->b) ||
	    !crypto_core_ed25519_is_valid_point(gamma) ||
	    !scalar_is_canonical(s) || !to_curve(pk->b, alpha, h))
		return ERR_SIGNATURE;
	if (!combine(s, 0, c, pk->b, u) || !combine(s, h, c, gamma, v))
		return ERR_SIGNATURE;
	challenge(pk->b, h, gamma, u, v, again);
	if (memcmp(c, again, SCALAR) != 0 || !output_of(gamma, &beta))
		return ERR_SIGNATURE;
	*ret_beta = beta;
	return ERR_OK;
}
