#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "isa/cycle.hpp"

namespace lockstep::gpu {

/// The groups of one functional unit that a scheduler may use: those of all schedulers, or its own.
class UnitPool {
 public:
  explicit UnitPool(std::uint32_t groups) : others_(groups - 1) {}

  /// When the next group is free; and when it would be if it had not waited for operands.
  Cycle free_at() const { return first_.free_at; }
  Cycle free_but_for_operands_at() const { return first_.free_at - first_.operand_cycles; }

  /// Takes the group that is free first until `until`; the last `operand_cycles` of that are due to register banks.
  void occupy(Cycle until, Cycle operand_cycles) {
    first_ = {until, operand_cycles};
    if (others_.empty()) return;
    const auto next = std::min_element(others_.begin(), others_.end(),
                                       [](const Group& a, const Group& b) { return a.free_at < b.free_at; });
    if (next->free_at < until) std::swap(first_, *next);
  }
  void reset() {
    first_ = {};
    std::fill(others_.begin(), others_.end(), Group{});
  }

 private:
  struct Group {
    Cycle free_at = 0, operand_cycles = 0;
  };
  Group first_;  ///< No other is free earlier.
  std::vector<Group> others_;
};

}  // namespace lockstep::gpu
