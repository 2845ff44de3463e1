// Where on an SM the local memory of a warp lies.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "sim/gpu/sm/memory/memory_unit.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::local_memory_test {

using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// The addresses of the one access of warp `warp` of thread block `block`, on SM `sm`; every lane asks for byte `offset` of its
/// `bytes` bytes of local memory. Blocks have two warps, and two of them are resident.
std::vector<std::uint64_t> addresses(std::uint32_t sm, std::uint64_t block, std::uint32_t slot, std::uint32_t warp,
                                     std::uint32_t bytes, std::uint64_t offset) {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(), v = fake.reg();
  fake.block();
  fake.access("ld.local.u32", AccessKind::load, MemorySpace::local, {v}, {p});
  fake.kernel().local_bytes = bytes;
  fake.launch().grid = {2000000, 1, 1};
  fake.launch().block = {64, 1, 1};
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0, ~0u);
    script.touch(~0u, std::vector<std::uint64_t>(32, offset).data());
  };
  const machine::Program program = machine::lower(fake.kernel(), {"fermi"});
  gpu::SmCounters counters;
  gpu::WarpTable table(sm, false, counters);
  gpu::LaunchContext context;
  context.program = &program;
  context.windows = fake.header().windows;
  context.warps_per_block = context.resident_blocks = 2;
  table.begin_launch(context);
  for (std::uint32_t before = 0; before < slot; ++before) table.start_block(fake.open(0, before), before, 0);
  REQUIRE(table.start_block(fake.open(0, block), block, 0) == slot);
  const std::uint32_t index = table.first_warp(slot) + warp;
  REQUIRE(table.next_block(index) == gpu::WarpTable::Entry::first);
  table.take_access(index, program.instructions[table[index].pc]);
  const auto& all = table[index].access.address;
  return {std::begin(all), std::begin(all) + 32};
}

constexpr std::uint64_t region = gpu::local_region;

}  // namespace

TEST_CASE("local memory: the words of a warp's lanes lie side by side, those of its warps behind each other") {
  const auto first = addresses(0, 0, 0, 0, 8, 0), second = addresses(0, 0, 0, 0, 8, 4);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(first[lane] == region + 4 * lane);
    CHECK(second[lane] == region + 128 + 4 * lane);
  }
  CHECK(addresses(0, 0, 0, 1, 8, 0)[0] == region + 256);
  CHECK(addresses(0, 1, 1, 0, 8, 0)[0] == region + 512);
  CHECK(addresses(1, 0, 0, 0, 8, 0)[0] == region + 1024);
  // Bytes within a word stay there, and 5 bytes take two words.
  CHECK(addresses(0, 0, 0, 0, 5, 3)[1] == region + 7);
  CHECK(addresses(0, 0, 0, 1, 5, 0)[0] == region + 256);
}

TEST_CASE("local memory: a later thread block has that of the block whose place it takes") {
  CHECK(addresses(0, 1000000, 0, 1, 64, 60) == addresses(0, 0, 0, 1, 64, 60));
  CHECK(addresses(3, 77, 1, 0, 64, 0) == addresses(3, 1, 1, 0, 64, 0));
}

}  // namespace lockstep::local_memory_test
