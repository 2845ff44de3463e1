// Graph files on the functional machine.
#include <fmt/format.h>

#include <cstring>

#include "isa/exec/machine.hpp"
#include "sim/experiment/running/digest.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/graph_case.hpp"

namespace lockstep::graph_execution_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

CheckResult execute(const std::string& path, const ArgumentOverrides& overrides, const rgpu::Spec* fabric = nullptr) {
  const Workload workload = Workload::load(path);
  exec::Machine machine(workload.build(overrides, fabric));
  machine.finish();
  return workload.check(overrides, machine);
}

std::vector<std::uint32_t> words(const exec::Machine& machine, std::uint32_t buffer) {
  const auto bytes = machine.buffer(buffer);
  std::vector<std::uint32_t> result(bytes.size() / 4);
  std::memcpy(result.data(), bytes.data(), result.size() * 4);
  return result;
}

}  // namespace

TEST_CASE("The FIR filter of figure 7.4 computes what listing 7.1 says, the first elements too") {
  for (const char* n : {"1", "2", "3", "100"}) {
    CAPTURE(n);
    const CheckResult result =
        execute(source_dir() + "/configs/rgpu/fir.yaml", {{"n", n}, {"blocks", "3"}, {"c1", "-3"}});
    CHECK(result.checked);
    CHECK(result.message == "");
  }
}

TEST_CASE("A histogram in scratchpad memory takes the lock of each bin, between two phases of a kernel") {
  const test::TemporaryFolder folder;
  folder.write("k.ptx", R"(.version 6.4
.target sm_20
.address_size 64
.visible .entry bins(.param .u64 out) {
.reg .u32 %r<4>; .reg .u64 %d<4>;
.shared .align 4 .b8 counts[128];
mov.u32 %r0, %tid.x;
mul.lo.u32 %r1, %r0, 4;
mov.u32 %r2, counts;
add.u32 %r2, %r2, %r1;
mov.u32 %r3, 0;
st.shared.u32 [%r2], %r3;
bar.sync 15;
ld.shared.u32 %r3, [%r2];
ld.param.u64 %d0, [out];
cvt.u64.u32 %d1, %r1;
add.u64 %d0, %d0, %d1;
st.global.u32 [%d0], %r3;
ret; }
)");
  const std::string path = folder.write("w.yaml", R"(
buffers:
  values: {random: 500, type: u8, min: 0, max: 31, seed: 3}
  counts: {zero: 32}
kernel: k.ptx
parameters: [counts]
block: 32
grid: 1
graph:
  iterations: 500
  nodes:
    where: {increment: 1}
    value: {op: load, type: u8, base: values, address: where}
    bin: {op: shl, inputs: [value, 2]}
    old: {op: load, base: scratchpad, address: bin, lock: true}
    new: {op: add, inputs: [old, 1]}
    put: {op: store, base: scratchpad, address: bin, data: new, lock: true}
expect:
  counts:
    kernel: )" + source_dir() + R"(/traces/references/histogram.ptx
    buffers: {own: {zero: 32}}
    grid: 1
    launches:
      - {entry: count_u8, block: 1, parameters: [values, 500, own, 32, 32]}
      - {entry: add_up, block: 32, parameters: [own, 1, 32, counts]}
)");
  const CheckResult result = execute(path, {});
  CHECK(result.checked);
  CHECK(result.message == "");
}

TEST_CASE("Rows, sums that restart and results left in FIFOs give the numbers that they say") {
  // Columns 1 and 2 of 16 rows of 4 words; y gets the sum of each row's two, and x that of
  // all that a thread block has with 100.
  const GraphCase rows(
      "let: {rows: 16}\n"
      "grid: 2\n"
      "graph:\n"
      "  iterations: rows / 2 * 2\n"
      "  results: [{node: all, operand: 0, count: 1, to: x + 12 * block}]\n"
      "  nodes:\n"
      "    where: {increment: 4, start: 4 + 128 * block, row: 2, skip: 8}\n"
      "    in: {op: load, base: x, address: where}\n"
      "    pair: {accumulate: add, inputs: [in], over: 2}\n"
      "    all: {accumulate: add, inputs: [in], over: 16, initial: 100}\n"
      "    to: {increment: 4, start: 32 * block, iterations: rows / 2}\n"
      "    out: {op: store, base: y, address: to, data: pair, iterations: rows / 2}\n");
  exec::Machine machine(rows.build());
  machine.finish();
  const std::vector<std::uint32_t> y = words(machine, 1), x = words(machine, 0);
  std::uint32_t sums[2] = {100, 100};
  for (std::uint32_t row = 0; row < 16; ++row) {
    CAPTURE(row);
    const std::uint32_t pair = (4 * row + 1) + (4 * row + 2);
    CHECK(y[row] == pair);
    sums[row / 8] += pair;
  }
  CHECK(x[0] == sums[0]);
  CHECK(x[3] == sums[1]);
}

TEST_CASE("An increment with a predicate counts what holds") {
  // Odd elements go to the front of y.
  const GraphCase odd(
      "grid: 1\n"
      "graph:\n"
      "  iterations: n\n"
      "  nodes:\n"
      "    where: {increment: 4}\n"
      "    in: {op: load, base: x, address: where}\n"
      "    is_odd: {op: and, inputs: [in, 1]}\n"
      "    place: {increment: 4, when: is_odd}\n"
      "    to: {op: guard, inputs: [place, is_odd]}\n"
      "    out: {op: store, base: y, address: to, data: in}\n");
  exec::Machine machine(odd.build());
  machine.finish();
  const std::vector<std::uint32_t> y = words(machine, 1);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(y[i] == 2 * i + 1);
  CHECK(y[32] == 0);
}

TEST_CASE("A graph larger than an SM is split over thread blocks, and computes the same") {
  std::string nodes = "    from: {increment: 4}\n    v0: {op: load, base: x + 64 * block, address: from}\n";
  for (int i = 1; i <= 40; ++i) nodes += fmt::format("    v{}: {{op: add, inputs: [v{}, {}]}}\n", i, i - 1, i);
  nodes += "    to: {increment: 4}\n    out: {op: store, base: y + 64 * block, address: to, data: v40}\n";
  const GraphCase large("grid: 4\ngraph:\n  iterations: 16\n  nodes:\n" + nodes);
  auto task = large.build();
  CHECK(task->launches[0].graph->parts.size() == 2);
  CHECK(task->launches[0].grid[0] == 8);
  CHECK(task->buffers.size() == 4);
  exec::Machine machine(std::move(task));
  machine.finish();
  const std::vector<std::uint32_t> y = words(machine, 1);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(y[i] == i + 820);  // 1 + ... + 40.
  rgpu::Spec wide{};
  wide.cores = 64;
  wide.load_store_units = 16;
  wide.lanes = 6;
  CHECK(large.build({}, &wide)->launches[0].graph->parts.size() == 1);
}

TEST_CASE("The fingerprint of a task covers structure and numbers of its graphs") {
  const auto digest = [](const std::string& node, const std::string& rest = "") {
    const GraphCase one = graph_of("    a: " + node + "\n" + rest);
    return experiment::task_digest(*one.build());
  };
  const std::string plain = digest("{increment: 4}");
  CHECK(digest("{increment: 4}") == plain);
  CHECK(digest("{increment: 8}") != plain);
  CHECK(digest("{increment: 4, initial: 7}") != plain);
  CHECK(digest("{increment: 4, start: 'block == 3 ? 4 : 0'}") != plain);  // Only the last thread block differs.
  CHECK(digest("{increment: 4, iterations: n + block}") != plain);
  CHECK(digest("{increment: 4}", "    b: {op: load, base: x, address: a}\n") !=
        digest("{increment: 4}", "    b: {op: load, base: y, address: a}\n"));
  CHECK(digest("{increment: 4}", "    b: {op: load, base: x, address: a}\n") !=
        digest("{increment: 4}", "    b: {op: load, base: x, address: a, cache: l2}\n"));
}

}  // namespace lockstep::graph_execution_test
