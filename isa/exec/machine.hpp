#pragma once
// The functional machine: executes a task's launches in order, and produces its trace.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "isa/exec/launch.hpp"
#include "isa/trace/source.hpp"

namespace lockstep::exec {

struct Finding;

/// Limits that hold where the task states none. They turn an endless execution into an error.
struct MachineLimits {
  /// Warp instructions one thread block may execute before it counts as never ending.
  std::uint64_t warp_instructions_per_block = 100'000'000;
  /// Activations of recursive functions that may wait for each other in one thread.
  std::uint32_t call_depth = 1024;
};

/// A live trace: opening a thread block executes it functionally, and with it the others that are resident. Errors of the executed program (access out of bounds
/// or misaligned, barrier deadlock, trap, unknown instruction) are InputErrors that name kernel, source line, PTX line,
/// thread, address and nearest allocation.
class Machine final : public trace::Source {
 public:
  /// Takes the task over; parses nothing, but decodes every kernel and checks arguments and launch shapes.
  explicit Machine(std::unique_ptr<Task> task, MachineLimits limits = {});
  ~Machine() override;

  const trace::Header& header() const override;
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override;
  std::optional<std::vector<trace::OrderDependence>> order_dependences() const override;

  /// Executes what has not been opened yet, recording nothing.
  void finish();
  /// Executes one more launch behind all others, recording nothing, for a host that decides on it by what those have left.
  /// Whoever opens thread blocks must not.
  void execute(KernelLaunch launch);
  /// Contents of a task buffer as execution has left it so far.
  std::span<const std::uint8_t> buffer(std::uint32_t index) const;
  /// Its device address.
  std::uint64_t buffer_address(std::uint32_t index) const;
  /// The same of a task variable.
  std::span<const std::uint8_t> variable(std::uint32_t index) const;
  std::uint64_t variable_address(std::uint32_t index) const;
  /// Device addresses of the .global and .const variables of a module of the task, and of its functions whose address is
  /// taken; none of a module that no launch and no variable of the task names.
  std::map<std::string, std::uint64_t> module_variables(const ptx::Module& module) const;
  /// What a host copies to a buffer between launches.
  void write_buffer(std::uint32_t index, std::uint64_t offset, std::span<const std::uint8_t> bytes);
  /// Those of the task.
  const std::vector<HostValue>& host_values() const;
  /// What the task's checks have found so far.
  const std::vector<Finding>& findings() const;
  /// Warp instructions executed so far.
  std::uint64_t warp_instructions() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::exec
