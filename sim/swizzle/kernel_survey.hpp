#pragma once
// What the kernels of a workload do with their scratchpad arrays on one GPU. Internal to sim/swizzle.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/ptx/program.hpp"
#include "isa/rewrite/array_accesses.hpp"
#include "isa/trace/source.hpp"
#include "models/layout_search/layout_search.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/swizzle/rewritten_task.hpp"
#include "sim/swizzle/swizzle.hpp"

namespace lockstep::swizzle {

struct SurveyedKernel {
  KernelId id;
  std::unique_ptr<ptx::Program> program;
  rewrite::ArrayAccesses accesses;
  std::vector<layout::ArrayPlace> places;  ///< Per array.
  std::optional<program::Dim3> block;      ///< Of all launches, where they have the same.
  std::vector<std::uint64_t> executions;   ///< Per basic block, by warps.
  /// Per array, relative to it: requests as the GPU issues them, and with every access by itself.
  std::vector<hash::AccessSet> issued, single;
  std::vector<std::vector<ConflictLine>> lines;  ///< Per array.
};

/// The kernels that are launched, in order of first launch, and what the trace says of them.
std::vector<SurveyedKernel> survey_kernels(const exec::Task& task,
                                           const std::function<std::unique_ptr<trace::Source>()>& open,
                                           const gpu::GpuSpec& spec);

/// The GPU's own map of words to banks for a kernel.
hash::AddressMap bank_map(const gpu::GpuSpec& spec, const std::string& kernel);

/// Distances by which addresses of an array change with a thread index or a loop, in bytes.
std::set<std::uint64_t> pitches_of(const SurveyedKernel& kernel, std::uint32_t array);

}  // namespace lockstep::swizzle
