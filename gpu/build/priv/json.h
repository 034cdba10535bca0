/*
 * gpu/build/priv/json - JSON as a tree that knows where everything stood.
 */
#ifndef WEFT_GPU_BUILD_PRIV_JSON_H
#define WEFT_GPU_BUILD_PRIV_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/build/files.h"

struct arena;

#define JSON_DEPTH_MAX 32u

/* Most keys of one object: finding a duplicate is quadratic. */
#define JSON_KEYS_MAX 2048u

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER, /* text as written */
	JSON_STRING, /* text decoded; never holds a zero byte */
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_kind kind;
	bool truth;    /* BOOL */
	bool is_plain; /* STRING: no escapes, so that offsets in
			* text are columns in the file */
	struct bytes text;
	struct build_pos at;
	struct bytes key; /* of a member */
	struct build_pos key_at;
	struct json *first; /* child */
	struct json *next;  /* sibling */
	struct json *last;  /* child, while parsing */
	struct json *up;
	uint32_t count; /* children */
};

/* "an object", "a string", ... for messages. */
const char *json_kind_text(enum json_kind k);

/*
 * Parse text into a tree in a.  Duplicate keys are refused.
 * Returns ERR_OK, ERR_MALFORMED (position and sentence in reterr_diag),
 * ERR_NO_MEMORY.
 */
MUST_USE enum err json_parse(struct arena *a, struct bytes text,
			     struct json **ret_root,
			     struct build_diag *reterr_diag);

#endif /* WEFT_GPU_BUILD_PRIV_JSON_H */
