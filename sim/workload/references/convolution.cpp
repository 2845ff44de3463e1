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

Elements convolution1d_reference(const Elements& input, std::uint64_t length, std::uint64_t stride,
                                 const std::vector<double>& weights, ElementType type) {
  if (weights.size() % 2 == 0)
    throw InputError("the weights of a convolution are an odd number, the pixel's in the middle");
  if (length == 0 || stride == 0 || input.count() % length != 0 || input.count() / length % stride != 0) {
    throw InputError(fmt::format("{} elements are no whole number of lines of {} elements, {} apart", input.count(),
                                 length, stride));
  }
  const std::uint64_t radius = weights.size() / 2;
  Elements result(type, input.count());
  for (std::uint64_t i = 0; i < input.count(); ++i) {
    const std::uint64_t at = i / stride % length;  // In its line.
    double sum = 0;
    for (std::uint64_t k = 0; k < weights.size(); ++k) {
      // Neighbour at + k - radius, if the line has it.
      if (at + k >= radius && at + k - radius < length)
        sum += weights[k] * input.real(i + k * stride - radius * stride);
    }
    result.set(i, sum);
  }
  return result;
}

}  // namespace lockstep::workload
