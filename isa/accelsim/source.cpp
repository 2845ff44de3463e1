#include "isa/accelsim/source.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "isa/accelsim/launch.hpp"

namespace lockstep::accelsim {

namespace {

/// "vectoradd" for vectoradd/NO_ARGS/traces/kernelslist.g as for vectoradd.traceg: the last part that is no standard name.
std::string workload_name(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path at = fs::absolute(path, ignored).lexically_normal();
  if (at.filename().empty()) at = at.parent_path();
  const auto is_standard = [](const std::string& name) {
    return name.starts_with("kernelslist") || name.starts_with("kernel-") || name == "traces" || name == "NO_ARGS";
  };
  while (is_standard(at.filename().string()) && at.has_relative_path()) at = at.parent_path();
  const std::string name = at.filename().string();
  return name.substr(0, name.find(".trace"));
}

}  // namespace

struct AccelsimSource::State {
  /// A kernel: all launches of one name.
  struct Kernel {
    std::uint32_t number = 0;
    Code code;
    ImportedKernel imported;
  };

  KernelsList list;
  ImportOptions options;
  Summary summary;
  trace::Header header;
  std::map<std::string, Kernel> kernels;  ///< By name.
  std::vector<std::string> names;         ///< In the order of their numbers.
  std::vector<LaunchContents> launches;
  std::unique_ptr<LaunchReader> reader;  ///< Of the launch whose blocks are opened.
  std::uint32_t open_launch = 0;
  std::uint64_t all_bytes = 0, done_bytes = 0;

  Code& code_of(const std::string& name) {
    const auto [entry, is_new] = kernels.try_emplace(name);
    if (is_new) {
      entry->second.number = static_cast<std::uint32_t>(names.size());
      names.push_back(name);
    }
    return entry->second.code;
  }

  std::uint64_t file_bytes(std::uint32_t launch) const {
    std::error_code failed;
    const auto size = std::filesystem::file_size(list.kernels[launch], failed);
    return failed ? 0 : size;
  }
  void report(std::uint64_t bytes) const {
    if (options.progress) options.progress(done_bytes + bytes, all_bytes);
  }

  void read() {
    for (std::uint32_t n = 0; n < list.kernels.size(); ++n) all_bytes += 2 * file_bytes(n);
    summary.copies = list.copies;
    summary.copied_bytes = list.copied_bytes;
    summary.ignored_commands = list.ignored;
    std::set<std::uint64_t> streams;
    for (std::uint32_t n = 0; n < list.kernels.size(); ++n) {
      launches.push_back(read_contents(
          list.kernels[n], [&](const std::string& name) -> Code& { return code_of(name); }, summary,
          [&](std::uint64_t bytes) { report(bytes); }));
      streams.insert(launches.back().header.stream);
      done_bytes += file_bytes(n);
    }
    summary.streams = streams.size();
    header.workload = workload_name(list.path);
    header.origin = options.origin;
    for (const std::string& name : names) {
      Kernel& kernel = kernels.at(name);
      kernel.imported = make_kernel(kernel.code, name, options.unknown);
      for (std::uint32_t n = 0; n < kernel.code.size(); ++n)
        if (const CodeInstruction& i = kernel.code[n]; i.row == nullptr) summary.unknown[i.mnemonic] += i.executions;
    }
    for (const LaunchContents& contents : launches) add_launch(contents);
    for (const std::string& name : names) header.kernels.push_back(kernels.at(name).imported.kernel);
  }

  void add_launch(const LaunchContents& contents) {
    Kernel& kernel = kernels.at(contents.header.name);
    trace::Launch launch;
    launch.kernel = kernel.number;
    launch.grid = contents.header.grid;
    launch.block = contents.header.block;
    launch.dynamic_shared_bytes = contents.scratchpad_bytes();
    launch.registers_per_thread = contents.header.registers;
    header.launches.push_back(launch);
    program::Kernel& made = kernel.imported.kernel;
    made.local_bytes = std::max(made.local_bytes, contents.local_bytes());
    made.live_registers = std::max(made.live_registers, contents.header.registers);
  }
};

AccelsimSource::AccelsimSource(const std::string& path, ImportOptions options) : state_(std::make_unique<State>()) {
  state_->list = read_kernels_list(path);
  state_->options = std::move(options);
  state_->read();
}

AccelsimSource::~AccelsimSource() = default;

const trace::Header& AccelsimSource::header() const {
  return state_->header;
}

const Summary& AccelsimSource::summary() const {
  return state_->summary;
}

std::unique_ptr<trace::ThreadBlockStreams> AccelsimSource::open(std::uint32_t launch, std::uint64_t number) {
  State& state = *state_;
  if (!state.reader || state.open_launch != launch) {
    if (state.reader) state.done_bytes += state.file_bytes(state.open_launch);
    State::Kernel& kernel = state.kernels.at(state.launches[launch].header.name);
    state.reader = std::make_unique<LaunchReader>(state.list.kernels[launch], state.launches[launch], kernel.code,
                                                  kernel.imported);
    state.open_launch = launch;
  }
  auto streams = state.reader->open(number);
  state.report(state.reader->bytes_read());
  return streams;
}

}  // namespace lockstep::accelsim
