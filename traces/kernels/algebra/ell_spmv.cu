// y = A x in double precision, A in ELLPACK form with a thread for each row.

/// Row r has its entries at r, r + pitch, ...; a column below 0 ends it.
extern "C" __global__ void spmv_ell(int rows, int width, int pitch, const double* __restrict__ values,
                                    const int* __restrict__ columns, const double* __restrict__ x,
                                    double* __restrict__ y) {
  const int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int n = 0; n < width; n++) {
    const int col = columns[n * pitch + row];
    if (col < 0) break;
    sum += values[n * pitch + row] * x[col];
  }
  y[row] = sum;
}
