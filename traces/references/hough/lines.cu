// Maxima of a polar Hough space, the strongest of them, and their lines in the image.

/// Whether the bin (angle, bin) and its mirror image at the last angle, which is the first once more, have a neighbour with
/// more votes, or as many and a smaller number.
static __device__ bool is_maximum(const unsigned int* votes, int angles, int bins, int origin, int angle, int bin,
                                  int angle_reach, int bin_reach) {
  const unsigned int number = angle * bins + bin;
  for (int da = -angle_reach; da <= angle_reach; ++da)
    for (int db = -bin_reach; db <= bin_reach; ++db) {
      int a = angle + da, b = bin + db;
      if (a < 0) {
        a += angles - 1;
        b = 2 * origin - 1 - b;
      } else if (a >= angles - 1) {
        a -= angles - 1;
        b = 2 * origin - 1 - b;
      }
      if (b < 0 || b >= bins) continue;
      const unsigned int other = a * bins + b;
      if (votes[other] > votes[number] || (votes[other] == votes[number] && other < number)) return false;
    }
  return true;
}

/// maxima: the votes of bins that are local maxima with at least `least`, 0 of others. A thread for each bin of all angles but
/// the last.
extern "C" __global__ void maxima(const unsigned int* votes, unsigned int angles, unsigned int bins,
                                  unsigned int origin, unsigned int angle_reach, unsigned int bin_reach,
                                  unsigned int least, unsigned int* maxima) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (angles - 1) * bins) return;
  const bool found =
      votes[i] >= least && is_maximum(votes, angles, bins, origin, i / bins, i % bins, angle_reach, bin_reach);
  maxima[i] = found ? votes[i] : 0;
}

/// Angle, bin and votes of the largest maximum, the first of several, `wanted` times, each time without it. One thread.
extern "C" __global__ void strongest(unsigned int* maxima, unsigned int angles, unsigned int bins, unsigned int wanted,
                                     unsigned int* lines) {
  for (unsigned int line = 0; line < wanted; ++line) {
    unsigned int place = 0;
    for (unsigned int i = 0; i < (angles - 1) * bins; ++i)
      if (maxima[i] > maxima[place]) place = i;
    const bool found = maxima[place] > 0;
    lines[3 * line] = found ? place / bins : 0;
    lines[3 * line + 1] = found ? place % bins : 0;
    lines[3 * line + 2] = maxima[place];
    maxima[place] = 0;
  }
}

/// picture: three bytes for each pixel: its level of 12 bits without the last four three times, or red where a line with votes
/// passes, which is where x cosine + y sine + origin is in the line's bin. A thread for each pixel.
extern "C" __global__ void draw(const unsigned short* image, unsigned int first, unsigned int pitch,
                                const unsigned int* lines, unsigned int line_count, unsigned char* picture,
                                unsigned int width, unsigned int height, unsigned int angles, float scale,
                                float origin) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const unsigned int x = i % width, y = i / width;
  for (unsigned int channel = 0; channel < 3; ++channel) picture[3 * i + channel] = image[first + y * pitch + x] / 16;
  for (unsigned int line = 0; line < line_count; ++line) {
    if (lines[3 * line + 2] == 0) continue;
    const float radians = (float)lines[3 * line] * (3.14159265f / (float)(angles - 1));
    const float cosine = cosf(radians) * scale, sine = sinf(radians) * scale;
    const float distance = floorf(fmaf((float)x, cosine, fmaf((float)y, sine, origin)));
    if (distance != lines[3 * line + 1]) continue;
    picture[3 * i] = 255;
    picture[3 * i + 1] = picture[3 * i + 2] = 0;
  }
}
