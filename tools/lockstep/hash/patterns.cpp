// lockstep hash patterns

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "isa/analysis/access_form.hpp"
#include "isa/analysis/affine.hpp"
#include "isa/exec/machine.hpp"
#include "isa/ptx/program.hpp"
#include "isa/trace/file.hpp"
#include "models/scratchpad/pattern_survey.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "sim/workload/workload.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

using analysis::AccessForm;
using analysis::LaneIndex;
using analysis::LanePattern;
using analysis::PatternClass;
using scratchpad::InstructionPatterns;

/// What analysis says of one instruction.
struct Analysed {
  std::string address;  ///< With launch constants as symbols.
  bool affine = false;
  PatternClass kind = PatternClass::linear;  ///< The most general of its launches.
  /// Of the first launch: index, coefficient in bytes as text, and as a number where it is one.
  struct Coefficient {
    std::string index, text;
    std::optional<std::int64_t> bytes;
    friend bool operator==(const Coefficient&, const Coefficient&) = default;
  };
  std::vector<Coefficient> coefficients;
  std::string varying;  ///< Of one that is no sum of multiples of indices: what differs between lanes.
  std::string offset;
  bool varies = false;  ///< Other launches have other coefficients.
};

/// One row of the result.
struct Row {
  std::string kernel, source, mnemonic;
  std::uint32_t bytes = 0;  ///< Per lane.
  std::optional<Analysed> analysed;
  InstructionPatterns traced;

  /// By analysis where that says it, else by the trace.
  bool by_analysis() const { return analysed && analysed->affine; }
  PatternClass kind() const { return by_analysis() ? analysed->kind : traced.kind(); }
  std::string agreement() const {
    if (!by_analysis()) return "-";
    if (traced.otherwise > 0) return "no";
    if (traced.of_class > 0) return "class";
    return traced.at_distances > 0 ? "yes" : "-";
  }
};

/// What decides the addresses of a launch.
using LaunchKey = std::pair<program::Dim3, std::map<std::uint64_t, std::vector<std::uint8_t>>>;

analysis::LaunchValues values_of(const exec::KernelLaunch& launch, const ptx::Function& entry) {
  analysis::LaunchValues values;
  values.block = launch.block;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < entry.parameters.size() && i < launch.arguments.size(); ++i) {
    const std::uint64_t alignment = std::max<std::uint32_t>(1, entry.parameters[i].alignment);
    offset = (offset + alignment - 1) / alignment * alignment;
    if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&launch.arguments[i]))
      values.parameters[offset] = *bytes;
    offset += entry.parameters[i].bytes;
  }
  return values;
}

/// The analysis of a workload's kernels, each for its launches.
class WorkloadAnalysis {
 public:
  explicit WorkloadAnalysis(const exec::Task& task) : launches_(task.launches) {}

  /// What is predicted for a launch; `kernel` is the trace's view of its kernel.
  const scratchpad::PatternPredictions& of_launch(std::uint32_t number, const program::Kernel& kernel) {
    const exec::KernelLaunch& launch = launches_.at(number);
    const ptx::Program& program = program_of(launch);
    const analysis::LaunchValues values = values_of(launch, *program.functions[0]);
    const auto key = std::pair(&program, LaunchKey(launch.block, values.parameters));
    const auto found = predictions_.find(key);
    if (found != predictions_.end()) return found->second;
    return predictions_.emplace(key, predict(program, kernel, values)).first->second;
  }
  /// Of the instruction of a launch's kernel, when it was analysed.
  std::optional<Analysed> of_instruction(std::uint32_t launch, std::uint32_t instruction) {
    const auto& all = analysed_[&program_of(launches_.at(launch))];
    const auto found = all.find(instruction);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  const ptx::Program& program_of(const exec::KernelLaunch& launch) {
    auto& program = programs_[{launch.module, launch.entry}];
    if (program == nullptr) {
      program = std::make_unique<ptx::Program>(ptx::link(*launch.module, launch.entry));
      // Addresses with symbols, for people.
      analysis::AddressAnalysis symbols(*program);
      for (const analysis::AccessAddress& access : symbols.accesses()) {
        if (access.generic && !access.proven_shared) continue;
        analysed_[program.get()][access.instruction].address = symbols.algebra().text(access.address);
      }
    }
    return *program;
  }

  scratchpad::PatternPredictions predict(const ptx::Program& program, const program::Kernel& kernel,
                                         const analysis::LaunchValues& values) {
    scratchpad::PatternPredictions predictions;
    analysis::AddressAnalysis numbers(program, values);
    auto& all = analysed_[&program];
    for (const analysis::AccessAddress& access : numbers.accesses()) {
      const auto own = all.find(access.instruction);
      if (own == all.end()) continue;
      const program::StaticInstruction& instruction = kernel.instructions.at(access.instruction);
      const std::uint32_t bytes = std::uint32_t{instruction.element_bytes} * instruction.vector_elements;
      const AccessForm form = analysis::access_form(numbers.algebra(), access.address, bytes, values.block);
      note(numbers.algebra(), form, own->second);
      if (!form.affine && !form.exact) continue;
      predictions.emplace(access.instruction, prediction(numbers.algebra(), form, *values.block));
    }
    return predictions;
  }

  void note(analysis::Algebra& algebra, const AccessForm& form, Analysed& analysed) {
    std::vector<Analysed::Coefficient> coefficients;
    for (const analysis::IndexTerm& term : form.terms)
      coefficients.push_back({term.index, algebra.text(term.coefficient), term.value});
    if (noted_.insert(&analysed).second) {
      analysed.affine = form.affine || form.exact;
      analysed.coefficients = std::move(coefficients);
      if (!form.affine) analysed.varying = algebra.text(form.varying);
      analysed.offset = algebra.text(form.offset);
    } else {
      analysed.affine = analysed.affine && (form.affine || form.exact);
      analysed.varies = analysed.varies || analysed.coefficients != coefficients;
    }
    analysed.kind = std::max(analysed.kind, form.kind);
  }

  static scratchpad::PatternPrediction prediction(const analysis::Algebra& algebra, const AccessForm& form,
                                                  const program::Dim3& block) {
    scratchpad::PatternPrediction result;
    result.kind = form.kind;
    if (!form.exact) return result;
    const auto warps = static_cast<std::uint32_t>((program::volume(block) + 31) / 32);
    result.distances.resize(warps);
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const auto value = algebra.evaluate(form.varying, analysis::thread_place(block, warp, lane));
        result.distances[warp][lane] = value.value_or(0);
      }
    }
    return result;
  }

  std::vector<exec::KernelLaunch> launches_;
  std::map<std::pair<const ptx::Module*, std::string>, std::unique_ptr<ptx::Program>> programs_;
  std::map<const ptx::Program*, std::map<std::uint32_t, Analysed>> analysed_;
  std::map<std::pair<const ptx::Program*, LaunchKey>, scratchpad::PatternPredictions> predictions_;
  std::set<const Analysed*> noted_;
};

/// Reads every thread block of a trace. `analysis` is null for a trace file.
std::vector<Row> survey(trace::Source& source, const scratchpad::Scratchpad& scratchpad, WorkloadAnalysis* analysis,
                        const std::string& name, ProgressLine& line) {
  const trace::Header& header = source.header();
  std::map<std::uint32_t, scratchpad::PatternSurvey> surveys;
  std::map<std::uint32_t, std::uint32_t> launch_of;  // Some launch of each kernel.
  std::uint64_t all = 0, done = 0;
  for (const trace::Launch& launch : header.launches) all += launch.thread_blocks();
  const scratchpad::PatternPredictions none;
  for (std::uint32_t number = 0; number < header.launches.size(); ++number) {
    const trace::Launch& launch = header.launches[number];
    const program::Kernel& kernel = header.kernels[launch.kernel];
    scratchpad::PatternSurvey& own =
        surveys.try_emplace(launch.kernel, kernel, header.windows, scratchpad).first->second;
    launch_of.emplace(launch.kernel, number);
    const scratchpad::PatternPredictions& predictions =
        analysis == nullptr ? none : analysis->of_launch(number, kernel);
    for (std::uint64_t block = 0; block < launch.thread_blocks(); ++block) {
      own.add(*source.open(number, block), launch, predictions);
      line.update(name, static_cast<double>(++done) / static_cast<double>(all), 0);
    }
  }
  line.clear();
  std::vector<Row> rows;
  for (auto& [kernel_number, own] : surveys) {
    const program::Kernel& kernel = header.kernels[kernel_number];
    for (InstructionPatterns& patterns : own.finish()) {
      const program::StaticInstruction& instruction = kernel.instructions[patterns.instruction];
      Row row;
      row.kernel = kernel.name;
      row.mnemonic = kernel.strings[instruction.mnemonic];
      row.source =
          fmt::format("{}:{}", std::filesystem::path(kernel.strings[instruction.source_file]).filename().string(),
                      instruction.source_line);
      row.bytes = std::uint32_t{instruction.element_bytes} * instruction.vector_elements;
      if (analysis != nullptr)
        row.analysed = analysis->of_instruction(launch_of.at(kernel_number), patterns.instruction);
      row.traced = std::move(patterns);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// A distance in elements of the access, or in bytes where it is no whole number of them.
std::string in_elements(std::int64_t bytes, std::uint32_t element) {
  return bytes % element == 0 ? fmt::format("{}", bytes / element) : fmt::format("{} B", bytes);
}

std::string name_of(const LaneIndex& index) {
  switch (index.kind) {
    case LaneIndex::Kind::thread_x: return "tx";
    case LaneIndex::Kind::thread_y: return "ty";
    case LaneIndex::Kind::thread_z: return "tz";
    case LaneIndex::Kind::lanes: break;
  }
  std::string name = "lane";
  if (index.first > 1) name += fmt::format("/{}", index.first);
  if (index.first * index.size < 32) name += fmt::format("%{}", index.size);
  return name;
}

std::string coefficients_text(const Row& row) {
  const Analysed& analysed = *row.analysed;
  std::string text;
  for (const Analysed::Coefficient& one : analysed.coefficients) {
    const std::string value = one.bytes ? in_elements(*one.bytes, row.bytes) : one.text + " B";
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", one.index, value);
  }
  if (text.empty()) text = analysed.varying.empty() ? "one address" : analysed.varying + " B";
  return analysed.varies ? text + " (differs by launch)" : text;
}

std::string pattern_text(const LanePattern& pattern, std::uint32_t bytes) {
  if (pattern.kind == PatternClass::random) return "random";
  if (pattern.indices.empty()) return "one address";
  std::string text;
  for (const LaneIndex& index : pattern.indices)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name_of(index), in_elements(index.stride, bytes));
  return text;
}

std::string trace_text(const Row& row) {
  const InstructionPatterns& traced = row.traced;
  if (traced.patterns.empty()) return "single lanes";
  std::string text = pattern_text(traced.patterns.front().pattern, row.bytes);
  const std::size_t further = traced.patterns.size() - 1;
  if (further > 0) text += fmt::format(" and {} more", traced.other_patterns > 0 ? "many" : std::to_string(further));
  return text;
}

std::string table_text(const std::vector<Row>& rows, bool analysed) {
  using Align = stats::Table::Align;
  stats::Table table;
  table.column("kernel", Align::left);
  table.column("source", Align::left);
  table.column("instruction", Align::left);
  table.column("class", Align::left);
  if (analysed) table.column("by analysis", Align::left, "elements");
  table.column("by trace", Align::left, "elements");
  if (analysed) table.column("agree", Align::left);
  table.column("executed", Align::right);
  table.column("degree", Align::right, "mean");
  table.column("degree", Align::right, "most");
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.kernel, row.source, row.mnemonic, std::string(name_of(row.kind()))};
    if (analysed) cells.push_back(row.by_analysis() ? coefficients_text(row) : "-");
    cells.push_back(trace_text(row));
    if (analysed) cells.push_back(row.agreement());
    cells.push_back(stats::grouped(row.traced.executed));
    cells.push_back(fmt::format("{:.2f}", static_cast<double>(row.traced.passes) /
                                              static_cast<double>(std::max<std::uint64_t>(1, row.traced.requests))));
    cells.push_back(fmt::format("{}", row.traced.most_passes));
    table.row(cells);
  }
  return table.text();
}

std::string signed_number(std::int64_t number) {
  return fmt::format("{}", number);
}

void add_analysis(stats::JsonWriter& json, const Row& row) {
  json.key("analysis");
  if (!row.analysed) {
    json.null();
    return;
  }
  const Analysed& analysed = *row.analysed;
  json.begin_object().field("affine", analysed.affine).field("address", analysed.address);
  json.key("class");
  analysed.affine ? json.value(name_of(analysed.kind)) : json.null();
  json.key("coefficients").begin_array();
  if (analysed.affine) {
    for (const Analysed::Coefficient& one : analysed.coefficients) {
      json.begin_object(true).field("index", one.index).field("expression", one.text).key("bytes");
      one.bytes ? json.raw(signed_number(*one.bytes)) : json.null();
      json.end_object();
    }
  }
  json.end_array().field("offset", analysed.offset).field("differs_by_launch", analysed.varies);
  json.end_object();
}

void add_trace(stats::JsonWriter& json, const Row& row) {
  const InstructionPatterns& traced = row.traced;
  json.key("trace").begin_object().field("class", name_of(traced.kind()));
  json.field("single_lane", traced.single_lane).key("patterns").begin_array();
  for (const InstructionPatterns::Seen& seen : traced.patterns) {
    json.begin_object().field("class", name_of(seen.pattern.kind)).field("count", seen.count);
    json.key("indices").begin_array();
    for (const LaneIndex& index : seen.pattern.indices) {
      json.begin_object(true).field("index", name_of(index)).key("bytes").raw(signed_number(index.stride));
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().field("other_patterns", traced.other_patterns).end_object();
}

std::string json_text(const std::vector<Row>& rows, const std::string& subject, const std::string& gpu) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.hash-patterns/1").field("subject", subject).field("gpu", gpu);
  json.key("instructions").begin_array();
  for (const Row& row : rows) {
    json.begin_object().field("kernel", row.kernel).field("source", row.source);
    json.field("instruction", std::uint64_t{row.traced.instruction}).field("mnemonic", row.mnemonic);
    json.field("bytes_per_lane", std::uint64_t{row.bytes}).field("class", name_of(row.kind()));
    json.field("class_from", row.by_analysis() ? "analysis" : "trace");
    add_analysis(json, row);
    add_trace(json, row);
    json.key("agreement").begin_object(true).field("verdict", row.agreement());
    json.field("at_distances", row.traced.at_distances).field("of_class", row.traced.of_class);
    json.field("otherwise", row.traced.otherwise).end_object();
    json.field("executed", row.traced.executed).field("requests", row.traced.requests);
    json.field("passes", row.traced.passes).field("most_passes", std::uint64_t{row.traced.most_passes});
    json.end_object();
  }
  json.end_array();
  return json.end_object().take();
}

/// A file that is no descriptor.
bool is_trace_file(const std::string& path) {
  std::error_code ignored;
  const std::string extension = std::filesystem::path(path).extension().string();
  return std::filesystem::is_regular_file(path, ignored) && extension != ".yaml" && extension != ".yml";
}

}  // namespace

int execute(const HashPatternsArguments& arguments, const Invocation&) {
  const auto [parameters, workload_arguments] = divide_overrides(arguments);
  gpu::GpuSpec spec = config::load_gpu(arguments.gpu, parameters);
  spec.sm.scratchpad.bank_hash = "mod";
  spec.sm.scratchpad.lock_hash = "mod";
  const scratchpad::Scratchpad scratchpad(spec.sm.scratchpad, spec.sm.occupancy.scratchpad_bytes);

  std::vector<Row> rows;
  ProgressLine line(arguments.quiet);
  const bool is_trace = is_trace_file(arguments.subject);
  if (is_trace) {
    if (!workload_arguments.empty()) throw InputError("arguments are fixed in a trace; give them to `lockstep trace`");
    rows = survey(*trace::open_file(arguments.subject), scratchpad, nullptr, arguments.subject, line);
  } else {
    const workload::Workload workload = workload::Workload::load(arguments.subject);
    if (workload.has_graph()) {
      throw InputError(
          fmt::format("{} has a graph, whose accesses come from no instruction of a kernel; patterns are "
                      "those of kernels",
                      workload.name()));
    }
    auto task = workload.build(workload_arguments, &spec.sm.rgpu);
    WorkloadAnalysis analysis(*task);
    task->print = show_printed(arguments.json, line);
    exec::Machine machine(std::move(task));
    rows = survey(machine, scratchpad, &analysis, workload.name(), line);
  }
  print(arguments.json ? json_text(rows, arguments.subject, spec.name) : table_text(rows, !is_trace));
  if (rows.empty() && !arguments.json) note("no instruction accesses scratchpad memory");
  return exit_done;
}

}  // namespace lockstep::cli
