// Shards and lockstep merge.

#include "sim/experiment/results/database.hpp"
#include "tests/places.hpp"
#include "tests/system/results/content.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

TEST_CASE("Merged shards hold what an undivided run holds") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100, 300, 500]", list(18, 22)));
  REQUIRE(run({"run", file, "-o", folder / "whole", "--quiet"}).code == 0);
  std::vector<std::string> merge{"merge"};
  for (const char* shard : {"3", "1", "4", "2"}) {
    merge.push_back(folder / shard);
    const Outcome part = run({"run", file, "--shard", std::string(shard) + "/4", "-o", merge.back()});
    INFO(part.err);
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("Shard " + std::string(shard) + "/4 is in ") && Contains("lockstep merge"));
    CHECK_FALSE(std::filesystem::exists(merge.back() + "/results.csv"));
  }
  merge.insert(merge.end(), {"-o", folder / "merged"});
  const Outcome merged = run(merge);
  INFO(merged.err);
  CHECK(merged.code == 0);
  CHECK_THAT(merged.out, Contains("15 of 15 points from 4 folders") && Contains("holds"));
  CHECK((content_of(folder / "merged/results.db") == content_of(folder / "whole/results.db")));
  CHECK(contents(folder / "merged/results.csv") == contents(folder / "whole/results.csv"));
  CHECK(contents(folder / "merged/effective.yaml") == contents(folder / "whole/effective.yaml"));
  // The merged folder is one like any other, and merging is idempotent.
  CHECK_THAT(run({"run", file, "-o", folder / "merged", "--resume"}).err, Contains("15 of 15 points taken over"));
  merge.insert(merge.begin() + 1, folder / "whole");
  CHECK(run(merge).code == 0);
  CHECK((content_of(folder / "merged/results.db") == content_of(folder / "whole/results.db")));
}

TEST_CASE("A shard that is missing is said, and the merged folder can be completed") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100, 300]", "[18, 20]"));
  REQUIRE(run({"run", file, "--shard", "1/2", "-o", folder / "1", "--quiet"}).code == 0);
  const Outcome merged = run({"merge", folder / "1", "-o", folder / "merged"});
  CHECK(merged.code == 1);
  CHECK_THAT(merged.err, Contains("2 of 4 points are in none of the folders, the first is args.length=300") &&
                             Contains("--resume"));
  const Outcome resumed = run({"run", folder / "merged/effective.yaml", "-o", folder / "merged", "--resume"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains("2 of 4 points taken over"));
  REQUIRE(run({"run", file, "-o", folder / "whole", "--quiet"}).code == 0);
  CHECK((content_of(folder / "merged/results.db") == content_of(folder / "whole/results.db")));
}

TEST_CASE("What is not of one experiment, or differs, is not merged") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100, 300]", "[18, 20]"));
  REQUIRE(run({"run", file, "-o", folder / "a", "--quiet"}).code == 0);
  REQUIRE(run({"run", file, "-o", folder / "b", "--quiet"}).code == 0);
  const auto merge = [&](const std::string& other) {
    Outcome outcome = run({"merge", folder / "a", folder / other, "-o", folder / "merged"});
    CHECK_FALSE(std::filesystem::exists(folder / "merged"));
    return outcome;
  };

  REQUIRE(run({"run", file, "-o", folder / "seed", "-s", "args.seed=5", "--quiet"}).code == 0);
  const Outcome seed = merge("seed");
  CHECK(seed.code == 2);
  CHECK_THAT(seed.err, Contains("effective.yaml:") && Contains("differs here from"));

  folder.write("other.yaml", "extends: vectors.yaml\nname: other\n");
  REQUIRE(run({"run", folder / "other.yaml", "-o", folder / "other", "--quiet"}).code == 0);
  CHECK_THAT(merge("other").err, Contains("of the experiment 'vectors'") && Contains("of 'other'"));
  CHECK(merge("none").code == 2);

  // One point with another number of cycles, sealed as if it had been computed so.
  {
    auto database = lockstep::experiment::Database::open(folder / "b/results.db", "vectors");
    auto point = database.find("args.length=100 sm.floating.latency=20");
    point->result.cycles += 1;
    database.store(*point);
  }
  const Outcome differs = merge("b");
  CHECK(differs.code == 2);
  CHECK_THAT(differs.err, Contains("have different results") && Contains("a bug of the simulator"));
  {
    auto database = lockstep::experiment::Database::open(folder / "b/results.db", "vectors");
    auto point = database.find("args.length=100 sm.floating.latency=20");
    point->program = "another";
    database.store(*point);
  }
  CHECK_THAT(merge("b").err, Contains("computed by different programs"));
}

TEST_CASE("Shards have numbers, and more of them than points are refused") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100]", "[18, 20]"));
  const Outcome many = run({"run", file, "--shard", "1/3", "-o", folder / "out"});
  CHECK(many.code == 2);
  CHECK_THAT(many.err, Contains("3 shards are too many for 2 points"));
  CHECK(run({"run", file, "--shard", "two", "-o", folder / "out"}).code == 2);
  CHECK(run({"run", file, "--shard", "1/2", "--slurm", "-o", folder / "out"}).code == 2);
  CHECK(run({"run", file, "--shard", "1/2", "--explain", "-o", folder / "out"}).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_CASE("Points whose inputs have changed since are not merged") {
  const TemporaryFolder folder;
  const std::string descriptor =
      "buffers:\n  a: {random: 1024, min: 1, max: 2, seed: SEED, type: f32}\n  c: {zero: 1024, type: f32}\n"
      "kernel: " +
      source_dir() +
      "/traces/kernels/vector_add.ptx\n"
      "grid: 4\nblock: 256\nparameters: [a, a, c, 1024]\n";
  const auto with_seed = [&](const std::string& seed) {
    std::string text = descriptor;
    folder.write("adds.yaml", text.replace(text.find("SEED"), 4, seed));
  };
  with_seed("1");
  const std::string file = folder.write("e.yaml", "gpu: gtx580\nworkload: adds.yaml\nsweep: {sms: [1, 2]}\n");
  REQUIRE(run({"run", file, "--shard", "1/2", "-o", folder / "1", "--quiet"}).code == 0);
  with_seed("2");
  REQUIRE(run({"run", file, "--shard", "2/2", "-o", folder / "2", "--quiet"}).code == 0);
  const Outcome merged = run({"merge", folder / "1", folder / "2", "-o", folder / "merged"});
  CHECK(merged.code == 2);
  CHECK_THAT(merged.err,
             Contains("1 of 2 points were computed with another configuration or workload") && Contains("sms=1"));
}
