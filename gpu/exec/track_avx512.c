/*
 * The loops over touched bytes, for CPUs with avx512: the bodies are
 * gpu/exec/priv/track_all.h, the compiler's options stand in
 * contrib/folders.cmake.
 */
#define TRACK_SET track_avx512

#include "gpu/exec/priv/track_all.h"
