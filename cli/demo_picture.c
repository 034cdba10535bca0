/*
 * The picture is sampled down to two pixels a character cell: the upper half
 * block's foreground and background.  The cell keeps the picture's light and
 * takes a tint of its provider's colour.  In a pipe: one line a tile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/demo.h"

#define CELLS_ACROSS 64u
#define CELLS_DOWN   32u

struct pixel {
	uint8_t r, g, b;
};

struct picture {
	struct demo *demo;
	uint32_t tile_width, tile_height, columns, tiles;
	bool terminal;
	bool drawn;
	unsigned shown;
	struct pixel at[2 * CELLS_DOWN][CELLS_ACROSS];
};

static const struct pixel tints[DEMO_PROVIDERS] = {
	{70, 130, 255}, {255, 170, 60}, {90, 220, 120}};

struct picture *picture_new(struct demo *d, uint32_t tile_width,
			    uint32_t tile_height, uint32_t columns,
			    uint32_t tiles)
{
	struct picture *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->demo = d;
	p->tile_width = tile_width;
	p->tile_height = tile_height;
	p->columns = columns ? columns : 1;
	p->tiles = tiles;
	p->terminal = isatty(1) && !d->c->quiet && !d->c->json;
	return p;
}

void picture_free(struct picture *p)
{
	free(p);
}

static uint8_t mix(uint8_t value, uint8_t tint)
{
	return (uint8_t)((value * 2u + tint) / 3u);
}

static void draw(struct picture *p)
{
	if (p->drawn)
		printf("\033[%uA", CELLS_DOWN);
	for (unsigned y = 0; y < CELLS_DOWN; y++) {
		for (unsigned x = 0; x < CELLS_ACROSS; x++) {
			struct pixel t = p->at[2 * y][x];
			struct pixel b = p->at[2 * y + 1][x];

			printf("\033[38;2;%d;%d;%dm\033[48;2;%d;%d;%dm"
			       "\xe2\x96\x80",
			       t.r, t.g, t.b, b.r, b.g, b.b);
		}
		printf("\033[0m\n");
	}
	fflush(stdout);
	p->drawn = true;
}

static void sample(struct picture *p, uint32_t tile, const uint8_t *rgb,
		   unsigned provider)
{
	uint32_t rows = (p->tiles + p->columns - 1) / p->columns;
	uint32_t width = p->columns * p->tile_width;
	uint32_t height = rows * p->tile_height;
	uint32_t left = tile % p->columns * p->tile_width;
	uint32_t top = tile / p->columns * p->tile_height;
	struct pixel tint = tints[provider % DEMO_PROVIDERS];

	for (uint32_t y = 0; y < 2 * CELLS_DOWN; y++) {
		for (uint32_t x = 0; x < CELLS_ACROSS; x++) {
			uint32_t px = (2 * x + 1) * width / (2 * CELLS_ACROSS);
			uint32_t py = (2 * y + 1) * height / (4 * CELLS_DOWN);
			const uint8_t *s;

			if (px < left || px >= left + p->tile_width ||
			    py < top || py >= top + p->tile_height)
				continue;
			s = rgb + 3 * ((size_t)(py - top) * p->tile_width +
				       (px - left));
			p->at[y][x] = (struct pixel){mix(s[0], tint.r),
						     mix(s[1], tint.g),
						     mix(s[2], tint.b)};
		}
	}
}

void picture_tile(struct picture *p, uint32_t tile, const uint8_t *rgb,
		  unsigned provider, const char *state)
{
	p->shown++;
	if (p->terminal) {
		sample(p, tile, rgb, provider);
		draw(p);
	} else if (!p->demo->c->quiet && !p->demo->c->json) {
		printf("%6.2f s  tile %2u from provider %c, %s\n",
		       (double)(clock_now_ms() - p->demo->begin_ms) / 1000,
		       tile, (int)('A' + provider), state);
		fflush(stdout);
	}
}

void picture_break(struct picture *p)
{
	p->drawn = false;
}
