// European call options by the binomial tree of Cox, Ross and Rubinstein: a block for each option, each thread keeps eight
// nodes in registers and hands its first one to its neighbour at every step.
#define THREADS 128
#define STEPS 1024
#define PER_THREAD (STEPS / THREADS)

struct Option {
  float s, x, vdt, pu_by_df, pd_by_df;
};

__device__ inline float expiry_call(float s, float x, float vdt, int i) {
  const float d = s * __expf(vdt * (2.0f * i - STEPS)) - x;
  return d > 0.0f ? d : 0.0f;
}

/// Values of call options, a block for each.
extern "C" __global__ void binomial_options(const float* __restrict__ prices, const float* __restrict__ strikes,
                                            const float* __restrict__ years, float riskfree, float volatility,
                                            float* __restrict__ values) {
  __shared__ float exchange[THREADS + 1];
  __shared__ Option o;
  const int tid = threadIdx.x;
  if (tid == 0) {
    const float t = years[blockIdx.x], dt = t / STEPS;
    const float vdt = volatility * sqrtf(dt), rdt = riskfree * dt;
    const float interest = expf(rdt), discount = expf(-rdt);
    const float u = expf(vdt), d = expf(-vdt);
    const float pu = (interest - d) / (u - d);
    o.s = prices[blockIdx.x];
    o.x = strikes[blockIdx.x];
    o.vdt = vdt;
    o.pu_by_df = pu * discount;
    o.pd_by_df = (1.0f - pu) * discount;
    exchange[THREADS] = expiry_call(o.s, o.x, vdt, STEPS);
  }
  __syncthreads();
  float call[PER_THREAD + 1];
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) call[i] = expiry_call(o.s, o.x, o.vdt, tid * PER_THREAD + i);
  const int final_it = max(0, tid * PER_THREAD - 1);
  const float pu = o.pu_by_df, pd = o.pd_by_df;
#pragma unroll 16
  for (int i = STEPS; i > 0; --i) {
    exchange[tid] = call[0];
    __syncthreads();
    call[PER_THREAD] = exchange[tid + 1];
    __syncthreads();
    if (i > final_it) {
#pragma unroll
      for (int j = 0; j < PER_THREAD; ++j) call[j] = pu * call[j + 1] + pd * call[j];
    }
  }
  if (tid == 0) values[blockIdx.x] = call[0];
}
