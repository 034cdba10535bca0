/*
 * Manifests: tests/vectors/build/wrong.txt holds wrong ones, each with the
 * whole message that a user must read.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/manifest.h"

static struct build_files no_files(struct build_files_memory *m)
{
	*m = (struct build_files_memory){NULL, 0};
	return build_files_memory(m);
}

static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(4u << 20);

	cr_assert(f && text, "%s", path);
	*n = fread(text, 1, (4u << 20) - 1, f);
	text[*n] = '\0';
	fclose(f);
	return text;
}

/* Text between "### name\n" and "=> message\n". */
struct wrong {
	const char *name, *message;
	int name_n, message_n;
	struct bytes json;
};

static const char *next_case(const char *p, struct wrong *w)
{
	const char *json, *mark;

	p = strstr(p, "\n### ");
	if (!p)
		return NULL;
	w->name = p + 5;
	json = strchr(w->name, '\n') + 1;
	w->name_n = (int)(json - 1 - w->name);
	mark = strstr(json - 1, "\n=> ");
	cr_assert(mark, "no message for %.*s", w->name_n, w->name);
	w->json = bytes_of(json, mark < json ? 0 : (size_t)(mark - json));
	w->message = mark + 4;
	w->message_n = (int)strcspn(w->message, "\n");
	return w->message;
}

static void message_of(struct bytes json, struct buf *out)
{
	struct build_files_memory mem;
	struct build_files files = no_files(&mem);
	struct arena *a = arena_new(64u << 20);
	struct manifest m;
	struct build_diag d;
	enum err err = manifest_read(a, json, "m.json", &files, &m, &d);

	if (err == ERR_OK)
		buf_put_str(out, "(accepted)");
	else
		build_diag_put(out, &d);
	cr_expect(err == ERR_OK || err == ERR_MANIFEST, "%s", err_name(err));
	arena_free(a);
}

Test(manifest, wrong_ones_say_why)
{
	size_t n, count = 0;
	char *text =
		slurp(WEFT_SOURCE_DIR "/tests/vectors/build/wrong.txt", &n);
	struct wrong w;

	for (const char *p = text; (p = next_case(p, &w)) != NULL; count++) {
		struct buf got = buf_make(4096);

		message_of(w.json, &got);
		cr_expect(got.n == (size_t)w.message_n &&
				  memcmp(got.p, w.message, got.n) == 0,
			  "%.*s:\n  got  %.*s\n  want %.*s", w.name_n, w.name,
			  (int)got.n, (const char *)got.p, w.message_n,
			  w.message);
		buf_free(&got);
	}
	cr_expect(count >= 60, "only %zu cases", count);
	free(text);
}

/* The manifest with every key, and what the reader made of it. */
static void read_all_keys(struct arena *a, struct manifest *m)
{
	size_t n;
	char *text = slurp(
		WEFT_SOURCE_DIR "/tests/fuzz/corpus/manifest/all_keys", &n);
	struct bytes copy = arena_copy(a, bytes_of(text, n));
	struct build_files_memory mem;
	struct build_files files = no_files(&mem);
	struct build_diag d = {0};

	free(text);
	cr_assert_eq(manifest_read(a, copy, "m.json", &files, m, &d), ERR_OK,
		     "%u:%u %s", d.at.line, d.at.column, d.text);
}

static int64_t eval(const struct manifest *m, const struct manifest_expr *e,
		    int64_t task, int64_t i)
{
	int64_t columns[8], v = -1;
	struct program_env env = {.repeat = {i},
				  .repeat_count = 1,
				  .task_index = task,
				  .columns = columns,
				  .column_count = m->carried_count};

	for (uint32_t c = 0; c < m->carried_count; c++)
		cr_assert_eq(manifest_carried_value(m, c, (uint64_t)task,
						    &columns[c]),
			     ERR_OK);
	cr_assert_eq(program_expr_eval(&e->expr, &env, &v), ERR_OK);
	return v;
}

Test(manifest, every_key_is_read)
{
	struct arena *a = arena_new(64u << 20);
	struct manifest m;

	read_all_keys(a, &m);
	cr_expect_eq(m.source_count, 2);
	cr_expect_eq(m.sources[1].kind, BUILD_SOURCE_TEXT);
	cr_expect_str_eq(m.defines[0].value, "16");
	cr_expect_str_eq(m.defines[1].value, "1");
	cr_expect_str_eq(m.defines[2].value, "float");
	cr_expect(!m.fmad && m.stack_bytes == 1024 && m.include_count == 1);
	cr_expect_eq(m.buffer_count, 5);
	cr_expect_eq(m.buffers[0].size_bytes, 256);
	cr_expect(m.buffers[0].is_padded && m.buffers[1].is_png);
	/* n*n - (n + 1) / 2 % 3 = 4096 - 65 / 2 % 3 = 4096 - 2 */
	cr_expect_eq(m.buffers[1].size_bytes, 4094 * 4);
	cr_expect_eq(m.buffers[2].from.kind, BUILD_SOURCE_BLOB);
	cr_expect_eq(m.buffers[3].fill, 255);
	cr_expect_eq(m.symbol_count, 2);
	cr_expect_eq(m.task_count, 2);
	cr_expect(m.limit_ops == 2000000000 && m.cta_ops == 100 &&
		  m.seconds == 60 && m.unit_per_task == 4096);
	cr_expect(m.device == MANIFEST_DEVICE_GPU && m.sm_min == 80 &&
		  m.memory_min_bytes == 1048576);
	cr_expect(m.confidence == MANIFEST_TASKS && m.check_task_count == 2 &&
		  m.trace_segments);
	cr_expect(m.picture.is_set && !m.picture.is_auto &&
		  m.picture.low == -1 && m.picture.high == 1.5 &&
		  m.picture.map == MANIFEST_MAP_SIGNED);
	cr_expect(m.table_view.is_descending && m.table_view.top == 5 &&
		  m.table_view.series_count == 3);
	arena_free(a);
}

Test(manifest, arguments_have_their_bits)
{
	static const int64_t want[] = {
		/* u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64 */
		255, 1,		0,	-1,	    -128,  -1,
		-64, INT64_MIN, 0x7bff, 0x3f800000, 0x7e8,
	};
	struct arena *a = arena_new(64u << 20);
	struct manifest m;
	const struct manifest_arg *arg;

	read_all_keys(a, &m);
	arg = m.steps[0].args;
	cr_assert_eq(m.steps[0].arg_count, 19);
	cr_expect_eq(arg[0].kind, MANIFEST_ARG_BUFFER);
	cr_expect_eq(eval(&m, &arg[1].value, 0, 0), 4);
	cr_expect_eq(arg[2].kind, MANIFEST_ARG_NULL);
	for (int i = 0; i < 11; i++)
		cr_expect_eq(eval(&m, &arg[3 + i].value, 0, 0), want[i],
			     "argument %d: %lld", 4 + i,
			     (long long)eval(&m, &arg[3 + i].value, 0, 0));
	cr_expect_eq(arg[6].type, PROGRAM_TYPE_B64, "2^64 - 1 as raw bits");
	cr_expect_eq(eval(&m, &arg[14].value, 0, 0), 0x3f000000, "0.5");
	cr_expect_eq(eval(&m, &arg[14].value, 1, 0), 0x447a0000, "1e3");
	cr_expect_eq(eval(&m, &arg[15].value, 0, 0), 0x7ff8000000000000);
	cr_expect_eq(eval(&m, &arg[16].value, 0, 0), 0xfc00);
	cr_expect_eq(eval(&m, &arg[4].value, 1, 0), -2, "column num");
	cr_expect_eq(arg[17].at_count, 1);
	cr_expect_eq(arg[17].ats[0].byte, 8);
	cr_expect_eq(arg[18].kind, MANIFEST_ARG_LENGTH);
	arena_free(a);
}

Test(manifest, loops_and_late_names)
{
	struct arena *a = arena_new(64u << 20);
	struct manifest m;
	const struct manifest_step *loop;

	read_all_keys(a, &m);
	loop = &m.steps[1];
	cr_assert_eq(loop->kind, MANIFEST_LOOP);
	cr_expect_eq(loop->times, 10);
	cr_expect_eq(loop->step_count, 3);
	cr_expect_eq(eval(&m, &loop->steps[0].from_offset, 0, 7), 28);
	cr_expect_eq(eval(&m, &loop->steps[1].steps[0].with, 0, 7), 1);
	/* late = i * 2 + t */
	cr_expect_eq(eval(&m, &loop->steps[2].args[0].value, 1, 7), 15);
	arena_free(a);
}

Test(manifest, task_names)
{
	struct arena *a = arena_new(64u << 20);
	struct manifest m;

	read_all_keys(a, &m);
	cr_expect(bytes_eq(manifest_task_name(a, &m, m.buffers[3].save, 1),
			   BYTES_LIT("o/1-B,2.bin")));
	cr_expect(bytes_eq(manifest_task_name(a, &m, m.buffers[0].from.name, 1),
			   BYTES_LIT("in-1.bin")));
	cr_expect(manifest_name_is_per_task(&m, m.buffers[3].save));
	cr_expect(!manifest_name_is_per_task(&m, m.buffers[4].save));
	arena_free(a);
}

/* Every whole manifest of the user's page, each between fences. */
Test(manifest, the_page_is_true)
{
	size_t n, count = 0;
	char *text = slurp(WEFT_SOURCE_DIR "/doc/manifest.md", &n);
	const char *p = text;

	while ((p = strstr(p, "\n```json\n")) != NULL) {
		const char *json = p + strlen("\n```json\n");
		const char *end = strstr(json, "\n```\n");
		struct buf message = buf_make(4096);

		cr_assert(end, "a fence is open");
		message_of(bytes_of(json, (size_t)(end - json)), &message);
		cr_expect(
			bytes_eq(buf_bytes(&message), BYTES_LIT("(accepted)")),
			"%.*s", (int)message.n, (const char *)message.p);
		buf_free(&message);
		count++;
		p = end;
	}
	cr_expect_eq(count, 5u);
	free(text);
}
