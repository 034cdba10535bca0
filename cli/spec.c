/*
 * A table of the words before the first colon; scalars are number.h's.
 */
#include "cli/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/work.h"
#include "gpu/build/number.h"

static enum cli_exit bad(struct cli *c, const char *text, const char *why)
{
	return cli_usage(c, "--arg %s: %s", text, why);
}

static enum cli_exit add_bytes(struct cli *c, struct spec_list *l,
			       struct bytes type, struct bytes value)
{
	if (l->arg_count == PROGRAM_ARGS_MAX)
		return cli_usage(c, "over %u arguments", PROGRAM_ARGS_MAX);
	l->args[l->arg_count++] = (struct job_ptx_arg){
		.bytes = value,
		.type = type,
	};
	return CLI_DONE;
}

/* Takes m over. */
static enum cli_exit add_buffer(struct cli *c, struct spec_list *l,
				struct bytes type, struct memory m,
				const char *out)
{
	uint32_t i = l->buffer_count;

	if (i == JOB_BUFFERS_MAX || l->arg_count == PROGRAM_ARGS_MAX) {
		memory_free(&m);
		return cli_usage(c, "over %u buffers", JOB_BUFFERS_MAX);
	}
	l->buffers[i] = (struct job_buffer){m.bytes, true};
	l->memory[i] = m;
	l->fds[i] = m.fd;
	l->out[i] = out;
	l->args[l->arg_count++] = (struct job_ptx_arg){
		.is_buffer = true,
		.buffer = i,
		.type = type,
	};
	l->buffer_count++;
	return CLI_DONE;
}

static enum cli_exit scalar(struct cli *c, struct spec_list *l,
			    const char *text, struct bytes type,
			    const char *value)
{
	unsigned size;
	uint64_t bits;
	uint8_t *raw = arena_alloc(c->arena, 8, 8);
	enum err e = number_typed(type, bytes_str(value), &size, &bits);

	if (!raw)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	if (e == ERR_OVERFLOW)
		return bad(c, text, "the value is outside the type's range");
	if (e)
		return bad(c, text, "not a value of this type");
	put_u64_le(raw, bits);
	return add_bytes(c, l, type, bytes_of(raw, size));
}

static enum cli_exit hex(struct cli *c, struct spec_list *l, const char *text,
			 struct bytes type, const char *value)
{
	size_t n = strlen(value);
	uint8_t *raw = arena_alloc(c->arena, n / 2 + 1, 8);

	if (!raw)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	if (n % 2 || hex_decode(bytes_str(value), raw, n / 2))
		return bad(c, text, "takes an even number of hex digits");
	return add_bytes(c, l, type, bytes_of(raw, n / 2));
}

/* A size in bytes: decimal or 0x. */
static bool size_of(const char *text, uint64_t *ret)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text < '0' || *text > '9' ||
	    n > TASK_BUFFER_BYTES_MAX)
		return false;
	*ret = n;
	return true;
}

static enum cli_exit zeroes(struct cli *c, struct spec_list *l,
			    const char *text, struct bytes type,
			    const char *size, const char *out)
{
	struct memory m;
	uint64_t bytes;

	if (!size_of(size, &bytes))
		return bad(c, text, "the size is a number of bytes");
	if (memory_new("buffer", bytes, &m))
		return cli_fail(c, CLI_FAILED, "no_memory",
				"no memory for --arg %s", text);
	return add_buffer(c, l, type, m, out);
}

static enum cli_exit file(struct cli *c, struct spec_list *l, struct bytes type,
			  const char *path, const char *out)
{
	struct memory m;
	enum cli_exit code = work_load(c, path, &m);

	return code ? code : add_buffer(c, l, type, m, out);
}

/* "A:B" at its last colon. */
static bool divide(struct cli *c, const char *text, const char **ret_a,
		   const char **ret_b)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1])
		return false;
	*ret_a = arena_str(c->arena, bytes_of(text, (size_t)(colon - text)));
	*ret_b = colon + 1;
	return *ret_a != NULL;
}

static bool is(struct bytes type, const char *word)
{
	return bytes_eq(type, bytes_str(word));
}

static enum cli_exit with_buffer(struct cli *c, struct spec_list *l,
				 const char *text, struct bytes type,
				 const char *value)
{
	const char *a;
	const char *b;

	if (is(type, "tmp"))
		return zeroes(c, l, text, type, value, NULL);
	if (is(type, "in"))
		return file(c, l, type, value, NULL);
	if (!divide(c, value, &a, &b))
		return bad(c, text,
			   is(type, "out") ? "is out:PATH:BYTES"
					   : "is inout:PATH_IN:PATH_OUT");
	if (is(type, "out"))
		return zeroes(c, l, text, type, b, a);
	return file(c, l, type, a, b);
}

enum cli_exit spec_add(struct cli *c, struct spec_list *l, const char *text)
{
	static const uint8_t null[8];
	const char *colon = strchr(text, ':');
	struct bytes type;

	if (!strcmp(text, "null"))
		return add_bytes(c, l, BYTES_LIT("null"), bytes_of(null, 8));
	if (!colon)
		return bad(c, text,
			   "is TYPE:VALUE, in:PATH, out:PATH:BYTES, "
			   "inout:PATH:PATH, tmp:BYTES or null");
	type = bytes_of(text, (size_t)(colon - text));
	if (is(type, "in") || is(type, "out") || is(type, "inout") ||
	    is(type, "tmp"))
		return with_buffer(c, l, text, type, colon + 1);
	if (is(type, "bytes"))
		return hex(c, l, text, type, colon + 1);
	return scalar(c, l, text, type, colon + 1);
}

enum cli_exit spec_write(struct cli *c, const struct spec_list *l)
{
	for (uint32_t i = 0; i < l->buffer_count; i++) {
		enum cli_exit code;

		if (!l->out[i])
			continue;
		code = work_write(c, l->out[i],
				  bytes_of(l->memory[i].p, l->memory[i].bytes));
		if (code)
			return code;
	}
	return CLI_DONE;
}

void spec_free(struct spec_list *l)
{
	for (uint32_t i = 0; i < l->buffer_count; i++)
		memory_free(&l->memory[i]);
}
