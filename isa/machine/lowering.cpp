#include "isa/machine/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "isa/error.hpp"
#include "isa/machine/lowering_table.hpp"

namespace lockstep::machine {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// One operation of what an instruction becomes; `beside` the dependent chain when nothing waits for it.
struct Step {
  Operation operation;
  bool beside;
};

/// Alternatives for each of some modifiers in a row.
using ModifierRun = std::vector<std::vector<std::string_view>>;

/// A row of a lowering table, taken apart once.
struct Rule {
  std::vector<ModifierRun> modifiers;  ///< All must match.
  std::vector<Step> steps;
  bool later_generation;
};

using Rules = std::multimap<std::string_view, Rule>;

Operation operation_named(std::string_view name) {
  for (std::size_t i = 0; i < operation_count; ++i)
    if (name_of(static_cast<Operation>(i)) == name) return static_cast<Operation>(i);
  throw Bug(fmt::format("lowering table names unknown operation \"{}\"", name));
}

void compile(std::span<const LoweringRow> rows, Rules& rules) {
  for (const LoweringRow& row : rows) {
    Rule rule{{}, {}, row.later_generation};
    for (const std::string_view word : split(row.modifiers, ' ')) {
      ModifierRun& run = rule.modifiers.emplace_back();
      for (const std::string_view one : split(word, '~')) run.push_back(split(one, '|'));
    }
    for (std::string_view word : split(row.operations, ' ')) {
      if (word == "none") continue;
      const bool beside = word.front() == '+';
      if (beside) word.remove_prefix(1);
      const auto parts = split(word, '*');
      std::size_t count = 1;
      if (parts.size() == 2) std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), count);
      rule.steps.insert(rule.steps.end(), count, Step{operation_named(parts[0]), beside});
    }
    if (!rule.steps.empty() && std::all_of(rule.steps.begin(), rule.steps.end(), [](Step s) { return s.beside; }))
      throw Bug(fmt::format("lowering table: nothing makes the result of \"{}\"", row.opcode));
    rules.emplace(row.opcode, std::move(rule));
  }
}

bool starts_at(const ModifierRun& run, const std::vector<std::string_view>& modifiers, std::size_t at) {
  if (at + run.size() > modifiers.size()) return false;
  for (std::size_t n = 0; n < run.size(); ++n)
    if (std::find(run[n].begin(), run[n].end(), modifiers[at + n]) == run[n].end()) return false;
  return true;
}

bool applies(const Rule& rule, const std::vector<std::string_view>& modifiers) {
  return std::all_of(rule.modifiers.begin(), rule.modifiers.end(), [&](const ModifierRun& run) {
    for (std::size_t at = 0; at < modifiers.size(); ++at)
      if (starts_at(run, modifiers, at)) return true;
    return false;
  });
}

/// Lowers one kernel; holds what is known while it goes through the instructions.
class Lowering {
 public:
  Lowering(const trace::Kernel& kernel, const Target& target, const Rules& rules)
      : kernel_(kernel), target_(target), rules_(rules) {
    program_.kernel = &kernel;
    program_.register_count = static_cast<std::uint32_t>(kernel.register_bits.size()) + temporary_count;
    find_renamings();
  }

  Program run() {
    for (const trace::StaticBlock& block : kernel_.blocks) {
      program_.first.push_back(static_cast<std::uint32_t>(program_.instructions.size()));
      for (std::uint32_t i = 0; i < block.count; ++i) instruction(block.first + i);
    }
    program_.first.push_back(static_cast<std::uint32_t>(program_.instructions.size()));
    program_.later_instructions.assign(later_.begin(), later_.end());
    if (program_.register_count > 0xffff)
      throw InputError(fmt::format("kernel {} needs {} scoreboard entries; at most 65535 are possible", kernel_.name,
                                   program_.register_count));
    return std::move(program_);
  }

 private:
  std::string_view mnemonic(const trace::StaticInstruction& s) const { return kernel_.strings[s.mnemonic]; }

  const Rule* find_rule(const trace::StaticInstruction& s) const {
    const auto parts = split(mnemonic(s), '.');
    if (parts.empty()) return nullptr;
    const std::vector<std::string_view> modifiers(parts.begin() + 1, parts.end());
    const auto range = rules_.equal_range(parts[0]);
    for (auto rule = range.first; rule != range.second; ++rule)
      if (applies(rule->second, modifiers)) return &rule->second;
    return nullptr;
  }

  /// An instruction that costs nothing gives its source another name. That is exact only where both are written once.
  void find_renamings() {
    std::vector<std::uint8_t> writes(kernel_.register_bits.size(), 0);
    for (const auto& s : kernel_.instructions)
      for (const std::uint32_t d : s.destinations) writes[d] = static_cast<std::uint8_t>(std::min(2, writes[d] + 1));
    renamed_.resize(writes.size());
    for (std::uint32_t r = 0; r < renamed_.size(); ++r) renamed_[r] = r;
    for (const auto& s : kernel_.instructions) {
      if (s.destinations.size() != 1 || s.sources.size() != 1 || s.access != trace::AccessKind::none) continue;
      if (s.control != trace::Control::none || s.has_immediate || s.reads_special_register) continue;
      const Rule* rule = find_rule(s);
      if (rule != nullptr && rule->steps.empty() && writes[s.destinations[0]] == 1 && writes[s.sources[0]] <= 1)
        renamed_[s.destinations[0]] = renamed_[s.sources[0]];
    }
  }

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
    if (i.source_count < max_sources) i.sources[i.source_count++] = static_cast<std::uint16_t>(renamed_[reg]);
  }
  void write(Instruction& i, std::uint32_t reg) const {
    if (i.destination_count < max_destinations)
      i.destinations[i.destination_count++] = static_cast<std::uint16_t>(renamed_[reg]);
  }
  void read_all(Instruction& i, const trace::StaticInstruction& s) const {
    for (const std::uint32_t reg : s.sources) read(i, reg);
  }
  void write_all(Instruction& i, const trace::StaticInstruction& s) const {
    for (const std::uint32_t reg : s.destinations) write(i, reg);
  }
  void emit(const Instruction& i) { program_.instructions.push_back(i); }

  void instruction(std::uint32_t index) {
    current_ = index;
    const trace::StaticInstruction& s = kernel_.instructions[index];
    if (s.control != trace::Control::none) return control(s);
    if (s.access != trace::AccessKind::none) return memory(s);
    if (s.reads_special_register || s.reads_clock) return single(s, Operation::special_register);
    const Rule* rule = find_rule(s);
    if (rule == nullptr) {
      // An instruction that moves nothing and is not in the table cannot be timed: say so rather than guess.
      throw InputError(SourceLocation{kernel_.strings[s.source_file], static_cast<int>(s.source_line), 0},
                       fmt::format("kernel {}: the {} lowering table has no row for \"{}\"", kernel_.name,
                                   target_.instruction_set, mnemonic(s)));
    }
    if (rule->later_generation) later_.insert(std::string(mnemonic(s)));
    if (rule->steps.empty()) {
      if (s.destinations.size() == 1 && renamed_[s.destinations[0]] != s.destinations[0]) return;
      return single(s, Operation::integer);
    }
    chain(s, rule->steps);
  }

  void single(const trace::StaticInstruction& s, Operation operation) { chain(s, {{operation, false}}); }

  /// A dependent chain: the first operation reads the sources, each further one the result of its predecessor, and the
  /// last writes the destinations. What stands beside it reads the same and writes nothing.
  void chain(const trace::StaticInstruction& s, const std::vector<Step>& steps) {
    std::size_t left = 0;
    for (const Step& step : steps) left += !step.beside;
    std::uint16_t link = 0;
    bool linked = false;
    for (const Step& step : steps) {
      Instruction i = make(step.operation);
      if (linked) {
        i.sources[i.source_count++] = link;
      } else {
        read_all(i, s);
      }
      if (!step.beside) {
        if (--left == 0) {
          write_all(i, s);
        } else {
          link = temporary();
          linked = true;
          i.destinations[i.destination_count++] = link;
        }
      }
      emit(i);
    }
  }

  void control(const trace::StaticInstruction& s) {
    using trace::Control;
    Operation operation = Operation::branch;
    if (s.control == Control::barrier) return barrier(s);
    if (s.control == Control::fence) operation = orders_only_the_block(s) ? Operation::integer : Operation::fence;
    if (s.control == Control::exit || s.control == Control::trap) operation = Operation::exit;
    single(s, operation);
  }

  void barrier(const trace::StaticInstruction& s) {
    Instruction i = make(Operation::barrier);
    i.takes_access = s.access == trace::AccessKind::barrier;
    i.barrier = s.barrier;
    i.barrier_threads = s.barrier_threads;
    i.barrier_arrives_only = s.barrier_arrives_only;
    read_all(i, s);
    write_all(i, s);
    emit(i);
  }

  /// A fence at thread-block level waits for nothing: the SM's load-store units keep the order by themselves.
  bool orders_only_the_block(const trace::StaticInstruction& s) const {
    const auto parts = split(mnemonic(s), '.');
    return std::find(parts.begin(), parts.end(), "cta") != parts.end();
  }

  void memory(const trace::StaticInstruction& s) {
    using trace::AccessKind;
    using trace::MemorySpace;
    const bool on_scratchpad = s.space == MemorySpace::shared;
    if (s.access == AccessKind::atomic || s.access == AccessKind::reduction) return atomic(s);
    if (s.access == AccessKind::copy) return copy(s);
    if (s.space == MemorySpace::param) {  // Kernel parameters are operands in the constant bank.
      Instruction i = access(s, Operation::integer);
      read_all(i, s);
      write_all(i, s);
      return emit(i);
    }
    Operation operation = on_scratchpad ? Operation::scratchpad_load : Operation::global_load;
    if (s.access == AccessKind::store)
      operation = on_scratchpad ? Operation::scratchpad_store : Operation::global_store;
    if (s.space == MemorySpace::constant) operation = Operation::constant_load;
    if (s.space == MemorySpace::texture && s.access == AccessKind::load) operation = Operation::texture_load;
    Instruction i = access(s, operation);
    read_all(i, s);
    write_all(i, s);
    emit(i);
  }

  /// A copy to the scratchpad on a generation without one: a load into a register and a store of it. Each takes an
  /// access entry.
  void copy(const trace::StaticInstruction& s) {
    later_.insert(std::string(mnemonic(s)));
    const std::uint16_t value = temporary();
    Instruction load = access(s, Operation::global_load);
    read_all(load, s);
    load.destinations[load.destination_count++] = value;
    emit(load);
    Instruction store = access(s, Operation::scratchpad_store);
    store.space = trace::MemorySpace::shared;
    store.sources[store.source_count++] = value;
    read_all(store, s);
    write_all(store, s);
    emit(store);
  }

  /// The caching that the modifiers of a load or store ask for.
  CacheOperator cache_operator(const trace::StaticInstruction& s) const {
    const auto parts = split(mnemonic(s), '.');
    const auto has = [&](std::string_view word) { return std::find(parts.begin(), parts.end(), word) != parts.end(); };
    if (has("nc")) return has("L1::no_allocate") ? CacheOperator::no_allocate : CacheOperator::read_only;
    if (has("cv") || has("wt") || has("volatile") || has("mmio")) return CacheOperator::refetch;
    if (has("cg")) return CacheOperator::second_level;
    const bool ordered = has("relaxed") || has("acquire") || has("release");
    if (ordered && !has("cta")) return CacheOperator::second_level;
    if (has("lu")) return CacheOperator::last_use;
    if (has("cs") || has("L1::evict_first")) return CacheOperator::streaming;
    if (has("L1::no_allocate")) return CacheOperator::no_allocate;
    return CacheOperator::normal;
  }

  Instruction access(const trace::StaticInstruction& s, Operation operation) const {
    Instruction i = make(operation);
    i.takes_access = true;
    i.cache_operator = cache_operator(s);
    i.space = s.space;
    i.element_bytes = s.element_bytes;
    i.vector_elements = s.vector_elements;
    return i;
  }

  void atomic(const trace::StaticInstruction& s) {
    using trace::MemorySpace;
    // Atomics of vectors are for global memory only.
    const bool generic = s.space == MemorySpace::generic && s.vector_elements == 1;
    bool takes_access = true;
    if (generic || s.space == MemorySpace::shared) {
      if (target_.scratchpad_atomics == ScratchpadAtomics::lock_loop) {
        lock_loop(s, generic);
        takes_access = false;
      } else if (!generic) {
        throw InputError(SourceLocation{kernel_.strings[s.source_file], static_cast<int>(s.source_line), 0},
                         fmt::format("kernel {}: \"{}\" needs atomics on scratchpad memory, which this GPU lacks",
                                     kernel_.name, mnemonic(s)));
      }
    }
    if (!generic && s.space == MemorySpace::shared) return;
    Instruction i =
        access(s, s.access == trace::AccessKind::reduction ? Operation::global_reduction : Operation::global_atomic);
    i.takes_access = takes_access;
    i.only_own_space = generic;
    read_all(i, s);
    write_all(i, s);
    emit(i);
  }

  /// LDSLK / operation / STSUL / BRA, Listing 3.5 of Van den Braak (2015).
  void lock_loop(const trace::StaticInstruction& s, bool generic) {
    const std::uint32_t start = static_cast<std::uint32_t>(program_.instructions.size());
    const std::uint16_t loaded = temporary(), acquired = temporary();
    Instruction load = access(s, Operation::load_lock);
    load.only_own_space = generic;
    read_all(load, s);
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
      update.sources[update.source_count++] = result;
      update.sources[update.source_count++] = acquired;
      result = temporary();
      update.destinations[update.destination_count++] = result;
      emit(update);
    }

    Instruction store = access(s, Operation::store_unlock);
    store.takes_access = false;
    store.only_own_space = generic;
    store.sources[store.source_count++] = result;
    store.sources[store.source_count++] = acquired;
    emit(store);

    Instruction branch = make(Operation::branch);
    branch.only_own_space = generic;
    branch.sources[branch.source_count++] = acquired;
    branch.closes_lock_loop = true;
    branch.loop_start = start;
    emit(branch);
  }

  /// What stands between the load and the store of a lock loop.
  std::vector<Operation> update_operations(const trace::StaticInstruction& s) const {
    const auto parts = split(mnemonic(s), '.');
    const auto has = [&](std::string_view word) { return std::find(parts.begin(), parts.end(), word) != parts.end(); };
    const std::size_t words = std::max(1, s.element_bytes / 4);
    if (has("exch")) return std::vector<Operation>(words, Operation::integer);
    if (has("f64")) return {Operation::double_precision};
    if (has("f32") || has("f16") || has("f16x2") || has("bf16") || has("bf16x2")) return {Operation::floating};
    const bool compares = has("min") || has("max") || has("cas") || has("inc") || has("dec");
    return std::vector<Operation>(compares ? 2 * words : words, Operation::integer);
  }

  const trace::Kernel& kernel_;
  const Target& target_;
  const Rules& rules_;
  Program program_;
  std::vector<std::uint32_t> renamed_;  ///< Register -> the register whose scoreboard entry it shares.
  static constexpr std::uint32_t temporary_count = 64;
  std::uint32_t next_temporary_ = 0;
  std::set<std::string> later_;
  std::uint32_t current_ = 0;
};

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const LoweringTable& table : lowering_tables())
    if (std::find(names.begin(), names.end(), table.machine) == names.end()) names.emplace_back(table.machine);
  return names;
}

Program lower(const trace::Kernel& kernel, const Target& target) {
  for (const LoweringTable& table : lowering_tables()) {
    if (table.machine != target.instruction_set || table.program != kernel.instruction_set) continue;
    Rules rules;
    compile(table.own, rules);
    compile(table.shared, rules);
    return Lowering(kernel, target, rules).run();
  }
  throw InputError(fmt::format("no lowering from {} to {}; machine instruction sets are: {}", kernel.instruction_set,
                               target.instruction_set, fmt::join(instruction_sets(), ", ")));
}

}  // namespace lockstep::machine
