#pragma once
// The families of arithmetic instructions: each file brings the decoders of its opcodes.

#include <span>

#include "isa/exec/arithmetic/lanes.hpp"
#include "isa/exec/decoder.hpp"

namespace lockstep::exec {

/// One opcode: its decoder for integer (and bit) types, and its decoder for floating types.
struct ArithmeticOpcode {
  using Decode = void (*)(Decoder&);
  ptx::Opcode opcode;
  Decode integer, floating;
};
std::span<const ArithmeticOpcode> integer_opcodes();
std::span<const ArithmeticOpcode> bit_opcodes();
std::span<const ArithmeticOpcode> float_opcodes();
std::span<const ArithmeticOpcode> compare_opcodes();
std::span<const ArithmeticOpcode> convert_opcodes();
std::span<const ArithmeticOpcode> move_opcodes();
std::span<const ArithmeticOpcode> video_opcodes();

}  // namespace lockstep::exec
