/*
 * gpu/cuda/driver - the functions of NVIDIA's driver, found at run time.
 *
 * A table of pointers, filled from libcuda.so.1 by cuda_driver_load or by a
 * test with functions of its own.  The declarations are ours: only what is
 * used, types by value, so that no header of the toolkit is needed to build.
 * A machine without the driver is normal; the diagnosis says what to install.
 */
#ifndef WEFT_GPU_CUDA_DRIVER_H
#define WEFT_GPU_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/reason.h"

/* Handles of the driver; never looked into. */
struct cuda_ctx;
struct cuda_mod;
struct cuda_fun;
struct cuda_stream;
struct cuda_event;

/* The driver's numbers that are used by name. */
enum cuda_code {
	CUDA_SUCCESS = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NOT_INITIALIZED = 3,
	CUDA_DEINITIALIZED = 4,
	CUDA_DEVICE_UNAVAILABLE = 46,
	CUDA_NO_DEVICE = 100,
	CUDA_INVALID_DEVICE = 101,
	CUDA_INVALID_IMAGE = 200,
	CUDA_INVALID_CONTEXT = 201,
	CUDA_NO_BINARY_FOR_GPU = 209,
	CUDA_ECC_UNCORRECTABLE = 214,
	CUDA_INVALID_PTX = 218,
	CUDA_NVLINK_UNCORRECTABLE = 220,
	CUDA_JIT_NOT_FOUND = 221,
	CUDA_UNSUPPORTED_PTX = 222,
	CUDA_OPERATING_SYSTEM = 304,
	CUDA_NOT_FOUND = 500,
	CUDA_NOT_READY = 600,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_OUT_OF_RESOURCES = 701,
	CUDA_LAUNCH_TIMEOUT = 702,
	CUDA_ASSERT = 710,
	CUDA_HARDWARE_STACK = 714,
	CUDA_ILLEGAL_INSTRUCTION = 715,
	CUDA_MISALIGNED_ADDRESS = 716,
	CUDA_INVALID_SPACE = 717,
	CUDA_INVALID_PC = 718,
	CUDA_LAUNCH_FAILED = 719,
	CUDA_UNKNOWN = 999,
};

enum cuda_attribute {
	CUDA_ATTR_THREADS = 1, /* most of a CTA */
	CUDA_ATTR_SM_COUNT = 16,
	CUDA_ATTR_MAJOR = 75,
	CUDA_ATTR_MINOR = 76,
	CUDA_ATTR_SHARED = 97, /* most of a CTA, after asking for it */
};

enum cuda_jit_option {
	CUDA_JIT_THREADS = 1,
	CUDA_JIT_ERROR_LOG = 5,
	CUDA_JIT_ERROR_LOG_BYTES = 6,
};

#define CUDA_FUN_DYNAMIC_SHARED 8 /* cuFuncSetAttribute */
#define CUDA_LIMIT_STACK	0 /* cuCtxSetLimit */
#define CUDA_EVENT_NO_TIMING	2u
/* Words of cuLaunchKernel's last argument: parameters as one block. */
#define CUDA_PARAM_END	  ((void *)0)
#define CUDA_PARAM_BUFFER ((void *)1)
#define CUDA_PARAM_SIZE	  ((void *)2)

/* symbol, member, arguments */
#define CUDA_DRIVER_LIST(X)                                                \
	X(cuInit, init, (unsigned))                                        \
	X(cuDriverGetVersion, version, (int *))                            \
	X(cuDeviceGetCount, device_count, (int *))                         \
	X(cuDeviceGet, device_get, (int *, int))                           \
	X(cuDeviceGetName, device_name, (char *, int, int))                \
	X(cuDeviceGetAttribute, device_attribute, (int *, int, int))       \
	X(cuDeviceTotalMem_v2, device_memory, (size_t *, int))             \
	X(cuDevicePrimaryCtxRetain, ctx_retain, (struct cuda_ctx **, int)) \
	X(cuDevicePrimaryCtxRelease_v2, ctx_release, (int))                \
	X(cuCtxSetCurrent, ctx_set, (struct cuda_ctx *))                   \
	X(cuCtxSetLimit, ctx_limit, (int, size_t))                         \
	X(cuModuleLoadDataEx, module_load,                                 \
	  (struct cuda_mod **, const void *, unsigned, int *, void **))    \
	X(cuModuleUnload, module_unload, (struct cuda_mod *))              \
	X(cuModuleGetFunction, module_function,                            \
	  (struct cuda_fun **, struct cuda_mod *, const char *))           \
	X(cuModuleGetGlobal_v2, module_global,                             \
	  (uint64_t *, size_t *, struct cuda_mod *, const char *))         \
	X(cuMemAlloc_v2, mem_alloc, (uint64_t *, size_t))                  \
	X(cuMemFree_v2, mem_free, (uint64_t))                              \
	X(cuMemcpyHtoD_v2, mem_put, (uint64_t, const void *, size_t))      \
	X(cuMemcpyDtoH_v2, mem_get, (void *, uint64_t, size_t))            \
	X(cuMemcpyDtoD_v2, mem_copy, (uint64_t, uint64_t, size_t))         \
	X(cuMemsetD8_v2, mem_fill, (uint64_t, unsigned char, size_t))      \
	X(cuFuncSetAttribute, fun_set, (struct cuda_fun *, int, int))      \
	X(cuLaunchKernel, launch,                                          \
	  (struct cuda_fun *, unsigned, unsigned, unsigned, unsigned,      \
	   unsigned, unsigned, unsigned, struct cuda_stream *, void **,    \
	   void **))                                                       \
	X(cuStreamCreate, stream_new, (struct cuda_stream **, unsigned))   \
	X(cuStreamDestroy_v2, stream_free, (struct cuda_stream *))         \
	X(cuEventCreate, event_new, (struct cuda_event **, unsigned))      \
	X(cuEventDestroy_v2, event_free, (struct cuda_event *))            \
	X(cuEventRecord, event_record,                                     \
	  (struct cuda_event *, struct cuda_stream *))                     \
	X(cuEventQuery, event_query, (struct cuda_event *))                \
	X(cuGetErrorName, error_name, (int, const char **))                \
	X(cuGetErrorString, error_text, (int, const char **))

struct cuda_driver {
	void *library; /* NULL: a table of a test */
#define X(symbol, member, args) int(*member) args;
	CUDA_DRIVER_LIST(X)
#undef X
};

/* What went wrong, for the caller's report and for a person. */
struct cuda_diag {
	int code;	    /* the driver's; 0: it was not asked */
	enum reason reason; /* what the lease ends with */
	char text[512];	    /* one line, or the JIT's log; zero-terminated */
};

/*
 * Fill the table from the driver's library and initialise it.
 * Returns ERR_OK, ERR_NO_CUDA (no library, an old one, or no card; the
 * diagnosis says what to do).
 */
MUST_USE enum err cuda_driver_load(struct cuda_driver *ret_driver,
				   struct cuda_diag *reterr_diag);
void cuda_driver_unload(struct cuda_driver *d);

/* What a lease ends with after the driver gave this code, not 0. */
enum reason cuda_code_reason(int code);

/* Fill *ret_diag from a code and what was tried ("cuMemAlloc"). */
void cuda_diag_set(const struct cuda_driver *d, int code, const char *tried,
		   struct cuda_diag *ret_diag);

#endif /* WEFT_GPU_CUDA_DRIVER_H */
