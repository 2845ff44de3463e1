// What the README says of the source tree: includes point down, folders form no cycle, no folder is too large to overlook.
#include <catch2/catch.hpp>

#include "tests/architecture/source_tree.hpp"

using namespace lockstep::architecture;

namespace {

constexpr std::size_t most_files = 40;

std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

}  // namespace

TEST_CASE("Includes of the source tree point to the own layer or to a lower one") {
  const std::vector<Include> includes = includes_below(layers);
  REQUIRE(includes.size() > 1000);
  const std::vector<std::string> upward = upward_includes(includes);
  INFO("isa is the lowest layer, then models, sim and tools:\n" << lines(upward));
  CHECK(upward.empty());
}

TEST_CASE("Folders side by side in the source tree form no cycle of includes") {
  const std::vector<std::string> cycles = folder_cycles(includes_below(layers));
  INFO(lines(cycles));
  CHECK(cycles.empty());
}

TEST_CASE("No folder has more than 40 files") {
  const std::map<std::string, std::size_t> files = files_per_folder();
  REQUIRE(files.contains("isa/ptx"));
  for (const auto& [folder, count] : files) {
    INFO(folder << " has " << count << " files; split it by subject");
    CHECK(count <= most_files);
  }
}

TEST_CASE("An include of a higher layer or of a test is named with its place") {
  const std::vector<std::string> upward = upward_includes({{"models/l2/slice.cpp", 7, "isa/cycle.hpp"},
                                                           {"models/l2/slice.cpp", 8, "models/noc/port.hpp"},
                                                           {"isa/exec/frame.hpp", 9, "models/l2/spec.hpp"},
                                                           {"tools/lockstep/run.cpp", 3, "tests/system/program.hpp"}});
  CHECK(upward == std::vector<std::string>{"isa/exec/frame.hpp:9 includes models/l2/spec.hpp",
                                           "tools/lockstep/run.cpp:3 includes tests/system/program.hpp"});
}

TEST_CASE("A cycle of folders is named with an include for each of its steps") {
  const std::vector<Include> chain = {{"isa/ptx/a.cpp", 1, "isa/trace/b.hpp"},
                                      {"isa/trace/b.hpp", 2, "isa/exec/memory/c.hpp"},
                                      {"isa/exec/d.cpp", 3, "isa/error.hpp"},
                                      {"isa/exec/d.cpp", 4, "isa/exec/memory/c.hpp"},
                                      {"isa/exec/memory/c.hpp", 5, "isa/exec/d.hpp"}};
  CHECK(folder_cycles(chain).empty());

  std::vector<Include> cycle = chain;
  cycle.push_back({"isa/exec/d.hpp", 6, "isa/ptx/a.hpp"});
  CHECK(folder_cycles(cycle) ==
        std::vector<std::string>{"folders include each other in a cycle:\n"
                                 "  isa/exec -> isa/ptx: isa/exec/d.hpp:6 includes isa/ptx/a.hpp\n"
                                 "  isa/ptx -> isa/trace: isa/ptx/a.cpp:1 includes isa/trace/b.hpp\n"
                                 "  isa/trace -> isa/exec: isa/trace/b.hpp:2 includes isa/exec/memory/c.hpp"});

  std::vector<Include> below = chain;
  below.push_back({"isa/exec/memory/c.hpp", 6, "isa/exec/control/e.hpp"});
  below.push_back({"isa/exec/control/e.hpp", 7, "isa/exec/memory/c.hpp"});
  REQUIRE(folder_cycles(below).size() == 1);
  CHECK_THAT(folder_cycles(below)[0], Catch::Contains("isa/exec/control -> isa/exec/memory"));
}
