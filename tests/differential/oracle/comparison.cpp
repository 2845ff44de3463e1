// set, setp and slct (PTX ISA 9.7.6, 9.7.7).

#include "tests/differential/oracle/floats.hpp"
#include "tests/differential/oracle/integers.hpp"
#include "tests/differential/oracle/semantics.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// lt, le and so on, for numbers in an order of -1, 0 or 1.
bool holds(std::string_view relation, int order) {
  if (relation == "eq") return order == 0;
  if (relation == "ne") return order != 0;
  if (relation == "lt" || relation == "lo") return order < 0;
  if (relation == "le" || relation == "ls") return order <= 0;
  if (relation == "gt" || relation == "hi") return order > 0;
  return order >= 0;
}

bool compare_floats(std::string_view relation, std::uint64_t a, std::uint64_t b, const Format& format) {
  const bool unordered = format.is_nan(a) || format.is_nan(b);
  if (relation == "num") return !unordered;
  if (relation == "nan") return unordered;
  const bool or_unordered = relation.size() == 3;
  return unordered ? or_unordered : holds(relation.substr(0, 2), compare_numbers(a, b, format));
}

/// The comparison of one element of both sources.
std::function<bool(std::uint64_t, std::uint64_t)> comparison_of(const Instruction& instruction, std::string_view type) {
  const std::string_view relation = instruction.modifiers.front();
  const bool ftz = instruction.has("ftz");
  if (is_float(type)) {
    return [=](std::uint64_t a, std::uint64_t b) {
      const Format& format = format_of(type);
      return ftz ? compare_floats(relation, format.flushed(a), format.flushed(b), format)
                 : compare_floats(relation, a, b, format);
    };
  }
  return [=](std::uint64_t a, std::uint64_t b) {
    const SignedWide x = integer_of(a, type), y = integer_of(b, type);
    return holds(relation, x < y ? -1 : x > y ? 1 : 0);
  };
}

/// What .and, .or or .xor makes of a comparison and the predicate.
bool combined(const Instruction& instruction, bool compared, bool predicate) {
  if (instruction.has("and")) return compared && predicate;
  if (instruction.has("or")) return compared || predicate;
  return instruction.has("xor") ? compared != predicate : compared;
}

std::uint64_t truth_of(std::string_view type) {
  const std::string_view element = element_of(type);
  return is_float(element) ? one_of(format_of(element)) : low_bits(~std::uint64_t{0}, width_of(element));
}

Evaluate set(const Instruction& instruction) {
  const auto types = types_of(instruction.modifiers);
  const std::string_view from = types.back();
  const auto compare = comparison_of(instruction, element_of(from));
  const bool pair = is_pair(from);
  const std::uint64_t truth = pair && !is_float(types.front()) ? 0xffff : truth_of(types.front());
  return giving([=](const std::uint64_t* in) {
    const bool predicate = instruction.reads.size() > 2 && in[2] != 0;
    const auto one = [&](unsigned shift) {
      const std::uint64_t a = in[0] >> shift, b = in[1] >> shift;
      const bool is_true = combined(instruction, pair ? compare(a & 0xffff, b & 0xffff) : compare(a, b), predicate);
      return is_true ? truth : 0;
    };
    return pair ? one(0) | one(16) << 16 : one(0);
  });
}

/// A second predicate gets the comparison's opposite, or of pairs that of the upper halves.
Evaluate set_predicate(const Instruction& instruction) {
  const std::string_view from = types_of(instruction.modifiers).back();
  const auto compare = comparison_of(instruction, element_of(from));
  const bool pair = is_pair(from), two = instruction.writes.size() > 1;
  return [=](const std::uint64_t* in, std::uint64_t* out, bool&) {
    const bool predicate = instruction.reads.size() > 2 && in[2] != 0;
    const bool first = pair ? compare(in[0] & 0xffff, in[1] & 0xffff) : compare(in[0], in[1]);
    out[0] = combined(instruction, first, predicate) ? 1 : 0;
    if (!two) return;
    const bool second = pair ? compare(in[0] >> 16, in[1] >> 16) : !first;
    out[1] = combined(instruction, second, predicate) ? 1 : 0;
  };
}

Evaluate select_by_sign(const Instruction& instruction) {
  const bool by_float = types_of(instruction.modifiers).back() == "f32", ftz = instruction.has("ftz");
  return giving([=](const std::uint64_t* in) {
    const std::uint64_t c = ftz ? test::binary32.flushed(in[2]) : in[2];
    const bool first =
        by_float ? !test::binary32.is_nan(c) && compare_numbers(c, 0, test::binary32) >= 0 : integer_of(c, "s32") >= 0;
    return first ? in[0] : in[1];
  });
}

}  // namespace

Evaluate comparison_semantics(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::set: return set(instruction);
    case Opcode::setp: return set_predicate(instruction);
    case Opcode::slct: return select_by_sign(instruction);
    default: return {};
  }
}

}  // namespace lockstep::differential
