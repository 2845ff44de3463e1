// y = A^T (A x) of a dense matrix, one thread for each row, then one for each column; the sum of each is kept in global
// memory.
typedef float DATA_TYPE;

/// tmp = A x, a thread for each row.
extern "C" __global__ void atax_kernel1(int nx, int ny, DATA_TYPE* A, DATA_TYPE* x, DATA_TYPE* tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx) {
    tmp[i] = 0;
    for (int j = 0; j < ny; j++) tmp[i] += A[i * ny + j] * x[j];
  }
}

/// y = A^T tmp, a thread for each column.
extern "C" __global__ void atax_kernel2(int nx, int ny, DATA_TYPE* A, DATA_TYPE* y, DATA_TYPE* tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny) {
    y[j] = 0;
    for (int i = 0; i < nx; i++) y[j] += A[i * ny + j] * tmp[i];
  }
}
