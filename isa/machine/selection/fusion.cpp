#include "isa/machine/selection/fusion.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "isa/machine/selection/pairs.hpp"

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

class Fusing {
 public:
  explicit Fusing(SelectionDraft& draft) : draft_(draft), taken_(draft.count()) {}

  void run() {
    const auto each = [&](void (Fusing::*step)(std::uint32_t)) {
      for (std::uint32_t i = 0; i < draft_.count(); ++i) (this->*step)(i);
    };
    each(&Fusing::fuse_carried_halves);
    each(&Fusing::select_min_max);
    each(&Fusing::fuse_follower);
    each(&Fusing::fuse_wide);
    each(&Fusing::fuse_long_sums);
    contract();
    each(&Fusing::fuse_pair);
    each(&Fusing::test_logic);
    each(&Fusing::fuse_comparison);
    fuse_product_halves();
    each(&Fusing::reduce_strength);
  }

 private:
  bool is_open(std::uint32_t i) const {
    return !draft_.chosen(i).removed && draft_.chosen(i).operations == nullptr && !taken_[i];
  }

  /// `j` may do what `i`, which writes `d`, does.
  bool may_absorb(std::uint32_t i, std::uint32_t j, std::uint32_t d) const {
    const program::StaticInstruction& s = draft_.at(j);
    return is_open(j) && only_computes(s) && s.destinations.size() == 1 && s.guard != d && times(s, d) == 1 &&
           draft_.unchanged(i, j);
  }

  void absorb(std::uint32_t i, std::uint32_t j, std::uint32_t d, const std::vector<Step>& operations) {
    auto& sources = draft_.chosen(j).sources;
    sources.erase(std::find(sources.begin(), sources.end(), d));
    for (const std::uint32_t r : draft_.chosen(i).sources)
      if (std::find(sources.begin(), sources.end(), r) == sources.end()) sources.insert(sources.begin(), r);
    draft_.chosen(j).operations = &operations;
    draft_.chosen(i).removed = true;
    taken_[i] = taken_[j] = true;
  }

  /// All readers of what `i` writes absorb it, if each may; whether they did.
  template <class Suits>
  bool absorb_in_all(std::uint32_t i, const std::vector<Step>* operations, Suits&& suits) {
    const std::uint32_t d = draft_.at(i).destinations[0];
    const auto& readers = draft_.flow().readers(d);
    if (operations == nullptr || readers.empty()) return false;
    if (!std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) { return may_absorb(i, j, d) && suits(j); }))
      return false;
    for (const std::uint32_t j : readers) absorb(i, j, d, *operations);
    return true;
  }

  /// A selection among the operands of the comparison that decides.
  void select_min_max(std::uint32_t j) {
    const program::StaticInstruction& s = draft_.at(j);
    if (draft_.rules().fused(Fusion::select_min_max) == nullptr || !is_open(j) || !draft_.defines_one(j)) return;
    if (draft_.words(j).opcode != Opcode::selp || s.operands.size() != 3 || s.operands[2].kind != Kind::reg) return;
    const auto predicate = static_cast<std::uint32_t>(s.operands[2].value);
    const std::uint32_t i = draft_.flow().writer(predicate);
    if (i == program::DataFlow::none || !draft_.defines_one(i) || !draft_.unchanged(i, j)) return;
    const Mnemonic w = draft_.words(i);
    const auto& compared = draft_.at(i).operands;
    if (w.opcode != Opcode::setp || compared.size() != 2 || !w.ends({"u32", "s32"})) return;
    const bool less = w.has("lt") || w.has("le"), greater = w.has("gt") || w.has("ge");
    if (!less && !greater) return;
    const bool same = compared[0] == s.operands[0] && compared[1] == s.operands[1];
    if (!same && (compared[0] != s.operands[1] || compared[1] != s.operands[0])) return;
    draft_.chosen(j).mnemonic = (less == same ? "min." : "max.") + std::string(w.parts.back());
    std::erase(draft_.chosen(j).sources, predicate);
  }

  /// What every reader makes of the result of `i` is an operation of its own.
  void fuse_follower(std::uint32_t i) {
    if (!is_open(i) || !draft_.defines_one(i)) return;
    const Mnemonic w = draft_.words(i);
    const auto absorbed = [&](Fusion pattern, bool (Fusing::*suits)(std::uint32_t) const) {
      absorb_in_all(i, draft_.rules().fused(pattern),
                    [&](std::uint32_t j) { return draft_.flow().in_one_block(i, j) && (this->*suits)(j); });
    };
    if (w.opcode == Opcode::setp && w.ends({"f32"})) return absorbed(Fusion::comparison_value, &Fusing::selects_one);
    if (w.opcode == Opcode::cvt && w.ends({"f32"}) && w.parts.size() > 2 && w.parts[w.parts.size() - 2] == "f32" &&
        !w.has("sat") && (w.has("rmi") || w.has("rpi") || w.has("rni") || w.has("rzi")))
      return absorbed(Fusion::rounded_conversion, &Fusing::converts_to_integer);
    if (w.opcode == Opcode::clz && w.ends({"b32"})) return absorbed(Fusion::highest_bit, &Fusing::subtracts_from_31);
    if (draft_.flow().readers(draft_.at(i).destinations[0]).size() != 1) return;
    if (w.opcode == Opcode::max && w.ends({"f32"}) && !w.has("NaN") && has_real(i, 0.0)) {
      if (saturates_operand(i)) return;
      return absorbed(Fusion::saturation, &Fusing::limits_to_one);
    }
    if (is_plain(w, Opcode::add, 32) || is_plain(w, Opcode::sub, 32))
      return absorbed(Fusion::negated_sum, &Fusing::negates);
  }

  /// Sums and products of f32 that nothing else reads saturate by themselves: then neither limit is left. Whether it is so.
  bool saturates_operand(std::uint32_t i) {
    const std::uint32_t d = draft_.at(i).destinations[0], j = draft_.flow().readers(d)[0];
    if (draft_.rules().fused(Fusion::saturation) == nullptr || !may_absorb(i, j, d) || !limits_to_one(j)) return false;
    if (!draft_.defines_one(j) || !draft_.flow().in_one_block(i, j)) return false;
    for (const SourceOperand& o : draft_.at(i).operands) {
      const std::uint32_t of = o.kind == Kind::reg ? static_cast<std::uint32_t>(o.value) : 0;
      const std::uint32_t by = o.kind == Kind::reg ? draft_.flow().writer(of) : program::DataFlow::none;
      if (by == program::DataFlow::none || !draft_.defines_one(by) || !draft_.flow().in_one_block(by, i)) continue;
      const Mnemonic w = draft_.words(by);
      const bool rounds = w.opcode && is_one_of(*w.opcode, {Opcode::add, Opcode::sub, Opcode::mul, Opcode::fma});
      if (!rounds || !w.ends({"f32"}) || draft_.flow().readers(of).size() != 1) continue;
      draft_.alias(d, {of}, i);
      draft_.alias(draft_.at(j).destinations[0], {d}, j);
      return true;
    }
    return false;
  }

  bool selects_one(std::uint32_t j) const {
    const auto& o = draft_.at(j).operands;
    if (draft_.words(j).opcode != Opcode::selp || !draft_.words(j).ends({"f32"}) || o.size() != 3) return false;
    const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);  // Literals are kept as f64.
    const auto a = draft_.literal(o[0]), b = draft_.literal(o[1]);
    return (a == one && b == 0u) || (a == 0u && b == one);
  }
  bool converts_to_integer(std::uint32_t j) const {
    const Mnemonic w = draft_.words(j);
    return w.opcode == Opcode::cvt && w.ends({"f32"}) && (w.has("s32") || w.has("u32"));
  }
  bool has_real(std::uint32_t n, double value) const {
    const auto& o = draft_.at(n).operands;
    return std::any_of(o.begin(), o.end(), [&](const SourceOperand& one) {
      return draft_.literal(one) == std::bit_cast<std::uint64_t>(value);
    });
  }
  bool limits_to_one(std::uint32_t j) const {
    return draft_.words(j).opcode == Opcode::min && draft_.words(j).ends({"f32"}) && !draft_.words(j).has("NaN") &&
           has_real(j, 1.0);
  }
  bool subtracts_from_31(std::uint32_t j) const {
    const auto& o = draft_.at(j).operands;
    return is_plain(draft_.words(j), Opcode::sub, 32) && o.size() == 2 && draft_.literal(o[0]) == 31u;
  }
  bool negates(std::uint32_t j) const { return is_plain(draft_.words(j), Opcode::neg, 32); }

  /// Wide products of which every reader is a 64-bit addition: each addition repeats the product, at no cost.
  void fuse_wide(std::uint32_t i) {
    if (!is_open(i) || !draft_.defines_one(i) || !draft_.is_wide(i)) return;
    const bool scaled = draft_.wide_scaling(i).has_value();
    absorb_in_all(i, draft_.rules().fused(scaled ? Fusion::scaled_wide_add : Fusion::multiply_wide_add),
                  [&](std::uint32_t j) { return is_plain(draft_.words(j), Opcode::add, 64); });
  }

  /// Three inputs of 64 bits go before the other pairs of 64-bit additions.
  void fuse_long_sums(std::uint32_t j) { fuse_best(j, Fusion::three_input_add_64); }
  void fuse_pair(std::uint32_t j) { fuse_best(j, {}); }

  /// One operation for a pair of one basic block: what stands outside a loop stays there. What is shifted, scaled or
  /// negated on the way is repeated in each of several readers; else nothing else reads the link.
  void fuse_best(std::uint32_t j, std::optional<Fusion> only) {
    if (!is_open(j)) return;
    struct Found {
      std::uint32_t first;
      Pair pair;
    };
    std::vector<Found> found;
    for (const SourceOperand& o : draft_.at(j).operands) {
      if (o.kind != Kind::reg) continue;
      const auto d = static_cast<std::uint32_t>(o.value);
      const std::uint32_t i = draft_.flow().writer(d);
      if (i == program::DataFlow::none || !is_open(i) || !draft_.defines_one(i) || draft_.is_aliased(d)) continue;
      const auto pair = suiting(i, j, d);
      if (pair && (!only || pair->pattern == *only)) found.push_back({i, *pair});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.pair.pattern < b.pair.pattern; });
    for (const Found& one : found) {
      const std::uint32_t d = draft_.at(one.first).destinations[0];
      const auto* operations = draft_.rules().fused(one.pair.pattern);
      if (draft_.flow().readers(d).size() == 1) return absorb(one.first, j, d, *operations);
      const auto again = [&](std::uint32_t k) {
        const auto pair = suiting(one.first, k, d);
        return pair && pair->repeats && pair->pattern == one.pair.pattern;
      };
      if (absorb_in_all(one.first, operations, again)) return;
    }
  }

  /// Sums that compute their products themselves. A product that nothing else reads is left to nobody then, and goes.
  void contract() {
    for (const ptx::Contraction& one : draft_.contractions()) {
      const auto* operations = draft_.rules().fused(pattern_of(one.type));
      if (operations == nullptr || !is_open(one.sum) || draft_.chosen(one.product).removed) continue;
      auto& sources = draft_.chosen(one.sum).sources;
      sources.erase(std::find(sources.begin(), sources.end(), draft_.at(one.sum).operands[1 - one.addend].value));
      for (const std::uint32_t r : draft_.chosen(one.product).sources)
        if (std::find(sources.begin(), sources.end(), r) == sources.end()) sources.insert(sources.begin(), r);
      draft_.chosen(one.sum).operations = operations;
      taken_[one.product] = taken_[one.sum] = true;
    }
  }

  static Fusion pattern_of(ptx::Type type) {
    if (type == ptx::Type::f32) return Fusion::float_multiply_add;
    return type == ptx::Type::f64 ? Fusion::double_multiply_add : Fusion::half_multiply_add;
  }

  std::optional<Pair> suiting(std::uint32_t i, std::uint32_t j, std::uint32_t d) const {
    if (!draft_.flow().in_one_block(i, j) || !may_absorb(i, j, d)) return {};
    return pair_of(draft_, i, j);
  }

  /// A comparison with zero of what logic gives: the logic operation writes the predicate too.
  void test_logic(std::uint32_t j) {
    const program::StaticInstruction& s = draft_.at(j);
    if (draft_.rules().fused(Fusion::logic_test) == nullptr || !is_open(j) || !draft_.defines_one(j)) return;
    const Mnemonic w = draft_.words(j);
    if (w.opcode != Opcode::setp || s.operands.size() != 2 || !(w.has("eq") || w.has("ne"))) return;
    if (!w.ends({"u32", "s32", "b32", "u16", "s16", "b16"}) || w.parts.size() != 3) return;
    if (s.operands[0].kind != Kind::reg || draft_.literal(s.operands[1]) != 0u) return;
    const auto d = static_cast<std::uint32_t>(s.operands[0].value);
    const std::uint32_t i = draft_.flow().writer(d);
    if (i == program::DataFlow::none || draft_.chosen(i).removed || !draft_.defines_one(i) || draft_.is_aliased(d))
      return;
    const Mnemonic logic = draft_.words(i);
    if ((!is_logic(logic) && !is_logic(logic, 16)) || !draft_.flow().in_one_block(i, j)) return;
    const bool written_too = draft_.flow().readers(d).size() > 1;
    if (written_too && logic.opcode != Opcode::and_) return;
    draft_.alias(s.destinations[0], {d}, j);
  }

  /// A comparison of which every reader combines its predicate with another one: each reader repeats it.
  void fuse_comparison(std::uint32_t i) {
    if (!is_open(i) || !draft_.defines_one(i)) return;
    if (draft_.words(i).opcode != Opcode::setp || draft_.at(i).operands.size() != 2) return;
    absorb_in_all(i, draft_.rules().fused(Fusion::compare_logic), [&](std::uint32_t j) {
      const Mnemonic w = draft_.words(j);
      return draft_.at(j).operands.size() == 2 && w.ends({"pred"}) && w.opcode &&
             is_one_of(*w.opcode, {Opcode::and_, Opcode::or_, Opcode::xor_});
    });
  }

  /// The lower half of a product with an addend, and behind it the upper half of the same factors that takes its carry: one operation
  /// adds 64 bits.
  void fuse_carried_halves(std::uint32_t j) {
    const auto* operations = draft_.rules().fused(Fusion::carried_product_halves);
    if (operations == nullptr || j == 0 || !is_open(j) || !is_open(j - 1) || !draft_.flow().in_one_block(j - 1, j))
      return;
    const program::StaticInstruction &low = draft_.at(j - 1), &high = draft_.at(j);
    const Mnemonic of_low = draft_.words(j - 1), of_high = draft_.words(j);
    if (of_high.opcode != Opcode::madc || !of_high.has("hi") || !of_high.ends({"u32"})) return;
    if (of_low.opcode != Opcode::mad && of_low.opcode != Opcode::madc) return;
    if (!of_low.has("lo") || !of_low.has("cc") || !of_low.ends({"u32"})) return;
    if (low.guard != program::no_register || high.guard != program::no_register) return;
    if (low.operands.size() != 3 || high.operands.size() != 3) return;
    Factor a = factor(low.operands[0]), b = factor(low.operands[1]), c = factor(high.operands[0]),
           d = factor(high.operands[1]);
    if (b < a) std::swap(a, b);
    if (d < c) std::swap(c, d);
    const std::uint32_t result = high.destinations[0];
    if (a != c || b != d || draft_.flow().writes(result) != 1 || draft_.is_aliased(result)) return;
    if (high.operands[2] == SourceOperand{Kind::reg, low.destinations[0]}) return;
    if (high.operands[2].kind == Kind::reg)
      draft_.chosen(j - 1).sources.push_back(static_cast<std::uint32_t>(high.operands[2].value));
    draft_.chosen(j - 1).operations = operations;
    draft_.alias(result, {low.destinations[0]}, j);
    taken_[j - 1] = taken_[j] = true;
  }

  /// The halves of one product, where the second stands before what uses the first: one operation writes both.
  void fuse_product_halves() {
    const auto* operations = draft_.rules().fused(Fusion::product_halves);
    if (operations == nullptr) return;
    for (const program::StaticBlock& block : draft_.blocks()) {
      std::map<std::pair<Factor, Factor>, std::uint32_t> products;  // The last one of each two factors.
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        if (!is_half(i)) continue;
        Factor a = factor(draft_.at(i).operands[0]), b = factor(draft_.at(i).operands[1]);
        if (b < a) std::swap(a, b);
        const auto [at, first] = products.try_emplace({a, b}, i);
        if (first) continue;
        const std::uint32_t other = at->second;
        at->second = i;
        const std::uint32_t d = draft_.at(other).destinations[0];
        const auto& readers = draft_.flow().readers(d);
        const bool used =
            std::any_of(readers.begin(), readers.end(), [&](std::uint32_t r) { return other < r && r < i; });
        if (used || draft_.words(other).has("hi") == draft_.words(i).has("hi") || taken_[other]) continue;
        if (!draft_.unchanged(other, i)) continue;
        draft_.chosen(other).operations = operations;
        draft_.alias(draft_.at(i).destinations[0], {d}, i);
        taken_[other] = taken_[i] = true;
      }
    }
  }

  /// A half of a product of 32-bit factors that no shift gives.
  bool is_half(std::uint32_t i) const {
    if (!is_open(i) || !draft_.defines_one(i) || draft_.is_aliased(draft_.at(i).destinations[0])) return false;
    const Mnemonic w = draft_.words(i);
    SourceOperand of;
    if (w.opcode != Opcode::mul || draft_.at(i).operands.size() != 2 || draft_.scaling(i, of)) return false;
    return is_plain(w, Opcode::mul, 32) || (w.has("hi") && w.ends({"u32", "s32"}));
  }

  /// A literal by its value, else the operand.
  using Factor = std::pair<Kind, std::uint64_t>;
  Factor factor(const SourceOperand& operand) const {
    if (const auto value = draft_.literal(operand)) return {Kind::literal, *value & 0xffff'ffff};
    return {operand.kind, operand.value};
  }

  /// A product with a power of two is a shift; shifts, products and quotients by literals have rows of their own, with the
  /// modifier "literal".
  void reduce_strength(std::uint32_t i) {
    const program::StaticInstruction& s = draft_.at(i);
    if (!is_open(i) || !only_computes(s)) return;
    SourceOperand of;
    if (draft_.scaling(i, of)) {
      draft_.chosen(i).mnemonic = "shl.literal.b32";
    } else if (const Mnemonic w = draft_.words(i); w.opcode &&
                                                   is_one_of(*w.opcode, {Opcode::mul, Opcode::div, Opcode::rem}) &&
                                                   s.operands.size() == 2 && draft_.literal(s.operands[1])) {
      draft_.chosen(i).mnemonic.insert(w.parts[0].size(), ".literal");
    }
    if (draft_.wide_scaling(i)) draft_.chosen(i).operations = draft_.rules().fused(Fusion::scaled_wide);
  }

  SelectionDraft& draft_;
  std::vector<bool> taken_;  ///< Part of a fused operation.
};

}  // namespace

void fuse(SelectionDraft& draft) {
  Fusing(draft).run();
}

}  // namespace lockstep::machine
