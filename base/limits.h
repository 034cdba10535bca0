/*
 * base/limits - the numbers that bound what strangers can ask for.
 *
 * Each has a test at its edge.  The ledger's are consensus.
 */
#ifndef WEFT_BASE_LIMITS_H
#define WEFT_BASE_LIMITS_H

/* Transactions and blocks, in bytes unless named otherwise. */
#define TX_BYTES_MAX	      (64u << 10)
#define TX_EVIDENCE_BYTES_MAX (256u << 10) /* kind evidence.part */
#define EVIDENCE_BYTES_MAX    (16u << 20)
#define BLOCK_BYTES_MAX	      (4u << 20)
#define BLOCK_TX_MAX	      10000u
#define BLOCK_COST_MAX	      (1ull << 29) /* re-execution, in cost */
#define TX_EXPIRY_AHEAD_MAX   10000u	   /* blocks */

/* Programs. */
#define PROGRAM_BYTES_MAX    (16u << 20)
#define PROGRAM_BUFFERS_MAX  64u
#define PROGRAM_KERNELS_MAX  256u
#define PROGRAM_LAUNCHES_MAX (1u << 20) /* after unrolling */
#define PROGRAM_CTAS_MAX     (1ull << 40)
#define PROGRAM_REPEAT_DEPTH 4u

/* PTX modules. */
#define PTX_TEXT_BYTES_MAX     (4u << 20)
#define PTX_INSTRUCTIONS_MAX   (1u << 17)
#define PTX_LIVE_REGISTERS_MAX 512u
#define CTA_THREADS_MAX	       1024u
#define CTA_SHARED_BYTES_MAX   (227u << 10)
#define THREAD_LOCAL_BYTES_MAX (64u << 10)
#define CTA_LOCAL_BYTES_MAX    (64u << 20)

/* Tasks, disputes and jobs. */
#define TASK_BUFFER_BYTES_MAX  (64ull << 30)
#define TASK_OPS_MAX	       (1ull << 63)
#define DISPUTE_COST_MAX       (1ull << 28)
#define DISPUTE_OPEN_BYTES_MAX (16u << 20)
#define DISPUTE_CTAS_MAX       (1u << 16) /* of a launch that is one sample */
#define JOB_TASKS_MAX	       (1u << 20)
#define JOB_BLOCKS_MAX	       (1u << 21)
#define JOB_FREE_RANGES_MAX    4096u
#define ACCOUNT_JOBS_MAX       4096u
#define ACCOUNT_OFFERS_MAX     256u

/* Requests. */
#define RPC_REQUEST_BYTES_MAX (8u << 20)
#define RPC_DEPTH_MAX	      64u
#define HTTP_HEADER_BYTES_MAX (16u << 10)
#define HTTP_CONNECTIONS_MAX  256u
#define RPC_BATCH_MAX	      100u

#endif /* WEFT_BASE_LIMITS_H */
