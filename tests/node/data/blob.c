/*
 * Blobs: nothing enters unchecked, parts go on where they stopped, pins hold.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/merkle.h"
#include "node/data/blob.h"
#include "node/data/env.h"

static char dir[64];
static struct data_env *env;
static struct blob_store *store;

static void reopen(uint64_t quota_bytes)
{
	char path[96];

	blob_store_close(store);
	data_env_close(env);
	snprintf(path, sizeof(path), "%s/node", dir);
	cr_assert_eq(data_env_open(path, 1u << 20, &env), ERR_OK);
	cr_assert_eq(blob_store_open(dir, env, quota_bytes, &store), ERR_OK);
}

static void open_all(void)
{
	snprintf(dir, sizeof(dir), "/tmp/weft-blob-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	reopen(1u << 20);
}

static void close_all(void)
{
	char command[128];

	blob_store_close(store);
	data_env_close(env);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	cr_assert_eq(system(command), 0);
}

TestSuite(blob, .init = open_all, .fini = close_all);

static const struct hash owner = {{1}};
static const struct hash other = {{2}};

static void expect_content(const struct hash *root, struct bytes content)
{
	struct buf b = buf_make(1u << 20);

	cr_assert_eq(blob_read(store, root, &b), ERR_OK);
	cr_assert(bytes_eq(buf_bytes(&b), content));
	buf_free(&b);
}

Test(blob, is_named_by_its_root_and_survives_a_restart)
{
	struct bytes content = BYTES_LIT("some bytes");
	struct hash expected = merkle_bytes_root(content);
	struct hash root;
	uint64_t bytes;

	cr_assert_eq(
		blob_put(store, CORE_NAME_BYTES, content, NULL, NULL, &root),
		ERR_OK);
	cr_assert(hash_eq(&root, &expected));
	cr_assert(blob_has(store, &root, &bytes));
	cr_assert_eq(bytes, 10);
	reopen(1u << 20);
	expect_content(&root, content);
}

Test(blob, with_another_root_is_refused_and_leaves_nothing)
{
	struct hash wrong = {{7}};
	struct hash root = HASH_ZERO;
	uint64_t bytes;

	cr_assert_eq(blob_put(store, CORE_NAME_BYTES, BYTES_LIT("x"), &wrong,
			      NULL, &root),
		     ERR_PROOF);
	cr_assert(!blob_has(store, &wrong, &bytes));
	cr_assert(hash_is_zero(&root));
}

Test(blob, empty_bytes_are_a_blob_too)
{
	struct hash root;
	uint64_t bytes = 9;

	cr_assert_eq(blob_put(store, CORE_NAME_BYTES, (struct bytes){NULL, 0},
			      NULL, NULL, &root),
		     ERR_OK);
	cr_assert(blob_has(store, &root, &bytes));
	cr_assert_eq(bytes, 0);
}

Test(blob, list_is_named_by_its_items)
{
	/* two items "ab" and "c", each after its length */
	static const uint8_t list[] = {0, 0, 0, 2, 'a', 'b', 0, 0, 0, 1, 'c'};
	struct hash items[2] = {merkle_item("ab", 2), merkle_item("c", 1)};
	struct hash expected = merkle_list_root(items, 2);
	struct hash root;

	cr_assert_eq(blob_put(store, CORE_NAME_LIST, BYTES_OF(list), NULL, NULL,
			      &root),
		     ERR_OK);
	cr_assert(hash_eq(&root, &expected));
}

Test(blob, list_that_does_not_split_is_malformed)
{
	static const uint8_t cut[] = {0, 0, 0, 9, 'a'};
	static const uint8_t tail[] = {0, 0, 0, 1, 'a', 0, 0};
	struct hash root;

	cr_assert_eq(blob_put(store, CORE_NAME_LIST, BYTES_OF(cut), NULL, NULL,
			      &root),
		     ERR_MALFORMED);
	cr_assert_eq(blob_put(store, CORE_NAME_LIST, BYTES_OF(tail), NULL, NULL,
			      &root),
		     ERR_MALFORMED);
}

Test(blob, program_that_is_none_is_refused)
{
	struct hash root;

	cr_assert_neq(blob_put(store, CORE_NAME_PROGRAM, BYTES_LIT("junk"),
			       NULL, NULL, &root),
		      ERR_OK);
	cr_assert_neq(blob_put(store, CORE_NAME_HEADER, BYTES_LIT("junk"), NULL,
			       NULL, &root),
		      ERR_OK);
}

Test(blob, writer_goes_on_where_it_stopped)
{
	static uint8_t content[5000];
	struct bytes all = BYTES_OF(content);
	struct hash root;
	struct blob_writer *w;
	uint64_t have;

	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(i * 7);
	root = merkle_bytes_root(all);
	cr_assert_eq(blob_writer_begin(store, CORE_NAME_BYTES, &root, all.n,
				       &have, &w),
		     ERR_OK);
	cr_assert_eq(have, 0);
	cr_assert_eq(blob_writer_put(w, bytes_slice(all, 0, 1700)), ERR_OK);
	blob_writer_close(w);
	reopen(1u << 20);
	cr_assert_eq(blob_writer_begin(store, CORE_NAME_BYTES, &root, all.n,
				       &have, &w),
		     ERR_OK);
	cr_assert_eq(have, 1700);
	cr_assert_eq(blob_writer_put(w, bytes_skip(all, 1700)), ERR_OK);
	cr_assert_eq(blob_writer_end(w, &owner), ERR_OK);
	expect_content(&root, all);
	cr_assert_eq(blob_writer_begin(store, CORE_NAME_BYTES, &root, all.n,
				       &have, &w),
		     ERR_EXISTS);
}

Test(blob, wrong_part_is_thrown_away)
{
	struct hash root = merkle_bytes_root(BYTES_LIT("right"));
	struct blob_writer *w;
	uint64_t have;

	cr_assert_eq(
		blob_writer_begin(store, CORE_NAME_BYTES, &root, 5, &have, &w),
		ERR_OK);
	cr_assert_eq(blob_writer_put(w, BYTES_LIT("wrong")), ERR_OK);
	cr_assert_eq(blob_writer_put(w, BYTES_LIT("!")), ERR_LIMIT);
	cr_assert_eq(blob_writer_end(w, NULL), ERR_PROOF);
	cr_assert_eq(
		blob_writer_begin(store, CORE_NAME_BYTES, &root, 5, &have, &w),
		ERR_OK);
	cr_assert_eq(have, 0);
	blob_writer_close(w);
}

/* A blob of n bytes of one value. */
static struct hash put_filled(uint8_t value, size_t n, const struct hash *pin)
{
	uint8_t *p = malloc(n);
	struct hash root;

	memset(p, value, n);
	cr_assert_eq(blob_put(store, CORE_NAME_BYTES, bytes_of(p, n), NULL, pin,
			      &root),
		     ERR_OK);
	free(p);
	return root;
}

Test(blob, quota_lets_the_least_recently_used_go_but_no_pinned_one)
{
	struct hash a, b, c;
	uint64_t bytes;
	int fd;

	reopen(3000);
	a = put_filled(1, 1000, &owner);
	b = put_filled(2, 1000, NULL);
	c = put_filled(3, 1000, NULL);
	/* used again: c is now the older one */
	cr_assert_eq(blob_open(store, &b, &fd, &bytes), ERR_OK);
	close(fd);
	(void)put_filled(4, 1000, NULL);
	cr_assert(blob_has(store, &a, &bytes));
	cr_assert(blob_has(store, &b, &bytes));
	cr_assert(!blob_has(store, &c, &bytes));
}

Test(blob, full_of_pinned_ones_takes_no_more_until_they_are_let_go)
{
	uint8_t more[600] = {9};
	struct hash root;
	struct blob_usage u;

	reopen(2000);
	(void)put_filled(1, 1000, &owner);
	(void)put_filled(2, 900, &other);
	cr_assert_eq(blob_put(store, CORE_NAME_BYTES, BYTES_OF(more), NULL,
			      NULL, &root),
		     ERR_LIMIT);
	blob_usage(store, &u);
	cr_assert_eq(u.bytes, 1900);
	cr_assert_eq(u.pinned_bytes, 1900);
	cr_assert_eq(blob_unpin(store, &owner), ERR_OK);
	cr_assert_eq(blob_put(store, CORE_NAME_BYTES, BYTES_OF(more), NULL,
			      NULL, &root),
		     ERR_OK);
	blob_usage(store, &u);
	cr_assert_eq(u.bytes, 1500);
	cr_assert_eq(u.pinned_bytes, 900);
}

Test(blob, pin_of_two_owners_needs_both_to_let_go)
{
	struct hash a;
	struct blob_usage u;

	a = put_filled(1, 100, &owner);
	cr_assert_eq(blob_pin(store, &a, &other), ERR_OK);
	cr_assert_eq(blob_unpin(store, &owner), ERR_OK);
	blob_usage(store, &u);
	cr_assert_eq(u.pinned_bytes, 100);
	cr_assert_eq(blob_unpin(store, &other), ERR_OK);
	blob_usage(store, &u);
	cr_assert_eq(u.pinned_bytes, 0);
}

Test(blob, fsck_finds_a_flipped_bit)
{
	struct hash a = put_filled(1, 600, NULL);
	struct hash b = put_filled(2, 600, NULL);
	char hex[HASH_TEXT_BYTES];
	char path[192];
	uint64_t checked;
	uint64_t removed;
	uint64_t bytes;
	uint8_t flipped = 3;
	int fd;

	snprintf(path, sizeof(path), "%s/blobs/%s.0", dir, hash_text(&a, hex));
	fd = open(path, O_WRONLY);
	cr_assert_geq(fd, 0);
	cr_assert_eq(pwrite(fd, &flipped, 1, 599), 1);
	close(fd);
	cr_assert_eq(blob_fsck(store, &checked, &removed), ERR_OK);
	cr_assert_eq(checked, 2);
	cr_assert_eq(removed, 1);
	cr_assert(!blob_has(store, &a, &bytes));
	cr_assert(blob_has(store, &b, &bytes));
}

struct seen {
	unsigned count;
	char keys[8][16];
};

static void each(void *ctx, struct bytes key, struct bytes value)
{
	struct seen *s = ctx;

	cr_assert_eq(value.n, 1);
	snprintf(s->keys[s->count++], 16, "%.*s", (int)key.n,
		 (const char *)key.p);
}

Test(journal, keeps_what_was_committed_in_order)
{
	struct seen s = {.count = 0};
	struct buf b = buf_make(16);

	open_all();
	cr_assert_eq(journal_begin(env), ERR_OK);
	cr_assert_eq(journal_put(env, BYTES_LIT("b"), BYTES_LIT("1")), ERR_OK);
	cr_assert_eq(journal_put(env, BYTES_LIT("a"), BYTES_LIT("2")), ERR_OK);
	cr_assert_eq(journal_put(env, BYTES_LIT("c"), BYTES_LIT("3")), ERR_OK);
	cr_assert_eq(journal_del(env, BYTES_LIT("c")), ERR_OK);
	cr_assert_eq(journal_del(env, BYTES_LIT("never")), ERR_OK);
	cr_assert_eq(journal_commit(env), ERR_OK);
	/* a batch that never ends is as if it had not begun */
	cr_assert_eq(journal_begin(env), ERR_OK);
	cr_assert_eq(journal_put(env, BYTES_LIT("d"), BYTES_LIT("4")), ERR_OK);
	reopen(1u << 20);
	cr_assert_eq(journal_scan(env, each, &s), ERR_OK);
	cr_assert_eq(s.count, 2);
	cr_assert_str_eq(s.keys[0], "a");
	cr_assert_str_eq(s.keys[1], "b");
	cr_assert_eq(journal_get(env, BYTES_LIT("a"), &b), ERR_OK);
	cr_assert(bytes_eq(buf_bytes(&b), BYTES_LIT("2")));
	cr_assert_eq(journal_get(env, BYTES_LIT("d"), &b), ERR_NOT_FOUND);
	buf_free(&b);
	close_all();
}
