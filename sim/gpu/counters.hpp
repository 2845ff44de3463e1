#pragma once
// Raw event counts of a GPU, composed of those of its parts. Each part declares name, unit and text of its own counters:
// see models/counter.

#include "models/dram/counters.hpp"
#include "models/l2/counters.hpp"
#include "models/noc/counters.hpp"
#include "sim/gpu/counters/access.hpp"
#include "sim/gpu/counters/sm.hpp"

namespace lockstep::gpu {

/// Events of the GPU's translation buffer.
struct TranslationCounters {
  std::uint64_t lookups = 0, misses = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = TranslationCounters;
    declare(&C::lookups, "lookups", "requests", "Requests that missed the SM's translation buffer");
    declare(&C::misses, "misses", "requests", "Of these, requests that missed the GPU's translation buffer");
  }
};

/// Events of the memory behind the SMs, summed over its parts.
struct MemoryCounters {
  noc::Counters noc;
  TranslationCounters tlb;
  l2::Counters l2;
  dram::Counters dram;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = MemoryCounters;
    declare.part(&C::noc, "");
    declare.part(&C::tlb, "tlb.");
    declare.part(&C::l2, "l2.");
    declare.part(&C::dram, "");
  }
};

/// Of a whole GPU.
struct Counters {
  SmCounters sm;  ///< Summed over all SMs.
  MemoryCounters memory;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare.part(&Counters::sm, "sm.");
    declare.part(&Counters::memory, "memory.");
  }
};

/// What became of the issue slots around one instruction of the program. `slots`: those that issued one of its machine
/// instructions, and those that were idle because the warp nearest to issue stood before it. `caused`: the idle ones by
/// what the warp waited for: those stand at the instruction whose result, unit, branch or store it was.
struct InstructionCounters {
  std::uint64_t executed = 0, lanes = 0;
  std::array<std::uint64_t, slot_count> slots{}, caused{};
  AccessCounters accesses;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = InstructionCounters;
    declare(&C::executed, "executed", "instructions", "Warp instructions executed");
    declare(&C::lanes, "lanes", "instructions", "Executed thread instructions: the same, per active lane");
    declare.each(&C::slots, "slots", SmCounters::slot_entry);
    declare.each(&C::caused, "slots", SmCounters::slot_entry);
    declare.part(&C::accesses, "");
  }
};

}  // namespace lockstep::gpu
