#include <catch2/catch.hpp>

#include "sim/gpu/sm/front_end/barrier_unit.hpp"

namespace lockstep::barrier_unit_test {

using gpu::BarrierUnit;

TEST_CASE("barrier unit: a barrier for all is complete when every live warp has arrived") {
  BarrierUnit unit(1);
  unit.begin_launch(2);
  unit.start_block(0);
  CHECK_FALSE(unit.complete(0, 3, 0));  // Nobody waits there, so there is nobody to release.
  unit.arrive(0, 3, 0, 10);
  CHECK_FALSE(unit.complete(0, 3, 2));
  unit.arrive(0, 3, 0, 15);
  CHECK(unit.complete(0, 3, 2));
  CHECK_FALSE(unit.complete(1, 3, 2));  // Another thread block's,
  CHECK_FALSE(unit.complete(0, 4, 2));  // and another barrier.
  CHECK(unit.release(0, 3, 15) == 15);
  CHECK_FALSE(unit.complete(0, 3, 2));
}

TEST_CASE("barrier unit: a warp that ends may complete a barrier for all") {
  BarrierUnit unit(1);
  unit.begin_launch(1);
  unit.arrive(0, 0, 0, 10);
  CHECK_FALSE(unit.complete(0, 0, 2));
  CHECK(unit.complete(0, 0, 1));
  CHECK(unit.release(0, 0, 80) == 80);
}

TEST_CASE("barrier unit: a barrier for a number of warps does not count those that are live") {
  BarrierUnit unit(1);
  unit.begin_launch(1);
  unit.arrive(0, 15, 2, 10);
  CHECK_FALSE(unit.complete(0, 15, 1));
  unit.arrive(0, 15, 2, 20);
  CHECK(unit.complete(0, 15, 8));
}

TEST_CASE("barrier unit: arrivals of all thread blocks take place one after the other") {
  BarrierUnit unit(3);
  unit.begin_launch(2);
  unit.arrive(0, 0, 0, 10);  // At 10,
  unit.arrive(1, 0, 0, 10);  // at 13,
  unit.arrive(0, 0, 0, 11);  // at 16.
  CHECK(unit.release(0, 0, 11) == 16);
  CHECK(unit.release(1, 0, 11) == 13);
  unit.arrive(0, 0, 0, 40);  // Long after: at once.
  CHECK(unit.release(0, 0, 40) == 40);
}

TEST_CASE("barrier unit: a new thread block finds its barriers empty") {
  BarrierUnit unit(1);
  unit.begin_launch(1);
  unit.arrive(0, 2, 4, 10);
  unit.start_block(0);
  CHECK(unit.at(0, 2).arrived == 0);
  unit.arrive(0, 2, 0, 20);
  CHECK(unit.complete(0, 2, 1));
}

}  // namespace lockstep::barrier_unit_test
