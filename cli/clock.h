/*
 * cli/clock - the steady clock of the command line.
 */
#ifndef WEFT_CLI_CLOCK_H
#define WEFT_CLI_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ms(void);
void clock_pause_ms(unsigned ms);

#endif /* WEFT_CLI_CLOCK_H */
