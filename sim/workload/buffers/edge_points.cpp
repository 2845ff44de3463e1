#include "sim/workload/buffers/edge_points.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "isa/error.hpp"

namespace lockstep::workload {

std::vector<std::uint32_t> edge_points(const Image& image, std::uint32_t width, std::uint32_t height,
                                       std::int64_t threshold) {
  if (width > image.width || height > image.height) {
    throw InputError(fmt::format("the image has {}x{} pixels, of which a part of {}x{} is wanted", image.width,
                                 image.height, width, height));
  }
  if (width > 65536 || height > 65536) {
    throw InputError(fmt::format("a part of {}x{} pixels has places beyond 65535", width, height));
  }
  const std::size_t first = std::size_t{(image.height - height) / 2} * image.width + (image.width - width) / 2;
  std::vector<std::uint32_t> points;
  for (std::uint32_t y = 1; y + 1 < height; ++y) {
    for (std::uint32_t x = 1; x + 1 < width; ++x) {
      const auto pixel = [&](int dx, int dy) {
        const std::size_t at = first + (y + static_cast<std::uint32_t>(dy)) * std::size_t{image.width} + x;
        return std::int64_t{image.pixels[at + static_cast<std::size_t>(dx)]};
      };
      const std::int64_t along_x =
          pixel(1, -1) + 2 * pixel(1, 0) + pixel(1, 1) - pixel(-1, -1) - 2 * pixel(-1, 0) - pixel(-1, 1);
      const std::int64_t along_y =
          pixel(-1, 1) + 2 * pixel(0, 1) + pixel(1, 1) - pixel(-1, -1) - 2 * pixel(0, -1) - pixel(1, -1);
      if (std::abs(along_x) + std::abs(along_y) >= threshold) points.push_back(x + (y << 16));
    }
  }
  return points;
}

}  // namespace lockstep::workload
