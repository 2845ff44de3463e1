#include "sim/gpu/counters/sm.hpp"

#include <fmt/format.h>

namespace lockstep::gpu {

counter::Entry SmCounters::slot_entry(std::size_t slot) {
  return {fmt::format("issue.{}", slot_texts[slot].name), std::string(slot_texts[slot].text)};
}

counter::Entry SmCounters::degree_entry(std::size_t degree) {
  if (degree == 0) return {};  // An access has at least one lane.
  return {fmt::format("scratchpad.degree.{}", degree),
          fmt::format("Warp accesses (those of loops included) of bank conflict degree {}", degree)};
}

}  // namespace lockstep::gpu
