/*
 * base/vrf - ECVRF-EDWARDS25519-SHA512-TAI of RFC 9381.
 *
 * The proposer of a live block proves the next seed with it: nobody can
 * choose the output, anybody can check it.
 */
#ifndef WEFT_BASE_VRF_H
#define WEFT_BASE_VRF_H

#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

#define VRF_PROOF_BYTES	 80
#define VRF_OUTPUT_BYTES 64

struct vrf_public {
	uint8_t b[32];
};
struct vrf_secret {
	uint8_t seed[32]; /* the ed25519 seed */
};
struct vrf_proof {
	uint8_t b[VRF_PROOF_BYTES];
};
struct vrf_output {
	uint8_t b[VRF_OUTPUT_BYTES];
};

void vrf_public_of(const struct vrf_secret *sk, struct vrf_public *ret_pk);

/* ERR_OK, ERR_REFUSED (no point within 255 tries: never seen). */
MUST_USE enum err vrf_prove(const struct vrf_secret *sk, struct bytes alpha,
			    struct vrf_proof *ret_pi);

/* Checks pi and gives beta.  ERR_OK, ERR_SIGNATURE. */
MUST_USE enum err vrf_verify(const struct vrf_public *pk, struct bytes alpha,
			     const struct vrf_proof *pi,
			     struct vrf_output *ret_beta);

#endif /* WEFT_BASE_VRF_H */
