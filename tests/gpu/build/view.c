/*
 * Results: pictures pixel by pixel, joined files, tasks.csv, the table.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/manifest.h"
#include "gpu/build/view.h"

static struct bytes f32s(struct arena *a, const float *v, size_t n)
{
	return arena_copy(a, bytes_of(v, n * 4));
}

static void expect_pixel(const struct view_image *im, uint32_t x, uint32_t y,
			 const char *rgb)
{
	const uint8_t *p =
		im->pixels + ((size_t)y * im->width + x) * im->channels;
	char got[16];

	if (im->channels == 1)
		snprintf(got, sizeof(got), "%u", p[0]);
	else
		snprintf(got, sizeof(got), "%u %u %u", p[0], p[1], p[2]);
	cr_expect_str_eq(got, rgb, "(%u, %u): %s, want %s", x, y, got, rgb);
}

Test(view, maps)
{
	static const float v[] = {0, 1, 0.5f, 2, -1, 0.25f};
	struct arena *a = arena_new(1u << 20);
	struct manifest_picture p = {.format = MANIFEST_F32,
				     .width = 3,
				     .height = 2,
				     .low = 0,
				     .high = 1};
	struct bytes tile = f32s(a, v, 6);
	struct view_image im;

	cr_assert_eq(view_draw(a, &p, &tile, 1, &im), ERR_OK);
	cr_expect_eq(im.channels, 1);
	expect_pixel(&im, 0, 0, "0");
	expect_pixel(&im, 1, 0, "255");
	expect_pixel(&im, 2, 0, "128");
	expect_pixel(&im, 0, 1, "255"); /* clamped */
	expect_pixel(&im, 1, 1, "0");
	p.map = MANIFEST_MAP_VIRIDIS;
	cr_assert_eq(view_draw(a, &p, &tile, 1, &im), ERR_OK);
	expect_pixel(&im, 0, 0, "68 1 84");
	expect_pixel(&im, 1, 0, "253 231 37");
	expect_pixel(&im, 2, 0, "33 144 141");
	p.map = MANIFEST_MAP_SIGNED;
	p.is_auto = true; /* -2 ... 2 */
	cr_assert_eq(view_draw(a, &p, &tile, 1, &im), ERR_OK);
	expect_pixel(&im, 0, 0, "247 247 247");
	expect_pixel(&im, 0, 1, "178 24 43");
	expect_pixel(&im, 1, 1, "140 175 210"); /* halfway to blue */
	arena_free(a);
}

Test(view, tiles_in_columns)
{
	struct arena *a = arena_new(1u << 20);
	struct manifest_picture p = {
		.format = MANIFEST_RGB8, .width = 2, .height = 1, .columns = 2};
	struct bytes tiles[3] = {BYTES_LIT("\1\2\3\4\5\6"),
				 {NULL, 0},
				 BYTES_LIT("\7\10\11\12\13\14")};
	struct view_image im;

	cr_assert_eq(view_draw(a, &p, tiles, 3, &im), ERR_OK);
	cr_expect(im.width == 4 && im.height == 2 && im.channels == 3);
	expect_pixel(&im, 1, 0, "4 5 6");
	expect_pixel(&im, 2, 0, "0 0 0");
	expect_pixel(&im, 0, 1, "7 8 9");
	expect_pixel(&im, 3, 1, "0 0 0");
	tiles[1].p = (const uint8_t *)"x";
	tiles[1].n = 1;
	cr_expect_eq(view_draw(a, &p, tiles, 3, &im), ERR_REFUSED);
	arena_free(a);
}

Test(view, png_there_and_back)
{
	struct arena *a = arena_new(1u << 20);

	for (uint32_t channels = 1; channels <= 4; channels += channels) {
		uint32_t c = channels == 2 ? 3 : channels;
		uint8_t pixels[7 * 5 * 4];
		struct view_image im = {7, 5, c, pixels}, back;
		struct buf b = buf_make(1u << 20);
		const char *why = "";

		for (size_t i = 0; i < sizeof(pixels); i++)
			pixels[i] = (uint8_t)(i * 37);
		cr_assert_eq(view_png_encode(&im, &b), ERR_OK);
		cr_assert_eq(view_png_decode(a, buf_bytes(&b), c, &back, &why),
			     ERR_OK, "%s", why);
		cr_expect(back.width == 7 && back.height == 5);
		cr_expect_eq(memcmp(back.pixels, pixels, 35 * c), 0);
		cr_expect_eq(view_png_decode(a, bytes_of(b.p, b.n / 2), c,
					     &back, &why),
			     ERR_MALFORMED);
		buf_free(&b);
	}
	arena_free(a);
}

static const char text[] =
	"{\"weft\": 1, \"cuda\": \"a.cu\",\n"
	" \"tasks\": {\"table\": {\"text\": "
	"\"name,x\\n\\\"a,\\\"\\\"b\\\",3\\nc,2\\nd,1\\n\"}},\n"
	" \"buffers\": {\"o\": {\"bytes\": 4, \"fill\": 7, \"save\": "
	"\"all.bin\"},\n"
	"  \"each\": {\"bytes\": 2, \"save\": \"sub/{t}.bin\"},\n"
	"  \"v\": {\"bytes\": 4}},\n"
	" \"steps\": [{\"fill\": \"o\", \"with\": 0}],\n"
	" \"view\": {\"picture\": {\"buffer\": \"o\", \"format\": "
	"\"gray8\", \"width\": 2, \"height\": 2, \"columns\": 3},\n"
	"  \"table\": {\"columns\": [\"name\", \"t\", "
	"{\"buffer\": \"v\", \"type\": \"f32\"}], \"sort\": \"-v\", "
	"\"top\": 2}}}";

static void expect_file(const char *folder, const char *name, const void *want,
			size_t n)
{
	char path[200], got[500];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	cr_assert(f, "%s", path);
	cr_expect_eq(fread(got, 1, sizeof(got), f), n, "%s", name);
	cr_expect_eq(memcmp(got, want, n), 0, "%s", name);
	fclose(f);
}

Test(view, results_of_tasks)
{
	static const char csv[] =
		"index,name,x,state,reason,provider,lease,output_root\n"
		"0,\"a,\"\"b\",3,open,,,,\n"
		"1,c,2,done,,local,,\n"
		"2,d,1,failed,kernel_fault,local,,\n";
	static const float half = 0.5f, two = 2;
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct arena *a = arena_new(1u << 20);
	struct manifest m;
	struct build_diag d;
	struct view_results *r;
	char folder[] = "/tmp/weft-view-XXXXXX", cmd[100];
	const char *picture;
	const uint8_t *pixels;
	uint32_t w, h;
	struct buf b = buf_make(1000);
	struct view_task_row row = {
		.index = 1, .state = "done", .provider = "local"};

	cr_assert(mkdtemp(folder));
	cr_assert_eq(manifest_read(a, BYTES_LIT(text), "m", &files, &m, &d),
		     ERR_OK, "%s", d.text);
	cr_expect(view_needs_buffer(&m, 0) && view_needs_buffer(&m, 2));
	cr_assert_eq(view_results_new(&m, folder, &r, &d), ERR_OK);
	cr_expect_eq(view_results_put(r, 1, 0, BYTES_LIT("\1\2\3\4")), ERR_OK);
	cr_expect_eq(view_results_put(r, 1, 1, BYTES_LIT("xy")), ERR_OK);
	cr_expect_eq(view_results_put(r, 1, 2, BYTES_OF(half)), ERR_OK);
	cr_expect_eq(view_results_put(r, 2, 2, BYTES_OF(two)), ERR_OK);
	cr_expect_eq(view_results_put(r, 1, 0, BYTES_LIT("x")), ERR_REFUSED);
	cr_expect_eq(view_results_put(r, 3, 0, BYTES_LIT("1234")), ERR_REFUSED);
	cr_expect_eq(view_results_row(r, &row), ERR_OK);
	row = (struct view_task_row){2,	      "failed", "kernel_fault",
				     "local", "",	{NULL, 0}};
	cr_expect_eq(view_results_row(r, &row), ERR_OK);
	cr_assert_eq(view_results_finish(r, &picture, &d), ERR_OK);
	cr_expect_str_eq(picture, "picture.png");
	expect_file(folder, "all.bin", "\7\7\7\7\1\2\3\4\7\7\7\7", 12);
	expect_file(folder, "sub/1.bin", "xy", 2);
	expect_file(folder, "tasks.csv", csv, sizeof(csv) - 1);
	pixels = view_results_pixels(r, &w, &h);
	cr_assert(pixels);
	cr_expect(w == 6 && h == 2);
	cr_expect_eq(pixels[2 * 4], 1);
	cr_expect_eq(pixels[2 * 4 + 3], 255);
	cr_assert_eq(view_results_table(r, &b), ERR_OK);
	cr_expect(bytes_eq(buf_bytes(&b), BYTES_LIT("name  t  v  \n"
						    "d     2    2\n"
						    "c     1  0.5\n")),
		  "%.*s", (int)b.n, (const char *)b.p);
	view_results_free(r);
	buf_free(&b);
	arena_free(a);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", folder);
	cr_expect_eq(system(cmd), 0);
}

static size_t chunks_named(const uint8_t *p, size_t n, const char *name)
{
	size_t count = 0, at = 8;

	while (at + 12 <= n) {
		count += memcmp(p + at + 4, name, 4) == 0;
		at += 12 + (size_t)u32_be(p + at);
	}
	cr_expect_eq(at, n, "chunks end with the file");
	return count;
}

Test(view, frames_are_an_animated_png)
{
	static const char manifest[] =
		"{\"weft\": 1, \"cuda\": \"a.cu\", \"tasks\": {\"count\": "
		"4},\n \"buffers\": {\"o\": {\"bytes\": 6}},\n"
		" \"steps\": [{\"fill\": \"o\", \"with\": 0}],\n"
		" \"view\": {\"frames\": {\"buffer\": \"o\", \"format\": "
		"\"gray8\", \"width\": 3, \"height\": 2}}}";
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct arena *a = arena_new(1u << 20);
	struct manifest m;
	struct build_diag d;
	struct view_results *r;
	struct view_image im;
	char folder[] = "/tmp/weft-view-XXXXXX", path[100];
	const char *picture, *why = "";
	uint8_t png[4096];
	size_t n;
	FILE *f;

	cr_assert(mkdtemp(folder));
	cr_assert_eq(manifest_read(a, BYTES_LIT(manifest), "m", &files, &m, &d),
		     ERR_OK, "%s", d.text);
	cr_assert_eq(view_results_new(&m, folder, &r, &d), ERR_OK);
	cr_expect_eq(view_results_put(r, 2, 0, BYTES_LIT("ABCDEF")), ERR_OK);
	cr_expect_eq(view_results_put(r, 0, 0, BYTES_LIT("abcdef")), ERR_OK);
	cr_expect_eq(view_results_put(r, 3, 0, BYTES_LIT("123456")), ERR_OK);
	cr_assert_eq(view_results_finish(r, &picture, &d), ERR_OK);
	cr_expect_null(picture);
	view_results_free(r);
	snprintf(path, sizeof(path), "%s/frames.png", folder);
	f = fopen(path, "rb");
	cr_assert(f);
	n = fread(png, 1, sizeof(png), f);
	fclose(f);
	cr_expect_eq(chunks_named(png, n, "acTL"), 1);
	cr_expect_eq(chunks_named(png, n, "fcTL"), 3);
	cr_expect_eq(chunks_named(png, n, "IDAT"), 1);
	cr_expect_eq(chunks_named(png, n, "fdAT"), 2);
	/* to a reader that knows no animation it is the first frame; its
	 * checksums are right, or libpng would refuse it */
	cr_assert_eq(view_png_decode(a, bytes_of(png, n), 1, &im, &why), ERR_OK,
		     "%s", why);
	cr_expect_eq(memcmp(im.pixels, "abcdef", 6), 0);
	remove(path);
	snprintf(path, sizeof(path), "%s/tasks.csv", folder);
	remove(path);
	cr_expect_eq(remove(folder), 0);
	arena_free(a);
}

/* Four points (0 0) (1 3) (2 1) (3 2) on 128 x 64 dots: columns 0, 42, 85, 127
 * (rounded), rows 63, 0, 42, 21. */
static void expect_dots(const char *p)
{
	static const struct {
		unsigned line, letter;
		const char *braille;
	} dots[] = {
		{15, 0, "\u2840"},  /* x 0 of 2, y 3 of 4 */
		{0, 21, "\u2801"},  /* 42 = 2 * 21, 0 = 4 * 0 */
		{10, 42, "\u2820"}, /* 85 = 2 * 42 + 1, 42 = 4 * 10 + 2 */
		{5, 63, "\u2810"},  /* 127 = 2 * 63 + 1, 21 = 4 * 5 + 1 */
	};
	unsigned blank = 0;

	cr_expect_eq(memcmp(p, "           3 ", 13), 0);
	for (unsigned line = 0; line < 16; line++) {
		for (unsigned i = 0; i < 64; i++) {
			const char *want = "\u2800";

			for (size_t k = 0; k < 4; k++)
				if (dots[k].line == line && dots[k].letter == i)
					want = dots[k].braille;
			cr_expect_eq(memcmp(p + 13 + 3 * i, want, 3), 0,
				     "line %u, letter %u", line, i);
			blank += memcmp(p + 13 + 3 * i, "\u2800", 3) == 0;
		}
		p += 13 + 3 * 64 + 1;
	}
	cr_expect_eq(blank, 16 * 64 - 4);
}

Test(view, points_as_text_and_png)
{
	static const char manifest[] =
		"{\"weft\": 1, \"cuda\": \"a.cu\", \"tasks\": {\"count\": 2,"
		" \"index\": \"t\"},\n"
		" \"buffers\": {\"p\": {\"bytes\": 8}, \"q\": {\"bytes\": 8}},"
		"\n \"steps\": [{\"fill\": \"p\", \"with\": 0}],\n"
		" \"view\": {\"points\": {\"x\": {\"buffer\": \"p\", \"type\":"
		" \"f32\"}, \"y\": {\"buffer\": \"q\", \"type\": \"s32\"}},"
		" \"line\": {\"x\": \"t\", \"y\": {\"buffer\": \"q\", "
		"\"type\": \"s32\"}}}}";
	static const float x[4] = {0, 1, 2, 3};
	static const int32_t y[4] = {0, 3, 1, 2};
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct arena *a = arena_new(1u << 20);
	struct manifest m;
	struct build_diag d;
	struct view_results *r;
	char folder[] = "/tmp/weft-view-XXXXXX", cmd[120];
	const char *picture, *second;
	struct buf b = buf_make(1u << 16);

	cr_assert(mkdtemp(folder));
	cr_assert_eq(manifest_read(a, BYTES_LIT(manifest), "m", &files, &m, &d),
		     ERR_OK, "%s", d.text);
	cr_expect(view_needs_buffer(&m, 0) && view_needs_buffer(&m, 1));
	cr_assert_eq(view_results_new(&m, folder, &r, &d), ERR_OK);
	for (uint64_t t = 0; t < 2; t++) {
		cr_expect_eq(view_results_put(r, t, 0, bytes_of(x + 2 * t, 8)),
			     ERR_OK);
		cr_expect_eq(view_results_put(r, t, 1, bytes_of(y + 2 * t, 8)),
			     ERR_OK);
	}
	cr_assert_eq(view_results_finish(r, &picture, &d), ERR_OK);
	cr_assert_eq(view_results_plots(r, &b), ERR_OK);
	buf_put_u8(&b, 0);
	cr_expect(strstr((char *)b.p, "q against t, 4 points\n") ==
		  (char *)b.p);
	second = strstr((char *)b.p, "q against p, 4 points\n");
	cr_assert(second);
	expect_dots(strchr(second, '\n') + 1);
	view_results_free(r);
	buf_free(&b);
	arena_free(a);
	snprintf(cmd, sizeof(cmd),
		 "cd %s && test -s line.png && test -s points.png", folder);
	cr_expect_eq(system(cmd), 0);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", folder);
	cr_expect_eq(system(cmd), 0);
}
