#pragma once
// Voting on the CPU that runs this program: what the histograms and Hough transforms of a GPU are compared with.
//
// Both follow Van den Braak's thesis (sections 3.1 and 4.2): threads that share nothing while they vote, and vector
// instructions that find the places of several votes at a time; the votes themselves are cast one by one.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/worker_pool.hpp"

namespace lockstep::cpu {

/// Bits of the vectors that find the places of votes. They never change a result. A processor without vectors of 256 bits
/// takes two of 128 in their place.
enum class Vectors : std::uint8_t { none, bits_128, bits_256 };

/// An image in 16-bit pixels, row by row.
struct View {
  std::span<const std::uint16_t> pixels;  ///< width * height
  std::uint32_t width = 0, height = 0;
};

/// A Hough space in polar coordinates: angle a is a * pi / (angles - 1), and bin r of it holds the votes of points with
/// r <= width + x cos + y sin < r + 1, computed in single precision, each step rounded.
struct HoughSpace {
  std::uint32_t angles = 0, bins = 0;
  std::vector<std::uint32_t> votes;  ///< Angle by angle, `bins` of each.
};

/// Threads that wait for work between calls.
class Voting {
 public:
  explicit Voting(unsigned threads, Vectors vectors = Vectors::none);

  /// How many pixels of `bits` bits fall into each of `bins` equal parts of their levels, `bins` a power of two up to 2^bits.
  /// Each thread counts a part of the pixels in a sub-histogram of its own. InputError for a pixel of more bits.
  std::vector<std::uint32_t> histogram(std::span<const std::uint16_t> pixels, unsigned bits, std::uint32_t bins);

  /// The votes of the pixels that are at least `threshold`, for two angles or more. Each thread makes the lines of some of the
  /// angles, from all pixels.
  HoughSpace hough(const View& edges, std::uint16_t threshold, std::uint32_t angles);

 private:
  unsigned threads_;
  Vectors vectors_;
  engine::WorkerPool pool_;
};

}  // namespace lockstep::cpu
