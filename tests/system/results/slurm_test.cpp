// lockstep run --slurm, on a cluster of one node that the test starts.

#include "sim/experiment/results/database.hpp"
#include "tests/system/results/cluster.hpp"
#include "tests/system/results/content.hpp"

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Points that the shards in a submission's folder have stored, by shard.
std::map<std::string, std::size_t> stored(const std::string& shards) {
  std::map<std::string, std::size_t> counts;
  std::error_code ignored;
  for (const auto& shard : std::filesystem::directory_iterator(shards, ignored)) {
    try {
      counts[shard.path().filename()] = lockstep::experiment::Database::read(shard.path() / "results.db").done().size();
    } catch (const std::exception&) {  // Not there yet.
    }
  }
  return counts;
}

/// Two shards of 20 points, which run at the same time.
std::string two_shards(const TemporaryFolder& folder) {
  return folder.write("vectors.yaml", vector_additions("[1000000, 1000001]", list(18, 37)) +
                                          "slurm: {shards: 2, partition: short, time: 30, memory: 100M}\n");
}

bool is_skipped() {
  const std::string why = Cluster::why_not();
  if (!why.empty()) WARN("skipped: " << why);
  return !why.empty();
}

}  // namespace

TEST_CASE("Through Slurm an experiment has the same results, also when shards are killed and submitted again") {
  if (is_skipped()) return;
  const TemporaryFolder folder;
  const std::string file = two_shards(folder), out = folder / "out of Slurm's";
  REQUIRE(run({"run", file, "-o", folder / "whole", "--quiet"}).code == 0);
  const Cluster cluster;
  const Outcome submitted = run({"run", file, "--slurm", "-o", out, "--json"});
  INFO(submitted.err << cluster.log());
  REQUIRE(submitted.code == 0);
  const Json json = parse_json(submitted.out);
  CHECK(value(json, "shards") == "2");
  const std::string script = contents(out + "/slurm/shards.sh");
  CHECK_THAT(script, Contains("#SBATCH --partition=short") && Contains("#SBATCH --time=30") &&
                         Contains("#SBATCH --mem=100M") && Contains("--cpus-per-task=1"));

  REQUIRE(comes([&] { return stored(out + "/slurm/shards-2")["1"] > 0; }));
  const Outcome again = run({"run", file, "--slurm", "-o", out});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, Contains("still queued or running"));
  CHECK(std::system(("scancel --signal=KILL " + value(json, "array_job") + "_1").c_str()) == 0);
  REQUIRE(comes([&] { return Cluster::is_empty(); }));
  const std::size_t survived = stored(out + "/slurm/shards-2")["1"];
  REQUIRE(survived < 20);
  CHECK_THAT(contents(out + "/slurm/merge.log"), Contains("of 40 points are in none of the folders"));

  const Outcome resumed = run({"run", file, "--slurm", "-o", out, "--resume"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, Contains("40 points in 2 shards, 1 of them done") && Contains("runs 1 of them"));
  REQUIRE(comes([&] { return Cluster::is_empty(); }));
  CHECK_THAT(contents(out + "/slurm/shard-1.log"), Contains(std::to_string(survived) + " of 20 points taken over"));
  CHECK((content_of(out + "/results.db") == content_of(folder / "whole/results.db")));
  CHECK(contents(out + "/results.csv") == contents(folder / "whole/results.csv"));
}

TEST_CASE("A node that fails loses no finished point: Slurm runs its shards again, and the results are the same") {
  if (is_skipped()) return;
  const TemporaryFolder folder;
  const std::string file = two_shards(folder), out = folder / "out";
  REQUIRE(run({"run", file, "-o", folder / "whole", "--quiet"}).code == 0);
  Cluster cluster;
  REQUIRE(run({"run", file, "--slurm", "-o", out, "--quiet"}).code == 0);
  INFO(cluster.log());
  REQUIRE(comes([&] {
    auto counts = stored(out + "/slurm/shards-2");
    return counts["1"] > 0 && counts["2"] > 0;
  }));
  cluster.fail_node();
  auto survived = stored(out + "/slurm/shards-2");
  REQUIRE(survived["1"] + survived["2"] < 40);
  cluster.start_node();
  REQUIRE(comes([&] { return Cluster::is_empty(); }));
  for (const char* shard : {"1", "2"}) {
    const std::string said = contents(out + "/slurm/shard-" + shard + ".log");
    const std::size_t at = said.find(" of 20 points taken over");
    INFO(said);
    REQUIRE(at != std::string::npos);
    const std::size_t line = said.rfind('\n', at);  // Processes of the node end a moment after it.
    CHECK(std::stoul(said.substr(line == std::string::npos ? 0 : line + 1)) >= survived[shard]);
  }
  CHECK((content_of(out + "/results.db") == content_of(folder / "whole/results.db")));
}

TEST_CASE("What Slurm is to be told is checked before anything is submitted") {
  const TemporaryFolder folder;
  const std::string file = folder.write("wrong.yaml", vector_additions("[100]", "[18, 20]") +
                                                          "slurm: {partion: short, time: tomorrow, memory: 4 GB, "
                                                          "cpus: 0, options: [account=x]}\n");
  const Outcome outcome = run({"run", file, "--slurm", "-o", folder / "out"});
  CHECK(outcome.code == 2);
  for (const char* message :
       {"unknown key 'partion'; did you mean 'partition'?", "'tomorrow' is no time of Slurm", "'4 GB' is no memory",
        "cpus is 0, but must be 1 to 1024", "'account=x' is no option of sbatch"})
    CHECK_THAT(outcome.err, Contains(message));
  const std::string right = folder.write("right.yaml", vector_additions("[100]", "[18, 20]"));
  CHECK_THAT(run({"run", right, "--slurm", "--time", "x", "-o", folder / "out"}).err, Contains("no time of Slurm"));
  CHECK_THAT(run({"run", right, "--slurm", "--shards", "3", "-o", folder / "out"}).err,
             Contains("3 shards are too many for 2 points"));
  CHECK(run({"run", right, "--time", "10", "-o", folder / "out"}).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}
