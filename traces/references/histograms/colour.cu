// How often the bins of colour pixels occur: grey levels, combinations of coarse levels, or the levels of each colour. A pixel is
// a word: red, green, blue in the three lowest bytes.
//
// Thread t counts pixels t, t + threads, ... in `counts`, where it has bins of its own; `../histogram.cu` adds them up.

struct Colour {
  unsigned int part[3];
};

static __device__ Colour colour_of(unsigned int pixel) {
  return {{pixel % 256, pixel / 256 % 256, pixel / 65536 % 256}};
}

extern "C" __global__ void count_grey(const unsigned int* pixels, unsigned int n, unsigned int* counts,
                                      unsigned int bins) {
  for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
    const Colour c = colour_of(pixels[i]);
    const unsigned int grey = (19595u * c.part[0] + 38470u * c.part[1] + 7471u * c.part[2]) / 65536u;
    ++counts[threadIdx.x * bins + grey * bins / 256];
  }
}

/// `levels` of each colour, levels^3 bins.
extern "C" __global__ void count_direct(const unsigned int* pixels, unsigned int n, unsigned int* counts,
                                        unsigned int levels) {
  const unsigned int bins = levels * levels * levels;
  for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
    const Colour c = colour_of(pixels[i]);
    unsigned int bin = 0;
    for (unsigned int part = 0; part < 3; ++part) bin = bin * levels + c.part[part] * levels / 256;
    ++counts[threadIdx.x * bins + bin];
  }
}

/// Three histograms of 256 bins.
extern "C" __global__ void count_channels(const unsigned int* pixels, unsigned int n, unsigned int* counts) {
  for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
    const Colour c = colour_of(pixels[i]);
    for (unsigned int part = 0; part < 3; ++part) ++counts[(threadIdx.x * 3 + part) * 256 + c.part[part]];
  }
}
