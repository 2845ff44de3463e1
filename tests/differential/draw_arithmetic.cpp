#include <algorithm>
#include <array>
#include <map>

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
  const std::string_view type = type_of_read(instruction, number);
  return type == "f32" || type == "f64" || (!is_float(type) && !is_pair(type));
}

/// ptxas takes positions and lengths of fields up to 255 only.
bool is_field_bound(const Instruction& instruction, std::size_t number) {
  return (instruction.opcode == Opcode::bfe && number >= 1) || (instruction.opcode == Opcode::bfi && number >= 2);
}

}  // namespace

Operand Draw::predicate(const Context& context) {
  return {Operand::Kind::reg, reg(1, context), chance(2), 0, {}};
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
  }
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
  } else if (chance(6)) {
    one.guard = predicate(context);
  }
  result.chain.push_back(std::move(one));
  return {result};
}

}  // namespace lockstep::differential
