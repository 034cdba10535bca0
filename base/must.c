#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

void must_fail(const char *file, int line, const char *text)
{
	fprintf(stderr, "%s:%d: must(%s)\n", file, line, text);
	abort();
}
