/*
 * The only place in this folder that reads the time: run times for reports,
 * and the pace of progress frames.
 */
#define _GNU_SOURCE
#include <time.h>

#include "gpu/worker/priv/job.h"

uint64_t worker_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}
