/*
 * The lane functions for CPUs with avx2: the bodies are
 * gpu/exec/priv/lanes_*.h, the compiler's options stand in
 * contrib/folders.cmake.
 */
#define LANE_BYTES 32
#define LANE_NAME  "avx2"
#define LANE_SET   exec_lanes_avx2

#include "gpu/exec/priv/lanes_all.h"
