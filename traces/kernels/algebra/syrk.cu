// C = alpha A A^T + beta C, one thread for each element.

/// An element of C for each thread, all of them, not only a triangle.
extern "C" __global__ void syrk_kernel(int ni, int nj, float alpha, float beta, const float* a, float* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni && j < ni) {
    float sum = c[i * ni + j] * beta;
    for (int k = 0; k < nj; k++) sum += alpha * a[i * nj + k] * a[j * nj + k];
    c[i * ni + j] = sum;
  }
}
