#pragma once
// Checks that a GPU and the traces for which hashes are counted or searched fit each other.

#include <set>
#include <string>
#include <string_view>

#include "isa/trace/header.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::cli {

/// InputError when the GPU's atomics take no locks.
void require_locks(const gpu::GpuSpec& spec);

/// InputError when a thread block of the trace needs more scratchpad memory than the GPU allows.
void require_room(const trace::Header& header, const gpu::GpuSpec& spec);

/// Adds the names of the kernels of a trace.
void add_kernels(const trace::Header& header, std::set<std::string>& kernels);

/// "note: WHAT names kernel K, which ..." on standard error for every kernel with a hash of its own that is none of
/// `kernels`: such a hash has no effect. A replay notes the same.
void note_unknown_kernels(std::string_view what, const std::string& hashes, const std::set<std::string>& kernels);

}  // namespace lockstep::cli
