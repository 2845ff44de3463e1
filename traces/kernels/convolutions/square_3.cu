// Convolutions with 3x3 weights.
#define SIZE 3
#include "square.cuh"
