#pragma once
// Executes instrumented kernels on the functional machine as run_on_gpu does on a GPU, and compares the trace of their log with
// that of the kernels as they are.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "isa/capture/instrument.hpp"
#include "isa/exec/launch.hpp"

namespace lockstep::test {

/// Makes the same task each time.
using MakeTask = std::function<std::unique_ptr<exec::Task>()>;

/// Writes the log of the task's launches, whose modules are instrumented. `log_bytes` are those of the buffer beside what every
/// launch needs at least. LogOverflow when that is not enough.
void write_log(const MakeTask& make, const std::string& path, std::uint32_t chunk_bytes = capture::default_chunk_bytes,
               std::size_t log_bytes = std::size_t{32} << 20);

/// The trace of the log against the one of the task; "" when both are the same.
std::string capture_difference(const MakeTask& make, std::uint32_t chunk_bytes = capture::default_chunk_bytes);

}  // namespace lockstep::test
