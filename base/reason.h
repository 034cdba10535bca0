/*
 * base/reason - why something ended or was refused, in one stable word.
 *
 * The same word in the ledger, the RPC, the log and the receipt, set where
 * the cause is known.  Numbers are on disk and on the wire: append, never
 * renumber (pinned in tests/base/reason.c).
 */
#ifndef WEFT_BASE_REASON_H
#define WEFT_BASE_REASON_H

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

/* word, number, hint for a person: what to do next */
#define REASON_LIST(X)                                                      \
	X(none, 0, "")                                                      \
	/* ends of jobs and leases */                                       \
	X(expired, 1, "post the job again with a later deadline")           \
	X(no_match, 2, "weft job explain tells why no offer fits")          \
	X(out_of_funds, 3, "weft job top-up adds escrow")                   \
	X(underdeclared, 4, "redeclare the job with its true work")         \
	X(underpriced, 5, "raise the price or the declared work")           \
	X(cancelled, 6, "")                                                 \
	X(declined_policy, 7, "the provider's settings exclude this work")  \
	X(declined_busy, 8, "the provider had no free slot")                \
	X(input_missing, 9, "keep a node that serves the inputs running")   \
	X(gpu_lost, 10, "")                                                 \
	X(owner_active, 11, "")                                             \
	X(power, 12, "")                                                    \
	X(kernel_fault, 13, "run the job with --local --sanitize")          \
	X(limit_ops, 14, "raise limits.limit_ops")                          \
	X(limit_seconds, 15, "raise limits.seconds")                        \
	X(limit_memory, 16, "raise device.memory_min")                      \
	X(driver_fault, 17, "")                                             \
	X(output_unavailable, 18, "")                                       \
	X(opening_unavailable, 19, "")                                      \
	X(refuted, 20, "")                                                  \
	X(void, 21, "run the job with --local --sanitize")                  \
	X(quarantined, 22, "run this task with --local --sanitize")         \
	X(provider_timeout, 23, "")                                         \
	X(unchecked, 24, "")                                                \
	X(done, 25, "")                                                     \
	X(withdrawn, 26, "")                                                \
	/* refusals of transactions and blocks: 100 on */                   \
	X(bad_encoding, 100, "encode the record canonically")               \
	X(bad_version, 101, "use a node of this network's version")         \
	X(wrong_chain, 102, "sign for this chain's id")                     \
	X(unknown_kind, 103, "")                                            \
	X(bad_signature, 104, "sign with the sender's or a rig key")        \
	X(bad_sequence, 105, "fetch the account's next sequence")           \
	X(tx_expired, 106, "sign again with a later expiry_height")         \
	X(expiry_too_far, 107, "expiry may be 10,000 blocks ahead at most") \
	X(fee_too_low, 108, "pay at least base + per_byte * size")          \
	X(insufficient_funds, 109, "add funds to the account")              \
	X(too_large, 110, "")                                               \
	X(no_permission, 111, "this key may not send this kind")            \
	X(not_found, 112, "check the id")                                   \
	X(wrong_state, 113, "look at the object's present state")           \
	X(too_late, 114, "the window has closed")                           \
	X(too_early, 115, "wait for the height named in the record")        \
	X(limit_reached, 116, "close something before opening more")        \
	X(bad_value, 117, "a field is outside its range")                   \
	X(bad_proof, 118, "")                                               \
	X(duplicate, 119, "")                                               \
	X(not_live, 120, "")                                                \
	X(bad_parent, 121, "")                                              \
	X(bad_height, 122, "")                                              \
	X(bad_time, 123, "")                                                \
	X(bad_root, 124, "")                                                \
	X(bad_beacon, 125, "")                                              \
	X(credit_used_up, 126, "earn or receive funds first")               \
	X(incomplete, 127, "an opened range is missing")                    \
	X(already_settled, 128, "")                                         \
	X(overflow, 129, "use smaller numbers")                             \
	X(class_refused, 130, "weft ptx check names the rewrite")           \
	X(no_verifier, 131, "")

enum reason {
#define X(word, number, hint) REASON_##word = number,
	REASON_LIST(X)
#undef X
};

/* The word; NULL for a number that is not in the list. */
const char *reason_word(enum reason r);

/* What a person can do next; "" when there is nothing to say. */
const char *reason_hint(enum reason r);

/* ERR_OK or ERR_NOT_FOUND. */
MUST_USE enum err reason_parse(struct bytes word, enum reason *ret_reason);

#endif /* WEFT_BASE_REASON_H */
