#include "isa/machine/selection/fusion.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

class Fusing {
 public:
  explicit Fusing(SelectionDraft& draft) : draft_(draft), taken_(draft.count()) {}

  /// Wide products of which every reader is a 64-bit addition: each addition repeats the product, at no cost.
  void fuse_wide(std::uint32_t i) {
    if (draft_.chosen(i).removed || taken_[i] || !draft_.defines_one(i) || !draft_.is_wide(i)) return;
    const bool scaled = draft_.wide_scaling(i).has_value();
    const auto* operations = draft_.rules().fused(scaled ? Fusion::scaled_wide_add : Fusion::multiply_wide_add);
    if (operations == nullptr) return;
    const std::uint32_t d = draft_.at(i).destinations[0];
    const auto& readers = draft_.flow().readers(d);
    if (readers.empty()) return;
    for (const std::uint32_t j : readers) {
      if (draft_.chosen(j).removed || taken_[j] || !only_computes(draft_.at(j)) || draft_.at(j).guard == d) return;
      if (!is_plain(draft_.words(j), Opcode::add, 64) || times(draft_.at(j), d) != 1 || !draft_.flow().unchanged(i, j))
        return;
    }
    for (const std::uint32_t j : readers) absorb(i, j, d, *operations);
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

  /// One operation for a pair of one basic block of which nothing else reads the link: what stands outside a loop stays
  /// there.
  void fuse(std::uint32_t j) {
    if (draft_.chosen(j).removed || taken_[j] || !only_computes(draft_.at(j)) || draft_.at(j).destinations.size() != 1)
      return;
    const Mnemonic w = draft_.words(j);
    const bool adds = is_plain(w, Opcode::add, 32), logic = is_logic(w);
    if ((!adds && !logic) || draft_.at(j).operands.size() != 2) return;
    struct Pair {
      std::uint32_t first;
      Fusion pattern;
    };
    std::vector<Pair> found;
    for (const SourceOperand& o : draft_.at(j).operands) {
      if (o.kind != Kind::reg) continue;
      const auto d = static_cast<std::uint32_t>(o.value);
      const std::uint32_t i = draft_.flow().writer(d);
      if (i == DataFlow::none || draft_.chosen(i).removed || taken_[i] || !draft_.defines_one(i) ||
          draft_.is_aliased(d))
        continue;
      if (!draft_.flow().in_one_block(i, j)) continue;
      if (draft_.flow().readers(d).size() != 1 || times(draft_.at(j), d) != 1 || draft_.at(j).guard == d ||
          !draft_.flow().unchanged(i, j))
        continue;
      if (const auto pattern = adds ? sum_of(i, j) : logic_of(i, j)) found.push_back({i, *pattern});
    }
    std::stable_sort(found.begin(), found.end(), [](const Pair& a, const Pair& b) { return a.pattern < b.pattern; });
    for (const Pair& pair : found) {
      if (const auto* operations = draft_.rules().fused(pair.pattern)) {
        absorb(pair.first, j, draft_.at(pair.first).destinations[0], *operations);
        return;
      }
    }
  }

  /// A comparison of which every reader combines its predicate with another one: each reader repeats it.
  void fuse_comparison(std::uint32_t i) {
    const auto* operations = draft_.rules().fused(Fusion::compare_logic);
    if (operations == nullptr || draft_.chosen(i).removed || taken_[i] || !draft_.defines_one(i)) return;
    if (draft_.words(i).opcode != Opcode::setp || draft_.at(i).operands.size() != 2) return;
    const std::uint32_t d = draft_.at(i).destinations[0];
    const auto& readers = draft_.flow().readers(d);
    if (readers.empty()) return;
    for (const std::uint32_t j : readers) {
      if (draft_.chosen(j).removed || taken_[j] || !only_computes(draft_.at(j)) || draft_.at(j).guard == d ||
          draft_.at(j).operands.size() != 2)
        return;
      const Mnemonic w = draft_.words(j);
      if (!w.ends({"pred"}) || !w.opcode || !is_one_of(*w.opcode, {Opcode::and_, Opcode::or_, Opcode::xor_})) return;
      if (times(draft_.at(j), d) != 1 || !draft_.flow().unchanged(i, j)) return;
    }
    for (const std::uint32_t j : readers) absorb(i, j, d, *operations);
  }

  std::optional<Fusion> sum_of(std::uint32_t i, std::uint32_t j) const {
    SourceOperand of;
    const Mnemonic w = draft_.words(i);
    if (draft_.scaling(i, of)) return Fusion::scaled_add;
    if (is_plain(w, Opcode::mul, 32)) return Fusion::multiply_add;
    if (is_plain(w, Opcode::mul24, 32)) return Fusion::multiply24_add;
    // Of three inputs one may be a constant.
    const bool sums = is_plain(w, Opcode::add, 32) || is_plain(w, Opcode::sub, 32);
    if (sums && constants(i) + constants(j) <= 1) return Fusion::three_input_add;
    return {};
  }
  std::optional<Fusion> logic_of(std::uint32_t i, std::uint32_t j) const {
    const Mnemonic first = draft_.words(i), second = draft_.words(j);
    if (is_plain(first, Opcode::shr, 32) && is_plain(second, Opcode::and_, 32) && draft_.at(i).operands.size() == 2) {
      for (const SourceOperand& o : draft_.at(j).operands) {
        const auto mask = draft_.literal(o);
        if (mask && *mask != 0 && std::has_single_bit(*mask + 1) && draft_.literal(draft_.at(i).operands[1]))
          return Fusion::bit_field;
      }
    }
    if (is_logic(first) && constants(i) + constants(j) <= 1) return Fusion::three_input_logic;
    return {};
  }
  std::size_t constants(std::uint32_t i) const {
    return static_cast<std::size_t>(std::count_if(
        draft_.at(i).operands.begin(), draft_.at(i).operands.end(),
        [&](const auto& o) { return o.kind != Kind::reg || draft_.is_constant(static_cast<std::uint32_t>(o.value)); }));
  }

  /// A product with a power of two is a shift.
  void reduce_strength(std::uint32_t i) {
    if (draft_.chosen(i).removed || taken_[i] || !only_computes(draft_.at(i))) return;
    SourceOperand of;
    if (draft_.scaling(i, of)) draft_.chosen(i).mnemonic = "shl.b32";
    if (draft_.wide_scaling(i)) draft_.chosen(i).operations = draft_.rules().fused(Fusion::scaled_wide);
  }

 private:
  SelectionDraft& draft_;
  std::vector<bool> taken_;  ///< Part of a fused operation.
};

}  // namespace

void fuse(SelectionDraft& draft) {
  Fusing fusing(draft);
  for (std::uint32_t i = 0; i < draft.count(); ++i) fusing.fuse_wide(i);
  for (std::uint32_t i = 0; i < draft.count(); ++i) fusing.fuse(i);
  for (std::uint32_t i = 0; i < draft.count(); ++i) fusing.fuse_comparison(i);
  for (std::uint32_t i = 0; i < draft.count(); ++i) fusing.reduce_strength(i);
}

}  // namespace lockstep::machine
