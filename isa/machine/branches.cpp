#include "isa/machine/branches.hpp"

namespace lockstep::machine {

using program::Control;
using program::StaticBlock;
using program::StaticInstruction;

bool Branches::saves_jump(std::uint32_t b) const {
  const auto& successors = kernel_.blocks[b].successors;
  return (successors.size() == 1 && successors[0] == b + 1) || inverts_branch(b);
}

bool Branches::jumps_back_behind_exit(std::uint32_t b) const {
  if (b == 0 || kernel_.blocks[b].successors.size() != 1) return false;
  const std::uint32_t to = kernel_.blocks[b].successors[0];
  if (to >= b && !(is_jump(b) && goes_back_to_later(b, to))) return false;
  const auto& before = kernel_.blocks[b - 1].successors;
  return !before.empty() && before[0] == b && ends_with_exit(b - 1);
}

bool Branches::exits_or_jumps_back(std::uint32_t b) const {
  if (!branches(b)) return false;
  const auto& ways = kernel_.blocks[b].successors;
  const std::uint32_t next = behind_jump(ways[0]), aside = behind_jump(ways[1]);
  if (is_bare_exit(next)) return goes_back_to_later(b, aside);
  return is_bare_exit(aside) && goes_back_to_later(b, next) && !jumps_back_behind_exit(ways[0]);
}

bool Branches::is_exit_of_branches(std::uint32_t b) const {
  if (!is_bare_exit(b)) return false;
  bool some = false;
  for (std::uint32_t from = 0; from < kernel_.blocks.size(); ++from)
    for (const std::uint32_t to : kernel_.blocks[from].successors) {
      if (behind_jump(to) != b || is_jump(from)) continue;
      if (!branches(from)) return false;
      // A branch back over which the way out leads is followed by an EXIT without a guard.
      if (!exits_or_jumps_back(from) && to != kernel_.blocks[from].successors[1]) return false;
      some = true;
    }
  return some;
}

const StaticInstruction* Branches::last(std::uint32_t b) const {
  const StaticBlock& block = kernel_.blocks[b];
  return block.count == 0 ? nullptr : &kernel_.instructions[block.first + block.count - 1];
}

/// A branch with two ways ends it.
bool Branches::branches(std::uint32_t b) const {
  const StaticInstruction* const end = last(b);
  return end != nullptr && end->control == Control::branch && end->guard != program::no_register &&
         kernel_.blocks[b].successors.size() == 2;
}

/// It is a jump and nothing else.
bool Branches::is_jump(std::uint32_t b) const {
  const StaticBlock& block = kernel_.blocks[b];
  return block.count == 1 && block.successors.size() == 1 && last(b)->control == Control::branch &&
         last(b)->guard == program::no_register;
}

bool Branches::is_bare_exit(std::uint32_t b) const {
  return kernel_.blocks[b].count == 1 && last(b)->control == Control::exit && last(b)->guard == program::no_register;
}

/// With an exit under a guard, or a branch to where there is nothing else.
bool Branches::ends_with_exit(std::uint32_t b) const {
  const StaticInstruction* const end = last(b);
  if (end == nullptr || end->guard == program::no_register) return false;
  return end->control == Control::exit || (branches(b) && is_bare_exit(kernel_.blocks[b].successors[1]));
}

/// It is a jump over which the branch in front leads, or that goes back or to the end of the kernel: the two are one branch the other
/// way. Not where that branch is an EXIT.
bool Branches::inverts_branch(std::uint32_t b) const {
  if (b == 0 || !is_jump(b) || !branches(b - 1)) return false;
  const auto& before = kernel_.blocks[b - 1].successors;
  if (before[0] != b || jumps_back_behind_exit(b)) return false;
  return before[1] == b + 1 || kernel_.blocks[b].successors[0] < b || exits_or_jumps_back(b - 1);
}

std::uint32_t Branches::behind_jump(std::uint32_t b) const {
  return is_jump(b) ? kernel_.blocks[b].successors[0] : b;
}

bool Branches::goes_back_to_later(std::uint32_t b, std::uint32_t to) const {
  return to > b && dominance_.passes(b, to);
}

}  // namespace lockstep::machine
