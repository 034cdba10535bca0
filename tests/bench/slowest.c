/*
 * tests/bench/slowest - how long a dispute can take at most.
 *
 *   slowest [--whole] [--plain] [--lanes NAME] [SHAPE]...
 *
 * Each shape is a kernel of one CTA that never ends, made to take long for
 * what it costs: one thread alone, threads that all stand elsewhere, lanes
 * that go one by one, numbers that the hardware is slow with.  It runs under
 * the sanitizer until its cost is a 64th of what a dispute may cost (--whole:
 * all of it); the line tells the seconds for all of it.  The goal is 1 s for
 * the slowest.  Exits 1 when a shape does not load or ends otherwise.
 */
#define _GNU_SOURCE /* allowed: clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/limits.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

#define BUFFER_BYTES (1u << 20)
#define TEXT_MAX     (1u << 20)

struct shape {
	const char *name;
	uint32_t threads;
	uint32_t repeats; /* of the body in the loop */
	const char *body; /* $ is the number of the repeat */
};

/* In the body: %t the thread, %n a count of turns, %p0 false, %p1 true,
 * %x and %y values that change, %d0 a buffer's word of this thread, %d1 the
 * buffer, %l0 local, %s0 shared; %f, %g subnormal floats. */
static const struct shape shapes[] = {
	{"add-1", 1, 64, "add.u32 %x, %x, %y;"},
	{"add-1024", 1024, 64, "add.u32 %x, %x, %y;"},
	{"off-1", 1, 64, "@%p0 add.u32 %x, %x, %y;"},
	{"setp-1", 1, 64, "setp.eq.u32 %p2, %x, %y;"},
	{"loop-1", 1, 1, "add.u32 %x, %x, %y;"},
	{"bra-1", 1, 64, "bra L$;\nL$:"},
	{"bra-half-1024", 1024, 64, "@%p3 bra L$;\nadd.u32 %x, %x, 1;\nL$:"},
	{"div-u32-1", 1, 64, "div.u32 %x, %x, %y;"},
	{"div-u64-1", 1, 64, "div.u64 %a, %a, %b;"},
	{"div-u64-1024", 1024, 64, "div.u64 %a, %a, %b;"},
	{"rem-s64-1024", 1024, 64, "rem.s64 %a, %a, %b;"},
	{"mul-hi-1024", 1024, 64, "mul.hi.u64 %a, %a, %b;"},
	{"prmt-1024", 1024, 64, "prmt.b32 %x, %x, %y, %t;"},
	{"bfe-1024", 1024, 64, "bfe.s64 %a, %a, %x, %y;"},
	{"fma-tiny-1024", 1024, 64, "fma.rn.f32 %f, %g, 0f3f7fffff, %g;"},
	{"fma-tiny-1", 1, 64, "fma.rn.f32 %f, %g, 0f3f7fffff, %g;"},
	{"mul-tiny-1", 1, 64, "mul.rn.f32 %f, %g, 0f3f7fffff;"},
	{"add-tiny-1", 1, 64, "add.rn.f32 %f, %g, %g;"},
	{"div-tiny-1", 1, 64, "div.rn.f32 %f, %g, 0f3f7fffff;"},
	{"mul-f64-tiny-1", 1, 64, "mul.rn.f64 %u, %v, 0d3fefffffffffffff;"},
	{"fma-f64-tiny-1", 1, 64, "fma.rn.f64 %u, %v, 0d3fefffffffffffff, %v;"},
	{"add-f64-tiny-1", 1, 64, "add.rn.f64 %u, %v, %v;"},
	{"narrow-tiny-1", 1, 64, "cvt.rn.f32.f64 %f, %u;"},
	{"widen-tiny-1", 1, 64, "cvt.f64.f32 %u, %g;"},
	{"mul-f64-tiny-1024", 1024, 64,
	 "mul.rn.f64 %u, %v, 0d3fefffffffffffff;"},
	{"div-f64-1024", 1024, 64, "div.rn.f64 %u, %v, %w;"},
	{"div-f64-1", 1, 64, "div.rn.f64 %u, %v, %w;"},
	{"sqrt-f64-1024", 1024, 64, "sqrt.rn.f64 %u, %v;"},
	{"rounding-1", 1, 32, "add.rm.f32 %f, %f, %g;\nadd.rp.f32 %f, %f, %g;"},
	{"fma-f16-1024", 1024, 64, "fma.rn.f16x2 %x, %x, %y, %y;"},
	{"cvt-f16-1024", 1024, 64, "cvt.rz.f16.f64 %h, %v;"},
	{"cvt-s64-1024", 1024, 64, "cvt.rzi.s64.f64 %a, %w;"},
	{"ld-1", 1, 64, "ld.global.u32 %x, [%d0];"},
	{"ld-1024", 1024, 64, "ld.global.u32 %x, [%d0];"},
	{"ld-far-1024", 1024, 64,
	 "mad.lo.u32 %x, %x, 1664525, %y;\nand.b32 %z, %x, 0xffffc;\n"
	 "cvt.u64.u32 %a, %z;\nadd.u64 %a, %a, %d1;\nld.global.u32 %z, [%a];"},
	{"ld-v4-1024", 1024, 64, "ld.global.v4.u32 {%x, %z, %z, %z}, [%d2];"},
	{"ld-u8-1024", 1024, 64, "ld.global.u8 %x, [%d0];"},
	{"st-1", 1, 64, "st.global.u32 [%d0], %y;"},
	{"st-1024", 1024, 64, "st.global.u32 [%d0], %y;"},
	{"st-v4-1024", 1024, 64, "st.global.v4.u32 [%d2], {%y, %y, %y, %y};"},
	{"shared-1024", 1024, 32,
	 "st.shared.u32 [%s0], %y;\nld.shared.u32 %x, [%s0];"},
	{"local-1024", 1024, 32,
	 "st.local.u32 [%l0], %y;\nld.local.u32 %x, [%l0];"},
	{"atom-1", 1, 64, "atom.global.add.u32 %x, [%d1], %y;"},
	{"atom-1024", 1024, 64, "atom.global.add.u32 %x, [%d1], %y;"},
	{"red-f32-1024", 1024, 64, "red.global.add.f32 [%d1], %f;"},
	{"shfl-1024", 1024, 64, "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;"},
	{"shfl-32", 32, 64, "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;"},
	{"shfl-1", 1, 64, "shfl.sync.bfly.b32 %x, %x, 1, 31, 1;"},
	{"vote-32", 32, 64, "vote.sync.ballot.b32 %x, %p1, -1;"},
	{"match-32", 32, 64, "match.any.sync.b32 %x, %t, -1;"},
	{"redux-32", 32, 64, "redux.sync.add.s32 %x, %x, -1;"},
	{"warp-1024", 1024, 64, "bar.warp.sync -1;"},
	{"barrier-1", 1, 64, "bar.sync 0;"},
	{"barrier-1024", 1024, 64, "bar.sync 0;"},
	{"barrier-red-1024", 1024, 64, "bar.red.popc.u32 %x, 0, %p1;"},
	{"call-1", 1, 64, "call (%x), twice, (%y);"},
	{"call-1024", 1024, 64, "call (%x), twice, (%y);"},
	{"apart-1024", 1024, 256,
	 "setp.eq.u32 %p2, %t8, $;\n@%p2 bra L$;\nadd.u32 %x, %x, 1;\nL$:"},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static const char head[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".func (.reg .u32 %r) twice(.reg .u32 %v) { add.u32 %r, %v, %v; ret; }\n"
	".visible .entry k(.param .u64 out) {\n"
	".reg .pred %p<4>; .reg .b16 %h; .reg .b32 %t, %t8, %n, %x, %y, %z;\n"
	".reg .b64 %a, %b, %d<3>; .reg .f32 %f, %g; .reg .f64 %u, %v, %w;\n"
	".reg .b32 %s0, %l0, %lb;\n"
	".shared .align 4 .b8 s[4096];\n.local .align 4 .b8 l[64];\n"
	"ld.param.u64 %d1, [out];\nmov.u32 %t, %tid.x;\n"
	"mul.wide.u32 %d0, %t, 4;\nadd.u64 %d0, %d0, %d1;\n"
	"mul.wide.u32 %d2, %t, 16;\nadd.u64 %d2, %d2, %d1;\n"
	"setp.ne.u32 %p0, %t, %t;\nsetp.eq.u32 %p1, %t, %t;\n"
	"mov.u32 %s0, s;\nshl.b32 %z, %t, 2;\nadd.u32 %s0, %s0, %z;\n"
	"mov.u32 %l0, l;\nand.b32 %t8, %t, 255;\n"
	"and.b32 %z, %t, 1;\nsetp.eq.u32 %p3, %z, 0;\nsetp.eq.u32 %p2, %z, 0;\n"
	"mov.u32 %n, 0;\nmad.lo.u32 %x, %t, 0x9e3779b1, 12345;\n"
	"or.b32 %y, %t, 0x10001;\nmov.b64 %a, {%x, %y};\nmov.b64 %b, {%y, 3};\n"
	"mov.b32 %f, 0x00012345;\nmov.b32 %g, 0x00345678;\n"
	"mov.b64 %u, 0x000123456789abcd;\nmov.b64 %v, 0x000923456789abcd;\n"
	"mov.b64 %w, 0x3ff3456789abcdef;\nmov.b16 %h, 0;\n"
	"st.local.u32 [%l0], 0;\nst.shared.u32 [%s0], %t;\nLOOP:\n";
static const char tail[] = "\nadd.u32 %n, %n, 1;\nsetp.ne.u32 %p2, %n, 0;\n"
			   "@%p2 bra LOOP;\nret;\n}\n";

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The kernel's text; false: too long. */
static bool write_text(const struct shape *s, char *text, size_t room)
{
	size_t n = (size_t)snprintf(text, room, "%s", head);

	for (uint32_t i = 0; i < s->repeats; i++) {
		for (const char *p = s->body; *p != '\0' && n + 16 < room;
		     p++) {
			if (*p == '$')
				n += (size_t)snprintf(text + n, room - n, "%u",
						      i);
			else
				text[n++] = *p;
		}
		text[n++] = '\n';
	}
	n += (size_t)snprintf(text + n, room - n, "%s", tail);
	return n + 16 < room;
}

static struct exec_module *load(struct arena *a, const struct shape *s)
{
	struct exec_refusal why = {.line = 0};
	struct ptx_diag diag = {.line = 0};
	struct exec_module *m = NULL;
	struct ptx_module *pm;
	char *text = arena_alloc(a, TEXT_MAX, 16);

	if (text == NULL || !write_text(s, text, TEXT_MAX))
		return NULL;
	if (ptx_parse(a, bytes_str(text), &pm, &diag) != ERR_OK)
		printf("%s: line %u: %s\n", s->name, diag.line, diag.text);
	else if (exec_module_load(pm, NULL, &m, &why) != ERR_OK)
		printf("%s: line %u: %s\n", s->name, why.line, why.text);
	return m;
}

/* Seconds for the cost of a whole dispute; below 0: it failed. */
static double measure(const struct shape *s, const struct exec_options *options,
		      uint8_t *data)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES + (1u << 26));
	struct exec_module *m = load(a, s);
	struct exec_buffer buffer = {
		.data = data, .bytes = BUFFER_BYTES, .writable = true};
	struct exec_reloc reloc = {0, 0, 0};
	struct exec_launch l = {.kernel = bytes_str("k"),
				.grid = {1, 1, 1},
				.block = {s->threads, 1, 1},
				.relocs = &reloc,
				.reloc_count = 1,
				.buffers = &buffer,
				.buffer_count = 1};
	struct exec_result r = {.cost = 0};
	double seconds = -1;

	if (m != NULL) {
		double begin = cpu_seconds();
		enum err e = exec_run(m, &l, options, a, &r);

		seconds = cpu_seconds() - begin;
		if (e != ERR_OK || r.reason != EXEC_REASON_cost_limit) {
			printf("%s: %s, line %u\n", s->name,
			       exec_reason_word(r.reason), r.line);
			seconds = -1;
		}
		exec_module_free(m);
	}
	arena_free(a);
	if (seconds < 0)
		return -1;
	return seconds * (double)DISPUTE_COST_MAX / (double)r.cost;
}

static bool wanted(int argc, char **argv, int first, const char *name)
{
	for (int i = first; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return first >= argc;
}

int main(int argc, char **argv)
{
	struct exec_options options = EXEC_OPTIONS_DEFAULT;
	uint8_t *data = calloc(BUFFER_BYTES, 1);
	const char *slowest = "none";
	double most = 0;
	bool ok = data != NULL;
	int first = 1;

	options.sanitize = true;
	options.cta_cost_max = DISPUTE_COST_MAX / 64;
	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		if (strcmp(argv[first], "--whole") == 0)
			options.cta_cost_max = DISPUTE_COST_MAX;
		else if (strcmp(argv[first], "--plain") == 0)
			options.sanitize = false;
		else if (first + 1 >= argc ||
			 exec_lanes_parse(bytes_str(argv[++first]),
					  &options.lanes) != ERR_OK)
			return 2;
	}
	for (size_t i = 0; ok && i < SHAPES; i++) {
		if (!wanted(argc, argv, first, shapes[i].name))
			continue;
		double s = measure(&shapes[i], &options, data);

		ok = ok && s >= 0;
		printf("%-18s %8.3f s\n", shapes[i].name, s);
		if (s > most) {
			most = s;
			slowest = shapes[i].name;
		}
	}
	printf("slowest CTA under %llu of cost: %s, %.2f s%s\n",
	       (unsigned long long)DISPUTE_COST_MAX, slowest, most,
	       options.sanitize ? ", sanitizer on" : "");
	free(data);
	return ok ? 0 : 1;
}
