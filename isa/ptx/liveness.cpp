// The register estimate: liveness of every register at every instruction.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/ptx/program.hpp"
#include "isa/ptx/register_use.hpp"

namespace lockstep::ptx {

namespace {

/// 32-bit registers that a value takes.
unsigned weight_of(Type type) {
  return type == Type::pred ? 0 : std::max(1U, bits_of(type) / 32);
}

class FunctionLiveness {
 public:
  FunctionLiveness(const Program& program, std::uint32_t number)
      : program_(program), function_(*program.functions[number]), first_(program.first_instruction[number]) {
    begin_ = program.first_block[number];
    end_ = number + 1 < program.functions.size() ? program.first_block[number + 1]
                                                 : static_cast<std::uint32_t>(program.blocks.size());
    uses_.reserve(function_.instructions.size());
    for (const Instruction& instruction : function_.instructions) {
      uses_.push_back(register_use(instruction));
      if (instruction.opcode == Opcode::ret) {
        auto& sources = uses_.back().sources;
        sources.insert(sources.end(), function_.result_registers.begin(), function_.result_registers.end());
      }
    }
    find_crossing();
    solve();
  }

  /// Calls visit(instruction of the function, weight live while it executes, weight live across it).
  template <class Visitor>
  void walk(Visitor visit) const {
    std::vector<bool> live(function_.registers.size(), false);
    for (std::uint32_t block = begin_; block < end_; ++block) {
      std::vector<RegisterId> members;
      unsigned weight = 0;
      const auto add = [&](RegisterId id) {
        if (live[id]) return;
        live[id] = true;
        members.push_back(id);
        weight += weight_of(function_.registers[id].type);
      };
      const auto remove = [&](RegisterId id) {
        if (!live[id]) return;
        live[id] = false;
        weight -= weight_of(function_.registers[id].type);
      };
      for (const std::uint32_t next : program_.blocks[block].successors) {
        for_each(live_in_[next - begin_], add);
      }
      const std::uint32_t start = program_.blocks[block].first - first_;
      for (std::uint32_t i = start + program_.blocks[block].count; i-- > start;) {
        const Instruction& instruction = function_.instructions[i];
        for (const RegisterId id : uses_[i].destinations) add(id);
        const unsigned after = weight;
        if (instruction.guard == no_index) {
          for (const RegisterId id : uses_[i].destinations) remove(id);
        }
        const unsigned across = weight;
        for (const RegisterId id : uses_[i].sources) add(id);
        visit(instruction, std::max(after, weight), across);
      }
      for (const RegisterId id : members) live[id] = false;
    }
  }

  const Function& function() const { return function_; }

 private:
  using Set = std::vector<std::uint64_t>;

  /// Numbers the registers that some block reads before it writes them: only these can be live between blocks.
  void find_crossing() {
    crossing_number_.assign(function_.registers.size(), no_index);
    std::vector<std::uint32_t> written(function_.registers.size(), no_index);
    for (std::uint32_t block = begin_; block < end_; ++block) {
      for_each_instruction(block, [&](std::uint32_t i) {
        for (const RegisterId id : uses_[i].sources) {
          if (written[id] == block || crossing_number_[id] != no_index) continue;
          crossing_number_[id] = static_cast<std::uint32_t>(crossing_.size());
          crossing_.push_back(id);
        }
        if (function_.instructions[i].guard != no_index) return;
        for (const RegisterId id : uses_[i].destinations) written[id] = block;
      });
    }
  }

  template <class Visitor>
  void for_each_instruction(std::uint32_t block, Visitor visit) const {
    const std::uint32_t start = program_.blocks[block].first - first_;
    for (std::uint32_t i = start; i < start + program_.blocks[block].count; ++i) visit(i);
  }

  template <class Visitor>
  void for_each(const Set& set, Visitor visit) const {
    for (std::size_t word = 0; word < set.size(); ++word) {
      for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
        visit(crossing_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))]);
      }
    }
  }

  /// live_in = read first, or live out and not written.
  void solve() {
    const std::size_t words = (crossing_.size() + 63) / 64;
    const std::uint32_t count = end_ - begin_;
    live_in_.assign(count, Set(words, 0));
    std::vector<Set> kept(count, Set(words, ~std::uint64_t{0}));
    std::vector<std::vector<std::uint32_t>> predecessors(count);
    for (std::uint32_t block = 0; block < count; ++block) {
      for_each_instruction(begin_ + block, [&](std::uint32_t i) {
        for (const RegisterId id : uses_[i].sources) {
          const std::uint32_t bit = crossing_number_[id];
          if (bit != no_index && (kept[block][bit / 64] >> bit % 64 & 1) != 0) {
            live_in_[block][bit / 64] |= std::uint64_t{1} << bit % 64;
          }
        }
        if (function_.instructions[i].guard != no_index) return;
        for (const RegisterId id : uses_[i].destinations) {
          const std::uint32_t bit = crossing_number_[id];
          if (bit != no_index) kept[block][bit / 64] &= ~(std::uint64_t{1} << bit % 64);
        }
      });
      for (const std::uint32_t next : program_.blocks[begin_ + block].successors)
        predecessors[next - begin_].push_back(block);
    }
    std::vector<std::uint32_t> pending(count);
    std::vector<bool> is_pending(count, true);
    for (std::uint32_t block = 0; block < count; ++block) pending[block] = block;
    while (!pending.empty()) {
      const std::uint32_t block = pending.back();
      pending.pop_back();
      is_pending[block] = false;
      for (const std::uint32_t before : predecessors[block]) {
        bool changed = false;
        for (std::size_t word = 0; word < words; ++word) {
          const std::uint64_t more = live_in_[block][word] & kept[before][word] & ~live_in_[before][word];
          live_in_[before][word] |= more;
          changed = changed || more != 0;
        }
        if (changed && !is_pending[before]) {
          is_pending[before] = true;
          pending.push_back(before);
        }
      }
    }
  }

  const Program& program_;
  const Function& function_;
  std::uint32_t first_;
  std::uint32_t begin_ = 0, end_ = 0;
  std::vector<RegisterUse> uses_;
  std::vector<std::uint32_t> crossing_number_;
  std::vector<RegisterId> crossing_;
  std::vector<Set> live_in_;
};

}  // namespace

unsigned max_live_registers(const Program& program) {
  struct Call {
    std::uint32_t callee;
    unsigned across;
  };
  const auto count = static_cast<std::uint32_t>(program.functions.size());
  std::vector<unsigned> most(count, 0);
  std::vector<std::vector<Call>> calls(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    FunctionLiveness(program, i).walk([&](const Instruction& instruction, unsigned during, unsigned across) {
      most[i] = std::max(most[i], during);
      // A recursive call saves on the stack what lives across it.
      for (const std::uint32_t callee : program.callees(instruction)) {
        if (!program.is_recursive(i) || program.recursion[i] != program.recursion[callee])
          calls[i].push_back({callee, across});
      }
    });
  }
  // These calls form no cycle, so that so many rounds as there are functions reach every chain.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const Call& call : calls[i]) {
        const unsigned total = call.across + most[call.callee];
        if (total <= most[i]) continue;
        most[i] = total;
        changed = true;
      }
    }
  }
  return most[0];
}

}  // namespace lockstep::ptx
