#include "sim/experiment/shard.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sim/experiment/experiment.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::shard_test {

using namespace lockstep::experiment;

TEST_CASE("Shards have every point once, as many as each other, and share few executions") {
  const test::File file(
      "gpu: gtx580\nworkload: vector-add\n"
      "sweep: {sm.floating.latency: [18, 19, 20, 21, 22], args.length: [1, 2, 3, 4, 5, 6, 7]}\n");
  const std::vector<Point> points = expand(load_experiment(file.path()));
  REQUIRE(points.size() == 35);
  for (const std::size_t count : {1, 2, 3, 4, 7, 16, 35}) {
    INFO(count << " shards");
    std::multiset<std::string> labels;
    std::map<std::string, std::set<std::size_t>> shards_of;
    for (std::size_t number = 1; number <= count; ++number) {
      const std::vector<Point> own = points_of({number, count}, points);
      CHECK((own.size() == 35 / count || own.size() == 35 / count + 1));
      for (const Point& point : own) {
        labels.insert(point.label());
        shards_of[point.at("args.length")->text].insert(number);
      }
    }
    CHECK(labels.size() == 35);
    for (const Point& point : points) CHECK(labels.count(point.label()) == 1);
    // Points of one length share an execution: 7 executions, and one more for every cut between shards.
    std::size_t executions = 0;
    for (const auto& [length, shards] : shards_of) executions += shards.size();
    CHECK(executions <= 7 + count - 1);
  }
  CHECK(points_of({2, 7}, points)[0].label() == "sm.floating.latency=18 args.length=2");
  CHECK_THROWS_AS(points_of({1, 36}, points), InputError);
}

TEST_CASE("A shard is the I-th of N, and nothing else") {
  const Shard shard = parse_shard("3/12");
  CHECK(shard.number == 3);
  CHECK(shard.count == 12);
  for (const char* wrong : {"", "3", "0/4", "5/4", "1/", "/4", "a/4", "1/4x", "-1/4", "1/0", "1 /4"})
    CHECK_THROWS_AS(parse_shard(wrong), InputError);
}

}  // namespace lockstep::shard_test
