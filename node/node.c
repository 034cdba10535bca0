/*
 * node/node - the parts in the order in which they start; they end in the
 * opposite one.
 *~ Each row opens one part of struct node.  After the last one the core is
 *~ told what the journal holds, and everything else happens in answers to
 *~ events: a block (engine/), a request (door.c), a worker's answer (work.c),
 *~ a blob that arrived (fetch.c).  What they mean is decided in core/ and the
 *~ roles provider/, verifier/ and buyer/.
 */
#define _GNU_SOURCE

#include "node/node.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/bech32m.h"
#include "node/clock.h"
#include "node/log.h"
#include "node/priv/node.h"

#define ENV_MAP_BYTES (1ull << 30)
#define DISK_LOOK_S   5

void node_stop(struct node *n, int exit_code)
{
	if (!n->stopping)
		n->exit_code = exit_code;
	n->stopping = true;
	if (n->base)
		event_base_loopbreak(n->base);
}

void node_fail(struct node *n, enum err e, const char *what)
{
	log_line(LOG_ERROR, "node", "%s: %s", what, err_words(e));
	node_stop(n, 1);
}

/* The folder, and that nobody else uses it. */
static enum err open_folder(struct node *n)
{
	char path[CONFIG_PATH_BYTES + 16];

	if (mkdir(n->config.node_data, 0700) && errno != EEXIST) {
		log_line(LOG_ERROR, "node", "cannot make %s",
			 n->config.node_data);
		return ERR_IO;
	}
	(void)snprintf(path, sizeof(path), "%s/lock", n->config.node_data);
	n->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (n->lock_fd < 0)
		return ERR_IO;
	if (flock(n->lock_fd, LOCK_EX | LOCK_NB)) {
		log_line(LOG_ERROR, "node", "%s is in use by another weftd",
			 n->config.node_data);
		return ERR_BUSY;
	}
	return ERR_OK;
}

static enum err open_keys(struct node *n)
{
	enum err e = keys_open(n->config.node_data, &n->keys);

	if (e == ERR_REFUSED)
		log_line(LOG_ERROR, "keys",
			 "others may read the key files: chmod 600");
	n->owner = n->keys.account;
	return e;
}

static enum err open_loop(struct node *n)
{
	n->base = event_base_new();
	return n->base ? ERR_OK : ERR_NO_MEMORY;
}

static enum err open_data(struct node *n)
{
	char path[CONFIG_PATH_BYTES + 16];
	enum err e;

	(void)snprintf(path, sizeof(path), "%s/node", n->config.node_data);
	e = data_env_open(path, ENV_MAP_BYTES, &n->env);
	if (!e)
		e = blob_store_open(n->config.node_data, n->env,
				    n->config.node_blob_quota_mib << 20,
				    &n->blobs);
	return e;
}

/* An owner's address, once the chain says what addresses look like. */
static enum err find_owner(struct node *n)
{
	struct ledger_info info;
	enum err e;

	if (!n->config.provider_owner[0])
		return ERR_OK;
	ledger_chain_info(n->chain, &info);
	e = address_parse(genesis_hrp(info.chain_id),
			  bytes_str(n->config.provider_owner), &n->owner);
	if (e)
		log_line(LOG_ERROR, "config", "provider.owner is no address");
	return e;
}

static void put_name(struct market_name *name, const char *text)
{
	size_t n = strlen(text);

	name->n = (uint8_t)(n < MARKET_NAME_MAX ? n : MARKET_NAME_MAX);
	memcpy(name->b, text, name->n);
}

static enum err add_provider(struct node *n)
{
	const struct config *c = &n->config;
	size_t region_bytes = strlen(c->provider_region);
	struct provider_config p = {
		.account = n->owner,
		.signer = n->keys.account,
		.key = n->keys.account_secret,
		.slots = (uint32_t)c->provider_tasks,
		.threads = (uint32_t)c->provider_threads,
		.task_wall_ms = c->provider_task_seconds * 1000,
		.has_offer = true,
		.drop_keep_blocks = c->provider_keep_blocks,
		.tamper = {.on = c->demo_tamper > 0,
			   .one_in = (uint32_t)c->demo_tamper},
	};
	struct market_offer_terms *t = &p.offer;

	t->device = MARKET_DEVICE_CPU;
	t->memory_bytes = c->provider_memory_mib << 20;
	put_name(&t->name, c->provider_name);
	t->gop_price = coin_picks(c->provider_gop_price_picks);
	t->value_min = coin_picks(c->provider_value_min_picks);
	t->rate = c->provider_rate;
	t->slots = (uint32_t)c->provider_slots;
	t->classes = MARKET_CLASS_A | MARKET_CLASS_A_ASSUMED | MARKET_CLASS_R |
		     MARKET_CLASS_S;
	t->watts = (uint32_t)c->provider_watts;
	t->until_height = c->provider_offer_blocks;
	t->bond_target = coin_picks(c->provider_bond_target_picks);
	if (region_bytes > MARKET_REGION_MAX)
		return ERR_MALFORMED;
	t->region.n = (uint8_t)region_bytes;
	memcpy(t->region.b, c->provider_region, region_bytes);
	n->provider = provider_new(&p);
	sig_wipe(&p.key, sizeof(p.key));
	if (!n->provider)
		return ERR_NO_MEMORY;
	core_add(n->core, &provider_role, n->provider);
	return ERR_OK;
}

static enum err add_verifier(struct node *n)
{
	struct verifier_config v = {
		.account = n->keys.account,
		.salt_key = sha256_tagged("weft/salt-key",
					  n->keys.account_secret.b, 32),
		.bond = coin_picks(n->config.verifier_bond_picks),
		.audits = (uint32_t)n->config.verifier_audits,
	};

	n->verifier = verifier_new(&v);
	sig_wipe(&v.salt_key, sizeof(v.salt_key));
	if (!n->verifier)
		return ERR_NO_MEMORY;
	core_add(n->core, &verifier_role, n->verifier);
	return ERR_OK;
}

static enum err open_core(struct node *n)
{
	enum err e = find_owner(n);

	if (e)
		return e;
	n->core = core_new();
	if (!n->core)
		return ERR_NO_MEMORY;
	if (n->config.provider_enabled)
		e = add_provider(n);
	if (!e && n->config.verifier_enabled)
		e = add_verifier(n);
	if (!e && n->config.buyer_enabled) {
		n->buyer = buyer_new(&n->keys.account);
		if (!n->buyer)
			return ERR_NO_MEMORY;
		core_add(n->core, &buyer_role, n->buyer);
	}
	return e ? e : node_pump_open(n);
}

static void on_signal(evutil_socket_t number, short what, void *ctx)
{
	(void)what;
	log_line(LOG_INFO, "node", "signal %d: stopping", (int)number);
	node_stop(ctx, 0);
}

static void on_disk_look(evutil_socket_t fd, short what, void *ctx)
{
	struct node *n = ctx;
	struct statvfs disk;
	bool low;

	(void)fd, (void)what;
	if (statvfs(n->config.node_data, &disk))
		return;
	low = (uint64_t)disk.f_bavail * disk.f_frsize <
	      n->config.node_reserve_mib << 20;
	if (low != n->disk_low)
		log_line(low ? LOG_ERROR : LOG_INFO, "node", "%s",
			 low ? "the disk is nearly full: no transactions are "
			       "taken"
			     : "there is room on the disk again");
	n->disk_low = low;
}

static enum err open_signals(struct node *n)
{
	struct timeval every = {DISK_LOOK_S, 0};

	signal(SIGPIPE, SIG_IGN);
	n->signals[0] = evsignal_new(n->base, SIGTERM, on_signal, n);
	n->signals[1] = evsignal_new(n->base, SIGINT, on_signal, n);
	n->signals[2] = event_new(n->base, -1, EV_PERSIST, on_disk_look, n);
	if (!n->signals[0] || !n->signals[1] || !n->signals[2])
		return ERR_NO_MEMORY;
	if (event_add(n->signals[0], NULL) || event_add(n->signals[1], NULL) ||
	    event_add(n->signals[2], &every))
		return ERR_IO;
	on_disk_look(-1, 0, n);
	return ERR_OK;
}

static const struct {
	const char *name;
	enum err (*open)(struct node *n);
} parts[] = {
	/* clang-format off */
	{"folder",  open_folder},
	{"keys",    open_keys},
	{"loop",    open_loop},
	{"signals", open_signals},
	{"data",    open_data},
	{"ledger",  node_ledger_open},
	{"core",    open_core},
	{"door",    node_door_open},
	{"rpc",     node_rpc_open},
	{"engine",  node_engine_open},
	{"journal", node_core_start},
	/* clang-format on */
};

static void close_all(struct node *n)
{
	n->stopping = true;
	node_door_close(n);
	node_rpc_close(n);
	if (n->base) {
		node_job_close(n);
		node_build_close(n);
		node_fetch_close(n);
		node_send_close(n);
		node_pump_close(n);
	}
	core_free(n->core);
	node_ledger_close(n);
	blob_store_close(n->blobs);
	data_env_close(n->env);
	for (size_t i = 0; i < 3; i++)
		if (n->signals[i])
			event_free(n->signals[i]);
	if (n->base)
		event_base_free(n->base);
	keys_wipe(&n->keys);
	if (n->lock_fd >= 0)
		close(n->lock_fd);
}

static void say_ready(struct node *n)
{
	struct ledger_info info;
	char address[ADDRESS_TEXT_BYTES];

	ledger_chain_info(n->chain, &info);
	log_line(LOG_INFO, "node",
		 "ready: %.*s at height %llu, %s:%u, account %s",
		 (int)info.chain_id.n, (const char *)info.chain_id.p,
		 (unsigned long long)info.height, n->config.node_host,
		 server_port(n->server),
		 address_text(genesis_hrp(info.chain_id), &n->keys.account,
			      address));
}

static int run(struct node *n)
{
	n->started_ms = clock_now_ms();
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		enum err e = parts[i].open(n);

		if (e) {
			log_line(LOG_ERROR, "node", "%s: %s", parts[i].name,
				 err_words(e));
			n->exit_code = 1;
			break;
		}
		if (n->stopping)
			break;
		if (i + 1 == sizeof(parts) / sizeof(parts[0])) {
			node_announce(n);
			say_ready(n);
			event_base_dispatch(n->base);
		}
	}
	close_all(n);
	return n->exit_code;
}

/* --init: who this is, as JSON. */
static int print_keys(struct node *n)
{
	char test[ADDRESS_TEXT_BYTES];
	char main_text[ADDRESS_TEXT_BYTES];
	char account[65];
	char vrf[65];
	enum err e = open_folder(n);

	if (!e)
		e = open_keys(n);
	if (!e) {
		hex_encode(BYTES_OF(n->keys.account), account);
		hex_encode(BYTES_OF(n->keys.vrf), vrf);
		printf("{\"address\": \"%s\", \"main_address\": \"%s\", "
		       "\"account\": \"%s\", \"vrf\": \"%s\"}\n",
		       address_text(ADDRESS_HRP_TEST, &n->keys.account, test),
		       address_text(ADDRESS_HRP_MAIN, &n->keys.account,
				    main_text),
		       account, vrf);
	}
	close_all(n);
	return e ? 1 : 0;
}

static bool fsck_ledger(struct node *n)
{
	struct ledger_fsck f;
	enum err e = node_ledger_open(n);

	if (!e)
		e = ledger_chain_fsck(n->chain, &f);
	if (e) {
		printf("ledger: %s\n", err_words(e));
		return false;
	}
	printf("ledger: %llu records, %llu accounts; money %s, root %s, "
	       "form %s\n",
	       (unsigned long long)f.record_count,
	       (unsigned long long)f.account_count,
	       f.is_conserved ? "adds up" : "DOES NOT ADD UP",
	       f.is_root_right ? "right" : "WRONG",
	       f.is_canonical ? "canonical" : "NOT CANONICAL");
	return f.is_conserved && f.is_root_right && f.is_canonical;
}

/* --fsck: exit 0 only when all is well. */
static int fsck(struct node *n)
{
	uint64_t checked = 0;
	uint64_t removed = 0;
	bool fine;
	enum err e = open_folder(n);

	if (!e)
		e = open_keys(n);
	if (!e)
		e = open_loop(n);
	if (!e)
		e = open_data(n);
	fine = !e && fsck_ledger(n);
	if (!e)
		e = blob_fsck(n->blobs, &checked, &removed);
	printf("blobs: %llu checked, %llu wrong and removed%s%s\n",
	       (unsigned long long)checked, (unsigned long long)removed,
	       e ? ": " : "", e ? err_words(e) : "");
	close_all(n);
	return fine && !e && !removed ? 0 : 1;
}

/* --node.rollback=HEIGHT: C5, when what ordered lost its last blocks. */
static int rollback(struct node *n)
{
	struct ledger_info info;
	enum err e = open_folder(n);

	if (!e)
		e = open_keys(n);
	if (!e)
		e = open_loop(n);
	if (!e)
		e = node_ledger_open(n);
	if (!e) {
		ledger_chain_info(n->chain, &info);
		e = n->config.node_rollback < info.height
			    ? ledger_chain_rollback(n->chain,
						    n->config.node_rollback)
			    : ERR_NOT_FOUND;
	}
	if (!e) {
		ledger_chain_info(n->chain, &info);
		printf("height %llu\n", (unsigned long long)info.height);
	} else {
		fprintf(stderr, "weftd: cannot step back to %llu: %s\n",
			(unsigned long long)n->config.node_rollback,
			err_words(e));
	}
	close_all(n);
	return e ? 1 : 0;
}

static enum log_level level_of(const char *text)
{
	static const char *const words[] = {"debug", "info", "warn", "error"};

	for (size_t i = 0; i < 4; i++)
		if (strcmp(text, words[i]) == 0)
			return (enum log_level)i;
	return LOG_INFO;
}

static int help(void)
{
	struct buf b = buf_make(64u << 10);

	config_help(&b);
	fwrite(b.p, 1, b.n, stdout);
	buf_free(&b);
	return 0;
}

int node_main(int argc, char **argv)
{
	static struct node n;
	char words[CONFIG_ERROR_BYTES] = "";
	enum err e = config_load(&n.config, argc, argv, words);

	n.lock_fd = -1;
	n.queue_end = &n.queue;
	if (n.config.help)
		return help();
	if (n.config.version) {
		printf("weftd %s\n", NODE_VERSION);
		return 0;
	}
	if (e) {
		fprintf(stderr, "weftd: %s\n", words);
		return e == ERR_IO ? 1 : 2;
	}
	log_set_level(level_of(n.config.node_log));
	if (n.config.init)
		return print_keys(&n);
	if (n.config.fsck)
		return fsck(&n);
	if (n.config.node_rollback)
		return rollback(&n);
	return run(&n);
}
