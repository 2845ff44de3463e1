// Linking: which functions an entry reaches, and how they are cut into basic blocks.

#include "isa/ptx/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "isa/did_you_mean.hpp"
#include "isa/ptx/post_dominators.hpp"
#include "isa/ptx/runtime_functions.hpp"

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
  Linker(const Module& module, std::string_view entry) : module_(module) {
    program_.module = &module;
    for (const Function& function : module.functions) by_name_.emplace(function.name, &function);
    add(find_entry(entry));
  }

  Program link() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) collect_calls(static_cast<std::uint32_t>(i));
    check_recursion();
    std::uint32_t registers = 0;
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const Function& function = *program_.functions[i];
      program_.first_instruction.push_back(program_.instruction_count);
      program_.first_block.push_back(static_cast<std::uint32_t>(program_.blocks.size()));
      program_.first_register.push_back(registers);
      cut(static_cast<std::uint32_t>(i), function);
      program_.instruction_count += static_cast<std::uint32_t>(function.instructions.size());
      registers += static_cast<std::uint32_t>(function.registers.size());
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
    if (added) {
      program_.functions.push_back(&function);
      callees_.emplace_back();
    }
    return place->second;
  }

  void collect_calls(std::uint32_t caller) {
    for (const Instruction& instruction : program_.functions[caller]->instructions) {
      if (instruction.opcode != Opcode::call) continue;
      const Function& target = callee_of(instruction);
      if (runtime_function(module_, instruction) != RuntimeFunction::none) continue;
      const std::uint32_t callee = add(target);
      auto& list = callees_[caller];
      const bool known = std::any_of(list.begin(), list.end(), [&](const auto& call) { return call.first == callee; });
      if (!known) list.emplace_back(callee, &instruction);
    }
  }

  const Function& callee_of(const Instruction& call) const {
    if (call.call_target.empty()) {
      fail(module_, call, "indirect call through a register: only calls that name their function are supported");
    }
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

  /// Depth-first over the calls; an explicit stack, because call chains can be as long as a file.
  void check_recursion() const {
    enum class State : std::uint8_t { fresh, open, done };
    std::vector<State> states(callees_.size(), State::fresh);
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, 0}};
    states[0] = State::open;
    while (!path.empty()) {
      auto& [function, next] = path.back();
      if (next == callees_[function].size()) {
        states[function] = State::done;
        path.pop_back();
        continue;
      }
      const auto [callee, call] = callees_[function][next++];
      if (states[callee] == State::open) {
        std::string cycle;
        const auto start =
            std::find_if(path.begin(), path.end(), [&, to = callee](const auto& p) { return p.first == to; });
        for (auto at = start; at != path.end(); ++at) cycle += program_.functions[at->first]->name + " calls ";
        fail(module_, *call, fmt::format("recursion is not supported: {}{}", cycle, program_.functions[callee]->name));
      }
      if (states[callee] == State::fresh) {
        states[callee] = State::open;
        path.emplace_back(callee, 0);
      }
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

  void cut(std::uint32_t number, const Function& function) {
    const auto size = static_cast<std::uint32_t>(function.instructions.size());
    const std::uint32_t first_instruction = program_.instruction_count;
    const auto first_block = static_cast<std::uint32_t>(program_.blocks.size());
    std::vector<bool> starts(size + 1, false);
    starts[0] = true;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Instruction& instruction = function.instructions[i];
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
    const std::vector<std::uint32_t> meeting = immediate_post_dominators(graph);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (meeting[i] != no_index) program_.blocks[first_block + i].reconvergence = first_block + meeting[i];
    }
  }

  const Module& module_;
  Program program_;
  std::unordered_map<std::string_view, const Function*> by_name_;
  std::unordered_map<const Function*, std::uint32_t> numbers_;
  std::vector<std::vector<std::pair<std::uint32_t, const Instruction*>>> callees_;
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

std::uint32_t Program::find_function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function* f) { return f->name == name; });
  return found == functions.end() ? no_index : static_cast<std::uint32_t>(found - functions.begin());
}

Program link(const Module& module, std::string_view entry) {
  return Linker(module, entry).link();
}

}  // namespace lockstep::ptx
