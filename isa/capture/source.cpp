#include "isa/capture/source.hpp"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <vector>

#include "isa/capture/device_log.hpp"
#include "isa/capture/log_file.hpp"
#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "isa/ptx/module.hpp"
#include "isa/trace/recorder.hpp"

namespace lockstep::capture {

namespace {

/// Where variables of a module lie in the trace. Those that the log does not place stay where the GPU had them when it was
/// launched first; others, which no access can name, lie apart above all addresses.
exec::ModuleVariables placed_variables(const LogFile& file, std::uint32_t number, const ptx::Module& module,
                                       const LogPlan& plan) {
  constexpr std::uint64_t first = std::uint64_t{1} << 48, distance = std::uint64_t{1} << 20, unit = 256;
  exec::ModuleVariables places = file.modules()[number].placed;
  for (const LogLaunch& launch : file.launches()) {
    const LoggedKernel* const kernel = launch.module == number ? plan.find_kernel(launch.entry) : nullptr;
    if (kernel == nullptr) continue;
    for (std::size_t v = 0; v < kernel->variables.size() && fixed_header_words + v < launch.header.size(); ++v)
      if (kernel->variables[v]->space == ptx::Space::global)
        places.try_emplace(kernel->variables[v]->name, launch.header[fixed_header_words + v]);
  }
  std::uint64_t next = first;
  for (const ptx::Variable& variable : module.variables) {
    const bool in_device_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (in_device_memory && !variable.is_extern && places.try_emplace(variable.name, next).second)
      next = exec::aligned(next + variable.bytes, unit) + distance;
  }
  return places;
}

}  // namespace

struct CaptureSource::State {
  State(const std::string& path, CaptureOptions given)
      : options(std::move(given)), file(path, [this](std::uint64_t done, std::uint64_t all) {
          if (options.progress) options.progress(done, 2 * all);
        }) {}

  struct Module {
    ptx::Module module;
    std::optional<LogPlan> plan;
    exec::ModuleVariables placed;
  };
  struct Kernel {
    std::uint32_t module = 0;
    std::string entry;
    KernelCode code;
  };

  CaptureOptions options;
  LogFile file;
  std::deque<Module> modules;  ///< Programs point into them.
  std::deque<Kernel> kernels;  ///< As in the header.
  trace::Header header;
  CaptureSummary summary;
  std::uint32_t launch = 0;              ///< That is open.
  std::uint64_t number = 0, offset = 0;  ///< The next thread block, and where its records begin.
  LaunchAddresses addresses;
  std::optional<WarpLog> warp;

  void read() {
    for (std::uint32_t m = 0; m < file.modules().size(); ++m) {
      const LogModule& logged = file.modules()[m];
      Module& made = modules.emplace_back();
      made.module = ptx::parse(logged.text, logged.name);
      made.plan.emplace(made.module);
      made.placed = placed_variables(file, m, made.module, *made.plan);
    }
    header.workload = file.workload();
    header.origin = options.origin;
    if (!file.origin().empty()) header.origin += (header.origin.empty() ? "" : "\n") + file.origin();
    header.arguments = file.arguments();
    for (const LogLaunch& logged : file.launches()) add_launch(logged);
    for (const Kernel& kernel : kernels) header.kernels.push_back(kernel.code.statics);
    begin_launch(0);
  }

  std::uint32_t kernel_of(const LogLaunch& logged) {
    for (std::uint32_t k = 0; k < kernels.size(); ++k)
      if (kernels[k].module == logged.module && kernels[k].entry == logged.entry) return k;
    const Module& module = modules[logged.module];
    if (module.plan->find_kernel(logged.entry) == nullptr)
      file.fail(logged.begin, fmt::format("expected a kernel of '{}' that can be logged in front of this, not '{}'",
                                          module.module.file, logged.entry));
    const std::uint32_t depth = file.call_depth() == 0 ? exec::MachineLimits{}.call_depth : file.call_depth();
    kernels.push_back(
        {logged.module, logged.entry, KernelCode(module.module, *module.plan, logged.entry, module.placed, depth)});
    return static_cast<std::uint32_t>(kernels.size() - 1);
  }

  void add_launch(const LogLaunch& logged) {
    trace::Launch made;
    made.kernel = kernel_of(logged);
    made.grid = logged.grid;
    made.block = logged.block;
    made.dynamic_shared_bytes = logged.dynamic_shared_bytes;
    made.registers_per_thread = logged.registers_per_thread;
    const std::size_t words = fixed_header_words + kernels[made.kernel].code.logged->variables.size();
    if (logged.header.size() < words)
      file.fail(logged.begin, fmt::format("expected {} words in front of the records of kernel '{}', not {}", words,
                                          logged.entry, logged.header.size()));
    header.launches.push_back(made);
  }

  void begin_launch(std::uint32_t next) {
    const LogLaunch& logged = file.launches()[next];
    const KernelCode& code = kernels[header.launches[next].kernel].code;
    addresses = LaunchAddresses(code, logged);
    warp.emplace(code, addresses);
    launch = next;
    number = 0;
    offset = logged.begin;
  }

  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t wanted, std::uint64_t block) {
    if (wanted != launch && wanted < file.launches().size()) begin_launch(wanted);
    const LogLaunch& logged = file.launches()[launch];
    if (wanted != launch || block != number || block >= logged.thread_blocks())
      throw Bug(fmt::format("log: thread block {} of launch {} was opened, but block {} of launch {} is next", block,
                            wanted, number, launch));
    const KernelCode& code = kernels[header.launches[launch].kernel].code;
    const auto threads = static_cast<std::uint32_t>(logged.threads_per_block());
    std::vector<std::uint32_t> counts(threads);
    need(logged, 4 * std::uint64_t{threads});
    file.read(offset, std::as_writable_bytes(std::span(counts)));
    offset += 4 * std::uint64_t{threads};
    trace::Recorder recorder(header.launches[launch].warps_per_block());
    for (std::uint32_t first = 0; first < threads; first += WarpLog::lanes) {
      WarpLog::LaneMask live = 0;
      for (std::uint32_t lane = 0; lane < WarpLog::lanes && first + lane < threads; ++lane) {
        const std::uint64_t words = counts[first + lane];
        need(logged, 8 * words);
        warp->lane(lane).begin(file, code, offset, words, {launch, block, first + lane});
        offset += 8 * words;
        live |= WarpLog::LaneMask{1} << lane;
      }
      summary.records += warp->run(recorder, first / WarpLog::lanes, live, summary.unknown);
    }
    if (++number == logged.thread_blocks() && offset != logged.end)
      file.fail(offset, "expected the end of the launch, behind the records of its last thread");
    if (options.progress) options.progress(file.bytes() + offset, 2 * file.bytes());
    return recorder.finish();
  }

  void need(const LogLaunch& logged, std::uint64_t bytes) const {
    if (bytes > logged.end - offset)
      file.fail(offset, fmt::format("expected {} bytes of thread block {} of launch {}, which ends here", bytes, number,
                                    launch));
  }
};

CaptureSource::CaptureSource(const std::string& path, CaptureOptions options)
    : state_(std::make_unique<State>(path, std::move(options))) {
  state_->read();
}

CaptureSource::~CaptureSource() = default;

const trace::Header& CaptureSource::header() const {
  return state_->header;
}

const CaptureSummary& CaptureSource::summary() const {
  return state_->summary;
}

std::unique_ptr<trace::ThreadBlockStreams> CaptureSource::open(std::uint32_t launch, std::uint64_t number) {
  return state_->open(launch, number);
}

}  // namespace lockstep::capture
