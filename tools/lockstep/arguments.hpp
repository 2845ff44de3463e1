#pragma once
// What the command line says, as plain data. Only arguments*.cpp include CLI11.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/capture/instrument.hpp"
#include "isa/trace/kept_trace.hpp"
#include "sim/experiment/running/memory_budget.hpp"
#include "sim/experiment/slurm_settings.hpp"
#include "tools/lockstep/terminal/command_text.hpp"
#include "tools/lockstep/why/report_section.hpp"

namespace lockstep::cli {

/// Options of every subcommand.
struct Common {
  bool json = false, quiet = false;
  std::vector<std::string> overrides;  ///< PATH=VALUE of each -s.
};

/// What several simulations at a time may take.
struct MemoryArguments {
  std::optional<std::uint64_t> mib;  ///< Left out: as the machine has it.
  std::uint64_t bytes() const { return mib ? *mib << 20 : experiment::usual_memory_budget(); }
};

/// What traces that several runs share may take.
struct KeptTraceArguments {
  std::uint64_t memory_mib = trace::TraceLimits().memory_bytes >> 20, disk_mib = trace::TraceLimits().disk_bytes >> 20;
  trace::TraceLimits limits() const { return {memory_mib << 20, disk_mib << 20}; }
};

/// --slurm and what a shard asks for, in place of what the experiment says.
struct SlurmArguments {
  bool wanted = false;
  experiment::SlurmSettings settings;
};

/// The cache of points that all results folders share.
struct CacheArguments {
  bool off = false;
  std::uint64_t mib = 1024;
};

struct RunArguments : Common {
  std::string experiment, folder;  ///< An experiment or a workload; folder "": results/NAME.
  static constexpr const char* standard_gpu = "gtx580";
  std::string gpu;    ///< Of a workload; "": none is named.
  std::string shard;  ///< I/N; "": all points.
  SlurmArguments slurm;
  unsigned jobs = 1;
  bool resume = false;
  ReportSection explain;
  KeptTraceArguments traces;
  MemoryArguments memory;
  CacheArguments cache;
};

struct TraceArguments : Common {
  std::string workload, file;  ///< file "": no trace is written.
  std::string launches;        ///< Folder for a real GPU, or "".
  bool instrument = false;     ///< With kernels that log what they execute there.
  std::string pictures;        ///< Folder for what the workload leaves as pictures, or "".
  std::optional<std::uint64_t> resident_blocks;
  bool keep_on_mismatch = false;
  std::string checks = "bounds,sync";  ///< Those that take little time.
};

/// What is shown of the operations executed over time.
struct ActivityArguments {
  std::uint64_t interval = 0;        ///< In cycles; 0: nothing.
  std::optional<std::string> chart;  ///< Picture to write.
};

/// What is written of a replay over time.
struct ObservationArguments {
  static constexpr std::uint64_t standard_cycles = 10'000;  ///< That warps are shown of.
  static constexpr std::uint64_t standard_interval = 100;   ///< Of samples, in cycles.
  std::vector<std::string> timelines;                       ///< JSON, compressed where the name ends in .gz, or SVG.
  std::optional<std::string> konata, series;                ///< Files.
  std::vector<std::string> statistics;                      ///< Of the series.
  std::optional<std::uint64_t> every;                       ///< Cycles.
  std::string cycles;                                       ///< FROM-TO, or "".
  std::vector<std::uint32_t> sms;                           ///< None are given: SM 0, or all for counters.
  std::vector<std::string> warps;                           ///< BLOCK[:FIRST[-LAST]]; none: all.
};

/// Whether parts of long launches may be projected.
struct SamplingArguments {
  bool wanted = false;
  std::optional<double> percent;  ///< Wanted error; left out: standard_percent.
  static constexpr double standard_percent = 2;
  /// Relative; 0: everything is replayed.
  double wanted_error() const { return wanted ? percent.value_or(standard_percent) / 100 : 0; }
};

struct ReplayArguments : Common {
  std::string trace, gpu;
  unsigned jobs = 1;
  SamplingArguments sampling;
  bool per_instruction = false;
  ActivityArguments activity;
  ObservationArguments observation;
};

struct ProbeArguments : Common {
  std::string gpu, operation, pattern;
  std::uint32_t warps = 1;
};

struct ValidateArguments : Common {
  std::vector<std::string> suites, gpus;
  unsigned jobs = 1;
  bool write = false;
  KeptTraceArguments traces;
  MemoryArguments memory;
};

struct ReportArguments : Common {
  std::string folder;
  unsigned jobs = 1;
  ReportSection explain;
};

struct MergeArguments : Common {
  std::vector<std::string> folders;
  std::string output;
};

struct ExportArguments : Common {
  std::string folder, table = "points", file;  ///< file "": standard output.
  std::vector<std::string> columns;
  bool long_form = false;
};

struct InfoArguments : Common {
  std::string file;
};

struct ListArguments : Common {
  std::string topic, gpu;
  std::vector<std::string> patterns;  ///< Only what all of them are in.
  bool names = false;                 ///< Nothing else, one a line.
};

struct CalibrateArguments : Common {
  std::string from, measurements, file;
  unsigned jobs = 1;
};

struct ExplainArguments : Common {
  std::string subject, gpu, point;  ///< Trace, workload or results folder.
  unsigned jobs = 1;
  bool whole = false, lines_only = false;
  std::size_t lines = 10, columns = 80;
  std::vector<std::string> hashes, sources;
};

struct CompareArguments : Common {
  std::string a, b;  ///< Traces, workloads or results folders; b "": as a.
  std::string gpu, with_gpu, point, with_point;
  std::vector<std::string> with;  ///< PATH=VALUE of b alone.
  unsigned jobs = 1;
  std::size_t lines = 12, columns = 80;
  std::vector<std::string> sources;
};

struct OccupancyArguments : Common {
  std::string subject, gpu, point;  ///< Trace, workload or results folder.
  /// In place of what the launches have.
  std::optional<std::uint32_t> block, registers, scratchpad_bytes;
  std::optional<std::string> chart;  ///< Picture to write.
};

struct RooflineArguments : Common {
  std::string subject, gpu;  ///< Trace, workload or results folder.
  unsigned jobs = 1;
  std::optional<std::string> chart;  ///< Picture to write.
};

struct HashCountArguments : Common {
  std::vector<std::string> traces, hashes;
  std::string unit = "bank", gpu = "gtx480";
};

struct HashApplyArguments : Common {
  std::string kernel_file, hash, file;
  std::vector<std::string> kernels;  ///< None: all.
  std::uint32_t banks = 32;
  std::optional<std::uint64_t> dynamic_bytes;
};

struct HashSearchArguments : Common {
  std::vector<std::string> traces, reports;
  std::string family = "matrix", method;  ///< method "": the family's best.
  std::string unit = "bank", gpu = "gtx480", kernel;
  bool per_kernel = false, regret = false;
  std::uint64_t steps = 0;
  double seconds = 60;
};

struct HashPatternsArguments : Common {
  std::string subject;  ///< Workload or trace.
  std::string gpu = "gtx480";
};

struct SwizzleArguments : Common {
  std::string subject;  ///< Workload, or PTX file beside its descriptor.
  std::string gpu = "h200", objective = "time", kernel, file;
  double least_gain = 7;  ///< Percent.
  unsigned jobs = 1;
};

struct RgpuRunArguments : Common {
  std::string graph, gpu = "gtx480-rgpu";
  unsigned jobs = 1;
  ActivityArguments activity;
  ObservationArguments observation;
  bool nodes = false;  ///< Show what each node did.
};

struct RgpuMapArguments : Common {
  std::string graph, gpu = "gtx480-rgpu", goal = "lanes";
  std::uint32_t number = 1;  ///< Of the graph in the file.
  bool split = false;        ///< Map the parts of a graph that is too large.
};

struct RgpuDrawArguments : Common {
  std::string graph, gpu = "gtx480-rgpu";
  std::string file;          ///< "": the workload's name with .svg or .dot.
  std::uint32_t number = 1;  ///< Which of the different graphs.
  bool dot = false;          ///< The graph as text for Graphviz.
};

struct ImportAccelsimArguments : Common {
  static constexpr const char* refuse = "error";
  std::string path, file;
  std::string unknown = "integer";  ///< Operation that unknown instructions become, or `refuse`.
};

struct ImportCaptureArguments : Common {
  std::string log, file;
};

struct InstrumentArguments : Common {
  std::string kernel, file;
  std::uint32_t chunk_bytes = capture::default_chunk_bytes;
};

struct CompletionArguments : Common {
  std::string shell;
  CommandText program;
};

struct ManArguments : Common {
  std::vector<std::string> words;  ///< Of a command; none: the program.
  std::string folder;              ///< For all pages, or "".
  CommandText program;
};

using Arguments =
    std::variant<RunArguments, MergeArguments, TraceArguments, ReplayArguments, ProbeArguments, ValidateArguments,
                 ReportArguments, ExportArguments, InfoArguments, ListArguments, CalibrateArguments, ExplainArguments,
                 CompareArguments, OccupancyArguments, RooflineArguments, HashCountArguments, HashSearchArguments,
                 HashApplyArguments, HashPatternsArguments, SwizzleArguments, RgpuRunArguments, RgpuMapArguments,
                 RgpuDrawArguments, ImportAccelsimArguments, ImportCaptureArguments, InstrumentArguments,
                 CompletionArguments, ManArguments>;

/// Reads the command line. Nothing if help or the version was requested and printed; InputError if it is wrong.
std::optional<Arguments> parse(int count, const char* const* words);

}  // namespace lockstep::cli
