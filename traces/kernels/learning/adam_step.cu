// A step of the Adam optimiser (Kingma and Ba 2015) with decoupled decay of the weights, in place, four weights at a time.
#include "lockstep_cuda.cuh"

struct Rates {
  float rate, beta1, beta2, epsilon, decay;
};

__device__ __forceinline__ void update(float& weight, float& first, float& second, float gradient, const Rates& rates,
                                       float correction1, float correction2) {
  first = rates.beta1 * first + (1 - rates.beta1) * gradient;
  second = rates.beta2 * second + (1 - rates.beta2) * gradient * gradient;
  const float step = first / correction1 / (sqrtf(second / correction2) + rates.epsilon);
  weight -= rates.rate * (step + rates.decay * weight);
}

extern "C" __global__ void adam_step(float4* weights, float4* firsts, float4* seconds,
                                     const float4* __restrict__ gradients, int quads, Rates rates, int step) {
  const float correction1 = 1 - powf(rates.beta1, (float)step), correction2 = 1 - powf(rates.beta2, (float)step);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    float4 w = weights[i], m = firsts[i], v = seconds[i];
    const float4 g = gradients[i];
    update(w.x, m.x, v.x, g.x, rates, correction1, correction2);
    update(w.y, m.y, v.y, g.y, rates, correction1, correction2);
    update(w.z, m.z, v.z, g.z, rates, correction1, correction2);
    update(w.w, m.w, v.w, g.w, rates, correction1, correction2);
    weights[i] = w;
    firsts[i] = m;
    seconds[i] = v;
  }
}
