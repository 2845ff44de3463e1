#include "isa/analysis/possible_bits.hpp"

#include <algorithm>
#include <bit>

#include "isa/ptx/register_use.hpp"

namespace lockstep::analysis {

namespace {

using ptx::Opcode;
using ptx::Operand;

constexpr std::uint64_t anything = ~std::uint64_t{0};

std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? anything : (std::uint64_t{1} << count) - 1;
}
/// Those of all values up to `most`.
std::uint64_t bits_up_to(std::uint64_t most) {
  return low_bits(static_cast<unsigned>(std::bit_width(most)));
}
std::uint64_t aligned_from(std::uint64_t ones, unsigned zeros) {
  return zeros >= 64 ? 0 : ones & (anything << zeros);
}

/// A mask is also the largest value that it allows.
std::uint64_t sum(std::uint64_t x, std::uint64_t y) {
  if ((x & y) == 0) return x | y;
  std::uint64_t most = 0;
  const bool overflows = __builtin_add_overflow(x, y, &most);
  return aligned_from(overflows ? anything : bits_up_to(most), static_cast<unsigned>(std::countr_zero(x | y)));
}

std::uint64_t product(std::uint64_t x, std::uint64_t y) {
  if (x == 0 || y == 0) return 0;
  std::uint64_t most = 0;
  const bool overflows = __builtin_mul_overflow(x, y, &most);
  return aligned_from(overflows ? anything : bits_up_to(most),
                      static_cast<unsigned>(std::countr_zero(x) + std::countr_zero(y)));
}

/// A product with a constant, exact for powers of two.
std::uint64_t scaled(std::uint64_t x, std::uint64_t by) {
  if (std::has_single_bit(by) && std::countl_zero(x) >= std::countr_zero(by)) return x << std::countr_zero(by);
  return product(x, by);
}

bool is_integer(ptx::Type type) {
  using ptx::Type;
  constexpr Type integers[] = {Type::u8,  Type::u16, Type::u32, Type::u64, Type::s8,  Type::s16,
                               Type::s32, Type::s64, Type::b8,  Type::b16, Type::b32, Type::b64};
  return std::find(std::begin(integers), std::end(integers), type) != std::end(integers);
}

const KnownValue unknown{anything, nullptr}, mixed{anything, nullptr, false, true},
    unset{0, nullptr, false, false, true};

KnownValue plain(std::uint64_t ones) {
  return {ones, nullptr};
}
bool is_plain(const KnownValue& value) {
  return value.base == nullptr && !value.mixed;
}
KnownValue joined(const KnownValue& a, const KnownValue& b) {
  if (a.unset || b.unset) return a.unset ? b : a;
  if (a.base != b.base || a.generic != b.generic || a.mixed || b.mixed) return mixed;
  return {a.ones | b.ones, a.base, a.generic};
}

/// A value of this type in a wider register.
std::uint64_t extended(std::uint64_t ones, ptx::Type type) {
  const unsigned bits = ptx::bits_of(type);
  ones &= low_bits(bits);
  const bool negative = ptx::is_signed(type) && bits > 0 && bits < 64 && (ones >> (bits - 1) & 1) != 0;
  return negative ? ones | ~low_bits(bits) : ones;
}

}  // namespace

PossibleBits::PossibleBits(const ptx::Program& program, std::uint32_t function,
                           const std::optional<program::Dim3>& block)
    : program_(program),
      function_(*program.functions[function]),
      block_(block),
      first_block_(program.first_block[function]) {
  if (!block_ && function_.required_threads[0] != 0)
    block_ = program::Dim3{function_.required_threads[0], std::max(1u, function_.required_threads[1]),
                           std::max(1u, function_.required_threads[2])};
  std::uint32_t end = first_block_;
  while (end < program.blocks.size() && program.blocks[end].function == function) ++end;
  at_.resize(end - first_block_);
  std::vector<bool> pending(at_.size());
  if (at_.empty()) return;
  at_[0].values.assign(function_.registers.size(), unset);
  at_[0].conditions.resize(function_.registers.size());
  pending[0] = true;
  for (auto next = pending.begin(); (next = std::find(pending.begin(), pending.end(), true)) != pending.end();) {
    *next = false;
    const auto number = static_cast<std::uint32_t>(next - pending.begin());
    const ptx::BasicBlock& one = program.blocks[first_block_ + number];
    Registers at_end = at_[number];
    for (std::uint32_t n = one.first; n < one.first + one.count; ++n) execute(program.instruction(n), at_end);
    for (const std::uint32_t successor : one.successors) {
      Registers registers = at_edge(one, successor, at_end);
      Registers& there = at_[successor - first_block_];
      if (there.values.empty()) {
        there = std::move(registers);
        pending[successor - first_block_] = true;
        continue;
      }
      for (std::size_t reg = 0; reg < there.values.size(); ++reg) {
        const Value both = joined(there.values[reg], registers.values[reg]);
        const Condition condition =
            there.conditions[reg] == registers.conditions[reg] ? there.conditions[reg] : Condition{};
        if (both == there.values[reg] && condition == there.conditions[reg]) continue;
        there.values[reg] = both;
        there.conditions[reg] = condition;
        pending[successor - first_block_] = true;
      }
    }
  }
}

std::optional<PossibleBits::Condition> PossibleBits::condition_of(const ptx::Instruction& i) {
  if (i.opcode != Opcode::setp || i.guard != ptx::no_index || i.operands.size() != 3) return std::nullopt;
  const ptx::Type type = i.last_type();
  const unsigned width = ptx::bits_of(type);
  if (!is_integer(type) || width < 32 || i.operands[1].kind != Operand::Kind::reg ||
      i.operands[2].kind != Operand::Kind::integer || i.operands[0].second != ptx::no_index)
    return std::nullopt;
  Condition condition{i.operands[1].index, anything, anything, ptx::is_signed(type)};
  const std::uint64_t bound = i.operands[2].bits & low_bits(width);
  if (condition.is_signed && (bound >> (width - 1) & 1) != 0) return std::nullopt;
  const bool below = i.has("lt") || i.has("lo"), up_to = i.has("le") || i.has("ls"), above = i.has("gt") || i.has("hi"),
             from = i.has("ge") || i.has("hs");
  if (below && bound > 0) condition.most_if_true = bound - 1;
  if (up_to || i.has("eq")) condition.most_if_true = bound;
  if (above || i.has("ne")) condition.most_if_false = bound;
  if (from && bound > 0) condition.most_if_false = bound - 1;
  // For others nothing follows.
  return condition;
}

PossibleBits::Registers PossibleBits::at_edge(const ptx::BasicBlock& block, std::uint32_t successor,
                                              const Registers& at_end) const {
  Registers registers = at_end;
  const ptx::Instruction& last = program_.instruction(block.first + block.count - 1);
  if (block.successors.size() != 2 || last.opcode != Opcode::bra || last.guard == ptx::no_index) return registers;
  const Condition& condition = at_end.conditions[last.guard];
  if (condition.reg == ptx::no_index) return registers;
  // The block that follows comes first.
  const bool taken = successor == block.successors[1];
  const std::uint64_t most = taken != last.guard_negated ? condition.most_if_true : condition.most_if_false;
  Value& value = registers.values[condition.reg];
  const unsigned width = std::max(1u, ptx::bits_of(function_.registers[condition.reg].type));
  const bool negative = condition.is_signed && (value.ones >> (width - 1) & 1) != 0;
  if (is_plain(value) && !value.unset && !negative) value.ones &= bits_up_to(most);
  return registers;
}

PossibleBits::Registers PossibleBits::registers_before(std::uint32_t instruction) const {
  const std::uint32_t number = program_.block_at(instruction);
  Registers registers = at_[number - first_block_];
  if (registers.values.empty()) {  // Not reached.
    registers.values.assign(function_.registers.size(), mixed);
    registers.conditions.resize(function_.registers.size());
  }
  for (std::uint32_t n = program_.blocks[number].first; n < instruction; ++n)
    execute(program_.instruction(n), registers);
  return registers;
}

KnownValue PossibleBits::before(std::uint32_t instruction, ptx::RegisterId reg) const {
  return registers_before(instruction).values[reg];
}
KnownValue PossibleBits::before(std::uint32_t instruction, const Operand& operand) const {
  return of_operand(operand, registers_before(instruction));
}

std::uint64_t PossibleBits::of_special(ptx::SpecialRegister reg) const {
  using ptx::SpecialRegister;
  const auto threads = [&](std::size_t dimension) -> std::uint64_t {
    constexpr std::uint32_t most[] = {1024, 1024, 64};
    return block_ ? (*block_)[dimension] : most[dimension];
  };
  switch (reg) {
    case SpecialRegister::tid_x: return bits_up_to(threads(0) - 1);
    case SpecialRegister::tid_y: return bits_up_to(threads(1) - 1);
    case SpecialRegister::tid_z: return bits_up_to(threads(2) - 1);
    case SpecialRegister::ntid_x: return block_ ? threads(0) : bits_up_to(threads(0));
    case SpecialRegister::ntid_y: return block_ ? threads(1) : bits_up_to(threads(1));
    case SpecialRegister::ntid_z: return block_ ? threads(2) : bits_up_to(threads(2));
    case SpecialRegister::laneid: return 31;
    default: return low_bits(ptx::bits_of(reg));
  }
}

PossibleBits::Value PossibleBits::of_operand(const Operand& operand, const Registers& registers) const {
  switch (operand.kind) {
    case Operand::Kind::reg: return operand.index == ptx::no_index ? mixed : registers.values[operand.index];
    case Operand::Kind::integer: return plain(operand.bits);
    case Operand::Kind::special: return plain(of_special(operand.special));
    case Operand::Kind::symbol: {
      const ptx::Variable* variable = ptx::find_visible(*program_.module, function_, operand.symbol);
      if (variable == nullptr) return unknown;
      return {static_cast<std::uint64_t>(operand.offset), variable};
    }
    default: return unknown;
  }
}

void PossibleBits::execute(const ptx::Instruction& instruction, Registers& registers) const {
  const ptx::RegisterUse use = ptx::register_use(instruction);
  if (use.destinations.empty()) return;
  const Value value = use.destinations.size() == 1 ? result(instruction, registers) : unknown;
  const std::optional<Condition> condition = condition_of(instruction);
  for (const ptx::RegisterId to : use.destinations) {
    Value next = value;
    next.ones &= low_bits(std::max(1u, ptx::bits_of(function_.registers[to].type)));
    Value& own = registers.values[to];
    own = instruction.guard == ptx::no_index ? next : joined(next, own);
    registers.conditions[to] = {};
    for (Condition& other : registers.conditions)
      if (other.reg == to) other = {};
  }
  if (condition) registers.conditions[use.destinations[0]] = *condition;
}

PossibleBits::Value PossibleBits::result(const ptx::Instruction& i, const Registers& registers) const {
  const ptx::Type type = i.last_type();
  const unsigned width = std::max(1u, ptx::bits_of(type));
  const auto source = [&](std::size_t n) {
    return n < i.operands.size() ? of_operand(i.operands[n], registers) : unknown;
  };
  const auto of = [&](std::size_t n) {
    const Value value = source(n);
    return is_plain(value) ? value.ones & low_bits(width) : anything;
  };
  const auto constant = [&](std::size_t n) -> std::optional<std::uint64_t> {
    if (n >= i.operands.size() || i.operands[n].kind != Operand::Kind::integer) return std::nullopt;
    return i.operands[n].bits & low_bits(width);
  };
  const auto of_product = [&](std::uint64_t x, std::uint64_t y, std::size_t first) {
    if (const auto by = constant(first + 1)) return scaled(x, *by);
    if (const auto by = constant(first)) return scaled(y, *by);
    return product(x, y);
  };
  const auto of_any = [&](const ptx::Instruction& one) {
    const bool addresses = std::any_of(one.operands.begin() + 1, one.operands.end(), [&](const Operand& operand) {
      return !is_plain(of_operand(operand, registers));
    });
    return addresses ? mixed : unknown;
  };
  if (i.row().traits.access != program::AccessKind::none)
    return plain(i.vector_elements() == 1 && is_integer(type) ? extended(low_bits(width), type) : anything);
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mov:
    case Opcode::cvta:
    case Opcode::cvt:
    case Opcode::shfl:
    case Opcode::selp:
    case Opcode::mul:
    case Opcode::mad: break;
    default:
      if (!is_plain(of_any(i))) return mixed;
  }
  switch (i.opcode) {
    case Opcode::mov: return i.operands[1].kind == Operand::Kind::vector ? of_any(i) : source(1);
    case Opcode::cvta: {
      Value value = source(1);
      if (!value.mixed && value.base != nullptr) value.generic = !i.has("to");
      return value;
    }
    case Opcode::cvt: {
      const Value value = source(1);
      // A signed result in a wider register has copies of its sign.
      const bool narrows = (i.has("s8") && type != ptx::Type::s8) || (i.has("s16") && width > 16);
      const bool short_result = i.has("u8") || i.has("u16") || i.has("b16") || i.has("s8") || i.has("s16");
      if (!is_plain(value) && short_result) return mixed;
      if (!is_integer(type) || narrows) return is_plain(value) ? unknown : mixed;
      return is_plain(value) ? plain(extended(value.ones, type)) : value;
    }
    case Opcode::shfl: return source(1);
    case Opcode::selp: return joined(source(1), source(2));
    case Opcode::add: {
      const Value x = source(1), y = source(2);
      if (!is_integer(type) || (!is_plain(x) && !is_plain(y)) || x.mixed || y.mixed) return of_any(i);
      const Value& base = is_plain(x) ? y : x;
      return {sum(x.ones & low_bits(width), y.ones & low_bits(width)), base.base, base.generic};
    }
    case Opcode::sub: {
      const Value x = source(1), y = source(2);
      if (!is_integer(type) || !is_plain(y) || x.mixed) return of_any(i);
      return {aligned_from(anything, static_cast<unsigned>(std::countr_zero(x.ones | y.ones))), x.base, x.generic};
    }
    case Opcode::mul:
    case Opcode::mad: {
      if (!is_integer(type) || i.has("hi")) return of_any(i);
      std::uint64_t value = anything;
      if (i.has("wide")) {
        // Of signed factors that may be negative nothing but zeros at the end is known.
        const bool negative = ptx::is_signed(type) && ((of(1) | of(2)) >> (width - 1) & 1) != 0;
        value = of_product(of(1), of(2), 1);
        if (negative) value = aligned_from(anything, static_cast<unsigned>(std::countr_zero(value)));
      } else {
        value = of_product(of(1), of(2), 1) & low_bits(width);
      }
      if (i.opcode == Opcode::mul) return plain(value);
      const Value added = source(3);
      if (added.mixed || !is_plain(source(1)) || !is_plain(source(2))) return of_any(i);
      return {sum(value, added.ones), added.base, added.generic};
    }
    case Opcode::shl: {
      const auto by = constant(2);
      if (!by) return plain(aligned_from(anything, static_cast<unsigned>(std::countr_zero(of(1)))));
      return plain(*by < width ? of(1) << *by : 0);
    }
    case Opcode::shr: {
      const auto by = constant(2);
      const bool negative = ptx::is_signed(type) && (of(1) >> (width - 1) & 1) != 0;
      if (negative) return unknown;
      return plain(by ? (*by < width ? of(1) >> *by : 0) : bits_up_to(of(1)));
    }
    case Opcode::and_: return plain(of(1) & of(2));
    case Opcode::or_:
    case Opcode::xor_: return plain(of(1) | of(2));
    case Opcode::min:
    case Opcode::max: {
      if (!is_integer(type)) return unknown;
      const std::uint64_t x = of(1), y = of(2);
      const bool negative = ptx::is_signed(type) && ((x | y) >> (width - 1) & 1) != 0;
      if (i.opcode == Opcode::max || negative) return plain(x | y);
      return plain((x | y) & bits_up_to(std::min(x, y)));
    }
    case Opcode::rem:
    case Opcode::div: {
      const auto by = constant(2);
      const bool negative = ptx::is_signed(type) && ((of(1) | of(2)) >> (width - 1) & 1) != 0;
      if (!is_integer(type) || negative || !by || *by == 0) return unknown;
      if (i.opcode == Opcode::rem)
        return plain(std::has_single_bit(*by) ? of(1) & (*by - 1) : bits_up_to(std::min(of(1), *by - 1)));
      return plain(std::has_single_bit(*by) ? of(1) >> std::countr_zero(*by) : bits_up_to(of(1) / *by));
    }
    case Opcode::bfe: {
      const auto from = constant(2), count = constant(3);
      if (ptx::is_signed(type) || !from || !count || *from >= width) return unknown;
      return plain(of(1) >> *from & low_bits(static_cast<unsigned>(std::min<std::uint64_t>(*count, 64))));
    }
    default: return unknown;
  }
}

}  // namespace lockstep::analysis
