// Separable convolution with 3 taps.
#define SIZE 3
#include "separable.cuh"
