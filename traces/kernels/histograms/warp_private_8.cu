// warp_private.cuh for pixels of 8 bits, four in a word.
#include "warp_private.cuh"

WARP_PRIVATE_ALL(Pixels8)
