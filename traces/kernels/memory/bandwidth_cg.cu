// bandwidth.cu with loads that no L1 cache serves.
#define CACHE ".cg"
#include "bandwidth.cu"
