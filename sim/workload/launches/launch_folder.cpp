#include "sim/workload/launches/launch_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "isa/capture/instrument.hpp"
#include "isa/error.hpp"
#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "sim/workload/launches/texture_lines.hpp"

namespace lockstep::workload {

namespace {

std::string before_file(std::size_t buffer) {
  return fmt::format("buffer-{}.before", buffer);
}

std::string after_file(std::size_t buffer) {
  return fmt::format("buffer-{}.after", buffer);
}

std::string variable_before_file(std::size_t variable) {
  return fmt::format("variable-{}.before", variable);
}

std::string variable_after_file(std::size_t variable) {
  return fmt::format("variable-{}.after", variable);
}

std::string module_file(std::size_t module) {
  return fmt::format("module-{}.ptx", module);
}

std::string parameter_file(std::size_t launch) {
  return fmt::format("launch-{}.parameters", launch);
}

}  // namespace

LaunchFolder::LaunchFolder(std::string folder, const exec::Task& task, bool instrumented)
    : folder_(std::move(folder)), workload_(task.name) {
  for (const exec::KernelLaunch& launch : task.launches) {
    if (launch.cooperative) {
      throw InputError(
          fmt::format("workload {}: a cooperative launch cannot be written as a launch folder", task.name));
    }
    if (launch.graph == nullptr) continue;
    throw InputError(
        fmt::format("workload {}: a workload with a graph cannot be written as a launch folder; no real GPU "
                    "has an R-GPU mode",
                    task.name));
  }
  textures_ = texture_lines(task);
  for (const auto& module : task.modules) {
    modules_.push_back(module->file);
    const auto text = task.module_texts.find(module.get());
    module_texts_.push_back(text == task.module_texts.end() ? std::nullopt : std::optional(text->second));
  }
  const auto number_of = [&task](const ptx::Module* module) {
    const auto is_own = [module](const auto& own) { return own.get() == module; };
    return static_cast<std::size_t>(std::find_if(task.modules.begin(), task.modules.end(), is_own) -
                                    task.modules.begin());
  };
  for (const exec::Buffer& buffer : task.buffers) {
    add_references(before_file(buffers_.size()), buffer.pointers);
    buffers_.push_back(buffer.name);
  }
  for (const exec::VariableContents& variable : task.variables) {
    add_references(variable_before_file(variables_.size()), variable.pointers);
    variables_.push_back({variable.name, number_of(variable.module)});
  }
  for (const exec::HostRead& read : task.host_reads) {
    const auto* variable = std::get_if<exec::VariableAddress>(&read.from);
    const auto* buffer = std::get_if<exec::BufferAddress>(&read.from);
    reads_.push_back({read.launches,
                      fmt::format("read {} {} {} {:02x}\n", variable != nullptr ? "variable" : "buffer",
                                  variable != nullptr ? variable->variable : buffer->buffer,
                                  variable != nullptr ? variable->offset : buffer->offset, fmt::join(read.bytes, ""))});
  }
  for (const exec::KernelLaunch& launch : task.launches) {
    Launch one;
    one.launch = launch;
    one.module = number_of(launch.module);
    const auto entry = std::find_if(launch.module->functions.begin(), launch.module->functions.end(),
                                    [&](const ptx::Function& f) { return f.is_entry && f.name == launch.entry; });
    for (const ptx::Variable& parameter : entry->parameters) {
      const std::uint64_t unit = std::max(1u, parameter.alignment);
      one.offsets.push_back((one.parameter_bytes + unit - 1) / unit * unit);
      one.parameter_bytes = one.offsets.back() + parameter.bytes;
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::string file = parameter_file(launches_.size());
      if (const auto* variable = std::get_if<exec::VariableAddress>(&launch.arguments[i])) {
        references_.push_back({file, one.offsets[i], *variable});
      } else if (const auto* texture = std::get_if<exec::TextureHandle>(&launch.arguments[i])) {
        objects_.push_back({file, one.offsets[i], texture->texture});
      }
    }
    launches_.push_back(std::move(one));
  }
  if (instrumented) instrument(task);
}

void LaunchFolder::instrument(const exec::Task& task) {
  Diagnostics diagnostics;
  for (std::size_t m = 0; m < task.modules.size(); ++m) {
    const ptx::Module& module = *task.modules[m];
    const std::string text = module_texts_[m] ? *module_texts_[m] : read_whole_file(modules_[m], most_kernel_bytes);
    std::set<std::string> launched;
    for (const exec::KernelLaunch& launch : task.launches)
      if (launch.module == &module) launched.insert(launch.entry);
    if (launched.empty()) continue;
    try {
      instrumented_.push_back(
          {m, &module, capture::instrument(text, module, capture::default_chunk_bytes, launched).text});
    } catch (const InputError& error) {
      diagnostics.add(error);
    }
  }
  diagnostics.throw_if_any();
  for (const auto& [name, value] : task.arguments) log_lines_.push_back(fmt::format("argument {} {}", name, value));
  if (task.call_depth != 0) log_lines_.push_back(fmt::format("call_depth {}", task.call_depth));
  for (std::size_t n = 0; n < task.launches.size(); ++n)
    if (task.launches[n].registers_per_thread != 0)
      log_lines_.push_back(fmt::format("registers {} {}", n, task.launches[n].registers_per_thread));
}

/// Returns lines of the manifest.
std::string LaunchFolder::write_instrumented(const exec::Machine& machine) const {
  std::string lines;
  std::size_t logged = 0;  // The log has no other modules.
  for (const auto& [m, module, text] : instrumented_) {
    const std::string file = fmt::format("module-{}.instrumented.ptx", m);
    write(file, text.data(), text.size());
    lines += fmt::format("instrumented {} {} {}\n", m, file, module->file);
    for (const auto& [name, address] : machine.module_variables(*module))
      lines += fmt::format("log placed {} {} {}\n", logged, name, address);
    ++logged;
  }
  for (const std::string& line : log_lines_) lines += fmt::format("log {}\n", line);
  return lines;
}

void LaunchFolder::add_references(const std::string& file, const std::vector<exec::Pointer>& pointers) {
  for (const exec::Pointer& pointer : pointers)
    if (const auto* variable = std::get_if<exec::VariableAddress>(&pointer.to))
      references_.push_back({file, pointer.at, *variable});
}

void LaunchFolder::write(const std::string& name, const void* bytes, std::size_t count) const {
  write_whole_file(folder_ + "/" + name, {static_cast<const char*>(bytes), count});
}

std::vector<std::uint8_t> LaunchFolder::parameters(const Launch& one, const exec::Machine& machine) const {
  std::vector<std::uint8_t> bytes(one.parameter_bytes);
  for (std::size_t i = 0; i < one.launch.arguments.size(); ++i) {
    std::uint8_t* const to = bytes.data() + one.offsets[i];
    if (const auto* buffer = std::get_if<exec::BufferAddress>(&one.launch.arguments[i])) {
      const std::uint64_t address = machine.buffer_address(buffer->buffer) + buffer->offset;
      std::memcpy(to, &address, sizeof address);
    } else if (const auto* variable = std::get_if<exec::VariableAddress>(&one.launch.arguments[i])) {
      const std::uint64_t address = machine.variable_address(variable->variable) + variable->offset;
      std::memcpy(to, &address, sizeof address);
    } else if (const auto* value = std::get_if<std::vector<std::uint8_t>>(&one.launch.arguments[i]);
               value != nullptr && !value->empty()) {
      std::memcpy(to, value->data(), value->size());
    }
  }
  return bytes;
}

void LaunchFolder::write_inputs(const exec::Machine& machine) const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw ResourceError(fmt::format("{}: {}", folder_, failed.message()));
  std::string manifest = fmt::format("lockstep-launches 1\nworkload {}\n", workload_);
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const std::string text = module_texts_[m] ? *module_texts_[m] : read_whole_file(modules_[m], most_kernel_bytes);
    write(module_file(m), text.data(), text.size());
    manifest += fmt::format("module {}\n", module_file(m));
  }
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    const auto bytes = machine.buffer(static_cast<std::uint32_t>(b));
    write(before_file(b), bytes.data(), bytes.size());
    manifest +=
        fmt::format("buffer {} {} {} {} {}\n", buffers_[b], machine.buffer_address(static_cast<std::uint32_t>(b)),
                    bytes.size(), before_file(b), after_file(b));
  }
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const auto bytes = machine.variable(static_cast<std::uint32_t>(v));
    write(variable_before_file(v), bytes.data(), bytes.size());
    manifest += fmt::format("variable {} {} {} {} {}\n", variables_[v].name, variables_[v].module, bytes.size(),
                            variable_before_file(v), variable_after_file(v));
  }
  for (const Reference& one : references_)
    manifest += fmt::format("address {} {} {} {}\n", one.file, one.at, one.to.variable, one.to.offset);
  for (const std::string& line : textures_) manifest += line + "\n";
  for (const TextureObject& one : objects_) manifest += fmt::format("object {} {} {}\n", one.file, one.at, one.texture);
  auto read = reads_.begin();
  const auto add_reads = [&](std::size_t launches) {
    for (; read != reads_.end() && read->launches == launches; ++read) manifest += read->line;
  };
  for (std::size_t n = 0; n < launches_.size(); ++n) {
    add_reads(n);
    const Launch& one = launches_[n];
    const auto bytes = parameters(one, machine);
    write(parameter_file(n), bytes.data(), bytes.size());
    const exec::KernelLaunch& launch = one.launch;
    manifest += fmt::format("launch {} {} {} {} {} {} {} {} {} {}\n", one.module, launch.entry, launch.grid[0],
                            launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                            launch.dynamic_shared_bytes, parameter_file(n));
  }
  add_reads(launches_.size());
  manifest += write_instrumented(machine);
  write("launches.txt", manifest.data(), manifest.size());
}

void LaunchFolder::write_results(const exec::Machine& machine) const {
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    const auto bytes = machine.buffer(static_cast<std::uint32_t>(b));
    write(after_file(b), bytes.data(), bytes.size());
  }
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const auto bytes = machine.variable(static_cast<std::uint32_t>(v));
    write(variable_after_file(v), bytes.data(), bytes.size());
  }
}

}  // namespace lockstep::workload
