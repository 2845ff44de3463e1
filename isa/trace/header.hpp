#pragma once
// What a trace says beside its streams: kernels, launches, where it comes from.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::trace {

/// One kernel launch of the traced workload.
struct Launch {
  std::uint32_t kernel = 0;  ///< Index into Header::kernels.
  program::Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t registers_per_thread = 0;  ///< As the workload states them, or 0: use the kernel's estimate.

  std::uint64_t thread_blocks() const { return program::volume(grid); }
  std::uint32_t threads_per_block() const { return static_cast<std::uint32_t>(program::volume(block)); }
  std::uint32_t warps_per_block() const { return (threads_per_block() + 31) / 32; }
};

/// Everything of a trace but its streams.
struct Header {
  std::string workload;  ///< Name of the traced workload.
  std::string origin;    ///< How it came to be: program version, command line, input files.
  std::vector<std::pair<std::string, std::string>> arguments;  ///< Named workload arguments, as text.
  program::AddressWindows windows;
  std::vector<program::Kernel> kernels;
  std::vector<Launch> launches;  ///< In order of execution.
};

}  // namespace lockstep::trace
