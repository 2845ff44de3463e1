// lockstep hash apply

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "isa/program/demangled.hpp"
#include "isa/ptx/program.hpp"
#include "isa/ptx/shared_layout.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/hash/software.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

/// What a thread block can have on the GPUs of the theses.
constexpr std::uint64_t usual_scratchpad_bytes = 48 * 1024;

/// Scratchpad memory of a kernel's launches before.
struct Memory {
  std::uint64_t bytes = 0, dynamic_bytes = 0;
};

/// A kernel of the file, its hash, and the dynamic scratchpad memory of its launches before.
struct Applied {
  hash::SoftwareHash hash;
  std::uint64_t dynamic_bytes = 0;
};

/// The kernels to rewrite: those named, or all that are defined.
std::vector<std::string> chosen_kernels(const ptx::Module& module, const HashApplyArguments& arguments,
                                        const hash::KernelHashes& hashes) {
  std::vector<std::string> all;
  for (const ptx::Function& function : module.functions) {
    if (function.is_entry && function.has_body) all.push_back(function.name);
  }
  if (all.empty()) throw InputError(fmt::format("{} has no kernel", module.file));
  // Hashes stand beside names as the PTX has them.
  for (const auto& [kernel, spec] : hashes.all())
    if (!kernel.empty() && program::kernel_called(kernel, all, module.file) != kernel)
      throw InputError(fmt::format("a hash is given for '{}'; its name in {} is {}", kernel, module.file,
                                   program::kernel_called(kernel, all, module.file)));
  if (arguments.kernels.empty()) return all;
  std::vector<std::string> chosen;
  for (const std::string& name : arguments.kernels) chosen.push_back(program::kernel_called(name, all, module.file));
  return chosen;
}

Memory memory_of(const ptx::Module& module, const std::string& kernel, const HashApplyArguments& arguments) {
  const ptx::Program program = ptx::link(module, kernel);
  const ptx::VariableLayout layout = ptx::shared_layout(program);
  const bool has_dynamic = std::any_of(layout.places.begin(), layout.places.end(),
                                       [](const auto& place) { return place.variable->is_extern; });
  if (!has_dynamic) return {layout.bytes, 0};
  const std::uint64_t left = usual_scratchpad_bytes - std::min(layout.dynamic_offset, usual_scratchpad_bytes);
  const std::uint64_t dynamic = arguments.dynamic_bytes.value_or(left);
  return {layout.dynamic_offset + dynamic, dynamic};
}

/// The hash of each kernel. Kernels that share accesses share the function, so it is made for the most memory of them.
std::vector<Applied> hashes_of(const ptx::Module& module, const std::vector<std::string>& kernels,
                               const HashApplyArguments& arguments, const hash::KernelHashes& hashes) {
  const auto groups = rewrite::kernels_with_common_accesses(module, kernels);
  std::vector<Applied> all;
  for (const std::string& kernel : kernels) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& names) { return names.contains(kernel); });
    std::uint64_t bytes = 0;
    for (const std::string& name : *group) bytes = std::max(bytes, memory_of(module, name, arguments).bytes);
    try {
      all.push_back({hash::SoftwareHash(hashes.spec_of(kernel), arguments.banks, bytes),
                     memory_of(module, kernel, arguments).dynamic_bytes});
    } catch (const InputError& error) {
      throw InputError(fmt::format("--hash, kernel {}: {}", kernel, error.what()));
    }
  }
  return all;
}

/// Dynamic bytes that a launch needs which gave `dynamic` before.
std::uint64_t dynamic_needed(const Applied& applied, const rewrite::KernelReport& report) {
  if (report.accesses == 0) return applied.dynamic_bytes;
  return applied.hash.bytes_needed(report.dynamic_offset + applied.dynamic_bytes) - report.dynamic_offset;
}

std::string table_text(const std::vector<Applied>& applied, const std::vector<rewrite::KernelReport>& reports) {
  stats::Table table;
  table.column("kernel", stats::Table::Align::left);
  table.column("hash", stats::Table::Align::left);
  table.column("rewritten", stats::Table::Align::right, "accesses");
  table.column("split", stats::Table::Align::right, "accesses");
  table.column("added", stats::Table::Align::right, "instructions");
  table.column("static", stats::Table::Align::right, "bytes");
  table.column("dynamic", stats::Table::Align::right, "bytes");
  const auto change = [](std::uint64_t before, std::uint64_t after) {
    return before == after ? stats::grouped(before)
                           : fmt::format("{} -> {}", stats::grouped(before), stats::grouped(after));
  };
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const rewrite::KernelReport& report = reports[i];
    table.row({report.kernel, applied[i].hash.spec(), stats::grouped(report.accesses), stats::grouped(report.split),
               stats::grouped(report.added_instructions),
               change(report.static_bytes, report.static_bytes + report.added_static_bytes),
               report.has_dynamic ? change(applied[i].dynamic_bytes, dynamic_needed(applied[i], report)) : "-"});
  }
  return table.text();
}

std::string json_text(const HashApplyArguments& arguments, const std::vector<Applied>& applied,
                      const std::vector<rewrite::KernelReport>& reports) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.hash-apply/1").field("file", arguments.file);
  json.field("banks", std::uint64_t{arguments.banks}).key("kernels").begin_array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const rewrite::KernelReport& report = reports[i];
    json.begin_object().field("kernel", report.kernel).field("hash", applied[i].hash.spec());
    json.field("accesses", std::uint64_t{report.accesses}).field("split", std::uint64_t{report.split});
    json.field("added_instructions", std::uint64_t{report.added_instructions});
    json.field("static_bytes", report.static_bytes).field("added_static_bytes", report.added_static_bytes);
    json.key("dynamic_bytes");
    report.has_dynamic ? json.value(applied[i].dynamic_bytes) : json.null();
    json.key("dynamic_bytes_needed");
    report.has_dynamic ? json.value(dynamic_needed(applied[i], report)) : json.null();
    json.end_object();
  }
  json.end_array();
  return json.end_object().take();
}

}  // namespace

int execute(const HashApplyArguments& arguments, const Invocation&) {
  refuse_overrides(arguments, "rewriting a kernel takes no parameters");
  const std::string text = read_whole_file(arguments.kernel_file, most_kernel_bytes);
  const ptx::Module module = ptx::parse(text, arguments.kernel_file);
  const hash::KernelHashes hashes(arguments.hash);
  const std::vector<std::string> names = chosen_kernels(module, arguments, hashes);
  const std::vector<Applied> applied = hashes_of(module, names, arguments, hashes);
  std::vector<rewrite::KernelRewrite> kernels;
  for (std::size_t i = 0; i < names.size(); ++i) kernels.push_back(applied[i].hash.rewrite_of(names[i]));
  const rewrite::RewrittenModule rewritten =
      rewrite::rewrite_scratchpad_addresses(text, module, kernels, rewrite::Lines::added);
  write_whole_file(arguments.file, rewritten.text);
  print(arguments.json ? json_text(arguments, applied, rewritten.kernels) : table_text(applied, rewritten.kernels));
  return exit_done;
}

}  // namespace lockstep::cli
