/*
 * The terminal's width is not asked for: 60 columns fit everywhere.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "gpu/client/client.h"

#define BAR_COLUMNS 30
#define REDRAW_MS   100

void progress_begin(struct progress *p, const struct cli *c, const char *label)
{
	*p = (struct progress){
		.label = label,
		.silent = c->quiet,
		.terminal = isatty(STDERR_FILENO) != 0,
	};
}

static void draw_bar(struct progress *p, uint64_t done, uint64_t total)
{
	uint64_t now_ms = client_now_ms();
	int full;

	if (now_ms - p->drawn_ms < REDRAW_MS && done < total)
		return;
	p->drawn_ms = now_ms;
	p->drawn = true;
	if (!total) {
		fprintf(stderr, "\r%s: %" PRIu64 " ...", p->label, done);
		return;
	}
	full = (int)((double)done / (double)total * BAR_COLUMNS);
	fprintf(stderr, "\r%s [", p->label);
	for (int i = 0; i < BAR_COLUMNS; i++)
		fputc(i < full ? '#' : '.', stderr);
	fprintf(stderr, "] %" PRIu64 "/%" PRIu64, done, total);
}

static void put_line(struct progress *p, uint64_t done, uint64_t total)
{
	uint64_t tenths;

	if (!total)
		return;
	tenths = (uint64_t)((double)done / (double)total * 10);
	if (tenths <= p->tenths)
		return;
	p->tenths = tenths;
	fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 "\n", p->label, done,
		total);
}

void progress_update(struct progress *p, uint64_t done, uint64_t total)
{
	if (p->silent)
		return;
	if (p->terminal)
		draw_bar(p, done, total);
	else
		put_line(p, done, total);
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
