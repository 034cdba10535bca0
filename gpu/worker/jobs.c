/*
 * The table of jobs.  A new one is a number in wire.h, a file, and a row.
 */
#include "gpu/worker/priv/job.h"

static const struct worker_job jobs[] = {
	{WIRE_COMPILE, worker_compile_prepare, worker_compile},
	{WIRE_CHECK, NULL, worker_check},
	{WIRE_CANON, NULL, worker_canon},
	{WIRE_BUILD, NULL, worker_build},
	{WIRE_TASK, NULL, worker_task},
	{WIRE_OPEN, NULL, worker_open},
	{WIRE_REFEREE, NULL, worker_referee},
	{WIRE_PTX_RUN, NULL, worker_ptx_run},
	{WIRE_LINES, NULL, worker_lines},
	{WIRE_MANIFEST, worker_manifest_prepare, worker_manifest},
};

const struct worker_job *worker_job_find(uint32_t kind)
{
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		if (jobs[i].kind == kind)
			return &jobs[i];
	return NULL;
}
