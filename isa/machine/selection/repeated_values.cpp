#include "isa/machine/selection/repeated_values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "isa/machine/dominance.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/program/data_flow.hpp"
#include "isa/ptx/opcodes.hpp"

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using program::StaticInstruction;
using Kind = SourceOperand::Kind;

/// Whether the first two operands may be exchanged.
bool commutes(const Mnemonic& w) {
  using ptx::Opcode;
  return is_one_of(*w.opcode, {Opcode::add, Opcode::mul, Opcode::mad, Opcode::fma, Opcode::and_, Opcode::or_,
                               Opcode::xor_, Opcode::min, Opcode::max});
}

/// Of equal computations, how many of the last ones are looked at: so that programs of any size take no longer than they are long.
constexpr std::ptrdiff_t most_compared = 32;

/// How many predicates are kept for other basic blocks.
constexpr std::size_t most_kept_predicates = 8;

class Repetition {
 public:
  /// `keeps_predicates`: also for other basic blocks.
  Repetition(const program::Kernel& kernel, bool keeps_predicates)
      : kernel_(kernel),
        keeps_predicates_(keeps_predicates),
        flow_(kernel),
        dominance_(kernel.blocks),
        block_(kernel.instructions.size()),
        repeats_(kernel.instructions.size()),
        first_(kernel.register_bits.size()) {
    std::iota(first_.begin(), first_.end(), 0);
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
      std::fill_n(block_.begin() + kernel.blocks[b].first, kernel.blocks[b].count, b);
  }

  /// How many predicates other basic blocks read. To be called once, first.
  std::size_t find() {
    for (const std::uint32_t b : order())
      for (std::uint32_t n = 0; n < kernel_.blocks[b].count; ++n) look_at(kernel_.blocks[b].first + n);
    return kept_predicates_.size();
  }

  std::optional<WithoutRepetition> result() && {
    if (std::find(repeats_.begin(), repeats_.end(), true) == repeats_.end()) return {};
    WithoutRepetition result{kernel_, std::move(repeats_)};
    for (std::uint32_t i = 0; i < result.kernel.instructions.size(); ++i) {
      StaticInstruction& s = result.kernel.instructions[i];
      if (result.repeats[i]) {
        s.destinations.clear(), s.sources.clear(), s.operands.clear();
        s.address_register = program::no_register;
        s.mnemonic = 0;
        s.reads_special_register = false;
        continue;
      }
      for (std::uint32_t& r : s.sources) r = first_[r];
      for (SourceOperand& o : s.operands) o = renamed(o);
      if (s.guard != program::no_register) s.guard = first_[s.guard];
      if (s.address_register != program::no_register) s.address_register = first_[s.address_register];
    }
    return result;
  }

 private:
  /// An instruction and what it reads.
  using Value = std::pair<std::uint32_t, std::vector<std::tuple<Kind, std::uint64_t, std::uint64_t>>>;

  SourceOperand renamed(SourceOperand o) const {
    if (o.kind == Kind::reg) o.value = first_[o.value];
    return o;
  }

  /// Basic blocks, each behind those that every way to it passes.
  std::vector<std::uint32_t> order() const {
    const auto count = static_cast<std::uint32_t>(kernel_.blocks.size());
    std::vector<std::uint32_t> postorder;
    std::vector<bool> seen(count);
    for (std::uint32_t root = 0; root < count; ++root) {
      if (seen[root]) continue;
      const std::size_t begin = postorder.size();
      std::vector<std::pair<std::uint32_t, std::size_t>> open = {{root, 0}};
      seen[root] = true;
      while (!open.empty()) {
        auto& [b, next] = open.back();
        const auto& ways = kernel_.blocks[b].successors;
        if (next == ways.size()) {
          postorder.push_back(b);
          open.pop_back();
        } else if (const std::uint32_t way = ways[next++]; !seen[way]) {
          seen[way] = true;
          open.emplace_back(way, 0);
        }
      }
      std::reverse(postorder.begin() + static_cast<std::ptrdiff_t>(begin), postorder.end());
    }
    return postorder;
  }

  /// A load that finds the same whenever it is executed.
  bool loads_constants(const StaticInstruction& s) const {
    if (s.access != program::AccessKind::load || s.guard != program::no_register || s.destinations.empty())
      return false;
    const bool read_only = s.space == program::MemorySpace::constant ||
                           (s.space == program::MemorySpace::global && Mnemonic(kernel_.strings[s.mnemonic]).has("nc"));
    return read_only && s.address_register != program::no_register && s.operands.size() == 1 &&
           std::all_of(s.destinations.begin(), s.destinations.end(),
                       [&](std::uint32_t reg) { return flow_.writes(reg) == 1; });
  }

  bool computes_one(const StaticInstruction& s) const {
    if (s.access != program::AccessKind::none || s.control != program::Control::none || s.reads_clock) return false;
    if (s.has_rare_operands || s.guard != program::no_register || s.destinations.size() != 1) return false;
    if (s.operands.empty() || flow_.writes(s.destinations[0]) != 1) return false;
    const Mnemonic w(kernel_.strings[s.mnemonic]);
    if (!w.opcode || w.has("cc")) return false;
    const ptx::OpcodeRow& row = ptx::row_of(*w.opcode);
    if (row.subject != ptx::OpcodeClass::arithmetic || row.traits.reads_carry) return false;
    return std::any_of(s.operands.begin(), s.operands.end(), [](const auto& o) { return o.kind == Kind::reg; }) &&
           std::none_of(s.operands.begin(), s.operands.end(), [](const auto& o) { return o.kind == Kind::other; });
  }

  Value value_of(const StaticInstruction& s) const {
    Value value(s.mnemonic, {});
    auto& operands = value.second;
    for (const SourceOperand& o : s.operands) {
      const SourceOperand r = renamed(o);
      operands.emplace_back(r.kind, r.value, r.offset);
    }
    if (s.access != program::AccessKind::none)
      operands.emplace_back(Kind::literal, static_cast<std::uint64_t>(s.address_offset), 0);
    else if (operands.size() >= 2 && commutes(Mnemonic(kernel_.strings[s.mnemonic])) && operands[1] < operands[0])
      std::swap(operands[0], operands[1]);
    return value;
  }

  void look_at(std::uint32_t i) {
    const StaticInstruction& s = kernel_.instructions[i];
    if (!computes_one(s) && !loads_constants(s)) return;
    std::vector<std::uint32_t>& same = computed_[value_of(s)];
    const auto last = same.rbegin(), end = std::ssize(same) > most_compared ? last + most_compared : same.rend();
    const auto before = std::find_if(last, end, [&](std::uint32_t j) { return is_there(j, i); });
    if (before == end) {
      same.push_back(i);
      return;
    }
    for (std::size_t d = 0; d < s.destinations.size(); ++d)
      first_[s.destinations[d]] = kernel_.instructions[*before].destinations[d];
    if (is_predicate(i) && block_[*before] != block_[i]) kept_predicates_.insert(*before);
    repeats_[i] = true;
  }

  /// What `before` has computed is what `i` would compute.
  bool is_there(std::uint32_t before, std::uint32_t i) const {
    if (bits(before) != bits(i)) return false;
    const bool kept = keeps_predicates_ || !is_predicate(i);
    if (block_[before] != block_[i] && !(kept && dominance_.passes(block_[i], block_[before]))) return false;
    return flow_.unchanged(before, i);
  }

  unsigned bits(std::uint32_t i) const { return kernel_.register_bits[kernel_.instructions[i].destinations[0]]; }
  bool is_predicate(std::uint32_t i) const { return bits(i) == 1; }

  const program::Kernel& kernel_;
  bool keeps_predicates_;
  std::set<std::uint32_t> kept_predicates_;  ///< By the instruction that writes it.
  program::DataFlow flow_;
  Dominance dominance_;
  std::vector<std::uint32_t> block_;
  std::vector<bool> repeats_;
  std::vector<std::uint32_t> first_;                      ///< Register -> the one that has its value first.
  std::map<Value, std::vector<std::uint32_t>> computed_;  ///< By whom.
};

}  // namespace

std::optional<WithoutRepetition> without_repetition(const program::Kernel& kernel) {
  Repetition all(kernel, true);
  if (all.find() <= most_kept_predicates) return std::move(all).result();
  Repetition values(kernel, false);
  values.find();
  return std::move(values).result();
}

}  // namespace lockstep::machine
