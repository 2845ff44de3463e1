#include "sim/cpu/voting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "isa/error.hpp"

namespace lockstep::cpu {

namespace {

/// A vector of `lanes` elements.
template <typename T, unsigned lanes>
using Vector [[gnu::vector_size(sizeof(T) * lanes)]] = T;

/// By reference: how a wide vector is returned depends on the processor that is compiled for.
template <typename V, typename T>
[[gnu::always_inline]] inline void load(const T* from, V& vector) {
  std::memcpy(&vector, from, sizeof vector);
}

// ---- histogram ------------------------------------------------------------------------------------------------------

struct HistogramPart {
  const std::uint16_t *begin, *end;
  unsigned shift;         ///< From a pixel to its bin.
  std::uint32_t* counts;  ///< One for every bin that a 16-bit pixel may have.
};

/// Counts as many pixels as fill vectors; returns the first that is left.
template <unsigned lanes>
[[gnu::always_inline]] inline const std::uint16_t* count_vectors(const HistogramPart& part) {
  using Pixels = Vector<std::uint16_t, lanes>;
  const std::uint16_t* at = part.begin;
  for (; part.end - at >= static_cast<std::ptrdiff_t>(lanes); at += lanes) {
    Pixels bins;
    load(at, bins);
    bins >>= static_cast<std::uint16_t>(part.shift);
    // Four bins at a time leave the vector, in a word: that is quicker than one by one.
    Vector<std::uint64_t, lanes / 4> words;
    std::memcpy(&words, &bins, sizeof words);
#pragma GCC unroll 4
    for (unsigned word = 0; word < lanes / 4; ++word) {
      const std::uint64_t four = words[word];
      ++part.counts[four & 0xffff];
      ++part.counts[four >> 16 & 0xffff];
      ++part.counts[four >> 32 & 0xffff];
      ++part.counts[four >> 48];
    }
  }
  return at;
}

const std::uint16_t* count_128(const HistogramPart& part) {
  return count_vectors<8>(part);
}

// ---- Hough transform ------------------------------------------------------------------------------------------------

struct HoughPart {
  const View* edges;
  std::uint16_t threshold;
  const float *cosines, *sines;  ///< Of its angles, and room for a vector behind them.
  std::uint32_t angles, bins;
  std::uint32_t* votes;  ///< Of its angles.
};

/// The votes of one point; `lanes` angles at a time.
template <unsigned lanes>
[[gnu::always_inline]] inline void vote(const HoughPart& part, std::uint32_t x, std::uint32_t y) {
  using Reals = Vector<float, lanes>;
  using Places = Vector<std::int32_t, lanes>;
  const float across = static_cast<float>(x), down = static_cast<float>(y),
              origin = static_cast<float>(part.edges->width);
  for (std::uint32_t angle = 0; angle < part.angles; angle += lanes) {
    Reals cosines, sines;
    load(part.cosines + angle, cosines);
    load(part.sines + angle, sines);
    const Reals distance = across * cosines + down * sines;
    const Places places = __builtin_convertvector(distance + origin, Places);
    const std::uint32_t count = std::min(lanes, part.angles - angle);
    for (std::uint32_t lane = 0; lane < count; ++lane)
      ++part.votes[std::size_t{angle + lane} * part.bins + static_cast<std::uint32_t>(places[lane])];
  }
}

/// A pixel at a time, or vectors of pixels of which most have no edge.
template <unsigned pixels, unsigned lanes>
[[gnu::always_inline]] inline void vote_all(const HoughPart& part) {
  using Row = Vector<std::uint16_t, pixels>;
  const View& edges = *part.edges;
  for (std::uint32_t y = 0; y < edges.height; ++y) {
    const std::uint16_t* row = edges.pixels.data() + std::size_t{y} * edges.width;
    std::uint32_t x = 0;
    for (; x + pixels <= edges.width; x += pixels) {
      Row levels;
      load(row + x, levels);
      const auto is_edge = levels >= part.threshold;
      std::uint64_t words[(sizeof(Row) + 7) / 8] = {};
      std::memcpy(words, &is_edge, sizeof is_edge);
      std::uint64_t any = 0;
      for (const std::uint64_t word : words) any |= word;
      if (any == 0) continue;
      for (unsigned i = 0; i < pixels; ++i)
        if (row[x + i] >= part.threshold) vote<lanes>(part, x + i, y);
    }
    for (; x < edges.width; ++x)
      if (row[x] >= part.threshold) vote<lanes>(part, x, y);
  }
}

void vote_128(const HoughPart& part) {
  vote_all<8, 4>(part);
}

// ---- one at a time, and the widest ----------------------------------------------------------------------------------

void vote_one(const HoughPart& part) {
  const View& edges = *part.edges;
  const float origin = static_cast<float>(edges.width);
  for (std::uint32_t y = 0; y < edges.height; ++y) {
    for (std::uint32_t x = 0; x < edges.width; ++x) {
      if (edges.pixels[std::size_t{y} * edges.width + x] < part.threshold) continue;
      for (std::uint32_t angle = 0; angle < part.angles; ++angle) {
        const float distance = static_cast<float>(x) * part.cosines[angle] + static_cast<float>(y) * part.sines[angle];
        ++part.votes[std::size_t{angle} * part.bins + static_cast<std::uint32_t>(distance + origin)];
      }
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] const std::uint16_t* count_avx2(const HistogramPart& part) {
  return count_vectors<16>(part);
}
[[gnu::target("avx2")]] void vote_avx2(const HoughPart& part) {
  vote_all<16, 8>(part);
}
bool has_256() {
  return __builtin_cpu_supports("avx2") != 0;
}
const std::uint16_t* count_256(const HistogramPart& part) {
  return has_256() ? count_avx2(part) : count_vectors<16>(part);
}
void vote_256(const HoughPart& part) {
  has_256() ? vote_avx2(part) : vote_all<16, 8>(part);
}
#else
const std::uint16_t* count_256(const HistogramPart& part) {
  return count_vectors<16>(part);
}
void vote_256(const HoughPart& part) {
  vote_all<16, 8>(part);
}
#endif

constexpr std::uint32_t widest = 8;  // Angles of a vector.

}  // namespace

Voting::Voting(unsigned threads, Vectors vectors) : threads_(threads), vectors_(vectors), pool_(threads) {}

std::vector<std::uint32_t> Voting::histogram(std::span<const std::uint16_t> pixels, unsigned bits, std::uint32_t bins) {
  if (bits < 1 || bits > 16 || !std::has_single_bit(bins) || bins > std::uint32_t{1} << bits) {
    throw InputError(
        fmt::format("a histogram of {} bins of pixels of {} bits; bins are a power of two, as many as there are "
                    "levels of 1 to 16 bits or fewer",
                    bins, bits));
  }
  const unsigned shift = bits - static_cast<unsigned>(std::countr_zero(bins));
  const std::size_t possible = (std::size_t{65535} >> shift) + 1;
  std::vector<std::vector<std::uint32_t>> counts(threads_);
  pool_.for_each(threads_, [&](std::size_t thread) {
    std::vector<std::uint32_t> own(possible);
    HistogramPart part{pixels.data() + pixels.size() * thread / threads_,
                       pixels.data() + pixels.size() * (thread + 1) / threads_, shift, own.data()};
    if (vectors_ != Vectors::none) part.begin = vectors_ == Vectors::bits_128 ? count_128(part) : count_256(part);
    for (const std::uint16_t* at = part.begin; at != part.end; ++at) ++own[*at >> shift];
    counts[thread] = std::move(own);
  });
  std::vector<std::uint32_t> all(bins);
  for (const std::vector<std::uint32_t>& own : counts) {
    for (std::size_t bin = 0; bin < possible; ++bin) {
      if (bin < bins) {
        all[bin] += own[bin];
      } else if (own[bin] != 0) {
        throw InputError(fmt::format("a pixel of at least {}, but {} bits hold 0 to {}", bin << shift, bits,
                                     (std::uint32_t{1} << bits) - 1));
      }
    }
  }
  return all;
}

HoughSpace Voting::hough(const View& edges, std::uint16_t threshold, std::uint32_t angles) {
  if (edges.pixels.size() != std::size_t{edges.width} * edges.height || angles < 2)
    throw Bug(fmt::format("a Hough transform of {}x{} pixels, which are {}, for {} angles", edges.width, edges.height,
                          edges.pixels.size(), angles));
  HoughSpace space;
  space.angles = angles;
  // Distances are above -width, and at most the diagonal; one more for the rounding.
  space.bins = edges.width + static_cast<std::uint32_t>(std::hypot(edges.width, edges.height)) + 2;
  space.votes.resize(std::size_t{angles} * space.bins);
  std::vector<float> cosines(angles + widest), sines(angles + widest);
  for (std::uint32_t i = 0; i < angles; ++i) {
    const double angle = i * std::numbers::pi / (angles - 1);
    cosines[i] = static_cast<float>(std::cos(angle));
    sines[i] = static_cast<float>(std::sin(angle));
  }
  pool_.for_each(threads_, [&](std::size_t thread) {
    const auto first = static_cast<std::uint32_t>(std::uint64_t{angles} * thread / threads_);
    const auto end = static_cast<std::uint32_t>(std::uint64_t{angles} * (thread + 1) / threads_);
    std::vector<std::uint32_t> own(std::size_t{end - first} * space.bins);  // No cache line is shared while it votes.
    const HoughPart part{&edges,     threshold, cosines.data() + first, sines.data() + first, end - first,
                         space.bins, own.data()};
    switch (vectors_) {
      case Vectors::none: vote_one(part); break;
      case Vectors::bits_128: vote_128(part); break;
      case Vectors::bits_256: vote_256(part); break;
    }
    std::copy(own.begin(), own.end(),
              space.votes.begin() + static_cast<std::ptrdiff_t>(std::size_t{first} * space.bins));
  });
  return space;
}

}  // namespace lockstep::cpu
