// What published sources state, held against the simulator as a user would: through the program.

#include <algorithm>
#include <filesystem>

#include "tests/system/program.hpp"

using namespace lockstep::system_test;

namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(LOCKSTEP_SOURCE_DIR) + "/" + folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("Every committed experiment holds what its sources state") {
  const std::vector<std::string> names = names_in("configs/experiments");
  REQUIRE(names.size() >= 7);
  for (const std::string& name : names) {
    const Folder folder;
    const Outcome outcome = run({"run", name, "-o", folder / "results", "-j", "2", "--quiet"});
    INFO(name << "\n" << outcome.out << outcome.err);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("Every suite of measurements holds its limits") {
  const Outcome outcome = run({"validate", "-j", "2", "--quiet"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
}
