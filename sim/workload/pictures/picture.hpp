#pragma once
// Pictures that execution has left in buffers, and their PNG files.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::workload {

/// An image of grey levels or of red, green and blue.
struct Picture {
  std::string name;
  std::uint32_t width = 0, height = 0;
  unsigned channels = 1;               ///< 1 or 3.
  unsigned bits = 8;                   ///< Of a sample: 8 or 16.
  std::vector<std::uint16_t> samples;  ///< Row by row, the channels of a pixel side by side; white is 2^bits - 1.
};

/// The bytes of a PNG file. ResourceError when there is no memory for them.
std::string png_of(const Picture& picture);

}  // namespace lockstep::workload
