#include "models/analytic/latency_estimate.hpp"

namespace lockstep::analytic {

namespace {

std::optional<Cycle> without_locks(Cycle base, Cycle per_degree, const Layout& layout, const WarpAccess& access) {
  if (base == 0) return std::nullopt;
  const std::uint32_t degree = bank_conflict_degree(layout, access);
  return degree == 0 ? Cycle{0} : base + (degree - 1) * per_degree;
}

}  // namespace

std::optional<Estimate> atomic_latency(const Spec& spec, const Layout& layout, const WarpAccess& access) {
  if (spec.atomic_base == 0) return std::nullopt;
  Estimate estimate;
  estimate.iterations = lock_conflicts(layout, access).degree;
  WarpAccess left = access;
  for (std::uint32_t iteration = 0; iteration < estimate.iterations; ++iteration) {
    estimate.cycles += iteration == 0 ? spec.atomic_base : spec.position;
    if (const std::uint32_t degree = bank_conflict_degree(layout, left); degree > 0)
      estimate.cycles += (degree - 1) * spec.bank_read;
    WarpAccess updated = left;
    updated.mask = lock_conflicts(layout, left).winners;
    if (const std::uint32_t degree = bank_conflict_degree(layout, updated); degree > 0)
      estimate.cycles += (degree - 1) * spec.bank_write;
    left.mask &= ~updated.mask;
  }
  return estimate;
}

std::optional<Cycle> load_latency(const Spec& spec, const Layout& layout, const WarpAccess& access) {
  return without_locks(spec.load_base, spec.bank_read, layout, access);
}

std::optional<Cycle> store_latency(const Spec& spec, const Layout& layout, const WarpAccess& access) {
  return without_locks(spec.store_base, spec.bank_write, layout, access);
}

std::optional<Cycle> read_modify_write_latency(const Spec& spec, const Layout& layout, const WarpAccess& access) {
  return without_locks(spec.read_modify_write_base, spec.bank_read + spec.bank_write, layout, access);
}

}  // namespace lockstep::analytic
