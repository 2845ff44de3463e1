#pragma once
// The pixels of an image that lie on edges.

#include <cstdint>
#include <vector>

#include "sim/workload/buffers/image.hpp"

namespace lockstep::workload {

/// The pixels of the `width` x `height` in the middle of the image where the Sobel operator finds a gradient
/// |gx| + |gy| of at least `threshold`, row by row: x + 65536 y, counted from the upper left corner of that part. Its
/// outermost pixels have no gradient. InputError when the image is smaller, or the part larger than 65536 on a side.
std::vector<std::uint32_t> edge_points(const Image& image, std::uint32_t width, std::uint32_t height,
                                       std::int64_t threshold);

}  // namespace lockstep::workload
