/*
 * node/core/post - a part is sent when the one before it is in a block: at
 * one a block the windows stand still anyway.
 */
#include "node/core/post.h"

#include <string.h>

#include "base/merkle.h"
#include "ledger/state.h"
#include "verify/audit.h"
#include "verify/evidence.h"
#include "verify/kinds.h"

static void send_part(struct core_post *p, struct core_out *out)
{
	struct verify_evidence_part part = {
		.case_id = p->case_id,
		.index = p->next_part,
		.data = bytes_slice(p->evidence,
				    (size_t)p->next_part * VERIFY_PART_BYTES,
				    VERIFY_PART_BYTES),
	};
	struct buf b = buf_make(VERIFY_PART_BYTES + 4096u);

	verify_evidence_part_encode(&b, &part);
	if (b.err)
		p->state = POST_REFUSED;
	else
		p->ticket = core_submit(out, p->lane, VERIFY_KIND_EVIDENCE_PART,
					buf_bytes(&b));
	buf_free(&b);
}

void core_post_begin(struct core_post *p, struct core_out *out,
		     enum core_lane lane, uint32_t tx_kind, struct bytes body,
		     struct bytes evidence)
{
	memset(p, 0, sizeof(*p));
	p->state = POST_OPENING;
	p->lane = lane;
	p->evidence = evidence;
	p->ticket = core_submit(out, lane, tx_kind, body);
}

/* The next part, if one is missing. */
static void go_on(struct core_post *p, struct core_out *out)
{
	if (p->next_part < verify_part_count(p->evidence.n))
		send_part(p, out);
	else
		p->state = POST_DONE;
}

bool core_post_resume(struct core_post *p, struct core_out *out,
		      struct ledger *view, const struct hash *lease,
		      enum core_lane lane, struct bytes evidence)
{
	struct hash root = merkle_bytes_root(evidence);
	struct hash after = HASH_ZERO;
	struct verify_case c;
	bool first = true;

	while (view && verify_case_next(view, lease, first ? NULL : &after,
					&c) == ERR_OK) {
		first = false;
		after = c.id;
		if (c.is_ruled || c.until_height < view->height ||
		    c.evidence_bytes != evidence.n ||
		    !hash_eq(&c.evidence_root, &root))
			continue;
		memset(p, 0, sizeof(*p));
		p->state = POST_PARTS;
		p->lane = lane;
		p->evidence = evidence;
		p->case_id = c.id;
		p->next_part = c.part_count;
		go_on(p, out);
		return true;
	}
	return false;
}

bool core_post_event(struct core_post *p, struct core_out *out,
		     const struct core_event *event)
{
	if (!p->ticket || event->ticket != p->ticket)
		return false;
	p->ticket = 0;
	if (event->err) {
		/* one that expired may be opened again by its role */
		p->reason = event->reason;
		p->state = POST_REFUSED;
		return true;
	}
	if (p->state == POST_OPENING) {
		p->case_id = event->id;
		p->state = POST_PARTS;
	} else {
		p->next_part++;
	}
	go_on(p, out);
	return true;
}
