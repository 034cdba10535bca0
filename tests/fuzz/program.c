/*
 * Any bytes as a program, header, task, result or judge's record.  What
 * decodes encodes to the same bytes; a program that passes can be walked.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "gpu/program/header.h"
#include "gpu/program/judge.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"
#include "gpu/program/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BACK(in, encode, x)                          \
	do {                                         \
		struct buf b_ = buf_make(64u << 20); \
		encode(&b_, x);                      \
		if (!bytes_eq(buf_bytes(&b_), in))   \
			abort();                     \
		buf_free(&b_);                       \
	} while (0)

static void walk(struct arena *a, const struct program *p)
{
	struct program_walk w;
	struct program_launch l;
	struct program_launch at;
	struct program_header h;
	struct hash id;

	program_walk_start(&w, p);
	for (uint32_t n = 0; n < 1000; n++) {
		enum err err = program_walk_next(&w, &l);

		if (err == ERR_NOT_FOUND)
			break;
		if (err || program_launch_at(p, l.number, &at) ||
		    at.step_index != l.step_index)
			abort();
	}
	if (program_id(a, p, &id))
		abort();
	if (program_header_make(a, p, &h) == ERR_OK &&
	    program_header_fits(a, p, &h))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct bytes in = bytes_of(data, size);
	struct program p;
	struct program_header h;
	struct program_task t;
	struct program_result r;
	struct program_judge_request q;
	struct program_judge_answer w;

	if (!a)
		return 0;
	if (program_decode(a, in, &p) == ERR_OK) {
		BACK(in, program_encode, &p);
		walk(a, &p);
	}
	if (program_header_decode(a, in, &h) == ERR_OK)
		BACK(in, program_header_encode, &h);
	if (program_task_decode(a, in, &t) == ERR_OK)
		BACK(in, program_task_encode, &t);
	if (program_result_decode(a, in, &r) == ERR_OK)
		BACK(in, program_result_encode, &r);
	if (program_judge_request_decode(in, &q) == ERR_OK)
		BACK(in, program_judge_request_encode, &q);
	if (program_judge_answer_decode(in, &w) == ERR_OK)
		BACK(in, program_judge_answer_encode, &w);
	arena_free(a);
	return 0;
}
