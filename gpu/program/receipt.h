/*
 * gpu/program/receipt - what a lease cost in time, bytes and joules.
 *
 * Written and signed by the provider; its hash stands in lease.commit, so it
 * holds only what is known then.  Audits and money are in the ledger.  A
 * number that was not measured is absent: nil on the wire.
 */
#ifndef WEFT_GPU_PROGRAM_RECEIPT_H
#define WEFT_GPU_PROGRAM_RECEIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"

#define PROGRAM_RECEIPT_VERSION	  1u
#define PROGRAM_RECEIPT_BYTES_MAX 4096u
#define PROGRAM_RECEIPT_TEXT_MAX  64u

/* A measured number, or none. */
struct program_measure {
	bool known;
	uint64_t value;
};

/* field, in the order of the wire */
#define PROGRAM_RECEIPT_LIST(X)  \
	X(power_limit_mw)        \
	X(ops_priced)            \
	X(ops_counted)           \
	X(queued_ms)             \
	X(fetch_ms)              \
	X(compile_ms)            \
	X(device_ms)             \
	X(wall_ms)               \
	X(in_bytes)              \
	X(out_bytes)             \
	X(open_bytes)            \
	X(device_mj)             \
	X(device_mj_uncertainty) \
	X(device_samples)        \
	X(cpu_mj)                \
	X(lost_ops)              \
	X(grid_mg_per_kwh)

struct program_receipt {
	struct hash lease;
	struct hash job;
	struct hash program_id;
	uint64_t first_task;
	uint64_t done_count;
	struct bytes device; /* name, e.g. "cpu" */
	struct bytes sm;     /* e.g. "sm_86"; empty for a cpu */
	struct bytes driver;
	struct bytes energy_method; /* "nvml", "rapl", "" */
	struct bytes grid_source;   /* zone, source and kind */
#define X(field) struct program_measure field;
	PROGRAM_RECEIPT_LIST(X)
#undef X
};

void program_receipt_encode(struct buf *out, const struct program_receipt *r);
/* Borrows from in. */
MUST_USE enum err program_receipt_decode(struct bytes in,
					 struct program_receipt *ret_receipt);

/* What is signed and committed: SHA-256(T("weft/receipt") || encoding). */
struct hash program_receipt_hash(struct bytes encoded_receipt);

#endif /* WEFT_GPU_PROGRAM_RECEIPT_H */
