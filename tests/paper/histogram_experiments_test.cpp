// What published sources state about histograms on GPUs: the experiments of configs/experiments/histograms, run as a user would.
// A claim that does not hold says so in its experiment, with the reason; one that begins to hold fails here.
#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

using namespace lockstep;
using namespace lockstep::system_test;

namespace {

const std::string histograms = source_dir() + "/configs/experiments/histograms/";

/// Experiments of some twenty points.
const std::set<std::string> quick = {"histogram-methods-gtx470", "histogram-methods-gtx750ti",
                                     "histogram-thread-private-8800gt", "histogram-thread-private-gtx470"};
/// More than a quarter of an hour.
const std::set<std::string> whole = {"histogram-scratchpad-all-gtx470"};

void run_experiment(const std::string& name) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"run", histograms + name + ".yaml", "-o", folder / "results", "-j", "2", "--quiet"});
  INFO(name << "\n" << outcome.out << outcome.err);
  CHECK(outcome.code == 0);
}

std::vector<std::string> all() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(histograms))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("Histograms by method on a GTX 470 and a GTX 750 Ti, and by thread, hold what their source states",
          "[long]") {
  for (const std::string& name : quick) run_experiment(name);
}

TEST_CASE("All experiments on histograms hold what their sources state", "[nightly]") {
  REQUIRE(all().size() > 20);
  for (const std::string& name : all())
    if (!quick.contains(name) && !whole.contains(name)) run_experiment(name);
}

TEST_CASE("So does every configuration of threads on a GTX 470", "[nightly]") {
  for (const std::string& name : whole) run_experiment(name);
}
