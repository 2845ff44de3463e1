// warp_private.cuh for pixels of 12 bits, one in a word.
#include "warp_private.cuh"

WARP_PRIVATE_ALL(Pixels32)
