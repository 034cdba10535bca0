/*
 * gpu/exec/priv/soft - floating point by integers, exact in every mode.
 *
 * For what the vector units lack: fused products without FMA, halves,
 * unsigned 64-bit sources, rounding to integers with PTX's saturation.
 * csr arguments are MXCSR's bits (rounding mode, flush, denormals are zero).
 */
#ifndef WEFT_GPU_EXEC_PRIV_SOFT_H
#define WEFT_GPU_EXEC_PRIV_SOFT_H

#include <stdbool.h>
#include <stdint.h>

enum soft_round {
	SOFT_NEAREST, /* ties to even */
	SOFT_DOWN,
	SOFT_UP,
	SOFT_ZERO,
};

/* The mode in MXCSR's bits 13 and 14 has the same numbers. */
#define SOFT_CSR_ROUND(csr) ((csr) >> 13 & 3u)
#define SOFT_CSR_FTZ	    0x8000u
#define SOFT_CSR_DAZ	    0x0040u

/* Integer types; even: unsigned. */
enum soft_int {
	SOFT_U8,
	SOFT_S8,
	SOFT_U16,
	SOFT_S16,
	SOFT_U32,
	SOFT_S32,
	SOFT_U64,
	SOFT_S64,
};

/* x * y + z.  A NaN result is the default quiet NaN. */
uint32_t soft_fma32(uint32_t x, uint32_t y, uint32_t z, uint32_t csr);
uint64_t soft_fma64(uint64_t x, uint64_t y, uint64_t z, uint32_t csr);
uint16_t soft_fma16(uint16_t x, uint16_t y, uint16_t z, bool is_bf16,
		    uint32_t csr);

uint32_t soft_f32_u64(uint64_t x, uint32_t csr);
uint64_t soft_f64_u64(uint64_t x, uint32_t csr);

/* x of type from, clamped into type to; both as sign- or zero-extended. */
uint64_t soft_int_sat(uint64_t x, uint32_t from, uint32_t to);

/* To an integral value in the same format; x is no NaN. */
uint32_t soft_integral32(uint32_t x, uint32_t round);
uint64_t soft_integral64(uint64_t x, uint32_t round);

/* To an integer type, clamped, extended to 64 bits; NaN gives 0, or the
 * highest bit alone from f64 or to 64 bits. */
uint64_t soft_int_f32(uint32_t x, uint32_t round, uint32_t to);
uint64_t soft_int_f64(uint64_t x, uint32_t round, uint32_t to);

uint32_t soft_f32_f16(uint32_t x, uint32_t nan32);
/* imm: see lanes_convert.h */
uint32_t soft_f16_f32(uint32_t x, uint32_t imm);
uint32_t soft_bf16_f32(uint32_t x, uint32_t imm);
uint32_t soft_f16_f64(uint64_t x, uint32_t imm);

uint32_t soft_bf16_f64(uint64_t x, uint32_t imm);

/* e4m3 or e5m2, to nearest, clamped to finite values; a NaN is 0x7f. */
uint32_t soft_f8_f32(uint32_t x, bool is_e5m2, bool relu);
uint32_t soft_f8_f16(uint32_t x, bool is_e5m2, bool relu);
/* Exact; a NaN is 0x7fff. */
uint32_t soft_f16_f8(uint32_t x, bool is_e5m2);

/* A 64-bit integer, signed or not, as a 16-bit float. */
uint32_t soft_half_int(uint64_t x, bool is_signed, bool is_bf16, uint32_t csr);

#endif /* WEFT_GPU_EXEC_PRIV_SOFT_H */
