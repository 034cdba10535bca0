/*
 * gpu/ptx/priv/names - the names of a module, in nested scopes.
 *
 * A stack of names with a hash table over it.  The hash is keyed by the text
 * being parsed, so that no text can make its own names collide.
 */
#ifndef WEFT_GPU_PTX_PRIV_NAMES_H
#define WEFT_GPU_PTX_PRIV_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

/* Scopes deeper than this are ERR_LIMIT. */
#define NAMES_DEPTH_MAX 64u

enum name_kind {
	NAME_REG,      /* index: slot; cls */
	NAME_REGS,     /* %r<count>: slots index .. index + count - 1; cls */
	NAME_VARIABLE, /* index in module->variables */
	NAME_PARAM,    /* index in the function's params */
	NAME_RETURN,
	NAME_FUNCTION, /* index in module->functions */
	NAME_LABEL,    /* index of an instruction */
	NAME_TABLE,    /* .branchtargets: index in the function's tables */
	NAME_TARGETS,  /* .calltargets: index in the parser's list */
};

struct name {
	struct bytes text;
	uint64_t hash;
	uint32_t next; /* in the bucket, + 1; 0: end */
	uint32_t index, count;
	uint16_t depth;
	uint8_t kind; /* enum name_kind */
	uint8_t cls;
};

struct names {
	struct arena *a;
	uint64_t key[2];
	struct name *stack;
	uint32_t count, cap;
	uint32_t *buckets;
	uint32_t bucket_count; /* a power of two */
	uint16_t depth;
};

/* key: a hash of the text.  Returns ERR_OK or ERR_NO_MEMORY. */
MUST_USE enum err names_init(struct names *n, struct arena *a,
			     const struct hash *key);

/* The innermost name with that text, or NULL.  Valid until the next change. */
const struct name *names_find(const struct names *n, struct bytes text);

/*
 * Adds v (text, kind, index, count, cls) to the present scope.
 * Returns ERR_OK, ERR_EXISTS (in this scope), ERR_NO_MEMORY.
 */
MUST_USE enum err names_add(struct names *n, struct name v);

/* Returns ERR_OK or ERR_LIMIT. */
MUST_USE enum err names_enter(struct names *n);
void names_leave(struct names *n);

#endif /* WEFT_GPU_PTX_PRIV_NAMES_H */
