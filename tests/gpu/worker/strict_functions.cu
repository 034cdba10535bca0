/* Kernels of tests/gpu/worker/strict.c over the functions of gpu/strict. */

/* What the host compiles from the same text must give the same bits. */
extern "C" __global__ void floats(const float *in, float *out, int n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = in[i];
	float v[] = {expf(x),  exp2f(x), exp10f(x), expm1f(x), logf(x),
		     log2f(x), log10f(x), log1pf(x), sinf(x),  cosf(x),
		     tanf(x),  asinf(x), acosf(x), atanf(x),  sinhf(x),
		     coshf(x), tanhf(x), asinhf(x), acoshf(x), atanhf(x),
		     erff(x),  erfcf(x), normcdff(x), lgammaf(x), tgammaf(x),
		     cbrtf(x), rcbrtf(x), rsqrtf(x)};

	for (int k = 0; k < sizeof(v) / sizeof(v[0]); k++)
		out[k * n + i] = v[k];
}

extern "C" __global__ void doubles(const double *in, double *out, int n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	double x = in[i];
	double v[] = {log(x),	log2(x),  log10(x), log1p(x),  cosh(x),
		      tanh(x),	tan(x),	  asin(x),  acos(x),   atan(x),
		      asinh(x), acosh(x), atanh(x), cbrt(x),   rcbrt(x),
		      rsqrt(x), erf(x),	  erfc(x),  normcdf(x), tgamma(x),
		      lgamma(x), erfinv(x), erfcinv(x), normcdfinv(x)};

	for (int k = 0; k < sizeof(v) / sizeof(v[0]); k++)
		out[k * n + i] = v[k];
}
