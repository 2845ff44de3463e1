// Who is far from a slice of the L2 cache, and which reads find a copy near to them.

#include <catch2/catch.hpp>

#include "models/l2/distance.hpp"

using namespace lockstep;
using l2::Distance;

namespace {

const clock::Ticks far = clock::to_ticks(190);

/// Two parts of two SMs and four slices each.
l2::Spec two_parts() {
  l2::Spec spec;
  spec.parts = 2;
  spec.far_latency = 190;
  return spec;
}

}  // namespace

TEST_CASE("The first half of the SMs is far from the second half of the slices") {
  for (const std::uint32_t slice : {0u, 3u, 4u, 7u}) {
    const Distance distance(two_parts(), {slice, 8, 4}, 1);
    for (const std::uint32_t sm : {0u, 1u, 2u, 3u}) {
      CAPTURE(slice, sm);
      CHECK(distance.of(sm) == ((slice < 4) == (sm < 2) ? 0 : far));
    }
  }
}

TEST_CASE("A sector is far until an SM of that side has read it") {
  Distance distance(two_parts(), {0, 8, 4}, 2);
  CHECK(distance.of_read(0, 0, 0b0001) == 0);    // A near SM leaves no copy on the other side,
  CHECK(distance.of_read(2, 0, 0b0001) == far);  // a far one does,
  CHECK(distance.of_read(3, 0, 0b0001) == 0);    // also for its neighbour,
  CHECK(distance.of_read(3, 0, 0b0011) == far);  // sector by sector
  CHECK(distance.of_read(2, 0, 0b0011) == 0);
  CHECK(distance.of_read(2, 1, 0b0011) == far);  // and entry by entry.
}

TEST_CASE("What is written or replaced has no copies any more") {
  Distance distance(two_parts(), {0, 8, 4}, 1);
  CHECK(distance.of_read(2, 0, 0b1111) == far);
  distance.forget(0, 0b0100);
  CHECK(distance.of_read(2, 0, 0b1011) == 0);
  CHECK(distance.of_read(2, 0, 0b0100) == far);
}

TEST_CASE("Without a far latency all SMs are near") {
  l2::Spec spec = two_parts();
  spec.far_latency = 0;
  Distance distance(spec, {0, 8, 4}, 1);
  CHECK(distance.of(3) == 0);
  CHECK(distance.of_read(3, 0, 1) == 0);
  distance.forget(0, 1);
}
