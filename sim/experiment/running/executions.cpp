#include "sim/experiment/running/executions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/running/digest.hpp"

namespace lockstep::experiment {

/// A task in the sweep. It lives as long as the Executions; its trace does not.
struct Executions::Entry {
  std::mutex execution;                   ///< Held while the task is executed to be kept.
  bool tried = false;                     ///< Of `kept`: nobody else needs to try. Under `execution`.
  std::shared_ptr<const Execution> kept;  ///< Under `execution`.
  std::uint64_t uses = 0;                 ///< Ahead. Under the mutex of the Executions, as all below.
  std::uint64_t printed = 0;              ///< Lines, in the execution that came farthest.
  std::string digest;
};

namespace {

/// Everything of the GPU that a workload is built for.
std::string fabric_text(const gpu::GpuSpec& gpu) {
  std::string text;
  for (const config::Parameter& parameter : config::gpu_parameters())
    if (parameter.path.starts_with("sm.rgpu.")) text += config::to_text(parameter.get(gpu)) + ' ';
  return text;
}

}  // namespace

Executions::Executions(const trace::TraceLimits& limits, bool fingerprints)
    : limits_(limits), fingerprints_(fingerprints), budget_(limits) {}
Executions::~Executions() = default;

const workload::Workload& Executions::workload(const std::string& path_or_name) {
  const std::scoped_lock lock(mutex_);
  auto& loaded = workloads_[path_or_name];
  if (!loaded) loaded = std::make_unique<workload::Workload>(workload::Workload::load(path_or_name));
  return *loaded;
}

Task Executions::task(const Run& run, const workload::ArgumentOverrides& arguments) {
  Task task{run.workload, {}, run.gpu.sm.rgpu, ""};
  const std::vector<workload::ArgumentInfo> known = workload(run.workload).arguments();
  for (const auto& given : arguments) {
    const bool as_if_left_out = std::any_of(known.begin(), known.end(), [&](const workload::ArgumentInfo& argument) {
      return argument.built_in && argument.name == given.first && argument.default_text == given.second;
    });
    if (!as_if_left_out) task.arguments.push_back(given);
  }
  task.key = fmt::format("{}\n{}\n", run.workload, fabric_text(run.gpu));
  for (const auto& [name, value] : task.arguments) task.key += fmt::format("{}={}\n", name, value);
  return task;
}

Executions::Entry& Executions::entry(const Task& task) {
  const std::scoped_lock lock(mutex_);
  auto& found = entries_[task.key];
  if (!found) found = std::make_unique<Entry>();
  return *found;
}

void Executions::expect(const Task& task) {
  Entry& own = entry(task);
  const std::scoped_lock lock(mutex_);
  ++own.uses;
}

void Executions::done(const Task& task) {
  Entry& own = entry(task);
  {
    const std::scoped_lock lock(mutex_);
    if (own.uses == 0) throw Bug("an execution has more uses than were announced");
    if (--own.uses > 0) return;
  }
  const std::scoped_lock lock(own.execution);
  own.kept.reset();
  own.tried = false;
}

bool Executions::shared(const Task& task) {
  if (limits_.memory_bytes + limits_.disk_bytes == 0) return false;
  Entry& own = entry(task);
  {
    const std::scoped_lock lock(mutex_);
    if (own.uses < 2) return false;
  }
  return !workload(task.workload).has_graph();
}

std::shared_ptr<const Execution> Executions::execution(const Task& task) {
  Entry& own = entry(task);
  const std::scoped_lock lock(own.execution);
  if (own.tried || !shared(task)) return own.kept;
  own.tried = true;
  try {
    const auto live = machine(task);
    auto done = std::make_shared<Execution>();
    done->trace = trace::KeptTrace::copy_of(*live, budget_);
    if (!done->trace) return nullptr;
    done->check = check(task, *live);
    own.kept = std::move(done);
  } catch (const std::exception&) {
    // A live execution meets it again, and says what it is in its place.
  }
  return own.kept;
}

workload::CheckResult Executions::check(const Task& task, exec::Machine& machine) {
  machine.finish();
  const workload::Workload& own = workload(task.workload);
  workload::CheckResult result = own.check(task.arguments, machine, &task.fabric);
  if (executed_told_) executed_told_(task, own, machine);
  return result;
}

std::unique_ptr<exec::Task> Executions::build(const Task& task, Entry& own) {
  auto built = workload(task.workload).build(task.arguments, &task.fabric);
  {
    const std::scoped_lock lock(mutex_);
    if (!fingerprints_ || !own.digest.empty()) return built;
  }
  Digest digest;
  const std::vector<std::string> expectation = workload(task.workload).expectation_files(task.arguments);
  digest.add(file_digest(workload::find_workload(task.workload))).add(expectation.size());
  for (const std::string& file : expectation) digest.add(file_digest(file));
  digest.add(task.arguments.size());
  for (const auto& [name, value] : task.arguments) digest.add(name).add(value);
  std::string text = digest.add(task_digest(*built)).hex();
  const std::scoped_lock lock(mutex_);
  own.digest = std::move(text);
  return built;
}

std::unique_ptr<exec::Machine> Executions::machine(const Task& task) {
  Entry& own = entry(task);
  std::unique_ptr<exec::Task> built = build(task, own);
  built->print = [this, &own, lines = std::uint64_t{0}](std::string_view) mutable {
    const std::scoped_lock lock(mutex_);
    own.printed = std::max(own.printed, ++lines);
  };
  auto machine = std::make_unique<exec::Machine>(std::move(built));
  const std::scoped_lock lock(mutex_);
  ++executed_;
  return machine;
}

std::string Executions::digest(const Task& task) {
  Entry& own = entry(task);
  {
    const std::scoped_lock lock(mutex_);
    if (!own.digest.empty()) return own.digest;
  }
  build(task, own);
  const std::scoped_lock lock(mutex_);
  return own.digest;
}

std::uint64_t Executions::printed_lines(const Task& task) {
  const Entry& own = entry(task);
  const std::scoped_lock lock(mutex_);
  return own.printed;
}

std::uint64_t Executions::executed() const {
  const std::scoped_lock lock(mutex_);
  return executed_;
}

}  // namespace lockstep::experiment
