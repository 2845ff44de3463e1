// Mandelbrot set in double precision with a smooth colour; main bulb and cardioid are not skipped.

/// A colour for each pixel by the number of steps until the point escapes, at most `crunch`.
extern "C" __global__ void mandelbrot(uchar4* dst, int width, int height, int crunch, double x_off, double y_off,
                                      double scale) {
  const int ix = blockDim.x * blockIdx.x + threadIdx.x;
  const int iy = blockDim.y * blockIdx.y + threadIdx.y;
  if (ix >= width || iy >= height) return;
  const double xc = ix * scale + x_off, yc = iy * scale + y_off;
  double x = 0, y = 0, xx = 0, yy = 0;
  int i = crunch;
  while (i-- && xx + yy < 16.0) {
    y = x * y * 2.0 + yc;
    x = xx - yy + xc;
    yy = y * y;
    xx = x * x;
  }
  uchar4 colour = make_uchar4(0, 0, 0, 255);
  if (i >= 0) {
    const float m = crunch - i - log2f(0.5f * logf((float)(xx + yy)));
    colour.x = (unsigned char)(127.5f + 127.5f * __sinf(0.11f * m));
    colour.y = (unsigned char)(127.5f + 127.5f * __sinf(0.07f * m + 1.0f));
    colour.z = (unsigned char)(127.5f + 127.5f * __sinf(0.05f * m + 2.0f));
  }
  dst[width * iy + ix] = colour;
}
