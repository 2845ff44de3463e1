#pragma once
// Every opcode of the PTX ISA, with the number of operands that its instructions take.

#include <cstdint>
#include <string_view>

namespace lockstep::ptx {

struct Opcode {
  std::string_view name;
  std::uint8_t least_operands = 0, most_operands = 0;
  bool writes = true;  ///< The first operand is written, unless a modifier says otherwise.
};

/// nullptr when PTX has no such opcode.
const Opcode* find_opcode(std::string_view name);

/// The opcode that is spelled most like the word, or "".
std::string_view nearest_opcode(std::string_view word);

}  // namespace lockstep::ptx
