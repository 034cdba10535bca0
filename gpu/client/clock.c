/*
 * The only place in this folder that reads the time: a steady clock for
 * client_run's deadline.
 */
#define _GNU_SOURCE
#include <time.h>

#include "gpu/client/client.h"

uint64_t client_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
