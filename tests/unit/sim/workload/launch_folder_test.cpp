// Launch folders: what a program reads that runs a workload on a GPU (tools/capture/README.md).

#include "sim/workload/launches/launch_folder.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "isa/error.hpp"
#include "isa/input_file.hpp"
#include "sim/workload/workload.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::launch_folder_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

/// out[thread] = in[thread] + offset, of 64 threads in two thread blocks; offset is a variable.
const char* const kernel =
    ".version 6.4\n.target sm_35\n.address_size 64\n"
    ".visible .global .align 4 .u32 offset = 5;\n"
    ".visible .entry add(.param .u64 out, .param .u64 in, .param .u64 place) {\n"
    ".reg .u64 %d<4>; .reg .u32 %r<6>;\n"
    "ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [place];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 32, %r1;\n"
    "mul.wide.u32 %d3, %r2, 4; add.u64 %d1, %d1, %d3; add.u64 %d0, %d0, %d3;\n"
    "ld.global.u32 %r3, [%d1]; ld.global.u32 %r4, [%d2]; add.u32 %r5, %r3, %r4; st.global.u32 [%d0], %r5; ret; }\n";

const char* const descriptor =
    "kernel: k.ptx\ngrid: 2\nblock: 32\n"
    "buffers: {out: {zero: 64, type: u32}, in: {each: 64, value: \"i * 3\", type: u32}}\n"
    "variables: {offset: {values: [7], type: u32}}\n"
    "parameters: [out, in, offset]\n";

class Case {
 public:
  explicit Case(const std::string& text = descriptor) {
    folder_.write("k.ptx", kernel);
    workload_ = folder_.write("sum.yaml", text);
  }
  /// Writes the launch folder around an execution.
  void write(bool instrument = false) const {
    auto task = Workload::load(workload_).build({});
    const LaunchFolder launches(out(), *task, instrument);
    exec::Machine machine(std::move(task));
    launches.write_inputs(machine);
    machine.finish();
    launches.write_results(machine);
  }
  std::string out() const { return folder_ / "out"; }
  std::string file(const std::string& name) const { return read_whole_file(out() + "/" + name, 1 << 20); }
  std::vector<std::uint32_t> words(const std::string& name) const {
    const std::string bytes = file(name);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
  }

 private:
  test::TemporaryFolder folder_;
  std::string workload_;
};

}  // namespace

TEST_CASE("A launch folder has the kernels, the memory before and after, and a manifest of the launches") {
  const Case one;
  one.write();
  CHECK(one.file("module-0.ptx") == kernel);
  CHECK(one.words("variable-0.before") == std::vector<std::uint32_t>{7});
  CHECK(one.words("variable-0.after") == std::vector<std::uint32_t>{7});
  std::vector<std::uint32_t> in, sums;
  for (std::uint32_t i = 0; i < 64; ++i) {
    in.push_back(3 * i);
    sums.push_back(3 * i + 7);
  }
  CHECK(one.words("buffer-0.before") == std::vector<std::uint32_t>(64));
  CHECK(one.words("buffer-1.before") == in);
  CHECK(one.words("buffer-0.after") == sums);
  CHECK(one.words("buffer-1.after") == in);
  const std::string manifest = one.file("launches.txt");
  CHECK(manifest.starts_with("lockstep-launches 1\nworkload sum\nmodule module-0.ptx\nbuffer out "));
  CHECK_THAT(manifest, Contains(" 256 buffer-1.before buffer-1.after\n"));
  CHECK_THAT(manifest, Contains("variable offset 0 4 variable-0.before variable-0.after\n"));
  CHECK_THAT(manifest, Contains("address launch-0.parameters 16 0 0\n"));  // The third parameter of eight bytes each.
  CHECK_THAT(manifest, Contains("launch 0 add 2 1 1 32 1 1 0 launch-0.parameters\n"));
  CHECK(one.file("launch-0.parameters").size() == 24);
}

TEST_CASE("Parameters in a launch folder are the addresses that its manifest gives the buffers") {
  const Case one;
  one.write();
  std::uint64_t out = 0;
  std::memcpy(&out, one.file("launch-0.parameters").data(), sizeof out);
  CHECK_THAT(one.file("launches.txt"), Contains("buffer out " + std::to_string(out) + " 256 "));
}

TEST_CASE("A launch folder for capturing has the instrumented kernel besides, and what its log must say") {
  const Case one;
  one.write(true);
  const std::string manifest = one.file("launches.txt");
  CHECK_THAT(manifest, Contains("instrumented 0 module-0.instrumented.ptx ") && Contains("log placed 0 offset "));
  CHECK_THAT(one.file("module-0.instrumented.ptx"), Contains(".entry add("));
  CHECK(one.file("module-0.instrumented.ptx").size() > std::string(kernel).size());
}

TEST_CASE("A folder that cannot be made is a failing resource") {
  const Case one;
  auto task = Workload::load("vector-add").build({{"length", "64"}});
  const LaunchFolder launches("/proc/nowhere/out", *task);
  const exec::Machine machine(std::move(task));
  CHECK_THROWS_AS(launches.write_inputs(machine), ResourceError);
}

}  // namespace lockstep::launch_folder_test
