/*
 * node/log - one line an event on standard error, for people and journald.
 */
#ifndef WEFT_NODE_LOG_H
#define WEFT_NODE_LOG_H

#include "base/attr.h"

enum log_level {
	LOG_DEBUG,
	LOG_INFO,
	LOG_WARN,
	LOG_ERROR,
};

/* Lines below level are dropped; LOG_INFO at start. */
void log_set_level(enum log_level level);

/* Control characters in the text become '?': it may be a stranger's. */
void log_line(enum log_level level, const char *topic, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif /* WEFT_NODE_LOG_H */
