// Expected results by reference kernels: what they see, what they may say, and that the check fails for one wrong element.
#include <algorithm>

#include "isa/error.hpp"
#include "sim/config/value.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/reference_case.hpp"

namespace lockstep::reference_kernel_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

const std::string references = source_dir() + "/traces/references/";

/// Prefix sums of 1, 2, 3, 4 in place, with this `expect` section.
CheckResult scanned(const std::string& expect) {
  const test::TemporaryFolder folder;
  const Workload workload = Workload::load(folder.write("case.yaml", "kernel: " + references + "sums.ptx\n" + R"(
entry: prefix_sums
grid: 1
block: 32
let: {n: 4}
buffers:
  data: {values: [1, 2, 3, 4]}
  unused: {constant: n, value: 9}
parameters: [data, data, n, n, 0]
)" + expect));
  exec::Machine machine(workload.build({}));
  machine.finish();
  return workload.check({}, machine);
}

std::string reference(const std::string& parameters, const std::string& more = "") {
  return "expect:\n  data:\n    kernel: " + references +
         "sums.ptx\n    entry: prefix_sums\n    grid: 1\n    block: 32\n    parameters: " + parameters + "\n" + more;
}

struct Benchmark {
  const char *name, *buffer;
  ArgumentOverrides arguments = {};
};

/// The workload with one element of the buffer changed after execution. False when that stays unnoticed.
bool notices(const Benchmark& benchmark) {
  const Workload workload = Workload::load(benchmark.name);
  auto task = workload.build(benchmark.arguments);
  const auto found = std::find_if(task->buffers.begin(), task->buffers.end(),
                                  [&](const exec::Buffer& buffer) { return buffer.name == benchmark.buffer; });
  REQUIRE(found != task->buffers.end());
  const auto index = static_cast<std::uint32_t>(found - task->buffers.begin());
  exec::Machine machine(std::move(task));
  machine.finish();
  REQUIRE(workload.check(benchmark.arguments, machine).message == "");
  // The memory is the machine's own, which is not const. The last byte of a word in the middle has the sign and most of
  // the exponent of a number.
  const std::span<const std::uint8_t> bytes = machine.buffer(index);
  auto* const byte = const_cast<std::uint8_t*>(bytes.data()) + bytes.size() / 2 / 8 * 8 + 7;
  *byte ^= 0x40;
  const CheckResult result = workload.check(benchmark.arguments, machine);
  CAPTURE(result.message);
  return !result.passed && result.message.find(": 1 of ") != std::string::npos;
}

}  // namespace

TEST_CASE("a reference kernel sees what buffers held before the first launch") {
  CHECK(scanned(reference("[data, data, n, n, 0]")).passed);
  CHECK_THAT(scanned(reference("[data, data, n, n, 1]")).message,
             Contains("buffer data: 4 of 4 elements differ, the first at 0: expected 0, found 1"));
  CHECK_THAT(scanned(reference("[data, data, n, 2, 0]")).message,
             Contains("2 of 4 elements differ, the first at 2: expected 3, found 6"));
}

TEST_CASE("a sum that does not fit into 32 bits is an error of the inputs, not a wrapped expectation") {
  const auto message_for = [](const std::string& values) {
    const test::TemporaryFolder folder;
    folder.write("nothing.ptx", ".version 6.4\n.target sm_35\n.address_size 64\n.visible .entry nothing() { ret; }\n");
    const Workload workload = Workload::load(
        folder.write("case.yaml", "kernel: nothing.ptx\ngrid: 1\nblock: 1\nbuffers: {data: {values: " + values +
                                      "}}\n" + reference("[data, data, 3, 3, 0]")));
    exec::Machine machine(workload.build({}));
    machine.finish();
    return workload.check({}, machine).message;
  };
  CHECK_THAT(message_for("[4294967294, 1, 0]"), Contains("the first at 1: expected 4294967295, found 1"));
  CHECK_THROWS_WITH(message_for("[4294967294, 1, 1]"),
                    Contains("expected result of buffer data") && Contains("whole.cuh") && Contains("trap"));
}

TEST_CASE("of a reference kernel's buffer a part can be compared, where it lies") {
  CHECK(scanned(reference("[data, data, n, 2, 0]", "    count: 2\n")).passed);
  CHECK_FALSE(scanned(reference("[data, data, n, 2, 0]", "    first: 1\n    count: 2\n")).passed);
}

TEST_CASE("a reference has launches and buffers of its own") {
  const std::string launches = R"(    buffers: {own: {each: n, value: "data[i] - 1"}, sums: {zero: own.count}}
    launches:
      - {repeat: 2, parameters: ["iteration == 0 ? own : sums", sums, n, 1, 0]}
      - {entry: row_sums, parameters: [sums, data, n, 1]}
)";
  // Sums of rows of one are what was there: 0, 1, 2, 3.
  CHECK_THAT(scanned(reference("[]", launches)).message, Contains("expected 0, found 1"));
  // Another expectation may use the same names, what is under test may not.
  CHECK_THROWS_WITH(scanned("variables: {}\ntextures: {t: {buffer: own}}\n" + reference("[]", launches)),
                    Contains("nothing is named 'own'"));
  CHECK_THROWS_WITH(scanned(reference("[data, n, n, 1, 0]", "    buffers: {n: {zero: 1}}\n")),
                    Contains("the name 'n' is used twice"));
}

TEST_CASE("mistakes in a reference are those of a launch, at its place") {
  CHECK_THROWS_WITH(scanned(reference("[data, data, m, n, 0]")), Contains("case.yaml:17:30") && Contains("'m'"));
  CHECK_THROWS_WITH(scanned(reference("[data, data]")), Contains("case.yaml:13:5") && Contains("has 5 parameters"));
  CHECK_THROWS_WITH(scanned(reference("[data + 20, data, n, n, 0]")), Contains("points 20 bytes into buffer data"));
  CHECK_THROWS_WITH(scanned(reference("[data, data, n, n, 0]", "    shared: 4\n")), Contains("unknown key 'shared'"));
  CHECK_THROWS_WITH(scanned(reference("[data, data, n, n, 0]", "    constant: 4\n")),
                    Contains("exactly one of: kernel"));
  CHECK_THROWS_WITH(scanned("expect: {data: {launches: [{graph: {}}]}}\n"), Contains("unknown key 'graph'"));
  // It reads outside of its buffer when it runs.
  CHECK_THROWS_WITH(scanned(reference("[data, data, n + 1, n + 1, 0]")),
                    Contains("expected result of buffer data") && Contains("sums.cu"));
}

TEST_CASE("the files that decide what is expected are known") {
  const test::TemporaryFolder folder;
  folder.write("base.yaml", "kernel: k.ptx\ngrid: 1\nblock: 1\nbuffers: {a: {zero: 4}, b: {zero: 4}, c: {zero: 4}}\n");
  const std::string path = folder.write("case.yaml", R"(extends: base.yaml
arguments: {which: {default: file, choices: [file, kernel]}}
expect:
  a: {choose: which, file: {file: a.raw}, kernel: {kernel: a.ptx, grid: 1, block: 1}}
  b: {launches: [{kernel: b.ptx, grid: 1, block: 1}, {launches: [{kernel: d.ptx, grid: 1, block: 1}]}]}
  c: {constant: 0}
)");
  const Workload workload = Workload::load(path);
  using Files = std::vector<std::string>;
  CHECK(workload.expectation_files({}) ==
        Files{path, folder / "base.yaml", folder / "a.raw", folder / "b.ptx", folder / "d.ptx"});
  CHECK(workload.expectation_files({{"which", "kernel"}}) ==
        Files{path, folder / "base.yaml", folder / "a.ptx", folder / "b.ptx", folder / "d.ptx"});
}

TEST_CASE("the check of every benchmark notices one wrong element", "[long]") {
  const std::pair<std::string, std::string> small{"image", "raccoon-small"};
  for (const Benchmark& benchmark : std::vector<Benchmark>{
           {"histogram", "result", {small}},
           {"hist64", "result", {small}},
           {"vector-add", "c", {{"length", "100"}}},
           {"convolution", "filtered", {small}},
           {"texture-convolution", "filtered", {small}},
           {"texture-gather", "gathered", {{"length", "1000"}}},
           {"transpose", "output", {{"width", "40"}, {"height", "50"}}},
           {"LUD", "matrix", {{"size", "32"}}},
           {"LUD_1", "matrices", {{"tiles", "2"}}},
           {"LUD_2", "matrix", {{"size", "48"}}},
           {"matrix_scan", "output", {{"rows", "3"}}},
           {"MRI-grid_1", "data", {{"length", "3000"}}},
           {"MRI-grid_1", "sums", {{"length", "3000"}}},
           {"MRI-grid_2", "data", {{"length", "16384"}}},
           {"MRI-grid_3", "data", {{"length", "16384"}}},
           {"MRI-grid_4", "sorted_keys", {{"blocks", "2"}}},
           {"MRI-grid_4", "sorted_values", {{"blocks", "2"}}},
           {"NW_1", "scores", {{"tiles", "3"}}},
           {"NW_2", "scores", {{"tiles", "3"}}},
           {"reduction", "sums", {{"length", "5000"}}},
           {"back_propagation", "partial_sums", {{"inputs", "64"}}},
           {"back_propagation", "weights", {{"inputs", "64"}}},
           {"srad", "next", {{"size", "32"}}},
           {"srad", "image", {{"size", "32"}, {"steps", "2"}}},
           {"hotspot", "odd", {{"size", "32"}}},
           {"hotspot", "even", {{"size", "32"}, {"launches", "2"}}},
           {"hough", "space", {small, {"width", "96"}, {"height", "64"}, {"angles", "7"}, {"bins", "212"}}},
           {"dwtHaar1D", "pyramid", {{"length", "2048"}}},
           {"FWT", "transformed", {{"log2_length", "5"}, {"batch", "3"}}},
           {"FFT_1", "transformed", {{"batch", "1"}}},
           {"FFT_2", "transformed", {{"batch", "1"}}},
           {"dct8x8_2", "pixels", {{"width", "32"}, {"height", "16"}}},
           {"lavaMD", "forces", {{"boxes_x", "2"}, {"particles", "9"}}},
           {"lavaMD", "forces", {{"boxes_x", "2"}, {"particles", "9"}, {"numbers", "single"}}},
           {"matrix_multiply", "c", {{"rows", "16"}, {"columns", "128"}, {"inner", "8"}}},
           {"scalar_product", "products", {{"vectors", "8"}, {"length", "500"}}},
           {"rgpu-convolution", "filtered", {}},
           {"rgpu-histogram", "result", {{"width", "64"}, {"height", "32"}}},
           {"rgpu-integral-image", "sums", {{"width", "64"}, {"height", "33"}, {"pitch", "64"}}},
           {"rgpu-mri-q", "reals", {{"n", "256"}, {"samples", "256"}}},
           {"rgpu-mri-q", "imaginaries", {{"n", "256"}, {"samples", "256"}}},
           {"rgpu-needleman-wunsch", "scores", {{"n", "128"}}},
           {"rgpu-neural-network", "outputs", {{"images", "2"}}},
           {"rgpu-pathfinder", "result", {{"columns", "320"}, {"rows", "5"}}},
           {"micro-scratchpad-pattern", "after", {}},
           {"micro-arithmetic", "results", {}},
       }) {
    CAPTURE(benchmark.name, benchmark.buffer);
    CHECK(notices(benchmark));
  }
}

}  // namespace lockstep::reference_kernel_test
