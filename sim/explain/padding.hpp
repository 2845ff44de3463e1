#pragma once
// Rows of scratchpad arrays further apart: what a padded kernel's replay would be, from the trace of the unpadded one.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"
#include "sim/explain/line_costs.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::explain {

/// Behind every `row` words of a thread block's scratchpad come `pad` unused ones: word i becomes i + i / row * pad. Words
/// have the width of a bank. No two words meet, and lanes that named one word name one again, so the replay differs from
/// the kernel's own in nothing but what its index arithmetic costs.
struct Padding {
  std::uint32_t kernel = 0;
  std::uint64_t row = 0, pad = 0;
  std::uint64_t word(std::uint64_t word) const { return word + word / row * pad; }
  friend bool operator==(const Padding&, const Padding&) = default;
};

/// Paddings worth a replay: of rows by whose length lanes of the kernels' worst accesses collide, with a pad that keeps
/// the widest access of the kernel aligned. None of a kernel whose atomics take locks: which words share one would depend
/// on more than the padding.
std::vector<Padding> worthwhile_paddings(const gpu::GpuSpec& spec, const trace::Header& header,
                                         const std::vector<LineCosts>& lines);

/// The GPU that finds each word in the bank where the padded kernel has it.
gpu::GpuSpec padded(const gpu::GpuSpec& spec, const trace::Header& header, const Padding& padding);
/// The trace with the memory that the padded kernel needs.
std::unique_ptr<trace::Source> padded(std::unique_ptr<trace::Source> source, const Padding& padding,
                                      std::uint32_t bank_bytes);

}  // namespace lockstep::explain
