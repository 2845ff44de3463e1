#include "isa/exec/decoder.hpp"

#include <bit>

#include "isa/error.hpp"
#include "isa/ptx/opcode_syntax.hpp"

namespace lockstep::exec {

using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

unsigned plane_bits(Type type) {
  const unsigned bits = ptx::bits_of(type);
  return bits == 8 ? 16 : bits;
}

Decoder::Decoder(Kernel& to, const VariablePlaces& variable_places, std::uint32_t function_index)
    : kernel(to),
      places(variable_places),
      function_number(function_index),
      function(*to.program.functions[function_index]),
      layout(to.functions[function_index].layout) {}

void Decoder::begin(const ptx::Instruction& next, std::uint32_t number) {
  instruction_ = &next;
  const std::vector<std::string>*& taken = taken_[static_cast<std::size_t>(next.opcode)];
  if (next.row().is_executed() && (taken == nullptr || *taken != next.modifiers)) {
    if (!ptx::takes(next.opcode, next.modifiers)) fail(ptx::explain_refusal(next.opcode, next.modifiers));
    taken = &next.modifiers;
  }
  left_.assign(next.modifiers.begin(), next.modifiers.end());
  op = Op{};
  op.instruction = number;
  op.guard = layout.of_constant(1, 1);
  if (next.guard != ptx::no_index) {
    if (register_width(next.guard) != 1)
      fail(fmt::format("the guard {} is not a predicate", register_of(next.guard).name));
    op.guard = layout.of_register(next.guard);
    op.guard_flip = next.guard_negated ? ~LaneMask{0} : 0;
  }
}

void Decoder::finish(Arithmetic::Run run) {
  if (!left_.empty()) unhandled(left_.front());
  op.arithmetic.run = run;
}

// ---- operands ----

void Decoder::expect_operands(std::size_t least, std::size_t most) const {
  const std::size_t found = operand_count();
  if (found >= least && found <= most) return;
  fail(least == most ? fmt::format("takes {} operands, not {}", least, found)
                     : fmt::format("takes {} to {} operands, not {}", least, most, found));
}

void Decoder::destination(std::size_t number, Type type) {
  op.arithmetic.destination = destination_plane(operand(number), type, Sink::spare);
}

void Decoder::source(unsigned slot, std::size_t number, Type type) {
  op.arithmetic.source[slot] = source_plane(operand(number), type);
}

void Decoder::destination_and_sources(Type type, unsigned sources) {
  expect_operands(sources + 1);
  destination(0, type);
  for (unsigned slot = 0; slot < sources; ++slot) source(slot, slot + 1, type);
}

PlaneOffset Decoder::destination_plane(const Operand& to, Type type, Sink sink) const {
  if (to.kind == Kind::sink && sink == Sink::dropped) return no_plane;
  if (to.kind == Kind::sink && sink == Sink::spare) return layout.temporary(plane_bits(type));
  if (to.kind != Kind::reg) fail("the destination must be a register");
  if (to.negated) fail("the destination cannot be negated");
  if (plane_bits(register_of(to.index).type) != plane_bits(type)) fail_width(to, type);
  return layout.of_register(to.index);
}

PlaneOffset Decoder::second_destination(const Operand& to) const {
  if (to.second == ptx::no_index) return no_plane;
  if (register_width(to.second) != 1) fail(fmt::format("{} after '|' is not a predicate", register_of(to.second).name));
  return layout.of_register(to.second);
}

PlaneOffset Decoder::source_plane(const Operand& from, Type type) const {
  switch (from.kind) {
    case Kind::reg:
      if (from.negated) {
        fail(fmt::format("'!' before {} is allowed only for a predicate that is combined with others, not here",
                         register_of(from.index).name));
      }
      if (plane_bits(register_of(from.index).type) != plane_bits(type)) fail_width(from, type);
      return layout.of_register(from.index);
    case Kind::special:
      if (ptx::bits_of(from.special) != ptx::bits_of(type) && from.special != ptx::SpecialRegister::unmodelled) {
        fail(fmt::format("special register %{} has {} bits, not those of .{}", ptx::name_of(from.special),
                         ptx::bits_of(from.special), ptx::name_of(type)));
      }
      return special_plane(from);
    case Kind::integer:
    case Kind::real: return layout.of_constant(literal_bits(from, type), plane_bits(type));
    case Kind::symbol:
      fail(fmt::format("the address of '{}' is not allowed as an operand here; mov loads it into a register",
                       from.symbol));
    default: fail("an operand is neither a register nor a number");
  }
}

PlaneOffset Decoder::source_or_address(const Operand& from, Type type) const {
  if (from.kind != Kind::symbol) return source_plane(from, type);
  const unsigned bits = ptx::bits_of(type);
  if (ptx::is_floating(type) || (bits != 32 && bits != 64)) {
    fail(fmt::format("the address of '{}' does not fit into .{}", from.symbol, ptx::name_of(type)));
  }
  const std::uint64_t address = place(from.symbol).address + static_cast<std::uint64_t>(from.offset);
  return in_frame(from.symbol) ? layout.of_local(address, bits) : layout.of_constant(address, bits);
}

PlaneOffset Decoder::predicate_source(const Operand& from, LaneMask& flip) const {
  flip = 0;
  if (from.kind == Kind::integer) return layout.of_constant(literal_bits(from, Type::pred), 1);
  if (from.kind != Kind::reg || register_width(from.index) != 1) fail("a predicate is needed here");
  if (from.negated) flip = ~LaneMask{0};
  return layout.of_register(from.index);
}

PlaneOffset Decoder::special_plane(const Operand& from) const {
  if (from.special == ptx::SpecialRegister::unmodelled) {
    fail(fmt::format("the special register %{} is not supported", from.symbol));
  }
  return layout.of_special(from.special);
}

namespace {

/// The f32 with the same bits as a 0f literal, which is held as f64: exact, payloads of NaNs included.
std::uint32_t bits_as_written(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  if (value == value) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint32_t>(bits >> 63 << 31) | 0x7f800000u | static_cast<std::uint32_t>(bits >> 29 & 0x7fffff);
}

/// The f32 nearest to an f64; a NaN keeps its sign and the upper part of its payload and becomes quiet.
std::uint32_t rounded_to_single(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  return value == value ? bits_as_written(bits) : bits_as_written(bits) | 0x00400000u;
}

}  // namespace

std::uint64_t Decoder::literal_bits(const Operand& literal, Type type) const {
  if (literal.kind == Kind::integer) {
    if (type == Type::f32 || type == Type::f64) {
      fail(fmt::format("an integer literal where .{0} is expected; write 1.0, or its bits as {1}", ptx::name_of(type),
                       type == Type::f32 ? "0f3F800000" : "0d3FF0000000000000"));
    }
    if (type == Type::pred) return literal.bits != 0 ? 1 : 0;
    const unsigned bits = ptx::bits_of(type);
    const std::uint64_t low = bits >= 64 ? literal.bits : literal.bits & ((std::uint64_t{1} << bits) - 1);
    // An 8-bit operand is held extended to 16 bits.
    return type == Type::s8 && (low & 0x80) != 0 ? low | 0xff00 : low;
  }
  const bool single = literal.real_bits == 32;
  switch (type) {
    case Type::f32: return single ? bits_as_written(literal.bits) : rounded_to_single(literal.bits);
    case Type::f64: return single ? bits_as_written(literal.bits) : literal.bits;
    case Type::b32:
      if (single) return bits_as_written(literal.bits);
      fail(fmt::format("a floating-point literal of 64 bits where .b32 is expected; write its 32 bits as 0f{:08X}",
                       rounded_to_single(literal.bits)));
    case Type::b64:
      if (!single) return literal.bits;
      fail("a floating-point literal of 32 bits where .b64 is expected; write 64 bits as 0d3FF0000000000000");
    default: fail(fmt::format("a floating-point literal where .{} is expected", ptx::name_of(type)));
  }
}

std::uint64_t Decoder::immediate(std::size_t number, std::uint64_t largest) const {
  const Operand& from = operand(number);
  if (from.kind != Kind::integer || from.bits > largest) {
    fail(fmt::format("operand {} must be a number from 0 to {}", number + 1, largest));
  }
  return from.bits;
}

// ---- addresses ----

Place Decoder::place(const std::string& symbol) const {
  const auto& mine = places.of_function[function_number];
  if (const auto at = mine.find(symbol); at != mine.end()) return at->second;
  if (const auto at = places.of_module.find(symbol); at != places.of_module.end()) return at->second;
  if (const ptx::Variable* variable = kernel.module->find_variable(symbol); variable != nullptr) {
    if (variable->is_extern) fail(fmt::format("the variable '{}' is extern and defined nowhere", symbol));
  }
  fail(fmt::format("there is no variable '{}'", symbol));
}

bool Decoder::in_frame(const std::string& symbol) const {
  if (!kernel.program.is_recursive(function_number)) return false;
  const auto& mine = places.of_function[function_number];
  const auto at = mine.find(symbol);
  return at != mine.end() && at->second.space == ptx::Space::local;
}

void Decoder::address(const Operand& operand, MemoryAccess& access) const {
  if (operand.kind != Kind::address) fail("an address in [ ] is needed here");
  if (!operand.elements.empty()) fail("an address of several parts is not supported here");
  access.offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.index != ptx::no_index) {
    access.base_width = static_cast<std::uint8_t>(register_width(operand.index));
    if (access.base_width != 32 && access.base_width != 64) {
      fail(fmt::format("the address register {} must have 32 or 64 bits", register_of(operand.index).name));
    }
    access.base = layout.of_register(operand.index);
  }
  if (operand.symbol.empty()) {
    // A param address in a register, in a device function, is that of one of its own param variables.
    if (access.space == ptx::Space::param && !function.is_entry) access.space = ptx::Space::local;
    return;
  }
  const Place found = place(operand.symbol);
  access.offset += found.address;
  if (in_frame(operand.symbol)) {
    access.base = layout.of_local(0, 64);
    access.base_width = 64;
  }
  if (access.space == found.space) return;
  if (access.space == ptx::Space::param && found.space == ptx::Space::local) {
    access.space = ptx::Space::local;
    return;
  }
  // A variable named in a generic access stands for its address in its own space (PTX ISA 6.4.1).
  if (access.space == ptx::Space::generic) {
    access.space = found.space;
    return;
  }
  fail(fmt::format("the variable '{}' is in the {} space, the instruction names the {} space", operand.symbol,
                   ptx::name_of(found.space), ptx::name_of(access.space)));
}

MemoryAccess& Decoder::new_access() {
  MemoryAccess& access = kernel.accesses.emplace_back();
  op.memory = &access;
  return access;
}

// ---- messages ----

void Decoder::fail(std::string_view why) const {
  throw InputError({kernel.module->file, instruction_->line, instruction_->column},
                   fmt::format("{}: {}", instruction_->mnemonic(), why));
}

void Decoder::unhandled(std::string_view modifier) const {
  throw Bug(fmt::format("{}: unhandled modifier .{}", instruction_->mnemonic(), modifier));
}

void Decoder::fail_width(const Operand& reg, Type type) const {
  const ptx::Register& found = register_of(reg.index);
  fail(fmt::format("register {} is .{} and has {} bits, but {} are needed for .{}", found.name,
                   ptx::name_of(found.type), ptx::bits_of(found.type), ptx::bits_of(type), ptx::name_of(type)));
}

}  // namespace lockstep::exec
