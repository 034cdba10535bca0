/*
 * weft-worker: one job for its parent, then gone.  Nobody starts it by hand.
 */
#include "gpu/client/spawn.h"
#include "gpu/worker/worker.h"

int main(void)
{
	return worker_main(SPAWN_SOCKET_FD);
}
