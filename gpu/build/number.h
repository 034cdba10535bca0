/*
 * gpu/build/number - numbers from text, rounded once.
 *
 * A decimal becomes the nearest f16, f32 or f64 (ties to even) straight from
 * its digits: never by way of a wider float, so that no double rounding can
 * occur.  Integers are exact or refused.
 */
#ifndef WEFT_GPU_BUILD_NUMBER_H
#define WEFT_GPU_BUILD_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

/* Longest number, in characters. */
#define NUMBER_TEXT_MAX 1100u

/*
 * text: [+-]digits[.digits][e[+-]digits], "nan", "inf", "-inf", or 0x with at
 * most size_bytes * 2 hex digits for raw bits.  size_bytes: 2, 4 or 8.
 * ret_bits: the pattern, in the low bits.
 * Returns ERR_OK; ERR_MALFORMED (not such a text); ERR_OVERFLOW (a finite
 * text whose nearest value is infinite, or too many hex digits).
 */
MUST_USE enum err number_float(struct bytes text, unsigned size_bytes,
			       uint64_t *ret_bits);

/*
 * text: [-]decimal or 0x hex.  The value must lie in the type's range; 0x of
 * a signed type gives raw bits.  ret_bits holds size_bytes * 8 bits.
 * Returns ERR_OK, ERR_MALFORMED, ERR_OVERFLOW.
 */
MUST_USE enum err number_int(struct bytes text, unsigned size_bytes,
			     bool is_signed, uint64_t *ret_bits);

/* One argument as the command line writes it ("f32:0.5", "u64:0xff", also
 * "s8 ... f64"): type and value apart.  Returns as above. */
MUST_USE enum err number_typed(struct bytes type, struct bytes value,
			       unsigned *ret_size_bytes, uint64_t *ret_bits);

#endif /* WEFT_GPU_BUILD_NUMBER_H */
