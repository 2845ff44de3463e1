// Separable convolution with 5 taps.
#define SIZE 5
#include "separable.cuh"
