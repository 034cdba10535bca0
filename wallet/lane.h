/*
 * wallet/lane - which of an account's 256 lanes a transaction takes.
 *
 * Transactions of one lane wait for each other, others never do.  What is
 * about one object goes through one lane, so that it stays in order; payments
 * have a lane of their own, so that a lost commit never stops a transfer.  An
 * account uses few lanes in turn, because each is a record in the state.
 */
#ifndef WEFT_WALLET_LANE_H
#define WEFT_WALLET_LANE_H

#include <stdint.h>

#include "base/hash.h"

enum wallet_use {
	WALLET_USE_MONEY,   /* lane 0: transfers, keys, bonds */
	WALLET_USE_NODE,    /* lane 1: announcements */
	WALLET_USE_JOB,	    /* lanes 2-15 by job */
	WALLET_USE_OFFER,   /* lanes 16-31 by offer */
	WALLET_USE_LEASE,   /* lanes 32-95 by lease */
	WALLET_USE_AUDIT,   /* lanes 96-159 by lease */
	WALLET_USE_DISPUTE, /* lanes 160-255 by evidence or dispute */
};

/* object may be NULL where there is none: the range's first lane. */
uint8_t wallet_lane(enum wallet_use use, const struct hash *object);

#endif /* WEFT_WALLET_LANE_H */
