#include "isa/machine/schedule/unrolling.hpp"

#include <algorithm>
#include <map>

#include "isa/machine/addresses.hpp"
#include "isa/machine/schedule/loop.hpp"
#include "isa/machine/schedule/names.hpp"

namespace lockstep::machine {

namespace {

/// The machine instructions of `rounds` rounds of a loop.
class Rounds {
 public:
  Rounds(Program& program, Names& names, Addresses& addresses, const Loop& loop, const Code& round,
         std::uint32_t rounds)
      : program_(program), addresses_(addresses), loop_(loop), round_(round), rounds_(rounds) {
    const std::size_t registers = program.kernel->register_bits.size();  // Behind them come temporaries.
    std::map<std::uint16_t, bool> written_first;
    for (std::uint32_t n = round.first; n < round.end; ++n) {
      const Instruction& i = program.instructions[n];
      if (loop.only_last(i.static_index)) continue;
      for (unsigned s = 0; s < i.source_count; ++s) written_first.emplace(i.sources[s], false);
      // Where a guard does not hold, what was written before stays.
      const bool guarded =
          !i.writes_all_lanes() || program.kernel->instructions[i.static_index].guard != program::no_register;
      for (unsigned d = 0; d < i.destination_count; ++d)
        written_first.emplace(i.destinations[d], !guarded || i.destinations[d] >= registers);
    }
    names.begin();
    const auto stepper_of = [&](std::uint16_t reg) { return reg < registers ? loop.stepper(reg) : Loop::none; };
    const std::uint32_t sets = sets_of_names([&](std::uint16_t reg) {
      const auto at = written_first.find(reg);
      return at != written_first.end() && at->second && stepper_of(reg) == Loop::none;
    });
    for (const auto& [reg, own] : written_first) {
      const std::uint32_t stepper = stepper_of(reg);
      const std::uint32_t carrier =
          stepper == Loop::none && !own && reg < registers ? loop.only_writer(reg) : Loop::none;
      if (stepper != Loop::none ? loop.only_last(stepper) : !own && carrier == Loop::none) continue;
      Renamed& renamed = renamed_[reg];
      renamed.stepper = stepper;
      renamed.carrier = carrier;
      const bool in_turn = stepper == Loop::none && carrier == Loop::none;
      for (std::uint32_t set = 0; set < std::min(rounds - 1, in_turn ? sets : most_sets); ++set) {
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
    Code code{static_cast<std::uint32_t>(program_.instructions.size()), 0, rounds_, round_.access_entries * rounds_};
    for (std::uint32_t round = 0; round < rounds_; ++round)
      for (std::uint32_t n = round_.first; n < round_.end; ++n) {
        Instruction i = program_.instructions[n];
        if (round + 1 != rounds_ && loop_.only_last(i.static_index)) continue;
        if (round != 0 && i.once_for_all_rounds) continue;
        i.access_entry += i.takes_access ? round * round_.access_entries : 0;
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
    i.address_offset += static_cast<std::int32_t>(step * (round + (loop_.is_behind(i.static_index, stepper) ? 1 : 0)));
  }

  /// Rounds that far apart share names, so that this many can overlap.
  static constexpr std::uint32_t most_sets = 16;
  /// Registers of 32 bits that rounds which overlap have together: so many words ptxas loads ahead in unrolled loops.
  static constexpr std::uint32_t words_of_rounds = 16;

  /// As many as the registers allow that a round needs at once for values of its own.
  template <class IsOwn>
  std::uint32_t sets_of_names(const IsOwn& is_own) const {
    struct Range {
      std::uint32_t first, last;
    };
    std::map<std::uint16_t, Range> ranges;
    for (std::uint32_t n = round_.first; n < round_.end; ++n) {
      const Instruction& i = program_.instructions[n];
      const auto uses = [&](std::uint16_t reg) {
        if (is_own(reg)) ranges.try_emplace(reg, Range{n, n}).first->second.last = n;
      };
      std::for_each(i.sources, i.sources + i.source_count, uses);
      std::for_each(i.destinations, i.destinations + i.destination_count, uses);
    }
    std::vector<std::int32_t> change(round_.end - round_.first + 1);
    for (const auto& [reg, range] : ranges) {
      const std::int32_t words = program_.register_bits[reg] / 32;
      change[range.first - round_.first] += words;
      change[range.last - round_.first] -= words;
    }
    std::int32_t live = 0, most = 1;
    for (const std::int32_t words : change) most = std::max(most, live += words);
    return std::clamp(words_of_rounds / static_cast<std::uint32_t>(most), 1u, most_sets);
  }
  /// A register of which every round but the last has one of its own.
  struct Renamed {
    std::uint32_t stepper = Loop::none;  ///< The instruction that steps it by a constant.
    std::uint32_t carrier = Loop::none;  ///< The one that computes it from its value of the round before.
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
    const std::uint32_t stepper = at->second.stepper, carrier = at->second.carrier;
    if (carrier != Loop::none && (reader.static_index == carrier || !loop_.is_behind(reader.static_index, carrier)))
      return round == 0 ? reg : result(reg, round - 1);
    if (stepper == Loop::none || loop_.is_behind(reader.static_index, stepper)) return result(reg, round);
    // Every step is a multiple from the value before the first round.
    return reader.static_index == stepper || round == 0 ? reg : result(reg, round - 1);
  }

  Program& program_;
  Addresses& addresses_;
  const Loop& loop_;
  Code round_;
  std::uint32_t rounds_;
  std::map<std::uint16_t, Renamed> renamed_;
  bool possible_ = false;
};

/// The rounds follow each other, over the jump between them if there is one.
std::vector<Hammock> way_of(std::uint32_t block, const std::vector<Hammock>& of_a_round, std::uint32_t rounds,
                            std::uint32_t jump) {
  std::vector<Hammock> way;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (round != 0 && jump != program::no_block) way.push_back({{}, jump});
    if (round != 0) way.push_back({{}, block});
    way.insert(way.end(), of_a_round.begin(), of_a_round.end());
  }
  return way;
}

}  // namespace

void unroll(Program& program, const program::DataFlow& flow, Addresses& addresses) {
  program.unrolled.assign(program.blocks.size(), {});
  Names names(program);
  const Uniformity uniformity(*program.kernel, Uniformity::Among::those_together);
  const Dominance dominance(program.kernel->blocks);
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b) {
    const bool converted = b < program.predicated.size() && program.predicated[b].code.executions != 0;
    const Path round = converted ? program.predicated[b] : Path{program.blocks[b], {}};
    Loop loop(program, flow, uniformity, dominance, b, converted ? &round : nullptr);
    const std::uint32_t most = loop.rounds();
    // Of those that are left behind the last four, two stand behind each other too.
    for (std::uint32_t rounds = most; rounds >= 2; rounds = loop.wholly() ? 0 : rounds / 2) {
      Rounds code(program, names, addresses, loop, round.code, rounds);
      if (code.possible())
        program.unrolled[b].push_back({code.append(), way_of(b, round.hammocks, rounds, loop.jump())});
    }
  }
}

}  // namespace lockstep::machine
