#include "tests/corpus/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void skip_spaces(const char **p)
{
	while (**p == ' ')
		(*p)++;
}

static bool accept(const char **p, const char *word)
{
	size_t n = strlen(word);
	skip_spaces(p);
	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static uint32_t take_u32(const char **p)
{
	char *end;
	uint32_t v = (uint32_t)strtoul(*p, &end, 10);
	*p = end;
	return v;
}

static void take_word(const char **p, char *out, size_t cap)
{
	size_t n = strcspn(*p, " \n(;");
	skip_spaces(p);
	n = strcspn(*p, " \n(;");
	if (n >= cap)
		n = cap - 1;
	memcpy(out, *p, n);
	out[n] = '\0';
	*p += n;
}

static void take_size(const char **p, uint32_t *size)
{
	size[0] = size[1] = size[2] = 1;
	if (!accept(p, "(")) {
		skip_spaces(p);
		size[0] = take_u32(p);
		return;
	}
	for (int i = 0; i < 3 && !accept(p, ")"); i++) {
		skip_spaces(p);
		size[i] = take_u32(p);
	}
	accept(p, ")");
}

static void take_fill(const char **p, struct spec_param *r)
{
	if (accept(p, "hash"))
		r->fill = SPEC_HASH;
	else if (accept(p, "unit"))
		r->fill = SPEC_UNIT;
	else if (accept(p, "sym"))
		r->fill = SPEC_SYM;
	else if (accept(p, "iota"))
		r->fill = SPEC_IOTA;
	else if (accept(p, "text"))
		r->fill = SPEC_TEXT;
	else if (accept(p, "mod")) {
		r->fill = SPEC_MOD;
		r->modulus = take_u32(p);
	}
}

static void take_value(const char **p, struct spec_param *r)
{
	char *end;
	double d = strtod(*p, &end);
	float f = (float)d;
	r->value = (uint64_t)d;
	if (r->is_float && r->bytes == 8)
		memcpy(&r->value, &d, 8);
	else if (r->is_float) {
		r->value = 0;
		memcpy(&r->value, &f, 4);
	}
	*p = end;
}

/* u32[4]=hash, f32=1.5, block64=hash. */
static bool take_param(const char **p, struct spec_param *r)
{
	memset(r, 0, sizeof(*r));
	skip_spaces(p);
	r->count = 1;
	if (accept(p, "block")) {
		r->bytes = take_u32(p);
		r->fill = SPEC_HASH;
		return accept(p, "=hash");
	}
	if (**p != 'u' && **p != 's' && **p != 'f')
		return false;
	r->is_float = **p == 'f';
	(*p)++;
	r->bytes = take_u32(p) / 8;
	r->is_buffer = **p == '[';
	if (r->is_buffer) {
		(*p)++;
		r->count = take_u32(p);
		(*p)++;
		if (**p == '=') {
			(*p)++;
			take_fill(p, r);
		}
		return true;
	}
	(*p)++;
	take_value(p, r);
	return true;
}

static bool take_kernel(const char *p, struct spec_kernel *k)
{
	memset(k, 0, sizeof(*k));
	k->sale = *p++;
	take_word(&p, k->reason, sizeof(k->reason));
	if (!accept(&p, "\n") || !accept(&p, "//@ <<<"))
		return false;
	take_size(&p, k->grid);
	take_size(&p, k->block);
	skip_spaces(&p);
	if (*p != '>')
		k->shared_bytes = take_u32(&p);
	if (!accept(&p, ">>>"))
		return false;
	while (k->param_count < SPEC_PARAMS_MAX &&
	       take_param(&p, &k->params[k->param_count]))
		k->param_count++;
	if (accept(&p, ";")) {
		size_t n = strcspn(p, "\n");
		if (n >= sizeof(k->only))
			return false;
		memcpy(k->only, p, n);
		p += n;
	}
	if (!accept(&p, "\n") || !accept(&p, "KERNEL "))
		return false;
	take_word(&p, k->name, sizeof(k->name));
	return true;
}

uint32_t spec_parse(const char *text, struct spec_kernel *ret_kernels)
{
	uint32_t n = 0;
	for (const char *p = text; (p = strstr(p, "//= ")) != NULL; p += 4) {
		if (n == SPEC_KERNELS_MAX ||
		    !take_kernel(p + 4, &ret_kernels[n++])) {
			fprintf(stderr, "%.200s\n", p);
			return 0;
		}
	}
	return n;
}

bool spec_has(const struct spec_kernel *k, const char *flag)
{
	return strstr(k->only, flag) != NULL;
}

size_t spec_bytes(const struct spec_param *p)
{
	return (size_t)p->bytes * p->count;
}

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static void put_float(const struct spec_param *p, double v, uint8_t *out)
{
	float f = (float)v;
	memcpy(out, p->bytes == 8 ? (void *)&v : (void *)&f, p->bytes);
}

static void fill_one(const struct spec_param *p, uint64_t h, uint32_t i,
		     uint8_t *out)
{
	/* 24 bits, so that both float types hold it. */
	double unit = (double)(h >> 40) / 16777216.0;
	uint64_t v = 0;
	switch (p->fill) {
	case SPEC_UNIT:
		put_float(p, unit, out);
		return;
	case SPEC_SYM:
		put_float(p, unit * 2 - 1, out);
		return;
	case SPEC_ZERO:
		break;
	case SPEC_HASH:
		v = h;
		break;
	case SPEC_IOTA:
		v = i;
		break;
	case SPEC_MOD:
		v = h % p->modulus;
		break;
	case SPEC_TEXT:
		v = 32 + h % 95;
		break;
	}
	memcpy(out, &v, p->bytes);
}

void spec_fill(const struct spec_kernel *k, uint32_t i, uint8_t *out)
{
	const struct spec_param *p = &k->params[i];
	if (p->bytes > 8) {
		for (uint32_t b = 0; b < p->bytes; b++)
			out[b] = (uint8_t)mix(b + 77);
		return;
	}
	if (!p->is_buffer) {
		memcpy(out, &p->value, p->bytes);
		return;
	}
	for (uint32_t e = 0; e < p->count; e++)
		fill_one(p, mix(((uint64_t)(i + 1) << 32) + e), e,
			 out + (size_t)e * p->bytes);
}

uint64_t spec_digest(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return mix(h);
}
