// Mixes of instructions: eight chains of each kind, kind after kind and chain after chain in each of `length` rounds.

namespace {

struct Chains {
  unsigned int a[8], x[8];
  unsigned long long wide[8];
  float f[8];
  double d[8];
  unsigned int b, c;
  float g, h;
  double e;
};

/// The float with these bits as a whole number, rounded to zero and kept in range; 0 where it is none.
__device__ unsigned int whole_of(unsigned int bits) {
  const float value = __uint_as_float(bits);
  if (!(value > 0.0f)) return 0;
  return value >= 4294967296.0f ? 0xffffffffu : (unsigned int)value;
}

__device__ unsigned int majority(unsigned int p, unsigned int q, unsigned int r) {
  return (p & q) | (p & r) | (q & r);
}

__device__ void step(Chains& s, unsigned int kind, unsigned int i) {
  const unsigned int next = (i + 1) & 7, after = (i + 2) & 7;
  switch (kind) {
    case 1: s.a[i] = majority(s.a[i], s.b, s.c); break;
    case 2: s.a[i] = s.b << 7 | s.a[i] >> 25; break;
    case 3: s.x[i] = s.x[i] * s.b + s.c; break;
    case 4: s.x[i] = (unsigned int)((unsigned long long)s.x[i] * s.b >> 32); break;
    case 5: s.wide[i] += (unsigned long long)(unsigned int)s.wide[i] * s.b; break;
    case 6: s.f[i] = __fmaf_rn(s.f[i], s.g, s.h); break;
    case 7: s.f[i] = __fadd_rn(s.f[i], s.g); break;
    case 8: s.f[i] = (float)__float_as_uint(s.f[i]); break;
    case 9: s.x[i] = whole_of(s.x[i]); break;
    case 10: s.x[i] += s.x[next]; break;
    case 11: s.a[i] = s.a[i] < s.x[i] ? s.a[i] : s.x[i]; break;
    case 12: s.f[i] = __fmaf_rn(s.f[i], s.f[next], s.f[after]); break;
    case 13: s.f[i] = __fmaf_rn(s.f[i], s.f[next], 1.0f); break;
    case 14: s.x[i] = s.x[i] * s.x[next] + s.x[after]; break;
    case 15: s.a[i] = majority(s.a[i], s.a[next], s.a[after]); break;
    case 16: s.d[i] = __fma_rn(s.d[i], s.e, s.e); break;
    default: s.d[i] = __fma_rn(s.d[i], s.d[next], s.d[after]); break;
  }
}

}  // namespace

/// `kinds`: a byte each, the first one lowest. sums[t]: all chains of thread t, combined.
extern "C" __global__ void mixes(unsigned int length, unsigned int kinds, const unsigned int* input,
                                 unsigned int* sums) {
  Chains s;
  s.b = input[threadIdx.x] | 1;
  s.c = s.b >> 3;
  s.g = __fdiv_rn(1.0f, (float)(1 + s.b % 7));
  s.h = (float)(s.b % 11);
  s.e = s.h;
  for (unsigned int i = 0; i < 8; ++i) {
    s.a[i] = input[threadIdx.x + i + 1];
    s.x[i] = s.a[i] * 77 + i;
    s.wide[i] = s.a[i];
    s.f[i] = (float)(s.a[i] % 13);
    s.d[i] = s.f[i];
  }
  for (unsigned int r = 0; r < length; ++r)
    for (unsigned int rest = kinds; rest != 0; rest >>= 8)
      for (unsigned int i = 0; i < 8; ++i) step(s, rest & 255, i);
  unsigned int sum = 0;
  for (unsigned int i = 0; i < 8; ++i)
    sum += s.a[i] ^ s.x[i] ^ (unsigned int)s.wide[i] ^ (unsigned int)(s.wide[i] >> 32) ^ __float_as_uint(s.f[i]) ^
           (unsigned int)__double2int_rn(s.d[i]);
  sums[threadIdx.x] = sum;
}
