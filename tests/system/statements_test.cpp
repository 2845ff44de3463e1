// What published sources state, compared with the simulator as a user would: through the program.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::statements_test {

using namespace lockstep::system_test;

namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/" + folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Experiments of many minutes.
const std::set<std::string> long_experiments = {
    "hash-functions", "hash-optimum",      "histogram-hash",        "histogram-hash-layouts",
    "hough-hash",     "rgpu-address-fifo", "rgpu-data-fifo",        "rgpu-lanes",
    "rgpu-power",     "rgpu-fastest-cuda", "rgpu-pathfinder-lanes", "rgpu-speedup",
    "software-hash"};

/// Of the experiments in subfolders, those that take seconds and no other test runs; the others are run at night.
const std::set<std::string> quick_in_subfolders = {"hough-constant-time"};

/// Subfolders of which a test in tests/paper runs every experiment.
const std::set<std::string> tested_subfolders = {"histograms"};

void run_experiments(bool long_ones) {
  const std::vector<std::string> names = names_in("configs/experiments");
  REQUIRE(names.size() >= 7);
  std::map<std::string, bool> takes_long;  // By name.
  for (const std::string& name : names) takes_long[name] = long_experiments.contains(name);
  for (const auto& folder : std::filesystem::directory_iterator(source_dir() + "/configs/experiments")) {
    if (!folder.is_directory()) continue;
    const std::string subfolder = folder.path().filename().string();
    for (const std::string& name : names_in("configs/experiments/" + subfolder)) {
      takes_long[name] = !quick_in_subfolders.contains(name);
      if (tested_subfolders.contains(subfolder)) takes_long.erase(name);
    }
  }
  for (const auto& [name, is_long] : takes_long) {
    if (is_long != long_ones) continue;
    const TemporaryFolder folder;
    const Outcome outcome = run({"run", name, "-o", folder / "results", "-j", "2", "--quiet"});
    INFO(name << "\n" << outcome.out << outcome.err);
    CHECK(outcome.code == 0);
  }
}

}  // namespace

TEST_CASE("Every committed experiment holds what its sources state") {
  run_experiments(false);
}

TEST_CASE("So does every one that takes many minutes", "[nightly]") {
  run_experiments(true);
}

namespace {

/// This project's own microbenchmarks take minutes. They are checked at night alone, as are the whole kernels of a second Hopper
/// GPU, those of many fields and those with hashes in software: neither their limits nor their numbers are in the test of the
/// others, which has the whole kernels of the H200.
bool is_nightly(const std::string& suite) {
  return suite.starts_with("micro-h200-") || suite.starts_with("micro-h100-") || suite == "kernels-h100" ||
         suite.starts_with("software-hash-h200") || suite.starts_with("fields-h100") ||
         suite.starts_with("applications-h100") || suite.starts_with("subjects-h200");
}

}  // namespace

TEST_CASE("The suites that take long hold their limits", "[nightly]") {
  for (const std::string& suite : names_in("configs/measurements")) {
    if (!is_nightly(suite)) continue;
    const Outcome outcome = run({"validate", suite, "-j", "2", "--quiet"});
    INFO(suite << "\n" << outcome.out << outcome.err);
    CHECK(outcome.code == 0);
  }
}

// One validation for all of it: it takes more than a minute.
TEST_CASE("All other suites hold their limits, and all published microbenchmarks together 3 % in the mean") {
  std::vector<std::string> words = {"validate", "-j", "2", "--json", "--quiet"};
  for (const std::string& suite : names_in("configs/measurements"))
    if (suite != "accepted-deviations" && !is_nightly(suite)) words.push_back(suite);
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE((outcome.code == 0 || outcome.code == 1));
  const Json result = parse_json(outcome.out);
  std::size_t suites = 0, points = 0;
  double errors = 0;
  for (const auto& [key, suite] : at(result, "suites")) {
    ++suites;
    // This project's own measurements have limits of their own; resource arithmetic (grade B) is not timed.
    const bool own = value(suite, "source").starts_with("this project");
    if (!own && value(suite, "grade") != "B")
      for (const auto& [number, point] : at(suite, "points"))
        if (value(point, "accepted") == "false") {
          ++points;
          errors += std::abs(value<double>(point, "error_pct"));
        }
    INFO(value(suite, "suite"));
    CHECK(value(suite, "holds") == "true");
  }
  CHECK(suites >= 20);
  CHECK(points > 300);
  CHECK(errors / static_cast<double>(points) <= 3);
  CHECK(outcome.code == 0);

  const Json& total = at(result, "total");
  // No number is both or neither.
  CHECK(value<std::size_t>(at(total, "calibrated"), "points_compared") +
            value<std::size_t>(at(total, "predicted"), "points_compared") ==
        value<std::size_t>(at(total, "with_accepted"), "points_compared"));
  CHECK(value<double>(at(total, "with_accepted"), "mean_abs_pct") <
        value<double>(at(total, "null_model"), "mean_abs_pct"));

  // The limit of the mean over what is timed, of the suites above: the H200's whole kernels count too, with their instructions, wavefronts and bytes.
  CHECK(value<double>(total, "mean_abs_pct") <= 3);
}

}  // namespace lockstep::statements_test
