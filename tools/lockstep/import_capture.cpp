// lockstep import capture

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "isa/capture/source.hpp"
#include "isa/output_file.hpp"
#include "isa/trace/file.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

/// Which addresses are the GPU's own, "" when none is.
std::string unknown_text(const capture::UnknownAddresses& unknown) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* memory) {
    if (count != 0) text += fmt::format("{}{} of {} memory", text.empty() ? "" : ", ", stats::grouped(count), memory);
  };
  add(unknown.shared, "scratchpad");
  add(unknown.local, "local");
  add(unknown.constant, "constant");
  add(unknown.param, "parameter");
  return text.empty() ? "" : "addresses in no variable that the log places stay those of the GPU: " + text;
}

}  // namespace

int execute(const ImportCaptureArguments& arguments, const Invocation& invocation) {
  refuse_overrides(arguments, "a trace does not depend on a GPU; give GPU parameters to `lockstep replay`");
  std::vector<std::string> words = invocation.words;
  words[0] = std::filesystem::path(words[0]).filename().string();
  ProgressLine progress(arguments.quiet);
  capture::CaptureOptions options;
  options.origin = fmt::format("lockstep {}: {}", LOCKSTEP_VERSION, fmt::join(words, " "));
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.update("import", all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), 0);
  };
  const auto start = std::chrono::steady_clock::now();
  capture::CaptureSource source(arguments.log, options);
  UnfinishedFile file(arguments.file);
  trace::write_file(file.name(), source);
  progress.clear();
  const std::uint64_t bytes = std::filesystem::file_size(file.name());
  file.keep();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const trace::Header& header = source.header();
  const capture::CaptureSummary& summary = source.summary();
  std::uint64_t thread_blocks = 0;
  for (const trace::Launch& launch : header.launches) thread_blocks += launch.thread_blocks();
  const std::string unknown = unknown_text(summary.unknown);
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.import-capture/1").field("workload", header.workload);
    json.field("file", arguments.file).field("bytes", bytes).field("launches", header.launches.size());
    json.field("thread_blocks", thread_blocks).field("records", summary.records);
    json.key("unknown_addresses").begin_object(true).field("scratchpad", summary.unknown.shared);
    json.field("local", summary.unknown.local).field("constant", summary.unknown.constant);
    json.field("parameter", summary.unknown.param).end_object();
    json.field("wall_s", wall);
    print(json.end_object().take());
  } else {
    print(fmt::format("{}: {} launch{} of {} kernel{}, {} thread blocks, {} records of threads, {} bytes\n",
                      arguments.file, stats::grouped(header.launches.size()), header.launches.size() == 1 ? "" : "es",
                      header.kernels.size(), header.kernels.size() == 1 ? "" : "s", stats::grouped(thread_blocks),
                      stats::grouped(summary.records), stats::grouped(bytes)));
  }
  if (!arguments.quiet) {
    if (!unknown.empty()) note("note: " + unknown);
    note(fmt::format("{:.2f} s, {:.1f} million records per second", wall,
                     static_cast<double>(summary.records) / 1e6 / std::max(wall, 1e-9)));
  }
  return exit_done;
}

}  // namespace lockstep::cli
