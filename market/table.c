/*
 * The lease's state machine as an array, and the words of its states and
 * events, both from the lists that everybody else reads.
 */
#include "base/must.h"
#include "market/lease.h"

#define TO(s)                                       \
	{                                           \
		true, MARKET_LEASE_##s, REASON_none \
	}
#define NO(r)                                        \
	{                                            \
		false, MARKET_LEASE_open, REASON_##r \
	}
#define MARKET_LEASE_ROW(s, ...) [MARKET_LEASE_##s] = {__VA_ARGS__},
static const struct market_lease_cell cells[MARKET_LEASE_STATE_COUNT]
					   [MARKET_LEASE_EVENT_COUNT] = {
#include "market/lease_table.def"
};
#undef MARKET_LEASE_ROW
#undef TO
#undef NO

struct market_lease_cell market_lease_cell(enum market_lease_state s,
					   enum market_lease_event e)
{
	must(s < MARKET_LEASE_STATE_COUNT && e < MARKET_LEASE_EVENT_COUNT);
	return cells[s][e];
}

static const struct {
	const char *word;
	bool is_final;
} states[MARKET_LEASE_STATE_COUNT] = {
#define X(name, number, final, paid) [number] = {#name, final},
	MARKET_LEASE_STATES(X)
#undef X
};

const char *market_lease_state_word(enum market_lease_state s)
{
	return s < MARKET_LEASE_STATE_COUNT ? states[s].word : "?";
}

bool market_lease_is_final(enum market_lease_state s)
{
	return s < MARKET_LEASE_STATE_COUNT && states[s].is_final;
}

const char *market_lease_event_word(enum market_lease_event e)
{
	static const char *const words[MARKET_LEASE_EVENT_COUNT] = {
#define X(name) #name,
		MARKET_LEASE_EVENTS(X)
#undef X
	};
	return e < MARKET_LEASE_EVENT_COUNT ? words[e] : "?";
}
