// CIE L*a*b* of sRGB pixels, a thread for each; different colours of stretches of an image, a thread for each stretch.
//
// No fused multiply-add: a product is rounded before it is added.

extern "C" __global__ void cielab(const unsigned char* planes, float* output, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const double matrix[3][3] = {
      {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
  const double white[3] = {0.95047, 1, 1.08883};
  double rgb[3], curve[3];
  for (int c = 0; c < 3; ++c) {
    const double level = planes[c * pixels + i] / 255.0;
    rgb[c] = level > 0.04045 ? pow((level + 0.055) / 1.055, 2.4) : level / 12.92;
  }
  for (int c = 0; c < 3; ++c) {
    const double t = (matrix[c][0] * rgb[0] + matrix[c][1] * rgb[1] + matrix[c][2] * rgb[2]) / white[c];
    curve[c] = t > 216.0 / 24389 ? cbrt(t) : 841.0 / 108 * t + 4.0 / 29;
  }
  output[i] = 116 * curve[1] - 16;
  output[pixels + i] = 500 * (curve[0] - curve[1]);
  output[2 * pixels + i] = 200 * (curve[1] - curve[2]);
}

/// `seen` has a byte for each stretch and each of the 32768 colours of five bits per channel.
extern "C" __global__ void colours(const unsigned char* planes, unsigned char* seen, int pixels, int stretch,
                                   unsigned short* counts) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number * stretch >= pixels) return;
  unsigned int count = 0;
  for (int i = number * stretch; i < (number + 1) * stretch && i < pixels; ++i) {
    unsigned int colour = number;
    for (int c = 0; c < 3; ++c) colour = 32 * colour + planes[c * pixels + i] / 8;
    if (!seen[colour]) ++count;
    seen[colour] = 1;
  }
  counts[number] = count;
}

extern "C" __global__ void largest_count(const unsigned short* counts, int n, unsigned int* largest) {
  unsigned int most = 0;
  for (int i = 0; i < n; ++i) most = counts[i] > most ? counts[i] : most;
  *largest = most;
}
