#pragma once
// What every decoder of an arithmetic instruction needs: reading its modifiers, each of which must be taken by
// somebody, and turning its operands into planes. Used only while decoding.

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "isa/exec/arithmetic/arithmetic.hpp"
#include "isa/exec/arithmetic/lanes.hpp"
#include "isa/exec/arithmetic/rounding.hpp"

namespace lockstep::exec {

bool is_floating(ptx::Type type);
bool is_signed(ptx::Type type);

class ArithmeticDecoder {
 public:
  ArithmeticDecoder(const DecodeContext& context, const ptx::Instruction& instruction, Arithmetic& result)
      : context_(context), instruction_(instruction), result_(result) {}

  const ptx::Instruction& instruction() const { return instruction_; }
  const DecodeContext& context() const { return context_; }
  Arithmetic& result() { return result_; }

  /// True when the modifier is there; it is then taken.
  bool take(std::string_view modifier);
  /// The place in `choices` of the one that is there, taken; none when there is none.
  std::optional<unsigned> take_one(std::initializer_list<std::string_view> choices);
  /// .rn, .rz, .rm or .rp.
  std::optional<Rounding> take_rounding();
  /// The first fundamental type not taken yet. InputError when there is none.
  ptx::Type take_type();
  /// The last fundamental type of the instruction, taken or not; none when it has none.
  ptx::Type last_type() const;

  /// InputError unless there are as many operands.
  void expect_operands(std::size_t count) const;
  std::size_t operand_count() const { return instruction_.operands.size(); }
  const ptx::Operand& operand(std::size_t number) const { return instruction_.operands[number]; }

  /// Operand `number` becomes the destination (or source `slot`); it must be as wide as `type`.
  void destination(std::size_t number, ptx::Type type);
  void source(unsigned slot, std::size_t number, ptx::Type type);
  /// The second register of `%p|%q`, a predicate; no_plane when there is none.
  PlaneOffset second_predicate(std::size_t number) const;
  /// destination(0), source(0, 1), source(1, 2), ... all of one type; checks the count.
  void destination_and_sources(ptx::Type type, unsigned sources);
  /// Writes `to`: a register of the type's width, or a plane that is never read for "_".
  PlaneOffset destination_plane(const ptx::Operand& to, ptx::Type type) const;
  PlaneOffset source_plane(const ptx::Operand& from, ptx::Type type) const;
  /// The value of an integer literal. InputError when the operand is not one, or is above `largest`.
  std::uint64_t immediate(std::size_t number, std::uint64_t largest) const;

  /// Sets the function. InputError when a modifier has not been taken.
  void finish(Arithmetic::Run run);

  [[noreturn]] void fail(std::string_view why) const;
  [[noreturn]] void fail_type(ptx::Type type) const;

 private:
  ptx::Type type_of(const ptx::Operand& operand) const;
  std::uint64_t literal_bits(const ptx::Operand& literal, ptx::Type type) const;

  const DecodeContext& context_;
  const ptx::Instruction& instruction_;
  Arithmetic& result_;
  std::uint64_t taken_ = 0;  ///< Bit i: modifier i has been taken.
};

/// The element size of the plane of a register of this type, in bits: 1, 16, 32, 64 or 128.
unsigned plane_bits(ptx::Type type);

/// One opcode: its decoder for integer (and bit) types, and its decoder for floating types.
struct ArithmeticOpcode {
  using Decode = void (*)(ArithmeticDecoder&);
  std::string_view name;
  Decode integer, floating;
};
std::span<const ArithmeticOpcode> integer_opcodes();
std::span<const ArithmeticOpcode> bit_opcodes();
std::span<const ArithmeticOpcode> float_opcodes();
std::span<const ArithmeticOpcode> compare_opcodes();
std::span<const ArithmeticOpcode> convert_opcodes();
std::span<const ArithmeticOpcode> move_opcodes();

}  // namespace lockstep::exec
