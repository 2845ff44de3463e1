// The traces of real GPUs in traces/captured: they say where they come from, replay, and are those of the functional machine.

#include "isa/trace/file.hpp"
#include "tests/places.hpp"
#include "tests/same_traces.hpp"
#include "tests/system/program.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// The captured trace of each workload.
const std::vector<std::pair<std::string, std::string>> captured = {
    {"histogram", "histogram"}, {"hough", "hough-global"}, {"convolution", "convolution"}};

std::string path_of(const std::string& name) {
  return source_dir() + "/traces/captured/" + name + ".trace";
}

}  // namespace

TEST_CASE("Captured traces are small, say which GPU executed them, and replay") {
  for (const auto& [name, workload] : captured) {
    CAPTURE(name);
    CHECK(std::filesystem::file_size(path_of(name)) < 5'000'000);
    const Outcome info = run({"info", path_of(name)});
    CHECK(info.code == 0);
    CHECK_THAT(info.out, Contains("lockstep import capture") && Contains("gpu: NVIDIA H100") &&
                             Contains("driver: 580.") && Contains("date: 2026-11-25") &&
                             Contains("command: run_on_gpu --capture"));
    const Outcome replayed = run({"replay", path_of(name), "--gpu", "gtx580", "--json"});
    CHECK(replayed.code == 0);
    CHECK(value<std::uint64_t>(parse_json(replayed.out), "cycles") > 0);
  }
}

TEST_CASE("What an H100 executed is what the functional machine executes") {
  const TemporaryFolder folder;
  for (const auto& [name, workload] : captured) {
    CAPTURE(name);
    REQUIRE(run({"trace", workload, "-o", folder / "direct.trace"}).code == 0);
    const auto direct = trace::open_file(folder / "direct.trace"), own = trace::open_file(path_of(name));
    CHECK(test::difference(*direct, *own) == "");
  }
}
