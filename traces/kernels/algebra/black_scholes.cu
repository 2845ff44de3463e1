// Prices of European options by the formula of Black and Scholes, two options a thread.
#define A1 0.31938153f
#define A2 -0.356563782f
#define A3 1.781477937f
#define A4 -1.821255978f
#define A5 1.330274429f
#define RSQRT2PI 0.39894228040143267793994605993438f

__device__ inline float cnd(float d) {
  const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
  float v = RSQRT2PI * __expf(-0.5f * d * d) * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
  if (d > 0) v = 1.0f - v;
  return v;
}

__device__ inline void body(float& call, float& put, float s, float x, float t, float r, float v) {
  const float sqrt_t = __fdividef(1.0f, rsqrtf(t));
  const float d1 = __fdividef(__logf(s / x) + (r + 0.5f * v * v) * t, v * sqrt_t);
  const float d2 = d1 - v * sqrt_t;
  const float c1 = cnd(d1), c2 = cnd(d2);
  const float e = __expf(-r * t);
  call = s * c1 - x * e * c2;
  put = x * e * (1.0f - c2) - s * (1.0f - c1);
}

/// Prices of calls and puts; of an odd number the last is left out.
extern "C" __launch_bounds__(128) __global__
    void black_scholes(float2* __restrict__ calls, float2* __restrict__ puts, const float2* __restrict__ prices,
                       const float2* __restrict__ strikes, const float2* __restrict__ years, float riskfree,
                       float volatility, int n) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt < n / 2) {
    float c1, c2, p1, p2;
    body(c1, p1, prices[opt].x, strikes[opt].x, years[opt].x, riskfree, volatility);
    body(c2, p2, prices[opt].y, strikes[opt].y, years[opt].y, riskfree, volatility);
    calls[opt] = make_float2(c1, c2);
    puts[opt] = make_float2(p1, p2);
  }
}
