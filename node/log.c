/*
 * node/log - time, level, topic, text; one write per line.
 */
#include "node/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "node/clock.h"

#define LINE_BYTES_MAX 1024u

static enum log_level log_least = LOG_INFO;

void log_set_level(enum log_level level)
{
	log_least = level;
}

void log_line(enum log_level level, const char *topic, const char *fmt, ...)
{
	static const char *const words[] = {"debug", "info", "warn", "error"};
	char time_text[CLOCK_TEXT_BYTES];
	char line[LINE_BYTES_MAX];
	va_list args;
	size_t n;

	if (level < log_least)
		return;
	n = (size_t)snprintf(line, sizeof(line), "%s %-5s %s: ",
			     clock_text(clock_wall_ms(), time_text),
			     words[level], topic);
	va_start(args, fmt);
	if (n < sizeof(line))
		(void)vsnprintf(line + n, sizeof(line) - n, fmt, args);
	va_end(args);
	for (n = 0; line[n] && n < sizeof(line) - 2; n++)
		if ((unsigned char)line[n] < 0x20 || line[n] == 0x7f)
			line[n] = '?';
	line[n++] = '\n';
	/* a log that cannot be written has nowhere to be reported */
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}
