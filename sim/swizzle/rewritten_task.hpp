#pragma once
// A task whose kernels have arrays with other layouts. Internal to sim/swizzle.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isa/exec/launch.hpp"
#include "isa/rewrite/array_rewrite.hpp"

namespace lockstep::swizzle {

/// A kernel by the number of its module in the task, and its name.
using KernelId = std::pair<std::size_t, std::string>;

/// What becomes of a kernel.
struct KernelChange {
  rewrite::ArraysRequest request;
  /// That of its dynamic memory, which a launch has to give more of.
  rewrite::ArrayLayout dynamic;
};
using Changes = std::map<KernelId, KernelChange>;

/// What became of one.
struct KernelRewritten {
  std::uint32_t accesses = 0, added_instructions = 0;
  bool requires_block = false;
};

KernelId kernel_of(const exec::Task& task, const exec::KernelLaunch& launch);
/// The text of a module of the task.
std::string text_of(const exec::Task& task, std::size_t module);

/// Puts rewritten modules in the place of those of the task.
std::map<KernelId, KernelRewritten> rewrite_task(exec::Task& task, const Changes& changes);

}  // namespace lockstep::swizzle
