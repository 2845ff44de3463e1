// Votes of points (x + 65536 y) for lines: for each direction (a cosine and a sine) how many points have
// x cosine + y sine + origin in 0 to 1, in 1 to 2, and so on. The rounding of each step to single precision is part of the
// definition.

/// A thread for each direction, which has `bins` numbers.
extern "C" __global__ void hough(const unsigned int* points, unsigned int n, const float* directions,
                                 unsigned int angles, unsigned int bins, float origin, unsigned int* votes) {
  const unsigned int angle = blockIdx.x * blockDim.x + threadIdx.x;
  if (angle >= angles) return;
  const float cosine = directions[2 * angle], sine = directions[2 * angle + 1];
  for (unsigned int i = 0; i < n; ++i) {
    const float x = points[i] % 65536, y = points[i] / 65536;
    const float distance = floorf(fmaf(x, cosine, fmaf(y, sine, origin)));
    if (distance >= 0 && distance < bins) ++votes[angle * bins + (unsigned int)distance];
  }
}
