#pragma once
// Grey images from PNG and PGM files.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::workload {

struct Image {
  std::uint32_t width = 0, height = 0;
  std::uint32_t maximum = 0;          ///< The largest grey level that a pixel may have: white.
  std::vector<std::uint16_t> pixels;  ///< Row by row, `width` to a row.
};

/// Reads a PNG (grey, RGB or palette, 1 to 16 bits, alpha ignored) or a binary PGM (P5, 8 or 16 bits). Colour becomes
/// grey by 0.299 R + 0.587 G + 0.114 B, rounded.
///
/// With `bits` = 0, pixels keep the file's levels. With `bits` = 1 to 16, pixels have levels 0 to 2^bits - 1: a 16-bit
/// grey PNG holds such levels already (a larger one is an error); any other file is scaled linearly from its own white,
/// colour before it is rounded. InputError when the file cannot be read, is damaged, or does not fit.
Image read_image(const std::string& path, unsigned bits = 0);

}  // namespace lockstep::workload
