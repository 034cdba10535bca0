/*
 * The loops over touched bytes, for any CPU: the bodies are
 * gpu/exec/priv/track_all.h, the compiler's options stand in
 * contrib/folders.cmake.
 */
#define TRACK_SET track_plain

#include "gpu/exec/priv/track_all.h"
