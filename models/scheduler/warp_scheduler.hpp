#pragma once
// A warp scheduler: the warps it has, what its policy sees of them, and which of those that can issue does so.

#include <cstdint>
#include <string_view>

#include "models/scheduler/policies.hpp"

namespace lockstep::scheduler {

/// A policy that lets a slot go by although warps are ready.
template <class Policy>
concept Narrowing = requires(Policy policy, std::uint64_t ready, const View& warps) {
  policy.narrow(ready, warps);
};

/// Warps in at most max_warps slots, and one of the Policies, which chooses among them in every issue slot.
class WarpScheduler {
 public:
  WarpScheduler() = default;
  /// InputError when there is no policy of this name.
  explicit WarpScheduler(std::string_view policy, const Settings& settings = {}) {
    policy_.choose(policy, "scheduling policy", [&]<class Policy>(std::type_identity<Policy>) {
      if constexpr (std::is_constructible_v<Policy, const Settings&>) {
        return Policy(settings);
      } else {
        return Policy();
      }
    });
    initial_ = policy_;
    narrows_ = policy_.with([]<class Policy>(Policy&) { return Narrowing<Policy>; });
  }

  /// As it was made: no warps, and the policy knows nothing of those that were.
  void reset() {
    policy_ = initial_;
    view_.live = view_.waits_for_memory = view_.waits_at_barrier = 0;
    view_.last = max_warps - 1;
  }

  std::uint64_t live() const { return view_.live; }
  /// A warp takes a free slot; smaller ages came earlier.
  void add(std::uint32_t slot, std::uint64_t age) {
    view_.live |= std::uint64_t{1} << slot;
    view_.age[slot] = age;
    view_.issued[slot] = 0;
  }
  void remove(std::uint32_t slot) { view_.live &= ~(std::uint64_t{1} << slot); }
  /// What the slot's warp waits for until it is ready. Needed by a policy that narrows() alone.
  void set_waits(std::uint32_t slot, bool for_memory, bool at_barrier) {
    const std::uint64_t bit = std::uint64_t{1} << slot;
    view_.waits_for_memory = for_memory ? view_.waits_for_memory | bit : view_.waits_for_memory & ~bit;
    view_.waits_at_barrier = at_barrier ? view_.waits_at_barrier | bit : view_.waits_at_barrier & ~bit;
  }
  /// The slot's warp issues an instruction.
  void count_issue(std::uint32_t slot) { ++view_.issued[slot]; }

  /// Whether the policy does not choose among all warps that can issue.
  bool narrows() const { return narrows_; }
  /// What it chooses among. `ready`: the warps whose next instruction needs nothing but a functional unit.
  Candidates candidates(std::uint64_t ready) {
    return policy_.with([&]<class Policy>(Policy& chosen) -> Candidates {
      if constexpr (Narrowing<Policy>) {
        return chosen.narrow(ready, view_);
      } else {
        return {~std::uint64_t{0}, ~std::uint64_t{0}};
      }
    });
  }
  /// The slot that issues, out of the bit mask of those that can, which is not 0 and has candidates only.
  std::uint32_t choose(std::uint64_t issuable) {
    return view_.last = policy_.with([&](auto& chosen) { return chosen.choose(issuable, view_); });
  }

 private:
  Policies policy_, initial_;
  bool narrows_ = false;
  View view_;
};

}  // namespace lockstep::scheduler
