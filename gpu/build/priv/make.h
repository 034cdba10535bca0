/*
 * gpu/build/priv/make - a program while it is being made.
 */
#ifndef WEFT_GPU_BUILD_PRIV_MAKE_H
#define WEFT_GPU_BUILD_PRIV_MAKE_H

#include "base/arena.h"
#include "gpu/build/build.h"
#include "gpu/build/manifest.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "gpu/program/walk.h"
#include "gpu/ptx/classify.h"
#include "gpu/ptx/parse.h"

/* A kernel of the program: which of the parsed modules has it. */
struct make_part {
	uint32_t module;
	uint32_t kernel; /* index in the module's functions */
	bool is_printed;
	bool is_seen; /* some launch of it was classified */
	enum ptx_sale sale;
	/* what its launches may do to each module variable, by index */
	uint8_t *variables;
};

struct make {
	struct arena *a;       /* the result's */
	struct arena *scratch; /* parsed modules */
	const struct manifest *m;
	const struct build_text *ptx;
	uint32_t ptx_count;
	const struct build_files *files;
	struct build_diag *diag;
	struct ptx_module **modules;
	struct program p;
	struct make_part *parts;	     /* beside p.parts */
	const struct manifest_step **origin; /* of each of p.steps */
	struct build_launch *launches;
	uint32_t launch_count;
	struct build_reason *reasons;
	uint32_t reason_count;
	uint32_t reason_room;
	enum ptx_sale sale; /* the worst */
	bool is_proved;
};

/* An error at a place of the manifest. */
MUST_USE enum err make_fail(struct make *k, struct build_pos at,
			    const char *fmt, ...) PRINTF_LIKE(3, 4);
MUST_USE enum err make_no_memory(struct make *k);

/*
 * Does the PTX name of a function or variable stand for this name of the
 * source?  C names, C++ manglings of plain and namespaced names; parameters
 * and template arguments are not compared.
 */
bool make_name_matches(struct bytes symbol, struct bytes source_name);

/* The kernel that a launch names: module and function index. */
MUST_USE enum err make_find_kernel(struct make *k,
				   const struct manifest_step *s,
				   uint32_t *ret_module, uint32_t *ret_kernel);

/* All steps flat, and the kernels of launches as parts. */
MUST_USE enum err make_steps(struct make *k);

/* One launch's arguments, checked against the kernel's parameters. */
MUST_USE enum err make_args(struct make *k, const struct manifest_step *s,
			    const struct ptx_function *f,
			    struct program_step *step);

/* Values of arguments over tasks, and the class of every launch. */
MUST_USE enum err make_check_values(struct make *k);
MUST_USE enum err make_classify(struct make *k);

/* Written and named module variables. */
MUST_USE enum err make_symbols(struct make *k);

#endif /* WEFT_GPU_BUILD_PRIV_MAKE_H */
