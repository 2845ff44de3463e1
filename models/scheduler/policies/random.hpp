#pragma once

#include "isa/random.hpp"
#include "models/scheduler/view.hpp"

namespace lockstep::scheduler {

/// For tests that must hold for every interleaving of warps.
class RandomChoice {
 public:
  static constexpr PolicyText description{"random", "random", "any ready warp, by random numbers from sm.policy_seed"};

  RandomChoice() = default;
  explicit RandomChoice(const Settings& settings) : random_(settings.seed) {}

  std::uint32_t choose(std::uint64_t issuable, const View&) {
    auto skip = random_.below(static_cast<unsigned>(std::popcount(issuable)));
    for (; skip > 0; --skip) issuable &= issuable - 1;
    return static_cast<std::uint32_t>(std::countr_zero(issuable));
  }

 private:
  Random random_;
};

}  // namespace lockstep::scheduler
