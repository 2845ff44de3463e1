// What linear filters and gathers make of texels of every format. A line per sample:
//   FORMAT DIMENSIONS FRACTION... TEXEL... RESULT     a filter; fractions of 256 along each axis, texels in memory order
//   FORMAT gather TEXEL RESULT                        one texel of a gather
// with texels and results as hexadecimal bits.
//   nvcc -O2 -std=c++17 -o texture_filter texture_filter.cu && ./texture_filter > h200_filter.txt
#include <cstdio>
#include <cstring>

using Word = unsigned;
constexpr Word side = 8, texels = side * side * side, samples = 96;

__host__ __device__ Word hash(Word x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}
/// Along one axis: the first texel, then a fraction, small ones more often.
__host__ __device__ Word texel_at(Word n, Word axis) {
  return hash(n * 4 + axis) % (side - 1);
}
__host__ __device__ Word fraction_at(Word n, Word axis) {
  const Word x = hash(n * 4 + axis);
  return x >> 12 & (x >> 29 ? 255 : 7);
}

__global__ void sample(cudaTextureObject_t from, Word dimensions, float* to) {
  const Word n = threadIdx.x;
  float at[3];
  for (Word d = 0; d < 3; ++d) at[d] = texel_at(n, d) + 0.5f + fraction_at(n, d) / 256.f;
  if (dimensions == 1) to[n] = tex1D<float>(from, at[0]);
  if (dimensions == 2) to[n] = tex2D<float>(from, at[0], at[1]);
  if (dimensions == 3) to[n] = tex3D<float>(from, at[0], at[1], at[2]);
}
/// The texel of the upper left corner is the fourth of a gather.
__global__ void gather(cudaTextureObject_t from, Word width, float* to) {
  const Word n = threadIdx.x;
  to[n] = tex2Dgather<float4>(from, n % width + 1.f, n / width + 1.f, 0).w;
}

struct Format {
  const char* name;
  int bits;
  cudaChannelFormatKind kind;
  Word special[8];
};
const Format formats[] = {
    {"f32",
     32,
     cudaChannelFormatKindFloat,
     {0, 0x80000000, 0x7f800000, 0xff800000, 1, 0x80000001, 0x8fffff, 0x7fc00001}},
    {"f16", 16, cudaChannelFormatKindFloat, {0, 0x8000, 0x7c00, 0xfc00, 1, 0x8001, 0x402, 0x7e01}},
    {"s8", 8, cudaChannelFormatKindSigned, {0, 0x80, 0x81, 0xc0, 0x7f, 1, 0xff, 0x40}},
    {"u8", 8, cudaChannelFormatKindUnsigned, {0, 0x80, 0x81, 0xc0, 0x7f, 1, 0xff, 0x40}},
    {"s16", 16, cudaChannelFormatKindSigned, {0, 0x8000, 0x8001, 0x7fff, 1, 0xffff, 0xc000, 0x4000}},
    {"u16", 16, cudaChannelFormatKindUnsigned, {0, 0x8000, 0x8001, 0x7fff, 1, 0xffff, 0xc000, 0x4000}}};

/// Of like magnitude, any bits, or special ones.
Word texel_of(const Format& format, Word n, Word choice) {
  const Word any = hash(n * 7 + choice * 65537);
  if (choice == 2) return any >> 8 & 1 ? format.special[any & 7] : format.special[any & 1];
  if (choice == 1 || format.bits == 8) return any;
  if (format.kind != cudaChannelFormatKindFloat) return any;
  if (format.bits == 32) return (any & 0x807fffff) | (120 + (any >> 23 & 7)) << 23;
  return (any & 0x83ff) | (8 + (any >> 10 & 7)) << 10;
}

void run(const Format& format, int dimensions, Word choice, float* results) {
  const int bytes = format.bits / 8;
  const Word depth = dimensions == 3 ? side : 1, height = dimensions >= 2 ? side : 1;
  unsigned char memory[texels * 4] = {};
  Word bits[texels] = {};
  const bool gathers = dimensions == 0;
  const Word count = gathers ? 256 : side * height * depth, width = gathers ? 16 : side;
  for (Word i = 0; i < count; ++i) {
    bits[i] = gathers && bytes == 1 ? i : texel_of(format, i, choice);
    if (bytes < 4) bits[i] &= (1u << format.bits) - 1;
    std::memcpy(memory + i * bytes, &bits[i], bytes);
  }
  const cudaChannelFormatDesc channels{format.bits, 0, 0, 0, format.kind};
  cudaArray_t array;
  const Word rows = gathers ? 16 : height;
  cudaMalloc3DArray(&array, &channels,
                    make_cudaExtent(width, gathers || dimensions >= 2 ? rows : 0, dimensions == 3 ? depth : 0),
                    gathers ? cudaArrayTextureGather : 0);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(memory, width * bytes, width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, depth);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = format.kind == cudaChannelFormatKindFloat ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  if (gathers)
    gather<<<1, 256>>>(texture, 16, results);
  else
    sample<<<1, samples>>>(texture, dimensions, results);
  Word left[256];
  cudaMemcpy(left, results, sizeof left, cudaMemcpyDeviceToHost);
  if (const auto error = cudaGetLastError()) std::printf("%s: %s\n", format.name, cudaGetErrorString(error));
  if (gathers) {
    for (Word n = 0; n < 256; ++n) {
      if (n % 16 < 15 && n / 16 < 15) std::printf("%s gather %x %x\n", format.name, bits[n], left[n]);
    }
    return;
  }
  for (Word n = choice * 32; n < choice * 32 + 32; ++n) {
    std::printf("%s %d", format.name, dimensions);
    Word at = 0;
    for (int d = 0, step = 1; d < dimensions; ++d, step *= side) {
      std::printf(" %u", fraction_at(n, d));
      at += texel_at(n, d) * step;
    }
    for (int corner = 0; corner < 1 << dimensions; ++corner)
      std::printf(" %x", bits[at + (corner & 1) + (corner >> 1 & 1) * side + (corner >> 2) * side * side]);
    std::printf(" %x\n", left[n]);
  }
}

int main() {
  float* results;
  cudaMalloc(&results, 256 * sizeof(float));
  for (const Format& format : formats) {
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
      for (Word choice = 0; choice < 3; ++choice) run(format, dimensions, choice, results);
    }
    run(format, 0, 2, results);
  }
}
