#include "isa/exec/control/passing.hpp"

#include <fmt/format.h>

#include <cstring>

namespace lockstep::exec {

namespace {

template <class T>
void copy_plane(const std::byte* from, std::byte* to, LaneMask mask) {
  for_each_lane(mask, [&](unsigned lane) { std::memcpy(to + lane * sizeof(T), from + lane * sizeof(T), sizeof(T)); });
}

const ptx::Variable* find_param(const ptx::Function& function, const std::string& name) {
  for (const auto* list : {&function.variables, &function.parameters, &function.results}) {
    for (const ptx::Variable& variable : *list) {
      if (variable.name == name) return &variable;
    }
  }
  return nullptr;
}

ptx::Type untyped(const Decoder& decoder, unsigned width) {
  switch (width) {
    case 8: return ptx::Type::b8;
    case 16: return ptx::Type::b16;
    case 32: return ptx::Type::b32;
    case 64: return ptx::Type::b64;
    default: decoder.fail(fmt::format("a literal cannot be a value of {} bits", width));
  }
}

unsigned plane_bytes(unsigned width) {
  return width <= 1 ? 0 : width <= 16 ? 2 : width / 8;
}

}  // namespace

Passed formal(const Decoder& decoder, std::uint32_t callee, const std::vector<ptx::Variable>& variables,
              const std::vector<ptx::RegisterId>& registers, std::size_t index) {
  const ptx::Function& function = *decoder.kernel.program.functions[callee];
  if (!registers.empty()) {
    const ptx::RegisterId id = registers[index];
    return {decoder.kernel.functions[callee].layout.of_register(id), ptx::bits_of(function.registers[id].type), 0, 0,
            function.registers[id].type};
  }
  const ptx::Variable& variable = variables[index];
  return {no_plane, 0, decoder.places.of_function[callee].at(variable.name).address, variable.bytes, variable.type};
}

Passed actual(Decoder& decoder, const ptx::Operand& operand, const Passed& other, bool is_result) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::symbol) {
    const ptx::Variable* variable = find_param(decoder.function, operand.symbol);
    if (variable != nullptr && variable->space == ptx::Space::param) {
      if (decoder.function.is_entry && decoder.place(operand.symbol).space == ptx::Space::param) {
        decoder.fail(fmt::format("the kernel parameter '{}' cannot be passed on directly", operand.symbol));
      }
      return {no_plane, 0, decoder.place(operand.symbol).address, variable->bytes};
    }
    if (variable == nullptr && decoder.kernel.module->find_variable(operand.symbol) == nullptr) {
      decoder.fail(fmt::format("there is no param variable '{}'", operand.symbol));
    }
  }
  if (operand.kind == Kind::reg) {
    return {decoder.layout.of_register(operand.index), decoder.register_width(operand.index), 0, 0};
  }
  if (is_result) decoder.fail("a result must be a param variable or a register");
  const unsigned width = other.plane != no_plane ? other.width : static_cast<unsigned>(other.bytes * 8);
  const ptx::Type type = ptx::bits_of(other.type) == width ? other.type : untyped(decoder, width);
  return {decoder.source_or_address(operand, type), plane_bits(type), 0, 0};
}

CallSite::Copy transfer(const Decoder& decoder, const Passed& from, const Passed& to) {
  CallSite::Copy c;
  c.from_plane = from.plane;
  c.to_plane = to.plane;
  c.from = from.offset;
  c.to = to.offset;
  if (from.plane != no_plane && to.plane != no_plane) {
    if (plane_bytes(from.width) != plane_bytes(to.width)) {
      decoder.fail(fmt::format("passes a value of {} bits where {} are needed", from.width, to.width));
    }
    c.bytes = plane_bytes(from.width);
  } else if (from.plane == no_plane && to.plane == no_plane) {
    if (from.bytes != to.bytes) {
      decoder.fail(fmt::format("passes a value of {} bytes where {} are needed", from.bytes, to.bytes));
    }
    c.bytes = static_cast<std::uint32_t>(from.bytes);
  } else {
    const Passed& in_plane = from.plane != no_plane ? from : to;
    const Passed& in_variable = from.plane != no_plane ? to : from;
    c.plane_bytes = plane_bytes(in_plane.width);
    c.bytes = static_cast<std::uint32_t>(in_variable.bytes);
    if (c.bytes > c.plane_bytes || c.plane_bytes > 8) {
      decoder.fail(fmt::format("a register of {} bits and a variable of {} bytes do not match", in_plane.width,
                               in_variable.bytes));
    }
  }
  return c;
}

/// Bytes of one lane in a plane stand at lane * bytes; a copy of 16 bytes is two planes of 8, a copy of 0 is a
/// predicate.
void copy(Warp& warp, const CallSite::Copy& c, const Activation& source, const Activation& target, LaneMask mask) {
  if (c.from_plane != no_plane && c.to_plane != no_plane) {
    const std::byte* from = source.frame + c.from_plane;
    std::byte* to = target.frame + c.to_plane;
    switch (c.bytes) {
      case 0: {
        LaneMask& p = predicate(target.frame, c.to_plane);
        p = (p & ~mask) | (predicate(source.frame, c.from_plane) & mask);
        break;
      }
      case 2: copy_plane<std::uint16_t>(from, to, mask); break;
      case 4: copy_plane<std::uint32_t>(from, to, mask); break;
      case 8: copy_plane<std::uint64_t>(from, to, mask); break;
      default:
        copy_plane<std::uint64_t>(from, to, mask);
        copy_plane<std::uint64_t>(from + lanes * 8, to + lanes * 8, mask);
    }
    return;
  }
  for_each_lane(mask, [&](unsigned lane) {
    std::byte* const local = ThreadBlock::local(warp, lane);
    if (c.from_plane != no_plane) {
      std::memcpy(local + target.local + c.to, source.frame + c.from_plane + std::size_t{lane} * c.plane_bytes,
                  c.bytes);
    } else if (c.to_plane != no_plane) {
      std::byte* const to = target.frame + c.to_plane + std::size_t{lane} * c.plane_bytes;
      std::memset(to, 0, c.plane_bytes);
      std::memcpy(to, local + source.local + c.from, c.bytes);
    } else {
      std::memmove(local + target.local + c.to, local + source.local + c.from, c.bytes);
    }
  });
}

}  // namespace lockstep::exec
