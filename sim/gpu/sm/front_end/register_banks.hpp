#pragma once

#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// Where the registers of a program lie in the banks of the register file. The registers of an instruction set with
/// virtual registers get numbers in order, those of 64 and 128 bits two and four on an even or fourfold number;
/// predicates are not in the register file.
class RegisterBanks {
 public:
  RegisterBanks(const RegisterFileSpec& spec, const machine::Program& program);

  /// Cycles that the instruction waits for its source registers, beyond the cycle in which every bank delivers as many
  /// as it has ports. A register that is named twice is read once.
  std::uint32_t extra_cycles(const machine::Instruction& instruction) const;

 private:
  struct Place {
    std::uint32_t first = 0, count = 0;
  };
  RegisterFileSpec spec_;
  std::vector<Place> places_;  ///< By register of the program.
};

}  // namespace lockstep::gpu
