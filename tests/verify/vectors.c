/* Draws and records against what make.py computed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "tests/support/vectors.h"
#include "tests/verify/world.h"

static struct arena *a;
static uint8_t hex[1 << 18];

static void setup(void)
{
	a = arena_new(16u << 20);
}

static void teardown(void)
{
	arena_free(a);
}

TestSuite(verify_vectors, .init = setup, .fini = teardown);

/* The text of a vector, in a. */
static char *text(const char *name)
{
	struct vectors v;
	char *out = NULL;

	vectors_open(&v, WEFT_SOURCE_DIR, "format/verify.txt");
	while (vectors_next(&v))
		if (!strcmp(v.field[0], name))
			out = arena_str(a, bytes_str(v.field[1]));
	cr_assert(out, "no vector %s", name);
	return out;
}

static struct bytes expected(const char *name)
{
	size_t n = vectors_hex(text(name), hex, sizeof(hex));

	return arena_copy(a, bytes_of(hex, n));
}

static void same(const char *name, struct bytes got)
{
	cr_assert(bytes_eq(got, expected(name)), "%s differs", name);
}

static struct hash h(const char *s)
{
	return sha256(s, strlen(s));
}

static struct verify_draw draw(void)
{
	struct verify_draw d = {.seed = h("seed"),
				.lease = h("lease"),
				.first_task = 1,
				.done_count = 3,
				.chunk_every = 5};

	memcpy(d.result_root.b, expected("result_root").p, 32);
	return d;
}

Test(verify_vectors, samples)
{
	struct program p = toy_program(a);
	struct program_header hd = toy_header(a, &p);
	struct verify_draw d = draw();

	cr_assert_eq(verify_draw_word(&d, 0, 0),
		     strtoull(text("word_0_0"), NULL, 10));
	cr_assert_eq(verify_draw_word(&d, 7, 5),
		     strtoull(text("word_7_5"), NULL, 10));
	for (uint32_t i = 0; i < 40; i++) {
		char *name = arena_printf(a, "sample_%u", i);
		struct buf b = buf_make(64);
		struct program_sample s;

		cr_assert_eq(verify_draw_sample(&d, &p, &hd, i, &s), ERR_OK);
		program_sample_encode(&b, &s);
		same(name, buf_bytes(&b));
		buf_free(&b);
	}
}

/* Step 2 grows with its loop: its launches weigh by their CTAs. */
Test(verify_vectors, samples_of_whole_launches)
{
	struct program p = toy_program(a);
	struct program_header hd = toy_header(a, &p);
	struct verify_draw d = draw();

	p.parts[1].class = PROGRAM_CLASS_R;
	for (uint32_t i = 0; i < 40; i++) {
		char *name = arena_printf(a, "whole_%u", i);
		struct buf b = buf_make(64);
		struct program_sample s;

		cr_assert_eq(verify_draw_sample(&d, &p, &hd, i, &s), ERR_OK);
		program_sample_encode(&b, &s);
		same(name, buf_bytes(&b));
		buf_free(&b);
	}
}

/* The ledger draws by a header that nobody held to the program yet. */
Test(verify_vectors, a_header_that_gives_a_copy_ctas_draws_nothing)
{
	struct program_step copy = {.kind = PROGRAM_STEP_COPY,
				    .bytes.value = 1};
	struct program_header_row row = {.runs = 1, .ctas = 5, .mean_ops = 5};
	struct program p = toy_program(a);
	struct program_header hd = {.rows = &row, .row_count = 1};
	struct verify_draw d = draw();
	struct program_sample s;

	p.steps = &copy;
	p.step_count = 1;
	p.part_count = 0;
	p.parts = NULL;
	hd.totals.ops_per_task = 25;
	cr_assert_eq(verify_draw_sample(&d, &p, &hd, 0, &s), ERR_REFUSED);
}

Test(verify_vectors, audited)
{
	uint64_t word = strtoull(text("audited_word"), NULL, 10);
	struct hash seed = h("seed");
	struct hash lease = h("lease");

	cr_assert_not(verify_is_audited(&seed, &lease, word >> 32));
	cr_assert(verify_is_audited(&seed, &lease, (word >> 32) + 1));
	cr_assert(verify_is_audited(&seed, &lease, 1ull << 32));
}

Test(verify_vectors, witnesses)
{
	struct hash seed = h("seed");
	struct hash lease = h("lease");
	struct hash auditor = h("auditor");
	struct hash leaves[5];
	struct hash root;
	struct pubkey k;

	memcpy(k.b, auditor.b, 32);
	root = verify_witness_seed(&seed, &lease, &k, 3);
	same("witness_seed", hash_bytes(&root));
	for (int i = 0; i < 5; i++) {
		struct hash wi = h(arena_printf(a, "w%d", i));

		leaves[i] = verify_witness_leaf(&wi);
	}
	root = merkle_list_root(leaves, 5);
	root = verify_witness_root(&lease, &k, &root);
	same("witness_root", hash_bytes(&root));
}

Test(verify_vectors, evidence)
{
	static const char *const names[] = {"evidence", "evidence_plain"};

	for (int i = 0; i < 2; i++) {
		struct verify_evidence e;
		struct buf b = buf_make(4096);

		cr_assert_eq(verify_evidence_decode(expected(names[i]), &e),
			     ERR_OK);
		cr_assert(bytes_eq(e.opening, BYTES_LIT("opening")));
		cr_assert_eq(e.has_draw, i == 0);
		verify_evidence_encode(&b, &e);
		same(names[i], buf_bytes(&b));
		buf_free(&b);
	}
}

/* Reads a body and writes it again. */
#define BODY(name, vector)                                  \
	do {                                                \
		struct dec d_ = dec_make(expected(vector)); \
		struct verify_##name x_ = {0};              \
		struct buf b_ = buf_make(4096);             \
		verify_##name##_decode(&d_, a, &x_);        \
		cr_assert_eq(dec_end(&d_), ERR_OK, vector); \
		verify_##name##_encode(&b_, &x_);           \
		same(vector, buf_bytes(&b_));               \
		buf_free(&b_);                              \
	} while (0)

Test(verify_vectors, bodies)
{
	struct dec d = dec_make(expected("reveal"));
	struct verify_audit_reveal r;
	struct hash auditor = h("auditor");
	struct hash pledge;
	struct pubkey k;

	BODY(verifier_bond, "verifier_bond");
	BODY(verifier_unbond, "verifier_unbond");
	BODY(verifier_pause, "verifier_pause");
	BODY(audit_pledge, "audit_pledge");
	BODY(audit_reveal, "reveal");
	BODY(audit_demand, "audit_demand");
	BODY(audit_demand, "audit_demand_buyer");
	BODY(audit_answer, "audit_answer");
	BODY(audit_prove, "audit_prove");
	BODY(audit_delay, "audit_delay");
	BODY(evidence_part, "evidence_part");
	BODY(dispute_open, "dispute_open");
	BODY(dispute_conflict, "dispute_conflict");
	verify_audit_reveal_decode(&d, a, &r);
	memcpy(k.b, auditor.b, 32);
	pledge = verify_pledge(&k, &r);
	same("pledge", hash_bytes(&pledge));
}

/* 20,000 draws: the four CTA shares and chunk shares come out as weighed,
 * within five standard deviations. */
Test(verify_vectors, shares)
{
	struct program p = toy_program(a);
	struct program_header hd = toy_header(a, &p);
	struct verify_draw d = draw();
	uint32_t first = 0;
	uint32_t chunks = 0;
	uint32_t n = 20000;

	for (uint32_t i = 0; i < n; i++) {
		struct program_sample s;

		cr_assert_eq(verify_draw_sample(&d, &p, &hd, i, &s), ERR_OK);
		chunks += s.kind == PROGRAM_SAMPLE_CHUNK;
		first += s.kind == PROGRAM_SAMPLE_CTA && s.step_number == 1;
	}
	cr_assert_eq(chunks, n / 5);
	/* 16,000 * 3000 / 3300 = 14,545.5, sigma 36.4 */
	cr_assert_gt(first, 14364u);
	cr_assert_lt(first, 14727u);
}

/* 1 - 0.9^20 = 0.87842334540943...; 1 - 0.99^20 = 0.18209306240276...;
 * 1 - 0.5^20 = 0.99999904632568... */
Test(verify_vectors, chances)
{
	cr_assert_eq(verify_catch_ppm(100000, 20, 1ull << 32), 878423u);
	cr_assert_eq(verify_catch_ppm(10000, 20, 1ull << 32), 182093u);
	cr_assert_eq(verify_catch_ppm(500000, 20, 1ull << 32), 999999u);
	cr_assert_eq(verify_catch_ppm(100000, 20, 1ull << 30), 219605u);
	cr_assert_eq(verify_catch_ppm(0, 20, 1ull << 32), 0u);
	cr_assert_eq(verify_catch_ppm(1000000, 1, 1ull << 32), 1000000u);
}
