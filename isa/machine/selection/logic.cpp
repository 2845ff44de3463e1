#include "isa/machine/selection/logic.hpp"

#include <algorithm>
#include <optional>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;
using Kind = SourceOperand::Kind;
using Inputs = std::vector<SourceOperand>;

class LogicFusing {
 public:
  explicit LogicFusing(SelectionDraft& draft)
      : draft_(draft),
        inverts_(draft.rules().fused(Fusion::negated_operand) != nullptr),
        inputs_(draft.count()),
        members_(draft.count()) {}

  void run() {
    for (std::uint32_t j = 0; j < draft_.count(); ++j) {
      const unsigned bits = bits_of(j);
      if (bits == 0 || !suits(j)) continue;
      for (const SourceOperand& o : draft_.at(j).operands) add(inputs_[j], input(o));
      members_[j].push_back(j);
      while (const auto best = best_of(j, bits)) absorb(*best, j, bits);
    }
  }

 private:
  /// Of an and, or, xor that the generation has with three inputs; else 0.
  unsigned bits_of(std::uint32_t j) const {
    const Mnemonic w = draft_.words(j);
    for (const unsigned bits : {32u, 16u, 64u})
      if (is_logic(w, bits) && (bits != 16 || inverts_) && operations(bits) != nullptr) return bits;
    return 0;
  }
  const std::vector<Step>* operations(unsigned bits) const {
    return draft_.rules().fused(bits == 64 ? Fusion::three_input_logic_64 : Fusion::three_input_logic);
  }
  bool suits(std::uint32_t j) const {
    const program::StaticInstruction& s = draft_.at(j);
    return !draft_.chosen(j).removed && draft_.chosen(j).operations == nullptr && only_computes(s) &&
           s.destinations.size() == 1 && s.operands.size() == 2;
  }

  /// A literal by its value.
  SourceOperand input(const SourceOperand& o) const {
    if (const auto value = draft_.literal(o)) return {Kind::literal, *value};
    return o;
  }
  static void add(Inputs& inputs, const SourceOperand& one) {
    if (std::find(inputs.begin(), inputs.end(), one) == inputs.end()) inputs.push_back(one);
  }
  bool is_constant(const SourceOperand& o) const {
    return o.kind != Kind::reg || draft_.is_constant(static_cast<std::uint32_t>(o.value));
  }

  /// What `j` computes from, with `i` in place of its result; none when they are too many.
  std::optional<Inputs> together(std::uint32_t i, std::uint32_t j, std::uint32_t d) const {
    Inputs all;
    for (const SourceOperand& o : inputs_[j])
      if (o != SourceOperand{Kind::reg, d}) add(all, o);
    for (const SourceOperand& o : inputs_of(i)) add(all, o);
    const auto constants =
        std::count_if(all.begin(), all.end(), [&](const SourceOperand& o) { return is_constant(o); });
    if (all.size() > 3 || constants > 1) return {};
    return all;
  }
  Inputs inputs_of(std::uint32_t i) const { return inverts(i) ? Inputs{input(draft_.at(i).operands[0])} : inputs_[i]; }
  bool inverts(std::uint32_t i) const {
    return draft_.words(i).opcode == Opcode::not_ && draft_.at(i).operands.size() == 1;
  }

  /// Whether the reader `j` of what `i` writes may compute it.
  bool may_absorb(std::uint32_t i, std::uint32_t j, std::uint32_t d, unsigned bits) const {
    const program::StaticInstruction& s = draft_.at(j);
    if (!suits_first(i, bits) || s.guard == d || !draft_.flow().in_one_block(i, j)) return false;
    const auto stays = [&](std::uint32_t member) { return draft_.unchanged(member, j); };
    return inverts(i) ? stays(i) : std::all_of(members_[i].begin(), members_[i].end(), stays);
  }
  bool suits_first(std::uint32_t i, unsigned bits) const {
    if (draft_.chosen(i).removed || !draft_.defines_one(i) || draft_.is_aliased(draft_.at(i).destinations[0]))
      return false;
    const Mnemonic w = draft_.words(i);
    if (inverts(i)) return inverts_ && (bits == 64 ? w.ends({"b64"}) : w.ends({"b32", "b16"}));
    return !members_[i].empty() && is_logic(w, bits);
  }

  /// The instruction to take in that leaves the fewest inputs.
  std::optional<std::uint32_t> best_of(std::uint32_t j, unsigned bits) const {
    std::optional<std::uint32_t> best;
    std::size_t fewest = 4;
    for (const SourceOperand& o : inputs_[j]) {
      if (o.kind != Kind::reg) continue;
      const auto d = static_cast<std::uint32_t>(o.value);
      const std::uint32_t i = draft_.flow().writer(d);
      if (i == program::DataFlow::none || !may_absorb(i, j, d, bits)) continue;
      const auto inputs = together(i, j, d);
      if (!inputs || inputs->size() >= fewest) continue;
      const auto& readers = draft_.flow().readers(d);
      const auto takes_not = [&](std::uint32_t reader) {
        return bits_of(reader) == bits && suits_second(reader) && may_absorb(i, reader, d, bits);
      };
      if (inverts(i) ? !std::all_of(readers.begin(), readers.end(), takes_not) : readers.size() != 1) continue;
      best = i;
      fewest = inputs->size();
    }
    return best;
  }
  bool suits_second(std::uint32_t reader) const { return !members_[reader].empty() || suits(reader); }

  void absorb(std::uint32_t i, std::uint32_t j, unsigned bits) {
    const std::uint32_t d = draft_.at(i).destinations[0];
    inputs_[j] = *together(i, j, d);
    members_[j].push_back(i);
    if (!inverts(i)) members_[j].insert(members_[j].end(), members_[i].begin(), members_[i].end());
    auto& sources = draft_.chosen(j).sources;
    std::erase(sources, d);
    for (const std::uint32_t r : draft_.chosen(i).sources)
      if (std::find(sources.begin(), sources.end(), r) == sources.end()) sources.insert(sources.begin(), r);
    draft_.chosen(j).operations = operations(bits);
    const auto& readers = draft_.flow().readers(d);
    const bool needed = std::any_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
      const auto& read = draft_.chosen(reader).sources;
      return std::find(read.begin(), read.end(), d) != read.end();
    });
    if (!needed) draft_.chosen(i).removed = true;
  }

  SelectionDraft& draft_;
  bool inverts_;                                     ///< Operands are taken inverted.
  std::vector<Inputs> inputs_;                       ///< By instruction.
  std::vector<std::vector<std::uint32_t>> members_;  ///< What it computes, itself first; empty of what is no logic.
};

}  // namespace

void fuse_logic(SelectionDraft& draft) {
  LogicFusing(draft).run();
}

}  // namespace lockstep::machine
