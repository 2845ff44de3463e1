#include <catch2/catch.hpp>
#include <vector>

#include "sim/gpu/clock_times.hpp"

using namespace lockstep;
using gpu::ClockRead;
using gpu::ClockTimes;

namespace {

ClockRead read_at(std::uint64_t block, std::uint32_t warp, Cycle cycle) {
  ClockRead one;
  one.cycle = cycle;
  one.thread_block = block;
  one.warp = warp;
  return one;
}

}  // namespace

TEST_CASE("A warp times from its first read to its second and from its third to its fourth") {
  const std::vector<ClockRead> reads = {read_at(0, 0, 100), read_at(0, 0, 130), read_at(0, 0, 200), read_at(0, 0, 205),
                                        read_at(0, 1, 90),  read_at(0, 1, 190), read_at(3, 0, 400), read_at(3, 0, 460)};
  const ClockTimes times = gpu::clock_times(reads);
  CHECK(times.warps == 3);
  CHECK(times.cycles == (30 + 5) + 100 + 60);
  CHECK(times.first == 30 + 100 + 60);
  CHECK(times.least == 35);
  CHECK(times.most == 100);
  CHECK(times.span == 460 - 90);
  CHECK(times.first_warp == 30 + 5);
}

TEST_CASE("A read without a second one times nothing") {
  CHECK(gpu::clock_times({}).warps == 0);
  const std::vector<ClockRead> reads = {read_at(0, 0, 5), read_at(0, 1, 10), read_at(0, 1, 12), read_at(0, 1, 900)};
  const ClockTimes times = gpu::clock_times(reads);
  CHECK(times.warps == 1);
  CHECK(times.cycles == 2);
  CHECK(times.span == 2);
  CHECK(times.first_warp == 0);
}

TEST_CASE("The first warp is that of the first thread block, wherever its reads stand") {
  const std::vector<ClockRead> reads = {read_at(2, 0, 10), read_at(2, 0, 25), read_at(0, 1, 3),
                                        read_at(0, 1, 7),  read_at(0, 0, 50), read_at(0, 0, 58)};
  CHECK(gpu::clock_times(reads).first_warp == 8);
}
