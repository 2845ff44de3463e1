#pragma once
// The host of a sequence of launches: reads what they have left, to decide on those that follow. Internal to sim/workload.

#include <memory>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "sim/workload/evaluation_errors.hpp"
#include "sim/workload/launch_source.hpp"
#include "sim/workload/launches/variables.hpp"

namespace lockstep::workload {

/// Whether the entries have steps of the host.
bool has_host_steps(const std::vector<LaunchSpec>& launches);

/// Thrown when there is an error already: the launches that a host step depends on cannot be executed.
struct HostStopped {};

/// Evaluates expressions in which elements of buffers are what the launches of the task so far have left. It executes these
/// launches on a machine of its own, as far as the record does not say yet what they leave.
class Host {
 public:
  /// `task` has all modules, of launches to come too; `uses` are the addresses that its launches are given.
  Host(const LaunchSource& source, exec::Task& task, const std::vector<AddressUse>& uses, EvaluationErrors& errors)
      : source_(source), task_(task), uses_(uses), errors_(errors) {}

  /// EvaluationError, or InputError of a launch that fails.
  Number evaluate(const LocatedExpression& expression);
  /// Whether a condition is true; `what` names it in a message.
  bool holds(const LocatedExpression& condition, std::string_view what);
  /// Evaluates the values and gives them their names.
  void read(const std::vector<HostValueSpec>& values);

 private:
  class CurrentScope;
  Number element(std::string_view name, std::int64_t index, const SourceLocation& where);
  /// What the launches so far have left in a buffer or variable.
  std::span<const std::uint8_t> executed(std::size_t memory);
  void begin();

  const LaunchSource& source_;
  exec::Task& task_;
  const std::vector<AddressUse>& uses_;
  EvaluationErrors& errors_;
  std::unique_ptr<exec::Machine> machine_;
  std::size_t launches_ = 0, checked_uses_ = 0;  ///< Executed; checked.
  std::size_t reads_ = 0;                        ///< Among the record.
};

}  // namespace lockstep::workload
