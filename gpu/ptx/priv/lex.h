/*
 * gpu/ptx/priv/lex - PTX text as tokens.
 *
 * Total: any bytes give a sequence of tokens that ends with TOKEN_END or
 * TOKEN_BAD.  Allocates nothing; tokens borrow the text.
 */
#ifndef WEFT_GPU_PTX_PRIV_LEX_H
#define WEFT_GPU_PTX_PRIV_LEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum token_kind {
	TOKEN_END,
	TOKEN_BAD,    /* a byte or a form that PTX does not have */
	TOKEN_WORD,   /* add %r1 $L__BB0_1 _ */
	TOKEN_DOT,    /* .reg .f32 .L2::128B; text without the dot */
	TOKEN_NUMBER, /* as written, sign not included */
	TOKEN_STRING, /* text without the quotes, escapes as written */
	TOKEN_PUNCT,  /* one of ,;:()[]{}<>|!@=+-*~/&?^% */
};

struct token {
	enum token_kind kind;
	uint8_t punct; /* TOKEN_PUNCT: the character */
	uint32_t line, column;
	struct bytes text;
};

struct lexer {
	struct bytes text;
	size_t at;
	size_t line_start;
	uint32_t line;
};

struct lexer lex_make(struct bytes text);
struct token lex_next(struct lexer *l);

/* Whether c may stand inside a word. */
bool lex_is_word(uint8_t c);

#endif /* WEFT_GPU_PTX_PRIV_LEX_H */
