/* Keys in files, on paper, and what they sign. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bech32m.h"
#include "base/must.h"
#include "ledger/tx.h"
#include "tests/support/vectors.h"
#include "wallet/backup.h"
#include "wallet/lane.h"
#include "wallet/wallet.h"

static char folder[64];
static char path[96];

static void open_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/weft-wallet-XXXXXX");
	must(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/wallet", folder);
}

/* Also checks that nothing else was left behind. */
static void close_folder(void)
{
	unlink(path);
	cr_assert_eq(rmdir(folder), 0, "something was left in %s", folder);
}

static const struct seckey one = {{[31] = 1}};
static const struct seckey two = {{[31] = 2}};

static struct wallet *make_two(void)
{
	struct wallet *w;
	size_t i;

	must(wallet_new(&w) == ERR_OK);
	must(wallet_add(w, BYTES_LIT("main"), &one, NULL, &i) == ERR_OK);
	must(i == 0);
	must(wallet_add(w, BYTES_LIT("rig-1"), &two, &wallet_at(w, 0)->key,
			&i) == ERR_OK);
	must(i == 1);
	return w;
}

#define PASS BYTES_LIT("correct horse")

static void save_two(void)
{
	struct wallet *w = make_two();

	must(wallet_save(w, path, PASS, WALLET_COST_LOW) == ERR_OK);
	wallet_free(w);
}

Test(wallet, comes_back, .init = open_folder, .fini = close_folder)
{
	struct wallet *w;
	struct seckey sk;
	struct stat st;
	size_t i;

	save_two();
	must(stat(path, &st) == 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	cr_assert_eq(wallet_load(path, &w), ERR_OK);
	cr_assert(wallet_is_locked(w));
	cr_assert_eq(wallet_count(w), 2);
	cr_assert_str_eq(wallet_at(w, 1)->name, "rig-1");
	cr_assert(pubkey_eq(&wallet_at(w, 1)->owner, &wallet_at(w, 0)->key));
	cr_assert_eq(wallet_unlock(w, BYTES_LIT("wrong")), ERR_PASSPHRASE);
	cr_assert(wallet_is_locked(w));
	cr_assert_eq(wallet_unlock(w, PASS), ERR_OK);
	wallet_secret(w, 1, &sk);
	cr_assert_eq(memcmp(sk.b, two.b, 32), 0);
	cr_assert_eq(wallet_find(w, BYTES_LIT("rig-1"), &i), ERR_OK);
	cr_assert_eq(i, 1);
	cr_assert_eq(wallet_find(w, BYTES_LIT("rig"), &i), ERR_NOT_FOUND);
	wallet_free(w);
}

Test(wallet, saves_over_itself_with_another_passphrase, .init = open_folder,
     .fini = close_folder)
{
	struct wallet *w;
	size_t i;

	save_two();
	must(wallet_load(path, &w) == ERR_OK);
	must(wallet_unlock(w, PASS) == ERR_OK);
	cr_assert_eq(wallet_add(w, BYTES_LIT("third"), NULL, NULL, &i), ERR_OK);
	cr_assert_eq(wallet_save(w, path, BYTES_LIT("new"), WALLET_COST_LOW),
		     ERR_OK);
	/* Still usable, and after locking too. */
	wallet_lock(w);
	cr_assert_eq(wallet_unlock(w, PASS), ERR_PASSPHRASE);
	cr_assert_eq(wallet_unlock(w, BYTES_LIT("new")), ERR_OK);
	wallet_free(w);
	must(wallet_load(path, &w) == ERR_OK);
	cr_assert_eq(wallet_count(w), 3);
	cr_assert_eq(wallet_unlock(w, BYTES_LIT("new")), ERR_OK);
	wallet_free(w);
}

Test(wallet, every_changed_byte_is_noticed, .init = open_folder,
     .fini = close_folder)
{
	uint8_t in[1024];
	ssize_t n;
	int fd;

	save_two();
	fd = open(path, O_RDWR);
	must(fd >= 0);
	n = read(fd, in, sizeof(in));
	must(n > 100);
	for (ssize_t i = 0; i < n; i++) {
		struct wallet *w;
		uint8_t bent = in[i] ^ 0x01;
		enum err e;

		must(pwrite(fd, &bent, 1, i) == 1);
		e = wallet_load(path, &w);
		if (e == ERR_OK) {
			e = wallet_unlock(w, PASS);
			wallet_free(w);
		}
		cr_assert_neq(e, ERR_OK, "byte %zd", i);
		must(pwrite(fd, &in[i], 1, i) == 1);
	}
	for (ssize_t i = 0; i < n; i++) {
		struct wallet *w;

		must(ftruncate(fd, i) == 0);
		cr_assert_eq(wallet_load(path, &w), ERR_MALFORMED);
	}
	close(fd);
}

Test(wallet, files_that_others_can_read_are_refused, .init = open_folder,
     .fini = close_folder)
{
	struct wallet *w;
	char link[128];

	cr_assert_eq(wallet_load(path, &w), ERR_NOT_FOUND);
	save_two();
	must(chmod(path, 0640) == 0);
	cr_assert_eq(wallet_load(path, &w), ERR_REFUSED);
	must(chmod(path, 0600) == 0);
	snprintf(link, sizeof(link), "%s/link", folder);
	must(symlink(path, link) == 0);
	cr_assert_eq(wallet_load(link, &w), ERR_REFUSED);
	unlink(link);
	cr_assert_eq(wallet_load(folder, &w), ERR_REFUSED);
}

Test(wallet, failed_save_leaves_the_old_file, .init = open_folder,
     .fini = close_folder)
{
	struct wallet *w = make_two();
	char nowhere[160];

	save_two();
	snprintf(nowhere, sizeof(nowhere), "%s/none/wallet", folder);
	cr_assert_eq(wallet_save(w, nowhere, PASS, WALLET_COST_LOW), ERR_IO);
	/* A folder in the way of the rename. */
	snprintf(nowhere, sizeof(nowhere), "%s/dir", folder);
	must(mkdir(nowhere, 0700) == 0);
	cr_assert_eq(wallet_save(w, nowhere, PASS, WALLET_COST_LOW), ERR_IO);
	rmdir(nowhere);
	wallet_free(w);
	must(wallet_load(path, &w) == ERR_OK);
	cr_assert_eq(wallet_unlock(w, PASS), ERR_OK);
	wallet_free(w);
}

Test(wallet, refuses_what_it_cannot_keep_apart)
{
	struct wallet *w = make_two();
	struct seckey zero = {{0}};
	size_t i;

	cr_assert_eq(wallet_add(w, BYTES_LIT("main"), NULL, NULL, &i),
		     ERR_EXISTS);
	cr_assert_eq(wallet_add(w, BYTES_LIT("other"), &one, NULL, &i),
		     ERR_EXISTS);
	cr_assert_eq(wallet_add(w, BYTES_LIT(""), NULL, NULL, &i), ERR_REFUSED);
	cr_assert_eq(wallet_add(w, BYTES_LIT("Main"), NULL, NULL, &i),
		     ERR_REFUSED);
	cr_assert_eq(wallet_add(w, BYTES_LIT("a/b"), NULL, NULL, &i),
		     ERR_REFUSED);
	cr_assert_eq(wallet_add(w, BYTES_LIT("zero"), &zero, NULL, &i),
		     ERR_REFUSED);
	for (uint32_t n = 2; n < WALLET_KEYS_MAX; n++) {
		char name[16];

		snprintf(name, sizeof(name), "k%u", n);
		must(wallet_add(w, bytes_str(name), NULL, NULL, &i) == ERR_OK);
	}
	cr_assert_eq(wallet_add(w, BYTES_LIT("more"), NULL, NULL, &i),
		     ERR_LIMIT);
	wallet_free(w);
}

Test(wallet, signs_for_itself_and_for_an_owner)
{
	struct wallet *w = make_two();
	struct buf out = buf_make(1024);
	struct ledger_tx tx = {.chain_id = BYTES_LIT("weft-test"),
			       .kind = 2,
			       .body = BYTES_LIT("\x90")};
	struct ledger_tx got;
	enum reason why;

	cr_assert_eq(wallet_sign_tx(w, 0, &tx, &out), ERR_OK);
	cr_assert_eq(ledger_tx_decode(buf_bytes(&out), &got, &why), ERR_OK);
	cr_assert_eq(ledger_tx_verify(&got), ERR_OK);
	cr_assert_not(got.has_key);
	cr_assert(pubkey_eq(&got.sender, &wallet_at(w, 0)->key));
	buf_reset(&out);
	cr_assert_eq(wallet_sign_tx(w, 1, &tx, &out), ERR_OK);
	cr_assert_eq(ledger_tx_decode(buf_bytes(&out), &got, &why), ERR_OK);
	cr_assert_eq(ledger_tx_verify(&got), ERR_OK);
	cr_assert(got.has_key);
	cr_assert(pubkey_eq(&got.sender, &wallet_at(w, 0)->key));
	cr_assert(pubkey_eq(&got.key, &wallet_at(w, 1)->key));
	buf_free(&out);
	wallet_free(w);
}

/* A file laid out by tests/vectors/wallet/keystore.py. */
Test(wallet, format, .init = open_folder, .fini = close_folder)
{
	struct vectors v;
	uint8_t in[1024];
	size_t n;
	struct wallet *w;
	struct seckey sk;
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	vectors_open(&v, WEFT_SOURCE_DIR, "format/wallet.txt");
	must(vectors_next(&v) && strcmp(v.field[0], "keystore") == 0);
	n = vectors_hex(v.field[1], in, sizeof(in));
	must(fd >= 0 && write(fd, in, n) == (ssize_t)n);
	close(fd);
	must(!vectors_next(&v));
	cr_assert_eq(wallet_load(path, &w), ERR_OK);
	cr_assert_eq(wallet_unlock(w, PASS), ERR_OK);
	cr_assert_eq(wallet_count(w), 2);
	wallet_secret(w, 0, &sk);
	cr_assert_eq(memcmp(sk.b, one.b, 32), 0);
	wallet_secret(w, 1, &sk);
	cr_assert_eq(memcmp(sk.b, two.b, 32), 0);
	cr_assert(pubkey_eq(&wallet_at(w, 1)->owner, &wallet_at(w, 0)->key));
	wallet_free(w);
}

/* Checked against the BIP's Python reference: see tests/vectors/wallet. */
Test(backup, text_of_key_one)
{
	char text[BACKUP_TEXT_BYTES];
	struct seckey sk;
	FILE *f;
	char line[128];

	f = fopen(WEFT_SOURCE_DIR "/tests/vectors/wallet/backup.txt", "r");
	must(f && fgets(line, sizeof(line), f));
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	backup_text(&one, text);
	cr_assert_str_eq(text, line);
	cr_assert_eq(backup_parse(bytes_str(text), &sk), ERR_OK);
	cr_assert_eq(memcmp(sk.b, one.b, 32), 0);
}

Test(backup, forgives_blanks_and_case_but_no_character)
{
	char text[BACKUP_TEXT_BYTES];
	char bent[BACKUP_TEXT_BYTES + 8];
	struct seckey sk;

	backup_text(&two, text);
	for (size_t i = 0; text[i]; i++) {
		memcpy(bent, text, sizeof(text));
		if (text[i] == ' ') {
			bent[i] = '\n';
			cr_assert_eq(backup_parse(bytes_str(bent), &sk),
				     ERR_OK);
			continue;
		}
		bent[i] = text[i] == 'q' ? 'p' : 'q';
		cr_assert_eq(backup_parse(bytes_str(bent), &sk), ERR_MALFORMED,
			     "at %zu", i);
	}
	for (size_t i = 0; (bent[i] = text[i]) != 0; i++)
		if (bent[i] >= 'a' && bent[i] <= 'z')
			bent[i] = (char)(bent[i] - 32);
	cr_assert_eq(backup_parse(bytes_str(bent), &sk), ERR_OK);
	cr_assert_eq(memcmp(sk.b, two.b, 32), 0);
}

Test(backup, hex_and_garbage)
{
	struct seckey sk;
	char address[ADDRESS_TEXT_BYTES];
	struct pubkey pk;

	cr_assert_eq(backup_parse(BYTES_LIT("00000000000000000000000000000000"
					    "00000000000000000000000000000002"),
				  &sk),
		     ERR_OK);
	cr_assert_eq(memcmp(sk.b, two.b, 32), 0);
	cr_assert_eq(backup_parse(BYTES_LIT("00000000000000000000000000000000"
					    "00000000000000000000000000000000"),
				  &sk),
		     ERR_REFUSED);
	cr_assert_eq(backup_parse(BYTES_LIT(""), &sk), ERR_MALFORMED);
	/* An address is no secret. */
	must(sig_pubkey(&two, &pk) == ERR_OK);
	address_text(ADDRESS_HRP_MAIN, &pk, address);
	cr_assert_eq(backup_parse(bytes_str(address), &sk), ERR_MALFORMED);
}

Test(lane, ranges_do_not_meet)
{
	uint8_t user[256];
	struct hash h = HASH_ZERO;

	memset(user, 0xff, sizeof(user));
	for (int use = WALLET_USE_MONEY; use <= WALLET_USE_DISPUTE; use++) {
		for (uint32_t i = 0; i < 1000; i++) {
			uint8_t lane;

			put_u32_be(h.b, i * 2654435761u);
			lane = wallet_lane((enum wallet_use)use, &h);
			cr_assert(user[lane] == 0xff || user[lane] == use);
			user[lane] = (uint8_t)use;
		}
	}
	cr_assert_eq(wallet_lane(WALLET_USE_MONEY, NULL), 0);
}
