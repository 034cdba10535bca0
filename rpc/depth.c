#include "base/limits.h"
#include "rpc/priv/call.h"

/* Before the parser recurses: count open brackets outside strings. */
bool rpc_depth_ok(struct bytes text)
{
	unsigned depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < text.n; i++) {
		uint8_t c = text.p[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '[' || c == '{') {
			if (++depth > RPC_DEPTH_MAX)
				return false;
		} else if ((c == ']' || c == '}') && depth > 0) {
			depth--;
		}
	}
	return true;
}
