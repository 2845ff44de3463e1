// A layer of a convolutional neural network: feature maps, each from all maps of an image by a window of kernel x kernel
// that moves `stride` elements. Weights of an output map: its bias, then windows row by row, map by map. A neuron is
// 1.7159 tanh(2/3 of its sum), LeCun's.
//
// No fused multiply-add: a product is rounded before it is added.

#include "functions.cuh"

struct Layer {
  int inputs, width, height, kernel, stride, outputs;
};

/// A thread for each neuron.
extern "C" __global__ void feature_maps(const float* images, const float* weights, float* neurons, int n, Layer layer) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int columns = (layer.width - layer.kernel) / layer.stride + 1;
  const int rows = (layer.height - layer.kernel) / layer.stride + 1;
  const int x = i % columns * layer.stride, y = i / columns % rows * layer.stride;
  const int output = i / (columns * rows) % layer.outputs, image = i / (columns * rows * layer.outputs);
  const float* weight = weights + output * (1 + layer.inputs * layer.kernel * layer.kernel);
  double sum = *weight++;
  for (int map = 0; map < layer.inputs; ++map) {
    for (int v = 0; v < layer.kernel; ++v) {
      for (int u = 0; u < layer.kernel; ++u) {
        const int row = (image * layer.inputs + map) * layer.height + y + v;
        sum += (double)images[row * layer.width + x + u] * *weight++;
      }
    }
  }
  neurons[i] = 1.7159 * hyperbolic_tangent(sum * 2 / 3);
}
