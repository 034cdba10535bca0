/*
 * weft wallet new, restore, backup: the encrypted file of keys, and sending
 * with one of its keys.
 */
#define _GNU_SOURCE
#include "cli/cmd_wallet_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/bech32m.h"
#include "cli/json.h"
#include "cli/link.h"
#include "cli/table.h"
#include "ledger/bodies.h"
#include "ledger/rules.h"
#include "ledger/tx.h"
#include "wallet/backup.h"
#include "wallet/lane.h"
#include "wallet/wallet.h"

#define PASSPHRASE_BYTES 256u
#define EXPIRY_BLOCKS	 1000u
#define HRP_MAIN_PREFIX	 "weft1"

/* Without echo on a terminal; else the first line of standard input. */
static bool read_secret(const char *prompt, char *out, size_t size)
{
	struct termios was, quiet;
	bool terminal = isatty(0) && tcgetattr(0, &was) == 0;
	char *ok;

	if (terminal) {
		fputs(prompt, stderr);
		quiet = was;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(0, TCSAFLUSH, &quiet);
	}
	ok = fgets(out, (int)size, stdin);
	if (terminal) {
		tcsetattr(0, TCSAFLUSH, &was);
		fputc('\n', stderr);
	}
	if (!ok)
		return false;
	out[strcspn(out, "\r\n")] = 0;
	return true;
}

/* $WEFT_PASSPHRASE, or asked for. */
static enum cli_exit passphrase(struct cli *c, const char *prompt,
				char out[PASSPHRASE_BYTES])
{
	const char *given = getenv("WEFT_PASSPHRASE");

	if (given) {
		snprintf(out, PASSPHRASE_BYTES, "%s", given);
		return CLI_DONE;
	}
	if (!read_secret(prompt, out, PASSPHRASE_BYTES) || !out[0])
		return cli_usage(c, "a passphrase is needed (typed, or in "
				    "WEFT_PASSPHRASE)");
	return CLI_DONE;
}

static const char *wallet_path(struct cli *c)
{
	const char *dir = link_dir(c);

	if (!dir)
		return NULL;
	mkdir(dir, 0700);
	return arena_printf(c->arena, "%s/wallet", dir);
}

static enum cli_exit fail_wallet(struct cli *c, enum err e, const char *path)
{
	if (e == ERR_NOT_FOUND)
		return cli_fail(c, CLI_FAILED, "not_found",
				"there is no wallet %s; weft wallet new makes "
				"one",
				path);
	if (e == ERR_REFUSED)
		return cli_fail(c, CLI_FAILED, "no_permission",
				"others may read %s; chmod 600 it", path);
	return cli_fail(c, CLI_FAILED,
			e == ERR_PASSPHRASE ? "passphrase" : "failed", "%s: %s",
			path, err_words(e));
}

/* Load and unlock; a wallet that is not there is made when may_make. */
static enum cli_exit open_wallet(struct cli *c, bool may_make,
				 const char **ret_path,
				 char secret[PASSPHRASE_BYTES],
				 struct wallet **ret)
{
	const char *path = wallet_path(c);
	enum cli_exit code;
	enum err e;

	if (!path)
		return CLI_USAGE;
	*ret_path = path;
	code = passphrase(c, "passphrase: ", secret);
	if (code)
		return code;
	e = wallet_load(path, ret);
	if (e == ERR_NOT_FOUND && may_make)
		e = wallet_new(ret);
	else if (!e)
		e = wallet_unlock(*ret, bytes_str(secret));
	return e ? fail_wallet(c, e, path) : CLI_DONE;
}

static const char *hrp_of(const struct cli *c)
{
	return cli_flag(c, "main") ? ADDRESS_HRP_MAIN : ADDRESS_HRP_TEST;
}

static enum cli_exit add_key(struct cli *c, const struct seckey *sk)
{
	const char *name =
		cli_value(c, "name") ? cli_value(c, "name") : "default";
	char secret[PASSPHRASE_BYTES], address[ADDRESS_TEXT_BYTES];
	struct wallet *w = NULL;
	const char *path = "";
	size_t index = 0;
	enum cli_exit code = open_wallet(c, true, &path, secret, &w);
	enum err e = ERR_OK;

	if (!code)
		e = wallet_add(w, bytes_str(name), sk, NULL, &index);
	if (!code && e == ERR_EXISTS)
		code = cli_fail(c, CLI_REFUSED, "duplicate",
				"%s holds a key \"%s\" or this key already; "
				"choose another --name",
				path, name);
	else if (!code && e)
		code = cli_usage(c,
				 "\"%s\" is no name for a key: a-z, 0-9, "
				 "., _ and -, 32 at most",
				 name);
	if (!code) {
		e = wallet_save(w, path, bytes_str(secret), WALLET_COST_NORMAL);
		if (e)
			code = fail_wallet(c, e, path);
	}
	if (!code) {
		address_text(hrp_of(c), &wallet_at(w, index)->key, address);
		if (c->json)
			json_put(json_pack("{s:s,s:s,s:s}", "name", name,
					   "account", address, "file", path));
		else
			printf("%s  %s\n", name, address);
		cli_note(c,
			 "kept in %s; weft wallet backup %s prints the "
			 "secret for paper",
			 path, name);
	}
	sig_wipe(secret, sizeof(secret));
	wallet_free(w);
	return code;
}

static enum cli_exit new_key(struct cli *c)
{
	return add_key(c, NULL);
}

static enum cli_exit restore(struct cli *c)
{
	char text[2 * BACKUP_TEXT_BYTES];
	struct seckey sk;
	enum cli_exit code;

	if (!read_secret("secret (weftsecret1... or 64 hex digits): ", text,
			 sizeof(text)) ||
	    backup_parse(bytes_str(text), &sk)) {
		sig_wipe(text, sizeof(text));
		return cli_fail(c, CLI_FAILED, "bad_encoding",
				"that is no secret: characters, checksum or "
				"length are wrong");
	}
	sig_wipe(text, sizeof(text));
	code = add_key(c, &sk);
	sig_wipe(&sk, sizeof(sk));
	return code;
}

static enum cli_exit find_key(struct cli *c, const struct wallet *w,
			      const char *name, size_t *ret_index)
{
	if (wallet_find(w, bytes_str(name), ret_index) == ERR_OK)
		return CLI_DONE;
	return cli_fail(c, CLI_FAILED, "not_found",
			"the wallet has no key \"%s\"", name);
}

static enum cli_exit backup(struct cli *c)
{
	const char *name = c->operand_count ? c->operands[0] : "default";
	char secret[PASSPHRASE_BYTES], text[BACKUP_TEXT_BYTES];
	struct wallet *w = NULL;
	struct seckey sk;
	const char *path;
	size_t index = 0;
	enum cli_exit code = open_wallet(c, false, &path, secret, &w);

	if (!code)
		code = find_key(c, w, name, &index);
	if (!code) {
		wallet_secret(w, index, &sk);
		backup_text(&sk, text);
		printf("%s\n", text);
		cli_note(c, "whoever reads this owns the account");
		sig_wipe(&sk, sizeof(sk));
		sig_wipe(text, sizeof(text));
	}
	sig_wipe(secret, sizeof(secret));
	wallet_free(w);
	return code;
}

/* Chain, height, sequence and fee for one transfer. */
static enum cli_exit fill_tx(struct cli *c, struct link *l, const char *account,
			     struct ledger_tx *tx)
{
	json_t *status = NULL, *seq = NULL;
	enum cli_exit code = link_call(c, l, "chain.status", NULL, &status);

	if (!code)
		code = link_call(
			c, l, "account.seq",
			json_pack("{s:s,s:i}", "account", account, "lane",
				  (int)wallet_lane(WALLET_USE_MONEY, NULL)),
			&seq);
	if (!code) {
		const char *id = arena_str(
			c->arena, bytes_str(link_text(status, "chain_id")));

		tx->chain_id = bytes_str(id ? id : "");
		tx->lane = wallet_lane(WALLET_USE_MONEY, NULL);
		tx->seq = link_count(seq, "next_seq");
		tx->fee = coin_picks(link_count(seq, "transfer_fee_picks"));
		tx->expiry_height =
			link_number(status, "height") + EXPIRY_BLOCKS;
		tx->kind = LEDGER_KIND_TRANSFER;
	}
	json_decref(status);
	json_decref(seq);
	return code;
}

static enum cli_exit submit_tx(struct cli *c, struct link *l,
			       struct bytes encoded)
{
	char *hex = malloc(2 * encoded.n + 1);
	json_t *answer = NULL;
	enum cli_exit code;

	if (!hex)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	hex_encode(encoded, hex);
	code = link_call(c, l, "tx.submit", json_pack("{s:s}", "tx", hex),
			 &answer);
	free(hex);
	if (!code && c->json)
		json_put(json_incref(answer));
	else if (!code)
		printf("%s handed over; weft wallet history shows it\n",
		       link_text(answer, "tx"));
	json_decref(answer);
	return code;
}

enum cli_exit wallet_send_signed(struct cli *c, const char *name,
				 const char *to, const char *picks)
{
	const char *hrp = strncmp(to, HRP_MAIN_PREFIX, 5) == 0
				  ? ADDRESS_HRP_MAIN
				  : ADDRESS_HRP_TEST;
	struct ledger_transfer t = {.is_all = picks == NULL};
	char secret[PASSPHRASE_BYTES], from[ADDRESS_TEXT_BYTES];
	struct buf body = buf_make(1024), out = buf_make(4096);
	struct ledger_tx tx = {0};
	struct wallet *w = NULL;
	struct link l = {0};
	const char *path;
	size_t index = 0;
	enum cli_exit code;

	if (address_parse(hrp, bytes_str(to), &t.to))
		return cli_usage(c, "\"%s\" is no address", to);
	if (picks)
		t.amount = coin_picks(strtoull(picks, NULL, 10));
	code = link_open(c, &l);
	if (!code)
		code = open_wallet(c, false, &path, secret, &w);
	if (!code)
		code = find_key(c, w, name, &index);
	if (!code) {
		address_text(hrp, &wallet_at(w, index)->key, from);
		ledger_transfer_encode(&body, &t);
		tx.body = buf_bytes(&body);
		code = fill_tx(c, &l, from, &tx);
	}
	if (!code && wallet_sign_tx(w, index, &tx, &out))
		code = cli_fail(c, CLI_FAILED, "failed", "cannot sign");
	if (!code)
		code = submit_tx(c, &l, buf_bytes(&out));
	sig_wipe(secret, sizeof(secret));
	buf_free(&body);
	buf_free(&out);
	wallet_free(w);
	link_close(&l);
	return code;
}

json_t *wallet_file_json(struct cli *c, const char *hrp)
{
	const char *path = wallet_path(c);
	struct wallet *w = NULL;
	json_t *all = json_array();

	if (!path || wallet_load(path, &w) != ERR_OK)
		return all;
	for (size_t i = 0; i < wallet_count(w); i++) {
		const struct wallet_key *k = wallet_at(w, i);
		char address[ADDRESS_TEXT_BYTES];

		json_array_append_new(
			all,
			json_pack("{s:s,s:s,s:s}", "name", k->name, "account",
				  address_text(hrp, &k->key, address), "in",
				  "file"));
	}
	wallet_free(w);
	return all;
}

static const struct cli_option key_options[] = {
	{"name", 0, "NAME", "of the key (default: default)"},
	{"main", 0, NULL, "print the main network's address (weft1...)"},
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_wallet_new = {
	.noun = "wallet",
	.verb = "new",
	.operands = "",
	.summary = "make a key",
	.help = "Adds a random key to DIR/wallet, encrypted with a "
		"passphrase (Argon2id,\nXChaCha20-Poly1305).\n",
	.options = key_options,
	.run = new_key,
};
const struct cli_command cli_wallet_restore = {
	.noun = "wallet",
	.verb = "restore",
	.operands = "",
	.summary = "bring a key back from its backup",
	.help = "Reads the secret from the terminal or standard input.\n",
	.options = key_options,
	.run = restore,
};
const struct cli_command cli_wallet_backup = {
	.noun = "wallet",
	.verb = "backup",
	.operands = "[NAME]",
	.summary = "print a key's secret, for paper",
	.help = "The checksum finds up to four wrong characters.\n",
	.options = key_options,
	.operands_max = 1,
	.run = backup,
};
