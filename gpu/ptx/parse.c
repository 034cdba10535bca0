/*
 * gpu/ptx/parse - the module: directives, then functions and variables, in
 * one pass with two tokens of lookahead.
 *
 * Before the pass the punctuation is counted, which bounds the number of
 * instructions, operands and vector elements; their pools are allocated once.
 */
#include "gpu/ptx/parse.h"

#include <string.h>

#include "gpu/ptx/priv/parser.h"

/* Oldest and newest text that is understood. */
#define VERSION_OLDEST 30u
#define VERSION_NEWEST 99u
#define FILES_MAX      4096u

#define LOCS_SEEN_BITS_MIN 4u
#define LOCS_SEEN_BITS_MAX 16u

static void put_text(struct ptx_diag *d, size_t *at, struct bytes text)
{
	for (size_t i = 0; i < text.n && *at + 1 < sizeof(d->text); i++) {
		uint8_t c = text.p[i];

		d->text[(*at)++] = c >= ' ' && c < 127 ? (char)c : '?';
	}
	d->text[*at] = 0;
}

void parser_fail_at(struct parser *p, enum err code, const char *what,
		    const struct token *t)
{
	size_t at = 0;
	struct bytes word;

	if (p->err != ERR_OK)
		return;
	word = bytes_slice(t->text, 0, 60);
	p->err = code;
	p->diag.code = code;
	p->diag.line = t->line;
	p->diag.column = t->column;
	put_text(&p->diag, &at, bytes_str(what));
	if (word.n) {
		put_text(&p->diag, &at, BYTES_LIT(", at '"));
		put_text(&p->diag, &at, word);
		put_text(&p->diag, &at, BYTES_LIT("'"));
	}
	p->t = (struct token){.kind = TOKEN_END,
			      .line = t->line,
			      .column = t->column,
			      .text = {t->text.p, 0}};
	p->next = p->t;
}

void parser_fail(struct parser *p, enum err code, const char *what)
{
	struct token t = p->t;

	parser_fail_at(p, code, what, &t);
}

void parser_check(struct parser *p, enum err e, const char *what)
{
	if (e == ERR_EXISTS)
		e = ERR_PTX_SYNTAX;
	if (e != ERR_OK)
		parser_fail(p, e, what);
}

void parser_advance(struct parser *p)
{
	if (p->err != ERR_OK)
		return;
	p->t = p->next;
	if (p->t.kind == TOKEN_BAD)
		parser_fail(p, ERR_PTX_SYNTAX, "not a character of PTX");
	else
		p->next = lex_next(&p->lex);
}

bool parser_is(const struct parser *p, char punct)
{
	return p->t.kind == TOKEN_PUNCT && p->t.punct == (uint8_t)punct;
}

static bool is_text(const struct token *t, enum token_kind kind,
		    const char *text)
{
	return t->kind == kind && bytes_eq(t->text, bytes_str(text));
}

bool parser_is_dot(const struct parser *p, const char *text)
{
	return is_text(&p->t, TOKEN_DOT, text);
}

bool parser_is_word(const struct parser *p, const char *text)
{
	return is_text(&p->t, TOKEN_WORD, text);
}

bool parser_accept(struct parser *p, char punct)
{
	if (!parser_is(p, punct))
		return false;
	parser_advance(p);
	return true;
}

bool parser_accept_dot(struct parser *p, const char *text)
{
	if (!parser_is_dot(p, text))
		return false;
	parser_advance(p);
	return true;
}

void parser_expect(struct parser *p, char punct)
{
	char what[] = "'?' should stand here";

	what[1] = punct;
	if (!parser_accept(p, punct))
		parser_fail(p, ERR_PTX_SYNTAX, what);
}

struct bytes parser_word(struct parser *p, const char *what)
{
	struct bytes text = p->t.text;

	if (p->t.kind != TOKEN_WORD) {
		parser_fail(p, ERR_PTX_SYNTAX, what);
		return (struct bytes){0};
	}
	parser_advance(p);
	return text;
}

void parser_skip_statement(struct parser *p)
{
	while (p->t.kind != TOKEN_END && !parser_is(p, ';'))
		parser_advance(p);
	parser_expect(p, ';');
}

void parser_skip_braces(struct parser *p)
{
	uint32_t depth = 0;

	do {
		if (parser_is(p, '{'))
			depth++;
		else if (parser_is(p, '}'))
			depth--;
		else if (p->t.kind == TOKEN_END)
			parser_fail(p, ERR_PTX_SYNTAX, "'}' is missing");
		parser_advance(p);
	} while (depth > 0 && p->err == ERR_OK);
}

void *parser_grow(struct parser *p, void *old, uint32_t count, uint32_t *cap,
		  size_t size, uint32_t max)
{
	uint32_t more = *cap ? *cap * 2 : 8;
	void *v;

	if (p->err != ERR_OK)
		return NULL;
	if (count < *cap)
		return old;
	if (count >= max) {
		parser_fail(p, ERR_LIMIT, "too many of these");
		return NULL;
	}
	if (more > max)
		more = max;
	v = arena_array(p->a, more, size, 16);
	if (!v) {
		parser_fail(p, ERR_NO_MEMORY, "out of memory");
		return NULL;
	}
	if (count)
		memcpy(v, old, count * size);
	*cap = more;
	return v;
}

static void take_version(struct parser *p)
{
	struct bytes t = p->t.text;
	uint32_t v = 0;
	bool ok = p->t.kind == TOKEN_NUMBER && t.n == 3 && t.p[1] == '.' &&
		  t.p[0] >= '0' && t.p[0] <= '9' && t.p[2] >= '0' &&
		  t.p[2] <= '9';

	if (ok)
		v = (uint32_t)(t.p[0] - '0') * 10 + (uint32_t)(t.p[2] - '0');
	if (!ok || v < VERSION_OLDEST || v > VERSION_NEWEST)
		parser_fail(p, ERR_PTX_UNKNOWN,
			    "a version from 3.0 to 9.9 should stand here");
	if (v > p->m->version)
		p->m->version = (uint16_t)v;
	parser_advance(p);
}

/* sm_75, sm_90a, sm_100f: the number; 0: none. */
static uint32_t sm_of(struct bytes t)
{
	uint32_t v = 0;

	if (!bytes_starts(t, BYTES_LIT("sm_")) || t.n < 5 || t.n > 7)
		return 0;
	for (size_t i = 3; i < t.n; i++) {
		if (i + 1 == t.n && (t.p[i] == 'a' || t.p[i] == 'f'))
			break;
		if (t.p[i] < '0' || t.p[i] > '9')
			return 0;
		v = v * 10 + (uint32_t)(t.p[i] - '0');
	}
	return v;
}

static void take_target_list(struct parser *p)
{
	do {
		uint32_t sm = 0;

		if (p->t.kind == TOKEN_WORD)
			sm = sm_of(p->t.text);
		if (sm > p->m->sm)
			p->m->sm = (uint16_t)sm;
		if (!sm && !parser_is_word(p, "debug") &&
		    !parser_is_word(p, "texmode_independent") &&
		    !parser_is_word(p, "texmode_unified"))
			parser_fail(p, ERR_PTX_UNKNOWN, "unknown target");
		parser_advance(p);
	} while (parser_accept(p, ','));
}

/* .file 1 "kernel.cu" [, 1234, 5678] */
static void take_file(struct parser *p)
{
	struct ptx_module *m = p->m;
	int64_t number = parser_count(p);

	if (number < 0 || number >= FILES_MAX) {
		parser_fail(p, ERR_LIMIT, "file number too large");
		return;
	}
	while (m->file_count <= number) {
		m->files = parser_grow(p, m->files, m->file_count, &p->file_cap,
				       sizeof(*m->files), FILES_MAX);
		if (!m->files)
			return;
		m->files[m->file_count++] = (struct bytes){0};
	}
	if (p->t.kind != TOKEN_STRING)
		parser_fail(p, ERR_PTX_SYNTAX, "a file name should stand here");
	m->files[number] = p->t.text;
	parser_advance(p);
	while (parser_accept(p, ','))
		parser_integer(p);
}

static void take_alias(struct parser *p)
{
	uint32_t f[2] = {0, 0};

	for (uint32_t i = 0; i < 2; i++) {
		const struct name *v = NULL;

		if (p->t.kind == TOKEN_WORD)
			v = names_find(&p->names, p->t.text);
		if (!v || v->kind != NAME_FUNCTION)
			parser_fail(p, ERR_PTX_SYNTAX, "not a known function");
		else
			f[i] = v->index;
		parser_advance(p);
		if (i == 0)
			parser_expect(p, ',');
	}
	parser_expect(p, ';');
	p->aliases = parser_grow(p, p->aliases, p->alias_count, &p->alias_cap,
				 sizeof(*p->aliases), PTX_FUNCTIONS_MAX);
	if (p->aliases)
		p->aliases[p->alias_count++] =
			(struct alias){.from = f[0], .to = f[1]};
}

static bool take_linkage(struct parser *p, struct linkage *l)
{
	if (parser_accept_dot(p, "extern"))
		l->is_extern = true;
	else if (parser_accept_dot(p, "visible") ||
		 parser_accept_dot(p, "weak") || parser_accept_dot(p, "common"))
		l->is_visible = true;
	else
		return false;
	return true;
}

static void take_item(struct parser *p)
{
	struct linkage l = {0};

	while (take_linkage(p, &l))
		continue;
	if (parser_is_dot(p, "entry") || parser_is_dot(p, "func")) {
		parser_function_item(p, l);
	} else if (parser_is_dot(p, "global") || parser_is_dot(p, "const") ||
		   parser_is_dot(p, "shared") || parser_is_dot(p, "local") ||
		   parser_is_dot(p, "param") || parser_is_dot(p, "tex")) {
		parser_variable(p, l);
	} else if (parser_accept_dot(p, "version")) {
		take_version(p);
	} else if (parser_accept_dot(p, "target")) {
		take_target_list(p);
	} else if (parser_accept_dot(p, "address_size")) {
		if (parser_integer(p) != 64)
			parser_fail(p, ERR_PTX_UNKNOWN,
				    "only 64 bit addresses are done here");
	} else if (parser_accept_dot(p, "file")) {
		take_file(p);
	} else if (parser_accept_dot(p, "section")) {
		parser_advance(p); /* its name, a dot word */
		parser_skip_braces(p);
	} else if (parser_accept_dot(p, "alias")) {
		take_alias(p);
	} else if (parser_is_dot(p, "pragma")) {
		parser_skip_statement(p);
	} else if (!parser_accept(p, ';')) {
		parser_fail(p, ERR_PTX_UNKNOWN, "unknown directive");
	}
}

static void take_text(struct parser *p, struct bytes text)
{
	uint32_t first = p->instr_count;

	p->lex = lex_make(text);
	p->next = lex_next(&p->lex);
	parser_advance(p);
	if (!parser_accept_dot(p, "version"))
		parser_fail(p, ERR_PTX_SYNTAX, ".version should stand first");
	take_version(p);
	if (!parser_accept_dot(p, "target"))
		parser_fail(p, ERR_PTX_SYNTAX, ".target should stand here");
	take_target_list(p);
	while (p->err == ERR_OK && p->t.kind != TOKEN_END)
		take_item(p);
	if (p->err == ERR_OK)
		parser_place_instrs(p, first);
}

/* Pools as large as the punctuation allows, tables as the text's size does. */
static enum err make_pools(struct parser *p, const struct bytes *texts,
			   uint32_t text_count)
{
	size_t statements = 1, commas = 1, braces = 1, bytes = 0;

	for (uint32_t i = 0; i < text_count; i++) {
		bytes += texts[i].n;
		for (size_t k = 0; k < texts[i].n; k++) {
			statements += texts[i].p[k] == ';';
			commas += texts[i].p[k] == ',';
			braces += texts[i].p[k] == '{';
		}
	}
	if (bytes > PTX_TEXT_BYTES_MAX)
		return ERR_LIMIT;
	/* No statement with operands is shorter than four bytes. */
	if (statements > bytes / 4 + 1)
		statements = bytes / 4 + 1;
	if (statements > PTX_INSTRUCTIONS_MAX)
		statements = PTX_INSTRUCTIONS_MAX;
	p->instr_cap = (uint32_t)statements;
	p->operand_cap = (uint32_t)(commas + 2 * statements);
	/* No vector has more than 16 elements. */
	p->element_cap =
		(uint32_t)(commas + braces < 16 * braces ? commas + braces
							 : 16 * braces);
	p->instrs = ARENA_ARRAY(p->a, p->instr_cap, struct ptx_instr);
	p->operands = ARENA_ARRAY(p->a, p->operand_cap, struct ptx_operand);
	p->elements = ARENA_ARRAY(p->a, p->element_cap, struct ptx_operand);
	p->m = ARENA_NEW(p->a, struct ptx_module);
	if (!p->instrs || !p->operands || !p->elements || !p->m)
		return ERR_NO_MEMORY;
	p->m->address_bits = 64;
	p->locs_seen_bits = LOCS_SEEN_BITS_MIN;
	while (p->locs_seen_bits < LOCS_SEEN_BITS_MAX &&
	       bytes >> p->locs_seen_bits >= 16)
		p->locs_seen_bits++;
	return ERR_OK;
}

/* What an alias stands for, through chains of at most their number. */
static uint32_t alias_target(const struct parser *p, uint32_t f)
{
	for (uint32_t steps = 0; steps <= p->alias_count; steps++) {
		uint32_t i = 0;

		while (i < p->alias_count && p->aliases[i].from != f)
			i++;
		if (i == p->alias_count)
			break;
		f = p->aliases[i].to;
	}
	return f;
}

static void apply_aliases(struct parser *p)
{
	if (!p->alias_count)
		return;
	if (p->alias_count > 64) {
		parser_fail(p, ERR_LIMIT, "too many aliases");
		return;
	}
	for (uint32_t i = 0; i < p->m->function_count; i++) {
		struct ptx_function *f = &p->m->functions[i];

		for (uint32_t k = 0; k < f->call_count; k++)
			if (f->calls[k].callee != PTX_NO_INDEX)
				f->calls[k].callee =
					alias_target(p, f->calls[k].callee);
		for (uint32_t k = 0; k < f->operand_count; k++)
			if (f->operands[k].kind == PTX_OPERAND_ADDRESS &&
			    f->operands[k].base == PTX_BASE_FUNCTION)
				f->operands[k].index =
					alias_target(p, f->operands[k].index);
	}
	for (uint32_t i = 0; i < p->m->variable_count; i++) {
		struct ptx_variable *v = &p->m->variables[i];

		for (uint32_t k = 0; k < v->reloc_count; k++)
			if (v->relocs[k].base == PTX_BASE_FUNCTION)
				v->relocs[k].index =
					alias_target(p, v->relocs[k].index);
	}
}

enum err ptx_parse_parts(struct arena *a, const struct bytes *texts,
			 uint32_t text_count, struct ptx_module **ret,
			 struct ptx_diag *reterr, uint32_t *reterr_part)
{
	struct parser p = {.a = a, .function = PTX_NO_INDEX};
	struct sha256 all;
	struct hash key;

	sha256_init(&all);
	for (uint32_t i = 0; i < text_count; i++)
		sha256_put(&all, texts[i].p, texts[i].n);
	key = sha256_end(&all);
	parser_check(&p, make_pools(&p, texts, text_count),
		     "the text is too "
		     "large");
	if (p.err == ERR_OK)
		parser_check(&p, names_init(&p.names, a, &key),
			     "out of memory");
	if (p.err == ERR_OK)
		parser_check(&p, words_init(&p), "out of memory");
	for (; p.err == ERR_OK && p.part < text_count; p.part++)
		take_text(&p, texts[p.part]);
	if (p.err == ERR_OK)
		apply_aliases(&p);
	if (p.err != ERR_OK) {
		if (reterr)
			*reterr = p.diag;
		if (reterr_part)
			*reterr_part = p.part ? p.part - 1 : 0;
		return p.err;
	}
	p.m->instr_count = p.instr_count;
	*ret = p.m;
	return ERR_OK;
}

enum err ptx_parse(struct arena *a, struct bytes text, struct ptx_module **ret,
		   struct ptx_diag *reterr)
{
	return ptx_parse_parts(a, &text, 1, ret, reterr, NULL);
}
