/*
 * gpu/cuda/card - one card: memory, modules, launches.
 *
 * One stream, launches in order, each waited for.  After a fault in a kernel
 * the driver refuses all further work: close the card and open it again, in
 * a new process if the driver itself is in doubt.  A launch that does not
 * end cannot be stopped by any call; when the caller's time is up this says
 * so, and the process must end.
 *
 * Addresses are the card's (uint64_t); the host never looks through them.
 */
#ifndef WEFT_GPU_CUDA_CARD_H
#define WEFT_GPU_CUDA_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/cuda/driver.h"

#define CUDA_LOG_BYTES 8192u

/* What PTX 8.1 allows; older drivers refuse more than 4,352 themselves. */
#define CUDA_PARAM_BYTES_MAX 32764u

struct cuda_card;
struct cuda_module;

struct cuda_card_info {
	char name[128];
	int driver_version; /* 13000: 13.0 */
	uint32_t sm;	    /* 75, 80, 86, ... */
	uint32_t sm_count;
	uint32_t threads_max; /* of a CTA */
	uint32_t shared_max;  /* bytes of a CTA, static and dynamic */
	uint64_t memory_bytes;
};

/*
 * Called while a launch runs, after every look at it: sleep a little and
 * return true to look again, or false when its time is up.
 */
struct cuda_wait {
	bool (*more)(void *ctx, uint64_t looks);
	void *ctx;
};

/* How many cards there are.  ERR_OK, ERR_CUDA. */
MUST_USE enum err cuda_card_count(const struct cuda_driver *d,
				  uint32_t *ret_count,
				  struct cuda_diag *reterr_diag);

/*
 * Open card number index for this thread.  d and wait.ctx are borrowed until
 * cuda_card_close.  Returns ERR_OK, ERR_CUDA, ERR_NO_MEMORY (of the host).
 */
MUST_USE enum err cuda_card_open(const struct cuda_driver *d, uint32_t index,
				 struct cuda_wait wait,
				 struct cuda_card **ret_card,
				 struct cuda_diag *reterr_diag);
/* NULL is fine.  Memory and modules that are left go with the context. */
void cuda_card_close(struct cuda_card *c);

const struct cuda_card_info *cuda_card_info(const struct cuda_card *c);

/* Memory.  0 bytes are given the address of one.  ERR_OK, ERR_CUDA. */
MUST_USE enum err cuda_alloc(struct cuda_card *c, uint64_t bytes,
			     uint64_t *ret_address,
			     struct cuda_diag *reterr_diag);
void cuda_free(struct cuda_card *c, uint64_t address); /* 0 is fine */
MUST_USE enum err cuda_put(struct cuda_card *c, uint64_t to, const void *from,
			   uint64_t bytes, struct cuda_diag *reterr_diag);
MUST_USE enum err cuda_get(struct cuda_card *c, void *to, uint64_t from,
			   uint64_t bytes, struct cuda_diag *reterr_diag);
/* The two ranges do not overlap. */
MUST_USE enum err cuda_copy(struct cuda_card *c, uint64_t to, uint64_t from,
			    uint64_t bytes, struct cuda_diag *reterr_diag);
MUST_USE enum err cuda_fill(struct cuda_card *c, uint64_t to, uint8_t with,
			    uint64_t bytes, struct cuda_diag *reterr_diag);

/*
 * Compile canonical PTX.
 *
 * text             copied for the driver, which wants a zero at its end
 * threads          most of a CTA of its launches; 0: as the text says
 * reterr_diag      with the JIT's log when that failed
 *
 * Blocks for as long as the JIT takes; a bug of it can end the process.
 * Returns ERR_OK, ERR_CUDA, ERR_NO_MEMORY.
 */
MUST_USE enum err cuda_module_load(struct cuda_card *c, struct bytes text,
				   uint32_t threads,
				   struct cuda_module **ret_module,
				   struct cuda_diag *reterr_diag);
void cuda_module_free(struct cuda_card *c, struct cuda_module *m);

/* Where a module variable lies.  ERR_OK, ERR_CUDA, ERR_NO_MEMORY. */
MUST_USE enum err cuda_module_symbol(struct cuda_card *c,
				     const struct cuda_module *m,
				     struct bytes name, uint64_t *ret_address,
				     uint64_t *ret_bytes,
				     struct cuda_diag *reterr_diag);

struct cuda_launch {
	struct bytes kernel;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	uint32_t stack_bytes;  /* of a thread, for calls; 0: none */
	struct bytes params;   /* the block, addresses put in */
};

/*
 * Run a launch to its end.
 * Returns ERR_OK, ERR_CUDA (refused or faulted; the reason tells), ERR_LIMIT
 * (more than the card has, asked before the driver is), ERR_TIMEOUT (wait
 * said so: the launch may run for ever, end the process), ERR_NO_MEMORY.
 */
MUST_USE enum err cuda_launch(struct cuda_card *c, const struct cuda_module *m,
			      const struct cuda_launch *launch,
			      struct cuda_diag *reterr_diag);

#endif /* WEFT_GPU_CUDA_CARD_H */
