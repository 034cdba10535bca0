/*
 * Random kernels on every set of lanes, at every width, in orders by chance:
 * equal bytes, counts, costs, witnesses and verdicts.
 *
 * lanes [--count N] [--seed S] [--ways N] [--without BITS] [--print]
 *       [--reduce]
 * lanes --text FILE: a kernel that it has printed, once more
 *
 * Prints a digest of all results, which every build must give alike.  A
 * difference prints its seed and a kernel made as short as it goes, with
 * --reduce what is undefined too; the exit status is 1 for a difference, a
 * refusal, or more than one undefined kernel in two hundred (measured: none in
 * two thousand).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/ptx/parse.h"
#include "tests/diff/engine/engine.h"
#include "tests/support/kernels/kernels.h"

/* The first line of a printed kernel: how to run it. */
#define HEAD "// seed %llu grid %u %u block %u %u n %u out %u"

struct wish {
	uint32_t ways, without;
	bool print;
	bool reduce; /* what is undefined too */
};

struct tally {
	uint64_t ends[4];
	struct sha256 digest;
};

static void print_case(const struct diff_case *c)
{
	printf(HEAD "\n", (unsigned long long)c->seed, c->grid[0], c->grid[1],
	       c->block[0], c->block[1], c->word, c->out_bytes);
	fwrite(c->text.p, 1, c->text.n, stdout);
}

static void put_digest(struct sha256 *s, const struct diff_case *c,
		       const struct diff_report *r)
{
	sha256_put(s, c->text.p, c->text.n);
	sha256_put(s, c->in, c->in_bytes);
	sha256_put_u64_le(s, r->end);
	sha256_put_u64_le(s, r->base.count);
	sha256_put_u64_le(s, r->base.cost);
	sha256_put(s, r->base.bytes.b, sizeof(r->base.bytes.b));
	sha256_put(s, r->witness.b, sizeof(r->witness.b));
}

static void one(struct arena *a, uint64_t seed, const struct wish *w,
		struct tally *t)
{
	static uint8_t in[KERNELS_IN_BYTES];
	struct kernels_case k;
	struct diff_report r;
	kernels_make(seed, w->without, &k);
	kernels_input(seed, in, sizeof(in));
	struct diff_case c = {.text = buf_bytes(&k.text),
			      .out_bytes = k.out_bytes,
			      .word = k.word,
			      .stack_bytes = KERNELS_STACK_BYTES,
			      .seed = seed,
			      .ways = w->ways,
			      .in = in,
			      .in_bytes = sizeof(in)};
	memcpy(c.grid, k.grid, sizeof(c.grid));
	memcpy(c.block, k.block, sizeof(c.block));
	if (w->print)
		print_case(&c);
	diff_case_check(a, &c, &r);
	t->ends[r.end]++;
	put_digest(&t->digest, &c, &r);
	if (r.end == DIFF_REFUSED)
		printf("seed %llu: refused: %s\n", (unsigned long long)seed,
		       r.text);
	if (r.end == DIFF_UNDEFINED)
		printf("seed %llu: undefined: %s\n", (unsigned long long)seed,
		       r.text);
	if (r.end == DIFF_UNEQUAL || (r.end == DIFF_UNDEFINED && w->reduce)) {
		printf("seed %llu: %s\n", (unsigned long long)seed, r.text);
		diff_case_reduce(a, &c, &k.text);
		print_case(&c);
	}
	buf_free(&k.text);
}

/* A kernel in the form that print_case gives. */
static int check_text(struct arena *a, const char *path)
{
	static uint8_t in[KERNELS_IN_BYTES];
	static char text[1u << 20];
	struct diff_report r;
	unsigned long long seed;
	struct diff_case c = {.grid = {1, 1, 1},
			      .block = {1, 1, 1},
			      .stack_bytes = KERNELS_STACK_BYTES};
	FILE *f = fopen(path, "r");
	size_t n = f == NULL ? 0 : fread(text, 1, sizeof(text) - 1, f);
	if (f == NULL || fclose(f) != 0 ||
	    sscanf(text, HEAD, &seed, &c.grid[0], &c.grid[1], &c.block[0],
		   &c.block[1], &c.word, &c.out_bytes) != 7) {
		fprintf(stderr, "lanes: %s is no printed kernel\n", path);
		return 2;
	}
	kernels_input(seed, in, sizeof(in));
	c.seed = seed;
	c.ways = 9;
	c.in = in;
	c.in_bytes = sizeof(in);
	c.text = bytes_of(text, n);
	diff_case_check(a, &c, &r);
	printf("%s%s\n", r.end == DIFF_EQUAL ? "equal" : "", r.text);
	return r.end == DIFF_EQUAL ? 0 : 1;
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t v = strtoull(s, &end, 0);
	if (*s == '\0' || *end != '\0') {
		fprintf(stderr, "lanes: %s is no number\n", s);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	uint64_t count = 2000, seed = 1;
	struct wish w = {.ways = 9};
	const char *text = NULL;
	struct tally t = {0};
	char hex[65];
	for (int i = 1; i < argc; i++) {
		bool has_value = i + 1 < argc;
		if (has_value && strcmp(argv[i], "--count") == 0)
			count = number(argv[++i]);
		else if (has_value && strcmp(argv[i], "--seed") == 0)
			seed = number(argv[++i]);
		else if (has_value && strcmp(argv[i], "--without") == 0)
			w.without = (uint32_t)number(argv[++i]);
		else if (has_value && strcmp(argv[i], "--ways") == 0)
			w.ways = (uint32_t)number(argv[++i]);
		else if (has_value && strcmp(argv[i], "--text") == 0)
			text = argv[++i];
		else if (strcmp(argv[i], "--reduce") == 0)
			w.reduce = true;
		else if (strcmp(argv[i], "--print") == 0)
			w.print = true;
		else {
			fprintf(stderr, "lanes [--count N] [--seed S] "
					"[--ways N] [--without BITS] [--print] "
					"[--reduce]\n");
			return 2;
		}
	}
	struct arena *a = arena_new(PTX_ARENA_BYTES);
	must(a != NULL);
	if (text != NULL)
		return check_text(a, text);
	sha256_init_tag(&t.digest, "weft/test-digest");
	for (uint64_t i = 0; i < count; i++)
		one(a, seed + i, &w, &t);
	struct hash h = sha256_end(&t.digest);
	hex_encode(bytes_of(h.b, sizeof(h.b)), hex);
	printf("%llu kernels from seed %llu: %llu equal, %llu unequal, %llu "
	       "undefined, %llu refused; digest %.16s\n",
	       (unsigned long long)count, (unsigned long long)seed,
	       (unsigned long long)t.ends[DIFF_EQUAL],
	       (unsigned long long)t.ends[DIFF_UNEQUAL],
	       (unsigned long long)t.ends[DIFF_UNDEFINED],
	       (unsigned long long)t.ends[DIFF_REFUSED], hex);
	arena_free(a);
	/* The generator means all to be defined; the sanitizer may doubt. */
	bool ok = t.ends[DIFF_UNEQUAL] == 0 && t.ends[DIFF_REFUSED] == 0 &&
		  t.ends[DIFF_UNDEFINED] <= count / 200 && count > 0;
	return ok ? 0 : 1;
}
