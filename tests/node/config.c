/*
 * Configuration: lines, flags, and where a mistake is.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "node/config.h"

static struct config c;
static char words[CONFIG_ERROR_BYTES];

static enum err parse(const char *text)
{
	config_init(&c);
	return config_parse(&c, bytes_str(text), words);
}

Test(config, has_defaults)
{
	config_init(&c);
	cr_assert_eq(c.node_port, 9420);
	cr_assert_str_eq(c.node_host, "127.0.0.1");
	cr_assert(!c.provider_enabled);
	cr_assert(c.buyer_enabled);
	cr_assert_eq(c.demo_tamper, 0);
}

Test(config, reads_lines)
{
	cr_assert_eq(parse("# comment\n\n[solo]\nblock_ms = 100\n"
			   "[provider]\n enabled=true \r\nname = my rig\n"),
		     ERR_OK);
	cr_assert_eq(c.solo_block_ms, 100);
	cr_assert(c.provider_enabled);
	cr_assert_str_eq(c.provider_name, "my rig");
}

Test(config, names_the_line_of_a_mistake)
{
	cr_assert_eq(parse("[node]\nport = 1\nspeed = 3\n"), ERR_MALFORMED);
	cr_assert_str_eq(words, "line 3: no key node.speed (see --help)");
	cr_assert_eq(parse("[node]\nport = -1\n"), ERR_MALFORMED);
	cr_assert_str_eq(words, "line 2: node.port takes a whole number");
	cr_assert_eq(parse("[provider]\nenabled = yes\n"), ERR_MALFORMED);
	cr_assert_str_eq(words, "line 2: provider.enabled takes true or false");
	cr_assert_eq(parse("just words\n"), ERR_MALFORMED);
	cr_assert_str_eq(words, "line 1: expected key = value");
}

Test(config, text_ends_at_its_limit)
{
	char text[32 + CONFIG_TEXT_BYTES] = "[provider]\nname=";
	size_t n = strlen(text);

	memset(text + n, 'x', CONFIG_TEXT_BYTES - 1);
	cr_assert_eq(parse(text), ERR_OK);
	text[n + CONFIG_TEXT_BYTES - 1] = 'x';
	cr_assert_eq(parse(text), ERR_MALFORMED);
}

Test(config, flags_win_over_the_rest)
{
	char *argv[] = {"weftd", "--data", "/nowhere", "--solo.block_ms=7",
			"--init"};

	cr_assert_eq(config_load(&c, 5, argv, words), ERR_OK);
	cr_assert_eq(c.solo_block_ms, 7);
	cr_assert_str_eq(c.node_data, "/nowhere");
	cr_assert(c.init);
}

Test(config, unknown_flag_is_an_error)
{
	char *argv[] = {"weftd", "--data", "/nowhere", "--fast"};

	cr_assert_eq(config_load(&c, 4, argv, words), ERR_MALFORMED);
	cr_assert_str_eq(words, "--fast: expected --section.key=value");
}
