#include "isa/machine/schedule/if_conversion.hpp"

#include <algorithm>
#include <optional>

#include "isa/machine/dominance.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/short_circuit.hpp"
#include "isa/machine/schedule/uniformity.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::Control;
using program::StaticInstruction;

constexpr std::uint32_t largest_side = 8, largest_side_with_loads = 20, largest_uniform_side = 6;
/// Words of loads in flight from which on a side may be large that loads nothing.
constexpr std::uint32_t many_pending = 5;
/// Instructions of predicated code.
constexpr std::uint32_t largest_code = 1024;

class Converter {
 public:
  explicit Converter(Program& program)
      : program_(program), kernel_(*program.kernel), uniformity_(kernel_), predecessors_(kernel_.blocks.size()) {
    for (const program::StaticBlock& block : kernel_.blocks)
      for (const std::uint32_t next : block.successors) ++predecessors_[next];
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) hammocks_.push_back(hammock_at(b));
  }

  void run() {
    register_divergent_branches();
    program_.predicated.resize(kernel_.blocks.size());
    std::vector<bool> inside(kernel_.blocks.size());
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (!hammocks_[b] || inside[b]) continue;
      append(b);
      // What only this code leads to is not begun with.
      std::uint32_t from = b;
      for (Hammock& hammock : program_.predicated[b].hammocks) {
        hammock.only_way = predecessors_[hammock.join] == hammock_ways(from, hammock);
        if (hammock.only_way) inside[hammock.join] = true;
        from = hammock.join;
      }
    }
    const bool any = std::any_of(program_.predicated.begin(), program_.predicated.end(),
                                 [](const Path& one) { return one.code.executions != 0; });
    if (!any) program_.predicated.clear();
  }

 private:
  const program::StaticBlock& block(std::uint32_t b) const { return kernel_.blocks[b]; }
  const StaticInstruction& last(std::uint32_t b) const {
    return kernel_.instructions[block(b).first + block(b).count - 1];
  }
  std::uint32_t size(std::uint32_t b) const { return program_.blocks[b].end - program_.blocks[b].first; }

  /// Ends with a branch that a predicate decides.
  bool branches(std::uint32_t b) const {
    return block(b).count > 0 && block(b).successors.size() == 2 && last(b).control == Control::branch &&
           last(b).guard != program::no_register;
  }

  /// How many edges lead from the block and the sides of its hammock to the join.
  std::size_t hammock_ways(std::uint32_t from, const Hammock& hammock) const {
    const auto leads = [&](std::uint32_t b) {
      const auto& next = block(b).successors;
      return static_cast<std::size_t>(std::count(next.begin(), next.end(), hammock.join));
    };
    std::size_t ways = leads(from);
    for (const std::uint32_t side : hammock.sides) ways += leads(side);
    return ways;
  }

  /// The blocks from `b` on that have `ways` in, then one, one way out and nothing that forbids to predicate them; what follows.
  std::uint32_t side_from(std::uint32_t b, std::size_t ways, std::vector<std::uint32_t>& side) const {
    while (side.size() < largest_side && predecessors_[b] == ways && block(b).successors.size() == 1 &&
           can_predicate(b)) {
      side.push_back(b);
      b = block(b).successors[0];
      ways = 1;
    }
    return b;
  }

  bool can_predicate(std::uint32_t b) const {
    for (std::uint32_t n = program_.blocks[b].first; n < program_.blocks[b].end; ++n)
      if (program_.instructions[n].skips) return false;
    for (std::uint32_t i = block(b).first; i < block(b).first + block(b).count; ++i) {
      const StaticInstruction& s = kernel_.instructions[i];
      const bool jumps = s.control == Control::branch && i + 1 == block(b).first + block(b).count;
      if ((s.control != Control::none && !jumps) || s.reads_clock) return false;
      if (s.access != AccessKind::none && s.access != AccessKind::load && s.access != AccessKind::store) return false;
      const auto opcode = Mnemonic(kernel_.strings[s.mnemonic]).opcode;
      using ptx::Opcode;
      if (opcode && is_one_of(*opcode, {Opcode::shfl, Opcode::vote, Opcode::match, Opcode::redux, Opcode::activemask,
                                        Opcode::bar, Opcode::barrier, Opcode::cp}))
        return false;
    }
    return true;
  }

  std::optional<Hammock> hammock_at(std::uint32_t b) const {
    if (!branches(b) || branch_guard(b) == Instruction::no_guard) return {};
    const Decision decision =
        decision_at(program_, b, predecessors_, [&](std::uint32_t condition) { return can_predicate(condition); });
    std::vector<std::uint32_t> through, aside;
    const std::uint32_t join = side_from(decision.through, ways(b, decision, decision.through), through);
    if (side_from(decision.aside, ways(b, decision, decision.aside), aside) != join ||
        (through.empty() && aside.empty()) || join == b)
      return {};
    // A branch to where lanes only exit is a guarded exit.
    if ((through.empty() || aside.empty()) && only_exits(join)) return {};
    const bool both = !through.empty() && !aside.empty();
    const bool loads = loads_from_global_memory(through) || loads_from_global_memory(aside);
    const bool uniform = uniformity_.uniform(last(b).guard) &&
                         std::all_of(decision.conditions.begin(), decision.conditions.end(),
                                     [&](std::uint32_t one) { return uniformity_.uniform(last(one).guard); });
    const std::uint32_t usual = uniform ? largest_uniform_side : largest_side;
    const std::uint32_t most = loads || pending_words(b) >= many_pending ? largest_side_with_loads : usual;
    if (size_of(through, both) > most || size_of(aside, both) > most) return {};
    if ((through.empty() || aside.empty()) && is_inner_in_loop(b) &&
        loads_instead(b, through.empty() ? aside : through))
      return {};
    Hammock hammock{decision.conditions, join, static_cast<std::uint32_t>(decision.conditions.size())};
    for (const auto& more : {decision.jumps, through, aside})
      for (const std::uint32_t one : more)
        if (one != join && std::find(hammock.sides.begin(), hammock.sides.end(), one) == hammock.sides.end())
          hammock.sides.push_back(one);
    return hammock;
  }

  /// How many edges lead to `target` from the block and what its branch decides with it.
  std::size_t ways(std::uint32_t b, const Decision& decision, std::uint32_t target) const {
    const auto leads = [&](std::uint32_t from) {
      return std::count(block(from).successors.begin(), block(from).successors.end(), target);
    };
    std::ptrdiff_t sum = leads(b);
    for (const std::uint32_t one : decision.conditions) sum += leads(one);
    for (const std::uint32_t one : decision.jumps) sum += leads(one);
    return static_cast<std::size_t>(sum);
  }

  /// Whether a branch parts the lanes within a round of a loop before they come to the block.
  bool is_inner_in_loop(std::uint32_t b) const {
    for (std::uint32_t end = b; end < kernel_.blocks.size(); ++end)
      for (const std::uint32_t first : block(end).successors) {
        if (first > b) continue;
        for (std::uint32_t outer = first; outer < b; ++outer) {
          const std::uint32_t join = block(outer).reconvergence;
          if (branches(outer) && join != program::no_block && join > b && join <= end) return true;
        }
      }
    return false;
  }
  /// Whether the side loads from global memory what is otherwise a literal that the block in front moves.
  bool loads_instead(std::uint32_t b, const std::vector<std::uint32_t>& side) const {
    const auto moves_literal = [&](std::uint32_t reg) {
      for (std::uint32_t i = block(b).first; i < block(b).first + block(b).count; ++i) {
        const StaticInstruction& s = kernel_.instructions[i];
        if (s.operands.size() == 1 && s.operands[0].kind == program::SourceOperand::Kind::literal &&
            std::find(s.destinations.begin(), s.destinations.end(), reg) != s.destinations.end())
          return true;
      }
      return false;
    };
    for (const std::uint32_t one : side)
      for (std::uint32_t n = program_.blocks[one].first; n < program_.blocks[one].end; ++n) {
        const Instruction& i = program_.instructions[n];
        if (i.operation == Operation::global_load &&
            std::any_of(i.destinations, i.destinations + i.destination_count, moves_literal))
          return true;
      }
    return false;
  }

  bool loads_from_global_memory(const std::vector<std::uint32_t>& side) const {
    for (const std::uint32_t one : side)
      for (std::uint32_t n = program_.blocks[one].first; n < program_.blocks[one].end; ++n)
        if (program_.instructions[n].operation == Operation::global_load) return true;
    return false;
  }

  /// What a side counts; `both`: there are two sides.
  std::uint32_t size_of(const std::vector<std::uint32_t>& side, bool both) const {
    std::uint32_t instructions = 0;
    std::vector<std::uint16_t> guards;
    for (const std::uint32_t one : side) {
      for (std::uint32_t n = program_.blocks[one].first; n < program_.blocks[one].end; ++n) {
        const Instruction& i = program_.instructions[n];
        if (i.guard != Instruction::no_guard && std::find(guards.begin(), guards.end(), i.guard) == guards.end())
          guards.push_back(i.guard);
        const bool jump = i.operation == Operation::branch && !i.skips && n + 1 == program_.blocks[one].end;
        if ((!jump || both) && !copies_register(i)) ++instructions;
      }
    }
    return instructions + static_cast<std::uint32_t>(guards.size());
  }

  bool copies_register(const Instruction& i) const {
    const StaticInstruction& s = kernel_.instructions[i.static_index];
    const auto opcode = Mnemonic(kernel_.strings[s.mnemonic]).opcode;
    return opcode == ptx::Opcode::mov && s.operands.size() == 1 &&
           s.operands[0].kind == program::SourceOperand::Kind::reg;
  }

  /// Words that loads from global memory bring and that nothing has read at the end of the block: loads of this block, and of those
  /// in front of it as far as the branches between are predicated, behind the last instruction that such loads do not pass.
  std::uint32_t pending_words(std::uint32_t b) const {
    std::uint32_t words = 0;
    std::vector<std::uint16_t> read;
    for (std::optional<std::uint32_t> from = b; from;) {
      if (!add_pending(*from, words, read)) return words;
      const auto found =
          std::find_if(hammocks_.begin(), hammocks_.end(), [&](const auto& one) { return one && one->join == *from; });
      if (found == hammocks_.end()) return words;
      for (auto side = (*found)->sides.rbegin(); side != (*found)->sides.rend(); ++side)
        if (!add_pending(*side, words, read)) return words;
      const auto head = static_cast<std::uint32_t>(found - hammocks_.begin());
      if (head >= *from) return words;
      from = head;
    }
    return words;
  }

  /// The same of one block's loads whose words are not in `read`, which gains what the block reads. False where they begin.
  bool add_pending(std::uint32_t b, std::uint32_t& words, std::vector<std::uint16_t>& read) const {
    for (std::uint32_t n = program_.blocks[b].end; n-- > program_.blocks[b].first;) {
      const Instruction& i = program_.instructions[n];
      if (i.operation == Operation::global_store || i.operation == Operation::global_atomic ||
          i.operation == Operation::global_reduction || i.operation == Operation::barrier ||
          i.operation == Operation::fence)
        return false;
      if (i.operation == Operation::global_load)
        for (const std::uint16_t* d = i.destinations; d != i.destinations + i.destination_count; ++d)
          if (std::find(read.begin(), read.end(), *d) == read.end()) words += std::max(1U, i.element_bytes / 4U);
      read.insert(read.end(), i.sources, i.sources + i.source_count);
    }
    return true;
  }

  std::uint16_t branch_guard(std::uint32_t b) const {
    return size(b) == 0 ? Instruction::no_guard : program_.instructions[program_.blocks[b].end - 1].guard;
  }

  /// Of divergent branches that stay: an instruction before the branch, and one where its lanes meet. One branch registers the lanes
  /// for all behind it that meet there, too. Where that is outside a loop that the branch is in, the first stands before the loop,
  /// once for all branches that leave it for there, unless a branch in front of the loop, such as one around it, has registered the
  /// lanes already.
  void register_divergent_branches() {
    std::vector<bool> joined(kernel_.blocks.size());  // Their branch is one with another.
    for (const auto& hammock : hammocks_)
      for (std::uint32_t n = 0; hammock && n < hammock->conditions; ++n) joined[hammock->sides[n]] = true;
    const Dominance dominance(kernel_.blocks);
    std::vector<std::uint32_t> registers(kernel_.blocks.size());
    std::vector<std::vector<std::uint32_t>> registered(kernel_.blocks.size());  // By join: before which blocks.
    bool any = false;
    const auto add = [&](std::uint32_t before, std::uint32_t join) {
      ++registers[before];
      registered[join].push_back(before);
      any = true;
    };
    const auto is_registered = [&](std::uint32_t b, std::uint32_t join) {
      return std::any_of(registered[join].begin(), registered[join].end(), [&](std::uint32_t before) {
        return before < b && dominance.passes(b, before) && !loop_left(b, before);
      });
    };
    const auto each_divergent = [&](auto&& see) {
      for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
        if (!branches(b) || hammocks_[b] || joined[b] || uniformity_.uniform(last(b).guard)) continue;
        const std::uint32_t join = block(b).reconvergence;
        if (join != program::no_block && !only_exits(join)) see(b, join, loop_left(b, join));
      }
    };
    each_divergent([&](std::uint32_t b, std::uint32_t join, const std::optional<Span>& loop) {
      const auto& next = block(b).successors;
      if (!loop && std::all_of(next.begin(), next.end(), [&](std::uint32_t to) { return to > b; }) &&
          !is_registered(b, join))
        add(b, join);
    });
    each_divergent([&](std::uint32_t, std::uint32_t join, const std::optional<Span>& loop) {
      const auto in_front = [&](std::uint32_t before) { return before < loop->first; };
      if (!loop || std::any_of(registered[join].begin(), registered[join].end(), in_front)) return;
      if (const auto entry = way_into(*loop)) add(*entry, join);
    });
    if (!any) return;
    std::vector<bool> meeting;
    for (const auto& before : registered) meeting.push_back(!before.empty());
    insert(registers, meeting);
    program_.arrivals.assign(kernel_.blocks.size(), Program::none);
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (meeting[b]) program_.arrivals[b] = block(b).first;
  }

  /// Basic blocks [first, last] of a loop.
  struct Span {
    std::uint32_t first, last;
    bool has(std::uint32_t b) const { return first <= b && b <= last; }
  };
  /// The outermost loop that has the block and does not have `join`.
  std::optional<Span> loop_left(std::uint32_t b, std::uint32_t join) const {
    std::optional<Span> outermost;
    for (std::uint32_t from = b; from < kernel_.blocks.size(); ++from)
      for (const std::uint32_t to : block(from).successors) {
        const Span loop{to, from};
        if (to > from || !loop.has(b) || loop.has(join)) continue;
        if (!outermost || loop.first < outermost->first) outermost = loop;
      }
    return outermost;
  }
  /// The basic block from which lanes come into the loop.
  std::optional<std::uint32_t> way_into(const Span& loop) const {
    for (std::uint32_t b = loop.first; b-- > 0;) {
      const auto& next = block(b).successors;
      if (size(b) != 0 && std::any_of(next.begin(), next.end(), [&](std::uint32_t to) { return loop.has(to); }))
        return b;
    }
    return {};
  }
  bool only_exits(std::uint32_t b) const { return block(b).count == 1 && last(b).control == Control::exit; }

  void insert(const std::vector<std::uint32_t>& registers, const std::vector<bool>& meeting) {
    std::vector<Instruction> all;
    all.reserve(program_.instructions.size() + 2 * registers.size());
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      Code& code = program_.blocks[b];
      const auto first = static_cast<std::uint32_t>(all.size());
      if (meeting[b]) all.push_back(of_convergence(block(b).first));
      const std::uint32_t moved = static_cast<std::uint32_t>(all.size()) - code.first;
      for (std::uint32_t n = code.first; n < code.end; ++n) {
        for (std::uint32_t r = 0; r < registers[b] && n + 1 == code.end; ++r)
          all.push_back(of_convergence(block(b).first + block(b).count - 1));
        all.push_back(program_.instructions[n]);
        all.back().loop_start += moved;
      }
      code.first = first;
      code.end = static_cast<std::uint32_t>(all.size());
    }
    program_.instructions = std::move(all);
  }
  static Instruction of_convergence(std::uint32_t static_index) {
    Instruction i;
    i.static_index = static_index;
    return i;
  }

  void append(std::uint32_t b) {
    Path& made = program_.predicated[b];
    made.code = {static_cast<std::uint32_t>(program_.instructions.size()), 0, 1, 0, false};
    std::uint32_t from = b, instructions = size(b);
    std::vector<bool> passed(kernel_.blocks.size());
    while (hammocks_[from] && !passed[from]) {
      passed[from] = true;
      const Hammock& hammock = *hammocks_[from];
      for (const std::uint32_t side : hammock.sides) instructions += size(side);
      instructions += size(hammock.join);
      if (passed[hammock.join] || (instructions > largest_code && !made.hammocks.empty())) break;
      std::uint16_t guard = branch_guard(from);
      copy(from, Instruction::no_guard, made.code, true);
      for (std::size_t n = 0; n < hammock.sides.size(); ++n) {
        const std::uint32_t side = hammock.sides[n];
        copy(side, n < hammock.conditions ? Instruction::no_guard : guard, made.code, true);
        if (n < hammock.conditions) guard = combine(guard, side, made.code.first);
      }
      made.hammocks.push_back(hammock);
      from = hammock.join;
    }
    copy(from, Instruction::no_guard, made.code, false);
    made.code.end = static_cast<std::uint32_t>(program_.instructions.size());
  }

  /// The guard of a further condition takes in the one before it: as an operand of what computes it, in the code from `first` on, or
  /// by an instruction of its own.
  std::uint16_t combine(std::uint16_t before, std::uint32_t condition, std::uint32_t first) {
    const std::uint16_t guard = branch_guard(condition);
    for (std::size_t n = program_.instructions.size(); n-- > first;) {
      Instruction& i = program_.instructions[n];
      if (std::find(i.destinations, i.destinations + i.destination_count, guard) ==
          i.destinations + i.destination_count)
        continue;
      if (i.operation != Operation::compare || i.source_count == max_sources) break;
      i.sources[i.source_count++] = before;
      return guard;
    }
    Instruction both = of_convergence(block(condition).first + block(condition).count - 1);
    both.sources[both.source_count++] = before;
    both.sources[both.source_count++] = guard;
    both.destinations[both.destination_count++] = guard;
    program_.instructions.push_back(both);
    return guard;
  }

  /// A literal that all lanes have in its register since the code from code.first on, behind its last branch.
  bool has_already(const Code& code, const Instruction& i) const {
    if (!i.once_for_all_rounds || i.source_count != 0) return false;
    for (std::size_t n = program_.instructions.size(); n-- > code.first;) {
      const Instruction& other = program_.instructions[n];
      if (unit_of(other.operation) == Unit::control) return false;
      if (other.once_for_all_rounds && other.source_count == 0 && other.guard == Instruction::no_guard &&
          other.destinations[0] == i.destinations[0] && other.static_index != i.static_index)
        return true;
    }
    return false;
  }

  /// The instructions of a block, where `guard` holds; without the branch at its end.
  void copy(std::uint32_t b, std::uint16_t guard, Code& code, bool without_branch) {
    const Code block = program_.blocks[b];
    const auto registers = kernel_.register_bits.size();
    for (std::uint32_t n = block.first; n < block.end; ++n) {
      Instruction i = program_.instructions[n];
      if (without_branch && n + 1 == block.end && i.operation == Operation::branch && !i.skips) continue;
      if (guard == Instruction::no_guard && has_already(code, i)) continue;
      i.access_entry += code.access_entries;
      i.loop_start += static_cast<std::uint32_t>(program_.instructions.size()) - n;
      const bool acts =
          i.destination_count == 0 || i.destinations[0] < registers || (i.once_for_all_rounds && i.source_count == 0);
      if (guard != Instruction::no_guard && acts && i.source_count < max_sources) {
        if (std::find(i.sources, i.sources + i.source_count, guard) == i.sources + i.source_count)
          i.sources[i.source_count++] = guard;
        if (i.guard == Instruction::no_guard) i.guard = guard;
        i.guarded_in_chain = false;
      }
      program_.instructions.push_back(i);
    }
    code.access_entries += block.access_entries;
  }

  Program& program_;
  const program::Kernel& kernel_;
  Uniformity uniformity_;
  std::vector<std::uint32_t> predecessors_;  ///< How many ways lead to a block.
  std::vector<std::optional<Hammock>> hammocks_;
};

}  // namespace

void place_arrivals(Program& program) {
  for (std::uint32_t& arrival : program.arrivals) {
    if (arrival == Program::none) continue;
    program.instructions.emplace_back().static_index = arrival;
    arrival = static_cast<std::uint32_t>(program.instructions.size() - 1);
  }
}

void predicate(Program& program) {
  const auto& blocks = program.kernel->blocks;
  if (std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return !block.successors.empty(); }))
    Converter(program).run();
}

}  // namespace lockstep::machine
