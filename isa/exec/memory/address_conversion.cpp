// cvta, isspacep.

#include <fmt/format.h>

#include "isa/exec/subjects.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::exec {

namespace {

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

/// Parameters of a kernel lie in the windows .param and .global, not in .const, as on an H200.
bool is_in(ptx::Space space, std::uint64_t address, bool is_parameter) {
  constexpr program::AddressWindows windows;
  const bool shared = address - windows.shared_base < windows.shared_size;
  const bool local = address - windows.local_base < windows.local_size;
  const bool constant = address - constant_base < constant_size;
  switch (space) {
    case ptx::Space::shared: return shared;
    case ptx::Space::local: return local;
    case ptx::Space::constant: return constant && !is_parameter;
    case ptx::Space::param: return is_parameter;
    default: return is_parameter || (!shared && !local && !constant);
  }
}

/// source[0], where parameters begin, and how many bytes they have.
template <class T>
void test_space(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto* a = plane<T>(frame, operation.source[0]);
  const std::uint64_t parameters = *plane<std::uint64_t>(frame, operation.source[1]);
  const std::uint64_t bytes = *plane<std::uint64_t>(frame, operation.source[2]);
  LaneMask result = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const bool is_parameter = a[lane] - parameters < bytes;
    if (is_in(static_cast<ptx::Space>(operation.control), a[lane], is_parameter)) result |= LaneMask{1} << lane;
  }
  LaneMask& destination = predicate(frame, operation.destination);
  destination = (destination & ~mask) | (result & mask);
}

/// What is added to an address of a space to make it generic.
std::uint64_t generic_offset(const Decoder& decoder, ptx::Space space) {
  constexpr program::AddressWindows windows;
  switch (space) {
    case ptx::Space::shared: return windows.shared_base;
    case ptx::Space::local: return windows.local_base;
    case ptx::Space::param: return decoder.function.is_entry ? decoder.kernel.parameter_address : windows.local_base;
    case ptx::Space::global:
    case ptx::Space::constant: return 0;
    default: decoder.unhandled("generic");
  }
}

}  // namespace

void decode_address(Decoder& decoder) {
  Arithmetic& operation = decoder.op.arithmetic;
  decoder.expect_operands(2, 2);
  const auto& operands = decoder.instruction().operands;
  const bool to = decoder.take("to");
  const ptx::Space space = decoder.take_space();
  if (decoder.opcode() == ptx::Opcode::isspacep) {
    const bool wide = operands[1].kind != ptx::Operand::Kind::reg || decoder.register_width(operands[1].index) == 64;
    operation.source[0] = decoder.source_or_address(operands[1], wide ? ptx::Type::u64 : ptx::Type::u32);
    operation.source[1] = decoder.layout.of_constant(decoder.kernel.parameter_address, 64);
    operation.source[2] = decoder.layout.of_constant(decoder.kernel.parameter_bytes, 64);
    operation.destination = decoder.destination_plane(operands[0], ptx::Type::pred);
    operation.control = static_cast<std::uint32_t>(space);
    operation.run = wide ? test_space<std::uint64_t> : test_space<std::uint32_t>;
    return;
  }
  const ptx::Type type = decoder.take_type();
  const unsigned width = ptx::bits_of(type);
  const std::uint64_t offset = generic_offset(decoder, space);
  operation.source[0] = decoder.source_or_address(operands[1], type);
  operation.source[1] = decoder.layout.of_constant(to ? ~offset + 1 : offset, width);
  operation.destination = decoder.destination_plane(operands[0], type);
  operation.run = width == 64 ? add_constant<std::uint64_t> : add_constant<std::uint32_t>;
}

}  // namespace lockstep::exec
