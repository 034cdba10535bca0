/*
 * tests/cli/run - the real binary, run without a shell.
 */
#ifndef WEFT_TESTS_CLI_RUN_H
#define WEFT_TESTS_CLI_RUN_H

#include <jansson.h>
#include <stddef.h>

struct run {
	int code; /* exit code; -1: killed */
	char out[1u << 16];
	char err[1u << 16];
};

/* Run weft with these arguments (NULL at the end) in the test's folder. */
void run_weft(struct run *r, const char *const *argv);

/* The same, written as a list. */
#define WEFT(r, ...) run_weft(r, (const char *const[]){__VA_ARGS__, NULL})

/* A fresh folder, made the working directory; removed by run_leave. */
void run_enter(void);
void run_leave(void);

void run_write(const char *path, const void *p, size_t n);
void run_write_text(const char *path, const char *text);
size_t run_read(const char *path, void *p, size_t max); /* (size_t)-1: none */

/* Standard output as JSON; a failed test if it is not exactly one value. */
json_t *run_json(const struct run *r);

#endif /* WEFT_TESTS_CLI_RUN_H */
