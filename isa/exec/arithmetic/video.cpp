// SIMD video instructions: the four bytes of a register at once (PTX ISA 9.7.14).

#include <array>
#include <cstdlib>
#include <string_view>

#include "isa/exec/arithmetic/families.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

/// How a source is read: which of the eight bytes of both registers each of its four bytes is, and whether they are
/// signed. Three bits a byte, and one bit.
struct Selection {
  std::uint32_t bits;
  std::int32_t byte(std::uint64_t both, unsigned place) const {
    const auto value = static_cast<std::uint8_t>(both >> (bits >> 3 * place & 7) * 8);
    return (bits >> 12 & 1) != 0 ? static_cast<std::int8_t>(value) : value;
  }
};

/// Arithmetic::control: the selections of both sources at 0 and 13, at 26 the bytes of the destination that are written.
constexpr unsigned second_selection = 13, written_bytes = 26;

/// What becomes of the results of the bytes.
enum class Merge : std::uint8_t { wrap, saturate_unsigned, saturate_signed, add };

template <Merge merge>
std::uint32_t absolute_difference(std::uint32_t a, std::uint32_t b, std::uint32_t c, Control control) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  const Selection first{control.value}, second{control.value >> second_selection};
  std::uint32_t result = c;
  for (unsigned place = 0; place < 4; ++place) {
    if ((control.value >> (written_bytes + place) & 1) == 0) continue;
    auto value = static_cast<std::uint32_t>(std::abs(first.byte(both, place) - second.byte(both, place)));
    if constexpr (merge == Merge::add) {
      result += value;
    } else {
      if (merge == Merge::saturate_unsigned && value > 255) value = 255;
      if (merge == Merge::saturate_signed && value > 127) value = 127;
      result = (result & ~(0xffu << 8 * place)) | (value & 0xff) << 8 * place;
    }
  }
  return result;
}

[[noreturn]] void fail_selector(const Decoder& d, const ptx::Operand& operand, std::string_view wanted) {
  d.fail(fmt::format("the selector .{} does not fit; {}", operand.symbol, wanted));
}

/// The selection that a source's .bxyzw names, x being the byte that becomes the highest.
std::uint32_t take_selection(const Decoder& d, std::size_t number, std::string_view otherwise, Type type) {
  const ptx::Operand& operand = d.operand(number);
  const std::string_view text = operand.symbol.empty() ? otherwise : std::string_view(operand.symbol);
  if (text.size() != 5 || text[0] != 'b') fail_selector(d, operand, "a source has four bytes, such as .b3210");
  std::uint32_t bits = type == Type::s32 ? 1u << 12 : 0;
  for (unsigned place = 0; place < 4; ++place) {
    bits |= static_cast<std::uint32_t>(text[4 - place] - '0') << 3 * place;
  }
  return bits;
}

/// A bit for each byte that the destination's mask names, which lists them from the highest.
std::uint32_t take_mask(const Decoder& d) {
  const ptx::Operand& operand = d.operand(0);
  if (operand.symbol.empty()) return 0xf;
  constexpr std::string_view wanted = "the destination's bytes are listed from the highest, such as .b310";
  if (operand.symbol[0] != 'b') fail_selector(d, operand, wanted);
  std::uint32_t mask = 0;
  char above = '4';
  for (const char byte : std::string_view(operand.symbol).substr(1)) {
    if (byte >= above) fail_selector(d, operand, wanted);
    mask |= 1u << (byte - '0');
    above = byte;
  }
  return mask;
}

void decode_absolute_difference_4(Decoder& d) {
  const Type result = d.take_type(), a = d.take_type(), b = d.take_type();
  const bool add = d.take("add"), saturate = d.take("sat");
  d.destination_and_sources(Type::b32, 3);
  if (!d.operand(3).symbol.empty()) fail_selector(d, d.operand(3), "the last source is taken whole");
  d.result().control = take_selection(d, 1, "b3210", a) | take_selection(d, 2, "b7654", b) << second_selection |
                       take_mask(d) << written_bytes;
  if (add) return d.finish(over_lanes<&absolute_difference<Merge::add>>);
  if (!saturate) return d.finish(over_lanes<&absolute_difference<Merge::wrap>>);
  if (result == Type::u32) return d.finish(over_lanes<&absolute_difference<Merge::saturate_unsigned>>);
  d.finish(over_lanes<&absolute_difference<Merge::saturate_signed>>);
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::vabsdiff4, decode_absolute_difference_4, nullptr},
};

}  // namespace

std::span<const ArithmeticOpcode> video_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
