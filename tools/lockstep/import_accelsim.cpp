// lockstep import accelsim

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "isa/accelsim/source.hpp"
#include "isa/output_file.hpp"
#include "isa/trace/file.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

/// Unknown opcodes with their counts, most frequent first.
std::vector<std::pair<std::string, std::uint64_t>> by_count(const std::map<std::string, std::uint64_t>& unknown) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(unknown.begin(), unknown.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::string unknown_text(const accelsim::Summary& summary) {
  std::string text;
  for (const auto& [opcode, executions] : by_count(summary.unknown))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", opcode, stats::grouped(executions));
  return text;
}

/// What Lockstep sees otherwise than the traced GPU did.
std::vector<std::string> notes_of(const accelsim::Summary& summary, const std::string& unknown) {
  std::vector<std::string> notes;
  if (!summary.unknown.empty())
    notes.push_back(fmt::format("unknown opcodes, timed as {} (--unknown): {}", unknown, unknown_text(summary)));
  if (summary.copies != 0)
    notes.push_back(
        fmt::format("copies to the device ({}, of {} bytes) have no effect: caches are as launches leave them",
                    stats::grouped(summary.copies), stats::grouped(summary.copied_bytes)));
  if (!summary.ignored_commands.empty())
    notes.push_back(fmt::format("commands of the list without effect: {}", fmt::join(summary.ignored_commands, ", ")));
  if (summary.streams > 1)
    notes.push_back(fmt::format("kernels of {} streams are replayed one after the other", summary.streams));
  if (summary.without_addresses != 0)
    notes.push_back(
        fmt::format("{} constant and texture loads have no addresses in the trace: all lanes read one, "
                    "which stays in its cache",
                    stats::grouped(summary.without_addresses)));
  if (summary.half_copies != 0)
    notes.push_back(fmt::format("{} LDGSTS have one line, without scratchpad addresses: they are timed as loads",
                                stats::grouped(summary.half_copies)));
  return notes;
}

}  // namespace

int execute(const ImportAccelsimArguments& arguments, const Invocation& invocation) {
  refuse_overrides(arguments, "a trace does not depend on a GPU; give GPU parameters to `lockstep replay`");
  const bool refuses_unknown = arguments.unknown == ImportAccelsimArguments::refuse;
  accelsim::ImportOptions options;
  if (!refuses_unknown) options.unknown = arguments.unknown;
  std::vector<std::string> words = invocation.words;
  words[0] = std::filesystem::path(words[0]).filename().string();
  options.origin = fmt::format("lockstep {}: {}", LOCKSTEP_VERSION, fmt::join(words, " "));
  ProgressLine progress(arguments.quiet);
  std::uint64_t lines = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.update("import", all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), lines);
  };
  const auto start = std::chrono::steady_clock::now();
  accelsim::AccelsimSource source(arguments.path, options);
  const accelsim::Summary& summary = source.summary();
  lines = summary.instruction_lines;
  if (refuses_unknown && !summary.unknown.empty())
    throw InputError(
        SourceLocation{arguments.path, 0, 0},
        fmt::format("unknown opcodes: {}; --unknown integer times them as integer operations", unknown_text(summary)));
  UnfinishedFile file(arguments.file);
  trace::write_file(file.name(), source);
  progress.clear();
  const std::uint64_t bytes = std::filesystem::file_size(file.name());
  file.keep();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const trace::Header& header = source.header();
  std::uint64_t thread_blocks = 0;
  for (const trace::Launch& launch : header.launches) thread_blocks += launch.thread_blocks();
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.import/1").field("workload", header.workload);
    json.field("file", arguments.file).field("bytes", bytes).field("launches", header.launches.size());
    json.field("thread_blocks", thread_blocks).field("instruction_lines", summary.instruction_lines);
    json.key("unknown_opcodes").begin_array();
    for (const auto& [opcode, executions] : by_count(summary.unknown))
      json.begin_object(true).field("opcode", opcode).field("executions", executions).end_object();
    json.end_array().field("copies", summary.copies).field("copied_bytes", summary.copied_bytes);
    json.field("streams", summary.streams).field("loads_without_addresses", summary.without_addresses);
    json.field("copies_without_scratchpad_addresses", summary.half_copies).field("wall_s", wall);
    print(json.end_object().take());
  } else {
    print(fmt::format("{}: {} launch{} of {} kernel{}, {} thread blocks, {} instruction lines, {} bytes\n",
                      arguments.file, stats::grouped(header.launches.size()), header.launches.size() == 1 ? "" : "es",
                      header.kernels.size(), header.kernels.size() == 1 ? "" : "s", stats::grouped(thread_blocks),
                      stats::grouped(summary.instruction_lines), stats::grouped(bytes)));
  }
  if (!arguments.quiet) {
    for (const std::string& text : notes_of(summary, arguments.unknown)) note("note: " + text);
    note(fmt::format("{:.2f} s, {:.1f} million lines per second", wall,
                     static_cast<double>(summary.instruction_lines) / 1e6 / std::max(wall, 1e-9)));
  }
  return exit_done;
}

}  // namespace lockstep::cli
