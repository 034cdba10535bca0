/*
 * tests/bench/merkle - hashing of memory against raw SHA-256, in one run.
 *
 *   merkle [MIB]
 *
 * The root of a byte string (base/merkle), base's own SHA-256 and OpenSSL's
 * over the same bytes, one thread; CPU time, the best of five.  For each 512
 * bytes a tree hashes 9 blocks of 64 (one is padding; the tag's is a constant
 * state) and one node of 2, where raw data is 8: 8/11 = 0.73 is the best that
 * a root can do.
 */
#define _GNU_SOURCE /* allowed: clock_gettime */
#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "base/merkle.h"
#include "base/must.h"

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct hash whole_root(struct bytes b)
{
	return merkle_bytes_root(b);
}

/* As a lease's changed leaves are hashed: no tree. */
static struct hash leaves_only(struct bytes b)
{
	struct hash h = HASH_ZERO;

	for (size_t at = 0; at < b.n; at += MERKLE_LEAF_BYTES) {
		struct hash leaf = merkle_leaf(b.p + at, MERKLE_LEAF_BYTES);

		h.b[0] ^= leaf.b[0];
	}
	return h;
}

static struct hash base_sha(struct bytes b)
{
	return sha256(b.p, b.n);
}

static struct hash openssl_sha(struct bytes b)
{
	struct hash h;
	unsigned n = 0;

	must(EVP_Digest(b.p, b.n, h.b, &n, EVP_sha256(), NULL) == 1);
	return h;
}

/* So that no work can be left out. */
static volatile uint8_t seen;

static double measure(const char *name, struct hash (*f)(struct bytes),
		      struct bytes b, double against)
{
	double best = 1e9, rate;

	for (int i = 0; i < 5; i++) {
		double t = seconds();
		struct hash h = f(b);

		t = seconds() - t;
		seen ^= h.b[0];
		best = fmin(best, t);
	}
	rate = (double)b.n / best / 1e9;
	printf("%-22s %6.3f GB/s", name, rate);
	if (against > 0)
		printf("   %5.2f of OpenSSL", rate / against);
	printf("\n");
	return rate;
}

int main(int argc, char **argv)
{
	size_t n = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
	uint8_t *p = malloc(n);
	struct hash a, b;
	double raw;

	must(p && n);
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 2654435761u >> 13);
	a = base_sha(bytes_of(p, n));
	b = openssl_sha(bytes_of(p, n));
	must(hash_eq(&a, &b));
	raw = measure("openssl sha256", openssl_sha, bytes_of(p, n), 0);
	measure("base sha256", base_sha, bytes_of(p, n), raw);
	measure("merkle leaves", leaves_only, bytes_of(p, n), raw);
	measure("merkle root", whole_root, bytes_of(p, n), raw);
	free(p);
	return 0;
}
