#include <catch2/catch.hpp>

#include <set>

#include "models/noc/port.hpp"
#include "models/noc/slice_map.hpp"

namespace lockstep::noc_slice_map_test {

TEST_CASE("Successive pieces of memory lie in successive slices, also where their number is not a power of two") {
  for (const std::uint32_t slices : {1u, 4u, 6u, 7u, 48u}) {
    CAPTURE(slices);
    const noc::SliceMap map("mod", slices, 256);
    std::set<std::pair<std::uint32_t, std::uint64_t>> places;
    // Around 16 MiB and 4 GiB, where a table of a power-of-two size would break off.
    for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{(1 << 16) - 100}, std::uint64_t{(1 << 24) - 3}}) {
      for (std::uint64_t piece = begin; piece < begin + 200; ++piece) {
        REQUIRE(map.slice_of(piece * 256) == piece % slices);
        REQUIRE(map.slice_of(piece * 256 + 255) == piece % slices);
        REQUIRE(map.local_address(piece * 256 + 17) == piece / slices * 256 + 17);
      }
    }
  }
}

TEST_CASE("Where neighbours lie in one slice, the pieces of a slice still follow each other without gaps") {
  const noc::SliceMap map("bits:1,2", 4, 256);
  for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{(1 << 16) - 100}, std::uint64_t{(1 << 24) - 3}}) {
    for (std::uint64_t piece = begin; piece < begin + 200; ++piece) {
      REQUIRE(map.slice_of(piece * 256) == (piece / 2) % 4);
      REQUIRE(map.local_address(piece * 256 + 17) == (piece / 8 * 2 + piece % 2) * 256 + 17);
    }
  }
}

TEST_CASE("A message that finds a port idle is not delayed; others follow at its bandwidth") {
  using clock::to_ticks;
  noc::Port port(32);
  CHECK(port.pass(to_ticks(1), 64) == to_ticks(1));
  CHECK(port.pass(to_ticks(1), 64) == to_ticks(3));
  CHECK(port.pass(to_ticks(4), 64) == to_ticks(5));
  CHECK(port.pass(to_ticks(7), 64) == to_ticks(7));
  CHECK(port.busy() == to_ticks(8));
}

TEST_CASE("The period of another clock is rounded once") {
  CHECK(clock::period(1000, 500) == 2 * clock::ticks_per_cycle);
  CHECK(clock::period(1544, 1002) == 100986);  // 1544 / 1002 * 65536 = 100985.6
  const clock::Rate rate(3, clock::ticks_per_cycle);
  CHECK(rate.cost(3) == clock::ticks_per_cycle);
  CHECK(rate.cost(0) == 0);
  CHECK(clock::cycle_after(clock::to_ticks(5)) == 5);
  CHECK(clock::cycle_after(clock::to_ticks(5) + 1) == 6);
  CHECK(clock::cycle_of(clock::to_ticks(6) - 1) == 5);
}

}  // namespace lockstep::noc_slice_map_test
