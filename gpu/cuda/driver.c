/*
 * The library stays open until cuda_driver_unload; nothing else is global.
 * Codes are mapped where the cause is known: a fault in the kernel is the
 * buyer's, a refused text or launch the rig's, a lost card nobody's.
 */
#include "gpu/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define INSTALL_HINT                                                        \
	"install NVIDIA's driver (Debian: nvidia-driver), or give the rig " \
	"no card: it then computes on its CPU"

static enum err no_cuda(struct cuda_driver *d, struct cuda_diag *diag, int code,
			const char *what, const char *detail)
{
	cuda_driver_unload(d);
	*diag = (struct cuda_diag){.code = code, .reason = REASON_gpu_lost};
	snprintf(diag->text, sizeof(diag->text), "%s%s%s; %s", what,
		 detail ? ": " : "", detail ? detail : "", INSTALL_HINT);
	return ERR_NO_CUDA;
}

/* NULL, or the first name that the library lacks. */
static const char *find_symbols(struct cuda_driver *d)
{
#define X(symbol, member, args)                       \
	{                                             \
		void *p = dlsym(d->library, #symbol); \
                                                      \
		if (!p)                               \
			return #symbol;               \
		memcpy(&d->member, &p, sizeof(p));    \
	}
	CUDA_DRIVER_LIST(X)
#undef X
	return NULL;
}

enum err cuda_driver_load(struct cuda_driver *ret_driver,
			  struct cuda_diag *reterr_diag)
{
	struct cuda_driver d = {0};
	const char *missing;
	int code, count = 0;

	d.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!d.library)
		return no_cuda(&d, reterr_diag, 0, "no CUDA driver", dlerror());
	missing = find_symbols(&d);
	if (missing)
		return no_cuda(&d, reterr_diag, 0,
			       "the CUDA driver is too old: it lacks", missing);
	code = d.init(0);
	if (code == CUDA_SUCCESS)
		code = d.device_count(&count);
	if (code == CUDA_SUCCESS && count == 0)
		code = CUDA_NO_DEVICE;
	if (code != CUDA_SUCCESS) {
		const char *text = NULL;

		if (d.error_text(code, &text) != CUDA_SUCCESS)
			text = NULL;
		return no_cuda(&d, reterr_diag, code,
			       "the CUDA driver finds no card", text);
	}
	*ret_driver = d;
	return ERR_OK;
}

void cuda_driver_unload(struct cuda_driver *d)
{
	if (d->library)
		dlclose(d->library);
	*d = (struct cuda_driver){0};
}

enum reason cuda_code_reason(int code)
{
	switch (code) {
	case CUDA_ILLEGAL_ADDRESS:
	case CUDA_ASSERT:
	case CUDA_HARDWARE_STACK:
	case CUDA_ILLEGAL_INSTRUCTION:
	case CUDA_MISALIGNED_ADDRESS:
	case CUDA_INVALID_SPACE:
	case CUDA_INVALID_PC:
	case CUDA_LAUNCH_FAILED:
		return REASON_kernel_fault;
	case CUDA_OUT_OF_MEMORY:
		return REASON_limit_memory;
	case CUDA_LAUNCH_TIMEOUT:
		return REASON_limit_seconds;
	case CUDA_NOT_INITIALIZED:
	case CUDA_DEINITIALIZED:
	case CUDA_DEVICE_UNAVAILABLE:
	case CUDA_NO_DEVICE:
	case CUDA_INVALID_DEVICE:
	case CUDA_INVALID_CONTEXT:
	case CUDA_ECC_UNCORRECTABLE:
	case CUDA_NVLINK_UNCORRECTABLE:
	case CUDA_OPERATING_SYSTEM:
	case CUDA_UNKNOWN:
		return REASON_gpu_lost;
	default:
		return REASON_driver_fault;
	}
}

void cuda_diag_set(const struct cuda_driver *d, int code, const char *tried,
		   struct cuda_diag *ret_diag)
{
	const char *name = NULL, *text = NULL;

	if (d->error_name(code, &name) != CUDA_SUCCESS || !name)
		name = "an unknown code";
	if (d->error_text(code, &text) != CUDA_SUCCESS || !text)
		text = "?";
	ret_diag->code = code;
	ret_diag->reason = cuda_code_reason(code);
	snprintf(ret_diag->text, sizeof(ret_diag->text), "%s: %s (%d): %s",
		 tried, name, code, text);
}
