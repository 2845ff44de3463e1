// cvta, isspacep.

#include <fmt/format.h>

#include "isa/exec/decoding.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::exec {

namespace {

constexpr program::AddressWindows windows;

/// source[0] plus the constant source[1].
template <class T>
void add_constant(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto* a = plane<T>(frame, operation.source[0]);
  const auto* b = plane<T>(frame, operation.source[1]);
  auto* d = plane<T>(frame, operation.destination);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) != 0) d[lane] = a[lane] + b[lane];
  }
}

bool is_in(ptx::Space space, std::uint64_t address) {
  const bool shared = address - windows.shared_base < windows.shared_size;
  const bool local = address - windows.local_base < windows.local_size;
  const bool constant = address - constant_base < constant_size;
  switch (space) {
    case ptx::Space::shared: return shared;
    case ptx::Space::local: return local;
    case ptx::Space::constant:
    case ptx::Space::param: return constant;
    default: return !shared && !local && !constant;
  }
}

template <class T>
void test_space(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto* a = plane<T>(frame, operation.source[0]);
  LaneMask result = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (is_in(static_cast<ptx::Space>(operation.control), a[lane])) result |= LaneMask{1} << lane;
  }
  LaneMask& destination = predicate(frame, operation.destination);
  destination = (destination & ~mask) | (result & mask);
}

/// What is added to an address of a space to make it generic.
std::uint64_t generic_offset(const Decoding& decoding, ptx::Space space) {
  switch (space) {
    case ptx::Space::shared: return windows.shared_base;
    case ptx::Space::local: return windows.local_base;
    case ptx::Space::param: return decoding.function.is_entry ? decoding.kernel.parameter_address : windows.local_base;
    case ptx::Space::global:
    case ptx::Space::constant: return 0;
    default: decoding.fail("names no state space");
  }
}

}  // namespace

bool decode_address(Decoding& decoding) {
  const std::string& opcode = decoding.instruction->opcode;
  if (opcode != "cvta" && opcode != "isspacep") return false;
  Modifiers modifiers(decoding);
  Arithmetic& operation = decoding.op.arithmetic;
  decoding.expect_operands(2, 2);
  const auto& operands = decoding.instruction->operands;
  const bool to = modifiers.take("to");
  const ptx::Space space = modifiers.take_space();
  if (space == ptx::Space::generic) decoding.fail("names no state space");
  if (opcode == "isspacep") {
    modifiers.finish();
    const bool wide = operands[1].kind != ptx::Operand::Kind::reg || decoding.register_width(operands[1].index) == 64;
    operation.source[0] = decoding.source(operands[1], wide ? 64 : 32);
    operation.destination = decoding.destination(operands[0], 1);
    operation.control = static_cast<std::uint32_t>(space);
    operation.run = wide ? test_space<std::uint64_t> : test_space<std::uint32_t>;
    return true;
  }
  const ptx::Type type = modifiers.take_type();
  modifiers.finish();
  if (type != ptx::Type::u64 && type != ptx::Type::u32) decoding.fail("converts addresses of type .u32 or .u64");
  const unsigned width = ptx::bits_of(type);
  const std::uint64_t offset = generic_offset(decoding, space);
  operation.source[0] = decoding.source(operands[1], width);
  operation.source[1] = decoding.layout.of_constant(to ? ~offset + 1 : offset, width);
  operation.destination = decoding.destination(operands[0], width);
  operation.run = width == 64 ? add_constant<std::uint64_t> : add_constant<std::uint32_t>;
  return true;
}

}  // namespace lockstep::exec
