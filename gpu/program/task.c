#include "gpu/program/task.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/merkle.h"

void program_task_encode(struct buf *out, const struct program_task *t)
{
	enc_array(out, 5);
	enc_uint(out, PROGRAM_TASK_VERSION);
	enc_hash(out, &t->program_id);
	enc_uint(out, t->index);
	enc_array(out, t->input_count);
	for (uint32_t i = 0; i < t->input_count; i++) {
		enc_array(out, 2);
		enc_hash(out, &t->inputs[i].root);
		enc_uint(out, t->inputs[i].length_bytes);
	}
	enc_array(out, t->column_count);
	for (uint32_t i = 0; i < t->column_count; i++)
		enc_int(out, t->columns[i]);
}

enum err program_task_decode(struct arena *a, struct bytes in,
			     struct program_task *ret_task)
{
	struct dec d = dec_make(in);
	struct program_task t = {0};

	if (in.n > PROGRAM_TASK_BYTES_MAX)
		return ERR_LIMIT;
	dec_array_exact(&d, 5);
	if (dec_uint(&d, UINT32_MAX) != PROGRAM_TASK_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	t.program_id = dec_hash(&d);
	t.index = dec_uint(&d, JOB_TASKS_MAX - 1);
	t.input_count = dec_array(&d, PROGRAM_BUFFERS_MAX);
	t.inputs = ARENA_ARRAY(a, t.input_count + 1, struct program_input);
	for (uint32_t i = 0; t.inputs && i < t.input_count; i++) {
		dec_array_exact(&d, 2);
		t.inputs[i].root = dec_hash(&d);
		t.inputs[i].length_bytes = dec_uint(&d, TASK_BUFFER_BYTES_MAX);
	}
	if (!t.inputs)
		return ERR_NO_MEMORY;
	t.column_count = dec_array(&d, PROGRAM_COLUMNS_MAX);
	t.columns = ARENA_ARRAY(a, t.column_count + 1, int64_t);
	if (!t.columns)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < t.column_count; i++)
		t.columns[i] = dec_int(&d);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_task = t;
	return ERR_OK;
}

static bool column_fits(enum program_column kind, int64_t v)
{
	switch (kind) {
	case PROGRAM_COLUMN_F16:
		return v >= 0 && v <= UINT16_MAX;
	case PROGRAM_COLUMN_F32:
		return v >= 0 && v <= UINT32_MAX;
	case PROGRAM_COLUMN_INT:
	case PROGRAM_COLUMN_F64:
		break;
	}
	return true;
}

enum err program_task_fits(const struct program *p,
			   const struct program_task *t)
{
	uint32_t n = 0;

	if (t->input_count != program_input_count(p) ||
	    t->column_count != p->column_count)
		return ERR_REFUSED;
	for (uint32_t i = 0; i < p->buffer_count; i++) {
		if (p->buffers[i].init != PROGRAM_INIT_INPUT)
			continue;
		if (t->inputs[n++].length_bytes > p->buffers[i].bytes)
			return ERR_REFUSED;
	}
	for (uint32_t i = 0; i < p->column_count; i++)
		if (!column_fits(p->columns[i], t->columns[i]))
			return ERR_REFUSED;
	return ERR_OK;
}

struct hash program_task_leaf(struct bytes encoded_task)
{
	return merkle_item(encoded_task.p, encoded_task.n);
}

struct program_env program_task_env(const struct program_env *loops,
				    const struct program_task *t)
{
	struct program_env env = *loops;

	env.task_index = (int64_t)t->index;
	env.columns = t->columns;
	env.column_count = t->column_count;
	return env;
}

enum err program_list_prove(struct arena *a, const struct hash *leaves,
			    uint64_t list_count, uint64_t first,
			    uint64_t item_count, struct hash **ret_proof,
			    size_t *ret_proof_count)
{
	struct merkle_range range = {first, item_count};

	return merkle_prove(a, leaves, list_count, &range, 1, ret_proof,
			    ret_proof_count);
}

enum err program_list_check(const struct hash *root, uint64_t list_count,
			    uint64_t first, const struct hash *leaves,
			    uint64_t item_count, const struct hash *proof,
			    size_t proof_count)
{
	struct merkle_range range = {first, item_count};
	struct hash tree;
	enum err err =
		merkle_check(list_count, &range, 1, leaves, (size_t)item_count,
			     proof, proof_count, &tree);
	struct hash got;

	if (err)
		return err;
	got = merkle_list_wrap(list_count, &tree);
	return hash_eq(&got, root) ? ERR_OK : ERR_PROOF;
}
