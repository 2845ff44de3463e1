#pragma once
// Which instructions of a kernel reach scratchpad memory, and what rewriting their addresses takes. Internal to this
// folder.

#include <string>

#include "isa/ptx/module.hpp"

namespace lockstep::rewrite {

/// How an instruction takes part in rewriting.
struct AccessKind {
  enum class Treatment : std::uint8_t {
    none,      ///< Does not reach scratchpad memory through an operand.
    generic,   ///< May, by an address without a state space.
    elements,  ///< A load or store of elements, which can be split.
    whole,     ///< One access of `bytes`, whose words have to stay together.
    refused    ///< `reason` says why.
  };
  Treatment treatment = Treatment::none;
  std::uint32_t element_bytes = 0, elements = 1;
  bool divisible = true;  ///< Elements of two words may be accessed one word after the other.
  std::string reason;

  std::uint32_t bytes() const { return element_bytes * elements; }
};

/// For a generic access, what it would be if it were one of scratchpad memory stands in the other members.
AccessKind access_kind(const ptx::Instruction& instruction);

/// The instruction with the modifier "shared" where PTX wants a state space.
ptx::Instruction in_scratchpad(ptx::Instruction generic);
/// The mnemonic for so many elements of another type.
std::string mnemonic_of_piece(const ptx::Instruction& instruction, std::uint32_t elements, std::string_view type);

}  // namespace lockstep::rewrite
