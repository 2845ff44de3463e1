// How many runs may go on at a time, told by what the process occupies.

#include "sim/experiment/running/memory_budget.hpp"

#include <catch2/catch.hpp>

#include "sim/experiment/results/output.hpp"
#include "sim/experiment/runner.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::memory_budget_test {

using namespace lockstep::experiment;

TEST_CASE("The first run begins however little there is, and the next when as much as one took is left") {
  std::uint64_t occupied = 100;
  MemoryBudget budget(400, [&] { return occupied; });
  CHECK(budget.allows_one_more(0));
  occupied = 200;  // The first took 100.
  CHECK(budget.allows_one_more(1));
  occupied = 300;
  CHECK(budget.allows_one_more(2));
  occupied = 320;
  CHECK_FALSE(budget.allows_one_more(3));
  // Two that have only just begun will take as much as the others did.
  occupied = 110;
  CHECK(budget.allows_one_more(1));
  CHECK_FALSE(budget.allows_one_more(3));
}

TEST_CASE("Over the budget all runs but the first wait") {
  std::uint64_t occupied = 100;
  MemoryBudget budget(400, [&] { return occupied; });
  CHECK(budget.allows_one_more(0));
  CHECK(budget.allows(3));
  occupied = 401;
  CHECK_FALSE(budget.allows(3));
  CHECK_FALSE(budget.allows(2));
  CHECK(budget.allows(1));
  CHECK_FALSE(budget.allows_one_more(1));
}

TEST_CASE("Without a budget nothing is asked and nothing waits") {
  MemoryBudget budget(0, []() -> std::uint64_t { throw 1; });
  CHECK(budget.allows_one_more(1000));
  CHECK(budget.allows(1000));
}

TEST_CASE("The system tells what the process occupies, and leaves more than that") {
  CHECK(resident_bytes() > std::uint64_t{1} << 20);
  CHECK(usual_memory_budget() > resident_bytes() / 2);
}

TEST_CASE("A sweep for which there is no room ends, with the same results") {
  const test::File file(
      "gpus: [gtx580, gtx480]\nworkload: vector-add\nset: {args.blocks: 4}\n"
      "sweep: {args.length: [100, 5000], sm.floating.latency: [18, 36]}\n");
  const Experiment experiment = load_experiment(file.path());
  const std::vector<Point> points = expand(experiment);
  std::vector<std::string> tables;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}}) {
    const test::TemporaryFolder folder;
    RunOptions options;
    options.folder = folder.path();
    options.jobs = 4;
    options.memory_bytes = bytes;
    tables.push_back(results_csv(experiment, points, run(experiment, points, options)));
  }
  CHECK(tables[0] == tables[1]);
}

}  // namespace lockstep::memory_budget_test
