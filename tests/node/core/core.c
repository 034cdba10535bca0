/*
 * The dispatcher: who hears what, in which order, and how much of it.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"
#include "node/core/act.h"
#include "node/core/bundle.h"
#include "node/core/core.h"
#include "node/core/post.h"
#include "verify/evidence.h"
#include "verify/kinds.h"

/* A role that writes down what it heard and does what it was told. */
struct ear {
	unsigned heard[16];
	uint64_t ticket; /* of its last action */
	struct bytes key;
	char key_text[32];
	unsigned submits; /* on every block */
	bool freed;
};

static void ear_step(void *state, struct core_out *out,
		     const struct core_event *event)
{
	struct ear *e = state;

	e->heard[event->kind]++;
	if (event->kind == CORE_EVENT_JOURNAL) {
		memcpy(e->key_text, event->key.p, event->key.n);
		e->key_text[event->key.n] = '\0';
	}
	for (unsigned i = 0; event->kind == CORE_EVENT_BLOCK && i < e->submits;
	     i++)
		e->ticket = core_submit(out, CORE_LANE_BUYER, 20,
					BYTES_LIT("body"));
}

static void ear_free(void *state)
{
	((struct ear *)state)->freed = true;
}

static const struct core_role left_role = {"left", ear_step, ear_free};
static const struct core_role right_role = {"right", ear_step, ear_free};

static struct core *core;
static struct ear left;
static struct ear right;
static const struct core_action *actions;
static size_t count;

static void make(void)
{
	memset(&left, 0, sizeof(left));
	memset(&right, 0, sizeof(right));
	core = core_new();
	core_add(core, &left_role, &left);
	core_add(core, &right_role, &right);
}

static void unmake(void)
{
	core_free(core);
	cr_assert(left.freed && right.freed);
}

TestSuite(core, .init = make, .fini = unmake);

static void tell(enum core_event_kind kind, uint64_t ticket)
{
	struct core_event e = {.kind = kind, .ticket = ticket};

	cr_assert_eq(core_step(core, 5, &e, &actions, &count), ERR_OK);
}

Test(core, tells_everybody_of_a_block)
{
	tell(CORE_EVENT_BLOCK, 0);
	cr_assert_eq(left.heard[CORE_EVENT_BLOCK], 1);
	cr_assert_eq(right.heard[CORE_EVENT_BLOCK], 1);
	cr_assert_eq(count, 0);
}

Test(core, gives_an_answer_to_who_asked)
{
	left.submits = right.submits = 1;
	tell(CORE_EVENT_BLOCK, 0);
	cr_assert_eq(count, 2);
	cr_assert_neq(left.ticket, right.ticket);
	tell(CORE_EVENT_TX, right.ticket);
	cr_assert_eq(left.heard[CORE_EVENT_TX], 0);
	cr_assert_eq(right.heard[CORE_EVENT_TX], 1);
}

Test(core, answer_of_nobody_is_dropped)
{
	tell(CORE_EVENT_TX, UINT64_MAX);
	cr_assert_eq(left.heard[CORE_EVENT_TX], 0);
	cr_assert_eq(right.heard[CORE_EVENT_TX], 0);
}

Test(core, journal_goes_to_the_role_in_its_key)
{
	struct core_event e = {.kind = CORE_EVENT_JOURNAL,
			       .key = BYTES_LIT("right/abc")};

	cr_assert_eq(core_step(core, 5, &e, &actions, &count), ERR_OK);
	cr_assert_eq(left.heard[CORE_EVENT_JOURNAL], 0);
	cr_assert_str_eq(right.key_text, "abc");
	e.key = BYTES_LIT("rightabc");
	cr_assert_eq(core_step(core, 5, &e, &actions, &count), ERR_OK);
	cr_assert_eq(right.heard[CORE_EVENT_JOURNAL], 1);
}

Test(core, action_is_a_copy)
{
	left.submits = 1;
	tell(CORE_EVENT_BLOCK, 0);
	cr_assert_eq(actions[0].kind, CORE_ACTION_SUBMIT);
	cr_assert_eq(actions[0].lane, CORE_LANE_BUYER);
	cr_assert_eq(actions[0].tx_kind, 20);
	cr_assert(bytes_eq(actions[0].bytes, BYTES_LIT("body")));
}

Test(core, exactly_the_most_actions_fit)
{
	struct core_event e = {.kind = CORE_EVENT_BLOCK};

	left.submits = CORE_ACTIONS_MAX;
	tell(CORE_EVENT_BLOCK, 0);
	cr_assert_eq(count, CORE_ACTIONS_MAX);
	left.submits++;
	cr_assert_eq(core_step(core, 5, &e, &actions, &count), ERR_LIMIT);
}

Test(bundle, comes_back_as_it_went)
{
	struct bundle_item in[2] = {{BYTES_LIT("first"), {{1}}},
				    {BYTES_LIT(""), {{2}}}};
	struct arena *a = arena_new(1u << 20);
	struct buf b = buf_make(1024);
	struct bundle_item *out;
	uint32_t n;

	bundle_encode(&b, in, 2);
	cr_assert_eq(bundle_decode(a, buf_bytes(&b), &out, &n), ERR_OK);
	cr_assert_eq(n, 2);
	cr_assert(bytes_eq(out[0].opening, in[0].opening));
	cr_assert_eq(out[1].sig.b[0], 2);
	b.n--;
	cr_assert_neq(bundle_decode(a, buf_bytes(&b), &out, &n), ERR_OK);
	buf_free(&b);
	arena_free(a);
}

/* A role that brings evidence of three parts. */
static struct core_post post;
static uint8_t evidence[2 * VERIFY_PART_BYTES + 5];

static void poster_step(void *state, struct core_out *out,
			const struct core_event *event)
{
	(void)state;
	if (event->kind == CORE_EVENT_BLOCK)
		core_post_begin(&post, out, CORE_LANE_VERIFIER,
				VERIFY_KIND_DISPUTE_OPEN, BYTES_LIT("x"),
				BYTES_OF(evidence));
	else
		cr_assert(core_post_event(&post, out, event));
}

static const struct core_role poster_role = {"poster", poster_step, NULL};

/* Answers the only action; its kind must be expected. */
static void answer_post(struct core *c, uint32_t kind, enum err err)
{
	struct core_event e = {.kind = CORE_EVENT_TX, .err = err, .id = {{8}}};

	cr_assert_eq(count, 1);
	cr_assert_eq(actions[0].tx_kind, kind);
	e.ticket = actions[0].ticket;
	cr_assert_eq(core_step(c, 5, &e, &actions, &count), ERR_OK);
}

Test(post, sends_the_parts_one_after_another)
{
	struct core *c = core_new();
	struct core_event e = {.kind = CORE_EVENT_BLOCK};

	core_add(c, &poster_role, NULL);
	cr_assert_eq(core_step(c, 5, &e, &actions, &count), ERR_OK);
	answer_post(c, VERIFY_KIND_DISPUTE_OPEN, ERR_OK);
	answer_post(c, VERIFY_KIND_EVIDENCE_PART, ERR_OK);
	answer_post(c, VERIFY_KIND_EVIDENCE_PART, ERR_OK);
	cr_assert_eq(post.state, POST_PARTS);
	answer_post(c, VERIFY_KIND_EVIDENCE_PART, ERR_OK);
	cr_assert_eq(count, 0);
	cr_assert_eq(post.state, POST_DONE);
	cr_assert_eq(post.case_id.b[0], 8);
	core_free(c);
}

Test(post, that_is_refused_says_so)
{
	struct core *c = core_new();
	struct core_event e = {.kind = CORE_EVENT_BLOCK};

	core_add(c, &poster_role, NULL);
	cr_assert_eq(core_step(c, 5, &e, &actions, &count), ERR_OK);
	answer_post(c, VERIFY_KIND_DISPUTE_OPEN, ERR_REFUSED);
	cr_assert_eq(count, 0);
	cr_assert_eq(post.state, POST_REFUSED);
	core_free(c);
}
