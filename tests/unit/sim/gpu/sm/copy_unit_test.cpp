#include <catch2/catch.hpp>

#include "sim/gpu/sm/front_end/copy_unit.hpp"

namespace lockstep::copy_unit_test {

using gpu::CopyUnit;

namespace {

constexpr auto all = machine::Instruction::all_copies;

std::uint32_t begin(CopyUnit& unit, std::uint32_t warp = 0) {
  CopyUnit::Copy copy;
  copy.warp = warp;
  return unit.begin(copy);
}

/// The next data come; they are in the scratchpad `later` cycles afterwards.
Cycle finish_next(CopyUnit& unit, Cycle later = 2) {
  const Cycle at = unit.next_arrival();
  unit.done(unit.take_arrival(), at + later);
  return at;
}

std::vector<Cycle> arrivals(CopyUnit& unit, std::uint32_t warp = 0) {
  std::vector<Cycle> times;
  unit.take_due(warp, [&](const trace::AccessEntry&, Cycle at) { times.push_back(at); });
  return times;
}

}  // namespace

TEST_CASE("copy unit: a wait for all but the last groups is over when the earlier ones are done, in whatever order") {
  CopyUnit unit;
  unit.begin_launch(1);
  CHECK(unit.done_at(0, 0) == 0);
  unit.arrives(begin(unit), 500);
  unit.commit(0);
  unit.arrives(begin(unit), 100);
  unit.commit(0);
  unit.arrives(begin(unit), 900);  // In no group yet.
  CHECK(unit.done_at(0, 2) == 0);
  CHECK(unit.done_at(0, 1) == never);
  CHECK(finish_next(unit) == 100);  // The second group's.
  CHECK(unit.done_at(0, 1) == never);
  CHECK(finish_next(unit) == 500);
  CHECK(unit.done_at(0, 1) == 502);
  CHECK(unit.done_at(0, 0) == 502);
  CHECK(unit.done_at(0, all) == never);
  CHECK(finish_next(unit) == 900);
  CHECK(unit.done_at(0, all) == 902);
  CHECK(unit.next_arrival() == never);
}

TEST_CASE("copy unit: an empty group counts, and warps do not see each other's copies") {
  CopyUnit unit;
  unit.begin_launch(2);
  unit.arrives(begin(unit, 1), 10);
  unit.commit(1);
  unit.commit(0);
  unit.commit(1);
  CHECK(unit.done_at(0, 0) == 0);
  CHECK(unit.done_at(1, 1) == never);
  CHECK(unit.done_at(1, 2) == 0);
  finish_next(unit);
  CHECK(unit.done_at(1, 0) == 12);
}

TEST_CASE("copy unit: arrivals take place when the copies before them are done, and not those behind") {
  CopyUnit unit;
  unit.begin_launch(1);
  unit.arrives(begin(unit), 300);
  unit.arrive_behind(0, {});
  unit.arrives(begin(unit), 200);
  unit.arrive_behind(0, {});
  unit.arrives(begin(unit), 900);
  CHECK(arrivals(unit).empty());
  finish_next(unit);
  CHECK(arrivals(unit).empty());  // The first copy is on its way yet.
  finish_next(unit);
  CHECK(arrivals(unit) == std::vector<Cycle>{302, 302});
  CHECK(unit.next_arrival() == 900);
}

TEST_CASE("copy unit: an arrival without copies takes place at once") {
  CopyUnit unit;
  unit.begin_launch(1);
  unit.arrive_behind(0, {});
  CHECK(arrivals(unit) == std::vector<Cycle>{0});
}

}  // namespace lockstep::copy_unit_test
