#include "sim/workload/launches/variables.hpp"

#include <algorithm>

#include "isa/did_you_mean.hpp"
#include "isa/exec/memory/initial_contents.hpp"

namespace lockstep::workload {

namespace {

/// A variable of the descriptor among the modules of the task.
struct Found {
  std::vector<const ptx::Module*> modules;
  std::uint64_t bytes = 0;
};

Found find(const BufferSpec& spec, const exec::Task& task) {
  Found found;
  std::vector<std::string> names, files;
  for (const auto& module : task.modules) {
    files.push_back(module->file);
    for (const ptx::Variable* variable : exec::settable_variables(*module)) {
      names.push_back(variable->name);
      if (variable->name != spec.name) continue;
      found.modules.push_back(module.get());
      if (found.modules.size() == 1) found.bytes = variable->bytes;
      found.bytes = std::min(found.bytes, variable->bytes);
    }
  }
  if (!found.modules.empty()) return found;
  throw EvaluationError{spec.where, fmt::format("{} has no .global or .const variable '{}'{} (there is: {})",
                                                fmt::join(files, ", "), spec.name, did_you_mean(spec.name, names),
                                                names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")))};
}

void check_offset(const AddressUse& use, std::string_view kind, std::string_view name, std::uint64_t bytes) {
  if (use.address.offset >= 0 && static_cast<std::uint64_t>(use.address.offset) <= bytes) return;
  throw EvaluationError{use.where, fmt::format("\"{}\" points {} bytes into {} {}, which has {} bytes", use.text,
                                               use.address.offset, kind, name, bytes)};
}

void check_address(const Descriptor& descriptor, const Evaluation& evaluation, const std::vector<Found>& variables,
                   const AddressUse& use) {
  if (!descriptor.is_variable(use.address)) {
    check_buffer_address(descriptor, evaluation, use);
    return;
  }
  const std::string& name = descriptor.memory(use.address.buffer).name;
  const Found& found = variables[use.address.buffer - descriptor.buffers.size()];
  if (found.modules.empty()) return;  // Reported elsewhere.
  if (found.modules.size() > 1) {
    throw EvaluationError{use.where, fmt::format("\"{}\" is the address of variable {}, but both {} and {} have one",
                                                 use.text, name, found.modules[0]->file, found.modules[1]->file)};
  }
  check_offset(use, "variable", name, found.bytes);
}

}  // namespace

std::variant<exec::BufferAddress, exec::VariableAddress> device_address(const Descriptor& descriptor,
                                                                        const Address& address) {
  const auto offset = static_cast<std::uint64_t>(address.offset);
  if (!descriptor.is_variable(address)) return exec::BufferAddress{address.buffer, offset};
  return exec::VariableAddress{static_cast<std::uint32_t>(address.buffer - descriptor.buffers.size()), offset};
}

void check_buffer_address(const Descriptor& descriptor, const Evaluation& evaluation, const AddressUse& use) {
  check_offset(use, "buffer", descriptor.memory(use.address.buffer).name,
               evaluation.contents(use.address.buffer).size());
}

std::vector<exec::Pointer> device_pointers(const Descriptor& descriptor, const Elements& elements) {
  std::vector<exec::Pointer> pointers;
  pointers.reserve(elements.pointers().size());
  for (const Elements::Pointer& pointer : elements.pointers()) {
    pointers.push_back({pointer.index * sizeof(std::uint64_t), device_address(descriptor, pointer.to)});
  }
  return pointers;
}

exec::Buffer device_buffer(const Descriptor& descriptor, const std::string& name, Elements elements) {
  exec::Buffer buffer{name, {}, device_pointers(descriptor, elements), elements.size()};
  buffer.bytes = std::move(elements).take_set_bytes();
  buffer.zeros -= buffer.bytes.size();
  return buffer;
}

void add_variables(const Descriptor& descriptor, Evaluation& evaluation, const std::vector<AddressUse>& uses,
                   exec::Task& task, EvaluationErrors& errors) {
  std::vector<Found> variables(descriptor.variables.size());
  std::vector<exec::VariableContents> of_other_modules;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const BufferSpec& spec = descriptor.variables[i];
    task.variables.push_back({nullptr, spec.name, {}});
    errors.collect([&] {
      const Elements& elements = evaluation.contents(descriptor.buffers.size() + i);
      variables[i] = find(spec, task);
      if (elements.size() > variables[i].bytes) {
        throw EvaluationError{evaluation.select(spec.contents).where,
                              fmt::format("the variable {} has {} bytes, but its contents have {}", spec.name,
                                          variables[i].bytes, elements.size())};
      }
      exec::VariableContents contents{nullptr, spec.name, elements.bytes(), device_pointers(descriptor, elements)};
      for (const ptx::Module* module : variables[i].modules) {
        contents.module = module;
        if (module == variables[i].modules.front()) {
          task.variables[i] = contents;
        } else {
          of_other_modules.push_back(contents);
        }
      }
    });
  }
  std::move(of_other_modules.begin(), of_other_modules.end(), std::back_inserter(task.variables));

  for (const AddressUse& use : uses) {
    errors.collect([&] { check_address(descriptor, evaluation, variables, use); });
  }
  for (std::size_t m = 0; m < descriptor.buffers.size() + descriptor.variables.size(); ++m) {
    errors.collect([&] {
      const BufferSpec& spec = descriptor.memory(m);
      const SourceLocation& where = evaluation.select(spec.contents).where;
      for (const Elements::Pointer& pointer : evaluation.contents(m).pointers()) {
        check_address(descriptor, evaluation, variables,
                      {pointer.to, where, fmt::format("element {} of {}", pointer.index, spec.name)});
      }
    });
  }
}

}  // namespace lockstep::workload
