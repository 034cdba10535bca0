// Weft's strict math: what stands in front of every CUDA source.
#ifndef WEFT_STRICT_CUH
#define WEFT_STRICT_CUH
#endif
