// Samples small textures on a real GPU in every address mode and filter, and prints what it gets: the expected values of
// tests/unit/isa/exec/textures/hardware_test.cpp.
//
//   nvcc -arch=native -o texture_sweep texture_sweep.cu && ./texture_sweep > samples.txt
//
// A line: dimensions, address mode (wrap clamp mirror border), filter (point linear), normalized coordinates (0 1),
// then per sample the bits of x and of the value in hexadecimal. y is 3/4 x and z is 5/8 x. Texel (x, y, z) of the
// 8 x 4 x 4 texels is (7 x + 13 y + 29 z) * 37 modulo 101, with further dimensions at 0.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int width = 8, other = 4, samples = 96;

__global__ void sample(cudaTextureObject_t texture, int dimensions, const float* coordinate, float* value) {
  const float x = coordinate[threadIdx.x], y = x * 0.75f, z = x * 0.625f;
  value[threadIdx.x] = dimensions == 1   ? tex1D<float>(texture, x)
                       : dimensions == 2 ? tex2D<float>(texture, x, y)
                                         : tex3D<float>(texture, x, y, z);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "texture_sweep: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

/// Coordinates from -1 to 2 widths: whole texels, halves, ties of the weights' rounding, and others.
float coordinate(int i, bool normalized) {
  float x = (i - 32) * 0.25f;
  if (i % 4 == 1) x += 1 / 512.0f;
  if (i % 4 == 2) x *= 1.0148f;
  if (i % 4 == 3) x += i / 256.0f + 1 / 1024.0f;
  return normalized ? x / width : x;
}

cudaArray_t array_of(int dimensions) {
  const int height = dimensions > 1 ? other : 1, depth = dimensions > 2 ? other : 1;
  std::vector<float> texels;
  for (int i = 0; i < width * height * depth; ++i) {
    texels.push_back(static_cast<float>((7 * (i % 8) + 13 * (i / 8 % 4) + 29 * (i / 32)) * 37 % 101));
  }
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMemcpy3DParms copy{};
  check(cudaMalloc3DArray(&copy.dstArray, &format,
                          make_cudaExtent(width, dimensions > 1 ? other : 0, dimensions > 2 ? other : 0)));
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), width * sizeof(float), width, height);
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  check(cudaMemcpy3D(&copy));
  return copy.dstArray;
}

}  // namespace

int main() {
  float *x, *value;
  check(cudaMallocManaged(&x, samples * sizeof(float)));
  check(cudaMallocManaged(&value, samples * sizeof(float)));
  const char* const mode_names[] = {"wrap", "clamp", "mirror", "border"};
  for (int run = 0; run < 48; ++run) {
    const int dimensions = run / 16 + 1, mode = run / 4 % 4, filter = run / 2 % 2, normalized = run % 2;
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_of(dimensions);
    cudaTextureDesc description{};
    // Further dimensions are clamped: a border there would take part in the filter.
    for (int d = 0; d < 3; ++d) {
      description.addressMode[d] = d < dimensions ? static_cast<cudaTextureAddressMode>(mode) : cudaAddressModeClamp;
    }
    description.filterMode = filter == 0 ? cudaFilterModePoint : cudaFilterModeLinear;
    description.normalizedCoords = normalized;
    cudaTextureObject_t texture;
    check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    for (int i = 0; i < samples; ++i) x[i] = coordinate(i, normalized != 0);
    sample<<<1, samples>>>(texture, dimensions, x, value);
    check(cudaDeviceSynchronize());
    std::printf("%d %s %s %d", dimensions, mode_names[mode], filter == 0 ? "point" : "linear", normalized);
    for (int i = 0; i < samples; ++i) {
      unsigned bits[2];
      std::memcpy(&bits[0], &x[i], 4);
      std::memcpy(&bits[1], &value[i], 4);
      std::printf(" %08x:%08x", bits[0], bits[1]);
    }
    std::printf("\n");
    check(cudaDestroyTextureObject(texture));
    check(cudaFreeArray(resource.res.array.array));
  }
  return 0;
}
