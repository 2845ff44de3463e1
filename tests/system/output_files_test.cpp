// Outputs that would replace an input of the same command, or another output of it.

#include <map>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::output_files_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Writes a kernel under a name, and its launch descriptor, whose path it gives.
std::string workload(const TemporaryFolder& folder, const std::string& kernel = "k.ptx") {
  folder.write(kernel, R"(.version 6.4
.target sm_35
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  .shared .align 4 .b8 tile[128];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d0, %r0, 4;
  mov.u64 %d1, tile;
  add.s64 %d1, %d1, %d0;
  st.shared.u32 [%d1], %r0;
  ld.shared.u32 %r1, [%d1];
  ld.param.u64 %d2, [out];
  add.s64 %d2, %d2, %d0;
  st.global.u32 [%d2], %r1;
  ret;
}
)");
  return folder.write("w.yaml", "kernel: " + kernel +
                                    "\nbuffers: {out: {zero: 32, type: u32}}\ngrid: 1\nblock: 32\n"
                                    "parameters: [out]\nexpect: {out: {each: \"i\"}}\n");
}

/// The files of a folder with their contents.
std::map<std::string, std::string> state_of(const TemporaryFolder& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) files[entry.path()] = contents(entry.path());
  return files;
}

}  // namespace

TEST_CASE("No output takes the place of an input of its command, and nothing is written") {
  const TemporaryFolder folder;
  const std::string given = workload(folder), trace = folder / "t.trace", kernel = folder / "k.ptx";
  REQUIRE(run({"trace", given, "-o", trace, "--quiet"}).code == 0);
  const std::string gpu = folder.write("g.yaml", "extends: " + source_dir() + "/configs/gpus/gtx580.yaml\n");
  std::filesystem::create_symlink("t.trace", folder / "link.svg");
  const auto before = state_of(folder);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"trace", given, "-o", given},
           {"trace", given, "-o", kernel},
           {"trace", given, "-o", folder / "./k.ptx"},
           {"replay", trace, "--gpu", gpu, "--timeline", trace},
           {"replay", trace, "--gpu", gpu, "--timeline", folder / "link.svg"},
           {"replay", trace, "--gpu", gpu, "--konata", gpu},
           {"replay", trace, "--gpu", gpu, "--series", trace, "--statistic", "derived.ipc"},
           {"replay", trace, "--gpu", gpu, "--activity", "100", "--chart", trace},
           {"roofline", trace, "--gpu", gpu, "--chart", trace},
           {"occupancy", trace, "--gpu", gpu, "--chart", gpu},
           {"instrument", kernel, "-o", kernel},
           {"hash", "apply", kernel, "--hash", "xor", "-o", kernel},
           {"swizzle", given, "-o", kernel},
       }) {
    const Outcome outcome = run(words);
    INFO(words[0] << " to " << words.back() << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("an output of this command") && Contains("input"));
    CHECK((state_of(folder) == before));
  }
}

TEST_CASE("Two outputs of a command are two files, and devices are as many as wanted") {
  const TemporaryFolder folder;
  const std::string trace = folder / "t.trace", chart = folder / "a.svg";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=64", "-o", trace, "--quiet"}).code == 0);
  const std::vector<std::string> replay = {"replay", trace, "--gpu", "gtx580"};
  const auto with = [&replay](std::vector<std::string> words) {
    words.insert(words.begin(), replay.begin(), replay.end());
    return run(words);
  };
  for (const Outcome& outcome :
       {with({"--timeline", chart, "--konata", chart}), with({"--timeline", chart, "--timeline", folder / "./a.svg"}),
        with({"--konata", chart, "--activity", "100", "--chart", chart})}) {
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("a.svg: is") && Contains("a file of its own"));
    CHECK_FALSE(std::filesystem::exists(chart));
  }
  CHECK(
      with({"--timeline", "/dev/null", "--konata", "/dev/null", "--series", "/dev/null", "--statistic", "derived.ipc"})
          .code == 0);
  for (int i = 0; i < 2; ++i) CHECK(with({"--timeline", chart, "--konata", folder / "b"}).code == 0);
}

TEST_CASE("A launch folder does not replace the kernels of its workload") {
  const TemporaryFolder folder;
  const std::string given = workload(folder, "module-0.ptx"), kernel = contents(folder / "module-0.ptx");
  const Outcome outcome = run({"trace", given, "--launches", folder.path()});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("module-0.ptx: is an"));
  CHECK(contents(folder / "module-0.ptx") == kernel);
}

TEST_CASE("A table does not replace what it is made of, and a results folder is written again from its own files") {
  const TemporaryFolder folder;
  const std::string given =
      folder.write("one.yaml", "name: one\ngpu: gtx580\nworkload: vector-add\nsweep: {args.length: [64, 128]}\n");
  REQUIRE(run({"run", given, "-o", folder / "out", "--quiet"}).code == 0);
  const std::string database = folder / "out/results.db", csv = folder / "points.csv";
  std::filesystem::create_symlink("out/results.db", csv);
  const std::string before = contents(database);
  const Outcome exported = run({"export", folder / "out", "-o", csv});
  CHECK(exported.code == 2);
  CHECK_THAT(exported.err, Contains("points.csv: is an output of this command") && Contains("results.db"));
  CHECK(contents(database) == before);
  CHECK(run({"export", folder / "out", "-o", folder / "out/results.csv"}).code == 0);
  CHECK(run({"run", folder / "out/effective.yaml", "-o", folder / "out", "--resume"}).code == 0);
  CHECK(run({"report", folder / "out"}).code == 0);
}

}  // namespace lockstep::output_files_test
