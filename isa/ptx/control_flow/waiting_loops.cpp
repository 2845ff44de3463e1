#include "isa/ptx/control_flow/waiting_loops.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/ptx/access.hpp"
#include "isa/ptx/program.hpp"
#include "isa/ptx/register_use.hpp"

namespace lockstep::ptx {

namespace {

using program::AccessKind;

/// Whether it returns what another thread may have changed since it was last executed.
bool observes(const Instruction& instruction) {
  const AccessKind access = access_of(instruction);
  if (access == AccessKind::atomic || access == AccessKind::mbarrier)
    return !register_use(instruction).destinations.empty();
  constexpr std::string_view strong[] = {"volatile", "relaxed", "acquire", "cv", "cg"};
  return access == AccessKind::load &&
         std::any_of(std::begin(strong), std::end(strong), [&](std::string_view one) { return instruction.has(one); });
}

/// What of a loop is computed from the results of the instructions that observe.
class Dependent {
 public:
  explicit Dependent(const std::vector<const Instruction*>& instructions) {
    // In each pass but the last something is added, so it ends.
    for (bool grown = true; grown;) {
      grown = false;
      for (const Instruction* const one : instructions) grown = follow(*one) || grown;
    }
  }
  bool any_source(const RegisterUse& use) const {
    return std::any_of(use.sources.begin(), use.sources.end(), [&](RegisterId r) { return has(r); });
  }

 private:
  bool has(RegisterId reg) const { return std::binary_search(registers_.begin(), registers_.end(), reg); }
  bool add(RegisterId reg) {
    const auto at = std::lower_bound(registers_.begin(), registers_.end(), reg);
    if (at != registers_.end() && *at == reg) return false;
    registers_.insert(at, reg);
    return true;
  }

  /// True when something has become dependent.
  bool follow(const Instruction& instruction) {
    const RegisterUse use = register_use(instruction);
    const AccessKind access = access_of(instruction);
    const Space space = space_of(instruction);
    const bool shared = space == Space::shared || space == Space::generic;
    const bool local = space == Space::local || space == Space::generic;
    bool depends = observes(instruction) || any_source(use), grown = false;
    if (depends && (access == AccessKind::store || access == AccessKind::atomic || access == AccessKind::reduction)) {
      if (shared) grown = !std::exchange(in_shared_, true);
      if (local) grown = !std::exchange(in_local_, true) || grown;
    }
    if (access == AccessKind::load) depends = depends || (shared && in_shared_) || (local && in_local_);
    if (!depends) return grown;
    for (const RegisterId destination : use.destinations) grown = add(destination) || grown;
    return grown;
  }

  std::vector<RegisterId> registers_;  ///< Of one function, in order.
  bool in_shared_ = false, in_local_ = false;
};

class Marking {
 public:
  explicit Marking(Program& program) : program_(program), observing_(program.functions.size()) {
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t f = 0; f < observing_.size(); ++f) {
        const auto& instructions = program.functions[f]->instructions;
        if (observing_[f] || std::none_of(instructions.begin(), instructions.end(), [&](const Instruction& one) {
              return observes(one) || calls_observing(one);
            }))
          continue;
        grown = observing_[f] = true;
      }
    }
  }

  bool mark() {
    bool any = false;
    for (Loop& loop : program_.loops) {
      loop.waits =
          observing_[program_.blocks[loop.header].function] && (may_wait(loop.members) || has_waiting_part(loop));
      any = any || loop.waits;
    }
    return any;
  }

 private:
  bool calls_observing(const Instruction& instruction) const {
    const auto callees = program_.callees(instruction);
    return std::any_of(callees.begin(), callees.end(), [&](std::uint32_t callee) { return observing_[callee]; });
  }

  /// Loops with one header are one Loop. Whether what comes back to it by one block alone waits.
  bool has_waiting_part(const Loop& loop) const {
    std::vector<std::vector<std::uint32_t>> predecessors(loop.members.size());
    std::vector<std::uint32_t> back;
    for (std::uint32_t number = 0; number < loop.members.size(); ++number) {
      if (!loop.members[number]) continue;
      for (const std::uint32_t to : program_.blocks[number].successors) {
        if (to == loop.header)
          back.push_back(number);
        else if (loop.contains(to))
          predecessors[to].push_back(number);
      }
    }
    return back.size() > 1 && std::any_of(back.begin(), back.end(), [&](std::uint32_t last) {
             std::vector<bool> part(loop.members.size());
             part[loop.header] = true;
             std::vector<std::uint32_t> open = {last};
             while (!open.empty()) {
               const std::uint32_t number = open.back();
               open.pop_back();
               if (part[number]) continue;
               part[number] = true;
               open.insert(open.end(), predecessors[number].begin(), predecessors[number].end());
             }
             return may_wait(part);
           });
  }

  bool may_wait(const std::vector<bool>& members) const {
    std::vector<const Instruction*> instructions, last;  // Last ones of blocks from which ways lead out.
    bool any = false, calls = false;
    const auto contains = [&](std::uint32_t block) { return block < members.size() && members[block]; };
    for (std::uint32_t number = 0; number < members.size(); ++number) {
      if (!members[number]) continue;
      const BasicBlock& block = program_.blocks[number];
      const Instruction* const first =
          &program_.functions[block.function]->instructions[block.first - program_.first_instruction[block.function]];
      for (const Instruction* one = first; one != first + block.count; ++one) {
        instructions.push_back(one);
        any = any || observes(*one);
        calls = calls || calls_observing(*one);
      }
      const Instruction& end = first[block.count - 1];
      const bool leads_out = std::any_of(block.successors.begin(), block.successors.end(),
                                         [&](std::uint32_t to) { return !contains(to); });
      if (leads_out || end.opcode == Opcode::ret || end.opcode == Opcode::exit) last.push_back(&end);
    }
    if (calls) return !last.empty();
    if (!any) return false;
    const Dependent dependent(instructions);
    return std::any_of(last.begin(), last.end(),
                       [&](const Instruction* one) { return dependent.any_source(register_use(*one)); });
  }

  Program& program_;
  std::vector<bool> observing_;  ///< By function: it observes, or calls one that does.
};

}  // namespace

bool has_independent_threads(const Module& module) {
  constexpr int volta = 70;
  int target = 0;
  const std::string_view digits =
      std::string_view(module.target).substr(std::min(module.target.size(), std::size_t{3}));
  std::from_chars(digits.data(), digits.data() + digits.size(), target);
  return target >= volta;
}

bool mark_waiting_loops(Program& program) {
  return has_independent_threads(*program.module) && Marking(program).mark();
}

bool gathers(const Instruction& instruction) {
  switch (instruction.row().subject) {
    case OpcodeClass::matrix:
    case OpcodeClass::barrier: return true;
    case OpcodeClass::exchange: return instruction.opcode != Opcode::activemask;
    default: return false;
  }
}

}  // namespace lockstep::ptx
