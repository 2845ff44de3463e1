#pragma once
// From which variable or kernel parameter the addresses of memory instructions are computed.

#include <cstdint>
#include <map>
#include <utility>

#include "isa/ptx/program.hpp"

namespace lockstep::analysis {

/// The base of each address operand that has exactly one: a variable in scratchpad, local, global or constant memory, or
/// a parameter of the kernel that is loaded whole. A register has the base of the one operand of its moves, conversions
/// between spaces and widths, additions, subtractions, bit operations and selections that has a base; on every way that
/// leads there it must be the same. Any other instruction on a value with a base, and two different bases in one value,
/// leave an address without one. Values loaded from memory, passed to or returned from functions have none.
class AddressBases {
 public:
  explicit AddressBases(const ptx::Program& program);

  /// Of operand `operand` of an instruction of the program; nullptr when it has none or not exactly one.
  const ptx::Variable* of(std::uint32_t instruction, std::uint32_t operand) const {
    const auto found = bases_.find({instruction, operand});
    return found == bases_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, const ptx::Variable*> bases_;
};

}  // namespace lockstep::analysis
