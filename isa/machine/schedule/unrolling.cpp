#include "isa/machine/schedule/unrolling.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "isa/machine/addresses.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/names.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::Control;
using program::SourceOperand;
using program::StaticInstruction;
using Kind = SourceOperand::Kind;

constexpr std::uint32_t partial_rounds = 4;
/// Of a loop that is unrolled partially: its instructions without those that count, a load for half.
constexpr std::uint32_t largest_partial_body = 19;
/// Instructions of a loop that is unrolled wholly, all rounds together.
constexpr std::uint32_t largest_whole_loop = 4096;

/// A basic block that may go back to itself.
class Loop {
 public:
  Loop(const program::Kernel& kernel, const DataFlow& flow, std::uint32_t block)
      : kernel_(kernel), flow_(flow), first_(kernel.blocks[block].first), end_(first_ + kernel.blocks[block].count) {}

  /// How many rounds stand behind each other; 0: it is not unrolled.
  std::uint32_t rounds() {
    if (!counts()) return 0;
    std::uint32_t body = 0;
    bool synchronizes = false;
    for (std::uint32_t i = first_; i < end_; ++i) {
      const StaticInstruction& s = at(i);
      if (s.reads_clock || (s.control != Control::none && s.control != Control::barrier && i + 1 != end_)) return 0;
      synchronizes = synchronizes || s.control == Control::barrier || s.access == AccessKind::atomic ||
                     s.access == AccessKind::reduction;
      if (i != counter_ && i != comparison_ && i + 1 != end_) body += s.access == AccessKind::load ? 1 : 2;
    }
    const auto all = constant_rounds();
    wholly_ = all && *all > 1 && *all * (end_ - first_) <= largest_whole_loop;
    if (wholly_) return *all;
    return synchronizes || body > 2 * largest_partial_body ? 0 : partial_rounds;
  }
  /// Needed in the last round only: the branch, its comparison, and steps of a register whose value each round knows: as
  /// the offset of an access, or of a counter whose values are constants.
  bool only_last(std::uint32_t i) const {
    if (i + 1 == end_) return true;
    if (i == comparison_)
      return std::all_of(at(i).destinations.begin(), at(i).destinations.end(),
                         [&](std::uint32_t d) { return readers(d) == (d == at(end_ - 1).guard ? 1 : 0); });
    return steps(i) && ((i == counter_ && wholly_) || is_base_only(at(i).destinations[0], i));
  }
  /// The instruction that steps the register by a constant in each round; none.
  std::uint32_t stepper(std::uint32_t reg) const {
    const std::uint32_t i = writer(reg);
    return i < several && steps(i) ? i : none;
  }
  static constexpr std::uint32_t none = ~0u;
  /// The bytes that each round adds to a register that is needed as a base only, whose steps are offsets; 0: it is not.
  std::uint64_t step_of_base(std::uint32_t reg) const {
    const std::uint32_t by = stepper(reg);
    return by == none || !only_last(by) ? 0 : at(by).operands[1].value;
  }
  /// All rounds stand behind each other.
  bool wholly() const { return wholly_; }

 private:
  /// Adds a constant to a register, once per round.
  bool steps(std::uint32_t i) const {
    const StaticInstruction& s = at(i);
    const Mnemonic w(kernel_.strings[s.mnemonic]);
    if (!is_plain(w, ptx::Opcode::add, 32) && !is_plain(w, ptx::Opcode::add, 64)) return false;
    return s.guard == program::no_register && s.destinations.size() == 1 && s.operands.size() == 2 &&
           s.operands[0] == SourceOperand{Kind::reg, s.destinations[0]} && s.operands[1].kind == Kind::literal &&
           writer(s.destinations[0]) == i;
  }

  /// Besides its step `i` and the comparison, nothing reads the register but accesses, as their base.
  bool is_base_only(std::uint32_t reg, std::uint32_t i) const {
    for (std::uint32_t n = first_; n < end_; ++n) {
      const StaticInstruction& s = at(n);
      const auto reads = std::count(s.sources.begin(), s.sources.end(), reg);
      if (n == i || n == comparison_ || reads == 0) continue;
      if (s.address_register != reg || reads != 1) return false;
    }
    return true;
  }
  /// How many instructions of the block read a register.
  std::ptrdiff_t readers(std::uint32_t reg) const {
    std::ptrdiff_t count = 0;
    for (std::uint32_t i = first_; i < end_; ++i)
      count += std::find(at(i).sources.begin(), at(i).sources.end(), reg) != at(i).sources.end();
    return count;
  }

  const StaticInstruction& at(std::uint32_t i) const { return kernel_.instructions[i]; }

  static constexpr std::uint32_t several = ~1u;
  /// The instruction of the block that writes a register; none, several.
  std::uint32_t writer(std::uint32_t reg) const {
    std::uint32_t found = none;
    for (std::uint32_t i = first_; i < end_; ++i)
      if (const auto& d = at(i).destinations; std::find(d.begin(), d.end(), reg) != d.end())
        found = found == none ? i : several;
    return found;
  }
  bool is_fixed(const SourceOperand& operand) const {
    return operand.kind == Kind::literal || (operand.kind == Kind::reg && writer(std::uint32_t(operand.value)) == none);
  }

  /// Ends with a branch that a comparison of a counter with something fixed decides.
  bool counts() {
    if (end_ - first_ < 2) return false;
    const StaticInstruction& branch = at(end_ - 1);
    if (branch.control != Control::branch || branch.guard == program::no_register) return false;
    comparison_ = writer(branch.guard);
    if (comparison_ >= several) return false;
    const StaticInstruction& test = at(comparison_);
    const Mnemonic w(kernel_.strings[test.mnemonic]);
    if (w.opcode != ptx::Opcode::setp || test.operands.size() != 2 || test.guard != program::no_register) return false;
    for (const std::size_t n : {0, 1}) {
      if (test.operands[n].kind != Kind::reg || !is_fixed(test.operands[1 - n])) continue;
      counter_ = writer(static_cast<std::uint32_t>(test.operands[n].value));
      if (counter_ < several && steps(counter_)) return true;
    }
    return false;
  }

  std::optional<std::uint64_t> constant(const SourceOperand& operand) const {
    if (operand.kind == Kind::literal) return operand.value;
    if (operand.kind != Kind::reg) return {};
    const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(operand.value));
    return by == DataFlow::none ? std::nullopt : moved_literal(by);
  }
  std::optional<std::uint64_t> moved_literal(std::uint32_t i) const {
    const StaticInstruction& s = at(i);
    if (Mnemonic(kernel_.strings[s.mnemonic]).opcode != ptx::Opcode::mov || s.guard != program::no_register) return {};
    if (s.operands.size() != 1 || s.operands[0].kind != Kind::literal) return {};
    return s.operands[0].value;
  }

  /// Where the counter begins with a literal and its bound is one.
  std::optional<std::uint32_t> constant_rounds() const {
    const std::uint32_t reg = at(counter_).destinations[0];
    std::optional<std::uint64_t> start;
    for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      const auto& d = at(i).destinations;
      if (i == counter_ || std::find(d.begin(), d.end(), reg) == d.end()) continue;
      if (start) return {};
      start = moved_literal(i);
      if (!start) return {};
    }
    const StaticInstruction& test = at(comparison_);
    const Mnemonic w(kernel_.strings[test.mnemonic]);
    if (!start || !w.ends({"s32", "u32", "b32", "s64", "u64", "b64"})) return {};
    const bool counter_first = test.operands[0] == SourceOperand{Kind::reg, reg};
    const auto bound = constant(test.operands[counter_first ? 1 : 0]);
    if (!bound) return {};
    // The guard may be negated, which is not known here: of the two readings that with more than one round.
    if (const auto rounds = rounds_until(w, *start, *bound, counter_first, false); rounds != 1u) return rounds;
    return rounds_until(w, *start, *bound, counter_first, true);
  }
  /// The first round behind which the comparison is `outcome`.
  std::optional<std::uint32_t> rounds_until(const Mnemonic& w, std::uint64_t start, std::uint64_t bound,
                                            bool counter_first, bool outcome) const {
    const std::uint64_t step = at(counter_).operands[1].value;
    for (std::uint32_t round = 1; round <= largest_whole_loop; ++round) {
      const std::uint64_t tested = start + (comparison_ > counter_ ? round : round - 1) * step;
      if (compare(w, counter_first ? tested : bound, counter_first ? bound : tested) == outcome) return round;
    }
    return {};
  }
  static bool compare(const Mnemonic& w, std::uint64_t a, std::uint64_t b) {
    const bool wide = w.ends({"s64", "u64", "b64"});
    if (!wide) a = static_cast<std::uint32_t>(a), b = static_cast<std::uint32_t>(b);
    const int order = w.ends({"s32"})   ? three_way(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b))
                      : w.ends({"s64"}) ? three_way(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                                        : three_way(a, b);
    if (w.has("lt") || w.has("lo")) return order < 0;
    if (w.has("le") || w.has("ls")) return order <= 0;
    if (w.has("gt") || w.has("hi")) return order > 0;
    if (w.has("ge") || w.has("hs")) return order >= 0;
    return w.has("eq") ? order == 0 : order != 0;
  }
  template <class T>
  static int three_way(T a, T b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  const program::Kernel& kernel_;
  const DataFlow& flow_;
  std::uint32_t first_, end_, counter_ = none, comparison_ = none;
  bool wholly_ = false;
};

/// The machine instructions of `rounds` rounds of a block.
class Rounds {
 public:
  Rounds(Program& program, Names& names, Addresses& addresses, const Loop& loop, const Code& block,
         std::uint32_t rounds)
      : program_(program), addresses_(addresses), loop_(loop), block_(block), rounds_(rounds) {
    const std::size_t registers = program.kernel->register_bits.size();  // Behind them come temporaries.
    std::map<std::uint16_t, bool> written_first;
    for (std::uint32_t n = block.first; n < block.end; ++n) {
      const Instruction& i = program.instructions[n];
      if (loop.only_last(i.static_index)) continue;
      for (unsigned s = 0; s < i.source_count; ++s) written_first.emplace(i.sources[s], false);
      // Where a guard does not hold, what was written before stays.
      const bool guarded = program.kernel->instructions[i.static_index].guard != program::no_register;
      for (unsigned d = 0; d < i.destination_count; ++d)
        written_first.emplace(i.destinations[d], !guarded || i.destinations[d] >= registers);
    }
    names.begin();
    for (const auto& [reg, own] : written_first) {
      const std::uint32_t stepper = reg < registers ? loop.stepper(reg) : Loop::none;
      if (stepper != Loop::none ? loop.only_last(stepper) : !own) continue;
      Renamed& renamed = renamed_[reg];
      renamed.stepper = stepper;
      for (std::uint32_t set = 0; set < std::min(rounds - 1, name_sets); ++set) {
        const auto name = names.like(reg);
        if (!name) return;
        renamed.names.push_back(*name);
      }
    }
    possible_ = true;
  }
  /// Whether there are names enough.
  bool possible() const { return possible_; }

  Code append() {
    std::map<std::uint32_t, std::uint32_t> roots;  // Of addresses in a round: what they are before all rounds.
    Code code{static_cast<std::uint32_t>(program_.instructions.size()), 0, rounds_, block_.access_entries * rounds_};
    for (std::uint32_t round = 0; round < rounds_; ++round)
      for (std::uint32_t n = block_.first; n < block_.end; ++n) {
        Instruction i = program_.instructions[n];
        if (round + 1 != rounds_ && loop_.only_last(i.static_index)) continue;
        i.access_entry += i.takes_access ? round * block_.access_entries : 0;
        step_address(i, round, roots);
        if (i.closes_lock_loop || i.cas_loop)  // Nothing between the two is left out.
          i.loop_start += static_cast<std::uint32_t>(program_.instructions.size()) - n;
        if (i.guard != Instruction::no_guard) i.guard = source(i.guard, i, round);
        for (unsigned s = 0; s < i.source_count; ++s) i.sources[s] = source(i.sources[s], i, round);
        for (unsigned d = 0; d < i.destination_count; ++d) i.destinations[d] = result(i.destinations[d], round);
        program_.instructions.push_back(i);
      }
    code.end = static_cast<std::uint32_t>(program_.instructions.size());
    return code;
  }

 private:
  /// Its address counts from the value of its base before all rounds.
  void step_address(Instruction& i, std::uint32_t round, std::map<std::uint32_t, std::uint32_t>& roots) {
    const std::uint32_t base = addresses_.register_of(i.address_root);
    const std::uint64_t step = base == program::no_register ? 0 : loop_.step_of_base(base);
    if (step == 0) return;
    const std::uint32_t stepper = loop_.stepper(base);
    const auto [known, added] = roots.try_emplace(i.address_root, 0);
    if (added) known->second = addresses_.before_rounds(i.address_root, stepper, loop_.wholly() ? 0 : step * rounds_);
    i.address_root = known->second;
    i.address_offset += static_cast<std::int32_t>(step * (round + (i.static_index > stepper ? 1 : 0)));
  }

  /// Rounds that far apart share names, so that this many can overlap.
  static constexpr std::uint32_t name_sets = 16;
  /// A register of which every round but the last has one of its own.
  struct Renamed {
    std::uint32_t stepper = Loop::none;  ///< The instruction that steps it by a constant.
    std::vector<std::uint16_t> names;
  };

  std::uint16_t result(std::uint16_t reg, std::uint32_t round) const {
    const auto at = renamed_.find(reg);
    if (at == renamed_.end() || round + 1 == rounds_) return reg;
    return at->second.names[round % at->second.names.size()];
  }
  std::uint16_t source(std::uint16_t reg, const Instruction& reader, std::uint32_t round) const {
    const auto at = renamed_.find(reg);
    if (at == renamed_.end()) return reg;
    const std::uint32_t stepper = at->second.stepper;
    if (stepper == Loop::none || reader.static_index > stepper) return result(reg, round);
    // Every step is a multiple from the value before the first round.
    return reader.static_index == stepper || round == 0 ? reg : result(reg, round - 1);
  }

  Program& program_;
  Addresses& addresses_;
  const Loop& loop_;
  Code block_;
  std::uint32_t rounds_;
  std::map<std::uint16_t, Renamed> renamed_;
  bool possible_ = false;
};

}  // namespace

void unroll(Program& program, const DataFlow& flow, Addresses& addresses) {
  program.unrolled.assign(program.blocks.size(), {});
  Names names(program);
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b) {
    Loop loop(*program.kernel, flow, b);
    const std::uint32_t rounds = loop.rounds();
    if (rounds < 2) continue;
    Rounds code(program, names, addresses, loop, program.blocks[b], rounds);
    if (code.possible()) program.unrolled[b] = code.append();
  }
}

}  // namespace lockstep::machine
