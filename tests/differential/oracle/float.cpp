// Floating-point arithmetic (PTX ISA 9.7.3 to 9.7.5) on exact numbers that are rounded once.

#include "tests/differential/oracle/floats.hpp"
#include "tests/differential/oracle/semantics.hpp"
#include "tests/differential/types.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// What an instruction does with one number of each source.
struct Operation {
  ptx::Opcode opcode{};
  std::string_view type;  ///< Of an element.
  char rounding = 'n';
  bool ftz = false, sat = false, relu = false, passes_nan = false, xors_sign = false;
  std::string_view property;

  const Format& format() const { return format_of(type); }
  std::uint64_t flushed(std::uint64_t bits) const { return ftz ? format().flushed(bits) : bits; }

  std::uint64_t extreme(std::uint64_t a, std::uint64_t b) const {
    const Format& f = format();
    const std::uint64_t sign = xors_sign ? (a ^ b) & f.sign() : 0;
    if (xors_sign) a &= ~f.sign(), b &= ~f.sign();
    const std::uint64_t nan = type == "f64" ? 0xfff8000000000000 : result_nan(type, {});
    if (f.is_nan(a) && f.is_nan(b)) return nan;
    if (f.is_nan(a) || f.is_nan(b)) return passes_nan ? nan : (f.is_nan(a) ? b : a) | sign;
    int order = compare_numbers(a, b, f);
    if (order == 0) order = f.is_negative(a) ? -1 : 1;  // -0 is below +0.
    return ((opcode == Opcode::min) == (order < 0) ? a : b) | sign;
  }

  bool has_property(std::uint64_t a) const {
    const Format& f = format();
    const std::uint64_t magnitude = a & ~f.sign(), least_normal = std::uint64_t{1} << (f.precision - 1);
    if (property == "finite") return magnitude < f.infinity();
    if (property == "infinite") return magnitude == f.infinity();
    if (property == "number") return magnitude <= f.infinity();
    if (property == "notanumber") return magnitude > f.infinity();
    const bool subnormal = magnitude != 0 && magnitude < least_normal;
    return property == "subnormal" ? subnormal : magnitude < f.infinity() && !subnormal;  // Zero counts as normal.
  }

  std::uint64_t compute(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    const Format& f = format();
    switch (opcode) {
      case Opcode::add: return test::exact_add(a, b, f, rounding, result_nan(type, {a, b}));
      case Opcode::sub:
        return test::exact_add(a, f.is_nan(b) ? b : b ^ f.sign(), f, rounding, result_nan(type, {a, b}));
      case Opcode::mul: return test::exact_multiply(a, b, f, rounding, result_nan(type, {a, b}));
      case Opcode::mad:
      case Opcode::fma: return test::exact_fma(a, b, c, f, rounding, result_nan(type, {a, b, c}));
      case Opcode::div: return test::exact_divide(a, b, f, rounding, result_nan(type, {a, b}));
      case Opcode::rcp: return test::exact_divide(one_of(f), a, f, rounding, result_nan(type, {a}));
      case Opcode::sqrt: return test::exact_root(a, f, rounding, result_nan(type, {a}));
      case Opcode::abs: return f.is_nan(a) ? result_nan(type, {a}) : a & ~f.sign();
      case Opcode::neg: return f.is_nan(a) ? result_nan(type, {a}) : a ^ f.sign();
      case Opcode::copysign: return (a & f.sign()) | (b & ~f.sign());
      case Opcode::testp: return has_property(a) ? 1 : 0;
      default: return extreme(a, b);
    }
  }
  bool rounds() const {
    switch (opcode) {
      case Opcode::abs:
      case Opcode::neg:
      case Opcode::copysign:
      case Opcode::testp:
      case Opcode::min:
      case Opcode::max: return false;
      default: return true;
    }
  }
  /// Products of an H200 are flushed where they are tiny after rounding.
  bool is_tiny_product(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    switch (opcode) {
      case Opcode::mul: return test::is_tiny_fma(a, b, 0, format(), rounding);
      case Opcode::mad:
      case Opcode::fma: return test::is_tiny_fma(a, b, c, format(), rounding);
      default: return false;
    }
  }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    std::uint64_t result = compute(flushed(a), flushed(b), flushed(c));
    if (rounds()) result = flushed(result);
    if (ftz && is_tiny_product(flushed(a), flushed(b), flushed(c))) result &= format().sign();
    if (sat) result = saturated(result, format());
    if (relu) result = without_negative(result, type);
    return result;
  }
};

bool is_known(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::copysign:
    case Opcode::testp:
    case Opcode::min:
    case Opcode::max: return true;
    default: return false;
  }
}

}  // namespace

Evaluate float_semantics(const Instruction& instruction) {
  const auto types = types_of(instruction.modifiers);
  if (types.empty() || !is_float(types.back()) || !is_known(instruction.opcode)) return {};
  Operation operation;
  operation.opcode = instruction.opcode;
  operation.type = element_of(types.back());
  operation.rounding = rounding_of(instruction);
  operation.ftz = instruction.has("ftz");
  operation.sat = instruction.has("sat");
  operation.relu = instruction.has("relu");
  operation.passes_nan = instruction.has("NaN");
  operation.xors_sign = instruction.has("xorsign");
  if (instruction.opcode == Opcode::testp) operation.property = instruction.modifiers.front();
  const std::size_t count = instruction.reads.size();
  const bool pair = is_pair(types.back());
  return giving([=](const std::uint64_t* in) {
    const std::uint64_t b = count > 1 ? in[1] : 0, c = count > 2 ? in[2] : 0;
    if (!pair) return operation(in[0], b, c);
    return operation(in[0] & 0xffff, b & 0xffff, c & 0xffff) | operation(in[0] >> 16, b >> 16, c >> 16) << 16;
  });
}

}  // namespace lockstep::differential
