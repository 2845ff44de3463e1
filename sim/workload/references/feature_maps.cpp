#include <fmt/format.h>

#include <cmath>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements feature_maps_reference(const Elements& images, const Elements& weights, const FeatureMaps& maps,
                                ElementType type) {
  const std::uint64_t image = maps.inputs * maps.width * maps.height;
  const std::uint64_t row = 1 + maps.inputs * maps.kernel * maps.kernel;
  if (maps.kernel > maps.width || maps.kernel > maps.height || images.count() % image != 0 ||
      weights.count() != maps.outputs * row) {
    throw InputError(fmt::format("{} inputs and {} weights are no layer of {} feature maps from {} maps of {} x {}",
                                 images.count(), weights.count(), maps.outputs, maps.inputs, maps.width, maps.height));
  }
  const std::uint64_t columns = (maps.width - maps.kernel) / maps.stride + 1;
  const std::uint64_t rows = (maps.height - maps.kernel) / maps.stride + 1;
  Elements result(type, images.count() / image * maps.outputs * rows * columns);
  for (std::uint64_t i = 0; i < result.count(); ++i) {
    const std::uint64_t x = i % columns * maps.stride, y = i / columns % rows * maps.stride;
    const std::uint64_t output = i / (columns * rows) % maps.outputs;
    const std::uint64_t first = i / (columns * rows * maps.outputs) * image;
    std::uint64_t weight = output * row;
    double sum = weights.real(weight++);
    for (std::uint64_t map = 0; map < maps.inputs; ++map) {
      for (std::uint64_t v = 0; v < maps.kernel; ++v) {
        for (std::uint64_t u = 0; u < maps.kernel; ++u) {
          sum += images.real(first + (map * maps.height + y + v) * maps.width + x + u) * weights.real(weight++);
        }
      }
    }
    result.set(i, 1.7159 * std::tanh(sum * 2 / 3));
  }
  return result;
}

}  // namespace lockstep::workload
