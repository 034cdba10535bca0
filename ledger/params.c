/*
 * Everything comes out of LEDGER_PARAMS; a row is a 64-bit number, so the
 * struct is read as the array that it is laid out as.
 */
#include "ledger/params.h"

#include "base/codec.h"
#include "base/must.h"

struct row {
	const char *name;
	uint64_t value;
	uint64_t least;
	uint64_t most;
};

static const struct row rows[LEDGER_PARAM_COUNT] = {
#define X(name, value, least, most) {#name, value, least, most},
	LEDGER_PARAMS(X)
#undef X
};

_Static_assert(sizeof(struct ledger_params) ==
		       LEDGER_PARAM_COUNT * sizeof(uint64_t),
	       "parameters are an array of numbers");

struct ledger_params ledger_params_default(void)
{
	return (struct ledger_params){
#define X(name, value, least, most) .name = (value),
		LEDGER_PARAMS(X)
#undef X
	};
}

const char *ledger_param_name(enum ledger_param row)
{
	return row < LEDGER_PARAM_COUNT ? rows[row].name : NULL;
}

enum err ledger_param_find(struct bytes name, enum ledger_param *ret_row)
{
	for (uint32_t i = 0; i < LEDGER_PARAM_COUNT; i++) {
		if (bytes_eq(name, bytes_str(rows[i].name))) {
			*ret_row = (enum ledger_param)i;
			return ERR_OK;
		}
	}
	return ERR_NOT_FOUND;
}

uint64_t ledger_param_get(const struct ledger_params *p, enum ledger_param row)
{
	must(row < LEDGER_PARAM_COUNT);
	return ((const uint64_t *)p)[row];
}

enum err ledger_param_set(struct ledger_params *p, enum ledger_param row,
			  uint64_t value)
{
	must(row < LEDGER_PARAM_COUNT);
	if (value < rows[row].least || value > rows[row].most)
		return ERR_REFUSED;
	((uint64_t *)p)[row] = value;
	return ERR_OK;
}

void ledger_params_encode(const struct ledger_params *p, struct buf *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < LEDGER_PARAM_COUNT; i++)
		count += ((const uint64_t *)p)[i] != rows[i].value;
	enc_array(out, count);
	for (uint32_t i = 0; i < LEDGER_PARAM_COUNT; i++) {
		if (((const uint64_t *)p)[i] == rows[i].value)
			continue;
		enc_array(out, 2);
		enc_uint(out, i);
		enc_uint(out, ((const uint64_t *)p)[i]);
	}
}

enum err ledger_params_decode(struct bytes in, struct ledger_params *ret_p)
{
	struct dec d = dec_make(in);
	struct ledger_params p = ledger_params_default();
	uint32_t count = dec_array(&d, LEDGER_PARAM_COUNT);
	uint64_t least = 0;

	for (uint32_t i = 0; i < count && d.err == ERR_OK; i++) {
		uint64_t row;
		uint64_t value;

		dec_array_exact(&d, 2);
		row = dec_uint(&d, LEDGER_PARAM_COUNT - 1);
		value = dec_uint(&d, UINT64_MAX);
		if (d.err == ERR_OK &&
		    (row < least || value == rows[row].value))
			dec_fail(&d, ERR_MALFORMED);
		if (d.err == ERR_OK &&
		    ledger_param_set(&p, (enum ledger_param)row, value))
			dec_fail(&d, ERR_REFUSED);
		least = row + 1;
	}
	if (dec_end(&d) == ERR_REFUSED)
		return ERR_REFUSED;
	if (dec_end(&d) != ERR_OK)
		return ERR_MALFORMED;
	*ret_p = p;
	return ERR_OK;
}
