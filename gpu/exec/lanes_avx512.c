/*
 * The lane functions for CPUs with avx512: the bodies are
 * gpu/exec/priv/lanes_*.h, the compiler's options stand in
 * contrib/folders.cmake.
 */
#define LANE_BYTES 64
#define LANE_NAME  "avx512"
#define LANE_SET   exec_lanes_avx512

#include "gpu/exec/priv/lanes_all.h"
