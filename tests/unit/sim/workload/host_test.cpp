// Steps of a host between launches: values read, conditions, loops.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "isa/error.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::host_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

/// add: *p += n, by one thread. collatz: a step of the Collatz sequence, *p becomes *p / 2 or 3 *p + 1. half: *p /= 2 in f32.
/// count: every thread adds 1 to the variable `counter`. stray: an access to address 16.
const char* const kernels = R"(
.version 6.4
.target sm_35
.address_size 64
.global .align 4 .u32 counter;
.visible .entry add(.param .u64 p, .param .u32 n) {
  .reg .b32 %r<2>; .reg .b64 %a;
  ld.param.u64 %a, [p]; ld.param.u32 %r0, [n];
  ld.global.u32 %r1, [%a]; add.u32 %r1, %r1, %r0; st.global.u32 [%a], %r1; ret;
}
.visible .entry collatz(.param .u64 p) {
  .reg .b32 %r<4>; .reg .b64 %a; .reg .pred %odd;
  ld.param.u64 %a, [p]; ld.global.u32 %r0, [%a];
  and.b32 %r1, %r0, 1; setp.ne.u32 %odd, %r1, 0;
  shr.u32 %r2, %r0, 1; mad.lo.u32 %r3, %r0, 3, 1;
  selp.b32 %r2, %r3, %r2, %odd; st.global.u32 [%a], %r2; ret;
}
.visible .entry half(.param .u64 p) {
  .reg .f32 %f; .reg .b64 %a;
  ld.param.u64 %a, [p]; ld.global.f32 %f, [%a]; mul.f32 %f, %f, 0f3F000000; st.global.f32 [%a], %f; ret;
}
.visible .entry count() {
  .reg .b32 %r; .reg .b64 %a;
  mov.u64 %a, counter; atom.global.add.u32 %r, [%a], 1; ret;
}
.visible .entry stray() { .reg .b32 %r; .reg .b64 %a; mov.u64 %a, 16; ld.global.u32 %r, [%a]; st.global.u32 [%a], %r; ret; }
)";

/// A descriptor of these kernels.
class Case {
 public:
  explicit Case(const std::string& yaml) {
    folder_.write("kernels.ptx", kernels);
    workload_.emplace_back(
        Workload::load(folder_.write("case.yaml", "kernel: kernels.ptx\nentry: add\ngrid: 1\nblock: 1\n" + yaml)));
  }
  std::unique_ptr<exec::Task> build(const ArgumentOverrides& overrides = {}) const {
    return workload_.front().build(overrides);
  }
  /// Other kernels in place of those.
  void replace_kernels(const std::string& ptx) const { folder_.write("kernels.ptx", ptx); }
  CheckResult check(const ArgumentOverrides& overrides = {}) const {
    exec::Machine machine(build(overrides));
    machine.finish();
    return workload_.front().check(overrides, machine);
  }

 private:
  test::TemporaryFolder folder_;
  std::vector<Workload> workload_;
};

/// What loading or building complains about, from "case.yaml" on; "" when it does not.
std::string mistake(const std::string& yaml) {
  try {
    Case(yaml).build();
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::size_t at = message.find("case.yaml");
    return at == std::string::npos ? message : message.substr(at);
  }
  return "";
}

std::vector<std::string> values_of(const exec::Task& task) {
  std::vector<std::string> texts;
  for (const exec::HostValue& one : task.host_values)
    texts.push_back(fmt::format("{}: {} = {}", one.launches, one.name, one.value));
  return texts;
}

std::uint32_t word(const exec::Argument& argument) {
  std::uint32_t value = 0;
  std::memcpy(&value, std::get<std::vector<std::uint8_t>>(argument).data(), sizeof value);
  return value;
}

const std::string sequence =
    "arguments: {start: 27, most: 200}\n"
    "buffers: {n: {values: [start]}}\n"
    "launches:\n"
    "  - until: value == 1\n"
    "    at_most: most\n"
    "    launches:\n"
    "      - {entry: collatz, parameters: [n]}\n"
    "      - read: {value: \"n[0]\"}\n"
    "expect: {n: {constant: 1}}\n";

}  // namespace

TEST_CASE("a group runs until what its launches leave meets a condition") {
  // Steps of the Collatz sequence to 1: 111 from 27, 8 from 6, 1 from 2 (OEIS A006577).
  const Case collatz(sequence);
  CHECK(collatz.build()->launches.size() == 111);
  CHECK(collatz.build({{"start", "6"}})->launches.size() == 8);
  CHECK(collatz.build({{"start", "2"}})->launches.size() == 1);
  CHECK(collatz.check().passed);
  CHECK(values_of(*collatz.build({{"start", "6"}})) ==
        std::vector<std::string>{"1: value = 3", "2: value = 10", "3: value = 5", "4: value = 16", "5: value = 8",
                                 "6: value = 4", "7: value = 2", "8: value = 1"});
}

TEST_CASE("a loop that does not end within its bound is an error at its condition") {
  std::string bounded = sequence;
  bounded.replace(bounded.find("most: 200"), 9, "most: 110");
  CHECK_THAT(mistake(bounded),
             Contains("case.yaml:8:12: \"value == 1\" is still false after 110 rounds, the most that 'at_most' allows "
                      "(value = 2)"));
}

TEST_CASE("grids, blocks and parameters of later launches take what was read") {
  const Case later(
      "buffers: {n: {values: [5]}, m: {zero: 1}}\n"
      "launches:\n"
      "  - read: {before: \"n[0]\"}\n"
      "  - {parameters: [n, before + 2]}\n"
      "  - read: {now: \"n[0]\", twice: 2 * now}\n"
      "  - {grid: now, block: twice, entry: count}\n"
      "  - {parameters: [m, twice], repeat: now - 10}\n"
      "expect: {m: {constant: 48}}\n");
  const auto task = later.build();
  REQUIRE(task->launches.size() == 4);
  CHECK(word(task->launches[0].arguments[1]) == 7);
  CHECK(task->launches[1].grid[0] == 12);
  CHECK(task->launches[1].block[0] == 24);
  CHECK(word(task->launches[2].arguments[1]) == 24);
  CHECK(values_of(*task) == std::vector<std::string>{"0: before = 5", "1: now = 12", "1: twice = 24"});
  CHECK(later.check().passed);
}

TEST_CASE("what a condition leaves out is not launched") {
  const Case conditions(
      "arguments: {limit: 10}\n"
      "buffers: {n: {values: [5]}}\n"
      "launches:\n"
      "  - {parameters: [n, 1], when: limit > 100}\n"
      "  - {parameters: [n, 4], when: \"n[0] < limit\"}\n"
      "  - when: \"n[0] >= limit\"\n"
      "    launches:\n"
      "      - {parameters: [n, 100]}\n"
      "      - {parameters: [n, 200]}\n"
      "  - {parameters: [n, iteration], repeat: 3, when: \"n[0] == 9\"}\n"
      "expect: {n: {constant: \"limit > 100 ? 0 : limit > 9 ? 12 : 309\"}}\n");
  CHECK(conditions.build()->launches.size() == 4);
  CHECK(conditions.check().passed);
  // 5 < 9, so 9 >= 9: both of the group, and nothing is 9 after them.
  CHECK(conditions.build({{"limit", "9"}})->launches.size() == 3);
  CHECK(conditions.check({{"limit", "9"}}).passed);
}

TEST_CASE("loops nest, and iteration counts the rounds of the inner one") {
  const Case nested(
      "buffers: {n: {zero: 1}}\n"
      "launches:\n"
      "  - repeat: 2\n"
      "    launches:\n"
      "      - read: {outer: iteration}\n"
      "      - until: iteration == 2\n"
      "        at_most: 5\n"
      "        launches:\n"
      "          - {parameters: [n, 10 * outer + iteration]}\n"
      "      - {parameters: [n, 1000 * (iteration + 1)]}\n"
      "expect: {n: {constant: 3036}}\n");
  std::vector<std::uint32_t> added;
  const auto task = nested.build();
  for (const exec::KernelLaunch& launch : task->launches) added.push_back(word(launch.arguments[1]));
  CHECK(added == std::vector<std::uint32_t>{0, 1, 2, 1000, 10, 11, 12, 2000});
  CHECK(nested.check().passed);
}

TEST_CASE("elements are read in their own types, of buffers and of variables, as the launches so far have left them") {
  const Case types(
      "variables: {counter: {values: [40]}}\n"
      "buffers: {f: {values: [10], type: f32}, w: {values: [-3, 7], type: s16}, l: {values: [5000000000], type: u64}}\n"
      "let: {before: \"f[0]\"}\n"
      "launches:\n"
      "  - {entry: half, parameters: [f]}\n"
      "  - {entry: count, grid: 2}\n"
      "  - read: {real: \"f[0]\", whole: \"w[1] + w[0]\", long: \"l[0]\", counted: \"counter[0]\", initial: before}\n");
  CHECK(values_of(*types.build()) == std::vector<std::string>{"2: real = 5", "2: whole = 4", "2: long = 5000000000",
                                                              "2: counted = 42", "2: initial = 10"});
}

TEST_CASE("what a host has read is known when the same task is built again") {
  const Case collatz(sequence);
  REQUIRE(collatz.build({{"start", "6"}})->launches.size() == 8);
  // A kernel that cannot be executed shows when one is.
  collatz.replace_kernels(
      ".version 6.4\n.target sm_35\n.address_size 64\n.visible .entry add(.param .u64 p, .param .u32 n) { trap; }\n"
      ".visible .entry collatz(.param .u64 p) { trap; }\n");
  const auto again = collatz.build({{"start", "6"}});
  CHECK(again->launches.size() == 8);
  CHECK(again->host_reads.size() == 8);
  CHECK(again->host_values.size() == 8);
  CHECK_THROWS_WITH(collatz.build({{"start", "7"}}), Contains("trap"));
  CHECK_THROWS_WITH(collatz.build({{"start", "7"}}), Contains("trap"));
}

TEST_CASE("a machine refuses launches that were decided on by other values") {
  const Case collatz(sequence);
  auto task = collatz.build({{"start", "6"}});
  REQUIRE(task->host_reads.size() == 8);
  CHECK(task->host_reads[2].text == "n[0]");
  CHECK(task->host_reads[2].launches == 3);
  task->host_reads[2].bytes[0] ^= 1;
  exec::Machine machine(std::move(task));
  CHECK_THROWS_WITH(machine.finish(), Contains("case.yaml:12:23: after 3 launches n[0] is not what it was"));
}

TEST_CASE("a launch that fails before the host reads is reported as any other") {
  CHECK_THAT(mistake("buffers: {n: {zero: 1}}\nlaunches:\n  - {entry: stray}\n  - read: {x: \"n[0]\"}\n"),
             Contains("kernel 'stray'") && Contains("0x10"));
  // Nothing is executed when an error is known already.
  CHECK_THAT(mistake("buffers: {n: {zero: 1}}\nlaunches:\n  - {entry: stray}\n  - {parameters: [n]}\n  - read: {x: "
                     "\"n[0]\"}\n  - {parameters: [n, x]}\n"),
             Contains("has 2 parameters") && !Contains("stray") && !Contains("'x'"));
  CHECK_THAT(mistake("buffers: {n: {zero: 1}}\nlaunches:\n  - {parameters: [n + 8, 1]}\n  - read: {x: \"n[0]\"}\n"),
             Contains("case.yaml:7:19: \"n + 8\" points 8 bytes into buffer n, which has 4 bytes"));
}

TEST_CASE("mistakes in the steps of a host are reported with their places") {
  const auto of = [](const std::string& launches) {
    return mistake("buffers: {n: {zero: 2}}\nlaunches:\n" + launches);
  };
  const std::string add = "{parameters: [n, 1]}";
  CHECK_THAT(of("  - read: {x: \"n[2]\"}\n"),
             Contains("case.yaml:7:15: \"n[2]\"") && Contains("n[2] is outside: it has 2"));
  CHECK_THAT(of("  - read: {x: n}\n"), Contains("case.yaml:7:15: x is a number, but \"n\" is a buffer"));
  CHECK_THAT(of("  - read: [n]\n"), Contains("case.yaml:7:11: 'read' is a map of names and values"));
  CHECK_THAT(of("  - read: {n: 1}\n"), Contains("the name 'n' is used twice"));
  CHECK_THAT(of("  - read: {iteration: 1}\n"), Contains("the name 'iteration' has a meaning of its own"));
  CHECK_THAT(of("  - {read: {x: 1}, grid: 2}\n"), Contains("unknown key 'grid'"));
  CHECK_THAT(of("  - {parameters: [n, x]}\n  - read: {x: 1}\n"),
             Contains("case.yaml:7:22") && Contains("nothing is named 'x'"));
  CHECK_THAT(of("  - until: 1\n    launches: [" + add + "]\n"), Contains("case.yaml:7:12: 'until' needs 'at_most'"));
  CHECK_THAT(of("  - at_most: 1\n    launches: [" + add + "]\n"),
             Contains("'at_most' is the largest number of rounds"));
  CHECK_THAT(of("  - {until: 1, at_most: 1, repeat: 2, launches: [" + add + "]}\n"), Contains("not both"));
  CHECK_THAT(of("  - {until: 1, at_most: 1, parameters: [n, 1]}\n"), Contains("unknown key 'until'"));
  CHECK_THAT(of("  - {until: 1, at_most: 0, launches: [" + add + "]}\n"), Contains("the number of rounds is 1 to"));
  CHECK_THAT(of("  - {when: n, parameters: [n, 1]}\n"), Contains("the condition of 'when' is a number"));
  CHECK_THAT(of("  - when: 0\n    launches: [{read: {x: 1}}]\n  - {parameters: [n, x]}\n"),
             Contains("'x' has no value: the step that reads it was left out"));
  CHECK_THAT(of("  - read: {x: 1}\n  - " + add + "\nexpect: {n: {constant: x}}\n"), Contains("nothing is named 'x'"));
  CHECK_THAT(of("  - " + add + "\nexpect:\n  n: {launches: [{read: {x: 1}}]}\n"), Contains("unknown key 'read'"));
  CHECK_THAT(of("  - {parameters: [n, \"n[0]\"]}\n  - read: {x: \"n[1]\"}\n"),
             Contains("case.yaml:7:22: \"n[0]\", character 1: which value of n[...] is meant?"));
  CHECK_THAT(of("  - {parameters: [n, 1], repeat: \"n[0]\", when: \"n[0]\"}\n"),
             Contains("case.yaml:7:34: ") && !Contains("7:48"));
  CHECK(of("  - {parameters: [n, \"n[0]\"]}\n").empty());
  CHECK(of("  - read: {x: 1}\n  - read: {x: x + 1}\n  - {parameters: [n, x]}\n").empty());
}

}  // namespace lockstep::host_test
