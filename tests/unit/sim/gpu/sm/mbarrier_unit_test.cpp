#include <bit>
#include <catch2/catch.hpp>

#include "sim/gpu/sm/front_end/mbarrier_unit.hpp"

namespace lockstep::mbarrier_unit_test {

using gpu::MbarrierUnit;
using program::mbarrier_entry;
using enum program::MbarrierAction;

namespace {

trace::AccessEntry lanes(std::initializer_list<std::uint64_t> entries) {
  trace::AccessEntry all{};
  for (const std::uint64_t entry : entries) {
    all.address[std::popcount(all.mask)] = entry;
    all.mask = all.mask << 1 | 1;
  }
  return all;
}

}  // namespace

TEST_CASE(
    "mbarrier unit: a phase ends with its last arrival, whoever was issued first, and the next one needs as many") {
  MbarrierUnit unit;
  unit.begin_launch(2, 4);
  unit.act(0, init, mbarrier_entry(8, 3), 0);
  unit.begin_wait(1, lanes({mbarrier_entry(8, 0), mbarrier_entry(8, 0)}));
  CHECK_FALSE(unit.act(0, arrive, mbarrier_entry(8, 1), 50));  // Takes place later than the next one.
  CHECK(unit.wait_ends(0, 1) == never);
  REQUIRE(unit.waits_at(0, 1) != nullptr);
  CHECK(unit.waits_at(0, 1)->state.pending == 2);
  CHECK_FALSE(unit.act(1, arrive, mbarrier_entry(8, 2), 20));  // Of another thread block.
  CHECK(unit.act(0, arrive, mbarrier_entry(8, 2), 20));
  CHECK(unit.wait_ends(0, 1) == 50);
  CHECK(unit.waits_at(0, 1) == nullptr);
  unit.begin_wait(1, lanes({mbarrier_entry(8, 1)}));
  CHECK(unit.wait_ends(0, 1) == never);
  CHECK(unit.act(0, arrive, mbarrier_entry(8, 3), 60));
  CHECK(unit.wait_ends(0, 1) == 60);
}

TEST_CASE("mbarrier unit: lanes that await several phases wait for the last of them") {
  MbarrierUnit unit;
  unit.begin_launch(1, 1);
  unit.act(0, init, mbarrier_entry(0, 1), 0);
  unit.act(0, init, mbarrier_entry(16, 1), 0);
  unit.begin_wait(0, lanes({mbarrier_entry(0, 0), mbarrier_entry(16, 0)}));
  unit.act(0, arrive, mbarrier_entry(16, 1), 30);
  CHECK(unit.wait_ends(0, 0) == never);
  unit.act(0, arrive, mbarrier_entry(0, 1), 10);
  CHECK(unit.wait_ends(0, 0) == 30);
}

TEST_CASE(
    "mbarrier unit: copies that add an arrival keep the phase open until they are done; drops are not expected again") {
  MbarrierUnit unit;
  unit.begin_launch(1, 1);
  unit.act(0, init, mbarrier_entry(0, 2), 0);
  unit.act(0, copies_add_arrival, mbarrier_entry(0, 1), 1);
  unit.act(0, arrive, mbarrier_entry(0, 1), 2);
  CHECK_FALSE(unit.act(0, drop, mbarrier_entry(0, 1), 3));
  CHECK(unit.act(0, copies_arrive, mbarrier_entry(0, 1), 400));
  CHECK(unit.act(0, arrive, mbarrier_entry(0, 1), 401));  // One is left.
}

TEST_CASE("mbarrier unit: bytes that are expected keep a phase open, and where no object is nobody waits") {
  MbarrierUnit unit;
  unit.begin_launch(1, 1);
  unit.act(0, init, mbarrier_entry(0, 1), 0);
  CHECK_FALSE(unit.act(0, arrive_expecting, mbarrier_entry(0, 64), 5));
  CHECK_FALSE(unit.act(0, complete, mbarrier_entry(0, 63), 6));
  CHECK(unit.act(0, complete, mbarrier_entry(0, 1), 7));
  unit.begin_wait(0, lanes({mbarrier_entry(128, 0)}));
  CHECK(unit.wait_ends(0, 0) == 0);
  unit.act(0, inval, mbarrier_entry(0, 1), 8);
  unit.begin_wait(0, lanes({mbarrier_entry(0, 1)}));
  CHECK(unit.wait_ends(0, 0) == 0);
}

}  // namespace lockstep::mbarrier_unit_test
