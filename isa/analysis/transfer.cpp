#include "isa/analysis/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/ptx/access.hpp"

namespace lockstep::analysis {

using ptx::Instruction;
using ptx::is_signed;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::SpecialRegister;
using ptx::Type;

namespace {

bool is_integer(Type type) {
  switch (type) {
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64: return true;
    default: return false;
  }
}

bool is_unsigned(Type type) {
  return type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64;
}

/// The types that the modifiers name, in order.
std::vector<Type> types_of(const Instruction& instruction) {
  std::vector<Type> result;
  for (const std::string& modifier : instruction.modifiers) {
    const Type type = ptx::type_named(modifier);
    if (type != Type::none) result.push_back(type);
  }
  return result;
}

/// Numbers of atoms that are the same in a launch, beside those of special registers: a parameter of so many bytes at an
/// offset, and the address of a variable.
constexpr std::uint32_t of_parameter = 0x10000, of_symbol = 0x20000;

}  // namespace

Transfer::Transfer(const ptx::Program& program, const LaunchValues& values, Algebra& algebra)
    : program_(program), values_(values), algebra_(algebra), layout_(ptx::shared_layout(program)) {
  std::uint64_t offset = 0;
  for (const ptx::Variable& parameter : program.functions[0]->parameters) {
    const std::uint64_t alignment = std::max<std::uint32_t>(1, parameter.alignment);
    offset = (offset + alignment - 1) / alignment * alignment;
    parameter_offsets_.emplace(parameter.name, offset);
    offset += parameter.bytes;
  }
}

AtomId Transfer::shared_window() const {
  return algebra_.atom(Atom::Kind::shared_window, 0, 0, [] { return "shared_window"; });
}

bool Transfer::begins_elsewhere(ExpressionId address) const {
  const Expression& terms = algebra_[address];
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
    if (term.coefficient != 1 || term.atoms.size() != 1) return false;
    const Atom& atom = algebra_.atom_at(term.atoms[0]);
    return atom.kind == Atom::Kind::constant &&
           (atom.a == of_parameter + program_.module->address_bits / 8 || atom.a >= of_symbol);
  });
}

ExpressionId Transfer::special(SpecialRegister reg) const {
  const auto number = static_cast<std::uint32_t>(reg);
  const auto same = [&](std::optional<std::uint32_t> known, Range range) {
    if (known) return algebra_.constant(*known);
    const AtomId id = algebra_.atom(Atom::Kind::constant, number, 0, [&] { return std::string(name_of(reg)); });
    algebra_.set_range(id, range);
    return algebra_.of(id);
  };
  const auto dimension = [&](SpecialRegister x) { return number - static_cast<std::uint32_t>(x); };
  switch (reg) {
    case SpecialRegister::tid_x:
    case SpecialRegister::tid_y:
    case SpecialRegister::tid_z: return algebra_.thread(dimension(SpecialRegister::tid_x));
    case SpecialRegister::laneid: return algebra_.lane();
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z: {
      const std::uint32_t d = dimension(SpecialRegister::ntid_x);
      return same(values_.block ? std::optional((*values_.block)[d]) : std::nullopt, {1, 1024});
    }
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z: {
      const std::uint32_t d = dimension(SpecialRegister::nctaid_x);
      return same(values_.grid ? std::optional((*values_.grid)[d]) : std::nullopt, {1, 0x7fffffff});
    }
    case SpecialRegister::ctaid_x:
    case SpecialRegister::ctaid_y:
    case SpecialRegister::ctaid_z: {
      if (!values_.grid) return same(std::nullopt, {0, 0x7ffffffe});
      const std::uint32_t blocks = (*values_.grid)[dimension(SpecialRegister::ctaid_x)];
      return same(blocks == 1 ? std::optional<std::uint32_t>(0) : std::nullopt, {0, std::int64_t{blocks} - 1});
    }
    case SpecialRegister::dynamic_smem_size: return same(values_.dynamic_shared_bytes, {0, 0x7fffffff});
    case SpecialRegister::reserved_smem_offset_begin:
    case SpecialRegister::reserved_smem_offset_end:
    case SpecialRegister::reserved_smem_offset_cap:
    case SpecialRegister::reserved_smem_offset_0:
    case SpecialRegister::reserved_smem_offset_1: return same(std::nullopt, {0, program::AddressWindows{}.shared_size});
    default: return no_expression;
  }
}

ExpressionId Transfer::symbol(const std::string& name, std::int64_t offset, std::uint32_t function) const {
  const ptx::Variable* const variable = ptx::find_visible(*program_.module, *program_.functions[function], name);
  if (variable != nullptr) {
    const auto* const place = layout_.find(variable);
    if (place != nullptr) return algebra_.constant(static_cast<std::int64_t>(place->offset) + offset);
  }
  // The address of a variable elsewhere: the same for all threads, .local ones too, whose spaces are apart.
  const std::string key =
      variable == nullptr ? name : fmt::format("{} {}:{}", name, variable->where.line, variable->where.column);
  const auto number = symbols_.try_emplace(key, static_cast<std::uint32_t>(symbols_.size())).first->second;
  const ExpressionId base = algebra_.of(algebra_.atom(Atom::Kind::constant, of_symbol, number, [&] { return name; }));
  return algebra_.add(base, algebra_.constant(offset));
}

ExpressionId Transfer::operand(const Operand& operand, Type type, std::uint32_t function,
                               const ReadRegister& read) const {
  switch (operand.kind) {
    case Operand::Kind::reg: return operand.negated ? no_expression : read(operand.index);
    case Operand::Kind::special: return special(operand.special);
    case Operand::Kind::symbol: return symbol(operand.symbol, operand.offset, function);
    case Operand::Kind::integer: {
      const auto value = static_cast<std::int64_t>(operand.bits);
      if (ptx::bits_of(type) == 32) return algebra_.constant(static_cast<std::int32_t>(value));
      if (ptx::bits_of(type) == 16) return algebra_.constant(static_cast<std::int16_t>(value));
      return algebra_.constant(value);
    }
    default: return no_expression;
  }
}

ExpressionId Transfer::address(const Instruction& instruction, std::uint32_t function, const ReadRegister& read) const {
  const Operand* const found = instruction.address();
  if (found == nullptr) return no_expression;
  if (!found->symbol.empty() && found->index == ptx::no_index) return symbol(found->symbol, found->offset, function);
  const ExpressionId offset = algebra_.constant(found->offset);
  return found->index == ptx::no_index ? offset : algebra_.add(read(found->index), offset);
}

ExpressionId Transfer::parameter(const Instruction& instruction, std::uint32_t function) const {
  const Operand& from = instruction.operands.back();
  if (function != 0 || from.kind != Operand::Kind::address || from.index != ptx::no_index) return no_expression;
  const auto place = parameter_offsets_.find(from.symbol);
  const std::vector<Type> types = types_of(instruction);
  if (place == parameter_offsets_.end() || types.empty() || !is_integer(types.back())) return no_expression;
  const unsigned bytes = ptx::bits_of(types.back()) / 8;
  const auto given = values_.parameters.find(place->second);
  const auto offset = static_cast<std::uint64_t>(from.offset);
  if (given != values_.parameters.end() && offset + bytes <= given->second.size()) {
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | given->second[offset + i];
    // Read as signed: a parameter of a length or stride never has the highest bit set otherwise.
    const unsigned unused = 64 - bytes * 8;
    if (is_unsigned(types.back()) && bytes < 4) return algebra_.constant(static_cast<std::int64_t>(value));
    return algebra_.constant(static_cast<std::int64_t>(value << unused) >> unused);
  }
  const AtomId id = algebra_.atom(Atom::Kind::constant, of_parameter + bytes,
                                  static_cast<std::uint32_t>(place->second + offset), [&] {
                                    const std::string& kernel = program_.functions[0]->name;
                                    std::string name = from.symbol;
                                    if (name.starts_with(kernel + "_")) name = name.substr(kernel.size() + 1);
                                    return from.offset == 0 ? name : fmt::format("{}+{}", name, from.offset);
                                  });
  return algebra_.of(id);
}

ExpressionId Transfer::convert(const Instruction& instruction, ExpressionId value) const {
  const std::vector<Type> types = types_of(instruction);
  if (types.size() != 2 || !is_integer(types[0]) || !is_integer(types[1])) return no_expression;
  const unsigned bits = std::min(ptx::bits_of(types[0]), ptx::bits_of(types[1]));
  if (bits >= 32) return value;
  // Narrow types wrap in practice: keep the value only where it fits.
  const Type narrow = ptx::bits_of(types[0]) <= ptx::bits_of(types[1]) ? types[0] : types[1];
  const Range range = algebra_.range(value);
  const std::int64_t limit = std::int64_t{1} << (is_signed(narrow) ? bits - 1 : bits);
  const std::int64_t least_value = is_signed(narrow) ? -limit : 0;
  if (range.low && range.high && *range.low >= least_value && *range.high < limit) return value;
  return is_signed(narrow) ? no_expression : algebra_.remainder(value, algebra_.constant(limit));
}

ExpressionId Transfer::divide(Type type, ExpressionId x, ExpressionId y, bool remainder) const {
  // Signed division rounds towards 0, ours downwards: the same where nothing is negative.
  const Range range = algebra_.range(x);
  if (is_signed(type) && !(range.low && *range.low >= 0)) return no_expression;
  return remainder ? algebra_.remainder(x, y) : algebra_.quotient(x, y);
}

ExpressionId Transfer::least(ExpressionId x, ExpressionId y, bool greatest) const {
  const ExpressionId difference = algebra_.subtract(y, x);
  if (difference == no_expression) return no_expression;
  const Range range = algebra_.range(difference);
  if (range.low && *range.low >= 0) return greatest ? y : x;
  if (range.high && *range.high <= 0) return greatest ? x : y;
  return no_expression;
}

ExpressionId Transfer::result(const Instruction& instruction, std::uint32_t function, const ReadRegister& read) const {
  const Opcode opcode = instruction.opcode;
  const std::vector<Type> types = types_of(instruction);
  if (opcode == Opcode::ld && instruction.has("param")) return parameter(instruction, function);
  if (types.empty() || !is_integer(types.back()) || instruction.operands.empty()) return no_expression;
  const Type type = types.back();
  const bool wide = instruction.has("wide");
  std::vector<ExpressionId> in;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    const Operand& one = instruction.operands[i];
    // An unsigned factor of a long product is not a small negative number.
    const bool long_factor = i < 3 && (wide || instruction.has("hi")) && is_unsigned(type);
    if (long_factor && one.kind == Operand::Kind::integer && ptx::bits_of(type) == 32) {
      in.push_back(algebra_.constant(static_cast<std::uint32_t>(one.bits)));
      continue;
    }
    in.push_back(operand(one, type, function, read));
    if (in.back() == no_expression) return no_expression;
  }
  Algebra& a = algebra_;
  const auto is = [&](Opcode which, std::size_t operands) { return opcode == which && in.size() == operands; };
  const auto known = [](ExpressionId e) { return e != no_expression; };
  if (instruction.has("cc") || instruction.has("sat")) return no_expression;
  if (is(Opcode::mov, 1)) return in[0];
  if (is(Opcode::cvta, 1)) {
    if (!ptx::NamedSpaces(instruction).has_own_scratchpad()) return in[0];
    const ExpressionId window = a.of(shared_window());
    return instruction.has("to") ? a.subtract(in[0], window) : a.add(in[0], window);
  }
  if (is(Opcode::cvt, 1)) return convert(instruction, in[0]);
  if (is(Opcode::add, 2)) return a.add(in[0], in[1]);
  if (is(Opcode::sub, 2)) return a.subtract(in[0], in[1]);
  if (is(Opcode::neg, 1)) return a.multiply(in[0], a.constant(-1));
  if (is(Opcode::not_, 1)) return a.subtract(a.constant(-1), in[0]);
  if (is(Opcode::abs, 1)) return least(a.constant(0), in[0], true) == in[0] ? in[0] : no_expression;
  const bool product = is(Opcode::mul, 2) || is(Opcode::mul24, 2) || is(Opcode::mad, 3) || is(Opcode::mad24, 3);
  if (product) {
    ExpressionId value = a.multiply(in[0], in[1]);
    if (known(value) && instruction.has("hi")) {
      if (opcode == Opcode::mul24 || opcode == Opcode::mad24 || ptx::bits_of(type) != 32) return no_expression;
      value = a.quotient(value, a.constant(std::int64_t{1} << 32));
    }
    return known(value) && in.size() == 3 ? a.add(value, in[2]) : value;
  }
  if (is(Opcode::shl, 2) || is(Opcode::shr, 2)) {
    const ExpressionId power = a.power_of_two(in[1]);
    if (!known(power)) return no_expression;
    if (opcode == Opcode::shl) return a.multiply(in[0], power);
    const Range range = a.range(in[0]);
    // The sign alone, with which compilers round the quotients of signed numbers.
    const bool sign = a.constant_value(in[1]) == std::int64_t{ptx::bits_of(type)} - 1;
    if (sign && is_signed(type) && range.low && *range.low >= 0) return a.constant(0);
    // Compilers take the sign bit of a number, or the lowest bits of a sign (all ones or none), to round quotients of
    // negative numbers towards 0.
    constexpr std::int64_t beyond = std::int64_t{1} << 31;
    const std::optional<std::int64_t> distance = a.constant_value(in[1]);
    const bool of_sign = range.low && *range.low == -1 && range.high && *range.high <= 0;
    const bool negative = range.low && *range.low < 0 && *range.low >= -beyond && range.high && *range.high < beyond;
    if (is_unsigned(type) && ptx::bits_of(type) == 32 && distance && *distance > 0 && *distance < 32 && negative &&
        (sign || of_sign)) {
      // As unsigned, a negative number is larger by 2^32.
      const ExpressionId whole = a.quotient(in[0], a.constant(beyond));
      return a.subtract(a.quotient(in[0], power), a.multiply(whole, a.constant(std::int64_t{1} << (32 - *distance))));
    }
    if (is_unsigned(type) && range.high && *range.high < 0) return no_expression;
    return a.quotient(in[0], power);
  }
  if (is(Opcode::and_, 2)) return a.bit_and(in[0], in[1]);
  if (is(Opcode::or_, 2)) return a.bit_or(in[0], in[1]);
  if (is(Opcode::xor_, 2)) return a.bit_xor(in[0], in[1]);
  if (is(Opcode::div, 2)) return divide(type, in[0], in[1], false);
  if (is(Opcode::rem, 2)) return divide(type, in[0], in[1], true);
  if (is(Opcode::min, 2) || is(Opcode::max, 2)) return least(in[0], in[1], opcode == Opcode::max);
  const auto field = [&](ExpressionId x, ExpressionId position, ExpressionId length) {
    const ExpressionId low = a.power_of_two(position), size = a.power_of_two(length);
    if (!known(low) || !known(size)) return no_expression;
    const ExpressionId shifted = a.quotient(x, low);
    return known(shifted) ? a.remainder(shifted, size) : no_expression;
  };
  if (is(Opcode::bfe, 3) && !is_signed(type)) return field(in[0], in[1], in[2]);
  if (is(Opcode::bfi, 4)) {
    const ExpressionId position = a.power_of_two(in[2]);
    const ExpressionId inserted = a.remainder(in[0], a.power_of_two(in[3]));
    const ExpressionId replaced = field(in[1], in[2], in[3]);
    if (!known(position) || !known(inserted) || !known(replaced)) return no_expression;
    return a.add(in[1], a.multiply(position, a.subtract(inserted, replaced)));
  }
  return no_expression;
}

bool Transfer::differs_by_lane(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (instruction.row().traits.lanes == ptx::LaneResults::differ) return true;
  if (opcode == Opcode::ld) {
    // An address without a space may be one of local memory, which every thread has for itself.
    const Space space = ptx::space_of(instruction);
    return space != Space::global && space != Space::shared && space != Space::constant;
  }
  if (opcode != Opcode::mov) return false;
  const Operand& from = instruction.operands.back();
  if (from.kind != Operand::Kind::special) return false;
  switch (from.special) {
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt:
    case SpecialRegister::unmodelled: return true;
    default: return false;
  }
}

bool Transfer::same_in_all_lanes(const Instruction& instruction) {
  return instruction.row().traits.lanes == ptx::LaneResults::equal;
}

Range Transfer::result_range(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::popc || opcode == Opcode::clz) return {0, 64};
  if (opcode != Opcode::ld && opcode != Opcode::ldu) return {};
  const std::vector<Type> types = types_of(instruction);
  if (types.empty()) return {};
  if (types.back() == Type::u8 || types.back() == Type::b8) return {0, 0xff};
  if (types.back() == Type::u16 || types.back() == Type::b16) return {0, 0xffff};
  return {};
}

}  // namespace lockstep::analysis
