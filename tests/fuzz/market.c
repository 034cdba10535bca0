/*
 * Bodies and records of the market: byte 0 chooses the decoder.  What is
 * taken must encode to the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "market/job.h"
#include "market/kinds.h"
#include "market/lease.h"
#include "market/offer.h"
#include "market/receipt.h"
#include "market/record.h"

static void same(const struct buf *b, struct bytes in)
{
	if (b->err != ERR_OK || !bytes_eq(buf_bytes(b), in))
		abort();
}

#define BODY(type, decoder, encoder)          \
	do {                                  \
		struct dec d_ = dec_make(in); \
		type x_;                      \
                                              \
		memset(&x_, 0, sizeof(x_));   \
		decoder(&d_, &x_);            \
		if (dec_end(&d_) == ERR_OK) { \
			encoder(&b, &x_);     \
			same(&b, in);         \
		}                             \
	} while (0)

#define RECORD(type, decoder, encoder)            \
	do {                                      \
		type x_;                          \
                                                  \
		memset(&x_, 0, sizeof(x_));       \
		if (decoder(in, &x_) == ERR_OK) { \
			encoder(&b, &x_);         \
			same(&b, in);             \
		}                                 \
	} while (0)

static void lease_body(uint8_t which, struct bytes in)
{
	struct buf b = buf_make(1u << 20);

	if (which == 0)
		BODY(struct market_lease_decline, market_lease_decline_decode,
		     market_lease_decline_encode);
	else if (which == 1)
		BODY(struct market_lease_commit, market_lease_commit_decode,
		     market_lease_commit_encode);
	else if (which == 2)
		BODY(struct market_lease_fail, market_lease_fail_decode,
		     market_lease_fail_encode);
	else
		BODY(struct market_lease_extend, market_lease_extend_decode,
		     market_lease_extend_encode);
	buf_free(&b);
}

static void other(uint8_t which, struct bytes in)
{
	struct buf b = buf_make(1u << 20);

	if (which == 0)
		BODY(struct market_job_terms, market_job_terms_decode,
		     market_job_terms_encode);
	else if (which == 1)
		BODY(struct market_offer_terms, market_offer_terms_decode,
		     market_offer_terms_encode);
	else if (which == 2)
		BODY(struct market_job_redeclare, market_job_redeclare_decode,
		     market_job_redeclare_encode);
	else if (which == 3)
		RECORD(struct market_receipt_signed,
		       market_receipt_signed_decode,
		       market_receipt_signed_encode);
	else if (which == 4)
		RECORD(struct market_lease, market_lease_decode,
		       market_lease_encode);
	else if (which == 5)
		RECORD(struct market_job, market_job_decode, market_job_encode);
	else
		RECORD(struct market_provider, market_provider_decode,
		       market_provider_encode);
	buf_free(&b);
}

/* Every kind's own decode, as the ledger calls it. */
static void kinds(struct bytes in)
{
	struct arena *a = arena_new(1u << 20);
	size_t i;

	for (i = 0; i < market_kind_count; i++) {
		enum reason why = REASON_none;
		void *body = NULL;
		enum err e = market_kinds[i].decode(a, in, &body, &why);

		if (e == ERR_OK ? body == NULL : why == REASON_none)
			abort();
	}
	arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in;

	if (size == 0)
		return 0;
	in = bytes_of(data + 1, size - 1);
	if (data[0] % 12 < 4)
		lease_body(data[0] % 12, in);
	else if (data[0] % 12 < 11)
		other((uint8_t)(data[0] % 12 - 4), in);
	kinds(in);
	return 0;
}
