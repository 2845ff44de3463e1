#include "isa/machine/selection/halves.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "isa/machine/selection/half_values.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::SourceOperand;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

class Reduction {
 public:
  explicit Reduction(SelectionDraft& draft) : draft_(draft), values_(draft) {}

  void choose(std::uint32_t i) {
    const program::StaticInstruction& s = draft_.at(i);
    if (draft_.chosen(i).removed || !only_computes(s) || s.destinations.size() != 1 || s.operands.empty()) return;
    if (draft_.bits(s.destinations[0]) != 64) return;
    const Mnemonic w = draft_.words(i);
    if (w.opcode == Opcode::mul) return multiply(i, w);
    if (w.opcode == Opcode::mov || (w.opcode == Opcode::cvt && w.ends({"s32"}))) return;
    if (const std::optional<Halves> result = values_.result(i)) reduce(i, *result);
  }

 private:
  /// Factors without upper halves make one wide product; one such factor spares a product.
  void multiply(std::uint32_t i, const Mnemonic& w) {
    const auto& o = draft_.at(i).operands;
    if (!is_plain(w, Opcode::mul, 64) || o.size() != 2) return;
    const bool short_a = values_.half(o[0], true).is_zero(), short_b = values_.half(o[1], true).is_zero();
    if (short_a && short_b)
      draft_.chosen(i).mnemonic = "mul.wide.u32";
    else if (short_a || short_b)
      insert(i, "half");
  }

  void insert(std::uint32_t i, const char* modifier) {
    draft_.chosen(i).mnemonic.insert(draft_.words(i).parts[0].size(), std::string(".") + modifier);
  }

  void reduce(std::uint32_t i, const Halves& result) {
    const std::uint32_t d = draft_.at(i).destinations[0];
    unsigned computed = 0;
    for (const bool upper : {false, true}) computed += result[upper].is_computed() && values_.is_read(d, upper);
    const bool named = draft_.defines_one(i);
    unsigned moves = !named && computed == 0;  // Of what has several writers, at least one half is where it is.
    if (named && values_.is_read(d, true) && is_read_as_pair(d)) moves = side_by_side(result);
    if (computed + moves >= 2) {
      if (computed == 0) draft_.chosen(i).mnemonic = "mov.b64";
    } else if (computed == 1) {
      if (!feeds_logic(i, result)) insert(i, "half");
    } else if (moves == 1 || !may_alias(i)) {
      draft_.chosen(i).mnemonic = "mov.half.b64";
    } else {
      draft_.alias(d, draft_.chosen(i).sources, i);
    }
  }

  /// Logic of which a half is computed, and that a LOP3 of both halves takes with what reads it.
  bool feeds_logic(std::uint32_t i, const Halves& result) const {
    if (!is_logic(draft_.words(i), 64) || draft_.rules().fused(Fusion::three_input_logic_64) == nullptr) return false;
    const auto& readers = draft_.flow().readers(draft_.at(i).destinations[0]);
    if (readers.size() != 1 || !is_logic(draft_.words(readers[0]), 64)) return false;
    if (!draft_.flow().in_one_block(i, readers[0]) || result[0].is_computed() == result[1].is_computed()) return false;
    const std::optional<Halves> next = values_.result(readers[0]);
    return next && (*next)[0].is_computed() && (*next)[1].is_computed();
  }

  /// How many halves have to be moved until they stand in a pair of registers.
  unsigned side_by_side(const Halves& result) const {
    return static_cast<unsigned>(std::count_if(result.begin(), result.end(), [&](const Half& one) {
      if (one.from == Half::From::literal) return true;
      return one.from == Half::From::reg && draft_.bits(one.value) == 64 && !is_load_of_one_half(one);
    }));
  }

  /// A load writes the half that is left of it where it is needed.
  bool is_load_of_one_half(const Half& half) const {
    const std::uint32_t by = draft_.flow().writer(half.value);
    return by != program::DataFlow::none && draft_.at(by).access == AccessKind::load &&
           !values_.is_read(half.value, !half.upper);
  }

  bool is_read_as_pair(std::uint32_t d) const {
    const auto& readers = draft_.flow().readers(d);
    return std::any_of(readers.begin(), readers.end(), [&](std::uint32_t j) {
      const program::StaticInstruction& s = draft_.at(j);
      if (s.access != AccessKind::none) return !is_address_only(s, d);
      const Mnemonic w = draft_.words(j);
      if (w.opcode == Opcode::selp || !is_plain(w, Opcode::add, 64)) return false;
      return std::any_of(s.operands.begin(), s.operands.end(), [&](const SourceOperand& o) { return joins_sum(o, d); });
    });
  }

  /// A product that becomes part of the addition to `d`: IMAD.WIDE adds.
  bool joins_sum(const SourceOperand& o, std::uint32_t d) const {
    if (o.kind != Kind::reg || o.value == d || draft_.rules().fused(Fusion::multiply_wide_add) == nullptr) return false;
    const std::uint32_t by = draft_.flow().writer(static_cast<std::uint32_t>(o.value));
    if (by == program::DataFlow::none || !draft_.defines_one(by)) return false;
    const Mnemonic w = draft_.words(by);
    const auto& readers = draft_.flow().readers(static_cast<std::uint32_t>(o.value));
    if (w.opcode == Opcode::mul && w.has("lo") && w.ends({"u64", "s64"})) return readers.size() == 1;
    return draft_.is_wide(by) && std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) {
             return is_plain(draft_.words(j), Opcode::add, 64);
           });
  }

  /// Whether the sources still are what they were wherever the result is read.
  bool may_alias(std::uint32_t i) const {
    const auto& sources = draft_.chosen(i).sources;
    if (std::all_of(sources.begin(), sources.end(), [&](std::uint32_t r) { return draft_.flow().writes(r) <= 1; }))
      return true;
    const auto& readers = draft_.flow().readers(draft_.at(i).destinations[0]);
    return std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) {
      return draft_.flow().unchanged(i, j) && (draft_.at(j).destinations.empty() || !copies(j));
    });
  }

  /// An operation whose own result may become another name.
  bool copies(std::uint32_t j) const {
    const Mnemonic w = draft_.words(j);
    return w.opcode && is_one_of(*w.opcode, {Opcode::mov, Opcode::selp, Opcode::cvt, Opcode::and_, Opcode::or_,
                                             Opcode::xor_, Opcode::add, Opcode::sub, Opcode::shl, Opcode::shr});
  }

  SelectionDraft& draft_;
  const HalfValues values_;
};

}  // namespace

void choose_halves(SelectionDraft& draft) {
  Reduction reduction(draft);
  for (std::uint32_t i = 0; i < draft.count(); ++i) reduction.choose(i);
}

}  // namespace lockstep::machine
