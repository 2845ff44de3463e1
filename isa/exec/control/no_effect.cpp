// Instructions that change nothing the functional machine can see.

#include <algorithm>

#include "isa/exec/steps.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

Outcome no_effect(Warp&, const Op&, LaneMask) {
  return Outcome::next;
}

/// control: the function whose frame is meant.
Outcome refresh_clock(Warp& warp, const Op& op, LaneMask) {
  using ptx::SpecialRegister;
  const ThreadBlock& block = *warp.owner;
  const std::uint64_t now = block.executed(warp, op);
  const std::uint64_t overall = block.executed_overall(warp, op);
  for (const auto& [special, offset] : block.kernel().functions[op.arithmetic.control].layout.specials()) {
    auto* narrow = plane<std::uint32_t>(warp.frame, offset);
    auto* wide = plane<std::uint64_t>(warp.frame, offset);
    switch (special) {
      case SpecialRegister::clock: std::fill_n(narrow, lanes, static_cast<std::uint32_t>(now)); break;
      case SpecialRegister::clock_hi: std::fill_n(narrow, lanes, static_cast<std::uint32_t>(now >> 32)); break;
      case SpecialRegister::clock64: std::fill_n(wide, lanes, now); break;
      case SpecialRegister::globaltimer: std::fill_n(wide, lanes, overall); break;
      case SpecialRegister::globaltimer_lo: std::fill_n(narrow, lanes, static_cast<std::uint32_t>(overall)); break;
      case SpecialRegister::globaltimer_hi:
        std::fill_n(narrow, lanes, static_cast<std::uint32_t>(overall >> 32));
        break;
      default: break;
    }
  }
  return Outcome::next;
}

/// Memory order, hints and waits hold at once here, because one instruction of one warp ends before the next begins. What
/// their modifiers say changes nothing.
void decode_without_effect(Decoder& decoder) {
  // A cache policy changes no value; nothing may look into it.
  if (decoder.opcode() == ptx::Opcode::createpolicy) {
    decoder.result().destination = decoder.destination_plane(decoder.operand(0), ptx::Type::b64);
  }
  decoder.op.step = no_effect;
}

}  // namespace lockstep::exec
