#pragma once
// The workloads of a sweep, each executed once for all runs that need it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "isa/trace/kept_trace.hpp"
#include "sim/experiment/point.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::experiment {

/// What an execution leaves behind.
struct Execution {
  std::shared_ptr<const trace::KeptTrace> trace;
  workload::CheckResult check;  ///< Of the output.
};

/// A workload with arguments, made for the fabric of a GPU.
struct Task {
  std::string workload;  ///< Path or name.
  workload::ArgumentOverrides arguments;
  rgpu::Spec fabric;
  /// Equal for tasks whose executions are equal: workload, arguments, and all that Workload::build is given of the GPU. What
  /// else of the GPU an execution depends on, such as the banks of a hash in software, is among the arguments.
  std::string key;
};

/// Reads each workload once, and executes each task once as long as its trace fits the budget. May be used by several
/// threads; those that need the same execution wait for it.
class Executions {
 public:
  /// `fingerprints`: whether digest() will be asked for.
  explicit Executions(const trace::TraceLimits& limits, bool fingerprints = true);
  ~Executions();
  Executions(const Executions&) = delete;
  Executions& operator=(const Executions&) = delete;

  const workload::Workload& workload(const std::string& path_or_name);

  /// The task of a run's workload with these arguments. Arguments that every workload has are left out at their default.
  Task task(const Run& run, const workload::ArgumentOverrides& arguments);

  /// Announces one more use of the task. Only tasks with several uses are kept.
  void expect(const Task& task);
  /// Ends a use; after the last one the trace is dropped.
  void done(const Task& task);
  /// Whether the task has several uses ahead and can be kept: graphs of R-GPU are replayed live alone.
  bool shared(const Task& task);
  /// The execution of a shared task, by the first who asks. Null when the task is to be executed live: it is not shared, is
  /// over the budget, or cannot be executed; then a live execution says why.
  std::shared_ptr<const Execution> execution(const Task& task);

  /// Told of every execution whose output has been checked, by any thread.
  using Executed = std::function<void(const Task&, const workload::Workload&, const exec::Machine&)>;
  void when_executed(Executed told) { executed_told_ = std::move(told); }
  /// Ends an execution and checks its output.
  workload::CheckResult check(const Task& task, exec::Machine& machine);

  /// A live execution, not begun. Counts as one.
  std::unique_ptr<exec::Machine> machine(const Task& task);
  /// Fingerprint of the descriptor, the arguments, and all that the task is computed from.
  std::string digest(const Task& task);

  /// Lines that the task's kernels have printed with printf; as many as a PrintLog shows, and one, where there are more.
  std::uint64_t printed_lines(const Task& task);

  /// Machines made so far.
  std::uint64_t executed() const;

 private:
  struct Entry;
  Entry& entry(const Task& task);
  std::unique_ptr<exec::Task> build(const Task& task, Entry& entry);

  trace::TraceLimits limits_;
  bool fingerprints_;
  Executed executed_told_;
  trace::TraceBudget budget_;
  mutable std::mutex mutex_;  ///< Of what follows.
  std::map<std::string, std::unique_ptr<workload::Workload>> workloads_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  std::uint64_t executed_ = 0;
};

}  // namespace lockstep::experiment
