/*
 * Buffers, counted where they are made.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "gpu/client/memory.h"
#include "gpu/worker/priv/job.h"

enum err worker_take_memory(struct worker *w, uint64_t bytes)
{
	uint64_t left = w->limits.memory_bytes - w->memory_used_bytes;

	if (bytes > left)
		return worker_fail(
			w, ERR_LIMIT,
			"%llu bytes of buffers pass the memory limit of %llu "
			"bytes",
			(unsigned long long)(w->memory_used_bytes + bytes),
			(unsigned long long)w->limits.memory_bytes);
	w->memory_used_bytes += bytes;
	return ERR_OK;
}

enum err worker_zeroes(struct worker *w, uint64_t bytes, uint8_t **ret_p)
{
	enum err e = worker_take_memory(w, bytes);
	void *p;

	if (e)
		return e;
	if (!bytes) {
		static uint8_t nothing[1];

		*ret_p = nothing;
		return ERR_OK;
	}
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return worker_fail(w, ERR_NO_MEMORY, "no memory for buffers");
	*ret_p = p;
	return ERR_OK;
}

enum err worker_next_memory(struct worker *w, uint64_t bytes, bool private_copy,
			    uint8_t **ret_p)
{
	struct memory m;
	enum err e;

	if (w->fds_taken >= w->fd_count)
		return worker_fail(w, ERR_MALFORMED, "a descriptor is missing");
	e = worker_take_memory(w, private_copy ? bytes : 0);
	if (e)
		return e;
	e = memory_map(w->fds[w->fds_taken], bytes, private_copy, &m);
	if (e)
		return worker_fail(w, e == ERR_REFUSED ? ERR_MALFORMED : e,
				   "a shared buffer is not as declared");
	w->fds_taken++;
	if (bytes)
		*ret_p = m.p;
	else
		return worker_zeroes(w, 0, ret_p);
	return ERR_OK;
}
