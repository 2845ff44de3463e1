// Shards of an experiment, run apart and merged; runs that a cache has.

#include "sim/experiment/results/merge.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sim/experiment/results/output.hpp"
#include "sim/experiment/results/run_cache.hpp"
#include "sim/experiment/shard.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::merge_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;

namespace {

const std::string vectors =
    "gpu: gtx580\nworkload: vector-add\nset: {args.blocks: 4}\n"
    "sweep: {args.length: [100, 5000], sm.floating.latency: [18, 36]}\n";

struct Ran {
  Experiment experiment;
  std::vector<Point> points;
  RunOutcome outcome;
};

/// Runs a shard, or all, into a folder, as `lockstep run` does.
Ran ran(const std::string& file, const std::string& folder, const std::string& shard = "1/1",
        const std::string& cache = "") {
  Ran ran{load_experiment(file), {}, {}};
  const std::vector<Point> all = expand(ran.experiment);
  ran.points = points_of(parse_shard(shard), all);
  RunOptions options;
  options.folder = folder;
  options.shard_of = ran.points.size() == all.size() ? nullptr : &all;
  options.cache = cache;
  ran.outcome = run(ran.experiment, ran.points, options);
  write_files(folder, ran.experiment, ran.points, ran.outcome, {"1", "", {"lockstep", "run"}});
  return ran;
}

std::string complaint(const MergeOptions& options) {
  try {
    merge(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Shards that are merged have the table of a run of all points") {
  const File file(vectors);
  const test::TemporaryFolder folder;
  const Ran whole = ran(file.path(), folder / "whole");
  ran(file.path(), folder / "one", "1/2");
  ran(file.path(), folder / "two", "2/2");
  const Merged merged = merge({{folder / "one", folder / "two"}, folder / "merged", {}});
  CHECK(merged.missing.empty());
  CHECK(merged.outcome.taken_over == 4);
  CHECK(results_csv(merged.experiment, merged.points, merged.outcome) ==
        results_csv(whole.experiment, whole.points, whole.outcome));
}

TEST_CASE("Points that no folder has are named, and stay when a later merge has only them") {
  const File file(vectors);
  const test::TemporaryFolder folder;
  ran(file.path(), folder / "one", "1/2");
  ran(file.path(), folder / "two", "2/2");
  const Merged half = merge({{folder / "one"}, folder / "merged", {}});
  CHECK(half.missing.size() == 2);
  const Merged other = merge({{folder / "two"}, folder / "merged", {}});
  CHECK(other.missing.empty());
}

TEST_CASE("What cannot be merged is refused, with the folder and the reason, and nothing is written") {
  const File file(vectors);
  const test::TemporaryFolder folder;
  ran(file.path(), folder / "one", "1/2");
  const std::string out = folder / "out";
  CHECK_THAT(complaint({{folder / "nowhere"}, out, {}}), Contains("there is no such folder"));
  folder.write("empty/x", "");
  CHECK_THAT(complaint({{folder / "empty"}, out, {}}), Contains("it has no results.db"));
  const File other("gpu: gtx580\nworkload: vector-add\nset: {args.blocks: 8}\nsweep: {args.length: [100, 5000]}\n");
  ran(other.path(), folder / "other");
  CHECK_THAT(complaint({{folder / "one", folder / "other"}, out, {}}), Contains("differs here from"));
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("A run that the cache has is not executed again, whatever folder asks, and has the same results") {
  const File file(vectors);
  const test::TemporaryFolder folder;
  const std::string cache = folder / "cache";
  const Ran first = ran(file.path(), folder / "first", "1/1", cache);
  CHECK(first.outcome.cached_runs == 0);
  const Ran second = ran(file.path(), folder / "second", "1/1", cache);
  CHECK(second.outcome.cached_runs == 4);
  CHECK(second.outcome.executions == 0);
  CHECK(results_csv(first.experiment, first.points, first.outcome) ==
        results_csv(second.experiment, second.points, second.outcome));
}

TEST_CASE("Damaged files of the cache are as good as none, and what was used longest ago is removed first") {
  const File file(vectors);
  const test::TemporaryFolder folder;
  const std::string cache = folder / "cache";
  ran(file.path(), folder / "first", "1/1", cache);
  std::uint64_t largest = 0;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    largest = std::max<std::uint64_t>(largest, entry.file_size());
    if (++files <= 2) std::ofstream(entry.path()) << "no database";
  }
  REQUIRE(files == 4);
  CHECK(ran(file.path(), folder / "second", "1/1", cache).outcome.cached_runs == 2);
  RunCache(cache).trim(largest);
  std::uint64_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) left += entry.file_size();
  CHECK(left <= largest);
  RunCache(cache).trim(0);
  CHECK(std::filesystem::is_empty(cache));
}

}  // namespace lockstep::merge_test
