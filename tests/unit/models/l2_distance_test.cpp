// Who is far from a slice of the L2 cache, and under which numbers it keeps copies for them.

#include <catch2/catch.hpp>

#include <vector>

#include "models/l2/distance.hpp"

namespace lockstep::l2_distance_test {

using l2::Distance;

namespace {

const clock::Ticks far = clock::to_ticks(190);

/// Two parts of two SMs and four slices each.
l2::Spec in_parts(std::uint32_t parts = 2) {
  l2::Spec spec;
  spec.parts = parts;
  spec.far_latency = 190;
  return spec;
}

std::vector<std::uint64_t> copies(const Distance& distance, std::uint64_t line) {
  std::vector<std::uint64_t> all;
  distance.for_each_copy(line, [&](std::uint64_t copy) { all.push_back(copy); });
  return all;
}

}  // namespace

TEST_CASE("The first half of the SMs is far from the second half of the slices") {
  for (const std::uint32_t slice : {0u, 3u, 4u, 7u}) {
    const Distance distance(in_parts(), {slice, 8, 4});
    for (const std::uint32_t sm : {0u, 1u, 2u, 3u}) {
      CAPTURE(slice, sm);
      CHECK(distance.of(sm) == ((slice < 4) == (sm < 2) ? 0 : far));
      CHECK(distance.is_far(sm) == ((slice < 4) != (sm < 2)));
    }
  }
}

TEST_CASE("The SMs of a far part share one copy of a line, and lines have different ones") {
  const Distance distance(in_parts(), {0, 8, 4});
  CHECK(distance.copy_for(2, 7) == distance.copy_for(3, 7));
  CHECK(distance.copy_for(2, 7) != distance.copy_for(2, 8));
  CHECK(distance.copy_for(2, 7) != 7);
  CHECK(copies(distance, 7) == std::vector<std::uint64_t>{distance.copy_for(2, 7)});
}

TEST_CASE("Each of several far parts has its own copy") {
  const Distance distance(in_parts(4), {2, 8, 8});  // Slice 2 of 8: the second part.
  CHECK(copies(distance, 1) ==
        std::vector<std::uint64_t>{distance.copy_for(0, 1), distance.copy_for(4, 1), distance.copy_for(6, 1)});
}

TEST_CASE("Without a far latency all SMs are near, and there are no copies") {
  l2::Spec spec = in_parts();
  spec.far_latency = 0;
  const Distance distance(spec, {0, 8, 4});
  CHECK(distance.of(3) == 0);
  CHECK_FALSE(distance.is_far(3));
  CHECK(copies(distance, 1).empty());
}

}  // namespace lockstep::l2_distance_test
