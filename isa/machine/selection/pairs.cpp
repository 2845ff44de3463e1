#include "isa/machine/selection/pairs.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

/// A pair of instructions: `i` writes what `j` reads.
class Pairing {
 public:
  Pairing(const SelectionDraft& draft, std::uint32_t i, std::uint32_t j)
      : draft_(draft),
        i_(i),
        j_(j),
        first_(draft.words(i)),
        second_(draft.words(j)),
        negates_(draft.rules().fused(Fusion::negated_operand) != nullptr) {}

  std::optional<Pair> find() const {
    if (draft_.at(j_).operands.size() != 2) return {};
    for (const unsigned bits : {16u, 32u, 64u}) {
      const bool adds = is_plain(second_, Opcode::add, bits), subtracts = is_plain(second_, Opcode::sub, bits);
      if (adds || (subtracts && negates_)) return bits == 64 ? long_sum(adds) : sum(adds, bits);
    }
    if (joins_bits()) return Pair{Fusion::scaled_add};
    if (is_logic(second_)) return bit_field();
    return extremum();
  }

 private:
  std::optional<Pair> sum(bool adds, unsigned bits) const {
    SourceOperand of;
    if (bits == 32 && draft_.scaling(i_, of)) return Pair{Fusion::scaled_add, negates_};
    if (bits == 32 && is_plain(first_, Opcode::mul, 32)) {
      // The product with a register cannot be negated.
      if (!adds && !is_left_operand() && !has_literal(i_)) return {};
      return Pair{Fusion::multiply_add, negates_};
    }
    if (adds && bits == 32 && is_plain(first_, Opcode::mul24, 32)) return Pair{Fusion::multiply24_add};
    if (adds && bits == 32 && is_funnel_shift()) return Pair{Fusion::funnel_add};
    const bool moves_down = is_plain(first_, Opcode::shr, 32) && draft_.at(i_).operands.size() == 2;
    if (adds && bits == 32 && moves_down && draft_.literal(draft_.at(i_).operands[1]))
      return Pair{Fusion::shift_add, true};
    return three_inputs(Fusion::three_input_add, bits);
  }

  std::optional<Pair> long_sum(bool adds) const {
    if (adds) {
      if (is_plain(first_, Opcode::shl, 64) && has_literal(i_)) return Pair{Fusion::scaled_add_64};
      if (is_plain(first_, Opcode::mul, 64)) return Pair{Fusion::multiply_add_64};
      if (first_.opcode == Opcode::mul && first_.has("half")) return Pair{Fusion::short_multiply_add_64};
      if (first_.opcode == Opcode::cvt && first_.parts.size() == 3 && is_one_of(first_.parts[1], {"s64", "u64"}) &&
          first_.parts[2] == "s32")
        return Pair{Fusion::sign_extended_add_64};
    }
    return three_inputs(Fusion::three_input_add_64, 64);
  }

  bool is_funnel_shift() const {
    const auto& o = draft_.at(i_).operands;
    return first_.opcode == Opcode::shf && (first_.has("literal") || (o.size() == 3 && draft_.literal(o[2])));
  }

  /// Of three inputs one may be a constant.
  std::optional<Pair> three_inputs(Fusion pattern, unsigned bits) const {
    if (negates_ && is_plain(first_, Opcode::neg, bits)) return Pair{pattern, true};
    const bool sums = is_plain(first_, Opcode::add, bits) || is_plain(first_, Opcode::sub, bits);
    if (!sums || constants(i_) + constants(j_) > 1 || (bits == 16 && !negates_)) return {};
    return Pair{pattern};
  }

  /// Bits that are moved up above those of the other operand: the sum is the same.
  bool joins_bits() const {
    SourceOperand of;
    const auto distance = draft_.scaling(i_, of);
    if (!is_plain(second_, Opcode::or_, 32) || !distance) return false;
    const SourceOperand& other = draft_.at(j_).operands[is_left_operand() ? 1 : 0];
    return other.kind == Kind::reg && width(other) <= *distance;
  }

  /// How many bits a 32-bit operand has at most, by what loads or masks it.
  unsigned width(const SourceOperand& o, unsigned depth = 0) const {
    constexpr unsigned unknown = 32;
    if (o.kind != Kind::reg || depth > 4) return unknown;
    const std::uint32_t by = draft_.flow().writer(static_cast<std::uint32_t>(o.value));
    if (by == program::DataFlow::none) return unknown;
    const Mnemonic w = draft_.words(by);
    const auto& operands = draft_.at(by).operands;
    if (draft_.at(by).access == program::AccessKind::load)
      return w.ends({"u8", "b8"}) ? 8 : w.ends({"u16", "b16"}) ? 16 : unknown;
    if (w.opcode == Opcode::cvt && w.parts.size() == 3 && operands.size() == 1 && w.parts[1] == "u32")
      return w.parts[2] == "u8" ? 8 : w.parts[2] == "u16" ? std::min(16u, width(operands[0], depth + 1)) : unknown;
    if (operands.size() != 2) return unknown;
    const auto value = draft_.literal(operands[1]);
    if (value && is_plain(w, Opcode::shr, 32) && w.ends({"u32", "b32"}) && *value < unknown)
      return unknown - static_cast<unsigned>(*value);
    if (value && is_plain(w, Opcode::and_, 32)) return static_cast<unsigned>(std::bit_width(*value & 0xffff'ffff));
    return unknown;
  }

  std::optional<Pair> bit_field() const {
    const auto& o = draft_.at(i_).operands;
    if (!is_plain(first_, Opcode::shr, 32) || !is_plain(second_, Opcode::and_, 32) || o.size() != 2) return {};
    for (const SourceOperand& other : draft_.at(j_).operands) {
      const auto mask = draft_.literal(other);
      if (mask && *mask != 0 && std::has_single_bit(*mask + 1) && draft_.literal(o[1])) return Pair{Fusion::bit_field};
    }
    return {};
  }

  std::optional<Pair> extremum() const {
    if (!second_.opcode || !is_one_of(*second_.opcode, {Opcode::min, Opcode::max})) return {};
    if (!second_.ends({"u32", "s32"})) return {};
    if (is_plain(first_, Opcode::add, 32) || is_plain(first_, Opcode::sub, 32)) return Pair{Fusion::sum_min_max};
    if (first_.parts != second_.parts) return {};
    return Pair{Fusion::three_input_min_max};
  }

  /// What `i` writes is the left operand of `j`.
  bool is_left_operand() const {
    return draft_.at(j_).operands[0] == SourceOperand{Kind::reg, draft_.at(i_).destinations[0]};
  }
  bool has_literal(std::uint32_t n) const {
    const auto& o = draft_.at(n).operands;
    return std::any_of(o.begin(), o.end(), [&](const SourceOperand& one) { return draft_.literal(one).has_value(); });
  }
  std::size_t constants(std::uint32_t n) const {
    const auto& o = draft_.at(n).operands;
    return static_cast<std::size_t>(std::count_if(o.begin(), o.end(), [&](const SourceOperand& one) {
      return one.kind != Kind::reg || draft_.is_constant(static_cast<std::uint32_t>(one.value));
    }));
  }

  const SelectionDraft& draft_;
  const std::uint32_t i_, j_;
  const Mnemonic first_, second_;
  const bool negates_;
};

}  // namespace

std::optional<Pair> pair_of(const SelectionDraft& draft, std::uint32_t i, std::uint32_t j) {
  const auto pair = Pairing(draft, i, j).find();
  return pair && draft.rules().fused(pair->pattern) != nullptr ? pair : std::nullopt;
}

}  // namespace lockstep::machine
