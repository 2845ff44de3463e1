#pragma once
// Many warp access patterns, and the pipeline's latency of each compared with that of the closed-form model.

#include <cstdint>
#include <string>
#include <vector>

#include "models/analytic/spec.hpp"
#include "models/analytic/warp_access.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::probe {

/// Number of patterns that generate_patterns makes: as many as Gomez-Luna (2012, section 4.3.4) measured.
inline constexpr std::size_t pattern_count = 5184;

/// Patterns over every combination of a position degree, a bank degree, a degree of lock aliasing and a mixture of these
/// (one group of conflicts or several, lanes in order or shuffled, some of them inactive). Words are drawn at random;
/// equal seeds give equal patterns.
std::vector<analytic::WarpAccess> generate_patterns(const gpu::GpuSpec& spec, std::uint64_t seed);

/// Cycles that one warp's atomic addition takes in the pipeline, pattern by pattern.
std::vector<Cycle> atomic_cycles(const gpu::GpuSpec& spec, const std::vector<analytic::WarpAccess>& patterns);

/// Distribution of |pipeline - model| / model, in percent.
struct Difference {
  std::size_t patterns = 0;
  double median_pct = 0, p90_pct = 0, max_pct = 0;
  std::string worst;  ///< The first pattern of the maximum.
};
/// `pipeline` as atomic_cycles gives it. InputError when `model` has no constants for atomics.
Difference compare_with_listing(const gpu::GpuSpec& spec, const std::vector<analytic::WarpAccess>& patterns,
                                const std::vector<Cycle>& pipeline, const analytic::Spec& model);

/// "model against model, t_bank 32/36: 5184 patterns, median ...".
std::string to_text(const Difference& difference, const analytic::Spec& model);

}  // namespace lockstep::probe
