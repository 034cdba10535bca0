/*
 * memfds with sealed sizes.  The seals are what makes it safe to read a
 * mapping whose other end is held by a stranger's process.
 */
#define _GNU_SOURCE
#include "gpu/client/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/must.h"

#define SIZE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

enum err memory_new(const char *name, uint64_t bytes, struct memory *ret_memory)
{
	struct memory m = {-1, NULL, bytes};

	if (bytes > INT64_MAX)
		return ERR_NO_MEMORY;
	m.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (m.fd < 0)
		return ERR_IO;
	if (ftruncate(m.fd, (off_t)bytes) ||
	    fcntl(m.fd, F_ADD_SEALS, SIZE_SEALS)) {
		close(m.fd);
		return ERR_IO;
	}
	if (bytes) {
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			       m.fd, 0);

		if (p == MAP_FAILED) {
			close(m.fd);
			return ERR_NO_MEMORY;
		}
		m.p = p;
	}
	*ret_memory = m;
	return ERR_OK;
}

enum err memory_map(int fd, uint64_t bytes, int private_copy,
		    struct memory *ret_memory)
{
	/* lseek, not fstat: glibc's takes a path, which the worker's filter
	 * cannot allow. */
	off_t size = lseek(fd, 0, SEEK_END);
	int seals = fcntl(fd, F_GET_SEALS);
	void *p = NULL;

	if (seals < 0 || (seals & SIZE_SEALS) != SIZE_SEALS)
		return ERR_REFUSED;
	if (size < 0 || (uint64_t)size != bytes)
		return ERR_REFUSED;
	if (!private_copy && (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)))
		return ERR_REFUSED;
	if (bytes) {
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 private_copy ? MAP_PRIVATE | MAP_NORESERVE
				      : MAP_SHARED,
			 fd, 0);
		if (p == MAP_FAILED)
			return ERR_NO_MEMORY;
	}
	*ret_memory = (struct memory){fd, p, bytes};
	return ERR_OK;
}

enum err memory_freeze(struct memory *m)
{
	void *p;

	if (m->p && munmap(m->p, m->bytes))
		return ERR_IO;
	m->p = NULL;
	if (fcntl(m->fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL))
		return ERR_IO;
	if (!m->bytes)
		return ERR_OK;
	p = mmap(NULL, m->bytes, PROT_READ, MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED)
		return ERR_IO;
	m->p = p;
	return ERR_OK;
}

void memory_free(struct memory *m)
{
	if (m->p)
		must(munmap(m->p, m->bytes) == 0);
	if (m->fd >= 0)
		close(m->fd);
	*m = MEMORY_NONE;
}
