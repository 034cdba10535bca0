/*
 * node/clock - the only place of the node that reads the time.
 */
#ifndef WEFT_NODE_CLOCK_H
#define WEFT_NODE_CLOCK_H

#include <stdint.h>

/* Steady milliseconds since some moment; never goes back. */
uint64_t clock_now_ms(void);

/* Milliseconds since 1970; may be set back by its owner. */
uint64_t clock_wall_ms(void);

/* "2026-11-30T15:02:03.004Z"; the buffer is CLOCK_TEXT_BYTES long. */
#define CLOCK_TEXT_BYTES 32
const char *clock_text(uint64_t wall_ms, char out[CLOCK_TEXT_BYTES]);

#endif /* WEFT_NODE_CLOCK_H */
