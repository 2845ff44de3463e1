#include "tests/differential/oracle/floats.hpp"

namespace lockstep::differential {

const Format& format_of(std::string_view type) {
  static constexpr Format tf32{11, 8};
  if (type == "f16") return test::binary16;
  if (type == "bf16") return test::bfloat16;
  if (type == "tf32") return tf32;
  return type == "f64" ? test::binary64 : test::binary32;
}

std::uint64_t result_nan(std::string_view type, std::initializer_list<std::uint64_t> sources) {
  if (type != "f64") return type == "f32" ? 0x7fffffff : 0x7fff;
  for (const std::uint64_t source : sources) {
    if (test::binary64.is_nan(source)) return source | std::uint64_t{1} << 51;
  }
  return 0xfff8000000000000;
}

char rounding_of(const Instruction& instruction) {
  for (const std::string_view modifier : instruction.modifiers) {
    if (modifier == "rna") return 'a';
    const bool is_rounding = modifier.size() == 2 || (modifier.size() == 3 && modifier[2] == 'i');
    if (is_rounding && modifier[0] == 'r' && std::string_view("nzmp").find(modifier[1]) != std::string_view::npos) {
      return modifier[1];
    }
  }
  return 'n';
}

std::uint64_t one_of(const Format& format) {
  return ((std::uint64_t{1} << (format.exponent_bits - 1)) - 1) << (format.precision - 1);
}

std::uint64_t saturated(std::uint64_t bits, const Format& format) {
  if (format.is_nan(bits) || format.is_negative(bits)) return 0;
  return bits > one_of(format) ? one_of(format) : bits;
}

std::uint64_t without_negative(std::uint64_t bits, std::string_view type) {
  const Format& format = format_of(type);
  if (format.is_nan(bits)) return result_nan(type, {bits});
  return format.is_negative(bits) ? 0 : bits;
}

int compare_numbers(std::uint64_t a, std::uint64_t b, const Format& format) {
  const auto ordered = [&](std::uint64_t bits) {
    const auto magnitude = static_cast<std::int64_t>(bits & ~format.sign());
    return format.is_negative(bits) ? -magnitude : magnitude;
  };
  const std::int64_t x = ordered(a), y = ordered(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace lockstep::differential
