#pragma once
// Another place for every word of one array in scratchpad memory, such that a kernel computes it in a few instructions, and
// what follows for sums of addresses.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/rewrite/address_steps.hpp"

namespace lockstep::rewrite {

/// f(x + c) = (f(x) ^ exclusive_or) + add.
struct Displacement {
  std::uint32_t exclusive_or = 0, add = 0;
};

/// A one-to-one function of the byte offset in an array. It keeps the two lowest bits, maps 0 to 0, and is defined for all
/// signed numbers of 32 bits, so that pointers in front of an array and behind it have a place, too.
class ArrayLayout {
 public:
  enum class Form : std::uint8_t { unchanged, padding, exclusive_or, rotation };
  /// Offset x becomes x XOR ((x >> distance) & mask); a negative distance shifts left.
  struct Fold {
    std::int32_t distance = 0;
    std::uint32_t mask = 0;
    friend auto operator<=>(const Fold&, const Fold&) = default;
  };

  ArrayLayout() = default;
  /// After every `row_bytes` (a power of two) stay `unused_bytes` unused.
  static ArrayLayout padding(std::uint32_t row_bytes, std::uint32_t unused_bytes);
  /// The bits of all masks are below those that they are XORed with.
  static ArrayLayout exclusive_or(std::vector<Fold> folds);
  /// Row r of `row_bytes` (a power of two) is rotated by r times `step_bytes`.
  static ArrayLayout rotation(std::uint32_t row_bytes, std::uint32_t step_bytes);

  Form form() const { return form_; }
  bool is_unchanged() const { return form_ == Form::unchanged; }
  std::uint32_t row_bytes() const { return row_; }
  std::uint32_t step_bytes() const { return step_; }  ///< Unused bytes of a row, or those by which it is rotated.
  const std::vector<Fold>& folds() const { return folds_; }

  /// Where a byte goes.
  std::uint32_t place(std::uint32_t offset) const;
  /// place(x + period) = place(x) + period_places.
  std::uint32_t period() const { return period_; }
  std::uint32_t period_places() const { return period_places_; }
  /// Bytes of the array when it had `bytes` before.
  std::uint64_t bytes_needed(std::uint64_t bytes) const;
  /// What the array's address has to be a multiple of, so that a place is the address XOR, or rotated by, something.
  std::uint32_t alignment() const;
  /// As many bytes (4, 8 or 16) beginning at a multiple of their number stay together, in order and so aligned.
  std::uint32_t contiguous_bytes() const { return contiguous_; }

  /// What adds to the array's address to make that of the place: instructions whose value 0 is the offset and value 1 the
  /// address as it was.
  AddressSteps steps() const;

  /// How places are apart of offsets that are: for every offset x of which no bit is a one outside `ones`. Nothing when
  /// there is no such number for all of them, found by trying each.
  std::optional<Displacement> displacement(std::uint32_t ones, std::uint32_t distance) const;
  /// f(x + y) = f(x) + y, or f(x) ^ y, for all x and y with no ones outside those.
  enum class Sum : std::uint8_t { add, exclusive_or };
  std::optional<Sum> sum(std::uint32_t ones, std::uint32_t ones_added) const;

  /// "pad:32+1" (after every 32 words one stays unused), "xor:5>>..", "rotate:32*1"; "-" for unchanged.
  std::string name() const;
  friend bool operator==(const ArrayLayout& a, const ArrayLayout& b) {
    return a.form_ == b.form_ && a.row_ == b.row_ && a.step_ == b.step_ && a.folds_ == b.folds_;
  }

 private:
  ArrayLayout(Form form, std::uint32_t row_bytes, std::uint32_t step_bytes);
  void finish();

  Form form_ = Form::unchanged;
  std::uint32_t row_ = 4, step_ = 0;
  std::vector<Fold> folds_;
  std::uint32_t period_ = 4, period_places_ = 4, contiguous_ = 16;
};

}  // namespace lockstep::rewrite
