/*
 * What the tests of gpu/ptx share: texts from files, modules that must parse.
 */
#ifndef WEFT_TESTS_GPU_PTX_KIT_H
#define WEFT_TESTS_GPU_PTX_KIT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "gpu/ptx/module.h"

/* The samples under tests/vectors/ptx-text, without ".ptx"; ends with NULL. */
extern const char *const kit_samples[];

/* A sample's text, in a. */
struct bytes kit_read(struct arena *a, const char *sample);

struct arena *kit_arena(void);

/* The module of a text that must parse. */
struct ptx_module *kit_parse(struct arena *a, struct bytes text);
struct ptx_module *kit_sample(struct arena *a, const char *sample);

/* A kernel of one body: k(.param .u64 p, .param .u64 q, .param .u32 n), with
 * registers %p %h %r %d, 16 each, shared s[256] and local l[64]. */
struct ptx_module *kit_body(struct arena *a, const char *body);
struct bytes kit_body_text(struct arena *a, const char *body);

/* The index of an entry that must be there. */
uint32_t kit_find(const struct ptx_module *m, const char *name);

/* The canonical text of the whole module, in a. */
struct bytes kit_print(struct arena *a, const struct ptx_module *m);

#endif /* WEFT_TESTS_GPU_PTX_KIT_H */
