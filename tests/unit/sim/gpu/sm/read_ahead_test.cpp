// Which code a warp executes next where blocks are unrolled or reordered, and which accesses it takes.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::read_ahead_test {

using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// One code that a warp executed: of which block, how many executions, and what its accesses named, in their order.
struct Executed {
  std::uint32_t block = 0, executions = 0;
  std::vector<std::uint64_t> addresses;
  friend bool operator==(const Executed&, const Executed&) = default;
};

/// A warp that enters these blocks with these masks. Block 0 loads once, block 1 twice, and block 2 does not; the n-th
/// access of the warp is to address n.
struct Bench {
  explicit Bench(std::vector<trace::BlockEntry> blocks) : entries(std::move(blocks)) {
    const std::uint32_t p = fake.reg(64), v = fake.reg();
    for (int b = 0; b < 3; ++b) {
      fake.block();
      for (int n = 0; n < (b == 2 ? 0 : b + 1); ++n)
        fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
      fake.add("add.s32", {v}, {v});
    }
    fake.execute = [this](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      std::uint64_t next = 0;
      for (const trace::BlockEntry& entry : entries) {
        script.enter(entry.block, entry.mask);
        for (std::uint32_t n = 0; entry.block != 2 && n <= entry.block; ++n) {
          const std::vector<std::uint64_t> all(32, next++);
          script.touch(entry.mask, all.data());
        }
      }
    };
    program = machine::lower(fake.kernel(), {"fermi"});
    program.unrolled.resize(program.blocks.size());
  }

  /// The block stands `rounds` times in a row.
  void unroll(std::uint32_t block, std::uint32_t rounds) {
    const machine::Code single = program.blocks[block];
    machine::Path& path = program.unrolled[block].emplace_back();
    path.hammocks.resize(rounds - 1, {{}, block});
    machine::Code& code = path.code;
    code = {static_cast<std::uint32_t>(program.instructions.size()), 0, rounds, single.access_entries * rounds};
    for (std::uint32_t round = 0; round < rounds; ++round)
      for (std::uint32_t n = single.first; n < single.end; ++n) {
        program.instructions.push_back(program.instructions[n]);
        program.instructions.back().access_entry += round * single.access_entries;
      }
    code.end = static_cast<std::uint32_t>(program.instructions.size());
  }

  /// Lanes part behind block 0, some execute `side`, and they meet in block 1: the code of all three.
  void predicate(std::uint32_t side) {
    program.unrolled.clear();
    program.predicated.resize(program.blocks.size());
    machine::Path& path = program.predicated[0];
    path.hammocks = {{{side}, 1}};
    path.code = {static_cast<std::uint32_t>(program.instructions.size()), 0, 1};
    for (const std::uint32_t block : {0u, side, 1u}) {
      const machine::Code& part = program.blocks[block];
      for (std::uint32_t n = part.first; n < part.end; ++n) {
        program.instructions.push_back(program.instructions[n]);
        program.instructions.back().access_entry += path.code.access_entries;
      }
      path.code.access_entries += part.access_entries;
    }
    path.code.end = static_cast<std::uint32_t>(program.instructions.size());
  }

  std::vector<Executed> run() {
    gpu::WarpTable table(0, false, counters);
    gpu::LaunchContext context;
    context.program = &program;
    context.windows = fake.header().windows;
    context.warps_per_block = context.resident_blocks = 1;
    table.begin_launch(context);
    table.start_block(fake.open(0, 0), 0, 0);
    std::vector<Executed> all;
    for (;;) {
      const gpu::WarpTable::Entry how = table.next_block(0);
      if (how == gpu::WarpTable::Entry::end) break;
      gpu::Warp& warp = table[0];
      if (!program.arrivals.empty() && warp.pc == program.arrivals[2]) {
        ++arrived;
        REQUIRE(warp.block_end == warp.pc + 1);
        warp.pc = warp.block_end;
        REQUIRE(table.next_block(0) == gpu::WarpTable::Entry::resumed);
      }
      CHECK(how != gpu::WarpTable::Entry::resumed);
      Executed& executed = all.emplace_back(Executed{warp.basic_block, warp.executions, {}});
      for (; warp.pc != warp.block_end; ++warp.pc) {
        const machine::Instruction& i = program.instructions[warp.pc];
        if (!i.takes_access) continue;
        table.take_access(0, i);
        // Of predicated code, a side's lanes alone.
        const std::uint32_t others =
            program.predicated.empty() ? warp.access.mask ^ warp.mask : warp.access.mask & ~warp.mask;
        CHECK(others == 0);
        executed.addresses.push_back(warp.access.address[0]);
      }
    }
    return all;
  }

  std::vector<trace::BlockEntry> entries;
  FakeTrace fake;
  machine::Program program;
  gpu::SmCounters counters;
  int arrived = 0;  ///< Times that lanes came to block 2 and waited.
};
using All = std::vector<Executed>;

std::vector<trace::BlockEntry> times(std::uint32_t count, std::uint32_t block = 0, std::uint32_t mask = 1) {
  return std::vector<trace::BlockEntry>(count, {block, mask});
}
std::vector<trace::BlockEntry> operator+(std::vector<trace::BlockEntry> a, const std::vector<trace::BlockEntry>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("read ahead: executions of an unrolled block are taken in whole groups, what is left one by one") {
  Bench whole(times(8) + times(1, 2));
  whole.unroll(0, 4);
  CHECK(whole.run() == All{{0, 4, {0, 1, 2, 3}}, {0, 4, {4, 5, 6, 7}}, {2, 1, {}}});
  Bench remainder(times(6) + times(1, 1));
  remainder.unroll(0, 4);
  CHECK(remainder.run() == All{{0, 4, {0, 1, 2, 3}}, {0, 1, {4}}, {0, 1, {5}}, {1, 1, {6, 7}}});
  // A block of two accesses, each execution's before the next one's.
  Bench two(times(1) + times(5, 1));
  two.unroll(1, 2);
  CHECK(two.run() == All{{0, 1, {0}}, {1, 2, {1, 2, 3, 4}}, {1, 2, {5, 6, 7, 8}}, {1, 1, {9, 10}}});
}

TEST_CASE("read ahead: a group's executions have the same lanes") {
  Bench fewer(times(3, 0, 0xff) + times(5, 0, 0xf));
  fewer.unroll(0, 4);
  CHECK(fewer.run() == All{{0, 1, {0}}, {0, 1, {1}}, {0, 1, {2}}, {0, 4, {3, 4, 5, 6}}, {0, 1, {7}}});
}

TEST_CASE("read ahead: a group's executions follow one another") {
  Bench b(times(3) + times(1, 2) + times(1) + times(1, 2) + times(2));
  b.unroll(0, 3);
  CHECK(b.run() == All{{0, 3, {0, 1, 2}}, {2, 1, {}}, {0, 1, {3}}, {2, 1, {}}, {0, 1, {4}}, {0, 1, {5}}});
}

TEST_CASE("read ahead: a stream may end inside a group or behind it") {
  for (const std::uint32_t count : {1u, 3u, 4u, 5u}) {
    CAPTURE(count);
    Bench b(times(count));
    b.unroll(0, 4);
    All expected;
    if (count >= 4) expected.push_back({0, 4, {0, 1, 2, 3}});
    for (std::uint64_t n = count >= 4 ? 4 : 0; n < count; ++n) expected.push_back({0, 1, {n}});
    CHECK(b.run() == expected);
  }
}

TEST_CASE("read ahead: many entries that wait are forgotten once they are executed, and no access is lost") {
  for (const std::uint32_t before : {64u, 99u, 65u, 63u, 128u}) {
    CAPTURE(before);
    Bench b(times(before) + times(1, 1) + times(before, 0) + times(1, 2));
    b.unroll(0, 200);  // All of them are read before it is known that they are too few.
    All expected;
    std::uint64_t next = 0;
    for (const bool again : {false, true}) {
      for (std::uint32_t n = 0; n < before; ++n) expected.push_back({0, 1, {next++}});
      if (!again) expected.push_back({1, 1, {next, next + 1}});
      if (!again) next += 2;
    }
    expected.push_back({2, 1, {}});
    CHECK(b.run() == expected);
  }
}

TEST_CASE("read ahead: reordered accesses take their own entries, also of entries that were read before") {
  for (const bool unrolled : {false, true}) {
    CAPTURE(unrolled);
    Bench b(times(3, 0) + times(2, 1) + times(1, 2));
    machine::Code& code = b.program.blocks[1];
    std::swap(b.program.instructions[code.first], b.program.instructions[code.first + 1]);
    code.reordered = true;
    if (unrolled) b.unroll(0, 4);
    if (!unrolled) b.program.unrolled.clear();
    CHECK(b.run() == All{{0, 1, {0}}, {0, 1, {1}}, {0, 1, {2}}, {1, 1, {4, 3}}, {1, 1, {6, 5}}, {2, 1, {}}});
  }
}

TEST_CASE("read ahead: executed instructions are those of all executions") {
  Bench b(times(9, 0, 0x7));
  b.unroll(0, 4);
  b.run();
  CHECK(b.counters.warp_instructions == 9 * 2);
  CHECK(b.counters.thread_instructions == 9 * 2 * 3);
}

TEST_CASE("read ahead: a predicated side may be executed by parts of the lanes, unless it accesses memory") {
  Bench parts(times(1, 0, 0xf) + times(1, 2, 0x3) + times(1, 2, 0x4) + times(1, 1, 0xf) + times(1, 2, 0xf));
  parts.predicate(2);
  CHECK(parts.run() == All{{1, 4, {0, 1, 2}}, {2, 1, {}}});
  CHECK(parts.counters.warp_instructions == 2 + 1 + 1 + 3 + 1);
  Bench loading(times(1, 0, 0xf) + times(1, 0, 0x3) + times(1, 0, 0x4) + times(1, 1, 0xf));
  loading.predicate(0);
  CHECK(loading.run() == All{{0, 1, {0}}, {0, 1, {1}}, {0, 1, {2}}, {1, 1, {3, 4}}});
  Bench once(times(1, 0, 0xf) + times(1, 0, 0x3) + times(1, 1, 0xf));
  once.predicate(0);
  CHECK(once.run() == All{{1, 3, {0, 1, 2, 3}}});
}

TEST_CASE(
    "read ahead: each part of the lanes that comes to where they meet issues an instruction there, the last its "
    "block's") {
  const auto arrivals = [](std::vector<trace::BlockEntry> blocks) {
    Bench b(std::move(blocks));
    b.fake.kernel().blocks[0].successors = {1, 2};
    b.fake.kernel().blocks[1].successors = {1, 2};
    b.program.arrivals.assign(3, machine::Program::none);
    b.program.arrivals[2] = static_cast<std::uint32_t>(b.program.instructions.size());
    b.program.instructions.emplace_back();
    b.run();
    return b.arrived;
  };
  // A loop that all lanes leave together, one by one, and a side that some lanes go around.
  CHECK(arrivals(times(1, 0, 0xf) + times(3, 1, 0xf) + times(1, 2, 0xf)) == 0);
  CHECK(arrivals(times(1, 0, 0xf) + times(1, 1, 0xf) + times(1, 1, 0x7) + times(1, 1, 0x3) + times(1, 1, 0x1) +
                 times(1, 2, 0xf)) == 3);
  CHECK(arrivals(times(1, 0, 0xf) + times(1, 1, 0x3) + times(1, 2, 0xf)) == 1);
  CHECK(arrivals(times(1, 0, 0xf) + times(1, 2, 0xf)) == 0);
}

}  // namespace lockstep::read_ahead_test
