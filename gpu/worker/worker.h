/*
 * gpu/worker - the process that runs strangers' code.
 *
 * It reads one request from descriptor 3 (gpu/client/wire.h), locks itself
 * down, does the job, writes one answer and ends.  A hostile kernel can make
 * it crash or hang, never more.
 *
 * Start at worker_main(); the jobs are the table in gpu/worker/jobs.c.
 */
#ifndef WEFT_GPU_WORKER_WORKER_H
#define WEFT_GPU_WORKER_WORKER_H

/* The exit status of the process. */
int worker_main(int socket_fd);

#endif /* WEFT_GPU_WORKER_WORKER_H */
