#include "isa/machine/schedule/short_circuit.hpp"

#include <algorithm>

namespace lockstep::machine {

namespace {

using program::Control;
using program::StaticInstruction;

constexpr std::uint32_t largest_condition = 5;

class Decider {
 public:
  Decider(const Program& program, std::uint32_t block, const std::vector<std::uint32_t>& ways_to,
          const std::function<bool(std::uint32_t)>& can_predicate)
      : program_(program), kernel_(*program.kernel), block_(block), ways_to_(ways_to), can_predicate_(can_predicate) {
    const auto& next = kernel_.blocks[block].successors;
    made_.through = behind_jumps(next[0]);
    made_.aside = behind_jumps(next[1]);
  }

  Decision run() && {
    while (join(made_.through, made_.aside) || join(made_.aside, made_.through)) {
    }
    return std::move(made_);
  }

 private:
  std::uint32_t size(std::uint32_t b) const { return program_.blocks[b].end - program_.blocks[b].first; }

  /// A basic block that is only a jump, to which nothing else leads, is a part of the way.
  std::uint32_t behind_jumps(std::uint32_t b) {
    while (size(b) == 0 && ways_to_[b] == 1 && kernel_.blocks[b].successors.size() == 1 && b != block_) {
      made_.jumps.push_back(b);
      b = kernel_.blocks[b].successors[0];
    }
    return b;
  }

  /// Makes the target a condition if it may be one, and leads to the other target.
  bool join(std::uint32_t& target, std::uint32_t& other) {
    const std::uint32_t b = target;
    if (b == block_ || made_.has(b) || ways_to_[b] != 1 || !tests(b)) return false;
    const std::uint32_t instructions = size(b) - 1 + (made_.conditions.empty() ? 0 : 1);
    if (instructions_ + instructions > largest_condition) return false;
    const std::size_t jumps = made_.jumps.size();
    const auto& next = kernel_.blocks[b].successors;
    const std::uint32_t first = behind_jumps(next[0]), second = behind_jumps(next[1]);
    if ((first != other && second != other) || first == second || first == block_ || second == block_ ||
        made_.has(first) || made_.has(second)) {
      made_.jumps.resize(jumps);
      return false;
    }
    made_.conditions.push_back(b);
    instructions_ += instructions;
    made_.through = first;
    made_.aside = second;
    return true;
  }

  bool tests(std::uint32_t b) const {
    const program::StaticBlock& block = kernel_.blocks[b];
    if (block.count == 0 || block.successors.size() != 2 || size(b) == 0) return false;
    const Instruction& branch = program_.instructions[program_.blocks[b].end - 1];
    if (branch.operation != Operation::branch || branch.guard == Instruction::no_guard) return false;
    const StaticInstruction& last = kernel_.instructions[block.first + block.count - 1];
    if (last.control != Control::branch || last.guard == program::no_register) return false;
    for (std::uint32_t n = program_.blocks[b].first; n + 1 < program_.blocks[b].end; ++n) {
      const Instruction& i = program_.instructions[n];
      if (i.skips || i.guard != Instruction::no_guard || unit_of(i.operation) == Unit::control) return false;
      if (i.takes_access && i.operation != Operation::constant_load) return false;
    }
    return can_predicate_(b);
  }

  const Program& program_;
  const program::Kernel& kernel_;
  const std::uint32_t block_;
  const std::vector<std::uint32_t>& ways_to_;
  const std::function<bool(std::uint32_t)>& can_predicate_;
  Decision made_;
  std::uint32_t instructions_ = 0;
};

}  // namespace

bool Decision::has(std::uint32_t block) const {
  const auto in = [&](const std::vector<std::uint32_t>& blocks) {
    return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
  };
  return in(conditions) || in(jumps);
}

Decision decision_at(const Program& program, std::uint32_t block, const std::vector<std::uint32_t>& ways_to,
                     const std::function<bool(std::uint32_t)>& can_predicate) {
  return Decider(program, block, ways_to, can_predicate).run();
}

}  // namespace lockstep::machine
