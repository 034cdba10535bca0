/*
 * gpu/ptx/priv/printer - the state of one ptx_print(), shared by its files.
 *
 * print.c         module and headers
 * print_var.c     module variables with their initialisers
 * print_instr.c   statements of a body
 */
#ifndef WEFT_GPU_PTX_PRIV_PRINTER_H
#define WEFT_GPU_PTX_PRIV_PRINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/print.h"
#include "gpu/ptx/priv/reach.h"

struct printer {
	struct arena *a;
	const struct ptx_module *m;
	struct buf *out;
	struct ptx_diag *diag; /* may be NULL */
	struct reach reach;
	uint32_t line;
	struct ptx_line *lines;
	uint32_t line_count;
	uint32_t *numbers; /* of variables inside functions: their $v */
	uint8_t *marks;	   /* of module variables: 1 being printed, 2 printed */

	/* Of the body at hand, by instruction index (instr_count inclusive):
	 * label number + 1, 0: none. */
	uint32_t *labels;
	uint32_t table_number, call_number; /* $T, $C that come next */
};

/* Returns from the calling function unless e is ERR_OK. */
#define PRINT_TRY(e)                 \
	do {                         \
		enum err try_ = (e); \
		if (try_ != ERR_OK)  \
			return try_; \
	} while (0)

void print_str(struct printer *p, const char *text);
void print_u64(struct printer *p, uint64_t v);
void print_hex(struct printer *p, uint64_t v, uint32_t digits);
void print_line_end(struct printer *p); /* ";\n" */
void print_newline(struct printer *p);
void print_params(struct printer *p, const struct ptx_param *list,
		  uint32_t count, const char *prefix, bool is_entry);
/* Without initialiser and ';'.  prefix NULL: under its own name. */
void print_variable(struct printer *p, const struct ptx_variable *v,
		    const char *prefix, uint32_t number);
/* Fills the diagnostic; returns code. */
MUST_USE enum err print_fail(struct printer *p, enum err code, uint32_t line,
			     const char *what, struct bytes name);

/* print_var.c */
MUST_USE enum err print_variables(struct printer *p);

/* print_instr.c */
MUST_USE enum err print_statements(struct printer *p,
				   const struct ptx_function *f);

#endif /* WEFT_GPU_PTX_PRIV_PRINTER_H */
