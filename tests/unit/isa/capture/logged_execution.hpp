#pragma once
// Executes instrumented kernels on the functional machine as run_on_gpu does on a GPU, and compares the trace of their log with
// that of the kernels as they are.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "isa/capture/device_log.hpp"
#include "isa/capture/instrument.hpp"
#include "isa/capture/source.hpp"
#include "isa/exec/machine.hpp"
#include "isa/input_file.hpp"
#include "tests/same_traces.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::test {

/// Makes the same task each time.
using MakeTask = std::function<std::unique_ptr<exec::Task>()>;

inline std::string text_of(const exec::Task& task, const ptx::Module& module) {
  const auto text = task.module_texts.find(&module);
  return text == task.module_texts.end() ? read_whole_file(module.file, most_kernel_bytes) : text->second;
}

/// The task with instrumented modules and a buffer for their log behind its own.
struct InstrumentedTask {
  std::unique_ptr<exec::Task> task;
  std::map<const ptx::Module*, std::size_t> number;  ///< Of a module as it was and as it is.
  std::vector<capture::LogVariable> variables;       ///< Per module.
  std::uint32_t buffer = 0;
  std::uint64_t bytes = 0;  ///< Of the buffer.
};

inline InstrumentedTask instrumented(std::unique_ptr<exec::Task> task, std::uint32_t chunk_bytes,
                                     std::size_t log_bytes) {
  InstrumentedTask result;
  std::vector<std::shared_ptr<const ptx::Module>> modules;
  for (const auto& module : task->modules) {
    std::set<std::string> launched;
    for (const exec::KernelLaunch& launch : task->launches)
      if (launch.module == module.get()) launched.insert(launch.entry);
    const capture::InstrumentedModule made =
        capture::instrument(text_of(*task, *module), *module, chunk_bytes, launched);
    modules.push_back(std::make_shared<ptx::Module>(ptx::parse(made.text, module->file)));
    result.number[module.get()] = result.number[modules.back().get()] = result.variables.size();
    result.variables.push_back({0, made.header_bytes, made.chunk_bytes, capture::log_version});
  }
  const auto renew = [&](const ptx::Module*& module) { module = modules[result.number.at(module)].get(); };
  for (exec::VariableContents& variable : task->variables) renew(variable.module);
  std::uint64_t least = 0;
  for (exec::KernelLaunch& launch : task->launches) {
    renew(launch.module);
    least = std::max(least, capture::least_log_bytes(result.variables[result.number.at(launch.module)],
                                                     program::volume(launch.grid) * program::volume(launch.block)));
  }
  task->modules = modules;
  task->module_texts.clear();
  result.buffer = static_cast<std::uint32_t>(task->buffers.size());
  result.bytes = least + log_bytes / 8 * 8;
  task->buffers.push_back({"log", std::vector<std::uint8_t>(result.bytes), {}});
  for (const auto& module : modules) {
    exec::VariableContents contents;
    contents.module = module.get();
    contents.name = capture::log_variable;
    contents.bytes.resize(8);
    contents.pointers.push_back({0, exec::BufferAddress{result.buffer, 0}});
    task->variables.push_back(std::move(contents));
  }
  result.task = std::move(task);
  return result;
}

/// Writes the log of the task's launches, whose modules are instrumented. `log_bytes` are those of the buffer beside what every
/// launch needs at least. LogOverflow when that is not enough.
inline void write_log(const MakeTask& make, const std::string& path,
                      std::uint32_t chunk_bytes = capture::default_chunk_bytes,
                      std::size_t log_bytes = std::size_t{32} << 20) {
  std::unique_ptr<exec::Task> original = make();
  capture::LogWriter writer(path);
  writer.line("workload " + original->name);
  for (const auto& [name, value] : original->arguments) writer.line("argument " + name + " " + value);
  if (original->call_depth != 0) writer.line(fmt::format("call_depth {}", original->call_depth));
  for (const auto& module : original->modules) writer.add_module(module->file, text_of(*original, *module));
  for (std::size_t n = 0; n < original->launches.size(); ++n)
    writer.line(fmt::format("registers {} {}", n, original->launches[n].registers_per_thread));
  const auto modules = original->modules;
  const exec::Machine places(std::move(original));
  for (std::size_t m = 0; m < modules.size(); ++m)
    for (const auto& [name, address] : places.module_variables(*modules[m]))
      writer.line(fmt::format("placed {} {} {}", m, name, address));
  InstrumentedTask logged = instrumented(make(), chunk_bytes, log_bytes);
  const std::vector<exec::KernelLaunch> launches = logged.task->launches;
  const std::uint64_t capacity = logged.bytes;
  const auto numbers = logged.number;
  exec::Machine machine(std::move(logged.task));
  for (std::uint32_t n = 0; n < launches.size(); ++n) {
    const std::size_t module = numbers.at(launches[n].module);
    const capture::LogVariable& variable = logged.variables[module];
    const std::uint64_t blocks = program::volume(launches[n].grid);
    const auto first = capture::first_words(variable, blocks * program::volume(launches[n].block), capacity);
    machine.write_buffer(logged.buffer, 0, {reinterpret_cast<const std::uint8_t*>(first.data()), 8 * first.size()});
    for (std::uint64_t b = 0; b < blocks; ++b) machine.open(n, b);
    const auto* words = reinterpret_cast<const std::uint64_t*>(machine.buffer(logged.buffer).data());
    const capture::DeviceLog log(words, capacity, variable);
    capture::LoggedLaunch launch;
    launch.module = module;
    launch.entry = launches[n].entry;
    std::copy_n(launches[n].grid.begin(), 3, launch.grid);
    std::copy_n(launches[n].block.begin(), 3, launch.block);
    launch.dynamic_shared_bytes = launches[n].dynamic_shared_bytes;
    writer.add_launch(launch, log, words, variable);
    machine.write_buffer(logged.buffer, 0, std::vector<std::uint8_t>(log.bytes()));
  }
  writer.finish();
}

/// The trace of the log against the one of the task; "" when both are the same.
inline std::string capture_difference(const MakeTask& make, std::uint32_t chunk_bytes = capture::default_chunk_bytes) {
  const TemporaryFolder folder;
  try {
    write_log(make, folder / "log", chunk_bytes);
  } catch (const capture::LogOverflow& overflow) {
    write_log(make, folder / "log", chunk_bytes, overflow.needed);
  }
  exec::Machine machine(make());
  capture::CaptureSource source(folder / "log");
  return difference(machine, source);
}

}  // namespace lockstep::test
