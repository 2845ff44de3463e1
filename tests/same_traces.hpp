#pragma once
// Compares traces.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "isa/trace/header_codec.hpp"
#include "isa/trace/source.hpp"

namespace lockstep::test {

/// "" when both have the same header, but for the origin, and the same streams; otherwise the first difference.
inline std::string difference(trace::Source& expected, trace::Source& found) {
  const auto bytes_of = [](trace::Header header) {
    header.origin.clear();
    trace::ByteWriter bytes;
    trace::encode_header(header, bytes);
    return std::vector<std::byte>(bytes.bytes().begin(), bytes.bytes().end());
  };
  if (bytes_of(expected.header()) != bytes_of(found.header())) return "the headers differ";
  const trace::Header& header = expected.header();
  for (std::uint32_t n = 0; n < header.launches.size(); ++n) {
    for (std::uint64_t block = 0; block < header.launches[n].thread_blocks(); ++block) {
      const auto one = expected.open(n, block), other = found.open(n, block);
      for (std::uint32_t w = 0; w < header.launches[n].warps_per_block(); ++w) {
        for (;;) {
          const auto a = one->warp(w).next_piece(), b = other->warp(w).next_piece();
          if (!std::equal(a.begin(), a.end(), b.begin(), b.end()))
            return fmt::format("launch {} ({}), thread block {}, warp {}: the streams differ", n,
                               header.kernels[header.launches[n].kernel].name, block, w);
          if (a.empty()) break;
        }
      }
    }
  }
  return "";
}

}  // namespace lockstep::test
