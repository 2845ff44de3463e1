#pragma once
// What each source line of a trace's kernels cost on a GPU.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/trace/header.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::explain {

/// An instruction of a line that accesses memory, and its costliest access.
struct LineAccess {
  std::uint32_t instruction = 0;  ///< Into Kernel::instructions.
  std::string mnemonic;
  gpu::AccessCounters counters;
  gpu::AccessExample example;
};

/// What the instructions of a source line come to, of one kernel; or what the start of its thread blocks comes to, which
/// is no line's doing.
struct LineCosts {
  std::uint32_t kernel = 0;
  bool block_start = false;
  std::string file;          ///< As the compiler names it; "" when the line is not known.
  std::uint32_t number = 0;  ///< Of the line; 0: not known.
  /// "instruction 12: ld.shared.u32" of a kernel none of whose lines is known: then each instruction stands by itself.
  std::string instruction = "";
  /// Where the function of the line was called, when it was inlined there; line 0: it was not.
  std::string call_file = "";
  std::uint32_t call_number = 0;
  std::uint64_t executed = 0, lanes = 0;
  std::uint64_t issued = 0;                           ///< Issue slots.
  std::array<std::uint64_t, gpu::slot_count> lost{};  ///< Issue slots lost because of the line, by reason.
  gpu::AccessCounters accesses;
  std::vector<LineAccess> examples;  ///< The costliest first.

  std::uint64_t lost_slots() const;
  /// Issue slots that it took and that were lost because of it.
  std::uint64_t slots() const { return issued + lost_slots(); }
  /// The reasons with slots, most slots first.
  std::vector<std::pair<gpu::Slot, std::uint64_t>> reasons() const;
};

/// Of a replay with Options::per_instruction: the lines that ran, the costliest first. All their slots together with those
/// without a warp are all slots.
std::vector<LineCosts> line_costs(const trace::Header& header, const gpu::Result& result);

}  // namespace lockstep::explain
