#pragma once
// Instructions that only read and write registers of their own lane: arithmetic, logic, compare, select, convert, move,
// bit fields. Each is decoded once into a function and its planes, then executed for all lanes at a time.

#include <cstddef>
#include <cstdint>

#include "isa/exec/frame.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::exec {

struct Arithmetic {
  /// Writes the destination planes in the lanes of `mask`, and nothing in other lanes.
  using Run = void (*)(std::byte* frame, const Arithmetic& operation, LaneMask mask);
  Run run = nullptr;
  PlaneOffset destination = no_plane, second_destination = no_plane;
  PlaneOffset source[4] = {no_plane, no_plane, no_plane, no_plane};
  std::uint32_t control = 0;  ///< Additional input of the function: a lookup table, a comparison, a mode.
};

/// What surrounds the instruction that is decoded.
struct DecodeContext {
  const ptx::Module& module;
  const ptx::Function& function;
  FrameLayout& layout;
  /// Resolves the address that `mov` takes of a variable (its window or device address); set by the machine.
  std::uint64_t (*address_of)(const void* owner, const std::string& symbol) = nullptr;
  const void* owner = nullptr;
};

/// True and `result` filled when the instruction is one of these. False when its opcode belongs elsewhere (memory,
/// control, exchange between lanes). InputError with the PTX place when the opcode is one of these but the modifiers or
/// operands are not supported or not valid PTX; the message names the whole instruction.
bool decode_arithmetic(const DecodeContext& context, const ptx::Instruction& instruction, Arithmetic& result);

}  // namespace lockstep::exec
