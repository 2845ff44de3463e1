// The kernels of transpose.cu with a tile of 16x16: a warp of a block 16 threads wide reads two columns of the tile.
#define TILE 16
#include "transpose.cu"
