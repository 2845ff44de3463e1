// The Hough transform for lines: van den Braak, PhD thesis 2015, chapter 4, at sizes of seconds. The experiments of
// configs/experiments/hough have the published size.

#include "tests/places.hpp"
#include "tests/system/program.hpp"

using namespace lockstep;
using namespace lockstep::system_test;

namespace {

const std::string experiments = source_dir() + "/configs/experiments/hough/";
const std::string workloads = source_dir() + "/traces/workloads/hough/";

/// A binary PGM of 12-bit levels: dark, with a bright bar of columns `first` to `last`.
std::string bar(int width, int height, int first, int last) {
  std::string bytes = "P5 " + std::to_string(width) + " " + std::to_string(height) + " 4095\n";
  for (int i = 0; i < width * height; ++i) {
    const int level = i % width >= first && i % width <= last ? 3000 : 200;
    bytes += static_cast<char>(level >> 8);
    bytes += static_cast<char>(level & 255);
  }
  return bytes;
}

/// Traces hough-lines on an image of 300x400 with a bar of columns 100 to 199, and these lines expected.
Outcome lines_of_bar(const std::string& lines) {
  const TemporaryFolder folder;
  const std::string image = folder.write("bar.pgm", bar(300, 400, 100, 199));
  // 300 + sqrt(300^2 + 400^2) + 2 bins are one for each pixel; distance 0 has bin 300.
  const std::string file = folder.write(
      "bar.yaml", "extends: " + workloads + "hough-lines.yaml\n" + "expect: {lines_found: {values: " + lines + "}}\n");
  return run({"trace", file, "-o", folder / "t", "-s", "args.image=" + image, "-s", "args.width=300", "-s",
              "args.height=400", "-s", "args.bins=802", "-s", "args.lines=2"});
}

}  // namespace

TEST_CASE("Both edges of a drawn bar are found as lines, with a vote of every pixel on them (section 4.1)") {
  // The gradient is not 0 left and right of an edge: columns 99 and 100, and 199 and 200, of all 400 rows but the first and
  // last. Of two columns with as many votes that with the smaller number is the line; the other one is too near.
  const Outcome right = lines_of_bar("[0, 399, 398, 0, 499, 398]");
  INFO(right.out << right.err);
  CHECK(right.code == 0);
  CHECK(lines_of_bar("[0, 399, 398, 0, 500, 398]").code == 1);
}

TEST_CASE(
    "All three forms of the Hough transform count the votes of one image right in every layout (sections 4.3 to 4.5)") {
  const TemporaryFolder folder;
  const std::vector<std::string> small = {
      "-s", "args.image=raccoon-small", "-s", "args.width=96", "-s", "args.height=64"};
  const auto traced = [&](const std::string& workload, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"trace", workloads + workload + ".yaml", "-o", folder / "t"};
    words.insert(words.end(), small.begin(), small.end());
    for (const std::string& argument : arguments) {
      words.push_back("-s");
      words.push_back("args." + argument);
    }
    const Outcome outcome = run(words);
    INFO(workload << "\n" << outcome.out << outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.find("the output is as expected") != std::string::npos);
  };
  for (const std::string layout : {"line-major", "line-major-padded", "bin-major"}) {
    for (const std::string replication : {"1", "3", "8"}) {
      for (const std::string at_once : {"1", "4"}) {
        const std::vector<std::string> arguments = {"layout=" + layout, "replication=" + replication,
                                                    "bins=213",         "threads=96",
                                                    "angles=31",        "at_once=" + at_once};
        traced("hough-global", arguments);
        traced("hough-two-step", arguments);
      }
    }
  }
  for (const std::string pixels : {"1", "5", "64"}) traced("hough-points", {"pixels_per_thread=" + pixels});
  for (const std::string lines : {"1", "5", "64"}) traced("hough-cartesian", {"lines_per_block=" + lines, "angles=9"});
}

TEST_CASE("Without atomics the time does not depend on the image, and the rotated one takes longer (section 4.5)") {
  const TemporaryFolder folder;
  const Outcome outcome = run({"run", experiments + "hough-constant-time.yaml", "-o", folder / "results", "-s",
                               "args.width=192", "-s", "args.height=128", "-s", "args.lines_per_block=4"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
}
