/*
 * base/err - one list of everything that a function can return.
 *
 * Each folder has a range of its own.  Codes never leave the process: what
 * peers and users see are reason words (base/reason.h).  ERR_REFUSED and
 * ERR_MALFORMED are about the data at hand, ERR_IO, ERR_NO_MEMORY and
 * ERR_STORE about the environment; our own bugs abort (base/must.h).
 */
#ifndef WEFT_BASE_ERR_H
#define WEFT_BASE_ERR_H

/* name, number, words */
#define ERR_LIST(X)                                                      \
	/* base: 0-99 */                                                 \
	X(ERR_OK, 0, "ok")                                               \
	X(ERR_REFUSED, 1, "refused: the input breaks a rule")            \
	X(ERR_MALFORMED, 2, "malformed: not the canonical form")         \
	X(ERR_LIMIT, 3, "a limit was passed")                            \
	X(ERR_NO_MEMORY, 4, "out of memory")                             \
	X(ERR_NOT_FOUND, 5, "not found")                                 \
	X(ERR_OVERFLOW, 6, "arithmetic overflow")                        \
	X(ERR_IO, 7, "input or output failed")                           \
	X(ERR_UNSUPPORTED, 8, "not supported here")                      \
	X(ERR_EXISTS, 9, "already there")                                \
	X(ERR_BUSY, 10, "busy")                                          \
	X(ERR_PROOF, 11, "a Merkle proof does not check")                \
	X(ERR_SIGNATURE, 12, "a signature does not check")               \
	X(ERR_TIMEOUT, 13, "timed out")                                  \
	/* gpu/ptx: 100-149 */                                           \
	X(ERR_PTX_SYNTAX, 100, "not PTX")                                \
	X(ERR_PTX_UNKNOWN, 101, "unknown PTX instruction or modifier")   \
	/* gpu/program: 150-199, gpu/exec: 200-249 */                    \
	X(ERR_EXEC_REFUSED, 200, "cannot be executed exactly")           \
	/* gpu/build: 250-299 */                                         \
	X(ERR_MANIFEST, 250, "the manifest is wrong")                    \
	X(ERR_COMPILE, 251, "the compiler refused the source")           \
	X(ERR_NO_COMPILER, 252, "NVRTC is not installed")                \
	/* gpu/client, gpu/worker: 300-349 */                            \
	X(ERR_WORKER_DIED, 300, "the worker process died")               \
	X(ERR_WORKER_LIED, 301, "the worker process broke its protocol") \
	/* gpu/cuda: 350-399 */                                          \
	X(ERR_NO_CUDA, 350, "no CUDA driver or card")                    \
	X(ERR_CUDA, 351, "the CUDA driver reports an error")             \
	/* ledger: 400-449 */                                            \
	X(ERR_STORE, 400, "the store failed")                            \
	/* market: 450-499, verify: 500-549 */                           \
	X(ERR_REFEREE, 500, "the referee's process failed")              \
	/* wallet: 550-599 */                                            \
	X(ERR_PASSPHRASE, 550, "wrong passphrase")                       \
	/* rpc: 600-649, node: 650-699, cli: 700-749 */                  \
	X(ERR_UNREACHABLE, 650, "cannot reach the node")

enum err {
#define X(name, number, words) name = number,
	ERR_LIST(X)
#undef X
};

/* The identifier ("ERR_LIMIT"); "ERR_?" for a number not in the list. */
const char *err_name(enum err e);

/* The words for a person; never NULL. */
const char *err_words(enum err e);

#endif /* WEFT_BASE_ERR_H */
