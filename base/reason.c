#include "base/reason.h"

struct reason_row {
	enum reason number;
	const char *word;
	const char *hint;
};

static const struct reason_row rows[] = {
#define X(word, number, hint) {REASON_##word, #word, hint},
	REASON_LIST(X)
#undef X
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const struct reason_row *reason_find(enum reason r)
{
	for (unsigned i = 0; i < ROW_COUNT; i++) {
		if (rows[i].number == r)
			return &rows[i];
	}
	return 0;
}

const char *reason_word(enum reason r)
{
	const struct reason_row *row = reason_find(r);

	return row ? row->word : 0;
}

const char *reason_hint(enum reason r)
{
	const struct reason_row *row = reason_find(r);

	return row ? row->hint : "";
}

enum err reason_parse(struct bytes word, enum reason *ret_reason)
{
	for (unsigned i = 0; i < ROW_COUNT; i++) {
		if (bytes_eq(word, bytes_str(rows[i].word))) {
			*ret_reason = rows[i].number;
			return ERR_OK;
		}
	}
	return ERR_NOT_FOUND;
}
