/*
 * weftd - the node.
 *~ The tour begins in node/node.c: node_main opens the parts in the order of
 *~ one table, then the loop turns until somebody says stop.
 */
#include "node/node.h"

int main(int argc, char **argv)
{
	return node_main(argc, argv);
}
