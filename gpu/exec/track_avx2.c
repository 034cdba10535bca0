/*
 * The loops over touched bytes, for CPUs with avx2: the bodies are
 * gpu/exec/priv/track_all.h, the compiler's options stand in
 * contrib/folders.cmake.
 */
#define TRACK_SET track_avx2

#include "gpu/exec/priv/track_all.h"
