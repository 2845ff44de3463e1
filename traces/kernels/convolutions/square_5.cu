// Convolutions with 5x5 weights.
#define SIZE 5
#include "square.cuh"
