// Atomics that one lane does for all: which lanes act when they are replayed.

#include <catch2/catch.hpp>

#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::atomic_election_test {

using namespace lockstep::test;
using program::SourceOperand;

namespace {

/// Operations that a warp's atomic on global memory comes to on an H200, whose compiler knows that its address is one.
std::uint64_t operations(const std::string& mnemonic, const Lanes& addresses, bool has_result = false) {
  trace::ComposedTrace trace("k");
  const std::uint32_t address = trace.reg(), value = trace.reg(), old = trace.reg();
  trace.access(mnemonic, has_result ? program::AccessKind::atomic : program::AccessKind::reduction,
               program::MemorySpace::global, has_result ? std::vector{old} : std::vector<std::uint32_t>{},
               {address, value});
  program::StaticInstruction& atomic = trace.kernel().instructions.back();
  atomic.address_register = address;
  atomic.operands = {{SourceOperand::Kind::reg, address}, {SourceOperand::Kind::reg, value}};
  trace.control("exit", program::Control::exit, {old});
  trace.kernel().live_registers = 16;
  trace.execute = [&](std::uint64_t, std::uint32_t, auto script) { script.enter(0).touch(addresses); };
  return gpu::simulate(config::load_gpu("h200"), trace).counters.memory.noc.atomic_lanes;
}

const Lanes one_word(32, 256), some_lanes(7, 256);

}  // namespace

TEST_CASE("One lane of a warp updates a word for all that are active") {
  CHECK(operations("red.global.add.u32", one_word) == 1);
  CHECK(operations("red.global.add.u32", some_lanes) == 1);
  CHECK(operations("red.global.add.f32", one_word) == 32);
}

TEST_CASE("Lanes that name several words after all update them each") {
  Lanes apart = one_word;
  apart[9] = 512;
  CHECK(operations("red.global.add.u32", apart) == 32);
}

}  // namespace lockstep::atomic_election_test
