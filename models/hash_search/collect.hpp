#pragma once
// The scratchpad accesses of a trace, as the replay makes them on one GPU.

#include <functional>
#include <string>
#include <vector>

#include "isa/machine/lowering.hpp"
#include "isa/trace/source.hpp"
#include "models/hash_search/access_set.hpp"

namespace lockstep::hash {

/// A kernel of a trace with what it asks of the scratchpad.
struct KernelAccesses {
  std::string kernel;
  AccessSet set;
};

struct CollectOptions {
  std::string kernel;  ///< Only launches of this kernel; "": of all.
  /// Called after each thread block, when set.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
  /// Accesses as the GPU issues them, of which the compiler made one of several neighbouring ones; else each by itself.
  bool as_issued = false;
};

/// Every kernel of the trace that accesses the scratchpad, in order of first launch, over all its launches. Which
/// instructions access it, and how an atomic is done, follows from the lowering for `target`. InputError when the trace
/// has no kernel of the wanted name, or an instruction that the target lacks.
std::vector<KernelAccesses> collect_accesses(trace::Source& source, const ServiceRules& rules,
                                             const machine::Target& target, const CollectOptions& options = {});

}  // namespace lockstep::hash
