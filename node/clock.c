/*
 * node/clock - CLOCK_MONOTONIC for waiting, CLOCK_REALTIME for block times
 * and logs.
 */
#define _GNU_SOURCE

#include "node/clock.h"

#include <stdio.h>
#include <time.h>

static uint64_t read_ms(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t clock_now_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ms(void)
{
	return read_ms(CLOCK_REALTIME);
}

const char *clock_text(uint64_t wall_ms, char out[CLOCK_TEXT_BYTES])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;
	size_t n;

	out[0] = '\0';
	if (!gmtime_r(&seconds, &tm))
		return out;
	n = strftime(out, CLOCK_TEXT_BYTES, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out + n, CLOCK_TEXT_BYTES - n, ".%03uZ",
		       (unsigned)(wall_ms % 1000));
	return out;
}
