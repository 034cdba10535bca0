/*
 * Launches with the class that the rules give them: tests/vectors/class, made
 * by hand.  None that must be refused may pass.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "gpu/ptx/classify.h"
#include "tests/gpu/ptx/kit.h"

#define BOUND_MAX 8

struct shot {
	struct ptx_launch launch;
	struct ptx_bound bound[BOUND_MAX];
	uint8_t params[256];
};

struct tally {
	uint32_t files, refused, honest;
};

static struct bytes text_of(struct arena *a, const json_t *lines)
{
	struct buf text = buf_make(1u << 20);
	struct bytes copy;
	size_t i;
	json_t *line;

	json_array_foreach((json_t *)lines, i, line)
	{
		buf_put_str(&text, json_string_value(line));
		buf_put_str(&text, "\n");
	}
	copy = arena_copy(a, buf_bytes(&text));
	buf_free(&text);
	return copy;
}

static uint64_t number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void take_arg(struct shot *s, const json_t *arg, uint32_t offset,
		     uint32_t bytes)
{
	uint64_t v = number(arg, bytes == 8 ? "u64" : "u32");

	if (json_object_get(arg, "buffer")) {
		cr_assert_lt(s->launch.bound_count, (uint32_t)BOUND_MAX);
		s->bound[s->launch.bound_count++] = (struct ptx_bound){
			.param_offset = offset,
			.buffer = (uint32_t)number(arg, "buffer"),
			.offset = number(arg, "offset")};
		return;
	}
	for (uint32_t i = 0; i < bytes; i++)
		s->params[offset + i] = (uint8_t)(v >> (8 * i));
}

static void take_launch(struct shot *s, const struct ptx_function *k,
			const json_t *launch)
{
	const json_t *args = json_object_get(launch, "args");

	*s = (struct shot){0};
	for (uint32_t i = 0; i < 3; i++) {
		s->launch.grid[i] = (uint32_t)json_integer_value(
			json_array_get(json_object_get(launch, "grid"), i));
		s->launch.block[i] = (uint32_t)json_integer_value(
			json_array_get(json_object_get(launch, "block"), i));
	}
	s->launch.shared_bytes = (uint32_t)number(launch, "shared");
	s->launch.stack_bytes = (uint32_t)number(launch, "stack");
	s->launch.bound = s->bound;
	s->launch.params = bytes_of(s->params, k->param_bytes);
	cr_assert_eq(json_array_size(args), k->param_count);
	for (uint32_t i = 0; i < k->param_count; i++)
		take_arg(s, json_array_get(args, i), k->params[i].offset,
			 k->params[i].bytes);
}

static void check_file(const char *path, const char *name, struct tally *t)
{
	json_error_t error;
	json_t *v = json_load_file(path, 0, &error);
	const json_t *expect = json_object_get(v, "expect");
	const char *cls = json_string_value(json_object_get(expect, "class"));
	const char *why = json_string_value(json_object_get(expect, "reason"));
	const char *independence =
		json_string_value(json_object_get(expect, "independence"));
	struct arena *a = kit_arena();
	const struct ptx_module *m;
	struct ptx_report r;
	struct shot s;
	const char *got;
	uint32_t k;

	cr_assert_not_null(v, "%s: %s", name, error.text);
	cr_assert(cls && why, "%s", name);
	m = kit_parse(a, text_of(a, json_object_get(v, "ptx")));
	k = kit_find(m, json_string_value(json_object_get(v, "kernel")));
	take_launch(&s, &m->functions[k], json_object_get(v, "launch"));
	cr_assert_eq(ptx_classify(a, m, k, &s.launch, &r), ERR_OK, "%s", name);
	got = r.reason_count ? ptx_why_word(r.reasons[0].why) : "";
	cr_expect_eq(ptx_sale_letter(r.sale), cls[0], "%s is %c (%s), not %s",
		     name, ptx_sale_letter(r.sale), got, cls);
	cr_expect_str_eq(got, why, "%s: %s, not %s", name, got, why);
	if (independence)
		cr_expect_eq(r.independence == PTX_PROVED,
			     strcmp(independence, "proved") == 0,
			     "%s is not %s", name, independence);
	t->files++;
	t->refused += strchr("CDX", cls[0]) != NULL;
	t->honest += strchr("ABRS", cls[0]) != NULL;
	arena_free(a);
	json_decref(v);
}

Test(ptx_vectors, every_launch_has_its_class)
{
	const char *folder = WEFT_SOURCE_DIR "/tests/vectors/class";
	DIR *d = opendir(folder);
	struct tally t = {0};
	struct dirent *e;
	char path[1024];

	cr_assert_not_null(d);
	while ((e = readdir(d))) {
		const char *dot = strrchr(e->d_name, '.');

		if (!dot || strcmp(dot, ".json") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		check_file(path, e->d_name, &t);
	}
	closedir(d);
	cr_expect_geq(t.refused, 60u);
	cr_expect_geq(t.honest, 30u);
	cr_log_info("%u launches: %u refused, %u sold", t.files, t.refused,
		    t.honest);
}
