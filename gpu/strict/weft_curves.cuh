/*
 * tanh and erf: a polynomial near zero, the exponential further out.
 */
WEFT_FN float weft_tanhf(float x)
{
	float a = x < 0.0f ? -x : x, s, p, v;

	if (a < 0.65f) {
		s = __fmul_rn(x, x);
		p = __fmaf_rn(0x1.06e6dcp-9f, s, -0x1.06e782p-7f);
		p = __fmaf_rn(p, s, 0x1.627f1ep-6f);
		p = __fmaf_rn(p, s, -0x1.b9d594p-5f);
		p = __fmaf_rn(p, s, 0x1.110fe6p-3f);
		p = __fmaf_rn(p, s, -0x1.555552p-2f);
		v = __fmaf_rn(__fmul_rn(a, s), p, a);
	} else if (x != x) {
		/* As it is: its sign is not for copysign to set. */
		return x;
	} else {
		a = a > 10.0f ? 10.0f : a;
		v = __fadd_rn(weft_expf(__fmul_rn(2.0f, a)), 1.0f);
		v = __fadd_rn(1.0f, -__fdiv_rn(2.0f, v));
	}
	return copysignf(v, x);
}

WEFT_FN float weft_erff(float x)
{
	float a = x < 0.0f ? -x : x, s, p;

	if (a < 1.0f) {
		s = __fmul_rn(x, x);
		p = __fmaf_rn(0x1.4c344ep-14f, s, -0x1.a50b0ep-11f);
		p = __fmaf_rn(p, s, 0x1.542e10p-8f);
		p = __fmaf_rn(p, s, -0x1.b7fe90p-6f);
		p = __fmaf_rn(p, s, 0x1.ce2d50p-4f);
		p = __fmaf_rn(p, s, -0x1.812740p-2f);
		p = __fmaf_rn(p, s, 0x1.06eba8p-3f);
		return __fmaf_rn(x, p, x);
	}
	if (x != x)
		return x;
	a = a > 4.0f ? 4.0f : a;
	p = __fmaf_rn(0x1.8c5370p-21f, a, 0x1.7b4ecep-17f);
	p = __fmaf_rn(p, a, -0x1.8d3a00p-12f);
	p = __fmaf_rn(p, a, 0x1.05c148p-8f);
	p = __fmaf_rn(p, a, -0x1.95e7d2p-6f);
	p = __fmaf_rn(p, a, 0x1.b9c998p-4f);
	p = __fmaf_rn(p, a, 0x1.446f82p-1f);
	p = __fmaf_rn(p, a, 0x1.08f95ap-3f);
	p = __fmaf_rn(p, a, -0x1.3be064p-13f);
	p = __fadd_rn(1.0f, -weft_expf(-__fadd_rn(p, a)));
	return copysignf(p, x);
}
