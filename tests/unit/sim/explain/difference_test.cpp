// What explains the difference of two replays.

#include "sim/explain/difference.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "sim/explain/difference_output.hpp"
#include "sim/stats/catalog.hpp"

using namespace lockstep;
using explain::Part;
using explain::Side;
using gpu::Slot;

namespace {

/// A side of so many cycles on a GPU of `mhz`, with slots by reason.
Side side(std::uint64_t cycles, double mhz, const std::vector<std::pair<Slot, std::uint64_t>>& slots) {
  Side result;
  result.result.status = experiment::Status::done;
  result.result.cycles = cycles;
  result.result.time_ms = static_cast<double>(cycles) / (mhz * 1e3);
  result.result.warp_instructions = 1000;
  gpu::Counters counters;
  for (const auto& [slot, count] : slots) counters.sm.slots[static_cast<std::size_t>(slot)] = count;
  for (const stats::Statistic& one : stats::statistics()) result.result.statistics.push_back(one.value(counters));
  return result;
}

std::int64_t sum(const std::vector<Part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t all, const Part& part) { return all + part.change(); });
}

const Part& named(const std::vector<Part>& parts, const std::string& name) {
  for (const Part& part : parts)
    if (part.name.starts_with(name)) return part;
  FAIL("no part " << name);
  return parts.front();
}

}  // namespace

TEST_CASE("apportioned parts are integers in proportion to their weights and add up to the whole") {
  CHECK(explain::apportioned(100, {1, 1, 1}) == std::vector<std::uint64_t>{34, 33, 33});
  CHECK(explain::apportioned(7, {0, 3, 4}) == std::vector<std::uint64_t>{0, 3, 4});
  CHECK(explain::apportioned(1, {1, 2}) == std::vector<std::uint64_t>{0, 1});  // The larger remainder.
  CHECK(explain::apportioned(5, {0, 0}) == std::vector<std::uint64_t>{0, 0});
  const std::uint64_t large = std::uint64_t{1} << 62;  // Products beyond 64 bits.
  CHECK(explain::apportioned(large, {large, large}) == std::vector<std::uint64_t>{large / 2, large / 2});
}

TEST_CASE("compare: cycles are divided by issue slots, also between GPUs with different numbers of schedulers") {
  // A: 2 slots a cycle, B: 8.
  const Side a = side(100, 1000, {{Slot::issued, 50}, {Slot::barrier, 150}});
  const Side b = side(40, 1000, {{Slot::issued, 200}, {Slot::memory_result, 120}});
  const explain::Difference all = explain::difference(a, b);
  CHECK(all.unit == "cycles");
  CHECK(all.whole.change() == -60);
  REQUIRE(all.reasons.size() == 3);
  CHECK(all.reasons[0].name == "barrier");  // The largest change first.
  CHECK(all.reasons[0].change() == -75);
  CHECK(named(all.reasons, "memory_result").change() == 15);
  CHECK(named(all.reasons, "issued").change() == 0);
  CHECK(sum(all.reasons) == -60);
}

TEST_CASE("compare: where the clocks differ, time is divided instead of cycles") {
  const explain::Difference all =
      explain::difference(side(1000, 1000, {{Slot::issued, 4}}), side(1000, 2000, {{Slot::issued, 4}}));
  CHECK(all.unit == "ns");
  CHECK(all.whole.a == 1000);
  CHECK(all.whole.b == 500);
  CHECK(sum(all.reasons) == -500);
}

TEST_CASE(
    "compare: lines are matched by their text where line numbers moved, and add up with the slots without a warp") {
  Side a = side(100, 1000, {{Slot::issued, 60}, {Slot::barrier, 30}, {Slot::no_warp, 10}});
  Side b = side(200, 1000, {{Slot::issued, 20}, {Slot::memory_result, 70}, {Slot::no_warp, 10}});
  a.lines = {{"k.cu:4", "x = y;", "k", 4, 50, {}}, {"k.cu:5", "__syncthreads();", "k", 5, 40, {{Slot::barrier, 30}}}};
  b.lines = {{"k.cu:9", "x = y;", "k", 9, 80, {{Slot::memory_result, 70}}}, {"k.cu:7", "z = 1;", "k", 7, 10, {}}};
  const explain::Difference all = explain::difference(a, b);
  CHECK(all.whole.change() == 100);
  CHECK(sum(all.lines) == 100);
  CHECK(named(all.lines, "k.cu:4 / k.cu:9").change() == 110);  // 50 of 100 to 160 of 200.
  CHECK(named(all.lines, "k.cu:4 / k.cu:9").text == "memory_result");
  CHECK(named(all.lines, "k.cu:5").b == 0);
  CHECK(named(all.lines, "k.cu:7").a == 0);
  CHECK(named(all.lines, "no warp").change() == 10);
}

TEST_CASE("compare: lines with one text are matched by their place, or else in order") {
  Side a = side(100, 1000, {{Slot::issued, 100}}), b = side(100, 1000, {{Slot::issued, 100}});
  a.lines = {{"k.cu:3", "for (;;)", "k", 3, 10, {}}, {"k.cu:8", "for (;;)", "k", 8, 90, {}}};
  b.lines = {{"k.cu:8", "for (;;)", "k", 8, 70, {}}, {"k.cu:3", "for (;;)", "k", 3, 30, {}}};
  const explain::Difference same = explain::difference(a, b);
  CHECK(named(same.lines, "k.cu:3").change() == 20);
  CHECK(named(same.lines, "k.cu:8").change() == -20);
  b.lines[0].place = "k.cu:9", b.lines[0].number = 9;
  b.lines[1].place = "k.cu:4", b.lines[1].number = 4;
  const explain::Difference moved = explain::difference(a, b);
  CHECK(named(moved.lines, "k.cu:3 / k.cu:4").change() == 20);
  CHECK(named(moved.lines, "k.cu:8 / k.cu:9").change() == -20);
}

TEST_CASE("compare: points of results folders are matched by the swept values of both") {
  const auto folder = [](const std::vector<std::vector<std::pair<std::string, std::string>>>& points) {
    experiment::StoredResults all;
    for (const auto& values : points) {
      experiment::Point point;
      for (const auto& [axis, text] : values) {
        config::Value value;
        value.text = text;
        point.swept.emplace_back(axis, value);
      }
      all.points.push_back(point);
      all.results.push_back(side(10, 1000, {{Slot::issued, 1}}).result);
    }
    return all;
  };
  // B has one axis more, with one value: it does not keep its points from being matched.
  const auto a = folder({{{"args.n", "1"}}, {{"args.n", "2"}}, {{"args.n", "3"}}});
  const auto b =
      folder({{{"args.n", "2"}, {"gpu", "x"}}, {{"args.n", "3"}, {"gpu", "x"}}, {{"args.n", "4"}, {"gpu", "x"}}});
  const explain::Comparison found = explain::matched("a", a, "b", b);
  REQUIRE(found.pairs.size() == 2);
  CHECK(found.pairs[0].label == "args.n=2");
  CHECK(found.pairs[1].label == "args.n=3");
  CHECK(found.only_a.size() == 1);
  CHECK(found.only_b.size() == 1);
  // With two values of it, no point of A has one counterpart.
  const auto two = folder({{{"args.n", "2"}, {"gpu", "x"}}, {{"args.n", "2"}, {"gpu", "y"}}});
  CHECK(explain::matched("a", a, "b", two).pairs.empty());
}
