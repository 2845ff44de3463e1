// A trace of a workload, lowered to machine instructions and written as Accel-Sim's tracer would have written them, comes back
// with the same work and, as near as that format can tell, the same cycles. It has no predicates (the importer takes the
// latest that was set), no launch constants and no immediate operands of barriers.

#include <catch2/catch.hpp>

#include <bit>

#include "isa/accelsim/source.hpp"
#include "isa/exec/machine.hpp"
#include "isa/machine/lowering.hpp"
#include "isa/trace/stream.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/workload/workload.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/accelsim/accelsim_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using machine::Operation;

namespace {

constexpr std::uint32_t none = ~0u;

const char* opcode_of(Operation operation) {
  switch (operation) {
    case Operation::integer: return "IADD3";
    case Operation::integer_multiply: return "IMAD";
    case Operation::wide_multiply: return "IMAD.HI";
    case Operation::shift: return "SHF";
    case Operation::compare: return "ISETP";
    case Operation::min_max: return "IMNMX";
    case Operation::bit_count: return "POPC";
    case Operation::bit_find: return "FLO";
    case Operation::floating: return "FFMA";
    case Operation::floating_multiply: return "FMUL";
    case Operation::conversion: return "I2F";
    case Operation::special_function: return "MUFU";
    case Operation::special_register: return "S2R";
    case Operation::exchange: return "SHFL";
    case Operation::scratchpad_load: return "LDS";
    case Operation::scratchpad_store: return "STS";
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction: return "ATOMS.ADD";
    case Operation::global_load: return "LDG";
    case Operation::global_store: return "STG";
    case Operation::global_atomic: return "ATOMG.ADD";
    case Operation::global_reduction: return "REDG.ADD";
    case Operation::constant_load: return "LDC";
    case Operation::branch: return "BRA";
    case Operation::barrier: return "BAR.SYNC";
    case Operation::fence: return "MEMBAR";
    case Operation::exit: return "EXIT";
    default: FAIL("no opcode for " << name_of(operation)); return "";
  }
}

/// Registers of 32 bits by number, without that which is always zero. Predicates are not recorded.
std::string registers(const machine::Program& program, const std::uint16_t* entries, std::uint32_t count,
                      std::uint32_t most) {
  std::string text;
  std::uint32_t written = 0;
  for (std::uint32_t n = 0; n < count && written < most; ++n) {
    if (program.register_bits[entries[n]] == 1) continue;
    text += fmt::format(" R{}", entries[n] < 255 ? entries[n] : entries[n] + 1);
    ++written;
  }
  return std::to_string(written) + text;
}

std::string line_of(const machine::Program& program, std::uint32_t number, std::uint32_t mask,
                    const trace::AccessEntry* access) {
  const machine::Instruction& i = program.instructions[number];
  std::string text = fmt::format("{:04x} {:08x} {} {}", 16 * number, access != nullptr ? access->mask : mask,
                                 registers(program, i.destinations, i.destination_count, 16), opcode_of(i.operation));
  if (i.adds_one) text += ".POPC.INC";
  const std::uint32_t bytes = std::uint32_t{i.element_bytes} * i.vector_elements;
  if (access != nullptr && bytes != 4) text += bytes == 8 ? ".64" : bytes == 16 ? ".128" : bytes == 2 ? ".U16" : ".U8";
  text += " " + registers(program, i.sources, i.source_count, 16);
  return access == nullptr ? text + " 0 0" : fmt::format("{} {} {}", text, bytes, each(access->mask, access->address));
}

/// Writes every launch of a trace, and returns the folder's list.
void write_accelsim(trace::Source& source, const machine::Program& program, const TemporaryFolder& folder) {
  std::string list;
  for (std::uint32_t n = 0; n < source.header().launches.size(); ++n) {
    const trace::Launch& launch = source.header().launches[n];
    const program::Kernel& kernel = source.header().kernels[launch.kernel];
    AccelsimText text;
    text.name = kernel.name;
    text.grid = launch.grid;
    text.block = launch.block;
    text.scratchpad_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
    text.registers = launch.registers_per_thread != 0 ? launch.registers_per_thread : kernel.live_registers;
    for (std::uint64_t b = 0; b < launch.thread_blocks(); ++b) {
      const auto streams = source.open(n, b);
      text.thread_block(static_cast<std::uint32_t>(b % launch.grid[0]),
                        static_cast<std::uint32_t>(b / launch.grid[0] % launch.grid[1]),
                        static_cast<std::uint32_t>(b / launch.grid[0] / launch.grid[1]));
      for (std::uint32_t w = 0; w < launch.warps_per_block(); ++w) {
        trace::StreamCursor cursor(streams->warp(w));
        trace::BlockEntry entry;
        trace::AccessEntry access;
        std::vector<std::string> lines;
        std::uint32_t branch = none, before = 0, lanes = 0;  // A guarded branch that was the last instruction.
        while (cursor.next_block(entry)) {
          const machine::Code& code = program.blocks[entry.block];
          if (branch != none)  // The lanes that jump.
            lines.back() =
                line_of(program, branch, lanes & (entry.block == before + 1 ? ~entry.mask : entry.mask), nullptr);
          branch = none;
          for (std::uint32_t i = code.first; i < code.end; ++i) {
            const machine::Instruction& instruction = program.instructions[i];
            if (instruction.takes_access) cursor.next_access(access);
            if (instruction.only_own_space) continue;  // A parameter that is an operand.
            const bool has_addresses =
                instruction.takes_access && machine::unit_of(instruction.operation) == machine::Unit::load_store;
            lines.push_back(line_of(program, i, entry.mask, has_addresses ? &access : nullptr));
            if (instruction.operation == Operation::branch && instruction.guard != machine::Instruction::no_guard)
              branch = i;
          }
          before = entry.block;
          lanes = entry.mask;
        }
        text.warp(w, lines);
      }
    }
    const std::string name = fmt::format("kernel-{}.traceg", n + 1);
    folder.write(name, text.text());
    list += name + "\n";
  }
  folder.write("kernelslist.g", list);
}

struct Outcome {
  gpu::Result before, after;
};

Outcome round_trip(const char* workload, const workload::ArgumentOverrides& arguments, const char* gpu) {
  gpu::GpuSpec spec = config::load_gpu(gpu);
  spec.target.schedule = machine::Schedule::program_order;
  const auto executed = [&] { return exec::Machine(workload::Workload::load(workload).build(arguments)); };
  exec::Machine replayed = executed(), written = executed();
  Outcome outcome;
  outcome.before = gpu::simulate(spec, replayed);
  REQUIRE(written.header().kernels.size() == 1);
  TemporaryFolder folder;
  write_accelsim(written, machine::lower(written.header().kernels[0], spec.target), folder);
  accelsim::AccelsimSource imported(folder.path(), {});
  outcome.after = gpu::simulate(spec, imported);
  return outcome;
}

}  // namespace

TEST_CASE("A workload that goes through Accel-Sim's format comes back with the same work and nearly the same cycles") {
  struct Case {
    const char* workload;
    workload::ArgumentOverrides arguments;
    double cycles;  ///< Relative difference that the format explains.
  };
  const Case cases[] = {
      {"vector-add", {{"length", "5000"}}, 0},
      {"histogram", {{"blocks", "2"}, {"length", "5000"}, {"input", "uniform"}}, 0.01},
      {"reduction", {{"length", "3000"}}, 0},
      {"matrix_scan", {{"rows", "4"}}, 0.01},
      {"transpose", {{"width", "96"}, {"height", "64"}}, 0},
  };
  for (const char* gpu : {"v100", "p100"}) {
    for (const Case& one : cases) {
      CAPTURE(gpu, one.workload);
      const Outcome outcome = round_trip(one.workload, one.arguments, gpu);
      const gpu::SmCounters &a = outcome.before.counters.sm, &b = outcome.after.counters.sm;
      CHECK(a.machine_instructions == b.machine_instructions);
      CHECK(a.scratchpad_load_passes == b.scratchpad_load_passes);
      CHECK(a.scratchpad_store_passes == b.scratchpad_store_passes);
      CHECK(a.scratchpad_bank_conflicts == b.scratchpad_bank_conflicts);
      CHECK(a.barriers == b.barriers);
      CHECK(a.global_transactions == b.global_transactions);
      CHECK(a.memory_unit.gld_moved_bytes == b.memory_unit.gld_moved_bytes);
      CHECK(static_cast<double>(outcome.after.cycles) ==
            Approx(static_cast<double>(outcome.before.cycles)).epsilon(one.cycles));
    }
  }
}
