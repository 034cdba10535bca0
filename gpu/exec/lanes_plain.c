/*
 * The lane functions for any x86-64 CPU: the bodies are
 * gpu/exec/priv/lanes_*.h, the compiler's options stand in
 * contrib/folders.cmake.
 */
#define LANE_BYTES 16
#define LANE_NAME  "plain"
#define LANE_SET   exec_lanes_plain

#include "gpu/exec/priv/lanes_all.h"
