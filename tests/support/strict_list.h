/*
 * tests/support/strict_list - the strict functions of one argument beside the
 * C library's double precision ones.
 */
#ifndef WEFT_TESTS_SUPPORT_STRICT_LIST_H
#define WEFT_TESTS_SUPPORT_STRICT_LIST_H

#include <math.h>

#include "tests/support/strict_host.h"

struct strict_function {
	const char *name;
	float (*ours)(float);
	double (*libm)(double);
};

static double strict_exp10(double x)
{
	return pow(10.0, x);
}

static double strict_rsqrt(double x)
{
	return 1.0 / sqrt(x);
}

static const struct strict_function strict_functions[] = {
	{"exp", weft_expf, exp},
	{"exp2", weft_exp2f, exp2},
	{"exp10", weft_exp10f, strict_exp10},
	{"log", weft_logf, log},
	{"log2", weft_log2f, log2},
	{"log10", weft_log10f, log10},
	{"sin", weft_sinf, sin},
	{"cos", weft_cosf, cos},
	{"tanh", weft_tanhf, tanh},
	{"erf", weft_erff, erf},
	{"rsqrt", weft_rsqrtf, strict_rsqrt},
};

#define STRICT_COUNT (sizeof(strict_functions) / sizeof(strict_functions[0]))

#endif /* WEFT_TESTS_SUPPORT_STRICT_LIST_H */
