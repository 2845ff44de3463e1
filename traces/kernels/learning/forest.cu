// Votes of a forest of decision trees, a thread for each row of features: from each tree's root to a leaf, whose value counts. Trees
// are complete and stored level by level.
#include "lockstep_cuda.cuh"

extern "C" __global__ void forest(const float* __restrict__ features, int width,
                                  const unsigned char* __restrict__ tested, const float* __restrict__ thresholds,
                                  const short* __restrict__ leaves, int trees, int depth, int rows,
                                  int* __restrict__ votes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* own = features + (size_t)row * width;
  const int inner = (1 << depth) - 1;
  int sum = 0;
  for (int tree = 0; tree < trees; ++tree) {
    int node = 0;
    while (node < inner) {
      const bool right = own[tested[node]] >= thresholds[node];
      node = 2 * node + 1 + right;
    }
    sum += leaves[node - inner];
    tested += inner;
    thresholds += inner;
    leaves += inner + 1;
  }
  votes[row] = sum;
}
