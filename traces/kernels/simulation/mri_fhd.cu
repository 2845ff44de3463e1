// F^H d of a magnetic resonance reconstruction: products of the samples, then a sum over all samples in constant memory for each
// voxel.
#define SAMPLES 512
struct Sample {
  float x, y, z, real, imag, pad0, pad1, pad2;
};
__constant__ Sample c_samples[SAMPLES];

/// Products of the conjugate of phi with d.
extern "C" __global__ void rho_phi(int n, const float* phi_r, const float* phi_i, const float* d_r, const float* d_i,
                                   float* out_r, float* out_i) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float pr = phi_r[i], pi = phi_i[i], dr = d_r[i], di = d_i[i];
    out_r[i] = pr * dr + pi * di;
    out_i[i] = pr * di - pi * dr;
  }
}

/// Adds the sum over all samples to each voxel.
extern "C" __global__ void compute_fh(int n, int samples, const float* __restrict__ x, const float* __restrict__ y,
                                      const float* __restrict__ z, float* out_r, float* out_i) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float sx = x[i], sy = y[i], sz = z[i];
  float sr = out_r[i], si = out_i[i];
  for (int k = 0; k < samples; k++) {
    const float arg = 6.2831853071795864769f * (c_samples[k].x * sx + c_samples[k].y * sy + c_samples[k].z * sz);
    const float c = __cosf(arg), s = __sinf(arg);
    sr += c_samples[k].real * c - c_samples[k].imag * s;
    si += c_samples[k].imag * c + c_samples[k].real * s;
  }
  out_r[i] = sr;
  out_i[i] = si;
}
