#include "rpc/error.h"

struct error_row {
	int code;
	const char *word;
	const char *message;
	const char *hint;
};

static const struct error_row rows[] = {
#define X(word, code, message, hint) {code, #word, message, hint},
	RPC_ERRORS(X)
#undef X
};

static const struct error_row *row_of(int code)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].code == code)
			return &rows[i];
	}
	return row_of(RPC_ERROR_internal);
}

const char *rpc_error_word(int code)
{
	return row_of(code)->word;
}

const char *rpc_error_message(int code)
{
	return row_of(code)->message;
}

const char *rpc_error_hint(int code)
{
	return row_of(code)->hint;
}
