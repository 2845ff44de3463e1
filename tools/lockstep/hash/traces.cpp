#include "tools/lockstep/hash/traces.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "sim/gpu/launch_shape.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

void require_locks(const gpu::GpuSpec& spec) {
  if (spec.target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop) return;
  const bool native = spec.target.scratchpad_atomics == machine::ScratchpadAtomics::native;
  throw InputError(SourceLocation{"--unit", 0, 0},
                   fmt::format("{} has no locks: its atomics {}; only banks can be hashed", spec.name,
                               native ? "are native" : "lack scratchpad memory"));
}

void require_room(const trace::Header& header, const gpu::GpuSpec& spec) {
  for (const trace::Launch& launch : header.launches)
    gpu::scratchpad_bytes_per_block(spec.sm.occupancy, header.kernels[launch.kernel], launch);
}

void add_kernels(const trace::Header& header, std::set<std::string>& kernels) {
  for (const program::Kernel& kernel : header.kernels) kernels.insert(kernel.name);
}

void note_unknown_kernels(std::string_view what, const std::string& hashes, const std::set<std::string>& kernels) {
  const hash::KernelHashes per_kernel(hashes);
  for (const auto& [kernel, spec] : per_kernel.all())
    if (!kernel.empty() && !kernels.contains(kernel))
      note(fmt::format("note: {} names kernel '{}', which these traces do not have; they have: {}", what, kernel,
                       fmt::join(kernels, ", ")));
}

}  // namespace lockstep::cli
