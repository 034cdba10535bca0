/*
 * gpu/client/priv/codec - parts of records that several jobs share.
 */
#ifndef WEFT_GPU_CLIENT_PRIV_CODEC_H
#define WEFT_GPU_CLIENT_PRIV_CODEC_H

#include "base/codec.h"
#include "gpu/client/job.h"

uint32_t dec_u32(struct dec *d);

/* An array head and zeroed room for its items of size bytes, in a; NULL with
 * *ret_count = 0 when empty or after an error. */
void *dec_list(struct dec *d, struct arena *a, uint32_t max, size_t size,
	       uint32_t *ret_count);

void job_how_put(struct buf *out, const struct job_how *h);
void job_how_get(struct dec *d, struct job_how *ret);
void job_inputs_put(struct buf *out, const struct job_input *inputs,
		    uint32_t count);
struct job_input *job_inputs_get(struct dec *d, struct arena *a,
				 uint32_t *ret_count);
void job_run_put(struct buf *out, const struct job_run *r);
void job_run_get(struct dec *d, struct arena *a, struct job_run *ret);

#endif /* WEFT_GPU_CLIENT_PRIV_CODEC_H */
