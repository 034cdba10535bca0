/*
 * cli/json - what commands print with --json.
 */
#ifndef WEFT_CLI_JSON_H
#define WEFT_CLI_JSON_H

#include <jansson.h>

#include "base/bytes.h"
#include "gpu/client/job.h"

/* A string of bytes that came from a worker: broken UTF-8 is replaced. */
json_t *json_text(struct bytes b);

/* A count; JSON integers hold 63 bits, larger ones become strings. */
json_t *json_count(uint64_t n);

/* {"outcome","reason","count","cost","kernel","step","line","file",
 * "source_line","source","cta","thread","grid","block","address",
 * "findings":[]}; what is unknown is null.  A finding has the same about
 * itself, "count", "help" and, as "other_...", the access it clashes with. */
json_t *json_run(const struct job_run *r);

/* One line and a newline to standard output; takes the reference. */
void json_put(json_t *value);

#endif /* WEFT_CLI_JSON_H */
