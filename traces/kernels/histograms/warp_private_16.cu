// warp_private.cuh for pixels of 12 bits in 16, four at a time.
#include "warp_private.cuh"

WARP_PRIVATE_ALL(Pixels16)
