// Compression of speech to four bits per sample by adaptive differential pulse code modulation: Interactive Multimedia
// Association, "Recommended practices for enhancing digital audio compatibility in multimedia systems", 1992. A thread
// per packet; the steps are in constant memory at places that differ between lanes.
#include <cuda_runtime.h>

__constant__ short steps[89] = {
    7,    8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,    25,   28,
    31,   34,    37,    41,    45,    50,    55,    60,    66,    73,    80,    88,    97,    107,  118,
    130,  143,   157,   173,   190,   209,   230,   253,   279,   307,   337,   371,   408,   449,  494,
    544,  598,   658,   724,   796,   876,   963,   1060,  1166,  1282,  1411,  1552,  1707,  1878, 2066,
    2272, 2499,  2749,  3024,  3327,  3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845, 8630,
    9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
__constant__ signed char moves[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

struct Predictor {
  int value, place;
};

__device__ __forceinline__ unsigned encode(Predictor& p, int sample) {
  int step = steps[p.place];
  int difference = sample - p.value;
  unsigned code = 0;
  if (difference < 0) {
    code = 8;
    difference = -difference;
  }
  int change = step >> 3;
#pragma unroll
  for (int bit = 4; bit; bit >>= 1) {
    if (difference >= step) {
      code |= bit;
      difference -= step;
      change += step;
    }
    step >>= 1;
  }
  p.value = max(-32768, min(32767, code & 8 ? p.value - change : p.value + change));
  p.place = max(0, min(88, p.place + moves[code & 7]));
  return code;
}

/// Codes of packets, eight in a word, the first in the lowest bits. A packet is a first sample and a place in the
/// table of steps (half words of `heads`), and `samples` samples, a multiple of eight; `ends` gets the predictor's
/// last state.
extern "C" __global__ void __launch_bounds__(64)
    adpcm_encode(const int4* __restrict__ audio, const short2* __restrict__ heads, unsigned* __restrict__ codes,
                 short2* __restrict__ ends, int samples, int packets) {
  const int packet = blockIdx.x * blockDim.x + threadIdx.x;
  if (packet >= packets) return;
  const short2 head = heads[packet];
  Predictor p = {head.x, head.y};
  const int vectors = samples / 8;
  const int4* in = audio + (size_t)packet * vectors;
  unsigned* out = codes + (size_t)packet * vectors;
  for (int i = 0; i < vectors; ++i) {
    const int4 v = in[i];
    const int words[4] = {v.x, v.y, v.z, v.w};
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      word |= encode(p, (short)words[k]) << (8 * k);
      word |= encode(p, words[k] >> 16) << (8 * k + 4);
    }
    out[i] = word;
  }
  ends[packet] = make_short2(p.value, p.place);
}
