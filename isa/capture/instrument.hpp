#pragma once
// Rewrites kernels so that every thread logs the basic blocks that it executes and the addresses that it accesses.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/ptx/module.hpp"

namespace lockstep::capture {

/// Bytes of a chunk unless a record needs a larger one. Every thread of a launch has at least one.
inline constexpr std::uint32_t default_chunk_bytes = 512;

struct InstrumentedModule {
  std::string text;
  std::uint32_t functions = 0, blocks = 0, accesses = 0;  ///< That log.
  std::uint64_t header_bytes = 0, chunk_bytes = 0;
  std::vector<std::pair<std::string, std::string>> refused;  ///< Kernels that stay as they were, and why.
};

/// `module` is what `text` says. What the kernels compute, their parameters and their scratchpad memory stay; they need
/// more registers, and the buffer of device_log.hpp behind the variable `lockstep_log`. InputError, with all places, where one of
/// the kernels in `needed`, or all of the module, cannot be logged (LogPlan), for variables in inner scopes whose addresses are
/// taken, and for a module that is instrumented already.
InstrumentedModule instrument(std::string_view text, const ptx::Module& module,
                              std::uint32_t chunk_bytes = default_chunk_bytes,
                              const std::set<std::string>& needed = {});

}  // namespace lockstep::capture
