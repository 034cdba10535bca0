/*
 * gpu/ptx/lex - one pass, one byte of lookahead, no backtracking.
 *
 * A dot glues to the word behind it (".reg", ".L2::128B", ".2d"), so that
 * opcodes and component selections come as a word and its dots.
 */
#include "gpu/ptx/priv/lex.h"

#include <string.h>

struct lexer lex_make(struct bytes text)
{
	return (struct lexer){.text = text, .line = 1};
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool lex_is_word(uint8_t c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

/* The byte n places ahead, 0 behind the end. */
static uint8_t peek(const struct lexer *l, size_t n)
{
	return n < l->text.n - l->at ? l->text.p[l->at + n] : 0;
}

static void advance(struct lexer *l)
{
	if (l->text.p[l->at] == '\n') {
		l->line++;
		l->line_start = l->at + 1;
	}
	l->at++;
}

/* Skips white space and comments; false: a comment does not end. */
static bool skip_blank(struct lexer *l)
{
	while (l->at < l->text.n) {
		uint8_t c = peek(l, 0);

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			advance(l);
		} else if (c == '/' && peek(l, 1) == '/') {
			while (l->at < l->text.n && peek(l, 0) != '\n')
				l->at++;
		} else if (c == '/' && peek(l, 1) == '*') {
			l->at += 2;
			while (l->at < l->text.n &&
			       !(peek(l, 0) == '*' && peek(l, 1) == '/'))
				advance(l);
			if (l->at == l->text.n)
				return false;
			l->at += 2;
		} else {
			return true;
		}
	}
	return true;
}

static void take_word(struct lexer *l)
{
	while (l->at < l->text.n && lex_is_word(peek(l, 0)))
		l->at++;
}

/* 12, 0x1F, 0b01U, 1.5e-3, 0f3F800000, 0d3FF0000000000000. */
static void take_number(struct lexer *l)
{
	bool is_hex = peek(l, 0) == '0' && is_letter(peek(l, 1));

	take_word(l);
	if (is_hex || peek(l, 0) != '.')
		goto exponent;
	l->at++;
	take_word(l);
exponent:
	if (!is_hex && (peek(l, 0) == '+' || peek(l, 0) == '-') &&
	    (l->text.p[l->at - 1] == 'e' || l->text.p[l->at - 1] == 'E')) {
		l->at++;
		take_word(l);
	}
}

static enum token_kind take_string(struct lexer *l, struct bytes *ret)
{
	size_t start = ++l->at;

	while (l->at < l->text.n) {
		uint8_t c = peek(l, 0);

		if (c == '\n')
			break;
		if (c == '"') {
			*ret = bytes_slice(l->text, start, l->at - start);
			l->at++;
			return TOKEN_STRING;
		}
		l->at += c == '\\' && peek(l, 1) != '\n' ? 2 : 1;
	}
	if (l->at > l->text.n)
		l->at = l->text.n;
	return TOKEN_BAD;
}

static enum token_kind take_dot(struct lexer *l)
{
	l->at++;
	take_word(l);
	while (peek(l, 0) == ':' && peek(l, 1) == ':') {
		l->at += 2;
		take_word(l);
	}
	return TOKEN_DOT;
}

struct token lex_next(struct lexer *l)
{
	struct token t = {0};
	size_t start;
	uint8_t c;
	bool ok = skip_blank(l);

	start = l->at;
	t.line = l->line;
	t.column = (uint32_t)(start - l->line_start) + 1;
	if (l->at == l->text.n) {
		t.kind = ok ? TOKEN_END : TOKEN_BAD;
		t.text.p = l->text.p + l->at;
		return t;
	}
	c = peek(l, 0);
	if (is_letter(c) || c == '_' || c == '$' ||
	    (c == '%' && lex_is_word(peek(l, 1)))) {
		l->at++;
		take_word(l);
		t.kind = TOKEN_WORD;
	} else if (is_digit(c)) {
		take_number(l);
		t.kind = TOKEN_NUMBER;
	} else if (c == '.' && lex_is_word(peek(l, 1))) {
		t.kind = take_dot(l);
		start++;
	} else if (c == '"') {
		t.kind = take_string(l, &t.text);
		return t;
	} else if (c != 0 && strchr(",;:()[]{}<>|!@=+-*~/&?^%", c)) {
		l->at++;
		t.kind = TOKEN_PUNCT;
		t.punct = c;
	} else {
		l->at++;
		t.kind = TOKEN_BAD;
	}
	t.text = bytes_slice(l->text, start, l->at - start);
	return t;
}
