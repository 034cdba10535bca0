/*
 * cli/demo - the parts of weft demo.
 *
 * One solo node that orders blocks and buys, three providers, two verifiers:
 * six weftd on this machine with folders, ports and keys of their own.  One
 * provider cheats, which one the seed says.
 */
#ifndef WEFT_CLI_DEMO_H
#define WEFT_CLI_DEMO_H

#include <sys/types.h>

#include "cli/buy.h"
#include "cli/cli.h"
#include "cli/link.h"

enum demo_role {
	DEMO_BUYER = 0,
	DEMO_PROVIDER = 1, /* three: 1, 2, 3 */
	DEMO_VERIFIER = 4, /* two: 4, 5 */
	DEMO_NODES = 6,
};
#define DEMO_PROVIDERS 3u

struct demo_node {
	const char *name; /* "provider B" */
	const char *dir;
	char account[128]; /* its address */
	pid_t pid;	   /* 0: not running */
	uint64_t start_picks;
};

struct demo {
	struct cli *c;
	uint64_t seed;
	const char *dir; /* holds the nodes' folders; removed at the end */
	const char *out; /* where the results land */
	struct demo_node nodes[DEMO_NODES];
	unsigned cheat;	     /* index of the cheating provider */
	struct link link;    /* to the buyer */
	uint64_t begin_ms;   /* of the purchase */
	uint64_t picture_ms; /* first tile, after begin; 0: not yet */
	uint64_t last_ms;    /* last pick, after begin */
	bool caught;
};

/* Keys, genesis, six processes; waits until all offers and bonds stand. */
MUST_USE enum cli_exit demo_start(struct demo *d);

/* Ends every process and removes the folder; with keep, neither. */
void demo_stop(struct demo *d, bool keep);

/* Buy a manifest and watch it to its last settlement. */
MUST_USE enum cli_exit demo_buy(struct demo *d, const char *manifest,
				const char *out, bool show);

/* Who paid whom, receipts, the sum. */
MUST_USE enum cli_exit demo_money(struct demo *d);

/* Index of the node with this address; DEMO_NODES: none of ours. */
unsigned demo_who(const struct demo *d, const char *account);

/* The lease's audit as some node knows it; a new reference or NULL. */
json_t *demo_audit(struct demo *d, const char *lease);

/* One tile in its provider's colour on a terminal (half blocks), or a line
 * in a pipe. */
struct picture;
struct picture *picture_new(struct demo *d, uint32_t tile_width,
			    uint32_t tile_height, uint32_t columns,
			    uint32_t tiles);
void picture_tile(struct picture *p, uint32_t tile, const uint8_t *rgb,
		  unsigned provider, const char *state);
/* Something else was printed: the next tile draws the picture anew. */
void picture_break(struct picture *p);
void picture_free(struct picture *p);

#endif /* WEFT_CLI_DEMO_H */
