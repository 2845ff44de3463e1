// The microbenchmarks of traces/kernels/micro, memory and atomics: what they leave, and what stands between their clock reads.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "isa/trace/stream.hpp"
#include "sim/workload/workload.hpp"

#include "tests/places.hpp"

namespace lockstep::micro_test {

namespace fs = std::filesystem;

namespace {

using workload::ArgumentOverrides;

/// Buffer `buffer` after execution, in 32-bit words. The output is checked on the way; a workload whose outcome depends on
/// time has nothing to check.
std::vector<std::uint32_t> run(const std::string& name, const ArgumentOverrides& arguments, const std::string& buffer,
                               bool depends_on_time = false) {
  const workload::Workload loaded = workload::Workload::load(name);
  std::unique_ptr<exec::Task> task = loaded.build(arguments);
  std::uint32_t index = 0;
  while (task->buffers.at(index).name != buffer) ++index;
  exec::Machine machine(std::move(task));
  machine.finish();
  const workload::CheckResult result = loaded.check(arguments, machine);
  INFO(result.message);
  CHECK(result.checked == !depends_on_time);
  CHECK(result.passed == !depends_on_time);
  const auto bytes = machine.buffer(index);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
  return words;
}

/// The different addresses of every access of space `space` by the first warp, in the order of execution.
std::vector<std::set<std::uint64_t>> addresses_of(const std::string& name, const ArgumentOverrides& arguments,
                                                  program::MemorySpace space) {
  exec::Machine machine(workload::Workload::load(name).build(arguments));
  const program::Kernel& kernel = machine.header().kernels.front();
  const auto streams = machine.open(0, 0);
  trace::StreamCursor cursor(streams->warp(0));
  trace::BlockEntry block;
  std::vector<std::set<std::uint64_t>> result;
  while (cursor.next_block(block)) {
    const program::StaticBlock& entry = kernel.blocks[block.block];
    for (std::uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
      for (std::uint32_t n = 0; n < program::access_entries(kernel.instructions[i]); ++n) {
        trace::AccessEntry access;
        cursor.next_access(access);
        if (kernel.instructions[i].space != space) continue;
        result.emplace_back();
        for (unsigned lane = 0; lane < 32; ++lane) {
          if ((access.mask >> lane & 1) != 0) result.back().insert(access.address[lane]);
        }
      }
    }
  }
  return result;
}

/// The opcodes between two reads of the clock, with how often each stands there, for every interval of a kernel in PTX.
std::vector<std::map<std::string, int>> intervals_of(const std::string& file, const std::string& kernel) {
  std::ifstream ptx(source_dir() + "/traces/kernels/micro/" + file);
  std::vector<std::map<std::string, int>> intervals;
  std::string line;
  bool inside = false, open = false;
  while (std::getline(ptx, line)) {
    if (line.find(".entry") != std::string::npos) inside = line.find(kernel + "(") != std::string::npos;
    if (!inside) continue;
    std::istringstream words(line);
    std::string opcode;
    words >> opcode;
    if (!opcode.empty() && opcode.front() == '@') words >> opcode;
    if (line.find("%clock;") != std::string::npos) {
      if (!open) intervals.emplace_back();
      open = !open;
    } else if (open && opcode.find('.') != std::string::npos && opcode.front() != '.') {
      ++intervals.back()[opcode];
    } else if (open && opcode == "bra") {
      ++intervals.back()[opcode];
    }
  }
  CHECK_FALSE(open);
  return intervals;
}

using Interval = std::map<std::string, int>;

/// A round of 64 links with its loop control, and the xor.
Interval round_of(Interval links) {
  links.insert({{"sub.u32", 1}, {"setp.ne.u32", 1}, {"bra", 1}, {"xor.b32", 1}});
  return links;
}

}  // namespace

TEST_CASE("every choice of every microbenchmark leaves what is expected") {
  std::size_t workloads = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/traces/workloads/micro")) {
    const std::string name = entry.path().stem();
    ++workloads;
    CAPTURE(name);
    const std::string left = name == "micro-global-atomic-throughput" ? "counters"
                             : name == "micro-latency-samples"        ? "times"
                             : name == "micro-records"                ? "records"
                             : name == "micro-reduction-region"       ? "region"
                             : name == "micro-atomic-lines"           ? "words"
                                                                      : "cycles";
    // What many warps add is counted by a kernel that goes through all of them for each word.
    ArgumentOverrides size;
    if (name == "micro-atomic-lines") size = {{"blocks", "4"}, {"threads", "64"}, {"lines", "64"}, {"rounds", "4"}};
    run(name, size, left);
    for (const workload::ArgumentInfo& argument : workload::Workload::load(name).arguments()) {
      for (const std::string& choice : argument.choices) {
        CAPTURE(argument.name, choice);
        // Plain stores to words that several warps write; the clock itself.
        const bool depends_on_time =
            (name == "micro-scratchpad-pattern" && (choice == "store" || choice == "update")) ||
            (name == "micro-launch" && choice == "clock");
        ArgumentOverrides chosen = size;
        chosen.emplace_back(argument.name, choice);
        run(name, chosen, left, depends_on_time);
      }
    }
  }
  CHECK(workloads >= 10);
}

TEST_CASE("every arithmetic operation has the throughput kernel compute the same chains") {
  for (const workload::ArgumentInfo& argument : workload::Workload::load("micro-arithmetic").arguments()) {
    if (argument.name != "operation") continue;
    for (const std::string& operation : argument.choices) {
      CAPTURE(operation);
      run("micro-arithmetic", {{"operation", operation}, {"mode", "throughput"}, {"length", "128"}, {"threads", "64"}},
          "cycles");
    }
    CHECK(argument.choices.size() >= 60);
  }
}

TEST_CASE("the intervals of a chase hold as many loads as the chain is long, and a xor") {
  CHECK(intervals_of("scratchpad_chase.ptx", "scratchpad_chase_byte") ==
        std::vector<Interval>{round_of({{"ld.shared.u32", 64}})});
  CHECK(intervals_of("scratchpad_chase.ptx", "scratchpad_chase_index") ==
        std::vector<Interval>{round_of({{"shl.b32", 64}, {"ld.shared.u32", 64}})});
  CHECK(intervals_of("scratchpad_ways.ptx", "scratchpad_ways") ==
        std::vector<Interval>{round_of({{"mad.lo.u32", 64}, {"ld.shared.u32", 64}})});
  for (const std::string cache : {"ca", "cg"}) {
    CHECK(intervals_of("../memory/chase.ptx", "chase_" + cache) ==
          std::vector<Interval>{round_of({{"ld.global." + cache + ".u64", 64}, {"cvt.u32.u64", 1}})});
  }
}

TEST_CASE("the intervals of constant loads and texture fetches hold nothing but those, their addresses and a xor") {
  CHECK(intervals_of("constant.ptx", "constant_chase") ==
        std::vector<Interval>{round_of({{"ld.const.u32", 64}, {"cvt.u64.u32", 64}, {"add.s64", 64}})});
  for (const std::string kernel : {"texture_chase", "texture_throughput"}) {
    CHECK(intervals_of("texture_fetch.ptx", kernel) == std::vector<Interval>{round_of({{"tex.1d.v4.u32.s32", 64}})});
  }
}

TEST_CASE("the lanes of a warp read as many constants at a step as are asked for") {
  for (const std::uint64_t distinct : {1, 3, 32}) {
    CAPTURE(distinct);
    const ArgumentOverrides arguments{
        {"distinct", std::to_string(distinct)}, {"footprint", "2 KiB"}, {"stride", "8"}, {"warm", "0"}};
    const auto loads = addresses_of("micro-constant", arguments, program::MemorySpace::constant);
    CHECK(loads.size() == 256);
    CHECK(std::all_of(loads.begin(), loads.end(), [&](const auto& words) { return words.size() == distinct; }));
  }
}

TEST_CASE("a chase through constants or texels visits every word of its footprint") {
  const auto last = [](const std::string& name, ArgumentOverrides arguments) { return run(name, arguments, "ends"); };
  // 65,536 / 8 links; the chain of 8,192 links ends where it began.
  CHECK(last("micro-constant", {{"footprint", "64 KiB"}, {"stride", "8"}, {"length", "8192"}, {"warm", "0"}})[0] == 0);
  CHECK(last("micro-constant", {{"footprint", "64 KiB"}, {"stride", "8"}, {"length", "8128"}, {"warm", "0"}})[0] ==
        8128 * 8);
  CHECK(last("micro-constant", {{"footprint", "320"}, {"stride", "64"}, {"length", "64"}, {"distinct", "5"}})[1] ==
        (1 + 64) % 5 * 64);
  CHECK(last("micro-texture", {{"footprint", "1000"}, {"stride", "4"}, {"length", "320"}}) ==
        std::vector<std::uint32_t>{320 % 250});
}

TEST_CASE("the two modes of an atomic latency differ by the atomics alone") {
  const auto intervals = intervals_of("../atomics/scratchpad_atomic.ptx", "scratchpad_atomic_add");
  REQUIRE(intervals.size() == 2);
  const Interval load = round_of({{"ld.volatile.shared.u32", 64}});
  Interval pair = load;
  pair["red.shared.add.u32"] = 64;
  CHECK(std::set<Interval>(intervals.begin(), intervals.end()) == std::set<Interval>{load, pair});
}

TEST_CASE("the clock of the functional machine, which counts instructions, counts those of an interval") {
  // One warp: the chain with the control of its rounds, the xor and the read itself.
  const auto cycles = [](const std::string& name, const ArgumentOverrides& arguments) {
    return run(name, arguments, "cycles").front();
  };
  const auto chase = [&](const std::string& addressing, const std::string& length) {
    return cycles("micro-scratchpad-chase", {{"addressing", addressing}, {"length", length}});
  };
  const std::uint32_t control = 3, ends = 2;
  CHECK(chase("byte", "64") == 64 + control + ends);
  CHECK(chase("byte", "256") == 256 + 4 * control + ends);
  CHECK(chase("index", "128") == 2 * 128 + 2 * control + ends);
  CHECK(cycles("micro-chase", {{"length", "128"}}) == 128 + 2 * control + 1 + ends);
  CHECK(cycles("micro-constant", {{"length", "128"}}) == 3 * 128 + 2 * control + ends);
  CHECK(cycles("micro-texture", {{"length", "128"}}) == 128 + 2 * control + ends);
  CHECK(cycles("micro-texture", {{"length", "64"}, {"mode", "throughput"}, {"threads", "32"}}) == 64 + control + ends);
  CHECK(cycles("micro-arithmetic", {{"operation", "ffma"}}) == 256 + control + ends);
  CHECK(cycles("micro-arithmetic", {{"operation", "pow"}}) == 3 * 256 + control + ends);
  CHECK(cycles("micro-arithmetic", {{"operation", "ffma"}, {"mode", "throughput"}, {"length", "128"}}) ==
        2 * (4 * 64 + control) + ends);
  CHECK(cycles("micro-scratchpad-atomic", {{"mode", "pair"}, {"length", "64"}}) == 2 * 64 + control + ends);
  CHECK(cycles("micro-scratchpad-atomic", {{"mode", "load"}, {"length", "64"}}) == 64 + control + ends);
  CHECK(cycles("micro-barrier", {{"length", "64"}}) == 64 + control + ends);
  const auto mbarrier = [&](const std::string& operation) {
    return cycles("micro-mbarrier", {{"operation", operation}, {"length", "64"}});
  };
  // Rounds of 16 links. Nothing is polled: a wait is one instruction and its branch.
  CHECK(mbarrier("arrive") == 4 * 64 + 4 * control + ends);
  CHECK(mbarrier("test") == 2 * 64 + 4 * control + ends);
  CHECK(mbarrier("phase") == 4 * 64 + 4 * control + ends);
  CHECK(mbarrier("group_ca") == 4 * 64 + 4 * control + 1 + ends);
  CHECK(mbarrier("arrival_cg") == 6 * 64 + 4 * control + 1 + ends);
}

}  // namespace lockstep::micro_test
