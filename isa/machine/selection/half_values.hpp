#pragma once
// The 32-bit halves of 64-bit values: where each comes from, and whether anything reads it.

#include <array>
#include <optional>
#include <vector>

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// Where the 32 bits of a half come from.
struct Half {
  enum class From : std::uint8_t { operation, literal, reg };
  From from = From::operation;
  std::uint32_t value = 0;  ///< The literal, or the number of a register.
  bool upper = false;       ///< Of a register: its upper half.

  bool is_computed() const { return from == From::operation; }
  bool is_literal(std::uint32_t bits) const { return from == From::literal && value == bits; }
  bool is_zero() const { return is_literal(0); }
  bool operator==(const Half&) const = default;
};
using Halves = std::array<Half, 2>;  ///< Lower, upper.

/// Found once for a draft; what is chosen later does not change it.
class HalfValues {
 public:
  explicit HalfValues(const SelectionDraft& draft);

  /// Of an operand; what an operation computes is a half of the register that it writes.
  Half half(const program::SourceOperand& o, bool upper) const;
  Halves halves(const program::SourceOperand& o) const { return {half(o, false), half(o, true)}; }
  /// What instruction `i`, which writes one 64-bit register, makes of its operands; empty where both halves need all of them.
  std::optional<Halves> result(std::uint32_t i) const;
  /// Whether some instruction reads the half. Both halves of what the program never reads count as read.
  bool is_read(std::uint32_t reg, bool upper) const { return read_[reg][upper]; }

 private:
  Half own(std::uint32_t r, bool upper) const;
  void find_origins(std::uint32_t i);
  void note_copy(std::uint32_t d, bool upper, const Half& from);
  /// Marks what `i` reads, as far as what it writes is read; whether that is more than before.
  bool mark_read(std::uint32_t i);
  bool mark(const Half& half);
  bool mark(std::uint32_t r, bool upper);
  bool mark(const program::SourceOperand& o, bool upper);
  bool mark_all(std::uint32_t i);
  bool mark_access(std::uint32_t i);
  /// Marks what half `upper` of the result is made of.
  bool mark_operands(std::uint32_t i, bool upper);

  const SelectionDraft& draft_;
  /// Register -> its halves, by the literal or the register, written once, that they copy; of one of 32 bits, the lower one.
  std::vector<Halves> of_;
  std::vector<std::array<bool, 2>> read_;
};

}  // namespace lockstep::machine
