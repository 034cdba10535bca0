/*
 * Questions about a loaded module, names of reasons and lanes.
 */
#include <cpuid.h>
#include <string.h>

#include "base/must.h"
#include "gpu/exec/priv/lanes.h"
#include "gpu/exec/priv/op.h"

struct reason_row {
	const char *word;
	const char *text;
};

static const struct reason_row reasons[] = {
#define X(word_, number, words) [number] = {#word_, words},
	EXEC_REASON_LIST(X)
#undef X
};

#define REASON_COUNT (sizeof(reasons) / sizeof(reasons[0]))

const char *exec_reason_word(enum exec_reason r)
{
	return (size_t)r < REASON_COUNT ? reasons[r].word : NULL;
}

const char *exec_reason_text(enum exec_reason r)
{
	return (size_t)r < REASON_COUNT ? reasons[r].text : NULL;
}

uint32_t exec_kernel_count(const struct exec_module *m)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->function_count; i++)
		n += m->functions[i].is_entry;
	return n;
}

void exec_kernel_at(const struct exec_module *m, uint32_t index,
		    struct exec_kernel *ret_kernel)
{
	for (uint32_t i = 0; i < m->function_count; i++) {
		if (m->functions[i].is_entry && index-- == 0) {
			*ret_kernel = m->functions[i].kernel;
			return;
		}
	}
	must(false);
}

static const struct function *find(const struct exec_module *m,
				   struct bytes name)
{
	for (uint32_t i = 0; i < m->function_count; i++) {
		if (m->functions[i].is_entry &&
		    bytes_eq(m->functions[i].name, name))
			return &m->functions[i];
	}
	return NULL;
}

enum err exec_kernel_find(const struct exec_module *m, struct bytes name,
			  struct exec_kernel *ret_kernel)
{
	const struct function *f = find(m, name);
	if (f == NULL)
		return ERR_NOT_FOUND;
	*ret_kernel = f->kernel;
	return ERR_OK;
}

void exec_kernel_param(const struct exec_module *m, struct bytes kernel,
		       uint32_t index, struct exec_param *ret_param)
{
	const struct function *f = find(m, kernel);
	must(f != NULL && index < f->param_count);
	*ret_param = f->params[index];
}

uint32_t exec_variable_count(const struct exec_module *m)
{
	return m->variable_count;
}

void exec_variable_at(const struct exec_module *m, uint32_t index,
		      struct exec_variable *ret_variable)
{
	must(index < m->variable_count);
	*ret_variable = m->variables[index].public;
}

enum exec_lanes exec_lanes_best(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512cd"))
		return EXEC_LANES_AVX512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("bmi2"))
		return EXEC_LANES_AVX2;
	return EXEC_LANES_PLAIN;
}

static const char *const lane_names[] = {"auto", "plain", "avx2", "avx512"};

const char *exec_lanes_name(enum exec_lanes lanes)
{
	return (size_t)lanes < 4 ? lane_names[lanes] : "?";
}

enum err exec_lanes_parse(struct bytes name, enum exec_lanes *ret_lanes)
{
	for (uint32_t i = 0; i < 4; i++) {
		if (bytes_eq(name, bytes_str(lane_names[i]))) {
			*ret_lanes = (enum exec_lanes)i;
			return ERR_OK;
		}
	}
	return ERR_NOT_FOUND;
}
