#include <algorithm>
#include <array>

#include "tests/differential/draw.hpp"
#include "tests/differential/types.hpp"
#include "tests/differential/values.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// Forms, and where those of each opcode begin among them.
struct ByOpcode {
  const std::vector<Instruction>& forms;
  std::vector<std::size_t> first;

  explicit ByOpcode(const std::vector<Instruction>& all) : forms(all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i].opcode != all[i - 1].opcode) first.push_back(i);
    }
  }
  /// Half of all by form, half by opcode, so that those with few forms are met as often.
  const Instruction& draw(Random& random) const {
    if (random.below(2) == 0) return forms[random.below(forms.size())];
    const std::size_t n = random.below(first.size());
    const std::size_t end = n + 1 < first.size() ? first[n + 1] : forms.size();
    return forms[first[n] + random.below(end - first[n])];
  }
};

constexpr auto specials = std::to_array<std::string_view>(
    {"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y",
     "nctaid.z", "laneid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt"});

bool rounds_plainly(const Instruction& instruction) {
  const auto types = types_of(instruction.modifiers);
  if (types.empty() || !is_float(types.back())) return false;
  return !(instruction.has("rn") || instruction.has("rz") || instruction.has("rm") || instruction.has("rp"));
}

/// Whether ptxas takes a literal there.
bool may_be_literal(const Instruction& instruction, std::size_t number) {
  const Operand& operand = instruction.reads[number];
  if (operand.reg.bits == 1 || instruction.reads.size() < 2 || instruction.opcode == Opcode::vabsdiff4 ||
      instruction.opcode == Opcode::cvt) {
    return false;
  }
  if (is_approximate(instruction)) return false;  // ptxas has other instructions for a divisor that it knows.
  const std::string_view type = type_of_read(instruction, number);
  return type == "f32" || type == "f64" || (!is_float(type) && !is_pair(type));
}

/// ptxas takes positions and lengths of fields up to 255 only.
bool is_field_bound(const Instruction& instruction, std::size_t number) {
  return (instruction.opcode == Opcode::bfe && number >= 1) || (instruction.opcode == Opcode::bfi && number >= 2);
}

/// ptxas 13.0 converts what a guarded set or testp should leave alone, and makes guarded abs and neg selections, which keep
/// the bits of a NaN.
bool may_be_guarded(Opcode opcode) {
  return opcode != Opcode::set && opcode != Opcode::testp && opcode != Opcode::abs && opcode != Opcode::neg;
}

/// ptxas gives the common value of two equal sources of min and max, a NaN too.
void make_sources_distinct(Instruction& extremum, const Context& context) {
  for (std::size_t i = 1; i < extremum.reads.size(); ++i) {
    Register& reg = extremum.reads[i].reg;
    const auto is_taken = [&](const Operand& other) { return other.reg == reg; };
    const auto end = extremum.reads.begin() + static_cast<std::ptrdiff_t>(i);
    while (std::any_of(extremum.reads.begin(), end, is_taken)) {
      reg.number = (reg.number + 1) % context.registers->of(reg.bits);
    }
  }
}

/// Which of two NaNs an instruction of f64 gives depends on the order into which ptxas brings the sources: makes both one.
bool chooses_a_nan(const Instruction& instruction) {
  if (!instruction.has("f64")) return false;
  switch (instruction.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::min:
    case Opcode::max: return true;
    default: return false;
  }
}
void add_one_nan(std::vector<Instruction>& chain, const Context& context) {
  const Register result = chain.back().writes[0], is_nan{1, context.registers->predicates - 1};
  const Operand value{Operand::Kind::reg, result, false, 0, {}},
      nan{Operand::Kind::integer, {64, 0}, false, 0x7ff8ull << 48, {}};
  chain.push_back({Opcode::testp, {"notanumber", "f64"}, {is_nan}, {value}, {}});
  chain.push_back({Opcode::selp, {"b64"}, {result}, {nan, value, {Operand::Kind::reg, is_nan, false, 0, {}}}, {}});
}

/// Makes a source smaller before it is read.
void add_bound(std::vector<Instruction>& chain, Operand& source, Opcode opcode, std::string_view type, unsigned by) {
  if (source.kind == Operand::Kind::integer) {
    source.value &= 31;
  } else {
    chain.push_back({opcode, {type}, {source.reg}, {source, {Operand::Kind::integer, {32, 0}, false, by, {}}}, {}});
  }
}
/// fns has bases up to 63 and offsets from -32 to 31: ptxas's program for it fails at an offset of -2^31. Amounts of shifts
/// are below 128: ptxas cuts literals off, and converts results of floating-point instructions to integers.
void add_bounds(std::vector<Instruction>& chain, Instruction& one) {
  if (one.opcode == Opcode::fns) {
    add_bound(chain, one.reads[1], Opcode::and_, "b32", 63);
    add_bound(chain, one.reads[2], Opcode::shr, "s32", 26);
  }
  if (one.opcode == Opcode::shl || one.opcode == Opcode::shr) add_bound(chain, one.reads[1], Opcode::and_, "b32", 127);
}

}  // namespace

Register Draw::condition(unsigned bits, const Context& context) {
  const auto repeats = [&](Register one) {
    const auto is_same = [&](Register other) {
      return other == one || (one.bits == 1 && other.bits == 1 && !context.in_function &&
                              initial_bit(one.number) == initial_bit(other.number));
    };
    return context.conditions && std::any_of(context.conditions->begin(), context.conditions->end(), is_same);
  };
  Register one = reg(bits, context);
  while (repeats(one)) one = reg(bits, context);
  return one;
}

Operand Draw::predicate(const Context& context) {
  return {Operand::Kind::reg, condition(1, context), chance(2), 0, {}};
}

bool Draw::fits(const Instruction& instruction) const {
  if (!rounds_plainly(instruction)) return true;
  if (instruction.opcode == Opcode::mul) return plain_products_;
  if (instruction.opcode == Opcode::add || instruction.opcode == Opcode::sub) return !plain_products_;
  return true;
}

void Draw::fill(Instruction& instruction, const Context& context) {
  for (std::size_t i = 0; i < instruction.writes.size(); ++i) {
    Register& written = instruction.writes[i];
    do {
      written = reg(written.bits, context);
    } while (i > 0 && written == instruction.writes[0]);
  }
  bool has_literal = false;
  for (std::size_t i = 0; i < instruction.reads.size(); ++i) {
    Operand& operand = instruction.reads[i];
    if (operand.kind == Operand::Kind::integer) {  // The table of lop3.
      operand.value = below(256);
      continue;
    }
    operand.reg = reg(operand.reg.bits, context);
    if (operand.reg.bits == 1 && operand.negated) operand.negated = chance(2);
    if (has_literal || !may_be_literal(instruction, i) || !chance(6)) continue;
    has_literal = true;
    operand.value = draw_value(random_, operand.reg.bits);
    if (is_field_bound(instruction, i)) operand.value &= 0xff;
    operand.kind = is_float(type_of_read(instruction, i)) ? Operand::Kind::real : Operand::Kind::integer;
    if (chooses_a_nan(instruction)) operand.value &= ~(std::uint64_t{1} << 62);  // No NaN.
  }
  if (instruction.opcode == Opcode::min || instruction.opcode == Opcode::max)
    make_sources_distinct(instruction, context);
  const bool of_word = instruction.has("u32") || instruction.has("b32");
  if (instruction.opcode == Opcode::mov && of_word && !context.in_function && chance(2)) {
    instruction.reads[0].kind = Operand::Kind::special;
    instruction.reads[0].special = specials[below(specials.size())];
  }
  if (instruction.opcode == Opcode::setp && instruction.writes.size() == 1 && !instruction.has("f16") &&
      !instruction.has("bf16") && chance(3)) {
    Register second;
    do {
      second = reg(1, context);
    } while (second == instruction.writes[0]);
    instruction.writes.push_back(second);
  }
}

Instruction Draw::arithmetic(const Context& context, bool writes_carry) {
  static const ByOpcode exact(arithmetic_forms().exact), other(arithmetic_forms().other);
  static const std::vector<Instruction> carrying = [] {
    std::vector<Instruction> all;
    for (const Instruction& one : exact.forms) {
      if (one.has("cc") && !ptx::row_of(one.opcode).traits.reads_carry) all.push_back(one);
    }
    return all;
  }();
  Instruction one;
  do {
    if (writes_carry) {
      one = carrying[below(carrying.size())];
    } else {
      one = (!kernel_.is_exact && chance(3) ? other : exact).draw(random_);
    }
  } while (!fits(one));
  fill(one, context);
  return one;
}

Statement Draw::compute(const Instruction& form, const Context& context) {
  Compute result;
  Instruction one = form;
  fill(one, context);
  if (ptx::row_of(one.opcode).traits.reads_carry) result.chain.push_back(arithmetic(context, true));
  finish(result.chain, std::move(one), context);
  return {result};
}

void Draw::finish(std::vector<Instruction>& chain, Instruction last, const Context& context) {
  add_bounds(chain, last);
  chain.push_back(std::move(last));
  if (chooses_a_nan(chain.back())) add_one_nan(chain, context);
}

Statement Draw::compute(const Context& context) {
  Compute result;
  Instruction one = arithmetic(context, false);
  const auto reads_carry = [](const Instruction& i) { return ptx::row_of(i.opcode).traits.reads_carry; };
  if (reads_carry(one)) {
    result.chain.push_back(arithmetic(context, true));
    // More links, of the same opcode and type.
    while (one.has("cc") && result.chain.size() < 4) {
      result.chain.push_back(one);
      fill(one, context);
      if (chance(2)) break;
    }
  } else if (chance(6) && may_be_guarded(one.opcode)) {
    one.guard = predicate(context);
  }
  finish(result.chain, std::move(one), context);
  return {result};
}

}  // namespace lockstep::differential
