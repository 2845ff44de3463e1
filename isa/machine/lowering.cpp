#include "isa/machine/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "isa/error.hpp"
#include "isa/machine/addresses.hpp"
#include "isa/machine/atomic_lowering.hpp"
#include "isa/machine/branches.hpp"
#include "isa/machine/call_convention.hpp"
#include "isa/machine/call_lowering.hpp"
#include "isa/machine/code_layout.hpp"
#include "isa/machine/emitter.hpp"
#include "isa/machine/fence_lowering.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/machine/register_moves.hpp"
#include "isa/machine/registers/narrow_registers.hpp"
#include "isa/machine/registers/parameter_loads.hpp"
#include "isa/machine/registers/uniform_registers.hpp"
#include "isa/machine/schedule/copies.hpp"
#include "isa/machine/schedule/guarded_choices.hpp"
#include "isa/machine/schedule/if_conversion.hpp"
#include "isa/machine/schedule/load_counters.hpp"
#include "isa/machine/schedule/pointer_copies.hpp"
#include "isa/machine/schedule/renaming.hpp"
#include "isa/machine/schedule/round_counting.hpp"
#include "isa/machine/schedule/scheduling.hpp"
#include "isa/machine/schedule/unit_balance.hpp"
#include "isa/machine/schedule/unrolling.hpp"
#include "isa/machine/schedule/wide_accesses.hpp"
#include "isa/machine/selection/repeated_values.hpp"
#include "isa/machine/selection/selection.hpp"
#include "isa/machine/tables/rules.hpp"
#include "isa/machine/vector_elements.hpp"

namespace lockstep::machine {

namespace {

/// By number of the lowering table.
const std::vector<Rules>& all_rules() {
  static const std::vector<Rules> all(lowering_tables().begin(), lowering_tables().end());
  return all;
}

/// Which machine instruction sets can time an instruction of this program instruction set, as the end of a message.
std::string advice(std::string_view mnemonic, std::string_view program) {
  std::vector<std::string_view> found;
  for (std::size_t n = 0; n < all_rules().size(); ++n)
    if (lowering_tables()[n].program == program && all_rules()[n].find(mnemonic) != nullptr)
      found.push_back(lowering_tables()[n].machine);
  if (found.empty()) return "no GPU's has one";
  return fmt::format("choose a GPU with the instruction set {}", fmt::join(found, " or "));
}

/// PTX, for a GPU for which it is known what its compiler makes of it.
bool follows_compiler(const Target& target, const Rules& rules) {
  return target.schedule == Schedule::list && !rules.of_machine_code();
}

/// Lowers one kernel; holds what is known while it goes through the instructions.
class Lowering {
 public:
  /// `repeats`: instructions of the kernel that are not needed, or empty.
  Lowering(const program::Kernel& kernel, const std::vector<bool>& repeats, const Target& target, const Rules& rules)
      : kernel_(kernel),
        target_(target),
        rules_(rules),
        branches_(kernel),
        convention_(kernel),
        repeats_(repeats),
        selection_(select(kernel, rules, convention_, repeats)),
        flow_(kernel),
        addresses_(kernel, flow_),
        elements_(kernel, selection_, flow_),
        emitter_(kernel, selection_, addresses_, program_, rules.of_machine_code()) {}

  Program run() {
    if (follows_compiler()) moves_.emplace(kernel_, selection_, flow_, emitter_, program_);
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const program::StaticBlock& block = kernel_.blocks[b];
      Code& code = program_.blocks.emplace_back();
      code.first = emitter_.next();
      code.executions = 1;
      if (b == 0) prologue();
      block_ = b;
      if (follows_compiler() && convention_.begins_function(b))
        begin_function(emitter_, kernel_, convention_, b, rules_.prologue().with_global_memory);
      if (aggregation_) aggregation_->begin_block();
      for (std::uint32_t i = 0; i < block.count; ++i) instruction(block.first + i);
      code.end = emitter_.next();
      number_accesses(code, block);
    }
    program_.later_instructions.assign(later_.begin(), later_.end());
    if (program_.register_bits.size() > most_scoreboard_entries)
      throw InputError(fmt::format("kernel {} needs {} scoreboard entries; at most {} are possible", kernel_.name,
                                   program_.register_bits.size(), most_scoreboard_entries));
    if (follows_compiler()) {
      narrow_registers(program_, selection_);
      use_uniform_registers(program_);
      load_parameters(program_);
      remove_copies(program_);
      predicate(program_);
      rename(program_);
      guard_choices(program_);
      count_rounds(program_, flow_);
      unroll(program_, flow_, addresses_);
      widen_accesses(program_, addresses_, flow_);
      copy_pointers(program_);
      balance_units(program_);
      schedule(program_);
      place_arrivals(program_);
    }
    assign_load_counters(program_, target_.load_counters);
    lay_out(program_);
    return std::move(program_);
  }

 private:
  bool follows_compiler() const { return machine::follows_compiler(target_, rules_); }

  /// The trace has entries of loads that are left out, too.
  void number_accesses(Code& code, const program::StaticBlock& block) {
    std::uint32_t next = block.first;
    const auto pass = [&](std::uint32_t end) {
      for (; next < end; ++next)
        if (repeats(next)) code.access_entries += program::access_entries(kernel_.instructions[next]);
    };
    for (std::uint32_t n = code.first; n < code.end; ++n)
      if (Instruction& i = program_.instructions[n]; i.takes_access) {
        pass(i.static_index);
        i.access_entry = code.access_entries;
        code.access_entries += access_entries(i);
      }
    pass(block.first + block.count);
  }

  bool repeats(std::uint32_t index) const { return !repeats_.empty() && repeats_[index]; }

  void prologue() {
    if (kernel_.instructions.empty()) return;
    const Prologue& prologue = rules_.prologue();
    std::uint32_t count = prologue.always;
    const auto accesses = [&](program::MemorySpace space) {
      return std::any_of(kernel_.instructions.begin(), kernel_.instructions.end(),
                         [&](const auto& s) { return may_access(s, space); });
    };
    if (accesses(program::MemorySpace::global)) count += prologue.with_global_memory;
    if (accesses(program::MemorySpace::shared)) count += prologue.with_scratchpad;
    emitter_.emit_bare(Operation::integer, count);
  }

  void instruction(std::uint32_t index) {
    emitter_.begin(index);
    const program::StaticInstruction& s = emitter_.current();
    if (s.control != program::Control::none) return control(s);
    if (s.access != program::AccessKind::none) return repeats(index) ? void() : memory(s);
    const Selected& selected = emitter_.selected();
    if (selected.removed && s.destinations.empty()) return;
    if (s.reads_clock) return single(Operation::special_register);
    if (s.reads_special_register && !selected.removed)
      return single(reads_launch_constant(s) ? Operation::integer : Operation::special_register);
    if (moves_) moves_->join_halves();
    if (selected.removed) return;
    if (moves_) moves_->load_literals();
    if (selected.operations != nullptr) return chain(*selected.operations);
    const Rule* rule = rules_.find(selected.mnemonic);
    // An instruction that moves nothing and is not in the table cannot be timed: say so rather than guess.
    if (rule == nullptr)
      throw emitter_.refusal(fmt::format("the {} lowering table has no row for \"{}\"; {}", target_.instruction_set,
                                         emitter_.mnemonic(), advice(emitter_.mnemonic(), kernel_.instruction_set)));
    note_later(*rule);
    if (!rule->steps.empty() && rule->steps.front().operation == Operation::copy_wait) return copy_wait(s);
    // A renaming that could not be one, because a register changes later, is a copy.
    if (rule->steps.empty()) return single(Operation::integer);
    const std::uint32_t first = emitter_.next();
    chain(rule->steps);
    if (!moves_) return;
    moves_->read_literals(first);
    moves_->carry_step();
  }

  void note_later(const Rule& rule) {
    if (rule.later_generation) later_.emplace(emitter_.mnemonic());
  }

  static bool reads_launch_constant(const program::StaticInstruction& s) {
    return s.operands.size() == 1 && s.operands[0].kind == program::SourceOperand::Kind::launch_constant;
  }

  void single(Operation operation) { chain({{operation, false}}); }

  /// A dependent chain: the first operation reads the sources, each further one the result of its predecessor, and the
  /// last writes the destinations. What stands beside it reads the same and writes nothing.
  void chain(const std::vector<Step>& steps) {
    const std::uint32_t late = steps.front().without_first ? late_source() : program::no_register;
    const auto first_rare = std::find_if(steps.begin(), steps.end(), std::mem_fn(&Step::rare));
    const auto end_rare = std::find_if_not(first_rare, steps.end(), std::mem_fn(&Step::rare));
    // The entry is read, whether or not the generation has such code.
    const auto reads_entry = first_rare == steps.end() ? steps.begin() : first_rare - 1;
    std::size_t left = 0;
    const auto skips = [&](const Step& step) { return step.operation == Operation::branch && steps.size() > 1; };
    const auto in_chain = [&](const Step& step) { return !step.beside && !skips(step) && !step.rare; };
    for (const Step& step : steps) left += in_chain(step);
    std::uint16_t last = 0;
    bool linked = false;
    for (auto step = steps.begin(); step != steps.end(); ++step) {
      if (step == first_rare) rare_code({first_rare, end_rare});
      if (step->rare) continue;
      Instruction i = emitter_.make(step->operation);
      if (step->through_data_stage) i.data_stage_uses = 1;
      i.late_predicates = step->late_predicates;
      i.alternative = step->alternative;
      i.skips = skips(*step);
      i.takes_access = step == reads_entry && emitter_.current().has_rare_operands;
      if (step == reads_entry) i.skipped = static_cast<std::uint8_t>(end_rare - first_rare);
      if (i.skips && !step->guarded) {
        emitter_.emit(i);
        continue;
      }
      if (linked) {
        Emitter::link(i, last);
        if (step->guarded) i.guard = last, i.guarded_in_chain = true;
      } else {
        emitter_.read_all(i);
        if (late != program::no_register) forget(i, late);
      }
      if (in_chain(*step)) {
        if (--left == 0) {
          if (late != program::no_register) emitter_.read(i, late);
          emitter_.write_all(i);
          if (i.destination_count > 0) last = i.destinations[0];
        } else {
          last = emitter_.temporary();
          linked = true;
          Emitter::write(i, last);
        }
      }
      emitter_.emit(i);
    }
  }

  /// A dependent chain of its own, of which nothing else reads. Its branches are taken; those with a guard wait for the chain.
  void rare_code(std::span<const Step> steps) {
    std::optional<std::uint16_t> last;
    for (const Step& step : steps) {
      Instruction i = emitter_.make(step.operation);
      i.skips = step.operation == Operation::branch;
      if (!i.skips || step.guarded) last ? Emitter::link(i, *last) : emitter_.read_all(i);
      if (step.guarded) i.guard = *last, i.guarded_in_chain = true;
      if (!i.skips) Emitter::write(i, *(last = emitter_.temporary()));
      emitter_.emit(i);
    }
  }

  /// The register of the first operand, where it goes by its own name and another register is read too.
  std::uint32_t late_source() const {
    const program::StaticInstruction& s = emitter_.current();
    const auto& sources = emitter_.selected().sources;
    if (s.operands.empty() || s.operands[0].kind != program::SourceOperand::Kind::reg || sources.size() < 2)
      return program::no_register;
    const auto first = static_cast<std::uint32_t>(s.operands[0].value);
    return std::find(sources.begin(), sources.end(), first) != sources.end() ? first : program::no_register;
  }
  static void forget(Instruction& i, std::uint32_t reg) {
    i.source_count = static_cast<std::uint8_t>(std::remove(i.sources, i.sources + i.source_count, reg) - i.sources);
  }

  void control(const program::StaticInstruction& s) {
    using program::Control;
    Operation operation = Operation::branch;
    if (s.control == Control::branch && follows_compiler()) return branch(s);
    if (s.control == Control::exit && follows_compiler() && branches_.is_exit_of_branches(block_)) return;
    if (s.control == Control::barrier) return barrier(s);
    if (s.control == Control::fence) return lower_fence(emitter_, follows_compiler());
    if (s.control == Control::exit || s.control == Control::trap) operation = Operation::exit;
    if (follows_compiler() && s.control == Control::call) prepare_call(emitter_);
    const StackFrame* const frame = follows_compiler() ? convention_.frame_at(block_) : nullptr;
    if (s.control == Control::ret && frame != nullptr) return lower_return(emitter_, *frame);
    single(operation);
  }

  void branch(const program::StaticInstruction& s) {
    if (branches_.saves_jump(block_)) return;
    const bool alone = s.guard == program::no_register && branches_.jumps_back_behind_exit(block_);
    if (!alone) single(Operation::branch);
    if (!alone && !branches_.exits_or_jumps_back(block_)) return;
    Instruction jump = emitter_.make(Operation::branch);
    jump.behind_exit = true;
    emitter_.emit(jump);
  }

  void barrier(const program::StaticInstruction& s) {
    Instruction i = emitter_.make(Operation::barrier);
    i.takes_access = s.access == program::AccessKind::barrier;
    i.barrier = s.barrier;
    i.barrier_threads = s.barrier_threads;
    i.barrier_arrives_only = s.barrier_arrives_only;
    emitter_.read_all(i);
    emitter_.write_all(i);
    emitter_.emit(i);
  }

  void memory(const program::StaticInstruction& s) {
    using program::AccessKind;
    using program::MemorySpace;
    const bool on_scratchpad = s.space == MemorySpace::shared;
    if (s.access == AccessKind::atomic || s.access == AccessKind::reduction) return atomic();
    if (s.access == AccessKind::copy) return copy();
    if (s.access == AccessKind::mbarrier) return mbarrier();
    if (const Rule* rule = rules_.of_machine_code() ? nullptr : rules_.find(emitter_.mnemonic())) note_later(*rule);
    if (s.space == MemorySpace::param) {
      // Kernel parameters are operands in the constant bank: at most they are moved, a word at a time.
      const bool moved = !emitter_.selected().removed;
      const int words = rules_.constants_are_operands() ? 4 : 8;  // LDC loads 64 bits.
      for (int extra = s.element_bytes * s.vector_elements / words - 1; moved && extra > 0; --extra)
        emitter_.emit(emitter_.make(Operation::integer));
      Instruction i = emitter_.access(Operation::integer);
      i.only_own_space = !moved;  // Takes the access entry, and has no lanes of its own.
      emitter_.read_all(i);
      emitter_.write_all(i);
      return emitter_.emit(i);
    }
    Operation operation = on_scratchpad ? Operation::scratchpad_load : Operation::global_load;
    if (s.access == AccessKind::store)
      operation = on_scratchpad ? Operation::scratchpad_store : Operation::global_store;
    if (s.space == MemorySpace::constant) operation = Operation::constant_load;
    if (s.space == MemorySpace::texture && s.access == AccessKind::load) operation = Operation::texture_load;
    if (follows_compiler() && s.vector_elements > 1) return vector_access(operation);
    Instruction i = emitter_.access(operation);
    emitter_.read_all(i);
    emitter_.write_all(i);
    emitter_.emit(i);
  }

  /// With what puts the elements together before a store, or takes them out of words behind a load.
  void vector_access(Operation operation) {
    const program::StaticInstruction& s = emitter_.current();
    Instruction access = emitter_.access(operation);
    emitter_.read_all(access);
    std::uint16_t placed = 0;
    for (const VectorElements::Placement& placement : elements_.put_together(emitter_.index())) {
      Instruction i = emitter_.make(placement.permutes ? Operation::shift : Operation::integer);
      for (const std::uint32_t reg : placement.registers) emitter_.read(i, reg);
      if (placement.continues) Emitter::link(i, placed);
      placed = emitter_.temporary();
      Emitter::write(i, placed);
      emitter_.emit(i);
      if (access.source_count < max_sources) Emitter::link(access, placed);
    }
    const std::vector<std::uint32_t> taken = elements_.taken_out(emitter_.index());
    if (taken.empty()) {
      emitter_.write_all(access);
      return emitter_.emit(access);
    }
    for (const std::uint32_t reg : s.destinations)
      if (std::find(taken.begin(), taken.end(), reg) == taken.end())
        Emitter::write(access, static_cast<std::uint16_t>(reg));
    std::vector<std::uint16_t> words;
    for (unsigned bytes = 0; bytes < s.element_bytes * s.vector_elements; bytes += 4) {
      if (access.destination_count == max_destinations) break;
      words.push_back(emitter_.temporary());
      Emitter::write(access, words.back());
    }
    emitter_.emit(access);
    for (std::size_t n = 0; n < taken.size(); ++n) {
      Instruction i = emitter_.make(Operation::shift);
      Emitter::link(i, words[n * words.size() / taken.size()]);
      Emitter::write(i, static_cast<std::uint16_t>(taken[n]));
      emitter_.emit(i);
    }
  }

  void atomic() {
    if (const Rule* rule = rules_.find(emitter_.mnemonic())) note_later(*rule);
    if (rules_.aggregates_atomics() && !aggregation_) aggregation_.emplace(kernel_, flow_);
    lower_atomic(emitter_, target_.scratchpad_atomics, aggregation_ ? &*aggregation_ : nullptr);
  }

  /// A generation without them has no row: nothing that it has does the same.
  void mbarrier() {
    const Rule* rule = rules_.find(emitter_.mnemonic());
    if (rule == nullptr || rule->steps.front().operation != Operation::mbarrier)
      throw emitter_.refusal(fmt::format(
          "\"{}\" needs a GPU of compute capability 8.0 or later, whose SMs have mbarriers; the {} lowering "
          "table has none",
          emitter_.mnemonic(), target_.instruction_set));
    const Mnemonic w(emitter_.mnemonic());
    Instruction i = emitter_.make(Operation::mbarrier);
    i.takes_access = true;
    i.mbarrier = program::mbarrier_action(w.opcode == ptx::Opcode::cp, [&](std::string_view m) { return w.has(m); });
    emitter_.read_all(i);
    emitter_.write_all(i);
    emitter_.emit(i);
  }

  /// `cp.async.wait_group N`, `cp.async.wait_all`.
  void copy_wait(const program::StaticInstruction& s) {
    Instruction i = emitter_.make(Operation::copy_wait);
    i.copy_groups = Instruction::all_copies;
    if (emitter_.has("wait_group") && !s.operands.empty())
      i.copy_groups = static_cast<std::uint8_t>(
          std::min<std::uint64_t>(s.operands[0].value, std::uint64_t{Instruction::all_copies} - 1));
    emitter_.emit(i);
  }

  /// Without a register between: its row says so. What waits for it counts the warp's copies.
  void async_copy() {
    Instruction i = emitter_.access(Operation::async_copy);
    emitter_.read_all(i);
    emitter_.emit(i);
  }

  /// A copy to the scratchpad on a generation without one: a load into a register and a store of it. Each takes an
  /// access entry.
  void copy() {
    const Rule* rule = rules_.find(emitter_.mnemonic());
    if (rule != nullptr && !rule->steps.empty() && rule->steps.front().operation == Operation::async_copy)
      return async_copy();
    later_.emplace(emitter_.mnemonic());
    const std::uint16_t value = emitter_.temporary();
    Instruction load = emitter_.access(Operation::global_load);
    emitter_.read_all(load);
    Emitter::write(load, value);
    emitter_.emit(load);
    Instruction store = emitter_.access(Operation::scratchpad_store);
    store.space = program::MemorySpace::shared;
    Emitter::link(store, value);
    emitter_.read_all(store);
    emitter_.write_all(store);
    emitter_.emit(store);
  }

  const program::Kernel& kernel_;
  const Target& target_;
  const Rules& rules_;
  Program program_;
  Branches branches_;
  CallConvention convention_;
  std::vector<bool> repeats_;  ///< Instructions that are not needed, or empty.
  Selection selection_;
  program::DataFlow flow_;
  Addresses addresses_;
  VectorElements elements_;
  Emitter emitter_;
  std::optional<WarpAggregation> aggregation_;
  std::set<std::string> later_;
  std::optional<RegisterMoves> moves_;  ///< Where the compiler is followed.
  std::uint32_t block_ = 0;             ///< The current basic block.
};

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const LoweringTable& table : lowering_tables())
    if (std::find(names.begin(), names.end(), table.machine) == names.end()) names.emplace_back(table.machine);
  return names;
}

Program lower(const program::Kernel& kernel, const Target& target) {
  for (std::size_t n = 0; n < all_rules().size(); ++n) {
    const LoweringTable& table = lowering_tables()[n];
    if (table.machine != target.instruction_set || table.program != kernel.instruction_set) continue;
    const bool compiles = follows_compiler(target, all_rules()[n]);
    const auto shared = compiles ? without_repetition(kernel) : std::nullopt;
    if (!shared) return Lowering(kernel, {}, target, all_rules()[n]).run();
    Program program = Lowering(shared->kernel, shared->repeats, target, all_rules()[n]).run();
    program.kernel = &kernel;
    return program;
  }
  throw InputError(fmt::format("no lowering from {} to {}; machine instruction sets are: {}", kernel.instruction_set,
                               target.instruction_set, fmt::join(instruction_sets(), ", ")));
}

}  // namespace lockstep::machine
