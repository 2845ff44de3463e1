// Rotates and scales a colour picture with the texture unit's bilinear filter.

/// A pixel of the rotated picture for each thread; black outside of the picture.
extern "C" __global__ void rotate_image(cudaTextureObject_t image, uchar4* __restrict__ out, int width, int height,
                                        float cosine, float sine, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = x - 0.5f * width, v = y - 0.5f * height;
  const float tu = (u * cosine - v * sine) * scale + 0.5f * width + 0.5f;
  const float tv = (v * cosine + u * sine) * scale + 0.5f * height + 0.5f;
  const float4 c = tex2D<float4>(image, tu, tv);
  out[y * width + x] =
      make_uchar4(__float2uint_rn(__saturatef(c.x) * 255.0f), __float2uint_rn(__saturatef(c.y) * 255.0f),
                  __float2uint_rn(__saturatef(c.z) * 255.0f), __float2uint_rn(__saturatef(c.w) * 255.0f));
}
