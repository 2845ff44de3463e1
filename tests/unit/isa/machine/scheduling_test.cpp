// The order in which straight code is left: what may pass what, and what goes first. Orders by hand, from the expected
// latencies: 300 cycles of a load from global memory, 30 from the scratchpad, 4 of an addition.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "isa/machine/lowering.hpp"
#include "isa/machine/schedule/renaming.hpp"
#include "isa/machine/schedule/scheduling.hpp"
#include "isa/machine/schedule/unrolling.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/kernel_files.hpp"
#include "tests/unit/isa/machine/issued.hpp"
#include "tests/unit/isa/machine/newer_kernels.hpp"

namespace lockstep::scheduling_test {

using machine::Operation;
using machine::Schedule;
using machine::ScratchpadAtomics;
using machine::test::kernel_of;

namespace {

/// Numbers of the instructions of the program, in the order in which the machine issues them.
std::vector<std::uint32_t> order(const std::string& body, Schedule schedule = Schedule::list) {
  const program::Kernel kernel = kernel_of(body);
  const machine::Program program = machine::lower(kernel, {"volta", ScratchpadAtomics::native, schedule});
  std::vector<std::uint32_t> all;
  for (const machine::Instruction& i : program.instructions)
    if (all.empty() || all.back() != i.static_index) all.push_back(i.static_index);
  REQUIRE(all.back() + 1 == kernel.instructions.size());  // The exit.
  all.pop_back();
  return all;
}
using Order = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("scheduling: loads go ahead of what does not need them, and their readers last") {
  const std::string body =
      "xor.b32 %r1, %r10, 1; mul.lo.s32 %r2, %r1, %r10; ld.global.u32 %r3, [%rd1]; xor.b32 %r4, %r3, %r2;";
  CHECK(order(body) == Order{2, 0, 1, 3});
  CHECK(order(body, Schedule::program_order) == Order{0, 1, 2, 3});
}

TEST_CASE("scheduling: what waits makes way, in the order of the program") {
  // Behind the first product comes what is ready: an addition, the load. The second product waits 4 cycles, the load's reader 30.
  CHECK(order("mul.lo.s32 %r2, %r10, %r11; mul.lo.s32 %r3, %r2, %r10;"
              "add.s32 %r9, %r10, 5; ld.shared.u32 %r4, [%r11]; add.s32 %r5, %r4, 1;") == Order{0, 2, 3, 1, 4});
  CHECK(order("add.f32 %f1, %f10, %f11; add.f32 %f2, %f10, %f12; add.f32 %f3, %f10, %f13;") == Order{0, 1, 2});
}

// 24 different chains of eight products, whose results are multiplied in the order of the chains: the code of ptxas 13.0 for
// sm_90 has four or five chains under way, as many as hide four cycles, and 16 registers, whether the program has chain after
// chain or all of them step by step.
TEST_CASE("scheduling: chains that are under way are finished before others begin, where nothing has to wait") {
  constexpr unsigned chains = 24, steps = 8;
  for (const bool step_by_step : {false, true}) {
    CAPTURE(step_by_step);
    std::string body = ".reg .f32 %x<300>, %y<30>;";
    for (unsigned n = 0; n < chains * steps; ++n) {
      const unsigned chain = step_by_step ? n % chains : n / steps, step = step_by_step ? n / chains : n % steps;
      const std::string before = "%x" + std::to_string(chain * steps + step - 1);
      std::string factors = "%f1, %f" + std::to_string(10 + chain / 8);
      if (step > 0) factors = before, factors.append(", ").append(before);
      body += "fma.rn.f32 %x" + std::to_string(chain * steps + step) + ", " + factors + ", %f" +
              std::to_string(step == 0 ? 2 + chain % 8 : 1) + ";";
    }
    for (unsigned chain = 0; chain < chains; ++chain)
      body += "mul.f32 %y" + std::to_string(chain) + ", %y" + std::to_string(chain == 0 ? 29 : chain - 1) + ", %x" +
              std::to_string(chain * steps + steps - 1) + ";";
    body += "st.global.f32 [%rd1], %y" + std::to_string(chains - 1) + ";";
    const program::Kernel kernel = kernel_of(body);
    const machine::Program program = machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
    std::set<unsigned> under_way;
    std::size_t most = 0;
    for (const machine::Instruction& i : program.instructions) {
      const unsigned n = i.static_index;
      if (n >= chains * steps) continue;
      const unsigned chain = step_by_step ? n % chains : n / steps, step = step_by_step ? n / chains : n % steps;
      under_way.insert(chain);
      most = std::max(most, under_way.size());
      if (step == steps - 1) under_way.erase(chain);
    }
    CHECK(under_way.empty());
    CHECK(most >= 4);
    CHECK(most <= 6);
  }
}

TEST_CASE("scheduling: a load does not pass a store to the same space, but one to another space") {
  const std::string load_global = "ld.global.u32 %r2, [%rd2]; add.s32 %r3, %r2, 1;";
  CHECK(order("st.global.u32 [%rd1], %r1;" + load_global) == Order{0, 1, 2});
  CHECK(order("st.shared.u32 [%r10], %r1;" + load_global) == Order{1, 0, 2});
  CHECK(order("st.local.u32 [%rd1], %r1;" + load_global) == Order{1, 0, 2});
  CHECK(order("st.shared.u32 [%r10], %r1; ld.shared.u32 %r2, [%r11]; add.s32 %r3, %r2, 1;") == Order{0, 1, 2});
  // A generic address may lie in any space.
  CHECK(order("st.u32 [%rd1], %r1;" + load_global) == Order{0, 1, 2});
  CHECK(order("st.shared.u32 [%r10], %r1; ld.u32 %r2, [%rd2]; add.s32 %r3, %r2, 1;") == Order{0, 1, 2});
}

TEST_CASE("scheduling: a store does not pass a load of its space, nor another store, though its way is longer") {
  // The reader of the load's result is a chain; the store's value waits for another load.
  CHECK(order("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r10; st.global.u32 [%rd3], %r11;") == Order{0, 1, 2});
  const Order all = order("mul.lo.s32 %r1, %r10, %r11; st.shared.u32 [%r12], %r1; st.shared.u32 [%r13], %r11;");
  CHECK(all == Order{0, 1, 2});
  CHECK(order("mul.lo.s32 %r1, %r10, %r11; st.shared.u32 [%r12], %r1; st.global.u32 [%rd1], %r11;") == Order{0, 2, 1});
}

TEST_CASE("scheduling: loads of memory that nothing writes pass stores") {
  const std::string store = "st.global.u32 [%rd1], %r1;", use = "add.s32 %r3, %r2, 1;";
  CHECK(order(store + "ld.global.nc.u32 %r2, [%rd2];" + use) == Order{1, 0, 2});
  // What waits for a constant is no reason to load it early; it may be.
  CHECK(order("mul.lo.s32 %r5, %r10, %r10; st.u32 [%rd1], %r5; ld.const.u32 %r2, [%rd2];" + use) == Order{0, 2, 1, 3});
}

TEST_CASE("scheduling: volatile accesses keep their order, also loads") {
  // Only if they are not volatile the second load goes first: the address of the first is awaited.
  const std::string address = "mul.lo.s32 %r6, %r10, %r10;";
  CHECK(order(address + "ld.shared.u32 %r5, [%r6]; ld.shared.u32 %r1, [%r11];") == Order{0, 2, 1});
  CHECK(order(address + "ld.volatile.shared.u32 %r5, [%r6]; ld.volatile.shared.u32 %r1, [%r11];") == Order{0, 1, 2});
}

// What ptxas 13.0 does for sm_90 with two arrays of which one is read behind a barrier, declared __restrict__ const or not, and
// with a chain of products in front of the barrier or behind it: isa/machine/README.md.
TEST_CASE("scheduling: accesses keep to their side of a barrier, arithmetic and loads of what nothing writes do not") {
  const std::string use = "add.s32 %r3, %r2, 1;";
  for (const char* barrier : {"bar.sync 0;", "bar.warp.sync -1;", "barrier.sync 1, 64;"}) {
    CAPTURE(barrier);
    const std::string store = std::string("st.shared.u32 [%r10], %r1;") + barrier;
    CHECK(order(store + "ld.shared.u32 %r2, [%r11];" + use) == Order{0, 1, 2, 3});
    CHECK(order(store + "ld.global.u32 %r2, [%rd1];" + use) == Order{0, 1, 2, 3});
    CHECK(order("ld.global.u32 %r2, [%rd1];" + std::string(barrier) + "st.shared.u32 [%r10], %r1;") == Order{0, 1, 2});
    CHECK(order(store + "ld.global.nc.u32 %r2, [%rd1];" + use) == Order{2, 0, 1, 3});
    // The load, which waits for the barrier, goes before what it does not need.
    CHECK(order("add.s32 %r1, %r10, 1;" + std::string(barrier) + "ld.global.u32 %r2, [%rd1];" + use) ==
          Order{1, 2, 0, 3});
    CHECK(order(std::string(barrier) + barrier) == Order{0, 1});
  }
}

TEST_CASE("scheduling: nothing passes a fence, a read of the clock or an ordering access") {
  const std::string before = "add.s32 %r1, %r10, 1;", behind = "ld.global.u32 %r2, [%rd1]; add.s32 %r3, %r2, 1;";
  CHECK(order(before + "add.s32 %r5, %r10, 2;" + behind) == Order{2, 0, 1, 3});
  for (const char* wall :
       {"membar.gl;", "membar.cta;", "fence.acq_rel.gpu;", "mov.u32 %r5, %clock;",
        "ld.acquire.gpu.global.u32 %r5, [%rd3];", "st.release.gpu.global.u32 [%rd3], %r10;", "@%p1 ret;"}) {
    CAPTURE(wall);
    CHECK(order(before + wall + behind) == Order{0, 1, 2, 3});
  }
}

TEST_CASE("scheduling: the parts of a generic atomic, which share an access entry, stay together") {
  const std::string behind = "ld.global.u32 %r2, [%rd1]; add.s32 %r3, %r2, 1;";
  CHECK(order("add.s32 %r1, %r10, 1; red.add.u32 [%rd2], 1;" + behind) == Order{0, 1, 2, 3});
  // In a loop around a compare-and-swap too, between whose operations nothing comes.
  const program::Kernel kernel = kernel_of("red.shared.add.f32 [table], 0f3F800000;" + behind);
  const machine::Program program =
      machine::lower(kernel, {"volta", ScratchpadAtomics::native, machine::Schedule::list});
  const Operation expected[] = {Operation::scratchpad_load, Operation::floating, Operation::scratchpad_atomic,
                                Operation::compare, Operation::branch};
  for (std::size_t n = 0; n < 5; ++n) CHECK(program.instructions.at(n + 1).operation == expected[n]);
  CHECK(program.instructions[5].loop_start == 1);
}

TEST_CASE("scheduling: results and sources keep their order") {
  // Read after write, though the load is the longer way.
  CHECK(order("xor.b32 %r10, %r11, 1; ld.shared.u32 %r1, [%r10]; add.s32 %r2, %r1, 1;") == Order{0, 1, 2});
  // Write after read: the load may not change %r1 before the product has read it.
  CHECK(order("mul.lo.s32 %r2, %r1, %r1; ld.global.u32 %r1, [%rd1]; add.s32 %r3, %r1, 1;") == Order{0, 1, 2});
  // Write after write under a guard: the load may leave the product.
  CHECK(order("mul.lo.s32 %r1, %r10, %r10; @%p2 ld.global.u32 %r1, [%rd1]; add.s32 %r3, %r1, 1;") == Order{0, 1, 2});
  // A guard is a source: its comparison stays in front of the load. The next comparison is another value, for which the addition
  // waits and the load does not; it fills the time until the load can issue.
  CHECK(order("setp.lt.s32 %p1, %r10, %r11; @%p1 ld.global.u32 %r1, [%rd1]; setp.lt.s32 %p1, %r11, %r10;"
              "@%p1 add.s32 %r1, %r1, 1;") == Order{0, 2, 1, 3});
}

TEST_CASE("scheduling: access entries follow their instructions, and code says whether they are reordered") {
  const auto program = [](const std::string& body) {
    static program::Kernel kernel;
    kernel = kernel_of(body);
    return machine::lower(kernel, {"volta", ScratchpadAtomics::native, machine::Schedule::list});
  };
  const machine::Program moved = program("st.shared.u32 [%r10], %r1; ld.global.u32 %r2, [%rd2]; add.s32 %r3, %r2, 1;");
  REQUIRE(moved.blocks.size() == 1);
  CHECK(moved.blocks[0].access_entries == 2);
  CHECK(moved.blocks[0].executions == 1);
  CHECK(moved.blocks[0].reordered);
  CHECK(moved.instructions[0].operation == Operation::global_load);
  CHECK(moved.instructions[0].access_entry == 1);
  CHECK(moved.instructions[1].operation == Operation::scratchpad_store);
  CHECK(moved.instructions[1].access_entry == 0);

  const machine::Program kept = program("add.s32 %r1, %r10, 1; ld.global.u32 %r2, [%rd2]; add.s32 %r3, %r2, 1;");
  CHECK(kept.instructions[0].operation == Operation::global_load);
  CHECK_FALSE(kept.blocks[0].reordered);
}

namespace {

using State = std::uint64_t;
State mix(State a, State b) {
  return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
}

/// What straight code leaves, executed on symbols: every result is a hash of the operation and of what it read.
struct Symbols {
  std::map<std::uint16_t, State> registers;
  std::array<State, 8> memory{};  ///< By space.
  std::vector<State> executed;

  void execute(const program::Kernel& kernel, const machine::Instruction& i) {
    using program::MemorySpace;
    const program::StaticInstruction& s = kernel.instructions[i.static_index];
    State value = mix(static_cast<State>(i.operation), mix(i.static_index, i.access_entry));
    for (int n = 0; n < i.source_count; ++n) value = mix(value, registers[i.sources[n]]);
    if (s.guard != program::no_register)
      for (int n = 0; n < i.destination_count; ++n) value = mix(value, registers[i.destinations[n]]);
    const bool everywhere = s.control != program::Control::none || s.reads_clock || i.space == MemorySpace::generic;
    const bool memory_access = everywhere || i.space != MemorySpace::none;
    const bool constant = i.space == MemorySpace::param || i.space == MemorySpace::constant ||
                          i.space == MemorySpace::texture || i.cache_operator == machine::CacheOperator::read_only;
    const bool loads = s.access == program::AccessKind::load;
    for (std::size_t space = 0; memory_access && !constant && space < memory.size(); ++space)
      if (everywhere || space == static_cast<std::size_t>(i.space)) value = mix(value, memory[space]);
    for (std::size_t space = 0; memory_access && !constant && !(loads && !s.reads_clock) && space < memory.size();
         ++space)
      if (everywhere || space == static_cast<std::size_t>(i.space)) memory[space] = value;
    for (int n = 0; n < i.destination_count; ++n) registers[i.destinations[n]] = mix(value, static_cast<State>(n));
    executed.push_back(value);
  }
};

Symbols left_by(const machine::Program& program, const machine::Code& code) {
  Symbols symbols;
  for (std::uint32_t n = code.first; n < code.end; ++n) symbols.execute(*program.kernel, program.instructions[n]);
  std::sort(symbols.executed.begin(), symbols.executed.end());
  return symbols;
}

/// Every entry is taken once; whether in order is what the code says.
void check_entries(const machine::Program& program, const machine::Code& code) {
  std::vector<std::uint32_t> taken;
  for (std::uint32_t n = code.first; n < code.end; ++n)
    for (std::uint32_t e = 0; e < machine::access_entries(program.instructions[n]); ++e)
      taken.push_back(program.instructions[n].access_entry + e);
  CHECK(std::is_sorted(taken.begin(), taken.end()) == !code.reordered);
  std::sort(taken.begin(), taken.end());
  CHECK(taken.size() == code.access_entries);
  for (std::uint32_t n = 0; n < taken.size(); ++n)
    if (taken[n] != n) FAIL_CHECK("entry " << n << " is not taken once");
}

}  // namespace

namespace {

void check_scheduled_code(const std::vector<std::string>& files) {
  std::size_t reordered = 0, unrolled = 0;
  for (const std::string& file : files) {
    const ptx::Module module = ptx::parse_file(file);
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      const program::Kernel kernel = ptx::to_static_program(ptx::link(module, function.name));
      for (const char* set : {"fermi", "maxwell", "volta", "hopper"}) {
        if (test::needs_hopper(kernel) != (std::string(set) == "hopper")) continue;
        CAPTURE(file, function.name, set);
        const machine::Target target{
            set, std::string(set) == "fermi" ? ScratchpadAtomics::lock_loop : ScratchpadAtomics::native};
        const machine::Program in_order = machine::lower(kernel, target);
        machine::Program listed = in_order;
        machine::rename(listed);
        const program::DataFlow flow(kernel);
        machine::Addresses addresses(kernel, flow);
        machine::unroll(listed, flow, addresses);
        machine::schedule(listed);
        REQUIRE(listed.blocks.size() == in_order.blocks.size());
        for (std::size_t b = 0; b < listed.blocks.size(); ++b) {
          CAPTURE(b);
          const Symbols expected = left_by(in_order, in_order.blocks[b]), left = left_by(listed, listed.blocks[b]);
          CHECK(left.executed == expected.executed);
          // Registers of the kernel: what others are left with is read by nobody.
          const auto own = [&](const Symbols& symbols) {
            const auto end = symbols.registers.lower_bound(static_cast<std::uint16_t>(kernel.register_bits.size()));
            return std::map<std::uint16_t, State>(symbols.registers.begin(), end);
          };
          CHECK(own(left) == own(expected));
          CHECK(left.memory == expected.memory);
          check_entries(listed, listed.blocks[b]);
          reordered += listed.blocks[b].reordered;
          for (const machine::Path& path : listed.unrolled[b]) {
            ++unrolled;
            check_entries(listed, path.code);
            CHECK(path.code.access_entries == path.code.executions * listed.blocks[b].access_entries);
          }
        }
      }
    }
  }
  CHECK(reordered > 0);
  CHECK(unrolled > 0);
}

}  // namespace

TEST_CASE("scheduling: on kernels of all kinds the scheduled code reads and leaves what the program does") {
  check_scheduled_code(test::kernel_files(32));
}

TEST_CASE("scheduling: on every kernel the scheduled code reads and leaves what the program does", "[long]") {
  check_scheduled_code(test::kernel_files(1));
}

TEST_CASE("renaming: values of one register do not wait for each other") {
  // Two loads into one register: both go first, though the first one's reader stands between.
  const std::string body =
      "ld.global.nc.u32 %r1, [%rd1]; add.s32 %r2, %r10, %r1; ld.global.nc.u32 %r1, [%rd2]; add.s32 %r3, %r11, %r1;";
  CHECK(order(body) == Order{0, 2, 1, 3});
  CHECK(order(body, Schedule::program_order) == Order{0, 1, 2, 3});
}

TEST_CASE("renaming: readers read the value before them, and what leaves the block keeps its name") {
  const program::Kernel kernel = kernel_of(
      "ld.global.nc.u32 %r1, [%rd1]; xor.b32 %r2, %r10, %r1; ld.global.nc.u32 %r1, [%rd2]; xor.b32 %r3, %r11, %r1;");
  const machine::Program program = machine::lower(kernel, {"volta", ScratchpadAtomics::native, Schedule::list});
  std::map<std::uint32_t, machine::Instruction> by_number;
  for (const machine::Instruction& i : program.instructions) by_number.emplace(i.static_index, i);
  const auto reads = [&](std::uint32_t number, std::uint16_t reg) {
    const machine::Instruction& i = by_number.at(number);
    return std::count(i.sources, i.sources + i.source_count, reg) != 0;
  };
  const std::uint16_t first = by_number.at(0).destinations[0], second = by_number.at(2).destinations[0];
  CHECK(first != second);
  CHECK(reads(1, first));
  CHECK_FALSE(reads(1, second));
  CHECK(reads(3, second));
  CHECK(second < kernel.register_bits.size());  // The PTX's own register.
  CHECK(first >= kernel.register_bits.size());
  CHECK(program.register_bits[first] == program.register_bits[second]);
}

TEST_CASE("renaming: what a guard may leave, and what an instruction adds to, continues the value") {
  // The guarded write may leave the first value: it stays behind it, and in front of the reader. A load issues every 4 cycles.
  CHECK(order("ld.global.nc.u32 %r1, [%rd1]; @%p1 mov.u32 %r1, 7; add.s32 %r2, %r10, %r1;"
              "ld.global.nc.u32 %r1, [%rd2]; add.s32 %r3, %r10, %r1;") == Order{0, 1, 3, 2, 4});
  // A sum of three loads through one register: the loads go first, the additions follow in order.
  CHECK(
      order(
          "ld.global.nc.u32 %r1, [%rd1]; add.s32 %r2, %r2, %r1; ld.global.nc.u32 %r1, [%rd1+4]; add.s32 %r2, %r2, %r1;"
          "ld.global.nc.u32 %r1, [%rd1+8]; add.s32 %r2, %r2, %r1;") == Order{0, 2, 4, 1, 3, 5});
}

TEST_CASE("scheduling: what waits for a guard is put off by what a guard takes") {
  // The comparison's reader waits 13 cycles: all six additions go before it.
  CHECK(order("setp.eq.u32 %p1, %r10, 0; @%p1 add.s32 %r7, %r10, 7; add.s32 %r1, %r10, 1; add.s32 %r2, %r10, 2;"
              "add.s32 %r3, %r10, 3; add.s32 %r4, %r10, 4; add.s32 %r5, %r10, 5; add.s32 %r6, %r10, 6;") ==
        Order{0, 2, 3, 4, 5, 6, 7, 1});
}

}  // namespace lockstep::scheduling_test
