// Interleaver of the turbo code of LTE with quadratic permutation polynomials: J. Sun and O. Y. Takeshita,
// "Interleavers for turbo codes using permutation polynomials over integer rings", IEEE Trans. Inf. Theory 51(1),
// 2005; 3GPP TS 36.212, section 5.1.3.2.3. Codewords of several lengths; a block for each. A thread finds its first
// place with a remainder of 64 bits, the others by differences.
#include <cuda_runtime.h>

#define THREADS 256

/// Bytes of codewords in the order of the interleaver, or back where `inverse` is not 0. A codeword is its first byte,
/// its length, and both coefficients of the polynomial.
extern "C" __global__ void __launch_bounds__(THREADS)
    qpp_interleave(const signed char* __restrict__ in, const int4* __restrict__ codewords,
                   signed char* __restrict__ out, int inverse) {
  const int4 c = codewords[blockIdx.x];
  const signed char* from = in + c.x;
  signed char* to = out + c.x;
  const unsigned length = c.y;
  const unsigned long long f1 = c.z, f2 = c.w, i = threadIdx.x;
  unsigned place = (f1 * i + f2 * i * i) % length;
  unsigned difference = (f1 * THREADS + f2 * (2 * i + THREADS) * THREADS) % length;
  const unsigned second = 2 * f2 * THREADS * THREADS % length;
  for (unsigned at = threadIdx.x; at < length; at += THREADS) {
    if (inverse) {
      to[place] = from[at];
    } else {
      to[at] = from[place];
    }
    place += difference;
    if (place >= length) place -= length;
    difference += second;
    if (difference >= length) difference -= length;
  }
}
