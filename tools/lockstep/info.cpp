// lockstep info

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "isa/trace/file.hpp"
#include "isa/trace/posix_file.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "sim/workload/workload.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/order_dependences.hpp"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;
using stats::JsonWriter;
using stats::Table;

enum class FileKind { trace, results, gpu, workload, experiment };

struct Named {
  std::string path;
  FileKind kind;
};

std::string dimensions(const program::Dim3& d) {
  return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
}

/// A YAML file is known by its keys.
FileKind kind_of_yaml(const std::string& path) {
  const config::Value root = config::load_yaml(path);
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  if ((has("gpu") || has("gpus")) && (has("workload") || has("workloads"))) return FileKind::experiment;
  for (const char* key : {"sm", "sms", "clock_mhz", "memory", "target"}) {
    if (has(key)) return FileKind::gpu;
  }
  if (root.kind != config::Value::Kind::map) {
    throw InputError(root.where, "is neither a GPU, a workload nor an experiment; expected a map of keys");
  }
  return FileKind::workload;
}

/// Finds the file, by path or by a name among GPUs, workloads, graphs and experiments, and what it is.
Named find(const std::string& given) {
  std::error_code ignored;
  if (fs::is_directory(given, ignored)) {
    const std::string results = (fs::path(given) / "results.db").string();
    if (fs::exists(results, ignored)) return {results, FileKind::results};
    throw InputError(SourceLocation{given, 0, 0}, "is a folder without results.db");
  }
  if (!fs::exists(given, ignored)) {
    const std::pair<config::NamedFolder, FileKind> folders[] = {{{"configs/gpus"}, FileKind::gpu},
                                                                {workload::workload_folder, FileKind::workload},
                                                                {workload::graph_folder, FileKind::workload},
                                                                {experiment::experiment_folder, FileKind::experiment}};
    for (const auto& [folder, kind] : folders) {
      try {
        return {config::find_named_file(folder, given), kind};
      } catch (const InputError&) {
      }
    }
    throw InputError(SourceLocation{given, 0, 0},
                     "no such file, and no GPU, workload, graph or experiment of this name");
  }
  const std::string extension = fs::path(given).extension().string();
  if (extension == ".yaml" || extension == ".yml") return {given, kind_of_yaml(given)};
  constexpr std::string_view of_sqlite("SQLite format 3\0", 16);
  std::array<std::byte, of_sqlite.size()> magic{};
  trace::PosixFile::open_for_reading(given).read_at(0, magic);
  const bool sqlite = std::memcmp(magic.data(), of_sqlite.data(), magic.size()) == 0;
  return {given, sqlite ? FileKind::results : FileKind::trace};
}

void trace_json(JsonWriter& json, const trace::Header& header, const trace::FileSummary& summary) {
  json.field("workload", header.workload).field("origin", header.origin);
  json.key("arguments").begin_object(true);
  for (const auto& [name, value] : header.arguments) json.field(name, value);
  json.end_object();
  json.field("file_bytes", summary.file_bytes).field("stream_bytes", summary.stream_bytes);
  json.field("thread_blocks", summary.thread_blocks).field("block_entries", summary.block_entries);
  json.field("access_entries", summary.access_entries).field("warp_instructions", summary.warp_instructions);
  json.key("kernels").begin_array();
  for (const program::Kernel& kernel : header.kernels) {
    json.begin_object(true).field("name", kernel.name).field("instruction_set", kernel.instruction_set);
    json.field("instructions", kernel.instructions.size()).field("blocks", kernel.blocks.size());
    json.field("registers", kernel.live_registers).field("static_shared_bytes", kernel.static_shared_bytes);
    json.field("local_bytes", kernel.local_bytes).end_object();
  }
  json.end_array().key("launches").begin_array();
  for (const trace::Launch& launch : header.launches) {
    json.begin_object(true).field("kernel", header.kernels.at(launch.kernel).name);
    for (const auto& [name, dims] : {std::pair("grid", launch.grid), std::pair("block", launch.block)}) {
      json.key(name).begin_array(true).value(dims[0]).value(dims[1]).value(dims[2]).end_array();
    }
    json.field("dynamic_shared_bytes", launch.dynamic_shared_bytes);
    json.field("registers_per_thread", launch.registers_per_thread).end_object();
  }
  json.end_array();
}

std::string trace_text(const trace::Header& header, const trace::FileSummary& summary) {
  std::string text = fmt::format("Trace of {}\n", header.workload);
  for (const auto& [name, value] : header.arguments) text += fmt::format("  {} = {}\n", name, value);
  if (!header.origin.empty()) text += fmt::format("\nOrigin: {}\n", header.origin);
  text += fmt::format("\n{} warp instructions in {} thread blocks\n", stats::grouped(summary.warp_instructions),
                      stats::grouped(summary.thread_blocks));
  text += fmt::format("{} basic block entries, {} memory accesses\n", stats::grouped(summary.block_entries),
                      stats::grouped(summary.access_entries));
  text += fmt::format("{} bytes on disk, {} bytes of streams; all checksums are correct\n\n",
                      stats::grouped(summary.file_bytes), stats::grouped(summary.stream_bytes));
  Table kernels;
  kernels.column("kernel", Table::Align::left);
  kernels.column("instructions", Table::Align::right, header.kernels.empty() ? "" : header.kernels[0].instruction_set);
  kernels.column("basic blocks", Table::Align::right);
  kernels.column("registers", Table::Align::right, "live at once");
  kernels.column("scratchpad", Table::Align::right, "bytes");
  kernels.column("local", Table::Align::right, "bytes");
  for (const program::Kernel& kernel : header.kernels) {
    kernels.row({kernel.name, stats::grouped(kernel.instructions.size()), stats::grouped(kernel.blocks.size()),
                 std::to_string(kernel.live_registers), stats::grouped(kernel.static_shared_bytes),
                 stats::grouped(kernel.local_bytes)});
  }
  Table launches;
  launches.column("launch", Table::Align::left);
  launches.column("grid", Table::Align::right, "thread blocks");
  launches.column("block", Table::Align::right, "threads");
  launches.column("dynamic scratchpad", Table::Align::right, "bytes");
  for (const trace::Launch& launch : header.launches) {
    launches.row({header.kernels.at(launch.kernel).name, dimensions(launch.grid), dimensions(launch.block),
                  stats::grouped(launch.dynamic_shared_bytes)});
  }
  return text + kernels.text() + "\n" + launches.text();
}

std::string of_trace(const std::string& path, bool as_json) {
  const auto source = trace::open_file(path);
  const trace::FileSummary summary = trace::summarize_file(path);
  if (!as_json) {
    const std::string notes = order_dependences_text(*source);
    return trace_text(source->header(), summary) + (notes.empty() ? "" : "\n" + notes);
  }
  JsonWriter json;
  json.begin_object().field("schema", "lockstep.info/1").field("kind", "trace");
  trace_json(json, source->header(), summary);
  add_order_dependences(json, *source);
  return json.end_object().take();
}

std::string of_results(const std::string& path, bool as_json) {
  auto database = experiment::Database::read(path);
  const auto points = database.all();
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("schema", "lockstep.info/1").field("kind", "results");
    json.field("experiment", database.experiment()).key("points").begin_array();
    for (const experiment::StoredPoint& point : points) {
      json.begin_object().field("label", point.label);
      experiment::add_fields(json, point.result);
      json.end_object();
    }
    return json.end_array().end_object().take();
  }
  Table table;
  table.column("point", Table::Align::left);
  table.column("gpu", Table::Align::left);
  table.column("workload", Table::Align::left);
  table.column("status", Table::Align::left);
  table.column("cycles", Table::Align::right, "cycles");
  table.column("time", Table::Align::right, "ms");
  for (const experiment::StoredPoint& point : points) {
    const experiment::PointResult& r = point.result;
    table.row({point.label, r.gpu, r.workload, std::string(name_of(r.status)),
               r.has_numbers() ? stats::grouped(r.cycles) : "-",
               r.has_numbers() ? fmt::format("{:.3f}", r.time_ms) : "-"});
  }
  return fmt::format("Results of the experiment {}: {} points\n\n{}", database.experiment(), points.size(),
                     table.text());
}

std::string of_gpu(const std::string& path, const std::vector<config::Override>& overrides, bool as_json) {
  const gpu::GpuSpec spec = config::load_gpu(path, overrides);
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("schema", "lockstep.info/1").field("kind", "gpu").field("name", spec.name);
    json.key("parameters").begin_object();
    for (const config::Parameter& parameter : config::gpu_parameters()) {
      json.key(parameter.path);
      std::visit([&](const auto& value) { json.value(value); }, parameter.get(spec));
    }
    return json.end_object().end_object().take();
  }
  Table table;
  table.column("parameter", Table::Align::left);
  table.column("value", Table::Align::right);
  table.column("unit", Table::Align::left);
  table.column("text", Table::Align::left);
  for (const config::Parameter& p : config::gpu_parameters()) {
    table.row({p.path, config::to_text(p.get(spec)), p.unit, p.text});
  }
  return table.text();
}

/// What a launch runs in addition to its kernel.
struct GraphInfo {
  const dataflow::Graph* graph = nullptr;
  std::uint64_t thread_blocks = 0;
  std::uint32_t barrier = 0, cores = 0, special = 0, load_store_units = 0;  ///< Of all copies.
};

std::vector<GraphInfo> graphs_of(const exec::Task& task) {
  std::vector<GraphInfo> result;
  for (const exec::KernelLaunch& launch : task.launches) {
    if (launch.graph == nullptr) continue;
    for (const auto& part : launch.graph->parts) {
      GraphInfo info{part.get(), launch.grid[0], launch.graph->barrier};
      for (const dataflow::Node& node : part->nodes) {
        const dataflow::UnitClass unit = dataflow::facts(node.op).unit;
        if (unit == dataflow::UnitClass::special) ++info.special;
        ++(unit == dataflow::UnitClass::load_store ? info.load_store_units : info.cores);
      }
      result.push_back(info);
    }
  }
  return result;
}

std::string graphs_text(const exec::Task& task) {
  Table table;
  table.column("graph", Table::Align::right);
  table.column("thread blocks", Table::Align::right);
  table.column("copies", Table::Align::right);
  table.column("cores", Table::Align::right);
  table.column("special functions", Table::Align::right);
  table.column("load-store units", Table::Align::right);
  table.column("barrier", Table::Align::right);
  std::size_t number = 0;
  for (const GraphInfo& info : graphs_of(task)) {
    table.row({std::to_string(++number), stats::grouped(info.thread_blocks), std::to_string(info.graph->copies),
               std::to_string(info.cores), std::to_string(info.special), std::to_string(info.load_store_units),
               std::to_string(info.barrier)});
  }
  return table.text();
}

void add_graphs(JsonWriter& json, const exec::Task& task) {
  json.key("graphs").begin_array();
  for (const GraphInfo& info : graphs_of(task)) {
    json.begin_object(true).field("thread_blocks", info.thread_blocks).field("copies", info.graph->copies);
    json.field("nodes", info.graph->nodes.size()).field("cores", info.cores);
    json.field("special_function_units", info.special).field("load_store_units", info.load_store_units);
    json.field("barrier", info.barrier).end_object();
  }
  json.end_array();
}

std::string of_workload(const std::string& path, bool as_json) {
  const workload::Workload workload = workload::Workload::load(path);
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("schema", "lockstep.info/1").field("kind", "workload");
    json.field("name", workload.name()).field("text", workload.description()).key("arguments").begin_array();
    for (const workload::ArgumentInfo& argument : workload.arguments()) {
      json.begin_object(true).field("name", argument.name).field("default", argument.default_text);
      json.field("text", argument.text).key("choices").begin_array(true);
      for (const std::string& choice : argument.choices) json.value(choice);
      json.end_array().end_object();
    }
    json.end_array().key("pictures").begin_array(true);
    for (const std::string& picture : workload.picture_names()) json.value(picture);
    json.end_array();
    if (workload.has_graph()) add_graphs(json, *workload.build({}, nullptr, workload::LargeGraphs::keep));
    return json.end_object().take();
  }
  std::string text = fmt::format("Workload {}\n{}\n", workload.name(), workload.description());
  Table table;
  table.column("argument", Table::Align::left);
  table.column("default", Table::Align::left);
  table.column("choices", Table::Align::left);
  table.column("text", Table::Align::left);
  for (const workload::ArgumentInfo& argument : workload.arguments()) {
    table.row({"args." + argument.name, argument.default_text, fmt::format("{}", fmt::join(argument.choices, ", ")),
               argument.text});
  }
  if (!workload.arguments().empty()) text += "\n" + table.text();
  const std::vector<std::string> pictures = workload.picture_names();
  if (!pictures.empty()) text += fmt::format("\nPictures: {}\n", fmt::join(pictures, ", "));
  if (workload.has_graph()) text += "\n" + graphs_text(*workload.build({}, nullptr, workload::LargeGraphs::keep));
  return text;
}

std::string of_experiment(const std::string& path, const std::vector<config::Override>& overrides, bool as_json) {
  const experiment::Experiment experiment = experiment::load_experiment(path, overrides);
  const std::vector<experiment::Point> points = experiment::expand(experiment);
  std::size_t references = 0;
  for (const experiment::Point& point : points) references += point.references.size();
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("schema", "lockstep.info/1").field("kind", "experiment");
    json.field("name", experiment.name).field("title", experiment.title).field("text", experiment.text);
    json.key("axes").begin_object();
    for (const experiment::Axis& axis : experiment.axes) {
      json.key(axis.path).begin_array(true);
      for (const config::Value& value : axis.values) json.value(value.text);
      json.end_array();
    }
    return json.end_object().field("points", points.size()).field("references", references).end_object().take();
  }
  std::string text = fmt::format("Experiment {}: {}\n", experiment.name, experiment.title);
  if (!experiment.text.empty()) text += experiment.text + "\n";
  text += fmt::format("\n{} points", points.size());
  if (references > 0) text += fmt::format(", compared with {} runs", references);
  for (const experiment::Axis& axis : experiment.axes) {
    std::vector<std::string> values;
    for (const config::Value& value : axis.values) values.push_back(value.text);
    text += fmt::format("\n  {}: {}", axis.path, fmt::join(values, ", "));
  }
  return text + "\n";
}

}  // namespace

int execute(const InfoArguments& arguments, const Invocation&) {
  const Named file = find(arguments.file);
  if (file.kind != FileKind::gpu && file.kind != FileKind::experiment) {
    refuse_overrides(arguments, "only a GPU or an experiment can be shown with overrides");
  }
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  switch (file.kind) {
    case FileKind::trace: print(of_trace(file.path, arguments.json)); break;
    case FileKind::results: print(of_results(file.path, arguments.json)); break;
    case FileKind::gpu: print(of_gpu(file.path, overrides, arguments.json)); break;
    case FileKind::workload: print(of_workload(file.path, arguments.json)); break;
    case FileKind::experiment: print(of_experiment(file.path, overrides, arguments.json)); break;
  }
  return exit_done;
}

}  // namespace lockstep::cli
