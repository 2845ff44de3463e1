#include "isa/machine/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

#include "isa/error.hpp"
#include "isa/machine/addresses.hpp"
#include "isa/machine/if_conversion.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/machine/renaming.hpp"
#include "isa/machine/rules.hpp"
#include "isa/machine/scheduling.hpp"
#include "isa/machine/selection.hpp"
#include "isa/machine/unrolling.hpp"
#include "isa/machine/wide_accesses.hpp"

namespace lockstep::machine {

namespace {

/// Lowers one kernel; holds what is known while it goes through the instructions.
class Lowering {
 public:
  Lowering(const program::Kernel& kernel, const Target& target, const Rules& rules)
      : kernel_(kernel),
        target_(target),
        rules_(rules),
        selection_(select(kernel, rules)),
        flow_(kernel),
        addresses_(kernel, flow_) {
    program_.kernel = &kernel;
    program_.register_bits = kernel.register_bits;
    program_.register_bits.resize(kernel.register_bits.size() + temporary_count, 32);
  }

  Program run() {
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const program::StaticBlock& block = kernel_.blocks[b];
      leads_on_ = block.successors.size() == 1 && block.successors[0] == b + 1;
      Code& code = program_.blocks.emplace_back();
      code.first = static_cast<std::uint32_t>(program_.instructions.size());
      code.executions = 1;
      if (b == 0) prologue();
      for (std::uint32_t i = 0; i < block.count; ++i) instruction(block.first + i);
      code.end = static_cast<std::uint32_t>(program_.instructions.size());
      for (std::uint32_t n = code.first; n < code.end; ++n)
        if (Instruction& i = program_.instructions[n]; i.takes_access) i.access_entry = code.access_entries++;
    }
    program_.later_instructions.assign(later_.begin(), later_.end());
    if (program_.register_bits.size() > most_scoreboard_entries)
      throw InputError(fmt::format("kernel {} needs {} scoreboard entries; at most {} are possible", kernel_.name,
                                   program_.register_bits.size(), most_scoreboard_entries));
    if (target_.schedule == Schedule::list) {
      predicate(program_);
      rename(program_);
      unroll(program_, flow_, addresses_);
      widen_accesses(program_, addresses_);
      schedule(program_);
    }
    return std::move(program_);
  }

 private:
  void prologue() {
    if (kernel_.instructions.empty()) return;
    const Prologue& prologue = rules_.prologue();
    std::uint32_t count = prologue.always;
    const auto accesses = [&](program::MemorySpace space) {
      return std::any_of(kernel_.instructions.begin(), kernel_.instructions.end(), [&](const auto& s) {
        return s.access != program::AccessKind::none && (s.space == space || s.space == program::MemorySpace::generic);
      });
    };
    if (accesses(program::MemorySpace::global)) count += prologue.with_global_memory;
    if (accesses(program::MemorySpace::shared)) count += prologue.with_scratchpad;
    for (std::uint32_t n = 0; n < count; ++n) emit(make(Operation::integer));
  }

  std::string_view mnemonic(const program::StaticInstruction& s) const { return kernel_.strings[s.mnemonic]; }

  /// Links inside a chain come from a small pool in turn: a chain ends long before its link is used again, so that
  /// chains that are in flight together do not wait for each other's links.
  std::uint16_t temporary() {
    return static_cast<std::uint16_t>(kernel_.register_bits.size() + next_temporary_++ % temporary_count);
  }

  Instruction make(Operation operation) const {
    Instruction i;
    i.operation = operation;
    i.static_index = current_;
    return i;
  }
  void read(Instruction& i, std::uint32_t reg) const {
    for (const std::uint32_t name : selection_.names[reg]) {
      const std::uint16_t *first = i.sources, *end = first + i.source_count;
      if (i.source_count == max_sources || std::find(first, end, name) != end) continue;
      i.sources[i.source_count++] = static_cast<std::uint16_t>(name);
    }
  }
  /// Reads the result of an operation of the same chain.
  static void link(Instruction& i, std::uint16_t result) {
    if (i.source_count == max_sources) throw Bug("lowering: an operation has more sources than a machine instruction");
    i.sources[i.source_count++] = result;
  }
  void write(Instruction& i, std::uint32_t reg) const {
    if (i.destination_count < max_destinations) i.destinations[i.destination_count++] = static_cast<std::uint16_t>(reg);
  }
  void read_all(Instruction& i) const {
    for (const std::uint32_t reg : selection_.instructions[current_].sources) read(i, reg);
  }
  void write_all(Instruction& i, const program::StaticInstruction& s) const {
    for (const std::uint32_t reg : s.destinations) write(i, reg);
  }
  /// The guard is that of the first operation of a chain: the others wait for its result. A predicate has one name, or
  /// none when it is constant.
  void emit(Instruction i) {
    const std::uint32_t guard = kernel_.instructions[i.static_index].guard;
    if (guard != program::no_register)
      for (const std::uint32_t name : selection_.names[guard])
        if (std::find(i.sources, i.sources + i.source_count, name) != i.sources + i.source_count)
          i.guard = static_cast<std::uint16_t>(name);
    program_.instructions.push_back(i);
  }

  void instruction(std::uint32_t index) {
    current_ = index;
    const program::StaticInstruction& s = kernel_.instructions[index];
    if (s.control != program::Control::none) return control(s);
    if (s.access != program::AccessKind::none) return memory(s);
    const Selected& selected = selection_.instructions[index];
    if (s.reads_clock) return single(s, Operation::special_register);
    if (s.reads_special_register && !selected.removed)
      return single(s, reads_launch_constant(s) ? Operation::integer : Operation::special_register);
    if (selected.removed) return;
    if (selected.operations != nullptr) return chain(s, *selected.operations);
    const Rule* rule = rules_.find(selected.mnemonic);
    if (rule == nullptr) {
      // An instruction that moves nothing and is not in the table cannot be timed: say so rather than guess.
      throw InputError(SourceLocation{kernel_.strings[s.source_file], static_cast<int>(s.source_line), 0},
                       fmt::format("kernel {}: the {} lowering table has no row for \"{}\"", kernel_.name,
                                   target_.instruction_set, mnemonic(s)));
    }
    if (rule->later_generation) later_.insert(std::string(mnemonic(s)));
    // A renaming that could not be one, because a register changes later, is a copy.
    if (rule->steps.empty()) return single(s, Operation::integer);
    chain(s, rule->steps);
  }

  static bool reads_launch_constant(const program::StaticInstruction& s) {
    return s.operands.size() == 1 && s.operands[0].kind == program::SourceOperand::Kind::launch_constant;
  }

  void single(const program::StaticInstruction& s, Operation operation) { chain(s, {{operation, false}}); }

  /// A dependent chain: the first operation reads the sources, each further one the result of its predecessor, and the
  /// last writes the destinations. What stands beside it reads the same and writes nothing.
  void chain(const program::StaticInstruction& s, const std::vector<Step>& steps) {
    std::size_t left = 0;
    for (const Step& step : steps) left += !step.beside;
    std::uint16_t last = 0;
    bool linked = false;
    for (const Step& step : steps) {
      Instruction i = make(step.operation);
      const bool first_is_late = steps.front().without_first && late_source(s) != program::no_register;
      if (linked) {
        link(i, last);
      } else {
        read_all(i);
        if (first_is_late) forget(i, late_source(s));
      }
      if (!step.beside) {
        if (--left == 0) {
          if (first_is_late) read(i, late_source(s));
          write_all(i, s);
        } else {
          last = temporary();
          linked = true;
          i.destinations[i.destination_count++] = last;
        }
      }
      emit(i);
    }
  }

  /// The register of the first operand, where it goes by its own name and another register is read too.
  std::uint32_t late_source(const program::StaticInstruction& s) const {
    const auto& sources = selection_.instructions[current_].sources;
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
    // A jump to the next instruction.
    if (s.control == Control::branch && leads_on_ && target_.schedule == Schedule::list) return;
    if (s.control == Control::barrier) return barrier(s);
    if (s.control == Control::fence) operation = orders_only_the_block(s) ? Operation::integer : Operation::fence;
    if (s.control == Control::exit || s.control == Control::trap) operation = Operation::exit;
    single(s, operation);
  }

  void barrier(const program::StaticInstruction& s) {
    Instruction i = make(Operation::barrier);
    i.takes_access = s.access == program::AccessKind::barrier;
    i.barrier = s.barrier;
    i.barrier_threads = s.barrier_threads;
    i.barrier_arrives_only = s.barrier_arrives_only;
    read_all(i);
    write_all(i, s);
    emit(i);
  }

  /// A fence at thread-block level waits for nothing: the SM's load-store units keep the order by themselves.
  bool orders_only_the_block(const program::StaticInstruction& s) const { return has(s, "cta"); }

  void memory(const program::StaticInstruction& s) {
    using program::AccessKind;
    using program::MemorySpace;
    const bool on_scratchpad = s.space == MemorySpace::shared;
    if (s.access == AccessKind::atomic || s.access == AccessKind::reduction) return atomic(s);
    if (s.access == AccessKind::copy) return copy(s);
    if (s.space == MemorySpace::param) {
      // Kernel parameters are operands in the constant bank: at most they are moved, a word at a time.
      const bool moved = !selection_.instructions[current_].removed;
      const int words = rules_.constants_are_operands() ? 4 : 8;  // LDC loads 64 bits.
      for (int extra = s.element_bytes * s.vector_elements / words - 1; moved && extra > 0; --extra)
        emit(make(Operation::integer));
      Instruction i = access(s, Operation::integer);
      i.only_own_space = !moved;  // Takes the access entry, and has no lanes of its own.
      read_all(i);
      write_all(i, s);
      return emit(i);
    }
    Operation operation = on_scratchpad ? Operation::scratchpad_load : Operation::global_load;
    if (s.access == AccessKind::store)
      operation = on_scratchpad ? Operation::scratchpad_store : Operation::global_store;
    if (s.space == MemorySpace::constant) operation = Operation::constant_load;
    if (s.space == MemorySpace::texture && s.access == AccessKind::load) operation = Operation::texture_load;
    Instruction i = access(s, operation);
    read_all(i);
    write_all(i, s);
    emit(i);
  }

  /// A copy to the scratchpad on a generation without one: a load into a register and a store of it. Each takes an
  /// access entry.
  void copy(const program::StaticInstruction& s) {
    later_.insert(std::string(mnemonic(s)));
    const std::uint16_t value = temporary();
    Instruction load = access(s, Operation::global_load);
    read_all(load);
    load.destinations[load.destination_count++] = value;
    emit(load);
    Instruction store = access(s, Operation::scratchpad_store);
    store.space = program::MemorySpace::shared;
    link(store, value);
    read_all(store);
    write_all(store, s);
    emit(store);
  }

  /// The caching that the modifiers of a load or store ask for.
  CacheOperator cache_operator(const program::StaticInstruction& s) const {
    const Mnemonic m(mnemonic(s));
    if (m.has("nc")) return m.has("L1::no_allocate") ? CacheOperator::no_allocate : CacheOperator::read_only;
    if (m.has("cv") || m.has("wt") || m.has("volatile") || m.has("mmio")) return CacheOperator::refetch;
    if (m.has("cg")) return CacheOperator::second_level;
    const bool ordered = m.has("relaxed") || m.has("acquire") || m.has("release");
    if (ordered && !m.has("cta")) return CacheOperator::second_level;
    if (m.has("lu")) return CacheOperator::last_use;
    if (m.has("cs") || m.has("L1::evict_first")) return CacheOperator::streaming;
    if (m.has("L1::no_allocate")) return CacheOperator::no_allocate;
    return CacheOperator::normal;
  }

  Instruction access(const program::StaticInstruction& s, Operation operation) const {
    Instruction i = make(operation);
    i.takes_access = true;
    i.cache_operator = cache_operator(s);
    i.space = s.space;
    i.element_bytes = s.element_bytes;
    i.vector_elements = s.vector_elements;
    const Addresses::Address address = addresses_.of(current_);
    if (std::abs(address.offset) < std::numeric_limits<std::int32_t>::max() / 2) {
      i.address_root = address.root;
      i.address_offset = static_cast<std::int32_t>(address.offset);
    }
    return i;
  }

  void atomic(const program::StaticInstruction& s) {
    using program::MemorySpace;
    if (const Rule* rule = rules_.find(mnemonic(s)); rule != nullptr && rule->later_generation)
      later_.insert(std::string(mnemonic(s)));
    // Atomics of vectors are for global memory only.
    const bool generic = s.space == MemorySpace::generic && s.vector_elements == 1;
    bool takes_access = true;
    if (generic || s.space == MemorySpace::shared) {
      takes_access = target_.scratchpad_atomics == ScratchpadAtomics::none;
      if (target_.scratchpad_atomics == ScratchpadAtomics::lock_loop) {
        lock_loop(s, generic);
      } else if (target_.scratchpad_atomics == ScratchpadAtomics::native) {
        if (has_native_unit(s)) {
          native(s, generic);
        } else {
          cas_loop(s, generic);
        }
      } else if (!generic) {
        throw InputError(SourceLocation{kernel_.strings[s.source_file], static_cast<int>(s.source_line), 0},
                         fmt::format("kernel {}: \"{}\" needs atomics on scratchpad memory, which this GPU lacks",
                                     kernel_.name, mnemonic(s)));
      }
    }
    if (!generic && s.space == MemorySpace::shared) return;
    // An exchange or compare-and-swap has no form without a result.
    const bool reduces =
        s.access == program::AccessKind::reduction || (!has_read_result(s) && !has(s, "exch") && !has(s, "cas"));
    Instruction i = access(s, reduces ? Operation::global_reduction : Operation::global_atomic);
    i.takes_access = takes_access;
    i.only_own_space = generic;
    i.floating = is_floating(s);
    read_all(i);
    if (!reduces) write_all(i, s);
    emit(i);
  }

  bool has(const program::StaticInstruction& s, std::string_view word) const { return Mnemonic(mnemonic(s)).has(word); }
  bool has_read_result(const program::StaticInstruction& s) const {
    return std::any_of(s.destinations.begin(), s.destinations.end(),
                       [&](std::uint32_t d) { return selection_.read[d]; });
  }

  bool is_floating(const program::StaticInstruction& s) const {
    for (const char* type : {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})
      if (has(s, type)) return true;
    return false;
  }

  /// The scratchpad's units do integers of 32 bits and compare-and-swap of 64 (Maxwell tuning guide, 1.4.3); an exchange of
  /// 64 bits is taken to go the same way.
  bool has_native_unit(const program::StaticInstruction& s) const {
    if (is_floating(s)) return false;
    return s.element_bytes == 4 || (s.element_bytes == 8 && (has(s, "cas") || has(s, "exch")));
  }

  void native(const program::StaticInstruction& s, bool generic) {
    const bool reduces = !has_read_result(s);
    Instruction i = access(s, reduces ? Operation::scratchpad_reduction : Operation::scratchpad_atomic);
    i.only_own_space = generic;
    i.adds_one = has(s, "add") && adds_constant_one(s);
    i.swaps = has(s, "cas");
    read_all(i);
    if (!reduces) write_all(i, s);
    emit(i);
  }

  bool adds_constant_one(const program::StaticInstruction& s) const {
    using Kind = program::SourceOperand::Kind;
    if (s.operands.size() != 2) return false;
    const program::SourceOperand& added = s.operands[1];
    if (added.kind == Kind::literal) return added.value == 1;
    return added.kind == Kind::reg && selection_.literals[added.value] == 1;
  }

  /// Load, update, compare-and-swap, comparison with what was loaded, branch back while a lane lost.
  void cas_loop(const program::StaticInstruction& s, bool generic) {
    const auto start = static_cast<std::uint32_t>(program_.instructions.size());
    const std::uint16_t loaded = temporary(), won = temporary();
    Instruction load = access(s, Operation::scratchpad_load);
    load.cas_loop = true;
    load.only_own_space = generic;
    read_all(load);
    load.destinations[load.destination_count++] = loaded;
    emit(load);

    std::uint16_t result = loaded;
    for (const Operation operation : update_operations(s)) {
      Instruction update = make(operation);
      update.only_own_space = generic;
      for (const std::uint32_t reg : s.sources)
        if (update.source_count + 1u < max_sources) read(update, reg);
      link(update, result);
      result = temporary();
      update.destinations[update.destination_count++] = result;
      emit(update);
    }

    Instruction swap = access(s, Operation::scratchpad_atomic);
    swap.takes_access = false;
    swap.cas_loop = true;
    swap.only_own_space = generic;
    link(swap, loaded);
    link(swap, result);
    const std::uint16_t swapped = temporary();
    swap.destinations[swap.destination_count++] = swapped;
    if (has_read_result(s)) write_all(swap, s);
    emit(swap);

    Instruction compare = make(Operation::compare);
    compare.only_own_space = generic;
    link(compare, loaded);
    link(compare, swapped);
    compare.destinations[compare.destination_count++] = won;
    emit(compare);

    Instruction branch = make(Operation::branch);
    branch.only_own_space = generic;
    link(branch, won);
    branch.cas_loop = true;
    branch.loop_start = start;
    emit(branch);
  }

  /// LDSLK / operation / STSUL / BRA, Listing 3.5 of Van den Braak (2015).
  void lock_loop(const program::StaticInstruction& s, bool generic) {
    const std::uint32_t start = static_cast<std::uint32_t>(program_.instructions.size());
    const std::uint16_t loaded = temporary(), acquired = temporary();
    Instruction load = access(s, Operation::load_lock);
    load.only_own_space = generic;
    read_all(load);
    write_all(load, s);
    load.destinations[load.destination_count++] = loaded;
    load.destinations[load.destination_count++] = acquired;
    emit(load);

    std::uint16_t result = loaded;
    for (const Operation operation : update_operations(s)) {
      Instruction update = make(operation);
      update.only_own_space = generic;
      for (const std::uint32_t reg : s.sources) {
        if (update.source_count + 2u < max_sources) read(update, reg);
      }
      link(update, result);
      link(update, acquired);
      result = temporary();
      update.destinations[update.destination_count++] = result;
      emit(update);
    }

    Instruction store = access(s, Operation::store_unlock);
    store.takes_access = false;
    store.only_own_space = generic;
    link(store, result);
    link(store, acquired);
    emit(store);

    Instruction branch = make(Operation::branch);
    branch.only_own_space = generic;
    link(branch, acquired);
    branch.closes_lock_loop = true;
    branch.loop_start = start;
    emit(branch);
  }

  /// What stands between the load and the store of a lock loop.
  std::vector<Operation> update_operations(const program::StaticInstruction& s) const {
    const std::size_t words = std::max(1, s.element_bytes / 4);
    if (has(s, "exch")) return std::vector<Operation>(words, Operation::integer);
    if (has(s, "f64")) return {Operation::double_precision};
    for (const char* type : {"f32", "f16", "f16x2", "bf16", "bf16x2"})
      if (has(s, type)) return {Operation::floating};
    const bool compares = has(s, "min") || has(s, "max") || has(s, "cas") || has(s, "inc") || has(s, "dec");
    return std::vector<Operation>(compares ? 2 * words : words, Operation::integer);
  }

  const program::Kernel& kernel_;
  const Target& target_;
  const Rules& rules_;
  Program program_;
  Selection selection_;
  DataFlow flow_;
  Addresses addresses_;
  static constexpr std::uint32_t temporary_count = 64;
  std::uint32_t next_temporary_ = 0;
  std::set<std::string> later_;
  std::uint32_t current_ = 0;
  bool leads_on_ = false;  ///< The current basic block leads to the one behind it, and nowhere else.
};

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const LoweringTable& table : lowering_tables())
    if (std::find(names.begin(), names.end(), table.machine) == names.end()) names.emplace_back(table.machine);
  return names;
}

Program lower(const program::Kernel& kernel, const Target& target) {
  for (const LoweringTable& table : lowering_tables()) {
    if (table.machine != target.instruction_set || table.program != kernel.instruction_set) continue;
    const Rules rules(table);
    return Lowering(kernel, target, rules).run();
  }
  throw InputError(fmt::format("no lowering from {} to {}; machine instruction sets are: {}", kernel.instruction_set,
                               target.instruction_set, fmt::join(instruction_sets(), ", ")));
}

}  // namespace lockstep::machine
