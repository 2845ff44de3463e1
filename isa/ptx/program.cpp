// Linking: which functions an entry reaches, and how they are cut into basic blocks.

#include "isa/ptx/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "isa/did_you_mean.hpp"
#include "isa/ptx/access.hpp"
#include "isa/ptx/control_flow/post_dominators.hpp"
#include "isa/ptx/control_flow/waiting_loops.hpp"
#include "isa/ptx/runtime_functions.hpp"
#include "isa/ptx/wmma/expansion.hpp"

namespace lockstep::ptx {

namespace {

std::string place_in_source(const Module& module, const Instruction& instruction) {
  if (instruction.source_line == 0) return "";
  return fmt::format(" ({}:{})", module.source_files[instruction.source_file], instruction.source_line);
}

[[noreturn]] void fail(const Module& module, const Instruction& instruction, const std::string& message) {
  throw InputError({module.file, instruction.line, instruction.column}, message + place_in_source(module, instruction));
}

class Linker {
 public:
  Linker(const Module& module, std::string_view entry, WmmaAs wmma) : module_(module), wmma_(wmma) {
    program_.module = &module;
    for (const Function& function : module.functions) by_name_.emplace(function.name, &function);
    add(find_entry(entry));
  }

  Program link() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) collect_calls(static_cast<std::uint32_t>(i));
    find_recursion();
    cut_all(false);
    // Where lanes of a warp take turns, those that come to an instruction for all of them wait in front of it.
    if (mark_waiting_loops(program_)) {
      cut_all(true);
      mark_waiting_loops(program_);
    }
    return std::move(program_);
  }

 private:
  const Function& find_entry(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || !found->second->is_entry) {
      std::vector<std::string> entries;
      for (const Function& function : module_.functions) {
        if (function.is_entry) entries.push_back(function.name);
      }
      const std::string all =
          entries.empty() ? "; it has no kernel" : fmt::format("; it has '{}'", fmt::join(entries, "', '"));
      const std::string hint = did_you_mean(name, entries, all);
      const bool is_function = found != by_name_.end();
      throw InputError(
          is_function ? found->second->where : SourceLocation{module_.file},
          fmt::format("{} '{}'{}", is_function ? "a device function is not a kernel:" : "has no kernel", name, hint));
    }
    if (!found->second->has_body) {
      throw InputError(found->second->where, fmt::format("kernel '{}' is declared but has no body", name));
    }
    return *found->second;
  }

  std::uint32_t add(const Function& function) {
    const auto [place, added] = numbers_.emplace(&function, static_cast<std::uint32_t>(program_.functions.size()));
    if (!added) return place->second;
    program_.functions.push_back(&function);
    if (wmma_ == WmmaAs::written) return place->second;
    if (auto expansion = wmma::expanded(function)) {
      program_.expansions.push_back(std::make_shared<const Function>(*std::move(expansion)));
      program_.functions.back() = program_.expansions.back().get();
    }
    return place->second;
  }

  void collect_calls(std::uint32_t caller) {
    for (const Instruction& instruction : program_.functions[caller]->instructions) {
      if (instruction.opcode != Opcode::call) continue;
      if (instruction.call_target.empty()) {
        collect_addressed(*program_.functions[caller], instruction);
        continue;
      }
      const Function& target = callee_of(instruction);
      if (runtime_function(module_, instruction) != RuntimeFunction::none) continue;
      program_.call_targets[&instruction].push_back(add(target));
    }
  }

  void collect_addressed(const Function& caller, const Instruction& call) {
    if (!addressed_) addressed_ = addressed_functions(module_);
    std::vector<std::uint32_t>& targets = program_.call_targets[&call];
    for (const Function* function : *addressed_) {
      if (function->has_body && !function->is_entry && passes(caller, call, *function))
        targets.push_back(add(*function));
    }
  }

  /// Whether the call has as many arguments and results as the function, each of the same size.
  bool passes(const Function& caller, const Instruction& call, const Function& callee) const {
    const auto match = [&](const std::vector<Operand>& actual, const std::vector<Variable>& variables,
                           const std::vector<RegisterId>& registers) {
      if (actual.size() != variables.size() + registers.size()) return false;
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const std::uint64_t bits =
            variables.empty() ? bits_of(callee.registers[registers[i]].type) : 8 * variables[i].bytes;
        const std::uint64_t own = bits_passed(caller, actual[i]);
        if (own != 0 && own != bits) return false;
      }
      return true;
    };
    return match(call.call_arguments, callee.parameters, callee.parameter_registers) &&
           match(call.call_results, callee.results, callee.result_registers);
  }

  /// 0 for what fits any size: a literal or "_".
  std::uint64_t bits_passed(const Function& caller, const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) return bits_of(caller.registers[operand.index].type);
    if (operand.kind != Operand::Kind::symbol) return 0;
    const Variable* const variable = find_visible(module_, caller, operand.symbol);
    if (variable == nullptr || variable->space != Space::param) return module_.address_bits;
    return 8 * variable->bytes;
  }

  const Function& callee_of(const Instruction& call) const {
    const std::string& name = call.call_target;
    const auto found = by_name_.find(name);
    const bool is_runtime = runtime_function(module_, call) != RuntimeFunction::none;
    if (found == by_name_.end() || (!found->second->has_body && !is_runtime)) {
      fail(module_, call, fmt::format("call of '{}', which has no body in this file", name));
    }
    const Function& callee = *found->second;
    if (callee.is_entry) fail(module_, call, fmt::format("call of '{}', which is a kernel", name));
    const std::size_t parameters = callee.parameters.size() + callee.parameter_registers.size();
    const std::size_t results = callee.results.size() + callee.result_registers.size();
    if (call.call_arguments.size() != parameters || call.call_results.size() != results) {
      fail(module_, call,
           fmt::format("call of '{}' with {} arguments and {} results, which takes {} and returns {}", name,
                       call.call_arguments.size(), call.call_results.size(), parameters, results));
    }
    return callee;
  }

  void find_recursion() {
    const std::size_t count = program_.functions.size();
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> calls(count);
    std::vector<bool> calls_itself(count, false);
    for (std::uint32_t caller = 0; caller < count; ++caller) {
      for (const Instruction& instruction : program_.functions[caller]->instructions) {
        for (const std::uint32_t callee : program_.callees(instruction)) {
          add_edge(caller, callee, calls);
          if (callee == caller) calls_itself[caller] = true;
        }
      }
    }
    program_.recursion.resize(count);
    const std::size_t components = strong_components(
        calls, boost::make_iterator_property_map(program_.recursion.begin(), get(boost::vertex_index, calls)));
    std::vector<std::size_t> members(components, 0);
    for (const std::uint32_t component : program_.recursion) ++members[component];
    for (std::size_t i = 0; i < count; ++i) {
      if (members[program_.recursion[i]] == 1 && !calls_itself[i]) program_.recursion[i] = no_index;
    }
  }

  template <class Visitor>
  static void for_each_target(const Instruction& instruction, Visitor visit) {
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::label) visit(operand.index);
      if (operand.kind != Operand::Kind::vector) continue;
      for (const Operand& element : operand.elements) {
        if (element.kind == Operand::Kind::label) visit(element.index);
      }
    }
  }

  void cut_all(bool at_gatherings) {
    program_.instruction_count = 0;
    program_.first_instruction.clear();
    program_.first_block.clear();
    program_.first_register.clear();
    program_.blocks.clear();
    program_.loops.clear();
    std::uint32_t registers = 0;
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const Function& function = *program_.functions[i];
      program_.first_instruction.push_back(program_.instruction_count);
      program_.first_block.push_back(static_cast<std::uint32_t>(program_.blocks.size()));
      program_.first_register.push_back(registers);
      cut(static_cast<std::uint32_t>(i), function, at_gatherings);
      program_.instruction_count += static_cast<std::uint32_t>(function.instructions.size());
      registers += static_cast<std::uint32_t>(function.registers.size());
    }
  }

  void cut(std::uint32_t number, const Function& function, bool at_gatherings) {
    const auto size = static_cast<std::uint32_t>(function.instructions.size());
    const std::uint32_t first_instruction = program_.instruction_count;
    const auto first_block = static_cast<std::uint32_t>(program_.blocks.size());
    std::vector<bool> starts(size + 1, false);
    starts[0] = true;
    bool seen = false;  // The block has done what other lanes may wait for.
    for (std::uint32_t i = 0; i < size; ++i) {
      const Instruction& instruction = function.instructions[i];
      seen = seen && !starts[i];
      // A matrix may be written as wmma, which has no counterpart to each instruction that stands for it.
      if (at_gatherings && seen && gathers(instruction) && instruction.row().subject != OpcodeClass::matrix) {
        starts[i] = true;
        seen = false;
      }
      seen = seen || access_of(instruction) != program::AccessKind::none;
      if (instruction.row().ends_block()) starts[i + 1] = true;
      for_each_target(instruction, [&](std::uint32_t target) { starts[target] = true; });
    }
    std::vector<std::uint32_t> block_of(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      if (starts[i]) {
        BasicBlock block;
        block.first = first_instruction + i;
        block.function = number;
        program_.blocks.push_back(std::move(block));
      }
      ++program_.blocks.back().count;
      block_of[i] = static_cast<std::uint32_t>(program_.blocks.size()) - 1;
    }
    for (const std::uint32_t i : function.nounroll)
      if (i < size) program_.blocks[block_of[i]].nounroll = true;
    const auto count = static_cast<std::uint32_t>(program_.blocks.size()) - first_block;
    std::vector<std::vector<std::uint32_t>> graph(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      BasicBlock& block = program_.blocks[first_block + i];
      const Instruction& last = function.instructions[block.first - first_instruction + block.count - 1];
      const auto lead_to = [&](std::uint32_t to) {
        auto& list = block.successors;
        if (std::find(list.begin(), list.end(), to) == list.end()) list.push_back(to);
      };
      const bool passes = last.guard != no_index || !last.row().leaves();
      if (passes && i + 1 < count) lead_to(first_block + i + 1);
      for_each_target(last, [&](std::uint32_t target) { lead_to(block_of[target]); });
      for (const std::uint32_t to : block.successors) graph[i].push_back(to - first_block);
    }
    const std::vector<std::uint32_t> dominators = immediate_post_dominators(graph);
    const Meeting meeting = find_meeting(graph);
    const auto in_program = [&](std::uint32_t block) { return block == no_index ? no_index : first_block + block; };
    const auto first_loop = static_cast<std::uint32_t>(program_.loops.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      BasicBlock& block = program_.blocks[first_block + i];
      block.reconvergence = in_program(dominators[i]);
      block.meets = in_program(meeting.meets[i]);
      if (meeting.loop[i] != no_index) block.loop = first_loop + meeting.loop[i];
    }
    for (Loop loop : meeting.loops) {
      loop.members.insert(loop.members.begin(), first_block, false);
      if (loop.parent != no_index) loop.parent += first_loop;
      loop.header += first_block;
      loop.meets = in_program(loop.meets);
      program_.loops.push_back(std::move(loop));
    }
  }

  const Module& module_;
  WmmaAs wmma_;
  Program program_;
  std::unordered_map<std::string_view, const Function*> by_name_;
  std::unordered_map<const Function*, std::uint32_t> numbers_;
  std::optional<std::vector<const Function*>> addressed_;
};

}  // namespace

std::uint32_t Program::function_of(std::uint32_t number) const {
  const auto after = std::upper_bound(first_instruction.begin(), first_instruction.end(), number);
  return static_cast<std::uint32_t>(after - first_instruction.begin()) - 1;
}

const Instruction& Program::instruction(std::uint32_t number) const {
  const std::uint32_t function = function_of(number);
  return functions[function]->instructions[number - first_instruction[function]];
}

std::uint32_t Program::block_at(std::uint32_t number) const {
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), number,
                                      [](std::uint32_t value, const BasicBlock& block) { return value < block.first; });
  return static_cast<std::uint32_t>(after - blocks.begin()) - 1;
}

std::span<const std::uint32_t> Program::callees(const Instruction& call) const {
  const auto found = call_targets.find(&call);
  return found == call_targets.end() ? std::span<const std::uint32_t>() : found->second;
}

std::uint32_t Program::find_function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function* f) { return f->name == name; });
  return found == functions.end() ? no_index : static_cast<std::uint32_t>(found - functions.begin());
}

std::vector<const Function*> addressed_functions(const Module& module) {
  std::unordered_set<std::string_view> names;
  for (const Variable& variable : module.variables)
    for (const auto& relocation : variable.relocations) names.insert(relocation.symbol);
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      for (const auto* list : {&instruction.operands, &instruction.call_arguments}) {
        for (const Operand& operand : *list)
          if (operand.kind == Operand::Kind::symbol) names.insert(operand.symbol);
      }
    }
  }
  std::vector<const Function*> result;
  for (const Function& function : module.functions)
    if (names.count(function.name) != 0) result.push_back(&function);
  return result;
}

Program link(const Module& module, std::string_view entry, WmmaAs wmma) {
  return Linker(module, entry, wmma).link();
}

}  // namespace lockstep::ptx
