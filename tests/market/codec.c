/*
 * Every record against tests/vectors/format/market.txt, which a second
 * implementation made: the same bytes out, the same record back, and no other
 * bytes taken.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "market/job.h"
#include "market/lease.h"
#include "market/offer.h"
#include "market/priv/store.h"
#include "market/receipt.h"
#include "market/record.h"
#include "tests/support/vectors.h"

static uint8_t room[8192];

static struct bytes vector(const char *name)
{
	struct vectors v;
	size_t n = 0;

	vectors_open(&v, WEFT_SOURCE_DIR, "format/market.txt");
	while (vectors_next(&v)) {
		if (strcmp(v.field[0], name) == 0)
			n = vectors_hex(v.field[1], room, sizeof(room));
	}
	cr_assert_gt(n, 0, "no vector %s", name);
	return bytes_of(room, n);
}

static void same(struct buf *b, const char *name)
{
	cr_assert_eq(b->err, ERR_OK);
	cr_assert(bytes_eq(buf_bytes(b), vector(name)), "%s differs", name);
	buf_free(b);
}

static struct hash h(uint8_t n)
{
	struct hash x;

	memset(x.b, n, sizeof(x.b));
	return x;
}

static struct pubkey k(uint8_t n)
{
	struct pubkey x;

	memset(x.b, n, sizeof(x.b));
	return x;
}

static struct coin c(uint64_t n)
{
	return coin_picks(n);
}

static struct market_work work(void)
{
	return (struct market_work){1000001, 4000002, 1003, 504,
				    65541,   6000006, 707,  8000008,
				    9000009, 10,      75,   1};
}

static struct market_job_terms job_terms(void)
{
	return (struct market_job_terms){
		.program_id = h(1),
		.header_root = h(2),
		.tasks_root = h(3),
		.task_count = 1000,
		.lease_tasks_min = 20,
		.work = work(),
		.gop_price_max = c(300003),
		.confidence = MARKET_SAMPLES,
		.samples = 64,
		.seconds_max = 600,
		.not_before_height = 5005,
		.deadline_height = 60006,
		.grace_blocks = 70,
		.want = MARKET_WANT_GPU,
		.want_sm_min = 80,
		.want_memory_min_bytes = 1ull << 33,
		.want_region = {7, "eu-west"},
		.want_record_min = 900,
		.prefer = MARKET_PREFER_CARBON,
		.max_ug_per_gop = 11111,
		.drop_count = 2,
		.drops = {k(4), k(5)},
		.agent_count = 1,
		.agents = {k(6)},
	};
}

static struct market_offer_terms offer_terms(void)
{
	return (struct market_offer_terms){
		.device = MARKET_DEVICE_GPU,
		.sm = 89,
		.memory_bytes = 24ull << 30,
		.name = {16, "GeForce RTX 4090"},
		.device_index = 3,
		.gop_price = c(250000),
		.value_min = c(1000000),
		.rate = 41000000000000,
		.slots = 2,
		.classes = 3,
		.seconds_max = 1800,
		.region = {2, "de"},
		.watts = 350,
		.energy_count = 2,
		.energy = {{312, 380}, {298, 401}},
		.until_height = 777777,
		.bond_target = c(10000000000),
	};
}

static struct market_result result(void)
{
	return (struct market_result){
		.result_root = h(20),
		.done = 7,
		.leaves_root = h(21),
		.leaves_bytes = 2222,
		.receipt_hash = h(22),
		.totals = {12000, 11000, UINT64_MAX},
		.rest = REASON_gpu_lost,
	};
}

/* What decodes must encode to the same bytes; no prefix of it decodes. */
#define ROUND(name, type, decoder, encoder)                                    \
	do {                                                                   \
		struct bytes in = vector(name);                                \
		struct buf b_ = buf_make(8192);                                \
		size_t n_;                                                     \
                                                                               \
		for (n_ = 0; n_ <= in.n; n_++) {                               \
			struct dec d_ = dec_make(bytes_of(in.p, n_));          \
			type x_;                                               \
			enum err e_;                                           \
                                                                               \
			memset(&x_, 0, sizeof(x_));                            \
			decoder(&d_, &x_);                                     \
			e_ = dec_end(&d_);                                     \
			cr_assert_eq(e_ == ERR_OK, n_ == in.n, "%s: %s", name, \
				     err_name(e_));                            \
			if (n_ == in.n)                                        \
				encoder(&b_, &x_);                             \
		}                                                              \
		same(&b_, name);                                               \
	} while (0)

Test(codec, bodies_come_back)
{
	ROUND("work", struct market_work, market_work_decode,
	      market_work_encode);
	ROUND("job_post", struct market_job_terms, market_job_terms_decode,
	      market_job_terms_encode);
	ROUND("job_top_up", struct market_job_top_up, market_job_top_up_decode,
	      market_job_top_up_encode);
	ROUND("job_extend", struct market_job_extend, market_job_extend_decode,
	      market_job_extend_encode);
	ROUND("job_redeclare", struct market_job_redeclare,
	      market_job_redeclare_decode, market_job_redeclare_encode);
	ROUND("job_cancel", struct market_job_cancel, market_job_cancel_decode,
	      market_job_cancel_encode);
	ROUND("offer_post", struct market_offer_terms,
	      market_offer_terms_decode, market_offer_terms_encode);
	ROUND("lease_accept", struct market_lease_accept,
	      market_lease_accept_decode, market_lease_accept_encode);
	ROUND("lease_decline", struct market_lease_decline,
	      market_lease_decline_decode, market_lease_decline_encode);
	ROUND("lease_commit", struct market_lease_commit,
	      market_lease_commit_decode, market_lease_commit_encode);
	ROUND("lease_commit_drop", struct market_lease_commit,
	      market_lease_commit_decode, market_lease_commit_encode);
	ROUND("lease_fail", struct market_lease_fail, market_lease_fail_decode,
	      market_lease_fail_encode);
	ROUND("lease_fail_done", struct market_lease_fail,
	      market_lease_fail_decode, market_lease_fail_encode);
	ROUND("lease_retract", struct market_lease_retract,
	      market_lease_retract_decode, market_lease_retract_encode);
	ROUND("lease_extend", struct market_lease_extend,
	      market_lease_extend_decode, market_lease_extend_encode);
	ROUND("prices", struct market_prices, market_prices_decode,
	      market_prices_encode);
}

#define RECORD(name, type, decoder, encoder)                                  \
	do {                                                                  \
		struct buf b_ = buf_make(8192);                               \
		type x_;                                                      \
                                                                              \
		memset(&x_, 0, sizeof(x_));                                   \
		cr_assert_eq(decoder(vector(name), &x_), ERR_OK, "%s", name); \
		encoder(&b_, &x_);                                            \
		same(&b_, name);                                              \
	} while (0)

Test(codec, records_come_back)
{
	RECORD("job", struct market_job, market_job_decode, market_job_encode);
	RECORD("offer", struct market_offer, market_offer_decode,
	       market_offer_encode);
	RECORD("lease", struct market_lease, market_lease_decode,
	       market_lease_encode);
	RECORD("provider", struct market_provider, market_provider_decode,
	       market_provider_encode);
	RECORD("device", struct market_device_record, market_device_decode,
	       market_device_encode);
	RECORD("buyer", struct market_buyer, market_buyer_decode,
	       market_buyer_encode);
	RECORD("receipt", struct market_receipt, market_receipt_decode,
	       market_receipt_encode);
	RECORD("receipt_signed", struct market_receipt_signed,
	       market_receipt_signed_decode, market_receipt_signed_encode);
}

Test(codec, bodies_from_structs)
{
	struct market_job_terms t = job_terms();
	struct market_offer_terms o = offer_terms();
	struct hash offer = h(11);
	struct market_job_redeclare re = {h(9), h(10), work(), c(400004)};
	struct market_lease_commit commit = {h(12), result()};
	struct market_lease_fail fail = {.lease = h(12),
					 .reason = REASON_kernel_fault};
	struct buf b = buf_make(8192);

	market_job_terms_encode(&b, &t);
	same(&b, "job_post");
	market_offer_terms_encode(&b, &o);
	same(&b, "offer_post");
	market_offer_update_encode(&b, &offer, &o);
	same(&b, "offer_update");
	market_offer_withdraw_encode(&b, &offer);
	same(&b, "offer_withdraw");
	market_job_redeclare_encode(&b, &re);
	same(&b, "job_redeclare");
	market_lease_commit_encode(&b, &commit);
	same(&b, "lease_commit");
	commit.result.drop.present = true;
	commit.result.drop.index = 1;
	commit.result.drop.outputs_root = h(23);
	memset(commit.result.drop.sig.b, 24, 64);
	market_lease_commit_encode(&b, &commit);
	same(&b, "lease_commit_drop");
	fail.fault = (struct market_fault){true, 5, 6, 1ull << 35};
	market_lease_fail_encode(&b, &fail);
	same(&b, "lease_fail");
}

Test(codec, ids_and_roots)
{
	struct hash tx = h(40), job = h(9), offer = h(11), lease = h(12);
	struct hash leaves = h(21), trace = h(50), roots[2] = {h(51), h(52)};
	struct hash outputs = h(23), x;
	struct pubkey provider = k(7);
	struct buf b = buf_make(8192);

	x = market_job_id(&tx);
	cr_assert(bytes_eq(hash_bytes(&x), vector("job_id")));
	x = market_offer_id(&tx);
	cr_assert(bytes_eq(hash_bytes(&x), vector("offer_id")));
	x = market_lease_id(&job, &offer, 40, 200);
	cr_assert(bytes_eq(hash_bytes(&x), vector("lease_id")));
	x = market_result_root(&lease, &provider, &leaves);
	cr_assert(bytes_eq(hash_bytes(&x), vector("result_root")));
	x = market_drop_digest(&lease, &outputs);
	cr_assert(bytes_eq(hash_bytes(&x), vector("drop_digest")));
	market_result_leaf_encode(&b, 41, 10, &trace, roots, 2);
	same(&b, "result_leaf");
}

Test(codec, result_leaf_comes_back)
{
	struct dec d = dec_make(vector("result_leaf"));
	struct hash trace, roots[2], want = h(52);
	uint32_t index, steps, count;

	market_result_leaf_decode(&d, &index, &steps, &trace, roots, 2, &count);
	cr_assert_eq(dec_end(&d), ERR_OK);
	cr_assert_eq(index, 41);
	cr_assert_eq(steps, 10);
	cr_assert_eq(count, 2);
	cr_assert(hash_eq(&roots[1], &want));
	d = dec_make(vector("result_leaf"));
	market_result_leaf_decode(&d, &index, &steps, &trace, roots, 1, &count);
	cr_assert_neq(dec_end(&d), ERR_OK);
}

Test(codec, receipt_is_signed_over_its_digest)
{
	struct market_receipt_signed r;
	struct seckey sk = {{[31] = 9}};
	struct hash x;

	cr_assert_eq(market_receipt_decode(vector("receipt"), &r.receipt),
		     ERR_OK);
	cr_assert_eq(market_receipt_digest(&r.receipt, &x), ERR_OK);
	cr_assert(bytes_eq(hash_bytes(&x), vector("receipt_digest")));
	cr_assert_eq(r.receipt.ops_counted, MARKET_ABSENT);
	cr_assert_eq(sig_pubkey(&sk, &r.provider_key), ERR_OK);
	cr_assert_eq(sig_sign(&sk, hash_bytes(&x), NULL, &r.provider_sig),
		     ERR_OK);
	cr_assert_eq(market_receipt_verify(&r), ERR_OK);
	r.receipt.device_mj++;
	cr_assert_eq(market_receipt_verify(&r), ERR_SIGNATURE);
}

/* Out of range is refused where it is read. */
Test(codec, edges)
{
	struct market_job_terms t, x;
	struct market_offer_terms o, y;
	int i;

	for (i = 0; i < 9; i++) {
		struct buf b = buf_make(8192);
		struct dec d;

		t = job_terms();
		switch (i) {
		case 0:
			t.task_count = (1u << 20) + 1;
			break;
		case 1:
			t.task_count = 0;
			break;
		case 2:
			t.lease_tasks_min = t.task_count + 1;
			break;
		case 3:
			t.gop_price_max = COIN_ZERO;
			break;
		case 4:
			t.samples = 19;
			break;
		case 5:
			t.work.class_bit = 3;
			break;
		case 6:
			t.work.limit_ops = t.work.ops_per_task - 1;
			break;
		case 7:
			t.want_sm_min = 122;
			break;
		default:
			t.confidence = MARKET_SAMPLED;
			break;
		}
		market_job_terms_encode(&b, &t);
		d = dec_make(buf_bytes(&b));
		market_job_terms_decode(&d, &x);
		cr_assert_eq(dec_end(&d), ERR_LIMIT, "job case %d", i);
		buf_free(&b);
	}
	for (i = 0; i < 5; i++) {
		struct buf b = buf_make(8192);
		struct dec d;

		o = offer_terms();
		if (i == 0)
			o.sm = 88 + 4;
		if (i == 1)
			o.device = MARKET_DEVICE_CPU;
		if (i == 2)
			o.slots = MARKET_SLOTS_MAX + 1;
		if (i == 3)
			o.rate = 0;
		if (i == 4)
			o.gop_price = coin_picks((1ull << 62) + 1);
		market_offer_terms_encode(&b, &o);
		d = dec_make(buf_bytes(&b));
		market_offer_terms_decode(&d, &y);
		cr_assert_eq(dec_end(&d), ERR_LIMIT, "offer case %d", i);
		buf_free(&b);
	}
}
