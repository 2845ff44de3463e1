// Lattice quantum chromodynamics: each site's four links, complex 3x3 matrices in double precision, times a matrix of each
// direction; a thread for each element.
struct Complex {
  double real, imag;
};
struct Matrix {
  Complex e[3][3];
};
struct Site {
  Matrix link[4];
  int x, y, z, t, index;
  float parity;
  int pad[2];
};

/// Each thread computes an element: row k, column l of direction j at its site.
extern "C" __global__ void k_mat_nn(const Site* __restrict__ a, const Matrix* __restrict__ b, Site* __restrict__ c,
                                    int total_sites) {
  const int my_thread = blockDim.x * blockIdx.x + threadIdx.x;
  const int site = my_thread / 36;
  if (site < total_sites) {
    const int j = (my_thread % 36) / 9;
    const int k = (my_thread % 9) / 3;
    const int l = my_thread % 3;
    Complex cc = {0.0, 0.0};
#pragma unroll
    for (int m = 0; m < 3; m++) {
      const Complex aa = a[site].link[j].e[k][m];
      const Complex bb = b[j].e[m][l];
      cc.real += aa.real * bb.real - aa.imag * bb.imag;
      cc.imag += aa.real * bb.imag + aa.imag * bb.real;
    }
    c[site].link[j].e[k][l] = cc;
  }
}
