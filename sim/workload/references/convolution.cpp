#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements convolution3x3_reference(const Elements& input, std::uint64_t width, std::uint64_t height,
                                  const std::array<double, 9>& weights, ElementType type) {
  if (width == 0 || height == 0 || input.count() / width < height) {
    throw InputError(
        fmt::format("an image of {}x{} does not fit into a buffer of {} elements", width, height, input.count()));
  }
  const auto columns = static_cast<std::int64_t>(width), rows = static_cast<std::int64_t>(height);
  const auto pixel = [&](std::int64_t x, std::int64_t y) {
    x = std::clamp<std::int64_t>(x, 0, columns - 1);
    y = std::clamp<std::int64_t>(y, 0, rows - 1);
    return input.real(static_cast<std::uint64_t>(y * columns + x));
  };
  Elements result(type, width * height);
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      double sum = 0;
      for (int k = 0; k < 9; ++k) sum += weights[static_cast<std::size_t>(k)] * pixel(x + k % 3 - 1, y + k / 3 - 1);
      result.set(static_cast<std::uint64_t>(y * columns + x), sum);
    }
  }
  return result;
}

}  // namespace lockstep::workload
