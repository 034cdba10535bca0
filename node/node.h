/*
 * node - the shell around node/core: the loop, the clock, sockets, workers,
 * keys and files.  main.c calls node_main and nothing else.
 */
#ifndef WEFT_NODE_NODE_H
#define WEFT_NODE_NODE_H

/*
 * All of weftd.  Returns the exit code: 0 done, 1 failed, 2 usage.  Errors
 * are said on standard error.
 */
int node_main(int argc, char **argv);

#endif /* WEFT_NODE_NODE_H */
