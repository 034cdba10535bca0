#include "base/err.h"

struct err_row {
	enum err number;
	const char *name;
	const char *words;
};

static const struct err_row rows[] = {
#define X(name, number, words) {name, #name, words},
	ERR_LIST(X)
#undef X
};

static const struct err_row *err_find(enum err e)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].number == e)
			return &rows[i];
	}
	return 0;
}

const char *err_name(enum err e)
{
	const struct err_row *r = err_find(e);

	return r ? r->name : "ERR_?";
}

const char *err_words(enum err e)
{
	const struct err_row *r = err_find(e);

	return r ? r->words : "unknown error";
}
